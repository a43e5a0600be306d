/** Contact between strands by the SIMD kernels, against the same law in double precision, step by step. */
import { beforeAll, expect, test } from 'vitest';
import { loadSimdDer, mergedBatchModel } from '../../src/batch/index.ts';
import { createWorld, type Model, type RodSpec, type Scene, type World } from '../../src/index.ts';
import { type Point, RADIUS, rod, sceneOf, stiff, undamped } from './pairScenes.ts';
import { farthest } from './scenes.ts';

const LENGTH = 0.16;
let simd: Model;
beforeAll(async () => {
  simd = await loadSimdDer();
});

const withBackend = (scene: Scene, backend: 'batch' | 'simd'): Scene => ({
  ...scene,
  solver: { der: { ...scene.solver?.der, backend } },
});
const open = (scene: Scene): World => createWorld(withBackend(scene, 'simd'), { models: [simd] });
const openReference = (scene: Scene): World => createWorld(withBackend(scene, 'batch'), { models: [mergedBatchModel] });
const clamped = (rods: readonly RodSpec[]): Scene['pins'] => rods.map(({ id }) => ({ rod: id, at: 'start' as const }));

/** Crossing layers of clamped hair that fall on each other and on a ball; two hang aside, where they meet nothing. */
function layers(damping: { mass: number; stiffness: number }): Scene {
  const material = { E: 1e8, G: 4e7, density: 1300, damping };
  const rods = [
    ...[0, 1, 2].map((k) => rod(`along ${k}`, [0, 0.004 * k, 0.052], [LENGTH, 0.004 * k + 0.01, 0.052], { material })),
    ...[0, 1, 2, 3].map((k) =>
      rod(`across ${k}`, [0.03 + 0.02 * k, -0.07, 0.0526], [0.03 + 0.018 * k, 0.09, 0.0526], { material }),
    ),
    ...[0, 1].map((k) => rod(`aside ${k}`, [0.5, 0.1 * k, 0], [0.5 + LENGTH, 0.1 * k, 0], { material })),
  ];
  return sceneOf(rods, {
    gravity: [0, 0, -40],
    pins: clamped(rods) ?? [],
    colliders: [{ id: 'head', type: 'sphere', radius: 0.0516, friction: 0.3 }],
    time: { step: 1 / 480, duration: 1 },
    solver: { der: { twist: 'quasistatic', integrator: 'bdf2' } },
  } as Partial<Scene>);
}

/** Largest distance from the reference over some steps, in which contacts and iterations must be the same in number; and what was touched. */
function compare(scene: Scene, steps: number): { off: number; contacts: number; touched: Set<string> } {
  const [world, reference] = [open(scene), openReference(scene)];
  const touched = new Set<string>();
  let [off, contacts] = [0, 0];
  for (let k = 0; k < steps; k++) {
    const found = world.step().contact;
    const expected = reference.step().contact;
    expect([k, found?.contacts, found?.iterations]).toEqual([k, expected?.contacts, expected?.iterations]);
    contacts = Math.max(contacts, found?.contacts ?? 0);
    for (const { kind } of world.contactForces()) touched.add(kind);
    world.samples.forEach(({ nodePosition }, s) => {
      off = Math.max(off, farthest(nodePosition, reference.samples[s].nodePosition));
    });
  }
  return { off, contacts, touched };
}

test.each([
  ['without damping', { mass: 0, stiffness: 0 }],
  ['with damping of joints', { mass: 3, stiffness: 3e-4 }],
])('hair on hair on a ball follows the reference step by step, %s', (_, damping) => {
  const { off, contacts, touched } = compare(layers(damping), 14);
  expect(contacts).toBeGreaterThan(5);
  expect([...touched].sort()).toEqual(['collider', 'rod']);
  expect(off).toBeLessThan(1e-6 * LENGTH);
});

