/** What is measured. A row is a name, the number of nodes and steps its figure is divided by, and the work. */

import { findCase, hairBallScene, idolScene, jungle } from '@tendril-sim/cases';
import { createWorld, type Model, type ModelId, type Scene, type World } from '@tendril-sim/core';
import { loadSimdDer } from '@tendril-sim/core/batch';
import { loadBlocks, loadDer, loadFiber, loadThreadedDer, loadThreadedFiber } from '@tendril-sim/core/kernels';
import { sceneFromObject } from '@tendril-sim/io';
import { startThreads } from '@tendril-sim/io/node';
import { measureFunctions } from './functions.ts';
import { growRow, usdaRow } from './groom.ts';
import { headRow, headScene, threadedHeadRow } from './head.ts';
import { createBandBenchmark, createFiberBenchmark, createPairBenchmark } from './inner.ts';
import { fitRow, gradientRow, restShapeRow } from './inverse.ts';
import { compare, type Timing, time, timeRounds } from './measure.ts';
import { bySimd, cantilevers, coil, fiberHairs, hairs, on, onFloor, onHead, sceneOf, strands, tree } from './scenes.ts';
import { sweepRows } from './sweep.ts';

export interface Row {
  readonly name: string;
  readonly nodes: number;
  readonly timing: Timing;
  /** Newton or projection iterations of one step. */
  readonly iterations: number;
  readonly note: string;
}

/** Repeats the first `steps` steps of the fall, so that every batch does the same work. */
function stepping(world: World, steps: number): { work: () => void; iterations: () => number } {
  const start = world.save();
  let iterations = 0;
  let taken = 0;
  return {
    work: () => {
      if (taken % steps === 0) world.restore(start);
      iterations += world.step().iterations;
      taken++;
    },
    iterations: () => iterations / taken,
  };
}

function stepRow(name: string, scene: Scene, steps: number, note: string, models: readonly Model[] = []): Row {
  const world = createWorld(scene, { models });
  const { work, iterations } = stepping(world, steps);
  const timing = time(work);
  return {
    name,
    nodes: world.rods.reduce((sum, rod) => sum + rod.nodeCount, 0),
    timing,
    iterations: iterations(),
    note,
  };
}

/** The rod of implicit-step-51 with a body welded to it, held at its other end, beside the rod alone. */
function bodyRow(name: string, at: 'start' | 'end' | { readonly node: number }): Row {
  const alone: Scene = {
    ...cantilevers(1, 50, 'implicit-euler', 0.01),
    pins: [{ rod: 'rod0', at: at === 'start' ? 'end' : 'start' }],
  };
  const x = at === 'start' ? 0 : at === 'end' ? 1 : at.node / 50;
  const world = createWorld({
    ...alone,
    bodies: [{ id: 'bob', mass: 0.01, inertia: [1e-5, 1e-5, 1e-5], position: [x, 0, 0] }],
    welds: [{ rod: 'rod0', at, body: 'bob' }],
  });
  const { work, iterations } = stepping(world, 50);
  const { timing, ratio } = compare(work, stepping(createWorld(alone), 50).work, 50);
  const where = typeof at === 'string' ? at : 'middle';
  const note = `a body welded to its ${where}: ${ratio.toFixed(2)} times the rod alone, in turn; wanted: 1.3`;
  return { name, nodes: 51, timing, iterations: iterations(), note };
}

/** The whole run of the case on a model. */
function bucklingRow(
  name: string,
  model: ModelId,
  edges: number,
  step: number,
  note: string,
  solver: Scene['solver'] = {},
): Row {
  const subject = findCase('buckling-with-twist');
  const scene = sceneFromObject(subject?.scene(), 'buckling-with-twist');
  const rods = scene.rods.map((rod) => ({ ...rod, model, edges }));
  const world = createWorld({ ...scene, rods, solver: { ...scene.solver, ...solver }, time: { duration: 1.2, step } });
  const start = world.save();
  const steps = Math.round(1.2 / step);
  let iterations = 0;
  const timing = time(
    () => {
      world.restore(start);
      iterations = 0;
      for (let k = 0; k < steps; k++) iterations += world.step().iterations / steps;
    },
    0.5,
    3,
  );
  return { name, nodes: edges + 1, timing, iterations, note };
}

