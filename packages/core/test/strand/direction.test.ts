import { describe, expect, it } from 'vitest';
import { createWorld, type Scene, type StrandDirection, type World } from '../../src/index.ts';

const distance = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Math.hypot(...Array.from(a, (x, k) => x - b[k]));

/** A soft strand on a head that turns and travels. */
function scene(direct: StrandDirection | undefined, changes: Partial<Scene> = {}): Scene {
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [
      {
        id: 'tail',
        model: 'strand',
        shape: { type: 'arc', from: [0.2, 0, 0], tangent: [1, 0, 0], normal: [0, 0, -1], radius: 0.3, angle: 1 },
        edges: 12,
        section: {
          type: 'stiffness',
          EI1: 0.01,
          EI2: 0.02,
          GJ: 0.01,
          mass: 0.1,
          inertia: 1e-6,
          damping: { stiffness: 0.02 },
        },
      },
    ],
    pins: [
      {
        rod: 'tail',
        at: 'start',
        path: {
          keys: [
            { time: 0, offset: [0, 0, 0], rotation: [0, 0, 0] },
            { time: 0.3, offset: [0.2, 0.1, 0.1], rotation: [0.2, 0.3, 1.2] },
            { time: 0.6, offset: [-0.1, 0.2, 0], rotation: [0.3, -0.4, 0.4] },
            { time: 1, offset: [0.4, 0, 0], rotation: [0, 0, 0] },
          ],
        },
      },
    ],
    time: { duration: 0.6, step: 0.005 },
    solver: { strand: direct ? { direct: [direct] } : {} },
    ...changes,
  };
}

function run(input: Scene): World {
  const world = createWorld(input);
  world.equilibrate();
  const steps = Math.round((input.time?.duration ?? 0) / (input.time?.step ?? 1));
  for (let k = 0; k < steps; k++) world.step();
  return world;
}

/** Joint rotations alone: the shape as the base sees it. */
const shape = (world: World): Float64Array => world.save().bundles[0].q.slice(3);

describe('time scale', () => {
  it('changes nothing at 1', () => {
    expect(run(scene({ timeScale: 1 })).hash()).toBe(run(scene(undefined)).hash());
  });

  it('calms the motion: at 0 the base goes its way without being felt, but for the direction of gravity', () => {
    const at = (timeScale: number): World => run(scene({ timeScale }, { gravity: [0, 0, 0] }));
    const rest = shape(createWorld(scene(undefined, { gravity: [0, 0, 0] })));
    const away = [0, 0.25, 0.5, 1].map((beta) => distance(shape(at(beta)), rest));
    expect(away[0]).toBeLessThan(1e-9);
    expect(away[1]).toBeGreaterThan(0.01);
    for (let k = 1; k < 4; k++) expect(away[k]).toBeGreaterThan(1.3 * away[k - 1]);
    // it is where the base is all the same
    expect(distance(at(0).samples[0].nodePosition.slice(0, 3), at(1).samples[0].nodePosition.slice(0, 3))).toBe(0);
  });

  it('scales what is linear in acceleration by β', () => {
    // a base that starts to accelerate along a line: the first response is linear
    const start = (timeScale: number): Float64Array => {
      const input = scene(
        { timeScale },
        {
          gravity: [0, 0, 0],
          pins: [{ rod: 'tail', at: 'start', path: { keys: [{ time: 0 }, { time: 1, offset: [0, 0.001, 0] }] } }],
          time: { duration: 0.1, step: 0.005 },
        },
      );
      const rest = shape(createWorld(input));
      return shape(run(input)).map((x, k) => x - rest[k]);
    };
    const whole = start(1);
    const half = start(0.5);
    expect(Math.hypot(...whole)).toBeGreaterThan(1e-5);
    whole.forEach((x, k) => {
      expect(half[k]).toBeCloseTo(0.5 * x, 7);
    });
  });
});

