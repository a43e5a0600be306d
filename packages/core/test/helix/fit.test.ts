/** Reconstruction against closed forms, and the way back from curves to elements. */
import { describe, expect, it } from 'vitest';
import {
  alignCurl,
  createHelices,
  createStrandSolver,
  createWorld,
  curvatureOfCurl,
  fitHelices,
  type Helices,
  reconstructHelices,
  type Scene,
} from '../../src/index.ts';
import superhelix from '../scene/superhelix.json' with { type: 'json' };

const root = {
  rootPosition: [0, 0, 0],
  rootTangent: [1, 0, 0],
  rootDirector: [0, 1, 0],
} as const;

/** Largest distance between two lists of points, 3 numbers each. */
function largestDistance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let largest = 0;
  for (let i = 0; i < a.length; i += 3)
    largest = Math.max(largest, Math.hypot(a[i] - b[i], a[i + 1] - b[i + 1], a[i + 2] - b[i + 2]));
  return largest;
}

describe('reconstruction', () => {
  it.each(superhelix)('of (κ1, κ2, τ) = ($kappa1, $kappa2, $tau) has the frames of the closed form', (row) => {
    const strand = createHelices(root, [row.kappa1, row.kappa2, row.tau], 2, 8);
    const { tangent, director } = reconstructHelices(strand);
    for (const { s, n0, n1 } of row.points) {
      const i = 3 * (s * 4);
      for (let k = 0; k < 3; k++) {
        expect(Math.abs(tangent[i + k] - n0[k])).toBeLessThan(1e-10);
        expect(Math.abs(director[i + k] - n1[k])).toBeLessThan(1e-10);
      }
    }
  });

  it('does not depend on how a helix is cut, and passes through the straight line smoothly', () => {
    const whole = reconstructHelices(createHelices(root, [3, -2, 5], 2, 1), 24);
    const cut = reconstructHelices(createHelices(root, [3, -2, 5], 2, 24), 1);
    expect(largestDistance(whole.position, cut.position)).toBeLessThan(1e-14);
    const tip = (kappa: number): Float64Array => reconstructHelices(createHelices(root, [kappa, 0, 0], 1, 1)).position;
    // arc of curvature κ: −κ/2 across at first order, no jump where the series takes over
    for (const kappa of [1e-12, 1e-8, 1e-5, 1e-3]) {
      expect(Math.abs(tip(kappa)[5] / (-kappa / 2) - 1)).toBeLessThan(1e-6);
      expect(Math.abs(tip(kappa)[3] - 1)).toBeLessThan(kappa ** 2);
    }
  });

  it('makes curls of the radius and pitch that were asked for, along the axis', () => {
    for (const handedness of ['right', 'left'] as const) {
      for (const phase of [0, 0.7, 3]) {
        const curl = curvatureOfCurl(0.01, 0.02, handedness, phase);
        const frame = alignCurl(curl, [0, 0, 2], [1, 0.5, 3]);
        const length = 3 * Math.hypot(2 * Math.PI * 0.01, 0.02);
        const { position } = reconstructHelices(createHelices({ ...root, ...frame }, curl, length, 5), 6);
        const center = [-0.01, -0.005].map((x) => x / Math.hypot(1, 0.5));
        for (let i = 0; i < position.length; i += 3)
          expect(Math.hypot(position[i] - center[0], position[i + 1] - center[1])).toBeCloseTo(0.01, 12);
        // three turns: back above the root, three pitches on
        expect(largestDistance(position.slice(-3), [0, 0, 0.06])).toBeLessThan(1e-12);
      }
    }
  });
});

describe('fit', () => {
  const helix: number[] = [];
  for (let i = 0; i <= 300; i++) helix.push(Math.cos(0.06 * i), Math.sin(0.06 * i), 0.3 * 0.06 * i);

  it('meets helices, arcs and straight lines with any number of elements', () => {
    // what is left is the spline through the points
    for (const elements of [1, 3, 10]) expect(fitHelices(helix, elements).error.largest).toBeLessThan(3e-4);
    const fitted = fitHelices(helix, 4);
    const { position } = reconstructHelices(fitted, 75);
    expect(largestDistance(position, helix)).toBeLessThan(1e-3);
    const radius = 1 / (1 + 0.3 ** 2);
    expect(Math.hypot(fitted.curvature[3], fitted.curvature[4])).toBeCloseTo(radius, 4);
    expect(fitted.curvature[5]).toBeCloseTo(0.3 * radius, 4);
    expect(fitHelices([0, 0, 0, 1, 2, 3], 4).error.largest).toBeLessThan(1e-15);
  });

  it('approaches any curve at second order or better, and says how far it misses', () => {
    const at = (u: number): number[] => [Math.sin(3 * u), 0.5 * u * Math.cos(5 * u), 0.2 * Math.sin(9 * u) - 3 * u];
    const points = Array.from({ length: 201 }, (_, i) => at(i / 200)).flat();
    let before = Number.POSITIVE_INFINITY;
    for (const elements of [6, 12, 24, 48]) {
      const fitted = fitHelices(points, elements);
      const { position } = reconstructHelices(fitted, 480 / elements);
      // largest distance of the given points from the strand, by brute force
      let miss = 0;
      for (let i = 0; i < points.length; i += 30) {
        let nearest = Number.POSITIVE_INFINITY;
        for (let k = 0; k < position.length; k += 3)
          nearest = Math.min(
            nearest,
            Math.hypot(points[i] - position[k], points[i + 1] - position[k + 1], points[i + 2] - position[k + 2]),
          );
        miss = Math.max(miss, nearest);
      }
      expect(miss).toBeLessThan(fitted.error.largest + 5e-3);
      expect(fitted.error.largest).toBeLessThan(before / 3);
      before = fitted.error.largest;
    }
    expect(before).toBeLessThan(1e-3);
  });

  it('refuses what is no curve', () => {
    expect(() => fitHelices([0, 0, 0], 3)).toThrow(/two/);
    expect(() => fitHelices([0, 0, 0, 1, 1, 1], 0)).toThrow(/elements is 0/);
    expect(() => fitHelices([0, 0, 0, 0, 0, 0, 1, 1, 1], 2)).toThrow(/coincide/);
    expect(() => fitHelices([0, 0, 0, Number.NaN, 0, 0, 1, 1, 1], 2)).toThrow(/not finite/);
  });
});

