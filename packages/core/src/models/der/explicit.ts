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
import { transport3 } from '../../math/vec3.ts';
import type { RodStep } from '../rodStep.ts';
import { writeCenterlineForce } from './centerlineForce.ts';
import { countSubsteps, tooManySubsteps } from './explicitStability.ts';
import type { ExplicitWork } from './explicitWork.ts';
import { projectPositions, projectVelocities, writeEdges } from './inextensible.ts';
import { evaluatePins, measureEdges, placePinned, turnMaterialFrames, updateTwist } from './kinematics.ts';
import { layBishopFrames, measureBinormals, solveQuasistaticFrame } from './quasistatic.ts';
import type { DerRod } from './rod.ts';
import { returnToSnapshot, type Snapshot, takeSnapshot } from './snapshot.ts';
import { evaluateLoads, type Workspace } from './stage.ts';

/** Frames after the centreline moved: first edge in time, the others along the rod, then θ. */
export function updateFrames(der: DerRod, work: ExplicitWork): string {
  if (!measureEdges(der, der.q, work.previousTangent)) return 'an edge has no length or a position is not a number';
  transport3(der.edgeReference, 0, der.edgeReference, 0, work.previousTangent, 0, der.edgeTangent, 0);
  layBishopFrames(der);
  if (!measureBinormals(der, work.kb)) return 'two edges point against each other';
  return solveQuasistaticFrame(der, work) ? '' : 'the quasistatic frame did not converge';
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
 * Continues after implicit steps with contact, which transport the frame of every edge in time. Computes Bishop frames again, with θ such that every
 * joint keeps its twist, including full turns; then the initial values of the scheme.
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

/** Recomputes the quantities that a step takes over from the previous one and that are not part of the state. */
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
  const substeps = countSubsteps(dt, work.stableStep) ?? 0;
  if (substeps === 0) {
    out.ok = false;
    out.reason = tooManySubsteps(dt, work.stableStep);
    return out;
  }
  for (let substep = 0; substep < substeps && out.ok; substep++)
    out.ok = stepOnce(der, work, shake, t + (dt * substep) / substeps, dt / substeps, out);
  if (!out.ok) returnToSnapshot(der, start, common, t);
  return out;
}
