/**
 * A time step: by conserve.ts by default, else the two-stage scheme of [Selle2008] in this file. θ is the point of the step at which springs are
 * evaluated, c their damping.
 *
 *     (M(1 + αh/2) + h/2 (θh + c)K) v = M vⁿ + h/2 (f(xⁿ) + loads),     xⁿ⁺¹ = xⁿ + h v,
 * once with the springs' directions at xⁿ for positions and once at (xⁿ + xⁿ⁺¹)/2 for velocities, vⁿ⁺¹ = 2v − vⁿ. Each is one banded solve with a
 * positive definite matrix. A step that ends with more energy than it began with, plus the work of loads and pins, fails, and is repeated in substeps by
 * implicit Euler,
 *     (M(1 + αh) + h(h + c)K) v = M vⁿ + h(f + loads).
 * When the scheme is unstable: docs/notes/massspring.md#the-published-step.
 */

import {
  clearWide,
  createWideBand,
  createWideFactor,
  factorWide,
  fixWide,
  multiplyWide,
  solveWide,
  type WideBand,
  type WideFactor,
} from '../../linalg/wideBand.ts';
import { pow, square } from '../../math/rounded/index.ts';
import { stepConserving } from './conserve.ts';
import { addRowForce, addRowMatrix, createRow, forEachRow, type Row, rememberOrientation } from './energy.ts';
import { evaluatePins, measureEdge, movePinned, placePinned, poseSamples } from './kinematics.ts';
import type { Hair } from './rod.ts';
import { CURVATURE } from './tangent.ts';

export interface Workspace {
  readonly matrix: WideBand;
  readonly factor: WideFactor;
  readonly right: Float64Array;
  readonly where: Float64Array;
  readonly start: Float64Array;
  readonly startVelocity: Float64Array;
  readonly product: Float64Array;
  readonly velocity: Float64Array;
  readonly external: Float64Array;
  /** Tension of each spring [N]; there are fewer springs than unknowns. */
  readonly tension: Float64Array;
  /** Second derivatives of altitudes. */
  readonly curvature: Float64Array;
  readonly row: Row;
}

/** Four consecutive particles share a tetrahedron: eleven entries left of the diagonal. */
export const WIDTH = 11;

export function createWorkspace(hair: Hair): Workspace {
  const matrix = createWideBand(hair.size, WIDTH);
  const vector = (): Float64Array => new Float64Array(hair.size);
  return {
    matrix,
    factor: createWideFactor(matrix),
    right: vector(),
    where: vector(),
    start: vector(),
    startVelocity: vector(),
    product: vector(),
    velocity: vector(),
    external: vector(),
    tension: vector(),
    curvature: new Float64Array(CURVATURE * hair.particleCount),
    row: createRow(),
  };
}

const edge = new Float64Array(6);
const gravity = new Float64Array(3);

/** Acceleration of gravity at t. */
function readGravity({ drive }: Hair, t: number): Float64Array {
  gravity.fill(0);
  for (const source of drive.sources) source.addAcceleration?.(gravity, t);
  return gravity;
}

/** Moves the weight from the nodes to the particles that have the mass: with all of it on the nodes, a rod in free fall would start to spin. */
function moveWeight(out: Float64Array, hair: Hair, t: number): void {
  const { mass, rod, start, stride, size, loadFactor } = hair;
  const g = readGravity(hair, t);
  if (g.every((value) => value === 0)) return;
  for (let d = 0; d < size; d++) out[d] += loadFactor * mass[d] * g[d % 3];
  for (let i = 0; i < rod.nodeCount; i++)
    for (let k = 0; k < 3; k++) out[3 * (start + stride * i) + k] -= loadFactor * rod.nodeMass[i] * g[k];
}

/** Potential energy of the weight of all particles, less that of the nodes as if they had all mass [J]. */
export function measureLift(hair: Hair, t: number): number {
  const { mass, rod, start, stride, size, q } = hair;
  const g = readGravity(hair, t);
  let sum = 0;
  for (let d = 0; d < size; d++) sum -= mass[d] * g[d % 3] * q[d];
  for (let i = 0; i < rod.nodeCount; i++)
    for (let k = 0; k < 3; k++) sum += rod.nodeMass[i] * g[k] * q[3 * (start + stride * i) + k];
  return sum;
}

/** Adds the couple [N m] that moves the weight from the nodes to the particles. */
export function addWeightCouple(out: Float64Array, hair: Hair, t: number): void {
  const { mass, rod, start, stride, particleCount, q } = hair;
  const g = readGravity(hair, t);
  const add = (m: number, o: number): void => {
    for (let k = 0; k < 3; k++) {
      const [a, b] = [(k + 1) % 3, (k + 2) % 3];
      out[k] += m * (q[o + a] * g[b] - q[o + b] * g[a]);
    }
  };
  for (let p = 0; p < particleCount; p++) add(mass[3 * p], 3 * p);
  for (let i = 0; i < rod.nodeCount; i++) add(-rod.nodeMass[i], 3 * (start + stride * i));
}

