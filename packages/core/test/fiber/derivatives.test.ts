import { describe, expect, it } from 'vitest';
import { clearBlocks, createBlocks, multiplyBlocks } from '../../src/linalg/blockTridiagonal.ts';
import { addElements, createElements } from '../../src/models/fiber/elements.ts';
import { measureElastic } from '../../src/models/fiber/energy.ts';
import { addLoadForce, poseSamples } from '../../src/models/fiber/kinematics.ts';
import { applyMass } from '../../src/models/fiber/rod.ts';
import { createRandom } from '../der/rods.ts';
import { crookedFiber, makeFiber } from './fibers.ts';

const sum = ({ bending, twisting, stretching }: ReturnType<typeof measureElastic>): number =>
  bending + twisting + stretching;

describe('springs and shear elements', () => {
  const fiber = crookedFiber(3);
  const elements = createElements(fiber);
  const x0 = fiber.q;
  const random = createRandom(8);
  const y = x0.map((x) => x + 0.3 * random());

  it('pull along the gradient of the energy', () => {
    const force = new Float64Array(fiber.size);
    expect(addElements(fiber, elements, { force: force }, { x0: x0, y: x0 }, 'exact')).toBe(true);
    const scale = Math.max(...force.map(Math.abs));
    expect(scale).toBeGreaterThan(1);
    for (let d = 0; d < fiber.size; d++) {
      const at = (h: number): number => {
        const x = x0.slice();
        x[d] += h;
        return sum(measureElastic(fiber, x));
      };
      const h = 1e-4;
      const slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
      expect(Math.abs(slope + force[d]) / scale).toBeLessThan(1e-8);
    }
  });

  it('do over a step exactly the work that they store, and turn nothing', () => {
    const force = new Float64Array(fiber.size);
    addElements(fiber, elements, { force: force }, { x0: x0, y: y }, 'exact');
    let work = 0;
    const moment = [0, 0, 0];
    const total = [0, 0, 0];
    for (let d = 0; d < fiber.size; d++) {
      work += force[d] * (y[d] - x0[d]);
      total[d % 3] += force[d];
      const [a, b] = [(d + 1) % 3, (d + 2) % 3];
      const base = d - (d % 3);
      // component d%3 of middle × force
      moment[d % 3] +=
        0.5 * ((x0[base + a] + y[base + a]) * force[base + b] - (x0[base + b] + y[base + b]) * force[base + a]);
    }
    const stored = sum(measureElastic(fiber, y)) - sum(measureElastic(fiber, x0));
    expect(Math.abs(stored)).toBeGreaterThan(1);
    expect(Math.abs(work + stored) / Math.abs(stored)).toBeLessThan(1e-12);
    const scale = Math.max(...force.map(Math.abs));
    for (let k = 0; k < 3; k++) {
      expect(Math.abs(total[k]) / scale).toBeLessThan(1e-12);
      expect(Math.abs(moment[k]) / scale).toBeLessThan(1e-12);
    }
  });

  it.each([0, 0.7])('have the unsymmetric tangent that differences give, viscous share %s', (chi) => {
    elements.edgeChi.fill(chi);
    elements.ringChi.fill(chi);
    const matrix = createBlocks(fiber.ringCount);
    clearBlocks(matrix);
    const force = new Float64Array(fiber.size);
    addElements(fiber, elements, { force: force, matrix: matrix }, { x0: x0, y: y }, 'exact');
    const direction = new Float64Array(fiber.size);
    const image = new Float64Array(fiber.size);
    let asymmetry = 0;
    for (let k = 0; k < 144; k++)
      asymmetry = Math.max(asymmetry, Math.abs(matrix.diagonal[k] - matrix.diagonal[12 * (k % 12) + ((k / 12) | 0)]));
    expect(asymmetry).toBeGreaterThan(0.1);
    for (let d = 0; d < fiber.size; d++) {
      direction.fill(0);
      direction[d] = 1;
      multiplyBlocks(image, matrix, direction);
      const at = (h: number): Float64Array => {
        const end = y.slice();
        end[d] += h;
        const out = new Float64Array(fiber.size);
        addElements(fiber, elements, { force: out }, { x0: x0, y: end }, 'exact');
        return out;
      };
      const h = 1e-4;
      const [a, b, c, e] = [at(h), at(-h), at(2 * h), at(-2 * h)];
      const scale = Math.max(...image.map(Math.abs));
      expect(scale).toBeGreaterThan(1);
      for (let i = 0; i < fiber.size; i++) {
        const slope = (8 * (a[i] - b[i]) - (c[i] - e[i])) / (12 * h);
        expect(Math.abs(slope + image[i]) / scale).toBeLessThan(1e-7);
      }
    }
    elements.edgeChi.fill(0);
    elements.ringChi.fill(0);
  });
});

