/**
 * Velocities after a step with contact.
 *
 * The mean velocities u of the nodes over the step are chords, and have components along the links, which rigid links cannot have. The velocities after
 * the step are the admissible ones closest to u in the metric of the masses. The difference is due to forces along the links, so momentum and angular
 * momentum are conserved, and the kinetic energy never grows. One pass inwards and one outwards, with a 3 × 3 mass at every node: through a link,
 * a parent feels the masses beyond it only along the link.
 */

import { writeBodyVelocity } from './bodyVelocity.ts';
import { recallBase } from './drive.ts';
import { moveBase, moveLinks, poseSamples } from './kinematics.ts';
import type { Departure } from './records.ts';
import type { StrandTree } from './rod.ts';
import { invert3, turn, turnBack } from './spatial.ts';

interface Work {
  /** Effective mass of a node 9, its momentum 3, mass⁻¹ · momentum 3 and mass⁻¹ · axis 3 each; the base's after the links'. */
  mass: Float64Array;
  momentum: Float64Array;
  free: Float64Array;
  along: Float64Array;
  /** Effective mass along the link as seen by the parent, and its velocity without the parent; 2 per link. */
  bar: Float64Array;
  /** Velocities of the tips and of the base; spins of the links. */
  velocity: Float64Array;
  spin: Float64Array;
}
const work: Work = {
  mass: new Float64Array(0),
  momentum: new Float64Array(0),
  free: new Float64Array(0),
  along: new Float64Array(0),
  bar: new Float64Array(0),
  velocity: new Float64Array(0),
  spin: new Float64Array(0),
};

function ensureCapacity(links: number): void {
  if (work.spin.length >= links) return;
  work.mass = new Float64Array(9 * links + 9);
  work.momentum = new Float64Array(3 * links + 3);
  work.free = new Float64Array(3 * links + 3);
  work.along = new Float64Array(3 * links + 3);
  work.bar = new Float64Array(2 * links);
  work.velocity = new Float64Array(3 * links + 3);
  work.spin = new Float64Array(links);
}

/** Writes the rates of joints and origin; the tree is posed at the end of the step. Returns the kinetic energy [J]. */
export function writeEndVelocity(tree: StrandTree, at: Departure, t: number): number {
  if (tree.bodies.length > 0) {
    moveBase(tree, t, tree.originRate, 'same-time');
    return writeBodyVelocity(tree, at);
  }
  ensureCapacity(tree.linkCount);
  gatherMasses(tree, at);
  moveNodes(tree);
  moveBase(tree, t, tree.originRate, 'same-time');
  writeRates(tree);
  return kineticEnergy(tree);
}

function kineticEnergy({ linkCount, tipMass, inertia, base }: StrandTree): number {
  const { velocity, spin } = work;
  let sum = 0;
  for (let j = 0; j <= linkCount; j++) {
    const m = j < linkCount ? tipMass[j] : base.mass;
    for (let k = 3 * j; k < 3 * j + 3; k++) sum += 0.5 * m * velocity[k] * velocity[k];
    if (j < linkCount) sum += 0.5 * inertia[36 * j + 14] * spin[j] * spin[j];
  }
  return sum;
}

/** All that follows from the rates, and their change over the step of length h from `v0`. */
export function moveAtEnd(tree: StrandTree, h: number, t: number, v0: Float64Array): void {
  const { linkCount, base, v, rate, originRate } = tree;
  for (let k = 0; k < 3 * linkCount; k++) rate[k] = (v[3 + k] - v0[3 + k]) / h;
  for (let k = 0; k < 3; k++) if (base.free[k]) originRate[k] = (v[k] - v0[k]) / h;
  recallBase(tree);
  moveBase(tree, t, originRate, 'same-time');
  moveLinks(tree);
  poseSamples(tree);
}

const inverse = new Float64Array(9);

