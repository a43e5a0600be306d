/** Every formula against finite differences or an independent computation, in positions where nothing is zero. */
import { describe, expect, test } from 'vitest';
import {
  add,
  apply,
  dot,
  type Matrix,
  multiply,
  type Quaternion,
  scale,
  subtract,
  type Vector,
} from '../../src/batch/algebra.ts';
import * as double from '../../src/batch/elementary.ts';
import {
  addNode,
  compose,
  conjugate,
  diagonal,
  directorOf,
  eliminateEdge,
  exponential,
  fromVectorPart,
  invertSymmetric,
  jointHessian,
  jointMoment,
  jointStiffness,
  jointTorque,
  nothingBeyond,
  outer,
  rotate,
  rotationChange,
  rotationVector,
  skew,
  tangentOf,
  toVectorPart,
  turnJoint,
  zeroVector,
} from '../../src/batch/formulas.ts';
import * as single from '../../src/batch/single.ts';

const axes: readonly Vector[] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];
const frame = exponential([0.7, -0.4, 1.1]);
const stiffness: Vector = [2.1, 3.4, 1.3];
const rest: Vector = [0.2, -0.1, 0.3];
const length = (a: Vector): number => Math.sqrt(dot(a, a));

/** Joint rotation of which the edge after it is turned by φ in world axes; `before` is the frame of the edge before. */
const turned = (before: Quaternion, relative: Vector, phi: Vector): Vector =>
  toVectorPart(compose(conjugate(before), compose(exponential(phi), compose(before, fromVectorPart(relative)))));

const energyAt = (before: Quaternion, relative: Vector, phi: Vector): number => {
  const u = rotationVector(turned(before, relative, phi));
  return axes.reduce((sum, _, k) => sum + 0.5 * stiffness[k] * (u[k] - rest[k]) ** 2, 0);
};

const joints: readonly (readonly [string, Vector])[] = [
  ['nearly straight', [1e-3, -2e-3, 5e-4]],
  ['bent by 40°', [0.25, -0.2, 0.12]],
  ['bent by 150°', [0.6, 0.5, -0.56]],
];

describe.each(joints)('a joint %s', (_, relative) => {
  const before = exponential([0.3, 0.9, -0.5]);
  const q = compose(before, fromVectorPart(relative));
  const u = rotationVector(relative);
  const moment = jointMoment(stiffness, subtract(u, rest), 0, zeroVector());

  test('its exact Hessian is the second derivative of its energy', () => {
    const hessian = jointHessian(q, u, stiffness, moment);
    const h = 1e-3;
    const along = (v: Vector): number =>
      (energyAt(before, relative, scale(h, v)) +
        energyAt(before, relative, scale(-h, v)) -
        2 * energyAt(before, relative, zeroVector())) /
      (h * h);
    const directions: Vector[] = [...axes, [1, 1, 0], [0, 1, 1], [1, 0, 1]];
    const gauss = jointStiffness(q, u, stiffness);
    let farthest = 0;
    for (const v of directions) {
      const expected = along(v);
      // the series of one coefficient ends at 1e-3
      expect(Math.abs(dot(v, apply(hessian, v)) - expected)).toBeLessThan(5e-3);
      farthest = Math.max(farthest, Math.abs(dot(v, apply(gauss, v)) - expected));
    }
    // Gauss–Newton leaves out what grows with the bend
    if (dot(u, u) > 0.1) expect(farthest).toBeGreaterThan(0.02);
  });

  test('its torque is the gradient of its energy', () => {
    const torque = jointTorque(q, u, moment);
    for (const [k, axis] of axes.entries()) {
      const h = 1e-5;
      const slope =
        (energyAt(before, relative, scale(h, axis)) - energyAt(before, relative, scale(-h, axis))) / (2 * h);
      expect(Math.abs(slope)).toBeGreaterThan(1e-2);
      expect(torque[k]).toBeCloseTo(slope, 8);
    }
  });

  test('its stiffness is JᵀKJ, with J the derivative of its rotation vector', () => {
    const found = jointStiffness(q, u, stiffness);
    const h = 1e-5;
    const J = axes.map((axis) =>
      scale(
        0.5 / h,
        subtract(
          rotationVector(turned(before, relative, scale(h, axis))),
          rotationVector(turned(before, relative, scale(-h, axis))),
        ),
      ),
    );
    let largest = 0;
    for (let a = 0; a < 3; a++)
      for (let b = 0; b < 3; b++) {
        const expected = axes.reduce((sum, _axis, k) => sum + stiffness[k] * J[a][k] * J[b][k], 0);
        largest = Math.max(largest, Math.abs(a === b ? 0 : expected));
        expect(found[3 * a + b]).toBeCloseTo(expected, 8);
      }
    expect(largest).toBeGreaterThan(1e-2);
  });

  test('it turns as the frames around it do', () => {
    const first: Vector = [0.02, -0.3, 0.1];
    const second: Vector = [-0.2, 0.15, 0.05];
    const found = turnJoint(before, exponential(first), exponential(second), relative);
    const newBefore = compose(exponential(first), before);
    const newAfter = compose(exponential(second), q);
    const expected = toVectorPart(compose(conjugate(newBefore), newAfter));
    expect(length(subtract(found, relative))).toBeGreaterThan(1e-2);
    for (let k = 0; k < 3; k++) expect(found[k]).toBeCloseTo(expected[k], 13);
  });
});

