/**
 * Rejects second-order steps that create energy: if an edge turns far in one step, the trapezoidal stage of TR-BDF2 starts from forces that have turned
 * meanwhile. Such a step is measured, kinetic plus elastic energy minus the work of loads and pins, in the frame of the pins; one that gains is repeated
 * with implicit Euler.
 */
import { hypot, hypotOf, square as squareOf } from '../../math/rounded/index.ts';
import { addElasticEnergies } from './energy.ts';
import { measureReactions } from './readouts.ts';
import type { CosseratRod } from './rod.ts';
import { evaluateLoads, type Workspace } from './stage.ts';
import type { Snapshot } from './step.ts';

/** cos² of the largest rotation of an edge in a step that is not measured [0.1 rad]. */
const NEAR_SQUARE = 0.99;

/** Energy, momentum and loads of a rod at one instant. */
export interface Mark {
  energy: number;
  mass: number;
  readonly momentum: Float64Array;
  readonly force: Float64Array;
  readonly torque: Float64Array;
  readonly tangent: Float64Array;
}

export function createMark({ loads }: CosseratRod): Mark {
  return {
    energy: 0,
    mass: 0,
    momentum: new Float64Array(3),
    force: loads.nodeForce.slice(),
    torque: loads.edgeTorque.slice(),
    tangent: loads.edgeTorque.slice(),
  };
}

/** Records the rod at t; its strain must be up to date. */
export function markRod(out: Mark, cos: CosseratRod, t: number): void {
  const { v, mass, size, edgeCount, edgeFrame, loads } = cos;
  const elastic = { bending: 0, twisting: 0, stretching: 0 };
  addElasticEnergies(cos, elastic);
  out.energy = elastic.bending + elastic.twisting + elastic.stretching;
  out.mass = 0;
  out.momentum.fill(0);
  for (let d = 0; d < size; d++) {
    out.energy += 0.5 * mass[d] * v[d] * v[d];
    const k = d % 6;
    if (k < 3) out.momentum[k] += mass[d] * v[d];
    if (k === 0) out.mass += mass[d];
  }
  evaluateLoads(cos, t);
  out.force.set(loads.nodeForce);
  out.torque.set(loads.edgeTorque);
  for (let j = 0; j < edgeCount; j++) for (let k = 0; k < 3; k++) out.tangent[3 * j + k] = edgeFrame[9 * j + 6 + k];
}

/** True if an edge has turned far since the start of the step. */
export function hasTurnedFar({ edgeCount, edgeFrame }: CosseratRod, { tangent }: Mark): boolean {
  for (let j = 0; j < edgeCount; j++) {
    let dot = 0;
    for (let k = 0; k < 3; k++) dot += tangent[3 * j + k] * edgeFrame[9 * j + 6 + k];
    if (!(dot > 0 && dot * dot > NEAR_SQUARE)) return true;
  }
  return false;
}

const displacement = new Float64Array(3);

/** Displacement of the frame over the step: of the pins if there are any, else of the centre of mass. */
function writeDisplacement({ q, mass, fixed, nodeCount }: CosseratRod, start: Snapshot): void {
  for (let k = 0; k < 3; k++) {
    let held = 0;
    let heldDisplacement = 0;
    let sum = 0;
    let total = 0;
    for (let i = 0; i < nodeCount; i++) {
      const moved = q[7 * i + k] - start.q[7 * i + k];
      if (fixed[6 * i + k]) {
        held++;
        heldDisplacement += moved;
      }
      total += mass[6 * i + k];
      sum += mass[6 * i + k] * moved;
    }
    displacement[k] = held > 0 ? heldDisplacement / held : sum / total;
  }
}

