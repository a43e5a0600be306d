/**
 * The damped exponential time integrator: exact for the linear part about the natural shape and its damping; the rest acts as a force. [Michels2015 §3.3]
 *
 *     x_{n+1} = x_n + e^(−2hD)(x_n − x_{n−1}) + W(A)(g(ψ x_n) − A x_n),     g = all forces + A x
 *
 * in the coordinates of modalBasis.ts; oscillator.ts has W. ψ = sinc(h√A) filters the argument of the force, as in the paper; without it the scheme
 * fails at slopes of 1e-3.
 *
 * It is for fibers that stay near their natural shape: the linear part does not rotate with the fiber, and a free fiber becomes unstable after a fifth
 * of a radian. So a step that rotates a spring by more than 0.1 rad fails with an error.
 */

import { SceneError } from '../../errors.ts';
import { applyFunctions, createKrylov, type Krylov } from '../../linalg/krylov.ts';
import { exp, hypot, hypotOf, square } from '../../math/rounded/index.ts';
import { lengthLike } from '../../math/substeps.ts';
import { addElements } from './elements.ts';
import { kineticEnergy, measureElastic } from './energy.ts';
import { evaluateHeld, imposeHeld } from './held.ts';
import { addLoadForce, gatherLoads, poseSamples } from './kinematics.ts';
import {
  basisKey,
  createModalBasis,
  fromModal,
  type ModalBasis,
  multiplyScaled,
  type Placement,
  placeNatural,
  toModal,
} from './modalBasis.ts';
import type { FiberOptions } from './options.ts';
import { createPropagator, propagate, sinc } from './oscillator.ts';
import type { FiberRod } from './rod.ts';
import type { Workspace } from './workspace.ts';

/** Angle from the natural shape [rad] beyond which the linear part is not a useful approximation. */
export const LARGEST_SLOPE = 0.1;
const KRYLOV_MOST = 240;
const KRYLOV_TOLERANCE = 1e-10;

/** Functions of A for one step size, as diagonals of the eigenbasis. */
interface Filters {
  h: number;
  readonly decay2: Float64Array;
  readonly force: Float64Array;
  readonly rest: Float64Array;
  readonly kick: Float64Array;
  readonly argument: Float64Array;
}

export interface DetiTool {
  readonly basis: ModalBasis;
  readonly placement: Placement;
  readonly krylov: Krylov | undefined;
  /** Bound of the largest frequency by Gershgorin's circles [rad/s]. */
  readonly radius: number;
  readonly filters: Filters;
  readonly paper: boolean;
  /** 2D = Σ αᵢ λⁱ */
  readonly alpha: readonly number[];
  readonly eta: Float64Array;
  readonly filtered: Float64Array;
  readonly total: Float64Array;
  readonly velocity: Float64Array;
  readonly work: Float64Array;
  readonly first: Float64Array;
  readonly second: Float64Array;
  readonly third: Float64Array;
  readonly world: Float64Array;
}

function uniform(values: Float64Array, what: string, fiber: FiberRod): number {
  if (values.some((value) => Math.abs(value - values[0]) > 1e-12 * Math.abs(values[0]))) {
    throw new SceneError(
      ['solver', 'fiber', 'integrator'],
      `deti needs ${what} that is constant along rod '${fiber.rod.id}'; use energy-momentum`,
    );
  }
  return values[0];
}

