/**
 * The cases by name, each loaded when it is asked for: the command line lists and finds cases without reading all of them.
 * `index.ts` loads all at once.
 */
import type { Case } from './case.ts';

/** From the simplest to the most demanding. */
const loaders: Readonly<Record<string, () => Promise<Case>>> = {
  'heavy-cantilever': async () => (await import('../heavy-cantilever/case.ts')).heavyCantilever,
  'cantilever-master-curve': async () => (await import('../cantilever-master-curve/case.ts')).cantileverMasterCurve,
  'end-load-cantilever': async () => (await import('../end-load-cantilever/case.ts')).endLoadCantilever,
  'euler-buckling': async () => (await import('../euler-buckling/case.ts')).eulerBuckling,
  'lateral-buckling': async () => (await import('../lateral-buckling/case.ts')).lateralBuckling,
  'shallow-arch': async () => (await import('../shallow-arch/case.ts')).shallowArch,
  'curved-cantilever': async () => (await import('../curved-cantilever/case.ts')).curvedCantilever,
  'helix-reconstruction': async () => (await import('../helix-reconstruction/case.ts')).helixReconstruction,
  'hair-strands': async () => (await import('../hair-strands/case.ts')).hairStrands,
  'hair-release': async () => (await import('../hair-release/case.ts')).hairRelease,
  'helical-spring': async () => (await import('../helical-spring/case.ts')).helicalSpring,
  'hanging-curl': async () => (await import('../hanging-curl/case.ts')).hangingCurl,
  'michell-ring': async () => (await import('../michell-ring/case.ts')).michellRing,
  'figure-eight': async () => (await import('../figure-eight/case.ts')).figureEight,
  'prestressed-ring': async () => (await import('../prestressed-ring/case.ts')).prestressedRing,
  'bend-twist': async () => (await import('../bend-twist/case.ts')).bendTwist,
  'localized-buckling': async () => (await import('../localized-buckling/case.ts')).localizedBuckling,
  'twist-and-tension': async () => (await import('../twist-and-tension/case.ts')).twistAndTension,
  'twist-asymmetry': async () => (await import('../twist-asymmetry/case.ts')).twistAsymmetry,
  'helical-perversion': async () => (await import('../helical-perversion/case.ts')).helicalPerversion,
  'cantilever-frequencies': async () => (await import('../cantilever-frequencies/case.ts')).cantileverFrequencies,
  'becks-column': async () => (await import('../becks-column/case.ts')).becksColumn,
  'integrator-order': async () => (await import('../integrator-order/case.ts')).integratorOrder,
  'cantilever-release': async () => (await import('../cantilever-release/case.ts')).cantileverRelease,
  'free-flight': async () => (await import('../free-flight/case.ts')).freeFlight,
  'buckling-with-twist': async () => (await import('../buckling-with-twist/case.ts')).bucklingWithTwist,
  'step-size': async () => (await import('../step-size/case.ts')).stepSize,
  'helix-relaxation': async () => (await import('../helix-relaxation/case.ts')).helixRelaxation,
  'undamped-hair': async () => (await import('../undamped-hair/case.ts')).undampedHair,
  'damping-decay': async () => (await import('../damping-decay/case.ts')).dampingDecay,
  'viscoelastic-rod': async () => (await import('../viscoelastic-rod/case.ts')).viscoelasticRod,
  'broken-spaghetti': async () => (await import('../broken-spaghetti/case.ts')).brokenSpaghetti,
  'snapped-bar': async () => (await import('../snapped-bar/case.ts')).snappedBar,
  'wire-forming': async () => (await import('../wire-forming/case.ts')).wireForming,
  'articulated-cable': async () => (await import('../articulated-cable/case.ts')).articulatedCable,
  'cable-hysteresis': async () => (await import('../cable-hysteresis/case.ts')).cableHysteresis,
  'growing-strip': async () => (await import('../growing-strip/case.ts')).growingStrip,
  'changing-moduli': async () => (await import('../changing-moduli/case.ts')).changingModuli,
  'torque-transducer': async () => (await import('../torque-transducer/case.ts')).torqueTransducer,
  'wilberforce-pendulum': async () => (await import('../wilberforce-pendulum/case.ts')).wilberforcePendulum,
  'tree-in-wind': async () => (await import('../tree-in-wind/case.ts')).treeInWind,
  lanterns: async () => (await import('../lanterns/case.ts')).lanterns,
  ears: async () => (await import('../ears/case.ts')).ears,
  braid: async () => (await import('../braid/case.ts')).braid,
  'curly-bangs': async () => (await import('../curly-bangs/case.ts')).curlyBangs,
  'long-hair': async () => (await import('../long-hair/case.ts')).longHairCase,
  'moving-jungle': async () => (await import('../moving-jungle/case.ts')).movingJungle,
  invariants: async () => (await import('../invariants/case.ts')).invariants,
  incline: async () => (await import('../incline/case.ts')).incline,
  'stick-slip': async () => (await import('../stick-slip/case.ts')).stickSlip,
  'wall-elastica': async () => (await import('../wall-elastica/case.ts')).wallElastica,
  'rod-in-tube': async () => (await import('../rod-in-tube/case.ts')).rodInTube,
  capstan: async () => (await import('../capstan/case.ts')).capstan,
  drop: async () => (await import('../drop/case.ts')).drop,
  'hair-bundle': async () => (await import('../hair-bundle/case.ts')).hairBundle,
  'trefoil-knot': async () => (await import('../trefoil-knot/case.ts')).trefoilKnot,
  plectoneme: async () => (await import('../plectoneme/case.ts')).plectoneme,
  'hanging-chain': async () => (await import('../hanging-chain/case.ts')).hangingChain,
  'hair-ball': async () => (await import('../hair-ball/case.ts')).hairBall,
  'woven-fabric': async () => (await import('../woven-fabric/case.ts')).wovenFabric,
};

/** Names of all cases, from the simplest to the most demanding. */
export const caseIds: readonly string[] = Object.keys(loaders);

/** Loads one case; undefined where there is none of this name. */
export async function loadCase(id: string): Promise<Case | undefined> {
  if (!Object.hasOwn(loaders, id)) return undefined;
  const [{ createWorld }, { setCreateWorld }] = await Promise.all([import('@tendril-sim/core'), import('./world.ts')]);
  setCreateWorld(createWorld);
  return loaders[id]();
}

export { paperIds } from './paperIds.ts';
