/**
 * Things that hair can grow on, made by formula: a bust, a ball.
 *
 * The bust is the outline of ellipsoids and capsules blended into each other. It faces −y; metres, z up, the middle of the skull near
 * the origin.
 */
import type { MeshInput } from '@tendril-sim/core';
import { netMesh } from './nets.ts';

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
  // away from the face, and up where it begins: the weight of the hair takes it down
  return [lie * side * (0.35 + 1.0 * front) * top, lie * (0.55 + 1.8 * front), lie * (0.2 * front - 0.7)];
}

/** Finer to be seen and grown on, coarser to be in the way. */
export function headMesh(id: HeadId, { isFine }: { readonly isFine: boolean }): Mesh {
  if (id === 'ball') return starMesh(() => 0.1, [0, 0, 0], isFine);
  if (!isFine) return netMesh(roughDistance, { low: [-0.26, -0.16, bottom - 0.03], high: [0.26, 0.17, 0.15] }, 0.014);
  // the face has details, the shoulders have none; both are the same surface where they overlap, in the neck
  const face = netMesh(bustDistance, { low: [-0.1, -0.13, -0.16], high: [0.1, 0.13, 0.125] }, 0.0036);
  const body = netMesh(bustDistance, { low: [-0.25, -0.13, bottom - 0.02], high: [0.25, 0.15, -0.14] }, 0.009);
  return joinMeshes(face, body);
}

function joinMeshes(a: Mesh, b: Mesh): Mesh {
  const position = new Float64Array(a.position.length + b.position.length);
  position.set(a.position);
  position.set(b.position, a.position.length);
  const triangle = new Uint32Array(a.triangle.length + b.triangle.length);
  triangle.set(a.triangle);
  triangle.set(
    b.triangle.map((vertex) => vertex + a.position.length / 3),
    a.triangle.length,
  );
  return { position, triangle };
}

/** Where the bust ends [m]. */
const bottom = -0.335;
type Vector = readonly [number, number, number];

type Distance = (p: Vector) => number;

/** Distance to an ellipsoid, nearly. */
function ellipsoid([cx, cy, cz]: Vector, [a, b, c]: Vector): Distance {
  const least = Math.min(a, b, c);
  return (p) => {
    const [x, y, z] = [(p[0] - cx) / a, (p[1] - cy) / b, (p[2] - cz) / c];
    const k0 = Math.sqrt(x * x + y * y + z * z);
    const [u, v, w] = [x / a, y / b, z / c];
    const k1 = Math.sqrt(u * u + v * v + w * w);
    return k1 === 0 ? -least : (k0 * (k0 - 1)) / k1;
  };
}

function capsule(from: Vector, to: Vector, radius: number): Distance {
  const [ax, ay, az] = from;
  const [bx, by, bz] = [to[0] - ax, to[1] - ay, to[2] - az];
  const square = bx * bx + by * by + bz * bz;
  return (p) => {
    const [x, y, z] = [p[0] - ax, p[1] - ay, p[2] - az];
    const t = Math.min(1, Math.max(0, (x * bx + y * by + z * bz) / square));
    const [u, v, w] = [x - t * bx, y - t * by, z - t * bz];
    return Math.sqrt(u * u + v * v + w * w) - radius;
  };
}

/** The smaller of two distances, rounded off where they meet over a length k. */
function blend(a: number, b: number, k: number): number {
  const h = Math.max(k - Math.abs(a - b), 0) / k;
  return Math.min(a, b) - (h * h * k) / 4;
}

/** Less the second, rounded off where they meet over a length k. */
const carve = (a: number, b: number, k: number): number => -blend(-a, b, k);

