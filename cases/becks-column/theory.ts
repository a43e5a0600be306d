/**
 * Beck's column: a clamped rod with a force P at its tip that keeps along the tip's tangent. Lateral motion e^{iωt} is possible where
 *
 *   P² + 2ω² + 2ω² cosh λ₁ cos λ₂ + Pω sinh λ₁ sin λ₂ = 0,  λ₁,₂² = √(P²/4 + ω²) ∓ P/2  (L = EI = ρA = 1).
 *
 * Two real frequencies meet at P = 20.05; beyond, ω is complex and the motion grows.
 */
import { cosh as coshOf, cos as cosine, hypot, hypotOf, sin as sine, sinh as sinhOf } from '@tendril-sim/core/math';

type Complex = readonly [number, number];

const add = (a: Complex, b: Complex): Complex => [a[0] + b[0], a[1] + b[1]];
const times = (a: Complex, b: Complex): Complex => [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]];
const scale = (a: Complex, factor: number): Complex => [a[0] * factor, a[1] * factor];
function over(a: Complex, b: Complex): Complex {
  const square = b[0] * b[0] + b[1] * b[1];
  return [(a[0] * b[0] + a[1] * b[1]) / square, (a[1] * b[0] - a[0] * b[1]) / square];
}
function root([x, y]: Complex): Complex {
  const size = hypot(x, y);
  const real = Math.sqrt((size + x) / 2);
  return [real, Math.sign(y || 1) * Math.sqrt((size - x) / 2)];
}
const cosh = ([x, y]: Complex): Complex => [coshOf(x) * cosine(y), sinhOf(x) * sine(y)];
const sinh = ([x, y]: Complex): Complex => [sinhOf(x) * cosine(y), coshOf(x) * sine(y)];
const cos = ([x, y]: Complex): Complex => cosh([-y, x]);
const sin = ([x, y]: Complex): Complex => scale(times([0, -1], sinh([-y, x])), 1);

function characteristic(omega: Complex, force: number): Complex {
  const square = times(omega, omega);
  const middle = root(add(square, [(force * force) / 4, 0]));
  const [first, second] = [root(add(middle, [-force / 2, 0])), root(add(middle, [force / 2, 0]))];
  const hyperbolic = scale(times(square, times(cosh(first), cos(second))), 2);
  const mixed = scale(times(omega, times(sinh(first), sin(second))), force);
  return add(add([force * force, 0], scale(square, 2)), add(hyperbolic, mixed));
}

/** Angular frequency and rate of growth of the motion that grows, for forces beyond the critical one. */
export function growingMode(force: number): { frequency: number; growth: number } {
  let omega: Complex = [11, -2];
  for (let k = 0; k < 100; k++) {
    const value = characteristic(omega, force);
    const d = 1e-6;
    const slope = scale(
      add(characteristic([omega[0] + d, omega[1]], force), scale(characteristic([omega[0] - d, omega[1]], force), -1)),
      0.5 / d,
    );
    const change = over(value, slope);
    omega = add(omega, scale(change, -1));
    if (hypotOf(change) < 1e-12) return { frequency: omega[0], growth: -omega[1] };
  }
  throw new Error(`no growing mode at P = ${force}`);
}
