/** Reflection of surfaces that are no hair: a diffuse base under a rough coat, or a metal (GGX; visible normals are sampled [Heitz2018]). */
import { cos, sin } from '@tendril-sim/core/math';
import type { Surface } from './surface.ts';

/** A direction in world axes, with what is reflected into it. */
export interface ReflectionSample {
  dx: number;
  dy: number;
  dz: number;
  /** Reflected part times the cosine, per solid angle. */
  r: number;
  g: number;
  b: number;
  pdf: number;
}

/** Two unit vectors across a unit normal [Duff2017]: x, y, z of both. */
export function writeAxes(nx: number, ny: number, nz: number, out: Float64Array): void {
  const sign = nz < 0 ? -1 : 1;
  const a = -1 / (sign + nz);
  const b = nx * ny * a;
  out[0] = 1 + sign * nx * nx * a;
  out[1] = sign * b;
  out[2] = -sign * nx;
  out[3] = b;
  out[4] = sign + ny * ny * a;
  out[5] = -ny;
}

const axes = new Float64Array(6);

const fifth = (x: number): number => x * x * x * x * x;

/** Part of light that the coat reflects at normal incidence. */
const coatLevel = 0.04;

/** How often the coat is sampled rather than the base. */
function coatShare({ isMetal, kind }: Surface, cosine: number): number {
  if (isMetal) return 1;
  if (kind === 'floor') return 0;
  return 0.25 + 0.6 * fifth(1 - cosine);
}

/** Fills in reflection and density for the direction in `out`; (vx, vy, vz) points to the viewer. */
export function evaluateReflection(surface: Surface, vx: number, vy: number, vz: number, out: ReflectionSample): void {
  const { nx, ny, nz, roughness, isMetal, kind, sheen } = surface;
  const cosineI = out.dx * nx + out.dy * ny + out.dz * nz;
  const cosineO = Math.max(1e-4, vx * nx + vy * ny + vz * nz);
  out.r = out.g = out.b = out.pdf = 0;
  if (cosineI <= 0) return;
  const share = coatShare(surface, cosineO);
  let coat = 0;
  let schlick = 0;
  if (kind !== 'floor') {
    let [hx, hy, hz] = [out.dx + vx, out.dy + vy, out.dz + vz];
    const norm = Math.sqrt(hx * hx + hy * hy + hz * hz) || 1;
    hx /= norm;
    hy /= norm;
    hz /= norm;
    const alpha = roughness * roughness;
    const cosineH = hx * nx + hy * ny + hz * nz;
    const facing = Math.max(0, hx * vx + hy * vy + hz * vz);
    const density = distribution(alpha, cosineH);
    const maskO = masking(alpha, cosineO);
    // D G / (4 cosI cosO) cosI, with G = G1(O) G1(I)
    coat = (density * maskO * masking(alpha, cosineI)) / (4 * cosineO);
    out.pdf += (share * density * maskO) / (4 * cosineO);
    schlick = fifth(1 - facing);
  }
  out.pdf += ((1 - share) * cosineI) / Math.PI;
  // the coat lets light in and out again, less of it at grazing angles [Ashikhmin2000]; it is missing on the floor
  const passes = kind === 'floor' ? 1 : 1.05 * (1 - fifth(1 - cosineI)) * (1 - fifth(1 - cosineO)) * (1 - coatLevel);
  const diffuse = isMetal
    ? 0
    : (passes * (1 + sheen * (1 - cosineO) * (1 - cosineO) * (1 - cosineO)) * cosineI) / Math.PI;
  const reflect = (base: number): number => {
    const level = isMetal ? base : coatLevel;
    return coat * (level + (1 - level) * schlick) + diffuse * base;
  };
  out.r = reflect(surface.r);
  out.g = reflect(surface.g);
  out.b = reflect(surface.b);
}

/** Density of microscopic normals. */
function distribution(alpha: number, cosine: number): number {
  const q = cosine * cosine * (alpha * alpha - 1) + 1;
  return (alpha * alpha) / (Math.PI * q * q);
}

/** Part of the microscopic surface that is seen from a direction. */
function masking(alpha: number, cosine: number): number {
  const square = cosine * cosine;
  return 2 / (1 + Math.sqrt(1 + (alpha * alpha * (1 - square)) / square));
}

/** Numbers 0…1 that choose a reflection. */
export interface Choice {
  readonly lobe: number;
  readonly a: number;
  readonly b: number;
}

/** Chooses a direction and evaluates it. */
export function sampleReflection(
  surface: Surface,
  view: readonly [number, number, number],
  { lobe, a, b }: Choice,
  out: ReflectionSample,
): void {
  const { nx, ny, nz, roughness } = surface;
  const [vx, vy, vz] = view;
  const cosineO = Math.max(1e-4, vx * nx + vy * ny + vz * nz);
  writeAxes(nx, ny, nz, axes);
  const angle = 2 * Math.PI * b;
  if (lobe < coatShare(surface, cosineO)) {
    const alpha = roughness * roughness;
    // to the hemisphere of a smooth ball, stretched
    const x = alpha * (vx * axes[0] + vy * axes[1] + vz * axes[2]);
    const y = alpha * (vx * axes[3] + vy * axes[4] + vz * axes[5]);
    const length = Math.sqrt(x * x + y * y + cosineO * cosineO);
    const [sx, sy, sz] = [x / length, y / length, cosineO / length];
    // a cap of directions around the stretched one [Dupuy2023]
    const height = (1 - a) * (1 + sz) - sz;
    const ring = Math.sqrt(Math.max(0, 1 - height * height));
    const mx = alpha * (ring * cos(angle) + sx);
    const my = alpha * (ring * sin(angle) + sy);
    const mz = Math.max(1e-9, height + sz);
    const norm = 1 / Math.sqrt(mx * mx + my * my + mz * mz);
    const hx = norm * (mx * axes[0] + my * axes[3] + mz * nx);
    const hy = norm * (mx * axes[1] + my * axes[4] + mz * ny);
    const hz = norm * (mx * axes[2] + my * axes[5] + mz * nz);
    const twice = 2 * (hx * vx + hy * vy + hz * vz);
    out.dx = twice * hx - vx;
    out.dy = twice * hy - vy;
    out.dz = twice * hz - vz;
  } else {
    const ring = Math.sqrt(a);
    const [x, y, z] = [ring * cos(angle), ring * sin(angle), Math.sqrt(Math.max(0, 1 - a))];
    out.dx = x * axes[0] + y * axes[3] + z * nx;
    out.dy = x * axes[1] + y * axes[4] + z * ny;
    out.dz = x * axes[2] + y * axes[5] + z * nz;
  }
  evaluateReflection(surface, vx, vy, vz, out);
}
