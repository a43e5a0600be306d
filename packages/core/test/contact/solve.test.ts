/** Rods that touch obstacles and each other: what the laws of contact say. */
import { describe, expect, it } from 'vitest';
import { compileColliders, measureDistance } from '../../src/contact/collider.ts';
import type { ColliderSpec, RodSpec, Scene, Vec3 } from '../../src/scene/types.ts';
import { createWorld, type World } from '../../src/world.ts';
import { icosphere } from './support.ts';

const g = 9.81;
const r = 0.002;
const rubber = { section: { type: 'circle', radius: r }, material: { E: 1e7, nu: 0.5, density: 1000 } } as const;
const straight = (id: string, from: Vec3, to: Vec3, edges: number): RodSpec => ({
  id,
  shape: { type: 'straight', from, to },
  edges,
  ...rubber,
});
const run = (world: World, steps: number): void => {
  for (let k = 0; k < steps; k++) world.step();
};
const sumOf = (world: World, axis: number): number => world.contactForces().reduce((sum, c) => sum + c.force[axis], 0);
const weightOf = (world: World): number => g * world.momentum().mass;

const incline = (ratio: number, friction: ColliderSpec['friction'], mu: number): Scene => {
  const angle = Math.atan(mu * ratio);
  return {
    tendril: 1,
    gravity: [g * Math.sin(angle), 0, -g * Math.cos(angle)],
    rods: [straight('rod', [0, 0, r], [0.3, 0, r], 15)],
    colliders: [{ type: 'plane', friction }],
    time: { duration: 1, step: 1 / 240 },
  };
};

describe('a rod on an incline', () => {
  it.each([0.5, 0.98, 0.999])('sticks at %f of the angle of friction', (ratio) => {
    const world = createWorld(incline(ratio, 0.5, 0.5));
    run(world, 120);
    expect(Math.abs(world.samples[0].nodePosition[0])).toBeLessThan(2e-6);
    expect(world.contactForces().every(({ sliding }) => !sliding)).toBe(true);
  });

  it.each([1.02, 1.5])('slides at %f of it as far as it must', (ratio) => {
    const world = createWorld(incline(ratio, 0.5, 0.5));
    const n = 120;
    run(world, n);
    const angle = Math.atan(0.5 * ratio);
    const exact = (g * (Math.sin(angle) - 0.5 * Math.cos(angle)) * n * (n + 1)) / 2 / 240 ** 2;
    expect(world.samples[0].nodePosition[0] / exact).toBeCloseTo(1, 3);
  });

  it('needs more to start than to go on', () => {
    // between the dynamic and the static coefficient: stays when at rest, slides when pushed
    const scene = incline(0.9, { static: 0.5, dynamic: 0.4 }, 0.5);
    const still = createWorld(scene);
    run(still, 60);
    expect(Math.abs(still.samples[0].nodePosition[0])).toBeLessThan(2e-6);
    const [rod] = scene.rods;
    const pushed = createWorld({ ...scene, rods: [{ ...rod, velocity: { linear: [0.1, 0, 0] } }] });
    run(pushed, 60);
    const angle = Math.atan(0.45);
    const gain = (g * (Math.sin(angle) - 0.4 * Math.cos(angle)) * 60) / 240;
    expect(pushed.samples[0].nodeVelocity[0]).toBeCloseTo(0.1 + gain, 2);
  });

  it('has the friction of its surface, which varies along it', () => {
    // half of the weight at 0.4 of μ = 0.5, half at 1.2: as a rod with μ = 0.4 would
    const slide = (ratio: number): number => {
      const scene = incline(ratio, 0.5, 0.4);
      const along = [
        [0, 0.4],
        [0.5, 0.4],
        [0.5, 1.2],
        [1, 1.2],
      ] as const;
      const world = createWorld({
        ...scene,
        rods: [{ ...scene.rods[0], edges: 64, surface: { friction: { along } } }],
      });
      run(world, 120);
      return world.samples[0].nodePosition[0];
    };
    // the half that holds is pressed a little by the half that would go
    expect(Math.abs(slide(0.97))).toBeLessThan(2e-5);
    const angle = Math.atan(0.4 * 1.2);
    const exact = (g * (Math.sin(angle) - 0.4 * Math.cos(angle)) * 120 * 121) / 2 / 240 ** 2;
    expect(slide(1.2) / exact).toBeCloseTo(1, 1);
  });

  it('rolls across it when rolling is asked for', () => {
    const angle = 0.3;
    const world = createWorld({
      tendril: 1,
      gravity: [g * Math.sin(angle), 0, -g * Math.cos(angle)],
      rods: [straight('rod', [0, 0, r], [0, 0.1, r], 4)],
      colliders: [{ type: 'plane', friction: 0.5 }],
      contact: { rolling: true },
      time: { duration: 1, step: 1 / 1000 },
    });
    run(world, 100);
    // a solid cylinder rolls with two thirds of the acceleration, and spins as it goes
    const v = world.samples[0].nodeVelocity[0];
    expect(v / ((2 / 3) * g * Math.sin(angle) * 0.1)).toBeCloseTo(1, 3);
    expect((-world.samples[0].edgeSpin[1] * r) / v).toBeCloseTo(-1, 3);
  });
});

