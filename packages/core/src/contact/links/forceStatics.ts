/**
 * Equilibria of linked rods of models with other unknowns than positions, by the forces of the links.
 *
 * Each rod finds its equilibrium by its own search under given link forces; Newton's method on strain = force/stiffness finds those forces. Its
 * matrix, the response of strains to forces, comes from finite differences, one search per row of a link, and is corrected after every step
 * (Broyden). Every rod must be held by pins: a rod that only links hold has no equilibrium under constant forces.
 *
 * Stability: springs add stiffness, so the whole is stable if each rod is stable under constant forces. Otherwise there is no verdict.
 */
import { factorDense, solveDense } from '../../linalg/dense.ts';
import type { EquilibriumOptions, EquilibriumReport } from '../../model.ts';
import type { LoadSource, Samples } from '../../port.ts';
import type { Rod } from '../../scene/compiled.ts';
import { noVerdict, type Settled, type Verdict } from '../../statics/search.ts';
import type { Link, Links } from './linkData.ts';
import { setLinkForce, stiffnessOf } from './links.ts';
import { createLinkBlock, type LinkBlock, measureBlock } from './stiffness.ts';

/** Limit of link rows: each costs a search. */
const MOST_ROWS = 60;
const ROUNDS = 40;

/** A single rod. */
export interface LoneRest {
  equilibrate(rod: number, t: number, options: EquilibriumOptions): EquilibriumReport;
  /** Adds a load; the returned function removes it. */
  addLoad(rod: number, source: LoadSource): () => void;
  /** Removes the forces of contacts and links of the last step from the bundle of a rod. */
  clearForces(rod: number): void;
  /** Applies the forces in the links' memory to the rods, for reactions and channels. */
  applyForces(): void;
}

export interface ForceParts {
  readonly members: readonly number[];
  readonly list: readonly Link[];
  readonly links: Links;
  readonly rods: readonly Rod[];
  readonly samples: readonly Samples[];
  readonly alone: LoneRest;
  isPinned(rod: number): boolean;
}

/** True if the links exert only forces, at points of the rods' axes. */
export function canSettleByForces(list: readonly Link[]): boolean {
  const rows = list.reduce((sum, link) => sum + link.rows, 0);
  return rows <= MOST_ROWS && list.every((link) => link.rows === 3 && link.perEnd === 1);
}

/** Link forces on one rod [N], 3 per node. */
function createForceLoad(force: Float64Array): LoadSource {
  return {
    dependsOnState: false,
    addLoads({ nodeForce }) {
      for (let k = 0; k < force.length; k++) nodeForce[k] += force[k];
    },
    potential({ nodePosition }) {
      let sum = 0;
      for (let k = 0; k < force.length; k++) sum -= force[k] * nodePosition[k];
      return sum;
    },
  };
}

/** EI/L² [N]: the force that bends a rod by its length. */
function bendingForce({ halfEI1, halfEI2, length }: Rod): number {
  return Math.max(halfEI1[0], halfEI2[0]) / (length * length);
}

/** Finds the joint equilibrium of the rods at t; writes the link forces to their memory. */
export function settleByForces(parts: ForceParts, t: number, options: EquilibriumOptions): Settled & Verdict {
  const { members, list, links, rods, samples, alone } = parts;
  const blocks = list.map((link) => createLinkBlock(link, rods));
  const size = 3 * list.length;
  const forces = new Map(members.map((rod) => [rod, new Float64Array(3 * rods[rod].nodeCount)]));
  const removals = [...forces].map(([rod, force]) => alone.addLoad(rod, createForceLoad(force)));
  let iterations = 0;
  let reports: EquilibriumReport[] = [];
  /** Finds the equilibria of the rods under the forces f; returns strain − f/k, or undefined if a rod finds none. */
  const respond = (f: Float64Array): Float64Array | undefined => {
    writeForces(forces, blocks, f, parts);
    reports = members.map((rod) => alone.equilibrate(rod, t, { ...options, stability: 'report' }));
    for (const report of reports) iterations += report.iterations;
    if (reports.some(({ converged }) => !converged)) return undefined;
    const out = new Float64Array(size);
    blocks.forEach((block, b) => {
      measureBlock(block, links, rods, samples);
      for (let r = 0; r < 3; r++) out[3 * b + r] = block.link.strain[r] - f[3 * b + r] / stiffnessOf(block.link, r);
    });
    return out;
  };
  const length = members.reduce((most, rod) => Math.max(most, rods[rod].length), 0);
  const probe = 1e-2 * members.reduce((most, rod) => Math.max(most, bendingForce(rods[rod])), 0);
  const found = findForces(respond, size, probe, 1e-9 * length);
  blocks.forEach((block, b) => {
    setLinkForce(links, block.link, found.force.subarray(3 * b, 3 * b + 3));
  });
  for (const remove of removals) remove();
  const failed = reports.find(({ converged }) => !converged);
  const isStable = found.converged && reports.every(({ negativeModes }) => negativeModes === 0);
  return {
    converged: found.converged,
    iterations,
    residual: Math.max(...reports.map(({ residual }) => residual)),
    tolerance: Math.max(...reports.map(({ tolerance }) => tolerance)),
    reason: failed ? describeFailure(failed, parts) : 'the forces of the links were not found',
    ...(isStable ? ({ negativeModes: 0, criterion: 'energy' } as const) : noVerdict),
  };
}

