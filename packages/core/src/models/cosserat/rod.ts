/**
 * One special Cosserat rod: unknowns, sections, joints, work arrays. [Michels2015 App. C], staggered.
 *
 * Nodes carry positions, edges carry frames (unit quaternions, material → world). An edge stretches and shears between its two nodes; a joint bends and
 * twists between two frames. A frame that a pin holds is joined to its edges by half joints, so that a clamp sits exactly at its node.
 *
 * Unknowns in matrices: x0 ϑ0 x1 ϑ1 … (3 per node, 3 per edge), ϑ a rotation vector in material axes, q ← q·exp(ϑ). A joint or an edge depends on at
 * most nine consecutive ones, which the band of ten holds. A closed rod has x0 ϑ0 as its border.
 * NOTE: where this differs from the printed equations: docs/notes/cosserat.md#differences-from-the-paper.
 */

import { multiplyQuaternions, quaternionFromRotation, rotationFromQuaternion } from '../../math/quaternion.ts';
import { pow } from '../../math/rounded/index.ts';
import type { Drive, OutsideForces } from '../../model.ts';
import { createLoads, createSamples, type Loads, type Samples } from '../../port.ts';
import { followAnimation } from '../../scene/animate.ts';
import { createPinPose, type Pin, type PinPose, type Rod } from '../../scene/compiled.ts';

/** Border of a closed rod: x0, ϑ0. */
export const RING_BORDER = 6;

export interface Joints {
  readonly count: number;
  readonly node: Int32Array;
  /** Edge before and after the node, or −1 − h for held frame h. */
  readonly before: Int32Array;
  readonly after: Int32Array;
  /** EI1, EI2, GJ over the joint's length [N m], 3 per joint. */
  readonly stiffness: Float64Array;
  /** Rotation vector of the unstressed joint [rad], 3 per joint. */
  readonly rest: Float64Array;
  /** Stiffness damping [s]. */
  readonly damping: Float64Array;
  /** [m] */
  readonly length: Float64Array;
  /** 1: holds a direction only, free to spin. */
  readonly freeSpin: Uint8Array;
  /** 0: always active; 1: while pin `pin` holds; 2: after it was released. */
  readonly mode: Uint8Array;
  readonly pin: Int32Array;
}

export interface CosseratRod {
  readonly rod: Rod;
  readonly nodeCount: number;
  readonly edgeCount: number;
  /** Unknowns: 3 per node and 3 per edge. */
  readonly size: number;
  readonly pins: readonly Pin[];
  readonly poses: readonly PinPose[];
  readonly drive: Drive;
  readonly joints: Joints;
  /** Which pin holds frame h, and its quaternion now. */
  readonly heldPin: Int32Array;
  readonly heldQuaternion: Float64Array;

  /** Position 7i, quaternion (w x y z) 7j + 3; view into the bundle's state. */
  readonly q: Float64Array;
  /** Velocity 6i, angular velocity in material axes 6j + 3. */
  readonly v: Float64Array;
  /** Rates of v at the end of the last step. */
  readonly acceleration: Float64Array;
  /** Force that the edge transmits, in material axes (shear, shear, tension) [N], 3 per edge. */
  readonly edgeForce: Float64Array;
  /** Quaternion of a held frame before its twist, its sign without jumps, and that twist [rad]; 5 per held frame. */
  readonly heldMemory: Float64Array;
  /** 1 once `acceleration` is that of the current state. */
  readonly history: Float64Array;

  /** Follow from q: frames as d1 d2 d3 (9 per edge), strain ν in material axes, rotation vector of each joint. */
  readonly edgeFrame: Float64Array;
  readonly edgeStrain: Float64Array;
  readonly jointRotation: Float64Array;
  /** Angle about d3 at which a closed rod was joined [rad], constant, for the joint at node 0. */
  closing: number;

