import { cos, hypot, hypotOf, sin } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, equilibrium, worldOf } from '../src/case.ts';
import { gravity } from '../src/controls.ts';

type Vector = [number, number, number];
const ANGLE = 1.1;
const SHIFT: Vector = [0.3, -0.7, 1.9];
const AXIS: Vector = [2 / 3, -1 / 3, 2 / 3];

/** Rotation by ANGLE about AXIS. */
function turn(v: Vector): Vector {
  const c = cos(ANGLE);
  const s = sin(ANGLE);
  const dot = AXIS[0] * v[0] + AXIS[1] * v[1] + AXIS[2] * v[2];
  const cross: Vector = [
    AXIS[1] * v[2] - AXIS[2] * v[1],
    AXIS[2] * v[0] - AXIS[0] * v[2],
    AXIS[0] * v[1] - AXIS[1] * v[0],
  ];
  return [0, 1, 2].map((k) => c * v[k] + s * cross[k] + (1 - c) * dot * AXIS[k]) as Vector;
}
const place = (v: Vector): Vector => turn(v).map((x, k) => x + SHIFT[k]) as Vector;
const same = (v: Vector): Vector => v;

/** An anisotropic, naturally curved and twisted strip between two clamps, under gravity and a load. */
function scene(
  edges: number,
  point: (v: Vector) => Vector,
  direction: (v: Vector) => Vector,
  reversed: boolean,
): SceneInput {
  const points: Vector[] = Array.from({ length: edges + 1 }, (_, i) => {
    const u = i / edges;
    return [u, 0.3 * sin(2 * u), 0.2 * u * u];
  });
  const list = reversed ? points.reverse() : points;
  const first: Vector = [0, 1, 2].map((k) => list[1][k] - list[0][k]) as Vector;
  // reversed, the tangent changes its sign and so does d2 or d1: d1 is kept, and u1 keeps its sign, u2 and u3 … see below
  const d1: Vector = [0.1, -0.2, 1];
  const start = reversed ? transportBack(points, d1) : d1;
  const along =
    (start[0] * first[0] + start[1] * first[1] + start[2] * first[2]) /
    (first[0] * first[0] + first[1] * first[1] + first[2] * first[2]);
  const normal = start.map((x, k) => x - along * first[k]) as Vector;
  // d1 → d1, d2 → −d2, t → −t and s → L − s: u1 → −u1, u2 → u2, u3 → u3 of the reversed rod
  const sign = reversed ? -1 : 1;
  return {
    tendril: 1,
    title: 'Strip between two clamps',
    gravity: direction([0, 0, -9.81]),
    rods: [
      {
        id: 'strip',
        shape: { type: 'points', points: list.map(point) },
        frame: { d1: direction(normal) },
        natural: { curvature: [0.7 * sign, 0.9, 1.2] },
        section: { type: 'stiffness', EA: 1e5, EI1: 0.5, EI2: 0.2, GJ: 0.3, mass: 0.4, radius: 0.02 },
      },
    ],
    pins: [
      { rod: 'strip', at: 'start' },
      { rod: 'strip', at: 'end' },
    ],
    loads: [{ type: 'force', rod: 'strip', at: { u: 0.5 }, force: direction([0.5, 1, 0.2]) }],
    time: { duration: 0.1, step: 0.002 },
  };
}