/** Steps from where the scene is after `lead` steps, when contacts have come about. */
function contactRow(name: string, scene: Scene, lead: number, steps: number, note: string): Row {
  const world = createWorld(scene);
  for (let k = 0; k < lead; k++) world.step();
  const start = world.save();
  let [taken, iterations, contacts] = [0, 0, 0];
  const timing = time(() => {
    if (taken++ % steps === 0) world.restore(start);
    world.step();
    iterations += world.contactReport?.iterations ?? 0;
    contacts += world.contactReport?.contacts ?? 0;
  });
  return {
    name,
    nodes: world.rods.reduce((sum, rod) => sum + rod.nodeCount, 0),
    timing,
    iterations: iterations / taken,
    note: `${note}; ${Math.round(contacts / taken)} contacts, iterations of the solver`,
  };
}

function pairRow(name: string, hairs: number, note: string): Row {
  const work = createPairBenchmark(hairs, 0.35e-3);
  let pairs = 0;
  const timing = time(() => {
    pairs = work();
  });
  return { name, nodes: 31 * hairs, timing, iterations: 0, note: `${note}; ${pairs} pairs of boxes` };
}

const kernels = [await loadDer()];
const fiberKernels = [await loadFiber()];
const simd = [await loadSimdDer()];
const blocks = await loadBlocks();

/** The same hairs in two threads. */
async function threadedFiberRow(name: string, count: number, steps: number): Promise<Row> {
  const threads = startThreads(2);
  const models = [await loadThreadedFiber(threads.ports)];
  const row = stepRow(name, fiberHairs(count), steps, 'the same in two threads; wanted: 1.7 times as fast', models);
  threads.close();
  return row;
}

/** Steps of a world whose samples are not read, from where the scene is after `lead` steps. 25 steps have one energy audit if there are many nodes. */
function simdRow(name: string, scene: Scene, lead: number, note: string): Row {
  const world = createWorld(scene, { models: simd });
  const step = (): number => world.step(undefined, 'later').iterations;
  for (let k = 0; k < lead; k++) step();
  const start = world.save();
  let [taken, iterations] = [0, 0];
  const restart = (): void => {
    world.restore(start);
    // sends the state to the kernels
    step();
  };
  const timing = timeRounds(
    restart,
    () => {
      iterations += step() / world.rods.length;
      taken++;
    },
    25,
  );
  const nodes = world.rods.reduce((sum, rod) => sum + rod.nodeCount, 0);
  return { name, nodes, timing, iterations: iterations / taken, note };
}

const simdRows: Readonly<Record<string, () => Row>> = {
  'simd-step-51': () =>
    simdRow('simd-step-51', bySimd(cantilevers(1, 50, 'implicit-euler', 0.01)), 0, 'SIMD; wanted: 60 µs per step'),
  'simd-cheapest-100x32': () =>
    simdRow(
      'simd-cheapest-100x32',
      bySimd(cantilevers(100, 31, 'implicit-euler', 1e-3), { tolerance: 100 }),
      0,
      'one Newton iteration per step, SIMD; wanted: 0.05 µs per node',
    ),
  'simd-frame-10000x32': () =>
    simdRow(
      'simd-frame-10000x32',
      bySimd(strands(10000, 1 / 60)),
      0,
      'a frame of 1/60 s, SIMD, one thread, samples not read; wanted: 50 ms',
    ),
  'simd-head-10000x32': () =>
    simdRow(
      'simd-head-10000x32',
      bySimd(headScene(10000, { head: true })),
      20,
      'the same on a head that turns, with contact; wanted: 100 ms',
    ),
  'simd-hair-2000x32': () =>
    simdRow(
      'simd-hair-2000x32',
      bySimd({ ...headScene(2000, { head: true }), contact: { friction: 0.3, radius: 1.2e-4 } }),
      10,
      'a frame of hair in contact with hair on a head that turns, SIMD, one thread; wanted for 10,000: 100 ms',
    ),
};

