/** Woven fabric of hair: scenes, and its stiffness as a sheet. */

import {
  analyzeSparse,
  createSparsePattern,
  factorSparse,
  type ModelId,
  solveSparse,
  type World,
} from '@tendril-sim/core';
import { cos, hypotOf, sin } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { worldOf } from './case.ts';

type Vector = [number, number, number];
type Weave = NonNullable<SceneInput['weaves']>[number];

/** Hair of 60 µm [Michels2015]. */
export const DIAMETER = 6e-5;
export const E = 3.58e9;
export const G = 1.07e9;
const DENSITY = 1107;
export const EA: number = (E * Math.PI * (DIAMETER * DIAMETER)) / 4;
export const EI: number = (EA * (DIAMETER * DIAMETER)) / 16;
export const MASS: number = (DENSITY * Math.PI * (DIAMETER * DIAMETER)) / 4;

/** Square cloth of n × n hairs, `p` apart. */
export function cloth(n: number, p: number, damping: number, change: Partial<Weave> = {}): Weave {
  return {
    id: 'cloth',
    warp: { count: n, spacing: p },
    section: { type: 'circle', radius: DIAMETER / 2 },
    material: { E, G, density: DENSITY, ...(damping > 0 && { damping: { mass: damping } }) },
    joints: { stiffness: 10, rotation: { about: 'normal', stiffness: (0.6 * EI) / p } },
    ...change,
  };
}

/** Zero modes of a free weave of 3 × 3: the frequencies that are nothing beside the first that is something. */
export function zeroModes(about: 'none' | 'normal' | 'all'): number {
  const p = 1e-3;
  const rotation = about === 'none' ? {} : { rotation: { about, stiffness: (600 * EI) / p } };
  const joints = { stiffness: (10 * EA) / p, ...rotation };
  const world = worldOf({ tendril: 1, rods: [], weaves: [cloth(3, p, 0, { joints })] });
  const omega = [...world.modes(20)[0].omega].map(Math.abs).sort((a, b) => a - b);
  return omega.filter((value) => value < 1e-4 * omega[19]).length;
}

/** What a hair crimped by half its thickness gives under a pull, over what it gives when straight. */
export function crimpFactor(edges: number, model: ModelId): number {
  const [p, h] = [1e-3, DIAMETER / 2];
  const force = 1e-6;
  // from crest to crest, where neither slope nor shear can be; the ends keep their direction
  const shape = { type: 'formula', x: `${2 * p}*u`, y: '0', z: `${h}*cos(2*pi*u)` } as const;
  const world = worldOf({
    tendril: 1,
    rods: [
      {
        id: 'hair',
        model,
        shape,
        edges,
        section: { type: 'circle', radius: DIAMETER / 2 },
        material: { E, G, density: DENSITY },
      },
    ],
    pins: [
      { rod: 'hair', at: 'start' },
      { rod: 'hair', at: 'end', hold: 'frame' },
    ],
    loads: [{ type: 'force', rod: 'hair', at: 'end', force: [force, 0, 0] }],
  });
  const before = world.samples[0].nodePosition[3 * edges];
  const [report] = world.equilibrate();
  if (!report.converged) return Number.NaN;
  return ((world.samples[0].nodePosition[3 * edges] - before) * EA) / (force * 2 * p);
}

export interface Sheet {
  readonly warp: number;
  readonly weft: number;
  readonly bias: number;
  readonly shear: number;
}

/** Moduli per width [N/m] of a patch of n × n from its matrices: tractions of a uniform stress at the last crossings. */
export function measureSheet(n: number, edges: number, change: Partial<Weave> = {}): Sheet {
  const p = 1e-3;
  const joints = { stiffness: (10 * EA) / p, rotation: { about: 'all', stiffness: (6000 * EI) / p } } as const;
  const world = worldOf({ tendril: 1, rods: [], weaves: [cloth(n, p, 0, { edges, joints, ...change })] });
  const [{ size, labels, stiffness }] = world.matrices();
  const pairs = Array.from(stiffness.row, (i, k): [number, number] => [i, stiffness.column[k]]);
  const pattern = createSparsePattern(size, pairs);
  const factor = analyzeSparse(pattern, pairs);
  const values = new Float64Array(pattern.slots);
  for (let k = 0; k < pairs.length; k++) values[pattern.slotOf(...pairs[k])] += stiffness.value[k];
  // nothing holds the patch: the loads are in balance, and a trace of stiffness everywhere settles where it stays
  for (let i = 0; i < size; i++) values[i] *= 1 + 1e-12;
  factorSparse(factor, values, 0);
  const unknown = new Map(labels.map((label, i) => [label, i]));
  const modulus = (warp: readonly [number, number], weft: readonly [number, number]): number => {
    const load = new Float64Array(size);
    for (let i = 0; i < n; i++) {
      for (const [edge, sign] of [
        [(edges - 1) / 2, -1],
        [(n - 1) * edges + (edges - 1) / 2, 1],
      ]) {
        for (const node of [edge, edge + 1]) {
          ['x', 'y'].forEach((axis, k) => {
            load[unknown.get(`rod 'cloth warp ${i}' node ${node} ${axis}`) ?? -1] += 0.5 * sign * warp[k];
            load[unknown.get(`rod 'cloth weft ${i}' node ${node} ${axis}`) ?? -1] += 0.5 * sign * weft[k];
          });
        }
      }
    }
    const x = load.slice();
    solveSparse(factor, x);
    const work = load.reduce((sum, f, i) => sum + f * x[i], 0);
    // a force of 1 a fiber is a stress of 1/p; twice the energy is area·stress²/modulus
    return (n * (n - 1)) / work;
  };
  return {
    warp: modulus([1, 0], [0, 0]),
    weft: modulus([0, 0], [0, 1]),
    shear: modulus([0, 1], [1, 0]),
    bias: modulus([0.5, 0.5], [0.5, 0.5]),
  };
}