/** d1 at the other end of the polyline, carried there without twist (the reversed list starts at the old end). */
function transportBack(reversed: Vector[], d1: Vector): Vector {
  const forward = [...reversed].reverse();
  const tangent = (i: number): Vector => {
    const e = [0, 1, 2].map((k) => forward[i + 1][k] - forward[i][k]) as Vector;
    const l = hypotOf(e);
    return e.map((x) => x / l) as Vector;
  };
  const t0 = tangent(0);
  const along = d1[0] * t0[0] + d1[1] * t0[1] + d1[2] * t0[2];
  let d = d1.map((x, k) => x - along * t0[k]) as Vector;
  for (let i = 1; i < forward.length - 1; i++) {
    const s = tangent(i - 1);
    const t = tangent(i);
    const b: Vector = [s[1] * t[2] - s[2] * t[1], s[2] * t[0] - s[0] * t[2], s[0] * t[1] - s[1] * t[0]];
    const c = s[0] * t[0] + s[1] * t[1] + s[2] * t[2];
    const x: Vector = [b[1] * d[2] - b[2] * d[1], b[2] * d[0] - b[0] * d[2], b[0] * d[1] - b[1] * d[0]];
    const y: Vector = [b[1] * x[2] - b[2] * x[1], b[2] * x[0] - b[0] * x[2], b[0] * x[1] - b[1] * x[0]];
    d = d.map((v, k) => v + x[k] + y[k] / (1 + c)) as Vector;
  }
  return d;
}

function solve(input: SceneInput): { positions: Float64Array; energy: number; moving: Float64Array } {
  const world = worldOf(input);
  for (let k = 0; k < 20; k++) world.step();
  const moving = world.samples[0].nodePosition.slice();
  equilibrium(world);
  const { bending, twisting, stretching } = world.energies();
  return { positions: world.samples[0].nodePosition.slice(), energy: bending + twisting + stretching, moving };
}

export const invariants: Case = defineCase({
  id: 'invariants',
  topics: ['theory'],
  title: 'Turned, moved and reversed rods give the same answer',
  claim: 'Where a rod is, how it is turned and which end is called its start changes nothing.',
  group: 'laws',
  source: 'rigid motions and the choice of a direction along the rod change nothing',
  models: ['der'],
  quick: [16],
  full: [16, 64],
  controls: [
    { path: ['loads', 0, 'force', 1], label: 'Load', symbol: 'F', unit: 'N', low: -5, high: 5 },
    {
      path: ['rods', 0, 'natural', 'curvature', 1],
      label: 'Natural curvature',
      symbol: 'κ₂',
      unit: '1/m',
      low: 0,
      high: 5,
    },
    gravity({ high: 30 }),
  ],
  scene: () => scene(40, same, same, false),
  measure(n) {
    const original = solve(scene(n, same, same, false));
    const moved = solve(scene(n, place, turn, false));
    const reversed = solve(scene(n, same, same, true));
    const out = { moved: 0, movedDynamics: 0, reversed: 0, reversedDynamics: 0, travelled: 0 };
    for (let i = 0; i <= n; i++) {
      const here = (x: Float64Array, k: number): Vector => [x[3 * k], x[3 * k + 1], x[3 * k + 2]];
      const gap = (a: Vector, b: Vector): number => hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
      out.moved = Math.max(out.moved, gap(place(here(original.positions, i)), here(moved.positions, i)));
      out.movedDynamics = Math.max(out.movedDynamics, gap(place(here(original.moving, i)), here(moved.moving, i)));
      out.reversed = Math.max(out.reversed, gap(here(original.positions, i), here(reversed.positions, n - i)));
      out.reversedDynamics = Math.max(
        out.reversedDynamics,
        gap(here(original.moving, i), here(reversed.moving, n - i)),
      );
      out.travelled = Math.max(out.travelled, gap(here(original.positions, i), here(original.moving, i)));
    }
    return {
      'rigid motion, equilibrium': out.moved,
      'rigid motion, dynamics': out.movedDynamics,
      'reversal, equilibrium': out.reversed,
      'reversal, dynamics': out.reversedDynamics,
      'reversal, elastic energy': reversed.energy / original.energy,
      'rigid motion, elastic energy': moved.energy / original.energy,
    };
  },
  expect: {
    'rigid motion, equilibrium': { value: 0, tolerance: 1e-9 },
    'rigid motion, dynamics': { value: 0, tolerance: 1e-9 },
    'reversal, equilibrium': { value: 0, tolerance: 1e-9 },
    'reversal, dynamics': { value: 0, tolerance: 1e-9 },
    'reversal, elastic energy': { value: 1, tolerance: 1e-9 },
    'rigid motion, elastic energy': { value: 1, tolerance: 1e-9 },
  },
});