  /** Shear GA (about d1, d2) and stretch EA [N], 3 per edge; Infinity: rigid. */
  readonly edgeStiffness: Float64Array;
  /** Makes lengths, masses, stiffness and natural strain those of time t; absent if they never change. */
  readonly adopt?: (t: number) => void;
  /** Mass [kg] or moment of inertia [kg m²] of each unknown. */
  readonly mass: Float64Array;
  /** [1/s] */
  readonly massDamping: Float64Array;
  /** Stiffness damping of each edge [s]. */
  readonly edgeDamping: Float64Array;
  /** Stiffness scale of each unknown: weighs shifts and tolerances; the second with the softer bending stiffness. */
  readonly stiffnessScale: Float64Array;
  readonly softScale: Float64Array;
  /** 1 if the unknown is prescribed now; 1 if the joint acts now. */
  readonly fixed: Uint8Array;
  readonly jointActive: Uint8Array;
  readonly samples: Samples;
  readonly loads: Loads;
  /** Share of the loads that acts; less than 1 only while an equilibrium is approached in parts. */
  loadFactor: number;
  /** Forces of links on the rod at rest, for reactions of its pins; set by statics alone (atRest.ts). */
  linkForces: OutsideForces | undefined;
}

/** How a rod shears and stretches. */
export interface SectionRule {
  readonly inflated: boolean;
  /** [m]; undefined: length/250. */
  readonly gyration?: number;
  readonly axialGyration?: number;
  readonly shearFactor: number;
}

export function unknownCount(rod: Rod): number {
  return 3 * rod.nodeCount + 3 * rod.edgeCount;
}

export function coordinateCount(rod: Rod): number {
  return 3 * rod.nodeCount + 4 * rod.edgeCount;
}

export function memorySize(rod: Rod, pins: readonly Pin[]): number {
  return unknownCount(rod) + 3 * rod.edgeCount + 5 * countHeld(rod, pins) + 1;
}

function countHeld(rod: Rod, pins: readonly Pin[]): number {
  return planJoints(rod, pins).heldPin.length;
}

interface JointPlan {
  readonly node: number;
  readonly before: number;
  readonly after: number;
  readonly halves: readonly number[];
  readonly freeSpin: boolean;
  readonly mode: number;
  readonly pin: number;
}

function planJoints(rod: Rod, pins: readonly Pin[]): { plan: JointPlan[]; heldPin: number[] } {
  const heldPin: number[] = [];
  const plan: JointPlan[] = [];
  for (let node = 0; node < rod.nodeCount; node++) {
    const left = node > 0 ? node - 1 : rod.closed ? rod.edgeCount - 1 : -1;
    const right = node < rod.edgeCount ? node : -1;
    const pin = pins.findIndex((candidate) => candidate.node === node && candidate.orientation !== 'free');
    if (pin >= 0) {
      const held = -heldPin.push(pin);
      const freeSpin = pins[pin].orientation === 'tangent';
      const common = { node, freeSpin, mode: 1, pin };
      if (left >= 0) plan.push({ ...common, before: left, after: held, halves: [2 * left + 1] });
      if (right >= 0) plan.push({ ...common, before: held, after: right, halves: [2 * right] });
    }
    if (left >= 0 && right >= 0) {
      const halves = [2 * left + 1, 2 * right];
      plan.push({ node, before: left, after: right, halves, freeSpin: false, mode: pin >= 0 ? 2 : 0, pin });
    }
  }
  return { plan, heldPin };
}

function buildJoints(
  rod: Rod,
  pins: readonly Pin[],
): { joints: Joints; plan: readonly JointPlan[]; heldPin: number[] } {
  const { plan, heldPin } = planJoints(rod, pins);
  const count = plan.length;
  const joints: Joints = {
    count,
    node: Int32Array.from(plan, ({ node }) => node),
    before: Int32Array.from(plan, ({ before }) => before),
    after: Int32Array.from(plan, ({ after }) => after),
    stiffness: new Float64Array(3 * count),
    rest: new Float64Array(3 * count),
    damping: new Float64Array(count),
    length: new Float64Array(count),
    freeSpin: Uint8Array.from(plan, ({ freeSpin }) => (freeSpin ? 1 : 0)),
    mode: Uint8Array.from(plan, ({ mode }) => mode),
    pin: Int32Array.from(plan, ({ pin }) => pin),
  };
  writeJoints(joints, rod, plan);
  return { joints, plan, heldPin };
}

