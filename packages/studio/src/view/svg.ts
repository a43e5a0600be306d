/** What is seen, as lines that can be printed at any size: rods from back to front, each piece in its colour and as wide as it is. */

import type { ColorMap } from '@tendril-sim/bridge/three';
import { type Camera, Vector3 } from 'three';
import { type ForceKind, forceKinds, forceStride } from '../protocol.ts';
import type { LaneView } from './lane.ts';

interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface SvgOptions {
  readonly width: number;
  readonly height: number;
  readonly background: string;
  /** Drawn over everything: marks of SVG. */
  readonly over: string;
  readonly map: ColorMap | undefined;
  readonly low: number;
  readonly high: number;
  /** Of a lane without a map. */
  color(lane: number): string;
  /** Rods are drawn that many times as thick as they are. */
  readonly thickness: number;
  /** [m] */
  perPixel(lane: number): number;
  /** Arrows of forces: their scale [m/N], part of the full width, and colours; none where they are not shown. */
  readonly forces: { readonly scale: number; readonly width: number; color(kind: ForceKind): string } | undefined;
}

export function drawSvg(
  lanes: readonly LaneView[],
  rects: readonly Rect[],
  camera: Camera,
  options: SvgOptions,
): string {
  const parts: string[] = [];
  lanes.forEach((lane, k) => {
    if (lane.info.refused !== undefined || !rects[k]) return;
    const marks = `${drawPins(lane, rects[k], camera, options, k)}${drawForces(lane, rects[k], camera, options)}`;
    parts.push(`<g>${drawLane(lane, rects[k], camera, options, k)}${marks}</g>`);
  });
  const { width, height, background } = options;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" fill="none" stroke-linecap="round" stroke-linejoin="round">
<rect width="${width}" height="${height}" fill="${background}"/>
${parts.join('\n')}
${options.over}
</svg>
`;
}

const place = new Vector3();

function drawLane(lane: LaneView, rect: Rect, camera: Camera, options: SvgOptions, index: number): string {
  const pieces: { depth: number; text: string }[] = [];
  const perPixel = options.perPixel(index);
  lane.samples.forEach(({ nodePosition: x }, r) => {
    const { nodeCount, edgeCount, edgeRadius } = lane.info.rods[r];
    const seen = Array.from({ length: nodeCount }, (_, i) => {
      place.set(x[3 * i], x[3 * i + 1], x[3 * i + 2]).project(camera);
      return [rect.x + (0.5 + 0.5 * place.x) * rect.width, rect.y + (0.5 - 0.5 * place.y) * rect.height, place.z];
    });
    const point = ([px, py]: readonly number[]): string => `${px.toFixed(1)} ${py.toFixed(1)}`;
    const wide = (j: number): string => Math.max(0.4, (2 * edgeRadius[j] * options.thickness) / perPixel).toFixed(2);
    const values = options.map && !lane.hair ? lane.valuesOf(r) : undefined;
    if (!values) {
      const all = seen.map(point);
      const path = `M${all[0]}L${all.slice(1).join(' ')}${edgeCount === nodeCount ? 'Z' : ''}`;
      const depth = seen.reduce((sum, [, , z]) => sum + z, 0) / nodeCount;
      pieces.push({ depth, text: `<path d="${path}" stroke="${options.color(index)}" stroke-width="${wide(0)}"/>` });
      return;
    }
    for (let j = 0; j < edgeCount; j++) {
      const next = (j + 1) % nodeCount;
      const value = values.length === edgeCount ? values[j] : 0.5 * (values[j] + values[next]);
      const text = `<path d="M${point(seen[j])}L${point(seen[next])}" stroke="${colorOf(value, options)}" stroke-width="${wide(j)}"/>`;
      pieces.push({ depth: 0.5 * (seen[j][2] + seen[next][2]), text });
    }
  });
  return pieces
    .sort((a, b) => b.depth - a.depth)
    .map(({ text }) => text)
    .join('');
}

/** A collar where a frame is held, a bead where a place is. */
function drawPins(lane: LaneView, rect: Rect, camera: Camera, options: SvgOptions, index: number): string {
  const perPixel = options.perPixel(index);
  return lane
    .heldPins()
    .map(({ rod, node, edge, clamps }) => {
      const { nodePosition: x } = lane.samples[rod];
      const radius = (1.9 * lane.info.rods[rod].edgeRadius[edge] * options.thickness) / perPixel;
      const seen = (i: number): [number, number] => {
        place.set(x[3 * i], x[3 * i + 1], x[3 * i + 2]).project(camera);
        return [rect.x + (0.5 + 0.5 * place.x) * rect.width, rect.y + (0.5 - 0.5 * place.y) * rect.height];
      };
      const [px, py] = seen(node);
      if (!clamps)
        return `<circle class="pin" cx="${px.toFixed(1)}" cy="${py.toFixed(1)}" r="${(0.9 * radius).toFixed(2)}" fill="#3a3f47"/>`;
      const [ax, ay] = seen(edge);
      const [bx, by] = seen((edge + 1) % (x.length / 3));
      const size = Math.hypot(bx - ax, by - ay) || 1;
      const [ux, uy] = [(0.75 * radius * (bx - ax)) / size, (0.75 * radius * (by - ay)) / size];
      return `<path class="pin" d="M${(px - ux).toFixed(1)} ${(py - uy).toFixed(1)}L${(px + ux).toFixed(1)} ${(py + uy).toFixed(1)}" stroke="#3a3f47" stroke-linecap="butt" stroke-width="${(2 * radius).toFixed(2)}"/>`;
    })
    .join('');
}

/** Over the rods: a line and a head each. */
function drawForces(
  { forces = new Float32Array(0) }: LaneView,
  rect: Rect,
  camera: Camera,
  options: SvgOptions,
): string {
  if (!options.forces) return '';
  const { scale, width, color } = options.forces;
  const seen = (o: number, by: number): [number, number] => {
    place.set(
      forces[o + 1] + by * forces[o + 4],
      forces[o + 2] + by * forces[o + 5],
      forces[o + 3] + by * forces[o + 6],
    );
    place.project(camera);
    return [rect.x + (0.5 + 0.5 * place.x) * rect.width, rect.y + (0.5 - 0.5 * place.y) * rect.height];
  };
  let text = '';
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
    const to = (x: number, y: number): string => `${x.toFixed(1)} ${y.toFixed(1)}`;
    text += `<path d="M${to(x0, y0)}L${to(bx, by)}" stroke="${paint}" stroke-width="${(0.2 * head).toFixed(2)}"/>`;
    text += `<path d="M${to(x1, y1)}L${to(bx - wide * uy, by + wide * ux)}L${to(bx + wide * uy, by - wide * ux)}Z" fill="${paint}"/>`;
  }
  return text;
}

function colorOf(value: number, { map = [], low, high }: SvgOptions): string {
  const u = Math.min(1, Math.max(0, (value - low) / Math.max(high - low, 1e-30))) * (map.length - 1);
  const k = Math.min(map.length - 2, Math.floor(u));
  const mixed = map[k].map((c, i) => Math.round(c + (u - k) * (map[k + 1][i] - c)));
  return `rgb(${mixed.join(' ')})`;
}