test('hair that crosses hair settles in every step, with the same bits in two runs', () => {
  const rods = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((k) => [
    rod(`below ${k}`, [0, 0.004 * k, 0], [LENGTH, 0.004 * k, 0], undamped),
    rod(`above ${k}`, [0.02 + 0.005 * k, -0.05, 5e-4], [0.02 + 0.005 * k, 0.11, 5e-4], undamped),
  ]);
  const scene = sceneOf(rods, { pins: clamped(rods) ?? [] });
  const run = (): { hash: string; iterations: number; contacts: number } => {
    const world = open(scene);
    let [iterations, contacts] = [0, 0];
    for (let k = 0; k < 24; k++) {
      const { contact } = world.step();
      expect(contact?.converged).toBe(true);
      iterations += contact?.iterations ?? 0;
      contacts = Math.max(contacts, contact?.contacts ?? 0);
    }
    return { hash: world.hash(), iterations, contacts };
  };
  const first = run();
  expect(run()).toEqual(first);
  expect(first.contacts).toBeGreaterThan(30);
  // without acceleration 18.8 per step, and 6 steps that do not settle
  expect(first.iterations).toBeLessThan(9 * 24);
});

test('free hair that collides: forces are equal and opposite, momentum stays, and it follows the reference', () => {
  const scene = sceneOf(
    [
      rod('a', [-0.08, 0, 0], [0.08, 0, 0], undamped),
      rod('b', [0.02, -0.08, 0.004], [0.03, 0.08, 0.004], { ...undamped, velocity: { linear: [0.1, 0, -0.5] } }),
      rod('c', [0.5, 0, 0], [0.6, 0, 0], undamped),
    ],
    { gravity: [0, 0, 0] },
  );
  const { off, contacts } = compare(scene, 14);
  expect(contacts).toBeGreaterThan(0);
  expect(off).toBeLessThan(1e-6 * LENGTH);
  const world = open(scene);
  const momentum = (): number[] =>
    [0, 1, 2].map((k) =>
      world.rods.reduce(
        (sum, { nodeMass }, r) =>
          sum + nodeMass.reduce((all, m, i) => all + m * world.samples[r].nodeVelocity[3 * i + k], 0),
        0,
      ),
    );
  const before = momentum();
  let pairs = 0;
  for (let k = 0; k < 40; k++) {
    world.step();
    const forces = world.contactForces();
    if (forces.some(({ force }) => force[2] !== 0)) pairs++;
  }
  expect(pairs).toBeGreaterThan(2);
  momentum().forEach((p, k) => {
    expect(Math.abs(p - before[k])).toBeLessThan(1e-3 * Math.abs(before[2]));
  });
  expect(world.samples[0].nodeVelocity[3 * 6 + 2]).toBeLessThan(-0.05);
});

/** Hair combed over a ball from two rows of roots, the upper one along the lower one; `shift`: by this part of an edge. */
function combed(shift: number): Scene {
  const [ball, edge, edges] = [0.09, 0.2 / 30, 9];
  const rods = [0, 1].map((row): RodSpec => {
    const above = ball + 4e-4 + 6.5e-4 * row;
    const points = Array.from({ length: edges + 1 }, (_, i) => {
      const angle = 1 + ((i - (1 + shift) * row) * edge) / above;
      return [above * Math.sin(angle), 0, above * Math.cos(angle)] as Point;
    });
    const section = { type: 'stiffness', EI1: 2e-8, GJ: 2e-8, EA: 10, mass: 1e-4, inertia: 1e-12, radius: 3e-4 };
    return { id: `row ${row}`, shape: { type: 'points', points }, section, inextensible: true } as RodSpec;
  });
  return sceneOf(rods, { pins: clamped(rods) ?? [], colliders: [{ type: 'sphere', radius: ball, friction: 0.3 }] });
}

/** Least distance of the nodes of the lower hair from the upper one [m]. */
function leastDistance({ samples }: World): number {
  const [x, y] = samples.map(({ nodePosition }) => nodePosition);
  let least = Infinity;
  for (let i = 0; i < x.length; i += 3)
    for (let j = 0; j + 3 < y.length; j += 3) {
      const along = [0, 1, 2].map((k) => y[j + 3 + k] - y[j + k]);
      const apart = [0, 1, 2].map((k) => x[i + k] - y[j + k]);
      const dot = (a: number[], b: number[]): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
      const part = Math.min(1, Math.max(0, dot(along, apart) / dot(along, along)));
      least = Math.min(least, Math.hypot(...apart.map((one, k) => one - part * along[k])));
    }
  return least;
}

