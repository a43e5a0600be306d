/**
 * One stage of a rod: its parameters (inertia c, rate s, q̂ and q̃), its residual and its matrix at the current state. The equations are in newton.ts.
 */

import { type BorderedFactor, createBorderedFactor } from '../../linalg/band.ts';
import { createGeneralBand, type GeneralBand } from '../../linalg/bandLu.ts';
import { addEntry, BAND_WIDTH, type BorderedBand, createBorderedBand } from '../../linalg/bandMatrix.ts';
import type { Loads } from '../../port.ts';
import { addDrag, createLoadJacobian, dependsOnState, type LoadJacobian } from '../loadJacobian.ts';
import { addElasticGradient, addElasticHessian } from './energy.ts';
import { poseSamples } from './kinematics.ts';
import { type DerRod, RING_BORDER } from './rod.ts';

export interface Workspace {
  readonly matrix: BorderedBand;
  readonly factor: BorderedFactor;
  readonly residual: Float64Array;
  readonly step: Float64Array;
  readonly qHat: Float64Array;
  readonly qRate: Float64Array;
  /** q and the held frames' θ before a guess moved them. */
  readonly qStart: Float64Array;
  readonly heldTheta: Float64Array;
  readonly edgeError: Float64Array;
  readonly edgePenalty: Float64Array;
  /** 1 + s·β: how much stiffer viscosity makes an edge in this stage. */
  readonly edgeViscous: Float64Array;
  readonly edgeWork: Float64Array;
  /** For loads that depend on the rod's state; see loadJacobian.ts. */
  readonly loadJacobian: LoadJacobian;
  readonly general: GeneralBand;
}

export function createWorkspace(der: DerRod): Workspace {
  const border = der.rod.closed ? RING_BORDER : 0;
  const matrix = createBorderedBand(der.size - border, border);
  return {
    matrix,
    factor: createBorderedFactor(matrix),
    residual: new Float64Array(der.size),
    step: new Float64Array(der.size),
    qHat: new Float64Array(der.size),
    qRate: new Float64Array(der.size),
    qStart: new Float64Array(der.size),
    heldTheta: new Float64Array(der.held.count),
    edgeError: new Float64Array(der.edgeCount),
    edgePenalty: new Float64Array(der.edgeCount),
    edgeViscous: new Float64Array(der.edgeCount),
    loadJacobian: createLoadJacobian(der.size, der.rod.closed),
    general: createGeneralBand(der.size),
    edgeWork: new Float64Array(3 * der.edgeCount),
  };
}

/** A stage: q̂ and q̃ are in the workspace. Statics has inertia = rate = 0. */
export interface Stage {
  readonly t: number;
  /** c [1/s²] */
  readonly inertia: number;
  /** s [1/s] */
  readonly rate: number;
  /** Length of the step if the stage is one of implicit Euler [s]: velocities are displacements over it. */
  readonly span?: number;
}

const ends = new Float64Array(3);

/**
 * Rate of the length of edge j, whose ends are the unknowns from a and from b. In a step of implicit Euler it is the change of length over the step: the
 * velocity along the edge at the end of the step is not zero if the edge only turns (ω²·l·span/2).
 */
function stretchRate(der: DerRod, { qRate }: Workspace, j: number, a: number, b: number, span: number): number {
  const { q, v, edgeTangent, edgeLength } = der;
  let along = 0;
  let square = 0;
  for (let k = 0; k < 3; k++) {
    ends[k] = span > 0 ? q[b + k] - q[a + k] - (qRate[b + k] - qRate[a + k]) : v[b + k] - v[a + k];
    along += edgeTangent[3 * j + k] * ends[k];
    square += ends[k] * ends[k];
  }
  if (span === 0) return along;
  const l = edgeLength[j];
  const before = Math.sqrt(Math.max(0, l * l - 2 * l * along + square));
  return (2 * l * along - square) / (span * (l + before));
}

