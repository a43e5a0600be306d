/**
 * One step of the springs that conserves energy: midpoint with the discrete gradient of each spring.
 *
 *     M(1 + αh/2) v + h/2 Σ s n̄ = M vⁿ + h/2 loads,   xⁿ⁺¹ = xⁿ + h v,   vⁿ⁺¹ = 2v − vⁿ
 *     n̄ = (dⁿ + dⁿ⁺¹)/(lⁿ + lⁿ⁺¹),   s = k((lⁿ + lⁿ⁺¹)/2 − rest + c(lⁿ⁺¹ − lⁿ)/h)
 * The work s n̄·(dⁿ⁺¹ − dⁿ) is exactly ½k times the change of (l − rest)², plus the dissipation of damping. Newton's method treats the spring forces s
 * as separate unknowns and eliminates them. `ending` gives implicit Euler by the same equations with n̄ and l at the end, for steps that fail.
 * Altitude springs, and why the published step is not the default: docs/notes/massspring.md#the-conserving-step.
 */
import { clearWide, factorWide, fixWide, solveWide } from '../../linalg/wideBand.ts';
import { addRowForce, addRowMatrix, writeAltitude, writeSpring } from './energy.ts';
import type { Hair } from './rod.ts';
import { addDrag, WIDTH, type Workspace } from './step.ts';
import { addAltitudeCurvature, addTension, CURVATURE, writeAltitudeCurvature } from './tangent.ts';

/** Which equations: at the middle (conserves energy) or at the end (dissipates) of a step of h. */
interface Scheme {
  readonly h: number;
  readonly ending: boolean;
  /** Duration for which forces act in the equation of v: ½h or h. */
  readonly weight: number;
}

const before = new Float64Array(3);

/** Writes spring s as a row: direction n̄, value s/k, length lⁿ + lⁿ⁺¹ or lⁿ⁺¹. False if it does not act. */
function writeMean(hair: Hair, work: Workspace, s: number, { h, ending }: Scheme): boolean {
  const { row, start, where } = work;
  if (!writeSpring(row, hair, s, start, start)) return false;
  const first = row.length;
  for (let k = 0; k < 3; k++) before[k] = first * row.direction[k];
  if (!writeSpring(row, hair, s, where, where)) return false;
  const last = row.length;
  const rate = (last - first) / h;
  if (!ending) {
    for (let k = 0; k < 3; k++) row.direction[k] = (before[k] + last * row.direction[k]) / (first + last);
    row.value -= 0.5 * (last - first);
    row.length = first + last;
  }
  row.value += row.damping * rate;
  return true;
}

/** Writes the altitude of tetrahedron t in the same way; `product` has the positions at which its direction is evaluated. */
function writeMeanAltitude(hair: Hair, work: Workspace, t: number, { h, ending }: Scheme): boolean {
  const { row, start, where, velocity, product } = work;
  if (!writeAltitude(row, hair, t, start, start)) return false;
  const first = row.length;
  if (!writeAltitude(row, hair, t, where, where)) return false;
  const last = row.length;
  const value = row.value;
  if (!writeAltitude(row, hair, t, product, product)) return false;
  let moved = 0;
  for (let p = 0; p < 4; p++)
    for (let k = 0; k < 3; k++) moved += h * row.weight[p] * row.direction[k] * velocity[3 * row.particle[p] + k];
  row.value = value + (row.damping / h) * (last - first);
  if (ending) return true;
  row.value -= 0.5 * (last - first);
  // work along the mean direction must be that of the altitude; blended smoothly where the altitude hardly changes, for Newton's method
  const small = 1e-3 * first;
  const scale = 1 + ((last - first - moved) * moved) / (moved * moved + small * small);
  for (let k = 0; k < 3; k++) row.direction[k] *= scale;
  return true;
}

/** What a solve includes. */
interface Terms {
  /** First solve of the step: computes the curvature of altitudes. */
  readonly isFirst: boolean;
  /** With the stiffness of springs under pressure, which can make the matrix indefinite. */
  readonly hasPressure: boolean;
}

