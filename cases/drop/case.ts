import type { ModelId, World } from '@tendril-sim/core';
import { cos, sin } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, onModel, worldOf } from '../src/case.ts';
import { fastest, sumForces } from '../src/contact.ts';
import { youngsModulus } from '../src/controls.ts';
import { createOverlapMeter } from '../src/overlap.ts';

const G = 9.81;
const R = 0.002;

/** A rod dropped from 5 cm, leaning by `tilt` [rad]. */
function scene(edges: number, tilt: number, restitution: number, step: number): SceneInput {
  const low = 0.05 + R;
  return {
    tendril: 1,
    title: 'A rod dropped on the ground',
    gravity: [0, 0, -G],
    rods: [
      {
        id: 'rod',
        shape: { type: 'straight', from: [0, 0, low], to: [0.3 * cos(tilt), 0, low + 0.3 * sin(tilt)] },
        edges,
        section: { type: 'circle', radius: R },
        material: { E: '10 MPa', nu: 0.5, density: 1000 },
      },
    ],
    colliders: [{ id: 'ground', type: 'plane', friction: 0.3, restitution }],
    time: { duration: 2, step },
  };
}

const lowest = (world: World): number => {
  let z = Infinity;
  const { nodePosition } = world.samples[0];
  for (let k = 2; k < nodePosition.length; k += 3) z = Math.min(z, nodePosition[k]);
  return z;
};

/** Speed after the first impact over that before, of a rod that falls flat; and how deep it went. */
function rebound(model: ModelId, edges: number, restitution: number): { ratio: number; depth: number } {
  const world = worldOf(onModel(scene(edges, 0, restitution, 1 / 480), model));
  const meter = createOverlapMeter(world);
  for (let k = 0; k < 96; k++) {
    world.step();
    meter.look();
    const v = world.samples[0].nodeVelocity[2];
    // speed at the ground from the height and the speed it has now
    if (v > 0)
      return { ratio: Math.sqrt((v * v + 2 * G * (lowest(world) - R)) / (2 * G * 0.05)), depth: meter.deepest };
  }
  return { ratio: 0, depth: meter.deepest };
}

export const drop: Case = defineCase({
  id: 'drop',
  topics: ['contact'],
  title: 'A rod dropped on the ground: rebound, rest, weight',
  claim:
    'A rod that falls flat rebounds with the restitution of the ground. A rod that falls at an angle comes to rest: the ground carries its weight, the rod does not sink in, and no step adds more than a ten-thousandth of the energy of the fall.',
  group: 'contact',
  source: "Newton's law of impact; the ground carries the weight; energy only falls",
  models: ['der', 'fiber'],
  quick: [16],
  full: [16, 32, 64],
  controls: [
    { path: ['colliders', 0, 'restitution'], label: 'Restitution', symbol: 'e', low: 0, high: 1 },
    { path: ['colliders', 0, 'friction'], label: 'Friction', symbol: 'µ', low: 0, high: 1 },
    youngsModulus({ low: 1e6, high: 1e9 }),
  ],
  scene: () => scene(16, 0.17, 0, 1 / 240),
  measure(n, model) {
    const world = worldOf(onModel(scene(n, 0.17, 0, 1 / 240), model));
    const meter = createOverlapMeter(world);
    let energy = world.energies().total;
    const first = energy;
    let gain = 0;
    for (let k = 0; k < 480; k++) {
      world.step();
      meter.look();
      const { total } = world.energies();
      gain = Math.max(gain, total - energy);
      energy = total;
    }
    const [low, high, full] = [0.3, 0.7, 1].map((restitution) => rebound(model, n, restitution));
    return {
      'restitution 0.3': low.ratio,
      'restitution 0.7': high.ratio,
      'restitution 1': full.ratio,
      'force at rest / weight': sumForces(world, 'collider', 2) / (G * world.momentum().mass),
      'speed at rest [m/s]': fastest(world),
      'penetration / radius': Math.max(meter.deepest, low.depth, high.depth, full.depth),
      'energy gained in a step': gain / first,
    };
  },
  expect: {
    'restitution 0.3': { value: 0.3, tolerance: 0.01 },
    'restitution 0.7': { value: 0.7, tolerance: 0.01 },
    'restitution 1': { value: 1, tolerance: 0.01 },
    'force at rest / weight': { value: 1, tolerance: 1e-3 },
    'speed at rest [m/s]': { value: 0, tolerance: 1e-4, scale: 1 },
    'penetration / radius': { value: 0, tolerance: 0.05, scale: 1 },
    'energy gained in a step': { value: 0, tolerance: 1e-4, scale: 1 },
  },
});