describe('the port', () => {
  const fiber = crookedFiber(5);
  const random = createRandom(2);
  for (let d = 0; d < fiber.size; d++) fiber.v[d] = random();
  fiber.loads.nodeForce.forEach((_, k, f) => {
    f[k] = random();
  });
  fiber.loads.edgeTorque.forEach((_, k, f) => {
    f[k] = random();
  });

  it('has the same power on both sides', () => {
    const force = new Float64Array(fiber.size);
    addLoadForce(force, fiber, fiber.q);
    let inside = 0;
    for (let d = 0; d < fiber.size; d++) inside += force[d] * fiber.v[d];
    poseSamples(fiber, fiber.q, fiber.v);
    const { nodeVelocity: v, nodePosition: x, edgeTangent: t, edgeSpin } = fiber.samples;
    let outside = 0;
    for (let k = 0; k < v.length; k++) outside += fiber.loads.nodeForce[k] * v[k];
    for (let j = 0; j < fiber.edgeCount; j++) {
      const length = Math.hypot(...[0, 1, 2].map((k) => x[3 * j + 3 + k] - x[3 * j + k]));
      for (let k = 0; k < 3; k++) {
        const [a, b] = [(k + 1) % 3, (k + 2) % 3];
        const rate = (m: number): number => (v[3 * j + 3 + m] - v[3 * j + m]) / length;
        const turn = t[3 * j + a] * rate(b) - t[3 * j + b] * rate(a) + edgeSpin[j] * t[3 * j + k];
        outside += fiber.loads.edgeTorque[3 * j + k] * turn;
      }
    }
    expect(Math.abs(outside)).toBeGreaterThan(0.1);
    expect(inside).toBeCloseTo(outside, 12);
  });

  it('gives the spin at which the director turns', () => {
    const h = 1e-6;
    const director = (sign: number): Float64Array => {
      poseSamples(
        fiber,
        fiber.q.map((x, d) => x + sign * h * fiber.v[d]),
        fiber.v,
      );
      return fiber.samples.edgeDirector.slice();
    };
    const [later, sooner] = [director(1), director(-1)];
    poseSamples(fiber, fiber.q, fiber.v);
    const { edgeTangent: t, edgeDirector: d, edgeSpin } = fiber.samples;
    for (let j = 0; j < fiber.edgeCount; j++) {
      let spin = 0;
      for (let k = 0; k < 3; k++) {
        const [a, b] = [(k + 1) % 3, (k + 2) % 3];
        const d2 = t[3 * j + a] * d[3 * j + b] - t[3 * j + b] * d[3 * j + a];
        spin += (d2 * (later[3 * j + k] - sooner[3 * j + k])) / (2 * h);
      }
      expect(spin).toBeCloseTo(edgeSpin[j], 6);
      expect(Math.abs(spin)).toBeGreaterThan(1e-3);
    }
  });

  it('reads back a rigid rotation, and counts its kinetic energy with the inertia of the section', () => {
    const spinning = makeFiber({
      tendril: 1,
      rods: [
        {
          id: 'a',
          model: 'fiber',
          shape: { type: 'straight', from: [0, 0, 0], to: [0, 0, 2] },
          edges: 20,
          velocity: { angular: [0.3, 0, 0.7] },
          section: { type: 'stiffness', EI1: 1, GJ: 1, mass: 1.5, inertia: 0.02 },
        },
      ],
      solver: { fiber: { inertia: 'section' } },
    });
    poseSamples(spinning, spinning.q, spinning.v);
    for (const spin of spinning.samples.edgeSpin) expect(spin).toBeCloseTo(0.7, 12);
    const image = new Float64Array(spinning.size);
    applyMass(image, spinning, spinning.v);
    const twice = spinning.v.reduce((a, v, d) => a + v * image[d], 0);
    // about x: m L²/12 (as point masses, with 1 + 2/n²) and half the polar inertia; about z: the polar inertia
    const across = ((3 * 4) / 12) * (1 + 2 / 400) + 0.5 * 0.02 * 2;
    expect(twice).toBeCloseTo(0.09 * across + 0.49 * 0.02 * 2, 10);
  });
});
