/** Distances of obstacles against brute force and against what is known of them. */
import { describe, expect, it } from 'vitest';
import {
  type Collider,
  findClosest,
  measureDistance,
  measureSurfaceVelocity,
  placeCollider,
} from '../../src/contact/shapes/collider.ts';
import { compileColliders } from '../../src/contact/shapes/compileCollider.ts';
import { findMeshFault, measureVolume } from '../../src/contact/shapes/mesh.ts';
import type { ColliderSpec, Scene, Vec3 } from '../../src/scene/types.ts';
import { createWorld, type World } from '../../src/world/world.ts';
import { icosphere, random, run, straight } from './support.ts';

const scene = (colliders: readonly ColliderSpec[]): Scene => ({ tendril: 1, rods: [], colliders });
const compile = (spec: ColliderSpec): Collider => compileColliders(scene([spec]), [], [], [])[0];
const out = new Float64Array(4);
const distanceAt = (collider: Collider, p: readonly number[]): number => {
  measureDistance(out, collider, p[0], p[1], p[2]);
  return out[0];
};

const ball = icosphere(3, 0.5);
const boxMesh = {
  vertices: [0, 1, 2, 3, 4, 5, 6, 7].map((k): [number, number, number] => [
    k & 1 ? 0.4 : -0.4,
    k & 2 ? 0.3 : -0.3,
    k & 4 ? 0.2 : -0.2,
  ]),
  faces: [
    [0, 2, 3, 1],
    [4, 5, 7, 6],
    [0, 1, 5, 4],
    [2, 6, 7, 3],
    [0, 4, 6, 2],
    [1, 3, 7, 5],
  ],
};

const gridOfBall = (): ColliderSpec => {
  const n = 41;
  const values: number[] = [];
  for (let k = 0; k < n; k++)
    for (let j = 0; j < n; j++)
      for (let i = 0; i < n; i++) values.push(Math.hypot(i * 0.05 - 1, j * 0.05 - 1, k * 0.05 - 1) - 0.5);
  return { type: 'grid', origin: [-1, -1, -1], spacing: 0.05, count: [n, n, n], values };
};

const solids: readonly (readonly [string, ColliderSpec])[] = [
  ['plane', { type: 'plane', normal: [1, 2, 2] }],
  ['sphere', { type: 'sphere', radius: 0.5 }],
  ['ellipsoid', { type: 'ellipsoid', radii: [0.5, 0.2, 0.35] }],
  ['capsule', { type: 'capsule', from: [-0.3, 0, 0.1], to: [0.4, 0.2, 0], radius: 0.2 }],
  ['box', { type: 'box', size: [0.8, 0.6, 0.4] }],
  ['torus', { type: 'torus', ring: 0.4, radius: 0.15 }],
  ['rounded box', { type: 'box', size: [0.8, 0.6, 0.4], rounding: 0.1 }],
  ['mesh', { type: 'mesh', ...boxMesh }],
  ['formula', { type: 'formula', formula: 'sqrt(x^2 + y^2 + z^2) - 0.5' }],
];

