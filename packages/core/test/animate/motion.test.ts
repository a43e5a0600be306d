/** Properties that change smoothly keep the order of the schemes: motions against equations integrated by themselves. */
import { describe, expect, it } from 'vitest';
import { createWorld, type ModelId, type RodSpec, type Scene, type World } from '../../src/index.ts';

function run(scene: Scene, steps: number, duration: number): World {
  const world = createWorld(scene);
  for (let k = 0; k < steps; k++) {
    const report = world.step(duration / steps);
    expect(report.energyGain).toBeUndefined();
    expect(report.momentumGain).toBeUndefined();
    expect(report.substeps).toBe(1);
  }
  return world;
}

/** Runge and Kutta's method of fourth order. */
function integrate(
  rate: (t: number, y: readonly number[]) => number[],
  start: readonly number[],
  end: number,
): number[] {
  const steps = 2000;
  const h = end / steps;
  let y = [...start];
  const add = (a: readonly number[], b: readonly number[], s: number): number[] => a.map((x, k) => x + s * b[k]);
  for (let n = 0; n < steps; n++) {
    const t = n * h;
    const k1 = rate(t, y);
    const k2 = rate(t + h / 2, add(y, k1, h / 2));
    const k3 = rate(t + h / 2, add(y, k2, h / 2));
    const k4 = rate(t + h, add(y, k3, h));
    y = y.map((x, k) => x + (h / 6) * (k1[k] + 2 * k2[k] + 2 * k3[k] + k4[k]));
  }
  return y;
}

describe('a stretched chain whose properties all change', () => {
  const [E, density, radius, mass, stiffness, force] = [25e3, 1000, 0.01, 0.8, 0.01, 1];
  const animate = {
    E: { formula: '1 + 0.5*sin(5*t)' },
    density: { formula: '1 + 0.3*t' },
    length: { formula: '1 + 0.3*t^2' },
    radius: { formula: '1 + 0.1*sin(4*t)' },
    massDamping: { formula: '1 + t' },
    stiffnessDamping: { formula: '1 + 2*t' },
  };
  const scene = (model: ModelId): Scene => ({
    tendril: 1,
    rods: [
      {
        id: 'chain',
        model,
        shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
        edges: 2,
        section: { type: 'circle', radius },
        material: { E, G: E, density, damping: { mass, stiffness } },
        animate,
      },
    ],
    pins: [{ rod: 'chain', at: 'start', hold: 'position' }],
    loads: [{ type: 'force', rod: 'chain', at: 'end', force: [force, 0, 0] }],
  });
  /** Positions and velocities of the two nodes that move. */
  const solve = (duration: number): number[] =>
    integrate(
      (t, [x1, x2, v1, v2]) => {
        const r = radius * (1 + 0.1 * Math.sin(4 * t));
        const area = Math.PI * r * r;
        const l = 0.5 * (1 + 0.3 * t * t);
        const k = (E * (1 + 0.5 * Math.sin(5 * t)) * area) / l;
        const m = density * (1 + 0.3 * t) * area * l;
        const beta = stiffness * (1 + 2 * t);
        const alpha = mass * (1 + t);
        const first = k * (x1 - l + beta * v1);
        const second = k * (x2 - x1 - l + beta * (v2 - v1));
        return [v1, v2, (second - first) / m - alpha * v1, (force - second) / (m / 2) - alpha * v2];
      },
      [0.5, 1, 0, 0],
      duration,
    );

  it.each(['der', 'cosserat'] as const)(
    'moves by its equations in the model %s, with an error of second order',
    (model) => {
      const [x1, x2] = solve(1);
      const errorOf = (steps: number): number => {
        const x = run(scene(model), steps, 1).samples[0].nodePosition;
        return Math.hypot(x[3] - x1, x[6] - x2);
      };
      const [coarse, fine] = [errorOf(100), errorOf(200)];
      expect(fine).toBeLessThan(1e-3);
      expect(coarse / fine).toBeGreaterThan(3.5);
      expect(coarse / fine).toBeLessThan(4.6);
    },
  );
});

describe('a pendulum that grows', () => {
  const edges = 4;
  const scene = (more: Partial<RodSpec> = {}): Scene => ({
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [
      {
        id: 'rod',
        shape: { type: 'straight', from: [0, 0, 0], to: [0.6, 0, -0.8] },
        edges,
        section: { type: 'stiffness', EI1: 1e5, GJ: 1e5, mass: 1, inertia: 1e-3, radius: 0.01 },
        animate: { length: { formula: '1 + 0.2*t^3' } },
        ...more,
      },
    ],
    pins: [{ rod: 'rod', at: 'start', hold: 'position' }],
  });
  /** The angle from the vertical: s θ″ + 2 s′ θ′ = −g sin θ, weighed by the masses at s; mass that is added moves with the rod. */
  const angleAt = (end: number): number => {
    let moment = 0;
    let inertia = 0;
    for (let i = 1; i <= edges; i++) {
      const m = i < edges ? 1 : 0.5;
      moment += (m * i) / edges;
      inertia += m * (i / edges) ** 2;
    }
    const [theta] = integrate(
      (t, [angle, rate]) => {
        const f = 1 + 0.2 * t ** 3;
        return [rate, -((2 * 0.6 * t * t) / f) * rate - ((9.81 * moment) / (inertia * f)) * Math.sin(angle)];
      },
      [Math.atan2(0.6, 0.8), 0],
      end,
    );
    return theta;
  };

  it('swings as its equation says, with an error of second order', () => {
    const end = 1.5;
    const wanted = angleAt(end);
    const errorOf = (steps: number): number => {
      const x = run(scene(), steps, end).samples[0].nodePosition;
      const o = 3 * edges;
      expect(Math.hypot(x[o], x[o + 1], x[o + 2])).toBeCloseTo(1 + 0.2 * end ** 3, 6);
      return Math.abs(Math.atan2(x[o], -x[o + 2]) - wanted);
    };
    const [coarse, fine] = [errorOf(100), errorOf(200)];
    expect(fine).toBeLessThan(1e-3);
    expect(coarse / fine).toBeGreaterThan(3.5);
    expect(coarse / fine).toBeLessThan(4.6);
  });
});
