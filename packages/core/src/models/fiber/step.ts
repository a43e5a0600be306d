/**
 * Implicit steps of one rod: the energy–momentum method (default), and midpoint and backward Euler for comparison.
 *
 * Energy–momentum: x1 = x0 + h(v0 + v1)/2, M(v1 − v0)/h = F̄ + loads with the discrete gradient F̄ of elements.ts. Every solution has the energy of the
 * start, so it is bounded for any step. Newton starts at x0 with no tension.
 *
 * Mass damping α is split off exactly: with x = αh/2 the core step has the length σ = h√(tanh x/x), and v is multiplied by e⁻ˣs before and e⁻ˣ/s after
 * it, s² = x/(sinh x cosh x). Every underdamped mode then decays by exactly e⁻ˣ per step. Where αh·hω > 8, χ = tanh(αh/4) adds a viscous share to every
 * spring. Stiffness damping α1 is χ = 2 α1/h. Reasons: docs/notes/fiber.md#the-energy-momentum-step.
 */
import { type BlockTridiagonal, clearBlocks, solveBlocks } from '../../linalg/blockTridiagonal.ts';
import { cosh, exp, sinh, tanh } from '../../math/rounded/index.ts';
import { CALM, returnEnergy, ringLoss } from './calm.ts';
import { addElements, largestTurn, predictTension } from './elements.ts';
import { measureElastic } from './energy.ts';
import { constrainHeld, evaluateHeld, imposeHeld, imposeHeldVelocity, returnHeld } from './held.ts';
import type { PairKernel, PairMember } from './kernel.ts';
import { addLoadForce, gatherLoads, poseSamples } from './kinematics.ts';
import { type FiberRod, highestFrequency, updateStiffness } from './rod.ts';
import { bendSpin, straightenSpin } from './spin.ts';
import { addRingCoupling, addRingDrag, addRingMass, subtractInertia } from './springs.ts';
import { explainLostTurn } from './twist.ts';
import type { Workspace } from './workspace.ts';
export type Scheme = 'energy-momentum' | 'midpoint' | 'implicit-euler';

export interface NewtonOptions {
  /** [m] */
  readonly tolerance: number;
  readonly iterations: number;
  /** Halvings of a step. */
  readonly depth: number;
  /** Suppresses the breathing of rings and returns its energy to the motion; see calm.ts. */
  readonly calm?: boolean;
  /** `implicit-euler`: rings keep their spin; see spin.ts. */
  readonly keepsSpin?: boolean;
}

/** Length of the core step and factors on the velocity for a step h; the springs' viscous share. */
function prepareDamping(fiber: FiberRod, work: Workspace, scheme: Scheme, h: number): void {
  const { ringCount, edgeCount, ringDamping, edgeViscosity, ringViscosity } = fiber;
  const { core, before, after, elements } = work;
  let strongest = 0;
  for (let i = 0; i < ringCount; i++) {
    const alpha = scheme === 'implicit-euler' ? 0 : ringDamping[i];
    const x = 0.5 * alpha * h;
    // series below: √(tanh x/x) and √(x/(sinh x cosh x)) to rounding
    const s = x < 1e-4 ? 1 - (x * x) / 3 : x > 300 ? 0 : Math.sqrt(x / (sinh(x) * cosh(x)));
    core[i] = h * (x < 1e-4 ? 1 - (x * x) / 6 : Math.sqrt(tanh(x) / x));
    before[i] = exp(-x) * s;
    // e⁻ˣ/s stays finite: it tends to 1/(2√x)
    after[i] = s > 1e-100 ? exp(-x) / s : 0.5 / Math.sqrt(x);
    strongest = Math.max(strongest, alpha);
  }
  const stiff = strongest > 0 && strongest * h * h * highestFrequency(fiber) > 8;
  const chi = scheme === 'energy-momentum' && stiff ? tanh((strongest * h) / 4) : 0;
  for (let j = 0; j < edgeCount; j++) elements.edgeChi[j] = chi + (2 * edgeViscosity[j]) / h;
  for (let i = 0; i < ringCount; i++) elements.ringChi[i] = chi + (2 * ringViscosity[i]) / h;
}

/** Adds f·M to the diagonal blocks, `perRing` a factor for each ring. */
export function addMassMatrix(fiber: FiberRod, matrix: BlockTridiagonal, perRing: (ring: number) => number): void {
  const { ringCount, particleMass, couplingMass } = fiber;
  const { diagonal } = matrix;
  for (let i = 0; i < ringCount; i++) {
    const f = perRing(i);
    addRingMass(diagonal, i, f * particleMass[i]);
    if (couplingMass[i] !== 0) addRingCoupling(diagonal, i, f * couplingMass[i]);
  }
}

