/** Unknowns of a step and what follows from them: φ → q, v and rates, with their derivatives; the coefficients of the difference formula. See step.ts. */
import { multiplyQuaternions, rotationFromQuaternion } from '../../math/quaternion.ts';
import { slopeOfSeries, writeRotationSeries } from '../../math/rotationSeries.ts';
import { turnJoint } from './kinematics.ts';
import type { Sweep } from './records.ts';
import type { StrandTree } from './rod.ts';

export interface StepWork {
  readonly sweep: Sweep;
  readonly phi: Float64Array;
  readonly trial: Float64Array;
  readonly direction: Float64Array;
  /** Newton's next direction. */
  readonly next: Float64Array;
  readonly past: Float64Array;
  readonly predicted: Float64Array;
  readonly q0: Float64Array;
  readonly v0: Float64Array;
  readonly rate0: Float64Array;
  readonly base0: Float64Array;
  /** Forces of the constraints, before and after an iteration. */
  lambda: Float64Array;
  lambdaNext: Float64Array;
}

export function createStepWork(links: number, sweep: Sweep): StepWork {
  const n = 3 * links + 3;
  return {
    sweep,
    phi: new Float64Array(n),
    trial: new Float64Array(n),
    direction: new Float64Array(n),
    next: new Float64Array(n),
    past: new Float64Array(n),
    predicted: new Float64Array(n),
    q0: new Float64Array(4 * links + 3),
    v0: new Float64Array(n),
    rate0: new Float64Array(n),
    base0: new Float64Array(16),
    lambda: new Float64Array(0),
    lambdaNext: new Float64Array(0),
  };
}

/** ẏ = (c0 y + c1 yn + c2 yn₋₁)/h. */
export interface Formula {
  h: number;
  c0: number;
  c1: number;
  c2: number;
}
export const formula: Formula = { h: 1, c0: 1, c1: -1, c2: 0 };

/** Sets the formula of the step; returns c0. */
export function setFormula(h: number, before: number, order: number): number {
  formula.h = h;
  if (order === 1) {
    formula.c0 = 1;
    formula.c1 = -1;
    formula.c2 = 0;
    return 1;
  }
  const r = h / before;
  formula.c0 = (1 + 2 * r) / (1 + r);
  formula.c1 = -(1 + r);
  formula.c2 = (r * r) / (1 + r);
  return formula.c0;
}

const inverse = new Float64Array(4);
const between = new Float64Array(4);

/** Earlier joint rotations, and the origin, as seen from the current ones. */
export function writePast(out: Float64Array, from: Float64Array, earlier: Float64Array, links: number): void {
  for (let j = 0; j < links; j++) {
    const o = 3 + 4 * j;
    inverse[0] = from[o];
    for (let k = 1; k < 4; k++) inverse[k] = -from[o + k];
    multiplyQuaternions(between, 0, inverse, 0, earlier, o);
    rotationFromQuaternion(out, 3 * j, between, 0);
  }
  for (let k = 0; k < 3; k++) out[3 * links + k] = earlier[k] - from[k];
}

const a = new Float64Array(6);