test('viscosity adds stiffness times change of strain', () => {
  const moment = jointMoment(stiffness, [0.1, 0.2, 0.3], 0.5, [1, -2, 3]);
  for (let k = 0; k < 3; k++)
    expect(moment[k]).toBeCloseTo(stiffness[k] * ([0.1, 0.2, 0.3][k] + 0.5 * [1, -2, 3][k]), 14);
});

test('quaternions: exponential and rotation vector are inverse, axes are those of the rotation', () => {
  for (const phi of [
    [1e-9, 2e-9, -1e-9],
    [0.3, -0.2, 0.5],
    [1.8, 1.2, -1.5],
  ] as const) {
    const u = rotationVector(toVectorPart(exponential(phi)));
    for (let k = 0; k < 3; k++) expect(u[k] / phi[k]).toBeCloseTo(1, 12);
  }
  const t = rotate(frame, [0, 0, 1]);
  const d = rotate(frame, [1, 0, 0]);
  for (let k = 0; k < 3; k++) {
    expect(tangentOf(frame)[k]).toBeCloseTo(t[k], 14);
    expect(directorOf(frame)[k]).toBeCloseTo(d[k], 14);
  }
  // small rotations keep their digits: 1e-12 rad moves by 1e-12
  expect(rotationChange(exponential([0, 0, 1e-12]), [1, 0, 0])[1] / 1e-12).toBeCloseTo(1, 12);
});

test('inverse of a symmetric positive matrix', () => {
  const a = [4, 1, -0.5, 1, 3, 0.7, -0.5, 0.7, 2] as Matrix;
  const product = multiply(a, invertSymmetric(a));
  product.forEach((entry, k) => {
    expect(entry).toBeCloseTo(k % 4 === 0 ? 1 : 0, 13);
  });
});

