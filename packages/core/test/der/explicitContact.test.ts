/** The explicit integrators with contact: free rods step explicitly, rods in contact by implicit Euler. [Bergou2008 Alg. 1, step 9] */
import { describe, expect, it } from 'vitest';
import { createWorld, type Scene, SceneError } from '../../src/index.ts';
import { initializeExplicit, resumeExplicit } from '../../src/models/der/explicit.ts';
import { createExplicitWork } from '../../src/models/der/explicitWork.ts';
import type { DerRod } from '../../src/models/der/rod.ts';
import { heldFramePin, makeDerRod, randomRod } from './rods.ts';

const schemes = ['shake', 'fast-projection'] as const;
type Scheme = (typeof schemes)[number] | 'tr-bdf2';

const scene = (integrator: Scheme, changes: Partial<Scene>): Scene => ({
  tendril: 1,
  gravity: [0, 0, -9.81],
  rods: [
    {
      id: 'rod',
      shape: { type: 'straight', from: [0, 0, 0.05], to: [0.3, 0, 0.05] },
      edges: 15,
      inextensible: true,
      section: { type: 'circle', radius: 0.004 },
      material: { E: 2e6, nu: 0.4, density: 1000, damping: { mass: 2 } },
    },
  ],
  time: { duration: 1, step: 1e-3 },
  solver: { der: { integrator, strain: 'bergou2008', twist: 'quasistatic' } },
  ...changes,
});

const floor = { type: 'plane', position: [0, 0, 0], normal: [0, 0, 1], friction: 0 } as const;
const heights = (samples: { nodePosition: Float64Array }): number[] =>
  Array.from({ length: samples.nodePosition.length / 3 }, (_, i) => samples.nodePosition[3 * i + 2]);

describe.each(schemes)('%s with contact', (integrator) => {
  it('drops a rod on the floor, where it comes to rest with its weight on it and its length kept', () => {
    const world = createWorld(scene(integrator, { colliders: [floor] }));
    let free = 0;
    for (let k = 0; k < 250; k++) {
      world.step();
      if (world.contactReport?.contacts === 0) free++;
    }
    // falls for √(2·46 mm/g) = 97 ms
    expect(free).toBeGreaterThan(80);
    expect(free).toBeLessThan(110);
    for (const z of heights(world.samples[0])) expect(z).toBeCloseTo(0.004, 4);
    const { nodePosition } = world.samples[0];
    for (let i = 1; i < 16; i++) {
      const length = Math.hypot(...[0, 1, 2].map((k) => nodePosition[3 * i + k] - nodePosition[3 * i - 3 + k]));
      expect(length).toBeCloseTo(0.02, 8);
    }
    expect(world.energies().kinetic).toBeLessThan(1e-8);
  });

  it('stops a sliding rod where friction does', () => {
    const world = createWorld(
      scene(integrator, {
        colliders: [{ ...floor, friction: 0.5 }],
        rods: [
          {
            ...scene(integrator, {}).rods[0],
            shape: { type: 'straight', from: [0, 0, 0.004], to: [0.3, 0, 0.004] },
            velocity: { linear: [0, 0.5, 0] },
            material: { E: 2e6, nu: 0.4, density: 1000 },
          },
        ],
      }),
    );
    for (let k = 0; k < 150; k++) world.step();
    // v²/(2μg) = 25.48 mm
    expect(world.samples[0].nodePosition[1]).toBeCloseTo(0.25 / (2 * 0.5 * 9.81), 3);
  });

  it('keeps the turns of a rod that was twisted between clamps while a collider touched it', () => {
    const twisted = (collides: boolean): number => {
      const world = createWorld(
        scene(integrator, {
          gravity: [0, 0, 0],
          pins: [
            { rod: 'rod', at: 'start' },
            // its place is free: an inextensible rod between two fixed ones could not give way
            { rod: 'rod', at: 'end', hold: 'frame', path: { keys: [{ time: 0 }, { time: 0.1, twist: 7 }] } },
          ],
          // a ball that passes: it pushes the rod aside between 30 and 70 ms
          ...(collides && {
            colliders: [
              {
                type: 'sphere',
                position: [0.15, -0.02, 0.05],
                radius: 0.012,
                path: {
                  keys: [{ time: 0 }, { time: 0.05, offset: [0, 0.008, 0] }, { time: 0.1 }],
                },
              },
            ],
          }),
        }),
      );
      let touched = 0;
      for (let k = 0; k < 130; k++) touched += world.step().contact?.contacts ?? 0;
      expect(touched > 0).toBe(collides);
      // twist per length, which is uniform in the quasistatic frame: its integral is the turn of the end
      return world.channel(0, 'twist')[7] * 0.3;
    };
    expect(twisted(false)).toBeCloseTo(7, 1);
    expect(twisted(true)).toBeCloseTo(7, 1);
  });
});

