/** Contact between strands, merged into their iterations: closed forms, and `der` with the contact of contact/ on the same scenes. */
import { describe, expect, test } from 'vitest';
import { mergedBatchModel } from '../../src/batch/index.ts';
import { compileBatch } from '../../src/batch/model.ts';
import { compileScene, createWorld, type Scene, type World } from '../../src/index.ts';
import { type Point, RADIUS, rod, sceneOf, stiff, undamped } from './pairScenes.ts';
import { DT } from './scenes.ts';

const merged = (scene: Scene): World => createWorld(scene, { models: [mergedBatchModel] });

function distance(a: World, b: World): number {
  return Math.max(
    ...a.samples.flatMap(({ nodePosition: x }, r) =>
      Array.from(x, (one, k) => Math.abs(one - b.samples[r].nodePosition[k])),
    ),
  );
}

/** Height of rod b above rod a where they cross, seen from above; undefined where they do not [m]. */
function crossingHeight({ samples }: World, a: number, b: number): number | undefined {
  const [x, y] = [samples[a].nodePosition, samples[b].nodePosition];
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

test('a hair across another slides and rests as with the contact solver', () => {
  const scene = sceneOf(
    [rod('low', [0, 0, 0], [0.16, 0, 0], stiff), rod('high', [0.1, -0.08, 0.002], [0.1, 0.08, 0.002])],
    { pins: ['low', 'high'].map((id) => ({ rod: id, at: 'start' as const })) },
  );
  const [one, exact, free] = [
    merged(scene),
    createWorld(scene),
    createWorld({ ...scene, contact: { between: 'none' } }),
  ];
  let [touching, overlap, farthest] = [0, 0, 0];
  for (let k = 0; k < 60; k++) {
    const { contact } = one.step();
    for (const world of [exact, free]) world.step();
    if (contact?.contacts) touching++;
    overlap = Math.max(overlap, contact?.overlap ?? 0);
    farthest = Math.max(farthest, distance(one, exact));
  }
  expect(touching).toBeGreaterThan(50);
  expect(overlap).toBeLessThan(0.2 * RADIUS);
  expect(farthest).toBeLessThan(5e-4);
  expect(distance(free, exact)).toBeGreaterThan(0.02);
  const total = (world: World): number[] =>
    [0, 1, 2].map((k) => world.contactForces().reduce((sum, { force }) => sum + force[k], 0));
  const expected = total(exact);
  total(one).forEach((f, k) => {
    expect(Math.abs(f - expected[k])).toBeLessThan(0.03 * Math.abs(expected[2]));
  });
  for (const { rod: id, other, gap } of one.contactForces()) {
    expect([id, other]).toEqual(['low', 'high']);
    expect(Math.abs(gap)).toBeLessThan(0.1 * RADIUS);
  }
});

test('forces are equal and opposite to the last bit, and momentum stays', () => {
  const scene = sceneOf(
    [
      rod('a', [-0.08, 0, 0], [0.08, 0, 0], undamped),
      rod('b', [0.02, -0.08, 0.004], [0.03, 0.08, 0.004], { ...undamped, velocity: { linear: [0.1, 0, -0.5] } }),
    ],
    { gravity: [0, 0, 0] },
  );
  const { rods, drives } = compileScene(scene);
  const { bundle, strands } = compileBatch(rods, drives, scene, {
    welds: [],
    links: [],
    mergedContact: 'test',
  } as never);
  const own = bundle.ownContact;
  if (!own) throw new Error('no contact');
  own.open({
    count: 0,
    at: () => [],
    countSpared: () => 0,
    fields: new Float32Array(0),
    pairs: { friction: 0.3, self: true, radiusOf: () => rods[0].edgeRadius },
  });
  const momentum = (): number[] =>
    [0, 1, 2].map((k) =>
      strands.reduce(
        (sum, { rod: one, samples }) =>
          sum + one.nodeMass.reduce((all, m, i) => all + m * samples.nodeVelocity[3 * i + k], 0),
        0,
      ),
    );
  const before = momentum();
  let pairs = 0;
  for (let k = 0; k < 40; k++) {
    expect(bundle.advance({ t: k * DT, dt: DT, robust: false }).ok).toBe(true);
    const rows = own.listContacts();
    for (const { rod: r, edge, other, force } of rows) {
      const back = rows.find(
        (row) => row.rod === other?.rod && row.edge === other.edge && row.other?.rod === r && row.other.edge === edge,
      );
      expect(back?.force.map((f) => 0 - f)).toEqual(force.map((f) => f + 0));
      if (force[2] !== 0) pairs++;
    }
  }
  expect(pairs).toBeGreaterThan(20);
  momentum().forEach((p, k) => {
    expect(Math.abs(p - before[k])).toBeLessThan(1e-3 * Math.abs(before[2]));
  });
  // the hair that was thrown has given half of it to the other
  expect(strands[0].samples.nodeVelocity[3 * 6 + 2]).toBeLessThan(-0.05);
});

test('a pile of hair on a floor rests, and the floor carries its weight', () => {
  const at = (layer: number, n: number, x: number): Point => [
    x,
    (2 * n + layer) * RADIUS,
    RADIUS * (1 + Math.sqrt(3) * layer),
  ];
  const rods = [0, 1, 2].flatMap((layer) =>
    Array.from({ length: 3 - layer }, (_, n) => rod(`${layer} ${n}`, at(layer, n, 0), at(layer, n, 0.16))),
  );
  const world = merged(sceneOf(rods, { colliders: [{ type: 'plane', friction: 0.5 }], contact: { friction: 0.5 } }));
  const start = world.samples.map(({ nodePosition }) => nodePosition.slice());
  for (let k = 0; k < 70; k++) expect(world.step().contact?.converged).toBe(true);
  const weight = 9.81 * world.rods.reduce((sum, one) => sum + one.nodeMass.reduce((a, b) => a + b, 0), 0);
  const lift = world
    .contactForces()
    .filter(({ kind }) => kind === 'collider')
    .reduce((sum, { force }) => sum + force[2], 0);
  expect(lift / weight).toBeCloseTo(1, 4);
  world.samples.forEach(({ nodePosition, nodeVelocity }, r) => {
    nodePosition.forEach((x, k) => {
      expect(Math.abs(x - start[r][k])).toBeLessThan(0.2 * RADIUS);
      expect(Math.abs(nodeVelocity[k])).toBeLessThan(1e-5);
    });
  });
  // the same pile without friction and without its floor of hair falls apart
  expect(world.contactForces().filter(({ kind }) => kind === 'rod').length).toBeGreaterThan(20);
});

describe('a hair on two rails', () => {
  const slide = (part: number): { distance: number; exact: number } => {
    const friction = 0.4;
    const angle = Math.atan(part * friction);
    const rails = [-0.05, 0.05].map((y) =>
      rod(`rail ${y}`, [-0.05, y, 0], [0.11, y, 0], { ...stiff, section: { type: 'circle', radius: 2e-3 } }),
    );
    const z = RADIUS + 2e-3;
    const world = merged(
      sceneOf(
        [
          ...rails,
          rod('hair', [0.01, -0.08, z], [0.01, 0.08, z], {
            ...undamped,
            material: { E: 3e11, G: 1e11, density: 1300 },
          }),
        ],
        {
          gravity: [9.81 * Math.sin(angle), 0, -9.81 * Math.cos(angle)],
          pins: rails.map(({ id }) => ({ rod: id, at: 'start' as const })),
          contact: { friction },
        },
      ),
    );
    const steps = 60;
    for (let k = 0; k < steps; k++) world.step();
    const acceleration = 9.81 * (Math.sin(angle) - friction * Math.cos(angle));
    return {
      distance: world.samples[2].nodePosition[3 * 6] - 0.01,
      exact: 0.5 * acceleration * DT * DT * steps * (steps + 1),
    };
  };
  test('sticks below the angle of friction and slides above it', () => {
    expect(Math.abs(slide(0.95).distance)).toBeLessThan(3e-5);
    const { distance: found, exact } = slide(1.5);
    expect(Math.abs(found / exact - 1)).toBeLessThan(0.02);
  });
});

test.each([0.5, 2, 4])('a hair thrown across another at %f m/s does not pass', (speed) => {
  let touched = 0;
  for (let n = 1; n < 12; n += 3) {
    const world = merged(
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
    for (let k = 0; k < Math.ceil(0.03 / speed / DT); k++) {
      if (world.step().contact?.contacts) touched++;
      expect(crossingHeight(world, 0, 1) ?? 1).toBeGreaterThan(RADIUS);
    }
  }
  expect(touched).toBeGreaterThan(4);
});

test('hairs that begin in the same place part, and stay where they can be', () => {
  const world = merged(
    sceneOf(
      ['one', 'two', 'three'].map((id) => rod(id, [0, 0, 0], [0.16, 0, 0])),
      { pins: ['one', 'two', 'three'].map((id) => ({ rod: id, at: 'start' as const })) },
    ),
  );
  const alone = merged(sceneOf([rod('one', [0, 0, 0], [0.16, 0, 0])], { pins: [{ rod: 'one', at: 'start' }] }));
  let contacts = 0;
  for (let k = 0; k < 20; k++) {
    contacts = Math.max(contacts, world.step().contact?.contacts ?? 0);
    alone.step();
  }
  expect(contacts).toBeGreaterThan(0);
  const tips = world.samples.map(({ nodePosition: x }) => Array.from(x.slice(-3)));
  const [tip] = alone.samples.map(({ nodePosition: x }) => x.slice(-3));
  for (const one of tips) expect(Math.hypot(...one.map((x, k) => x - tip[k]))).toBeLessThan(10 * RADIUS);
  expect(Math.hypot(...tips[0].map((x, k) => x - tips[1][k]))).toBeGreaterThan(RADIUS);
});

test('a saved state has the contacts between hairs', () => {
  const scene = sceneOf(
    [rod('low', [0, 0, 0], [0.16, 0, 0], stiff), rod('high', [0.1, -0.08, 0.0005], [0.1, 0.08, 0.0005])],
    { pins: ['low', 'high'].map((id) => ({ rod: id, at: 'start' as const })) },
  );
  const run = (world: World, steps: number): string => {
    for (let k = 0; k < steps; k++) world.step();
    return world.hash();
  };
  const world = merged(scene);
  run(world, 20);
  const state = world.save();
  const hash = run(world, 8);
  const other = merged(scene);
  other.restore(state);
  expect(run(other, 8)).toBe(hash);
  other.restore({ ...state, contact: new Float64Array(0) });
  expect(run(other, 8)).not.toBe(hash);
});
