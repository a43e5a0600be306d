import { describe, expect, it } from 'vitest';
import { type BodySpec, createWorld, type RodSpec, type Scene, SceneError, type World } from '../../src/index.ts';

const rod: RodSpec = {
  id: 'r',
  shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
  edges: 20,
  section: { type: 'stiffness', EA: 1e4, EI1: 1, EI2: 1.5, GJ: 0.8, mass: 0.2, inertia: 1e-3 },
};
const clamp = { rod: 'r', at: 'start' as const };
const body = (changes: Partial<BodySpec> = {}): BodySpec => ({
  id: 'b',
  mass: 2,
  inertia: [0.1, 0.1, 0.1],
  position: [1, 0, 0],
  ...changes,
});
const weld = { rod: 'r', at: 'end' as const, body: 'b' };
const scene = (changes: Partial<Scene>): Scene => ({
  tendril: 1,
  rods: [rod],
  bodies: [body()],
  welds: [weld],
  ...changes,
});
const tip = (world: World): number[] => [...world.samples[0].nodePosition.slice(-3)];
const gap = (a: ArrayLike<number>, b: ArrayLike<number>): number => Math.hypot(...Array.from(a, (x, k) => x - b[k]));

describe('a body on a rod at rest', () => {
  it('weighs on it like a force at its centre of mass', () => {
    const world = createWorld(scene({ gravity: [0, 0, -1], pins: [clamp] }));
    const [report] = world.equilibrate();
    expect(report).toMatchObject({ converged: true, stable: true });
    expect(report.iterations).toBeLessThan(15);
    const loaded = createWorld({
      tendril: 1,
      gravity: [0, 0, -1],
      rods: [rod],
      pins: [clamp],
      loads: [{ type: 'force', rod: 'r', at: 'end', force: [0, 0, -2] }],
    });
    loaded.equilibrate();
    expect(tip(world)[2]).toBeLessThan(-0.3);
    expect(gap(tip(world), tip(loaded))).toBeLessThan(1e-10);
  });

  it('turns the rod when it hangs beside it, and moments balance at the clamp', () => {
    const world = createWorld(
      scene({ gravity: [0, 0, -1], pins: [clamp], bodies: [body({ position: [1.1, 0.3, 0.02] })] }),
    );
    expect(world.equilibrate()[0].converged).toBe(true);
    const [reaction] = world.reactions();
    const { position } = world.bodies[0].pose;
    const { center, mass } = world.momentum();
    expect(position[1]).toBeGreaterThan(0.1);
    expect(reaction.force[2]).toBeCloseTo(mass, 8);
    // moment of all weight about the clamp: c × (0, 0, −m)
    expect(reaction.torque[0]).toBeCloseTo(mass * center[1], 6);
    expect(reaction.torque[1]).toBeCloseTo(-mass * center[0], 6);
    expect(Math.abs(reaction.torque[2])).toBeLessThan(1e-7);
  });

  it('is stable below Euler and not above', () => {
    const column = (mass: number) =>
      createWorld(
        scene({
          statics: { stability: 'report' },
          gravity: [0, 0, -1],
          rods: [
            {
              ...rod,
              shape: { type: 'straight', from: [0, 0, 0], to: [0, 0, 1] },
              section: { type: 'stiffness', EI1: 1, GJ: 0.8, mass: 1e-6 },
            },
          ],
          pins: [clamp],
          bodies: [body({ mass, position: [0, 0, 1] })],
        }),
      ).equilibrate()[0];
    expect(column(2.4)).toMatchObject({ converged: true, stable: true });
    expect(column(2.53)).toMatchObject({ converged: true, stable: false });
  });

  it('may be nothing but a junction: two halves of a rod bend like one', () => {
    const half = (id: string, from: number): RodSpec => ({
      ...rod,
      id,
      edges: 10,
      shape: { type: 'straight', from: [from, 0, 0], to: [from + 0.5, 0, 0] },
      frame: { d1: [0, 1, 0] },
    });
    const joined = createWorld({
      tendril: 1,
      gravity: [0, 0, -10],
      rods: [half('r', 0), half('s', 0.5)],
      pins: [clamp],
      bodies: [{ id: 'j', mass: 0, position: [0.5, 0, 0] }],
      welds: [
        { rod: 'r', at: 'end', body: 'j' },
        { rod: 's', at: 'start', body: 'j' },
      ],
    });
    expect(joined.equilibrate()[0].converged).toBe(true);
    const whole = createWorld({
      tendril: 1,
      gravity: [0, 0, -10],
      rods: [{ ...rod, frame: { d1: [0, 1, 0] } }],
      pins: [clamp],
    });
    whole.equilibrate();
    const end = joined.samples[1].nodePosition.slice(-3);
    expect(end[2]).toBeLessThan(-0.1);
    // second order apart: the joint is cut in two half joints
    expect(gap(end, tip(whole))).toBeLessThan(1e-3);
  });
});