/** Adds f·drag: −∂F/∂v of the loads. */
export function addDrag(fiber: FiberRod, matrix: BlockTridiagonal, f: number): void {
  const { ringCount, loads, loadFactor } = fiber;
  const { nodeDrag } = loads;
  for (let i = 0; i < ringCount; i++) {
    const o = 6 * i;
    if (nodeDrag[o] === 0 && nodeDrag[o + 3] === 0 && nodeDrag[o + 5] === 0) continue;
    addRingDrag(matrix.diagonal, i, nodeDrag, (f * loadFactor) / 16);
  }
}

/** Evaluates loads: at the midpoint of the iterate if they depend on the rod, otherwise once at the middle of the step. */
export function evaluateLoads(fiber: FiberRod, work: Workspace, scheme: Scheme, t: number, h: number): void {
  const { x0, y, middle, rate } = work;
  const end = scheme === 'implicit-euler';
  if (fiber.loadsDependOnState) {
    for (let d = 0; d < fiber.size; d++) {
      middle[d] = end ? y[d] : 0.5 * (x0[d] + y[d]);
      rate[d] = (y[d] - x0[d]) / h;
    }
    poseSamples(fiber, middle, rate);
  }
  gatherLoads(fiber, end ? t + h : t + 0.5 * h);
}

/** Distributes the evaluated loads and contact forces to the particles. */
export function spreadLoads(fiber: FiberRod, work: Workspace, scheme: Scheme): void {
  const { x0, y, middle, load } = work;
  if (scheme !== 'implicit-euler') for (let d = 0; d < fiber.size; d++) middle[d] = 0.5 * (x0[d] + y[d]);
  load.fill(0);
  addLoadForce(load, fiber, scheme === 'implicit-euler' ? y : middle);
  const touch = fiber.contactForce;
  if (touch) for (let d = 0; d < fiber.size; d++) load[d] += touch[d];
}

/** True if `load` changes from iterate to iterate. */
export function loadsMove({ loadsDependOnState, loads: { edgeTorque } }: FiberRod): boolean {
  if (loadsDependOnState) return true;
  for (let k = 0; k < edgeTorque.length; k++) if (edgeTorque[k] !== 0) return true;
  return false;
}

/** Factors of ring i: on y − x0 and on v0 in its inertia, on the mass in the matrix. */
export function inertiaOf(
  { ringDamping }: FiberRod,
  { core }: Workspace,
  scheme: Scheme,
  h: number,
  i: number,
): typeof factors {
  if (scheme === 'implicit-euler') {
    const damped = 1 + ringDamping[i] * h;
    factors.moved = damped / (h * h);
    factors.speeds = 1 / h;
    // the springs add half the Hessian, so everything else is halved too
    factors.weight = (0.5 * damped) / (h * h);
  } else {
    factors.moved = 2 / (core[i] * core[i]);
    factors.speeds = 2 / core[i];
    factors.weight = factors.moved;
  }
  return factors;
}
const factors = { moved: 0, speeds: 0, weight: 0 };

/** Residual and matrix of the iterate y. */
export function assemble(fiber: FiberRod, work: Workspace, scheme: Scheme, h: number): boolean {
  const { size, ringCount, particleMass, couplingMass } = fiber;
  const { matrix, elements, residual: r, x0, v0, y, middle, load } = work;
  const euler = scheme === 'implicit-euler';
  clearBlocks(matrix);
  r.fill(0);
  let near = x0;
  let far = y;
  if (scheme === 'midpoint') {
    for (let d = 0; d < size; d++) middle[d] = 0.5 * (x0[d] + y[d]);
    near = middle;
    far = middle;
  } else if (euler) near = y;
  if (!addElements(fiber, elements, { force: r, matrix: matrix }, { x0: near, y: far }, 'given')) return false;
  for (let d = 0; d < size; d++) r[d] += load[d];
  for (let i = 0; i < ringCount; i++) {
    const { moved, speeds } = inertiaOf(fiber, work, scheme, h, i);
    subtractInertia(r, x0, y, v0, i, moved, speeds, particleMass[i], couplingMass[i]);
  }
  addMassMatrix(fiber, matrix, (i) => inertiaOf(fiber, work, scheme, h, i).weight);
  addDrag(fiber, matrix, (euler ? 0.5 : 1) / h);
  if (euler) for (let d = 0; d < size; d++) r[d] *= 0.5;
  return true;
}

