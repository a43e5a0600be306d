/**
 * One multibody tree: a strand that hangs from its base, and the strands that grow from it.
 *
 * Links are the rods' edges; link j runs from its joint along its own z axis (d3), with d1 and d2 as x and y. Joints are
 * spherical. Links are numbered parents first, so that sweeps from the base outwards and back are plain loops.
 *
 * Masses are those of the nodes, at the links' tips, as in the model `der`: forces, weight and inertia then act at the
 * same points, and a strand has the same mass matrix as an inextensible rod there. A link also has the polar inertia of its
 * section about its axis. (A uniform rigid link, ml²/12 about its middle, was the alternative; it converges no faster, and
 * the weight of a rod whose mass varies would not act where its inertia is.)
 */

import type { Drive } from '../../model.ts';
import { createLoads, createSamples, type Loads, type Samples } from '../../port.ts';
import { followAnimation } from '../../scene/animate.ts';
import {
  createPinMotion,
  createPinPose,
  type Pin,
  type PinMotion,
  type PinPose,
  type Rod,
} from '../../scene/compiled.ts';
import type { BodyLink, CarriedBody } from './bodyLinkTypes.ts';
import type { JointLaw } from './energy.ts';
import { layBodyJoint, layJoints } from './joints.ts';
import type { Bulk, Constraints, Departure, Direction, Guard } from './records.ts';
import { DRIVEN, DRIVEN_EARLIER } from './records.ts';
import { createLinkArrays, createMotionArrays, type LinkArrays, type MotionArrays } from './treeArrays.ts';

export interface StrandRod {
  readonly rod: Rod;
  /** Index in the bundle. */
  readonly index: number;
  readonly drive: Drive;
  readonly firstLink: number;
  /** The link that it grows from, at its tip; −1 for the base. */
  readonly root: number;
  readonly samples: Samples;
  readonly loads: Loads;
  /** True if some load depends on the state, so loads are evaluated at every iterate. */
  dependsOnState: boolean;
  readonly damped: boolean;
  /** Not a rod of the scene: carries a body. */
  readonly isBodyLink: boolean;
}

/** The base: a frame that is prescribed, and an origin that may be free along some world axes. */
export interface Base {
  /** Pins at the first node: at most one for each axis and one for the frame. */
  readonly pins: readonly Pin[];
  readonly poses: readonly PinPose[];
  readonly motions: readonly PinMotion[];
  /** The pin that holds the frame, −1 if none does; and those that hold the axes now. */
  readonly frame: number;
  readonly axes: Int32Array;
  /** Columns d1 d2 d3, by rows. */
  readonly rotation: Float64Array;
  readonly position: Float64Array;
  /** World axes along which the origin is free, 1 or 0 each. */
  readonly free: Uint8Array;
  /** (ω; v) and (ω̇; v̇) of the base in its own axes, as the recursion uses them: without the prescribed part of v. */
  readonly motion: Float64Array;
  readonly acceleration: Float64Array;
  /** Acceleration of the origin in world axes [m/s²]. */
  readonly originAcceleration: Float64Array;
  /** Motion that acts on links instead of the path's, if there is one: see drive.ts. */
  driven: Float64Array | undefined;
  /** True angular velocity in base axes, and true velocity minus that in `motion`, in world axes. */
  readonly spin: Float64Array;
  readonly drift: Float64Array;
  /** Mass at the origin [kg] and its damping [kg/s], force on it [N] and drag (6, as in the port). */
  mass: number;
  damping: number;
  readonly force: Float64Array;
  readonly steadyForce: Float64Array;
  readonly drag: Float64Array;
}

export interface Flight {
  readonly departure: Departure;
  readonly bulk: Bulk;
}

export interface ContactLoads {
  readonly tip: Float64Array;
  readonly torque: Float64Array;
  readonly base: Float64Array;
}

export interface StrandTree extends LinkArrays, MotionArrays {
  /** Makes masses, joints and damping those of time t; absent if they never change. */
  readonly adopt?: (t: number) => void;
  readonly rods: readonly StrandRod[];
  readonly law: JointLaw;
  readonly linkCount: number;
  /** Rest length of the longest path from the base to a tip [m]. */
  readonly reach: number;
  readonly base: Base;
  /** Bodies that are welded to the tree, and per joint ELASTIC, or RIGID or BALL at the links that carry them. */
  readonly bodies: readonly CarriedBody[];
  readonly lock: Uint8Array;

  /** Joint 0 swings only: direction held, spin free. */
  swingOnly: boolean;
  /** Joint 0 has its stiffness: its frame is held. */
  rootHeld: boolean;

