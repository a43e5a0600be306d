import { describe, expect, it } from 'vitest';
import { createBodyPose, type RigidBody } from '../../src/bodies/body.ts';
import { createWorld, type Scene } from '../../src/index.ts';
import {
  BODY_MEMORY,
  beginStep,
  createDerBody,
  type DerBody,
  evaluateBody,
  initializeBody,
  moveBody,
} from '../../src/models/der/body.ts';
import { writeGyroscopic } from '../../src/models/der/gyroscopic.ts';

const inertia = Float64Array.of(2, 0.3, -0.1, 0.3, 3, 0.2, -0.1, 0.2, 4);
const s = 40;

/** A body that turned by ψ since the start of its step. */
function turned(psi: readonly number[], psiRate: readonly number[]): DerBody {
  const body: RigidBody = {
    id: 'b',
    mass: 1,
    inertia,
    free: new Uint8Array(6).fill(1),
    start: {
      position: new Float64Array(3),
      orientation: Float64Array.of(0.8, 0.6, 0, 0),
      velocity: new Float64Array(3),
      angularMomentum: Float64Array.of(1, 2, 3),
    },
    load: (out) => out.fill(0),
  };
  const der = createDerBody({ body, pose: createBodyPose() }, [], [], new Float64Array(BODY_MEMORY));
  initializeBody(der);
  beginStep(der);
  der.psiRate.set(psiRate);
  der.momentumHat.set([1, 2, 3]);
  moveBody(der, [0, 0, 0, ...psi], 0, 1);
  return der;
}

/** Largest entry of s²I + G, of G, and of what central differences of the torque say otherwise. */
function compare(psi: readonly number[], psiRate: readonly number[]): { whole: number; share: number; error: number } {
  const der = turned(psi, psiRate);
  evaluateBody(der, 0, s * s, s);
  const share = new Float64Array(9);
  writeGyroscopic(share, 0, der, s);
  const whole = share.map((g, k) => g + s * s * der.worldInertia[k]);
  const step = 1e-5;
  let error = 0;
  for (let b = 0; b < 3; b++) {
    const at = [1, -1].map((sign) => {
      const moved = turned(psi, psiRate);
      const by = new Float64Array(6);
      by[3 + b] = sign * step;
      moveBody(moved, by, 0, 1);
      evaluateBody(moved, 0, s * s, s);
      return moved.residual.slice(3);
    });
    for (let a = 0; a < 3; a++)
      error = Math.max(error, Math.abs((at[0][a] - at[1][a]) / (2 * step) - whole[3 * a + b]));
  }
  const largest = (list: Float64Array): number => list.reduce((max, x) => Math.max(max, Math.abs(x)), 0);
  return { whole: largest(whole), share: largest(share), error };
}

describe('the share of spin in a body’s rotation block', () => {
  it('is the derivative of its torque', () => {
    for (const size of [0.02, 0.3, 0.9]) {
      const psi = [size, 0.4 * size, -0.7 * size];
      // ψ̇ along ψ, as in implicit Euler, and not, as in TR-BDF2
      for (const psiRate of [
        [0, 0, 0],
        [-0.5 * size, 0.8 * size, 0.3 * size],
      ]) {
        const { whole, share, error } = compare(psi, psiRate);
        expect(share).toBeGreaterThan(0.1 * size * whole);
        expect(error).toBeLessThan(1e-8 * whole);
      }
    }
  });
});

describe('a body that spins fast', () => {
  it('takes as few iterations as one at rest', () => {
    const iterations = (spin: number): number => {
      const scene: Scene = {
        tendril: 1,
        gravity: [0, 0, -9.81],
        rods: [
          {
            id: 'r',
            shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
            edges: 20,
            section: { type: 'circle', radius: 0.005 },
            material: { E: 1e7, nu: 0.5, density: 1000 },
          },
        ],
        pins: [{ rod: 'r', at: 'start', hold: 'position' }],
        bodies: [
          {
            id: 'b',
            mass: 0.05,
            inertia: [1e-5, 3e-5, 4e-5],
            position: [1, 0, 0],
            velocity: { angular: [spin, 0.3 * spin, 0] },
          },
        ],
        welds: [{ rod: 'r', at: 'end', body: 'b', hold: 'position' }],
        time: { duration: 0.1, step: 0.005 },
        solver: { der: { integrator: 'tr-bdf2' } },
      };
      const world = createWorld(scene);
      let sum = 0;
      for (let k = 0; k < 20; k++) sum += world.step().iterations;
      return sum;
    };
    // 0.25 rad a step; left to the iteration its gyroscopic torque doubled them
    expect(iterations(50)).toBeLessThan(1.2 * iterations(0));
  });
});
