/**
 * The material frame as the 2008 paper treats it: Bishop frames along the centreline, angles θ that minimise the energy
 * at every instant (§4.2.2, §5). O(n) and warm-started from the last instant.
 *
 * If the start is held, it gives the Bishop frame its first vector; otherwise that of the first edge is transported in time.
 */

import { solveCyclicTridiagonal, solveTridiagonal } from '../../linalg/tridiagonal.ts';
import { cos, sin } from '../../math/rounded/index.ts';
import { transport3 } from '../../math/vec3.ts';
import { measureReferenceTwist, turnMaterialFrames, updateTwist } from './kinematics.ts';
import type { DerRod } from './rod.ts';
import { JOINT_STRIDE } from './strain.ts';

export interface QuasistaticWork {
  /** Curvature binormal, 3 per joint. */
  readonly kb: Float64Array;
  readonly lower: Float64Array;
  readonly diagonal: Float64Array;
  readonly upper: Float64Array;
  readonly step: Float64Array;
  readonly scratch: Float64Array;
  readonly gradient: Float64Array;
  readonly curvature: Float64Array;
  readonly theta: Float64Array;
  /** Straight, isotropic rods have uniform twist: no iteration needed (eq. 5). */
  readonly special: boolean;
}

export function createQuasistaticWork(der: DerRod): QuasistaticWork {
  const n = der.edgeCount;
  const make = (): Float64Array => new Float64Array(n + 1);
  return {
    kb: new Float64Array(3 * der.joints.count),
    lower: make(),
    diagonal: make(),
    upper: make(),
    step: make(),
    scratch: make(),
    gradient: make(),
    curvature: make(),
    theta: make(),
    special: isSpecial(der),
  };
}

function isSpecial(der: DerRod): boolean {
  const { constants, count } = der.joints;
  // held frames between the ends divide the rod: left to the iteration
  for (const p of der.held.pin) if (der.pins[p].node > 0 && der.pins[p].node < der.nodeCount - 1) return false;
  for (let i = 0; i < count; i++) {
    const o = JOINT_STRIDE * i;
    if (Math.abs(constants[o] - constants[o + 1]) > 1e-12 * constants[o]) return false;
    for (let k = 3; k < 8; k++) if (Math.abs(constants[o + k]) > 1e-12) return false;
  }
  return true;
}

/** Bishop frames from the first edge on: reference directors without twist between them. [Bergou2008 §4.2.2] */
export function layBishopFrames(der: DerRod): void {
  const { edgeCount, edgeReference, edgeTangent, joints, held } = der;
  if (joints.count > 0 && joints.before[0] < 0 && der.jointActive[0]) {
    const h = 3 * (-1 - joints.before[0]);
    transport3(edgeReference, 0, held.director, h, held.tangent, h, edgeTangent, 0);
  }
  for (let o = 3; o < 3 * edgeCount; o += 3)
    transport3(edgeReference, o, edgeReference, o - 3, edgeTangent, o - 3, edgeTangent, o);
  for (let i = 0; i < joints.count; i++) {
    // along the chain there is no twist by construction; only held frames and the seam of a ring have some
    if (joints.before[i] >= 0 && joints.after[i] === joints.before[i] + 1) der.jointReferenceTwist[i] = 0;
    else measureReferenceTwist(der, i);
  }
}

/** (κb)_i with rest lengths in the denominator [Bergou2008 eq. 1]; false if edges fold back. */
export function measureBinormals(der: DerRod, kb: Float64Array): boolean {
  const { joints, edgeTangent, held } = der;
  for (let i = 0; i < joints.count; i++) {
    const e = joints.before[i] >= 0 ? edgeTangent : held.tangent;
    const f = joints.after[i] >= 0 ? edgeTangent : held.tangent;
    const a = joints.before[i] >= 0 ? 3 * joints.before[i] : 3 * (-1 - joints.before[i]);
    const b = joints.after[i] >= 0 ? 3 * joints.after[i] : 3 * (-1 - joints.after[i]);
    const chi = 1 + e[a] * f[b] + e[a + 1] * f[b + 1] + e[a + 2] * f[b + 2];
    if (!(chi > 1e-6)) return false;
    kb[3 * i] = (2 * (e[a + 1] * f[b + 2] - e[a + 2] * f[b + 1])) / chi;
    kb[3 * i + 1] = (2 * (e[a + 2] * f[b] - e[a] * f[b + 2])) / chi;
    kb[3 * i + 2] = (2 * (e[a] * f[b + 1] - e[a + 1] * f[b])) / chi;
  }
  return true;
}

