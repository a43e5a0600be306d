/** Hinges and bodies on a path. */
import { describe, expect, it } from 'vitest';
import { type BodySpec, createWorld, type PinSpec, type RodSpec, type Scene, type World } from '../../src/index.ts';
import { loadDer } from '../../src/kernels/index.ts';

const section = { type: 'stiffness', EA: 1e5, EI1: 1, EI2: 1.5, GJ: 0.8, mass: 0.2, radius: 0.01 } as const;
const rod: RodSpec = {
  id: 'r',
  shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
  edges: 20,
  section,
};
const scene = (changes: Partial<Scene>): Scene => ({ tendril: 1, gravity: [0, 0, -3], rods: [rod], ...changes });
const gap = (a: ArrayLike<number>, b: ArrayLike<number>): number => Math.hypot(...Array.from(a, (x, k) => x - b[k]));
const node = (world: World, i: number): Float64Array => world.samples[0].nodePosition.slice(3 * i, 3 * i + 3);
const hinge = (at: 'start' | 'end', axis: readonly [number, number, number]): PinSpec => ({
  rod: 'r',
  at,
  hold: 'hinge',
  axis,
});

describe('a hinge', () => {
  it('bends a beam between two hinges as between two ball joints, and holds it across', () => {
    const ball = (at: 'start' | 'end'): PinSpec => ({ rod: 'r', at, hold: 'position' });
    const sliding = (pin: PinSpec): PinSpec => ({ ...pin, axes: ['y', 'z'] });
    const [a, b] = [
      [hinge('start', [0, 1, 0]), sliding(hinge('end', [0, 1, 0]))],
      [ball('start'), sliding(ball('end'))],
    ].map((pins) => {
      const world = createWorld(scene({ pins }));
      const [report] = world.equilibrate();
      expect(report.converged).toBe(true);
      return { world, report };
    });
    // 5 w L⁴/384 EI1 = 7.8 mm
    expect(node(a.world, 10)[2]).toBeCloseTo((-5 * 0.6) / 384, 4);
    expect(gap(node(a.world, 10), node(b.world, 10))).toBeLessThan(2e-5);
    expect(a.report).toMatchObject({ stable: true });
    expect(a.report.iterations).toBeLessThan(12);
    for (const { torque } of a.world.reactions()) expect(Math.abs(torque[1])).toBeLessThan(1e-9);
  });

  it('is a clamp about the other axes: a beam on hinges about z sags like one on clamps', () => {
    const build = (pins: readonly PinSpec[]): World => {
      const world = createWorld(scene({ pins }));
      expect(world.equilibrate()[0]).toMatchObject({ converged: true, stable: true });
      return world;
    };
    const hinged = build([hinge('start', [0, 0, 1]), { rod: 'r', at: 'end', hold: 'position', axes: ['y', 'z'] }]);
    const clamped = build([
      { rod: 'r', at: 'start' },
      { rod: 'r', at: 'end', hold: 'position', axes: ['y', 'z'] },
    ]);
    expect(node(clamped, 10)[2]).toBeLessThan(-2e-3);
    expect(gap(node(hinged, 10), node(clamped, 10))).toBeLessThan(1e-9);
  });

  it('swings as a pendulum, and keeps its energy', () => {
    const stiff: RodSpec = { ...rod, section: { ...section, EI1: 300, EI2: 300, GJ: 300 } };
    const world = createWorld(
      scene({
        gravity: [0, 0, -9.81],
        rods: [{ ...stiff, shape: { type: 'straight', from: [0, 0, 0], to: [0.1, 0.05, -0.9937] } }],
        pins: [hinge('start', [0, 1, 0])],
        time: { duration: 2, step: 2e-3 },
      }),
    );
    const energy = world.energies().total;
    const side = node(world, 20)[1];
    let before = node(world, 20)[0];
    const crossings: number[] = [];
    for (let k = 0; k < 2200; k++) {
      world.step();
      const x = node(world, 20)[0];
      if (x > 0 !== before > 0) crossings.push(world.time - (2e-3 * x) / (x - before));
      before = x;
    }
    // a rigid rod: ω² = 3g/2L; what leans along the axis stays so
    const period = (2 * (crossings[crossings.length - 1] - crossings[0])) / (crossings.length - 1);
    expect(period).toBeCloseTo(2 * Math.PI * Math.sqrt(2 / (3 * 9.81)), 2);
    expect(node(world, 20)[1]).toBeCloseTo(side, 2);
    expect(Math.abs(world.energies().total - energy)).toBeLessThan(0.02 * 0.01);
  });

  it('turns with its pin and with its body', () => {
    const body: BodySpec = {
      id: 'b',
      mass: 1,
      inertia: [0.1, 0.1, 0.1],
      position: [1, 0, 0],
      free: { translation: [], rotation: ['x'] },
    };
    const world = createWorld(
      scene({
        pins: [{ rod: 'r', at: 'start' }],
        bodies: [body],
        welds: [{ rod: 'r', at: 'end', body: 'b', hold: 'hinge', axis: [0, 1, 0] }],
        loads: [{ type: 'body-torque', body: 'b', torque: [0.4, 0, 0] }],
      }),
    );
    const [report] = world.equilibrate();
    expect(report.converged).toBe(true);
    expect(report.iterations).toBeLessThan(20);
    // twisted by M L/GJ, as a clamp would: the hinge passes torque about x
    const { orientation } = world.bodies[0].pose;
    expect(2 * Math.atan2(orientation[1], orientation[0])).toBeCloseTo(0.5, 2);
    const reaction = world.reactions().find(({ node: at }) => at === 20);
    // the axis has turned with the body: no torque about it
    const angle = 2 * Math.atan2(orientation[1], orientation[0]);
    const about = (reaction?.torque[1] ?? 1) * Math.cos(angle) + (reaction?.torque[2] ?? 1) * Math.sin(angle);
    expect(Math.abs(reaction?.torque[0] ?? 0)).toBeCloseTo(0.4, 6);
    expect(Math.abs(about)).toBeLessThan(1e-8);
  });

  it('keeps the momentum of a free system, with two tops hinged to a rod', () => {
    const top = (id: string, x: number, spin: readonly [number, number, number]): BodySpec => ({
      id,
      mass: 0.5,
      inertia: [0.02, 0.03, 0.035],
      position: [x, 0, 0.05],
      velocity: { angular: spin },
    });
    const world = createWorld(
      scene({
        gravity: [0, 0, 0],
        bodies: [top('a', 0, [1, 3, -1]), top('b', 1, [0, -2, 2])],
        welds: [
          { rod: 'r', at: 'start', body: 'a', hold: 'hinge', axis: [0, 1, 0] },
          { rod: 'r', at: 'end', body: 'b', hold: 'hinge', axis: [0, 1, 1] },
        ],
        time: { duration: 1, step: 1e-3 },
        solver: { der: { integrator: 'midpoint', twist: 'quasistatic' } },
      }),
    );
    const before = world.momentum();
    const energy = world.energies().total;
    let iterations = 0;
    for (let k = 0; k < 150; k++) iterations = Math.max(iterations, world.step().iterationsMax);
    const after = world.momentum();
    expect(gap(after.linear, before.linear)).toBeLessThan(1e-9);
    expect(gap(after.angular, before.angular)).toBeLessThan(1e-6);
    expect(world.energies().total / energy).toBeCloseTo(1, 3);
    expect(iterations).toBeLessThan(8);
  });

  it('within a rod lets it turn about its axis as a support does, and holds it as a clamp about the others', () => {
    const settle = (pin: Partial<PinSpec>): World => {
      const world = createWorld(
        scene({ pins: [{ rod: 'r', at: 'start' }, { rod: 'r', at: { node: 8 }, ...pin } as PinSpec] }),
      );
      const [report] = world.equilibrate();
      expect(report).toMatchObject({ converged: true, stable: true });
      expect(report.iterations).toBeLessThan(14);
      return world;
    };
    const [support, turning, clamped, across] = [
      settle({ hold: 'position' }),
      settle({ hold: 'hinge', axis: [0, 1, 0] }),
      settle({}),
      settle({ hold: 'hinge', axis: [0, 0, 1] }),
    ];
    for (const i of [4, 20]) {
      expect(gap(node(support, i), node(clamped, i))).toBeGreaterThan(4e-4);
      // two half joints in series are one joint, but for what is not linear in its angle
      expect(gap(node(turning, i), node(support, i))).toBeLessThan(1e-6);
      expect(gap(node(across, i), node(clamped, i))).toBeLessThan(1e-9);
    }
    const at = turning.reactions().find((reaction) => reaction.node === 8);
    expect(Math.abs(at?.torque[1] ?? 1)).toBeLessThan(1e-9);
    expect(at?.force[2]).toBeGreaterThan(0.1);
  });

  it('on a closed rod, and welded to the middle of one that flies, keeps the momentum', () => {
    const fly = (step: number): World =>
      createWorld(
        scene({
          gravity: [0, 0, 0],
          rods: [
            { ...rod, id: 'bar' },
            { ...rod, id: 'ring', shape: { type: 'ring', center: [0.5, 0, 0.3], radius: 0.2 } },
          ],
          bodies: [
            {
              id: 'a',
              mass: 0.5,
              inertia: [0.02, 0.03, 0.035],
              position: [0.5, 0, 0.05],
              velocity: { angular: [1, 3, -1] },
            },
          ],
          welds: [
            { rod: 'bar', at: { node: 10 }, body: 'a', hold: 'hinge', axis: [0, 1, 0] },
            { rod: 'ring', at: { node: 0 }, body: 'a', hold: 'hinge', axis: [1, 0, 1] },
          ],
          time: { duration: 1, step },
          solver: { der: { integrator: 'midpoint', twist: 'quasistatic' } },
        }),
      );
    const drift = [1e-3, 5e-4].map((step) => {
      const world = fly(step);
      const before = world.momentum();
      const energy = world.energies().total;
      const start = [...world.samples[0].edgeTangent.subarray(0, 3)];
      let iterations = 0;
      for (let k = 0; k < 0.1 / step; k++) iterations = Math.max(iterations, world.step().iterationsMax);
      const after = world.momentum();
      expect(gap(world.samples[0].edgeTangent.subarray(0, 3), start)).toBeGreaterThan(0.02);
      expect(gap(after.linear, before.linear)).toBeLessThan(1e-9);
      expect(gap(after.angular, before.angular)).toBeLessThan(1e-6);
      expect(iterations).toBeLessThan(8);
      return world.energies().total / energy - 1;
    });
    // the start is a jolt; second order in the step
    expect(Math.abs(drift[0])).toBeLessThan(5e-3);
    expect(Math.abs(drift[1])).toBeLessThan(0.4 * Math.abs(drift[0]));
  });

  it.each([undefined, { type: 'viscoelastic', terms: [{ ratio: 1, time: 1e-4 }] } as const])(
    'is where it was after a restart, and goes on with the same bits: law %o',
    (law) => {
      const scene: Scene = {
        tendril: 1,
        gravity: [0.5, -12, -12],
        rods: [
          {
            id: 'rod',
            shape: { type: 'straight', from: [0, 0, 0], to: [0.14, 0, 0] },
            edges: 9,
            section: { type: 'circle', radius: 1e-4 },
            material: { E: 8.9e9, nu: 0.4, density: 9886 },
            ...(law && { law }),
          },
        ],
        pins: [{ rod: 'rod', at: 'start', hold: 'hinge', axis: [1, 1, 1] }],
        loads: [{ type: 'force', rod: 'rod', at: 'end', force: [-0.05, -0.04, -0.02] }],
      };
      const world = createWorld(scene);
      for (let k = 0; k < 3; k++) {
        world.step(1e-4);
        const resumed = createWorld(scene);
        resumed.restore(world.save());
        expect(resumed.energies()).toEqual(world.energies());
        expect(resumed.reactions().map(({ force, torque }) => [force, torque])).toEqual(
          world.reactions().map(({ force, torque }) => [force, torque]),
        );
        resumed.step(1e-4);
        const now = world.save();
        world.step(1e-4);
        expect(resumed.hash()).toBe(world.hash());
        world.restore(now);
      }
    },
  );

  it('is not left to kernels, which know none', async () => {
    const pair = scene({
      rods: [rod, { ...rod, id: 's', shape: { type: 'straight', from: [0, 1, 0], to: [1, 1, 0] } }],
      pins: ['r', 's'].map((id): PinSpec => ({ rod: id, at: 'start', hold: 'hinge', axis: [0, 1, 0] })),
      time: { duration: 1, step: 5e-3 },
    });
    const worlds = [createWorld(pair), createWorld(pair, { models: [await loadDer()] })];
    for (const world of worlds) for (let k = 0; k < 20; k++) world.step();
    const [plain, fast] = worlds.map((world) => node(world, 20));
    expect(plain[2]).toBeLessThan(-0.01);
    expect(gap(plain, fast)).toBe(0);
  });

  it('is refused where it cannot be', () => {
    const wrong = (changes: Partial<Scene>, words: RegExp): void =>
      expect(() => createWorld(scene(changes))).toThrow(words);
    wrong({ pins: [{ rod: 'r', at: 'start', hold: 'hinge' }] }, /needs its axis/);
    wrong({ pins: [{ rod: 'r', at: 'start', axis: [0, 1, 0] }] }, /no effect with hold: clamp/);
    wrong({ pins: [hinge('start', [0, 0, 0])] }, /zero vector/);
    wrong({ pins: [hinge('start', [0, 1, 0])], solver: { der: { integrator: 'shake' } } }, /no hinges/);
  });
});

