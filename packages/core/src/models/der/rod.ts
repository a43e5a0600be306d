/**
 * One rod as Discrete Elastic Rods sees it: unknowns, joints, work arrays.
 *
 * Unknowns are x0 θ0 x1 θ1 … (4 a node), so that a joint touches at most 11 consecutive ones and every matrix is banded
 * with 10 entries left of the diagonal. A closed rod has its first seven unknowns (x0 θ0 x1) as the border.
 *
 * A joint sits at a node between two frames: those of the adjacent edges, or of an edge and a held frame. A held frame
 * is where a pin fixes the orientation at a node: its joint spans one half edge. So a clamp is exactly at its node,
 * all edges are alike, and the error stays of second order (fixing the whole first edge instead is of first order).
 */

import { multiplyQuaternions, quaternionFromRotation, rotationFromQuaternion } from '../../math/quaternion.ts';
import type { Drive } from '../../model.ts';
import {
  type Allocate,
  allocatePlain,
  type ContactSides,
  createLoads,
  createSamples,
  type Loads,
  type Samples,
} from '../../port.ts';
import { createPinPose, type Pin, type PinPose, type Rod } from '../../scene/compiled.ts';
import type { DerOptions } from '../../scene/solvers/der.ts';
import { bergouStrain, JOINT_STRIDE, rotationStrain, type StrainFunction, writeJointConstants } from './strain.ts';

/** Border of a closed rod: x0, θ0, x1. */
export const RING_BORDER = 7;

export interface Joints {
  readonly count: number;
  readonly node: Int32Array;
  /** Edge before and after the node, or −1 − h for held frame h. */
  readonly before: Int32Array;
  readonly after: Int32Array;
  /** Stiffness and rest strain, JOINT_STRIDE a joint; see strain.ts. */
  readonly constants: Float64Array;
  /** Stiffness damping [s]. */
  readonly damping: Float64Array;
  /** Length of the joint's domain [m]. */
  readonly length: Float64Array;
  /** 0: always there; 1: while pin `pin` holds; 2: once it has let go. */
  readonly mode: Uint8Array;
  readonly pin: Int32Array;
}

/** Frames held by pins: an orientation that is given, not unknown. */
export interface HeldFrames {
  readonly count: number;
  readonly pin: Int32Array;
  /** Half joints before and after each, −1 where there is none, 2 a frame. */
  readonly joints: Int32Array;
  readonly tangent: Float64Array;
  readonly director: Float64Array;
  readonly theta: Float64Array;
  /** Material axes: the director turned by θ; follow from the above. */
  readonly m1: Float64Array;
  readonly m2: Float64Array;
  /** 1 for a hinge: the frame is turned from that of its holder by `angle` about `axis` (world, now); see hinge.ts. */
  readonly hinged: Uint8Array;
  readonly axis: Float64Array;
  readonly angle: Float64Array;
  readonly baseTangent: Float64Array;
  readonly baseDirector: Float64Array;
}

export interface DerRod {
  readonly rod: Rod;
  readonly nodeCount: number;
  readonly edgeCount: number;
  readonly size: number;
  readonly pins: readonly Pin[];
  readonly poses: readonly PinPose[];
  readonly drive: Drive;
  readonly strain: StrainFunction;
  readonly joints: Joints;
  readonly held: HeldFrames;

  /** Unknowns and their rates; views into the bundle's state. */
  readonly q: Float64Array;
  readonly v: Float64Array;
  /** Reference director, unit, 3 an edge. */
  readonly edgeReference: Float64Array;
  /** Twist of the reference frames at a joint [rad], unwrapped. */
  readonly jointReferenceTwist: Float64Array;
  /** [N] */
  readonly edgeTension: Float64Array;
  /** q̈ at the end of the last step. */
  readonly acceleration: Float64Array;
  /** Unknowns one step ago (BDF2); history: size of that step [s] (0: none), and 1 once a step has been taken, 2 if it
   * was one of contact, after which accelerations are found anew. */
  readonly qBefore: Float64Array;
  readonly vBefore: Float64Array;
  readonly history: Float64Array;