const composed = new Float64Array(4);
const turn = new Float64Array(4);
const compliance = [0, 0, 0];

/** Halves in series: mean compliance, composed natural rotation. */
function writeJoints(joints: Joints, rod: Rod, plan: readonly JointPlan[]): void {
  const stiffnesses = [rod.halfEI1, rod.halfEI2, rod.halfGJ];
  joints.length.fill(0);
  joints.damping.fill(0);
  plan.forEach(({ halves, freeSpin }, i) => {
    compliance.fill(0);
    composed.fill(0);
    composed[0] = 1;
    for (const half of halves) {
      const l = 0.5 * rod.edgeLengthRest[half >> 1];
      joints.length[i] += l;
      joints.damping[i] += l * rod.halfDamping[half];
      for (let k = 0; k < 3; k++) compliance[k] += l / stiffnesses[k][half];
      quaternionFromRotation(turn, 0, rod.halfStrainRest, 3 * half);
      multiplyQuaternions(composed, 0, composed, 0, turn, 0);
    }
    joints.damping[i] /= joints.length[i];
    rotationFromQuaternion(joints.rest, 3 * i, composed, 0);
    for (let k = 0; k < 3; k++) joints.stiffness[3 * i + k] = 1 / compliance[k];
    if (freeSpin) {
      // NOTE: a frame that may spin has no axes to bend about: the half edge bends isotropically and is not twisted
      const mean = 0.5 * (joints.stiffness[3 * i] + joints.stiffness[3 * i + 1]);
      joints.stiffness.set([mean, mean, 0], 3 * i);
      joints.rest.fill(0, 3 * i, 3 * i + 3);
    }
  });
}

/**
 * GA of the section, estimated from its other stiffnesses: exact for circles, ellipses and tubes, 0.84 GA for a square (5/6 is the usual shear
 * factor).
 */
function shearStiffness(EA: number, EI1: number, EI2: number, GJ: number): number {
  return (GJ * EA * (EI1 + EI2)) / (4 * EI1 * EI2);
}

interface EdgeConstants {
  readonly edgeStiffness: Float64Array;
  readonly mass: Float64Array;
  readonly massDamping: Float64Array;
  readonly edgeDamping: Float64Array;
  readonly stiffnessScale: Float64Array;
  readonly softScale: Float64Array;
}

function buildConstants(rod: Rod, rule: SectionRule): EdgeConstants {
  const { edgeCount } = rod;
  const size = unknownCount(rod);
  const out: EdgeConstants = {
    edgeStiffness: new Float64Array(3 * edgeCount),
    mass: new Float64Array(size),
    massDamping: new Float64Array(size),
    edgeDamping: new Float64Array(edgeCount),
    stiffnessScale: new Float64Array(size),
    softScale: new Float64Array(size),
  };
  writeConstants(out, rod, rule);
  return out;
}