describe.each(solids)('%s', (_, spec) => {
  const collider = compile({ ...spec, position: [0.1, -0.2, 0.3], rotation: [0.3, -0.5, 0.8] } as ColliderSpec);

  it('has a unit normal along which the distance grows as the way', () => {
    const next = random(3);
    for (let k = 0; k < 200; k++) {
      const p = [next() - 0.5, next() - 0.5, next() - 0.5].map((x) => 2 * x);
      const d = distanceAt(collider, p);
      const n = [out[1], out[2], out[3]];
      expect(Math.hypot(...n)).toBeCloseTo(1, 9);
      if (Math.abs(d) < 1e-3) continue;
      // outwards only: inwards there may be a crest
      const further = distanceAt(
        collider,
        p.map((x, i) => x + 1e-4 * n[i]),
      );
      if (d > 0) expect(further - d).toBeCloseTo(1e-4, 8);
      // the nearest point of the surface has distance 0
      if (d > 0) {
        const foot = p.map((x, i) => x - d * n[i]);
        expect(distanceAt(collider, foot)).toBeCloseTo(0, 7);
      }
    }
  });

  it('finds where an edge is closest', () => {
    const next = random(5);
    let inner = 0;
    for (let k = 0; k < 100; k++) {
      const x = Float64Array.from({ length: 6 }, () => 2.4 * (next() - 0.5));
      const t = findClosest(collider, x, 0, 3);
      const along = (s: number): number =>
        distanceAt(
          collider,
          [0, 1, 2].map((i) => x[i] + s * (x[3 + i] - x[i])),
        );
      let least = Infinity;
      for (let s = 0; s <= 2000; s++) least = Math.min(least, along(s / 2000));
      expect(along(t)).toBeLessThan(least + (least < 0 ? 2e-2 : 1e-6));
      if (t > 0.01 && t < 0.99) inner++;
    }
    if (spec.type !== 'plane') expect(inner).toBeGreaterThan(20);
  });
});

describe('a torus', () => {
  it('has the distances that it should, and a hole', () => {
    const torus = compile({ type: 'torus', ring: 0.4, radius: 0.15 });
    expect(distanceAt(torus, [0, 0, 0])).toBeCloseTo(0.25, 12);
    expect(distanceAt(torus, [0, 0.4, 0.25])).toBeCloseTo(0.1, 12);
    expect(distanceAt(torus, [0.3, 0, 0])).toBeCloseTo(-0.05, 12);
    expect([...out.subarray(1)]).toEqual([-1, 0, 0].map((x) => expect.closeTo(x, 12)));
    expect(distanceAt(torus, [-0.24, 0.32, 0])).toBeCloseTo(-0.15, 12);
  });

  it('lets a ball-ended rod through its hole, and holds one that lies across it', () => {
    const hole = 0.02;
    const fall = (from: Vec3, to: Vec3): World => {
      const world = createWorld({
        tendril: 1,
        gravity: [0, 0, -9.81],
        rods: [{ ...straight('rod', from, to, 6), section: { type: 'circle', radius: 0.002 } }],
        colliders: [{ type: 'torus', ring: hole + 0.01, radius: 0.01, friction: 0.3 }],
        time: { duration: 1, step: 1 / 480 },
      });
      for (let k = 0; k < 120; k++) world.step();
      return world;
    };
    const through = fall([0, 0, 0.02], [0, 0, 0.06]);
    // 0.25 s of free fall
    expect(through.samples[0].nodePosition[2]).toBeCloseTo(0.02 - 0.5 * 9.81 * 0.25 ** 2, 4);
    const across = fall([-0.05, 0, 0.013], [0.05, 0, 0.013]);
    const held = across.contactForces().reduce((sum, { force }) => sum + force[2], 0);
    expect(held / (9.81 * across.momentum().mass)).toBeCloseTo(1, 1);
    const { nodePosition } = across.samples[0];
    expect(nodePosition[2]).toBeGreaterThan(0.005);
  });
});

