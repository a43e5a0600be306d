/** Bodies on strands: closed forms, the model der on the same scene, momentum, energy, and what is rejected. */
import { describe, expect, it } from 'vitest';
import { type BodySpec, createWorld, type ModelId, type RodSpec, type Scene, type World } from '../../src/index.ts';
import { expectSceneError } from '../scene/support.ts';

const rod: RodSpec = {
  id: 'r',
  model: 'strand',
  shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
  edges: 10,
  section: { type: 'stiffness', EI1: 1, EI2: 1.5, GJ: 0.8, mass: 0.2, inertia: 1e-4 },
  inextensible: true,
};
/** Stretch of 1e-5: `der` without the multipliers of inextensible rods. */
const nearlyRigid = {
  inextensible: false,
  section: { type: 'stiffness', EA: 2e5, EI1: 1, EI2: 1.5, GJ: 0.8, mass: 0.2, inertia: 1e-4 },
} as const;
const body = (changes: Partial<BodySpec> = {}): BodySpec => ({
  id: 'b',
  mass: 2,
  inertia: [0.05, 0.08, 0.1],
  position: [1, 0, 0],
  ...changes,
});
const scene = (changes: Partial<Scene>): Scene => ({
  tendril: 1,
  gravity: [0, 0, -1],
  rods: [rod],
  pins: [{ rod: 'r', at: 'start' }],
  bodies: [body()],
  welds: [{ rod: 'r', at: 'end', body: 'b' }],
  ...changes,
});
const tip = (world: World): number[] => [...world.samples[0].nodePosition.slice(-3)];
const gap = (a: ArrayLike<number>, b: ArrayLike<number>): number => Math.hypot(...Array.from(a, (x, k) => x - b[k]));
const total = (world: World): number => world.energies().total;

/** A run that may gain no energy. */
function run(world: World, step: number, steps: number): World {
  for (let k = 0; k < steps; k++) {
    const report = world.step(step);
    expect(report.energyGain).toBeUndefined();
  }
  return world;
}

