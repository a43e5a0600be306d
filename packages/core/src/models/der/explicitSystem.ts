/**
 * The explicit schemes for rods with bodies [Bergou2008 §8]: the rods' forces and torques act on the bodies as loads, and one projection moves nodes
 * and bodies together in the metric of the generalised mass.
 *
 * `shake` projects along the gradients of the start of the step and computes the bodies' drift from their corrected momenta: linear and angular momentum
 * are kept to rounding. One factorisation per step (with the matrix of the previous velocities), three to five solves.
 * `fast-projection` is the paper's: gradients at the moving point, one factorisation per iteration; positions are moved directly and velocities follow.
 *
 * NOTE: the paper welds an edge to the body and passes the torque about it alone (§8.2), one step late. Here a weld is at a node, and the held frame
 * bends and twists the half edge beside it: its whole torque is −∂E/∂φ by a rotation φ of the held frame, at the same instant as all other forces.
 */

import { rotate, writeRotation, writeWorldInertia } from '../../bodies/body.ts';
import { solveSparse } from '../../linalg/sparse.ts';
import { multiplyQuaternions, quaternionFromRotation } from '../../math/quaternion.ts';
import { hypotOf } from '../../math/rounded/index.ts';
import type { RodStep } from '../rodStep.ts';
import { cloneArrays, copyArrays } from '../snapshot.ts';
import { BODY_STATE, beginStep, syncPose, writeBodyLoad } from './body.ts';
import { updateFrames, updateInverseMass, writeAcceleration } from './explicit.ts';
import {
  commitImpulses,
  createExplicitBody,
  driftBody,
  type ExplicitBody,
  followProjection,
  guideMomentum,
  measureInverseMass,
} from './explicitBody.ts';
import { createSeats, moveSeats, placeSeats, type Seat } from './explicitSeats.ts';
import { countSubsteps, findStableStep, tooManySubsteps } from './explicitStability.ts';
import type { ExplicitWork } from './explicitWork.ts';
import { writeHeldTorque } from './held.ts';
import { chooseDirections, markPushed, writeEdges } from './inextensible.ts';
import { evaluatePins, placePinned } from './kinematics.ts';
import { createConstraints, type EdgeConstraints, factorConstraints, pullBodies, pullNodes } from './projection.ts';
import { returnToSnapshot, type Snapshot, takeSnapshot } from './snapshot.ts';
import { type Member, measureLevers, type System } from './welds.ts';

export interface ExplicitSystem {
  readonly system: System;
  readonly works: readonly ExplicitWork[];
  readonly bodies: readonly ExplicitBody[];
  readonly seats: readonly Seat[];
  readonly constraints: EdgeConstraints;
  /** Edge vectors at the start of the step, and now; one array per rod. */
  readonly edgesStart: readonly Float64Array[];
  readonly edgesNow: readonly Float64Array[];
  /** Bodies at the start of the step. */
  readonly entry: readonly Readonly<Record<(typeof BODY_STATE)[number], Float64Array>>[];
  readonly moved: Float64Array;
  readonly stableStep: number;
  /** True if the matrix of the current state is factored. */
  ready: boolean;
}

export function createExplicitSystem(system: System, works: readonly ExplicitWork[]): ExplicitSystem {
  const bodies = system.bodies.map(createExplicitBody);
  const seats = createSeats(system, bodies);
  return {
    system,
    works,
    bodies,
    seats,
    constraints: createConstraints(system.members, bodies.length),
    edgesStart: works.map((work) => work.edgeStart),
    edgesNow: works.map((work) => work.edge),
    entry: bodies.map(({ body }) => cloneArrays(body, BODY_STATE)),
    moved: new Float64Array(3 * bodies.length),
    stableStep: findStableStep(system, works, bodies),
    ready: false,
  };
}