/** Uniform twist between held ends, none with a free end. [Bergou2008 eq. 5] */
function spreadTwist(der: DerRod): void {
  const { joints, q, held, jointReferenceTwist, jointOffset, jointActive, edgeCount, rod } = der;
  let compliance = 0;
  let total = 0;
  let heldEnds = 0;
  for (let i = 0; i < joints.count; i++) {
    if (!jointActive[i]) continue;
    const gj = joints.constants[JOINT_STRIDE * i + 2];
    if (gj > 0) compliance += 1 / gj;
    total += jointReferenceTwist[i] + jointOffset[i];
    if (joints.before[i] < 0 && gj > 0) {
      heldEnds++;
      total -= held.theta[-1 - joints.before[i]];
    }
    if (joints.after[i] < 0 && gj > 0) {
      heldEnds++;
      total += held.theta[-1 - joints.after[i]];
    }
  }
  const rate = heldEnds === 2 || rod.closed ? total / compliance : 0;
  // θ after = θ before + m − reference twist, from the start on
  let first = 0;
  if (joints.count > 0 && joints.before[0] < 0 && jointActive[0] && joints.constants[2] > 0) {
    q[3] = held.theta[-1 - joints.before[0]] + rate / joints.constants[2] - jointReferenceTwist[0];
    first = 1;
  } else if (joints.count > 0 && heldEnds === 1) {
    // held at the end only: propagate its angle backwards through the rod
    const last = joints.count - 1;
    const angle = held.theta[-1 - joints.after[last]] + jointReferenceTwist[last];
    for (let j = edgeCount - 1; j >= 0; j--) q[4 * j + 3] = angle;
    return;
  }
  if (rod.closed) first = 1;
  for (let i = first; i < joints.count; i++) {
    if (!jointActive[i] || joints.before[i] < 0 || joints.after[i] < 0) continue;
    q[4 * joints.after[i] + 3] =
      q[4 * joints.before[i] + 3] + rate / joints.constants[JOINT_STRIDE * i + 2] - jointReferenceTwist[i];
  }
}

/** Energy in θ, its gradient and its tridiagonal Hessian [Bergou2008 eq. 7]; material frames must be up to date. */
function evaluateTheta(der: DerRod, work: QuasistaticWork, what: 'hessian' | 'gradient'): number {
  const { joints, jointActive, jointTwist, jointOffset, edgeM1, edgeM2, edgeCount } = der;
  const { kb, gradient, diagonal, lower, upper } = work;
  gradient.fill(0);
  if (what === 'hessian') {
    diagonal.fill(0);
    lower.fill(0);
    upper.fill(0);
  }
  let energy = 0;
  for (let i = 0; i < joints.count; i++) {
    if (!jointActive[i]) continue;
    const o = JOINT_STRIDE * i;
    const c = joints.constants;
    const dm = jointTwist[i] - c[o + 7];
    energy += 0.5 * c[o + 2] * dm * dm;
    for (let side = 0; side < 2; side++) {
      const j = side === 0 ? joints.before[i] : joints.after[i];
      if (j < 0) continue;
      const v1 = kb[3 * i] * edgeM2[3 * j] + kb[3 * i + 1] * edgeM2[3 * j + 1] + kb[3 * i + 2] * edgeM2[3 * j + 2];
      const v2 = -(kb[3 * i] * edgeM1[3 * j] + kb[3 * i + 1] * edgeM1[3 * j + 1] + kb[3 * i + 2] * edgeM1[3 * j + 2]);
      // if a ring was closed with its frames turned, the joint uses the second edge's axes turned by that angle
      const turn = side === 1 ? jointOffset[i] : 0;
      const w1 = turn === 0 ? v1 : cos(turn) * v1 + sin(turn) * v2;
      const w2 = turn === 0 ? v2 : cos(turn) * v2 - sin(turn) * v1;
      const a1 = w1 - c[o + 3 + 2 * side];
      const a2 = w2 - c[o + 4 + 2 * side];
      const f1 = 0.5 * c[o] * a1;
      const f2 = 0.5 * c[o + 1] * a2;
      energy += 0.5 * (f1 * a1 + f2 * a2);
      gradient[j] += f1 * w2 - f2 * w1 + (side === 0 ? -c[o + 2] * dm : c[o + 2] * dm);
      if (what === 'hessian')
        diagonal[j] += 0.5 * c[o] * w2 * w2 + 0.5 * c[o + 1] * w1 * w1 - f1 * w1 - f2 * w2 + c[o + 2];
    }
    if (what === 'hessian' && joints.before[i] >= 0 && joints.after[i] >= 0) {
      const j = joints.after[i];
      lower[j] -= c[o + 2];
      upper[(j - 1 + edgeCount) % edgeCount] -= c[o + 2];
    }
  }
  return energy;
}