export const rows: Readonly<Record<string, () => Row | Promise<Row>>> = {
  'band-solve': () => {
    const nodes = 51;
    return {
      name: 'band-solve',
      nodes,
      timing: time(createBandBenchmark(4 * nodes)),
      iterations: 0,
      note: 'LDLᵀ factor and solve, half-bandwidth 10, 4 unknowns per node',
    };
  },
  functions: () => ({ name: 'functions', nodes: 1, iterations: 0, ...measureFunctions() }),
  'band-solve-100x32': () => ({
    name: 'band-solve-100x32',
    nodes: 3200,
    timing: time(createBandBenchmark(4 * 32, 100)),
    iterations: 0,
    note: 'the same for 100 rods of 32 nodes, one after the other; wanted: 0.6 µs per node (libWetHair 11, PBD 1.8)',
  }),
  'fiber-solve-50': () => ({
    name: 'fiber-solve-50',
    nodes: 51,
    timing: time(createFiberBenchmark(50)),
    iterations: 1,
    note: 'assembly and block-tridiagonal solve of 50 cuboids',
  }),
  'kernel-fiber-solve-50': () => ({
    name: 'kernel-fiber-solve-50',
    nodes: 51,
    timing: time(createFiberBenchmark(50, blocks)),
    iterations: 1,
    note: 'the same with the block solve by kernels',
  }),
  'fiber-step-100x32': () =>
    stepRow('fiber-step-100x32', fiberHairs(100), 10, 'hairs of the paper that swing, energy–momentum, dt 5 ms: plain'),
  'kernel-fiber-100x32': () =>
    stepRow('kernel-fiber-100x32', fiberHairs(100), 10, 'the same two fibers at a time, in WebAssembly', fiberKernels),
  'kernel-fiber-100x32-2': () => threadedFiberRow('kernel-fiber-100x32-2', 100, 10),
  'fiber-step-1000x32': () => stepRow('fiber-step-1000x32', fiberHairs(1000), 4, '1,000 of them: plain'),
  'kernel-fiber-1000x32': () =>
    stepRow('kernel-fiber-1000x32', fiberHairs(1000), 4, 'the same by kernels, one thread', fiberKernels),
  'kernel-fiber-1000x32-2': () => threadedFiberRow('kernel-fiber-1000x32-2', 1000, 4),
  'fiber-buckling': () => bucklingRow('fiber-buckling', 'fiber', 50, 5e-3, 'the whole run: 1.2 s, dt 5 ms, 50 cuboids'),
  'fiber-buckling-10': () =>
    bucklingRow(
      'fiber-buckling-10',
      'fiber',
      10,
      5e-3,
      'the same with 10 cuboids: 0.45 % off, where springs are 2 % off with 100 segments',
    ),
  'cosserat-buckling': () =>
    bucklingRow('cosserat-buckling', 'cosserat', 50, 5e-3, 'the same by a Cosserat rod of 50 edges, TR-BDF2'),
  'massspring-buckling': () =>
    bucklingRow(
      'massspring-buckling',
      'massspring',
      100,
      2e-3,
      'the same by springs, 100 segments, the published step, dt 2 ms: still 2 % off',
      { massspring: { iterations: 0 } },
    ),
  'massspring-buckling-conserving': () =>
    bucklingRow(
      'massspring-buckling-conserving',
      'massspring',
      100,
      5e-3,
      'the same by springs, 100 segments, the step that keeps energy, dt 5 ms',
    ),
  'implicit-step-51': () =>
    stepRow('implicit-step-51', cantilevers(1, 50, 'implicit-euler', 0.01), 50, 'implicit Euler, dt 0.01'),
  'implicit-step-51-body': () => bodyRow('implicit-step-51-body', 'end'),
  'implicit-step-51-middle': () => bodyRow('implicit-step-51-middle', { node: 25 }),
  'implicit-step-51-start': () => bodyRow('implicit-step-51-start', 'start'),
  'tr-bdf2-step-51': () =>
    stepRow('tr-bdf2-step-51', cantilevers(1, 50, 'tr-bdf2', 0.01), 50, 'TR-BDF2 (two solves per step), dt 0.01'),
  'implicit-step-100x33': () =>
    stepRow('implicit-step-100x33', cantilevers(100, 32, 'implicit-euler', 0.01), 20, 'implicit Euler, dt 0.01'),
  'kernel-step-100x33': () =>
    stepRow(
      'kernel-step-100x33',
      cantilevers(100, 32, 'implicit-euler', 0.01),
      20,
      'the same two rods at a time, in WebAssembly; iterations count for two',
      kernels,
    ),
  'hair-frame-1000x32': () =>
    stepRow('hair-frame-1000x32', strands(1000, 1 / 60), 10, 'a frame of 1/60 s by implicit Euler, tolerance 1e-3'),
  'kernel-frame-1000x32': () =>
    stepRow('kernel-frame-1000x32', strands(1000, 1 / 60), 10, 'the same by kernels', kernels),
  'kernel-frame-10000x32': () =>
    stepRow(
      'kernel-frame-10000x32',
      strands(10000, 1 / 60),
      2,
      '10,000 of them, one thread; wanted: 0.3 s (Jolt: 0.3 s)',
      kernels,
    ),
  'kernel-frame-10000x32-2': async () => {
    const threads = startThreads(2);
    const models = [await loadThreadedDer(threads.ports)];
    const note = 'the same in two threads; wanted: 1.7 times as fast';
    const row = stepRow('kernel-frame-10000x32-2', strands(10000, 1 / 60), 2, note, models);
    threads.close();
    return row;
  },
  ...simdRows,
  'coil-strand-60': () =>
    contactRow(
      'coil-strand-60',
      coil('strand'),
      20,
      20,
      'a coil on a floor, some 200 sides on one strand; wanted: 30 ms',
    ),
  'coil-der-60': () => contactRow('coil-der-60', coil('der'), 20, 20, 'the same on der'),
  'hair-floor-100x32': () =>
    stepRow('hair-floor-100x32', onFloor(100), 10, 'hairs on a floor, half of them touch it: plain'),
  'kernel-floor-100x32': () =>
    stepRow('kernel-floor-100x32', onFloor(100), 10, 'the same by kernels, contact on top', kernels),
  'explicit-step-60': () => stepRow('explicit-step-60', cantilevers(1, 59, 'shake', 2e-4), 500, 'SHAKE, dt 2e-4'),
  'explicit-step-100x33': () =>
    stepRow('explicit-step-100x33', cantilevers(100, 32, 'shake', 4e-4), 100, 'SHAKE, dt 4e-4'),
  'explicit-step-tree': () =>
    stepRow('explicit-step-tree', tree(), 50, 'SHAKE, 63 branches, 31 junctions, turbulent wind; the paper: 22 ms'),
  'implicit-step-101': () =>
    stepRow('implicit-step-101', cantilevers(1, 100, 'implicit-euler', 0.01), 20, 'cost per node, growing'),
  'implicit-step-1001': () =>
    stepRow('implicit-step-1001', cantilevers(1, 1000, 'implicit-euler', 0.01), 10, 'cost per node, growing'),
  'implicit-step-10001': () =>
    stepRow('implicit-step-10001', cantilevers(1, 10000, 'implicit-euler', 0.01), 4, 'cost per node, growing'),
  'statics-51': () => {
    const world = createWorld(cantilevers(1, 50, 'tr-bdf2', 0.01));
    const start = world.save();
    let iterations = 0;
    const timing = time(() => {
      world.restore(start);
      iterations = world.equilibrate()[0].iterations;
    });
    return { name: 'statics-51', nodes: 51, timing, iterations, note: 'equilibrium from the straight rod' };
  },
  'cosserat-step-51': () =>
    stepRow('cosserat-step-51', on('cosserat', cantilevers(1, 50, 'tr-bdf2', 0.01)), 50, 'TR-BDF2, physical section'),
  'cosserat-verlet-51': () =>
    stepRow(
      'cosserat-verlet-51',
      { ...on('cosserat', cantilevers(1, 50, 'tr-bdf2', 0.01)), solver: { cosserat: { integrator: 'verlet' } } },
      20,
      'Verlet, inflated section; iterations are its substeps',
    ),
  'massspring-step-51': () =>
    stepRow('massspring-step-51', on('massspring', cantilevers(1, 50, 'tr-bdf2', 0.001)), 100, 'two solves, dt 0.001'),
  'helix-step-10': () =>
    stepRow('helix-step-10', hairs(1, 10, 1 / 60), 60, 'super-helix of 10 elements, incremental potential, dt 1/60'),
  'helix-step-100': () => stepRow('helix-step-100', hairs(1, 100, 1 / 60), 20, 'cost per element, growing'),
  'helix-step-1000': () => stepRow('helix-step-1000', hairs(1, 1000, 1 / 60), 4, 'cost per element, growing'),
  'helix-statics-1000x10': () => {
    const world = createWorld(hairs(1000, 10, 1 / 60));
    const start = world.save();
    let iterations = 0;
    const timing = time(() => {
      world.restore(start);
      iterations = world.equilibrate().reduce((sum, report) => sum + report.iterations, 0) / 1000;
    });
    return {
      name: 'helix-statics-1000x10',
      nodes: 11000,
      timing,
      iterations,
      note: '1000 hairs of 10 elements to rest, from straight',
    };
  },
  'groom-500-100000': growRow,
  'gradient-101': gradientRow,
  'rest-shapes-1000x32': restShapeRow,
  'fit-3x20': fitRow,
  'export-usda-1000x31': usdaRow,
  'strand-bangs-9x15': () =>
    stepRow(
      'strand-bangs-9x15',
      sceneOf('curly-bangs'),
      120,
      'curly bangs, dt 1/120; wanted: 8.3 ms, the paper: 2 to 4 Hz',
    ),
  'strand-hair-190x22': () =>
    stepRow(
      'strand-hair-190x22',
      sceneOf('long-hair'),
      96,
      'long hair with contact, dt 1/96: four a frame; wanted: 125 ms',
    ),
  'strand-long-hair-free': () =>
    stepRow('strand-long-hair-free', sceneOf('long-hair'), 20, 'the same before it touches anything; wanted: 125 ms'),
  'strand-long-hair-impact': () =>
    contactRow(
      'strand-long-hair-impact',
      sceneOf('long-hair'),
      34,
      12,
      'the same while all of it strikes head and shoulders: three frames, the costliest; wanted: 125 ms',
    ),
  'contact-der-100x32': () =>
    contactRow('contact-der-100x32', onHead(100, { ball: true }), 60, 60, 'hairs (der) that fall on a ball, dt 1/240'),
  'contact-free-der-100x32': () =>
    contactRow(
      'contact-free-der-100x32',
      onHead(100, { ball: false }),
      60,
      60,
      'the same without the ball; wanted: half',
    ),
  'contact-head-1000x32': () => headRow('contact-head-1000x32', 1000, 90, kernels),
  'contact-head-10000x32': () => headRow('contact-head-10000x32', 10000, 45, kernels),
  'contact-head-10000x32-2': () => threadedHeadRow('contact-head-10000x32-2', 10000, 45),
  'contact-pairs-1000x31': () => pairRow('contact-pairs-1000x31', 1000, 'broad phase: boxes, refit of the tree, pairs'),
  'contact-pairs-10000x31': () => pairRow('contact-pairs-10000x31', 10000, 'the same'),
  'contact-bundle': () =>
    contactRow('contact-bundle', sceneOf('hair-bundle'), 20, 20, 'parallel rods in a gutter (der), dt 1/240, at rest'),
  'contact-hair-ball-100x16': () =>
    contactRow(
      'contact-hair-ball-100x16',
      sceneFromObject(hairBallScene(100, 16, [0, 1], true), 'hair-ball'),
      84,
      12,
      'hair ball (der) while it is shaken, dt 1/240',
    ),
  'contact-free-hair-ball-100x16': () =>
    contactRow(
      'contact-free-hair-ball-100x16',
      sceneFromObject(hairBallScene(100, 16, [0, 1], false), 'hair-ball'),
      84,
      12,
      'the same without contact',
    ),
  'contact-weave-2x13': () =>
    contactRow(
      'contact-weave-2x13',
      sceneFromObject(idolScene(13, 10, 1.5, { edges: 3, selfContact: false }), 'weave'),
      60,
      12,
      'cloth on a statue, 169 joints',
    ),
  'strand-jungle-10': () =>
    stepRow(
      'strand-jungle-10',
      sceneFromObject(jungle(10, 5), 'jungle'),
      8,
      '10 trees of 75 links, dt 1/48: two a frame',
    ),
  'strand-jungle-100': () =>
    stepRow(
      'strand-jungle-100',
      sceneFromObject(jungle(100, 5), 'jungle'),
      2,
      '100 trees of 75 links; wanted: 0.4 s, a tenth of 8 s a frame of two steps for 1000',
    ),
  ...sweepRows,
};
