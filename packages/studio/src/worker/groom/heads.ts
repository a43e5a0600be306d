/**
 * Things that hair can grow on, made by formula: a head like a hairdresser's dummy, a ball.
 *
 * The head is the outline of a few ellipsoids blended into each other, seen from a point inside: along every direction the
 * outermost place where the distance is zero. It faces −y; metres, z up, the middle of the skull near the origin.
 */
import type { MeshInput } from '@tendril-sim/core';

export type HeadId = 'head' | 'ball';

export interface Mesh {
  readonly position: Float64Array;
  readonly triangle: Uint32Array;
}

/** How hair leaves the skin: parted a little beside the middle, to both sides in front and back behind. `lie`: how flat. */
export function leanAt(
  id: string,
  lie: number,
  [x, y, z]: ArrayLike<number> & Iterable<number>,
): [number, number, number] {
  if (id !== 'head') return [0, 0, -0.6 * lie];
  const front = Math.min(1, Math.max(0, (0.03 - y) / 0.08));
  const side = x > 0.012 ? 1 : -1;
  // low down there is no parting: it goes back and down
  const top = Math.min(1, Math.max(0, z / 0.08));
  return [lie * side * (0.35 + 0.7 * front) * top, lie * (0.55 + 1.1 * front), -0.7 * lie];
}

/** Finer to be seen and grown on, coarser to be in the way. */
export function headMesh(id: HeadId, fine: boolean): Mesh {
  return id === 'ball' ? starMesh(() => 0.1, [0, 0, 0], fine) : starMesh(headRadius, middle, fine);
}

const middle = [0, 0.005, -0.03] as const;
type Vector = readonly [number, number, number];

/** Distance to an ellipsoid, nearly. */
function ellipsoid(p: Vector, [cx, cy, cz]: Vector, [a, b, c]: Vector): number {
  const [x, y, z] = [p[0] - cx, p[1] - cy, p[2] - cz];
  const k0 = Math.hypot(x / a, y / b, z / c);
  const k1 = Math.hypot(x / a ** 2, y / b ** 2, z / c ** 2);
  return k1 === 0 ? -Math.min(a, b, c) : (k0 * (k0 - 1)) / k1;
}

function capsule(p: Vector, a: Vector, b: Vector, radius: number): number {
  const ab = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
  const ap = [p[0] - a[0], p[1] - a[1], p[2] - a[2]];
  const t = Math.min(
    1,
    Math.max(0, (ap[0] * ab[0] + ap[1] * ab[1] + ap[2] * ab[2]) / (ab[0] ** 2 + ab[1] ** 2 + ab[2] ** 2)),
  );
  return Math.hypot(ap[0] - t * ab[0], ap[1] - t * ab[1], ap[2] - t * ab[2]) - radius;
}

/** The smaller of two distances, rounded off where they meet over a length k. */
function blend(a: number, b: number, k: number): number {
  const h = Math.max(k - Math.abs(a - b), 0) / k;
  return Math.min(a, b) - (h * h * k) / 4;
}

function headDistance(at: Vector): number {
  // the same on both sides
  const p: Vector = [Math.abs(at[0]), at[1], at[2]];
  let d = ellipsoid(p, [0, 0.012, 0.018], [0.076, 0.096, 0.092]);
  d = blend(d, ellipsoid(p, [0, -0.036, -0.045], [0.057, 0.052, 0.068]), 0.05);
  d = blend(d, ellipsoid(p, [0, -0.066, -0.098], [0.026, 0.022, 0.021]), 0.04);
  // cheek, brow
  d = blend(d, ellipsoid(p, [0.036, -0.062, -0.035], [0.018, 0.016, 0.016]), 0.03);
  d = blend(d, capsule(p, [0, -0.086, 0.012], [0.04, -0.074, 0.012], 0.007), 0.02);
  // nose, lips
  d = blend(d, capsule(p, [0, -0.088, 0.0], [0, -0.107, -0.034], 0.0075), 0.016);
  d = blend(d, ellipsoid(p, [0.008, -0.098, -0.037], [0.009, 0.009, 0.007]), 0.01);
  d = blend(d, ellipsoid(p, [0, -0.0885, -0.066], [0.02, 0.008, 0.006]), 0.012);
  // the hollow of the eye
  d = -blend(-d, ellipsoid(p, [0.031, -0.093, -0.006], [0.017, 0.012, 0.011]), 0.014);
  d = blend(d, ellipsoid(p, [0.031, -0.0765, -0.007], [0.0125, 0.0125, 0.0125]), 0.004);
  // ear
  d = blend(d, ellipsoid(p, [0.079, 0.012, -0.022], [0.008, 0.017, 0.03]), 0.012);
  // neck, cut off level
  d = blend(d, capsule(p, [0, 0.028, -0.06], [0, 0.04, -0.24], 0.05), 0.045);
  return -blend(-d, at[2] + 0.205, 0.02);
}

/** From outside inwards, to the first place on the skin. */
function headRadius(direction: Vector): number {
  let r = 0.32;
  for (let k = 0; k < 80; k++) {
    const d = headDistance([middle[0] + r * direction[0], middle[1] + r * direction[1], middle[2] + r * direction[2]]);
    if (d < 2e-5) break;
    r -= 0.8 * d;
    if (r < 0.02) return 0.02;
  }
  return r;
}

/** A closed mesh about a point from which every direction meets the skin once, or of which the outermost is taken. */
function starMesh(radius: (direction: Vector) => number, center: Vector, fine: boolean): Mesh {
  const [around, along] = fine ? [96, 72] : [30, 22];
  const count = around * (along - 1) + 2;
  const position = new Float64Array(3 * count);
  const put = (vertex: number, direction: Vector): void => {
    const r = radius(direction);
    for (let k = 0; k < 3; k++) position[3 * vertex + k] = center[k] + r * direction[k];
  };
  put(0, [0, 0, 1]);
  for (let j = 1; j < along; j++) {
    const polar = (Math.PI * j) / along;
    for (let i = 0; i < around; i++) {
      const turn = (2 * Math.PI * (i + 0.25)) / around;
      put(1 + (j - 1) * around + i, [
        Math.sin(polar) * Math.sin(turn),
        -Math.sin(polar) * Math.cos(turn),
        Math.cos(polar),
      ]);
    }
  }
  put(count - 1, [0, 0, -1]);
  const triangle: number[] = [];
  const at = (j: number, i: number): number => 1 + (j - 1) * around + (i % around);
  for (let i = 0; i < around; i++) {
    triangle.push(0, at(1, i), at(1, i + 1), count - 1, at(along - 1, i + 1), at(along - 1, i));
    for (let j = 1; j < along - 1; j++)
      triangle.push(at(j, i), at(j + 1, i), at(j + 1, i + 1), at(j, i), at(j + 1, i + 1), at(j, i + 1));
  }
  return { position, triangle: Uint32Array.from(triangle) };
}

/** As an OBJ file, for scenes that name it. */
export function toObj({ position, triangle }: MeshInput): string {
  const lines: string[] = [];
  for (let i = 0; i < position.length; i += 3)
    lines.push(`v ${position[i].toFixed(6)} ${position[i + 1].toFixed(6)} ${position[i + 2].toFixed(6)}`);
  for (let i = 0; i < triangle.length; i += 3)
    lines.push(`f ${triangle[i] + 1} ${triangle[i + 1] + 1} ${triangle[i + 2] + 1}`);
  return `${lines.join('\n')}\n`;
}
