/** What is asked of the contact port of every model with unknowns of its own: the same scenes, the same bounds. */
import { describe, expect, it } from 'vitest';
import { createWorld, type ModelId, type Scene } from '../../src/index.ts';
import type { ContactPort, Model } from '../../src/model.ts';
import { compileScene } from '../../src/scene/compileScene.ts';
import { bent, sidesOf } from './support.ts';

const h = 1 / 300;
const marks = Uint8Array.of(1);
const size = 12;

const arc = (model: Model, solver: Scene['solver']): Scene => ({
  tendril: 1,
  gravity: [1, 2, -5],
  rods: [{ ...bent, model: model.id }],
  pins: [{ rod: 'rod', at: 'start' }],
  solver,
});

const unit = (k: number, value: number): Float64Array => {
  const out = new Float64Array(size);
  out[k] = value;
  return out;
};

/** Its linear response is that of the step, and it takes point masses. */
export function describePort(title: string, model: Model, solver: Scene['solver'] = {}): void {
  const scene = arc(model, solver);
  const sides = sidesOf([
    { rod: 0, edge: 0, weight: 0.3, arm: [0, 0.001, 0] },
    { rod: 0, edge: 4, weight: 1 },
    { rod: 0, edge: 4, weight: 0.2 },
    { rod: 0, edge: 7, weight: 0.5, arm: [0, 0.001, 0] },
  ]);
  /** A port of its own that has taken a step under the sides' forces. */
  const step = (): ContactPort => {
    const { rods, drives, bodies, welds } = compileScene(scene);
    const { contact: port } = model.compile(rods, drives, scene, { bodies, welds });
    if (!port) throw new Error('no port');
    port.hold();
    expect(port.step(marks, sides, { t: 0, dt: h, robust: false }).ok).toBe(true);
    return port;
  };
  const velocities = (force: Float64Array): Float64Array => {
    sides.force.set(force);
    const out = new Float64Array(size);
    step().readVelocity(out, sides);
    return out;
  };
  const prepare = (): { port: ContactPort; response: Float64Array } => {
    sides.force.fill(0);
    sides.mass.fill(0);
    const port = step();
    const response = new Float64Array(4);
    expect(
      port.linearize({ velocity: new Float64Array(size), response }, marks, sides, { t: 0, dt: h, fresh: false }),
    ).toBe(true);
    expect(port.factor(marks, sides)).toBe(true);
    return { port, response };
  };
  const solve = (port: ContactPort, right: Float64Array): Float64Array => {
    const out = new Float64Array(size);
    port.solve(out, right, sides);
    return out;
  };

  describe(title, () => {
    it('responds to a small force as the linear response says', () => {
      const { port, response } = prepare();
      for (let k = 0; k < size; k++) {
        const plus = velocities(unit(k, 1e-4));
        const minus = velocities(unit(k, -1e-4));
        const linear = solve(port, unit(k, 1));
        const scale = Math.max(...linear.map(Math.abs));
        expect(scale).toBeGreaterThan(0.01);
        for (let i = 0; i < size; i++)
          expect(Math.abs(linear[i] - (plus[i] - minus[i]) / (2e-4 * h)) / scale).toBeLessThan(2e-3);
      }
      for (let c = 0; c < 4; c++) {
        let trace = 0;
        for (let k = 0; k < 3; k++) trace += solve(port, unit(3 * c + k, 1))[3 * c + k] / 3;
        expect(response[c] / trace).toBeCloseTo(1, 8);
      }
    });

    it('takes point masses: (W⁻¹ + ρ)⁻¹ in place of W', () => {
      const { port, response } = prepare();
      const impulse = Float64Array.from({ length: size }, (_, k) => Math.sin(3 * k + 1));
      const bare = Array.from({ length: size }, (_, k) => solve(port, unit(k, 1)));
      const rho = Float64Array.from(response, (w) => 0.7 / w);
      sides.mass.set(rho);
      expect(port.factor(marks, sides)).toBe(true);
      const heavy = solve(port, impulse);
      const scale = Math.max(...heavy.map(Math.abs));
      for (let i = 0; i < size; i++) {
        let sum = 0;
        for (let k = 0; k < size; k++) sum += bare[k][i] * (impulse[k] - rho[Math.floor(k / 3)] * heavy[k]);
        expect(Math.abs(heavy[i] - sum) / scale).toBeLessThan(1e-6);
      }
    });
  });
}

/** A strand that is held at its root and falls on a ball. */
export function strandOverBall(model: ModelId, damping: number, solver: Scene['solver'] = {}): Scene {
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [
      {
        id: 'a',
        model,
        inextensible: true,
        shape: { type: 'straight', from: [0, 0, 0.1], to: [0.3, 0, 0.1] },
        edges: 20,
        section: { type: 'circle', radius: 0.002 },
        material: { E: 1e7, nu: 0.3, density: 1000, damping: { mass: 6, stiffness: damping } },
      },
    ],
    pins: [{ rod: 'a', at: 'start' }],
    colliders: [{ type: 'sphere', radius: 0.05, position: [0.12, 0.01, 0], friction: 0.3 }],
    time: { duration: 1, step: 0.005 },
    solver,
  };
}

/** It lies on the ball as Discrete Elastic Rods do; `solvers`: those with which states are restored. */
export function describeStrand(
  model: ModelId,
  damping: number,
  steps: number,
  solvers: readonly NonNullable<Scene['solver']>[],
): void {
  describe('a strand and obstacles', () => {
    it('lies on a sphere as Discrete Elastic Rods do, and never goes through it', () => {
      const own = createWorld(strandOverBall(model, damping));
      const der = createWorld(strandOverBall('der', damping));
      let least = 1;
      let unbalanced = 0;
      let before = own.momentum().linear[2];
      for (let k = 0; k < steps; k++) {
        own.step();
        der.step();
        // in contact, steps are implicit Euler: weight, drag, pin and sphere make all of the change of momentum
        const { mass, linear } = own.momentum();
        const forces = own.contactForces();
        const held = forces.reduce((sum, { force }) => sum + force[2], own.reactions()[0].force[2]);
        const missing = held - 9.81 * mass - 6 * linear[2] - (linear[2] - before) / 0.005;
        before = linear[2];
        if (forces.length > 0) unbalanced = Math.max(unbalanced, Math.abs(missing) / (9.81 * mass));
        const { nodePosition: x } = own.samples[0];
        for (let i = 0; i < x.length; i += 3)
          least = Math.min(least, Math.hypot(x[i] - 0.12, x[i + 1] - 0.01, x[i + 2]) - 0.052);
      }
      expect(own.contactReport?.contacts).toBeGreaterThan(0);
      expect(least).toBeGreaterThan(-1e-4);
      const [a, b] = [own, der].map((world) => world.samples[0].nodePosition.slice(-3));
      expect(Math.hypot(...a.map((x, k) => x - b[k]))).toBeLessThan(0.001);
      expect(unbalanced).toBeLessThan(1e-6);
    });

    it.each(solvers)('restores bit for bit (%o)', (solver) => {
      const input = strandOverBall(model, damping, solver);
      const world = createWorld(input);
      for (let k = 0; k < 30; k++) world.step();
      const saved = world.save();
      for (let k = 0; k < 10; k++) world.step();
      const other = createWorld(input);
      other.restore(saved);
      for (let k = 0; k < 10; k++) other.step();
      expect(other.hash()).toBe(world.hash());
      expect(world.contactForces().length).toBeGreaterThan(0);
    });
  });
}