/** Minimizes over θ by Newton with a shift and Armijo halving; returns false if it does not converge. */
export function solveQuasistaticFrame(der: DerRod, work: QuasistaticWork): boolean {
  const { q, edgeCount, joints, rod } = der;
  const { diagonal, lower, upper, step, gradient, scratch, curvature, theta } = work;
  if (work.special) {
    spreadTwist(der);
    updateTwist(der);
    turnMaterialFrames(der);
    return true;
  }
  let stiffness = 0;
  for (let i = 0; i < joints.count; i++)
    stiffness = Math.max(stiffness, joints.constants[JOINT_STRIDE * i + 2], joints.constants[JOINT_STRIDE * i]);
  updateTwist(der);
  turnMaterialFrames(der);
  for (let iteration = 0; iteration < 100; iteration++) {
    const energy = evaluateTheta(der, work, 'hessian');
    let largest = 0;
    for (let j = 0; j < edgeCount; j++) largest = Math.max(largest, Math.abs(gradient[j]));
    if (largest <= 1e-12 * stiffness) return true;
    curvature.set(diagonal);
    theta.set(lower);
    const upperCopy = upper.slice();
    let shift = 0;
    for (;;) {
      // a free isotropic rod may spin as a whole: the smallest shift makes that mode harmless
      for (let j = 0; j < edgeCount; j++) {
        diagonal[j] = curvature[j] + shift + 1e-12 * stiffness;
        lower[j] = theta[j];
        upper[j] = upperCopy[j];
        step[j] = -gradient[j];
      }
      const solved = rod.closed
        ? solveCyclicTridiagonal(lower, diagonal, upper, step, scratch, edgeCount, 'independent')
        : solveTridiagonal(lower, diagonal, upper, step, edgeCount, 'independent');
      if (solved) break;
      shift = shift === 0 ? 1e-3 * stiffness : 2 * shift;
    }
    let slope = 0;
    let move = 0;
    for (let j = 0; j < edgeCount; j++) {
      slope += gradient[j] * step[j];
      move = Math.max(move, Math.abs(step[j]));
    }
    let fraction = move > 1 ? 1 / move : 1;
    for (let j = 0; j < edgeCount; j++) theta[j] = q[4 * j + 3];
    for (let halving = 0; ; halving++) {
      for (let j = 0; j < edgeCount; j++) q[4 * j + 3] = theta[j] + fraction * step[j];
      updateTwist(der);
      turnMaterialFrames(der);
      if (
        halving >= 30 ||
        evaluateTheta(der, work, 'gradient') <= energy + 1e-4 * fraction * slope + 1e-15 * Math.abs(energy)
      )
        break;
      fraction /= 2;
    }
    if (fraction * move < 1e-13) return true;
  }
  return false;
}
