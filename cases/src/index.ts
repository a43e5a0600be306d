import { createWorld } from '@tendril-sim/core';
import { articulatedCable } from '../articulated-cable/case.ts';
import { becksColumn } from '../becks-column/case.ts';
import { bendTwist } from '../bend-twist/case.ts';
import { braid } from '../braid/case.ts';
import { brokenSpaghetti } from '../broken-spaghetti/case.ts';
import { bucklingWithTwist } from '../buckling-with-twist/case.ts';
import { cableHysteresis } from '../cable-hysteresis/case.ts';
import { cantileverFrequencies } from '../cantilever-frequencies/case.ts';
import { cantileverMasterCurve } from '../cantilever-master-curve/case.ts';
import { cantileverRelease } from '../cantilever-release/case.ts';
import { capstan } from '../capstan/case.ts';
import { changingModuli } from '../changing-moduli/case.ts';
import { curlyBangs } from '../curly-bangs/case.ts';
import { curvedCantilever } from '../curved-cantilever/case.ts';
import { dampingDecay } from '../damping-decay/case.ts';
import { drop } from '../drop/case.ts';
import { ears } from '../ears/case.ts';
import { endLoadCantilever } from '../end-load-cantilever/case.ts';
import { eulerBuckling } from '../euler-buckling/case.ts';
import { figureEight } from '../figure-eight/case.ts';
import { freeFlight } from '../free-flight/case.ts';
import { growingStrip } from '../growing-strip/case.ts';
import { hairBall } from '../hair-ball/case.ts';
import { hairBundle } from '../hair-bundle/case.ts';
import { hairRelease } from '../hair-release/case.ts';
import { hairStrands } from '../hair-strands/case.ts';
import { hangingChain } from '../hanging-chain/case.ts';
import { hangingCurl } from '../hanging-curl/case.ts';
import { heavyCantilever } from '../heavy-cantilever/case.ts';
import { helicalPerversion } from '../helical-perversion/case.ts';
import { helicalSpring } from '../helical-spring/case.ts';
import { helixReconstruction } from '../helix-reconstruction/case.ts';
import { helixRelaxation } from '../helix-relaxation/case.ts';
import { incline } from '../incline/case.ts';
import { integratorOrder } from '../integrator-order/case.ts';
import { invariants } from '../invariants/case.ts';
import { lanterns } from '../lanterns/case.ts';
import { lateralBuckling } from '../lateral-buckling/case.ts';
import { localizedBuckling } from '../localized-buckling/case.ts';
import { longHairCase } from '../long-hair/case.ts';
import { michellRing } from '../michell-ring/case.ts';
import { movingJungle } from '../moving-jungle/case.ts';
import { plectoneme } from '../plectoneme/case.ts';
import { prestressedRing } from '../prestressed-ring/case.ts';
import { rodInTube } from '../rod-in-tube/case.ts';
import { shallowArch } from '../shallow-arch/case.ts';
import { snappedBar } from '../snapped-bar/case.ts';
import { stepSize } from '../step-size/case.ts';
import { stickSlip } from '../stick-slip/case.ts';
import { torqueTransducer } from '../torque-transducer/case.ts';
import { treeInWind } from '../tree-in-wind/case.ts';
import { trefoilKnot } from '../trefoil-knot/case.ts';
import { twistAndTension } from '../twist-and-tension/case.ts';
import { twistAsymmetry } from '../twist-asymmetry/case.ts';
import { undampedHair } from '../undamped-hair/case.ts';
import { viscoelasticRod } from '../viscoelastic-rod/case.ts';
import { wallElastica } from '../wall-elastica/case.ts';
import { wilberforcePendulum } from '../wilberforce-pendulum/case.ts';
import { wireForming } from '../wire-forming/case.ts';
import { wovenFabric } from '../woven-fabric/case.ts';
import type { Case } from './case.ts';
import { setCreateWorld } from './world.ts';

export { hairBallScene } from '../hair-ball/case.ts';
export { jungle } from '../moving-jungle/case.ts';
export * from './case.ts';
export type {
  AtLeast,
  AtMost,
  Band,
  Bound,
  CheckRow,
  CurveInBand,
  CurvePoint,
  ExactValue,
  Expectation,
  Expectations,
  Holds,
  Measured,
  Ordering,
  Relation,
} from './expectation.ts';
export { type IdolOptions, idolScene } from './fabric.ts';
export { type CaseGroup, type CaseTopic, caseGroups, caseTopics } from './groups.ts';
export { createOverlapMeter, type OverlapMeter, type OverlapOptions } from './overlap.ts';
export type { PaperId } from './paperIds.ts';
export {
  findPaper,
  type PanelLook,
  type Paper,
  type PaperClaim,
  type PaperFigure,
  type PaperMoment,
  type PaperPanels,
  papers,
  type TimedScene,
} from './papers.ts';
export { stiffFiberStudies } from './stiff-fibers/index.ts';
export * from './study.ts';

/** All cases, from the simplest to the most demanding. */
export const cases: readonly Case[] = [
  heavyCantilever,
  cantileverMasterCurve,
  endLoadCantilever,
  eulerBuckling,
  lateralBuckling,
  shallowArch,
  curvedCantilever,
  helixReconstruction,
  hairStrands,
  hairRelease,
  helicalSpring,
  hangingCurl,
  michellRing,
  figureEight,
  prestressedRing,
  bendTwist,
  localizedBuckling,
  twistAndTension,
  twistAsymmetry,
  helicalPerversion,
  cantileverFrequencies,
  becksColumn,
  integratorOrder,
  cantileverRelease,
  freeFlight,
  bucklingWithTwist,
  stepSize,
  helixRelaxation,
  undampedHair,
  dampingDecay,
  viscoelasticRod,
  brokenSpaghetti,
  snappedBar,
  wireForming,
  articulatedCable,
  cableHysteresis,
  growingStrip,
  changingModuli,
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
  incline,
  stickSlip,
  wallElastica,
  rodInTube,
  capstan,
  drop,
  hairBundle,
  trefoilKnot,
  plectoneme,
  hangingChain,
  hairBall,
  wovenFabric,
];

setCreateWorld(createWorld);

/** The case with this id, or undefined. */
export function findCase(id: string): Case | undefined {
  return cases.find((subject) => subject.id === id);
}

export { setCreateWorld } from './world.ts';
