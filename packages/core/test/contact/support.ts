/** Things that the contact tests share. */

import type { RodRules } from '../../src/contact/detect/finderData.ts';
import { WARM_START_STRIDE } from '../../src/contact/warmStart.ts';
import type { ContactSides } from '../../src/port.ts';
import type { RodSpec, Vec3 } from '../../src/scene/types.ts';
import type { World } from '../../src/world/world.ts';

export const g = 9.81;
export const r = 0.002;
const rubber = { section: { type: 'circle', radius: r }, material: { E: 1e7, nu: 0.5, density: 1000 } } as const;
export const straight = (id: string, from: Vec3, to: Vec3, edges: number): RodSpec => ({
  id,
  shape: { type: 'straight', from, to },
  edges,
  ...rubber,
});
/** What rods meet, without friction: obstacles, and each other if told so. */
export const smooth = (own: Partial<RodRules> = {}): RodRules => ({
  pairs: false,
  self: true,
  staticFriction: 0,
  dynamicFriction: 0,
  radius: 0,
  reach: 0,
  pinned: [],
  partlyPinned: [],
  welded: [],
  linked: [],
  ...own,
});

/** Sides that nothing pushes, by default at the starts of their rods. */
export const sidesOf = (
  list: readonly { rod: number; edge?: number; weight?: number; arm?: readonly number[] }[],
): ContactSides => ({
  count: list.length,
  rod: Int32Array.from(list, ({ rod }) => rod),
  edge: Int32Array.from(list, ({ edge = 0 }) => edge),
  weight: Float64Array.from(list, ({ weight = 0 }) => weight),
  arm: Float64Array.from(list.flatMap(({ arm = [0, 0, 0] }) => [...arm])),
  force: new Float64Array(3 * list.length),
  mass: new Float64Array(list.length),
});

/** A bent rod and a ring that are soft. */
const soft = { section: { type: 'circle', radius: 0.002 }, material: { E: 1e6, nu: 0.4, density: 1000 } } as const;
export const bent: RodSpec = {
  id: 'rod',
  shape: { type: 'arc', from: [0, 0, 0], tangent: [1, 0, 0], normal: [0, 0, 1], radius: 0.1, angle: 1.5 },
  edges: 8,
  ...soft,
};
export const ring: RodSpec = { id: 'rod', shape: { type: 'ring', radius: 0.05 }, edges: 10, ...soft };

export const run = (world: World, steps: number): void => {
  for (let k = 0; k < steps; k++) world.step();
};
export const sumOf = (world: World, axis: number): number =>
  world.contactForces().reduce((sum, c) => sum + c.force[axis], 0);
export const weightOf = (world: World): number => g * world.momentum().mass;

/** The gaps that the last step was solved with, as the state has them; of scenes without links. */
export function solvedGaps(world: World): number[] {
  const { contact } = world.save();
  if (!contact) return [];
  return Array.from(
    { length: Math.floor(contact.length / WARM_START_STRIDE) },
    (_, m) => contact[WARM_START_STRIDE * m + 12],
  );
}

/** Numbers from 0 to 1 that are the same in every run. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

type Point = [number, number, number];

/** A sphere of triangles, counter-clockwise seen from outside. */
export function icosphere(divisions: number, radius: number): { vertices: Point[]; faces: [number, number, number][] } {
  const g = 0.5 * (1 + Math.sqrt(5));
  const vertices: Point[] = [
    [-1, g, 0],
    [1, g, 0],
    [-1, -g, 0],
    [1, -g, 0],
    [0, -1, g],
    [0, 1, g],
    [0, -1, -g],
    [0, 1, -g],
    [g, 0, -1],
    [g, 0, 1],
    [-g, 0, -1],
    [-g, 0, 1],
  ];
  const index =
    '0 11 5 0 5 1 0 1 7 0 7 10 0 10 11 1 5 9 5 11 4 11 10 2 10 7 6 7 1 8 3 9 4 3 4 2 3 2 6 3 6 8 3 8 9 4 9 5 2 4 11 6 2 10 8 6 7 9 8 1'
      .split(' ')
      .map(Number);
  let faces: [number, number, number][] = [];
  for (let i = 0; i < index.length; i += 3) faces.push([index[i], index[i + 1], index[i + 2]]);
  const normalize = (p: Point): Point => {
    const s = radius / Math.hypot(...p);
    return [s * p[0], s * p[1], s * p[2]];
  };
  for (let k = 0; k < vertices.length; k++) vertices[k] = normalize(vertices[k]);
  for (let level = 0; level < divisions; level++) {
    const middle = new Map<string, number>();
    const between = (a: number, b: number): number => {
      const key = a < b ? `${a} ${b}` : `${b} ${a}`;
      const known = middle.get(key);
      if (known !== undefined) return known;
      const [p, q] = [vertices[a], vertices[b]];
      const made = vertices.push(normalize([p[0] + q[0], p[1] + q[1], p[2] + q[2]])) - 1;
      middle.set(key, made);
      return made;
    };
    faces = faces.flatMap(([a, b, c]): [number, number, number][] => {
      const [ab, bc, ca] = [between(a, b), between(b, c), between(c, a)];
      return [
        [a, ab, ca],
        [b, bc, ab],
        [c, ca, bc],
        [ab, bc, ca],
      ];
    });
  }
  return { vertices, faces };
}
