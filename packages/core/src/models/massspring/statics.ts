/**
 * Equilibria by Newton's method with the springs' forces as unknowns of their own: K = Σ k nnᵀ + (λ/L)(1 − nnᵀ), so that the
 * stiff springs against stretch do not slow it down; descent where it does not get through.
 *
 * Which altitude acts is a choice that jumps, and Newton would jump with it for ever. The choice is frozen while Newton runs and
 * made anew at its solution, until it stays or has been made six times: where neighbouring choices lead to each other, the
 * springs have no equilibrium, and what is reported is one of theirs, a few parts in 1e4 of the load apart.
 */
import { clearWide, factorWide, fixWide, solveWide } from '../../linalg/wideBand.ts';
import type { EquilibriumOptions, EquilibriumReport } from '../../model.ts';
import { rememberOrientation, writeAltitude, writeSpring } from './energy.ts';
import { evaluatePins, placePinned, poseSamples } from './kinematics.ts';
import type { Hair } from './rod.ts';
import { type Workspace, writeLoads } from './step.ts';
import { assembleTangent } from './tangent.ts';

interface Result {
  converged: boolean;
  iterations: number;
  residual: number;
  tolerance: number;
  reason: string;
}

interface Search {
  readonly hair: Hair;
  readonly work: Workspace;
  readonly tension: Float64Array;
  readonly error: Float64Array;
  readonly residual: Float64Array;
  readonly base: Float64Array;
  readonly t: number;
}

/** The smallest altitude of each tetrahedron as it is now. */
function chooseKinds(hair: Hair, work: Workspace): void {
  const { frozen } = hair;
  hair.frozen = false;
  for (let t = 0; t < hair.tetrahedra.count; t++) writeAltitude(work.row, hair, t, hair.q, hair.q);
  hair.frozen = frozen;
}

/** Forces of the springs as they are. */
function measureTension({ hair, work, tension }: Search): void {
  for (let s = 0; s < tension.length; s++)
    tension[s] = writeSpring(work.row, hair, s, hair.q, hair.q) ? work.row.stiffness * work.row.value : 0;
}

/** Moves q by a part of the step in which no edge turns by more than half a radian, and the tensions with it. */
function takeStep({ hair, work, tension, error }: Search, step: Float64Array): boolean {
  const { q, size, springs } = hair;
  let largest = 0;
  for (let s = 0; s < springs.count; s++) {
    if (springs.apart[s] !== 1) continue;
    const a = 3 * springs.a[s];
    const b = 3 * springs.b[s];
    const move = Math.hypot(step[b] - step[a], step[b + 1] - step[a + 1], step[b + 2] - step[a + 2]);
    largest = Math.max(largest, move / springs.rest[s]);
  }
  if (!(largest < Infinity)) return false;
  const fraction = largest > 0.4 ? 0.4 / largest : 1;
  for (let s = 0; s < springs.count; s++) {
    if (!writeSpring(work.row, hair, s, q, q)) continue;
    const a = 3 * springs.a[s];
    const b = 3 * springs.b[s];
    let along = 0;
    for (let k = 0; k < 3; k++) along += work.row.direction[k] * (step[b + k] - step[a + k]);
    tension[s] += fraction * springs.stiffness[s] * (error[s] + along);
  }
  for (let d = 0; d < size; d++) q[d] += fraction * step[d];
  return true;
}

