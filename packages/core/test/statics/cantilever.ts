/**
 * Heavy cantilevers over all loads, resolutions, directions and places, measured against the elastica. Every answer must be
 * right to the order of the discretisation, or be reported as not converged.
 */
import { createWorld, type EquilibriumReport, type ModelId } from '@tendril-sim/core';

export interface CantileverGrid {
  readonly gammas: readonly number[];
  readonly edges: readonly number[];
  /** Distance from the origin, in lengths of the rod. */
  readonly offsets: readonly number[];
  /** Along the axes of the world, or askew to all of them. */
  readonly askew: readonly boolean[];
}

export interface CantileverResult {
  readonly name: string;
  readonly gamma: number;
  readonly edges: number;
  readonly report: EquilibriumReport;
  /** Distance of the tip from the elastica's, by the tip's displacement and by what discretisation may cost. */
  readonly error: number;
  readonly relative: number;
  /** Vertical force of the clamp by the weight, less 1. */
  readonly unbalanced: number;
}

const coarseGrid: CantileverGrid = {
  gammas: [1e-10, 1e-6, 10, 1e6],
  edges: [10, 1600],
  offsets: [0, 1e3],
  askew: [false, true],
};
const wideGrid: CantileverGrid = {
  gammas: [1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1e3, 1e4, 1e5, 1e6],
  edges: [10, 20, 50, 100, 200, 500, 1000, 2000, 5000],
  offsets: [0, 1, 1e3],
  askew: [false, true],
};
/** `TENDRIL_WIDE=1 npx vitest run packages/core/test/statics` runs the wide grid, in some minutes. */
export const grid: CantileverGrid = process.env.TENDRIL_WIDE ? wideGrid : coarseGrid;

/** Tip of the elastica EI θ'' = −Γ(1 − s) cos θ: finite differences on a grid that is dense at the clamp. */
export function elasticaTip(gamma: number): { readonly x: number; readonly y: number } {
  const count = 20_000;
  const s = Float64Array.from({ length: count + 1 }, (_, i) => (i / count) ** 3);
  const theta = new Float64Array(count + 1);
  const diagonal = new Float64Array(count + 1);
  const right = new Float64Array(count + 1);
  // Γ in parts, so that Newton follows
  const parts = gamma > 10 ? Math.ceil(6 * Math.log10(gamma)) : 1;
  for (let part = 1; part <= parts; part++) {
    const load = gamma ** (part / parts) * (parts > 1 ? 1 : gamma ** (1 - part / parts));
    for (let iteration = 0; iteration < 30; iteration++) {
      const move = relaxAngles({ s, theta, diagonal, right, load });
      if (move < 1e-15 * Math.max(gamma, 1e-300) || move < 1e-14) break;
    }
  }
  let x = 0;
  let y = 0;
  for (let i = 0; i < count; i++) {
    const h = s[i + 1] - s[i];
    const middle = 0.5 * (theta[i] + theta[i + 1]);
    x += h * Math.cos(middle);
    y += h * Math.sin(middle);
  }
  return { x, y };
}

interface Angles {
  readonly s: Float64Array;
  readonly theta: Float64Array;
  readonly diagonal: Float64Array;
  readonly right: Float64Array;
  readonly load: number;
}

