/**
 * The explicit scheme of the 2008 paper: quasistatic frame, symplectic step, inextensibility by projection.
 *
 * `fast-projection` — as printed (§8): after the step, positions are moved along the constraint gradients at the moving
 *    point until every edge has its length again. Loses energy (2 % over a swing of the test cantilever).
 * `shake` — the same cost with the gradients of the start of the step: keeps the energy to 1e-5 and the angular momentum
 *    to rounding. Written as RATTLE, so that positions and velocities belong to the same instant.
 *
 * Edges are inextensible here whatever their EA. Steps longer than 0.7 of the stable one, ½ds²√(ρA/EI), are subdivided.
 */

import { solveCyclicTridiagonal, solveTridiagonal } from '../../linalg/tridiagonal.ts';
import { cos as cosine, sin as sine } from '../../math/rounded/index.ts';
import { transport3 } from '../../math/vec3.ts';
import { countPieces, tooManyPieces } from './explicitStability.ts';
import { evaluatePins, measureEdges, placePinned, turnMaterialFrames, updateTwist } from './kinematics.ts';
import {
  createQuasistaticWork,
  layBishopFrames,
  measureBinormals,
  type QuasistaticWork,
  solveQuasistaticFrame,
} from './quasistatic.ts';
import type { DerRod } from './rod.ts';
import type { RodStep } from './rodStep.ts';
import { returnToSnapshot, type Snapshot, takeSnapshot } from './snapshot.ts';
import { evaluateLoads, type Workspace } from './stage.ts';
import { JOINT_STRIDE } from './strain.ts';

export interface ExplicitWork extends QuasistaticWork {
  /** Edge vectors now and at the start of the step, 3 per edge. */
  readonly edge: Float64Array;
  readonly edgeStart: Float64Array;
  /** Directions along which edges are pulled or pushed. */
  readonly direction: Float64Array;
  /** 1 if the constraint pushes in this step. */
  readonly isPushed: Uint8Array;
  readonly inverseMass: Float64Array;
  readonly correction: Float64Array;
  /** Unknowns at the start of the step. */
  readonly start: Float64Array;
  readonly previousTangent: Float64Array;
  /**
   * Force along each edge [N] of the printed bending gradients, which assume inextensible edges: the multiplier of the constraint cancels it, and the
   * tension is the sum of both.
   */
  readonly edgeAxial: Float64Array;
  /** Longest step that is taken without subdivision [s]. */
  readonly stableStep: number;
}

export function createExplicitWork(der: DerRod): ExplicitWork {
  const { edgeCount, rod } = der;
  let stableStep = Infinity;
  for (let j = 0; j < edgeCount; j++) {
    const EI = Math.max(rod.halfEI1[2 * j], rod.halfEI2[2 * j], rod.halfEI1[2 * j + 1], rod.halfEI2[2 * j + 1]);
    const l = rod.edgeLengthRest[j];
    // inner nodes carry the mass of a whole edge; the light ends are held back by their constraint
    const next = (j + 1) % der.nodeCount;
    const density = Math.max(rod.nodeMass[j], rod.nodeMass[next]) / l;
    stableStep = Math.min(stableStep, 0.7 * 0.5 * l * l * Math.sqrt(density / EI));
  }
  return {
    ...createQuasistaticWork(der),
    edge: new Float64Array(3 * edgeCount),
    edgeStart: new Float64Array(3 * edgeCount),
    direction: new Float64Array(3 * edgeCount),
    isPushed: new Uint8Array(edgeCount),
    inverseMass: new Float64Array(der.nodeCount),
    correction: new Float64Array(3 * der.nodeCount),
    start: new Float64Array(der.size),
    previousTangent: new Float64Array(3 * edgeCount),
    edgeAxial: new Float64Array(edgeCount),
    stableStep,
  };
}

/** Frames after the centreline moved: first edge in time, the others along the rod, then θ. */
export function updateFrames(der: DerRod, work: ExplicitWork): string {
  if (!measureEdges(der, der.q, work.previousTangent)) return 'an edge has no length or a position is not a number';
  transport3(der.edgeReference, 0, der.edgeReference, 0, work.previousTangent, 0, der.edgeTangent, 0);
  layBishopFrames(der);
  if (!measureBinormals(der, work.kb)) return 'two edges point against each other';
  return solveQuasistaticFrame(der, work) ? '' : 'the quasistatic frame did not converge';
}