export function createDetiTools(fibers: readonly FiberRod[], options: FiberOptions): DetiTool[] {
  const { functions = 'eigenbasis', paperFilter = false, series = [] } = options;
  if (paperFilter && functions === 'krylov')
    throw new SceneError(
      ['solver', 'fiber', 'paperFilter'],
      'the printed filter is there with functions: eigenbasis only',
    );
  const bases = new Map<string, ModalBasis>();
  return fibers.map((fiber) => {
    if (fiber.rod.animation)
      throw new SceneError(
        ['solver', 'fiber', 'integrator'],
        "deti needs properties that stay the same, and this rod has 'animate'; use energy-momentum",
      );
    if (functions === 'eigenbasis' && fiber.size > 1300) {
      throw new SceneError(
        ['solver', 'fiber', 'functions'],
        `rod '${fiber.rod.id}' has ${fiber.size} unknowns, too many for all eigenvectors (1300, a hundred cuboids); use functions: krylov, or energy-momentum`,
      );
    }
    const placement = placeNatural(fiber);
    const key = basisKey(fiber, placement.rotation, functions);
    const basis = bases.get(key) ?? createModalBasis(fiber, placement.rotation, functions);
    bases.set(key, basis);
    const vector = (): Float64Array => new Float64Array(basis.count);
    const modes = (): Float64Array => new Float64Array(basis.eigenvalues.length);
    return {
      basis,
      placement,
      krylov: functions === 'krylov' ? createKrylov(basis.count, KRYLOV_MOST) : undefined,
      radius: Math.sqrt(gershgorin(basis)),
      filters: { h: 0, decay2: modes(), force: modes(), rest: modes(), kick: modes(), argument: modes() },
      paper: paperFilter,
      alpha: [
        uniform(fiber.ringDamping, 'mass damping', fiber),
        uniform(fiber.edgeViscosity, 'stiffness damping', fiber),
        ...series,
      ],
      eta: vector(),
      filtered: vector(),
      total: vector(),
      velocity: vector(),
      work: vector(),
      first: vector(),
      second: vector(),
      third: vector(),
      world: new Float64Array(fiber.size),
    };
  });
}

/** NOTE: the printed radius includes the diagonal entry, which doubles the bound. */
function gershgorin({ count, column, value }: ModalBasis): number {
  let largest = 0;
  for (let i = 0; i < count; i++) {
    let sum = 0;
    for (let k = 36 * i; k < 36 * i + 36; k++)
      if (column[k] >= 0) sum += column[k] === i ? value[k] : Math.abs(value[k]);
    largest = Math.max(largest, sum);
  }
  return largest;
}

/** D of a mode. */
export function dampingOf(alpha: readonly number[], lambda: number): number {
  let sum = 0;
  let power = Math.max(lambda, 0);
  for (let i = 1; i < alpha.length; i++) {
    sum += alpha[i] * power;
    power *= Math.max(lambda, 0);
  }
  return 0.5 * (alpha[0] + sum);
}

const one = createPropagator();

function prepareFilters({ filters, basis, alpha }: DetiTool, h: number): void {
  if (filters.h === h) return;
  filters.h = h;
  for (let k = 0; k < basis.eigenvalues.length; k++) {
    const lambda = basis.eigenvalues[k];
    propagate(one, lambda, dampingOf(alpha, lambda), h);
    filters.decay2[k] = one.decay2;
    filters.force[k] = one.force;
    filters.rest[k] = one.rest;
    filters.kick[k] = one.kick;
    filters.argument[k] = sinc(h * Math.sqrt(Math.max(lambda, 0)));
  }
}

type FilterName = 'decay2' | 'force' | 'rest' | 'kick';

/** out[k] = filter[k](A) x; false if Lanczos does not converge. */
function applyFilters(
  tool: DetiTool,
  out: readonly Float64Array[],
  x: Float64Array,
  names: readonly (FilterName | 'argument')[],
  h: number,
): boolean {
  const { basis, filters, krylov, alpha } = tool;
  if (!krylov) {
    out.forEach((vector, f) => {
      const filter = filters[names[f]];
      for (let k = 0; k < basis.count; k++) vector[k] = filter[k] * x[k];
    });
    return true;
  }
  const functions = names.map((name) => (lambda: number): number => {
    if (name === 'argument') return sinc(h * Math.sqrt(Math.max(lambda, 0)));
    propagate(one, lambda, dampingOf(alpha, lambda), h);
    return one[name];
  });
  const multiply = (y: Float64Array, v: Float64Array): void => multiplyScaled(y, basis, v);
  // degree h ω/2 and a few, ω bounded by Gershgorin's circles [Michels2015 Appendix B]
  const expected = Math.min(Math.ceil(0.45 * h * tool.radius) + 8, KRYLOV_MOST);
  return (
    applyFunctions(out, krylov, multiply, x, functions, { tolerance: KRYLOV_TOLERANCE, expected: expected }).error <=
    KRYLOV_TOLERANCE
  );
}

