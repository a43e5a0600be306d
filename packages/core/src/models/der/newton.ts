/**
 * The mixed Newton method that every implicit stage and every equilibrium goes through.
 *
 * Unknowns q and the edge tensions λ. One stage solves
 *     c·M(q − q̂) + ∇E(q) + damping − loads + Σ λ_j ∇|e_j| = 0,     |e_j| − ē_j − λ_j/k_j = 0,   k_j = EA/ē_j,
 * with velocities v = s·(q − q̃) of the stage. λ is condensed, so that the matrix keeps the band of bending alone:
 *     K = H + Σ k t tᵀ + (λ/|e|)(I − t tᵀ),   K dq = −r − Aᵀ(k·rl),   dλ = k(A dq + rl).
 * The tension as an unknown of its own is what makes stiff rods cheap: 8 iterations for EA from 1e3 to 1e9 EI/L²,
 * where Newton on positions alone stalls from 1e5 on. An inextensible edge drops λ/k from its equation; k is then
 * a penalty that only sets the speed of convergence (the error falls by about 1e-6 an iteration).
 *
 * Where the matrix is not positive definite it is shifted by σ·diag(stiffness scale), σ ×4 until it factors and ÷4 after
 * each step. Steps are limited to half a radian of any edge: a longer one can hop over the barrier of a fold.
 */
import {
  addEntry,
  BAND_WIDTH,
  type BorderedBand,
  type BorderedFactor,
  clearBand,
  createBorderedBand,
  createBorderedFactor,
  factorBand,
  fixUnknown,
  readEntry,
  solveBand,
} from '../../linalg/band.ts';
import { addGeneral, createGeneralBand, type GeneralBand, solveGeneral } from '../../linalg/bandLu.ts';
import { addElasticGradient, addElasticHessian } from './energy.ts';
import { followCenterline, poseSamples } from './kinematics.ts';
import { createLoadJacobian, type LoadJacobian, measureLoadJacobian, subtractSymmetricPart } from './loadStiffness.ts';
import { type DerRod, RING_BORDER } from './rod.ts';

export interface Workspace {
  readonly matrix: BorderedBand;
  readonly factor: BorderedFactor;
  readonly residual: Float64Array;
  readonly step: Float64Array;
  readonly qHat: Float64Array;
  readonly qRate: Float64Array;
  readonly edgeError: Float64Array;
  readonly edgePenalty: Float64Array;
  /** 1 + s·β: how much stiffer viscosity makes an edge in this stage. */
  readonly edgeViscous: Float64Array;
  readonly edgeWork: Float64Array;
  /** For loads that depend on the rod's state; see loadStiffness.ts. */
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
    edgeError: new Float64Array(der.edgeCount),
    edgePenalty: new Float64Array(der.edgeCount),
    edgeViscous: new Float64Array(der.edgeCount),
    loadJacobian: createLoadJacobian(der),
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
}

export interface NewtonOptions {
  readonly tolerance: number;
  readonly iterations: number;
  /** Largest rotation of an edge in one iteration [rad]. */
  readonly rotation: number;
}

export interface NewtonResult {
  converged: boolean;
  iterations: number;
  shifts: number;
  /** Largest residual force [N] and what it had to be below. */
  residual: number;
  tolerance: number;
  reason: string;
}

/** Asks all load sources and adds the generalised force −f to the residual; returns the sum of forces' sizes [N]. */
function subtractLoads(der: DerRod, residual: Float64Array): number {
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
  const { loads, drive } = der;
  loads.nodeForce.fill(0);
  loads.edgeTorque.fill(0);
  loads.nodeDrag.fill(0);
  poseSamples(der);
  for (const source of drive.sources) source.addLoads(loads, der.samples, t);
  if (der.loadFactor === 1) return;
  for (let k = 0; k < loads.nodeForce.length; k++) loads.nodeForce[k] *= der.loadFactor;
  for (let k = 0; k < loads.edgeTorque.length; k++) loads.edgeTorque[k] *= der.loadFactor;
}

/** Why the last evaluation failed. */
let trouble = '';

export function lastTrouble(): string {
  return trouble;
}