/** Force and torque on every body at the current state: its own loads, and those of its welded nodes and held frames. */
function writeBodyForces({ system, works }: ExplicitSystem, t: number): void {
  for (const body of system.bodies) writeBodyLoad(body, t);
  system.members.forEach(({ der, ties, heldTorque }: Member, m) => {
    if (ties.length === 0) return;
    const { correction } = works[m];
    writeHeldTorque(heldTorque, der);
    for (const { body, node, held, lever: a } of ties) {
      const { residual } = system.bodies[body];
      const o = 3 * node;
      const fx = correction[o] + der.loads.nodeForce[o];
      const fy = correction[o + 1] + der.loads.nodeForce[o + 1];
      const fz = correction[o + 2] + der.loads.nodeForce[o + 2];
      residual[0] -= fx;
      residual[1] -= fy;
      residual[2] -= fz;
      residual[3] -= a[1] * fz - a[2] * fy;
      residual[4] -= a[2] * fx - a[0] * fz;
      residual[5] -= a[0] * fy - a[1] * fx;
      if (held >= 0) for (let k = 0; k < 3; k++) residual[3 + k] += heldTorque[3 * held + k];
    }
  });
  for (const { body, residual, force, torque } of system.bodies) {
    for (let k = 0; k < 3; k++) {
      force[k] = body.free[k] ? -residual[k] : 0;
      torque[k] = body.free[3 + k] ? -residual[3 + k] : 0;
    }
  }
}

/** Matrix of the constraints at the current state, factored. */
function prepare(explicit: ExplicitSystem, edges: readonly Float64Array[]): boolean {
  const { system, works, bodies, constraints } = explicit;
  system.members.forEach(({ der }, m) => {
    writeEdges(edges[m], der);
  });
  measureBodies(explicit);
  return factorConstraints(constraints, works, edges, bodies);
}

/** Levers and inverse masses of the bodies at their current poses. */
function measureBodies({ system, bodies }: ExplicitSystem): void {
  for (const member of system.members) measureLevers(member, system.bodies);
  for (const one of bodies) {
    writeWorldInertia(one.body.worldInertia, one.body.pose.rotation, one.body.inertia);
    measureInverseMass(one);
  }
}

/** Removes the part of the velocities that would change edge lengths; the matrix must be that of the current state. */
function projectSystemVelocities(explicit: ExplicitSystem): void {
  const { system, works, bodies, constraints, edgesNow } = explicit;
  const { x, first } = constraints;
  system.members.forEach(({ der }, m) => {
    const { v, edgeCount, nodeCount } = der;
    const e = edgesNow[m];
    for (let j = 0; j < edgeCount; j++) {
      const a = 4 * j;
      const b = j + 1 < nodeCount ? a + 4 : 0;
      const o = 3 * j;
      x[first[m] + j] = e[o] * (v[b] - v[a]) + e[o + 1] * (v[b + 1] - v[a + 1]) + e[o + 2] * (v[b + 2] - v[a + 2]);
    }
  });
  solveSparse(constraints.factor, x);
  system.members.forEach(({ der }, m) => {
    pullNodes(der.v, der.nodeCount, works[m].inverseMass, edgesNow[m], x, first[m]);
  });
  pullBodies(constraints, bodies, 1);
  for (const one of bodies) {
    commitImpulses(one);
    guideMomentum(one);
    syncPose(one.body);
  }
  moveSeats(explicit.seats, explicit.system);
}

/** ½(|e|² − ē²) of every edge into x; returns the largest relative error of a squared length. */
function measureConstraints({ system, constraints, edgesNow }: ExplicitSystem): number {
  const { x, first } = constraints;
  let worst = 0;
  system.members.forEach(({ der }, m) => {
    const e = edgesNow[m];
    writeEdges(e, der);
    const { edgeLengthRest } = der.rod;
    for (let j = 0; j < der.edgeCount; j++) {
      const o = 3 * j;
      const rest2 = edgeLengthRest[j] * edgeLengthRest[j];
      const c = e[o] * e[o] + e[o + 1] * e[o + 1] + e[o + 2] * e[o + 2] - rest2;
      x[first[m] + j] = 0.5 * c;
      const error = Math.abs(c) / rest2;
      if (!(error <= worst)) worst = error;
    }
  });
  return worst;
}

const rotation = new Float64Array(4);

/** Moves a body by the impulses as displacements, and forgets them (fast projection). */
function nudgeBody(one: ExplicitBody, moved: Float64Array, o: number): void {
  const { body, impulse, angularImpulse, inverseMass, inverseInertia } = one;
  rotate(rotation, 0, inverseInertia, angularImpulse, 0);
  quaternionFromRotation(rotation, 0, rotation, 0);
  multiplyQuaternions(body.orientation, 0, rotation, 0, body.orientation, 0);
  const size = hypotOf(body.orientation);
  for (let k = 0; k < 4; k++) body.orientation[k] /= size;
  for (let k = 0; k < 3; k++) {
    moved[o + k] += inverseMass[k] * impulse[k];
    body.position[k] += inverseMass[k] * impulse[k];
  }
  impulse.fill(0);
  angularImpulse.fill(0);
  writeRotation(body.pose.rotation, body.orientation);
}