/** Newton from here; `descent` > 0 minimises with c·scale|x − base|²/2 added. */
function solve(search: Search, tolerance: number, most: number, descent: number): Result {
  const { hair, work, tension, error, residual, base, t } = search;
  const { size, fixed, stiffnessScale, springs, rod } = hair;
  const { matrix, factor, right } = work;
  const out: Result = { converged: false, iterations: 0, residual: Infinity, tolerance: 0, reason: '' };
  let shift = 0;
  for (;;) {
    clearWide(matrix);
    residual.fill(0);
    assembleTangent(matrix, residual, hair, work.row, tension, error);
    const scale = writeLoads(work.external, hair, t);
    let largest = 0;
    for (let d = 0; d < size; d++) {
      residual[d] -= work.external[d];
      if (descent > 0) {
        residual[d] += descent * stiffnessScale[d] * (hair.q[d] - base[d]);
        matrix.entries[d * (matrix.width + 1) + matrix.width] += descent * stiffnessScale[d];
      }
      if (!fixed[d] && !(Math.abs(residual[d]) <= largest)) largest = Math.abs(residual[d]);
    }
    const l = rod.length / rod.edgeCount;
    const elastic = (stiffnessScale[0] * l ** 3) / rod.length ** 2;
    let stiffest = 0;
    let stretched = 0;
    for (let s = 0; s < springs.count; s++) {
      stiffest = Math.max(stiffest, Math.abs(tension[s]));
      stretched = Math.max(stretched, Math.abs(error[s]) / springs.rest[s]);
    }
    out.tolerance = Math.max(tolerance * Math.max(scale, elastic), 1e-14 * stiffest);
    out.residual = largest;
    if (largest <= out.tolerance && stretched < 1e-10) {
      out.converged = true;
      return out;
    }
    if (!(largest < Infinity)) return { ...out, reason: 'the residual is not a number' };
    if (out.iterations >= most) return { ...out, reason: `no convergence in ${most} iterations` };
    for (let d = 0; d < size; d++) right[d] = -residual[d];
    for (let s = 0; s < springs.count; s++) {
      if (!writeSpring(work.row, hair, s, hair.q, hair.q)) continue;
      const pull = springs.stiffness[s] * error[s];
      for (let k = 0; k < 3; k++) {
        right[3 * springs.a[s] + k] += pull * work.row.direction[k];
        right[3 * springs.b[s] + k] -= pull * work.row.direction[k];
      }
    }
    for (let d = 0; d < size; d++) {
      if (!fixed[d]) continue;
      fixWide(matrix, d);
      right[d] = 0;
    }
    while (!factorWide(factor, matrix, shift, stiffnessScale, true)) {
      shift = shift === 0 ? 1e-7 : 4 * shift;
      if (shift > 1e8) return { ...out, reason: 'the stiffness matrix cannot be made positive definite' };
    }
    solveWide(factor, matrix, right);
    if (!takeStep(search, right)) return { ...out, reason: 'the Newton step is not a number' };
    shift = shift > 4e-7 ? shift / 4 : 0;
    out.iterations++;
  }
}

/** Steps of descent that grow while they succeed. */
function descend(search: Search, count: number): number {
  const { hair, base, tension } = search;
  let descent = 1e-2;
  let iterations = 0;
  const kept = tension.slice();
  for (let accepted = 0, tries = 0; accepted < count && tries < 3 * count; tries++) {
    base.set(hair.q);
    kept.set(tension);
    const result = solve(search, 1e-6, 30, descent);
    iterations += result.iterations;
    if (result.converged) {
      accepted++;
      descent /= 4;
      if (descent < 1e-10) break;
    } else {
      hair.q.set(base);
      tension.set(kept);
      descent *= 16;
      if (descent > 1e8) break;
    }
  }
  return iterations;
}

/** Negative eigenvalues of the tangent stiffness; undefined where loads depend on the state and their part is not known. */
export function countNegative(hair: Hair, work: Workspace): number {
  const { size, fixed, stiffnessScale, rod } = hair;
  clearWide(work.matrix);
  work.right.fill(0);
  assembleTangent(work.matrix, work.right, hair, work.row, undefined, undefined);
  for (let d = 0; d < size; d++) if (fixed[d]) fixWide(work.matrix, d);
  factorWide(work.factor, work.matrix, Math.max(1e-4 / rod.edgeCount ** 4, 1e-11), stiffnessScale, false);
  return work.factor.negative;
}