/** total = g(ψη) − Aη in scaled coordinates, from the particles at q and their displacement η. */
function evaluateTotal(fiber: FiberRod, tool: DetiTool, work: Workspace, t: number, h: number): boolean {
  const { basis, placement, eta, filtered, total, world, first } = tool;
  const { rotation } = placement;
  const { q, v, size } = fiber;
  if (!applyFilters(tool, [filtered], eta, ['argument'], h)) return false;
  for (let k = 0; k < basis.count; k++) first[k] = filtered[k] - eta[k];
  fromModal(world, basis, rotation, first, tool.work);
  for (let d = 0; d < size; d++) work.y[d] = q[d] + world[d];
  work.residual.fill(0);
  if (!addElements(fiber, work.elements, { force: work.residual }, { x0: work.y, y: work.y }, 'exact')) return false;
  poseSamples(fiber, work.y, v);
  gatherLoads(fiber, t);
  addLoadForce(work.residual, fiber, work.y);
  toModal(total, basis, rotation, work.residual, -1, tool.work);
  // + A(ψη − η)
  if (basis.vectors) for (let k = 0; k < basis.count; k++) total[k] += basis.eigenvalues[k] * first[k];
  else {
    multiplyScaled(tool.work, basis, first);
    for (let k = 0; k < basis.count; k++) total[k] += tool.work[k];
  }
  return true;
}

/** η of the particles at x. */
function measureEta(fiber: FiberRod, tool: DetiTool, x: Float64Array): void {
  const { world, placement, basis, eta } = tool;
  for (let d = 0; d < fiber.size; d++) world[d] = x[d] - placement.reference[d];
  toModal(eta, basis, placement.rotation, world, 1, tool.work);
}