/** Accumulates the effective mass of every node, from the tips to the base. */
function gatherMasses(tree: StrandTree, at: Departure): void {
  const { linkCount, parent, tipMass, base, world, origin, length, q } = tree;
  const { mass, momentum, free, along, bar, spin } = work;
  const { h, tip } = at;
  mass.fill(0);
  for (let j = 0; j < linkCount; j++) {
    for (let k = 0; k < 3; k++) {
      mass[9 * j + 4 * k] = tipMass[j];
      const x = origin[3 * j + k] + length[j] * world[9 * j + 3 * k + 2];
      momentum[3 * j + k] = (tipMass[j] * (x - tip[3 * j + k])) / h;
    }
    spin[j] = at.turned[j];
  }
  const b = 3 * linkCount;
  for (let k = 0; k < 3; k++) {
    mass[3 * b + 4 * k] = base.mass;
    momentum[b + k] = (base.mass * (q[k] - at.base[k])) / h;
  }
  for (let j = linkCount - 1; j >= 0; j--) {
    const r = 9 * j;
    invert3(inverse, 0, mass, r);
    turn(free, 3 * j, inverse, 0, momentum, 3 * j);
    let soft = 0;
    let own = 0;
    for (let k = 0; k < 3; k++) {
      const o = 3 * j + k;
      along[o] = inverse[3 * k] * world[r + 2] + inverse[3 * k + 1] * world[r + 5] + inverse[3 * k + 2] * world[r + 8];
      soft += world[r + 3 * k + 2] * along[o];
      own += world[r + 3 * k + 2] * free[o];
    }
    bar[2 * j] = 1 / soft;
    bar[2 * j + 1] = own;
    const up = 3 * (parent[j] < 0 ? linkCount : parent[j]);
    for (let k = 0; k < 3; k++) {
      const share = world[r + 3 * k + 2] / soft;
      momentum[up + k] += share * own;
      for (let i = 0; i < 3; i++) mass[3 * up + 3 * k + i] += share * world[r + 3 * i + 2];
    }
  }
}

const heavy = new Float64Array(9);

/** From the base to the tips: how the nodes move. */
function moveNodes({ linkCount, parent, base, world }: StrandTree): void {
  const { mass, momentum, free, along, bar, velocity } = work;
  const b = 3 * linkCount;
  velocity.fill(0, b, b + 3);
  if (base.free[0] || base.free[1] || base.free[2]) {
    // along axes that are held the base has no velocity of its own
    for (let i = 0; i < 3; i++) {
      for (let k = 0; k < 3; k++)
        heavy[3 * i + k] = base.free[i] && base.free[k] ? mass[3 * b + 3 * i + k] : i === k ? 1 : 0;
      if (!base.free[i]) momentum[b + i] = 0;
    }
    invert3(inverse, 0, heavy, 0);
    turn(velocity, b, inverse, 0, momentum, b);
  }
  for (let j = 0; j < linkCount; j++) {
    const up = 3 * (parent[j] < 0 ? linkCount : parent[j]);
    const r = 9 * j;
    let pull = -bar[2 * j + 1];
    for (let k = 0; k < 3; k++) pull += world[r + 3 * k + 2] * velocity[up + k];
    pull *= bar[2 * j];
    for (let k = 3 * j; k < 3 * j + 3; k++) velocity[k] = free[k] + pull * along[k];
  }
}

const difference = new Float64Array(3);
const own = new Float64Array(3);
const spins = { list: new Float64Array(0) };
const carried = new Float64Array(3);

/** Rates of the joints from the velocities of the nodes and the spins of the links. */
function writeRates(tree: StrandTree): void {
  const { linkCount, parent, base, world, rotation, length, v } = tree;
  const { velocity, spin } = work;
  if (spins.list.length < 3 * linkCount) spins.list = new Float64Array(3 * linkCount);
  const { list } = spins;
  for (let k = 0; k < 3; k++) if (base.free[k]) v[k] = velocity[3 * linkCount + k];
  for (let j = 0; j < linkCount; j++) {
    const up = parent[j];
    const from = 3 * (up < 0 ? linkCount : up);
    for (let k = 0; k < 3; k++) difference[k] = velocity[3 * j + k] - velocity[from + k];
    turnBack(own, 0, world, 9 * j, difference, 0);
    list[3 * j] = -own[1] / length[j];
    list[3 * j + 1] = own[0] / length[j];
    list[3 * j + 2] = spin[j];
    if (up < 0) turnBack(carried, 0, rotation, 9 * j, base.motion, 0);
    else turnBack(carried, 0, rotation, 9 * j, list, 3 * up);
    for (let k = 0; k < 3; k++) v[3 + 3 * j + k] = list[3 * j + k] - carried[k];
  }
}
