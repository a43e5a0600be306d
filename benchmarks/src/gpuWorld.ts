/**
 * Worlds on the GPU beside the standard backend with kernels on one core: milliseconds per step. How to run it: docs/notes/batch-engine.md.
 *     node gpuWorld.mjs [--counts 100,1000,10000] [--steps 200] [--moving]
 */
import { parseArgs } from 'node:util';
import { createWorld, type Model, type Scene, type World } from '@tendril-sim/core';
import { loadDer } from '@tendril-sim/core/kernels';
import { startGpu } from '@tendril-sim/io/node';

const NODES = 32;
const DT = 1 / 240;

/** Hair of 30 cm, clamped in a row of the roots; with `moving`, all roots nod together. */
function sceneOf(count: number, isMoving: boolean): Scene {
  const ids = Array.from({ length: count }, (_, k) => `hair-${k}`);
  const path = { keys: [0, 1, 2, 3, 4].map((k) => ({ time: 0.25 * k, rotation: [0, 0.3 * (k % 2), 0] as const })) };
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: ids.map((id, k) => ({
      id,
      shape: { type: 'straight', from: [0, 1e-4 * k, 0], to: [0.3, 1e-4 * k, 0] },
      edges: NODES - 1,
      inextensible: true,
      section: { type: 'circle', radius: 40e-6 },
      natural: { curvature: [3, 2, 0] },
      material: { E: 3.58e9, G: 1.07e9, density: 1300, damping: { mass: 1 } },
    })),
    pins: ids.map((rod) => ({ rod, at: 'start', ...(isMoving && { path }) })),
    time: { step: DT, duration: 10 },
    solver: { der: { integrator: 'bdf2', twist: 'quasistatic' } },
  };
}

function median(times: number[]): number {
  return times.sort((a, b) => a - b)[times.length >> 1];
}

function timeSteps(world: World, steps: number, seconds: number, reading: 'now' | 'later'): number {
  const times: number[] = [];
  const start = performance.now();
  for (let k = 0; k < steps && (k < 5 || performance.now() - start < 1000 * seconds); k++) {
    const from = performance.now();
    world.step(undefined, reading);
    times.push(performance.now() - from);
  }
  return median(times);
}

const { values } = parseArgs({
  options: {
    counts: { type: 'string', default: '100,1000,10000' },
    steps: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '20' },
    moving: { type: 'boolean', default: false },
    'only-gpu': { type: 'boolean', default: false },
  },
});
const gpu = await startGpu();
const kernels: Model = await loadDer();
console.log(`adapter: ${gpu.model.adapter}; Node ${process.version}`);
for (const count of values.counts.split(',').map(Number)) {
  const scene = sceneOf(count, values.moving);
  const [steps, seconds] = [Number(values.steps), Number(values.seconds)];
  const start = performance.now();
  const world = createWorld(scene, { models: [gpu.model] });
  const built = (performance.now() - start) / 1000;
  const unread = timeSteps(world, steps, seconds, 'later');
  const read = timeSteps(world, Math.min(40, steps), seconds, 'now');
  const standard = values['only-gpu']
    ? Number.NaN
    : timeSteps(createWorld(scene, { models: [kernels] }), steps, seconds, 'now');
  console.log(
    `${String(count).padStart(7)} strands × ${NODES}: built in ${built.toFixed(2)} s; GPU ${unread.toFixed(3)} ms per step, read back ${read.toFixed(3)} ms; ` +
      `standard with kernels, one core ${standard.toFixed(3)} ms`,
  );
}
process.exit(0);