test.each([0, 0.3, 0.45, 0.5, 0.55, 0.7])(
  'hair that lies along hair over a ball is carried by it, shifted by %f edges',
  (shift) => {
    const world = open(combed(shift));
    for (let k = 0; k < 6; k++) world.step();
    // edges are chords of the ball, so nodes are up to a fifth of a radius off
    expect(leastDistance(world)).toBeGreaterThan(1.75 * 3e-4);
  },
);

test('hair that nothing predicts to meet is held back', () => {
  const [ball, contact, edges] = [0.09, 1.2e-4, 31];
  // three layers combed over a ball, whose roots are apart; nothing predicts how the upper ones press the lower ones aside
  const rods = Array.from({ length: 30 }, (_, k): RodSpec => {
    const [row, column] = [Math.floor(k / 10), k % 10];
    const above = ball + 5e-4 + 3e-4 * row;
    const start = 0.5 + 0.03 * row + 0.003 * ((column * 7) % 10);
    const around = 0.0072 * column + 0.0031 * row;
    const points = Array.from({ length: edges + 1 }, (_, i): Point => {
      const way = (0.2 * i) / edges;
      const bend = Math.PI / 2 - start;
      const angle = start + Math.min(bend, way / above);
      const r = above * Math.sin(angle);
      return [r * Math.cos(around), r * Math.sin(around), above * Math.cos(angle) - Math.max(0, way - above * bend)];
    });
    const section = {
      type: 'stiffness',
      EI1: 2e-8,
      GJ: 2e-8,
      EA: 10,
      mass: 1e-4,
      inertia: 1e-12,
      radius: 3e-4,
      damping: { mass: 1.5 },
    };
    return { id: `hair ${k}`, shape: { type: 'points', points }, section, inextensible: true } as RodSpec;
  });
  const scene = sceneOf(rods, {
    pins: clamped(rods) ?? [],
    colliders: [{ type: 'sphere', radius: ball, friction: 0.3 }],
    contact: { friction: 0.3, radius: contact },
  });
  for (const world of [open(scene), openReference(scene)]) {
    let [deepest, contacts] = [0, 0];
    for (let k = 0; k < 3; k++) {
      const report = world.step().contact;
      deepest = Math.max(deepest, report?.overlap ?? 0);
      contacts = Math.max(contacts, report?.contacts ?? 0);
    }
    expect(contacts).toBeGreaterThan(400);
    // 1.12 radii without contacts for pairs that were not expected
    expect(deepest).toBeLessThan(0.5 * contact);
  }
});

test('hair that falls across hair within one step meets it as in der', () => {
  const rods = [0, 1, 2, 3].flatMap((k) => [
    rod(`below ${k}`, [0, 0.004 * k, 0], [LENGTH, 0.004 * k, 0], undamped),
    rod(`above ${k}`, [0.02 + 0.005 * k, -0.05, 5e-4], [0.02 + 0.005 * k, 0.11, 5e-4], undamped),
  ]);
  // gravity alone bends the hairs by 1.4 mm in a step, in opposite directions where they cross
  const scene = sceneOf(rods, { pins: clamped(rods) ?? [], time: { step: 1 / 60, duration: 1 } });
  const { off, contacts } = compare(scene, 3);
  expect(contacts).toBe(16);
  expect(off).toBeLessThan(5e-6 * LENGTH);
  const [world, standard] = [open(scene), createWorld(scene)];
  for (let k = 0; k < 2; k++) {
    expect(world.step()).toMatchObject({ substeps: 1, contact: { converged: true } });
    standard.step();
    // where the step was halved instead: 8.4e-4 m
    world.samples.forEach(({ nodePosition }, s) => {
      expect(farthest(nodePosition, standard.samples[s].nodePosition)).toBeLessThan(1e-3 * LENGTH);
    });
  }
});

