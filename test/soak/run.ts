/**
 * Pulls a rod of every model about at random for a long simulated time, and watches for NaN, energy from nowhere and a growing heap:
 *
 *   npm run soak [-- --minutes 60 --model der --seed 1]
 *
 * `minutes` is simulated time per model. A hand grabs a random node, pulls it towards a random place for up to 0.7 s, lets go for as long, and
 * so on. Between pulls no work is done on the damped rod, so its energy should only fall. `der` rises by up to 1.4 % in the first four steps after a
 * release: the trapezoidal stage of TR-BDF2 starts from the acceleration of the last step, which has the hand's force in it. `strand` rises by up to
 * 0.2 % (seen in 60 s with one seed) in free swings, where bending turns into motion. 2 % counts as a finding. A step that the model refuses with a reason is counted, and a new rod goes on. Exit code 1 if anything
 * is found.
 */
import { parseArgs } from 'node:util';
import {
  createPointSpring,
  createWorld,
  type ModelId,
  type Scene,
  SimulationError,
  type World,
} from '@tendril-sim/core';
import { loadDer, loadFiber } from '@tendril-sim/core/kernels';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    model: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
});
const step = 0.004;
const models: readonly ModelId[] = ['der', 'strand', 'helix', 'fiber', 'cosserat', 'massspring'];

function makeRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Hangs from a clamp in still air. */
function sceneOf(model: ModelId): Scene {
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [
      {
        id: 'rod',
        model,
        shape: { type: 'arc', from: [0, 0, 0], tangent: [1, 0, 0], normal: [0, 0, -1], radius: 0.3, angle: 1.2 },
        edges: 12,
        section: { type: 'circle', radius: 0.004 },
        material: { E: 4e6, nu: 0.45, density: 1000, damping: { stiffness: 0.002, mass: 1 } },
      },
    ],
    pins: [{ rod: 'rod', at: 'start' }],
    time: { step, duration: 1 },
  };
}

const totalEnergy = (world: World): number => world.energies().total;
const heapMegabytes = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 2 ** 20;
};

interface Outcome {
  readonly findings: readonly string[];
  readonly heap: number;
  /** Steps that failed with a reason. */
  readonly refused: number;
}

/** Rise of the energy, relative to that of the weight and of the rod, that counts as a finding. */
const mostRise = 0.02;

/** One model for `steps` steps. */
function soak(open: () => World, steps: number, random: () => number): Outcome {
  const findings: string[] = [];
  let world = open();
  let refused = 0;
  let release: (() => void) | undefined;
  let left = 0;
  let before = totalEnergy(world);
  const scale = 9.81 * world.momentum().mass * 0.3;
  let heapStart = 0;
  for (let k = 0; k < steps && findings.length < 5; k++) {
    if (left-- === 0) {
      left = Math.floor(20 + 150 * random());
      if (release) {
        release();
        release = undefined;
      } else {
        const hand = createPointSpring(Math.floor(3 + 9 * random()), 2 + 8 * random(), 0.1);
        for (let i = 0; i < 3; i++) hand.target[i] = 0.3 * (2 * random() - 1);
        release = world.addLoad(0, hand);
      }
      before = totalEnergy(world);
    }
    try {
      world.step(step);
    } catch (error) {
      if (!(error instanceof SimulationError)) throw error;
      refused++;
      world = open();
      release = undefined;
      left = 0;
      continue;
    }
    const where = `at ${(k * step).toFixed(3)} s`;
    if (!world.samples[0].nodePosition.every(Number.isFinite)) findings.push(`a position is not finite ${where}`);
    const now = totalEnergy(world);
    if (!Number.isFinite(now)) findings.push(`energy is ${now} ${where}`);
    if (!release && now - before > mostRise * (scale + Math.abs(before)))
      findings.push(`energy rose from ${before.toPrecision(5)} J to ${now.toPrecision(5)} J without a hand ${where}`);
    before = Math.min(before, now);
    // the compiler and the caches have settled by a quarter of the run
    if (k === steps >> 2) heapStart = heapMegabytes();
  }
  return { findings, heap: heapMegabytes() - heapStart, refused };
}

const minutes = Number(values.minutes);
const chosen = models.filter((model) => (values.model ?? model) === model);
if (chosen.length === 0 || !(minutes > 0)) throw new Error(`expected minutes > 0 and a model of ${models.join(', ')}`);
const kernels = [await loadDer(), await loadFiber()];
let failed = false;
for (const model of chosen)
  for (const engine of [undefined, kernels.find(({ id }) => id === model)]) {
    const open = (): World => createWorld(sceneOf(model), engine ? { models: [engine] } : {});
    const start = performance.now();
    const { findings, heap, refused } = soak(open, Math.round((60 * minutes) / step), makeRandom(Number(values.seed)));
    const found = heap > 20 ? [...findings, `the heap grew by ${heap.toFixed(0)} MB`] : findings;
    failed ||= found.length > 0;
    const seconds = (performance.now() - start) / 1000;
    const way = engine ? 'kernels' : 'plain';
    console.log(
      `${model.padEnd(11)}${way.padEnd(9)}${(60 * minutes).toFixed(0).padStart(6)} s simulated in ${seconds.toFixed(0)} s, ${refused} steps refused, heap ${heap >= 0 ? '+' : ''}${heap.toFixed(1)} MB: ${found.length === 0 ? 'nothing found' : found.join('; ')}`,
    );
    if (!kernels.some(({ id }) => id === model)) break;
  }
process.exit(failed ? 1 : 0);
