/** Builds a strand from a compiled rod: joints, state and the frame of its root. Rejects rods that strands do not support. */

import { SceneError } from '../errors.ts';
import { multiplyQuaternions, quaternionFromRotation, rotationFromQuaternion } from '../math/quaternion.ts';
import { cos, hypot, sin } from '../math/rounded/index.ts';
import type { Drive } from '../model.ts';
import { createLoads, createSamples, type LoadSource, type Loads, type Samples } from '../port.ts';
import { createPinPose, type Pin, type PinPose, type Rod } from '../scene/compiled.ts';
import { cross, type Quaternion, type Vector } from './algebra.ts';
import type { Gain } from './formulas.ts';
import { compose, conjugate, nothingBeyond, toVectorPart } from './formulas.ts';
import { RELATIVE, stateSlots, VELOCITY } from './layout.ts';
import type { Strand } from './strand.ts';

/** A strand with its rod, pin and loads. */
export interface BatchRod {
  readonly rod: Rod;
  readonly drive: Drive;
  readonly strand: Strand;
  readonly loads: Loads;
  readonly samples: Samples;
  readonly pose: PinPose;
  readonly pin: Pin | undefined;
  /** Air that the sweeps evaluate: uniform air, if it is the only source of drag. */
  readonly airSource: LoadSource | undefined;
  /** Position of the first node at the start of the step [m], and the frame of the root (x, y, z, w); views into the state. */
  readonly origin: Float64Array;
  readonly frame: Float64Array;
  /** Length of the last step [s]; 0 or `AFTER_CONTACT` if the next step must not continue from it. */
  readonly history: Float64Array;
  /** At the end of the last step [m/s²], 3 per node. */
  readonly acceleration: Float64Array;
  /** Material axis d1 of every edge at the start of the step. */
  readonly directorBefore: Float64Array;
  /** Forces of the last step's contacts on nodes [N] and torques on edges [N m], for reactions and channels. */
  readonly contactForce: Float64Array;
  readonly contactTorque: Float64Array;
}

/** Numbers in q, v and memory. */
export function stateSizes(rod: Rod): { readonly q: number; readonly v: number; readonly memory: number } {
  return { q: 7 + 3 * rod.nodeCount, v: 3 * rod.nodeCount, memory: (stateSlots.length - 1) * 3 * rod.nodeCount + 1 };
}

/** Indices of a rod and its pin in the scene. */
export interface ScenePlace {
  readonly rod: number;
  readonly pin: number;
}

/** Throws SceneError for a rod that the formulation does not cover. */
export function refuseRod(rod: Rod, { pins }: Drive, place: ScenePlace): void {
  const refuse = (path: readonly (string | number)[], what: string): never => {
    throw new SceneError(path, `rod '${rod.id}': the batch backend ${what}, or use solver.der.backend: standard`);
  };
  const inRod = (field: string, what: string): never => refuse(['rods', place.rod, field], what);
  const inPin = (field: string, what: string): never => refuse(['pins', place.pin, field], what);
  if (rod.naturalFromEquilibrium) inRod('natural', 'has no natural: equilibrium; give the natural shape itself');
  if (rod.law) inRod('law', 'supports only linear elastic rods; remove law');
  if (rod.strength) inRod('break', 'has no rods that break; remove break');
  if (rod.closed) inRod('shape', 'has no closed rods; open it');
  if (!rod.inextensible) inRod('inextensible', 'keeps the length of edges; set inextensible: true');
  if (pins.length > 1) inPin('rod', 'holds a rod by one pin at most; remove the others');
  for (const pin of pins) {
    if (pin.node !== 0) inPin('at', 'holds a rod at its first node only; turn the rod round');
    if (!pin.holdX || !pin.holdY || !pin.holdZ) inPin('axes', 'holds positions along all three axes; use hold: clamp');
    if (pin.orientation === 'tangent' || pin.orientation === 'hinge')
      inPin('hold', `has no pins with hold: ${pin.orientation}; use hold: clamp or position`);
  }
  for (let j = 0; j < rod.edgeCount; j++) {
    const [x, y, z] = [0, 1, 2].map((k) => rod.nodePosition[3 * j + 3 + k] - rod.nodePosition[3 * j + k]);
    const length = hypot(x, y, z);
    const rest = rod.edgeLengthRest[j];
    if (Math.abs(length - rest) > 1e-6 * rest)
      inRod(
        'natural',
        `keeps lengths, but edge ${j} starts ${length} m long and has a rest length of ${rest} m; make them equal`,
      );
    if (j > 0 && Math.abs(rod.nodeTwist[j]) > 3)
      inRod('edges', `has no joints twisted by more than 3 rad; use more edges`);
  }
}

