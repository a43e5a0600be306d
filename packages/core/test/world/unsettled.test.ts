/** Reactions soon after a jump of velocity say that they are not those of the motion. */
import { describe, expect, it } from 'vitest';
import type { ModelId, Scene } from '../../src/scene/types.ts';
import { createWorld } from '../../src/world/world.ts';

type SolverSpec = NonNullable<Scene['solver']>;

const LENGTH = 0.5;
const OMEGA = 6;
const RADIUS = 0.004;
const STEP = 0.002;
/** m ω² L/2 */
const CENTRIPETAL = 1000 * Math.PI * RADIUS * RADIUS * LENGTH * OMEGA * OMEGA * 0.5 * LENGTH;

const straight = (model: ModelId): Scene['rods'][number] => ({
  id: 'rod',
  model,
  inextensible: true,
  shape: { type: 'straight', from: [0, 0, 0], to: [LENGTH, 0, 0] },
  edges: 20,
  section: { type: 'circle', radius: RADIUS },
  material: { E: 1e9, nu: 0.5, density: 1000 },
});

/** A rod that spins about its held end. */
function spinning(model: ModelId, solver: SolverSpec): Scene {
  const keys = [{ time: 0 }, { time: 10, rotation: [0, 0, 10 * OMEGA] as const }];
  return {
    tendril: 1,
    rods: [{ ...straight(model), velocity: { linear: [0, 0.5 * OMEGA * LENGTH, 0], angular: [0, 0, OMEGA] } }],
    pins: [
      model === 'helix'
        ? { rod: 'rod', at: 'start', path: { interpolation: 'linear', keys } }
        : { rod: 'rod', at: 'start', hold: 'position' },
    ],
    time: { duration: 1, step: STEP },
    solver,
  };
}

function readReactions(scene: Scene, steps: number): { force: number; isSettled: boolean }[] {
  const world = createWorld(scene);
  const read = () => {
    const [{ force, unsettled }] = world.reactions();
    return { force: Math.hypot(...force), isSettled: unsettled === undefined };
  };
  const list = [read()];
  for (let k = 0; k < steps; k++) {
    world.step();
    list.push(read());
  }
  return list;
}

describe('reactions of a rod that starts in motion', () => {
  it.each<[ModelId, SolverSpec, number]>([
    ['der', {}, 0],
    ['der', { der: { integrator: 'implicit-euler' } }, 3],
    ['der', { der: { integrator: 'bdf2' } }, 3],
    ['der', { der: { integrator: 'shake' } }, 1],
    ['der', { der: { integrator: 'fast-projection' } }, 1],
    ['helix', {}, 3],
    ['helix', { helix: { integrator: 'bdf2' } }, 3],
    ['cosserat', {}, 1],
    ['cosserat', { cosserat: { integrator: 'implicit-euler' } }, 4],
  ])('%s %o: right, or marked (%i of the first)', (model, solver, marked) => {
    const list = readReactions(spinning(model, solver), 6);
    for (const { force, isSettled } of list) if (isSettled) expect(force / CENTRIPETAL).toBeCloseTo(1, 2);
    expect(list.filter(({ isSettled }) => !isSettled)).toHaveLength(marked);
    // a mark without an error would be a false alarm
    if (marked > 0) expect(list.some(({ force }) => Math.abs(force / CENTRIPETAL - 1) > 0.2)).toBe(true);
  });
});

describe('reactions after the velocity of a pin has jumped', () => {
  const moving = (interpolation: 'linear' | 'smooth' | 'step', time: number): Scene => ({
    tendril: 1,
    rods: [straight('der')],
    pins: [
      { rod: 'rod', at: 'start', path: { interpolation, keys: [{ time }, { time: time + 1, offset: [0, 0.2, 0] }] } },
    ],
    time: { duration: 1, step: STEP },
  });
  const markedOf = (scene: Scene): number[] =>
    readReactions(scene, 10).flatMap(({ isSettled }, k) => (isSettled ? [] : [k]));

  it('marks three steps from the start, or from a key', () => {
    expect(markedOf(moving('linear', 0))).toEqual([1, 2, 3]);
    expect(markedOf(moving('linear', 4 * STEP))).toEqual([5, 6, 7]);
    // models that have the velocity after a jump at its very time
    const fiber = moving('linear', 4 * STEP);
    expect(markedOf({ ...fiber, rods: [straight('fiber')] })).toEqual([4, 5, 6, 7]);
  });

  it('marks none on a smooth path', () => {
    expect(markedOf(moving('smooth', 0))).toEqual([]);
  });

  it('marks the jump of a body on a path, and none of a rod that starts with its velocity', () => {
    const onBody: Scene = {
      ...moving('linear', 0),
      pins: [],
      bodies: [
        {
          id: 'hand',
          position: [0, 0, 0],
          path: { interpolation: 'linear', keys: [{ time: 0.004 }, { time: 1, offset: [0, 0.2, 0] }] },
        },
      ],
      welds: [{ rod: 'rod', at: 'start', body: 'hand' }],
    };
    expect(markedOf(onBody)).toEqual([3, 4, 5]);
    const along = moving('linear', 0);
    expect(markedOf({ ...along, rods: [{ ...along.rods[0], velocity: { linear: [0, 0.2, 0] } }] })).toEqual([]);
  });

  it('marks none at rest', () => {
    const world = createWorld(moving('linear', 0));
    world.equilibrate(0.5);
    expect(world.reactions()[0].unsettled).toBeUndefined();
  });
});