/** r of the stage at the present state (and K, when a matrix is given). Returns the force scale, NaN if the rod folded. */
export function evaluateStage(der: DerRod, work: Workspace, stage: Stage, matrix: BorderedBand | undefined): number {
  const { residual, qHat, edgeError, edgePenalty } = work;
  const { size, q, v, mass, massDamping, edgeCount, nodeCount, edgeLength, edgeTangent, edgeTension, rod } = der;
  const { inertia: c, rate: s } = stage;
  residual.fill(0);
  const viscous = s > 0 ? v : undefined;
  const done = matrix
    ? addElasticHessian(matrix, residual, der, viscous, s, true)
    : addElasticGradient(residual, der, viscous, undefined);
  if (!done) {
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
  for (let j = 0; j < edgeCount; j++) {
    const a = 4 * j;
    const b = j + 1 < nodeCount ? a + 4 : 0;
    const o = 3 * j;
    const tx = edgeTangent[o];
    const ty = edgeTangent[o + 1];
    const tz = edgeTangent[o + 2];
    const lambda = edgeTension[j];
    const k = edgePenalty[j];
    const extensible = der.edgeStiffness[j] < Infinity;
    edgeError[j] = edgeLength[j] - rod.edgeLengthRest[j] - (extensible ? lambda / k : 0);
    // Kelvin–Voigt: λ/k is the strain plus β times its rate; as part of the equation for λ it costs no digits
    const beta = extensible ? s * der.edgeDamping[j] : 0;
    if (beta > 0) {
      const stretching = tx * (v[b] - v[a]) + ty * (v[b + 1] - v[a + 1]) + tz * (v[b + 2] - v[a + 2]);
      edgeError[j] += der.edgeDamping[j] * stretching;
    }
    work.edgeViscous[j] = 1 + beta;
    residual[a] -= lambda * tx;
    residual[a + 1] -= lambda * ty;
    residual[a + 2] -= lambda * tz;
    residual[b] += lambda * tx;
    residual[b + 1] += lambda * ty;
    residual[b + 2] += lambda * tz;
    if (matrix) addEdgeStiffness(matrix, a, b, tx, ty, tz, k * (1 + beta), lambda / edgeLength[j]);
  }
  if (matrix && s > 0) addDrag(matrix, der, s);
  scale += subtractLoads(der, residual);
  if (scale < Infinity) return scale;
  trouble = 'a load is not a finite number';
  return Number.NaN;
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
  if (a < border || b < a) {
    const block = [xx, xy, xz, xy, yy, yz, xz, yz, zz];
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 3; j++) {
        addEntry(matrix, b + i, a + j, -block[3 * i + j]);
        if (j > i) continue;
        addEntry(matrix, a + i, a + j, block[3 * i + j]);
        addEntry(matrix, b + i, b + j, block[3 * i + j]);
      }
    }
    return;
  }
  const band = matrix.band;
  const w1 = BAND_WIDTH + 1;
  let d = (a - border) * w1 + BAND_WIDTH;
  band[d] += xx;
  band[d + w1 - 1] += xy;
  band[d + w1] += yy;
  band[d + 2 * w1 - 2] += xz;
  band[d + 2 * w1 - 1] += yz;
  band[d + 2 * w1] += zz;
  d += 4 * w1;
  band[d - 4] -= xx;
  band[d - 3] -= xy;
  band[d - 2] -= xz;
  band[d] += xx;
  d += w1;
  band[d - 5] -= xy;
  band[d - 4] -= yy;
  band[d - 3] -= yz;
  band[d - 1] += xy;
  band[d] += yy;
  d += w1;
  band[d - 6] -= xz;
  band[d - 5] -= yz;
  band[d - 4] -= zz;
  band[d - 2] += xz;
  band[d - 1] += yz;
  band[d] += zz;
}

/** Implicit part of velocity-dependent loads. */
function addDrag(matrix: BorderedBand, der: DerRod, s: number): void {
  const drag = der.loads.nodeDrag;
  for (let i = 0; i < der.nodeCount; i++) {
    const o = 6 * i;
    if (drag[o] === 0 && drag[o + 3] === 0 && drag[o + 5] === 0) continue;
    const d = 4 * i;
    addEntry(matrix, d, d, s * drag[o]);
    addEntry(matrix, d + 1, d, s * drag[o + 1]);
    addEntry(matrix, d + 2, d, s * drag[o + 2]);
    addEntry(matrix, d + 1, d + 1, s * drag[o + 3]);
    addEntry(matrix, d + 2, d + 1, s * drag[o + 4]);
    addEntry(matrix, d + 2, d + 2, s * drag[o + 5]);
  }
}

