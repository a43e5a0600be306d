/**
 * Common parts of the exporters: grouping of rods, radii, frames and channels at nodes, up axis, frame rate. All exporters read one frame at a time, so
 * that a recording need not fit in memory.
 */

import { type Channel, channels, type Scene } from '@tendril-sim/core';
import { atan2, hypot, hypotOf } from '@tendril-sim/core/math';
import type { RecordedRod, Recording, RodFrame } from '../recording.ts';

/** The part of a recording that an exporter needs, and additional data of hair. */
export type Footage = Pick<Recording, 'header' | 'frameCount' | 'frame'> & {
  /** Time of a frame [s], if it is known without reading the frame. */
  timeOf?(k: number): number;
  readonly groom?: Groom;
};

/** Attributes of strands for hair programs. */
export interface Groom {
  /** Place of the root on the skin, 0…1, 2 per strand. */
  readonly rootUv: Float32Array;
  /** True if the strands are the guides themselves. */
  readonly isGuides: boolean;
  /** Guide with the largest weight of a strand. */
  readonly guide: Int32Array;
  /** Linear RGB, 3 per strand, where the skin has colours. */
  readonly color?: Float32Array;
}

/** One frame of a recording as footage. */
export function oneFrame(footage: Footage, index: number): Footage {
  return { header: footage.header, frameCount: 1, frame: () => footage.frame(index) };
}

/** Some frames of a recording, in the order given. */
export function pickFrames(footage: Footage, indices: readonly number[]): Footage {
  return { header: footage.header, frameCount: indices.length, frame: (k) => footage.frame(indices[k]) };
}

/** Rods that are written as one object. */
export interface RodGroup {
  readonly name: string;
  readonly closed: boolean;
  /** Indices in the header's rods. */
  readonly rods: readonly number[];
}

/** Up to this many rods become separate objects with their names. More are joined: one object per strand is slow to open. */
export const separateRods = 16;

export function groupRods({ rods }: Footage['header']): RodGroup[] {
  if (rods.length <= separateRods) return rods.map(({ id, closed }, k) => ({ name: id, closed, rods: [k] }));
  const all = rods.map((_, k) => k);
  return [
    { name: 'strands', closed: false, rods: all.filter((k) => !rods[k].closed) },
    { name: 'rings', closed: true, rods: all.filter((k) => rods[k].closed) },
  ].filter((group) => group.rods.length > 0);
}

/**
 * Radius at nodes [m]: interpolated between the middles of adjacent edges, and extrapolated beyond the middle of the last edge, so that a taper ends with
 * the width of its section.
 */
export function nodeRadius(rod: RecordedRod): Float64Array {
  const { edgeRadius: r, edgeLengthRest: l, edgeCount, closed, nodeCount } = rod;
  const out = new Float64Array(nodeCount);
  for (let i = 0; i < nodeCount; i++) {
    const after = Math.min(Math.max(i, closed ? 0 : 1), edgeCount - 1);
    const before = closed ? (after + edgeCount - 1) % edgeCount : Math.max(0, after - 1);
    // from the middle of the edge before, in halves of both edges; the first and the last node lie beyond them
    const span = l[before] + l[after];
    const part = !closed && i === 0 ? -l[0] : i >= edgeCount && !closed ? span + l[after] : l[before];
    const slope = span > 0 ? part / span : 0.5;
    out[i] = Math.max(0, r[before] + slope * (r[after] - r[before]));
  }
  return out;
}

/** A quantity of edges at nodes: the mean of the two edges at a node, the one edge at a free end. */
export function toNodes(
  { nodeCount, edgeCount, closed }: Pick<RecordedRod, 'nodeCount' | 'edgeCount' | 'closed'>,
  edges: ArrayLike<number>,
): Float64Array {
  const out = new Float64Array(nodeCount);
  for (let i = 0; i < nodeCount; i++) {
    const before = closed ? (i + edgeCount - 1) % edgeCount : Math.max(0, i - 1);
    const after = Math.min(i, edgeCount - 1);
    out[i] = (edges[before] + edges[after]) / 2;
  }
  return out;
}

/** Frames at the nodes of a rod. */
export interface NodeFrames {
  /** unit, 3 per node */
  readonly tangent: Float64Array;
  /** material axis d1, unit, normal to the tangent, 3 per node */
  readonly d1: Float64Array;
}

