/**
 * The blocks of the sweep (sweep.ts): everything beyond an element, and how an element and the points inside it are added to it.
 *
 * Module arrays hold the outboard quantities of the one sweep that is running: gradient F and moment Y of all forces beyond; inertia with respect to
 * rotation (`aa`), to translation (`mm`) and between them (`ma`, rows: translation); and the element's own blocks `kk`, with `ka` and `km` towards the
 * motion of its near end. World axes, about the far end until an element is added, then about the near end.
 */

import type { Assembly } from './assembly.ts';
import { addSecondDerivative } from './gamma.ts';
import { writePointJacobians } from './kinematics.ts';
import { addTransposed33, addTransposedCross33, multiply33, multiplyTransposed33 } from './matrix3.ts';
import type { HelixChain } from './rod.ts';
export const F: Float64Array = new Float64Array(3);
export const Y: Float64Array = new Float64Array(9);
export const aa: Float64Array = new Float64Array(9);
export const ma: Float64Array = new Float64Array(9);
export const mm: Float64Array = new Float64Array(9);
export const kk: Float64Array = new Float64Array(9);
export const ka: Float64Array = new Float64Array(9);
export const km: Float64Array = new Float64Array(9);
const local = new Float64Array(9);
const work = new Float64Array(9);
const turned = new Float64Array(9);
/** From the start of the current element to its end, or to a point in it [m]; and the rotation vector to there. */
const lever = new Float64Array(3);
const phi = new Float64Array(3);
const angular = new Float64Array(9);
const linear = new Float64Array(9);

/** Adds the point mass at a node to the outboard quantities, which are about that node. */
export function addTip(h: HelixChain, a: Assembly, node: number): void {
  for (let k = 0; k < 3; k++) F[k] += a.nodeGradient[3 * node + k];
  const o = 6 * node;
  mm[0] += a.nodeTensor[o];
  mm[1] += a.nodeTensor[o + 1];
  mm[2] += a.nodeTensor[o + 2];
  mm[3] += a.nodeTensor[o + 1];
  mm[4] += a.nodeTensor[o + 3];
  mm[5] += a.nodeTensor[o + 4];
  mm[6] += a.nodeTensor[o + 2];
  mm[7] += a.nodeTensor[o + 4];
  mm[8] += a.nodeTensor[o + 5];
  if (!h.hasFrames) return;
  for (let k = 0; k < 9; k++) Y[k] += a.nodeMoment[9 * node + k];
  addSpin(aa, h.nodeFrame, 9 * node, a.nodeSpin[node]);
}

/** out += w (1 + t tᵀ) */
function addSpin(out: Float64Array, frame: Float64Array, o: number, w: number): void {
  const x = frame[o + 2];
  const y = frame[o + 5];
  const z = frame[o + 8];
  out[0] += w * (1 + x * x);
  out[1] += w * x * y;
  out[2] += w * x * z;
  out[3] += w * x * y;
  out[4] += w * (1 + y * y);
  out[5] += w * y * z;
  out[6] += w * x * z;
  out[7] += w * y * z;
  out[8] += w * (1 + z * z);
}