  /** Views into the bundle's state: origin 3, then 4 per joint; velocity of the origin 3, then 3 per joint. */
  readonly q: Float64Array;
  readonly v: Float64Array;
  readonly memory: Float64Array;
  readonly history: History;

  /** Rate of the joint rate, 3 per joint, and acceleration of the origin; part of the memory. */
  readonly rate: Float64Array;
  readonly originRate: Float64Array;
  /** Direction by an animator, if there is one. */
  direction: Direction | undefined;
  /** Forces of contacts in world axes: at tips and torque on links, 3 per link, at the base 3. */
  contact: ContactLoads | undefined;
  /** Start of a step with contact while it is solved: inertia is then computed from positions. */
  departure: Departure | undefined;
  /** Data of first-order steps of a free tree. */
  flight: Flight | undefined;
  /** Data of the check that a step creates no energy. */
  guard: Guard | undefined;
  /** Point masses over h² that contact attaches to links, 6 × 6 each by rows, in their axes; absent when there are none. */
  pointMasses: Float64Array | undefined;
  /** At which the base was placed last [s]. */
  time: number;
  /** Pins elsewhere, held joints, limits. */
  constraints: Constraints | undefined;
  /** Fraction of the loads that acts; below 1 while a search for equilibrium raises them. */
  loadFactor: number;
}

/** Numbers in `q`, `v` and `memory` of a tree. */
export const positionCount = (links: number): number => 3 + 4 * links;
export const velocityCount = (links: number): number => 3 + 3 * links;
/**
 * Last step, the step before, the step that error control would take next, how many steps lie behind; then two earlier
 * positions, one earlier velocity and the current acceleration; and the base's motion in the last step and the one before.
 */
export const HEADER = 4;
export const memoryCount = (links: number): number =>
  HEADER + 2 * positionCount(links) + 2 * velocityCount(links) + DRIVEN + DRIVEN_EARLIER;

/** The tree's memory by name. */
export interface History {
  readonly header: Float64Array;
  readonly q1: Float64Array;
  readonly q2: Float64Array;
  readonly v1: Float64Array;
  /** Acceleration of the origin 3, then the joints' rates of rate. */
  readonly rate: Float64Array;
  /** Records of the base's motion: see drive.ts. */
  readonly base: Float64Array;
  readonly baseEarlier: Float64Array;
}

function nameMemory(memory: Float64Array, links: number): History {
  const positions = positionCount(links);
  const velocities = velocityCount(links);
  let at = 0;
  const take = (count: number): Float64Array => {
    at += count;
    return memory.subarray(at - count, at);
  };
  return {
    header: take(HEADER),
    q1: take(positions),
    q2: take(positions),
    v1: take(velocities),
    rate: take(velocities),
    base: take(DRIVEN),
    baseEarlier: take(DRIVEN_EARLIER),
  };
}

/** One rod of a tree, before it is laid out. */
export interface TreeRod {
  readonly rod: Rod;
  readonly index: number;
  readonly drive: Drive;
  /** Index in the parts of the parent, and the node it grows from. */
  readonly parent?: { readonly part: number; readonly node: number };
  /** Not a rod of the scene: carries a body. */
  readonly bodyLink?: BodyLink;
}

/** A tree of rods on the given slices of the bundle's state. */
export function createTree(
  parts: readonly TreeRod[],
  law: JointLaw,
  { q, v, memory }: Pick<StrandTree, 'q' | 'v' | 'memory'>,
): StrandTree {
  const rods = createRods(parts);
  const n = rods.reduce((sum, { rod }) => sum + rod.edgeCount, 0);
  const base = createBase(rods[0].drive.pins.filter((pin) => pin.node === 0));
  const tree: StrandTree = {
    rods,
    law,
    linkCount: n,
    reach: 0,
    base,
    bodies: [],
    lock: new Uint8Array(n),
    ...createLinkArrays(n),
    swingOnly: base.frame >= 0 && base.pins[base.frame].orientation === 'tangent',
    rootHeld: base.frame >= 0,
    q,
    v,
    memory,
    history: nameMemory(memory, n),
    rate: nameMemory(memory, n).rate.subarray(3),
    originRate: nameMemory(memory, n).rate.subarray(0, 3),
    ...createMotionArrays(n),
    direction: undefined,
    contact: undefined,
    departure: undefined,
    flight: undefined,
    guard: undefined,
    pointMasses: undefined,
    time: 0,
    constraints: undefined,
    loadFactor: 1,
  };
  tree.trueMotion = tree.motion;
  layTree(tree, parts, { isNew: true });
  const isAnimated = parts.some(({ rod }) => rod.animation);
  return {
    ...tree,
    ...(isAnimated && {
      adopt: followAnimation(
        parts.map(({ rod }) => rod),
        () => layTree(tree, parts, { isNew: false }),
      ),
    }),
    reach: measureReach(tree),
  };
}