  /** Follow from the above. */
  readonly edgeLength: Float64Array;
  readonly edgeTangent: Float64Array;
  readonly edgeM1: Float64Array;
  readonly edgeM2: Float64Array;
  readonly jointTwist: Float64Array;
  /** Where a closed rod was joined with its frames turned against each other: that angle [rad], constant. */
  readonly jointOffset: Float64Array;

  /** Mass of each unknown [kg or kg m²]. */
  readonly mass: Float64Array;
  /** Stiffness scale of each unknown: weighs shifts and tolerances. */
  readonly stiffnessScale: Float64Array;
  /** The same with the softer of the two bending stiffnesses: what the smallest eigenvalues are compared with. */
  readonly softScale: Float64Array;
  /** Mass damping of each unknown [1/s], and stiffness damping of each edge [s]. */
  readonly massDamping: Float64Array;
  readonly edgeDamping: Float64Array;
  /** 1 where the unknown is prescribed now; 1 where the joint acts now. */
  readonly fixed: Uint8Array;
  readonly jointActive: Uint8Array;
  /** EA/length [N/m]; for inextensible edges a penalty that only sets the speed of convergence. */
  readonly edgeStiffness: Float64Array;
  readonly samples: Samples;
  readonly loads: Loads;
  /** Share of the loads that acts; less than 1 only while an equilibrium is approached in parts. */
  loadFactor: number;
  /** Its share of the bundle's memory. */
  readonly memory: Float64Array;
  /** Forces of contact over the present step, made when first needed. */
  contact:
    | {
        readonly nodeForce: Float64Array;
        readonly edgeTorque: Float64Array;
        active: boolean;
        /** Masses glued to sides from … to − 1, at 1/h of the step. */
        glue?:
          | {
              readonly sides: ContactSides;
              readonly from: number;
              readonly to: number;
              readonly rate: number;
              /** Unknowns at the start of the step. */
              readonly start: Float64Array;
            }
          | undefined;
      }
    | undefined;
}

/** Doubles in `memory` that a rod needs. */
export function memorySize(rod: Rod, jointCount: number): number {
  const size = unknownCount(rod);
  return 3 * rod.edgeCount + jointCount + rod.edgeCount + 3 * size + 2;
}

export function unknownCount(rod: Rod): number {
  return 3 * rod.nodeCount + rod.edgeCount;
}

type Stiffness = { EI1: number; EI2: number; GJ: number };

/** Joint of one or two half edges in series: mean compliance, composed natural rotation. */
function combineHalves(
  rod: Rod,
  halves: readonly number[],
  freeSpin: boolean,
): { stiffness: Stiffness; length: number; damping: number; rest: Float64Array } {
  let length = 0;
  let c1 = 0;
  let c2 = 0;
  let ct = 0;
  let damping = 0;
  const q = Float64Array.of(1, 0, 0, 0);
  const h = new Float64Array(4);
  for (const half of halves) {
    const l = 0.5 * rod.edgeLengthRest[half >> 1];
    length += l;
    c1 += l / rod.halfEI1[half];
    c2 += l / rod.halfEI2[half];
    ct += l / rod.halfGJ[half];
    damping += l * rod.halfDamping[half];
    quaternionFromRotation(h, 0, rod.halfStrainRest, 3 * half);
    multiplyQuaternions(q, 0, q, 0, h, 0);
  }
  const rest = new Float64Array(3);
  rotationFromQuaternion(rest, 0, q, 0);
  const stiffness = { EI1: length / c1, EI2: length / c2, GJ: length / ct };
  if (freeSpin) {
    // NOTE: a frame that may spin has no axes to bend about: the half edge bends isotropically and is not twisted.
    const mean = 0.5 * (stiffness.EI1 + stiffness.EI2);
    return { stiffness: { EI1: mean, EI2: mean, GJ: 0 }, length, damping: damping / length, rest: new Float64Array(3) };
  }
  return { stiffness, length, damping: damping / length, rest };
}