function describeFailure({ rod: id, reason = '' }: EquilibriumReport, { members, rods, isPinned }: ForceParts): string {
  const free = members.find((rod) => rods[rod].id === id && !isPinned(rod));
  if (free === undefined) return reason;
  return `rod '${id}' has no pin: its model finds equilibria of rods that pins hold, not of rods that only links hold; pin it, or use model: der`;
}

/** Forces on the nodes from the link forces f. */
function writeForces(
  forces: ReadonlyMap<number, Float64Array>,
  blocks: readonly LinkBlock[],
  f: Float64Array,
  { links, rods, samples }: ForceParts,
): void {
  for (const force of forces.values()) force.fill(0);
  blocks.forEach((block, b) => {
    block.force.set(f.subarray(3 * b, 3 * b + 3));
    measureBlock(block, links, rods, samples);
    for (let i = 0; i < block.size; i++) {
      const force = forces.get(block.rod[i]) as Float64Array;
      force[3 * block.node[i] + (i % 3)] -= block.gradient[i];
    }
  });
}

type Respond = (f: Float64Array) => Float64Array | undefined;

/** Finds forces for which `respond` returns zero, by Newton's method with a matrix from finite differences. */
function findForces(
  respond: Respond,
  n: number,
  probe: number,
  small: number,
): { force: Float64Array; converged: boolean } {
  const force = new Float64Array(n);
  let error = respond(force);
  let slope: Float64Array | undefined;
  let rounds = 0;
  for (let fresh = true; error && largest(error) > small && rounds < ROUNDS; rounds++) {
    if (fresh || !slope) slope = measureSlope(respond, force, error, probe);
    if (!slope) break;
    const step = solveNegative(slope, error);
    const before: number = largest(error);
    let share = 1;
    let next: Float64Array | undefined;
    for (; share > 1e-3; share /= 2) {
      next = respond(force.map((f, k) => f + share * step[k]));
      if (next && largest(next) < before) break;
    }
    if (!next || !(largest(next) < before)) {
      // try again with a matrix from the current point
      if (fresh) break;
      fresh = true;
      continue;
    }
    correctSlope(slope, step, share, error, next);
    for (let k = 0; k < n; k++) force[k] += share * step[k];
    fresh = largest(next) > 0.5 * before;
    error = next;
  }
  // bring the rods to equilibrium under these forces
  error = respond(force);
  return { force, converged: error !== undefined && largest(error) <= 4 * small };
}

function largest(list: Float64Array): number {
  let most = 0;
  for (const value of list) most = Math.max(most, Math.abs(value));
  return most;
}

/** ∂error/∂force by finite differences, row by row. */
function measureSlope(
  respond: Respond,
  force: Float64Array,
  error: Float64Array,
  probe: number,
): Float64Array | undefined {
  const n = force.length;
  const slope = new Float64Array(n * n);
  for (let j = 0; j < n; j++) {
    const moved = respond(force.map((f, k) => (k === j ? f + probe : f)));
    if (!moved) return undefined;
    for (let i = 0; i < n; i++) slope[i * n + j] = (moved[i] - error[i]) / probe;
  }
  return slope;
}

/** Solves slope·x = −error; slopes are symmetric up to rounding. */
function solveNegative(slope: Float64Array, error: Float64Array): Float64Array {
  const n = error.length;
  const matrix = slope.map((_, k) => -0.5 * (slope[k] + slope[(k % n) * n + Math.floor(k / n)]));
  const x = error.slice();
  factorDense(matrix, n, 1);
  solveDense(matrix, n, x);
  return x;
}

/** Broyden's correction: makes the slope along the step match the observed change. */
function correctSlope(
  slope: Float64Array,
  step: Float64Array,
  share: number,
  error: Float64Array,
  next: Float64Array,
): void {
  const n = step.length;
  let square = 0;
  for (const value of step) square += value * value;
  for (let i = 0; i < n; i++) {
    let expected = 0;
    for (let j = 0; j < n; j++) expected += slope[i * n + j] * step[j];
    const missing = (next[i] - error[i]) / share - expected;
    for (let j = 0; j < n; j++) slope[i * n + j] += (missing * step[j]) / square;
  }
}
