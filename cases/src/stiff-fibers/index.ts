import type { PaperStudy } from '../study.ts';
import { bucklingStudy, stepStudy } from './buckling.ts';
import { curlStudy, moduliStudy } from './curl.ts';
import { dampingStudy, energyStudy } from './energy.ts';

/** The experiments of Michels, Mueller and Sobottka 2015, figure by figure. */
export const stiffFiberStudies: readonly PaperStudy[] = [
  bucklingStudy,
  stepStudy,
  energyStudy,
  curlStudy,
  dampingStudy,
  moduliStudy,
];