/** Generalised force of the loads on all particles, into `out`; returns the sum of sizes [N]. */
export function writeLoads(out: Float64Array, hair: Hair, t: number): number {
  const { loads, drive, samples, rod, start, stride, q, loadFactor } = hair;
  loads.nodeForce.fill(0);
  loads.edgeTorque.fill(0);
  loads.nodeDrag.fill(0);
  poseSamples(hair);
  for (const source of drive.sources) source.addLoads(loads, samples, t);
  out.fill(0);
  let scale = 0;
  for (let i = 0; i < rod.nodeCount; i++) {
    for (let k = 0; k < 3; k++) {
      const force = loadFactor * loads.nodeForce[3 * i + k];
      out[3 * (start + stride * i) + k] += force;
      scale += Math.abs(force);
    }
  }
  moveWeight(out, hair, t);
  for (let j = 0; j < rod.edgeCount; j++) {
    const tx = loadFactor * loads.edgeTorque[3 * j];
    const ty = loadFactor * loads.edgeTorque[3 * j + 1];
    const tz = loadFactor * loads.edgeTorque[3 * j + 2];
    if (tx === 0 && ty === 0 && tz === 0) continue;
    const distance = measureEdge(edge, hair, q, j);
    const a = 3 * (start + stride * j);
    const torque = [tx, ty, tz];
    const about = tx * edge[0] + ty * edge[1] + tz * edge[2];
    let length = 0;
    for (let k = 0; k < 3; k++) length += square(q[a + 6 + k] - q[a + k]);
    length = Math.sqrt(length);
    for (let k = 0; k < 3; k++) {
      const [m, n] = [(k + 1) % 3, (k + 2) % 3];
      // about the tangent: the ghost against the middle of its segment; across: a couple of forces on the two nodes
      const spin = distance > 0 ? (about / distance) * (edge[m] * edge[3 + n] - edge[n] * edge[3 + m]) : 0;
      const couple = (torque[m] * edge[n] - torque[n] * edge[m]) / length;
      out[a + 3 + k] += spin;
      out[a + k] -= 0.5 * spin + couple;
      out[a + 6 + k] += couple - 0.5 * spin;
      scale += Math.abs(spin) + Math.abs(couple);
    }
  }
  return scale;
}

export interface StepResult {
  ok: boolean;
  solves: number;
  reason: string;
}

/** One banded solve of (M(1 + αa) + a(ahead + c)K) v = M vⁿ + a(f + loads). */
function solveVelocity(hair: Hair, work: Workspace, a: number, ahead: number): boolean {
  const { mass, massDamping, fixed, size, loads, rod, start: first, stride } = hair;
  const { matrix, right, external, startVelocity, where, start, velocity, product } = work;
  clearWide(matrix);
  const w1 = WIDTH + 1;
  for (let d = 0; d < size; d++) {
    matrix.entries[d * w1 + WIDTH] = mass[d] * (1 + a * massDamping[d]);
    right[d] = mass[d] * startVelocity[d] + a * external[d];
  }
  for (let i = 0; i < rod.nodeCount; i++)
    addDrag(matrix, right, startVelocity, loads.nodeDrag, i, 3 * (first + stride * i), a);
  forEachRow(hair, where, start, (row) => {
    addRowForce(right, row, -a);
    addRowMatrix(matrix, row, a * (ahead + row.damping) * row.stiffness);
  });
  // moves prescribed velocities to the right-hand side
  for (let d = 0; d < size; d++) if (!fixed[d]) velocity[d] = 0;
  multiplyWide(product, matrix, velocity);
  for (let d = 0; d < size; d++) {
    if (fixed[d]) {
      fixWide(matrix, d);
      right[d] = velocity[d];
    } else right[d] -= product[d];
  }
  if (!factorWide(work.factor, matrix, 0, mass, 'stop-at-negative')) return false;
  solveWide(work.factor, matrix, right);
  for (let d = 0; d < size; d++) if (!fixed[d]) velocity[d] = right[d];
  return true;
}

/** Implicit part of loads that depend on velocity; they were evaluated at the start of the step. */
export function addDrag(
  matrix: WideBand,
  right: Float64Array,
  v: Float64Array,
  drag: Float64Array,
  node: number,
  d: number,
  scale: number,
): void {
  const o = 6 * node;
  if (drag[o] === 0 && drag[o + 3] === 0 && drag[o + 5] === 0) return;
  const at = [0, 1, 2, 1, 3, 4, 2, 4, 5];
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++) {
      const c = scale * drag[o + at[3 * i + j]];
      right[d + i] += c * v[d + j];
      if (j <= i) matrix.entries[(d + i) * (WIDTH + 1) + j - i + WIDTH] += c;
    }
  }
}