/** Largest angle between a longitudinal spring and its direction in the natural shape, as its sine. */
export function measureSlope(fiber: FiberRod, reference: Float64Array, x: Float64Array): number {
  let largest = 0;
  for (let d = 0; d + 12 < fiber.size; d += 3) {
    const a = [x[d + 12] - x[d], x[d + 13] - x[d + 1], x[d + 14] - x[d + 2]];
    const b = [
      reference[d + 12] - reference[d],
      reference[d + 13] - reference[d + 1],
      reference[d + 14] - reference[d + 2],
    ];
    const cross = hypot(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
    largest = Math.max(largest, cross / (hypotOf(a) * hypotOf(b)));
  }
  return largest;
}

/** True if stretch, shear and rings have more energy than bending, twisting, motion and a hundredth of the largest possible work of the loads. */
function explodes(fiber: FiberRod, work: Workspace, h: number): boolean {
  const { rod, loads, q, size } = fiber;
  const { bending, twisting, stretching } = measureElastic(fiber, q);
  for (let d = 0; d < size; d++) work.middle[d] = (q[d] - work.startQ[d]) / h;
  let weight = Math.max(rod.halfEI1[0], rod.halfEI2[0]) / (rod.length * rod.length);
  for (let k = 0; k < loads.nodeForce.length; k++) weight += Math.abs(loads.nodeForce[k]);
  const others = bending + twisting + kineticEnergy(fiber, work.middle, work.image);
  return !(stretching <= others + 0.01 * weight * rod.length);
}

/** One step; memory holds the length of the last step (0: none) and the last increment of η. A failure leaves q, v and memory unchanged. */
export function stepDeti(fiber: FiberRod, tool: DetiTool, work: Workspace, t: number, dt: number): boolean {
  const { q, v, memory, size } = fiber;
  const h = lengthLike(memory[0], dt);
  const { basis, placement, total, velocity, first, second, third } = tool;
  const { rotation } = placement;
  const increment = memory.subarray(1, 1 + basis.count);
  work.startQ.set(q);
  work.startV.set(v);
  const fail = (reason: string): boolean => {
    q.set(work.startQ);
    v.set(work.startV);
    evaluateHeld(fiber, t);
    work.reason = reason;
    return false;
  };
  if (countFixed(fiber) !== size - basis.count)
    return fail('pins hold other rings than at the start; use energy-momentum');
  work.iterations = 1;
  work.iterationsMax = 1;
  work.elements.edgeChi.fill(0);
  work.elements.ringChi.fill(0);
  prepareFilters(tool, h);
  const KRYLOV = 'Lanczos did not reach its tolerance; use a smaller time.step, or functions: eigenbasis';
  measureEta(fiber, tool, q);
  if (!evaluateTotal(fiber, tool, work, t, h)) return fail(KRYLOV);
  const fresh = memory[0] !== h;
  if (fresh) {
    toModal(velocity, basis, rotation, v, 1, tool.work);
    if (!applyFilters(tool, [first], velocity, ['kick'], h)) return fail(KRYLOV);
  } else if (!applyFilters(tool, [first], increment, ['decay2'], h)) return fail(KRYLOV);
  if (!applyFilters(tool, [second, third], total, ['rest', 'force'], h)) return fail(KRYLOV);
  for (let k = 0; k < basis.count; k++) {
    const push = tool.paper && !fresh ? pushOfPaper(tool, k, h) : fresh ? second[k] : third[k];
    velocity[k] = first[k] + push;
  }
  fromModal(tool.world, basis, rotation, velocity, tool.work);
  for (let d = 0; d < size; d++) q[d] += tool.world[d];
  evaluateHeld(fiber, t + dt);
  imposeHeld(fiber, q);
  const fault = findFault(fiber, tool, work, h);
  if (fault) return fail(fault);
  // velocity: the one with which the next step starts, V = h e^(−hD) sinc·v
  for (let d = 0; d < size; d++) v[d] = (q[d] - work.startQ[d]) / h;
  measureEta(fiber, tool, q);
  if (!evaluateTotal(fiber, tool, work, t + dt, h)) return fail(KRYLOV);
  if (!applyFilters(tool, [first], velocity, ['decay2'], h)) return fail(KRYLOV);
  if (!applyFilters(tool, [second, third], total, ['rest', 'force'], h)) return fail(KRYLOV);
  for (let k = 0; k < basis.count; k++) {
    increment[k] = velocity[k];
    velocity[k] = velocityOf(tool, k, first[k] + third[k] - second[k], h);
  }
  memory[0] = h;
  for (let d = 0; d < size; d++) work.middle[d] = v[d];
  fromModal(v, basis, rotation, velocity, tool.work);
  addHeldVelocity(fiber, work.middle);
  return true;
}

/** Displacement of mode k by the forces: h² sinc²(hK) on the nonlinear force alone [Michels2015 §3.3]. */
function pushOfPaper({ basis, alpha, total, eta, filters }: DetiTool, k: number, h: number): number {
  const lambda = basis.eigenvalues[k];
  const D = dampingOf(alpha, lambda);
  const squared = Math.max(lambda - D * D, 0);
  return (
    h * h * square(sinc(h * Math.sqrt(squared))) * (total[k] + lambda * eta[k]) - filters.force[k] * lambda * eta[k]
  );
}

/** Velocity of mode k that the next step, which moves it by `next`, would start with. */
function velocityOf({ krylov, alpha, filters }: DetiTool, k: number, next: number, h: number): number {
  if (krylov) return next / (h * exp(-0.5 * alpha[0] * h));
  const decay = Math.sqrt(filters.decay2[k]);
  // if the step is a multiple of half a period, two positions do not determine the velocity
  return Math.abs(filters.kick[k]) > 0.05 * h * decay ? next / filters.kick[k] : 0;
}

/** Reason why deti does not apply to the state after a step; undefined if it does. */
function findFault(fiber: FiberRod, { placement }: DetiTool, work: Workspace, h: number): string | undefined {
  const slope = measureSlope(fiber, placement.reference, fiber.q);
  if (!(slope <= LARGEST_SLOPE))
    return `it has turned by ${slope.toFixed(2)} from its natural shape, and deti is for ${LARGEST_SLOPE} at most; use integrator energy-momentum, or deti-r with damping`;
  return explodes(fiber, work, h)
    ? 'its stiff springs have taken up energy: deti is unstable at this step; use energy-momentum, damping, or a smaller time.step'
    : undefined;
}

function countFixed(fiber: FiberRod): number {
  let sum = 0;
  for (const ring of fiber.held) for (let k = 0; k < 12; k++) if (ring.active && ring.fixed[k]) sum++;
  return sum;
}

/** Rings that are held move as their pins do. */
function addHeldVelocity(fiber: FiberRod, rate: Float64Array): void {
  for (const ring of fiber.held) {
    if (!ring.active) continue;
    for (let k = 0; k < 12; k++) {
      if (!ring.fixed[k]) continue;
      let along = 0;
      for (let j = 0; j < 12; j++) along += ring.basis[12 * k + j] * rate[12 * ring.ring + j];
      for (let j = 0; j < 12; j++) fiber.v[12 * ring.ring + j] += along * ring.basis[12 * k + j];
    }
  }
}
