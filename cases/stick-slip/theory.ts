/**
 * A strip of length and bending stiffness 1, clamped upright at its upper end, whose tip stays where it touched the ground while the
 * clamp comes down by ε. The angle φ from the vertical obeys φ″ = −N sin φ − H cos φ with φ(0) = 0, φ′(1) = −κ and a tip right below
 * the clamp; the small natural curvature κ decides to which side it bows. Coulomb's law lets the tip slip where |H|/N reaches μ.
 */
import { cos, sin, tan } from '@tendril-sim/core/math';

/** φ′(0), N, H. */
type Unknowns = [number, number, number];

const STEPS = 400;

/** Natural curvature κL. */
export const BOW = 0.05;

/** Bending moment at the tip, its distance from below the clamp, and the shortening, by the method of Runge and Kutta. */
function shoot([start, normal, shear]: Unknowns): Unknowns {
  const h = 1 / STEPS;
  const force = (phi: number): number => -normal * sin(phi) - shear * cos(phi);
  let [phi, rate, x, z] = [0, start, 0, 0];
  for (let k = 0; k < STEPS; k++) {
    const a = force(phi);
    const b = force(phi + (h / 2) * rate);
    const c = force(phi + (h / 2) * rate + (h * h * a) / 4);
    const d = force(phi + h * rate + (h * h * b) / 2);
    const middle = phi + (h / 2) * rate + (h * h * a) / 8;
    const next = phi + h * rate + ((h * h) / 6) * (a + b + c);
    x += (h / 6) * (sin(phi) + 4 * sin(middle) + sin(next));
    z += (h / 6) * (cos(phi) + 4 * cos(middle) + cos(next));
    rate += (h / 6) * (a + 2 * b + 2 * c + d);
    phi = next;
  }
  return [rate + BOW, x, 1 - z];
}

/** Solves a 3 × 3 system by Cramer's rule. */
function solve(m: readonly Unknowns[], r: Unknowns): Unknowns {
  const determinant = (a: Unknowns, b: Unknowns, c: Unknowns): number =>
    a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1]) + c[0] * (a[1] * b[2] - a[2] * b[1]);
  const [a, b, c] = m;
  const d = determinant(a, b, c);
  return [determinant(r, b, c) / d, determinant(a, r, c) / d, determinant(a, b, r) / d];
}

/** Newton's method from a neighbouring solution. */
function follow(from: Unknowns, shortening: number): Unknowns {
  let now = from;
  for (let k = 0; k < 40; k++) {
    const residual = shoot(now);
    residual[2] -= shortening;
    const columns = now.map((value, j): Unknowns => {
      const d = 1e-6 * Math.max(1, Math.abs(value));
      const moved: Unknowns = [...now];
      moved[j] += d;
      const there = shoot(moved);
      return [0, 1, 2].map((i) => (there[i] - (i === 2 ? shortening : 0) - residual[i]) / d) as Unknowns;
    });
    const change = solve(columns, residual.map((x) => -x) as Unknowns);
    now = now.map((x, i) => x + change[i]) as Unknowns;
    if (Math.max(...change.map(Math.abs)) < 1e-9) return now;
  }
  throw new Error('the pinned strip was not found');
}

interface PinnedStrip {
  readonly shortening: number;
  readonly ratio: number;
  readonly normal: number;
}

let table: readonly PinnedStrip[] | undefined;

/** |H|/N for shortenings from 0.01 to 0.33, where the tip lies flat; along the first buckled shape. Computed once. */
export function pinnedStrip(): readonly PinnedStrip[] {
  if (!table) {
    // linear theory: tan √N = √N
    const q = 4.493409457909064;
    const amplitude = 0.2;
    let now: Unknowns = [amplitude * q, q * q, (q * q * amplitude) / tan(q)];
    table = Array.from({ length: 33 }, (_, k) => {
      const shortening = 0.01 * (k + 1);
      now = follow(now, shortening);
      return { shortening, ratio: Math.abs(now[2]) / now[1], normal: now[1] };
    });
  }
  return table;
}

/** Linear interpolation in the table, in the root of the shortening, along which the ratio is nearly straight. */
export function ratioAt(shortening: number): number {
  const strip = pinnedStrip();
  const k = Math.min(strip.length - 2, Math.max(0, Math.floor(shortening / 0.01) - 1));
  const [a, b] = [strip[k], strip[k + 1]];
  const t = (Math.sqrt(shortening) - Math.sqrt(a.shortening)) / (Math.sqrt(b.shortening) - Math.sqrt(a.shortening));
  return a.ratio + t * (b.ratio - a.ratio);
}

/** Shortening at which the tip slips, for a coefficient of friction from 0.05 to 0.35. */
export function slipAt(friction: number): number {
  let [low, high] = [0.01, 0.33];
  for (let k = 0; k < 50; k++) {
    const middle = 0.5 * (low + high);
    if (ratioAt(middle) < friction) low = middle;
    else high = middle;
  }
  return 0.5 * (low + high);
}
