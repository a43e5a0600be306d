/** Rods in a Rapier world, against our own bodies and against theory. */
import RAPIER from '@dimforge/rapier3d-compat';
import { type BodySpec, createWorld, type JointSpec, type Scene, SceneError, type World } from '@tendril-sim/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { rapierEngine } from '../src/rapier/index.ts';

beforeAll(() => RAPIER.init());

const GJ = 0.8;
const rod = {
  id: 'r',
  shape: { type: 'straight' as const, from: [0, 0, 0] as const, to: [1, 0, 0] as const },
  edges: 10,
  section: { type: 'stiffness' as const, EA: 1e5, EI1: 1, GJ, mass: 0.05, radius: 0.01 },
};
const wheel: BodySpec = { id: 'b', mass: 0.3, inertia: [0.02, 0.03, 0.04], position: [1, 0, 0] };
const scene = (changes: Partial<Scene>): Scene => ({
  tendril: 1,
  rods: [rod],
  pins: [{ rod: 'r', at: 'start' }],
  bodies: [wheel],
  welds: [{ rod: 'r', at: 'end', body: 'b' }],
  time: { duration: 1, step: 1e-3 },
  solver: { der: { twist: 'quasistatic' } },
  ...changes,
});
const joined = (joints: readonly JointSpec[]): Partial<Scene> => ({ engine: { type: 'rapier', joints } });
const gap = (a: ArrayLike<number>, b: ArrayLike<number>): number => Math.hypot(...Array.from(a, (x, k) => x - b[k]));
const run = (world: World, steps: number): World => {
  for (let k = 0; k < steps; k++) world.step();
  return world;
};

describe('an engine that has nothing to do', () => {
  it('changes not a bit, for a tumbling top on a spring', () => {
    const tumbling = scene({
      gravity: [0, 0, -9.81],
      bodies: [{ ...wheel, position: [1, 0.02, 0.02], velocity: { angular: [3, 2, 1] } }],
    });
    const own = run(createWorld(tumbling), 100);
    const shared = run(createWorld(tumbling, { bodies: rapierEngine() }), 100);
    expect(gap(own.bodies[0].pose.position, [1, 0.02, 0.02])).toBeGreaterThan(1e-3);
    expect(shared.hash()).toBe(own.hash());
  });
});

describe('joints', () => {
  it('let a body swing on a hinge at the frequency of a physical pendulum', () => {
    const [m, arm, I] = [0.3, 0.2, 0.02];
    const light = { ...rod.section, EA: 1, EI1: 1e-9, GJ: 1e-9, mass: 1e-6 };
    const world = createWorld(
      scene({
        gravity: [0, 0, -9.81],
        rods: [{ ...rod, edges: 3, section: light }],
        time: { duration: 5, step: 2e-3 },
        bodies: [{ ...wheel, inertia: [I, I, I], velocity: { linear: [0, 0.02, 0], angular: [0.1, 0, 0] } }],
        ...joined([{ type: 'hinge', body: 'b', at: [1, 0, arm], axis: [1, 0, 0] }]),
      }),
      { bodies: rapierEngine() },
    );
    const crossings: number[] = [];
    let before = 0;
    for (let k = 0; k < 2500; k++) {
      world.step();
      const y = world.bodies[0].pose.position[1];
      if (before < 0 && y >= 0) crossings.push(world.time - (2e-3 * y) / (y - before));
      before = y;
    }
    const period = (crossings[crossings.length - 1] - crossings[0]) / (crossings.length - 1);
    const omega = Math.sqrt((m * 9.81 * arm) / (I + m * arm * arm));
    expect(crossings.length).toBeGreaterThan(2);
    expect(((2 * Math.PI) / period / omega - 1) * 100).toBeCloseTo(0, 0);
    // the joint holds: the centre stays on its circle
    const [x, y, z] = world.bodies[0].pose.position;
    expect(Math.hypot(y, z - arm)).toBeCloseTo(arm, 4);
    expect(x).toBeCloseTo(1, 5);
  });

  it('guide a wheel that twists a rod as our own guides do', () => {
    const spinning = { ...wheel, position: [1, 0.05, 0.03] as const, velocity: { angular: [4, 0, 0] as const } };
    const own = run(
      createWorld(
        scene({ bodies: [{ ...spinning, position: [1, 0, 0], free: { translation: [], rotation: ['x'] } }] }),
      ),
      700,
    );
    const shared = run(
      createWorld(
        scene({
          bodies: [{ ...spinning, position: [1, 0, 0] }],
          ...joined([{ type: 'hinge', body: 'b', axis: [1, 0, 0] }]),
        }),
        { bodies: rapierEngine() },
      ),
      700,
    );
    expect(Math.abs(own.bodies[0].pose.orientation[1])).toBeGreaterThan(0.05);
    expect(gap(own.bodies[0].pose.orientation, shared.bodies[0].pose.orientation)).toBeLessThan(1e-6);
  });

  it('drive a motor that twists a rod: the torque is GJ θ/L', () => {
    const world = run(
      createWorld(scene(joined([{ type: 'hinge', body: 'b', axis: [1, 0, 0], motor: { speed: 3 } }])), {
        bodies: rapierEngine(),
      }),
      1000,
    );
    const { orientation, angularVelocity } = world.bodies[0].pose;
    const angle = 2 * Math.atan2(orientation[1], orientation[0]);
    expect(angularVelocity[0]).toBeCloseTo(3, 2);
    expect(angle).toBeCloseTo(3, 1);
    expect(world.reactions()[0].torque[0]).toBeCloseTo(-GJ * angle, 3);
  });

  it('stall at their limit', () => {
    const world = createWorld(
      scene({
        ...joined([{ type: 'hinge', body: 'b', axis: [1, 0, 0], motor: { speed: 3, limit: 0.4 } }]),
        time: { duration: 4, step: 2e-3 },
      }),
      { bodies: rapierEngine() },
    );
    let most = 0;
    for (let k = 0; k < 1000; k++) {
      world.step();
      most = Math.max(most, 2 * Math.atan2(world.bodies[0].pose.orientation[1], world.bodies[0].pose.orientation[0]));
    }
    // undamped, a constant torque swings to at most twice its static angle 0.4 L/GJ
    expect(most).toBeGreaterThan(0.45);
    expect(most).toBeLessThan(1.05);
  });
});