describe('an ellipsoid', () => {
  const radii: Vec3 = [0.5, 0.3, 0.1];
  const ellipsoid = compile({ type: 'ellipsoid', radii });

  it('is as far away as the nearest of many points of its surface, inside and outside', () => {
    const surface: Vec3[] = [];
    for (let i = 0; i <= 150; i++)
      for (let j = 0; j < 300; j++) {
        const [u, v] = [(Math.PI * i) / 150, (2 * Math.PI * j) / 300];
        surface.push([
          radii[0] * Math.sin(u) * Math.cos(v),
          radii[1] * Math.sin(u) * Math.sin(v),
          radii[2] * Math.cos(u),
        ]);
      }
    const next = random(9);
    for (let k = 0; k < 40; k++) {
      const p = radii.map((radius) => (k % 2 ? 0.95 * radius : 1) * (2 * next() - 1));
      const isInside = Math.hypot(...p.map((x, i) => x / radii[i])) < 1;
      let least = Number.POSITIVE_INFINITY;
      for (const [x, y, z] of surface) least = Math.min(least, Math.hypot(x - p[0], y - p[1], z - p[2]));
      const d = distanceAt(ellipsoid, p);
      expect(d < 0).toBe(isInside);
      expect(least - Math.abs(d)).toBeGreaterThan(-1e-12);
      // the nearest of them is within 8 mm of the foot
      expect(least - Math.abs(d)).toBeLessThan(Math.min(8e-3, 3.2e-5 / Math.abs(d)));
    }
  });

  it('has its nearest point on the surface to rounding, near planes of symmetry and for extreme radii too', () => {
    const next = random(11);
    for (let k = 0; k < 2000; k++) {
      const e = [0, 1, 2].map(() => 10 ** (-3 * next()));
      if (k % 5 === 0) e[1] = e[0];
      if (k % 7 === 0) e[2] = e[1];
      const one = compile({ type: 'ellipsoid', radii: [e[0], e[1], e[2]] });
      const p = e.map((radius) => 1.5 * radius * (2 * next() - 1));
      if (k % 3 === 0) p[k % 2] *= 10 ** (-20 * next());
      if (k % 4 === 0) p[2] = 0;
      const d = distanceAt(one, p);
      const foot = p.map((x, i) => x - d * out[1 + i]);
      const slope = Math.hypot(...foot.map((x, i) => x / (e[i] * e[i])));
      const level = Math.hypot(...foot.map((x, i) => x / e[i]));
      expect(Math.abs(level - 1) / slope).toBeLessThan(4e-15 * Math.max(...e));
      foot.forEach((x, i) => {
        expect(Math.abs(x / (e[i] * e[i] * slope) - out[1 + i])).toBeLessThan(1e-8);
      });
    }
  });

  it('is nearest along the least radius at its centre, and has the distances of a sphere if it is one', () => {
    expect(distanceAt(ellipsoid, [0, 0, 0])).toBe(-0.1);
    expect([...out.subarray(1)]).toEqual([0, 0, 1]);
    expect(distanceAt(ellipsoid, [0, 0, 0.1])).toBeCloseTo(0, 15);
    expect(distanceAt(ellipsoid, [-2, 0, 0])).toBeCloseTo(1.5, 14);
    const ball = compile({ type: 'ellipsoid', radii: [0.3, 0.3, 0.3] });
    expect(distanceAt(ball, [0.1, 0.2, 0.2])).toBeCloseTo(0, 15);
    expect(distanceAt(ball, [0.1, -0.2, 0.1])).toBeCloseTo(Math.sqrt(0.06) - 0.3, 14);
  });

  it('refuses a radius that is not positive, and says which', () => {
    expect(() => compile({ type: 'ellipsoid', radii: [1, 0, 1] })).toThrow(
      expect.objectContaining({
        message: 'the radius is 0; it must be positive',
        path: ['colliders', 0, 'radii', 1],
      }),
    );
  });

  it('carries the weight of a rod that lies across it, whose nodes stay outside', () => {
    const rod = {
      ...straight('rod', [-0.08, 0, 0.0522], [0.08, 0.02, 0.0522], 16),
      material: { E: 1e7, nu: 0.5, density: 1000, damping: { mass: 20 } },
    };
    const world = createWorld({
      tendril: 1,
      gravity: [0, 0, -9.81],
      rods: [rod],
      colliders: [{ type: 'ellipsoid', radii: [0.1, 0.06, 0.05], friction: 0.6 }],
      time: { duration: 2, step: 1 / 240 },
    });
    for (let k = 0; k < 360; k++) world.step();
    const held = world.contactForces().reduce((sum, { force }) => sum + force[2], 0);
    expect(held / (9.81 * world.momentum().mass)).toBeCloseTo(1, 3);
    const lying = compile({ type: 'ellipsoid', radii: [0.1, 0.06, 0.05] });
    const { nodePosition: x } = world.samples[0];
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < x.length; i += 3) least = Math.min(least, distanceAt(lying, [x[i], x[i + 1], x[i + 2]]));
    expect(least).toBeGreaterThan(0.98 * 0.002);
    expect(least).toBeLessThan(1.02 * 0.002);
  });
});

