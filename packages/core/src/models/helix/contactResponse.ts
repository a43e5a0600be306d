/** The response of one super-helix to forces at its contact points, by the sweep (contact.ts explains its use). */

import type { ContactSides } from '../../port.ts';
import type { PointMasses } from './assembly.ts';
import { createWorkspace, fillAssembly, fillDiagonal, type Stage, type Workspace } from './energy.ts';
import { projectRates, respondHold } from './holdSolve.ts';
import { writeAllJacobians, writePointJacobians } from './kinematics.ts';
import type { HelixRod } from './rod.ts';
import { factorRod, solveRod } from './sweep.ts';

/** Data of one rod over the iterations of a step with contact. */
export interface Slot {
  readonly work: Workspace;
  readonly guess: Float64Array;
  readonly x: Float64Array;
  stage: Stage;
  shift: number;
  pointMasses: { first: Int32Array; order: Int32Array; turn: Float64Array; own: Float64Array; mass: Float64Array };
  /** Index of each of the rod's points among the sides. */
  side: Int32Array;
  count: number;
}

export function createSlot(h: HelixRod): Slot {
  return {
    work: createWorkspace(h, h.history.length),
    guess: new Float64Array(h.q.length),
    x: new Float64Array(h.q.length),
    stage: { t: 0, inertia: 0, rate: 0 },
    shift: 0,
    pointMasses: {
      first: new Int32Array(h.elementCount + 1),
      order: new Int32Array(0),
      turn: new Float64Array(0),
      own: new Float64Array(0),
      mass: new Float64Array(0),
    },
    side: new Int32Array(0),
    count: 0,
  };
}

/** The sides of each rod into its slot. */
export function collectSides(slotOf: (k: number) => Slot, sides: ContactSides): void {
  for (let c = 0; c < sides.count; c++) {
    const slot = slotOf(sides.rod[c]);
    if (slot.count === slot.side.length) {
      const side = new Int32Array(2 * slot.count + 8);
      side.set(slot.side);
      slot.side = side;
    }
    slot.side[slot.count++] = c;
  }
}

const angular = new Float64Array(9);
const linear = new Float64Array(9);

/** P and J of the rod's points, in the order of their elements. */
export function placePoints(h: HelixRod, slot: Slot, sides: ContactSides): void {
  const { count } = slot;
  if (slot.pointMasses.mass.length < count) {
    slot.pointMasses = {
      first: slot.pointMasses.first,
      order: new Int32Array(2 * count),
      turn: new Float64Array(18 * count),
      own: new Float64Array(18 * count),
      mass: new Float64Array(2 * count),
    };
  }
  const { first, order, turn, own } = slot.pointMasses;
  first.fill(0);
  for (let i = 0; i < count; i++) first[h.edgeElement[sides.edge[slot.side[i]]] + 1]++;
  for (let e = 0; e < h.elementCount; e++) first[e + 1] += first[e];
  for (let i = count - 1; i >= 0; i--) order[--first[h.edgeElement[sides.edge[slot.side[i]]] + 1]] = i;
  // counting down leaves each start one entry too late
  for (let e = 0; e < h.elementCount; e++) first[e] = first[e + 1];
  first[h.elementCount] = count;
  writeAllJacobians(h);
  for (let i = 0; i < count; i++) {
    const c = slot.side[i];
    const j = sides.edge[c];
    const e = h.edgeElement[j];
    const w = sides.weight[c];
    const o = 9 * i;
    own.fill(0, o, o + 9);
    if (j > h.elementNode[e]) addNode(own, o, h, e, j, 1 - w);
    addNode(own, o, h, e, j + 1, w);
    const d = [0, 1, 2].map(
      (k) => (1 - w) * h.nodePosition[3 * j + k] + w * h.nodePosition[3 * j + 3 + k] - h.position[3 * e + k],
    );
    // −[d] + arm tᵀ
    turn.set([0, d[2], -d[1], -d[2], 0, d[0], d[1], -d[0], 0], o);
    writePointJacobians(h, e, h.edgeOffset[j], h.edgeSeries, 8 * j, angular, linear, 0);
    for (let k = 0; k < 3; k++) {
      const t = [0, 1, 2].map((r) => h.edgeFrame[9 * j + 3 * r + 2]);
      const spin = t[0] * angular[k] + t[1] * angular[3 + k] + t[2] * angular[6 + k];
      for (let r = 0; r < 3; r++) {
        turn[o + 3 * r + k] += sides.arm[3 * c + r] * t[k];
        own[o + 3 * r + k] += sides.arm[3 * c + r] * spin;
      }
    }
  }
}

/** Adds the motion of a node inside or at the end of element e by the element's own curvatures. */
function addNode(out: Float64Array, o: number, h: HelixRod, e: number, node: number, weight: number): void {
  if (node === h.elementNode[e + 1]) {
    for (let k = 0; k < 9; k++) out[o + k] += weight * h.jacobianLinear[9 * e + k];
    return;
  }
  writePointJacobians(h, e, h.nodeOffset[node], h.nodeSeries, 8 * node, angular, linear, 0);
  for (let k = 0; k < 9; k++) out[o + k] += weight * linear[k];
}

