import { describe, expect, it } from 'vitest';
import { rotate, writeRotation } from '../../src/bodies/body.ts';
import { createBorderedBand, readEntry } from '../../src/linalg/bandMatrix.ts';
import { quaternionFromRotation } from '../../src/math/quaternion.ts';
import { addElasticGradient, addElasticHessian } from '../../src/models/der/energy.ts';
import { addHeldHessian, writeHeldTorque } from '../../src/models/der/held.ts';
import { followCenterline, turnHeldFrames } from '../../src/models/der/kinematics.ts';
import type { DerRod } from '../../src/models/der/rod.ts';
import { createSnapshot, returnToSnapshot } from '../../src/models/der/snapshot.ts';
import { createWorkspace } from '../../src/models/der/stage.ts';
import { createRandom, heldFramePin, makeDerRod, randomRod } from './rods.ts';

/** Energy with the held frame turned by h·phi (world axes) and the unknowns moved by h·direction. */
function energyAt(der: DerRod, phi: readonly number[], direction: Float64Array, h: number): number {
  const work = createWorkspace(der);
  const snapshot = createSnapshot(der);
  const q = new Float64Array(4);
  const rotation = new Float64Array(9);
  quaternionFromRotation(
    q,
    0,
    phi.map((x) => h * x),
    0,
  );
  writeRotation(rotation, q);
  rotate(der.held.tangent, 0, rotation, snapshot.held.tangent, 0);
  rotate(der.held.director, 0, rotation, snapshot.held.director, 0);
  turnHeldFrames(der.held);
  for (let d = 0; d < der.size; d++) der.q[d] += h * direction[d];
  expect(followCenterline(der, work.edgeWork)).toBe(true);
  const energy = { bending: 0, twisting: 0 };
  addElasticGradient(undefined, der, undefined, energy);
  returnToSnapshot(der, snapshot, work, 0);
  return energy.bending + energy.twisting;
}

