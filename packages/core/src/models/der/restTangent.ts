/**
 * A rod at rest as linear equations, for derivatives of its equilibrium (core/src/sensitivity.ts).
 *
 * The unknowns are q and the edge tensions μ, as in newton.ts:
 *     K₀ y + Aᵀ μ = b,    A y − μ/k = d.
 * The factored matrix K₀ + AᵀcA has a capped stretch stiffness c instead of k (restNewton.ts) and a small shift for rigid motions, so `solve` iterates:
 * each correction reduces the error by the ratio of bending to c, about 1e-3.
 */

import { factorBand, solveBand } from '../../linalg/band.ts';
import { type BorderedBand, clearBand, fixUnknown, multiplyBand, readEntry } from '../../linalg/bandMatrix.ts';
import type { RestTangent } from '../../model.ts';
import {
  addJacobianProduct,
  dependsOnState,
  type LoadJacobian,
  readJacobian,
  solveUnsymmetric,
  subtractSymmetricPart,
  transposeJacobian,
} from '../loadJacobian.ts';
import { gatherRate, rate } from './damping.ts';
import { addHeldHessian, writeHeldTorque } from './held.ts';
import { D, evaluateJoint, strainOut } from './joint.ts';
import { evaluatePins, followCenterline, placePinned, poseSamples } from './kinematics.ts';
import { NO_LENGTH } from './newton.ts';
import { capPenalties } from './restNewton.ts';
import type { DerRod } from './rod.ts';
import { measureSecondVariation } from './secondVariation.ts';
import { createWorkspace, evaluateLoads, evaluateStage, lastTrouble, type Stage, type Workspace } from './stage.ts';
import { GRADIENT, JOINT_STRIDE } from './strain.ts';
import { measureLoads, setModalPenalties, zeroModeShift } from './tangent.ts';

/** Corrections after which `solve` stops in any case. */
const MOST_CORRECTIONS = 40;
/** Index and sign of the constants of a joint that hold the natural strain about d1, d2, d3: t′·d1 = u2 and t′·d2 = −u1. */
const NATURAL = [
  { at: 4, sign: -1 },
  { at: 3, sign: 1 },
  { at: 5, sign: 1 },
] as const;

/** A rod linearized at rest: data that the functions below share. */
interface RestWork {
  readonly der: DerRod;
  readonly t: number;
  readonly stage: Stage;
  /** Keeps the factored matrix and its stretch stiffness; `reading` is for everything else. */
  readonly factored: Workspace;
  readonly reading: Workspace;
  /** True if loads depend on the state. */
  readonly loadsDependOnState: boolean;
  /** Tension in the caps of stiff edges, see assembleTangent: that of the equilibrium, also while unknowns are moved. */
  readonly capTension: Float64Array;
}

/** The linearized equations of a rod with its pins and loads at t. Its natural strain must be a rotation vector (`strain: rotation`). */
export function linearizeDer(der: DerRod, t: number): RestTangent {
  const { size, edgeCount, rod } = der;
  const rest: RestWork = {
    der,
    t,
    stage: { t, inertia: 0, rate: 0 },
    factored: createWorkspace(der),
    reading: createWorkspace(der),
    loadsDependOnState: dependsOnState(der.drive),
    capTension: der.edgeTension.slice(),
  };
  const solver = createMixedSolver(der, rest.factored);
  return {
    size: size + edgeCount,
    scale: Float64Array.from({ length: size + edgeCount }, (_, d) =>
      d >= size ? der.stiffnessScale[4 * (d - size)] * rod.length : (d & 3) === 3 ? 1 : rod.length,
    ),
    fixed: Uint8Array.from({ length: size + edgeCount }, (_, d) => (d < size ? der.fixed[d] : 0)),
    unknownOfNode: (node) => 4 * node,
    ...accessState(rest),
    factor: () => factorTangent(rest, solver),
    solve: (x, matrix) => solver.solve(x, matrix),
    ...accessReactions(rest),
    readRayleigh: (shape, omegaSquared) => measureRayleigh(rest, shape, omegaSquared),
    shapeOf({ nodeDisplacement, edgeTwist }) {
      const shape = new Float64Array(size + edgeCount);
      for (let d = 0; d < size; d++)
        shape[d] = (d & 3) === 3 ? edgeTwist[d >> 2] : nodeDisplacement[3 * (d >> 2) + (d & 3)];
      return shape;
    },
    ...accessNaturalStrain(der),
  };
}

