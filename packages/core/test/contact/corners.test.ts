/** Knots that the corners of their edges hold: found in a run, with the friction that corners amount to. */
import { expect, it } from 'vitest';
import { createCornerWatch } from '../../src/contact/corners.ts';
import { createWorld, type Scene } from '../../src/index.ts';
import { compileScene } from '../../src/scene/compileScene.ts';

/** An overhand knot that is pulled tight. */
function knot(friction: number): Scene {
  const u = '((u - 0.5)*4.4)';
  return {
    tendril: 1,
    rods: [
      {
        id: 'rope',
        shape: {
          type: 'formula',
          x: `0.016*(${u}^3 - 3*${u})`,
          y: `0.0096*(${u}^4 - 4*${u}^2)`,
          z: `0.0024*(${u}^5 - 10*${u})`,
        },
        natural: 'straight',
        edges: 100,
        section: { type: 'circle', radius: 2e-3 },
        material: { E: 1e6, nu: 0.45, density: 1000, damping: { mass: 10 } },
      },
    ],
    pins: (
      [
        ['start', -1],
        ['end', 1],
      ] as const
    ).map(([at, side]) => ({
      rod: 'rope',
      at,
      hold: 'position' as const,
      path: { keys: [{ time: 0 }, { time: 1, offset: [0.1 * side, 0, 0] }] },
    })),
    contact: { friction },
    time: { duration: 1, step: 1 / 240 },
  };
}

it('says once how much friction the corners of a knot amount to, if that is more than the scene has', () => {
  const world = createWorld(knot(0));
  const remarks = Array.from({ length: 17 }, () => world.step().remarks ?? []).flat();
  expect(remarks).toHaveLength(1);
  const said = /by ([\d.]+) rad per edge .* edge (\d+), .* friction of up to ([\d.]+) \(the scene has 0\)/;
  const [turn, edge, held] = said.exec(remarks[0])?.slice(1).map(Number) ?? [];
  const t = world.samples[0].edgeTangent;
  const angle = (j: number): number =>
    Math.acos(t[3 * j] * t[3 * j + 3] + t[3 * j + 1] * t[3 * j + 4] + t[3 * j + 2] * t[3 * j + 5]);
  expect(Math.abs(turn / (0.5 * (angle(edge - 1) + angle(edge))) - 1)).toBeLessThan(0.03);
  expect(Math.abs((2 * held) / turn - 1)).toBeLessThan(0.05);
  // the same contacts with friction
  const { samples } = world;
  const contact = { forces: () => world.contactForces() };
  const watch = (friction: number): string[] => {
    const scene = knot(friction);
    return createCornerWatch({ scene, rods: compileScene(scene).rods, samples, contact })(0);
  };
  expect(watch(0)).toHaveLength(1);
  expect(watch(0.9 * held)).toHaveLength(1);
  expect(watch(1.1 * held)).toHaveLength(0);
});
