import type { ModelId } from '@tendril-sim/core';
import { cos, hypot, hypotOf, sin } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, onModel, worldOf } from '../src/case.ts';
import { gravity } from '../src/controls.ts';
import { drawPerson } from '../src/drawnHead.ts';
import { createOverlapMeter, type OverlapMeter } from '../src/overlap.ts';

type Vector = [number, number, number];
type Damping = { readonly mass?: number; readonly stiffness: number };
const HEAD = 0.09;
const RADIUS = 0.0015;
const LENGTH = 0.28;
/** Mass per length [kg/m], and the rate of its damping [1/s]. */
const MASS = 2e-3;
const DRAG = 1.5;
const FRICTION = 0.3;
const GRAVITY = 9.81;
/** Largest overlap, in radii, that the contact solver leaves at the end of a step. */
const OVERLAP = 0.048;

/** Roots over the scalp, evenly by the golden angle; each strand starts straight out. */
function strands(
  count: number,
  edges: number,
  damping: Damping = { mass: DRAG, stiffness: 0.02 },
): (SceneInput['rods'][number] & { readonly shape: { readonly from: Vector } })[] {
  return Array.from({ length: count }, (_, k) => {
    const z = 0.95 - (0.75 * (k + 0.5)) / count;
    const r = Math.sqrt(1 - z * z);
    const a = 2.399963 * k;
    const n: Vector = [r * cos(a), r * sin(a), z];
    const from = n.map((x) => x * (HEAD + 2 * RADIUS)) as Vector;
    const to = n.map((x) => x * (HEAD + 2 * RADIUS + LENGTH)) as Vector;
    return {
      id: `hair${k}`,
      model: 'strand' as const,
      shape: { type: 'straight' as const, from, to },
      edges,
      // a wisp of hair: light, soft, and wide enough to lie on the head
      section: {
        type: 'stiffness' as const,
        EI1: 2e-6,
        GJ: 2e-6,
        mass: MASS,
        inertia: 2e-9,
        radius: RADIUS,
        damping,
      },
    };
  });
}

const turns: { time: number; rotation: Vector }[] = [
  { time: 0, rotation: [0, 0, 0] },
  { time: 1, rotation: [0, 0, 0] },
  { time: 1.3, rotation: [0, 0, 1] },
  { time: 1.6, rotation: [0, 0, -0.8] },
  { time: 2, rotation: [0, 0, 0] },
];

/** A path of a root that turns with the head about its axis. */
function rootPath(from: Vector): { keys: { time: number; offset: Vector; rotation: Vector }[] } {
  const keys = Array.from({ length: 41 }, (_, k) => {
    const time = 0.05 * k;
    const after = Math.max(
      1,
      turns.findIndex((turn) => turn.time >= time),
    );
    const [a, b] = [turns[after - 1], turns[after]];
    const u = Math.min(1, Math.max(0, (time - a.time) / (b.time - a.time)));
    const angle = a.rotation[2] + (b.rotation[2] - a.rotation[2]) * u * u * (3 - 2 * u);
    return turnedKey(from, time, angle);
  });
  return { keys };
}

function turnedKey(from: Vector, time: number, angle: number): { time: number; offset: Vector; rotation: Vector } {
  const [x, y] = [cos(angle) * from[0] - sin(angle) * from[1], sin(angle) * from[0] + cos(angle) * from[1]];
  return { time, offset: [x - from[0], y - from[1], 0], rotation: [0, 0, angle] };
}

export function longHair(count: number, edges: number, timeScale: number): SceneInput {
  const rods = strands(count, edges);
  return {
    tendril: 1,
    title: 'Long hair on a head that turns',
    gravity: [0, 0, -GRAVITY],
    rods,
    pins: rods.map(({ id, shape }) => ({
      rod: id,
      at: 'start' as const,
      path: rootPath(shape.from),
    })),
    colliders: [
      { id: 'head', type: 'sphere', radius: HEAD, friction: FRICTION, path: { keys: rootPath([0, 0, 0]).keys } },
      {
        id: 'shoulders',
        type: 'capsule',
        from: [0, -0.18, -0.24],
        to: [0, 0.18, -0.24],
        radius: 0.07,
        friction: FRICTION,
      },
    ],
    time: { duration: 2.5, step: 1 / 96 },
    solver: { strand: { direct: [{ timeScale }] } },
    output: { every: 1 / 24 },
  };
}

