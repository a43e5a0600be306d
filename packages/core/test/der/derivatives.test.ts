import { describe, expect, it } from 'vitest';
import { clearBand, createBorderedBand, readEntry } from '../../src/linalg/bandMatrix.ts';
import { addElasticGradient, addElasticHessian } from '../../src/models/der/energy.ts';
import { followCenterline } from '../../src/models/der/kinematics.ts';
import { type DerRod, RING_BORDER } from '../../src/models/der/rod.ts';
import { createSnapshot, returnToSnapshot } from '../../src/models/der/snapshot.ts';
import { createWorkspace } from '../../src/models/der/stage.ts';
import { createRandom, heldFramePin, makeDerRod, randomRod } from './rods.ts';

const cases = (['rotation', 'bergou2008'] as const).flatMap((strain) =>
  [
    { name: 'open', closed: false, pins: [] },
    { name: 'closed', closed: true, pins: [] },
    {
      name: 'frames held at both ends and inside',
      closed: false,
      pins: [heldFramePin(0), heldFramePin(3), heldFramePin(7)],
    },
  ].map((form) => ({ strain, ...form })),
);

/** E at the state moved by h·direction from the present one. */
function energyAt(der: DerRod, direction: Float64Array, h: number): number {
  const work = createWorkspace(der);
  const snapshot = createSnapshot(der);
  for (let d = 0; d < der.size; d++) der.q[d] += h * direction[d];
  expect(followCenterline(der, work.edgeWork)).toBe(true);
  const energy = { bending: 0, twisting: 0 };
  expect(addElasticGradient(undefined, der, undefined, energy)).toBe(true);
  returnToSnapshot(der, snapshot, work, 0);
  return energy.bending + energy.twisting;
}

describe.each(cases)('bending and twisting energy, $strain, $name', ({ strain, closed, pins }) => {
  const rod = randomRod(closed ? 5 : 3, 7, closed);
  const create = (): DerRod => {
    const der = makeDerRod(rod, { strain }, { pins, sources: [] });
    // a state away from the initial one, with angles
    const random = createRandom(11);
    for (let d = 0; d < der.size; d++) der.q[d] += (d & 3) === 3 ? random() : 0.05 * random();
    followCenterline(der, createWorkspace(der).edgeWork);
    return der;
  };

  it('has the gradient that central differences give', () => {
    const der = create();
    const gradient = new Float64Array(der.size);
    addElasticGradient(gradient, der, undefined, undefined);
    const scale = Math.max(...gradient.map(Math.abs));
    expect(scale).toBeGreaterThan(0.1);
    for (let d = 0; d < der.size; d++) {
      const direction = new Float64Array(der.size);
      direction[d] = 1;
      const h = 1e-4;
      // fourth-order differences
      const difference =
        (8 * (energyAt(der, direction, h) - energyAt(der, direction, -h)) -
          (energyAt(der, direction, 2 * h) - energyAt(der, direction, -2 * h))) /
        (12 * h);
      expect(Math.abs(difference - gradient[d]) / scale).toBeLessThan(1e-8);
    }
  });

  it('has the Hessian that second differences along the retraction give', () => {
    const der = create();
    const border = closed ? RING_BORDER : 0;
    const matrix = createBorderedBand(der.size - border, border);
    clearBand(matrix);
    addElasticHessian(matrix, new Float64Array(der.size), der, undefined, 0, 'elastic-and-viscous');
    const random = createRandom(23);
    for (let trial = 0; trial < 40; trial++) {
      const direction = new Float64Array(der.size).map(() => random());
      let quadratic = 0;
      for (let i = 0; i < der.size; i++)
        for (let j = 0; j < der.size; j++) quadratic += direction[i] * readEntry(matrix, i, j) * direction[j];
      const h = 2e-3;
      const second = (k: number): number =>
        energyAt(der, direction, k * h) + energyAt(der, direction, -k * h) - 2 * energyAt(der, direction, 0);
      // sixth-order second difference
      const difference = (270 * second(1) - 27 * second(2) + 2 * second(3)) / (180 * h * h);
      expect(Math.abs(quadratic)).toBeGreaterThan(0.1);
      expect(Math.abs(difference - quadratic) / Math.abs(quadratic)).toBeLessThan(1e-6);
    }
  });
});