describe.each((['rotation', 'bergou2008'] as const).flatMap((strain) => [0, 3, 7].map((node) => ({ strain, node }))))(
  'a frame held at node $node, $strain',
  ({ strain, node }) => {
    const create = (): DerRod => {
      const der = makeDerRod(randomRod(3, 7, false), { strain }, { pins: [heldFramePin(node)], sources: [] });
      const random = createRandom(11);
      for (let d = 0; d < der.size; d++) der.q[d] += (d & 3) === 3 ? random() : 0.05 * random();
      followCenterline(der, createWorkspace(der).edgeWork);
      return der;
    };

    it('takes the torque that differences of the energy give', () => {
      const der = create();
      const torque = new Float64Array(3);
      writeHeldTorque(torque, der);
      expect(Math.hypot(...torque)).toBeGreaterThan(0.1);
      const still = new Float64Array(der.size);
      for (let k = 0; k < 3; k++) {
        const axis = [0, 1, 2].map((i) => (i === k ? 1 : 0));
        const e = (m: number): number => energyAt(der, axis, still, 1e-3 * m);
        const slope = (45 * (e(1) - e(-1)) - 9 * (e(2) - e(-2)) + (e(3) - e(-3))) / 0.06;
        expect(Math.abs(slope - torque[k])).toBeLessThan(1e-8 * Math.hypot(...torque));
      }
    });

    it('has the second derivatives that differences give, mixed ones included', () => {
      const der = create();
      const { size } = der;
      const rotation = new Float64Array(9);
      const mixed = new Float64Array(3 * size);
      addHeldHessian(rotation, mixed, der, { h: 0, at: 0, rateScale: 0 });
      const matrix = createBorderedBand(size, 0);
      addElasticHessian(matrix, new Float64Array(size), der, undefined, 0, 'elastic-and-viscous');
      const random = createRandom(5);
      for (let trial = 0; trial < 20; trial++) {
        const phi = [random(), random(), random()].map((x) => 2 * x);
        // half of the trials turn the frame alone
        const direction = new Float64Array(size).map(() => (trial % 2 ? random() : 0));
        let quadratic = 0;
        for (let a = 0; a < 3; a++) {
          for (let b = 0; b < 3; b++) quadratic += phi[a] * rotation[3 * a + b] * phi[b];
          for (let d = 0; d < size; d++) quadratic += 2 * phi[a] * mixed[a * size + d] * direction[d];
        }
        for (let i = 0; i < size; i++) {
          for (let j = 0; j < size; j++) quadratic += direction[i] * readEntry(matrix, i, j) * direction[j];
        }
        const h = 2e-3;
        const e = (m: number): number => energyAt(der, phi, direction, m * h);
        const second = (m: number): number => e(m) + e(-m) - 2 * e(0);
        const difference = (270 * second(1) - 27 * second(2) + 2 * second(3)) / (180 * h * h);
        expect(Math.abs(quadratic)).toBeGreaterThan(1e-3);
        expect(Math.abs(difference - quadratic)).toBeLessThan(1e-6 * (1 + Math.abs(quadratic)));
      }
    });

    /** Viscous forces on the rod and on the holder of the frame, which turns by `spin`, at rates v. */
    function dampingOf(
      der: DerRod,
      v: Float64Array,
      spin: readonly number[],
    ): { force: Float64Array; torque: Float64Array } {
      der.joints.damping.fill(0.3);
      der.held.spin.set(spin);
      const read = (rates: Float64Array | undefined): { force: Float64Array; torque: Float64Array } => {
        const force = new Float64Array(der.size);
        const torque = new Float64Array(3);
        addElasticGradient(force, der, rates, undefined);
        writeHeldTorque(torque, der, rates);
        return { force, torque };
      };
      const [all, elastic] = [read(v), read(undefined)];
      return {
        force: all.force.map((f, d) => f - elastic.force[d]),
        torque: all.torque.map((f, k) => f - elastic.torque[k]),
      };
    }

    it('feels no damping where it turns with the rod', () => {
      const der = create();
      const w = [0.7, -1.3, 2.1];
      const v = new Float64Array(der.size);
      for (let i = 0; i < der.nodeCount; i++) {
        const [x, y, z] = der.q.slice(4 * i, 4 * i + 3);
        v.set([w[1] * z - w[2] * y, w[2] * x - w[0] * z, w[0] * y - w[1] * x], 4 * i);
      }
      for (let j = 0; j < der.edgeCount; j++)
        v[4 * j + 3] = w.reduce((sum, c, k) => sum + c * der.edgeTangent[3 * j + k], 0);
      const { force, torque } = dampingOf(der, v, w);
      expect(Math.max(...force.map(Math.abs), ...torque.map(Math.abs))).toBeLessThan(1e-11);
      expect(Math.hypot(...dampingOf(der, v, [0, 0, 0]).torque)).toBeGreaterThan(0.01);
    });

    it('takes energy by damping, as much as its matrix says, and passes on no force of its own', () => {
      const der = create();
      const { size } = der;
      const random = createRandom(17);
      for (let trial = 0; trial < 10; trial++) {
        const v = new Float64Array(size).map(() => random());
        const w = [random(), random(), random()];
        const { force, torque } = dampingOf(der, v, w);
        let power = torque[0] * w[0] + torque[1] * w[1] + torque[2] * w[2];
        for (let d = 0; d < size; d++) power += force[d] * v[d];
        const rotation = new Float64Array(9);
        const mixed = new Float64Array(3 * size);
        addHeldHessian(rotation, mixed, der, { h: 0, at: 0, rateScale: 1 });
        const matrix = createBorderedBand(size, 0);
        addElasticHessian(matrix, new Float64Array(size), der, new Float64Array(size), 1, 'viscous');
        let quadratic = 0;
        for (let a = 0; a < 3; a++) {
          for (let b = 0; b < 3; b++) quadratic += w[a] * rotation[3 * a + b] * w[b];
          for (let d = 0; d < size; d++) quadratic += 2 * w[a] * mixed[a * size + d] * v[d];
        }
        for (let i = 0; i < size; i++)
          for (let j = 0; j < size; j++) quadratic += v[i] * readEntry(matrix, i, j) * v[j];
        expect(power).toBeGreaterThan(0);
        expect(Math.abs(power - quadratic)).toBeLessThan(1e-10 * power);
        for (let k = 0; k < 3; k++) {
          let sum = 0;
          for (let i = 0; i < der.nodeCount; i++) sum += force[4 * i + k];
          expect(Math.abs(sum)).toBeLessThan(1e-10);
        }
      }
    });
  },
);