describe('a rod of a scene', () => {
  const scene = (rod: Partial<Scene['rods'][0]>, elements?: number): Scene => ({
    tendril: 1,
    rods: [
      {
        id: 'a',
        model: 'helix',
        shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
        edges: 24,
        section: { type: 'stiffness', EI1: 1, EI2: 2, GJ: 1, mass: 1 },
        ...rod,
      },
    ],
    pins: [{ rod: 'a', at: 'start' }],
    solver: { helix: { elements } },
  });

  it('starts where it was put, without stress where it is natural', () => {
    const shape = { type: 'formula' as const, x: 'u', y: '0.3*sin(4*u)', z: '0.2*u*u' };
    // 1.3e-4, 3.6e-4, 2.2e-3 and 6.1e-3 were measured
    const bounds: Record<number, number> = { 24: 1.5e-4, 12: 4e-4, 8: 2.5e-3, 5: 7e-3 };
    for (const elements of [24, 12, 8, 5]) {
      const world = createWorld(scene({ shape }, elements));
      expect(world.energies().bending + world.energies().twisting).toBeLessThan(1e-20);
      // the curve itself, by arc length, from a der rod of many edges
      const fine = createWorld(scene({ shape, model: 'der', edges: 960 }));
      let miss = 0;
      for (let i = 0; i <= 24; i++)
        miss = Math.max(
          miss,
          largestDistance(
            world.samples[0].nodePosition.slice(3 * i, 3 * i + 3),
            fine.samples[0].nodePosition.slice(120 * i, 120 * i + 3),
          ),
        );
      expect(miss).toBeLessThan(bounds[elements]);
    }
  });

  it('keeps count of turns of twist', () => {
    const world = createWorld(scene({ frame: { twist: 31 }, natural: 'straight' }, 12));
    expect(world.channel(0, 'twist')[5]).toBeCloseTo(31, 9);
    expect(world.energies().twisting).toBeCloseTo(31 ** 2 / 2, 6);
    expect(world.energies().bending).toBeLessThan(1e-18);
  });

  it('says when its elements cannot follow, or its edges wind too far', () => {
    const shape = { type: 'formula' as const, x: 'u', y: '0.3*sin(9*u)', z: '0' };
    expect(createWorld(scene({ shape }, 2)).warnings.join()).toMatch(/2 helical elements miss its initial shape/);
    expect(createWorld(scene({ natural: { curl: { radius: 0.01, pitch: 0.01 } } })).warnings.join()).toMatch(
      /natural shape winds an edge by 4.1 rad/,
    );
    expect(() => createWorld(scene({ natural: { curl: { radius: 0.003, pitch: 0.01 } } }))).toThrow(
      /more than a full turn; use at least 188 edges/,
    );
  });
});

describe('strands without a scene', () => {
  const section = { EI1: 2e-9, EI2: 6e-9, GJ: 2.5e-9, mass: 5e-6 };
  const curl = curvatureOfCurl(0.01, 0.03);
  const natural: Helices = createHelices(
    { ...root, rootTangent: [0.8, 0, 0.6], rootDirector: [0, 1, 0] },
    curl,
    0.2,
    12,
  );

  it('settle as rods of scenes do', () => {
    const solver = createStrandSolver(natural.elementLength, section, [0, 0, -9.81], 2);
    const curvature = natural.curvature.slice();
    expect(solver.settle(curvature, natural)).toMatchObject({ converged: true, stable: true });
    const { position } = reconstructHelices({ ...natural, curvature }, 2);
    const world = createWorld({
      tendril: 1,
      gravity: [0, 0, -9.81],
      rods: [
        {
          id: 'a',
          model: 'helix',
          shape: { type: 'straight', from: [0, 0, 0], to: [0.16, 0, 0.12] },
          edges: 24,
          frame: { d1: [0, 1, 0] },
          natural: { curl: { radius: 0.01, pitch: 0.03 } },
          section: { type: 'stiffness', ...section },
        },
      ],
      pins: [{ rod: 'a', at: 'start' }],
      solver: { helix: { elements: 12 } },
    });
    world.equilibrate();
    expect(largestDistance(position, world.samples[0].nodePosition)).toBeLessThan(1e-9);
  });

  it('find the natural curvature of a shape, and settle back to it', () => {
    const solver = createStrandSolver(
      natural.elementLength,
      { ...section, EI1: 2e-8, EI2: 6e-8, GJ: 2.5e-8 },
      [0, 0, -9.81],
    );
    const found = new Float64Array(36);
    const report = solver.findNatural(found, natural);
    expect(report.stable).toBe(true);
    expect(largestDistance(found, natural.curvature)).toBeGreaterThan(1);
    const back = found.slice();
    solver.settle(back, { ...natural, curvature: found });
    expect(largestDistance(back, natural.curvature)).toBeLessThan(1e-6);
  });
});