describe('a body in motion', () => {
  const tumbling = (integrator: 'midpoint' | 'tr-bdf2', steps: number): World =>
    createWorld({
      tendril: 1,
      rods: [{ ...rod, velocity: { angular: [0, 0, 1] } }],
      bodies: [
        body({
          mass: 0.5,
          inertia: [0.02, 0.03, 0.04],
          position: [1.1, 0, 0],
          velocity: { linear: [0, 0.3, 0], angular: [2, 0.5, 1] },
        }),
        body({
          id: 'c',
          mass: 0.3,
          inertia: [0.01, 0.012, 0.015, 0.001, 0, 0],
          position: [-0.05, 0, 0],
          velocity: { linear: [0, -0.4, 0.1], angular: [0, 0, 1] },
        }),
      ],
      welds: [weld, { rod: 'r', at: 'start', body: 'c' }],
      time: { duration: 1, step: 1 / steps },
      solver: { der: { integrator, twist: 'quasistatic', tolerance: 1e-11 } },
    });
  const drift = (world: World, steps: number): { linear: number; angular: number } => {
    const before = world.momentum();
    for (let k = 0; k < steps; k++) world.step();
    const after = world.momentum();
    return {
      linear: gap(after.linear, before.linear),
      angular: gap(after.angular, before.angular) / Math.hypot(...before.angular),
    };
  };

  it('keeps the momentum of the whole', () => {
    const midpoint = drift(tumbling('midpoint', 100), 100);
    expect(midpoint.linear).toBeLessThan(1e-11);
    expect(midpoint.angular).toBeLessThan(1e-8);
    const coarse = drift(tumbling('tr-bdf2', 200), 200);
    const fine = drift(tumbling('tr-bdf2', 400), 400);
    expect(coarse.linear).toBeLessThan(1e-10);
    expect(coarse.angular / fine.angular).toBeGreaterThan(3.4);
  });

  it('stays where it is tied: the node rides on the body', () => {
    const world = tumbling('tr-bdf2', 100);
    for (let k = 0; k < 50; k++) world.step();
    const { position, rotation } = world.bodies[0].pose;
    const node = [0, 1, 2].map((k) => position[k] - 0.1 * rotation[3 * k]);
    expect(gap(tip(world), node)).toBeLessThan(1e-12);
  });

  it('is the free top of Euler when the rod weighs and holds nothing', () => {
    const inertia = [0.02, 0.03, 0.045];
    const spin = [0.3, 4, 0.2];
    const error = (steps: number): number => {
      const world = createWorld({
        tendril: 1,
        rods: [
          {
            ...rod,
            edges: 2,
            shape: { type: 'straight', from: [0, 0, 0], to: [0.01, 0, 0] },
            section: { type: 'stiffness', EI1: 1e-12, GJ: 1e-12, EA: 1e-6, mass: 1e-9 },
          },
        ],
        bodies: [
          body({ mass: 1, inertia, position: [0, 0, 0], velocity: { angular: spin as [number, number, number] } }),
        ],
        welds: [{ rod: 'r', at: 'start', body: 'b' }],
        time: { duration: 2, step: 2 / steps },
        solver: { der: { twist: 'quasistatic' } },
      });
      for (let k = 0; k < steps; k++) world.step();
      // body-frame angular velocity against Euler's equations by small Runge–Kutta steps
      let w = [...spin];
      const rate = (v: number[]): number[] =>
        v.map((_, k) => ((inertia[(k + 1) % 3] - inertia[(k + 2) % 3]) * v[(k + 1) % 3] * v[(k + 2) % 3]) / inertia[k]);
      const add = (a: number[], b: number[], s: number): number[] => a.map((x, k) => x + s * b[k]);
      const h = 2 / 20000;
      for (let k = 0; k < 20000; k++) {
        const a = rate(w);
        const b = rate(add(w, a, h / 2));
        const c = rate(add(w, b, h / 2));
        const d = rate(add(w, c, h));
        w = w.map((x, i) => x + (h / 6) * (a[i] + 2 * b[i] + 2 * c[i] + d[i]));
      }
      const { rotation, angularVelocity } = world.bodies[0].pose;
      const own = [0, 1, 2].map(
        (k) =>
          rotation[k] * angularVelocity[0] +
          rotation[3 + k] * angularVelocity[1] +
          rotation[6 + k] * angularVelocity[2],
      );
      return gap(own, w);
    };
    const coarse = error(400);
    expect(coarse).toBeLessThan(0.05);
    expect(coarse / error(800)).toBeGreaterThan(3.5);
  });

  it('swings on a ball joint like a pendulum', () => {
    // a stiff, light bar on a ball joint at its top, a small heavy body at its end
    const world = createWorld({
      tendril: 1,
      gravity: [0, 0, -9.81],
      rods: [
        {
          ...rod,
          shape: { type: 'straight', from: [0, 0, 0], to: [0.1, 0, -0.995] },
          edges: 6,
          section: { type: 'stiffness', EA: 1e6, EI1: 1e4, GJ: 1e4, mass: 1e-4 },
        },
      ],
      pins: [{ rod: 'r', at: 'start', hold: 'position' }],
      bodies: [body({ mass: 1, inertia: [1e-8, 1e-8, 1e-8], position: [0.1, 0, -0.995] })],
      welds: [{ ...weld, hold: 'position' }],
      time: { duration: 2, step: 0.005 },
    });
    const crossings: number[] = [];
    let before = tip(world)[0];
    for (let k = 0; k < 400; k++) {
      world.step();
      const x = tip(world)[0];
      if (x > 0 !== before > 0) crossings.push(world.time - (0.005 * x) / (x - before));
      before = x;
    }
    const length = Math.hypot(0.1, 0.995);
    const period = 2 * Math.PI * Math.sqrt(length / 9.81) * (1 + 0.1 ** 2 / 16);
    expect(2 * (crossings[1] - crossings[0])).toBeCloseTo(period, 3);
  });

  it('costs a rod no more iterations, however light it is', () => {
    const iterations = (integrator: 'implicit-euler' | 'tr-bdf2', mass: number): number => {
      const soft: RodSpec = {
        ...rod,
        edges: 50,
        section: { type: 'circle', radius: 0.005 },
        material: { E: 1e7, nu: 0.5, density: 1000 },
      };
      const world = createWorld({
        tendril: 1,
        gravity: [0, 0, -9.81],
        rods: [soft],
        pins: [clamp],
        time: { duration: 0.4, step: 0.01 },
        solver: { der: { integrator } },
        ...(mass > 0 && { bodies: [body({ mass, inertia: [1e-3 * mass, 1e-3 * mass, 1e-3 * mass] })], welds: [weld] }),
      });
      let sum = 0;
      for (let k = 0; k < 40; k++) sum += world.step().iterations;
      return sum;
    };
    for (const integrator of ['implicit-euler', 'tr-bdf2'] as const) {
      const alone = iterations(integrator, 0);
      expect(alone).toBeGreaterThan(80);
      // a guess without the body's acceleration takes a third to a half more
      for (const mass of [1e-5, 1e-2]) expect(iterations(integrator, mass)).toBeLessThan(1.05 * alone);
    }
  });

  it('restarts bit for bit', () => {
    const whole = tumbling('tr-bdf2', 100);
    for (let k = 0; k < 20; k++) whole.step();
    const first = tumbling('tr-bdf2', 100);
    for (let k = 0; k < 9; k++) first.step();
    const second = tumbling('tr-bdf2', 100);
    second.restore(first.save());
    for (let k = 9; k < 20; k++) second.step();
    expect(second.hash()).toBe(whole.hash());
    expect([...second.bodies[0].pose.orientation]).toEqual([...whole.bodies[0].pose.orientation]);
  });
});