test('eliminating an edge gives the minimum over its turn', () => {
  const edge: Vector = [0.3, -0.2, 0.5];
  const positive = (s: number): Matrix => {
    const v: Vector = [s, 0.4 - s, 0.2];
    return [...outer(v, v)].map((x, k) => x + diagonal(1 + s)[k]) as unknown as Matrix;
  };
  const far = addNode(
    { ...nothingBeyond(), pp: positive(0.3), p: [0.1, -0.4, 0.2], yp: skew([0.1, 0.2, -0.1]) },
    [0.5, 0.1, -0.2],
    positive(0.8),
  );
  const joint = { torque: [0.3, -0.1, 0.2] as Vector, stiffness: positive(0.5), exact: false };
  const edgeTorque: Vector = [0.05, 0.02, -0.07];
  const { beyond, gain } = eliminateEdge({ ...far, force: zeroVector() }, edge, joint, edgeTorque);
  const quadratic = (b: typeof far, y: Vector, p: Vector): number =>
    0.5 * dot(y, apply(b.yy, y)) + dot(y, apply(b.yp, p)) + 0.5 * dot(p, apply(b.pp, p)) + dot(b.y, y) + dot(b.p, p);
  /** Energy with the node before the edge displaced by y, the edge before turned by φ and this one by φ + ψ. */
  const energy = (y: Vector, phi: Vector, psi: Vector): number => {
    const turn = add(phi, psi);
    const after = add(y, apply(skew(turn), edge));
    return (
      quadratic(far, after, turn) +
      dot(joint.torque, psi) +
      0.5 * dot(psi, apply(joint.stiffness, psi)) -
      dot(edgeTorque, turn)
    );
  };
  const y: Vector = [0.2, -0.3, 0.4];
  const phi: Vector = [-0.1, 0.5, 0.3];
  const psi = scale(-1, add(gain.constant, add(apply(gain.fromY, y), apply(gain.fromTurn, phi))));
  expect(length(psi)).toBeGreaterThan(0.05);
  for (const axis of axes) {
    const h = 1e-4;
    const slope = (energy(y, phi, add(psi, scale(h, axis))) - energy(y, phi, subtract(psi, scale(h, axis)))) / (2 * h);
    const away = (energy(y, phi, scale(h, axis)) - energy(y, phi, scale(-h, axis))) / (2 * h);
    expect(Math.abs(away)).toBeGreaterThan(1e-2);
    expect(slope).toBeCloseTo(0, 9);
  }
  // the minimum as a function of (y, φ), up to a constant
  const minimum = (a: Vector, b: Vector): number =>
    energy(a, b, scale(-1, add(gain.constant, add(apply(gain.fromY, a), apply(gain.fromTurn, b)))));
  const origin = minimum(zeroVector(), zeroVector());
  expect(quadratic(beyond, y, phi)).toBeCloseTo(minimum(y, phi) - origin, 12);
  expect(Math.abs(quadratic(beyond, y, phi))).toBeGreaterThan(0.05);
});

test('tension stiffens an edge across its direction, compression does not soften it', () => {
  const edge: Vector = [0, 0, 2];
  const joint = { torque: zeroVector(), stiffness: diagonal(1), exact: false };
  const pulled = { ...nothingBeyond(), force: [0, 0, -3] as Vector };
  const pushed = { ...nothingBeyond(), force: [0, 0, 3] as Vector };
  const { pp } = eliminateEdge(pulled, edge, joint, zeroVector()).beyond;
  // 6 in series with the joint's 1
  expect(pp[0]).toBeCloseTo(6 / 7, 14);
  expect(pp[8]).toBe(0);
  expect(eliminateEdge(pushed, edge, joint, zeroVector()).beyond.pp[0]).toBe(0);
});

describe('functions in single precision agree with those in double', () => {
  const singles: Record<string, (x: number) => number> = { ...single };
  const doubles: Record<string, (x: number) => number> = { ...double };
  const compare = (name: keyof typeof single, end: number, bound: number): void =>
    test(`${name} up to ${end.toFixed(2)}`, () => {
      let worst = 0;
      for (let k = 0; k <= 1000; k++) {
        const x = (end * k) / 1000;
        worst = Math.max(worst, Math.abs(singles[name](x) - doubles[name](x)));
      }
      expect(worst).toBeLessThan(bound);
      // the comparison is of two different computations
      expect(worst).toBeGreaterThan(0);
    });
  compare('sineRatio', 4, 1e-9);
  compare('cosineOfRoot', 4, 1e-8);
  compare('arctangentRatio', 1, 3e-9);
  compare('logarithmCoefficient', Math.PI ** 2, 2e-9);
});