/** Keeps edges of the chain within 1 ± limit of their rest length, from the root to the tip. */
function limitStrain(hair: Hair, x: Float64Array): void {
  const { springs, fixed, options } = hair;
  const limit = options.strainLimit;
  if (limit === 0) return;
  for (let s = 0; s < springs.count; s++) {
    if (springs.apart[s] !== 1 || springs.pin[s] >= 0) continue;
    const a = 3 * springs.a[s];
    const b = 3 * springs.b[s];
    if (fixed[b] || fixed[b + 1] || fixed[b + 2]) continue;
    const dx = x[b] - x[a];
    const dy = x[b + 1] - x[a + 1];
    const dz = x[b + 2] - x[a + 2];
    const length = Math.sqrt(dx * dx + dy * dy + dz * dz);
    const wanted = Math.min(Math.max(length, (1 - limit) * springs.rest[s]), (1 + limit) * springs.rest[s]);
    if (wanted === length || !(length > 0)) continue;
    const scale = wanted / length;
    x[b] = x[a] + scale * dx;
    x[b + 1] = x[a + 1] + scale * dy;
    x[b + 2] = x[a + 2] + scale * dz;
  }
}

/** Kinetic and elastic energy [J]. */
function measureEnergy(hair: Hair): number {
  const { mass, v, size, q } = hair;
  let sum = 0;
  for (let d = 0; d < size; d++) sum += 0.5 * mass[d] * v[d] * v[d];
  forEachRow(hair, q, q, (row) => {
    sum += 0.5 * row.stiffness * row.value * row.value;
  });
  return sum;
}

/** Magnitude of the work of loads and pins in the step [J]: an upper bound on energy gained. */
function measureWork(hair: Hair, { start, external, right }: Workspace): number {
  const { q, size, fixed } = hair;
  let loads = 0;
  let pins = 0;
  right.fill(0);
  forEachRow(hair, q, q, (row) => addRowForce(right, row, 1));
  for (let d = 0; d < size; d++) {
    if (fixed[d]) pins += Math.abs(right[d] * (q[d] - start[d]));
    else loads += external[d] * (q[d] - start[d]);
  }
  return Math.abs(loads) + pins;
}

/** Positions and velocities at the end of the step by two stages, or by one of implicit Euler. */
function move(hair: Hair, work: Workspace, { theta, robust, h }: HairStep): boolean {
  const { q, v, size, fixed } = hair;
  const { start, startVelocity, where, velocity } = work;
  where.set(q);
  if (!solveVelocity(hair, work, robust ? h : 0.5 * h, robust ? h : theta * h)) return false;
  for (let d = 0; d < size; d++) q[d] += h * velocity[d];
  placePinned(hair, q);
  limitStrain(hair, q);
  if (robust) {
    for (let d = 0; d < size; d++) v[d] = (q[d] - start[d]) / h;
    return true;
  }
  for (let d = 0; d < size; d++) where[d] = 0.5 * (start[d] + q[d]);
  if (!solveVelocity(hair, work, 0.5 * h, theta * h)) return false;
  for (let d = 0; d < size; d++) v[d] = fixed[d] ? velocity[d] : 2 * velocity[d] - startVelocity[d];
  return true;
}

/** A step from t to t + h. */
interface HairStep {
  readonly t: number;
  readonly h: number;
  /** Point of the step at which springs are evaluated, see the head of this file; 0.5 conserves energy. */
  readonly theta: number;
  readonly robust: boolean;
}

/** Takes a step; on failure the caller restores the state. */
export function stepHair(hair: Hair, work: Workspace, step: HairStep, out: StepResult): boolean {
  const { t, h, theta, robust } = step;
  const { q, v, size, fixed, start: first } = hair;
  const { start, startVelocity, where, velocity, external } = work;
  start.set(q);
  startVelocity.set(v);
  evaluatePins(hair, t);
  const before = measureEnergy(hair);
  const scale = writeLoads(external, hair, t + 0.5 * h);
  evaluatePins(hair, t + h);
  where.set(q);
  placePinned(hair, where);
  for (let d = 0; d < size; d++) velocity[d] = fixed[d] ? (where[d] - q[d]) / h : 0;
  const published = theta > 0.5 || hair.options.iterations === 0;
  out.solves = 2;
  if (!(scale < Infinity)) return refuse(out);
  if (published) {
    if (!move(hair, work, step)) return refuse(out);
  } else {
    out.solves = stepConserving(hair, work, step);
    if (out.solves === 0) {
      out.reason = `no convergence in ${hair.options.iterations} iterations`;
      return false;
    }
    placePinned(hair, q);
    limitStrain(hair, q);
  }
  movePinned(hair, t + h, h);
  hair.lastStep[0] = h;
  hair.lastStep.set(start, 1);
  for (let d = 0; d < size; d++) {
    hair.acceleration[d] = (v[d] - startVelocity[d]) / h;
    if (!(Math.abs(v[d]) < Infinity)) return refuse(out);
  }
  // the scheme itself oscillates by about a tenth; beyond that, implicit Euler does not help either
  const floor = (1e-3 * (hair.stiffnessScale[3 * first] * pow(hair.springs.rest[0], 3))) / hair.rod.length;
  if (published && !robust && measureEnergy(hair) > 1.1 * before + 2 * measureWork(hair, work) + floor)
    return refuse(out);
  rememberOrientation(hair);
  return true;
}

function refuse(out: StepResult): boolean {
  out.reason = 'the springs gained energy that no load explains: they are too stiff for this step';
  return false;
}