/** w = J(φ) x/h with x = c0 φ + c2 y₋; `slopes`: J and ∂w/∂φ too. */
function writeJoint(
  tree: StrandTree,
  { sweep, past }: StepWork,
  phi: Float64Array,
  j: number,
  what: 'slopes' | 'values',
): void {
  const { v } = tree;
  const { h, c0, c2 } = formula;
  const o = 3 * j;
  const x = phi[o];
  const y = phi[o + 1];
  const z = phi[o + 2];
  const u0 = c0 * x + c2 * past[o];
  const u1 = c0 * y + c2 * past[o + 1];
  const u2 = c0 * z + c2 * past[o + 2];
  writeRotationSeries(a, x * x + y * y + z * z, what === 'slopes' ? 6 : 4);
  // c = φ × u, e = φ × c
  const p = y * u2 - z * u1;
  const q = z * u0 - x * u2;
  const r = x * u1 - y * u0;
  const e0 = y * r - z * q;
  const e1 = z * p - x * r;
  const e2 = x * q - y * p;
  v[3 + o] = (u0 - a[2] * p + a[3] * e0) / h;
  v[4 + o] = (u1 - a[2] * q + a[3] * e1) / h;
  v[5 + o] = (u2 - a[2] * r + a[3] * e2) / h;
  if (what === 'values') return;
  const { turn: T, rate: W } = sweep;
  const t = 9 * j;
  const square = x * x + y * y + z * z;
  T[t] = 1 + a[3] * (x * x - square);
  T[t + 1] = a[2] * z + a[3] * x * y;
  T[t + 2] = -a[2] * y + a[3] * x * z;
  T[t + 3] = -a[2] * z + a[3] * y * x;
  T[t + 4] = 1 + a[3] * (y * y - square);
  T[t + 5] = a[2] * x + a[3] * y * z;
  T[t + 6] = a[2] * y + a[3] * z * x;
  T[t + 7] = -a[2] * x + a[3] * z * y;
  T[t + 8] = 1 + a[3] * (z * z - square);
  // ∂(J u)/∂φ at fixed u: a2[u] − a3([φ × u] + [φ][u]) + (b3 e − b2 c) φᵀ; [φ][u] = u φᵀ − (φ·u)
  const b2 = slopeOfSeries(a, 2);
  const b3 = slopeOfSeries(a, 3);
  const along = x * u0 + y * u1 + z * u2;
  const s0 = b3 * e0 - b2 * p - a[3] * u0;
  const s1 = b3 * e1 - b2 * q - a[3] * u1;
  const s2 = b3 * e2 - b2 * r - a[3] * u2;
  const d = a[3] * along;
  W[t] = (s0 * x + d + c0 * T[t]) / h;
  W[t + 1] = (-a[2] * u2 + a[3] * r + s0 * y + c0 * T[t + 1]) / h;
  W[t + 2] = (a[2] * u1 - a[3] * q + s0 * z + c0 * T[t + 2]) / h;
  W[t + 3] = (a[2] * u2 - a[3] * r + s1 * x + c0 * T[t + 3]) / h;
  W[t + 4] = (s1 * y + d + c0 * T[t + 4]) / h;
  W[t + 5] = (-a[2] * u0 + a[3] * p + s1 * z + c0 * T[t + 5]) / h;
  W[t + 6] = (-a[2] * u1 + a[3] * q + s2 * x + c0 * T[t + 6]) / h;
  W[t + 7] = (a[2] * u0 - a[3] * p + s2 * y + c0 * T[t + 7]) / h;
  W[t + 8] = (s2 * z + d + c0 * T[t + 8]) / h;
}

/** q, v and rate of the trial φ. */
export function placeTrial(tree: StrandTree, work: StepWork, phi: Float64Array, what: 'slopes' | 'values'): void {
  const { linkCount, q, v, rate, originRate, history } = tree;
  const { q0, v0, past } = work;
  const { h, c0, c1, c2 } = formula;
  for (let j = 0; j < linkCount; j++) {
    turnJoint(q, 3 + 4 * j, q0, 3 + 4 * j, phi, 3 * j);
    writeJoint(tree, work, phi, j, what);
    for (let k = 3 * j; k < 3 * j + 3; k++) rate[k] = (c0 * v[3 + k] + c1 * v0[3 + k] + c2 * history.v1[3 + k]) / h;
  }
  const o = 3 * linkCount;
  for (let k = 0; k < 3; k++) {
    if (!tree.base.free[k]) continue;
    q[k] = q0[k] + phi[o + k];
    v[k] = (c0 * phi[o + k] + c2 * past[o + k]) / h;
    originRate[k] = (c0 * v[k] + c1 * v0[k] + c2 * history.v1[k]) / h;
  }
}
