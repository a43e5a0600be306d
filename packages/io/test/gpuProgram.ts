/** Runs in Node with WebGPU: worlds on the GPU against the reference in double precision. Prints what it found as JSON. */
import { createPointSpring, createWorld, type RodSpec, type Scene, type World } from '@tendril-sim/core';
import { mergedBatchModel } from '@tendril-sim/core/batch';
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
  const world = run(open(changes), 16);
  const other = run(reference({ solver: { der: { backend: 'batch', twist: 'quasistatic', integrator } } }), 16);
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

// obstacles: a ball that moves and turns, with roots below its surface, a bar, a block, a ring by its distance field, and a floor
const touchingRods = ['hair-9', 'hair-10', 'hair-11', 'hair-17', 'hair-20', 'hair-24', 'long', 'tapered', 'pinned'];
const contactScene: Partial<Scene> = {
  rods: sceneOf('gpu').rods.filter(({ id }) => touchingRods.includes(id)),
  pins: (sceneOf('gpu').pins ?? []).filter((pin) => touchingRods.includes(pin.rod)),
  loads: [],
  colliders: [
    {
      id: 'ball',
      type: 'sphere',
      radius: 0.04,
      position: [0, 0.1, -0.036],
      friction: 0.3,
      path: { keys: [{ time: 0 }, { time: 0.2, offset: [0.01, 0, 0], rotation: [0, 0.5, 0.2] }] },
    },
    { id: 'bar', type: 'capsule', from: [0.1, 0.15, -0.06], to: [0.12, 0.3, -0.05], radius: 0.04, friction: 0.2 },
    { id: 'block', type: 'box', size: [0.1, 0.16, 0.05], rounding: 0.005, position: [0.15, 0.45, -0.06] },
    { id: 'ring', type: 'torus', ring: 0.04, radius: 0.02, position: [0.17, 0.24, -0.04], friction: 0.3 },
    { id: 'floor', type: 'plane', normal: [0.05, 0, 1], position: [0, 0, -0.12], friction: 0.5 },
  ],
  solver: { der: { backend: 'gpu', twist: 'quasistatic' } },
};
const openContact = (): World => open(contactScene);
const contactReference = (): World =>
  createWorld(sceneOf('batch', { ...contactScene, solver: { der: { backend: 'batch', twist: 'quasistatic' } } }), {
    models: [mergedBatchModel],
  });
const touching = run(openContact(), 14);
const touchingState = touching.save();
const early = [touching.hash()];
const touchingReport = run(touching, 9).step().contact;
const touchingReference = run(contactReference(), 23);
const referenceReport = touchingReference.step().contact;
const lift = (one: World): number => one.contactForces().reduce((sum, { force }) => sum + force[2], 0);
const contact = {
  distance: distance(touching, touchingReference),
  moved: distance(touchingReference, contactReference()),
  report: touchingReport,
  reference: referenceReport,
  lift: lift(touching) / lift(touchingReference),
  warnings: touching.warnings,
  others: [...new Set(touching.contactForces().map(({ other }) => other))].sort(),
  hashes: [touching.hash()],
};
touching.restore(touchingState);
contact.hashes.push(run(touching, 10, 'later').hash());

// hair across hair
const crossing = (backend: 'gpu' | 'batch'): Scene => {
  const pair = ['low', 'high'].map((id, k) =>
    rod(id, 0, {
      natural: 'initial',
      section: { type: 'circle', radius: 3e-4 },
      material: { E: k === 0 ? 1e10 : 1e8, G: 4e7, density: 1300 },
      shape: {
        type: 'straight',
        from: k === 0 ? [0, 0, 0] : [0.1, -0.15, 0.001],
        to: k === 0 ? [LENGTH, 0, 0] : [0.1, 0.15, 0.001],
      },
    }),
  );
  const pins = pair.map(({ id }) => ({ rod: id, at: 'start' as const }));
  return sceneOf(backend, { rods: pair, pins, loads: [], contact: { friction: 0.3 } });
};
function meet(): object {
  const [hairOnHair, hairReference] = [
    createWorld(crossing('gpu'), { models: [gpu.model] }),
    createWorld(crossing('batch'), { models: [mergedBatchModel] }),
  ];
  run(hairOnHair, 8);
  const hairState = hairOnHair.save();
  run(hairOnHair, 8);
  run(hairReference, 16);
  const found = {
    distance: distance(hairOnHair, hairReference),
    forces: hairOnHair.contactForces(),
    reference: hairReference.contactForces(),
    hashes: [hairOnHair.hash()],
  };
  hairOnHair.restore(hairState);
  found.hashes.push(run(hairOnHair, 8, 'later').hash());
  return found;
}
// the software GPU compiles these shaders for half a minute; core/test/batch/conformance.test.ts runs them always
const pairs = process.env.TENDRIL_LONG ? meet() : undefined;

let refused = '';
try {
  open({ contact: { friction: 0.3 } });
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
const lostInContact = run(openContact(), 14, 'later');
early.push(lostInContact.hash());
run(lostInContact, 4, 'later');
gpu.close();
const contactRemarks = lostInContact.step().remarks;
run(lostInContact, 5);
const report = lost.step(undefined, 'later');
run(lost, 5);

console.log(
  JSON.stringify({
    adapter: gpu.model.adapter,
    warnings: world.warnings,
    schemes,
    hashes,
    refused,
    pairs,
    contact: { ...contact, early, lost: distance(lostInContact, touchingReference), remarks: contactRemarks },
    pulled: distance(pulled, pulledReference),
    lost: { remarks: report.remarks, distance: distance(lost, run(reference(), 12)), time: lost.time },
  }),
);
process.exit(0);
