/**
 * One stage of a rod: its parameters, its residual and its matrix at the current state. The equations are in newton.ts.
 *
 * Positions move by Δ = x − x₀ and frames by ψ = log(q₀⁻¹q) from the start of the step (`base`). A stage says
 *     rate = s(Δ − Δ̃),   velocity = s(Δ − Δ̃) of a node, J_r(ψ)·s(ψ − ψ̃) of an edge,   acceleration = s(velocity − v̂),
 * where s, Δ̃ and v̂ make it implicit Euler, the trapezoidal rule or BDF2, in the coordinates that the exponential map defines around
 * the start. Statics has s = 0; a descent has inertia c on Δ itself and no velocities.
 */

import { type BorderedFactor, createBorderedFactor } from '../../linalg/band.ts';
import { createGeneralBand, type GeneralBand } from '../../linalg/bandLu.ts';
import { addEntry, type BorderedBand, createBorderedBand } from '../../linalg/bandMatrix.ts';
import { writeRotationSeries } from '../../math/rotationSeries.ts';
import { addDrag, createLoadJacobian, type LoadJacobian } from '../loadJacobian.ts';
import { addEdgeForces, addEdgeHessian, addJoints } from './energy.ts';
import { measureRotation } from './joint.ts';
import { poseSamples } from './kinematics.ts';
import { type CosseratRod, RING_BORDER } from './rod.ts';

export interface Workspace {
  readonly matrix: BorderedBand;
  readonly factor: BorderedFactor;
  readonly residual: Float64Array;
  readonly step: Float64Array;
  /** q at the start of the step. */
  readonly base: Float64Array;
  /** Δ̃, ψ̃ and v̂, and Δ, ψ of the current state. */
  readonly moveHat: Float64Array;
  readonly velocityHat: Float64Array;
  readonly move: Float64Array;
  readonly acceleration: Float64Array;
  /** ν − e3 + β ν̇ − S⁻¹n, and the stiffness used for S in the matrix [N]; 3 per edge. */
  readonly edgeError: Float64Array;
  readonly edgePenalty: Float64Array;
  /** 1 + sβ if the edge stretches, 1 if it is rigid, and its product with the stiffness; 3 per edge. */
  readonly edgeViscous: Float64Array;
  readonly edgeTangent: Float64Array;
  /** ν at the start of a step of implicit Euler; 3 per edge. */
  readonly strainBefore: Float64Array;
  readonly loadJacobian: LoadJacobian;
  readonly general: GeneralBand;
}

export function createWorkspace(cos: CosseratRod): Workspace {
  const border = cos.rod.closed ? RING_BORDER : 0;
  const matrix = createBorderedBand(cos.size - border, border);
  const vector = (): Float64Array => new Float64Array(cos.size);
  return {
    matrix,
    factor: createBorderedFactor(matrix),
    residual: vector(),
    step: vector(),
    base: new Float64Array(cos.q.length),
    moveHat: vector(),
    velocityHat: vector(),
    move: vector(),
    acceleration: vector(),
    edgeError: new Float64Array(3 * cos.edgeCount),
    edgePenalty: new Float64Array(3 * cos.edgeCount),
    edgeViscous: new Float64Array(3 * cos.edgeCount),
    edgeTangent: new Float64Array(3 * cos.edgeCount),
    strainBefore: new Float64Array(3 * cos.edgeCount),
    loadJacobian: createLoadJacobian(cos.size, cos.rod.closed),
    general: createGeneralBand(cos.size),
  };
}

export interface Stage {
  readonly t: number;
  /** s [1/s]; 0 at rest. */
  readonly rate: number;
  /** c: weight of the stiffness scale in a descent, else 0. */
  readonly descent: number;
  /** Strains ν at the start of a step of implicit Euler; 3 per edge. */
  readonly strainBefore?: Float64Array;
}

export function evaluateLoads(cos: CosseratRod, t: number): void {
  const { loads, drive } = cos;
  loads.nodeForce.fill(0);
  loads.edgeTorque.fill(0);
  loads.nodeDrag.fill(0);
  poseSamples(cos);
  for (const source of drive.sources) source.addLoads(loads, cos.samples, t);
  if (cos.loadFactor === 1) return;
  for (let k = 0; k < loads.nodeForce.length; k++) loads.nodeForce[k] *= cos.loadFactor;
  for (let k = 0; k < loads.edgeTorque.length; k++) loads.edgeTorque[k] *= cos.loadFactor;
}