/** The element's blocks kk, ka and km and the inertia that it passes inwards, before elimination; and the gradient of the terms beyond it. */
export function joinElement(h: HelixChain, a: Assembly, e: number, terms: 'geometric' | 'elastic'): void {
  const { jacobianAngular: A, jacobianLinear: B, position } = h;
  const at = 9 * e;
  for (let k = 0; k < 3; k++) lever[k] = position[3 * e + 3 + k] - position[3 * e + k];
  const dx = lever[0];
  const dy = lever[1];
  const dz = lever[2];
  const tx = Y[7] - Y[5];
  const ty = Y[2] - Y[6];
  const tz = Y[3] - Y[1];
  for (let k = 0; k < 3; k++) {
    a.gradient[3 * e + k] =
      B[at + k] * F[0] +
      B[at + 3 + k] * F[1] +
      B[at + 6 + k] * F[2] +
      A[at + k] * tx +
      A[at + 3 + k] * ty +
      A[at + 6 + k] * tz;
  }
  // IA S = (top; bottom): top = aa A + maᵀ B, bottom = ma A + mm B
  multiply33(local, 0, aa, 0, A, at);
  addTransposed33(local, 0, ma, 0, B, at, 1);
  multiply33(work, 0, ma, 0, A, at);
  multiply33(turned, 0, mm, 0, B, at);
  for (let k = 0; k < 9; k++) work[k] += turned[k];
  multiplyTransposed33(kk, 0, A, at, local, 0);
  addTransposed33(kk, 0, B, at, work, 0, 1);
  for (let r = 0; r < 3; r++) {
    const x = work[r];
    const y = work[3 + r];
    const z = work[6 + r];
    km[3 * r] = x;
    km[3 * r + 1] = y;
    km[3 * r + 2] = z;
    // row r of bottomᵀ [d] is bottom_r × d
    ka[3 * r] = local[r] - (y * dz - z * dy);
    ka[3 * r + 1] = local[3 + r] - (z * dx - x * dz);
    ka[3 * r + 2] = local[6 + r] - (x * dy - y * dx);
  }
  moveInertia();
  if (terms === 'geometric') addElementGeometry(h, e);
  // forces about the near end
  for (let r = 0; r < 3; r++) {
    Y[3 * r] += F[r] * dx;
    Y[3 * r + 1] += F[r] * dy;
    Y[3 * r + 2] += F[r] * dz;
  }
}

/** Second derivatives of the far end's position and frame, with the forces F and Y beyond it. */
function addElementGeometry(h: HelixChain, e: number): void {
  const { jacobianAngular: A, jacobianLinear: B, frame, series, elementLength, pose } = h;
  const at = 9 * e;
  addTransposedCross33(ka, 0, B, at, F);
  const trace = Y[0] + Y[4] + Y[8];
  for (let k = 0; k < 9; k++) work[k] = Y[k];
  work[0] -= trace;
  work[4] -= trace;
  work[8] -= trace;
  addTransposed33(ka, 0, A, at, work, 0, 1);
  const l = elementLength[e];
  for (let k = 0; k < 3; k++) phi[k] = pose[3 * e + k] * l;
  // the far end moves: Y = (Rᵀ F) e₃ᵀ
  work.fill(0);
  for (let r = 0; r < 3; r++)
    work[3 * r + 2] = frame[at + r] * F[0] + frame[at + 3 + r] * F[1] + frame[at + 6 + r] * F[2];
  addSecondDerivative(kk, l * l * l, 1, phi, series, 8 * e, work);
  // and turns: Rᵀ Y R'
  multiplyTransposed33(local, 0, frame, at, Y, 0);
  multiply33(work, 0, local, 0, frame, at + 9);
  addSecondDerivative(kk, l * l, 0, phi, series, 8 * e, work);
}

/** Outboard inertia about a point that lies at −d from the current one, d = `lever`: ma ← ma − mm[d], aa ← aa − maᵀ[d] + [d] ma'. */
function moveInertia(): void {
  const dx = lever[0];
  const dy = lever[1];
  const dz = lever[2];
  for (let r = 0; r < 3; r++) {
    // aa −= maᵀ[d]: row r of maᵀ is column r of ma
    const x = ma[r];
    const y = ma[3 + r];
    const z = ma[6 + r];
    aa[3 * r] -= y * dz - z * dy;
    aa[3 * r + 1] -= z * dx - x * dz;
    aa[3 * r + 2] -= x * dy - y * dx;
  }
  for (let r = 0; r < 3; r++) {
    const x = mm[3 * r];
    const y = mm[3 * r + 1];
    const z = mm[3 * r + 2];
    ma[3 * r] -= y * dz - z * dy;
    ma[3 * r + 1] -= z * dx - x * dz;
    ma[3 * r + 2] -= x * dy - y * dx;
  }
  for (let c = 0; c < 3; c++) {
    const x = ma[c];
    const y = ma[3 + c];
    const z = ma[6 + c];
    aa[c] += dy * z - dz * y;
    aa[3 + c] += dz * x - dx * z;
    aa[6 + c] += dx * y - dy * x;
  }
}