/** The same with a face and in the colours of a person. */
function onPerson(scene: SceneInput): SceneInput {
  const colors: Readonly<Record<string, string>> = { head: '#d9a982', shoulders: '#4a6a86' };
  const still = (scene.colliders ?? []).map((shape) => ({ ...shape, color: colors[shape.id ?? ''] }));
  const path = { keys: rootPath([0, 0, 0]).keys };
  return {
    ...scene,
    rods: scene.rods.map((rod, k) => ({ ...rod, color: k % 3 ? '#6b3f22' : '#85532f' })),
    colliders: [...still, ...drawPerson('person', { at: [0, 0, 0], path })],
  };
}

/** The same by discrete elastic rods, whose wisps meet each other as well. */
export function longHairOfRods(count: number, edges: number): SceneInput {
  const { solver: _, ...scene } = longHair(count, edges, 1);
  return onModel({ ...scene, contact: { friction: 0.2 }, time: { duration: 2.5, step: 1 / 480 } }, 'der');
}

/** Least distance of a node from the head and the shoulders once the hair lies, less the radius [m]; excursion of the tips while it turns [m]. */
function follow(scene: SceneInput): {
  resting: number;
  swing: number;
  impulses: ImpulseMeter;
  meter: OverlapMeter;
} {
  const world = worldOf(scene);
  const rate = Math.round(1 / (scene.time?.step as number));
  let resting = 1;
  const impulses = createImpulseMeter(world, 1 / rate);
  const swing: number[] = [];
  const rest: number[][] = [];
  const meter = createOverlapMeter(world);
  for (let k = 1; k <= Math.round((200 / 96) * rate); k++) {
    world.step();
    const t = (96 * k) / rate;
    impulses.look(t > 72 && t <= 96);
    let least = 1;
    world.samples.forEach(({ nodePosition: x }, r) => {
      for (let i = 0; i < x.length; i += 3) {
        const y = Math.max(-0.18, Math.min(0.18, x[i + 1]));
        least = Math.min(least, hypot(x[i], x[i + 1], x[i + 2]) - HEAD - RADIUS);
        least = Math.min(least, hypot(x[i], x[i + 1] - y, x[i + 2] + 0.24) - 0.07 - RADIUS);
      }
      const tip = [...x.slice(-3)];
      if (t === 96) rest[r] = tip;
      if (t > 96) swing[r] = Math.max(swing[r] ?? 0, hypotOf(tip.map((v, i) => v - rest[r][i])));
    });
    if (t > 60 && t < 96) resting = Math.min(resting, least);
    meter.look();
  }
  return { resting, swing: swing.reduce((a, b) => a + b, 0) / swing.length, impulses, meter };
}

interface ImpulseMeter {
  /** After a step: sums the impulses if it is within the window. */
  look(counts: boolean): void;
  /** Largest friction over its limit μN so far. */
  readonly cone: number;
  /** Momentum that no force accounts for, over the impulse of the weight in the window. */
  readonly imbalance: number;
}

/** Newton's law for all strands together: contacts, roots, weight and damping must explain the change of momentum. */
function createImpulseMeter(world: ReturnType<typeof worldOf>, step: number): ImpulseMeter {
  const unexplained = [0, 0, 0];
  let weight = 0;
  let cone = 0;
  let last = [...world.momentum().linear];
  return {
    get cone() {
      return cone;
    },
    get imbalance() {
      return hypotOf(unexplained) / weight;
    },
    look(counts) {
      const forces = world.contactForces().filter(({ kind }) => kind === 'collider');
      for (const { force, normal } of forces) {
        const pressure = force.reduce((total, x, k) => total + x * normal[k], 0);
        const friction = hypotOf(force.map((x, k) => x - pressure * normal[k]));
        cone = Math.max(cone, friction / (FRICTION * pressure));
      }
      const { linear, mass } = world.momentum();
      const momentum = [...linear];
      if (counts) {
        for (let k = 0; k < 3; k++) unexplained[k] += momentum[k] - last[k] + step * DRAG * momentum[k];
        unexplained[2] += step * mass * GRAVITY;
        for (const { force } of [...forces, ...world.reactions()])
          for (let k = 0; k < 3; k++) unexplained[k] -= step * force[k];
        weight += step * mass * GRAVITY;
      }
      last = momentum;
    },
  };
}

const GENTLE = 0.01;