/** Solves with the factored matrix of the step's start; the constraints' values are in x before and after. */
function markPushedEdges(explicit: ExplicitSystem): void {
  const { works, constraints } = explicit;
  solveSparse(constraints.factor, constraints.x);
  works.forEach((work, m) => {
    markPushed(work, constraints.x.subarray(constraints.first[m]), { isSolved: true });
  });
  measureConstraints(explicit);
}

/** Restores every edge's length; returns the iterations, −1 on failure. */
function project(explicit: ExplicitSystem, shake: boolean, h: number): number {
  const { system, works, bodies, constraints, edgesStart, edgesNow } = explicit;
  const perForce = (shake ? 2 : 1) / (h * h);
  const edges = shake ? edgesStart : works.map((work) => work.direction);
  for (const { der } of system.members) der.edgeTension.fill(0);
  for (let iteration = 0; iteration < 40; iteration++) {
    const worst = measureConstraints(explicit);
    if (worst <= 1e-10) return iteration;
    if (!(worst < 10)) return -1;
    if (!shake) {
      if (iteration === 0) markPushedEdges(explicit);
      works.forEach((work, m) => {
        chooseDirections(work.direction, edgesNow[m], work);
      });
      // the matrix is of the directions; the right-hand side stays
      measureBodies(explicit);
      if (!factorConstraints(constraints, works, edges, bodies)) return -1;
    }
    solveSparse(constraints.factor, constraints.x);
    system.members.forEach(({ der }, m) => {
      const first = constraints.first[m];
      pullNodes(der.q, der.nodeCount, works[m].inverseMass, edges[m], constraints.x, first);
      for (let j = 0; j < der.edgeCount; j++)
        der.edgeTension[j] += constraints.x[first + j] * der.rod.edgeLengthRest[j] * perForce;
    });
    pullBodies(constraints, bodies, shake ? 1 / h : 1);
    bodies.forEach((one, b) => {
      if (shake) driftBody(one, h);
      else nudgeBody(one, explicit.moved, 3 * b);
    });
    placeSeats(explicit.seats, explicit.system);
  }
  return -1;
}

/** Frames, inverse masses, projected velocities and forces of the current state. */
export function initializeExplicitSystem(explicit: ExplicitSystem, t: number): string {
  const { system, works, edgesNow } = explicit;
  for (const { body } of explicit.bodies) syncPose(body);
  for (let m = 0; m < works.length; m++) {
    const { der } = system.members[m];
    evaluatePins(der, t);
    updateInverseMass(der, works[m]);
    const failure = updateFrames(der, works[m]);
    if (failure) return failure;
  }
  placeSeats(explicit.seats, explicit.system);
  for (const one of explicit.bodies) {
    measureInverseMass(one);
    guideMomentum(one);
    syncPose(one.body);
  }
  moveSeats(explicit.seats, explicit.system);
  if (!prepare(explicit, edgesNow)) return 'the initial velocities cannot be made consistent';
  projectSystemVelocities(explicit);
  system.members.forEach(({ der }, m) => {
    writeAcceleration(der, works[m], t);
  });
  writeBodyForces(explicit, t);
  explicit.ready = false;
  return '';
}

function kick(explicit: ExplicitSystem, h: number): void {
  for (const { der } of explicit.system.members) {
    const { v, acceleration, fixed, size } = der;
    for (let d = 0; d < size; d++) if ((d & 3) !== 3 && !fixed[d]) v[d] += h * acceleration[d];
  }
  for (const one of explicit.bodies) {
    const { mass, velocity, momentum, force, torque } = one.body;
    for (let k = 0; k < 3; k++) {
      velocity[k] += mass > 0 ? (h * force[k]) / mass : 0;
      momentum[k] += h * torque[k];
    }
    guideMomentum(one);
  }
}