const tensor = new Float64Array(9);
const moment = new Float64Array(9);
const pointForce = new Float64Array(3);
const spinTensor = new Float64Array(9);
/** Nodes or midpoints of edges: their offsets in their elements, their series coefficients and their frames. */
interface Points {
  offset: Float64Array;
  series: Float64Array;
  frame: Float64Array;
}

const none = new Float64Array(0);
/** One object for all elements, of which there are thousands. */
const points: Points = { offset: none, series: none, frame: none };

/** Point i, inside element e: mass, force and frame (in `tensor`, `pointForce`, `moment`) move with the element's own unknowns as well. */
function joinPoint(
  h: HelixChain,
  a: Assembly,
  e: number,
  points: Points,
  i: number,
  terms: 'geometric' | 'elastic',
  of: 'position-and-frame' | 'position',
): void {
  const { offset, series } = points;
  const dx = lever[0];
  const dy = lever[1];
  const dz = lever[2];
  writePointJacobians(h, e, offset[i], series, 8 * i, angular, linear, 0);
  const tx = moment[7] - moment[5];
  const ty = moment[2] - moment[6];
  const tz = moment[3] - moment[1];
  for (let k = 0; k < 3; k++) {
    a.gradient[3 * e + k] +=
      linear[k] * pointForce[0] +
      linear[3 + k] * pointForce[1] +
      linear[6 + k] * pointForce[2] +
      angular[k] * tx +
      angular[3 + k] * ty +
      angular[6 + k] * tz;
  }
  addPointInertia();
  if (of === 'position-and-frame') addPointSpin();
  if (terms === 'geometric') addPointGeometry(h, e, points, i, of);
  for (let r = 0; r < 3; r++) {
    Y[3 * r] += pointForce[r] * dx + moment[3 * r];
    Y[3 * r + 1] += pointForce[r] * dy + moment[3 * r + 1];
    Y[3 * r + 2] += pointForce[r] * dz + moment[3 * r + 2];
    F[r] += pointForce[r];
  }
}

/** Adds `tensor`, a mass at d = `lever` from the element's start that moves by `linear` with its unknowns: P = (−[d], 1), J = linear. */
function addPointInertia(): void {
  const dx = lever[0];
  const dy = lever[1];
  const dz = lever[2];
  multiply33(work, 0, tensor, 0, linear, 0);
  addTransposed33(kk, 0, linear, 0, work, 0, 1);
  for (let r = 0; r < 3; r++) {
    const x = work[r];
    const y = work[3 + r];
    const z = work[6 + r];
    km[3 * r] += x;
    km[3 * r + 1] += y;
    km[3 * r + 2] += z;
    ka[3 * r] -= y * dz - z * dy;
    ka[3 * r + 1] -= z * dx - x * dz;
    ka[3 * r + 2] -= x * dy - y * dx;
  }
  for (let r = 0; r < 3; r++) {
    const x = tensor[3 * r];
    const y = tensor[3 * r + 1];
    const z = tensor[3 * r + 2];
    local[3 * r] = -(y * dz - z * dy);
    local[3 * r + 1] = -(z * dx - x * dz);
    local[3 * r + 2] = -(x * dy - y * dx);
    for (let c = 0; c < 3; c++) {
      mm[3 * r + c] += tensor[3 * r + c];
      ma[3 * r + c] += local[3 * r + c];
    }
  }
  for (let c = 0; c < 3; c++) {
    aa[c] += dy * local[6 + c] - dz * local[3 + c];
    aa[3 + c] += dz * local[c] - dx * local[6 + c];
    aa[6 + c] += dx * local[3 + c] - dy * local[c];
  }
}

