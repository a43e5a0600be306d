/**
 * Data of one discrete elastic rod: unknowns, joints, work arrays.
 *
 * Unknowns are x0 θ0 x1 θ1 … (4 per node), so that a joint involves at most 11 consecutive ones and every matrix is banded
 * with 10 entries left of the diagonal. A closed rod has its first seven unknowns (x0 θ0 x1) as the border.
 *
 * A joint sits at a node between two frames: those of the adjacent edges, or of an edge and a held frame. A held frame
 * is where a pin fixes the orientation at a node: its joint spans one half edge. So a clamp is exactly at its node,
 * all edges are alike, and the error stays of second order (fixing the whole first edge instead is of first order).
 */

import type { BorderedBand } from '../../linalg/bandMatrix.ts';
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
import { followAnimation } from '../../scene/animate.ts';
import { type Pin, type PinPose, placePinPose, type Rod } from '../../scene/compiled.ts';
import type { HingeParts } from './hingeParts.ts';
import type { JointPlan } from './jointPlan.ts';
import type { DerOptions } from './options.ts';
import type { RodBreaking } from './rodBreaking.ts';
import type { RodMaterial } from './rodMaterial.ts';
import { createScales, type ScaleNames, writeScales } from './scales.ts';
import { bergouStrain, JOINT_STRIDE, rotationStrain, type StrainFunction, writeJointConstants } from './strain.ts';

/** Border of a closed rod: x0, θ0, x1. */
export const RING_BORDER = 7;

export interface Joints extends JointPlan {
  /** Stiffness and rest strain, JOINT_STRIDE numbers per joint; see strain.ts. */
  readonly constants: Float64Array;
  /** Stiffness damping [s]. */
  readonly damping: Float64Array;
  /** Length of the rod that the joint represents [m]. */
  readonly length: Float64Array;
}

/** Frames held by pins: an orientation that is given, not unknown. */
export interface HeldFrames {
  readonly count: number;
  readonly pin: Int32Array;
  /** Half joints before and after each, −1 if there is none, 2 per frame. */
  readonly joints: Int32Array;
  readonly tangent: Float64Array;
  readonly director: Float64Array;
  readonly theta: Float64Array;
  /** Angular velocity, in world axes [rad/s]. */
  readonly spin: Float64Array;
  /** Material axes: the director rotated by θ; derived from the above. */
  readonly m1: Float64Array;
  readonly m2: Float64Array;
  /** 1 for a hinge: the frame is rotated from that of its holder by `angle` about `axis` (world, current); see hinge.ts. */
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
  strain: StrainFunction;
  /** For a rod with a law; it also sets `strain`. */
  material: RodMaterial | undefined;
  /** For a rod that can break. */
  breaking: RodBreaking | undefined;
  readonly joints: Joints;
  readonly held: HeldFrames;
  /** Only of rods with hinges. */
  readonly hinges: HingeParts | undefined;

  /** Unknowns and their rates; views into the bundle's state. */
  readonly q: Float64Array;
  readonly v: Float64Array;
  /** Reference director, unit, 3 per edge. */
  readonly edgeReference: Float64Array;
  /** Twist of the reference frames at a joint [rad], unwrapped. */
  readonly jointReferenceTwist: Float64Array;
  /** [N] */
  readonly edgeTension: Float64Array;
  /** q̈ at the end of the last step. */
  readonly acceleration: Float64Array;
  /** Unknowns one step ago (BDF2); history: size of that step [s] (0: none), and 1 after a step, 2 after a step with contact, after which accelerations are
   * recomputed. */
  readonly qBefore: Float64Array;
  readonly vBefore: Float64Array;
  readonly history: Float64Array;

  /** Derived from the above. */
  readonly edgeLength: Float64Array;
  readonly edgeTangent: Float64Array;
  readonly edgeM1: Float64Array;
  readonly edgeM2: Float64Array;
  readonly jointTwist: Float64Array;
  /** For a closed rod that was joined with its frames rotated against each other: that angle [rad], constant. */
  readonly jointOffset: Float64Array;

