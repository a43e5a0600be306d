import { hypotOf, pow } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, worldOf } from '../src/case.ts';
import { fastest } from '../src/contact.ts';
import { inEveryRod } from '../src/controls.ts';
import { linkingNumber, twistBetween } from '../src/linking.ts';
import { createOverlapMeter } from '../src/overlap.ts';

const R = 0.002;
const E = 1e6;
const EI = (E * Math.PI * pow(R, 4)) / 4;
const PULL = 0.1;

/** An open trefoil, as a curve of the fifth degree, whose ends are pulled apart. */
function scene(edges: number, duration: number): SceneInput {
  const u = '((u - 0.5)*4.4)';
  const ends = [
    ['start', -1],
    ['end', 1],
  ] as const;
  return {
    tendril: 1,
    title: 'A trefoil knot is pulled tight',
    rods: [
      {
        id: 'rope',
        shape: {
          type: 'formula',
          x: `0.016*(${u}^3 - 3*${u})`,
          y: `0.0096*(${u}^4 - 4*${u}^2)`,
          z: `0.0024*(${u}^5 - 10*${u})`,
        },
        natural: 'straight',
        edges,
        section: { type: 'circle', radius: R },
        material: { E, nu: 0.45, density: 1000, damping: { mass: 10 } },
      },
    ],
    pins: ends.map(([at, side]) => ({
      rod: 'rope',
      at,
      hold: 'position' as const,
      path: {
        interpolation: 'linear' as const,
        keys: [{ time: 0 }, { time: duration, offset: [side * PULL * duration, 0, 0] as [number, number, number] }],
      },
    })),
    contact: {},
    time: { duration, step: 1 / 240 },
    output: { every: 0.02 },
  };
}

type Vector = [number, number, number];

/** The same knot with straight tails along x, 12 cm from its middle. */
function looseKnot(): Vector[] {
  const knot = (u: number): Vector => [
    0.016 * (pow(u, 3) - 3 * u),
    0.0096 * (pow(u, 4) - 4 * u * u),
    0.0024 * (pow(u, 5) - 10 * u),
  ];
  const slope = (u: number): Vector => [
    0.016 * (3 * u * u - 3),
    0.0096 * (4 * pow(u, 3) - 8 * u),
    0.0024 * (5 * pow(u, 4) - 10),
  ];
  const tail = (side: number): Vector[] => {
    const from = knot(1.9 * side);
    const leaving = slope(1.9 * side);
    const scale = (side * 0.06) / hypotOf(leaving);
    const at = (s: number, k: number): number =>
      (2 * pow(s, 3) - 3 * s * s + 1) * from[k] +
      (pow(s, 3) - 2 * s * s + s) * scale * leaving[k] +
      (k > 0 ? 0 : (3 * s * s - 2 * pow(s, 3)) * side * 0.12 + (pow(s, 3) - s * s) * side * 0.06);
    return Array.from({ length: 30 }, (_, i): Vector => {
      const s = (i + 1) / 30;
      return [at(s, 0), at(s, 1), at(s, 2)];
    });
  };
  return [...tail(-1).reverse(), ...Array.from({ length: 61 }, (_, i) => knot(-1.9 + (3.8 * i) / 60)), ...tail(1)];
}

const READY = 0.4;
const RATE = 3;

/** Both ends clamped, brought to 20 cm from each other; then one is turned, three times a second. */
function twisting(edges: number, turns: number): SceneInput {
  const duration = READY + Math.abs(turns) / RATE;
  const clamp = (at: 'start' | 'end', side: number, twist: string) => {
    const offset: Vector = [-0.02 * side, 0, 0];
    return {
      rod: 'rope',
      at,
      tangent: [1, 0, 0] as Vector,
      path: {
        interpolation: 'linear' as const,
        keys: [{ time: 0 }, { time: 0.25, offset }, { time: READY, offset }, { time: duration, offset, twist }],
      },
    };
  };
  return {
    tendril: 1,
    title: 'A trefoil knot jumps under twist',
    rods: [
      {
        id: 'rope',
        shape: { type: 'points', points: looseKnot() },
        natural: 'straight',
        edges,
        section: { type: 'circle', radius: R },
        material: { E: 1e8, nu: 0.45, density: 1000, damping: { mass: 20 } },
      },
    ],
    pins: [clamp('start', -1, '0 turns'), clamp('end', 1, `${turns} turns`)],
    contact: {},
    time: { duration, step: 1 / 240 },
    output: { every: 0.02 },
  };
}

