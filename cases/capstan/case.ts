import type { ModelId } from '@tendril-sim/core';
import { atan, cos, exp, pow, sin, square, tan } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, onModel, worldOf } from '../src/case.ts';
import { massDamping } from '../src/controls.ts';
import { createOverlapMeter } from '../src/overlap.ts';

const RADIUS = 0.05;
const ROPE = 0.0005;
const PULL = 0.0125;
const STEP = 1e-3;

/** A rope that lies round a bollard by `angle`, held back with 1 N at its start and pulled at its end. */
function scene(mu: number, angle: number, perHalfTurn: number, duration: number): SceneInput {
  const R = RADIUS + ROPE;
  const l = (Math.PI * R) / perHalfTurn;
  const around = Math.round((angle * R) / l);
  const tail = Math.round(0.05 / l);
  // corners outside the circle that edges touch in their middle; turns lie beside each other
  const outer = R / cos(0.5 * (l / R));
  const points: [number, number, number][] = [];
  for (let i = tail; i >= 1; i--) points.push([outer, 0, -i * l]);
  for (let i = 0; i <= around; i++) {
    const a = (angle * i) / around;
    points.push([outer * cos(a), (0.003 * a) / (2 * Math.PI), outer * sin(a)]);
  }
  const [x, y, z] = points[points.length - 1];
  const along = [-sin(angle), cos(angle)];
  for (let i = 1; i <= tail; i++) points.push([x + along[0] * i * l, y, z + along[1] * i * l]);
  const offset = PULL * duration;
  return {
    tendril: 1,
    title: 'A rope round a bollard',
    rods: [
      {
        id: 'rope',
        shape: { type: 'points', points },
        natural: 'straight',
        section: {
          type: 'stiffness',
          EA: 1e4,
          EI1: 1e-7,
          GJ: 1e-7,
          mass: 0.01,
          inertia: 1e-9,
          radius: ROPE,
          damping: { mass: 2 },
        },
      },
    ],
    pins: [
      {
        rod: 'rope',
        at: 'end',
        hold: 'position',
        path: {
          interpolation: 'linear',
          keys: [{ time: 0 }, { time: duration, offset: [along[0] * offset, 0, along[1] * offset] }],
        },
      },
    ],
    loads: [{ rod: 'rope', type: 'force', at: 'start', force: [0, 0, -1] }],
    colliders: [{ id: 'bollard', type: 'capsule', from: [0, -1, 0], to: [0, 1, 0], radius: RADIUS, friction: mu }],
    time: { duration, step: STEP },
    // a rope that stretches as it should: it is pulled by 1.5 mm
    solver: { fiber: { scaffold: 'section' } },
  };
}

/** Ratio of the tensions at the two ends while the rope slides, and the deepest that it lay in the bollard. */
function pull(model: ModelId, mu: number, angle: number, perHalfTurn: number): { ratio: number; depth: number } {
  const duration = 0.12;
  const world = worldOf(onModel(scene(mu, angle, perHalfTurn, duration), model));
  let ratio = 0;
  const meter = createOverlapMeter(world);
  const from = 90;
  for (let k = 0; k < 120; k++) {
    world.step();
    meter.look();
    if (k < from) continue;
    const tension = world.channel(0, 'tension');
    ratio += tension[tension.length - 1] / tension[0] / (120 - from);
  }
  return { ratio, depth: meter.deepest };
}

/**
 * The same ratio for a chain of edges that each touch once and pass half of that force to either node. With x = (λ − 1)/(λ + 1) for
 * the ratio λ of one edge's tension to the next and τ = tan(δ/2), balance of a node is μτx² + (1 + τ²)x = μτ: less than μδ by
 * δ²(1 + μ²)/6. A contact has the direction that it had at the start of the step, while the rope goes on by vh: both
 * normal force and friction lean against the motion by vh/R, as if friction had that larger angle.
 */
function ratioOfChain(mu: number, halves: number, perHalfTurn: number): number {
  const leaning = tan(atan(mu) + (PULL * STEP) / (RADIUS + ROPE));
  const tau = tan(Math.PI / perHalfTurn / 2);
  const b = 1 + tau * tau;
  const x = (Math.sqrt(b * b + 4 * square(leaning * tau)) - b) / (2 * leaning * tau);
  return pow((1 + x) / (1 - x), halves * perHalfTurn);
}

const angles = [
  ['half a turn, μ = 0.3', 0.3, 1],
  ['half a turn, μ = 0.5', 0.5, 1],
  ['three half turns, μ = 0.3', 0.3, 3],
] as const;

export const capstan: Case = defineCase({
  id: 'capstan',
  topics: ['contact', 'theory'],
  finish: 'rope',
  title: 'Friction of a rope round a bollard',
  claim: 'The tension of a rope that slides round a bollard grows by exp(μφ), for one half turn and for three.',
  group: 'contact',
  source: 'Euler–Eytelwein: T₂/T₁ = exp(μφ), here as ln(T₂/T₁)/φ against μ and as the ratio itself',
  models: ['der', 'fiber'],
  quick: [32],
  full: [32, 64],
  controls: [
    { path: ['colliders', 0, 'friction'], label: 'Friction', symbol: 'µ', low: 0, high: 0.6 },
    {
      path: ['loads', 0, 'force', 2],
      label: 'Force that holds the rope back',
      symbol: 'T₁',
      unit: 'N',
      low: 0.1,
      high: 5,
      factor: -1,
    },
    massDamping({ high: 10 }),
  ],
  scene: () => scene(0.3, 3 * Math.PI, 32, 0.5),
  measure(n, model) {
    const out: Record<string, number> = {};
    let deepest = 0;
    for (const [name, mu, halves] of angles) {
      // fibers take long: half of the edges, which the chain knows of
      const coarse = model !== 'der' && halves > 1;
      const edges = coarse ? n / 2 : n;
      const { ratio, depth } = pull(model, mu, halves * Math.PI, edges);
      if (!coarse) out[name] = ratio;
      out[`${name}: over that of the chain`] = ratio / ratioOfChain(mu, halves, edges);
      deepest = Math.max(deepest, depth);
    }
    out['penetration / radius'] = deepest;
    return out;
  },
  expect: {
    ...Object.fromEntries(
      angles.flatMap(([name, mu, halves]) => {
        const only = halves > 1 && { models: ['der'] as const };
        return [
          [name, { value: exp(mu * halves * Math.PI), tolerance: 0.006, ...only }],
          [`${name}: over that of the chain`, { value: 1, tolerance: 0.001 }],
        ];
      }),
    ),
    'penetration / radius': { value: 0, tolerance: 0.05, scale: 1 },
  },
});