function buildJoints(
  rod: Rod,
  pins: readonly Pin[],
  measure: 'rotation' | 'bergou2008',
): { joints: Joints; heldPin: number[] } {
  const heldPin: number[] = [];
  const list: {
    node: number;
    before: number;
    after: number;
    halves: number[];
    freeSpin: boolean;
    mode: number;
    pin: number;
  }[] = [];
  const { nodeCount, edgeCount, closed } = rod;
  for (let node = 0; node < nodeCount; node++) {
    const left = node > 0 ? node - 1 : closed ? edgeCount - 1 : -1;
    const right = node < edgeCount ? node : -1;
    const pinIndex = pins.findIndex((pin) => pin.node === node && pin.orientation !== 'free');
    if (pinIndex >= 0) {
      const held = -1 - heldPin.push(pinIndex) + 1;
      const freeSpin = pins[pinIndex].orientation === 'tangent';
      if (left >= 0)
        list.push({ node, before: left, after: held, halves: [2 * left + 1], freeSpin, mode: 1, pin: pinIndex });
      if (right >= 0)
        list.push({ node, before: held, after: right, halves: [2 * right], freeSpin, mode: 1, pin: pinIndex });
    }
    if (left >= 0 && right >= 0) {
      const halves = [2 * left + 1, 2 * right];
      list.push({
        node,
        before: left,
        after: right,
        halves,
        freeSpin: false,
        mode: pinIndex >= 0 ? 2 : 0,
        pin: pinIndex,
      });
    }
  }
  const count = list.length;
  const joints: Joints = {
    count,
    node: Int32Array.from(list, (joint) => joint.node),
    before: Int32Array.from(list, (joint) => joint.before),
    after: Int32Array.from(list, (joint) => joint.after),
    constants: new Float64Array(JOINT_STRIDE * count),
    damping: new Float64Array(count),
    length: new Float64Array(count),
    mode: Uint8Array.from(list, (joint) => joint.mode),
    pin: Int32Array.from(list, (joint) => joint.pin),
  };
  list.forEach((joint, i) => {
    const { stiffness, length, damping, rest } = combineHalves(rod, joint.halves, joint.freeSpin);
    writeJointConstants(joints.constants, JOINT_STRIDE * i, measure, stiffness, length, rest);
    joints.damping[i] = damping;
    joints.length[i] = length;
  });
  return { joints, heldPin };
}

export function countJoints(rod: Rod, pins: readonly Pin[]): number {
  return buildJoints(rod, pins, 'rotation').joints.count;
}