/** Forces on the centreline with the frame in equilibrium: the local form of [Bergou2008 §7.1], in `out` (3 per node). */
export function writeCenterlineForce(out: Float64Array, der: DerRod, work: ExplicitWork): void {
  const { joints, jointActive, jointTwist, jointOffset, edgeTangent, edgeM1, edgeM2, held, rod, nodeCount } = der;
  const c = joints.constants;
  out.fill(0);
  work.edgeAxial.fill(0);
  for (let i = 0; i < joints.count; i++) {
    if (!jointActive[i]) continue;
    const before = joints.before[i];
    const after = joints.after[i];
    const o = JOINT_STRIDE * i;
    const kx = work.kb[3 * i];
    const ky = work.kb[3 * i + 1];
    const kz = work.kb[3 * i + 2];
    // h = ∂E/∂(κb) over the frames of both edges
    let hx = 0;
    let hy = 0;
    let hz = 0;
    for (let side = 0; side < 2; side++) {
      const j = side === 0 ? before : after;
      const m1 = j >= 0 ? edgeM1 : held.m1;
      const m2 = j >= 0 ? edgeM2 : held.m2;
      const a = j >= 0 ? 3 * j : 3 * (-1 - j);
      const w1 = kx * m2[a] + ky * m2[a + 1] + kz * m2[a + 2];
      const w2 = -(kx * m1[a] + ky * m1[a + 1] + kz * m1[a + 2]);
      // axes turned where a ring was joined: into them and back
      const turn = side === 1 ? jointOffset[i] : 0;
      const cos = cosine(turn);
      const sin = sine(turn);
      const g1 = 0.5 * c[o] * (cos * w1 + sin * w2 - c[o + 3 + 2 * side]);
      const g2 = 0.5 * c[o + 1] * (cos * w2 - sin * w1 - c[o + 4 + 2 * side]);
      const f1 = cos * g1 - sin * g2;
      const f2 = sin * g1 + cos * g2;
      hx += f1 * m2[a] - f2 * m1[a];
      hy += f1 * m2[a + 1] - f2 * m1[a + 1];
      hz += f1 * m2[a + 2] - f2 * m1[a + 2];
    }
    const twist = c[o + 2] * (jointTwist[i] - c[o + 7]);
    const e = before >= 0 ? edgeTangent : held.tangent;
    const f = after >= 0 ? edgeTangent : held.tangent;
    const a = before >= 0 ? 3 * before : 3 * (-1 - before);
    const b = after >= 0 ? 3 * after : 3 * (-1 - after);
    const chi = 1 + e[a] * f[b] + e[a + 1] * f[b + 1] + e[a + 2] * f[b + 2];
    const kh = kx * hx + ky * hy + kz * hz;
    const node = 3 * joints.node[i];
    if (before >= 0) {
      // −(∇kb)ᵀh with ∇_{i−1} kb = (2[f] + kb fᵀ)/χ|ē|, and twist·∇_{i−1}ψ, ψ = holonomy
      const s = 1 / (chi * rod.edgeLengthRest[before]);
      const t = (0.5 * twist) / rod.edgeLengthRest[before];
      const x = -s * (-2 * (f[b + 1] * hz - f[b + 2] * hy) + f[b] * kh) + t * kx;
      const y = -s * (-2 * (f[b + 2] * hx - f[b] * hz) + f[b + 1] * kh) + t * ky;
      const z = -s * (-2 * (f[b] * hy - f[b + 1] * hx) + f[b + 2] * kh) + t * kz;
      work.edgeAxial[before] += x * e[a] + y * e[a + 1] + z * e[a + 2];
      const p = 3 * before;
      out[p] += x;
      out[p + 1] += y;
      out[p + 2] += z;
      out[node] -= x;
      out[node + 1] -= y;
      out[node + 2] -= z;
    }
    if (after >= 0) {
      const s = 1 / (chi * rod.edgeLengthRest[after]);
      const t = (0.5 * twist) / rod.edgeLengthRest[after];
      const x = -s * (-2 * (e[a + 1] * hz - e[a + 2] * hy) - e[a] * kh) - t * kx;
      const y = -s * (-2 * (e[a + 2] * hx - e[a] * hz) - e[a + 1] * kh) - t * ky;
      const z = -s * (-2 * (e[a] * hy - e[a + 1] * hx) - e[a + 2] * kh) - t * kz;
      work.edgeAxial[after] -= x * f[b] + y * f[b + 1] + z * f[b + 2];
      const n = after + 1 < nodeCount ? 3 * (after + 1) : 0;
      out[n] += x;
      out[n + 1] += y;
      out[n + 2] += z;
      out[node] -= x;
      out[node + 1] -= y;
      out[node + 2] -= z;
    }
  }
}