/** Frames at nodes: the mean of those of the edges that meet there, made orthonormal. */
export function nodeFrames(
  { nodeCount, edgeCount, closed }: Pick<RecordedRod, 'nodeCount' | 'edgeCount' | 'closed'>,
  { nodePosition: x, edgeDirector: d }: Pick<RodFrame, 'nodePosition' | 'edgeDirector'>,
): NodeFrames {
  const edge = new Float64Array(3 * edgeCount);
  for (let j = 0; j < edgeCount; j++) {
    const a = 3 * j;
    const b = 3 * ((j + 1) % nodeCount);
    setUnit(edge, a, x[b] - x[a], x[b + 1] - x[a + 1], x[b + 2] - x[a + 2]);
  }
  const tangent = new Float64Array(3 * nodeCount);
  const d1 = new Float64Array(3 * nodeCount);
  for (let i = 0; i < nodeCount; i++) {
    const p = 3 * (closed ? (i + edgeCount - 1) % edgeCount : Math.max(0, i - 1));
    const q = 3 * Math.min(i, edgeCount - 1);
    const o = 3 * i;
    // edges that fold back on each other have no mean: use the later one
    if (!setUnit(tangent, o, edge[p] + edge[q], edge[p + 1] + edge[q + 1], edge[p + 2] + edge[q + 2]))
      tangent.set(edge.subarray(q, q + 3), o);
    setNormal(d1, tangent, o, d[p] + d[q], d[p + 1] + d[q + 1], d[p + 2] + d[q + 2]);
  }
  return { tangent, d1 };
}

/** Writes a unit vector; returns false, and writes nothing, if the vector has no direction. */
function setUnit(out: Float64Array, o: number, x: number, y: number, z: number): boolean {
  const length = hypot(x, y, z);
  if (!(length > 1e-12)) return false;
  out[o] = x / length;
  out[o + 1] = y / length;
  out[o + 2] = z / length;
  return true;
}

/** Writes the part of a vector that is normal to the tangent, as a unit vector; any normal if there is none. */
function setNormal(out: Float64Array, t: Float64Array, o: number, x: number, y: number, z: number): void {
  const along = x * t[o] + y * t[o + 1] + z * t[o + 2];
  if (setUnit(out, o, x - along * t[o], y - along * t[o + 1], z - along * t[o + 2])) return;
  const k = Math.abs(t[o]) < 0.6 ? 0 : 1;
  const axis = [k === 0 ? 1 : 0, k === 1 ? 1 : 0, 0];
  const part = t[o + k];
  if (!setUnit(out, o, axis[0] - part * t[o], axis[1] - part * t[o + 1], axis[2] - part * t[o + 2])) out[o] = 1;
}

/**
 * Curvature [1/m], twist rate [1/m] or tension [N] at nodes: as recorded, or, for the first two, from the geometry
 * (angle between edges, or turn of the frame beyond parallel transport, over half the lengths of both edges; less than
 * half a turn a node). Tension that was not recorded cannot be had from the geometry.
 */
export function nodeChannel(rod: RecordedRod, frame: RodFrame, channel: Channel): Float64Array | undefined {
  const recorded = frame.channels?.[channel];
  if (recorded) return channels[channel].on === 'edge' ? toNodes(rod, recorded) : recorded;
  if (channel !== 'curvature' && channel !== 'twist') return undefined;
  const { nodeCount, edgeCount, closed, edgeLengthRest } = rod;
  const { nodePosition: x, edgeDirector: d } = frame;
  const edge = new Float64Array(3 * edgeCount);
  for (let j = 0; j < edgeCount; j++) {
    const b = 3 * ((j + 1) % nodeCount);
    setUnit(edge, 3 * j, x[b] - x[3 * j], x[b + 1] - x[3 * j + 1], x[b + 2] - x[3 * j + 2]);
  }
  const out = new Float64Array(nodeCount);
  for (let i = closed ? 0 : 1; i < (closed ? nodeCount : nodeCount - 1); i++) {
    const p = (i + edgeCount - 1) % edgeCount;
    const e = edge.subarray(3 * p, 3 * p + 3);
    const f = edge.subarray(3 * i, 3 * i + 3);
    const axis = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
    const cosine = e[0] * f[0] + e[1] * f[1] + e[2] * f[2];
    const length = (edgeLengthRest[p] + edgeLengthRest[i]) / 2;
    const angle =
      channel === 'curvature'
        ? atan2(hypotOf(axis), cosine)
        : twistBetween(d.subarray(3 * p, 3 * p + 3), d.subarray(3 * i, 3 * i + 3), f, axis, cosine);
    out[i] = angle / length;
  }
  return out;
}