/** One Newton step; θ(0) = 0 and θ'(1) = 0. Returns the largest change. */
function relaxAngles({ s, theta, diagonal, right, load }: Angles): number {
  const last = s.length - 1;
  for (let i = 1; i <= last; i++) {
    const left = 1 / (s[i] - s[i - 1]);
    const next = i < last ? 1 / (s[i + 1] - s[i]) : 0;
    const weight = 0.5 * ((i < last ? s[i + 1] : s[i]) - s[i - 1]) * load * (1 - s[i]);
    diagonal[i] = left + next + weight * Math.sin(theta[i]);
    right[i] =
      weight * Math.cos(theta[i]) -
      left * (theta[i] - theta[i - 1]) +
      (i < last ? next * (theta[i + 1] - theta[i]) : 0);
  }
  for (let i = 2; i <= last; i++) {
    const off = 1 / (s[i] - s[i - 1]);
    diagonal[i] -= (off * off) / diagonal[i - 1];
    right[i] += (off * right[i - 1]) / diagonal[i - 1];
  }
  let largest = 0;
  for (let i = last; i >= 1; i--) {
    const next = i < last ? right[i + 1] / (s[i + 1] - s[i]) : 0;
    right[i] = (right[i] + next) / diagonal[i];
    theta[i] += right[i];
    largest = Math.max(largest, Math.abs(right[i]));
  }
  return largest;
}

type Vector = readonly [number, number, number];

const scaled = ([x, y, z]: Vector, f: number): [number, number, number] => [f * x, f * y, f * z];
const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const unit = (a: Vector): Vector => scaled(a, 1 / Math.sqrt(dot(a, a)));

/** Direction of the rod, gravity across it, and where the clamp is. */
function place(
  askew: boolean,
  offset: number,
): { readonly along: Vector; readonly down: Vector; readonly from: Vector } {
  if (!askew) return { along: [1, 0, 0], down: [0, 0, -1], from: [offset, offset, offset] };
  const along = unit([1, 0.7, 0.3]);
  const raw = unit([0.2, -0.5, 1]);
  const overlap = dot(raw, along);
  const down = unit([raw[0] - overlap * along[0], raw[1] - overlap * along[1], raw[2] - overlap * along[2]]);
  return { along, down, from: [0.6 * offset, -0.5 * offset, 0.62 * offset] };
}

/** What discretisation may cost, by the tip's displacement: the layer at the clamp is L/√Γ long. */
function allowedError(gamma: number, edges: number): number {
  return 2 * Math.min(1 / edges, Math.max(1, Math.sqrt(gamma)) / edges ** 2);
}

export function runCantilevers(model: ModelId, { gammas, edges, offsets, askew }: CantileverGrid): CantileverResult[] {
  const results: CantileverResult[] = [];
  for (const gamma of gammas) {
    const tip = elasticaTip(gamma);
    for (const n of edges)
      for (const offset of offsets)
        for (const tilted of askew) results.push(runCantilever({ model, gamma, n, offset, tilted, tip }));
  }
  return results;
}

interface Cantilever {
  readonly model: ModelId;
  readonly gamma: number;
  readonly n: number;
  readonly offset: number;
  readonly tilted: boolean;
  readonly tip: { readonly x: number; readonly y: number };
}

function runCantilever({ model, gamma, n, offset, tilted, tip }: Cantilever): CantileverResult {
  const { along, down, from } = place(tilted, offset);
  const world = createWorld({
    tendril: 1,
    gravity: scaled(down, gamma),
    rods: [
      {
        id: 'r',
        model,
        shape: { type: 'straight', from, to: [from[0] + along[0], from[1] + along[1], from[2] + along[2]] },
        edges: n,
        section: { type: 'stiffness', EI1: 1, GJ: 1, mass: 1 },
      },
    ],
    pins: [{ rod: 'r', at: 'start' }],
  });
  const [report] = world.equilibrate();
  const { nodePosition: p } = world.samples[0];
  const end = [0, 1, 2].map((k) => p[3 * n + k] - p[k]);
  const error = Math.hypot(dot(end, along) - tip.x, dot(end, down) - tip.y);
  const displacement = Math.min(1, gamma / 8);
  return {
    name: `${model} Γ = ${gamma}, ${n} edges, ${offset} L away${tilted ? ', askew' : ''}`,
    gamma,
    edges: n,
    report,
    error: error / displacement / allowedError(gamma, n),
    relative: error / displacement,
    unbalanced: -dot(world.reactions()[0].force, down) / gamma - 1,
  };
}