describe('a body on a strand at rest', () => {
  it('weighs on it like a force at its centre of mass', () => {
    const world = createWorld(scene({}));
    const [report] = world.equilibrate();
    expect(report).toMatchObject({ converged: true, stable: true });
    const loads = [{ type: 'force' as const, rod: 'r', at: 'end' as const, force: [0, 0, -2] as const }];
    const loaded = createWorld(scene({ bodies: undefined, welds: undefined, loads }));
    loaded.equilibrate();
    expect(tip(world)[2]).toBeLessThan(-0.3);
    expect(gap(tip(world), tip(loaded))).toBeLessThan(1e-9);
    expect(gap(world.bodies[0].pose.position, tip(world))).toBeLessThan(1e-12);
  });

  it('starts turned and moved with the base of its strand', () => {
    const path = { keys: [{ time: 0, rotation: [0, 0, Math.PI / 2] as const, offset: [0.1, 0.2, 0.5] as const }] };
    const bodies = [body({ position: [1.1, 0.3, 0.02], rotation: [0.3, -1, 2] })];
    for (const model of ['strand', 'der'] as const)
      for (const hold of ['clamp', 'position'] as const) {
        const rods = [{ ...rod, ...nearlyRigid, model }];
        const welds = [{ rod: 'r', at: 'end' as const, body: 'b', hold }];
        const plain = createWorld(scene({ rods, bodies, welds }));
        const moved = createWorld(scene({ rods, bodies, welds, pins: [{ rod: 'r', at: 'start', path }] }));
        expect(moved.warnings).toEqual(plain.warnings);
        const expectSame = (): void => {
          const carry = ([x, y, z]: ArrayLike<number> & Iterable<number>): number[] => [0.1 - y, 0.2 + x, 0.5 + z];
          const [a, b] = [plain, moved].map((world) => world.bodies[0].pose);
          expect(gap(carry(a.position), b.position)).toBeLessThan(1e-9);
          // the first axis of the body
          const axis = [a.rotation[0], a.rotation[3], a.rotation[6]];
          expect(gap([-axis[1], axis[0], axis[2]], [b.rotation[0], b.rotation[3], b.rotation[6]])).toBeLessThan(1e-9);
          expect(gap(carry(tip(plain)), tip(moved))).toBeLessThan(1e-9);
        };
        expectSame();
        for (const world of [plain, moved]) run(world, 0.01, 10);
        expectSame();
      }
  });

  it('turns it when it hangs beside it; reactions at base and weld balance', () => {
    const world = createWorld(scene({ bodies: [body({ position: [1.1, 0.3, 0.02], rotation: [0.3, -1, 2] })] }));
    expect(world.equilibrate()[0]).toMatchObject({ converged: true, stable: true });
    const [base, weld] = world.reactions();
    const { position } = world.bodies[0].pose;
    const { center, mass } = world.momentum();
    expect(position[1]).toBeGreaterThan(0.1);
    expect(base.force[2]).toBeCloseTo(mass, 9);
    expect(base.torque[0]).toBeCloseTo(mass * center[1], 8);
    expect(base.torque[1]).toBeCloseTo(-mass * center[0], 8);
    expect(weld.node).toBe(10);
    expect(weld.force[2]).toBeCloseTo(-2, 9);
    const [x, y] = tip(world);
    expect(weld.torque[0]).toBeCloseTo(-2 * (position[1] - y), 8);
    expect(weld.torque[1]).toBeCloseTo(2 * (position[0] - x), 8);
  });

  it('hangs where der has it, but for an error that falls with the square of the edges', () => {
    // naturally curved, and stiffer about one axis than about the other
    const shape = {
      type: 'arc',
      from: [0, 0, 0],
      tangent: [1, 0, 0],
      normal: [0, 1, 1],
      radius: 0.8,
      angle: 1.25,
    } as const;
    const hang = (model: ModelId, edges: number): number[] => {
      const bodies = [body({ position: [0.9, 0.5, 0.3] })];
      const world = createWorld(scene({ bodies, rods: [{ ...rod, ...nearlyRigid, model, edges, shape }] }));
      expect(world.equilibrate()[0].converged).toBe(true);
      return [...world.bodies[0].pose.position];
    };
    const errors = [8, 16].map((edges) => gap(hang('strand', edges), hang('der', edges)));
    expect(errors[0]).toBeLessThan(0.01);
    expect(errors[0] / errors[1]).toBeGreaterThan(3);
  });

  it('takes torques as on der', () => {
    const loads: Scene['loads'] = [
      { type: 'body-force', body: 'b', force: [0, 0.3, 0] },
      { type: 'body-torque', body: 'b', torque: [0.2, 0.1, -0.3] },
    ];
    const hang = (model: ModelId): number[] => {
      const bodies = [body({ position: [1, 0.2, 0] })];
      const world = createWorld(scene({ bodies, loads, rods: [{ ...rod, ...nearlyRigid, model, edges: 24 }] }));
      expect(world.equilibrate()[0].converged).toBe(true);
      const { position, orientation } = world.bodies[0].pose;
      return [...position, ...orientation.map((x) => x * Math.sign(orientation[0]))];
    };
    expect(gap(hang('strand'), hang('der'))).toBeLessThan(2e-3);
  });

  it('buckles its strand where a force of its weight does', () => {
    // Euler's column, clamped below: P = (π/2)² EI/L²
    const critical = (Math.PI / 2) ** 2;
    const stands = (weight: number): boolean => {
      const section = { type: 'stiffness', EI1: 1, EI2: 1.5, GJ: 0.8, mass: 1e-6, inertia: 1e-9 } as const;
      const upright: RodSpec = {
        ...rod,
        edges: 24,
        section,
        shape: { type: 'straight', from: [0, 0, 0], to: [0, 0, 1] },
      };
      const bodies = [body({ mass: weight, position: [0, 0, 1], inertia: [0.01, 0.01, 0.01] })];
      const world = createWorld(scene({ rods: [upright], bodies }));
      expect(world.equilibrate()[0]).toMatchObject({ converged: true, stable: true });
      return gap(tip(world), [0, 0, 1]) < 1e-6;
    };
    expect(stands(0.99 * critical)).toBe(true);
    expect(stands(1.01 * critical)).toBe(false);
  });

  it('hangs in equilibrium as drawn with natural: equilibrium', () => {
    const bodies = [body({ position: [1.1, 0.3, 0.02] })];
    const world = createWorld(scene({ bodies, rods: [{ ...rod, natural: 'equilibrium' }] }));
    run(world, 0.01, 20);
    expect(gap(world.bodies[0].pose.position, [1.1, 0.3, 0.02])).toBeLessThan(1e-9);
    expect(gap(tip(world), [1, 0, 0])).toBeLessThan(1e-9);
  });

  it('follows moduli that change', () => {
    const material = { E: 1e8, nu: 0.4, density: 600 };
    const round: RodSpec = { ...rod, section: { type: 'circle', radius: 0.01 }, material };
    const settle = (changes: Partial<RodSpec>): number[] => {
      const world = createWorld(scene({ rods: [{ ...round, ...changes }] }));
      run(world, 0.01, 1);
      world.equilibrate();
      return tip(world);
    };
    const animated = settle({
      animate: {
        E: {
          keys: [
            [0, 1],
            [0.005, 3],
          ],
        },
        G: {
          keys: [
            [0, 1],
            [0.005, 3],
          ],
        },
      },
    });
    expect(gap(animated, settle({ material: { ...material, E: 3e8 } }))).toBeLessThan(1e-9);
  });

  it('hangs on a branch as on the rod that the branch is', () => {
    const branch: RodSpec = {
      ...rod,
      id: 'branch',
      parent: { rod: 'r', at: 'end' },
      shape: { type: 'straight', from: [1, 0, 0], to: [2, 0, 0] },
      edges: 10,
    };
    const tree = createWorld(
      scene({
        rods: [rod, branch],
        bodies: [body({ position: [2, 0.1, 0] })],
        welds: [{ rod: 'branch', at: 'end', body: 'b' }],
      }),
    );
    expect(tree.equilibrate()[0]).toMatchObject({ converged: true, stable: true });
    const [base, weld] = tree.reactions();
    expect(base.force[2]).toBeCloseTo(2.4, 9);
    expect(weld).toMatchObject({ rod: 'branch', node: 10 });
    expect(weld.force[2]).toBeCloseTo(-2, 9);
  });
});

