/**
 * Hands on a world: pull, nail, twist, wind, release.
 *
 * How strong a hand is follows from the rod and from how long the scene lasts, so that a hair and a ship's cable answer to
 * the same movement of the mouse: stiff against bending and weight, quick against inertia.
 */
import {
  createAir,
  createEdgeTorque,
  createPointSpring,
  type Piece,
  type PointSpring,
  type World,
} from '@tendril-sim/core';
import type { HandMessage } from '../protocol.ts';

export interface Hands {
  take(message: HandMessage): void;
  /** Before each step: ends wind and torques whose time is over. */
  settle(): void;
  /** Force of the pull [N]; undefined if nothing is pulled. */
  force(): number | undefined;
  readonly busy: boolean;
  /** Changes by hand to pins and obstacles, for a world that replaces this one. */
  memory(): HandMemory;
  /** Applies them to this world; `pieces`: the origin of its rods. */
  recall(memory: HandMemory, pieces: readonly Piece[]): void;
}

export interface HandMemory {
  readonly pins: readonly {
    readonly rod: number;
    readonly node: number;
    readonly released: boolean;
    readonly offset: readonly number[] | undefined;
    readonly twist: number;
  }[];
  readonly all: readonly number[] | undefined;
  /** Springs that hold nodes. */
  readonly nails: readonly { readonly rod: number; readonly node: number; readonly target: readonly number[] }[];
}

interface Scale {
  readonly stiffness: number;
  readonly relaxation: number;
  readonly massPerLength: number;
  readonly twistStiffness: number;
}

function scaleOf(world: World, rodIndex: number, duration: number, step: number): Scale {
  const rod = world.rods[rodIndex];
  const mean = (values: Float64Array): number => values.reduce((a, b) => a + b, 0) / values.length;
  const mass = rod.nodeMass.reduce((a, b) => a + b, 0);
  const spec = world.scene.gravity;
  const g = Math.hypot(...((spec && 'acceleration' in spec ? spec.acceleration : spec) ?? [0, 0, 0]));
  const EI = Math.max(mean(rod.halfEI1), mean(rod.halfEI2));
  return {
    stiffness: (60 * EI) / rod.length ** 3 + (8 * mass * g) / rod.length + mass * (15 / duration) ** 2,
    relaxation: Math.max(3 * step, 0.01 * duration),
    massPerLength: mass / rod.length,
    twistStiffness: mean(rod.halfGJ) / rod.length,
  };
}

/** A hand that pulls a node: `asked` is the node of the message, `node` the one of this model, which may have fewer. */
interface Pull {
  readonly rod: number;
  readonly asked: number;
  readonly node: number;
  readonly spring: PointSpring;
  readonly drop: () => void;
}

interface Nail {
  readonly rod: number;
  readonly node: number;
  readonly target: readonly number[];
  readonly drop: () => void;
}

/** Loads that end by themselves, `until` a time of the world [s]. */
interface Wind {
  readonly velocity: Float64Array;
  readonly drop: () => void;
  until: number;
}

interface TwistedEnd {
  readonly turn: ReturnType<typeof createEdgeTorque>;
  readonly drop: () => void;
  until: number;
}

/** What the hands do at present. */
interface HandState {
  readonly world: World;
  readonly duration: number;
  readonly step: number;
  /** One per rod. */
  readonly scales: readonly Scale[];
  pull: Pull | undefined;
  wind: Wind | undefined;
  /** By rod and node. */
  readonly nails: Map<string, Nail>;
  /** By rod and end. */
  readonly torques: Map<string, TwistedEnd>;
  /** One per pin of the world. */
  readonly twists: number[];
  readonly offsets: (readonly number[] | undefined)[];
  /** Offset of all pins and colliders. */
  all: readonly number[] | undefined;
}

export function createHands(world: World, duration: number, step: number): Hands {
  const state: HandState = {
    world,
    duration,
    step,
    scales: world.rods.map((_, k) => scaleOf(world, k, duration, step)),
    pull: undefined,
    wind: undefined,
    nails: new Map(),
    torques: new Map(),
    twists: world.grips.map(() => 0),
    offsets: world.grips.map(() => undefined),
    all: undefined,
  };
  return {
    get busy() {
      return state.pull !== undefined || state.wind !== undefined || state.torques.size > 0;
    },
    take(message) {
      if (!('rod' in message) || world.rods[message.rod]) takeMessage(state, message);
    },
    memory: () => readMemory(state),
    recall: (memory, pieces) => recall(state, memory, pieces),
    settle: () => endExpired(state),
    force: () => measureForce(state),
  };
}

function takeMessage(state: HandState, message: HandMessage): void {
  const { world, step, duration } = state;
  switch (message.kind) {
    case 'pull':
      pullTo(state, message.rod, message.node).target.set(message.target);
      break;
    case 'drop':
      dropPull(state);
      break;
    case 'move-pin':
      state.offsets[message.pin] = message.offset;
      placePin(state, message.pin, 4 * step);
      break;
    case 'twist-pin':
      state.twists[message.pin] += message.by;
      placePin(state, message.pin, Math.max(6 * step, 0.02 * duration));
      break;
    case 'twist-end':
      twistEnd(state, message.rod, message.end, message.by);
      break;
    case 'release-pin':
      world.grips[message.pin]?.release();
      break;
    case 'nail':
      toggleNail(state, message.rod, nodeOf(world, message.rod, message.node));
      break;
    case 'move-all':
      state.all = message.offset;
      placeAll(state, 4 * step);
      break;
    case 'wind':
      blow(state, message.velocity);
      break;
  }
}