/** The unknowns: placed on pins, read and moved; and the residual. */
function accessState({
  der,
  t,
  stage,
  factored,
  reading,
  capTension,
}: RestWork): Pick<RestTangent, 'place' | 'readUnknowns' | 'move' | 'writeResidual'> {
  const { size, edgeCount, q, edgeTension } = der;
  const follow = (): string => {
    der.v.fill(0);
    if (!followCenterline(der, factored.edgeWork)) return NO_LENGTH;
    poseSamples(der);
    return '';
  };
  return {
    place() {
      der.material?.beginRest();
      evaluatePins(der, t);
      placePinned(der, q, undefined);
      capTension.set(edgeTension);
      return follow();
    },
    readUnknowns(out) {
      out.set(q);
      out.set(edgeTension, size);
    },
    move(direction, scale) {
      for (let d = 0; d < size; d++) q[d] += scale * direction[d];
      for (let j = 0; j < edgeCount; j++) edgeTension[j] += scale * direction[size + j];
      return follow();
    },
    writeResidual(out) {
      evaluateLoads(der, t);
      if (Number.isNaN(evaluateStage(der, reading, stage, undefined))) return lastTrouble();
      out.set(reading.residual);
      out.set(reading.edgeError, size);
      return '';
    },
  };
}

/** Assembles and factors the matrix; returns an error, or ''. */
function factorTangent({ der, t, stage, factored, loadsDependOnState }: RestWork, solver: MixedSolver): string {
  evaluateLoads(der, t);
  capPenalties(der, factored);
  clearBand(factored.matrix);
  if (Number.isNaN(evaluateStage(der, factored, stage, factored.matrix))) return lastTrouble();
  if (loadsDependOnState) measureLoads(der, factored, t);
  const isGeneral = loadsDependOnState && factored.loadJacobian.asymmetry > 1e-12;
  if (isGeneral && der.rod.closed) return 'a closed rod with loads that have no potential';
  solver.factor(isGeneral);
  return '';
}

/** Reactions of pins and their derivatives. */
function accessReactions({
  der,
  t,
  stage,
  factored,
  reading,
}: RestWork): Pick<RestTangent, 'readReaction' | 'writeReactionDerivative'> {
  return {
    readReaction({ node, of, axis }) {
      if (of === 'torque') return readHeldTorque(der, node, axis);
      evaluateLoads(der, t);
      return Number.isNaN(evaluateStage(der, reading, stage, undefined))
        ? Number.NaN
        : reading.residual[4 * node + axis];
    },
    writeReactionDerivative(out, { node, of, axis }) {
      out.fill(0);
      if (of === 'torque') addTorqueDerivative(out, der, node, axis);
      else addForceDerivative(out, der, { reading, jacobian: factored.loadJacobian, stage }, 4 * node + axis);
    },
  };
}

function measureRayleigh(
  { der, t, reading, loadsDependOnState, capTension }: RestWork,
  shape: Float64Array,
  omegaSquared: number,
): number {
  const { edgeTension } = der;
  if (der.held.hinged.includes(1)) return Number.NaN;
  const tension = edgeTension.slice();
  edgeTension.set(capTension);
  setModalPenalties(der, reading);
  edgeTension.set(tension);
  evaluateLoads(der, t);
  if (loadsDependOnState) measureLoads(der, reading, t);
  let energy = measureSecondVariation(der, reading, shape, loadsDependOnState);
  for (let d = 0; d < der.size; d++) energy -= omegaSquared * der.mass[d] * shape[d] * shape[d];
  return energy;
}

