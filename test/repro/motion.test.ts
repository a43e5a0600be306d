/** The same scene turned and moved elsewhere moves in the same way: no choice of a solver depends on the axes or on rounding. */
import { createWorld, type World } from '@tendril-sim/core';
import { sceneFromObject } from '@tendril-sim/io';
import { describe, expect, it } from 'vitest';
import { movePoint, moveScene } from '../fuzz/motion.ts';
import type { SceneJson } from '../fuzz/scenes.ts';

function run(scene: SceneJson): World {
  const world = createWorld(sceneFromObject(scene));
  for (let k = 0; k < 3; k++) world.step();
  return world;
}

/** Largest distance of a node from where its twin is [m]. */
function difference(scene: SceneJson): number {
  const twin = moveScene(scene);
  if (!twin) throw new Error('the scene cannot be moved');
  const [here, there] = [run(scene), run(twin)].map(({ samples }) => samples[0].nodePosition);
  let worst = 0;
  for (let o = 0; o < here.length; o += 3) {
    const [x, y, z] = movePoint([here[o], here[o + 1], here[o + 2]]);
    worst = Math.max(worst, Math.hypot(x - there[o], y - there[o + 1], z - there[o + 2]));
  }
  return worst;
}

const rod = (model: string, edges: number, shape: SceneJson, radius: number, material: SceneJson): SceneJson => ({
  ...{ id: 'r', model, shape, frame: { d1: [0, 0, 1] }, edges },
  ...{ section: { type: 'circle', radius }, material },
});
const along = (length: number): SceneJson => ({ type: 'straight', from: [0, 0, 0], to: [length, 0, 0] });
const push = (force: readonly number[]): SceneJson => ({ type: 'force', rod: 'r', at: 'end', force });

describe('a rod that is pushed moves alike in all directions', () => {
  it('der fast-projection: rounding does not decide which edges are pushed', () => {
    const points = [
      [0, 0, 0],
      [0.025, -0.0075, -0.0075],
      [0.05, -0.015, -0.015],
    ];
    const thread = rod('der', 4, { type: 'points', points }, 1e-4, { E: 1e5, nu: 0, density: 359.7 });
    const scene = {
      tendril: 1,
      rods: [thread],
      pins: [{ rod: 'r', at: 'start' }],
      loads: [push([-0.05, -0.05, -0.05])],
      time: { duration: 0.0003, step: 0.0001, halvings: 4 },
      solver: { der: { integrator: 'fast-projection' } },
    };
    // it was 1.6 mm
    expect(difference(scene)).toBeLessThan(1e-12);
  });

  it('der bdf2: the first guess goes as far along every axis', () => {
    const material = { E: 121300, nu: 0.001, density: 3990, damping: { stiffness: 6.152e-5 } };
    const scene = {
      tendril: 1,
      rods: [rod('der', 8, along(0.0507), 1.019e-4, material)],
      pins: [],
      loads: [push([-0.05, -0.0014, -0.0007])],
      time: { duration: 0.004551, step: 0.001517, halvings: 4 },
      solver: { der: { integrator: 'bdf2' } },
    };
    // it was 5.7 mm
    expect(difference(scene)).toBeLessThan(1e-10);
  });

  it('massspring: the first of equal altitudes acts', () => {
    const material = { E: 337300, nu: 0.4085, density: 4036, damping: { stiffness: 1.099e-4 } };
    const scene = {
      tendril: 1,
      gravity: [9.24, -11.95, 11.81],
      rods: [rod('massspring', 7, along(0.546), 0.009683, material)],
      pins: [{ rod: 'r', at: 'start', hold: 'position' }],
      time: { duration: 0.002548, step: 0.0008492, halvings: 4 },
    };
    // it was 0.2 nm, and 1.4e-5 of the length in other scenes
    expect(difference(scene)).toBeLessThan(1e-12);
  });

  it('massspring: rounding does not choose the side to which ghosts turn where the bend reverses', () => {
    const points = [
      [0, 0.14, 0],
      [0.02162, 0.1336, 0.001583],
      [0.04324, 0.1272, 0.005955],
      [0.06486, 0.1208, -0.000531],
    ];
    const material = { E: 102800, nu: 0.499, density: 309.7 };
    const scene = {
      tendril: 1,
      gravity: [11.81, -6.288, -10.15],
      rods: [rod('massspring', 5, { type: 'points', points }, 0.009594, material)],
      time: { duration: 0.0006096, step: 0.0001016 },
    };
    // it was 0.1 µm, and 1 µm after six steps
    expect(difference(scene)).toBeLessThan(1e-12);
  });

  it('strand: a step in which a joint would leap to another solution is divided', () => {
    const material = { E: 147200, nu: 0.4995, density: 963.8 };
    const scene = {
      tendril: 1,
      rods: [rod('strand', 6, along(0.2652), 2.388e-4, material)],
      pins: [{ rod: 'r', at: 'start', hold: 'position' }],
      loads: [push([-0.0492, -0.0495, 0.0346])],
      time: { duration: 0.014931, step: 0.004977, halvings: 4 },
      solver: { strand: { integrator: 'implicit-euler' } },
    };
    // it was 88 mm; Newton's tolerance of 1e-8 rad leaves 0.03 µm
    expect(difference(scene)).toBeLessThan(1e-6);
  });
});

describe('a clamp that moves within microseconds', () => {
  /** A rod on a moving clamp in units of l metres and t seconds; masses such that moduli are those of SI. */
  const swung = (model: string, l: number, t: number): World => {
    const step = 2 ** -9 * t;
    const world = createWorld(
      sceneFromObject({
        tendril: 1,
        rods: [rod(model, 6, along(0.5 * l), 0.004 * l, { E: 1e7, nu: 0.25, density: (1000 * t ** 2) / l ** 2 })],
        pins: [
          {
            rod: 'r',
            at: 'start',
            path: {
              keys: [{ time: 0 }, { time: 0.04 * t, offset: [0.02 * l, 0, 0.05 * l], rotation: [0.3, 0.5, 0.2] }],
            },
          },
        ],
        time: { duration: 4 * step, step },
        solver: { massspring: { damping: 1e-4 * t } },
      }),
    );
    for (let k = 0; k < 4; k++) world.step();
    return world;
  };

  // the motion of helix's root was differenced over 1 µs and 0.1 ms, that of fiber's pins over 10 µs
  it.each(['der', 'strand', 'helix', 'fiber', 'cosserat', 'massspring'])(
    'moves %s as one within seconds does',
    (model) => {
      const [l, t] = [2 ** -10, 2 ** -18];
      const [large, small] = [swung(model, 1, 1), swung(model, l, t)];
      expect(Array.from(small.samples[0].nodePosition, (x) => x / l)).toEqual([...large.samples[0].nodePosition]);
      const [here] = large.reactions();
      const [there] = small.reactions();
      // forces are moduli times areas
      for (let k = 0; k < 3; k++)
        expect(Math.abs(there.force[k] / l ** 2 - here.force[k])).toBeLessThan(1e-10 * Math.hypot(...here.force));
    },
  );
});