/** How far tips lag behind a head that turns by a hundredth of a radian in half a second, with nothing in the way [m]. */
function gentleLag(timeScale: number): number {
  const { colliders: _, ...scene } = longHair(2, 14, timeScale);
  const angleAt = (t: number): number => {
    const u = Math.min(1, 2 * t);
    return GENTLE * u * u * u * (10 - 15 * u + 6 * u * u);
  };
  // damping by mass opposes true velocities, also of a base that is not felt
  const rods = strands(2, 14, { stiffness: 0.02 });
  const pins = rods.map(({ id, shape: { from } }) => ({
    rod: id,
    at: 'start' as const,
    path: { keys: Array.from({ length: 41 }, (_, k) => turnedKey(from, 0.05 * k, angleAt(0.05 * k))) },
  }));
  const world = worldOf({ ...scene, rods, pins });
  world.equilibrate();
  const rest = world.samples.map(({ nodePosition }) => [...nodePosition.slice(-3)]);
  let lag = 0;
  for (let k = 1; k <= 96; k++) {
    world.step();
    const angle = angleAt(world.time);
    world.samples.forEach(({ nodePosition }, r) => {
      const [x, y, z] = nodePosition.slice(-3);
      const [a, b, c] = rest[r];
      lag = Math.max(lag, hypot(cos(angle) * x + sin(angle) * y - a, cos(angle) * y - sin(angle) * x - b, z - c));
    });
  }
  return lag;
}

export const longHairCase: Case = defineCase({
  id: 'long-hair',
  topics: ['hair', 'contact'],
  title: 'Long hair: collisions with friction, and time scale',
  claim:
    "Hair falls on a head and on shoulders, rests there with Coulomb friction and does not penetrate them. The time scale sets the fraction of the head's acceleration that acts on the hair.",
  group: 'hadap2006',
  source: 'figure 9 and section 6.4 of Hadap 2006',
  models: ['strand', 'der'],
  papers: [
    {
      paper: 'hadap2006',
      figure: 'Fig. 9',
      claim:
        'Long hair collides with the body with friction, follows the accelerations of the head, and its time scale can be changed.',
      panels: {
        aspect: 1,
        moments: [
          { time: 0.6, caption: 'Falling.' },
          { time: 1.5, caption: 'The head turns.' },
          { time: 2.5, caption: 'On the shoulders.' },
        ],
      },
    },
  ],
  quick: [5],
  full: [5, 15],
  controls: [
    {
      path: ['solver', 'strand', 'direct', 0, 'timeScale'],
      label: 'Part of the head’s acceleration that acts on the hair',
      low: 0.1,
      high: 2,
    },
    { path: ['colliders', 0, 'friction'], label: 'Friction on the head', symbol: 'µ', low: 0, high: 1 },
    gravity({ high: 30 }),
  ],
  scene: () => onPerson(longHair(190, 22, 1)),
  measure(n, model: ModelId) {
    const whole = follow(model === 'der' ? longHairOfRods(n, 14) : longHair(n, 14, 1));
    const calm = model === 'der' ? undefined : follow(longHair(n, 14, 0.2));
    return {
      'penetration of head and shoulders / radius': Math.max(whole.meter.obstacles, calm?.meter.obstacles ?? 0),
      'deepest, once the hair lies [m]': Math.max(0, -whole.resting),
      'friction over its limit': whole.impulses.cone,
      'momentum that no force explains, over that of the weight': whole.impulses.imbalance,
      ...(calm && {
        'swing of the tips, time scale 1 [m]': whole.swing,
        'swing of the tips, time scale 0.2 [m]': calm.swing,
        'gentle turn: lag of the tips at time scale 0.2 over that at 1': gentleLag(0.2) / gentleLag(1),
      }),
      'deepest that two wisps went into each other / radius': whole.meter.rods,
    };
  },
  expect: {
    // the solver repeats a step that ends with more: docs/contact.md, Overlap
    'penetration of head and shoulders / radius': { atMost: OVERLAP },
    'deepest, once the hair lies [m]': { atMost: 1e-5 },
    // Coulomb's cone, to rounding
    'friction over its limit': { atMost: 1 + 1e-9 },
    // forces at the end of each step stand for the step: half a step of 24, or of 120, of forces that change by less than half
    'momentum that no force explains, over that of the weight': {
      atMost: (_, model) => (model === 'der' ? 0.002 : 0.01),
    },
    'swing of the tips, time scale 0.2 [m]': { lessThan: 'swing of the tips, time scale 1 [m]', models: ['strand'] },
    // linear but for terms of the turn's size, a hundredth
    'gentle turn: lag of the tips at time scale 0.2 over that at 1': {
      value: 0.2,
      tolerance: GENTLE,
      models: ['strand'],
    },
    'deepest that two wisps went into each other / radius': { atMost: OVERLAP, models: ['der'] },
  },
});