function writeConstants(out: EdgeConstants, rod: Rod, rule: SectionRule): void {
  const { nodeCount, edgeCount } = rod;
  out.stiffnessScale.fill(0);
  out.softScale.fill(Infinity);
  for (let i = 0; i < nodeCount; i++) {
    out.mass.fill(rod.nodeMass[i], 6 * i, 6 * i + 3);
    out.massDamping.fill(rod.nodeDamping[i], 6 * i, 6 * i + 3);
  }
  const r = rule.gyration ?? rod.length / 250;
  const ra = rule.axialGyration ?? r;
  for (let j = 0; j < edgeCount; j++) {
    const l = rod.edgeLengthRest[j];
    const next = (j + 1) % nodeCount;
    const mean = (array: Float64Array): number => 2 / (1 / array[2 * j] + 1 / array[2 * j + 1]);
    const EI1 = mean(rod.halfEI1);
    const EI2 = mean(rod.halfEI2);
    const GJ = mean(rod.halfGJ);
    const EI = Math.sqrt(EI1 * EI2);
    const EA = rod.edgeEA[j];
    const shear = rule.inflated
      ? EI / (r * r)
      : EA < Infinity
        ? rule.shearFactor * shearStiffness(EA, EI1, EI2, GJ)
        : Infinity;
    out.edgeStiffness.set([shear, shear, rule.inflated ? EI / (ra * ra) : EA], 3 * j);
    const o = 6 * j + 3;
    if (rule.inflated) out.mass.fill(r * r * edgeMass(rod, j), o, o + 3);
    else {
      // the moments about d1 and d2 add up to the polar one
      const polar = rod.edgeInertia[j];
      out.mass.set([(polar * EI1) / (EI1 + EI2), (polar * EI2) / (EI1 + EI2), polar], o);
    }
    out.massDamping.fill(0.5 * (rod.nodeDamping[j] + rod.nodeDamping[next]), o, o + 3);
    out.edgeDamping[j] = 0.5 * (rod.halfDamping[2 * j] + rod.halfDamping[2 * j + 1]);
    const stiff = Math.max(EI1, EI2, GJ);
    const soft = Math.min(EI1, EI2);
    for (let k = 0; k < 3; k++) {
      out.stiffnessScale[o + k] = stiff / l;
      out.softScale[o + k] = Math.min(soft, GJ) / l;
      for (const d of [6 * j + k, 6 * next + k]) {
        out.stiffnessScale[d] = Math.max(out.stiffnessScale[d], Math.max(EI1, EI2) / pow(l, 3));
        out.softScale[d] = Math.min(out.softScale[d], soft / pow(l, 3));
      }
    }
  }
}

/** Mass of an edge [kg]: its part, by length, of the masses of its two nodes. */
function edgeMass(rod: Rod, j: number): number {
  const share = (node: number): number => {
    // a node has the mass of the halves next to it
    const left = node > 0 ? node - 1 : rod.closed ? rod.edgeCount - 1 : -1;
    const right = node < rod.edgeCount ? node : -1;
    const total = (left >= 0 ? rod.edgeLengthRest[left] : 0) + (right >= 0 ? rod.edgeLengthRest[right] : 0);
    return (rod.nodeMass[node] * rod.edgeLengthRest[j]) / total;
  };
  return share(j) + share((j + 1) % rod.nodeCount);
}

/** Lays a rod out over the given slices of the bundle's state. */
export function createCosseratRod(
  rod: Rod,
  drive: Drive,
  rule: SectionRule,
  q: Float64Array,
  v: Float64Array,
  memory: Float64Array,
): CosseratRod {
  const { nodeCount, edgeCount } = rod;
  const size = unknownCount(rod);
  const { joints, plan, heldPin } = buildJoints(rod, drive.pins);
  let cursor = 0;
  const take = (length: number): Float64Array => {
    cursor += length;
    return memory.subarray(cursor - length, cursor);
  };
  const constants = buildConstants(rod, rule);
  return {
    rod,
    nodeCount,
    edgeCount,
    size,
    pins: drive.pins,
    poses: drive.pins.map(() => createPinPose()),
    drive,
    joints,
    heldPin: Int32Array.from(heldPin),
    heldQuaternion: new Float64Array(4 * heldPin.length),
    q,
    v,
    acceleration: take(size),
    edgeForce: take(3 * edgeCount),
    heldMemory: take(5 * heldPin.length),
    history: take(1),
    edgeFrame: new Float64Array(9 * edgeCount),
    edgeStrain: new Float64Array(3 * edgeCount),
    jointRotation: new Float64Array(3 * joints.count),
    closing: 0,
    ...constants,
    ...(rod.animation && {
      adopt: followAnimation([rod], () => {
        writeJoints(joints, rod, plan);
        writeConstants(constants, rod, rule);
      }),
    }),
    fixed: new Uint8Array(size),
    jointActive: new Uint8Array(joints.count).fill(1),
    samples: createSamples(rod),
    loads: createLoads(rod),
    loadFactor: 1,
    linkForces: undefined,
  };
}