describe('a mesh', () => {
  it('is as far away as the nearest of its triangles, and knows its inside', () => {
    const mesh = compile({ type: 'mesh', vertices: ball.vertices, faces: ball.faces });
    const box = compile({ type: 'mesh', ...boxMesh });
    const exact = compile({ type: 'box', size: [0.8, 0.6, 0.4] });
    const next = random(7);
    let inside = 0;
    for (let k = 0; k < 400; k++) {
      const p = [next() - 0.5, next() - 0.5, next() - 0.5].map((x) => 1.6 * x);
      const d = distanceAt(box, p);
      const normal = [out[1], out[2], out[3]];
      expect(d).toBeCloseTo(distanceAt(exact, p), 12);
      if (d > 0) for (let i = 0; i < 3; i++) expect(normal[i]).toBeCloseTo(out[1 + i], 9);
      if (d < 0) inside++;
      // 642 vertices on a sphere: flat faces lie a little inside
      expect(Math.abs(distanceAt(mesh, p) - (Math.hypot(...p) - 0.5))).toBeLessThan(3e-3);
    }
    expect(inside).toBeGreaterThan(15);
  });

  it('is the same when grown from its first shape as when made anew', () => {
    const double = ball.vertices.map(([x, y, z]) => [2 * x, 2 * y, z] as [number, number, number]);
    const moving = compile({
      type: 'mesh',
      ...ball,
      deform: [
        { time: 0, vertices: ball.vertices },
        { time: 2, vertices: double },
      ],
    });
    placeCollider(moving, 1, 0.01);
    const half = ball.vertices.map(([x, y, z]) => [1.5 * x, 1.5 * y, z] as [number, number, number]);
    const fixed = compile({ type: 'mesh', vertices: half, faces: ball.faces });
    const next = random(11);
    for (let k = 0; k < 100; k++) {
      const p = [next() - 0.5, next() - 0.5, next() - 0.5].map((x) => 2 * x);
      expect(distanceAt(moving, p)).toBeCloseTo(distanceAt(fixed, p), 12);
    }
    // the place at (0.75, 0, 0) moves outwards by 0.25 m/s
    const velocity = new Float64Array(3);
    distanceAt(moving, [1, 0, 0]);
    measureSurfaceVelocity(velocity, moving, 1, 0, 0, 0.01);
    expect(velocity[0]).toBeCloseTo(0.25, 6);
  });

  it('is repaired as a solid when it is open, wound unevenly, inside out or split at its seams', () => {
    const inside = (mesh: Pick<Extract<ColliderSpec, { type: 'mesh' }>, 'vertices' | 'faces'>): void => {
      const { shape } = compile({ type: 'mesh', ...mesh });
      expect(shape.thin).toBe(false);
      shape.distance(out, 0.1, 0, 0);
      expect(out[0]).toBeLessThan(-0.35);
      shape.distance(out, 0.6, 0, 0);
      expect(out[0]).toBeGreaterThan(0.09);
    };
    const { vertices, faces } = ball;
    inside({ vertices, faces: faces.slice(1) });
    inside({ vertices, faces: faces.map((f, k) => (k === 0 ? [...f].reverse() : f)) });
    inside({ vertices, faces: faces.map((f) => [...f].reverse()) });
    inside({
      vertices: faces.flat().map((v) => vertices[v]),
      faces: faces.map((_, k) => [3 * k, 3 * k + 1, 3 * k + 2]),
    });
    // half of it is a bowl, which a rod meets from both sides, unless a solid is asked for
    const half = { vertices, faces: faces.filter((f) => f.every((v) => vertices[v][2] > -0.05)) };
    expect(compile({ type: 'mesh', ...half }).shape.thin).toBe(true);
    expect(compile({ type: 'mesh', ...half, solid: true }).shape.thin).toBe(false);
    expect(() => compile({ type: 'mesh', ...half, hollow: true })).toThrow(/has no inside/);
    expect(findMeshFault(Float64Array.from(ball.vertices.flat()), Int32Array.from(ball.faces.flat()))).toBe('');
    const volume = measureVolume(Float64Array.from(ball.vertices.flat()), Int32Array.from(ball.faces.flat()));
    expect(volume / ((4 / 3) * Math.PI * 0.125)).toBeGreaterThan(0.98);
  });
});

