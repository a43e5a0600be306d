/** What a ray has hit: place, axes, and the material there with its colour and relief. */
import { atan2, cos, sin } from '@tendril-sim/core/math';
import type { Hit, Ray } from './intersect.ts';
import { mixBits } from './sampler.ts';
import type { MaterialKind, RenderGeometry, Triple } from './types.ts';

/** A point of a surface. */
export interface Surface {
  /** Place. */
  px: number;
  py: number;
  pz: number;
  /** Normal, towards the viewer. */
  nx: number;
  ny: number;
  nz: number;
  /** Tangent of a rod; zero elsewhere. */
  tx: number;
  ty: number;
  tz: number;
  /** How far a new ray starts off the surface. */
  offset: number;
  kind: MaterialKind | 'floor';
  material: number;
  /** Colour, linear RGB. */
  r: number;
  g: number;
  b: number;
  /** Roughness 0…1, and whether it is a metal. */
  roughness: number;
  isMetal: boolean;
  /** Light that fibers on the surface reflect at grazing angles, 0…1. */
  sheen: number;
}

const finish: Readonly<Record<MaterialKind | 'floor', { roughness: number; isMetal?: boolean; sheen?: number }>> = {
  rubber: { roughness: 0.38 },
  steel: { roughness: 0.22, isMetal: true },
  rope: { roughness: 0.75, sheen: 0.25 },
  yarn: { roughness: 0.9, sheen: 0.5 },
  plant: { roughness: 0.55, sheen: 0.1 },
  hair: { roughness: 0.3 },
  clay: { roughness: 0.6 },
  skin: { roughness: 0.48, sheen: 0.12 },
  floor: { roughness: 1 },
};

/** Creates an empty surface. */
export function createSurface(): Surface {
  return {
    px: 0,
    py: 0,
    pz: 0,
    nx: 0,
    ny: 0,
    nz: 1,
    tx: 0,
    ty: 0,
    tz: 0,
    offset: 0,
    kind: 'clay',
    material: 0,
    r: 0,
    g: 0,
    b: 0,
    roughness: 1,
    isMetal: false,
    sheen: 0,
  };
}

/** Describes the point that a ray has hit. */
export function describeHit(geometry: RenderGeometry, ray: Ray, hit: Hit, out: Surface): void {
  out.px = ray.ox + hit.t * ray.dx;
  out.py = ray.oy + hit.t * ray.dy;
  out.pz = ray.oz + hit.t * ray.dz;
  const cones = geometry.cone.length / 8;
  if (hit.primitive < cones) describeCone(geometry, hit.primitive, ray, out);
  else describeTriangle(geometry, hit.primitive - cones, hit, ray, out);
}

/** The floor at the place of the ray's hit. */
export function describeFloor(ray: Ray, t: number, up: Triple, background: Triple, out: Surface): void {
  out.px = ray.ox + t * ray.dx;
  out.py = ray.oy + t * ray.dy;
  out.pz = ray.oz + t * ray.dz;
  setNormal(out, up[0], up[1], up[2], ray);
  out.tx = out.ty = out.tz = 0;
  out.offset = 1e-5;
  out.material = -1;
  applyFinish(out, 'floor', background);
}

function applyFinish(out: Surface, kind: MaterialKind | 'floor', color: Triple): void {
  const { roughness, isMetal = false, sheen = 0 } = finish[kind];
  out.kind = kind;
  [out.r, out.g, out.b] = color;
  out.roughness = roughness;
  out.isMetal = isMetal;
  out.sheen = sheen;
}

/** Sets the unit normal on the side that the ray comes from. */
function setNormal(out: Surface, x: number, y: number, z: number, ray: Ray): void {
  const length = Math.sqrt(x * x + y * y + z * z) || 1;
  const side = x * ray.dx + y * ray.dy + z * ray.dz > 0 ? -1 / length : 1 / length;
  out.nx = side * x;
  out.ny = side * y;
  out.nz = side * z;
}

function describeTriangle(geometry: RenderGeometry, k: number, { u, v }: Hit, ray: Ray, out: Surface): void {
  const n = geometry.triangleNormal;
  const o = 9 * k;
  const w = 1 - u - v;
  setNormal(
    out,
    w * n[o] + u * n[o + 3] + v * n[o + 6],
    w * n[o + 1] + u * n[o + 4] + v * n[o + 7],
    w * n[o + 2] + u * n[o + 5] + v * n[o + 8],
    ray,
  );
  out.tx = out.ty = out.tz = 0;
  out.offset = 2e-5;
  out.material = geometry.triangleMaterial[k];
  const { kind, color } = geometry.materials[out.material];
  applyFinish(out, kind, color);
}