const skull = ellipsoid([0, 0.014, 0.02], [0.074, 0.094, 0.09]);
const jaw = ellipsoid([0, -0.034, -0.042], [0.056, 0.053, 0.07]);
const jawBone = capsule([0.042, -0.012, -0.075], [0.018, -0.062, -0.1], 0.013);
const chin = ellipsoid([0, -0.072, -0.1], [0.02, 0.018, 0.017]);
const cheek = ellipsoid([0.039, -0.059, -0.033], [0.018, 0.016, 0.014]);
const brow = capsule([0.01, -0.083, 0.014], [0.045, -0.069, 0.012], 0.0055);
const bridge = capsule([0, -0.087, 0.004], [0, -0.107, -0.031], 0.0062);
const noseTip = ellipsoid([0, -0.107, -0.034], [0.0085, 0.0085, 0.0075]);
const noseWing = ellipsoid([0.0105, -0.096, -0.037], [0.0065, 0.0085, 0.006]);
const nostril = ellipsoid([0.0058, -0.1, -0.0435], [0.0028, 0.004, 0.003]);
const upperLip = capsule([0, -0.0925, -0.0605], [0.017, -0.083, -0.064], 0.0042);
const lowerLip = capsule([0, -0.0915, -0.0705], [0.014, -0.083, -0.068], 0.0052);
const mouth = capsule([0, -0.0985, -0.0655], [0.021, -0.0865, -0.0655], 0.0011);
const eye: Vector = [0.0315, -0.0735, -0.006];
const eyeHollow = ellipsoid([0.031, -0.091, -0.004], [0.017, 0.011, 0.0105]);
const eyeBall = ellipsoid(eye, [0.0118, 0.0118, 0.0118]);
const lids = ellipsoid(eye, [0.0133, 0.0133, 0.0133]);
const ear = ellipsoid([0.0765, 0.014, -0.018], [0.006, 0.0165, 0.029]);
const earLobe = ellipsoid([0.0785, 0.007, -0.043], [0.005, 0.008, 0.009]);
const earHollow = ellipsoid([0.0845, 0.013, -0.013], [0.0035, 0.0105, 0.019]);
const neck = capsule([0, 0.026, -0.05], [0, 0.042, -0.24], 0.049);
const nape = capsule([0.015, 0.05, -0.19], [0.15, 0.045, -0.262], 0.034);
const shoulder = ellipsoid([0.163, 0.044, -0.285], [0.052, 0.052, 0.05]);
const chest = ellipsoid([0, 0.03, -0.33], [0.165, 0.085, 0.105]);
const collarBone = capsule([0.014, -0.03, -0.246], [0.13, 0.012, -0.235], 0.006);

/** Of what is seen. */
export function bustDistance([x, y, z]: Vector): number {
  // the same on both sides
  const p: Vector = [Math.abs(x), y, z];
  if (z < -0.2) return bodyDistance(p);
  let d = faceDistance(p);
  if (p[1] < -0.055) d = eyeDistance(noseAndMouth(d, p), p);
  if (p[0] > 0.055) d = earDistance(d, p);
  return z > 0.02 ? d : blend(d, bodyDistance(p), 0.03);
}

const thickEar = ellipsoid([0.072, 0.012, -0.02], [0.014, 0.018, 0.03]);

/** Of what is in the way: without details that are smaller than its cells, which would leave holes. */
function roughDistance([x, y, z]: Vector): number {
  const p: Vector = [Math.abs(x), y, z];
  const face = blend(blend(faceDistance(p), bridge(p), 0.02), thickEar(p), 0.015);
  return blend(face, bodyDistance(p), 0.03);
}

/** Parts that are far are left out: they would change nothing. */
function faceDistance(p: Vector): number {
  let d = blend(skull(p), jaw(p), 0.05);
  if (p[1] < 0.03 && p[2] < 0.05) {
    d = blend(d, jawBone(p), 0.03);
    d = blend(d, chin(p), 0.03);
    d = blend(d, cheek(p), 0.03);
    d = blend(d, brow(p), 0.018);
  }
  return d;
}

function noseAndMouth(face: number, p: Vector): number {
  let d = blend(face, bridge(p), 0.014);
  d = blend(d, noseTip(p), 0.008);
  d = blend(d, noseWing(p), 0.008);
  d = carve(d, nostril(p), 0.004);
  d = blend(d, upperLip(p), 0.008);
  d = blend(d, lowerLip(p), 0.008);
  return carve(d, mouth(p), 0.004);
}

/** A hollow, the ball of the eye in it, and two lids. */
function eyeDistance(face: number, p: Vector): number {
  const d = Math.min(carve(face, eyeHollow(p), 0.014), eyeBall(p));
  const z = p[2] - eye[2];
  // a little open
  return blend(d, Math.max(lids(p), Math.min(0.0032 - z, z + 0.0052)), 0.0035);
}

function earDistance(face: number, p: Vector): number {
  return carve(blend(blend(face, ear(p), 0.01), earLobe(p), 0.006), earHollow(p), 0.006);
}

/** Neck, shoulders and chest, cut off level. */
function bodyDistance(p: Vector): number {
  let d = blend(neck(p), nape(p), 0.06);
  d = blend(d, shoulder(p), 0.05);
  d = blend(d, chest(p), 0.05);
  d = blend(d, collarBone(p), 0.02);
  return carve(d, p[2] - bottom, 0.02);
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