describe('local dynamics', () => {
  const path = scene(undefined).pins?.[0].path as NonNullable<NonNullable<Scene['pins']>[number]['path']>;

  it('feels nothing of a frame that moves with the base', () => {
    const direct = { local: { amount: 1, position: [0.2, 0, 0] as const, path } };
    const world = run(scene(direct, { gravity: [0, 0, 0] }));
    expect(distance(shape(world), shape(createWorld(scene(undefined, { gravity: [0, 0, 0] }))))).toBeLessThan(1e-9);
  });

  it('follows a hip instead of a head: a body that turns about another point is not felt', () => {
    // the head is carried by the hip, half a metre below: its path is that of a point of the hip's frame
    const turn = (
      angle: number,
    ): { time: number; offset: [number, number, number]; rotation: [number, number, number] } => ({
      time: angle / 6,
      offset: [0.2 * Math.cos(angle) - 0.2, 0.2 * Math.sin(angle), 0],
      rotation: [0, 0, angle],
    });
    const keys = Array.from({ length: 41 }, (_, k) => turn((6 * k) / 40));
    const pins = [{ rod: 'tail', at: 'start' as const, path: { keys } }];
    const hip = { keys: keys.map(({ time, rotation }) => ({ time, rotation })) };
    const flat = { gravity: [0, 0, 0] as const, pins };
    const rest = shape(createWorld(scene(undefined, flat)));
    const felt = distance(shape(run(scene(undefined, flat))), rest);
    const local = distance(shape(run(scene({ local: { amount: 1, position: [0, 0, 0], path: hip } }, flat))), rest);
    expect(felt).toBeGreaterThan(0.02);
    expect(local).toBeLessThan(0.01 * felt);
  });
});

describe('posable dynamics', () => {
  const pose = (strength: number): StrandDirection => ({
    pose: {
      strength,
      damping: 2 * Math.sqrt(strength),
      keys: [
        { time: 0, curvature: 'initial' },
        { time: 0.4, curvature: [0, 4, 1] },
      ],
    },
  });

  it('hits the pose, the more exactly the stronger the springs', () => {
    const still = { pins: [{ rod: 'tail', at: 'start' as const }], time: { duration: 1, step: 0.01 } };
    const target = createWorld({
      ...scene(undefined, still),
      gravity: undefined,
      rods: [{ ...scene(undefined).rods[0], natural: { curvature: [0, 4, 1] } }],
    });
    target.equilibrate();
    const error = [1e3, 1e4, 1e5].map((strength) =>
      distance(run(scene(pose(strength), still)).samples[0].nodePosition, target.samples[0].nodePosition),
    );
    const loose = distance(run(scene(undefined, still)).samples[0].nodePosition, target.samples[0].nodePosition);
    expect(loose).toBeGreaterThan(0.1);
    expect(error[0]).toBeLessThan(0.3 * loose);
    expect(error[1]).toBeLessThan(0.3 * error[0]);
    expect(error[2]).toBeLessThan(8e-3);
  });

  it('lets go when its factor falls to zero', () => {
    const still = { pins: [{ rod: 'tail', at: 'start' as const }], time: { duration: 3, step: 0.01 } };
    const wish = pose(1e4);
    const factor = {
      keys: [
        [0, 1],
        [0.8, 1],
        [1, 0],
      ] as const,
      interpolation: 'linear' as const,
    };
    const world = run(scene({ pose: { ...(wish.pose as NonNullable<StrandDirection['pose']>), factor } }, still));
    const loose = run(scene(undefined, still));
    expect(distance(world.samples[0].nodePosition, loose.samples[0].nodePosition)).toBeLessThan(0.02);
  });
});

describe('bad direction', () => {
  it.each([
    [{ rods: ['mane'], timeScale: 0.5 }, /unknown rod 'mane'/],
    [
      { local: { amount: 1, position: [0, 0, 0], path: { interpolation: 'step', keys: [{ time: 0 }] } } },
      /velocity jumps/,
    ],
    [{ pose: { strength: -1, keys: [{ time: 0, curvature: 'initial' }] } }, /zero or more/],
  ] as [StrandDirection, RegExp][])('%o is refused', (direct, message) => {
    expect(() => createWorld(scene(direct))).toThrow(message);
  });

  it('refuses a base path whose velocity jumps', () => {
    const path = { interpolation: 'linear' as const, keys: [{ time: 0 }, { time: 1, offset: [1, 0, 0] as const }] };
    expect(() => createWorld(scene(undefined, { pins: [{ rod: 'tail', at: 'start', path }] }))).toThrow(
      /velocity jumps/,
    );
  });
});
