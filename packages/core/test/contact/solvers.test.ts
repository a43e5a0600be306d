/** The solvers that ADMM is compared with. */
import { describe, expect, it } from 'vitest';
import type { RodSpec, Scene, Vec3 } from '../../src/scene/types.ts';
import { createWorld } from '../../src/world/world.ts';
import { g, r, run, straight, sumOf } from './support.ts';

describe('other solvers', () => {
  const pile = (contact: Scene['contact']): Scene => ({
    tendril: 1,
    gravity: [0.5, 0, -g],
    rods: [
      straight('a', [0, 0.02, r], [0.1, 0.02, r], 6),
      straight('b', [0, 0.08, r], [0.1, 0.08, r], 6),
      straight('c', [0.05, 0, 3 * r], [0.05, 0.1, 3 * r], 6),
    ],
    colliders: [{ type: 'plane', friction: 0.4 }],
    contact: { friction: 0.4, ...contact },
    time: { duration: 1, step: 1 / 240 },
  });

  it('Gauss–Seidel and ADMM agree where both converge', () => {
    const [one, two] = (['admm', 'gauss-seidel'] as const).map((solver) => {
      const world = createWorld(pile({ solver, tolerance: 1e-6, iterations: 3000 }));
      for (let k = 0; k < 12; k++) {
        world.step();
        expect(world.contactReport?.converged, `${solver}, step ${k}, ${world.contactReport?.error}`).toBe(true);
      }
      return world;
    });
    expect(sumOf(one, 2) / sumOf(two, 2)).toBeCloseTo(1, 4);
    one.samples.forEach(({ nodePosition }, k) => {
      nodePosition.forEach((x, i) => {
        expect(Math.abs(x - two.samples[k].nodePosition[i])).toBeLessThan(2e-8);
      });
    });
  });

  it.each(['admm', 'gauss-seidel'] as const)('a rod slides against its friction, in any direction: %s', (solver) => {
    const mu = 0.3;
    const [vx, vy] = [0.12, 0.2];
    const world = createWorld({
      tendril: 1,
      gravity: [0, 0, -g],
      rods: [{ ...straight('a', [0, 0, r], [0.04, 0, r], 3), velocity: { linear: [vx, vy, 0] } }],
      colliders: [{ type: 'plane', friction: mu }],
      contact: { solver, tolerance: 1e-8 },
      time: { duration: 1, step: 1 / 480 },
    });
    run(world, 12);
    const { linear, mass } = world.momentum();
    // all nodes slide alike, so that nothing turns or bends
    const lost = (mu * g * 12) / 480 / Math.hypot(vx, vy);
    expect(linear[0] / mass).toBeCloseTo(vx * (1 - lost), 5);
    expect(linear[1] / mass).toBeCloseTo(vy * (1 - lost), 5);
  });

  it('impulses and repulsion hold rods up, roughly', () => {
    const impulses = createWorld(pile({ solver: 'impulses' }));
    run(impulses, 48);
    const scene = pile({ solver: 'repulsion', repulsion: { stiffness: 5, reach: 0.002 } });
    const repulsion = createWorld({
      ...scene,
      colliders: [{ type: 'plane' }],
      contact: { solver: 'repulsion', repulsion: { stiffness: 5, reach: 0.002 } },
    });
    expect(repulsion.warnings).toEqual([]);
    run(repulsion, 48);
    for (const world of [impulses, repulsion]) {
      const [bottom, top] = [world.samples[0].nodePosition[2], world.samples[2].nodePosition[3 * 3 + 2]];
      expect(bottom).toBeGreaterThan(0.5 * r);
      expect(top).toBeGreaterThan(bottom + r);
    }
    expect(() => createWorld(pile({ solver: 'repulsion' }))).toThrow(/stiffness and a reach/);
  });

  it('repulsion begins at its reach, however thin the rods are', () => {
    const repulsion = { stiffness: 2, reach: 20 * r };
    const speedAt = (gap: number): number => {
      const z = 2 * r + gap;
      const world = createWorld({
        tendril: 1,
        rods: [straight('a', [-0.05, 0, 0], [0.05, 0, 0], 3), straight('b', [0, -0.05, z], [0, 0.05, z], 3)],
        contact: { solver: 'repulsion', repulsion },
        time: { duration: 1, step: 1e-3 },
      });
      world.step();
      // momentum of the upper rod, over that of the force at the start
      const { nodeMass } = world.rods[1];
      const { nodeVelocity } = world.samples[1];
      const momentum = nodeMass.reduce((sum, mass, i) => sum + mass * nodeVelocity[3 * i + 2], 0);
      return momentum / (1e-3 * repulsion.stiffness);
    };
    for (const part of [0.2, 0.5, 0.9])
      expect(speedAt(part * repulsion.reach) / repulsion.reach).toBeCloseTo(1 - part, 3);
    expect(speedAt(1.1 * repulsion.reach)).toBe(0);
  });

  it('repulsion refuses friction, and says when it is too stiff for the step', () => {
    const repulsion = { stiffness: 5, reach: 0.002 };
    const scene = (colliders: Scene['colliders'], stiffness = 5): Scene => ({
      ...pile({}),
      colliders,
      contact: { solver: 'repulsion', repulsion: { ...repulsion, stiffness } },
    });
    expect(() => createWorld(pile({ solver: 'repulsion', repulsion }))).toThrow(/no friction.*another solver/);
    expect(() => createWorld(scene([{ type: 'plane', friction: 0.4 }]))).toThrow(/no friction.*another solver/);
    // the end of a rod: half an edge
    const limit = (1000 * Math.PI * r ** 2 * (0.1 / 12)) / (1 / 240) ** 2;
    expect(createWorld(scene([{ type: 'plane', friction: 0 }], 0.99 * limit)).warnings).toEqual([]);
    expect(createWorld(scene([{ type: 'plane' }], 1.02 * limit)).warnings.join()).toMatch(
      /stiffness.*too much for steps.*k h²\/m = 1 .*rod 'a'.*use at most 6 N\/m/,
    );
  });

  it('impulses take bodies that go on a path, and refuse those that are free', () => {
    const hair = (body: object, model: 'helix' | 'der' = 'helix'): Scene => ({
      tendril: 1,
      gravity: [0, 0, -9.81],
      rods: [
        {
          id: 'hair',
          model,
          shape: { type: 'straight', from: [0, 0, 0.1], to: [0.2, 0, 0.1] },
          edges: 12,
          section: { type: 'circle', radius: 4e-5 },
          material: { E: 3.6e9, nu: 0.35, density: 1300 },
        },
      ],
      bodies: [{ id: 'head', position: [0, 0, 0], ...body }],
      welds: [{ rod: 'hair', at: 'start', body: 'head' }],
      colliders: [{ type: 'sphere', radius: 0.095, friction: 0.2 }],
      contact: { between: 'none', continuous: false, solver: 'impulses' },
      time: { duration: 1, step: 0.016 },
    });
    expect(() => createWorld(hair({ mass: 1, inertia: [1, 1, 1] }, 'der'))).toThrow(/impulses.*free.*admm/);
    const keys = [{ time: 0 }, { time: 0.5, rotation: [0, 0.6, 0] as const }];
    const world = createWorld(hair({ path: { keys } }));
    run(world, 40);
    // it lies on the head, and its root has gone along with it
    const { nodePosition: x } = world.samples[0];
    const outside = Array.from({ length: 13 }, (_, i) => Math.hypot(x[3 * i], x[3 * i + 1], x[3 * i + 2]));
    expect(Math.min(...outside)).toBeGreaterThan(0.09);
    expect([x[0], x[2]]).toEqual([expect.closeTo(0.1 * Math.sin(0.6), 6), expect.closeTo(0.1 * Math.cos(0.6), 6)]);
  });

  it('impulses bring a pile of rods to rest, and it never has more energy than at the start', () => {
    const layers = [0, 1, 2].flatMap((l) =>
      [-0.02, 0, 0.02].map((a, i): RodSpec => {
        const z = 1.5 * r + 3 * r * l;
        const ends: [Vec3, Vec3] =
          l % 2
            ? [
                [-0.04, a, z],
                [0.04, a, z],
              ]
            : [
                [a, -0.04, z],
                [a, 0.04, z],
              ];
        return {
          ...straight(`r${l}-${i}`, ...ends, 12),
          material: { E: 1e7, nu: 0.5, density: 1000, damping: { mass: 1 } },
        };
      }),
    );
    const world = createWorld({
      tendril: 1,
      gravity: [0, 0, -g],
      rods: layers,
      colliders: [{ type: 'plane', friction: 0.4 }],
      contact: { solver: 'impulses', friction: 0.3 },
      time: { duration: 2, step: 1 / 240 },
    });
    const start = world.energies().total;
    let most = 0;
    for (let k = 0; k < 200; k++) {
      world.step();
      most = Math.max(most, world.energies().total);
    }
    expect(most).toBeLessThan(start);
    const fastest = Math.max(...world.samples.flatMap(({ nodeVelocity }) => Array.from(nodeVelocity, Math.abs)));
    expect(fastest).toBeLessThan(1e-5);
    // three layers on the ground, each a few hundredths of a radius into the one below
    [0, 4, 8].forEach((rod, layer) => {
      const height = world.samples[rod].nodePosition[2] / r;
      expect(height).toBeLessThan(2 * layer + 1 + 1e-3);
      expect(height).toBeGreaterThan(2 * layer + 1 - 0.03 * (layer + 1));
    });
  });

  it('repulsion pushes as much near a node as in the middle of an edge, on rods and from colliders', () => {
    const push = (x: number, other: 'rod' | 'ball'): number => {
      const world = createWorld({
        tendril: 1,
        rods: [
          straight('a', [0, 0, 0], [0.1, 0, 0], 5),
          ...(other === 'rod' ? [straight('b', [x, -0.05, 3 * r], [x, 0.05, 3 * r], 5)] : []),
        ],
        ...(other === 'ball' && { colliders: [{ type: 'sphere', radius: 2 * r, position: [x, 0, 4 * r] }] }),
        contact: { solver: 'repulsion', repulsion: { stiffness: 5, reach: 2 * r } },
        time: { duration: 1, step: 1e-6 },
      });
      world.step();
      return -sumOf(world, 2);
    };
    for (const other of ['rod', 'ball'] as const) {
      const middle = push(0.05, other);
      expect(middle).toBeCloseTo(5 * r, 5);
      for (const x of [0.0402, 0.041, 0.045]) expect(push(x, other) / middle).toBeCloseTo(1, 4);
    }
  });
});