/** EA/ē where the edge stretches; a penalty well above all other stiffness where it does not. */
export function setPenalties(der: DerRod, work: Workspace, inertia: number): void {
  const { edgeStiffness, edgeCount, nodeCount, stiffnessScale, mass } = der;
  for (let j = 0; j < edgeCount; j++) {
    const b = j + 1 < nodeCount ? 4 * j + 4 : 0;
    const other = Math.max(stiffnessScale[4 * j], stiffnessScale[b]) + inertia * Math.max(mass[4 * j], mass[b]);
    work.edgePenalty[j] = edgeStiffness[j] < Infinity ? edgeStiffness[j] : 1e6 * other;
  }
}

export interface EdgeCap {
  readonly multiple: number;
  readonly edges: 'all' | 'inextensible';
}

/**
 * Stretch relative to bending that is stiff enough for n edges and no stiffer: its softness shifts a threshold by about
 * 40/(n² × this); its stiffness costs digits, of which a fine rod has few, since its softest mode is 100/n⁴ of the stiffest.
 */
export function stiffEnough(der: DerRod): number {
  return Math.max(10, 1e3 * Math.min(1, (100 / der.edgeCount) ** 2));
}

/**
 * Tangent stiffness of the rod (with inertia and rate terms as in the stage) at the present state, and ∂f/∂q of its loads
 * beside it; `closeTangent` puts the two together.
 * `cap` limits the stiffness of edges to a multiple of that of bending: what matters for soft modes and signs of
 * eigenvalues would drown in the rounding of a very stiff stretch.
 */
export function assembleTangent(der: DerRod, work: Workspace, stage: Stage, cap: EdgeCap): boolean {
  setPenalties(der, work, stage.inertia);
  for (let j = 0; j < der.edgeCount; j++) {
    if (cap.edges === 'inextensible' && der.edgeStiffness[j] < Infinity) continue;
    const bending = Math.max(der.stiffnessScale[4 * j], der.stiffnessScale[j + 1 < der.nodeCount ? 4 * j + 4 : 0]);
    // under tension the rod is stiffer than it bends: stretch must stay well above that too
    const tension = Math.abs(der.edgeTension[j]) / der.edgeLength[j];
    work.edgePenalty[j] = Math.min(work.edgePenalty[j], cap.multiple * bending + 1e5 * tension);
  }
  evaluateLoads(der, stage.t);
  clearBand(work.matrix);
  if (Number.isNaN(evaluateStage(der, work, stage, work.matrix))) return false;
  work.loadJacobian.asymmetry = 0;
  if (stage.rate === 0 && der.drive.sources.some((source) => source.dependsOnState)) measureLoads(der, work, stage.t);
  return true;
}

/** Takes the symmetric part of ∂f/∂q from the tangent stiffness and fixes prescribed unknowns. */
export function closeTangent(der: DerRod, work: Workspace): void {
  if (der.drive.sources.some((source) => source.dependsOnState)) {
    subtractSymmetricPart(work.matrix, work.loadJacobian, der.size, der.rod.closed);
  }
  for (let d = 0; d < der.size; d++) if (der.fixed[d]) fixUnknown(work.matrix, d);
}

/** Residual of the stage at the present state, 0 at prescribed unknowns. */
export function evaluateResidual(der: DerRod, work: Workspace, stage: Stage): boolean {
  setPenalties(der, work, stage.inertia);
  evaluateLoads(der, stage.t);
  return !Number.isNaN(evaluateStage(der, work, stage, undefined));
}