/** Matrix and right-hand side at the velocities `velocity`; `tension` are the springs' forces of the last prediction. */
function assemble(hair: Hair, work: Workspace, scheme: Scheme, { isFirst, hasPressure }: Terms): void {
  const { mass, massDamping, size, loads, rod, start: root, stride, springs, tetrahedra } = hair;
  const { matrix, right, external, startVelocity, velocity, where, start, product, tension, curvature, row } = work;
  const { h, ending, weight } = scheme;
  clearWide(matrix);
  for (let d = 0; d < size; d++) {
    const m = mass[d] * (1 + weight * massDamping[d]);
    matrix.entries[d * (WIDTH + 1) + WIDTH] = m;
    right[d] = mass[d] * startVelocity[d] + weight * external[d] - m * velocity[d];
    where[d] = start[d] + h * velocity[d];
    product[d] = startVelocity[d] - velocity[d];
  }
  for (let i = 0; i < rod.nodeCount; i++)
    addDrag(matrix, right, product, loads.nodeDrag, i, 3 * (root + stride * i), weight);
  for (let s = 0; s < springs.count; s++) {
    if (!writeMean(hair, work, s, scheme)) continue;
    addRowForce(right, row, -weight);
    addRowMatrix(matrix, row, weight * ((ending ? h : 0.5 * h) + row.damping) * row.stiffness);
    addTension(matrix, row, weight * h * (hasPressure ? tension[s] : Math.max(0, tension[s])));
  }
  for (let d = 0; d < size; d++) product[d] = ending ? where[d] : 0.5 * (where[d] + start[d]);
  for (let t = 0; t < tetrahedra.count; t++) {
    if (!writeMeanAltitude(hair, work, t, scheme)) continue;
    addRowForce(right, row, -weight);
    addRowMatrix(matrix, row, weight * ((ending ? h : 0.5 * h) + row.damping) * row.stiffness);
    // without it a loop takes 25 solves per step instead of 7; the state at which it is evaluated makes little difference
    if (isFirst) writeAltitudeCurvature(curvature, CURVATURE * t, row, product);
    if (hasPressure) addAltitudeCurvature(matrix, row, curvature, CURVATURE * t, weight * (ending ? h : 0.5 * h));
  }
}

/** Spring forces that the solve predicts, given the change of velocities in `right`. */
function predictTension(hair: Hair, work: Workspace, scheme: Scheme): void {
  const { row, right, velocity, start, where, tension } = work;
  const { h, ending } = scheme;
  for (let d = 0; d < hair.size; d++) where[d] = start[d] + h * velocity[d];
  for (let s = 0; s < hair.springs.count; s++) {
    if (!writeMean(hair, work, s, scheme)) continue;
    let change = 0;
    for (let p = 0; p < 2; p++)
      for (let k = 0; k < 3; k++) change += row.weight[p] * row.direction[k] * right[3 * row.particle[p] + k];
    tension[s] = row.stiffness * (row.value + ((ending ? h : 0.5 * h) + row.damping) * change);
  }
}

/** Newton's change of velocities into `right`. Springs under pressure can make the matrix indefinite: then without their part. */
function solve(hair: Hair, work: Workspace, scheme: Scheme, terms: Terms): boolean {
  const { matrix, factor, right } = work;
  const { size, fixed, mass } = hair;
  assemble(hair, work, scheme, terms);
  for (let d = 0; d < size; d++) {
    if (!fixed[d]) continue;
    fixWide(matrix, d);
    right[d] = 0;
  }
  if (!factorWide(factor, matrix, 0, mass, 'stop-at-negative')) return false;
  solveWide(factor, matrix, right);
  return true;
}

/**
 * Positions and velocities at the end of a step of h, from those in `start` and `startVelocity`; `velocity` holds the
 * prescribed ones. Returns the number of solves, or 0 if they did not converge.
 */
export function stepConserving(
  hair: Hair,
  work: Workspace,
  { h, robust: ending }: { readonly h: number; readonly robust: boolean },
): number {
  const { q, v, size, fixed, springs, rod } = hair;
  const { right, start, startVelocity, velocity, tension, row } = work;
  const scheme: Scheme = { h, ending, weight: ending ? h : 0.5 * h };
  for (let d = 0; d < size; d++) if (!fixed[d]) velocity[d] = startVelocity[d];
  for (let s = 0; s < springs.count; s++)
    tension[s] = writeSpring(row, hair, s, start, start) ? row.stiffness * row.value : 0;
  // the kind of altitude must not change between one solve and the next, or they would not converge
  for (let t = 0; t < hair.tetrahedra.count; t++) writeAltitude(row, hair, t, start, start);
  hair.frozen = true;
  let solves = 0;
  let converged = false;
  while (!converged && solves < hair.options.iterations) {
    const isFirst = solves++ === 0;
    if (
      !solve(hair, work, scheme, { isFirst, hasPressure: true }) &&
      !solve(hair, work, scheme, { isFirst: false, hasPressure: false })
    )
      break;
    predictTension(hair, work, scheme);
    let largest = 0;
    for (let d = 0; d < size; d++) {
      velocity[d] += right[d];
      largest = Math.max(largest, Math.abs(right[d]));
    }
    converged = h * largest < 1e-9 * rod.length;
    if (!(largest < Infinity)) break;
  }
  hair.frozen = false;
  if (!converged) return 0;
  for (let d = 0; d < size; d++) {
    q[d] = start[d] + h * velocity[d];
    v[d] = ending || fixed[d] ? velocity[d] : 2 * velocity[d] - startVelocity[d];
  }
  return solves;
}
