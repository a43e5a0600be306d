import { describe, expect, it } from 'vitest';
import { multiplyQuaternions, quaternionFromRotation } from '../../src/math/quaternion.ts';
import {
  addJointEnergy,
  type JointLaw,
  writeDeformation,
  writeJointTangent,
  writeJointTorque,
} from '../../src/models/strand/energy.ts';
import { randomNumbers } from './trees.ts';

const round = Float64Array.of(2, 2, 1.3);
const flat = Float64Array.of(2, 5, 1.3);
const laws: [JointLaw, Float64Array][] = [
  ['gibbs', flat],
  ['gibbs', round],
  ['swing-twist', round],
  ['paper', round],
  ['paper', flat],
];

function turned(D: Float64Array, x: number, y: number, z: number): Float64Array {
  const out = new Float64Array(4);
  const turn = new Float64Array(4);
  quaternionFromRotation(turn, 0, [x, y, z], 0);
  multiplyQuaternions(out, 0, D, 0, turn, 0);
  return out;
}

function randomDeformation(seed: number): Float64Array {
  const random = randomNumbers(seed);
  const D = new Float64Array(4);
  quaternionFromRotation(D, 0, [1.2 * random(), 1.2 * random(), 1.2 * random()], 0);
  return D;
}

function energyOf(law: JointLaw, K: Float64Array, D: Float64Array): number {
  const out = { bending: 0, twisting: 0 };
  addJointEnergy(out, law, D, K, 0);
  return out.bending + out.twisting;
}

const axes = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

describe.each(laws)('%s, K = %o', (law, K) => {
  it('has the tangent of its torque', () => {
    for (let seed = 1; seed < 6; seed++) {
      const D = randomDeformation(seed);
      const tangent = new Float64Array(9);
      writeJointTangent(tangent, law, D, K, 0);
      expect(Math.max(...tangent.map(Math.abs))).toBeGreaterThan(0.5);
      axes.forEach(([x, y, z], c) => {
        const h = 1e-5;
        const plus = new Float64Array(3);
        const minus = new Float64Array(3);
        writeJointTorque(plus, law, turned(D, h * x, h * y, h * z), K, 0);
        writeJointTorque(minus, law, turned(D, -h * x, -h * y, -h * z), K, 0);
        for (let r = 0; r < 3; r++) expect(tangent[3 * r + c]).toBeCloseTo((plus[r] - minus[r]) / (2 * h), 7);
      });
    }
  });

  it('holds any torque, and only that one', () => {
    const random = randomNumbers(4);
    for (let n = 0; n < 200; n++) {
      const size = 10 ** (2.5 * random());
      const T = Float64Array.from({ length: 3 }, () => size * random());
      const D = new Float64Array(4);
      expect(writeDeformation(D, law, T, K)).toBe(true);
      const back = new Float64Array(3);
      writeJointTorque(back, law, D, K, 0);
      for (let k = 0; k < 3; k++) expect(Math.abs(back[k] - T[k])).toBeLessThan(1e-9 * (size + 1));
    }
  });

  it('is linear with K/2 for small angles', () => {
    const torque = new Float64Array(3);
    axes.forEach(([x, y, z], k) => {
      writeJointTorque(torque, law, turned(Float64Array.of(1, 0, 0, 0), 1e-4 * x, 1e-4 * y, 1e-4 * z), K, 0);
      expect(torque[k]).toBeCloseTo(-0.5e-4 * K[k], 10);
    });
  });
});

/** Work over a closed loop of the bend axis at constant bend and twist. */
function workOverLoop(law: JointLaw, K: Float64Array, angle: number): number {
  const steps = 2000;
  const at = (k: number): Float64Array => {
    const a = (2 * Math.PI * k) / steps;
    const swing = new Float64Array(4);
    const twist = new Float64Array(4);
    const D = new Float64Array(4);
    quaternionFromRotation(swing, 0, [angle * Math.cos(a), angle * Math.sin(a), 0], 0);
    quaternionFromRotation(twist, 0, [0, 0, angle], 0);
    multiplyQuaternions(D, 0, swing, 0, twist, 0);
    return D;
  };
  let work = 0;
  const torque = new Float64Array(3);
  for (let k = 0; k < steps; k++) {
    const a = at(k);
    const b = at(k + 1);
    const inverse = Float64Array.of(a[0], -a[1], -a[2], -a[3]);
    const turn = new Float64Array(4);
    multiplyQuaternions(turn, 0, inverse, 0, b, 0);
    writeJointTorque(torque, law, at(k + 0.5), K, 0);
    for (let i = 0; i < 3; i++) work += 2 * turn[1 + i] * torque[i];
  }
  return work;
}

describe('work and potential', () => {
  it.each([
    ['gibbs', flat],
    ['swing-twist', round],
  ] as [JointLaw, Float64Array][])('%s: torque = −∇U, no work over a loop', (law, K) => {
    for (let seed = 1; seed < 6; seed++) {
      const D = randomDeformation(seed);
      const torque = new Float64Array(3);
      writeJointTorque(torque, law, D, K, 0);
      expect(energyOf(law, K, D)).toBeGreaterThan(0.01);
      axes.forEach(([x, y, z], k) => {
        const h = 1e-5;
        const slope =
          (energyOf(law, K, turned(D, h * x, h * y, h * z)) - energyOf(law, K, turned(D, -h * x, -h * y, -h * z))) /
          (2 * h);
        expect(torque[k]).toBeCloseTo(-slope, 8);
      });
    }
    expect(Math.abs(workOverLoop(law, K, 0.8))).toBeLessThan(1e-5);
  });

  it('paper: as much work over a loop as is stored', () => {
    const stored = 2 * energyOf('swing-twist', round, randomDeformation(1));
    expect(Math.abs(workOverLoop('paper', round, 0.8))).toBeGreaterThan(0.1 * stored);
  });
});