/** Adds `spinTensor`, an inertia that rotates by `angular` with the element's unknowns. */
function addPointSpin(): void {
  multiply33(work, 0, spinTensor, 0, angular, 0);
  addTransposed33(kk, 0, angular, 0, work, 0, 1);
  for (let r = 0; r < 3; r++) {
    for (let c = 0; c < 3; c++) {
      ka[3 * r + c] += work[3 * c + r];
      aa[3 * r + c] += spinTensor[3 * r + c];
    }
  }
}

function addPointGeometry(
  h: HelixChain,
  e: number,
  { offset, series, frame }: Points,
  i: number,
  of: 'position-and-frame' | 'position',
): void {
  const u = offset[i];
  addTransposedCross33(ka, 0, linear, 0, pointForce);
  const root = h.frame;
  const at = 9 * e;
  for (let k = 0; k < 3; k++) phi[k] = h.pose[3 * e + k] * u;
  work.fill(0);
  for (let r = 0; r < 3; r++)
    work[3 * r + 2] =
      root[at + r] * pointForce[0] + root[at + 3 + r] * pointForce[1] + root[at + 6 + r] * pointForce[2];
  addSecondDerivative(kk, u * u * u, 1, phi, series, 8 * i, work);
  if (of === 'position') return;
  const trace = moment[0] + moment[4] + moment[8];
  for (let k = 0; k < 9; k++) work[k] = moment[k];
  work[0] -= trace;
  work[4] -= trace;
  work[8] -= trace;
  addTransposed33(ka, 0, angular, 0, work, 0, 1);
  multiplyTransposed33(local, 0, root, at, moment, 0);
  multiply33(work, 0, local, 0, frame, 9 * i);
  addSecondDerivative(kk, u * u, 0, phi, series, 8 * i, work);
}

/** Adds the nodes inside element e, and the midpoints of its edges with torques. */
export function joinInterior(h: HelixChain, a: Assembly, e: number, terms: 'geometric' | 'elastic'): void {
  const { elementNode, nodePosition, nodeFrame, position } = h;
  points.offset = h.nodeOffset;
  points.series = h.nodeSeries;
  points.frame = nodeFrame;
  for (let i = elementNode[e] + 1; i < elementNode[e + 1]; i++) {
    const t = 6 * i;
    tensor[0] = a.nodeTensor[t];
    tensor[1] = tensor[3] = a.nodeTensor[t + 1];
    tensor[2] = tensor[6] = a.nodeTensor[t + 2];
    tensor[4] = a.nodeTensor[t + 3];
    tensor[5] = tensor[7] = a.nodeTensor[t + 4];
    tensor[8] = a.nodeTensor[t + 5];
    for (let k = 0; k < 3; k++) pointForce[k] = a.nodeGradient[3 * i + k];
    moment.fill(0);
    spinTensor.fill(0);
    if (h.hasFrames) {
      for (let k = 0; k < 9; k++) moment[k] = a.nodeMoment[9 * i + k];
      addSpin(spinTensor, nodeFrame, 9 * i, a.nodeSpin[i]);
    }
    for (let k = 0; k < 3; k++) lever[k] = nodePosition[3 * i + k] - position[3 * e + k];
    joinPoint(h, a, e, points, i, terms, h.hasFrames ? 'position-and-frame' : 'position');
  }
  if (!a.hasEdgeMoment) return;
  points.offset = h.edgeOffset;
  points.series = h.edgeSeries;
  points.frame = h.edgeFrame;
  lever.fill(0);
  tensor.fill(0);
  pointForce.fill(0);
  spinTensor.fill(0);
  for (let j = elementNode[e]; j < elementNode[e + 1]; j++) {
    let any = false;
    for (let k = 0; k < 9; k++) {
      moment[k] = a.edgeMoment[9 * j + k];
      any ||= moment[k] !== 0;
    }
    if (any) joinPoint(h, a, e, points, j, terms, 'position-and-frame');
  }
}

export function clearOutboard(): void {
  F.fill(0);
  Y.fill(0);
  aa.fill(0);
  ma.fill(0);
  mm.fill(0);
}