/** Angle from the transported first director to the second about the second tangent. */
function twistBetween(
  a: Float64Array,
  b: Float64Array,
  tangent: Float64Array,
  axis: readonly number[],
  cosine: number,
): number {
  // rotation from one tangent to the next: a + axis × a + axis (axis·a)/(1 + cosine)
  const k = (axis[0] * a[0] + axis[1] * a[1] + axis[2] * a[2]) / (1 + cosine);
  const m = [
    a[0] * cosine + axis[1] * a[2] - axis[2] * a[1] + k * axis[0],
    a[1] * cosine + axis[2] * a[0] - axis[0] * a[2] + k * axis[1],
    a[2] * cosine + axis[0] * a[1] - axis[1] * a[0] + k * axis[2],
  ];
  const sine =
    tangent[0] * (m[1] * b[2] - m[2] * b[1]) +
    tangent[1] * (m[2] * b[0] - m[0] * b[2]) +
    tangent[2] * (m[0] * b[1] - m[1] * b[0]);
  return atan2(sine, m[0] * b[0] + m[1] * b[1] + m[2] * b[2]) || 0;
}

/** The axis that points up: against gravity where that is along y, else z, as in the scenes of this project. */
export function upAxisOf({ gravity }: Scene): 'Y' | 'Z' {
  if (gravity === undefined) return 'Z';
  const [x, y, z] = 'acceleration' in gravity ? gravity.acceleration : gravity;
  return Math.abs(y) > Math.max(Math.abs(x), Math.abs(z)) ? 'Y' : 'Z';
}

/** Frames a second of a recording, from the distance of its first two frames; 24 where there is but one. */
export function frameRate(footage: Footage): number {
  if (footage.frameCount < 2) return 24;
  const rate = 1 / (footage.frame(1).time - footage.frame(0).time);
  if (!(rate > 0 && Number.isFinite(rate))) return 24;
  const near = Math.round(rate);
  return near > 0 && Math.abs(rate - near) < 1e-6 * rate ? near : rate;
}

/** Brown, linear RGB: hair whose mesh has no vertex colours. */
export const hairColor: readonly [number, number, number] = [0.195, 0.084, 0.039];

/** Colour of a group of rods: brown for hair, else one of a few that distinguish neighbours. */
export function groupColor(
  { groom, header: { rods } }: Pick<Footage, 'groom' | 'header'>,
  group: number,
): readonly [number, number, number] {
  if (groom) return hairColor;
  return rodColor(rods.length > separateRods ? group : listOrigins(rods)[group]);
}

/** Number of the rod that each rod is, or is a piece of. */
export function listOrigins(rods: readonly Pick<RecordedRod, 'id' | 'origin'>[]): number[] {
  const numbers = new Map<string, number>();
  return rods.map(({ id, origin = id }) => {
    const number = numbers.get(origin) ?? numbers.size;
    numbers.set(origin, number);
    return number;
  });
}

/** A colour per rod, linear RGB: a few that distinguish neighbours. */
function rodColor(k: number): readonly [number, number, number] {
  const colors = [
    [0.05, 0.21, 0.47],
    [0.72, 0.22, 0.03],
    [0.05, 0.36, 0.17],
    [0.42, 0.08, 0.33],
    [0.62, 0.43, 0.04],
    [0.03, 0.36, 0.42],
  ] as const;
  return colors[k % colors.length];
}

/** Makes names valid for a format and unique. */
export function uniqueNames(wanted: readonly string[], fit: (name: string) => string): string[] {
  const taken = new Set<string>();
  return wanted.map((name) => {
    const base = fit(name);
    let unique = base;
    for (let k = 2; taken.has(unique); k++) unique = `${base}_${k}`;
    taken.add(unique);
    return unique;
  });
}
