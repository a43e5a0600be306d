/** Gradient, Hessian and Newton direction of all that a stage minimises, against differences; velocities and accelerations too. */
import { describe, expect, it } from 'vitest';
import { writeBiasAcceleration } from '../../src/models/helix/acceleration.ts';
import {
  addTorqueForce,
  collectGradient,
  evaluateLoads,
  fillAssembly,
  fillDiagonal,
  type Stage,
  type Workspace,
} from '../../src/models/helix/energy.ts';
import { poseEdges, poseRod, writeAllJacobians, writeVelocities } from '../../src/models/helix/kinematics.ts';
import { evaluateEnergy } from '../../src/models/helix/potential.ts';
import type { HelixRod } from '../../src/models/helix/rod.ts';
import { readDirectors } from '../../src/models/helix/step.ts';
import { factorRod, solveRod, writeDense } from '../../src/models/helix/sweep.ts';
import { createRandom, fillRandom, makeRod, relativeError, scene } from './rods.ts';

/** Curvatures from next to nothing to more than a turn an element. */
const cases: { edges: number; elements: number; size: number; inertia: number; held?: boolean }[] = [
  { edges: 2, elements: 1, size: 4, inertia: 30 },
  { edges: 4, elements: 4, size: 1e-6, inertia: 30 },
  { edges: 4, elements: 4, size: 0, inertia: 0 },
  { edges: 5, elements: 5, size: 10, inertia: 0 },
  { edges: 5, elements: 5, size: 60, inertia: 30 },
  { edges: 9, elements: 4, size: 20, inertia: 30 },
  { edges: 12, elements: 5, size: 5, inertia: 0 },
  { edges: 5, elements: 5, size: 10, inertia: 0, held: true },
  { edges: 9, elements: 4, size: 3, inertia: 30, held: true },
];

function prepare(
  { edges, elements, size, inertia, held }: (typeof cases)[number],
  seed: number,
): { h: HelixRod; w: Workspace; stage: Stage } {
  const { h, w } = makeRod(
    scene(edges, {
      loads: [{ type: 'force', rod: 'a', at: 'end', force: [1, -2, 0.5] }],
      fields: [{ type: 'air', linear: [0.4, 0.1], wind: [1, 2, -1] }],
      ...(held && {
        pins: [
          { rod: 'a', at: 'start' as const },
          { rod: 'a', at: 'end' as const },
        ],
      }),
    }),
    elements,
  );
  const random = createRandom(seed);
  fillRandom(h.q, random, size);
  fillRandom(h.kappaRest, random, 5);
  fillRandom(w.kappaBefore, random, 5);
  for (const array of [w.target, w.before]) fillRandom(array, random, 1);
  fillRandom(w.directorTarget, random, 2);
  if (h.hold) {
    fillRandom(h.hold.multiplier, random, 9);
    fillRandom(h.hold.position, random, 1);
    h.hold.stiffness = 7;
    h.hold.turning = 3;
  }
  h.elementDamping.fill(0.3);
  h.nodeDamping.fill(0.7);
  const stage = { t: 0, inertia, rate: inertia > 0 ? 5 : 0 };
  poseRod(h, h.q);
  evaluateLoads(h, w, stage);
  // away from where loads were frozen, so that drag counts
  fillRandom(w.anchor, random, 0.5);
  return { h, w, stage };
}

function gradientAt(h: HelixRod, w: Workspace, stage: Stage, kappa: Float64Array): Float64Array {
  poseRod(h, kappa);
  writeAllJacobians(h);
  fillAssembly(h, w, stage);
  fillDiagonal(h, w, stage, 0);
  factorRod(h, w.assembly, 'count-negative', 'geometric');
  collectGradient(h, w, stage);
  return w.gradient.slice();
}

/** Fourth-order central difference of a vector function in direction d. */
function difference(f: (x: Float64Array) => Float64Array, at: Float64Array, d: number, step: number): Float64Array {
  const value = (k: number): Float64Array => {
    const x = at.slice();
    x[d] += k * step;
    return f(x);
  };
  const [a, b, c, e] = [-2, -1, 1, 2].map(value);
  return a.map((_, r) => (a[r] - 8 * b[r] + 8 * c[r] - e[r]) / (12 * step));
}