/** A push along the softest direction, by 1 % of the length at most. */
function nudge({ hair, work }: Search, amplitude: number): void {
  const { q, size, fixed, stiffnessScale } = hair;
  countNegative(hair, work);
  let shift = 1e-9;
  while (!factorWide(work.factor, work.matrix, shift, stiffnessScale, true)) shift *= 1.5;
  const x = new Float64Array(size).map((_, d) => (fixed[d] ? 0 : Math.sin(1 + 0.7 * d) + 0.3 * Math.sin(0.1 * d)));
  let norm = 1;
  for (let k = 0; k < 40; k++) {
    for (let d = 0; d < size; d++) x[d] = fixed[d] ? 0 : (x[d] / norm) * stiffnessScale[d];
    solveWide(work.factor, work.matrix, x);
    norm = x.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-300);
  }
  for (let d = 0; d < size; d++) q[d] += (amplitude * hair.rod.length * x[d]) / norm;
}

/** Brings prescribed particles to where they are at t in pieces that Newton can follow. */
function bringPins(search: Search): number {
  const { hair, t } = search;
  const { q, fixed, size, rod } = hair;
  evaluatePins(hair, t);
  const from = q.slice();
  const to = q.slice();
  placePinned(hair, to);
  let farthest = 0;
  for (let d = 0; d < size; d++) if (fixed[d]) farthest = Math.max(farthest, Math.abs(to[d] - from[d]));
  const pieces = Math.min(400, Math.max(1, Math.ceil(farthest / ((0.3 * rod.length) / rod.edgeCount))));
  let iterations = 0;
  for (let piece = 1; piece <= pieces; piece++) {
    const w = piece / pieces;
    for (let d = 0; d < size; d++) if (fixed[d]) q[d] = (1 - w) * from[d] + w * to[d];
    if (piece < pieces) iterations += solve(search, 1e-4, 40, 0).iterations;
  }
  return iterations;
}

export function findEquilibrium(
  hair: Hair,
  work: Workspace,
  t: number,
  options: EquilibriumOptions,
): EquilibriumReport {
  const vector = (): Float64Array => new Float64Array(hair.size);
  const search: Search = {
    hair,
    work,
    tension: new Float64Array(hair.springs.count),
    error: new Float64Array(hair.springs.count),
    residual: vector(),
    base: vector(),
    t,
  };
  hair.v.fill(0);
  chooseKinds(hair, work);
  hair.frozen = true;
  measureTension(search);
  let iterations = bringPins(search);
  const entry = hair.q.slice();
  const kinds = hair.altitudeKind.slice();
  const settle = (): Result => {
    let result = settleFrozen();
    for (let choice = 0; choice < 6 && result.converged; choice++) {
      kinds.set(hair.altitudeKind);
      chooseKinds(hair, work);
      if (kinds.every((kind, k) => kind === hair.altitudeKind[k])) break;
      result = settleFrozen();
    }
    return result;
  };
  const settleFrozen = (): Result => {
    let result = solve(search, options.tolerance, 80, 0);
    iterations += result.iterations;
    for (let round = 0; !result.converged && round < 6; round++) {
      if (round === 0) hair.q.set(entry);
      measureTension(search);
      iterations += descend(search, 20);
      result = solve(search, options.tolerance, 100, 0);
      iterations += result.iterations;
    }
    return result;
  };
  let result = settle();
  const stateful = hair.drive.sources.some(({ dependsOnState }) => dependsOnState);
  let negative = result.converged && !stateful ? countNegative(hair, work) : -1;
  let saddlesLeft = 0;
  while (result.converged && negative > 0 && options.stability === 'seek' && saddlesLeft < 8) {
    saddlesLeft++;
    nudge(search, 0.01 * saddlesLeft);
    measureTension(search);
    iterations += descend(search, 60);
    result = settle();
    negative = result.converged ? countNegative(hair, work) : -1;
  }
  hair.frozen = false;
  hair.v.fill(0);
  hair.acceleration.fill(0);
  rememberOrientation(hair);
  poseSamples(hair);
  return {
    rod: hair.rod.id,
    converged: result.converged,
    iterations,
    residual: result.residual,
    tolerance: result.tolerance,
    negativeModes: negative,
    stable: negative === 0,
    criterion: negative >= 0 ? 'energy' : 'none',
    saddlesLeft,
    ...(result.converged ? {} : { reason: result.reason }),
  };
}
