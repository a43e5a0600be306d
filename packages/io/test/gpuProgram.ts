/** Runs in Node with WebGPU: worlds on the GPU against the reference in double precision. Prints what it found as JSON. */
import { createPointSpring, createWorld, type RodSpec, type Scene, type World } from '@tendril-sim/core';
import { startGpu } from '@tendril-sim/io/node';

const LENGTH = 0.3;
const material = { E: 3.5e9, G: 1.2e9, density: 1300 };

function rod(id: string, at: number, changes: Partial<RodSpec> = {}): RodSpec {
  return {
    id,
    shape: { type: 'straight', from: [0, at, 0], to: [LENGTH, at, 0] },
    edges: 12,
    inextensible: true,
    section: { type: 'circle', radius: 60e-6 },
    natural: { curvature: [3, 2, 1] },
    material,
    ...changes,
  };
}

/** All that the device moves (two node counts, damping, taper, a moving and turning clamp, a load that swings), and what it leaves. */
function sceneOf(backend: 'gpu' | 'batch', changes: Partial<Scene> = {}): Scene {
  const many = Array.from({ length: 33 }, (_, k) => rod(`hair-${k}`, 0.01 * k));
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [
      ...many,
      rod('long', 0.4, { edges: 20, material: { ...material, damping: { mass: 2, stiffness: 0.004 } } }),
      rod('tapered', 0.5, { section: { type: 'circle', radius: { formula: '60e-6 * (1 - 0.5 * u)' } } }),
      rod('pinned', 0.6, { natural: 'initial' }),
    ],
    pins: [
      ...many.map(({ id }) => ({ rod: id, at: 'start' as const })),
      { rod: 'long', at: 'start' },
      {
        rod: 'tapered',
        at: 'start',
        path: {
          keys: [
            { time: 0 },
            { time: 0.05, offset: [0.02, 0.01, 0], rotation: [0, 0, 0.4] },
            { time: 0.1, offset: [0, 0, 0.01], twist: 1 },
          ],
        },
      },
      { rod: 'pinned', at: 'start', hold: 'position' },
    ],
    loads: [{ type: 'force', rod: 'hair-3', at: 'end', force: [0, 2e-6, 0], factor: { formula: 'cos(30 * t)' } }],
    time: { step: 1 / 240, duration: 1 },
    solver: { der: { backend, twist: 'quasistatic' } },
    ...changes,
  } as Scene;
}

function distance(a: World, b: World): number {
  let most = 0;
  a.samples.forEach(({ nodePosition }, r) => {
    for (let k = 0; k < nodePosition.length; k++)
      most = Math.max(most, Math.abs(nodePosition[k] - b.samples[r].nodePosition[k]));
  });
  return most / LENGTH;
}

function run(world: World, steps: number, reading: 'now' | 'later' = 'now'): World {
  for (let k = 0; k < steps; k++) world.step(undefined, reading);
  return world;
}

const gpu = await startGpu();
const open = (changes: Partial<Scene> = {}): World => createWorld(sceneOf('gpu', changes), { models: [gpu.model] });
const reference = (changes: Partial<Scene> = {}): World => createWorld(sceneOf('batch', changes));

const schemes = (['implicit-euler', 'bdf2', 'tr-bdf2'] as const).map((integrator) => {
  const changes = { solver: { der: { backend: 'gpu' as const, twist: 'quasistatic' as const, integrator } } };
  const world = run(open(changes), 24);
  const other = run(reference({ solver: { der: { backend: 'batch', twist: 'quasistatic', integrator } } }), 24);
  const force = (one: World): number => one.reactions()[0].force[2];
  return {
    integrator,
    distance: distance(world, other),
    moved: distance(other, reference()),
    energy: world.energies().total / other.energies().total,
    reaction: force(world) / force(other),
  };
});

const world = run(open(), 5);
const state = world.save();
const hashes = [run(world, 5).hash()];
world.restore(state);
hashes.push(run(world, 5, 'later').hash());
hashes.push(run(open(), 10).hash());

let refused = '';
try {
  open({ colliders: [{ id: 'floor', type: 'plane', position: [0, 0, -1] }] });
} catch (error) {
  refused = (error as Error).message;
}

// a hand pulls one rod, then lets go
const pulled = open();
const pulledReference = reference();
for (const one of [pulled, pulledReference]) {
  const spring = createPointSpring(12, 5e-5, 1e-6);
  spring.target.set([0.2, 0.1, 0.1]);
  const release = one.addLoad(2, spring);
  run(one, 10);
  release();
  run(one, 10);
}

const lost = run(open(), 6, 'later');
gpu.close();
const report = lost.step(undefined, 'later');
run(lost, 5);

console.log(
  JSON.stringify({
    adapter: gpu.model.adapter,
    warnings: world.warnings,
    schemes,
    hashes,
    refused,
    pulled: distance(pulled, pulledReference),
    lost: { remarks: report.remarks, distance: distance(lost, run(reference(), 12)), time: lost.time },
  }),
);
process.exit(0);
