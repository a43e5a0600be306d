import type { ModelId } from '@tendril-sim/core';
import { atan, cos, sin, square } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, onModel, worldOf } from '../src/case.ts';
import { colliderFriction, gravityAlong } from '../src/controls.ts';
import { createOverlapMeter } from '../src/overlap.ts';

const G = 9.81;
const MU = 0.5;
const ANGLE = (atan(MU) * 180) / Math.PI;

/** A rod along the line of steepest descent; the plane is level, and gravity leans. */
function scene(degrees: number, edges: number, duration: number): SceneInput {
  const angle = (degrees * Math.PI) / 180;
  return {
    tendril: 1,
    title: 'A rod on an incline: it sticks, or it slides',
    gravity: [G * sin(angle), 0, -G * cos(angle)],
    rods: [
      {
        id: 'rod',
        shape: { type: 'straight', from: [0, 0, '2 mm'], to: ['30 cm', 0, '2 mm'] },
        edges,
        section: { type: 'circle', radius: '2 mm' },
        material: { E: '10 MPa', nu: 0.5, density: 1000 },
      },
    ],
    colliders: [{ id: 'plane', type: 'plane', friction: MU }],
    time: { duration, step: 1 / 240 },
  };
}

function slide(
  model: ModelId,
  degrees: number,
  edges: number,
  steps: number,
): { readonly way: number; readonly depth: number } {
  const world = worldOf(onModel(scene(degrees, edges, steps / 240), model));
  const meter = createOverlapMeter(world);
  for (let k = 0; k < steps; k++) {
    world.step();
    meter.look();
  }
  return { way: world.samples[0].nodePosition[0], depth: meter.deepest };
}

export const incline: Case = defineCase({
  id: 'incline',
  topics: ['contact', 'theory'],
  title: 'Friction on an incline: angle of slip and sliding distance',
  claim:
    "A rod along the line of steepest descent sticks below atan μ and slides above it, with the acceleration that Coulomb's law predicts. Below the angle it does not creep.",
  group: 'contact',
  source: "Coulomb's law: slip above atan μ, then the acceleration g(sin α − μ cos α)",
  models: ['der', 'fiber'],
  papers: [
    {
      paper: 'romero2021',
      figure: 'Stick–slip',
      claim: 'Contact with Coulomb friction sticks and slips exactly at the threshold.',
      remark: 'A simpler test of the same law: the angle of slip of a rod on an incline.',
    },
  ],
  quick: [15],
  full: [15, 30, 60],
  controls: [
    {
      path: ['colliders', 0, 'friction'],
      label: 'Friction',
      symbol: 'µ',
      low: 0,
      high: 1,
      threshold: (scene) => {
        const at = gravityAlong(scene, 0) / -gravityAlong(scene, 2);
        return { at, what: `holds the rod above ${at.toFixed(3)}` };
      },
    },
    {
      path: ['gravity', 0],
      label: 'Gravity down the slope',
      symbol: 'g sin α',
      unit: 'm/s²',
      low: 0,
      high: 9,
      threshold: (scene) => {
        const at = colliderFriction(scene) * -gravityAlong(scene, 2);
        return { at, what: `the rod slides above ${at.toFixed(2)} m/s²` };
      },
    },
    {
      path: ['gravity', 2],
      label: 'Gravity into the slope',
      symbol: 'g cos α',
      unit: 'm/s²',
      low: 1,
      high: 15,
      factor: -1,
    },
  ],
  scene: () => scene(ANGLE + 3, 15, 1),
  measure(n, model) {
    // the angle between the last that sticks and the first that slips: 20 µm in 0.2 s
    let [sticks, slips] = [ANGLE - 1, ANGLE + 1];
    let deepest = 0;
    for (let k = 0; k < 5; k++) {
      const middle = 0.5 * (sticks + slips);
      const { way, depth } = slide(model, middle, n, 48);
      deepest = Math.max(deepest, depth);
      if (way > 2e-5) slips = middle;
      else sticks = middle;
    }
    const steep = atan(1.5 * MU);
    const steps = 120;
    // implicit Euler: h² Σ k in place of t²/2
    const exact = (G * (sin(steep) - MU * cos(steep)) * steps * (steps + 1)) / 2 / square(240);
    const fast = slide(model, (steep * 180) / Math.PI, n, steps);
    const creep = slide(model, (atan(0.98 * MU) * 180) / Math.PI, n, steps);
    return {
      'angle of slip [deg]': 0.5 * (sticks + slips),
      'sliding distance': fast.way / exact,
      'creep at 98 % [m]': creep.way,
      'penetration / radius': Math.max(deepest, fast.depth, creep.depth),
    };
  },
  expect: {
    'angle of slip [deg]': { value: ANGLE, tolerance: 0.2, scale: 1 },
    'sliding distance': { value: 1, tolerance: 1e-3 },
    'creep at 98 % [m]': { value: 0, tolerance: 1e-5, scale: 1 },
    'penetration / radius': { value: 0, tolerance: 0.05, scale: 1 },
  },
});
