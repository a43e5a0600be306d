/**
 * Energy between two equilibria of a path. Loads and pins that change slowly do as much work as the rods gain in elastic energy. If the search lands on
 * another branch of equilibria, where a rod has fewer turns or has snapped over, energy is missing, or has come from nowhere.
 *
 * Forces and torques are known at both equilibria: their work is that of the mean of both, and half of the difference is the uncertainty, which contains
 * the true work as long as forces rise or fall all the way. `equilibriumPath.ts` takes shorter strides where they do not.
 */
import { rotationBetween } from '../math/frameRotation.ts';
import { hypot } from '../math/rounded/index.ts';
import type { Reaction } from '../model.ts';
import { createLoads, type Loads } from '../port.ts';
import { createPinPose, type PinPose } from '../scene/compiled.ts';
import type { PathWorld } from './pathPort.ts';
import { isTaut } from './taut.ts';

/** Error of the work of reactions and of loads that a model spreads over its elements, relative to the work. */
const WORK_ERROR = 0.02;
/** Error of the elastic energy of a converged equilibrium, relative to it. */
const ENERGY_ERROR = 1e-6;
/** Samples of the turn of a pin between two equilibria, and the largest turn between two of them [rad]. */
const PIN_SAMPLES = 64;
const PIN_TURN = 1;
/** Work of a torque on an edge that has turned by [rad] more has no single axis; and its error, relative to it. */
const EDGE_TURN = 2;
const EDGE_ERROR = 0.05;

interface RodAtRest {
  readonly position: Float64Array;
  readonly tangent: Float64Array;
  readonly director: Float64Array;
  readonly loads: Loads;
  readonly reactions: readonly Reaction[];
  readonly holds: readonly boolean[];
}

/** What the audit keeps of an equilibrium. */
export interface Rest {
  readonly time: number;
  /** Elastic energy [J]. */
  readonly energy: number;
  readonly rods: readonly RodAtRest[];
  readonly bodies: readonly { readonly position: Float64Array; readonly load: Float64Array }[];
  /** True if a rod is straight and inextensible between held ends: its tension is indeterminate. */
  readonly isTaut: boolean;
}

/** Records the equilibrium that the world is in. */
export function takeRest(world: PathWorld): Rest {
  const { rods, samples, drives, placeOfRod, welds, bodies, contact, clock } = world;
  const t = clock.time;
  contact?.applyContactForces();
  return {
    time: t,
    energy: world.storedEnergy(),
    rods: rods.map((rod, r): RodAtRest => {
      const { nodePosition, edgeTangent, edgeDirector } = samples[r];
      const { bundle, index } = placeOfRod[r];
      const loads = createLoads(rod);
      for (const source of drives[r].sources) source.addLoads(loads, samples[r], t);
      // forces between a rod and its body are internal
      const isAtBody = (node: number): boolean => welds.some((weld) => weld.rod === r && weld.pin.node === node);
      return {
        position: nodePosition.slice(),
        tangent: edgeTangent.slice(),
        director: edgeDirector.slice(),
        loads,
        reactions: bundle.reactions(index, t).filter(({ node }) => !isAtBody(node)),
        holds: drives[r].pins.map((pin) => pin.holds(t)),
      };
    }),
    bodies: bodies.map(({ pose, body }) => {
      const load = new Float64Array(6);
      body.load(load, t);
      return { position: Float64Array.from(pose.position), load };
    }),
    isTaut: rods.some((rod, r) => isTaut(rod, samples[r], drives[r].pins, t)),
  };
}

/** Work [J], and by how much it may be wrong; infinitely if it cannot be determined. */
interface Work {
  done: number;
  doubt: number;
  /** Sum of magnitudes. */
  size: number;
}

/** Adds the work of something that acts at both ends of an interval, with the force at the first and at the last. */
function addWork(out: Work, first: number, last: number): void {
  out.done += 0.5 * (first + last);
  const size = 0.5 * (Math.abs(first) + Math.abs(last));
  out.doubt += 0.5 * Math.abs(last - first) + WORK_ERROR * size;
  out.size += size;
}

const dotAt = (a: ArrayLike<number>, i: number, b: ArrayLike<number>): number =>
  a[i] * b[0] + a[i + 1] * b[1] + a[i + 2] * b[2];

function addWorkOfLoads(out: Work, before: RodAtRest, after: RodAtRest): void {
  let [first, last] = [0, 0];
  for (let k = 0; k < before.position.length; k++) {
    const displacement = after.position[k] - before.position[k];
    first += before.loads.nodeForce[k] * displacement;
    last += after.loads.nodeForce[k] * displacement;
  }
  addWork(out, first, last);
  const frameAt = (
    { tangent, director }: RodAtRest,
    o: number,
  ): { readonly tangent: Float64Array; readonly director: Float64Array } => ({
    tangent: tangent.subarray(o, o + 3),
    director: director.subarray(o, o + 3),
  });
  for (let o = 0; o < before.tangent.length; o += 3) {
    const [start, end] = [before.loads.edgeTorque, after.loads.edgeTorque];
    const size = hypot(start[o], start[o + 1], start[o + 2]) + hypot(end[o], end[o + 1], end[o + 2]);
    if (size === 0) continue;
    const turn = rotationBetween(frameAt(before, o), frameAt(after, o));
    addWork(out, dotAt(start, o, turn), dotAt(end, o, turn));
    const angle = hypot(turn[0], turn[1], turn[2]);
    out.doubt += angle > EDGE_TURN ? Infinity : EDGE_ERROR * size * angle;
  }
}

