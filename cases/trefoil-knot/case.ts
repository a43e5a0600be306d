import type { SceneInput } from '@tendril/io';
import { type Case, defineCase, worldOf } from '../src/case.ts';
import { selfDistance } from '../src/contact.ts';

const R = 0.002;
const E = 1e6;
const EI = (E * Math.PI * R ** 4) / 4;
const PULL = 0.1;

/** An open trefoil, as a curve of the fifth degree, whose ends are pulled apart. */
function scene(edges: number, duration: number): SceneInput {
  const u = '((u - 0.5)*4.4)';
  const ends = [
    ['start', -1],
    ['end', 1],
  ] as const;
  return {
    tendril: 1,
    title: 'A trefoil knot is pulled tight',
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
        edges,
        section: { type: 'circle', radius: R },
        material: { E, nu: 0.45, density: 1000, damping: { mass: 10 } },
      },
    ],
    pins: ends.map(([at, side]) => ({
      rod: 'rope',
      at,
      hold: 'position' as const,
      path: {
        interpolation: 'linear' as const,
        keys: [{ time: 0 }, { time: duration, offset: [side * PULL * duration, 0, 0] as [number, number, number] }],
      },
    })),
    contact: {},
    time: { duration, step: 1 / 240 },
    output: { every: 0.02 },
  };
}

export const trefoilKnot: Case = defineCase({
  id: 'trefoil-knot',
  title: 'A trefoil knot pulled tight',
  source:
    'Bergou et al. 2008, Fig. 1 (left); loose knot without friction: T = EI/(2R²), Audoly, Clauvelin, Neukirch 2007',
  models: ['der'],
  quick: [100],
  full: [100, 160],
  scene: () => scene(120, 1.1),
  measure(n) {
    const duration = 1.1;
    const world = worldOf(scene(n, duration));
    const steps = Math.round(240 * duration);
    const arc = Math.PI * R + (2.1 * world.rods[0].length) / n;
    let depth = 0;
    let [sum, count] = [0, 0];
    for (let k = 0; k < steps; k++) {
      world.step();
      if (k % 6 === 0) depth = Math.max(depth, 2 - selfDistance(world, 0, arc) / R);
      // from when the ends are taut to when the loop is five radii wide
      if (world.time < 0.4 || world.time > 0.9) continue;
      const sharpest = Math.max(...world.channel(0, 'curvature'));
      sum += world.channel(0, 'tension')[0] / (EI * sharpest ** 2);
      count++;
    }
    return {
      'T R²/EI of the loop': sum / count,
      'loop at the end: radius / rope radius': 1 / (R * Math.max(...world.channel(0, 'curvature'))),
      'penetration / radius': Math.max(0, depth),
    };
  },
  expect: {
    'T R²/EI of the loop': { value: 0.5, tolerance: 0.15 },
    // a rope that had passed through itself would be straight by now
    'loop at the end: radius / rope radius': { value: 2.8, tolerance: 0.2 },
    'penetration / radius': { value: 0, tolerance: 0.05, scale: 1 },
  },
});