/** Evaluates all loads and adds the generalised force −f to the residual; returns the sum of force magnitudes [N]. */
export function subtractLoads(der: DerRod, residual: Float64Array): number {
  const { loads, edgeCount, nodeCount, edgeTangent, edgeLength } = der;
  let scale = 0;
  for (let i = 0; i < nodeCount; i++) {
    const fx = loads.nodeForce[3 * i];
    const fy = loads.nodeForce[3 * i + 1];
    const fz = loads.nodeForce[3 * i + 2];
    residual[4 * i] -= fx;
    residual[4 * i + 1] -= fy;
    residual[4 * i + 2] -= fz;
    scale += Math.abs(fx) + Math.abs(fy) + Math.abs(fz);
  }
  const torque = loads.edgeTorque;
  for (let j = 0; j < edgeCount; j++) {
    const o = 3 * j;
    const x = torque[o];
    const y = torque[o + 1];
    const z = torque[o + 2];
    if (x === 0 && y === 0 && z === 0) continue;
    // about the tangent: on θ; across: a couple of forces (τ × t)/|e| on the two nodes
    const tx = edgeTangent[o];
    const ty = edgeTangent[o + 1];
    const tz = edgeTangent[o + 2];
    residual[4 * j + 3] -= x * tx + y * ty + z * tz;
    const a = 4 * j;
    const b = j + 1 < nodeCount ? a + 4 : 0;
    const fx = (y * tz - z * ty) / edgeLength[j];
    const fy = (z * tx - x * tz) / edgeLength[j];
    const fz = (x * ty - y * tx) / edgeLength[j];
    residual[b] -= fx;
    residual[b + 1] -= fy;
    residual[b + 2] -= fz;
    residual[a] += fx;
    residual[a + 1] += fy;
    residual[a + 2] += fz;
    scale += Math.abs(fx) + Math.abs(fy) + Math.abs(fz);
  }
  return scale;
}

export function evaluateLoads(der: DerRod, t: number): void {
  // dead loads do not depend on the rod
  if (dependsOnState(der.drive)) poseSamples(der);
  sumLoads(der, t, der.loads);
}

/** Generalised force of all loads and contacts at the current samples. */
export function sumLoads(der: DerRod, t: number, loads: Loads): void {
  loads.nodeForce.fill(0);
  loads.edgeTorque.fill(0);
  loads.nodeDrag.fill(0);
  for (const source of der.drive.sources) source.addLoads(loads, der.samples, t);
  if (der.contact?.active) addContactLoads(loads, der.contact);
  if (der.loadFactor === 1) return;
  for (let k = 0; k < loads.nodeForce.length; k++) loads.nodeForce[k] *= der.loadFactor;
  for (let k = 0; k < loads.edgeTorque.length; k++) loads.edgeTorque[k] *= der.loadFactor;
}

function addContactLoads(loads: Loads, { nodeForce, edgeTorque }: NonNullable<DerRod['contact']>): void {
  for (let k = 0; k < nodeForce.length; k++) loads.nodeForce[k] += nodeForce[k];
  for (let k = 0; k < edgeTorque.length; k++) loads.edgeTorque[k] += edgeTorque[k];
}

/** Why the last evaluation failed. */
let trouble = '';

export function lastTrouble(): string {
  return trouble;
}

/** r of the stage at the current state (and K, if a matrix is given). Returns the force scale; NaN at a fold, unless inertia decides where it goes. */
export function evaluateStage(der: DerRod, work: Workspace, stage: Stage, matrix: BorderedBand | undefined): number {
  const { residual, qHat } = work;
  const { size, q, v, mass, massDamping } = der;
  const { inertia: c, rate: s } = stage;
  residual.fill(0);
  const viscous = s > 0 ? v : undefined;
  const done = matrix
    ? addElasticHessian(matrix, residual, der, viscous, s, 'elastic-and-viscous')
    : addElasticGradient(residual, der, viscous, undefined);
  if (!done && c === 0) {
    trouble = 'two edges point against each other';
    return Number.NaN;
  }
  const border = matrix ? matrix.borderSize : 0;
  const w1 = BAND_WIDTH + 1;
  let scale = 0;
  if (c > 0) {
    for (let d = 0; d < size; d++) {
      const inertial = c * mass[d] * (q[d] - qHat[d]);
      residual[d] += inertial + mass[d] * massDamping[d] * v[d];
      if ((d & 3) !== 3) scale += Math.abs(inertial);
      if (!matrix) continue;
      const k = mass[d] * (c + massDamping[d] * s);
      if (d >= border) matrix.band[(d - border) * w1 + BAND_WIDTH] += k;
      else matrix.corner[d * border + d] += k;
    }
  }
  addEdges(der, work, stage, matrix);
  if (matrix && s > 0) addDrag(matrix, der.loads.nodeDrag, 4, s);
  scale += subtractLoads(der, residual);
  der.contact?.pointMasses?.add(residual, matrix, der, der.contact.pointMasses);
  if (scale < Infinity) return scale;
  trouble = 'a load is not a finite number';
  return Number.NaN;
}