/** Two knots behind each other: the first is twisted one way, the second the other, each until it has jumped. */
function bothWays(edges: number): SceneInput {
  const [one, other] = [twisting(edges, 3.1), twisting(edges, -4.4)];
  const behind = looseKnot().map(([x, y, z]): Vector => [x, y, z - 0.09]);
  return {
    ...other,
    rods: [
      { ...one.rods[0], id: 'one way' },
      { ...other.rods[0], id: 'the other way', shape: { type: 'points', points: behind } },
    ],
    pins: [
      ...(one.pins ?? []).map((pin) => ({ ...pin, rod: 'one way' })),
      ...(other.pins ?? []).map((pin) => ({ ...pin, rod: 'the other way' })),
    ],
  };
}

/** The first jump while the knot is twisted: at which turn, by how much its writhe changes, and how much faster than before. */
function findJump(
  n: number,
  turns: number,
): { at: number; writhe: number; speed: number; link: number; depth: number } {
  const world = worldOf(twisting(n, turns));
  const meter = createOverlapMeter(world);
  const steps = Math.round(240 * (READY + Math.abs(turns) / RATE));
  const first = linkingNumber(world);
  const seen: { turn: number; writhe: number }[] = [];
  let [calm, most, link] = [0, 0, 0];
  for (let k = 1; k <= steps; k++) {
    world.step();
    meter.look();
    const turn = Math.sign(turns) * RATE * Math.max(0, world.time - READY);
    if (turn === 0) continue;
    const speed = fastest(world);
    most = Math.max(most, speed);
    if (Math.abs(turn) > 0.5 && Math.abs(turn) < 1.5) calm = Math.max(calm, speed);
    if (k % 4 > 0) continue;
    const linked = linkingNumber(world);
    link = Math.max(link, Math.abs(linked - first - turn));
    seen.push({ turn, writhe: linked - twistBetween(world, 0, n) / (2 * Math.PI) });
  }
  // within a fifth of a turn
  const jump = seen.findIndex(({ writhe }, i) => i >= 4 && Math.abs(writhe - seen[i - 4].writhe) > 0.3) - 4;
  const before = seen[Math.max(0, jump)];
  return {
    at: before.turn,
    writhe: seen[seen.length - 1].writhe - before.writhe,
    speed: most / calm,
    link,
    depth: meter.deepest,
  };
}

