import { describe, expect, it } from 'vitest';
import { clearBand, readEntry } from '../../src/linalg/bandMatrix.ts';
import {
  addEdgeForces,
  addEdgeHessian,
  addElasticEnergies,
  addJoints,
  stretchForces,
} from '../../src/models/cosserat/energy.ts';
import { inverseSeries } from '../../src/models/cosserat/joint.ts';
import { evaluatePins, initializeState, measureStrain, moveBy } from '../../src/models/cosserat/kinematics.ts';
import {
  type CosseratRod,
  coordinateCount,
  createCosseratRod,
  memorySize,
  unknownCount,
} from '../../src/models/cosserat/rod.ts';
import { applyRightJacobian, createWorkspace } from '../../src/models/cosserat/stage.ts';
import type { Pin, Rod } from '../../src/scene/compiled.ts';
import { createRandom, heldFramePin, randomRod } from '../der/rods.ts';

const tangentPin = (node: number): Pin => ({ ...heldFramePin(node), orientation: 'tangent' });

function make(rod: Rod, pins: Pin[]): CosseratRod {
  const cos = createCosseratRod(
    rod,
    { pins, sources: [] },
    { inflated: false, shearFactor: 0.9 },
    new Float64Array(coordinateCount(rod)),
    new Float64Array(unknownCount(rod)),
    new Float64Array(memorySize(rod, pins)),
  );
  evaluatePins(cos, 0);
  initializeState(cos);
  return cos;
}

/** E at the state moved by h·direction. */
function energyAt(cos: CosseratRod, direction: Float64Array, h: number): number {
  const kept = cos.q.slice();
  moveBy(cos, direction, h);
  expect(measureStrain(cos)).toBe(true);
  const energy = { bending: 0, twisting: 0, stretching: 0 };
  addElasticEnergies(cos, energy);
  cos.q.set(kept);
  measureStrain(cos);
  return energy.bending + energy.twisting + energy.stretching;
}

const forms = [
  { name: 'open', closed: false, pins: [] },
  { name: 'closed', closed: true, pins: [] },
  {
    name: 'frames held at both ends and inside',
    closed: false,
    pins: [heldFramePin(0), heldFramePin(3), heldFramePin(7)],
  },
  { name: 'directions held', closed: false, pins: [tangentPin(0), tangentPin(4), tangentPin(7)] },
];

describe.each(forms)('elastic energy, $name', ({ closed, pins }) => {
  const rod = {
    ...randomRod(closed ? 5 : 3, 7, closed),
    nodeTwist: new Float64Array(closed ? 7 : 8).fill(closed ? 0.7 : 0),
  };
  const create = (): CosseratRod => {
    const cos = make(rod, pins);
    const random = createRandom(11);
    const away = new Float64Array(cos.size).map((_, d) => (d % 6 < 3 ? 0.05 : 0.8) * random());
    moveBy(cos, away, 1);
    expect(measureStrain(cos)).toBe(true);
    stretchForces(cos);
    return cos;
  };

  it('has every joint in play', () => {
    const cos = create();
    if (closed) expect(Math.abs(cos.closing)).toBeGreaterThan(0.1);
    expect(cos.joints.freeSpin.some((free) => free === 1)).toBe(
      pins.some(({ orientation }) => orientation === 'tangent'),
    );
    expect(Math.max(...cos.jointRotation.map(Math.abs))).toBeGreaterThan(0.5);
  });

  it('has the gradient that central differences give', () => {
    const cos = create();
    const gradient = new Float64Array(cos.size);
    addJoints(cos, gradient, undefined, undefined, 0);
    addEdgeForces(cos, gradient);
    const scale = Math.max(...gradient.map(Math.abs));
    expect(scale).toBeGreaterThan(0.1);
    const h = 1e-4;
    for (let d = 0; d < cos.size; d++) {
      const direction = new Float64Array(cos.size);
      direction[d] = 1;
      const difference =
        (8 * (energyAt(cos, direction, h) - energyAt(cos, direction, -h)) -
          (energyAt(cos, direction, 2 * h) - energyAt(cos, direction, -2 * h))) /
        (12 * h);
      expect(Math.abs(difference - gradient[d]) / scale).toBeLessThan(1e-8);
    }
  });

  it('has the Hessian that second differences along the exponential give', () => {
    const cos = create();
    const { matrix } = createWorkspace(cos);
    clearBand(matrix);
    addJoints(cos, new Float64Array(cos.size), matrix, undefined, 0);
    for (let j = 0; j < cos.edgeCount; j++) addEdgeHessian(matrix, cos, j, cos.edgeStiffness);
    const random = createRandom(23);
    for (let trial = 0; trial < 40; trial++) {
      const direction = new Float64Array(cos.size).map(() => random());
      let quadratic = 0;
      for (let i = 0; i < cos.size; i++)
        for (let j = 0; j < cos.size; j++) quadratic += direction[i] * readEntry(matrix, i, j) * direction[j];
      const h = 2e-3;
      const second = (k: number): number =>
        energyAt(cos, direction, k * h) + energyAt(cos, direction, -k * h) - 2 * energyAt(cos, direction, 0);
      const difference = (270 * second(1) - 27 * second(2) + 2 * second(3)) / (180 * h * h);
      expect(Math.abs(quadratic)).toBeGreaterThan(0.1);
      expect(Math.abs(difference - quadratic) / Math.abs(quadratic)).toBeLessThan(1e-6);
    }
  });
});

describe('the inverse of the exponential', () => {
  it('joins its series to its closed form', () => {
    const below = inverseSeries(0.25 - 1e-12);
    const above = inverseSeries(0.25 + 1e-12);
    expect(Math.abs(below.a / above.a - 1)).toBeLessThan(1e-11);
    expect(Math.abs(below.b / above.b - 1)).toBeLessThan(1e-9);
  });

  it('undoes the right Jacobian', () => {
    const random = createRandom(5);
    for (let trial = 0; trial < 20; trial++) {
      const psi = new Float64Array(3).map(() => 4 * random());
      const u = new Float64Array(3).map(() => random());
      const w = new Float64Array(3);
      applyRightJacobian(w, 0, psi, 0, u[0], u[1], u[2]);
      const { a } = inverseSeries(psi[0] ** 2 + psi[1] ** 2 + psi[2] ** 2);
      // J_r⁻¹ = 1 + ½[ψ] + a[ψ]²
      const cross = (x: ArrayLike<number>, y: ArrayLike<number>): number[] => [
        x[1] * y[2] - x[2] * y[1],
        x[2] * y[0] - x[0] * y[2],
        x[0] * y[1] - x[1] * y[0],
      ];
      const first = cross(psi, w);
      const second = cross(psi, first);
      for (let k = 0; k < 3; k++) expect(w[k] + 0.5 * first[k] + a * second[k]).toBeCloseTo(u[k], 12);
    }
  });
});
