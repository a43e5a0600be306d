import { braid } from '../braid/case.ts';
import { cantileverFrequencies } from '../cantilever-frequencies/case.ts';
import { cantileverRelease } from '../cantilever-release/case.ts';
import { curlyBangs } from '../curly-bangs/case.ts';
import { curvedCantilever } from '../curved-cantilever/case.ts';
import { ears } from '../ears/case.ts';
import { endLoadCantilever } from '../end-load-cantilever/case.ts';
import { eulerBuckling } from '../euler-buckling/case.ts';
import { freeFlight } from '../free-flight/case.ts';
import { heavyCantilever } from '../heavy-cantilever/case.ts';
import { helicalPerversion } from '../helical-perversion/case.ts';
import { helicalSpring } from '../helical-spring/case.ts';
import { helixReconstruction } from '../helix-reconstruction/case.ts';
import { integratorOrder } from '../integrator-order/case.ts';
import { invariants } from '../invariants/case.ts';
import { lanterns } from '../lanterns/case.ts';
import { localizedBuckling } from '../localized-buckling/case.ts';
import { longHairCase } from '../long-hair/case.ts';
import { michellRing } from '../michell-ring/case.ts';
import { movingJungle } from '../moving-jungle/case.ts';
import { torqueTransducer } from '../torque-transducer/case.ts';
import { treeInWind } from '../tree-in-wind/case.ts';
import { twistAsymmetry } from '../twist-asymmetry/case.ts';
import { wilberforcePendulum } from '../wilberforce-pendulum/case.ts';
import type { Case } from './case.ts';

export * from './case.ts';

/** All cases, from the simplest to the most demanding. */
export const cases: readonly Case[] = [
  heavyCantilever,
  endLoadCantilever,
  eulerBuckling,
  curvedCantilever,
  helixReconstruction,
  helicalSpring,
  michellRing,
  localizedBuckling,
  twistAsymmetry,
  helicalPerversion,
  cantileverFrequencies,
  integratorOrder,
  cantileverRelease,
  freeFlight,
  torqueTransducer,
  wilberforcePendulum,
  treeInWind,
  lanterns,
  ears,
  braid,
  curlyBangs,
  longHairCase,
  movingJungle,
  invariants,
];

export function findCase(id: string): Case | undefined {
  return cases.find((subject) => subject.id === id);
}