/** Accelerations of the free nodes at the current state, into der.acceleration. */
export function writeAcceleration(der: DerRod, work: ExplicitWork, t: number): void {
  const { acceleration, nodeCount, loads, massDamping, v } = der;
  evaluateLoads(der, t);
  writeCenterlineForce(work.correction, der, work);
  for (let i = 0; i < nodeCount; i++) {
    for (let k = 0; k < 3; k++) {
      const d = 4 * i + k;
      const force = work.correction[3 * i + k] + loads.nodeForce[3 * i + k];
      acceleration[d] = force * work.inverseMass[i] - (work.inverseMass[i] > 0 ? massDamping[d] * v[d] : 0);
    }
  }
}

export function writeEdges(out: Float64Array, der: DerRod): void {
  const { q, edgeCount, nodeCount } = der;
  for (let j = 0; j < edgeCount; j++) {
    const b = j + 1 < nodeCount ? 4 * j + 4 : 0;
    for (let k = 0; k < 3; k++) out[3 * j + k] = q[b + k] - q[4 * j + k];
  }
}

/**
 * Moves positions until every edge has its rest length. SHAKE follows the edges of the start, fast projection those that
 * `chooseDirections` names. Returns the iterations, −1 on failure.
 * Multipliers times `perForce` (1/h², or 2/h² where half the step's kick is meant) are the tensions.
 */
function projectPositions(der: DerRod, work: ExplicitWork, shake: boolean, perForce: number): number {
  const { edgeCount, nodeCount, q, rod, edgeTension } = der;
  const { edge, step, inverseMass: w, direction } = work;
  edgeTension.fill(0);
  direction.set(work.edgeStart);
  for (let iteration = 0; iteration < 25; iteration++) {
    writeEdges(edge, der);
    const worst = measureStretch(der, work);
    if (worst <= 1e-10) return iteration;
    if (!(worst < 10)) return -1;
    if (!shake) {
      if (iteration === 0) {
        const solved = solveMultipliers(der, work);
        markPushed(work, step, solved);
        measureStretch(der, work);
      }
      chooseDirections(direction, edge, work);
    }
    if (!solveMultipliers(der, work)) return -1;
    for (let j = 0; j < edgeCount; j++) {
      const next = j + 1 < nodeCount ? j + 1 : 0;
      edgeTension[j] += 2 * step[j] * rod.edgeLengthRest[j] * perForce;
      for (let k = 0; k < 3; k++) {
        const pull = 2 * step[j] * direction[3 * j + k];
        q[4 * j + k] += w[j] * pull;
        q[4 * next + k] -= w[next] * pull;
      }
    }
  }
  return -1;
}

/** C = |e|² − ē² of every edge, into `work.step`; returns the largest, relative to ē². */
function measureStretch({ edgeCount, rod }: DerRod, { edge, step }: ExplicitWork): number {
  let worst = 0;
  for (let j = 0; j < edgeCount; j++) {
    const o = 3 * j;
    const rest2 = rod.edgeLengthRest[j] * rod.edgeLengthRest[j];
    const c = edge[o] * edge[o] + edge[o + 1] * edge[o + 1] + edge[o + 2] * edge[o + 2] - rest2;
    step[j] = c;
    worst = Math.max(worst, Math.abs(c) / rest2);
  }
  return worst;
}

/** From C in `work.step` to multipliers along `direction`: matrix ∇C(now) M⁻¹ ∇C(direction)ᵀ, tridiagonal. False if it is singular. */
function solveMultipliers({ edgeCount, nodeCount, rod }: DerRod, work: ExplicitWork): boolean {
  const { edge, lower, diagonal, upper, step, scratch, inverseMass: w, direction } = work;
  for (let j = 0; j < edgeCount; j++) {
    const next = j + 1 < nodeCount ? j + 1 : 0;
    const inverse = w[j] + w[next];
    const o = 3 * j;
    diagonal[j] =
      4 * inverse * (edge[o] * direction[o] + edge[o + 1] * direction[o + 1] + edge[o + 2] * direction[o + 2]);
    if (inverse === 0) {
      diagonal[j] = 1;
      step[j] = 0;
    }
    const right = rod.closed ? (j + 1) % edgeCount : j + 1;
    const left = rod.closed ? (j - 1 + edgeCount) % edgeCount : j - 1;
    upper[j] = right < edgeCount ? -4 * w[next] * dotEdges(edge, o, direction, 3 * right) : 0;
    lower[j] = left >= 0 ? -4 * w[j] * dotEdges(edge, o, direction, 3 * left) : 0;
    if (inverse === 0) {
      upper[j] = 0;
      lower[j] = 0;
    }
  }
  return rod.closed
    ? solveCyclicTridiagonal(lower, diagonal, upper, step, scratch, edgeCount, true)
    : solveTridiagonal(lower, diagonal, upper, step, edgeCount, true);
}