/** residual −= generalised force of the loads; returns the sum of their sizes [N]. */
export function subtractLoads(cos: CosseratRod, residual: Float64Array): number {
  const { loads, nodeCount, edgeCount, edgeFrame, rod } = cos;
  let scale = 0;
  for (let i = 0; i < nodeCount; i++) {
    for (let k = 0; k < 3; k++) {
      const force = loads.nodeForce[3 * i + k];
      residual[6 * i + k] -= force;
      scale += Math.abs(force);
    }
  }
  for (let j = 0; j < edgeCount; j++) {
    const x = loads.edgeTorque[3 * j];
    const y = loads.edgeTorque[3 * j + 1];
    const z = loads.edgeTorque[3 * j + 2];
    if (x === 0 && y === 0 && z === 0) continue;
    for (let k = 0; k < 3; k++) {
      const f = 9 * j + 3 * k;
      const torque = edgeFrame[f] * x + edgeFrame[f + 1] * y + edgeFrame[f + 2] * z;
      residual[6 * j + 3 + k] -= torque;
      scale += Math.abs(torque) / rod.length;
    }
  }
  return scale;
}

const series = new Float64Array(4);

/** v = J_r(ψ)u: angular velocity in material axes from the rate u of a rotation vector. */
export function applyRightJacobian(
  out: Float64Array,
  o: number,
  psi: Float64Array,
  i: number,
  ux: number,
  uy: number,
  uz: number,
): void {
  const x = psi[i];
  const y = psi[i + 1];
  const z = psi[i + 2];
  writeRotationSeries(series, x * x + y * y + z * z, 4);
  const px = y * uz - z * uy;
  const py = z * ux - x * uz;
  const pz = x * uy - y * ux;
  out[o] = ux - series[2] * px + series[3] * (y * pz - z * py);
  out[o + 1] = uy - series[2] * py + series[3] * (z * px - x * pz);
  out[o + 2] = uz - series[2] * pz + series[3] * (x * py - y * px);
}

/** Computes Δ and ψ relative to `base`, then velocities and accelerations. Returns false if a frame turned too far. */
export function measureMotion(cos: CosseratRod, work: Workspace, stage: Stage): boolean {
  const { q, v, nodeCount, edgeCount, fixed } = cos;
  const { base, move, moveHat, velocityHat, acceleration } = work;
  const { rate: s } = stage;
  if (s === 0 && stage.descent === 0) return true;
  for (let i = 0; i < nodeCount; i++) {
    for (let k = 0; k < 3; k++) {
      const d = 6 * i + k;
      move[d] = q[7 * i + k] - base[7 * i + k];
      if (!fixed[d]) v[d] = s * (move[d] - moveHat[d]);
      acceleration[d] = s * (v[d] - velocityHat[d]);
    }
  }
  for (let j = 0; j < edgeCount; j++) {
    const d = 6 * j + 3;
    if (!measureRotation(move, d, base, 7 * j + 3, q, 7 * j + 3, 0)) return false;
    applyRightJacobian(
      v,
      d,
      move,
      d,
      s * (move[d] - moveHat[d]),
      s * (move[d + 1] - moveHat[d + 1]),
      s * (move[d + 2] - moveHat[d + 2]),
    );
    for (let k = 0; k < 3; k++) acceleration[d + k] = s * (v[d + k] - velocityHat[d + k]);
  }
  return true;
}

/** Inertia, mass damping and the gyroscopic torque; returns the sum of inertial forces' sizes [N]. */
function addInertia(cos: CosseratRod, work: Workspace, stage: Stage, matrix: BorderedBand | undefined): number {
  const { mass, massDamping, v, nodeCount, edgeCount, size, stiffnessScale } = cos;
  const { residual, acceleration, move } = work;
  const { rate: s, descent: c } = stage;
  let scale = 0;
  if (c > 0) {
    for (let d = 0; d < size; d++) {
      residual[d] += c * stiffnessScale[d] * move[d];
      if (matrix) addEntry(matrix, d, d, c * stiffnessScale[d]);
    }
  }
  if (s === 0) return 0;
  for (let d = 0; d < size; d++) {
    residual[d] += mass[d] * (acceleration[d] + massDamping[d] * v[d]);
    if (d % 6 < 3 || d >= 6 * nodeCount) scale += Math.abs(mass[d] * acceleration[d]);
    if (matrix) addEntry(matrix, d, d, mass[d] * s * (s + massDamping[d]));
  }
  for (let j = 0; j < edgeCount; j++) {
    const d = 6 * j + 3;
    // ω × Jω, zero for a spherical inertia
    residual[d] += (mass[d + 2] - mass[d + 1]) * v[d + 1] * v[d + 2];
    residual[d + 1] += (mass[d] - mass[d + 2]) * v[d + 2] * v[d];
    residual[d + 2] += (mass[d + 1] - mass[d]) * v[d] * v[d + 1];
  }
  return scale;
}