function describeCone(
  { cone, coneFrame: f, coneMaterial, materials }: RenderGeometry,
  k: number,
  ray: Ray,
  out: Surface,
): void {
  const o = 8 * k;
  const q = 14 * k;
  const bx = cone[o + 4] - cone[o];
  const by = cone[o + 5] - cone[o + 1];
  const bz = cone[o + 6] - cone[o + 2];
  const square = bx * bx + by * by + bz * bz;
  const way = (out.px - cone[o]) * bx + (out.py - cone[o + 1]) * by + (out.pz - cone[o + 2]) * bz;
  const w = square > 0 ? Math.min(1, Math.max(0, way / square)) : 0;
  let x = out.px - cone[o] - w * bx;
  let y = out.py - cone[o + 1] - w * by;
  let z = out.pz - cone[o + 2] - w * bz;
  const tx = f[q] + w * (f[q + 7] - f[q]);
  const ty = f[q + 1] + w * (f[q + 8] - f[q + 1]);
  const tz = f[q + 2] + w * (f[q + 9] - f[q + 2]);
  const norm = tx * tx + ty * ty + tz * tz;
  const radius = cone[o + 3] + w * (cone[o + 7] - cone[o + 3]);
  // on the side, the normal of the smooth curve; at an end, that of the cap
  if (norm > 0 && w > 0 && w < 1) {
    const d = (x * tx + y * ty + z * tz) / norm;
    x -= d * tx;
    y -= d * ty;
    z -= d * tz;
  }
  setNormal(out, x, y, z, ray);
  const length = Math.sqrt(norm) || 1;
  out.tx = tx / length;
  out.ty = ty / length;
  out.tz = tz / length;
  out.offset = 2e-6 + 2e-3 * radius;
  out.material = coneMaterial[k];
  const { kind, color, stripe } = materials[out.material];
  applyFinish(out, kind, color);
  if (kind === 'rope' || kind === 'yarn') twistFibers(out, f, q, w);
  else if (kind === 'plant') growBark(out, f, q, w, k);
  else if (stripe) paintStripe(out, f, q, w, stripe);
}

/** A stripe along d1, an eighth of the way around. */
function paintStripe(out: Surface, f: Float32Array, q: number, w: number, stripe: Triple): void {
  const x = f[q + 3] + w * (f[q + 10] - f[q + 3]);
  const y = f[q + 4] + w * (f[q + 11] - f[q + 4]);
  const z = f[q + 5] + w * (f[q + 12] - f[q + 5]);
  const length = Math.sqrt(x * x + y * y + z * z) || 1;
  if (out.nx * x + out.ny * y + out.nz * z < 0.92 * length) return;
  [out.r, out.g, out.b] = stripe;
}

/** Angle of the normal from d1 about the tangent [rad]. */
function angleAround(out: Surface, f: Float32Array, q: number): number {
  const x = f[q + 3];
  const y = f[q + 4];
  const z = f[q + 5];
  const c = out.nx * x + out.ny * y + out.nz * z;
  const { tx, ty, tz } = out;
  const s = out.nx * (ty * z - tz * y) + out.ny * (tz * x - tx * z) + out.nz * (tx * y - ty * x);
  return atan2(s, c);
}

/** Fine fibers wound around a strand: a relief that tilts the normal, and darker grooves. */
function twistFibers(out: Surface, f: Float32Array, q: number, w: number): void {
  const s = f[q + 6] + w * (f[q + 13] - f[q + 6]);
  const angle = angleAround(out, f, q);
  const phase = 9 * angle + 4.2 * s;
  const wave = sin(phase) + 0.5 * sin(2.3 * phase + 1.7 * s);
  const depth = 0.16 * wave;
  // tilts the normal around the strand
  const ax = out.ty * out.nz - out.tz * out.ny;
  const ay = out.tz * out.nx - out.tx * out.nz;
  const az = out.tx * out.ny - out.ty * out.nx;
  const x = out.nx + depth * ax;
  const y = out.ny + depth * ay;
  const z = out.nz + depth * az;
  const length = Math.sqrt(x * x + y * y + z * z);
  out.nx = x / length;
  out.ny = y / length;
  out.nz = z / length;
  const shade = 0.92 + 0.08 * cos(phase) + 0.05 * noise(Math.floor(phase / (2 * Math.PI)), Math.floor(0.7 * s));
  out.r *= shade;
  out.g *= shade;
  out.b *= shade;
}

/** Lengthwise ridges and spots of bark. */
function growBark(out: Surface, f: Float32Array, q: number, w: number, seed: number): void {
  const s = f[q + 6] + w * (f[q + 13] - f[q + 6]);
  const angle = angleAround(out, f, q);
  const shade = 1 + 0.07 * sin(7 * angle + sin(0.6 * s)) + 0.06 * noise(Math.floor(0.9 * s), seed);
  out.r *= shade;
  out.g *= shade;
  out.b *= shade;
}

/** −1…1, the same for the same whole numbers. */
function noise(a: number, b: number): number {
  return mixBits(Math.imul(a, 0x9e3779b1) ^ b) / 2147483648 - 1;
}