/** The Hessian of the step at its end state, shifted if it is not positive definite. */
export function factorStep(h: HelixRod, slot: Slot): boolean {
  const { work, stage } = slot;
  fillAssembly(h, work, stage);
  for (slot.shift = 0; slot.shift < 1e8; slot.shift = Math.max(4 * slot.shift, 1e-2)) {
    fillDiagonal(h, work, stage, slot.shift);
    if (!factorRod(h, work.assembly, 'stop-at-negative', 'geometric')) continue;
    if (h.hold) respondHold(h, work, h.hold);
    return true;
  }
  return false;
}

const wrench = new Float64Array(6);

/** velocity = scale · S (factored matrix)⁻¹ Sᵀ impulse for the rod's points. */
export function respond(velocity: Float64Array, h: HelixRod, slot: Slot, impulse: Float64Array, scale: number): void {
  const { x, pointMasses, side } = slot;
  const { first, order, turn, own } = pointMasses;
  const { jacobianAngular: A, jacobianLinear: B, position, elementCount } = h;
  wrench.fill(0);
  for (let e = elementCount - 1; e >= 0; e--) {
    const at = 9 * e;
    for (let k = 0; k < 3; k++)
      x[3 * e + k] =
        A[at + k] * wrench[0] +
        A[at + 3 + k] * wrench[1] +
        A[at + 6 + k] * wrench[2] +
        B[at + k] * wrench[3] +
        B[at + 3 + k] * wrench[4] +
        B[at + 6 + k] * wrench[5];
    moveWrench(position, e);
    for (let i = first[e]; i < first[e + 1]; i++) {
      const o = 9 * order[i];
      const p = 3 * side[order[i]];
      for (let k = 0; k < 3; k++) {
        x[3 * e + k] += own[o + k] * impulse[p] + own[o + 3 + k] * impulse[p + 1] + own[o + 6 + k] * impulse[p + 2];
        wrench[k] += turn[o + k] * impulse[p] + turn[o + 3 + k] * impulse[p + 1] + turn[o + 6 + k] * impulse[p + 2];
        wrench[3 + k] += impulse[p + k];
      }
    }
  }
  solveRod(h, slot.work.assembly, x);
  if (h.hold) projectRates(h.hold, x);
  readPoints(velocity, h, slot, scale);
}

/** The moment of the force about the near end of element e. */
function moveWrench(position: Float64Array, e: number): void {
  const dx = position[3 * e + 3] - position[3 * e];
  const dy = position[3 * e + 4] - position[3 * e + 1];
  const dz = position[3 * e + 5] - position[3 * e + 2];
  wrench[0] += dy * wrench[5] - dz * wrench[4];
  wrench[1] += dz * wrench[3] - dx * wrench[5];
  wrench[2] += dx * wrench[4] - dy * wrench[3];
}

/** Displacements of the points by a change x of the curvatures, with the root fixed. */
function readPoints(out: Float64Array, h: HelixRod, { x, pointMasses, side }: Slot, scale: number): void {
  const { first, order, turn, own } = pointMasses as PointMasses;
  const { jacobianAngular: A, jacobianLinear: B, position } = h;
  const motion = wrench.fill(0);
  for (let e = 0; e < h.elementCount; e++) {
    const [a, b, c] = [x[3 * e], x[3 * e + 1], x[3 * e + 2]];
    for (let i = first[e]; i < first[e + 1]; i++) {
      const o = 9 * order[i];
      const p = 3 * side[order[i]];
      for (let r = 0; r < 3; r++)
        out[p + r] =
          scale *
          (motion[3 + r] +
            turn[o + 3 * r] * motion[0] +
            turn[o + 3 * r + 1] * motion[1] +
            turn[o + 3 * r + 2] * motion[2] +
            own[o + 3 * r] * a +
            own[o + 3 * r + 1] * b +
            own[o + 3 * r + 2] * c);
    }
    const dx = position[3 * e + 3] - position[3 * e];
    const dy = position[3 * e + 4] - position[3 * e + 1];
    const dz = position[3 * e + 5] - position[3 * e + 2];
    motion[3] += motion[1] * dz - motion[2] * dy;
    motion[4] += motion[2] * dx - motion[0] * dz;
    motion[5] += motion[0] * dy - motion[1] * dx;
    for (let r = 0; r < 3; r++) {
      const at = 9 * e + 3 * r;
      motion[r] += A[at] * a + A[at + 1] * b + A[at + 2] * c;
      motion[3 + r] += B[at] * a + B[at + 1] * b + B[at + 2] * c;
    }
  }
}

let unit = new Float64Array(0);
let moved = new Float64Array(0);

/** Sum over the axes of a point's displacement under a unit force along the axis. */
export function traceOf(h: HelixRod, slot: Slot, i: number): number {
  const p = 3 * slot.side[i];
  let most = 0;
  for (let k = 0; k < slot.count; k++) most = Math.max(most, 3 * slot.side[k] + 3);
  if (unit.length < most) {
    unit = new Float64Array(2 * most);
    moved = new Float64Array(2 * most);
  }
  let trace = 0;
  for (let k = 0; k < 3; k++) {
    unit.fill(0, 0, most);
    unit[p + k] = 1;
    respond(moved, h, slot, unit, 1);
    trace += moved[p + k];
  }
  return trace;
}