/** A cloth of 20 cm falls on a ball of 6 cm from 2 mm above. */
export function drapeScene(n: number, damping: number, step: number, duration: number): SceneInput {
  return {
    tendril: 1,
    title: `A woven cloth falls on a ball, damping ${damping}/s`,
    gravity: [0, 0, -9.81],
    rods: [],
    weaves: [cloth(n, 0.2 / n, damping, { center: [0, 0, 0.062] })],
    colliders: [{ id: 'ball', type: 'sphere', radius: 0.06 }],
    time: { duration, step },
  };
}

/** A figure turned on a lathe, 16 cm high: foot, body, shoulders, neck, head. Radius and height in centimetres. */
const PROFILE: readonly (readonly [number, number])[] = [
  [3, 0],
  [3.2, 0.4],
  [3, 1.2],
  [2.6, 3],
  [2.9, 5.5],
  [3.6, 8],
  [3.9, 9.2],
  [3.5, 10.3],
  [2.3, 11],
  [1.8, 11.6],
  [1.9, 12.2],
  [2.6, 13],
  [2.9, 13.9],
  [2.7, 14.8],
  [1.9, 15.6],
  [0.9, 15.95],
];

/** Of the statue [m]. */
const IDOL_HEIGHT = 0.16;

export function idol(around: number): { vertices: Vector[]; faces: number[][] } {
  const vertices: Vector[] = [[0, 0, 0]];
  for (const [r, z] of PROFILE) {
    for (let k = 0; k < around; k++) {
      const a = (2 * Math.PI * k) / around;
      vertices.push([0.01 * r * cos(a), 0.01 * r * sin(a), 0.01 * z]);
    }
  }
  const top = vertices.push([0, 0, IDOL_HEIGHT]) - 1;
  const faces: number[][] = [];
  const at = (ring: number, k: number): number => 1 + ring * around + (k % around);
  for (let k = 0; k < around; k++) {
    faces.push([0, at(0, k + 1), at(0, k)]);
    for (let ring = 0; ring + 1 < PROFILE.length; ring++) {
      faces.push([at(ring, k), at(ring, k + 1), at(ring + 1, k + 1)]);
      faces.push([at(ring, k), at(ring + 1, k + 1), at(ring + 1, k)]);
    }
    faces.push([at(PROFILE.length - 1, k), at(PROFILE.length - 1, k + 1), top]);
  }
  return { vertices, faces };
}

/** Options of `idolScene`. */
export interface IdolOptions {
  /** Edges between crossings. Default 1: hair bends over centimetres, and crossings are millimetres apart. */
  readonly edges?: number;
  /** How far above the statue the cloth starts [m]. */
  readonly above?: number;
  /** Whether the fibers touch each other away from their joints, with friction 0.3. Default true. */
  readonly selfContact?: boolean;
}

/** The cloth of the paper's figures 9 and 10, over a figure of triangles, with friction. */
export function idolScene(
  n: number,
  damping: number,
  duration: number,
  { edges = 1, above = 3e-3, selfContact = true }: IdolOptions = {},
): SceneInput {
  return {
    tendril: 1,
    title: `A woven cloth is draped over a statue, damping ${damping}/s`,
    gravity: [0, 0, -9.81],
    rods: [],
    weaves: [cloth(n, 0.2 / n, damping, { center: [0, 0, IDOL_HEIGHT + above], edges })],
    colliders: [{ id: 'idol', type: 'mesh', friction: 0.3, ...idol(32) }],
    contact: { ...(selfContact ? { friction: 0.3 } : { between: 'none' as const }), tolerance: 1e-3 },
    time: { duration, step: 1 / 240 },
    output: { every: 1 / 60 },
  };
}

/** Pairs of edges that a joint holds together, where fibers may overlap. */
export function joinedEdges(world: World): (rod: number, edge: number, other: number, otherEdge: number) => boolean {
  const indexOf = new Map(world.rods.map(({ id }, r) => [id, r]));
  const joined = new Set<string>();
  for (const { rod, at, to } of world.scene.links ?? []) {
    if (!('rod' in to)) continue;
    const ends = [[rod, at] as const, [to.rod, to.at] as const].map(([id, place]) => {
      const r = indexOf.get(id) ?? -1;
      return `${r}:${Math.floor((place as { u: number }).u * world.rods[r].edgeCount)}`;
    });
    joined.add(ends.join(' ')).add(ends.reverse().join(' '));
  }
  return (rod, edge, other, otherEdge) => joined.has(`${rod}:${edge} ${other}:${otherEdge}`);
}

/** Largest distance of the two places that a joint holds together [m]. */
export function largestGap(world: World): number {
  const at = (id: string, u: number): number[] => {
    const r = world.rods.findIndex((rod) => rod.id === id);
    const e = Math.floor(u * world.rods[r].edgeCount);
    const x = world.samples[r].nodePosition;
    return [0, 1, 2].map((k) => 0.5 * (x[3 * e + k] + x[3 * e + 3 + k]));
  };
  let most = 0;
  for (const { rod, at: place, to } of world.scene.links ?? []) {
    if (!('rod' in to)) continue;
    const [a, b] = [at(rod, (place as { u: number }).u), at(to.rod, (to.at as { u: number }).u)];
    most = Math.max(most, hypotOf(a.map((x, k) => x - b[k])));
  }
  return most;
}
