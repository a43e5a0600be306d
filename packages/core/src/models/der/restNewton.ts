/**
 * Newton's method for one rod at rest. Like newton.ts, with two differences that fine and stiff rods need:
 * convergence is judged by the correction (statics/convergence.ts), and the matrix gets no more stretch stiffness than it
 * needs, because the rounding of a stiffer stretch hides bending: 1e6 times the bending stiffness of a node leaves no digit of
 * bending at 1,600 edges. The equation of an edge keeps its own stiffness, so that the cap changes only the rate of convergence.
 */
import { clearBand, factorBand, fixUnknown, multiplyBand, solveBand } from '../../linalg/band.ts';
import { type Correction, createRestTest, describeRounding, type RestScales } from '../../statics/convergence.ts';
import { addElasticGradient } from './energy.ts';
import { followCenterline } from './kinematics.ts';
import { subtractSymmetricPart } from './loadStiffness.ts';
import { limitStep, type NewtonResult, takeStep, writeRightSide } from './newton.ts';
import type { DerRod } from './rod.ts';
import {
  dependsOnState,
  evaluateLoads,
  evaluateStage,
  lastTrouble,
  type Stage,
  subtractLoads,
  type Workspace,
} from './stage.ts';
import { JOINT_STRIDE } from './strain.ts';
import { measureLoads, solveUnsymmetric, stiffEnough, zeroModeShift } from './tangent.ts';

export interface RestOptions {
  readonly tolerance: number;
  readonly iterations: number;
  /** Largest rotation of an edge in one iteration [rad]. */
  readonly rotation: number;
  /** Smallest shift of a matrix that is not positive definite, relative to the stiffness scale. Default 1e-7. */
  readonly firstShift?: number | undefined;
  /** Solves with an indefinite matrix as it is, which leads to the nearest equilibrium, stable or not. */
  readonly keepsBranch?: boolean | undefined;
}

/** Stretch stiffness in the matrix: the edge's own, or what is enough beside bending and tension. */
export function capPenalties(der: DerRod, work: Workspace): void {
  const multiple = stiffEnough(der);
  for (let j = 0; j < der.edgeCount; j++) {
    const b = j + 1 < der.nodeCount ? 4 * j + 4 : 0;
    const bending = Math.max(der.stiffnessScale[4 * j], der.stiffnessScale[b]);
    const enough = multiple * (bending + Math.abs(der.edgeTension[j]) / der.edgeLength[j]);
    work.edgePenalty[j] = Math.min(der.edgeStiffness[j], enough);
  }
}

const result: NewtonResult = { converged: false, iterations: 0, shifts: 0, residual: 0, tolerance: 0, reason: '' };

function fail(reason: string): NewtonResult {
  result.reason = reason;
  return result;
}

/** Sum of the sizes of forces, and of torques by the rod's length [N]. */
function measureLoadSize({ loads, nodeCount, edgeCount, rod }: DerRod): number {
  const { nodeForce: f, edgeTorque: m } = loads;
  let force = 0;
  let torque = 0;
  for (let o = 0; o < 3 * nodeCount; o += 3) force += Math.hypot(f[o], f[o + 1], f[o + 2]);
  for (let o = 0; o < 3 * edgeCount; o += 3) torque += Math.hypot(m[o], m[o + 1], m[o + 2]);
  return force + torque / rod.length;
}

/** Displacement that the loads cause by the factored matrix [m]. Overwrites work.qHat. */
function measureResponse(der: DerRod, work: Workspace): number {
  const { size, fixed } = der;
  const x = work.qHat;
  x.fill(0);
  subtractLoads(der, x);
  for (let d = 0; d < size; d++) if (fixed[d]) x[d] = 0;
  solveBand(work.factor, work.matrix, x);
  let move = 0;
  for (let d = 0; d < size; d++) if ((d & 3) !== 3) move = Math.max(move, Math.abs(x[d]));
  return move;
}

/** What corrections of this rod are compared with; the loads act as they do now. */
function measureScales(der: DerRod, work: Workspace, factored: boolean): RestScales {
  const { rod, edgeCount, q, size, stiffnessScale } = der;
  const { length } = rod;
  let extent = length;
  let bending = 0;
  let tension = 0;
  for (let j = 0; j < edgeCount; j++) tension = Math.max(tension, Math.abs(der.edgeTension[j]));
  for (let d = 0; d < size; d++) {
    if ((d & 3) === 3) continue;
    extent = Math.max(extent, Math.abs(q[d]));
    bending = Math.max(bending, stiffnessScale[d]);
  }
  // EI/L², the force that bends the whole rod
  const elastic = (bending * (length / edgeCount) ** 3) / (length * length);
  const force = measureLoadSize(der);
  const move = factored && force > 0 ? measureResponse(der, work) : 0;
  const bent = force > 0 ? ((force / elastic) * length) / 8 : length;
  return {
    length,
    move: Math.min(length, Math.max(move, bent)),
    force: Math.max(force > 0 ? force : elastic, tension),
    rounding: 2.2e-16 * (extent + Math.sqrt(edgeCount) * length),
    roundingForce: 4e-15 * bending * extent,
    edgeCount,
  };
}

