import type { ModelId, Scene } from '@tendril-sim/core';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, type CaseFigure, defineCase, worldOf } from '../src/case.ts';
import { sumForces } from '../src/contact.ts';
import { bendingStiffness, colliderFriction } from '../src/controls.ts';
import type { CheckRow } from '../src/expectation.ts';
import { BOW, pinnedStrip, ratioAt, slipAt } from './theory.ts';

const RADIUS = 0.005;
const DOWN = 0.32;
const DURATION = 12;
const frictions = [0.1, 0.3];
/** Shortenings at which the pinned strip of the larger friction is looked at. */
const looks = [0.05, 0.1, 0.2];

/** Clamped upright, its tip on the ground, without weight; natural curvature decides to which side it bows. */
function scene(friction: number, edges: number, model: ModelId = 'der'): SceneInput {
  return {
    tendril: 1,
    title: `A strip is lowered onto a plane with friction ${friction}`,
    rods: [
      {
        id: 'strip',
        model,
        shape: { type: 'straight', from: [0, 0, 1], to: [0, 0, 0] },
        edges,
        frame: { d1: [0, 1, 0] },
        natural: { curvature: [BOW, 0, 0] },
        // it gives a little: an inextensible column between clamp and ground would have no definite force at first
        section: { type: 'stiffness', EA: 1e5, EI1: 1, GJ: 2 / 3, mass: 1, radius: RADIUS, damping: { mass: 5 } },
      },
    ],
    pins: [
      {
        rod: 'strip',
        at: 'start',
        path: { interpolation: 'smooth', keys: [{ time: 0 }, { time: DURATION, offset: [0, 0, -DOWN] }] },
      },
    ],
    colliders: [{ id: 'ground', type: 'plane', position: [0, 0, -RADIUS], friction }],
    time: { duration: DURATION, step: 0.02 },
    output: { every: 0.2 },
  };
}

/** How far the clamp comes down in all [m]. */
function loweringOf({ pins }: Scene): number {
  return -(pins?.[0].path?.keys[1].offset?.[2] ?? Number.NaN);
}

interface Lowered {
  /** Shortening at which the tip has slipped by 1 % of the length. */
  readonly slip: number;
  /** |H|/N at `looks`. */
  readonly ratios: readonly number[];
  /** Steps whose contact was not solved. */
  readonly missed: number;
}

function lower(friction: number, edges: number, model: ModelId): Lowered {
  const world = worldOf(scene(friction, edges, model));
  const ratios: number[] = [];
  let missed = 0;
  let before = { shortening: 0, ratio: 0 };
  while (world.time < DURATION - 1e-9) {
    const { contact } = world.step();
    if (contact && !contact.converged) missed++;
    const { nodePosition } = world.samples[0];
    const shortening = 1 - nodePosition[2];
    const ratio = Math.abs(sumForces(world, 'collider', 0)) / sumForces(world, 'collider', 2);
    const look = looks[ratios.length];
    if (shortening >= look) {
      const t = (look - before.shortening) / (shortening - before.shortening);
      ratios.push(before.ratio + t * (ratio - before.ratio));
    }
    before = { shortening, ratio };
    if (Math.abs(nodePosition[3 * edges]) > 0.01) return { slip: shortening, ratios, missed };
  }
  return { slip: Number.NaN, ratios, missed };
}

function boundary(rows: readonly CheckRow[]): CaseFigure {
  const models = [...new Set(rows.map(({ model }) => model))];
  return {
    title: 'Stick–slip: friction that holds the tip of a strip',
    subtitle: 'above the line the tip sticks, below it slips; dots: where the tip of each model slips',
    x: pinnedStrip().map(({ shortening }) => shortening),
    xLabel: 'lowered by ε/L',
    yLabel: 'friction μ',
    lines: [
      { label: 'pinned elastica', y: pinnedStrip().map(({ ratio }) => ratio) },
      ...models.map((model) => {
        const own = rows.filter((row) => row.model === model && row.quantity.startsWith('slips'));
        const finest = Math.max(...own.map(({ n }) => n));
        return {
          label: model,
          x: own.filter(({ n }) => n === finest).map(({ measured }) => measured),
          y: frictions,
          dots: true,
        };
      }),
    ],
    points: [],
  };
}

export const stickSlip: Case = defineCase({
  id: 'stick-slip',
  topics: ['contact', 'theory'],
  finish: 'steel',
  title: 'Stick–slip: a strip is lowered onto a frictional plane',
  claim:
    'A strip that is pressed onto a plane from above keeps its tip where it is while |H|/N < μ, and slips beyond. How far it can be lowered depends on μ alone. One of the three tests for rods of [Romero2021].',
  group: 'contact',
  source: "clamped–pinned elastica by shooting, with Coulomb's law at its tip",
  models: ['der', 'helix', 'strand', 'fiber'],
  papers: [
    {
      paper: 'romero2021',
      figure: 'Stick–slip',
      claim:
        'A strip pressed onto a frictional plane keeps its tip where it is or slips, depending on how far it is lowered and on the coefficient of friction alone.',
      remark:
        '`cosserat` and `massspring` have no contact. The strip has no weight, and its tip is a ball of 0.5 % of the length.',
    },
  ],
  quick: [16],
  full: [16, 32],
  controls: [
    {
      path: ['colliders', 0, 'friction'],
      label: 'Friction',
      symbol: 'µ',
      low: 0.05,
      high: 0.4,
      threshold: (scene) => {
        const at = ratioAt(loweringOf(scene));
        return { at, what: `the tip never slips above ${at.toFixed(3)}` };
      },
    },
    {
      path: ['pins', 0, 'path', 'keys', 1, 'offset', 2],
      label: 'Clamp lowered by',
      symbol: 'ε',
      unit: 'm',
      low: 0.05,
      high: 0.33,
      factor: -1,
      threshold: (scene) => {
        const friction = colliderFriction(scene);
        // more holds it until the tip lies flat
        const at = friction < ratioAt(0.33) ? slipAt(friction) : Number.NaN;
        return { at, what: `the tip slips at ${at.toFixed(3)} m` };
      },
    },
    bendingStiffness({ low: 0.1, high: 10 }),
  ],
  scene: () => scene(0.2, 40),
  measure(n, model) {
    const found = frictions.map((friction) => lower(friction, n, model));
    const held = found[found.length - 1];
    return {
      ...Object.fromEntries(found.map(({ slip }, k) => [`slips at ε/L, μ = ${frictions[k]}`, slip])),
      ...Object.fromEntries(looks.map((look, k) => [`force ratio H/N at ε/L = ${look}`, held.ratios[k] ?? Number.NaN])),
      'steps with contact unsolved': found.reduce((sum, { missed }) => sum + missed, 0),
    };
  },
  figure: boundary,
  expect: () => ({
    ...Object.fromEntries(
      frictions.map((friction) => [
        `slips at ε/L, μ = ${friction}`,
        { value: slipAt(friction), tolerance: 0.01, scale: 1 },
      ]),
    ),
    ...Object.fromEntries(
      looks.map((look) => [`force ratio H/N at ε/L = ${look}`, { value: ratioAt(look), tolerance: 0.05 }]),
    ),
    // helix and strand cannot be pressed together: at first the column has no side to give way to
    'steps with contact unsolved': { atMost: (_n, model) => (model === 'helix' || model === 'strand' ? 4 : 0) },
  }),
});
