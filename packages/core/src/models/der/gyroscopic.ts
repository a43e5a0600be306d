/**
 * Contribution of a body's spin to its rotation block s²·I: the change of L with the rotation R and with dexp_ψ. It is not symmetric, but the bodies'
 * matrix must be: its factor decides whether a step goes downhill. So the solution is refined, x ← S⁻¹(b − Gx), which converges like (½|ω|h)ⁿ and costs
 * almost nothing compared with evaluating a rod. Left to Newton alone, that factor costs iterations of the whole system: 7 per step of implicit Euler at
 * ωh = ¼, instead of 2.
 */
import { cos, sin, tan } from '../../math/rounded/index.ts';
import type { DerBody } from './body.ts';
import type { System } from './welds.ts';

const turn = new Float64Array(3);
const rate = new Float64Array(3);
const across = new Float64Array(3);
const twice = new Float64Array(3);
const first = new Float64Array(3);
const second = new Float64Array(3);

function cross(out: Float64Array, a: ArrayLike<number>, b: ArrayLike<number>): void {
  const x = a[1] * b[2] - a[2] * b[1];
  const y = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
  out[0] = x;
  out[1] = y;
}

/**
 * Derivative of s·L by a rotation of the body, less s²·I: 3 × 3 at `o`. With δψ = dexp⁻¹_ψ φ,
 *     δL = φ × L − I(φ × ω) + I δω,
 *     δω = sφ + c1 δψ×ψ̇ + c2(δψ×(ψ×ψ̇) + ψ×(δψ×ψ̇)) + δc1 ψ×ψ̇ + δc2 ψ×(ψ×ψ̇).
 */
export function writeGyroscopic(out: Float64Array, o: number, der: DerBody, s: number): void {
  const { psi, psiRate, momentum, worldInertia } = der;
  const { angularVelocity } = der.pose;
  const a2 = psi[0] * psi[0] + psi[1] * psi[1] + psi[2] * psi[2];
  const angle = Math.sqrt(a2);
  const c1 = angle < 1e-3 ? 0.5 - a2 / 24 : (1 - cos(angle)) / a2;
  const c2 = angle < 1e-2 ? 1 / 6 - a2 / 120 : (angle - sin(angle)) / (a2 * angle);
  const c3 = angle < 1e-2 ? 1 / 12 + a2 / 720 : (1 - angle / (2 * tan(angle / 2))) / a2;
  // derivatives of both with respect to |ψ|, divided by |ψ|
  const change1 = angle < 0.1 ? -1 / 12 + a2 / 180 : (angle * sin(angle) - 2 * (1 - cos(angle))) / (a2 * a2);
  const change2 = angle < 0.1 ? -1 / 60 + a2 / 1260 : (1 - cos(angle) - 3 * c2 * a2) / (a2 * a2);
  for (let k = 0; k < 3; k++) rate[k] = s * (psi[k] - psiRate[k]);
  cross(across, psi, rate);
  cross(twice, psi, across);
  for (let b = 0; b < 3; b++) {
    turn.fill(0);
    turn[b] = 1;
    cross(first, turn, momentum);
    for (let a = 0; a < 3; a++) out[o + 3 * a + b] = s * first[a];
    cross(second, turn, angularVelocity);
    // δψ into `turn`
    cross(first, psi, turn);
    for (let k = 0; k < 3; k++) turn[k] -= 0.5 * first[k];
    cross(first, psi, first);
    for (let k = 0; k < 3; k++) turn[k] += c3 * first[k];
    const along = psi[0] * turn[0] + psi[1] * turn[1] + psi[2] * turn[2];
    cross(first, turn, rate);
    for (let k = 0; k < 3; k++) second[k] = c1 * first[k] - second[k];
    cross(first, psi, first);
    for (let k = 0; k < 3; k++) second[k] += c2 * first[k];
    cross(first, turn, across);
    for (let k = 0; k < 3; k++) second[k] += c2 * first[k] + along * (change1 * across[k] + change2 * twice[k]);
    for (let a = 0; a < 3; a++)
      for (let k = 0; k < 3; k++) out[o + 3 * a + b] += s * worldInertia[3 * a + k] * second[k];
  }
}

/** Maximum number of refinement passes; it stops when a change is below a millionth of the step. */
const PASSES = 12;

/**
 * Refines the bodies' step x in outerRight, which solved S x = right, for the spins' share G. `solve` solves with the
 * factor of S in place. If a body spins so fast that this would not converge, x is unchanged.
 */
export function refineSpin(
  system: System,
  right: Float64Array,
  s: number,
  solve: (system: System, x: Float64Array) => void,
): void {
  const { bodies, gyroscopic, outerRight: x, outerStart, outerTrial } = system;
  let spinning = false;
  for (let b = 0; b < bodies.length; b++) {
    const { worldInertia } = bodies[b];
    writeGyroscopic(gyroscopic, 9 * b, bodies[b], s);
    const size = s * s * (worldInertia[0] + worldInertia[4] + worldInertia[8]);
    for (let k = 0; k < 9; k++) if (Math.abs(gyroscopic[9 * b + k]) > 1e-4 * size) spinning = true;
  }
  if (!spinning) return;
  outerStart.set(x);
  let before = Infinity;
  for (let pass = 0; pass < PASSES; pass++) {
    outerTrial.set(right);
    for (let b = 0; b < bodies.length; b++) {
      const { free } = bodies[b].body;
      for (let a = 0; a < 3; a++) {
        if (!free[3 + a]) continue;
        for (let k = 0; k < 3; k++) outerTrial[6 * b + 3 + a] -= gyroscopic[9 * b + 3 * a + k] * x[6 * b + 3 + k];
      }
    }
    solve(system, outerTrial);
    let change = 0;
    let size = 0;
    for (let i = 0; i < x.length; i++) {
      if (i % 6 < 3) continue;
      change = Math.max(change, Math.abs(outerTrial[i] - x[i]));
      size = Math.max(size, Math.abs(outerTrial[i]));
    }
    if (!(change <= 0.7 * before)) {
      x.set(outerStart);
      return;
    }
    x.set(outerTrial);
    if (change <= 1e-6 * size) return;
    before = change;
  }
}