it('meets the solution of the implicit integrator: a rod that falls across a peg and slides off', () => {
  const end = (integrator: Scheme): number[] => {
    const world = createWorld(
      scene(integrator, { colliders: [{ type: 'sphere', position: [0.12, 0, 0], radius: 0.02, friction: 0.2 }] }),
    );
    for (let k = 0; k < 150; k++) world.step();
    return [...world.samples[0].nodePosition.slice(0, 3), ...world.samples[0].nodePosition.slice(-3)];
  };
  const reference = end('tr-bdf2');
  expect(reference[2]).toBeLessThan(0.02);
  for (const integrator of schemes)
    end(integrator).forEach((value, k) => {
      expect(Math.abs(value - reference[k]), `${integrator} ${k}`).toBeLessThan(0.004);
    });
});

it('wants inextensible rods', () => {
  const [rod] = scene('shake', {}).rods;
  const make = (): unknown =>
    createWorld(scene('shake', { colliders: [floor], rods: [{ ...rod, inextensible: false }] }));
  expect(make).toThrow(SceneError);
  expect(make).toThrow(/inextensible: true/);
});

/** Turns the reference frame of an edge about it, and θ back: the material frame and the twist of joints stay. */
function turnReference(der: DerRod, j: number, angle: number): void {
  const { edgeReference: d, edgeTangent: t, joints, jointReferenceTwist, q } = der;
  const [a, b, c] = [3 * j, 3 * j + 1, 3 * j + 2];
  const side = [t[b] * d[c] - t[c] * d[b], t[c] * d[a] - t[a] * d[c], t[a] * d[b] - t[b] * d[a]];
  for (let k = 0; k < 3; k++) d[a + k] = Math.cos(angle) * d[a + k] + Math.sin(angle) * side[k];
  q[4 * j + 3] -= angle;
  for (let i = 0; i < joints.count; i++) {
    if (joints.after[i] === j) jointReferenceTwist[i] += angle;
    if (joints.before[i] === j) jointReferenceTwist[i] -= angle;
  }
}

it.each([
  ['both ends held', [heldFramePin(0), heldFramePin(7)]],
  ['far end held', [heldFramePin(7)]],
  ['free', []],
])('continues with the twist of each joint whatever frames contact has left, %s', (_, pins) => {
  const create = () => {
    const der = makeDerRod(
      randomRod(3, 7, false),
      { strain: 'bergou2008', twist: 'quasistatic' },
      { pins, sources: [] },
    );
    const work = createExplicitWork(der);
    expect(initializeExplicit(der, work, 0)).toBe('');
    return { der, work };
  };
  const { der, work } = create();
  const twist = [...der.jointTwist];
  // the frames of an implicit step: each turned about its edge, several times around at the far end; θ makes up for it
  for (let j = 0; j < der.edgeCount; j++) turnReference(der, j, 2.1 * (j + 1));
  expect(resumeExplicit(der, work, 0)).toBe('');
  der.jointTwist.forEach((value, i) => {
    expect(value).toBeCloseTo(twist[i], 9);
  });
});