describe('a grid', () => {
  it('is the ball it was sampled from, to the second order of its spacing', () => {
    const collider = compile(gridOfBall());
    const next = random(13);
    for (let k = 0; k < 200; k++) {
      const p = [next() - 0.5, next() - 0.5, next() - 0.5].map((x) => 1.6 * x);
      const r = Math.hypot(...p);
      if (r < 0.2) continue;
      expect(Math.abs(distanceAt(collider, p) - (r - 0.5))).toBeLessThan(6e-3);
      expect((out[1] * p[0] + out[2] * p[1] + out[3] * p[2]) / r).toBeGreaterThan(0.97);
    }
    expect(distanceAt(collider, [3, 0, 0])).toBeGreaterThan(1.9);
  });
});

describe('a moving collider', () => {
  it('carries what lies on it', () => {
    const spec: ColliderSpec = {
      type: 'box',
      size: [1, 1, 1],
      position: [1, 0, 0],
      path: {
        interpolation: 'linear',
        keys: [
          { time: 0, offset: [0, 0, 0], rotation: [0, 0, 0] },
          { time: 1, offset: [0, 0, 2], rotation: [0, 0, 1] },
        ],
      },
    };
    const collider = compile(spec);
    placeCollider(collider, 0.5, 1e-6);
    const velocity = new Float64Array(3);
    measureSurfaceVelocity(velocity, collider, 1.5, 0, 1, 1e-6);
    // lifted at 2 m/s, turned about (1, 0) at 1 rad/s
    expect(velocity[0]).toBeCloseTo(0, 5);
    expect(velocity[1]).toBeCloseTo(0.5, 5);
    expect(velocity[2]).toBeCloseTo(2, 5);
    // its top is now at 1.5
    expect(distanceAt(collider, [1, 0, 2])).toBeCloseTo(0.5, 12);
  });

  it('keeps rods inside when it is hollow', () => {
    const collider = compile({ type: 'sphere', radius: 1, hollow: true });
    expect(distanceAt(collider, [0.6, 0, 0])).toBeCloseTo(0.4, 12);
    expect(out[1]).toBeCloseTo(-1, 12);
  });
});

describe('bad colliders', () => {
  it('refuses a torus without a hole', () => {
    expect(() => compile({ type: 'torus', ring: 0.1, radius: 0.1 })).toThrow(/radius.*below that of the ring, 0.1 m/);
  });

  const cases: readonly (readonly [ColliderSpec, RegExp])[] = [
    [{ type: 'sphere', radius: 0 }, /radius is 0/],
    [{ type: 'plane', normal: [0, 0, 0] }, /zero vector/],
    [{ type: 'box', size: [1, 1, 1], rounding: 0.6 }, /from 0 to 0.5/],
    [{ type: 'plane', friction: Infinity }, /1e6/],
    [{ type: 'plane', friction: { static: 0.2, dynamic: 0.3 } }, /greater than static/],
    [{ type: 'plane', restitution: 1.1 }, /from 0 to 1/],
    [{ type: 'plane', body: 'x' }, /unknown body/],
    [{ type: 'plane', rods: ['x'] }, /unknown rod/],
    [{ type: 'plane', path: { keys: [{ time: 0, twist: 1 }] } }, /no tangent/],
    [{ type: 'grid', origin: [0, 0, 0], spacing: 1, count: [2, 2, 2], values: [0] }, /has 8/],
    [{ type: 'mesh', vertices: [[0, 0, 0]], faces: [[0, 1, 2]] }, /vertex 1 does not exist/],
    [{ type: 'formula', formula: 'x + q' }, /q/],
  ];
  it.each(cases)('%j', (spec, message) => {
    expect(() => compile(spec)).toThrow(message);
  });

  it('formulas that give no number where a rod is, with place and time', () => {
    const over = (formula: string): World =>
      createWorld({
        tendril: 1,
        gravity: [0, 0, -9.81],
        rods: [straight('a', [0, 0, 0.01], [0.2, 0, 0.01], 8)],
        colliders: [{ type: 'formula', formula }],
        time: { duration: 1, step: 0.004 },
      });
    expect(() => over('sqrt(-1)')).toThrow(/the formula gives NaN at x, y, z = .*, 0, 0.01, t = 0; make it finite/);
    const later = over('z + sqrt(0.03 - t)');
    expect(() => run(later, 20)).toThrow(/gives NaN at x, y, z = .*, t = 0.03/);
    // nothing is asked of instants before the start
    const begins = over('z + sqrt(t)');
    run(begins, 3);
    expect(begins.contactReport?.converged).toBe(true);
  });
});