/** Work of node forces and edge torques over the step. */
function workOf(cos: CosseratRod, start: Snapshot, before: Mark, { force, torque }: Mark, h: number): number {
  const { q, v, nodeCount, edgeCount, edgeFrame } = cos;
  let sum = 0;
  for (let i = 0; i < nodeCount; i++)
    for (let k = 0; k < 3; k++) sum += force[3 * i + k] * (q[7 * i + k] - start.q[7 * i + k] - displacement[k]);
  for (let j = 0; j < edgeCount; j++) {
    const o = 3 * j;
    if (torque[o] === 0 && torque[o + 1] === 0 && torque[o + 2] === 0) continue;
    const spin = 0.5 * h * (v[6 * j + 5] + start.v[6 * j + 5]);
    for (let k = 0; k < 3; k++) {
      const a = (k + 1) % 3;
      const b = (k + 2) % 3;
      const swing = before.tangent[o + a] * edgeFrame[9 * j + 6 + b] - before.tangent[o + b] * edgeFrame[9 * j + 6 + a];
      sum += torque[o + k] * (swing + spin * edgeFrame[9 * j + 6 + k]);
    }
  }
  return sum;
}

/** Work of mass damping over a step of length h in the frame, where it may push: see balance.ts. */
function workOfDamping({ q, mass, massDamping, nodeCount }: CosseratRod, start: Snapshot, h: number): number {
  let sum = 0;
  for (let i = 0; i < nodeCount; i++) {
    for (let k = 0; k < 3; k++) {
      const moved = q[7 * i + k] - start.q[7 * i + k];
      sum -= ((mass[6 * i + k] * massDamping[6 * i + k]) / h) * moved * (moved - displacement[k]);
    }
  }
  return Math.max(0, sum);
}

/** Upper bound on the work of pins: their reactions are known at the end only, and change over the step. */
function boundPinWork(cos: CosseratRod, work: Workspace, start: Snapshot, t: number): number {
  const { pins, poses, heldPin, heldMemory, q, fixed } = cos;
  const size = 1e-9 * hypot(displacement[0], displacement[1], displacement[2]);
  let moving = false;
  const moved = pins.flatMap(({ node }, p) => {
    if (!poses[p].active) return [];
    let square = 0;
    for (let k = 0; k < 3; k++)
      if (fixed[6 * node + k]) square += squareOf(q[7 * node + k] - start.q[7 * node + k] - displacement[k]);
    const shift = Math.sqrt(square);
    let turned = 0;
    const h = heldPin.indexOf(p);
    for (let k = 5 * h; h >= 0 && k < 5 * h + 5; k++) turned += squareOf(heldMemory[k] - start.heldMemory[k]);
    // a quaternion turns by half of the angle
    const turn = 2 * Math.sqrt(turned);
    moving ||= shift > size || turn > 1e-12;
    return [{ shift, turn }];
  });
  if (!moving) return 0;
  let sum = 0;
  measureReactions(cos, work, t).forEach(({ force, torque }, p) => {
    sum += 2 * (hypotOf(force) * moved[p].shift + hypotOf(torque) * moved[p].turn);
  });
  return sum;
}

/** The last step: its length, and the state before it. */
export interface Taken {
  readonly work: Workspace;
  readonly start: Snapshot;
  readonly before: Mark;
  readonly after: Mark;
  /** Time of its end, and length [s]. */
  readonly t: number;
  readonly h: number;
}

/** True if it has gained more than this fraction of the initial energy and of the work done. */
export function hasGained(cos: CosseratRod, { work, start, before, after, t, h }: Taken, part: number): boolean {
  writeDisplacement(cos, start);
  markRod(after, cos, t);
  const inFrame = ({ energy, momentum, mass }: Mark): number => {
    let sum = energy;
    for (let k = 0; k < 3; k++) sum += (displacement[k] / h) * (0.5 * mass * (displacement[k] / h) - momentum[k]);
    return sum;
  };
  const first = workOf(cos, start, before, before, h);
  const last = workOf(cos, start, before, after, h);
  const pinWork = boundPinWork(cos, work, start, t) + workOfDamping(cos, start, h);
  const from = inFrame(before);
  const gain = inFrame(after) - from - Math.max(first, last) - pinWork;
  return !(gain <= part * (from + Math.abs(first) + Math.abs(last) + pinWork));
}
