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
  /** Before each step: what a hand holds only for a while ends. */
  settle(): void;
  /** Of the pull [N]; undefined where nothing pulls. */
  force(): number | undefined;
  readonly busy: boolean;
  /** What hands have done to pins and obstacles, for a world that takes the place of this one. */
  memory(): HandMemory;
  /** Does it again; `pieces`: where the rods of this world are from. */
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
  /** Springs that hold places. */
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

export function createHands(world: World, duration: number, step: number): Hands {
  const scales = world.rods.map((_, k) => scaleOf(world, k, duration, step));
  let pull: { rod: number; asked: number; node: number; spring: PointSpring; drop: () => void } | undefined;
  let wind: { velocity: Float64Array; until: number; drop: () => void } | undefined;
  const nails = new Map<string, { rod: number; node: number; target: readonly number[]; drop: () => void }>();
  const torques = new Map<string, { turn: ReturnType<typeof createEdgeTorque>; until: number; drop: () => void }>();
  const twists = world.grips.map(() => 0);
  const offsets: (readonly number[] | undefined)[] = world.grips.map(() => undefined);
  let all: readonly number[] | undefined;

  /** A pin is where a hand has put it, and goes along with all. */
  const place = (pin: number, seconds: number): void => {
    const own = offsets[pin];
    if (!own && !all && twists[pin] === 0) return;
    const offset = [0, 1, 2].map((k) => (own?.[k] ?? 0) + (all?.[k] ?? 0));
    world.grips[pin]?.move({ offset, twist: twists[pin] }, world.time, seconds);
  };
  const placeAll = (seconds: number): void => {
    world.grips.forEach((_, pin) => {
      place(pin, seconds);
    });
    if (all) for (const collider of world.colliders) collider.move(all, world.time, seconds);
  };

  const dropPull = (): void => {
    pull?.drop();
    pull = undefined;
  };

  /** Another model may have fewer nodes. */
  const nodeOf = (rod: number, node: number): number => Math.min(node, world.rods[rod].nodeCount - 1);

  const startPull = (rod: number, asked: number): NonNullable<typeof pull> => {
    const node = nodeOf(rod, asked);
    const { stiffness, relaxation } = scales[rod];
    const spring = createPointSpring(node, stiffness, stiffness * relaxation);
    return { rod, asked, node, spring, drop: world.addLoad(rod, spring) };
  };

  const nail = (rod: number, node: number, at?: readonly number[]): void => {
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
  };

  const blow = (velocity: readonly number[]): void => {
    if (!wind) {
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
      wind = { velocity: current, until: 0, drop };
    }
    wind.velocity.set(velocity);
    wind.until = world.time + 0.04 * duration;
  };

  const twistEnd = (rod: number, end: 'start' | 'end', by: number): void => {
    const key = `${rod} ${end}`;
    let hand = torques.get(key);
    if (!hand) {
      const turn = createEdgeTorque(end === 'start' ? 0 : world.rods[rod].edgeCount - 1);
      hand = { turn, until: 0, drop: world.addLoad(rod, turn) };
      torques.set(key, hand);
    }
    hand.turn.torque += by * scales[rod].twistStiffness;
    hand.until = world.time + 0.05 * duration;
  };

  return {
    get busy() {
      return pull !== undefined || wind !== undefined || torques.size > 0;
    },
    take(message) {
      if ('rod' in message && !world.rods[message.rod]) return;
      switch (message.kind) {
        case 'pull':
          if (!pull || pull.rod !== message.rod || pull.asked !== message.node) {
            dropPull();
            pull = startPull(message.rod, message.node);
          }
          pull.spring.target.set(message.target);
          break;
        case 'drop':
          dropPull();
          break;
        case 'move-pin':
          offsets[message.pin] = message.offset;
          place(message.pin, 4 * step);
          break;
        case 'twist-pin':
          twists[message.pin] += message.by;
          place(message.pin, Math.max(6 * step, 0.02 * duration));
          break;
        case 'twist-end':
          twistEnd(message.rod, message.end, message.by);
          break;
        case 'release-pin':
          world.grips[message.pin]?.release();
          break;
        case 'nail':
          nail(message.rod, nodeOf(message.rod, message.node));
          break;
        case 'move-all':
          all = message.offset;
          placeAll(4 * step);
          break;
        case 'wind':
          blow(message.velocity);
          break;
      }
    },
    memory: () => ({
      all,
      nails: [...nails.values()],
      pins: world.grips.map(({ rod, node, released }, k) => ({
        rod,
        node,
        released,
        offset: offsets[k],
        twist: twists[k],
      })),
    }),
    recall(memory, pieces) {
      all = memory.all;
      const find = (rod: number, node: number): { rod: number; node: number } => {
        const now = pieces.findIndex((piece) => piece.rod === rod && node >= piece.from && node <= piece.to);
        return { rod: now, node: now < 0 ? 0 : node - pieces[now].from };
      };
      for (const one of memory.nails) {
        const { rod, node } = find(one.rod, one.node);
        if (rod >= 0) nail(rod, node, one.target);
      }
      for (const { released, offset, twist, ...one } of memory.pins) {
        const { rod, node } = find(one.rod, one.node);
        const pin = world.grips.findIndex((grip) => grip.rod === rod && grip.node === node);
        if (pin < 0) continue;
        offsets[pin] = offset;
        twists[pin] = twist;
        if (released) world.grips[pin].release();
      }
      placeAll(0);
    },
    settle() {
      if (wind && world.time > wind.until) {
        wind.drop();
        wind = undefined;
      }
      for (const [key, hand] of torques) {
        if (world.time <= hand.until) continue;
        hand.drop();
        torques.delete(key);
      }
    },
    force() {
      if (!pull) return undefined;
      const { spring, rod, node } = pull;
      const x = world.samples[rod].nodePosition.subarray(3 * node, 3 * node + 3);
      return spring.stiffness * Math.hypot(...[0, 1, 2].map((k) => x[k] - spring.target[k]));
    },
  };
}