/** Newton stops if a correction is below this share of the motion over the step. */
const RELATIVE = 1e-3;
/** Motion, as a share of the scaffold's width, for which one iteration is accurate enough. */
const RESTING = 1e-6;

/**
 * True if Newton's method may stop after this iteration, whose correction moves particles by at most `largest`; `first`: the same of the first iteration,
 * which is about the motion over the step. A first correction alone moves particles along tangents: a slow clamp that twists a hair would stretch its
 * rings, and gain forty times the energy of the twist.
 */
export function isSettled(
  { width1, width2 }: FiberRod,
  { tolerance }: NewtonOptions,
  { iteration, largest, first }: { readonly iteration: number; readonly largest: number; readonly first: number },
): boolean {
  if (!(largest < tolerance)) return false;
  return iteration > 2 || largest <= RELATIVE * first || largest < RESTING * Math.min(width1, width2);
}

/** One Newton solve from (x0, v0) over h; y on success. */
function solveStep(
  fiber: FiberRod,
  work: Workspace,
  scheme: Scheme,
  t: number,
  h: number,
  options: NewtonOptions,
): boolean {
  const { size } = fiber;
  const { matrix, elements, residual: dx, x0, y } = work;
  y.set(x0);
  imposeHeld(fiber, y);
  elements.tau.fill(0);
  evaluateLoads(fiber, work, scheme, t, h);
  spreadLoads(fiber, work, scheme);
  const moving = loadsMove(fiber);
  let first = 0;
  for (let iteration = 1; iteration <= options.iterations; iteration++) {
    if (moving && iteration > 1) {
      if (fiber.loadsDependOnState) evaluateLoads(fiber, work, scheme, t, h);
      spreadLoads(fiber, work, scheme);
    }
    if (!assemble(fiber, work, scheme, h)) {
      work.reason = 'a spring has lost its length';
      return false;
    }
    constrainHeld(fiber, matrix, dx);
    work.iterations++;
    work.iterationsMax = Math.max(work.iterationsMax, iteration);
    if (solveBlocks(matrix, dx) === 0) {
      work.reason = 'the matrix is singular';
      return false;
    }
    returnHeld(fiber, dx);
    // no spring turns by more than a radian at once
    const turn = largestTurn(fiber, elements, dx);
    const s = turn > 1 ? 1 / turn : 1;
    predictTension(fiber, elements, dx, s, scheme === 'implicit-euler' ? 1 : 0.5);
    let largest = 0;
    for (let d = 0; d < size; d++) {
      y[d] += s * dx[d];
      largest = Math.max(largest, Math.abs(dx[d]));
    }
    if (!(largest < Infinity)) {
      work.reason = 'a position is no number';
      return false;
    }
    if (iteration === 1) first = largest;
    if (s === 1 && isSettled(fiber, options, { iteration, largest, first })) return true;
  }
  work.reason = `Newton's method did not converge in ${options.iterations} iterations`;
  return false;
}

/** True if the springs have a thousand times the energy of bending by a radian and of falling by the rod's length. */
function explodes(fiber: FiberRod): boolean {
  const { rod, loads, q } = fiber;
  let weight = 0;
  for (let k = 0; k < loads.nodeForce.length; k++) weight += Math.abs(loads.nodeForce[k]);
  const { bending, twisting, stretching } = measureElastic(fiber, q);
  let scale = Math.max(rod.halfEI1[0], rod.halfEI2[0]) / rod.length + weight * rod.length;
  for (let k = 0; k < rod.nodeVelocity.length; k++)
    scale += rod.nodeMass[(k / 3) | 0] * rod.nodeVelocity[k] * rod.nodeVelocity[k];
  return !(bending + twisting + stretching < 1e3 * scale);
}

/** Stiffness, damping and pins of a step from t to t + h; x0 and v0 from the state. */
export function beginPart(
  fiber: FiberRod,
  work: Workspace,
  scheme: Scheme,
  t: number,
  h: number,
  { calm, keepsSpin }: NewtonOptions,
): void {
  const { q, v, size } = fiber;
  const { x0, v0, before } = work;
  updateStiffness(fiber, scheme === 'implicit-euler' ? t + h : t + 0.5 * h);
  prepareDamping(fiber, work, scheme, h);
  if (calm && scheme === 'energy-momentum') work.elements.ringChi.fill(CALM);
  evaluateHeld(fiber, t + h);
  x0.set(q);
  for (let d = 0; d < size; d++) v0[d] = v[d] * before[(d / 12) | 0];
  if (keepsSpin) bendSpin(fiber, work, h);
}

