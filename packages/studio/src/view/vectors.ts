/** What is seen, as shapes that can be printed at any size: rods from back to front, each piece in its colour and as wide as it is. */

import type { ColorMap } from '@tendril-sim/bridge/three';
import { type Camera, Vector3 } from 'three';
import { type ForceKind, forceKinds, forceStride } from '../protocol.ts';
import type { Point, Shape } from '../shapes.ts';
import type { LaneView } from './lane.ts';

interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface VectorOptions {
  readonly map: ColorMap | undefined;
  readonly low: number;
  readonly high: number;
  /** Of a lane without a map. */
  color(lane: number): string;
  /** Rods are drawn that many times as thick as they are. */
  readonly thickness: number;
  /** Part of its thickness with which a lane is drawn: lanes over each other hide one another unless the later are thinner. */
  share(lane: number): number;
  /** [m] */
  perPixel(lane: number): number;
  /** Arrows of forces: their scale [m/N], part of the full width, and colours; none where they are not shown. */
  readonly forces: { readonly scale: number; readonly width: number; color(kind: ForceKind): string } | undefined;
}

/** Of a lane: its rods, and over them its pins and arrows. */
export function drawShapes(
  lanes: readonly LaneView[],
  rects: readonly Rect[],
  camera: Camera,
  options: VectorOptions,
): Shape[] {
  return lanes.flatMap((lane, k) => {
    if (lane.info.refused !== undefined || !rects[k]) return [];
    const toPage = pageOf(rects[k], camera);
    return [
      ...drawRods(lane, toPage, options, k),
      ...drawPins(lane, toPage, options, k),
      ...drawForces(lane, toPage, options),
    ];
  });
}

const place = new Vector3();

/** A place of the scene in the picture [pixels], and its depth. */
type ToPage = (x: number, y: number, z: number) => readonly [x: number, y: number, depth: number];

function pageOf(rect: Rect, camera: Camera): ToPage {
  return (x, y, z) => {
    place.set(x, y, z).project(camera);
    return [rect.x + (0.5 + 0.5 * place.x) * rect.width, rect.y + (0.5 - 0.5 * place.y) * rect.height, place.z];
  };
}

const at = ([x, y]: readonly [number, number, number]): Point => [x, y];

function drawRods(lane: LaneView, toPage: ToPage, options: VectorOptions, index: number): Shape[] {
  const pieces: { depth: number; shape: Shape }[] = [];
  const perPixel = options.perPixel(index);
  const thickness = options.thickness * options.share(index);
  lane.samples.forEach(({ nodePosition: x }, r) => {
    const { nodeCount, edgeCount, edgeRadius } = lane.info.rods[r];
    const seen = Array.from({ length: nodeCount }, (_, i) => toPage(x[3 * i], x[3 * i + 1], x[3 * i + 2]));
    const width = (j: number): number => Math.max(0.4, (2 * edgeRadius[j] * thickness) / perPixel);
    const values = options.map && !lane.hair ? lane.valuesOf(r) : undefined;
    if (!values) {
      const depth = seen.reduce((sum, [, , z]) => sum + z, 0) / nodeCount;
      const closed = edgeCount === nodeCount;
      const shape = { points: seen.map(at), closed, stroke: options.color(index), width: width(0) };
      pieces.push({ depth, shape: { type: 'line', ...shape } });
      return;
    }
    for (let j = 0; j < edgeCount; j++) {
      const next = (j + 1) % nodeCount;
      const value = values.length === edgeCount ? values[j] : 0.5 * (values[j] + values[next]);
      const points = [at(seen[j]), at(seen[next])];
      const shape: Shape = { type: 'line', points, stroke: colorOf(value, options), width: width(j) };
      pieces.push({ depth: 0.5 * (seen[j][2] + seen[next][2]), shape });
    }
  });
  return pieces.sort((a, b) => b.depth - a.depth).map(({ shape }) => shape);
}

const pinPaint = '#3a3f47';

/** A collar where a frame is held, a bead where a place is. */
function drawPins(lane: LaneView, toPage: ToPage, options: VectorOptions, index: number): Shape[] {
  const perPixel = options.perPixel(index);
  return lane.heldPins().map(({ rod, node, edge, clamps }): Shape => {
    const { nodePosition: x } = lane.samples[rod];
    const radius = (1.9 * lane.info.rods[rod].edgeRadius[edge] * options.thickness) / perPixel;
    const seen = (i: number): Point => at(toPage(x[3 * i], x[3 * i + 1], x[3 * i + 2]));
    const [px, py] = seen(node);
    if (!clamps) return { type: 'disc', at: [px, py], radius: 0.9 * radius, fill: pinPaint, name: 'pin' };
    const [ax, ay] = seen(edge);
    const [bx, by] = seen((edge + 1) % (x.length / 3));
    const size = Math.hypot(bx - ax, by - ay) || 1;
    const [ux, uy] = [(0.75 * radius * (bx - ax)) / size, (0.75 * radius * (by - ay)) / size];
    const points: Point[] = [
      [px - ux, py - uy],
      [px + ux, py + uy],
    ];
    return { type: 'line', points, stroke: pinPaint, width: 2 * radius, isCut: true, name: 'pin' };
  });
}

/** Over the rods: a line and a head each. */
function drawForces({ forces = new Float32Array(0) }: LaneView, toPage: ToPage, options: VectorOptions): Shape[] {
  if (!options.forces) return [];
  const { scale, width, color } = options.forces;
  const seen = (o: number, by: number): Point =>
    at(
      toPage(
        forces[o + 1] + by * forces[o + 4],
        forces[o + 2] + by * forces[o + 5],
        forces[o + 3] + by * forces[o + 6],
      ),
    );
  const shapes: Shape[] = [];
  for (let o = 0; o < forces.length; o += forceStride) {
    const [x0, y0] = seen(o, 0);
    const [x1, y1] = seen(o, scale);
    const length = Math.hypot(x1 - x0, y1 - y0);
    if (!(length >= 2)) continue;
    const head = Math.min(12 * width, 0.7 * length);
    const [ux, uy] = [(x1 - x0) / length, (y1 - y0) / length];
    const [bx, by] = [x1 - head * ux, y1 - head * uy];
    const wide = 0.36 * head;
    const paint = color(forceKinds[forces[o]]);
    const shaft: Point[] = [
      [x0, y0],
      [bx, by],
    ];
    const tip: Point[] = [
      [x1, y1],
      [bx - wide * uy, by + wide * ux],
      [bx + wide * uy, by - wide * ux],
    ];
    shapes.push({ type: 'line', points: shaft, stroke: paint, width: 0.2 * head });
    shapes.push({ type: 'area', points: tip, fill: paint });
  }
  return shapes;
}

function colorOf(value: number, { map = [], low, high }: VectorOptions): string {
  const u = Math.min(1, Math.max(0, (value - low) / Math.max(high - low, 1e-30))) * (map.length - 1);
  const k = Math.min(map.length - 2, Math.floor(u));
  const mixed = map[k].map((c, i) => Math.round(c + (u - k) * (map[k + 1][i] - c)));
  return `rgb(${mixed.join(' ')})`;
}