/**
 * Displacement that goes with the elastic energy, above what rounding of positions alone stores [m]: a rod that its pins bend
 * does not have to show the effect of a small load.
 */
function measureBending(der: DerRod, { length, force, rounding }: RestScales): number {
  const energies = { bending: 0, twisting: 0 };
  addElasticGradient(undefined, der, undefined, energies);
  let noise = 0;
  let stiffness = 0;
  const { constants, count } = der.joints;
  for (let i = 0; i < count; i++) {
    const k = Math.max(constants[JOINT_STRIDE * i], constants[JOINT_STRIDE * i + 1]);
    noise += 2 * k * (rounding / der.joints.length[i]) ** 2;
    stiffness = Math.max(stiffness, k * der.joints.length[i]);
  }
  const energy = energies.bending + energies.twisting - 4 * noise;
  return energy > 0 && force > 0 ? Math.min(length, 0.7 * Math.sqrt((energy * length ** 3) / stiffness)) : 0;
}

/** Of work.step: largest displacement, or rotation times length; largest change of a tension; whether lengths are right. */
function measureCorrection(
  der: DerRod,
  work: Workspace,
  rounding: number,
): Pick<Correction, 'move' | 'force' | 'fits'> {
  const { size, edgeCount, nodeCount, edgeTangent, rod } = der;
  const { step, edgePenalty, edgeError } = work;
  let move = 0;
  let force = 0;
  let fits = true;
  for (let d = 0; d < size; d++) move = Math.max(move, Math.abs(step[d]) * ((d & 3) === 3 ? rod.length : 1));
  for (let j = 0; j < edgeCount; j++) {
    const a = 4 * j;
    const b = j + 1 < nodeCount ? a + 4 : 0;
    let along = 0;
    for (let k = 0; k < 3; k++) along += edgeTangent[3 * j + k] * (step[b + k] - step[a + k]);
    force = Math.max(force, Math.abs(edgePenalty[j] * (along + edgeError[j])));
    fits &&= Math.abs(edgeError[j]) <= Math.max(1e-11 * rod.edgeLengthRest[j], 4 * rounding);
  }
  return { move, force, fits };
}

/** Largest force, or torque by length, of the residual where nothing is prescribed. */
function measureResidual(der: DerRod, work: Workspace): number {
  let largest = 0;
  for (let d = 0; d < der.size; d++) {
    const r = Math.abs(work.residual[d]) / ((d & 3) === 3 ? der.rod.length : 1);
    if (!der.fixed[d] && !(r <= largest)) largest = r;
  }
  return largest;
}

function isTiny({ rod, size }: DerRod, step: Float64Array): boolean {
  for (let d = 0; d < size; d++) if (!(Math.abs(step[d]) <= 1e-6 * ((d & 3) === 3 ? 1 : rod.length))) return false;
  return true;
}

/** Factors the tangent stiffness and solves for work.step. Returns the shift that it took (0: none that counts), −1 on failure. */
function solveStep(der: DerRod, work: Workspace, shift: number, options: RestOptions): number {
  const { factor, matrix, step } = work;
  // rigid motion and free spin have no stiffness: a shift far below the softest mode changes nothing else
  const definite =
    factorBand(factor, matrix, 0, der.softScale, true) ||
    factorBand(factor, matrix, zeroModeShift(der), der.softScale, true);
  let used = 0;
  if (!definite && options.keepsBranch) factorBand(factor, matrix, 0, der.softScale, false);
  else if (!definite) {
    used = Math.max(shift, options.firstShift ?? 1e-7);
    while (!factorBand(factor, matrix, used, der.stiffnessScale, true)) {
      used *= 4;
      result.shifts++;
      if (used > 1e8) return -1;
    }
  }
  if (used === 0) {
    solveBand(factor, matrix, step);
    return 0;
  }
  const right = step.slice();
  solveBand(factor, matrix, step);
  if (!isTiny(der, step)) return used;
  // next to an unstable equilibrium only the matrix as it is tells how far that is
  const shifted = step.slice();
  step.set(right);
  factorBand(factor, matrix, 0, der.softScale, false);
  solveBand(factor, matrix, step);
  if (isTiny(der, step)) return 0;
  step.set(shifted);
  return used;
}