/** Residual of the stage at the current state (and its matrix, when one is given). Returns the force scale, NaN on trouble. */
export function evaluateStage(
  cos: CosseratRod,
  work: Workspace,
  stage: Stage,
  matrix: BorderedBand | undefined,
): number {
  const { edgeCount, edgeStrain, edgeForce, edgeStiffness, edgeDamping, v, rod } = cos;
  const { residual, edgeError, edgePenalty, edgeViscous, edgeTangent } = work;
  const { rate: s } = stage;
  residual.fill(0);
  addJoints(cos, residual, matrix, s > 0 ? v : undefined, s);
  addEdgeForces(cos, residual);
  let scale = addInertia(cos, work, stage, matrix);
  for (let j = 0; j < edgeCount; j++) {
    const o = 3 * j;
    const beta = edgeDamping[j];
    for (let k = 0; k < 3; k++) {
      const elastic = edgeStiffness[o + k] < Infinity;
      edgeViscous[o + k] = elastic ? 1 + s * beta : 1;
      edgeTangent[o + k] = edgeViscous[o + k] * edgePenalty[o + k];
      const compliance = elastic ? edgeForce[o + k] / edgeStiffness[o + k] : 0;
      edgeError[o + k] = edgeStrain[o + k] - (k === 2 ? 1 : 0) - compliance;
    }
    if (s > 0 && beta > 0) {
      // implicit Euler: the change of strain over the step, because ν̇ of displacements over the step is not zero in a rotation
      if (stage.strainBefore) addStrainChange(cos, j, edgeError, s * beta, stage.strainBefore);
      else addStrainRate(cos, j, edgeError, beta);
    }
    if (matrix) addEdgeHessian(matrix, cos, j, edgeTangent);
  }
  if (matrix && s > 0) addDrag(matrix, cos.loads.nodeDrag, 6, s);
  scale += subtractLoads(cos, residual);
  return scale < Infinity && rod.length > 0 ? scale : Number.NaN;
}

/** error += scale·(ν − ν₀); rigid components have none. */
function addStrainChange(
  { edgeStrain, edgeStiffness }: CosseratRod,
  j: number,
  error: Float64Array,
  scale: number,
  before: Float64Array,
): void {
  for (let o = 3 * j; o < 3 * j + 3; o++)
    if (edgeStiffness[o] < Infinity) error[o] += scale * (edgeStrain[o] - before[o]);
}

/** error += β ν̇, ν̇ = RᵀΔv/l + ν×ω; rigid components have none. */
function addStrainRate(cos: CosseratRod, j: number, error: Float64Array, beta: number): void {
  const { edgeFrame, edgeStrain, edgeStiffness, v, nodeCount, rod } = cos;
  const a = 6 * j;
  const b = j + 1 < nodeCount ? a + 6 : 0;
  const l = 1 / rod.edgeLengthRest[j];
  const o = 3 * j;
  for (let k = 0; k < 3; k++) {
    if (!(edgeStiffness[o + k] < Infinity)) continue;
    const f = 9 * j + 3 * k;
    const m = (k + 1) % 3;
    const n = (k + 2) % 3;
    const rate =
      l *
        (edgeFrame[f] * (v[b] - v[a]) +
          edgeFrame[f + 1] * (v[b + 1] - v[a + 1]) +
          edgeFrame[f + 2] * (v[b + 2] - v[a + 2])) +
      edgeStrain[o + m] * v[a + 3 + n] -
      edgeStrain[o + n] * v[a + 3 + m];
    error[o + k] += beta * rate;
  }
}

/** Sets the edge stiffness in the matrix: S if it is finite, otherwise a penalty well above all other stiffness. */
export function setPenalties(cos: CosseratRod, work: Workspace, rate: number): void {
  const { edgeStiffness, edgeCount, nodeCount, stiffnessScale, mass, rod } = cos;
  for (let j = 0; j < edgeCount; j++) {
    const b = j + 1 < nodeCount ? 6 * j + 6 : 0;
    const l = rod.edgeLengthRest[j];
    const inertia = rate * rate * Math.max(mass[6 * j], mass[b]);
    const other = (Math.max(stiffnessScale[6 * j], stiffnessScale[b]) + inertia) * l;
    for (let k = 0; k < 3; k++)
      work.edgePenalty[3 * j + k] = edgeStiffness[3 * j + k] < Infinity ? edgeStiffness[3 * j + k] : 1e6 * other;
  }
}