describe.each(cases)(
  '$elements elements on $edges edges, curvatures to $size, inertia $inertia, held $held',
  (subject) => {
    const { h, w, stage } = prepare(subject, 7 + subject.elements);
    const at = h.q.slice();
    const n = at.length;

    it('have the gradient of their energy', () => {
      const gradient = gradientAt(h, w, stage, at);
      const energyAt = (x: Float64Array): Float64Array => {
        poseRod(h, x);
        return Float64Array.of(evaluateEnergy(h, w, stage));
      };
      const numeric = Float64Array.from({ length: n }, (_, d) => difference(energyAt, at, d, 2e-3)[0]);
      expect(Math.hypot(...gradient)).toBeGreaterThan(0.1);
      expect(relativeError(numeric, gradient)).toBeLessThan(1e-7);
    });

    it('have the Hessian of their energy, and the sweep solves with it', () => {
      const dense = new Float64Array(n * n);
      gradientAt(h, w, stage, at);
      writeDense(dense, h, w.assembly, 'geometric');
      const numeric = new Float64Array(n * n);
      for (let d = 0; d < n; d++) {
        const column = difference((x) => gradientAt(h, w, stage, x), at, d, 2e-3);
        for (let r = 0; r < n; r++) numeric[r * n + d] = column[r];
      }
      // what the loads and the inertia add, not the elastic diagonal alone
      let beyond = 0;
      for (let r = 0; r < n; r++) for (let c = 0; c < r; c++) beyond = Math.max(beyond, Math.abs(dense[r * n + c]));
      expect(beyond).toBeGreaterThan(1e-3);
      expect(relativeError(numeric, dense)).toBeLessThan(1e-7);
      // H (H⁻¹ b) = b
      gradientAt(h, w, stage, at);
      const b = Float64Array.from({ length: n }, (_, d) => Math.sin(1 + d));
      const x = b.slice();
      solveRod(h, w.assembly, x);
      const image = b.map((_, r) => x.reduce((sum, value, c) => sum + dense[r * n + c] * value, 0));
      expect(relativeError(image, b)).toBeLessThan(1e-9);
    });

    it('moves and accelerates its nodes as differences in time say', () => {
      const random = createRandom(99);
      const rate = h.v;
      fillRandom(rate, random, 3);
      const still = new Float64Array(6);
      const positionAt = (t: Float64Array): Float64Array => {
        poseRod(
          h,
          at.map((kappa, d) => kappa + t[0] * rate[d]),
        );
        return h.nodePosition.slice();
      };
      const velocityAt = (t: Float64Array): Float64Array => {
        positionAt(t);
        writeAllJacobians(h);
        const out = new Float64Array(3 * h.nodeCount);
        writeVelocities(h, rate, still, out, undefined, undefined);
        return out;
      };
      const zero = Float64Array.of(0);
      const velocity = velocityAt(zero);
      expect(Math.hypot(...velocity)).toBeGreaterThan(0.01);
      expect(relativeError(difference(positionAt, zero, 0, 1e-3), velocity)).toBeLessThan(1e-9);
      const numeric = difference(velocityAt, zero, 0, 1e-3);
      positionAt(zero);
      writeAllJacobians(h);
      const acceleration = new Float64Array(3 * h.nodeCount);
      const directors = new Float64Array(6 * h.nodeCount);
      writeBiasAcceleration(acceleration, directors, h, rate, still, still);
      expect(relativeError(numeric, acceleration)).toBeLessThan(1e-8);
      const directorAt = (t: Float64Array): Float64Array => {
        positionAt(t);
        const out = new Float64Array(6 * h.nodeCount);
        readDirectors(out, h);
        return out;
      };
      const step = 1e-3;
      const [a, b, c] = [-step, 0, step].map((t) => directorAt(Float64Array.of(t)));
      const second = a.map((_, k) => (a[k] - 2 * b[k] + c[k]) / step ** 2);
      expect(relativeError(second, directors)).toBeLessThan(1e-4);
    });

    it('gives loads the power that they have on samples', () => {
      // of loads alone
      if (h.hold) Object.assign(h.hold, { stiffness: 0, turning: 0, multiplier: h.hold.multiplier.fill(0) });
      const random = createRandom(5);
      fillRandom(h.loads.nodeForce, random, 3);
      fillRandom(h.loads.edgeTorque, random, 3);
      fillRandom(h.v, random, 3);
      poseRod(h, at);
      poseEdges(h);
      writeAllJacobians(h);
      const still = new Float64Array(6);
      const velocity = new Float64Array(3 * h.nodeCount);
      writeVelocities(h, h.v, still, velocity, undefined, h.samples.edgeSpin);
      let power = velocity.reduce((sum, value, k) => sum + value * h.loads.nodeForce[k], 0);
      const force = new Float64Array(n);
      // forces through the sweep, torques through their own pass
      w.assembly.hasEdgeMoment = false;
      fillAssembly(h, w, { t: 0, inertia: 0, rate: 0 });
      factorRod(h, w.assembly, 'count-negative', 'geometric');
      for (let d = 0; d < n; d++) force[d] = -w.assembly.gradient[d];
      addTorqueForce(force, h, h.loads.edgeTorque);
      // spin of the edge's frame: about the tangent as the sample says, across it from the tangent's own motion
      const frames = (t: number): Float64Array => {
        poseRod(
          h,
          at.map((kappa, d) => kappa + t * h.v[d]),
        );
        poseEdges(h);
        return h.edgeFrame.slice();
      };
      const step = 1e-5;
      const [before, now, after] = [-step, 0, step].map(frames);
      for (let j = 0; j < h.edgeCount; j++) {
        const column = (array: Float64Array): number[] => [2, 5, 8].map((k) => array[9 * j + k]);
        const t = column(now);
        const rate = column(after).map((x, k) => (x - column(before)[k]) / (2 * step));
        for (let k = 0; k < 3; k++) {
          const across = t[(k + 1) % 3] * rate[(k + 2) % 3] - t[(k + 2) % 3] * rate[(k + 1) % 3];
          power += h.loads.edgeTorque[3 * j + k] * (across + h.samples.edgeSpin[j] * t[k]);
        }
      }
      const generalized = force.reduce((sum, value, d) => sum + value * h.v[d], 0);
      expect(Math.abs(power)).toBeGreaterThan(1e-2);
      expect(Math.abs(generalized / power - 1)).toBeLessThan(1e-6);
    });
  },
);