describe('loads on bodies', () => {
  it('turn a shaft by TL/GJ and bend it like a force at its end', () => {
    const world = createWorld(
      scene({
        pins: [clamp],
        loads: [
          { type: 'body-torque', body: 'b', torque: [0.2, 0, 0] },
          { type: 'body-force', body: 'b', force: [0, 0, -0.3] },
        ],
      }),
    );
    expect(world.equilibrate()[0].converged).toBe(true);
    const [reaction] = world.reactions();
    expect(reaction.force[2]).toBeCloseTo(0.3, 9);
    const straight = createWorld(
      scene({
        pins: [clamp],
        loads: [
          {
            type: 'body-torque',
            body: 'b',
            torque: [0.2, 0, 0],
            factor: {
              keys: [
                [0, 0],
                [1, 1],
              ],
            },
          },
        ],
      }),
    );
    straight.equilibrate(1);
    const { orientation } = straight.bodies[0].pose;
    expect(2 * Math.atan2(orientation[1], orientation[0])).toBeCloseTo(0.2 / 0.8, 8);
  });

  it('speed up a free whole: momentum is force times time', () => {
    const world = createWorld(
      scene({
        loads: [
          { type: 'body-force', body: 'b', force: [0.5, -1, 2] },
          { type: 'body-torque', body: 'b', torque: [0.1, 0, 0] },
        ],
        time: { duration: 1, step: 0.001 },
      }),
    );
    for (let k = 0; k < 50; k++) world.step();
    const { linear, angular } = world.momentum();
    [0.5, -1, 2].forEach((f, k) => {
      expect(linear[k]).toBeCloseTo(0.05 * f, 6);
    });
    // moment of the force about the origin from (1, 0, 0), and the torque
    [0.1, -2, -1].forEach((m, k) => {
      expect(angular[k]).toBeCloseTo(0.05 * m, 3);
    });
  });

  it('name a body that is there', () => {
    expect(() => createWorld(scene({ loads: [{ type: 'body-force', body: 'x', force: [0, 0, 1] }] }))).toThrow(
      /known: b/,
    );
  });
});