/** The rods with the numbers of their links: rod after rod, from root to tip. */
function createRods(parts: readonly TreeRod[]): StrandRod[] {
  const firstLink: number[] = [];
  let at = 0;
  for (const { rod } of parts) {
    firstLink.push(at);
    at += rod.edgeCount;
  }
  return parts.map(({ rod, index, drive, parent, bodyLink }, k) => ({
    rod,
    index,
    drive,
    firstLink: firstLink[k],
    root: parent && parent.node > 0 ? firstLink[parent.part] + parent.node - 1 : -1,
    samples: createSamples(rod),
    loads: createLoads(rod),
    dependsOnState: true,
    damped: rod.nodeDamping.some((rate) => rate > 0),
    isBodyLink: bodyLink !== undefined,
  }));
}

/** Largest distance along links from the base to a tip [m]. */
function measureReach({ rods, parent, length, linkCount }: StrandTree): number {
  const distance = new Float64Array(linkCount);
  let reach = 0;
  for (const { firstLink, rod } of rods)
    for (let link = firstLink; link < firstLink + rod.edgeCount; link++) {
      const up = parent[link];
      distance[link] = (up >= 0 ? distance[up] : 0) + length[link];
      reach = Math.max(reach, distance[link]);
    }
  return reach;
}

function createBase(pins: readonly Pin[]): Base {
  return {
    pins,
    poses: pins.map(createPinPose),
    motions: pins.map(createPinMotion),
    frame: pins.findIndex(({ orientation }) => orientation !== 'free'),
    axes: new Int32Array(3),
    rotation: new Float64Array(9),
    position: new Float64Array(3),
    free: new Uint8Array(3),
    motion: new Float64Array(6),
    acceleration: new Float64Array(6),
    originAcceleration: new Float64Array(3),
    driven: undefined,
    spin: new Float64Array(3),
    drift: new Float64Array(3),
    mass: 0,
    damping: 0,
    force: new Float64Array(3),
    steadyForce: new Float64Array(3),
    drag: new Float64Array(6),
  };
}

/** Writes the constants of links and joints from the rods' arrays. */
function layTree(tree: StrandTree, parts: readonly TreeRod[], { isNew }: { readonly isNew: boolean }): void {
  tree.tipMass.fill(0);
  tree.tipDamping.fill(0);
  tree.base.mass = 0;
  tree.base.damping = 0;
  for (const strand of tree.rods) layLinks(tree, strand);
  for (let j = 0; j < tree.linkCount; j++) writeLinkInertia(tree, j);
  tree.rods.forEach((strand, k) => {
    layJoints(tree, strand, parts[k].parent !== undefined, isNew);
    const { bodyLink } = parts[k];
    if (bodyLink) layBodyJoint(tree, strand.firstLink, bodyLink, isNew);
  });
}

function layLinks(tree: StrandTree, { rod, firstLink, root }: StrandRod): void {
  for (let j = 0; j < rod.edgeCount; j++) {
    const link = firstLink + j;
    tree.parent[link] = j === 0 ? root : link - 1;
    tree.length[link] = rod.edgeLengthRest[j];
    tree.offset[link] = tree.parent[link] < 0 ? 0 : tree.length[tree.parent[link]];
    tree.tipMass[link] += rod.nodeMass[j + 1];
    tree.tipDamping[link] += rod.nodeMass[j + 1] * rod.nodeDamping[j + 1];
    tree.inertia[36 * link + 14] = rod.edgeInertia[j];
    tree.spinDamping[link] = 0.5 * rod.edgeInertia[j] * (rod.nodeDamping[j] + rod.nodeDamping[j + 1]);
  }
  // the first node is where the strand grows from
  if (root >= 0) {
    tree.tipMass[root] += rod.nodeMass[0];
    tree.tipDamping[root] += rod.nodeMass[0] * rod.nodeDamping[0];
  } else {
    tree.base.mass += rod.nodeMass[0];
    tree.base.damping += rod.nodeMass[0] * rod.nodeDamping[0];
  }
}

/** A point mass at (0, 0, l), and the section's polar inertia about the axis, which is there already. */
function writeLinkInertia({ inertia, tipMass, length }: StrandTree, j: number): void {
  const o = 36 * j;
  const m = tipMass[j];
  const h = m * length[j];
  inertia[o] = h * length[j];
  inertia[o + 7] = h * length[j];
  // [mc] with c along z, and its transpose
  inertia[o + 4] = -h;
  inertia[o + 9] = h;
  inertia[o + 6 * 4] = -h;
  inertia[o + 6 * 3 + 1] = h;
  for (let k = 3; k < 6; k++) inertia[o + 7 * k] = m;
}