describe('a grid', () => {
  it('has normals that lead away from the solid, also outside the grid', () => {
    const collider = compile(gridOfBall());
    const next = random(8);
    for (let k = 0; k < 200; k++) {
      const p = [next() - 0.5, next() - 0.5, next() - 0.5].map((x) => 4 * x);
      if (Math.max(...p.map(Math.abs)) < 1) continue;
      expect(distanceAt(collider, p)).toBeGreaterThan(0);
      const away = (out[1] * p[0] + out[2] * p[1] + out[3] * p[2]) / Math.hypot(...p);
      expect(away).toBeGreaterThan(0.9);
    }
  });
});

describe('a collider on a body', () => {
  it('rides on the one that it names', () => {
    const bodies = ['first', 'second', 'third'].map((id) => ({ body: { id } }));
    const carriers = bodies as unknown as Parameters<typeof compileColliders>[2];
    const spec = { type: 'sphere', radius: 0.1 } as const;
    const compiled = (body?: string): Collider =>
      compileColliders(scene([body === undefined ? spec : { ...spec, body }]), [], carriers, [])[0];
    expect(compiled('second').body).toBe(1);
    expect(compiled('third').body).toBe(2);
    expect(compiled().body).toBe(-1);
    expect(() => compiled('fourth')).toThrow(/unknown body 'fourth'; known: first, second, third/);
  });
});

it('a mesh answers the same bits whatever was asked before, also for points on its faces', () => {
  const next = random(7);
  const { vertices, faces } = ball;
  const points: number[][] = [];
  for (const [a, b, c] of faces.slice(0, 300)) {
    const [u, v] = [next() / 2, next() / 2];
    const on = [0, 1, 2].map((k) => (1 - u - v) * vertices[a][k] + u * vertices[b][k] + v * vertices[c][k]);
    const away = 1 + 0.3 * (next() - 0.5);
    points.push(
      on,
      vertices[a] as number[],
      [...on].map((x) => away * x),
    );
  }
  const ask = (collider: Collider, p: readonly number[]): number[] => {
    measureDistance(out, collider, p[0], p[1], p[2]);
    return [...out];
  };
  const spec: ColliderSpec = { type: 'mesh', ...ball };
  const together = compile(spec);
  const inOrder = points.map((p) => ask(together, p));
  // again, from memory, and backwards
  expect([...points].reverse().map((p) => ask(together, p))).toEqual([...inOrder].reverse());
  // each by a mesh that has answered nothing
  points.forEach((p, k) => {
    if (k % 9 < 3) expect(ask(compile(spec), p)).toEqual(inOrder[k]);
  });
  expect(Math.max(...inOrder.filter((_, k) => k % 3 < 2).map(([d]) => Math.abs(d)))).toBeLessThan(1e-15);
});