describe('a body on a closed rod', () => {
  it.each([{ u: 0.5 }, { node: 1 }, { node: 0 }, { node: 39 }])('hangs at %j, across the seam too', (at) => {
    const world = createWorld({
      tendril: 1,
      gravity: [0, 0, -9.81],
      rods: [
        {
          id: 'r',
          shape: { type: 'ring', radius: 0.2, axis: [0, 1, 0], start: [0, 0, 1] },
          edges: 40,
          section: { type: 'circle', radius: 0.004 },
          material: { E: 5e7, nu: 0.4, density: 1200 },
        },
      ],
      pins: [{ rod: 'r', at: { u: 0.25 }, hold: 'position' }],
      bodies: [{ id: 'b', solid: { type: 'sphere', radius: 0.02, density: 2000 }, position: [0, 0, -0.25] }],
      welds: [{ rod: 'r', at, body: 'b' }],
    });
    const [report] = world.equilibrate();
    expect(report).toMatchObject({ converged: true, stable: true });
    expect(report.iterations).toBeLessThan(40);
    expect(world.reactions()[0].force[2] / (9.81 * world.momentum().mass)).toBeCloseTo(1, 9);
  });

  it('tumbles with it and keeps the momentum of both', () => {
    const world = createWorld({
      tendril: 1,
      rods: [
        {
          id: 'r',
          shape: { type: 'ring', radius: 0.2, axis: [0, 1, 0], start: [0, 0, 1] },
          edges: 30,
          section: { type: 'stiffness', EA: 1e3, EI1: 0.01, GJ: 0.008, mass: 0.1 },
          velocity: { angular: [1, 2, 3] },
        },
      ],
      bodies: [
        body({
          mass: 0.05,
          inertia: [1e-4, 1.2e-4, 1.5e-4],
          position: [0, 0, -0.25],
          velocity: { angular: [4, 1, 2] },
        }),
      ],
      welds: [{ rod: 'r', at: { node: 2 }, body: 'b' }],
      time: { duration: 1, step: 0.004 },
      solver: { der: { integrator: 'midpoint', twist: 'quasistatic', tolerance: 1e-11 } },
    });
    const before = world.momentum();
    for (let k = 0; k < 100; k++) world.step();
    const after = world.momentum();
    expect(gap(after.linear, before.linear)).toBeLessThan(1e-12);
    expect(gap(after.angular, before.angular) / Math.hypot(...before.angular)).toBeLessThan(1e-8);
    expect(Math.hypot(...before.angular)).toBeGreaterThan(1e-3);
  });
});

describe('impossible bodies and welds', () => {
  it.each([
    [{ bodies: [body({ mass: -1 })] }, ['bodies', 0, 'mass'], /positive/],
    [{ bodies: [body({ mass: undefined })] }, ['bodies', 0, 'mass'], /solid/],
    [{ bodies: [body({ inertia: [1, 1, 3] })] }, ['bodies', 0, 'inertia'], /sum of the others/],
    [{ bodies: [body({ inertia: [1, 1, -1] })] }, ['bodies', 0, 'inertia'], /positive/],
    [{ bodies: [body(), body()] }, ['bodies', 1, 'id'], /taken/],
    [{ bodies: [body(), body({ id: 'c' })] }, ['bodies', 1], /no rod is welded/],
    [{ welds: [{ ...weld, body: 'x' }] }, ['welds', 0, 'body'], /known: b/],
    [{ welds: [{ ...weld, at: { node: 99 } }] }, ['welds', 0, 'at', 'node'], /99/],
    [{ welds: [weld, weld] }, ['welds', 1, 'at'], /./],
    [{ solver: { der: { integrator: 'bdf2' as const } } }, ['solver', 'der', 'integrator'], /bodies/],
  ] as [Partial<Scene>, (string | number)[], RegExp][])('are errors with their place: %#', (changes, path, message) => {
    let error: unknown;
    try {
      createWorld(scene(changes));
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(SceneError);
    expect((error as SceneError).message).toMatch(message);
    expect((error as SceneError).path.slice(0, 2)).toEqual(path.slice(0, 2));
  });
});
