import type { ModelId } from '@tendril-sim/core';
import { cos, hypot, hypotOf, sin } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, onModel, worldOf } from '../src/case.ts';
import { createOverlapMeter, type OverlapMeter } from '../src/overlap.ts';

type Vector = [number, number, number];
const HEAD = 0.09;
const RADIUS = 0.0015;

/** Roots over the scalp, evenly by the golden angle; each strand starts straight out. */
function strands(
  count: number,
  edges: number,
): (SceneInput['rods'][number] & { readonly shape: { readonly from: Vector } })[] {
  return Array.from({ length: count }, (_, k) => {
    const z = 0.95 - (0.75 * (k + 0.5)) / count;
    const r = Math.sqrt(1 - z * z);
    const a = 2.399963 * k;
    const n: Vector = [r * cos(a), r * sin(a), z];
    const from = n.map((x) => x * (HEAD + 2 * RADIUS)) as Vector;
    const to = n.map((x) => x * (HEAD + 2 * RADIUS + 0.28)) as Vector;
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
        mass: 2e-3,
        inertia: 2e-9,
        radius: RADIUS,
        damping: { mass: 1.5, stiffness: 0.02 },
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
    const [x, y] = [cos(angle) * from[0] - sin(angle) * from[1], sin(angle) * from[0] + cos(angle) * from[1]];
    return { time, offset: [x - from[0], y - from[1], 0] as Vector, rotation: [0, 0, angle] as Vector };
  });
  return { keys };
}

export function longHair(count: number, edges: number, friction: number, timeScale: number): SceneInput {
  const rods = strands(count, edges);
  return {
    tendril: 1,
    title: 'Long hair on a head that turns',
    gravity: [0, 0, -9.81],
    rods,
    pins: rods.map(({ id, shape }) => ({
      rod: id,
      at: 'start' as const,
      path: rootPath(shape.from),
    })),
    colliders: [
      { id: 'head', type: 'sphere', radius: HEAD, friction, path: { keys: rootPath([0, 0, 0]).keys } },
      { id: 'shoulders', type: 'capsule', from: [0, -0.18, -0.24], to: [0, 0.18, -0.24], radius: 0.07, friction },
    ],
    time: { duration: 2.5, step: 1 / 96 },
    solver: { strand: { direct: [{ timeScale }] } },
    output: { every: 1 / 24 },
  };
}

/** The same by discrete elastic rods, whose wisps meet each other as well. */
export function longHairOfRods(count: number, edges: number, friction: number): SceneInput {
  const { solver: _, ...scene } = longHair(count, edges, friction, 1);
  return onModel({ ...scene, contact: { friction: 0.2 }, time: { duration: 2.5, step: 1 / 480 } }, 'der');
}

/** Least distance of a node from the head and the shoulders once the hair lies, less the radius [m]; excursion of the tips while it turns [m]. */
function follow(scene: SceneInput): { resting: number; swing: number; touching: number; meter: OverlapMeter } {
  const world = worldOf(scene);
  const rate = Math.round(1 / (scene.time?.step as number));
  let resting = 1;
  let touching = 0;
  const swing: number[] = [];
  const rest: number[][] = [];
  const meter = createOverlapMeter(world);
  for (let k = 1; k <= Math.round((200 / 96) * rate); k++) {
    world.step();
    const t = (96 * k) / rate;
    touching = Math.max(touching, world.contactForces().length);
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
  return { resting, swing: swing.reduce((a, b) => a + b, 0) / swing.length, touching, meter };
}

export const longHairCase: Case = defineCase({
  id: 'long-hair',
  title: 'Long hair: collisions with friction, and time scale',
  group: 'hadap2006',
  source: 'figure 9 and section 6.4 of Hadap 2006',
  models: ['strand', 'der'],
  papers: [
    {
      paper: 'hadap2006',
      figure: 'Fig. 9',
      claim:
        'Long hair collides with the body with friction, follows the accelerations of the head, and its time scale can be changed.',
    },
  ],
  quick: [5],
  full: [5, 15],
  scene: () => longHair(190, 22, 0.3, 1),
  measure(n, model: ModelId) {
    const whole = follow(model === 'der' ? longHairOfRods(n, 14, 0.3) : longHair(n, 14, 0.3, 1));
    const calm = model === 'der' ? undefined : follow(longHair(n, 14, 0.3, 0.2));
    return {
      'penetration of head and shoulders / radius': Math.max(whole.meter.obstacles, calm?.meter.obstacles ?? 0),
      'deepest, once the hair lies [m]': Math.max(0, -whole.resting),
      'contacts at once, a strand': whole.touching / n,
      ...(calm && { 'time scale 0.2: swing of the tips over that at 1': calm.swing / whole.swing }),
      'deepest that two wisps went into each other / radius': whole.meter.rods,
    };
  },
  expect: {
    // tips whip by a radian a step there
    'penetration of head and shoulders / radius': { atMost: 0.05 },
    'deepest, once the hair lies [m]': { atMost: 1e-5 },
    // on the head and on a shoulder, of 14 edges
    'contacts at once, a strand': { from: 2, to: 4 },
    // between tips that follow their roots in slow motion and in full
    'time scale 0.2: swing of the tips over that at 1': { from: 0.35, to: 0.6, models: ['strand'] },
    // while the head turns, where wisps cross and slide at a metre a second
    'deepest that two wisps went into each other / radius': { atMost: 0.05, models: ['der'] },
  },
});