/** Joints and their natural strain. */
function accessNaturalStrain(der: DerRod): Pick<RestTangent, 'joints' | 'withNatural' | 'writeNaturalWork'> {
  const { joints } = der;
  return {
    joints: { node: joints.node, length: joints.length },
    withNatural(joint, axis, amount, read) {
      const { at, sign } = NATURAL[axis];
      const k = JOINT_STRIDE * joint + at;
      const before = joints.constants[k];
      joints.constants[k] += sign * amount * joints.length[joint];
      const value = read();
      joints.constants[k] = before;
      return value;
    },
    writeNaturalWork(out, lambda) {
      out.fill(0);
      for (let i = 0; i < joints.count; i++)
        if (der.jointActive[i] && !joints.freeSpin[i]) addNaturalWork(out, der, i, lambda);
    },
  };
}

const heldAt = ({ held, pins }: DerRod, node: number): number => held.pin.findIndex((p) => pins[p].node === node);

function readHeldTorque(der: DerRod, node: number, axis: number): number {
  const torque = new Float64Array(3 * der.held.count);
  writeHeldTorque(torque, der);
  const h = heldAt(der, node);
  return h < 0 ? 0 : torque[3 * h + axis];
}

function addTorqueDerivative(out: Float64Array, der: DerRod, node: number, axis: number): void {
  const h = heldAt(der, node);
  if (h < 0) return;
  const mixed = new Float64Array(3 * der.size);
  addHeldHessian(new Float64Array(9), mixed, der, { h, at: 0, rateScale: 0 });
  for (let d = 0; d < der.size; d++) if (!der.fixed[d]) out[d] = mixed[axis * der.size + d];
}

/** Row d of ∂r/∂(q, μ). */
function addForceDerivative(
  out: Float64Array,
  der: DerRod,
  { reading, jacobian, stage }: { readonly reading: Workspace; readonly jacobian: LoadJacobian; readonly stage: Stage },
  d: number,
): void {
  const { size, edgeCount, fixed } = der;
  evaluateLoads(der, stage.t);
  reading.edgePenalty.fill(0);
  clearBand(reading.matrix);
  evaluateStage(der, reading, stage, reading.matrix);
  const loadsDependOnState = dependsOnState(der.drive);
  for (let k = 0; k < size; k++)
    if (!fixed[k]) out[k] = readEntry(reading.matrix, d, k) - (loadsDependOnState ? readJacobian(jacobian, d, k) : 0);
  const unit = new Float64Array(size);
  unit[d] = 1;
  for (let j = 0; j < edgeCount; j++) out[size + j] = measureAlong(der, j, unit);
}

/** Adds λᵀ ∂r/∂(natural strain) of joint i. */
function addNaturalWork(out: Float64Array, der: DerRod, i: number, lambda: Float64Array): void {
  const { constants, length } = der.joints;
  gatherRate(der, i, lambda);
  for (let axis = 0; axis < 3; axis++) {
    const { at, sign } = NATURAL[axis];
    const k = JOINT_STRIDE * i + at;
    const natural = constants[k];
    // ∂E/∂p is linear in the natural strain: a difference over ±1 rad is exact
    for (const turn of [1, -1]) {
      constants[k] = natural + turn;
      evaluateJoint(der, i);
      let work = 0;
      for (let p = 0; p < 3; p++) for (let a = 0; a < 8; a++) work += strainOut[GRADIENT + p] * D[8 * p + a] * rate[a];
      out[3 * i + axis] += 0.5 * turn * sign * length[i] * work;
    }
    constants[k] = natural;
  }
}

interface MixedSolver {
  factor(isGeneral: boolean): void;
  solve(x: Float64Array, matrix: 'transposed' | 'plain'): void;
}