  /** Mass of each unknown [kg or kg m²]. */
  readonly mass: Float64Array;
  /** Mass of each node that a body has taken over [kg]; absent if the properties of the rod never change. */
  readonly bodyMass: Float64Array | undefined;
  /** Stiffness scale of each unknown, for shifts and tolerances. */
  readonly stiffnessScale: Float64Array;
  /** Stiffness scale with the softer of the two bending stiffnesses: the reference for the smallest eigenvalues. */
  readonly softScale: Float64Array;
  /** Mass damping of each unknown [1/s], and stiffness damping of each edge [s]. */
  readonly massDamping: Float64Array;
  readonly edgeDamping: Float64Array;
  /** 1 if the unknown is prescribed now; 1 if the joint is active now. */
  readonly fixed: Uint8Array;
  readonly jointActive: Uint8Array;
  /** EA/length [N/m]; for inextensible edges a penalty that only sets the speed of convergence. */
  readonly edgeStiffness: Float64Array;
  /** Makes lengths, masses and stiffness those of a time, or of a value of the parameter that equilibria follow; absent if they never change. */
  readonly adopt?: (time: number) => void;
  readonly samples: Samples;
  readonly loads: Loads;
  /** Fraction of the loads that acts; less than 1 only while an equilibrium is approached in increments. */
  loadFactor: number;
  /** Its share of the bundle's memory. */
  readonly memory: Float64Array;
  /** Contact forces over the current step, allocated on first use. */
  contact:
    | {
        readonly nodeForce: Float64Array;
        readonly edgeTorque: Float64Array;
        active: boolean;
        pointMasses?: PointMasses | undefined;
      }
    | undefined;
}

/** Point masses at sides from … to − 1, at 1/h of the step. */
export interface PointMasses {
  readonly sides: ContactSides;
  readonly from: number;
  readonly to: number;
  readonly rate: number;
  /** Unknowns at the start of the step. */
  readonly start: Float64Array;
  /** Adds their forces and masses (contactSides.ts); given by contact, so that rods without contact do not load it. */
  readonly add: (residual: Float64Array, matrix: BorderedBand | undefined, der: DerRod, masses: PointMasses) => void;
}

/** Doubles in `memory` that a rod needs. */
export function memorySize(rod: Rod, jointCount: number): number {
  const size = unknownCount(rod);
  return 3 * rod.edgeCount + jointCount + rod.edgeCount + 3 * size + 2;
}

export function unknownCount(rod: Rod): number {
  return 3 * rod.nodeCount + rod.edgeCount;
}

const composed = new Float64Array(4);
const turn = new Float64Array(4);
const rest = new Float64Array(3);
const stiffness = { EI1: 0, EI2: 0, GJ: 0 };

/** One or two half edges in series: mean compliance, composed natural rotation. */
function writeJoint(joints: Joints, i: number, rod: Rod, measure: 'rotation' | 'bergou2008'): void {
  const before = joints.before[i];
  const after = joints.after[i];
  let length = 0;
  let c1 = 0;
  let c2 = 0;
  let ct = 0;
  let damping = 0;
  composed.fill(0);
  composed[0] = 1;
  for (let side = 0; side < 2; side++) {
    const edge = side === 0 ? before : after;
    if (edge < 0) continue;
    const half = side === 0 ? 2 * edge + 1 : 2 * edge;
    const l = 0.5 * rod.edgeLengthRest[edge];
    length += l;
    c1 += l / rod.halfEI1[half];
    c2 += l / rod.halfEI2[half];
    ct += l / rod.halfGJ[half];
    damping += l * rod.halfDamping[half];
    quaternionFromRotation(turn, 0, rod.halfStrainRest, 3 * half);
    multiplyQuaternions(composed, 0, composed, 0, turn, 0);
  }
  rotationFromQuaternion(rest, 0, composed, 0);
  stiffness.EI1 = length / c1;
  stiffness.EI2 = length / c2;
  stiffness.GJ = length / ct;
  if (joints.freeSpin[i]) {
    // NOTE: a frame that may spin has no axes to bend about: the half edge bends isotropically and is not twisted.
    const mean = 0.5 * (stiffness.EI1 + stiffness.EI2);
    stiffness.EI1 = mean;
    stiffness.EI2 = mean;
    stiffness.GJ = 0;
    rest.fill(0);
  }
  writeJointConstants(joints.constants, JOINT_STRIDE * i, measure, stiffness, length, rest);
  joints.damping[i] = damping / length;
  joints.length[i] = length;
}

/** Inputs of `createDerRod`. */
export interface DerRodInput {
  readonly rod: Rod;
  readonly drive: Drive;
  readonly options: DerOptions;
  readonly plan: JointPlan;
  /** For rods with hinges. */
  readonly hinges?: HingeParts | undefined;
  /** Slices of the bundle's state. */
  readonly q: Float64Array;
  readonly v: Float64Array;
  readonly memory: Float64Array;
  /** Memory for the samples, and for everything else. */
  readonly allocateSamples?: Allocate;
  readonly allocate?: Allocate;
}

