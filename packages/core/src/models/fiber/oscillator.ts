/**
 * The damped oscillator x″ + 2D x′ + λx = f over one step, in closed form for every regime. [Michels2015 §3.3]
 *
 *     x1 = x0 + kick·v0 + rest·(f − λx0)               one step, f constant
 *     x2 = x1 + decay²·(x1 − x0) + force·(f − λx1)     two steps, exact for every solution
 *
 * `force` is W(λ) = (1 − 2c + e^(−2hD))/λ with c = e^(−hD) cos(h√(λ − D²)). Overdamped modes use both decay rates, s = λ/(D + √(D² − λ)) and 2D − s,
 * so that nothing overflows or cancels.
 * NOTE: the paper has h² sinc² in place of W, which is biased: docs/notes/fiber.md#filter-of-the-force.
 */
import { cos, exp, expm1, sin, square } from '../../math/rounded/index.ts';

export interface Propagator {
  /** e^(−2hD) */
  decay2: number;
  /** W: displacement per constant force in the two-step form [s²]. */
  force: number;
  /** Displacement per constant force in one step from rest [s²]. */
  rest: number;
  /** Displacement by one step of a velocity [s]. */
  kick: number;
  /** e^(−hD) cos(h√(λ − D²)). */
  cosine: number;
}

/** cos√θ and sin√θ/√θ as entire functions of θ, |θ| ≤ 1. */
function series(theta: number): { c: number; s: number } {
  let c = 1;
  let s = 1;
  let term = 1;
  for (let k = 1; k <= 10; k++) {
    term *= -theta / (2 * k - 1);
    c += term / (2 * k);
    term /= 2 * k;
    s += term / (2 * k + 1);
  }
  return { c, s };
}

/** Taylor series of `rest` and `kick` in h, for 2hD + h√λ below 1. */
function taylor(lambda: number, damping: number, h: number): { rest: number; kick: number } {
  let before = 0;
  let now = 1;
  let power = h;
  let kick = h;
  let rest = 0.5 * h * h;
  for (let n = 2; n <= 20; n++) {
    const next = -2 * damping * now - lambda * before;
    before = now;
    now = next;
    power *= h / n;
    kick += now * power;
    rest += (now * power * h) / (n + 1);
  }
  return { rest, kick };
}

/** Writes the propagator of one mode. A negative λ is rounding of a zero one. */
export function propagate(out: Propagator, eigenvalue: number, damping: number, h: number): void {
  const lambda = Math.max(eigenvalue, 0);
  const theta = h * h * (lambda - damping * damping);
  const q = exp(-h * damping);
  out.decay2 = q * q;
  const small = 2 * h * damping + h * Math.sqrt(lambda) < 1 ? taylor(lambda, damping, h) : undefined;
  // both decay rates if there are two; W is computed without their difference, which would lose digits
  const root = Math.sqrt(Math.max(damping * damping - lambda, 0));
  const slow = lambda > 0 ? lambda / (damping + root) : 0;
  const fast = 2 * damping - slow;
  const share = (rate: number): number => (rate * h < 1e-12 ? h : -expm1(-rate * h) / rate);
  if (theta <= 0) out.force = share(slow) * share(fast);
  if (theta < -0.05 && !small) {
    out.cosine = 0.5 * (exp(-h * slow) + exp(-h * fast));
    out.kick = (exp(-h * slow) - exp(-h * fast)) / (2 * root);
    out.rest = (share(slow) - share(fast)) / (2 * root);
    return;
  }
  const angle = Math.sqrt(Math.max(theta, 0));
  const { c, s } = theta <= 1 ? series(theta) : { c: cos(angle), s: sin(angle) / angle };
  out.cosine = q * c;
  out.kick = small ? small.kick : h * q * s;
  out.rest = small ? small.rest : (1 - q * (c + h * damping * s)) / lambda;
  // (1 − q)² + 2q(1 − cos), the last as a square
  if (theta > 0) out.force = (square(expm1(-h * damping)) + 4 * q * square(sin(0.5 * angle))) / lambda;
}

export function createPropagator(): Propagator {
  return { decay2: 0, force: 0, rest: 0, kick: 0, cosine: 0 };
}

/** sin x/x */
export function sinc(x: number): number {
  return Math.abs(x) < 1e-4 ? 1 - (x * x) / 6 : sin(x) / x;
}
