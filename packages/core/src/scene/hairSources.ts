/** Hair types with the source of each of their numbers, for people and for pages that show them. */
import { type HairNumbers, hairNumbers } from './hair.ts';
import type { HairType } from './types.ts';

/** Section and curl of a type of hair, with the source of each number. */
export interface HairPreset extends HairNumbers {
  /** Sources of the numbers; `estimate` marks our own. */
  readonly sources: { readonly area: string; readonly ellipticity: string; readonly curl: string };
}

/** Sources of the numbers of `hairMaterial`. */
export const hairMaterialSources: Readonly<Record<'E' | 'G' | 'density', string>> = {
  E: '[Michels2015]; 3.8 to 3.9 GPa in Robbins, Chemical and Physical Behavior of Human Hair',
  G: '[Michels2015]; 0.89 GPa in Robbins',
  density: 'default of the BASim family of simulators; [Michels2015] has 31.3 µg/cm at 60 µm, which is 1110 kg/m³',
};

const tri = (group: string, n: number): string =>
  `TRI Princeton, typical physical characteristics of hair: ${group}, n = ${n}`;
const asian = tri('Asian', 173);
const caucasian = tri('Caucasian', 171);
const african = tri('African American', 251);
const middle = `estimate: as ${caucasian}`;
const likely = (source: string): string => `estimate: where this curl is common, ${source}`;
const kamath = 'African: 1.86 to 1.89, Kamath, Syed (as quoted by Syed 2015)';
const guess = 'estimate';

/** The types of hair by name. */
export const hairTypes: Readonly<Record<HairType, HairPreset>> = {
  straight: { ...hairNumbers.straight, sources: { area: middle, ellipticity: likely(asian), curl: guess } },
  wavy: { ...hairNumbers.wavy, sources: { area: middle, ellipticity: likely(caucasian), curl: guess } },
  curly: { ...hairNumbers.curly, sources: { area: middle, ellipticity: likely(african), curl: guess } },
  coily: { ...hairNumbers.coily, sources: { area: middle, ellipticity: likely(kamath), curl: guess } },
  'smooth-asian': { ...hairNumbers['smooth-asian'], sources: { area: asian, ellipticity: asian, curl: guess } },
  'wavy-caucasian': {
    ...hairNumbers['wavy-caucasian'],
    sources: { area: caucasian, ellipticity: caucasian, curl: guess },
  },
  'curly-caucasian': {
    ...hairNumbers['curly-caucasian'],
    sources: { area: caucasian, ellipticity: caucasian, curl: guess },
  },
  'tightly-curled-african': {
    ...hairNumbers['tightly-curled-african'],
    sources: { area: `estimate: as ${african}`, ellipticity: kamath, curl: guess },
  },
};