/** Lays a rod out over the given slices of the bundle's state. */
export function createDerRod(
  rod: Rod,
  drive: Drive,
  options: DerOptions,
  q: Float64Array,
  v: Float64Array,
  memory: Float64Array,
  allocate: Allocate = allocatePlain,
): DerRod {
  const { nodeCount, edgeCount } = rod;
  const size = unknownCount(rod);
  const { joints, heldPin } = buildJoints(rod, drive.pins, options.strain ?? 'rotation');
  let cursor = 0;
  const take = (length: number): Float64Array => {
    cursor += length;
    return memory.subarray(cursor - length, cursor);
  };
  const mass = new Float64Array(size);
  const stiffnessScale = new Float64Array(size);
  const softScale = new Float64Array(size).fill(Infinity);
  const edgeStiffness = new Float64Array(edgeCount);
  const massDamping = new Float64Array(size);
  const edgeDamping = new Float64Array(edgeCount);
  const dynamicTwist = (options.twist ?? 'dynamic') === 'dynamic';
  for (let i = 0; i < nodeCount; i++) {
    mass.fill(rod.nodeMass[i], 4 * i, 4 * i + 3);
    massDamping.fill(rod.nodeDamping[i], 4 * i, 4 * i + 3);
  }
  for (let j = 0; j < edgeCount; j++) {
    const l = rod.edgeLengthRest[j];
    const bend = Math.max(rod.halfEI1[2 * j], rod.halfEI2[2 * j], rod.halfEI1[2 * j + 1], rod.halfEI2[2 * j + 1]);
    const twist = Math.max(rod.halfGJ[2 * j], rod.halfGJ[2 * j + 1]);
    if (dynamicTwist) mass[4 * j + 3] = rod.edgeInertia[j];
    const next = rod.closed ? (j + 1) % nodeCount : j + 1;
    massDamping[4 * j + 3] = 0.5 * (rod.nodeDamping[j] + rod.nodeDamping[next]);
    edgeDamping[j] = 0.5 * (rod.halfDamping[2 * j] + rod.halfDamping[2 * j + 1]);
    const soft = Math.min(rod.halfEI1[2 * j], rod.halfEI2[2 * j], rod.halfEI1[2 * j + 1], rod.halfEI2[2 * j + 1]);
    softScale[4 * j + 3] = Math.min(twist, soft) / l;
    for (let k = 0; k < 3; k++) {
      softScale[4 * j + k] = Math.min(softScale[4 * j + k], soft / l ** 3);
      softScale[4 * next + k] = Math.min(softScale[4 * next + k], soft / l ** 3);
      stiffnessScale[4 * j + k] = Math.max(stiffnessScale[4 * j + k], bend / l ** 3);
      stiffnessScale[4 * next + k] = Math.max(stiffnessScale[4 * next + k], bend / l ** 3);
    }
    stiffnessScale[4 * j + 3] = Math.max(twist, bend) / l;
    edgeStiffness[j] = rod.edgeEA[j] / l;
  }
  return {
    rod,
    nodeCount,
    edgeCount,
    size,
    pins: drive.pins,
    poses: drive.pins.map(() => createPinPose()),
    drive,
    strain: options.strain === 'bergou2008' ? bergouStrain : rotationStrain,
    joints,
    held: {
      count: heldPin.length,
      pin: Int32Array.from(heldPin),
      joints: Int32Array.from({ length: 2 * heldPin.length }, (_, k) =>
        (k & 1 ? joints.before : joints.after).indexOf(-1 - (k >> 1)),
      ),
      tangent: new Float64Array(3 * heldPin.length),
      director: new Float64Array(3 * heldPin.length),
      theta: new Float64Array(heldPin.length),
      m1: new Float64Array(3 * heldPin.length),
      m2: new Float64Array(3 * heldPin.length),
      hinged: Uint8Array.from(heldPin, (p) => (drive.pins[p].orientation === 'hinge' ? 1 : 0)),
      axis: new Float64Array(3 * heldPin.length),
      angle: new Float64Array(heldPin.length),
      baseTangent: new Float64Array(3 * heldPin.length),
      baseDirector: new Float64Array(3 * heldPin.length),
    },
    q,
    v,
    edgeReference: take(3 * edgeCount),
    jointReferenceTwist: take(joints.count),
    edgeTension: take(edgeCount),
    acceleration: take(size),
    qBefore: take(size),
    vBefore: take(size),
    history: take(2),
    edgeLength: new Float64Array(edgeCount),
    edgeTangent: new Float64Array(3 * edgeCount),
    edgeM1: new Float64Array(3 * edgeCount),
    edgeM2: new Float64Array(3 * edgeCount),
    jointTwist: new Float64Array(joints.count),
    jointOffset: new Float64Array(joints.count),
    mass,
    stiffnessScale,
    softScale,
    massDamping,
    edgeDamping,
    fixed: new Uint8Array(size),
    jointActive: new Uint8Array(joints.count).fill(1),
    edgeStiffness,
    samples: createSamples(rod, allocate),
    loads: createLoads(rod),
    loadFactor: 1,
    memory,
    contact: undefined,
  };
}