/**
 * Gradients of fast projection: of the moving point where an edge is pulled, of the start where it is pushed. A multiplier λ along the edge as
 * it ends changes the energy by −½λ|Δe|², Δe the change of the edge: it damps under tension and feeds every vibration under compression.
 * NOTE: [Bergou2008 §8] has the moving point for all.
 */
export function chooseDirections(out: Float64Array, edge: Float64Array, { edgeStart, isPushed }: ExplicitWork): void {
  for (let j = 0; j < isPushed.length; j++) {
    const from = isPushed[j] ? edgeStart : edge;
    for (let k = 3 * j; k < 3 * j + 3; k++) out[k] = from[k];
  }
}

/**
 * Determines which edges this step pushes, by the sign of the multipliers with the gradients of the start. If rounding decides the sign of an edge, its
 * multiplier is nearly zero and the choice does not matter; tensions of the last step would be wrong for new forces.
 */
export function markPushed({ isPushed }: ExplicitWork, multipliers: Float64Array, isSolved: boolean): void {
  for (let j = 0; j < isPushed.length; j++) isPushed[j] = isSolved && multipliers[j] < 0 ? 1 : 0;
}

function dotEdges(a: Float64Array, i: number, b: Float64Array, j: number): number {
  return a[i] * b[j] + a[i + 1] * b[j + 1] + a[i + 2] * b[j + 2];
}

/** Removes the part of the velocities that would change edge lengths (second half of RATTLE); one linear solve. */
export function projectVelocities(der: DerRod, work: ExplicitWork): boolean {
  const { edgeCount, nodeCount, v, rod } = der;
  const { edge, lower, diagonal, upper, step, scratch, inverseMass: w } = work;
  writeEdges(edge, der);
  for (let j = 0; j < edgeCount; j++) {
    const next = j + 1 < nodeCount ? j + 1 : 0;
    const o = 3 * j;
    const inverse = w[j] + w[next];
    diagonal[j] = inverse > 0 ? inverse * dotEdges(edge, o, edge, o) : 1;
    step[j] = 0;
    if (inverse > 0) for (let k = 0; k < 3; k++) step[j] += edge[o + k] * (v[4 * next + k] - v[4 * j + k]);
    const right = rod.closed ? (j + 1) % edgeCount : j + 1;
    const left = rod.closed ? (j - 1 + edgeCount) % edgeCount : j - 1;
    upper[j] = inverse > 0 && right < edgeCount ? -w[next] * dotEdges(edge, o, edge, 3 * right) : 0;
    lower[j] = inverse > 0 && left >= 0 ? -w[j] * dotEdges(edge, o, edge, 3 * left) : 0;
  }
  const solved = rod.closed
    ? solveCyclicTridiagonal(lower, diagonal, upper, step, scratch, edgeCount, true)
    : solveTridiagonal(lower, diagonal, upper, step, edgeCount, true);
  if (!solved) return false;
  for (let j = 0; j < edgeCount; j++) {
    const next = j + 1 < nodeCount ? j + 1 : 0;
    for (let k = 0; k < 3; k++) {
      v[4 * j + k] += w[j] * step[j] * edge[3 * j + k];
      v[4 * next + k] -= w[next] * step[j] * edge[3 * j + k];
    }
  }
  return true;
}

export function updateInverseMass(der: DerRod, work: ExplicitWork): void {
  for (let i = 0; i < der.nodeCount; i++) {
    const held = der.fixed[4 * i] && der.fixed[4 * i + 1] && der.fixed[4 * i + 2];
    work.inverseMass[i] = held ? 0 : 1 / der.mass[4 * i];
  }
}

/** Frames, inverse masses, projected velocities and accelerations of the initial state. */
export function initializeExplicit(der: DerRod, work: ExplicitWork, t: number): string {
  evaluatePins(der, t);
  updateInverseMass(der, work);
  const failure = updateFrames(der, work);
  if (failure) return failure;
  if (!projectVelocities(der, work)) return 'the initial velocities cannot be made consistent';
  writeAcceleration(der, work, t);
  return '';
}

