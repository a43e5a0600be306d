import { describe, expect, it } from 'vitest';
import { dampingOf } from '../../src/models/fiber/deti.ts';
import { createModalBasis, placeNatural } from '../../src/models/fiber/modalBasis.ts';
import { createPropagator, propagate } from '../../src/models/fiber/oscillator.ts';
import { hairScene, makeFiber } from './fibers.ts';

/** exp of h[[0, 1, 0], [−λ, −2D, 1], [0, 0, 0]] by scaling and squaring: columns are x, v and a constant force. */
function exact(lambda: number, damping: number, h: number): number[][] {
  const scale = h * (1 + Math.sqrt(lambda)) * (1 + Math.sqrt(lambda)) + 2 * damping * h;
  const halvings = Math.max(0, Math.ceil(Math.log2(scale)) + 8);
  const s = h / 2 ** halvings;
  const a = [
    [0, s, 0],
    [-lambda * s, -2 * damping * s, s],
    [0, 0, 0],
  ];
  const times = (p: number[][], q: number[][]): number[][] =>
    p.map((row) => [0, 1, 2].map((j) => row.reduce((sum, value, k) => sum + value * q[k][j], 0)));
  const sum = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  let term = sum.map((row) => [...row]);
  for (let n = 1; n < 12; n++) {
    term = times(term, a).map((row) => row.map((value) => value / n));
    sum.forEach((row, i) => {
      row.forEach((_, j) => {
        row[j] += term[i][j];
      });
    });
  }
  let out = sum;
  for (let k = 0; k < halvings; k++) out = times(out, out);
  return out;
}

describe('the damped oscillator', () => {
  const p = createPropagator();
  const regimes = [0, 1e-8, 0.3, 2.3, 40, 1e4].flatMap((lambda) =>
    [0, 1e-6, 0.01, 0.4, 1.5165750888, 3, 60].map((damping) => ({ lambda, damping })),
  );

  it.each([1e-3, 0.1, 2])('is exact under-, critically and overdamped at h = %s', (h) => {
    for (const { lambda, damping } of regimes) {
      propagate(p, lambda, damping, h);
      const one = exact(lambda, damping, h);
      const size = Math.max(1, Math.abs(one[0][1]));
      expect(Math.abs(p.kick - one[0][1]) / size, `kick ${lambda} ${damping}`).toBeLessThan(1e-11);
      expect(Math.abs(p.rest - one[0][2]) / (h * h), `rest ${lambda} ${damping}`).toBeLessThan(1e-10);
      expect(Math.abs(1 - lambda * p.rest - one[0][0]), `shape ${lambda} ${damping}`).toBeLessThan(1e-10);
      // two steps: x2 = x1 + decay²(x1 − x0) + W(f − λx1) for any start
      const [x0, v0, f] = [0.7, -0.4, 1.3];
      const x1 = one[0][0] * x0 + one[0][1] * v0 + one[0][2] * f;
      const v1 = one[1][0] * x0 + one[1][1] * v0 + one[1][2] * f;
      const x2 = one[0][0] * x1 + one[0][1] * v1 + one[0][2] * f;
      const found = x1 + p.decay2 * (x1 - x0) + p.force * (f - lambda * x1);
      expect(Math.abs(found - x2) / Math.max(1, Math.abs(x2)), `force ${lambda} ${damping}`).toBeLessThan(
        // the reference loses digits by squaring where the step is many periods
        1e-10 * Math.max(1, (h * Math.sqrt(lambda)) / 20),
      );
    }
  });

  it('does not overflow however strong the damping', () => {
    propagate(p, 4, 800, 1);
    expect(p.kick).toBeCloseTo(Math.exp(-1 / 400) / 1600, 8);
    expect(p.force * 4).toBeCloseTo(-Math.expm1(-4 / 1600), 8);
  });

  it('has the printed bias of the paper where its filter is put back', () => {
    // fixed point of h² sinc² over the true one: cos²(hω/2) at D = 0
    const [h, omega] = [1, 1];
    propagate(p, omega * omega, 0, h);
    const printed = h * h * (Math.sin(h * omega) / (h * omega)) ** 2;
    expect(printed / p.force).toBeCloseTo(Math.cos(0.5) ** 2, 12);
  });
});

describe('modes of a hair', () => {
  const fiber = makeFiber(hairScene(0.25, 12));
  const basis = createModalBasis(fiber, placeNatural(fiber).rotation, 'eigenbasis');
  const p = createPropagator();

  it('have the frequencies of the beam', () => {
    const omega = [...basis.eigenvalues].map(Math.sqrt);
    // every bending mode twice
    for (const [k, value] of [1.5175, 9.51, 26.628].entries()) {
      expect(Math.abs(omega[2 * k] / value - 1)).toBeLessThan(0.01);
      expect(omega[2 * k + 1]).toBeCloseTo(omega[2 * k], 6);
    }
  });

  it.each([[0.5], [10], [100], [0, 1e-3], [1, 1e-4, 1e-9]])(
    'follow the analytic solution for 300 steps, damping %s %s %s',
    (...alpha) => {
      const h = 1e-3;
      expect(h * Math.sqrt(basis.eigenvalues[basis.count - 1])).toBeGreaterThan(50);
      let worst = 0;
      for (const lambda of basis.eigenvalues) {
        const D = dampingOf(alpha, lambda);
        propagate(p, lambda, D, h);
        // released at rest: x = e^(−Dt)(cos Kt + D sin Kt/K)
        const at = (t: number): number => {
          const square = lambda - D * D;
          if (square > 0) {
            const K = Math.sqrt(square);
            return Math.exp(-D * t) * (Math.cos(K * t) + (D * Math.sin(K * t)) / K);
          }
          const g = Math.sqrt(-square);
          const slow = lambda / (D + g);
          return ((D + g) * Math.exp(-slow * t) - (D - g) * Math.exp(-(D + g) * t)) / (2 * g);
        };
        let [before, now] = [1, 1 - lambda * p.rest];
        for (let n = 1; n < 300; n++) {
          worst = Math.max(worst, Math.abs(now - at(n * h)));
          [before, now] = [now, now + p.decay2 * (now - before) - p.force * lambda * now];
        }
      }
      expect(worst).toBeLessThan(1e-10);
      expect(worst).toBeGreaterThan(0);
    },
  );
});