/** Writes the state from y; returns false if the scheme has visibly failed. */
export function endPart(fiber: FiberRod, work: Workspace, scheme: Scheme, h: number, options: NewtonOptions): boolean {
  const { q, v, memory, size, ringCount } = fiber;
  const { x0, v0, y, rate, after, core } = work;
  for (let d = 0; d < size; d++) rate[d] = (y[d] - x0[d]) / h;
  if (scheme === 'implicit-euler') {
    v.set(rate);
    if (options.keepsSpin) straightenSpin(fiber, work, v, h);
  } else {
    for (let i = 0; i < ringCount; i++)
      for (let d = 12 * i; d < 12 * i + 12; d++) v[d] = ((2 * (y[d] - x0[d])) / core[i] - v0[d]) * after[i];
    imposeHeldVelocity(fiber, v, rate);
  }
  q.set(y);
  if (memory.length > 0) {
    memory[0] = h;
    memory.set(x0, 1);
  }
  if (options.calm && scheme === 'energy-momentum') {
    const free = fiber.poses.every(({ active }) => !active);
    returnEnergy(fiber, ringLoss(fiber, x0, y), free, work.middle, work.image);
    imposeHeldVelocity(fiber, v, rate);
  }
  const lostTurn = explainLostTurn(fiber, q);
  if (lostTurn !== '') {
    work.reason = lostTurn;
    return false;
  }
  if (scheme !== 'midpoint' || !explodes(fiber)) return true;
  work.reason = 'the energy grows without bound: midpoint is not stable here; use energy-momentum';
  return false;
}

/** Steps from t to t + h; in halves if Newton does not converge. On failure q and v are undefined. */
function advancePart(
  fiber: FiberRod,
  work: Workspace,
  scheme: Scheme,
  { t, h }: { readonly t: number; readonly h: number },
  options: NewtonOptions,
  depth: number,
): boolean {
  beginPart(fiber, work, scheme, t, h, options);
  if (solveStep(fiber, work, scheme, t, h, options)) return endPart(fiber, work, scheme, h, options);
  if (depth === 0) return false;
  const middle = t + 0.5 * h;
  return (
    advancePart(fiber, work, scheme, { t: t, h: middle - t }, options, depth - 1) &&
    advancePart(fiber, work, scheme, { t: middle, h: t + h - middle }, options, depth - 1)
  );
}

/** One step. A failure leaves q and v unchanged and writes the reason to `work.reason`. */
export function stepImplicit(
  fiber: FiberRod,
  work: Workspace,
  scheme: Scheme,
  t: number,
  h: number,
  options: NewtonOptions,
): boolean {
  work.iterations = 0;
  work.iterationsMax = 0;
  work.startQ.set(fiber.q);
  work.startV.set(fiber.v);
  if (advancePart(fiber, work, scheme, { t: t, h: h }, options, options.depth)) return true;
  fiber.q.set(work.startQ);
  fiber.v.set(work.startV);
  evaluateHeld(fiber, t);
  updateStiffness(fiber, t);
  return false;
}

/**
 * Steps the members whose bit is set in `wanted`, by a kernel if there is one; members that the kernel cannot solve are stepped separately, from the
 * start. Returns the bits of those that succeeded.
 */
export function stepMembers(
  kernel: PairKernel | undefined,
  members: readonly PairMember[],
  scheme: Scheme,
  t: number,
  h: number,
  wanted: number,
): number {
  if (!kernel) {
    let ok = 0;
    members.forEach(({ fiber, work, options }, lane) => {
      if (wanted & (1 << lane) && stepImplicit(fiber, work, scheme, t, h, options)) ok |= 1 << lane;
    });
    return ok;
  }
  for (let lane = 0; lane < members.length; lane++) {
    if (!(wanted & (1 << lane))) continue;
    const { fiber, work, options } = members[lane];
    work.iterations = 0;
    work.iterationsMax = 0;
    work.startQ.set(fiber.q);
    work.startV.set(fiber.v);
    beginPart(fiber, work, scheme, t, h, options);
  }
  let ok = kernel.solve(scheme, t, h, members, wanted);
  for (let lane = 0; lane < members.length; lane++) {
    const bit = 1 << lane;
    if (!(wanted & bit)) continue;
    const { fiber, work, options } = members[lane];
    if (ok & bit && endPart(fiber, work, scheme, h, options)) continue;
    fiber.q.set(work.startQ);
    fiber.v.set(work.startV);
    if (stepImplicit(fiber, work, scheme, t, h, options)) ok |= bit;
    else ok &= ~bit;
  }
  return ok;
}