describe('a body on a strand in motion', () => {
  const stiff: RodSpec = {
    ...rod,
    edges: 4,
    shape: { type: 'straight', from: [0, 0, 0], to: [0, 0, -1] },
    section: { type: 'stiffness', EI1: 1e5, GJ: 1e5, mass: 0.2, inertia: 1e-4 },
  };
  const swinging = (hold: 'clamp' | 'position', changes: Partial<Scene> = {}): Scene =>
    scene({
      gravity: [0, 0, -9.81],
      rods: [stiff],
      pins: [{ rod: 'r', at: 'start', hold: 'position' }],
      bodies: [body({ position: [0, 0, -1.3] })],
      welds: [{ rod: 'r', at: 'end', body: 'b', hold }],
      ...changes,
    });
  // masses of nodes at 0, 1/4 … 1, halves at the ends
  const rodInertia = 0.2 * (1 / 4) * (1 / 16 + 4 / 16 + 9 / 16 + 0.5);
  const rodMoment = 0.2 * 0.5;

  it('swings as a compound pendulum', () => {
    const world = createWorld(swinging('clamp'));
    const omega = [...world.modes(4)[0].omega].filter((w) => w > 1e-3).sort((a, b) => a - b);
    const wanted = [0.05, 0.08].map((about) => {
      const inertia = rodInertia + 2 * 1.3 * 1.3 + about;
      return Math.sqrt((9.81 * (rodMoment + 2 * 1.3)) / inertia);
    });
    expect(omega[0] / wanted[1]).toBeCloseTo(1, 4);
    expect(omega[1] / wanted[0]).toBeCloseTo(1, 4);
  });

  it('swings about a ball joint as the second link of a double pendulum', () => {
    const world = createWorld(swinging('position'));
    const omega = [...world.modes(5)[0].omega].filter((w) => w > 0.5).sort((a, b) => a - b);
    // M and K of the angles of rod and body, about y
    const [I1, I2, m, l, c, g] = [rodInertia, 0.08, 2, 1, 0.3, 9.81];
    const M = [I1 + m * l * l, m * l * c, I2 + m * c * c];
    const K = [(rodMoment + m * l) * g, m * c * g];
    const a = M[0] * M[2] - M[1] * M[1];
    const b = M[0] * K[1] + M[2] * K[0];
    const slow = (b - Math.sqrt(b * b - 4 * a * K[0] * K[1])) / (2 * a);
    expect(omega[0] / Math.sqrt(slow)).toBeCloseTo(1, 4);
  });

  it('conserves energy to the order of the scheme', () => {
    const drift = (step: number): number => {
      const world = createWorld(
        swinging('clamp', {
          gravity: [2, 3, -9.81],
          rods: [{ ...stiff, section: { type: 'stiffness', EI1: 40, GJ: 40, mass: 0.2, inertia: 1e-4 } }],
        }),
      );
      const before = total(world);
      run(world, step, Math.round(0.4 / step));
      return Math.abs(total(world) - before);
    };
    const [coarse, fine] = [drift(0.004), drift(0.002)];
    expect(coarse).toBeLessThan(0.01);
    expect(coarse / fine).toBeGreaterThan(3);
  });

  it('moves as on der, up to an error that falls with the square of edges and step', () => {
    const bodies = [body({ position: [1.1, 0.1, 0.05], mass: 0.5, inertia: [0.002, 0.004, 0.005] })];
    const move = (model: ModelId, edges: number, steps: number): number[] => {
      const world = createWorld(
        scene({ gravity: [0, 0, -9.81], bodies, rods: [{ ...rod, ...nearlyRigid, model, edges }] }),
      );
      run(world, 0.2 / steps, steps);
      const { position, orientation } = world.bodies[0].pose;
      const sign = Math.sign(orientation[0]);
      return [...position, ...orientation.map((x) => sign * x)];
    };
    const errors = [
      [6, 20],
      [12, 40],
    ].map(([edges, steps]) => gap(move('strand', edges, steps), move('der', edges, steps)));
    expect(errors[0]).toBeLessThan(0.03);
    expect(errors[0] / errors[1]).toBeGreaterThan(3);
  });

  it('of a free strand keeps momentum and angular momentum', () => {
    const world = createWorld(
      scene({
        gravity: undefined,
        pins: [],
        rods: [{ ...rod, velocity: { linear: [0.3, 0, 1], angular: [2, 3, -1] } }],
        bodies: [body({ position: [1.1, 0.1, 0.05] })],
      }),
    );
    const before = world.momentum();
    const spin = (m: typeof before): number[] => [...m.angular];
    const start = { linear: [...before.linear], angular: spin(before) };
    run(world, 0.005, 40);
    const after = world.momentum();
    expect(gap(after.linear, start.linear)).toBeLessThan(1e-6 * Math.hypot(...start.linear));
    expect(gap(spin(after), start.angular)).toBeLessThan(2e-3 * Math.hypot(...start.angular));
  });

  it('steps in contact as rigidly as without, and gains no energy', () => {
    const colliders = [{ id: 'floor', type: 'plane' as const, position: [0, 0, -0.3] as const, friction: 0.3 }];
    const world = createWorld(
      scene({
        gravity: [0, 0, -9.81],
        colliders,
        bodies: [body({ position: [1.05, 0.1, 0.1] })],
        rods: [{ ...rod, radius: 0.01 } as RodSpec],
      }),
    );
    const size = (): number => gap(world.bodies[0].pose.position, tip(world));
    const before = size();
    run(world, 0.005, 70);
    expect(size()).toBeCloseTo(before, 12);
    expect(world.contactReport?.contacts).toBeGreaterThan(0);
  });

  it('resumes from a state bit for bit', () => {
    const make = (): World => createWorld(swinging('position', { gravity: [2, 3, -9.81] }));
    const world = run(make(), 0.005, 5);
    const saved = world.save();
    run(world, 0.005, 5);
    const again = make();
    again.restore(saved);
    run(again, 0.005, 5);
    expect([...again.bodies[0].pose.position, ...tip(again)]).toEqual([
      ...world.bodies[0].pose.position,
      ...tip(world),
    ]);
  });
});