/** Torque at `from` and `to` along the path of a pin's frame: both weighted linearly in time. Infinite doubt if the frame turns too far between samples. */
function addWorkOfTurn(out: Work, pin: { evaluate(pose: PinPose, t: number): void }, from: Moment, to: Moment): void {
  let before = createPinPose();
  let pose = createPinPose();
  let [first, last] = [0, 0];
  pin.evaluate(before, from.time);
  for (let k = 1; k <= PIN_SAMPLES; k++) {
    const share = k / PIN_SAMPLES;
    pin.evaluate(pose, from.time + (to.time - from.time) * share);
    const turn = rotationBetween(before, pose);
    if (hypot(turn[0], turn[1], turn[2]) > PIN_TURN) out.doubt = Infinity;
    const twist = 0.5 * (pose.twist - before.twist);
    for (let c = 0; c < 3; c++) turn[c] += twist * (before.tangent[c] + pose.tangent[c]);
    const weight = share - 0.5 / PIN_SAMPLES;
    first += 2 * (1 - weight) * dotAt(from.torque, 0, turn);
    last += 2 * weight * dotAt(to.torque, 0, turn);
    [before, pose] = [pose, before];
  }
  addWork(out, first, last);
}

interface Moment {
  readonly time: number;
  readonly torque: readonly number[];
}

const none: Pick<Reaction, 'force' | 'torque'> = { force: [0, 0, 0], torque: [0, 0, 0] };

function addWorkOfPins(out: Work, { drives }: PathWorld, r: number, [from, to]: readonly [Rest, Rest]): void {
  const [before, after] = [from.rods[r], to.rods[r]];
  const { pins } = drives[r];
  // the rod springs into a new shape
  if (before.holds.some((isHeld, p) => isHeld !== after.holds[p])) out.doubt = Infinity;
  for (const node of new Set([...before.reactions, ...after.reactions].map((reaction) => reaction.node))) {
    const held = pins.filter((pin, p) => pin.node === node && before.holds[p]);
    if (held.every(({ isStill }) => isStill)) continue;
    const at = (list: readonly Reaction[]): typeof none => list.find((reaction) => reaction.node === node) ?? none;
    const [first, last] = [at(before.reactions), at(after.reactions)];
    const moved = [0, 1, 2].map((k) => after.position[3 * node + k] - before.position[3 * node + k]);
    addWork(out, dotAt(first.force, 0, moved), dotAt(last.force, 0, moved));
    const turning = held.find(({ orientation }) => orientation !== 'free');
    if (!turning || turning.isStill) continue;
    const [start, end] = [
      { time: from.time, torque: first.torque },
      { time: to.time, torque: last.torque },
    ];
    addWorkOfTurn(out, turning, start, end);
  }
}

function addWorkOfBodies(out: Work, from: Rest, to: Rest): void {
  from.bodies.forEach(({ position, load }, b) => {
    const after = to.bodies[b];
    const moved = [0, 1, 2].map((k) => after.position[k] - position[k]);
    addWork(out, dotAt(load, 0, moved), dotAt(after.load, 0, moved));
    if ([load, after.load].some(([, , , x, y, z]) => x !== 0 || y !== 0 || z !== 0)) out.doubt = Infinity;
  });
}

/** Work with a relative uncertainty beyond this says little of an interval in which a rod moves by more than FAR of its length. */
const VAGUE = 0.5;
const FAR = 0.1;

/** What the energies of two equilibria say of the way between them. */
export interface Comparison {
  /** Energy [J] that the rods gain beyond the work of loads and pins; negative if some is missing. 0 within the error of the work, or if that is unknown. */
  readonly unexplained: number;
  /** The error of the work is so large, and the rods move so far, that they may have jumped all the same: between mirrored shapes of equal energy, say. */
  readonly isVague: boolean;
  /** Index of the rod that moves farthest, relative to its length. */
  readonly moved: number;
}

export function compareRest(world: PathWorld, from: Rest, to: Rest): Comparison {
  const shares = measureMoves(world, from, to);
  const moved = shares.indexOf(Math.max(...shares));
  if (from.isTaut || to.isTaut) return { unexplained: 0, isVague: false, moved };
  const work: Work = { done: 0, doubt: 0, size: 0 };
  from.rods.forEach((before, r) => {
    addWorkOfLoads(work, before, to.rods[r]);
    addWorkOfPins(work, world, r, [from, to]);
  });
  addWorkOfBodies(work, from, to);
  const gained = to.energy - from.energy - work.done;
  const error = work.doubt + ENERGY_ERROR * Math.max(from.energy, to.energy);
  const isVague = work.doubt < Infinity && work.doubt > VAGUE * work.size && shares[moved] > FAR;
  return { unexplained: Math.abs(gained) > error ? gained : 0, isVague, moved };
}

/** Distance by which the nodes of each rod move at most, relative to its length. */
function measureMoves({ rods }: PathWorld, from: Rest, to: Rest): number[] {
  return rods.map(({ length }, r) => {
    const [a, b] = [from.rods[r].position, to.rods[r].position];
    let most = 0;
    for (let o = 0; o < a.length; o += 3)
      most = Math.max(most, hypot(b[o] - a[o], b[o + 1] - a[o + 1], b[o + 2] - a[o + 2]));
    return most / length;
  });
}