/** Creates a rod on the given slices of the bundle's state. */
export function createDerRod(parts: DerRodInput): DerRod {
  const { rod, drive, options, plan, hinges, q, v, memory } = parts;
  const { allocateSamples = allocatePlain, allocate = allocatePlain } = parts;
  const { nodeCount, edgeCount } = rod;
  const size = unknownCount(rod);
  const joints = createJoints(rod, options, plan, allocate);
  const scales = createScales(rod, options, allocate);
  const bodyMass = rod.animation ? new Float64Array(nodeCount) : undefined;
  return {
    rod,
    nodeCount,
    edgeCount,
    size,
    pins: drive.pins,
    poses: drive.pins.map(() => placePinPose(allocate)),
    drive,
    strain: options.strain === 'bergou2008' ? bergouStrain : rotationStrain,
    material: undefined,
    breaking: undefined,
    joints,
    held: createHeld(plan, allocate),
    hinges: plan.hinged.includes(1) ? hinges : undefined,
    q,
    v,
    ...nameMemory(memory, edgeCount, joints.count, size),
    edgeLength: allocate(edgeCount),
    edgeTangent: allocate(3 * edgeCount),
    edgeM1: allocate(3 * edgeCount),
    edgeM2: allocate(3 * edgeCount),
    jointTwist: allocate(joints.count),
    jointOffset: allocate(joints.count),
    ...scales,
    bodyMass,
    ...((rod.at || rod.animation) && { adopt: createAdopt(rod, options, joints, { ...scales, bodyMass }) }),
    fixed: new Uint8Array(size),
    jointActive: new Uint8Array(joints.count).fill(1),
    samples: createSamples(rod, allocateSamples),
    loads: createLoads(rod, allocate),
    loadFactor: 1,
    memory,
    contact: undefined,
  };
}

function createAdopt(
  rod: Rod,
  options: DerOptions,
  joints: Joints,
  scales: Pick<DerRod, ScaleNames | 'bodyMass'>,
): (time: number) => void {
  const write = (now: Rod): void => {
    for (let i = 0; i < joints.count; i++) writeJoint(joints, i, now, options.strain ?? 'rotation');
    writeScales(scales, now, options);
    // bodies keep the mass that welded nodes had at the start
    scales.bodyMass?.forEach((taken, i) => {
      for (let d = 4 * i; taken > 0 && d < 4 * i + 3; d++) scales.mass[d] -= taken;
    });
  };
  const { at } = rod;
  if (!at) return followAnimation([rod], () => write(rod));
  let last: Rod | undefined;
  return (value) => {
    const now = at(value);
    if (now === last) return;
    last = now;
    rod.edgeLengthRest.set(now.edgeLengthRest);
    write(now);
  };
}

function createJoints(rod: Rod, options: DerOptions, plan: JointPlan, allocate: Allocate): Joints {
  const joints: Joints = {
    ...plan,
    constants: allocate(JOINT_STRIDE * plan.count),
    damping: allocate(plan.count),
    length: allocate(plan.count),
  };
  for (let i = 0; i < plan.count; i++) writeJoint(joints, i, rod, options.strain ?? 'rotation');
  return joints;
}

function createHeld(plan: JointPlan, allocate: Allocate): DerRod['held'] {
  const count = plan.heldPin.length;
  return {
    count,
    pin: plan.heldPin,
    joints: plan.heldJoints,
    tangent: allocate(3 * count),
    director: allocate(3 * count),
    theta: allocate(count),
    spin: allocate(3 * count),
    m1: allocate(3 * count),
    m2: allocate(3 * count),
    hinged: plan.hinged,
    axis: allocate(3 * count),
    angle: allocate(count),
    baseTangent: allocate(3 * count),
    baseDirector: allocate(3 * count),
  };
}

type MemoryNames =
  | 'edgeReference'
  | 'jointReferenceTwist'
  | 'edgeTension'
  | 'acceleration'
  | 'qBefore'
  | 'vBefore'
  | 'history';

/** Parts of a rod's memory by name, in the order in which they are saved. */
function nameMemory(
  memory: Float64Array,
  edgeCount: number,
  jointCount: number,
  size: number,
): Pick<DerRod, MemoryNames> {
  let cursor = 0;
  const take = (length: number): Float64Array => {
    cursor += length;
    return memory.subarray(cursor - length, cursor);
  };
  return {
    edgeReference: take(3 * edgeCount),
    jointReferenceTwist: take(jointCount),
    edgeTension: take(edgeCount),
    acceleration: take(size),
    qBefore: take(size),
    vBefore: take(size),
    history: take(2),
  };
}