describe('what is rejected', () => {
  const build =
    (changes: Partial<Scene>): (() => unknown) =>
    () =>
      createWorld(scene(changes));

  it('says what would be right', () => {
    const at = (place: 'start' | 'end' | { node: number }): Scene['welds'] => [{ rod: 'r', at: place, body: 'b' }];
    expectSceneError(build({ bodies: [{ id: 'b', mass: 0, position: [1, 0, 0] }] }), ['bodies', 0], /is a junction/);
    expectSceneError(
      build({ pins: [], welds: at('start'), bodies: [body({ position: [0, 0, 0] })] }),
      ['bodies', 0],
      /welded to its start/,
    );
    expectSceneError(
      build({ welds: [...(at('end') ?? []), ...(at({ node: 4 }) ?? [])] }),
      ['bodies', 0],
      /welded to 2 places/,
    );
    expectSceneError(
      build({ bodies: [body({ free: { translation: ['z'] } })] }),
      ['bodies', 0],
      /free along some axes only/,
    );
    expectSceneError(
      build({ bodies: [body({ velocity: { linear: [1, 0, 0] } })] }),
      ['bodies', 0, 'velocity'],
      /give the rod a velocity/,
    );
    const beside = body({ position: [1, 0.1, 0], velocity: { angular: [0, 0, 2] } });
    const welds = [{ rod: 'r', at: 'end' as const, body: 'b', hold: 'position' as const }];
    expectSceneError(
      build({ welds, bodies: [beside] }),
      ['bodies', 0, 'velocity'],
      /velocity.linear to \[-0.2, 0, 0\]/,
    );
    const colliders = [{ type: 'sphere' as const, radius: 0.1, body: 'b' }];
    expectSceneError(build({ colliders }), ['colliders', 0, 'body'], /feels no contact/);
  });
});