const composed = new Float64Array(4);
const turn = new Float64Array(4);

/** Joint j: one or two half edges in series, mean compliance and composed natural rotation, as in `der`. */
function writeJoint(strand: Strand, rod: Rod, j: number): void {
  const halves = j === 0 ? [0] : [2 * j - 1, 2 * j];
  const compliance = [0, 0, 0];
  let length = 0;
  let damping = 0;
  composed.set([1, 0, 0, 0]);
  for (const half of halves) {
    const l = 0.5 * rod.edgeLengthRest[half >> 1];
    length += l;
    compliance[0] += l / rod.halfEI1[half];
    compliance[1] += l / rod.halfEI2[half];
    compliance[2] += l / rod.halfGJ[half];
    damping += l * rod.halfDamping[half];
    quaternionFromRotation(turn, 0, rod.halfStrainRest, 3 * half);
    multiplyQuaternions(composed, 0, composed, 0, turn, 0);
  }
  rotationFromQuaternion(strand.jointStrainRest, 3 * j, composed, 0);
  for (let k = 0; k < 3; k++) strand.jointStiffness[3 * j + k] = 1 / compliance[k];
  strand.jointDamping[j] = damping / length;
}

/** Frame with third axis t and first axis d, orthonormal, as a quaternion (x, y, z, w). */
export function frameQuaternion(t: Vector, d: Vector): Quaternion {
  const e = cross(t, d);
  const trace = d[0] + e[1] + t[2];
  // divides by the largest of the four components
  const squares = [1 + d[0] - e[1] - t[2], 1 - d[0] + e[1] - t[2], 1 - d[0] - e[1] + t[2], 1 + trace];
  const k = squares.indexOf(Math.max(...squares));
  const s = 0.5 / Math.sqrt(squares[k]);
  const half = 0.5 * Math.sqrt(squares[k]);
  if (k === 3) return [(e[2] - t[1]) * s, (t[0] - d[2]) * s, (d[1] - e[0]) * s, half];
  if (k === 0) return [half, (d[1] + e[0]) * s, (t[0] + d[2]) * s, (e[2] - t[1]) * s];
  if (k === 1) return [(d[1] + e[0]) * s, half, (e[2] + t[1]) * s, (t[0] - d[2]) * s];
  return [(t[0] + d[2]) * s, (e[2] + t[1]) * s, half, (d[1] - e[0]) * s];
}

/** Frame of a pin's pose: its director turned by its twist. */
export function frameOfPose({ tangent, director, twist }: PinPose): Quaternion {
  const t: Vector = [tangent[0], tangent[1], tangent[2]];
  const d: Vector = [director[0], director[1], director[2]];
  const e = cross(t, d);
  const c = cos(twist);
  const s = sin(twist);
  return frameQuaternion(t, [c * d[0] + s * e[0], c * d[1] + s * e[1], c * d[2] + s * e[2]]);
}

/** Evaluates the pin at time t, which decides whether the root is clamped, pinned or free. */
export function evaluateRoot({ pin, pose, strand }: BatchRod, t: number): void {
  pin?.evaluate(pose, t);
  strand.root.kind = !pin || !pose.active ? 'free' : pin.orientation === 'frame' ? 'clamped' : 'pinned';
}