/** Moves a pin to its own offset plus that of all pins. */
function placePin({ world, offsets, twists, all }: HandState, pin: number, seconds: number): void {
  const own = offsets[pin];
  if (!own && !all && twists[pin] === 0) return;
  const offset = [0, 1, 2].map((k) => (own?.[k] ?? 0) + (all?.[k] ?? 0));
  world.grips[pin]?.move({ offset, twist: twists[pin] }, world.time, seconds);
}

function placeAll(state: HandState, seconds: number): void {
  const { world, all } = state;
  world.grips.forEach((_, pin) => {
    placePin(state, pin, seconds);
  });
  if (all) for (const collider of world.colliders) collider.move(all, world.time, seconds);
}

function dropPull(state: HandState): void {
  state.pull?.drop();
  state.pull = undefined;
}

/** Another model may have fewer nodes. */
const nodeOf = ({ rods }: World, rod: number, node: number): number => Math.min(node, rods[rod].nodeCount - 1);

/** The spring that pulls a node; replaces one that pulls elsewhere. */
function pullTo(state: HandState, rod: number, asked: number): PointSpring {
  const { pull, world, scales } = state;
  if (pull && pull.rod === rod && pull.asked === asked) return pull.spring;
  dropPull(state);
  const node = nodeOf(world, rod, asked);
  const { stiffness, relaxation } = scales[rod];
  const spring = createPointSpring(node, stiffness, stiffness * relaxation);
  state.pull = { rod, asked, node, spring, drop: world.addLoad(rod, spring) };
  return spring;
}

/** Holds a node by a stiff spring, or releases it if it is held; `at`: where, default where it is. */
function toggleNail(
  { world, nails, scales, step }: HandState,
  rod: number,
  node: number,
  at?: readonly number[],
): void {
  const key = `${rod} ${node}`;
  const present = nails.get(key);
  if (present) {
    present.drop();
    nails.delete(key);
    return;
  }
  const { stiffness } = scales[rod];
  const spring = createPointSpring(node, 60 * stiffness, 60 * stiffness * 3 * step);
  const target = at ?? [...world.samples[rod].nodePosition.subarray(3 * node, 3 * node + 3)];
  spring.target.set(target);
  nails.set(key, { rod, node, target, drop: world.addLoad(rod, spring) });
}

function blow(state: HandState, velocity: readonly number[]): void {
  state.wind ??= startWind(state);
  state.wind.velocity.set(velocity);
  state.wind.until = state.world.time + 0.04 * state.duration;
}

function startWind({ world, scales, duration }: HandState): Wind {
  const current = new Float64Array(3);
  const drops = world.rods.map((rod, k) => {
    const drag = (6 * scales[k].massPerLength) / duration;
    const air = createAir(rod, {
      wind: (out) => out.set(current),
      linearNormal: drag,
      linearTangential: 0.5 * drag,
      quadraticNormal: 0,
      quadraticTangential: 0,
      factor: () => 1,
    });
    return world.addLoad(k, air);
  });
  const drop = (): void => {
    for (const each of drops) each();
  };
  return { velocity: current, until: 0, drop };
}

function twistEnd(
  { world, torques, scales, duration }: HandState,
  rod: number,
  end: 'start' | 'end',
  by: number,
): void {
  const key = `${rod} ${end}`;
  let hand = torques.get(key);
  if (!hand) {
    const turn = createEdgeTorque(end === 'start' ? 0 : world.rods[rod].edgeCount - 1);
    hand = { turn, until: 0, drop: world.addLoad(rod, turn) };
    torques.set(key, hand);
  }
  hand.turn.torque += by * scales[rod].twistStiffness;
  hand.until = world.time + 0.05 * duration;
}

function readMemory({ world, all, nails, offsets, twists }: HandState): HandMemory {
  return {
    all,
    nails: [...nails.values()],
    pins: world.grips.map(({ rod, node, released }, k) => ({
      rod,
      node,
      released,
      offset: offsets[k],
      twist: twists[k],
    })),
  };
}

function recall(state: HandState, memory: HandMemory, pieces: readonly Piece[]): void {
  const { world } = state;
  state.all = memory.all;
  const find = (rod: number, node: number): { rod: number; node: number } => {
    const now = pieces.findIndex((piece) => piece.rod === rod && node >= piece.from && node <= piece.to);
    return { rod: now, node: now < 0 ? 0 : node - pieces[now].from };
  };
  for (const one of memory.nails) {
    const { rod, node } = find(one.rod, one.node);
    if (rod >= 0) toggleNail(state, rod, node, one.target);
  }
  for (const { released, offset, twist, ...one } of memory.pins) {
    const { rod, node } = find(one.rod, one.node);
    const pin = world.grips.findIndex((grip) => grip.rod === rod && grip.node === node);
    if (pin < 0) continue;
    state.offsets[pin] = offset;
    state.twists[pin] = twist;
    if (released) world.grips[pin].release();
  }
  placeAll(state, 0);
}

/** Removes wind and torques whose time is over. */
function endExpired(state: HandState): void {
  const { world, wind, torques } = state;
  if (wind && world.time > wind.until) {
    wind.drop();
    state.wind = undefined;
  }
  for (const [key, hand] of torques) {
    if (world.time <= hand.until) continue;
    hand.drop();
    torques.delete(key);
  }
}

function measureForce({ world, pull }: HandState): number | undefined {
  if (!pull) return undefined;
  const { spring, rod, node } = pull;
  const x = world.samples[rod].nodePosition.subarray(3 * node, 3 * node + 3);
  return spring.stiffness * Math.hypot(...[0, 1, 2].map((k) => x[k] - spring.target[k]));
}