export function solveAtRest(der: DerRod, work: Workspace, t: number, options: RestOptions): NewtonResult {
  const { size, fixed, v } = der;
  const { matrix, step } = work;
  const stage: Stage = { t, inertia: 0, rate: 0 };
  const stateful = dependsOnState(der.drive);
  const test = createRestTest(options.tolerance, options.keepsBranch === true);
  Object.assign(result, { converged: false, iterations: 0, shifts: 0, reason: '', final: false });
  v.fill(0);
  let shift = 0;
  if (!followCenterline(der, work.edgeWork)) return fail('an edge has no length or a position is not a number');
  for (;;) {
    if (stateful || result.iterations === 0) evaluateLoads(der, t);
    capPenalties(der, work);
    clearBand(matrix);
    if (Number.isNaN(evaluateStage(der, work, stage, matrix))) return fail(lastTrouble());
    result.residual = measureResidual(der, work);
    if (!(result.residual < Infinity)) return fail('the residual is not a number');
    writeRightSide(der, work);
    for (let d = 0; d < size; d++) if (fixed[d]) step[d] = 0;
    const follow = stateful && der.loadFactor > 0;
    if (follow) measureLoads(der, work, t);
    // with loads that follow, the whole unsymmetric matrix makes Newton quadratic
    const solved = follow && !der.rod.closed && solveUnsymmetric(der, work) !== 0;
    if (follow && !solved) subtractSymmetricPart(matrix, work.loadJacobian, size, der.rod.closed);
    for (let d = 0; d < size; d++) if (fixed[d]) fixUnknown(matrix, d);
    const used = solved ? 0 : solveStep(der, work, shift, options);
    if (used < 0) return fail('the stiffness matrix cannot be made positive definite');
    const fraction = limitStep(der, step, options.rotation);
    if (!(fraction > 0)) return fail('the Newton step is not a number');
    const { residual } = result;
    const scales = measureScales(der, work, !solved);
    const whole = used === 0 && fraction === 1;
    const correction = { ...measureCorrection(der, work, scales.rounding), whole, residual };
    const decision = test.decide(correction, scales, () => measureBending(der, scales));
    result.tolerance = Math.max(options.tolerance * scales.force, scales.roundingForce);
    result.error = test.error;
    if (decision === 'rounding') {
      result.final = true;
      return fail(describeRounding(scales));
    }
    if (decision === 'stuck') return fail('the rod does not move, and its tensions do not settle');
    takeStep(der, work, fraction);
    if (!followCenterline(der, work.edgeWork)) return fail('an edge has no length or a position is not a number');
    if (decision === 'converged') {
      result.converged = true;
      return result;
    }
    shift = used > 0 ? used / 4 : 0;
    result.iterations++;
    if (result.iterations >= options.iterations) return fail(`no convergence in ${options.iterations} iterations`);
  }
}

/**
 * At rest: the Newton correction, if it is no larger than rounding of positions explains, into work.step, and the residual
 * after it into work.residual. The residual at a pin then holds what the pin exerts without the noise of rounded positions,
 * which in a fine rod can exceed the loads. False, and nothing of use in the two, where the correction is larger.
 */
export function refineResidual(der: DerRod, work: Workspace, t: number): boolean {
  const { size, fixed } = der;
  const { matrix, residual, step } = work;
  evaluateLoads(der, t);
  capPenalties(der, work);
  clearBand(matrix);
  if (Number.isNaN(evaluateStage(der, work, { t, inertia: 0, rate: 0 }, matrix))) return false;
  writeRightSide(der, work);
  const right = step.slice();
  const whole = { ...matrix, band: matrix.band.slice(), border: matrix.border.slice(), corner: matrix.corner.slice() };
  for (let d = 0; d < size; d++) {
    if (!fixed[d]) continue;
    step[d] = 0;
    fixUnknown(matrix, d);
  }
  solveStep(der, work, 0, { tolerance: 0, iterations: 0, rotation: 0, keepsBranch: true });
  const { rounding } = measureScales(der, work, false);
  if (!(measureCorrection(der, work, rounding).move <= 64 * rounding)) return false;
  multiplyBand(residual, whole, step);
  for (let d = 0; d < size; d++) residual[d] -= right[d];
  return true;
}