describe('a rod dropped on the ground', () => {
  const scene: Scene = {
    tendril: 1,
    gravity: [0, 0, -g],
    rods: [straight('rod', [0, 0, 0.01], [0.3 * Math.cos(0.17), 0, 0.01 + 0.3 * Math.sin(0.17)], 16)],
    colliders: [{ type: 'plane', friction: 0.3 }],
    time: { duration: 1, step: 1 / 240 },
  };

  it('comes to rest on it with its weight, without sinking in or gaining energy', () => {
    const world = createWorld(scene);
    let energy = world.energies().total;
    let lowest = Infinity;
    for (let k = 0; k < 240; k++) {
      world.step();
      const { total } = world.energies();
      expect(total - energy).toBeLessThan(1e-7);
      energy = total;
      for (let i = 0; i <= 16; i++) lowest = Math.min(lowest, world.samples[0].nodePosition[3 * i + 2]);
    }
    expect(lowest).toBeGreaterThan(0.98 * r);
    run(world, 120);
    expect(sumOf(world, 2) / weightOf(world)).toBeCloseTo(1, 3);
    const speed = Math.max(...world.samples[0].nodeVelocity.map(Math.abs));
    expect(speed).toBeLessThan(1e-4);
  });

  it('is restored in the middle of it bit for bit', () => {
    const world = createWorld(scene);
    run(world, 20);
    const saved = world.save();
    expect(saved.contact?.length).toBeGreaterThan(0);
    run(world, 10);
    const hash = world.hash();
    world.restore(saved);
    run(world, 10);
    expect(world.hash()).toBe(hash);
    const fresh = createWorld(scene);
    fresh.restore(saved);
    run(fresh, 10);
    expect(fresh.hash()).toBe(hash);
  });
});

describe('an impact', () => {
  it.each([0.3, 0.7, 1])('rebounds with restitution %f', (restitution) => {
    const height = 0.05;
    const world = createWorld({
      tendril: 1,
      gravity: [0, 0, -g],
      rods: [straight('rod', [0, 0, r + height], [0.1, 0, r + height], 4)],
      colliders: [{ type: 'plane', restitution }],
      time: { duration: 1, step: 1 / 480 },
    });
    let top = 0;
    let down = true;
    for (let k = 0; k < 120; k++) {
      world.step();
      const v = world.samples[0].nodeVelocity[2];
      if (v > 0) down = false;
      if (!down && v < 0) break;
      if (!down) top = Math.max(top, world.samples[0].nodePosition[2] - r);
    }
    // e² of the height, as far as a step of 2 ms samples the top
    expect(top / (restitution ** 2 * height)).toBeGreaterThan(0.985);
    expect(top / (restitution ** 2 * height)).toBeLessThan(1.01);
  });
});