export const trefoilKnot: Case = defineCase({
  id: 'trefoil-knot',
  topics: ['knots', 'contact'],
  finish: 'rope',
  title: 'A trefoil knot pulled tight, and twisted until it jumps',
  claim:
    'A knot whose ends are pulled apart tightens and does not pass through itself, at steps of 1/240 s. While it is loose, its loop is a circle, and the tension of the ends is T = EI/(2R²). Clamped and twisted, its shape changes smoothly at first and jumps at a critical twist, into a different shape for each direction.',
  group: 'bergou2008',
  colorBy: 'twist',
  source:
    'Bergou et al. 2008, Fig. 1 and §9.2; loose knot without friction: T = EI/(2R²), Audoly, Clauvelin, Neukirch 2007; Călugăreanu',
  models: ['der'],
  papers: [
    {
      paper: 'bergou2008',
      figure: 'Fig. 1',
      claim:
        'A trefoil knot with clamped ends takes the shape of a loop and two tails. Under twist it first changes smoothly and then jumps, in both directions of twist and to different shapes.',
      remark:
        'The turns at which it jumps are our own numbers, since the paper shows pictures. Theory gives the tension of the loose knot; twist plus writhe has to equal the turns of the clamp.',
      panels: {
        aspect: 1.3,
        look: { azimuth: 168, elevation: 10, zoom: 1.1, material: ['rubber'] },
        moments: [
          { time: READY, caption: 'Without twist: a loop and two tails, two such knots above each other.' },
          {
            time: 1.2,
            caption: 'Turned by 2.4 turns one way (above) and the other way (below): both change smoothly.',
          },
          { time: 1.86, caption: 'After the jumps, turned by 3.1 turns and by −4.4: two different shapes.' },
        ],
      },
      timed: { row: 'Fig. 1', scene: () => twisting(59, 3.1), from: READY },
    },
  ],
  quick: [100],
  full: [100, 160],
  controls: [
    {
      path: ['pins', 1, 'path', 'keys', 3, 'twist'],
      label: 'Turn of the first knot',
      symbol: 'Θ',
      unit: 'rad',
      low: 0,
      high: 30,
    },
    {
      path: ['pins', 3, 'path', 'keys', 3, 'twist'],
      label: 'Turn of the second, the other way',
      symbol: 'Θ',
      unit: 'rad',
      low: 0,
      high: 40,
      factor: -1,
    },
    { ...inEveryRod(2, ['section', 'radius']), label: 'Radius', symbol: 'r', unit: 'm', low: 1e-3, high: 3e-3 },
  ],
  scene: () => bothWays(100),
  measure(n) {
    const duration = 1.1;
    const world = worldOf(scene(n, duration));
    const steps = Math.round(240 * duration);
    const meter = createOverlapMeter(world);
    let [sum, count] = [0, 0];
    for (let k = 0; k < steps; k++) {
      world.step();
      meter.look();
      // from when the ends are taut to when the loop is five radii wide
      if (world.time < 0.4 || world.time > 0.9) continue;
      const sharpest = Math.max(...world.channel(0, 'curvature'));
      sum += world.channel(0, 'tension')[0] / (EI * (sharpest * sharpest));
      count++;
    }
    const [one, other] = [findJump(n, 3.1), findJump(n, -4.4)];
    return {
      'T R²/EI of the loop': sum / count,
      'loop at the end: radius / rope radius': 1 / (R * Math.max(...world.channel(0, 'curvature'))),
      'twisted one way: jumps after [turns]': one.at,
      'twisted one way: writhe gained': one.writhe,
      'twisted the other way: jumps after [turns]': other.at,
      'twisted the other way: writhe gained': other.writhe,
      'speed before the jump / in it': Math.max(1 / one.speed, 1 / other.speed),
      'linking number: largest error': Math.max(one.link, other.link),
      'penetration / radius': Math.max(meter.deepest, one.depth, other.depth),
    };
  },
  expect: {
    'T R²/EI of the loop': { value: 0.5, tolerance: 0.15 },
    // a rope that had passed through itself would be straight by now
    'loop at the end: radius / rope radius': { value: 2.8, tolerance: 0.2 },
    // of 140 and 160 edges, to two readings, which are a twentieth of a turn apart: the paper shows pictures
    'twisted one way: jumps after [turns]': { value: 2.6, tolerance: 0.04 },
    // the braid takes up one more turn, and the fold of the loop undoes two crossings; curves in space have no whole writhe
    'twisted one way: writhe gained': { value: 1, scale: 1, tolerance: 0.5 },
    'twisted the other way: jumps after [turns]': { value: -4.05, tolerance: 0.03 },
    'twisted the other way: writhe gained': { value: -2, scale: 1, tolerance: 0.5 },
    'speed before the jump / in it': { value: 0, tolerance: 0.05, scale: 1 },
    // passing through itself, or losing twist on the way, would change it by 2
    'linking number: largest error': { value: 0, tolerance: 1e-4, scale: 1 },
    'penetration / radius': { value: 0, tolerance: 0.05, scale: 1 },
  },
});
