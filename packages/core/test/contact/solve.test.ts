/** Rods that touch obstacles and each other: what the laws of contact say. */
import { describe, expect, it } from 'vitest';
import type { ColliderSpec, RodSpec, Scene, Vec3 } from '../../src/scene/types.ts';
import { createWorld } from '../../src/world/world.ts';
import { g, r, run, straight, sumOf, weightOf } from './support.ts';

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

describe('colliders', () => {
  it('that cannot meet each other are told of', () => {
    const scene = (colliders: readonly ColliderSpec[]): Scene => ({
      tendril: 1,
      rods: [straight('stick', [0, 0, 0.5], [0, 0, 0.6], 8)],
      bodies: [{ id: 'ball', solid: { type: 'sphere', density: 1000, radius: 0.02 }, position: [0, 0, 0.48] }],
      welds: [{ rod: 'stick', at: 'start', body: 'ball' }],
      colliders,
      time: { duration: 1, step: 0.002 },
    });
    const skin = { id: 'skin', type: 'sphere', radius: 0.02, body: 'ball' } as const;
    const told = createWorld(scene([{ id: 'floor', type: 'plane' }, skin])).warnings.join();
    expect(told).toMatch(/not on each other: 'skin' on body 'ball' passes through 'floor'.*engine/);
    // colliders that touch no rods are for pictures
    const drawn = { id: 'floor', type: 'plane', rods: [] } as const;
    expect(createWorld(scene([drawn, skin])).warnings.join()).not.toMatch(/each other/);
    for (const one of [skin, { type: 'plane' } as const])
      expect(createWorld(scene([one])).warnings.join()).not.toMatch(/each other/);
  });
});

describe('what cannot be solved', () => {
  it('is told of, over all pieces of the step, with what touches there', () => {
    const world = createWorld({
      tendril: 1,
      rods: [straight('a', [-0.02, 0, 0], [0.02, 0, 0], 3)],
      colliders: [
        { id: 'lower', type: 'plane', position: [0, 0, -r] },
        {
          id: 'upper',
          type: 'plane',
          normal: [0, 0, -1],
          position: [0, 0, r + 1e-5],
          path: { interpolation: 'linear', keys: [{ time: 0 }, { time: 0.1, offset: [0, 0, -0.01] }] },
        },
      ],
      contact: { iterations: 30 },
      time: { duration: 1, step: 0.004, halvings: 6 },
    });
    let pieces = 1;
    let missed = 0;
    for (let k = 0; k < 5; k++) {
      const { substeps, contact } = world.step();
      expect(contact).toEqual(world.contactReport);
      pieces = Math.max(pieces, substeps);
      if (contact?.converged) continue;
      missed++;
      expect(contact?.error).toBeGreaterThan(1e-3);
      expect(contact?.worst?.rod).toBe('a');
      expect(['lower', 'upper']).toContain(contact?.worst?.other);
    }
    expect(pieces).toBeGreaterThan(1);
    // the planes come nearer in every step than the rod is thick
    expect(missed).toBe(5);
    expect(world.contactReport?.overlap).toBeGreaterThan(1e-4);
  });
});

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
    const rod = straight('eight', [0, 0, 0], [1, 0, 0], 0);
    const points: [number, number, number][] = [
      [0, 0, 0],
      [0.1, 0, 0],
      [0.2, 0, 0],
      [0.2, 0.1, 0],
      [0.05, 0.1, 0],
      [0.05, 0.02, 0],
      [0.05, -0.1, 0.001],
    ];
    const eight = createWorld({
      tendril: 1,
      rods: [{ ...rod, edges: undefined, shape: { type: 'points', points } }],
      contact: {},
      time: { duration: 1, step: 1 / 240 },
    });
    expect(eight.warnings.join(' ')).toMatch(
      /rod 'eight' overlaps itself at the start, by 1\d\d % of the radius, most at s = 0.05 m and 0.55 m; the places are/,
    );
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
    expect(() => createWorld({ ...scene, solver: { der: { integrator: 'shake' } } })).toThrow(/inextensible: true/);
    expect(() => createWorld(scene).modes()).toThrow(/are about an equilibrium: find it first/);
  });
});
