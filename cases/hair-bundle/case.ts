import type { ModelId } from '@tendril-sim/core';
import { cos } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, onModel, worldOf } from '../src/case.ts';
import { sumForces } from '../src/contact.ts';
import { gravity } from '../src/controls.ts';
import { createOverlapMeter } from '../src/overlap.ts';

const G = 9.81;
const R = 0.002;
const MU = 0.5;
const rubber = { section: { type: 'circle', radius: R }, material: { E: '10 MPa', nu: 0.5, density: 1000 } } as const;

/** n layers of n rods, crosswise. */
function woodpile(n: number): SceneInput {
  const L = 0.03 * n;
  const rods: SceneInput['rods'][number][] = [];
  for (let layer = 0; layer < n; layer++) {
    for (let i = 0; i < n; i++) {
      const y = 0.015 + 0.03 * i;
      const z = R * (1 + 2 * layer);
      const [from, to]: [[number, number, number], [number, number, number]] =
        layer % 2
          ? [
              [y, 0, z],
              [y, L, z],
            ]
          : [
              [0, y, z],
              [L, y, z],
            ];
      rods.push({ id: `${layer}-${i}`, shape: { type: 'straight', from, to }, edges: 2 * n, ...rubber });
    }
  }
  return {
    tendril: 1,
    title: 'A woodpile at rest',
    gravity: [0, 0, -G],
    rods,
    colliders: [{ id: 'ground', type: 'plane', friction: MU }],
    contact: { friction: MU },
    time: { duration: 0.25, step: 1 / 240 },
  };
}

/** Parallel rods in a gutter of 60°, in rows of 1, 2, 3 … as they lie closest. */
function gutter(rows: number): SceneInput {
  const rods: SceneInput['rods'][number][] = [];
  // the lowest touches both walls: its axis is 2 r above the corner
  for (let row = 0; row < rows; row++) {
    for (let i = 0; i <= row; i++) {
      const x = R * (2 * i - row);
      const z = 2 * R + row * Math.sqrt(3) * R;
      rods.push({
        id: `${row}-${i}`,
        shape: { type: 'straight', from: [x, 0, z], to: [x, 0.1, z] },
        edges: 5,
        ...rubber,
      });
    }
  }
  const walls = [-1, 1].map((side) => ({
    type: 'plane' as const,
    normal: [side * cos(Math.PI / 6), 0, 0.5] as [number, number, number],
    friction: MU,
  }));
  return {
    tendril: 1,
    title: 'A bundle of parallel rods in a gutter',
    gravity: [0, 0, -G],
    rods,
    colliders: walls,
    contact: { friction: MU },
    time: { duration: 0.25, step: 1 / 240 },
  };
}

function rest(
  input: SceneInput,
  model: ModelId,
  steps: number,
): { support: number; speed: number; drift: number; depth: number } {
  const world = worldOf(onModel(input, model));
  const meter = createOverlapMeter(world);
  for (let k = 0; k < steps; k++) {
    world.step();
    meter.look();
  }
  let [sum, count, drift] = [0, 0, 0];
  world.rods.forEach((rod, k) => {
    const { nodeVelocity, nodePosition } = world.samples[k];
    for (let i = 0; i < nodeVelocity.length; i++) {
      sum += nodeVelocity[i] * nodeVelocity[i];
      drift = Math.max(drift, Math.abs(nodePosition[i] - rod.nodePosition[i]));
    }
    count += rod.nodeCount;
  });
  return {
    support: sumForces(world, 'collider', 2) / (G * world.momentum().mass),
    speed: Math.sqrt(sum / count),
    drift: drift / R,
    depth: meter.deepest,
  };
}

export const hairBundle: Case = defineCase({
  id: 'hair-bundle',
  topics: ['contact', 'hair'],
  finish: 'wood',
  title: 'Bundles at rest: a woodpile and a gutter',
  claim:
    'Rods that lie on each other at rest stay there, without forces from an earlier step to start from: a woodpile of n layers of n rods, and parallel rods in a gutter, where every edge touches several others at once. The ground carries the weight of all.',
  group: 'contact',
  source: 'statics: what lies still stays, and the ground carries the weight of all',
  models: ['der', 'fiber'],
  quick: [4],
  full: [4, 10],
  controls: [
    { path: ['contact', 'friction'], label: 'Friction between the rods', symbol: 'µ', low: 0, high: 1 },
    {
      path: ['colliders', 0, 'friction'],
      also: [['colliders', 1, 'friction']],
      label: 'Friction of the gutter',
      symbol: 'µ',
      low: 0,
      high: 1,
    },
    gravity({ high: 30 }),
  ],
  scene: () => gutter(4),
  measure(n, model) {
    const steps = 60;
    const pile = rest(woodpile(n), model, steps);
    const bundle = rest(gutter(n), model, steps);
    return {
      'woodpile: support / weight': pile.support,
      'woodpile: rms speed [m/s]': pile.speed,
      'woodpile: drift / radius': pile.drift,
      'woodpile: penetration / radius': pile.depth,
      'gutter: support / weight': bundle.support,
      'gutter: rms speed [m/s]': bundle.speed,
      'gutter: drift / radius': bundle.drift,
      'gutter: penetration / radius': bundle.depth,
    };
  },
  expect: {
    'woodpile: support / weight': { value: 1, tolerance: 1e-3 },
    'woodpile: rms speed [m/s]': { value: 0, tolerance: 5e-5, scale: 1 },
    'woodpile: drift / radius': { value: 0, tolerance: 0.05, scale: 1 },
    'woodpile: penetration / radius': { value: 0, tolerance: 0.05, scale: 1 },
    'gutter: support / weight': { value: 1, tolerance: 1e-3 },
    'gutter: rms speed [m/s]': { value: 0, tolerance: 2e-4, scale: 1 },
    'gutter: drift / radius': { value: 0, tolerance: 0.05, scale: 1 },
    'gutter: penetration / radius': { value: 0, tolerance: 0.05, scale: 1 },
  },
});