function stepOnce(explicit: ExplicitSystem, shake: boolean, t: number, h: number, out: RodStep): boolean {
  const { system, works, bodies, edgesStart, edgesNow } = explicit;
  if (explicit.ready) for (let m = 0; m < works.length; m++) edgesStart[m].set(edgesNow[m]);
  else if (!prepare(explicit, edgesStart)) {
    out.reason = 'the constraints of inextensible edges cannot be solved';
    return false;
  }
  explicit.ready = false;
  for (const { body } of bodies) beginStep(body);
  kick(explicit, shake ? 0.5 * h : h);
  system.members.forEach(({ der }, m) => {
    works[m].start.set(der.q);
    for (let d = 0; d < der.size; d++) if ((d & 3) !== 3) der.q[d] += h * der.v[d];
    evaluatePins(der, t + h);
    updateInverseMass(der, works[m]);
    placePinned(der, der.q, der.v);
  });
  for (const one of bodies) {
    driftBody(one, h);
    one.before.set(one.body.orientation);
  }
  explicit.moved.fill(0);
  placeSeats(explicit.seats, explicit.system);
  const iterations = project(explicit, shake, h);
  if (iterations < 0) {
    out.reason = 'the projection onto inextensible edges did not converge';
    return false;
  }
  out.iterations += iterations;
  out.iterationsMax = Math.max(out.iterationsMax, iterations);
  bodies.forEach((one, b) => {
    if (shake) commitImpulses(one);
    else followProjection(one, explicit.moved.subarray(3 * b, 3 * b + 3), h);
    writeWorldInertia(one.body.worldInertia, one.body.pose.rotation, one.body.inertia);
    measureInverseMass(one);
    guideMomentum(one);
    syncPose(one.body);
  });
  return finishStep(explicit, shake, t + h, h, out);
}

/** Velocities and frames at the projected nodes, forces there, and the second half of the kick. */
function finishStep(explicit: ExplicitSystem, shake: boolean, t: number, h: number, out: RodStep): boolean {
  const { system, works, edgesNow } = explicit;
  for (let m = 0; m < works.length; m++) {
    const { der } = system.members[m];
    const work = works[m];
    for (let j = 0; j < der.edgeCount; j++) der.edgeTension[j] += work.edgeAxial[j];
    for (let d = 0; d < der.size; d++) if ((d & 3) !== 3 && !der.fixed[d]) der.v[d] = (der.q[d] - work.start[d]) / h;
    // held frames at the bodies' new orientation
    evaluatePins(der, t);
    out.reason = updateFrames(der, work);
    if (out.reason) return false;
  }
  moveSeats(explicit.seats, explicit.system);
  system.members.forEach((member, m) => {
    measureLevers(member, system.bodies);
    writeAcceleration(member.der, works[m], t);
  });
  writeBodyForces(explicit, t);
  if (!shake) return true;
  kick(explicit, 0.5 * h);
  for (const { body } of explicit.bodies) syncPose(body);
  moveSeats(explicit.seats, explicit.system);
  if (!prepare(explicit, edgesNow)) {
    out.reason = 'the velocities cannot be made consistent with inextensible edges';
    return false;
  }
  projectSystemVelocities(explicit);
  explicit.ready = true;
  return true;
}

/** One step of rods and bodies, subdivided to the stable length; on failure restores them. */
export function stepExplicitSystem(
  explicit: ExplicitSystem,
  starts: readonly Snapshot[],
  shake: boolean,
  t: number,
  dt: number,
): RodStep {
  const { system, bodies, entry } = explicit;
  const out: RodStep = { ok: true, iterations: 0, iterationsMax: 0, shifts: 0, reason: '' };
  system.members.forEach(({ der }, m) => {
    takeSnapshot(starts[m], der);
  });
  bodies.forEach(({ body }, b) => {
    copyArrays(entry[b], body, BODY_STATE);
  });
  const substeps = countSubsteps(dt, explicit.stableStep) ?? 0;
  if (substeps === 0) {
    out.ok = false;
    out.reason = tooManySubsteps(dt, explicit.stableStep);
    return out;
  }
  for (let substep = 0; substep < substeps && out.ok; substep++)
    out.ok = stepOnce(explicit, shake, t + (dt * substep) / substeps, dt / substeps, out);
  if (out.ok) return out;
  explicit.ready = false;
  bodies.forEach(({ body }, b) => {
    copyArrays(body, entry[b], BODY_STATE);
    syncPose(body);
  });
  system.members.forEach(({ der, work }, m) => {
    returnToSnapshot(der, starts[m], work, t);
  });
  return out;
}