describe('collisions', () => {
  const ball = (step: number): World =>
    createWorld(
      scene({
        gravity: [0, 0, -9.81],
        rods: [
          {
            ...rod,
            shape: { type: 'straight', from: [0, 0, 1], to: [1, 0, 1] },
            section: { ...rod.section, EI1: 0.01, GJ: 0.01, damping: { mass: 1 } },
          },
        ],
        bodies: [{ id: 'b', solid: { type: 'sphere', radius: 0.05, density: 500 }, position: [1.05, 0, 1] }],
        time: { duration: 1, step },
        engine: { type: 'rapier', ground: { height: 0.3 } },
      }),
      { bodies: rapierEngine() },
    );

  it('stop a ball on a rod at the ground, and it stays on the rod', () => {
    const world = ball(2e-3);
    let lowest = 1;
    for (let k = 0; k < 1000; k++) {
      world.step();
      lowest = Math.min(lowest, world.bodies[0].pose.position[2]);
    }
    const { position, rotation } = world.bodies[0].pose;
    expect(lowest).toBeGreaterThan(0.349);
    expect(position[2]).toBeCloseTo(0.35, 3);
    const end = world.samples[0].nodePosition.slice(-3);
    const seat = [0, 1, 2].map((k) => position[k] - 0.05 * rotation[3 * k]);
    expect(gap(end, seat)).toBeLessThan(1e-12);
  });

  /** A body with a rod of next to no mass on it, on the ground. */
  const onGround = (
    solid: BodySpec['solid'],
    height: number,
    gravity: Scene['gravity'],
    ground: { friction?: number; restitution?: number },
  ): World =>
    createWorld(
      scene({
        ...(gravity && { gravity }),
        rods: [
          {
            ...rod,
            shape: { type: 'straight', from: [0, 0, height], to: [0, 0, height + 0.02] },
            section: { ...rod.section, mass: 1e-6 },
          },
        ],
        pins: [],
        ...(solid && { bodies: [{ id: 'b', solid, position: [0, 0, height] }] }),
        welds: [{ rod: 'r', at: 'start', body: 'b' }],
        engine: { type: 'rapier', ground: { height: 0, ...ground } },
      }),
      { bodies: rapierEngine() },
    );

  it.each([0, 0.5, 0.8, 1])('throw a ball back with the restitution of the ground, %f', (restitution) => {
    const world = onGround({ type: 'sphere', radius: 0.02, density: 1000 }, 0.12, [0, 0, -9.81], { restitution });
    // it falls by 10 cm in 0.143 s
    run(world, 160);
    let highest = 0.02;
    for (let k = 0; k < 140; k++) highest = Math.max(highest, run(world, 1).bodies[0].pose.position[2]);
    expect(Math.sqrt((highest - 0.02) / 0.1)).toBeGreaterThan(restitution - 0.03);
    expect(Math.sqrt((highest - 0.02) / 0.1)).toBeLessThan(restitution + 0.03);
  });

  it.each([0, 0.2, 0.4])('let a box slide on ground that is inclined by 0.3 as its friction has it, %f', (friction) => {
    const cosine = 1 / Math.hypot(1, 0.3);
    const gravity = [0.3 * 9.81 * cosine, 0, -9.81 * cosine] as const;
    const world = run(
      onGround({ type: 'box', size: [0.2, 0.2, 0.02], density: 500 }, 0.01, gravity, { friction }),
      500,
    );
    const expected = 0.5 * Math.max(0, 0.3 - friction) * 9.81 * cosine * 0.5 ** 2;
    expect(Math.abs(world.bodies[0].pose.position[0] - expected)).toBeLessThan(0.004);
    expect(friction < 0.3).toBe(expected > 0.1);
  });

  it('continue bit for bit from a saved state', () => {
    const world = run(ball(2e-3), 300);
    const saved = world.save();
    const hash = run(world, 50).hash();
    world.restore(saved);
    expect(run(world, 50).hash()).toBe(hash);
  });
});