/**
 * Continues after implicit steps with contact, which transport the frame of every edge in time. Lays Bishop frames again, with θ such that every joint
 * keeps its twist, turns included; then computes what the scheme starts from.
 */
export function resumeExplicit(der: DerRod, work: ExplicitWork, t: number): string {
  const { joints, held, jointReferenceTwist, jointTwist, jointOffset, q } = der;
  evaluatePins(der, t);
  updateTwist(der);
  layBishopFrames(der);
  for (let i = 0; i < joints.count; i++) {
    const [before, after] = [joints.before[i], joints.after[i]];
    const thetaBefore = before >= 0 ? q[4 * before + 3] : held.theta[-1 - before];
    const turned = jointTwist[i] - jointOffset[i];
    if (after >= 0 && after === Math.max(before, -1) + 1)
      q[4 * after + 3] = thetaBefore + turned - jointReferenceTwist[i];
    // the last held frame, or the seam of a ring
    else jointReferenceTwist[i] = turned - (after >= 0 ? q[4 * after + 3] : held.theta[-1 - after]) + thetaBefore;
  }
  return initializeExplicit(der, work, t);
}

function stepOnce(der: DerRod, work: ExplicitWork, shake: boolean, t: number, h: number, out: RodStep): boolean {
  const { q, v, acceleration, size } = der;
  writeEdges(work.edgeStart, der);
  const kick = shake ? 0.5 * h : h;
  const { start } = work;
  start.set(q);
  for (let d = 0; d < size; d++) {
    if ((d & 3) === 3) continue;
    v[d] += kick * acceleration[d];
    q[d] += h * v[d];
  }
  evaluatePins(der, t + h);
  updateInverseMass(der, work);
  placePinned(der, q, v);
  const iterations = projectPositions(der, work, shake, (shake ? 2 : 1) / (h * h));
  if (iterations < 0) {
    out.reason = 'the projection onto inextensible edges did not converge';
    return false;
  }
  for (let j = 0; j < der.edgeCount; j++) der.edgeTension[j] += work.edgeAxial[j];
  out.iterations += iterations;
  out.iterationsMax = Math.max(out.iterationsMax, iterations);
  for (let d = 0; d < size; d++) if ((d & 3) !== 3 && !der.fixed[d]) v[d] = (q[d] - start[d]) / h;
  const failure = updateFrames(der, work);
  if (failure) {
    out.reason = failure;
    return false;
  }
  writeAcceleration(der, work, t + h);
  if (shake) {
    for (let d = 0; d < size; d++) if ((d & 3) !== 3 && !der.fixed[d]) v[d] += 0.5 * h * acceleration[d];
    if (!projectVelocities(der, work)) {
      out.reason = 'the velocities cannot be made consistent with inextensible edges';
      return false;
    }
  }
  return true;
}

/** Recomputes from the state what a step inherits from the one before and the state does not contain. */
export function refreshExplicit(der: DerRod, work: ExplicitWork): void {
  measureEdges(der, der.q, work.previousTangent);
  updateTwist(der);
  turnMaterialFrames(der);
  updateInverseMass(der, work);
  if (measureBinormals(der, work.kb)) writeCenterlineForce(work.correction, der, work);
}

/** Memory of a rod for its steps: of this scheme, of all schemes, and of the start of the step. */
interface ExplicitTools {
  readonly work: ExplicitWork;
  readonly common: Workspace;
  readonly start: Snapshot;
}

/** One step of one rod, subdivided to the stable length; on failure restores the rod. */
export function stepExplicit(
  der: DerRod,
  { work, common, start }: ExplicitTools,
  { t, dt, shake }: { readonly t: number; readonly dt: number; readonly shake: boolean },
): RodStep {
  const out: RodStep = { ok: true, iterations: 0, iterationsMax: 0, shifts: 0, reason: '' };
  takeSnapshot(start, der);
  const pieces = countPieces(dt, work.stableStep) ?? 0;
  if (pieces === 0) {
    out.ok = false;
    out.reason = tooManyPieces(dt, work.stableStep);
    return out;
  }
  for (let piece = 0; piece < pieces && out.ok; piece++)
    out.ok = stepOnce(der, work, shake, t + (dt * piece) / pieces, dt / pieces, out);
  if (!out.ok) returnToSnapshot(der, start, common, t);
  return out;
}
