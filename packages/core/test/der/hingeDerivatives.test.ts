/** A hinge is a minimisation inside a joint: its first and second derivatives against differences of the minimised energy. */
import { describe, expect, it } from 'vitest';
import { rotate, writeRotation } from '../../src/bodies/body.ts';
import { createBorderedBand, readEntry } from '../../src/linalg/bandMatrix.ts';
import { quaternionFromRotation } from '../../src/math/quaternion.ts';
import { addElasticGradient, addElasticHessian } from '../../src/models/der/energy.ts';
import { addHeldHessian, writeHeldTorque } from '../../src/models/der/held.ts';
import { followCenterline } from '../../src/models/der/kinematics.ts';
import type { DerRod } from '../../src/models/der/rod.ts';
import { createSnapshot, returnToSnapshot } from '../../src/models/der/snapshot.ts';
import { createWorkspace } from '../../src/models/der/stage.ts';
import { createRandom, heldFramePin, makeDerRod, randomRod } from './rods.ts';

/** Energy with the holder turned by h·phi, its axis with it, and the unknowns moved by h·direction. */
function energyAt(der: DerRod, phi: readonly number[], direction: Float64Array, h: number): number {
  const work = createWorkspace(der);
  const snapshot = createSnapshot(der);
  const { held } = der;
  const q = new Float64Array(4);
  const rotation = new Float64Array(9);
  quaternionFromRotation(
    q,
    0,
    phi.map((x) => h * x),
    0,
  );
  writeRotation(rotation, q);
  for (const frame of [held.baseTangent, held.baseDirector, held.axis]) rotate(frame, 0, rotation, frame.slice(), 0);
  for (let d = 0; d < der.size; d++) der.q[d] += h * direction[d];
  expect(followCenterline(der, work.edgeWork)).toBe(true);
  const energy = { bending: 0, twisting: 0 };
  addElasticGradient(undefined, der, undefined, energy);
  returnToSnapshot(der, snapshot, work, 0);
  return energy.bending + energy.twisting;
}

describe.each(
  (['rotation', 'bergou2008'] as const).flatMap((strain) => [
    ...[0, 3, 7].map((node) => ({ strain, node, closed: false })),
    { strain, node: 0, closed: true },
  ]),
)('a hinge at node $node, $strain, closed $closed', ({ strain, node, closed }) => {
  const create = (): DerRod => {
    const inner = heldFramePin(node);
    const pin = {
      ...inner,
      orientation: 'hinge' as const,
      evaluate: (pose: Parameters<typeof inner.evaluate>[0], t: number): void => {
        inner.evaluate(pose, t);
        pose.twist = 0;
        pose.axis.set([-0.36, 0.48, 0.8]);
      },
    };
    const der = makeDerRod(randomRod(3, 7, closed), { strain }, { pins: [pin], sources: [] });
    const random = createRandom(11);
    for (let d = 0; d < der.size; d++) der.q[d] += (d & 3) === 3 ? random() : 0.05 * random();
    followCenterline(der, createWorkspace(der).edgeWork);
    return der;
  };

  it('has no torque about its axis, and the torque that differences give about the others', () => {
    const der = create();
    const torque = new Float64Array(3);
    writeHeldTorque(torque, der);
    const { axis } = der.held;
    expect(Math.hypot(...torque)).toBeGreaterThan(0.1);
    expect(Math.abs(torque[0] * axis[0] + torque[1] * axis[1] + torque[2] * axis[2])).toBeLessThan(1e-12);
    const still = new Float64Array(der.size);
    for (let k = 0; k < 3; k++) {
      const e = (m: number): number =>
        energyAt(
          der,
          [0, 1, 2].map((i) => (i === k ? 1 : 0)),
          still,
          1e-3 * m,
        );
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
    const matrix = closed ? createBorderedBand(size - 7, 7) : createBorderedBand(size, 0);
    addElasticHessian(matrix, new Float64Array(size), der, undefined, 0, 'elastic-and-viscous');
    const random = createRandom(5);
    for (let trial = 0; trial < 15; trial++) {
      // the holder alone, the rod alone, both
      const phi = [random(), random(), random()].map((x) => (trial % 3 === 1 ? 0 : 2 * x));
      const direction = new Float64Array(size).map(() => (trial % 3 ? random() : 0));
      let quadratic = 0;
      for (let a = 0; a < 3; a++) {
        for (let b = 0; b < 3; b++) quadratic += phi[a] * rotation[3 * a + b] * phi[b];
        for (let d = 0; d < size; d++) quadratic += 2 * phi[a] * mixed[a * size + d] * direction[d];
      }
      for (let i = 0; i < size; i++)
        for (let j = 0; j < size; j++) quadratic += direction[i] * readEntry(matrix, i, j) * direction[j];
      const h = 2e-3;
      const e = (m: number): number => energyAt(der, phi, direction, m * h);
      const second = (m: number): number => e(m) + e(-m) - 2 * e(0);
      const difference = (270 * second(1) - 27 * second(2) + 2 * second(3)) / (180 * h * h);
      expect(Math.abs(quadratic)).toBeGreaterThan(1e-3);
      expect(Math.abs(difference - quadratic)).toBeLessThan(1e-6 * (1 + Math.abs(quadratic)));
    }
  });
});