/** The compiled rod's initial shape and velocities. */
function initialize(batch: BatchRod): void {
  const { rod, strand, origin, frame } = batch;
  evaluateRoot(batch, 0);
  for (let k = 0; k < 3; k++) origin[k] = strand.root.kind === 'free' ? rod.nodePosition[k] : batch.pose.position[k];
  let before: Quaternion | undefined = strand.root.kind === 'clamped' ? frameOfPose(batch.pose) : undefined;
  for (let j = 0; j < rod.edgeCount; j++) {
    const [x, y, z] = [0, 1, 2].map((k) => rod.nodePosition[3 * j + 3 + k] - rod.nodePosition[3 * j + k]);
    const l = hypot(x, y, z);
    const q = frameQuaternion(
      [x / l, y / l, z / l],
      [rod.edgeDirector[3 * j], rod.edgeDirector[3 * j + 1], rod.edgeDirector[3 * j + 2]],
    );
    before ??= q;
    if (j === 0) frame.set(before);
    strand.slots[RELATIVE].set(toVectorPart(compose(conjugate(before), q)), 3 * j);
    before = q;
  }
  strand.slots[VELOCITY].set(rod.nodeVelocity);
}

const { yy, y } = nothingBeyond();
const noGain: Gain = { fromY: yy, fromTurn: yy, constant: y };

/** The uniform air that the sweeps evaluate, if there is exactly one source of air. */
function findAir({ sources }: Drive): LoadSource | undefined {
  const airs = sources.filter(({ air }) => air);
  return airs.length === 1 ? airs[0] : undefined;
}

/** Creates a strand over its slices of the bundle's state. */
export function createBatchRod(
  rod: Rod,
  drive: Drive,
  state: { readonly q: Float64Array; readonly v: Float64Array; readonly memory: Float64Array },
): BatchRod {
  const { nodeCount, edgeCount } = rod;
  const loads = createLoads(rod);
  let cursor = 0;
  const take = (): Float64Array => {
    cursor += 3 * nodeCount;
    return state.memory.subarray(cursor - 3 * nodeCount, cursor);
  };
  const slots = stateSlots.map(({ index }) =>
    index === RELATIVE ? state.q.subarray(7) : index === VELOCITY ? state.v : take(),
  );
  const airSource = findAir(drive);
  const strand: Strand = {
    edgeCount,
    edgeLength: rod.edgeLengthRest,
    nodeMass: rod.nodeMass,
    nodeDamping: rod.nodeDamping,
    jointStiffness: new Float64Array(3 * edgeCount),
    jointStrainRest: new Float64Array(3 * edgeCount),
    jointDamping: new Float64Array(edgeCount),
    rootSoftness: (1e-4 * rod.halfGJ[0]) / rod.edgeLengthRest[0],
    viscous: rod.halfDamping.some((beta) => beta > 0),
    slots,
    gains: Array.from({ length: edgeCount }, () => noGain),
    root: { kind: 'free', frame: [0, 0, 0, 1], frameBefore: [0, 0, 0, 1], displacement: [0, 0, 0] },
    nodeForce: loads.nodeForce,
    edgeTorque: loads.edgeTorque,
    nodeDrag: loads.nodeDrag,
    air: airSource?.air && { coefficients: airSource.air.coefficients, wind: [0, 0, 0], factor: 0 },
    exact: false,
    points: [],
    eliminated: undefined,
    merged: undefined,
  };
  for (let j = 0; j < edgeCount; j++) writeJoint(strand, rod, j);
  const acceleration = take();
  const batch: BatchRod = {
    rod,
    drive,
    strand,
    loads,
    samples: createSamples(rod),
    pose: createPinPose(),
    pin: drive.pins[0],
    airSource,
    origin: state.q.subarray(0, 3),
    frame: state.q.subarray(3, 7),
    acceleration,
    history: state.memory.subarray(cursor, cursor + 1),
    directorBefore: new Float64Array(3 * edgeCount),
    contactForce: new Float64Array(3 * nodeCount),
    contactTorque: new Float64Array(3 * edgeCount),
  };
  initialize(batch);
  return batch;
}
