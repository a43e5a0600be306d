import type { ModelId } from '@tendril-sim/core';
import { acos, log } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, type CaseFigure, defineCase, worldOf } from '../src/case.ts';
import { massPerLength, sectionNumber } from '../src/controls.ts';
import type { CheckRow } from '../src/expectation.ts';
import { growingMode } from './theory.ts';

const CRITICAL = 20.0509536;
/** Forces beyond the critical one at which growth is measured. */
const forces = [21, 22];
const STEP = 0.005;

/** Schemes that take next to no energy out at this step. */
const solvers: Readonly<Partial<Record<ModelId, SceneInput['solver']>>> = {
  der: { der: { integrator: 'tr-bdf2', tolerance: 1e-12 } },
  helix: { helix: { integrator: 'bdf2', tolerance: 1e-12 } },
  fiber: { fiber: { integrator: 'midpoint', tolerance: 1e-12 } },
  cosserat: { cosserat: { integrator: 'midpoint', tolerance: 1e-12 } },
};

function scene(force: number, edges: number, model: ModelId = 'der', push = 1e-6): SceneInput {
  return {
    tendril: 1,
    title: `Beck's column, P = ${force} EI/L²`,
    rods: [
      {
        id: 'column',
        model,
        shape: { type: 'straight', from: [0, 0, 0], to: [0, 0, 1] },
        edges,
        // der and helix do not stretch; the others need a stiffness, so large that it does not matter
        section: {
          type: 'stiffness',
          ...((model === 'fiber' || model === 'cosserat') && { EA: 1e6 }),
          EI1: 1,
          GJ: 1,
          mass: 1,
          radius: 0.01,
        },
        velocity: { angular: [0, push, 0] },
      },
    ],
    pins: [{ rod: 'column', at: 'start' }],
    loads: [{ type: 'force', rod: 'column', at: 'end', force: [0, 0, -force], frame: 'material' }],
    time: { duration: 4, step: STEP },
    solver: solvers[model],
    output: { every: 0.02, probes: [{ name: 'tip', rod: 'column', at: 'end' }] },
  };
}

/** Sidewards motion of the tip, step by step. */
function swing(force: number, edges: number, model: ModelId): number[] {
  const world = worldOf(scene(force, edges, model));
  const out: number[] = [];
  for (let k = 0; k < 4 / STEP; k++) {
    world.step();
    out.push(world.samples[0].nodePosition[3 * edges]);
  }
  return out;
}

/** Frequency and rate of growth of the last 1.5 s: xₖ₊ₛ = a xₖ + b xₖ₋ₛ by least squares, as for one mode e^{(σ ± iω)t}. */
function fitMode(x: readonly number[]): { frequency: number; growth: number } {
  const lag = Math.round(0.05 / STEP);
  let [uu, uv, vv, uy, vy] = [0, 0, 0, 0, 0];
  for (let k = x.length - Math.round(1.5 / STEP); k + lag < x.length; k++) {
    const [u, v, y] = [x[k], x[k - lag], x[k + lag]];
    const weight = 1 / (u * u + v * v + y * y);
    uu += weight * u * u;
    uv += weight * u * v;
    vv += weight * v * v;
    uy += weight * u * y;
    vy += weight * v * y;
  }
  const determinant = uu * vv - uv * uv;
  const a = (uy * vv - vy * uv) / determinant;
  const b = -(uu * vy - uv * uy) / determinant;
  const time = lag * STEP;
  return { growth: log(b) / (2 * time), frequency: acos(a / (2 * Math.sqrt(b))) / time };
}

const largest = (x: readonly number[]): number => Math.max(...x.map(Math.abs));

function curve(rows: readonly CheckRow[]): CaseFigure {
  const x = Array.from({ length: 41 }, (_, k) => CRITICAL + 1e-3 + (3 * k) / 40);
  const models = [...new Set(rows.map(({ model }) => model))];
  return {
    title: "Flutter of Beck's column",
    subtitle: 'rate of growth beyond the critical force P = 20.05 EI/L²',
    x,
    xLabel: 'P L²/EI',
    yLabel: 'rate of growth σ √(ρA L⁴/EI)',
    lines: [
      { label: 'theory', y: x.map((force) => growingMode(force).growth) },
      ...models.map((model) => {
        const own = rows.filter((row) => row.model === model && row.quantity.startsWith('growth'));
        const finest = Math.max(...own.map(({ n }) => n));
        return {
          label: model,
          x: forces,
          y: own.filter(({ n }) => n === finest).map(({ measured }) => measured),
          dots: true,
        };
      }),
    ],
    points: [],
  };
}

export const becksColumn: Case = defineCase({
  id: 'becks-column',
  topics: ['theory'],
  title: "Beck's column flutters under a force that follows its tip",
  claim:
    "A clamped column under a force at its tip that stays along the tip's tangent does not buckle; it begins to oscillate with growing amplitude at P = 20.05 EI/L². The load has no potential, and statics cannot find flutter; tendril modes can.",
  group: 'classics',
  source: 'Beck 1952: P = 20.05 EI/L²; growth beyond it from the characteristic equation',
  models: ['der', 'helix', 'fiber', 'cosserat'],
  quick: [16],
  full: [16, 32, 64],
  controls: [
    {
      path: ['loads', 0, 'force', 2],
      label: 'Load that follows the tip',
      symbol: 'P',
      unit: 'N',
      low: 0,
      high: 30,
      factor: -1,
      threshold: (scene) => {
        const at = CRITICAL * sectionNumber(scene, 'EI1');
        return { at, what: `begins to flutter at ${at.toFixed(2)} N` };
      },
    },
    { path: ['rods', 0, 'section', 'EI1'], label: 'Bending stiffness', symbol: 'EI', unit: 'N·m²', low: 0.3, high: 3 },
    massPerLength({ low: 0.1, high: 10 }),
  ],
  scene: () => ({ ...scene(22, 40, 'der', 1e-2), time: { duration: 6, step: 0.01 }, output: { every: 0.05 } }),
  measure(n, model) {
    const calm = swing(19, n, model);
    const found = forces.map((force) => fitMode(swing(force, n, model)));
    const [one, two] = found.map(({ growth }) => growth * growth);
    return {
      // near it the square of the growth rises in proportion to P − Pc
      'critical force': forces[0] - (one * (forces[1] - forces[0])) / (two - one),
      ...Object.fromEntries(found.map(({ growth }, k) => [`growth at P = ${forces[k]}`, growth])),
      ...Object.fromEntries(found.map(({ frequency }, k) => [`frequency at P = ${forces[k]}`, frequency])),
      'P = 19: swing in the second half over the first': largest(calm.slice(400)) / largest(calm.slice(0, 400)),
    };
  },
  figure: curve,
  expect: () => ({
    'critical force': { value: CRITICAL, tolerance: (n) => 1e-3 + 5 / (n * n), order: 1.3, floor: 2e-3 },
    ...Object.fromEntries(
      forces.flatMap((force) => [
        [`growth at P = ${force}`, { value: growingMode(force).growth, tolerance: (n: number) => 5e-3 + 60 / (n * n) }],
        [
          `frequency at P = ${force}`,
          { value: growingMode(force).frequency, tolerance: (n: number) => 2e-3 + 6 / (n * n) },
        ],
      ]),
    ),
    'P = 19: swing in the second half over the first': { value: 1, tolerance: 0.1 },
  }),
});