/** What the residual is held against: forces, and torques as forces on an arm of the rod's length. */
export function measureConvergence(
  der: DerRod,
  work: Workspace,
  stage: Stage,
  scale: number,
  tolerance: number,
  result: NewtonResult,
): boolean {
  const { size, q, mass, fixed, stiffnessScale, rod, edgeCount } = der;
  const { residual, edgeError, edgePenalty } = work;
  let extent = rod.length;
  let floor = 0;
  let largest = 0;
  let largestTorque = 0;
  let bending = 0;
  let damping = 0;
  for (let i = 0; i < der.joints.count; i++) damping = Math.max(damping, der.joints.damping[i]);
  for (let d = 0; d < size; d++) {
    const r = Math.abs(residual[d]);
    if ((d & 3) === 3) {
      if (r > largestTorque) largestTorque = r;
      continue;
    }
    const x = Math.abs(q[d]);
    if (x > extent) extent = x;
    const k = stiffnessScale[d] * (1 + stage.rate * damping) + stage.inertia * mass[d];
    if (k > floor) floor = k;
    if (stiffnessScale[d] > bending) bending = stiffnessScale[d];
    if (!fixed[d] && !(r <= largest)) largest = r;
  }
  // EI/L² is the force that bends the whole rod; rounding of positions sets the floor
  const l = rod.length;
  const edge = l / edgeCount;
  const elastic = (bending * edge ** 3) / (l * l);
  const limit = Math.max(tolerance * Math.max(scale, elastic), 4e-15 * floor * extent);
  result.tolerance = limit;
  result.residual = Math.max(largest, largestTorque / l);
  if (!(largest <= limit && largestTorque <= limit * l)) return false;
  for (let j = 0; j < edgeCount; j++) {
    const error = Math.abs(edgeError[j]);
    const rounding = 2e-15 * extent * work.edgeViscous[j];
    const allowed =
      der.edgeStiffness[j] < Infinity
        ? Math.max(limit / edgePenalty[j], rounding)
        : Math.max(1e-11 * rod.edgeLengthRest[j], rounding);
    if (!(error <= allowed)) return false;
  }
  return true;
}

/** Moves q by at most `rotation` of any edge along the step; returns the fraction taken. */
export function limitStep(der: DerRod, step: Float64Array, rotation: number): number {
  const { edgeCount, nodeCount, edgeTangent, edgeLength } = der;
  let largest = 0;
  for (let j = 0; j < edgeCount; j++) {
    const a = 4 * j;
    const b = j + 1 < nodeCount ? a + 4 : 0;
    const x = step[b] - step[a];
    const y = step[b + 1] - step[a + 1];
    const z = step[b + 2] - step[a + 2];
    const along = x * edgeTangent[3 * j] + y * edgeTangent[3 * j + 1] + z * edgeTangent[3 * j + 2];
    const across = Math.sqrt(Math.max(0, x * x + y * y + z * z - along * along)) / edgeLength[j];
    largest = Math.max(largest, across, Math.abs(step[a + 3]), -along / edgeLength[j]);
  }
  return largest > rotation ? rotation / largest : 1;
}

/** ∂f/∂q at the present state, into work.loadJacobian. */
function measureLoads(der: DerRod, work: Workspace, t: number): void {
  measureLoadJacobian(work.loadJacobian, der, work.edgeWork, (out) => {
    evaluateLoads(der, t);
    out.fill(0);
    subtractLoads(der, out);
    for (let d = 0; d < out.length; d++) out[d] = -out[d];
  });
  evaluateLoads(der, t);
}

/**
 * (K − ∂f/∂q) x = step in place, with K in work.matrix and prescribed unknowns kept; returns the sign of the determinant,
 * 0 when singular (the right-hand side is then as it was).
 */
export function solveUnsymmetric(der: DerRod, work: Workspace): number {
  const { size, fixed } = der;
  const { general, matrix, loadJacobian, step } = work;
  general.entries.fill(0);
  for (let i = 0; i < size; i++) {
    if (fixed[i]) {
      addGeneral(general, i, i, 1);
      continue;
    }
    for (let j = Math.max(0, i - BAND_WIDTH); j <= Math.min(size - 1, i + BAND_WIDTH); j++) {
      if (!fixed[j]) addGeneral(general, i, j, readEntry(matrix, i, j) - loadJacobian.entries[21 * i + 10 + j - i]);
    }
  }
  const right = step.slice();
  const sign = solveGeneral(general, step);
  if (sign === 0) step.set(right);
  return sign;
}

/** Right-hand side −r − Aᵀ(k·rl) of the Newton equation, into work.step. */
export function writeRightSide(der: DerRod, work: Workspace): void {
  const { size, edgeCount, nodeCount, edgeTangent } = der;
  const { step, residual, edgePenalty, edgeError } = work;
  for (let d = 0; d < size; d++) step[d] = -residual[d];
  for (let j = 0; j < edgeCount; j++) {
    const pull = edgePenalty[j] * edgeError[j];
    const a = 4 * j;
    const b = j + 1 < nodeCount ? a + 4 : 0;
    for (let k = 0; k < 3; k++) {
      step[a + k] += pull * edgeTangent[3 * j + k];
      step[b + k] -= pull * edgeTangent[3 * j + k];
    }
  }
}