describe('a body on a path', () => {
  const shaken = (changes: Partial<BodySpec> = {}): Scene =>
    scene({
      gravity: [0, 0, 0],
      bodies: [
        {
          id: 'hand',
          position: [-0.1, 0, 0.05],
          path: { keys: [{ time: 0 }, { time: 0.3, offset: [0, 0.1, 0.1], rotation: [0.3, 0.2, 0.5] }] },
          ...changes,
        },
      ],
      welds: [{ rod: 'r', at: 'start', body: 'hand' }],
      time: { duration: 1, step: 1e-3 },
    });

  it('carries the rod along, and its reactions do the work', () => {
    const world = createWorld(shaken());
    let work = 0;
    const energy = world.energies().total;
    let power = 0;
    for (let k = 0; k < 300; k++) {
      world.step();
      const [{ force, torque }] = world.reactions();
      const { velocity, angularVelocity: w, position } = world.bodies[0].pose;
      const arm = [...node(world, 0)].map((x, i) => x - position[i]);
      const at = [0, 1, 2].map(
        (i) => velocity[i] + w[(i + 1) % 3] * arm[(i + 2) % 3] - w[(i + 2) % 3] * arm[(i + 1) % 3],
      );
      const now = at.reduce((sum, v, i) => sum + v * force[i] + w[i] * torque[i], 0);
      work += 0.5e-3 * (power + now);
      power = now;
    }
    expect(world.bodies[0].pose.position[1]).toBeCloseTo(0.1, 12);
    expect(world.energies().total - energy).toBeGreaterThan(1e-4);
    expect(work / (world.energies().total - energy)).toBeCloseTo(1, 1);
    // the weld holds: arm of the start, turned
    const { position, rotation } = world.bodies[0].pose;
    const seat = [0, 1, 2].map((k) => position[k] + 0.1 * rotation[3 * k] - 0.05 * rotation[3 * k + 2]);
    expect(gap(node(world, 0), seat)).toBeLessThan(1e-12);
  });

  it('counts turns about the rod, and works with the explicit scheme', () => {
    const turning = (integrator: 'tr-bdf2' | 'shake'): World => {
      const world = createWorld({
        ...shaken({
          position: [0, 0, 0],
          path: { interpolation: 'linear', keys: [{ time: 0 }, { time: 1, rotation: [4 * Math.PI, 0, 0] }] },
        }),
        pins: [{ rod: 'r', at: 'end' }],
        rods: [{ ...rod, section: { type: 'stiffness', EI1: 10, GJ: 0.8, mass: 0.2 } }],
        time: { duration: 1, step: 0.02 },
        solver: { der: { integrator } },
      });
      for (let k = 0; k < 50; k++) world.step();
      return world;
    };
    for (const scheme of ['tr-bdf2', 'shake'] as const) {
      const world = turning(scheme);
      expect(world.energies().twisting).toBeCloseTo(0.5 * 0.8 * (4 * Math.PI) ** 2, 3);
    }
    const still = createWorld(turning('tr-bdf2').scene);
    still.equilibrate(1);
    expect(still.energies().twisting).toBeCloseTo(0.5 * 0.8 * (4 * Math.PI) ** 2, 6);
  });

  it('is refused with what it has no use for', () => {
    const wrong = (changes: Partial<BodySpec>, words: RegExp, more: Partial<Scene> = {}): void =>
      expect(() => createWorld({ ...shaken(changes), ...more })).toThrow(words);
    wrong({ velocity: { linear: [1, 0, 0] } }, /no effect on a body with a path/);
    wrong({ free: { translation: [] } }, /no effect on a body with a path/);
    wrong({ path: { keys: [{ time: 0, twist: 1 }] } }, /no tangent to twist about/);
    wrong({}, /no force can move it/, { loads: [{ type: 'body-force', body: 'hand', force: [1, 0, 0] }] });
  });
});