/** Height of rod 1 above rod 0 where they cross, seen from above; undefined where they do not [m]. */
function crossingHeight({ samples }: World): number | undefined {
  const [x, y] = [samples[0].nodePosition, samples[1].nodePosition];
  for (let i = 0; i + 3 < x.length; i += 3)
    for (let j = 0; j + 3 < y.length; j += 3) {
      const [ax, ay, bx, by] = [x[i + 3] - x[i], x[i + 4] - x[i + 1], y[j + 3] - y[j], y[j + 4] - y[j + 1]];
      const [dx, dy, det] = [y[j] - x[i], y[j + 1] - x[i + 1], ax * by - ay * bx];
      const [s, t] = [(dx * by - dy * bx) / det, (dx * ay - dy * ax) / det];
      if (s >= 0 && s <= 1 && t >= 0 && t <= 1)
        return y[j + 2] + t * (y[j + 5] - y[j + 2]) - x[i + 2] - s * (x[i + 5] - x[i + 2]);
    }
  return undefined;
}

test.each([0.5, 2, 4])('a hair thrown across another at %f m/s does not pass', (speed) => {
  let touched = 0;
  for (let n = 1; n < 12; n += 3) {
    const world = open(
      sceneOf(
        [
          rod('a', [-0.08, 0, 0], [0.08, 0, 0], undamped),
          rod('b', [0.005 * n - 0.02, -0.08, 0.01 + 0.001 * n], [0.003 * n, 0.08, 0.012], {
            ...undamped,
            velocity: { linear: [0.05 * n, 0, -speed] },
          }),
        ],
        { gravity: [0, 0, 0] },
      ),
    );
    for (let k = 0; k < Math.ceil((0.03 / speed) * 240); k++) {
      if (world.step().contact?.contacts) touched++;
      expect(crossingHeight(world) ?? 1).toBeGreaterThan(RADIUS);
    }
  }
  expect(touched).toBeGreaterThan(4);
});

test('an edge may have more contacts than the slots of the reference', () => {
  const short = { edges: 4, ...undamped };
  const rods = [
    rod('long', [-0.08, 0, 0], [0.08, 0, 0], short),
    ...Array.from({ length: 14 }, (_, k) =>
      rod(`over ${k}`, [0.002 + 0.0025 * k, -0.01, 2.1 * RADIUS], [0.002 + 0.0025 * k, 0.012, 2.1 * RADIUS], {
        ...short,
        velocity: { linear: [0, 0, -0.05] },
      }),
    ),
  ];
  const scene = sceneOf(rods, { gravity: [0, 0, 0] });
  const world = open(scene);
  expect(world.step().contact).toMatchObject({ contacts: 14, converged: true });
  expect(new Set(world.contactForces().map(({ edge }) => edge))).toEqual(new Set([2]));
  expect(openReference(scene).step().contact?.converged).toBe(false);
});

test('a saved state has the contacts between hairs', () => {
  const rods = [rod('low', [0, 0, 0], [LENGTH, 0, 0], stiff), rod('high', [0.1, -0.08, 0.0005], [0.1, 0.08, 0.0005])];
  const scene = sceneOf(rods, { pins: clamped(rods) ?? [] });
  const run = (world: World, steps: number): string => {
    for (let k = 0; k < steps; k++) world.step();
    return world.hash();
  };
  const world = open(scene);
  run(world, 20);
  const state = world.save();
  const hash = run(world, 8);
  const other = open(scene);
  other.restore(state);
  expect(run(other, 8)).toBe(hash);
  other.restore({ ...state, contact: new Float64Array(0) });
  expect(run(other, 8)).not.toBe(hash);
});

test('rods that are not alike are refused', () => {
  const rods = [rod('one', [0, 0, 0], [LENGTH, 0, 0]), rod('two', [0, 0, 0.1], [LENGTH, 0, 0.1], { edges: 7 })];
  expect(() => open(sceneOf(rods, { pins: clamped(rods) ?? [] }))).toThrow(/'two' has other damping or another number/);
});