/** Adds `fraction` of work.step to q and of what it implies to λ; returns the largest relative move of an edge. */
export function takeStep(der: DerRod, work: Workspace, fraction: number): number {
  const { size, q, edgeCount, nodeCount, edgeTangent, edgeTension, edgeLength } = der;
  const { step, edgePenalty, edgeError, edgeViscous } = work;
  let largest = 0;
  for (let j = 0; j < edgeCount; j++) {
    const a = 4 * j;
    const b = j + 1 < nodeCount ? a + 4 : 0;
    const o = 3 * j;
    const x = step[b] - step[a];
    const y = step[b + 1] - step[a + 1];
    const z = step[b + 2] - step[a + 2];
    const along = x * edgeTangent[o] + y * edgeTangent[o + 1] + z * edgeTangent[o + 2];
    edgeTension[j] += fraction * edgePenalty[j] * (edgeViscous[j] * along + edgeError[j]);
    const move = Math.max(Math.abs(x), Math.abs(y), Math.abs(z)) / edgeLength[j];
    if (move > largest) largest = move;
    const turn = Math.abs(step[a + 3]);
    if (turn > largest) largest = turn;
  }
  for (let d = 0; d < size; d++) q[d] += fraction * step[d];
  return largest;
}

const result: NewtonResult = { converged: false, iterations: 0, shifts: 0, residual: 0, tolerance: 0, reason: '' };

/**
 * Solves the stage from the present q, λ (prescribed unknowns already in place). On success q, v, λ and the frames are
 * those of the solution; on failure they are wherever the iteration stopped, and the caller restores them.
 * The returned object is reused by the next call.
 */
export function solveStage(der: DerRod, work: Workspace, stage: Stage, options: NewtonOptions): NewtonResult {
  const { size, q, v, fixed } = der;
  const { matrix, factor, step, qRate } = work;
  result.converged = false;
  result.iterations = 0;
  result.shifts = 0;
  result.reason = '';
  setPenalties(der, work, stage.inertia);
  const stateful = der.drive.sources.some((source) => source.dependsOnState);
  let shift = 0;
  let lastStep = Infinity;
  if (!followCenterline(der, work.edgeWork)) return fail('an edge has no length or a position is not a number');
  for (;;) {
    for (let d = 0; d < size; d++) if (!fixed[d] || stage.rate === 0) v[d] = stage.rate * (q[d] - qRate[d]);
    if (stateful || result.iterations === 0) evaluateLoads(der, stage.t);
    // after a small step the residual alone will most likely do
    const gradientOnly = lastStep < 1e-4;
    if (!gradientOnly) clearBand(matrix);
    let scale = evaluateStage(der, work, stage, gradientOnly ? undefined : matrix);
    if (Number.isNaN(scale)) return fail(trouble);
    if (measureConvergence(der, work, stage, scale, options.tolerance, result)) {
      result.converged = true;
      return result;
    }
    if (!(result.residual < Infinity)) return fail('the residual is not a number');
    if (result.iterations >= options.iterations) return fail(`no convergence in ${options.iterations} iterations`);
    if (gradientOnly) {
      clearBand(matrix);
      scale = evaluateStage(der, work, stage, matrix);
    }
    writeRightSide(der, work);
    for (let d = 0; d < size; d++) if (fixed[d]) step[d] = 0;
    const follow = stateful && stage.rate === 0;
    if (follow) measureLoads(der, work, stage.t);
    // at rest and with loads that follow, the whole unsymmetric matrix makes Newton quadratic
    const solved = follow && stage.inertia === 0 && !der.rod.closed && solveUnsymmetric(der, work) !== 0;
    if (follow && !solved) subtractSymmetricPart(matrix, work.loadJacobian, size, der.rod.closed);
    for (let d = 0; d < size; d++) if (fixed[d]) fixUnknown(matrix, d);
    while (!solved && !factorBand(factor, matrix, shift, der.stiffnessScale, true)) {
      shift = shift === 0 ? 1e-7 : 4 * shift;
      result.shifts++;
      if (shift > 1e8) return fail('the stiffness matrix cannot be made positive definite');
    }
    if (!solved) solveBand(factor, matrix, step);
    const fraction = limitStep(der, step, options.rotation);
    if (!(fraction > 0)) return fail('the Newton step is not a number');
    lastStep = takeStep(der, work, fraction);
    shift = shift > 4e-7 ? shift / 4 : 0;
    result.iterations++;
    if (!followCenterline(der, work.edgeWork)) return fail('an edge has no length or a position is not a number');
  }
}

function fail(reason: string): NewtonResult {
  result.reason = reason;
  return result;
}