/** Adds tensions to the residual and stretching to the matrix; writes the errors of the edges' lengths. */
function addEdges(der: DerRod, work: Workspace, { rate: s, span = 0 }: Stage, matrix: BorderedBand | undefined): void {
  const { residual, edgeError, edgePenalty } = work;
  const { edgeCount, nodeCount, edgeLength, edgeTangent, edgeTension, rod } = der;
  const broken = der.breaking?.broken;
  for (let j = 0; j < edgeCount; j++) {
    if (broken && broken[j] === 1) {
      edgeError[j] = 0;
      work.edgeViscous[j] = 1;
      continue;
    }
    const a = 4 * j;
    const b = j + 1 < nodeCount ? a + 4 : 0;
    const o = 3 * j;
    const tx = edgeTangent[o];
    const ty = edgeTangent[o + 1];
    const tz = edgeTangent[o + 2];
    const lambda = edgeTension[j];
    const k = edgePenalty[j];
    const extensible = der.edgeStiffness[j] < Infinity;
    edgeError[j] = edgeLength[j] - rod.edgeLengthRest[j] - (extensible ? lambda / der.edgeStiffness[j] : 0);
    // Kelvin–Voigt: λ/k is the strain plus β times its rate; as part of the equation for λ it costs no digits
    const beta = extensible ? s * der.edgeDamping[j] : 0;
    if (beta > 0) edgeError[j] += der.edgeDamping[j] * stretchRate(der, work, j, a, b, span);
    work.edgeViscous[j] = 1 + beta;
    residual[a] -= lambda * tx;
    residual[a + 1] -= lambda * ty;
    residual[a + 2] -= lambda * tz;
    residual[b] += lambda * tx;
    residual[b + 1] += lambda * ty;
    residual[b + 2] += lambda * tz;
    if (matrix) addEdgeStiffness(matrix, a, b, tx, ty, tz, k * (1 + beta), lambda / edgeLength[j]);
  }
}

/** k t tᵀ + g(I − t tᵀ) between the nodes at unknowns a and b. */
function addEdgeStiffness(
  matrix: BorderedBand,
  a: number,
  b: number,
  tx: number,
  ty: number,
  tz: number,
  k: number,
  g: number,
): void {
  const kg = k - g;
  const xx = kg * tx * tx + g;
  const xy = kg * tx * ty;
  const xz = kg * tx * tz;
  const yy = kg * ty * ty + g;
  const yz = kg * ty * tz;
  const zz = kg * tz * tz + g;
  const border = matrix.borderSize;
  if (a < border || b < a) addEntries(matrix, a, b, [xx, xy, xz, xy, yy, yz, xz, yz, zz]);
  else addEdgeBlock(matrix.band, (a - border) * (BAND_WIDTH + 1) + BAND_WIDTH, xx, xy, xz, yy, yz, zz);
}

/** Adds a 3 × 3 block between the nodes at unknowns a and b entry by entry: at the border, and at the joint that closes a ring. */
function addEntries(matrix: BorderedBand, a: number, b: number, block: readonly number[]): void {
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++) {
      addEntry(matrix, b + i, a + j, -block[3 * i + j]);
      if (j > i) continue;
      addEntry(matrix, a + i, a + j, block[3 * i + j]);
      addEntry(matrix, b + i, b + j, block[3 * i + j]);
    }
  }
}

/** Adds the block of an edge whose nodes both lie in the band; d: diagonal of unknown a. */
function addEdgeBlock(
  band: Float64Array,
  d: number,
  xx: number,
  xy: number,
  xz: number,
  yy: number,
  yz: number,
  zz: number,
): void {
  band[d] += xx;
  band[d + 10] += xy;
  band[d + 11] += yy;
  band[d + 20] += xz;
  band[d + 21] += yz;
  band[d + 22] += zz;
  const x = d + 44;
  band[x - 4] -= xx;
  band[x - 3] -= xy;
  band[x - 2] -= xz;
  band[x] += xx;
  const y = x + 11;
  band[y - 5] -= xy;
  band[y - 4] -= yy;
  band[y - 3] -= yz;
  band[y - 1] += xy;
  band[y] += yy;
  const z = y + 11;
  band[z - 6] -= xz;
  band[z - 5] -= yz;
  band[z - 4] -= zz;
  band[z - 2] += xz;
  band[z - 1] += yz;
  band[z] += zz;
}

/** EA/ē if the edge stretches; otherwise a penalty well above all other stiffness. */
export function setPenalties(der: DerRod, work: Workspace, inertia: number): void {
  const { edgeStiffness, edgeCount, nodeCount, stiffnessScale, mass } = der;
  for (let j = 0; j < edgeCount; j++) {
    const b = j + 1 < nodeCount ? 4 * j + 4 : 0;
    const other = Math.max(stiffnessScale[4 * j], stiffnessScale[b]) + inertia * Math.max(mass[4 * j], mass[b]);
    work.edgePenalty[j] = edgeStiffness[j] < Infinity ? edgeStiffness[j] : 1e6 * other;
  }
}

/** Residual of the stage at the current state, 0 at prescribed unknowns. */
export function evaluateResidual(der: DerRod, work: Workspace, stage: Stage): boolean {
  setPenalties(der, work, stage.inertia);
  evaluateLoads(der, stage.t);
  return !Number.isNaN(evaluateStage(der, work, stage, undefined));
}