describe("a user's own world", () => {
  it('keeps its bodies, joints and forces, and rods join in', () => {
    const rapier = new RAPIER.World({ x: 0, y: 0, z: 0 });
    const bob = rapier.createRigidBody(
      RAPIER.RigidBodyDesc.dynamic()
        .setTranslation(1, 0, 0)
        .setAdditionalMassProperties(
          0.3,
          { x: 0, y: 0, z: 0 },
          { x: 0.02, y: 0.03, z: 0.04 },
          { x: 0, y: 0, z: 0, w: 1 },
        ),
    );
    const other = rapier.createRigidBody(RAPIER.RigidBodyDesc.dynamic().setTranslation(0, 0, 3).setLinvel(1, 0, 0));
    rapier.createCollider(RAPIER.ColliderDesc.ball(0.1), other);
    // a torque of the user's, which persists in Rapier: the rod is twisted by it
    bob.addTorque({ x: 0.3, y: 0, z: 0 }, true);
    const damped = { ...rod, section: { ...rod.section, damping: { mass: 5, stiffness: 0.02 } } };
    const world = run(
      createWorld(scene({ rods: [damped], solver: {}, time: { duration: 9, step: 5e-3 } }), {
        bodies: rapierEngine({ world: rapier, bodies: { b: bob } }),
      }),
      1500,
    );
    const { orientation } = world.bodies[0].pose;
    // the body on a torsion spring GJ, whose damping is 0.02 GJ: after 7.5 s a twentieth of the swing about 0.3/GJ is left
    const decay = (0.02 * GJ) / (2 * 0.02);
    const omega = Math.sqrt(GJ / 0.02 - decay * decay);
    const swing = Math.cos(omega * 7.5) + (decay / omega) * Math.sin(omega * 7.5);
    const expected = (0.3 / GJ) * (1 - Math.exp(-decay * 7.5) * swing);
    expect(2 * Math.atan2(orientation[1], orientation[0])).toBeCloseTo(expected, 2);
    expect(other.translation().x).toBeCloseTo(7.5, 2);
    expect(bob.translation().x).toBeCloseTo(world.bodies[0].pose.position[0], 5);
  });

  it('is refused where it disagrees with the scene', () => {
    const wrong = (changes: Partial<Scene>, words: RegExp, own?: (world: RAPIER.World) => RAPIER.RigidBody): void => {
      const rapier = new RAPIER.World({ x: 0, y: 0, z: 0 });
      const bodies: Record<string, RAPIER.RigidBody> = own ? { b: own(rapier) } : {};
      expect(() => createWorld(scene(changes), { bodies: rapierEngine({ world: rapier, bodies }) })).toThrow(words);
    };
    const heavy = (world: RAPIER.World): RAPIER.RigidBody =>
      world.createRigidBody(RAPIER.RigidBodyDesc.dynamic().setTranslation(1, 0, 0).setAdditionalMass(2));
    wrong({}, /weighs 2 kg and the scene's 0.3 kg/, heavy);
    wrong({}, /not dynamic/, (world) => world.createRigidBody(RAPIER.RigidBodyDesc.fixed()));
    wrong({ bodies: [{ id: 'b', mass: 0, position: [1, 0, 0] }] }, /without mass/);
    wrong({ bodies: [{ ...wheel, inertia: [0.02, 0.03, 0.04, 0.005, 0, 0] }] }, /principal axes/);
    wrong(joined([{ type: 'hinge', body: 'b' }]), /needs the direction of its axis/);
    wrong(joined([{ type: 'ball', body: 'b', axis: [1, 0, 0] }]), /no effect/);
    wrong(joined([{ type: 'ball', body: 'b', motor: { speed: 1 } }]), /no motor/);
    wrong(joined([{ type: 'ball', body: 'x' }]), /unknown body 'x'; known: b/);
    expect(() => createWorld(scene(joined([])))).toThrow(SceneError);
    expect(() => createWorld(scene({}), { bodies: rapierEngine() }).equilibrate()).toThrow(/do not include the joints/);
  });
});
