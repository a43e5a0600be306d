import { describe, expect, it } from 'vitest';
import { rotate, writeRotation } from '../../src/bodies/body.ts';
import { createBorderedBand, readEntry } from '../../src/linalg/band.ts';
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
      addHeldHessian(rotation, mixed, der, 0);
      const matrix = createBorderedBand(size, 0);
      addElasticHessian(matrix, new Float64Array(size), der, undefined, 0, true);
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
  },
);