describe('rods on rods', () => {
  it('carry each other at rest: the ground feels the weight of all', () => {
    const rods: RodSpec[] = [];
    for (let layer = 0; layer < 4; layer++) {
      for (let i = 0; i < 4; i++) {
        const y = 0.02 + 0.02 * i;
        const z = r * (1 + 2 * layer);
        rods.push(
          straight(`${layer} ${i}`, layer % 2 ? [y, 0, z] : [0, y, z], layer % 2 ? [y, 0.1, z] : [0.1, y, z], 10),
        );
      }
    }
    const world = createWorld({
      tendril: 1,
      gravity: [0, 0, -g],
      rods,
      colliders: [{ type: 'plane', friction: 0.5 }],
      contact: { friction: 0.5 },
      time: { duration: 1, step: 1 / 240 },
    });
    run(world, 48);
    const forces = world.contactForces();
    const ground = forces.filter(({ kind }) => kind === 'collider').reduce((sum, c) => sum + c.force[2], 0);
    expect(ground / weightOf(world)).toBeCloseTo(1, 3);
    // sixteen crossings between each two layers
    expect(new Set(forces.filter(({ kind }) => kind === 'rod').map((c) => `${c.rod} ${c.other}`)).size).toBe(48);
    let speed = 0;
    let drift = 0;
    world.rods.forEach((rod, k) => {
      for (const v of world.samples[k].nodeVelocity) speed = Math.max(speed, Math.abs(v));
      rod.nodePosition.forEach((x, i) => {
        drift = Math.max(drift, Math.abs(world.samples[k].nodePosition[i] - x));
      });
    });
    expect(speed).toBeLessThan(1e-3);
    expect(drift / r).toBeLessThan(0.05);
  });

  it('keep the momentum when they collide in flight', () => {
    const world = createWorld({
      tendril: 1,
      rods: [
        { ...straight('a', [0, 0, 0], [0.1, 0, 0], 8), velocity: { linear: [0, 0.05, 0.3] } },
        straight('b', [0.03, -0.05, 0.006], [0.03, 0.05, 0.006], 8),
      ],
      contact: { friction: 0.4 },
      time: { duration: 1, step: 1 / 480 },
    });
    const before = [...world.momentum().linear];
    let most = 0;
    for (let k = 0; k < 40; k++) {
      world.step();
      most = Math.max(most, world.contactForces().length);
    }
    expect(most).toBeGreaterThan(0);
    world.momentum().linear.forEach((p, k) => {
      expect(p).toBeCloseTo(before[k], 9);
    });
    expect(Math.max(...world.samples[1].nodeVelocity.map(Math.abs))).toBeGreaterThan(0.05);
  });

  it('do not pass through each other at any speed', () => {
    for (const speed of [0.5, 2, 5, 20]) {
      const hair = {
        section: { type: 'circle', radius: 40e-6 },
        material: { E: 3e9, nu: 0.4, density: 1300 },
      } as const;
      const fly: RodSpec = {
        id: 'fly',
        shape: { type: 'straight', from: [-0.01, 0.001, 0.003], to: [0.01, 0.001, 0.003] },
        edges: 6,
        ...hair,
        velocity: { linear: [0, 0, -speed] },
      };
      const wall: RodSpec = {
        id: 'wall',
        shape: { type: 'straight', from: [0, -0.01, 0], to: [0, 0.01, 0] },
        edges: 6,
        ...hair,
      };
      const world = createWorld({
        tendril: 1,
        rods: [fly, wall],
        pins: [
          { rod: 'wall', at: 'start' },
          { rod: 'wall', at: 'end' },
        ],
        contact: {},
        time: { duration: 1, step: 1 / 240, halvings: 12 },
      });
      run(world, 4);
      // their middles are where they crossed
      const above = (k: number): number => world.samples[k].nodePosition[3 * 3 + 2];
      expect(above(0), `at ${speed} m/s`).toBeGreaterThan(above(1));
    }
  });
});

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

  it('impulses and repulsion hold rods up, roughly', () => {
    const impulses = createWorld(pile({ solver: 'impulses' }));
    run(impulses, 48);
    const scene = pile({ solver: 'repulsion', repulsion: { stiffness: 5, reach: 0.002 } });
    const repulsion = createWorld({
      ...scene,
      contact: { solver: 'repulsion', repulsion: { stiffness: 5, reach: 0.002 } },
    });
    run(repulsion, 48);
    for (const world of [impulses, repulsion]) {
      const [bottom, top] = [world.samples[0].nodePosition[2], world.samples[2].nodePosition[3 * 3 + 2]];
      expect(bottom).toBeGreaterThan(0.5 * r);
      expect(top).toBeGreaterThan(bottom + r);
    }
    expect(() => createWorld(pile({ solver: 'repulsion' }))).toThrow(/stiffness and a reach/);
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
    // three layers on the ground
    expect(world.samples[8].nodePosition[2] / r).toBeCloseTo(5, 0);
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

describe('a surface that is not solid', () => {
  const sheet = (changes: Partial<ColliderSpec>, thrown: number, from: number, contact?: Scene['contact']): World =>
    createWorld({
      ...(contact && { contact }),
      tendril: 1,
      rods: [straight('a', [-0.03, 0.01, from], [0.03, 0, from], 6)],
      // from rest, so that no speed at the start of the step gives it away
      loads: [{ rod: 'a', type: 'distributed', force: [0, 0, thrown * 1000 * Math.PI * r * r] }],
      colliders: [
        {
          type: 'mesh',
          vertices: [
            [-0.1, -0.1, 0],
            [0.1, -0.1, 0],
            [0.1, 0.1, 0],
            [-0.1, 0.1, 0],
          ],
          faces: [[0, 1, 2, 3]],
          solid: false,
          ...changes,
        } as ColliderSpec,
      ],
      time: { duration: 1, step: 1 / 240 },
    });
  const heights = (world: World): number[] =>
    Array.from({ length: 7 }, (_, i) => world.samples[0].nodePosition[3 * i + 2]);

  it('stops what is thrown at it within one step, from either side', () => {
    for (const side of [1, -1]) {
      // 8000 m/s² for 1/240 s: 7 cm and more
      const world = sheet({}, -8000 * side, 0.03 * side);
      for (let k = 0; k < 4; k++) {
        world.step();
        expect(Math.min(...heights(world).map((z) => side * z))).toBeGreaterThan(0.9 * r);
      }
      expect(Math.max(...heights(world).map((z) => side * z))).toBeLessThan(0.02);
    }
  });

  it('lets pass what goes by', () => {
    const world = sheet({ position: [0.2, 0, 0] }, -8000, 0.03);
    world.step();
    expect(Math.max(...heights(world))).toBeLessThan(-0.01);
    expect(world.contactForces().length).toBe(0);
  });

  it('stops it where it moves itself, and without a check of paths it does not', () => {
    const rising = {
      path: { interpolation: 'linear', keys: [{ time: 0 }, { time: 1, offset: [0, 0, 0.6] }] },
    } as const;
    const world = sheet(rising, -8000, 0.03);
    for (let k = 0; k < 3; k++) world.step();
    expect(Math.min(...heights(world))).toBeGreaterThan(0.6 * world.time + 0.5 * r);
    const through = sheet({}, -8000, 0.03, { continuous: false });
    for (let k = 0; k < 3; k++) through.step();
    expect(Math.max(...heights(through))).toBeLessThan(0);
  });
});

describe('a rod that falls across an obstacle', () => {
  const ball = icosphere(2, 0.05);
  const shapes: readonly (readonly [string, ColliderSpec])[] = [
    ['sphere', { type: 'sphere', radius: 0.05, friction: 0.5 }],
    ['box', { type: 'box', size: [0.06, 0.06, 0.1] }],
    ['capsule', { type: 'capsule', from: [0, -0.1, 0], to: [0, 0.1, 0], radius: 0.05, friction: 0.2 }],
    ['mesh', { type: 'mesh', ...ball, friction: 0.3 }],
    ['surface', { type: 'mesh', ...ball, solid: false }],
    ['formula', { type: 'formula', formula: 'sqrt(x^2 + y^2 + z^2) - 0.05', friction: 0.3 }],
  ];
  it.each(shapes)('%s: stays outside it', (_, shape) => {
    const scene: Scene = {
      tendril: 1,
      gravity: [0, 0, -g],
      rods: [
        {
          id: 'rod',
          shape: { type: 'straight', from: [-0.09, 0.003, 0.056], to: [0.11, -0.005, 0.056] },
          edges: 30,
          section: { type: 'circle', radius: 0.001 },
          material: { E: 2e6, nu: 0.4, density: 1000, damping: { mass: 3 } },
        },
      ],
      colliders: [shape],
      time: { duration: 1, step: 1 / 240 },
    };
    const world = createWorld(scene);
    const [collider] = compileColliders(scene, world.rods, [], []);
    const out = new Float64Array(4);
    let deepest = 0;
    let touched = 0;
    for (let k = 0; k < 72; k++) {
      world.step();
      touched += world.contactForces().length;
      const x = world.samples[0].nodePosition;
      for (let i = 0; i < 60; i++) {
        // nodes and middles
        const o = 3 * (i >> 1);
        const w = i & 1 ? 0.5 : 0;
        const at = [0, 1, 2].map((a) => (1 - w) * x[o + a] + w * x[o + 3 + a]);
        measureDistance(out, collider, at[0], at[1], at[2]);
        deepest = Math.max(deepest, 1 - out[0] / 0.001);
      }
    }
    expect(touched).toBeGreaterThan(20);
    expect(deepest).toBeLessThan(0.05);
  });
});

describe('a moving floor', () => {
  it('carries what lies on it', () => {
    const world = createWorld({
      tendril: 1,
      gravity: [0, 0, -g],
      rods: [straight('rod', [0, 0, r], [0.1, 0, r], 6)],
      colliders: [
        {
          type: 'plane',
          friction: 0.5,
          path: {
            keys: [
              { time: 0, offset: [0, 0, 0] },
              { time: 0.4, offset: [0.02, 0.01, 0.03] },
            ],
          },
        },
      ],
      time: { duration: 1, step: 1 / 240 },
    });
    run(world, 120);
    const end = world.samples[0].nodePosition;
    expect(end[0]).toBeCloseTo(0.02, 3);
    expect(end[1]).toBeCloseTo(0.01, 3);
    expect(end[2]).toBeCloseTo(0.03 + r, 4);
  });
});

describe('a ball on two beams', () => {
  const ball = (velocity: Vec3, beams: boolean): Scene => ({
    tendril: 1,
    ...(beams && { gravity: [0, 0, -g] }),
    rods: [
      ...[-1, 1].map(
        (side): RodSpec => ({
          id: `beam ${side}`,
          shape: { type: 'straight', from: [-0.1, 0.012 * side, 0], to: [0.1, 0.012 * side, 0] },
          edges: 20,
          section: { type: 'circle', radius: r },
          material: { E: 1e8, nu: 0.4, density: 1000, damping: { mass: beams ? 8 : 0, stiffness: beams ? 1e-3 : 0 } },
        }),
      ),
      { ...straight('thread', [0, 0, 0.0205], [0, 0, 0.0405], 4), section: { type: 'circle', radius: 0.0005 } },
    ],
    ...(beams && {
      pins: [-1, 1].flatMap((side) => [
        { rod: `beam ${side}`, at: 'start' as const },
        { rod: `beam ${side}`, at: 'end' as const },
      ]),
    }),
    bodies: [
      {
        id: 'ball',
        mass: 0.02,
        inertia: [3.2e-6, 3.2e-6, 3.2e-6],
        position: [0, 0, 0.0205],
        velocity: { linear: velocity, angular: [30, 20, 0] },
        ...(beams && { velocity: { linear: [0, 0, 0] }, free: { translation: ['z'], rotation: [] } }),
      },
    ],
    welds: [{ rod: 'thread', at: 'start', body: 'ball' }],
    colliders: [{ id: 'ball', type: 'sphere', radius: 0.018, body: 'ball', friction: 0.4 }],
    time: { duration: 3, step: 1 / 240 },
  });

  it('rests on them with its weight', () => {
    const world = createWorld(ball([0, 0, 0], true));
    let highest = 0;
    for (let k = 0; k < 240; k++) {
      world.step();
      // contact without restitution must not throw it back
      if (k > 20) highest = Math.max(highest, world.bodies[0].pose.position[2]);
    }
    expect(highest).toBeLessThan(0.0145);
    const beams = world.contactForces().filter(({ rod }) => rod !== 'thread');
    expect(beams.length).toBeGreaterThan(1);
    const force = -beams.reduce((sum, c) => sum + c.force[2], 0);
    const thread = 1000 * Math.PI * 0.0005 ** 2 * 0.02;
    expect(Math.abs(force / ((0.02 + thread) * g) - 1)).toBeLessThan(1e-3);
    expect(Math.abs(world.bodies[0].pose.velocity[2])).toBeLessThan(1e-3);
  });

  it('passes its momentum on when it strikes them in flight', () => {
    const world = createWorld(ball([0, 0, -0.5], false));
    const before = [...world.momentum().linear];
    run(world, 20);
    expect(world.samples[0].nodeVelocity.some((v) => Math.abs(v) > 0.05)).toBe(true);
    world.momentum().linear.forEach((p, k) => {
      expect(p).toBeCloseTo(before[k], 9);
    });
  });
});

describe('bad starts', () => {
  it.each(['der', 'fiber', 'strand'] as const)('are parted where they lie in the very same place: %s', (model) => {
    const rod = (id: string): Scene['rods'][number] => ({
      id,
      model,
      shape: { type: 'straight', from: [0, 0, 0], to: [0.2, 0, 0] },
      edges: 10,
      section: { type: 'circle', radius: 0.001 },
      material: { E: 1e6, nu: 0.49, density: 1000, damping: { mass: 20 } },
    });
    const world = createWorld({
      tendril: 1,
      rods: [rod('a'), rod('b')],
      contact: { friction: 0.3 },
      time: { duration: 1, step: 0.005 },
    });
    run(world, 120);
    const [{ nodePosition: a }, { nodePosition: b }] = world.samples;
    for (let i = 0; i < 33; i += 3) {
      const apart = Math.hypot(a[i] - b[i], a[i + 1] - b[i + 1], a[i + 2] - b[i + 2]);
      expect(apart).toBeGreaterThan(0.0018);
      expect(apart).toBeLessThan(0.006);
    }
  });

  it('tells of overlaps and pushes them apart gently', () => {
    const world = createWorld({
      tendril: 1,
      rods: [
        straight('a', [0, 0, 0.001], [0.1, 0, 0.001], 8),
        straight('b', [0.05, -0.05, 0.0035], [0.05, 0.05, 0.0035], 8),
      ],
      colliders: [{ type: 'plane', id: 'ground' }],
      contact: {},
      time: { duration: 1, step: 1 / 240 },
    });
    expect(world.warnings.join(' ')).toMatch(/rod 'a' and collider 'ground' overlap at the start, by 50 %/);
    expect(world.warnings.join(' ')).toMatch(/rod 'a' and rod 'b' overlap/);
    let fastest = 0;
    for (let k = 0; k < 120; k++) {
      world.step();
      for (const { nodeVelocity } of world.samples)
        for (const v of nodeVelocity) fastest = Math.max(fastest, Math.abs(v));
    }
    expect(world.samples[0].nodePosition[2]).toBeGreaterThan(0.98 * r);
    // a radius in a twentieth of a second, not in a step
    expect(fastest).toBeLessThan(0.1);
  });

  it('says what cannot touch', () => {
    const rods = [straight('a', [0, 0, 1], [0.1, 0, 1], 4)];
    const scene: Scene = { tendril: 1, rods, colliders: [{ type: 'plane' }], time: { duration: 1, step: 0.01 } };
    expect(() => createWorld({ ...scene, solver: { der: { integrator: 'shake' } } })).toThrow(/cannot touch anything/);
    expect(() => createWorld(scene).equilibrate()).toThrow(/statics do not know contact/);
  });
});