describe('torques on edges', () => {
  it('have the symmetric part of the stiffness that a dead torque has', () => {
    for (const [edges, elements] of [
      [6, 6],
      [9, 4],
    ]) {
      const { h, w } = makeRod(scene(edges, { gravity: undefined }), elements);
      const random = createRandom(3);
      fillRandom(h.q, random, 8);
      fillRandom(h.loads.edgeTorque, random, 3);
      const torque = h.loads.edgeTorque.slice();
      const n = h.q.length;
      const forceAt = (kappa: Float64Array): Float64Array => {
        poseRod(h, kappa);
        poseEdges(h);
        writeAllJacobians(h);
        const out = new Float64Array(n);
        addTorqueForce(out, h, torque);
        return out;
      };
      const numeric = new Float64Array(n * n);
      for (let d = 0; d < n; d++) {
        const column = difference(forceAt, h.q, d, 2e-3);
        for (let r = 0; r < n; r++) {
          numeric[r * n + d] -= 0.5 * column[r];
          numeric[d * n + r] -= 0.5 * column[r];
        }
      }
      forceAt(h.q);
      const source = {
        dependsOnState: true,
        potential: () => 0,
        addLoads: (loads: { edgeTorque: Float64Array }) => loads.edgeTorque.set(torque),
      };
      (h.drive.sources as unknown[]).push(source);
      const stage: Stage = { t: 0, inertia: 0, rate: 0 };
      evaluateLoads(h, w, stage);
      writeAllJacobians(h);
      fillAssembly(h, w, stage);
      w.assembly.diagonal.fill(0);
      const dense = new Float64Array(n * n);
      writeDense(dense, h, w.assembly, 'geometric');
      expect(Math.hypot(...dense)).toBeGreaterThan(1e-3);
      expect(relativeError(dense, numeric)).toBeLessThan(1e-7);
    }
  });
});