/** Solves for q and the tensions with the matrix in `work`, see the head of this file. */
function createMixedSolver(der: DerRod, work: Workspace): MixedSolver {
  const { size, edgeCount, fixed, edgeStiffness } = der;
  const { matrix, factor, step, edgePenalty, loadJacobian } = work;
  const product = new Float64Array(size);
  const y = new Float64Array(size);
  const tension = new Float64Array(edgeCount);
  let isGeneral = false;
  /** Corrects y and the tension for the residuals b (size) and d in x, and updates these; returns the largest change relative to y. */
  const correct = (x: Float64Array): number => {
    for (let d = 0; d < size; d++) step[d] = fixed[d] ? 0 : x[d];
    addAlongEdges(step, der, (j) => edgePenalty[j] * x[size + j]);
    for (let d = 0; d < size; d++) if (fixed[d]) step[d] = 0;
    const right = step.slice();
    if (isGeneral) solveUnsymmetric(fixed, work);
    else solveBand(factor, matrix, step);
    multiplyBand(product, matrix, step);
    if (isGeneral) addJacobianProduct(product, loadJacobian, step, -1);
    let [change, largest] = [0, 0];
    for (let d = 0; d < size; d++) {
      // right − K₀ y − Aᵀμ of the corrections, in terms of the factored matrix
      x[d] = fixed[d] ? 0 : right[d] - product[d];
      y[d] += step[d];
      const unit = (d & 3) === 3 ? 1 : der.rod.length;
      change = Math.max(change, Math.abs(step[d]) / unit);
      largest = Math.max(largest, Math.abs(y[d]) / unit);
    }
    for (let j = 0; j < edgeCount; j++) {
      const along = measureAlong(der, j, step);
      const added = edgePenalty[j] * (along - x[size + j]);
      tension[j] += added;
      x[size + j] += added / edgeStiffness[j] - along;
    }
    return largest > 0 ? change / largest : 0;
  };
  return {
    factor(general) {
      isGeneral = general;
      if (isGeneral) return;
      if (dependsOnState(der.drive)) subtractSymmetricPart(matrix, loadJacobian);
      fixAll(matrix, fixed);
      factorBand(factor, matrix, zeroModeShift(der), der.softScale, 'count-negative');
    },
    solve(x, matrix) {
      if (isGeneral && matrix === 'transposed') transposeJacobian(loadJacobian);
      y.fill(0);
      tension.fill(0);
      let before = Infinity;
      for (let k = 0; k < MOST_CORRECTIONS; k++) {
        const change = correct(x);
        if (change < 1e-14 || (k > 2 && change > 0.5 * before)) break;
        before = change;
      }
      if (isGeneral && matrix === 'transposed') transposeJacobian(loadJacobian);
      x.set(y);
      x.set(tension, size);
    },
  };
}

function fixAll(matrix: BorderedBand, fixed: Uint8Array): void {
  for (let d = 0; d < fixed.length; d++) if (fixed[d]) fixUnknown(matrix, d);
}

/** Lengthening of edge j by displacements y. */
function measureAlong({ edgeTangent, nodeCount }: DerRod, j: number, y: Float64Array): number {
  const a = 4 * j;
  const b = j + 1 < nodeCount ? a + 4 : 0;
  let along = 0;
  for (let k = 0; k < 3; k++) along += edgeTangent[3 * j + k] * (y[b + k] - y[a + k]);
  return along;
}

/** out += Aᵀ value. */
function addAlongEdges(
  out: Float64Array,
  { edgeCount, edgeTangent, nodeCount }: DerRod,
  value: (j: number) => number,
): void {
  for (let j = 0; j < edgeCount; j++) {
    const a = 4 * j;
    const b = j + 1 < nodeCount ? a + 4 : 0;
    const pull = value(j);
    for (let k = 0; k < 3; k++) {
      out[a + k] -= pull * edgeTangent[3 * j + k];
      out[b + k] += pull * edgeTangent[3 * j + k];
    }
  }
}
