/** Contact merged into Newton's iterations, as the GPU does it: distances against those of colliders, and closed forms. */
import { describe, expect, test } from 'vitest';
import { add, type Quaternion, type Vector } from '../../src/batch/algebra.ts';
import { closestPart, measureObstacle } from '../../src/batch/distances.ts';
import { createField, openField, type SolidFunction, tabulateField } from '../../src/batch/field.ts';
import { exponential, rotate } from '../../src/batch/formulas.ts';
import {
  boxObstacle,
  capsuleObstacle,
  fieldObstacle,
  type MergedReport,
  meetObstacles,
  planeObstacle,
  sphereObstacle,
  stepMerged,
} from '../../src/batch/merged.ts';
import type { Obstacle } from '../../src/batch/obstacles.ts';
import { addEnergies, measureReactions } from '../../src/batch/readouts.ts';
import { type BatchRod, createBatchRod, stateSizes } from '../../src/batch/rod.ts';
import { adoptState } from '../../src/batch/step.ts';
import { sampleTable, tabulateAt } from '../../src/contact/shapes/distanceTable.ts';
import { createEllipsoid } from '../../src/contact/shapes/ellipsoid.ts';
import { createBox, createCapsule, createSphere, createTorus, type Shape } from '../../src/contact/shapes/shape.ts';
import { compileScene, type RodSpec, type Scene } from '../../src/index.ts';
import { DT, farthest } from './scenes.ts';

const RADIUS = 2.5e-4;
const ITERATIONS = 4;
const hair = {
  section: { type: 'circle', radius: 40e-6 },
  material: { E: 3.58e9, G: 1.07e9, density: 1300 },
  inextensible: true,
} as const;
const options = { scheme: 'bdf2', tolerance: 1e-11, iterations: 50 } as const;

function makeStrand(rod: Omit<RodSpec, 'section' | 'material'>, changes: Partial<Scene>): BatchRod {
  const { rods, drives } = compileScene({
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [{ ...rod, ...hair }],
    time: { step: DT, duration: 1 },
    ...changes,
  });
  const sizes = stateSizes(rods[0]);
  const [q, v, memory] = [sizes.q, sizes.v, sizes.memory].map((size) => new Float64Array(size));
  const batch = createBatchRod(rods[0], drives[0], { q, v, memory });
  adoptState(batch, 0);
  return batch;
}

function run(batch: BatchRod, steps: number, visit: (k: number, report: MergedReport) => void): void {
  for (let k = 0; k < steps; k++) {
    const report = stepMerged(batch, { t: k * DT, dt: DT, iterations: ITERATIONS }, options);
    expect(report.ok).toBe(true);
    visit(k, report);
  }
}

const falling = (): BatchRod =>
  makeStrand({ id: 'hair', shape: { type: 'straight', from: [0, 0, 0], to: [0.1, 0, 0] }, edges: 4 }, {});

describe('distances are those of colliders', () => {
  const { strand } = falling();
  const shapes: readonly [string, Obstacle, Shape][] = [
    ['sphere', sphereObstacle(0.3, {}), createSphere(0.3)],
    ['capsule', capsuleObstacle(0.4, 0.2, {}), createCapsule([0, 0, -0.4], [0, 0, 0.4], 0.2)],
    ['box', boxObstacle([0.3, 0.4, 0.5], 0.05, {}), createBox(0.3, 0.4, 0.5, 0.05)],
  ];
  test.each(shapes)('%s', (_, obstacle, shape) => {
    const out = new Float64Array(4);
    for (let k = 0; k < 200; k++) {
      const x: Vector = [0.9 * Math.sin(7 * k), 0.9 * Math.sin(11 * k + 1), 0.9 * Math.sin(13 * k + 2)];
      shape.distance(out, ...x);
      const { value, normal } = measureObstacle(strand, obstacle, x);
      expect(value).toBeCloseTo(out[0], 12);
      normal.forEach((n, i) => {
        expect(n).toBeCloseTo(out[1 + i], 10);
      });
    }
    const [from, to]: Vector[] = [
      [0.5, -0.6, 0.1],
      [0.7, 0.5, 0.3],
    ];
    const edge: Vector = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
    const expected = shape.closest(Float64Array.from(from), Float64Array.from(to));
    expect(closestPart(strand, obstacle, from, edge)).toBeCloseTo(expected, 3);
  });
});

describe('distance fields', () => {
  /** Largest errors of distance and normal within 8 mm of an ellipsoid's surface, with so many rows along the longest axis. */
  const errorsAt = (rows: number): { distance: number; normal: number; reported: number } => {
    const shape = createEllipsoid([0.1, 0.08, 0.06]);
    const table = tabulateAt(shape, 0.02, rows);
    const obstacle = fieldObstacle({ ...table, start: 0 }, {});
    const one = falling();
    meetObstacles(one, { radius: RADIUS, obstacles: [obstacle], fields: table.rows });
    const out = new Float64Array(4);
    let [distance, normal, tried] = [0, 0, 0];
    for (let k = 0; k < 4000; k++) {
      const x: Vector = [0.11 * Math.sin(7 * k), 0.09 * Math.sin(11 * k + 1), 0.07 * Math.sin(13 * k + 2)];
      shape.distance(out, ...x);
      if (Math.abs(out[0]) > 0.008) continue;
      tried++;
      const found = measureObstacle(one.strand, obstacle, x);
      distance = Math.max(distance, Math.abs(found.value - out[0]));
      normal = Math.max(normal, ...found.normal.map((n, i) => Math.abs(n - out[1 + i])));
    }
    expect(tried).toBeGreaterThan(400);
    return { distance, normal, reported: table.error };
  };

  test('of an ellipsoid converge with the third order, normals with the second', () => {
    const [coarse, fine] = [errorsAt(24), errorsAt(48)];
    expect(coarse.distance / fine.distance).toBeGreaterThan(6);
    expect(coarse.normal / fine.normal).toBeGreaterThan(3);
    expect(fine.distance).toBeLessThan(3e-6);
    expect(fine.distance).toBeGreaterThan(1e-8);
    // the error that a table reports is that at the surface
    expect(fine.reported).toBeGreaterThan(0.1 * fine.distance);
    expect(fine.reported).toBeLessThan(1.5 * fine.distance);
  });

  test('are the same for a page as for a strand, inside and beyond the box', () => {
    const table = tabulateAt(createEllipsoid([0.1, 0.08, 0.06]), 0.02, 24);
    const obstacle = fieldObstacle({ ...table, start: 0 }, {});
    const one = falling();
    meetObstacles(one, { radius: RADIUS, obstacles: [obstacle], fields: table.rows });
    const out = new Float64Array(4);
    for (let k = 0; k < 300; k++) {
      const x: Vector = [0.3 * Math.sin(7 * k), 0.2 * Math.sin(11 * k + 1), 0.2 * Math.sin(13 * k + 2)];
      const { value, normal } = measureObstacle(one.strand, obstacle, x);
      sampleTable(out, table, ...x);
      expect(out[0]).toBeCloseTo(value, 14);
      for (let i = 0; i < 3; i++) expect(out[1 + i]).toBeCloseTo(normal[i], 12);
    }
  });

  test('find the nearest part of an edge that comes close in two places', () => {
    const shape = createTorus(0.05, 0.01);
    const table = tabulateAt(shape, 0.06, 64);
    const obstacle = fieldObstacle({ ...table, start: 0 }, { position: [0.2, 0, 0] });
    const one = falling();
    meetObstacles(one, { radius: RADIUS, obstacles: [obstacle], fields: table.rows });
    // over the ring, a little lower on the far side
    const [from, edge]: Vector[] = [
      [0.12, 0, 0.02],
      [0.16, 0, -0.003],
    ];
    expect(closestPart(one.strand, obstacle, from, edge)).toBeCloseTo(0.13 / 0.16, 2);
    // outside the box the distance goes on
    expect(measureObstacle(one.strand, obstacle, [0.2, 0, 1]).value).toBeGreaterThan(0.9);
  });

  test('a shape far from its own origin, in any pose', () => {
    const shape = createCapsule([5, 1, 2], [5.1, 1, 2], 0.02);
    const field = createField({ type: 'capsule', from: [5, 1, 2], to: [5.1, 1, 2], radius: 0.02 }, 0.02, 1e-6);
    const [frame, position]: [Quaternion, Vector] = [exponential([0.2, -0.1, 0.2]), [0.1, 0.2, 0.3]];
    const obstacle = field.place({ frame, position });
    const one = falling();
    meetObstacles(one, { radius: RADIUS, obstacles: [obstacle], fields: field.rows });
    const out = new Float64Array(4);
    const places: Vector[] = [
      [5.03, 1.021, 2],
      [4.985, 1, 2.012],
      [5.12, 1, 2.003],
    ];
    for (const x of places) {
      shape.distance(out, ...x);
      const found = measureObstacle(one.strand, obstacle, add(position, rotate(frame, x)));
      expect(Math.abs(found.value - out[0])).toBeLessThan(1e-5);
      rotate(frame, [out[1], out[2], out[3]]).forEach((n, k) => {
        expect(found.normal[k]).toBeCloseTo(n, 2);
      });
    }
    expect(obstacle.counts[1]).toBeLessThan(obstacle.counts[0]);
    expect(() => createField({ type: 'plane' }, 0.02, 1e-6)).toThrow(/has no distance field/);
  });

  test('a function, sent to another thread as a table', () => {
    const shape = createTorus(0.06, 0.025);
    const solid: SolidFunction = {
      low: [-0.085, -0.085, -0.025],
      high: [0.085, 0.085, 0.025],
      distanceAt: ([x, y, z]) => Math.hypot(Math.hypot(x, y) - 0.06, z) - 0.025,
    };
    const sent = structuredClone(tabulateField(solid, 0.02, 1e-5));
    const direct = tabulateAt(shape, 0.02, sent.counts[0]);
    expect(sent.counts).toEqual(direct.counts);
    expect(farthest(sent.rows, direct.rows)).toBeLessThan(1e-5);
    const obstacle = openField(sent).place({}, 5);
    expect(obstacle.start).toBe(5);
    expect(obstacle.half).toEqual(direct.half);
  });
});

describe('incline', () => {
  const slide = (part: number, friction: number): { distance: number; exact: number; overlap: number } => {
    const angle = Math.atan(part * friction);
    const batch = makeStrand(
      { id: 'hair', shape: { type: 'straight', from: [-0.1, 0, RADIUS], to: [0.1, 0, RADIUS] }, edges: 8 },
      { gravity: [9.81 * Math.sin(angle), 0, -9.81 * Math.cos(angle)] },
    );
    meetObstacles(batch, { radius: RADIUS, obstacles: [planeObstacle({ friction })] });
    const steps = 120;
    let overlap = 0;
    run(batch, steps, (_, report) => {
      overlap = Math.max(overlap, report.overlap);
    });
    const acceleration = 9.81 * (Math.sin(angle) - friction * Math.cos(angle));
    return {
      distance: batch.samples.nodePosition[3 * 4],
      exact: 0.5 * acceleration * DT * DT * steps * (steps + 1),
      overlap,
    };
  };
  test.each([0.3, 0.5])('sticks below the cone, slides above it, and does not sink in, friction %f', (friction) => {
    const stuck = slide(0.98, friction);
    expect(Math.abs(stuck.distance)).toBeLessThan(2e-5);
    expect(stuck.overlap).toBeLessThan(0.05 * RADIUS);
    const { distance, exact } = slide(1.5, friction);
    expect(Math.abs(distance / exact - 1)).toBeLessThan(0.01);
  });
});

test('a floor that moves carries a hair along', () => {
  const batch = makeStrand(
    { id: 'hair', shape: { type: 'straight', from: [-0.1, 0, RADIUS], to: [0.1, 0, RADIUS] }, edges: 8 },
    {},
  );
  const shift: Vector = [0.1 * DT, 0.05 * DT, 0.08 * DT];
  for (let k = 0; k < 60; k++) {
    const position: Vector = [shift[0] * k, shift[1] * k, shift[2] * k];
    if (k === 0)
      meetObstacles(batch, { radius: RADIUS, obstacles: [planeObstacle({ position, friction: 0.5, shift })] });
    else if (batch.strand.merged) batch.strand.merged.obstacles = [planeObstacle({ position, friction: 0.5, shift })];
    expect(stepMerged(batch, { t: k * DT, dt: DT, iterations: ITERATIONS }, options).ok).toBe(true);
  }
  const v = batch.samples.nodeVelocity;
  for (let i = 0; i < 9; i++) for (let k = 0; k < 3; k++) expect(v[3 * i + k]).toBeCloseTo(shift[k] / DT, 3);
});

describe('a hair that falls on a ball', () => {
  const create = (): BatchRod => {
    const batch = makeStrand(
      { id: 'hair', shape: { type: 'straight', from: [0, 0, 0.06], to: [0.3, 0, 0.06] }, edges: 15 },
      { pins: [{ rod: 'hair', at: 'start' }] },
    );
    meetObstacles(batch, {
      radius: RADIUS,
      obstacles: [sphereObstacle(0.05, { position: [0.02, 0, 0], friction: 0.3 })],
    });
    return batch;
  };
  test('creates no energy, takes Euler only in contact, and stays out', () => {
    const batch = create();
    const energyOf = (t: number): number => {
      const out = { kinetic: 0, bending: 0, twisting: 0, stretching: 0, potential: 0, total: 0 };
      addEnergies(out, batch, t);
      return out.kinetic + out.bending + out.twisting + out.potential;
    };
    const start = energyOf(0);
    let [last, free, pressed] = [start, 0, 0];
    let scale = 0;
    run(batch, 120, (k, report) => {
      const energy = energyOf((k + 1) * DT);
      scale = Math.max(scale, start - energy);
      if (report.pressed) expect(energy).toBeLessThan(last + 2e-3 * (scale + 1e-9));
      last = energy;
      if (report.pressed) pressed++;
      else free++;
      expect(report.overlap).toBeLessThan(RADIUS);
    });
    expect(free).toBeGreaterThan(3);
    expect(pressed).toBeGreaterThan(60);
    expect(scale).toBeGreaterThan(1e-7);
  });

  test('two runs give the same bits', () => {
    const [one, other] = [create(), create()];
    for (const batch of [one, other]) run(batch, 40, () => {});
    expect(other.samples.nodePosition).toEqual(one.samples.nodePosition);
  });
});

test('a tip that cracks like a whip, faster than its loads make it, does not fly into a ball', () => {
  const radius = 40e-6;
  const batch = makeStrand(
    { id: 'hair', shape: { type: 'straight', from: [0, 0, 0], to: [0.3, 0, 0] }, edges: 31 },
    { pins: [{ rod: 'hair', at: 'start' }] },
  );
  meetObstacles(batch, { radius, obstacles: [sphereObstacle(0.05, { position: [-0.05, 0, -0.3], friction: 0.2 })] });
  let [deepest, fastest] = [0, 0];
  run(batch, 130, (_, { overlap }) => {
    deepest = Math.max(deepest, overlap);
    fastest = Math.max(fastest, Math.abs(batch.samples.nodeVelocity[3 * 31]));
  });
  expect(fastest * DT).toBeGreaterThan(100 * radius);
  expect(deepest).toBeLessThan(3 * radius);
});

test('capstan: tension grows by exp(μ φ) over half a turn, with a ripple below 3 %', () => {
  const [bar, friction, pull] = [0.03, 0.3, 1e-3];
  const around = bar + RADIUS;
  const points: [number, number, number][] = [];
  for (let k = 0; k <= 4; k++) points.push([-around, 0, 0.006 * (k - 4)]);
  for (let k = 1; k < 16; k++) {
    const angle = Math.PI * (1 - k / 16);
    points.push([around * Math.cos(angle), 0, around * Math.sin(angle)]);
  }
  for (let k = 0; k <= 4; k++) points.push([around, 0, -0.006 * k]);
  const path = { keys: [{ time: 0 }, { time: 1, offset: [0, 0, -0.02] as const }], interpolation: 'linear' as const };
  const batch = makeStrand(
    { id: 'hair', shape: { type: 'points', points }, edges: 24, natural: 'straight' },
    {
      gravity: [0, 0, 0],
      pins: [{ rod: 'hair', at: 'start', hold: 'position', path }],
      loads: [{ rod: 'hair', type: 'force', at: 'end', force: [0, 0, -pull] }],
    },
  );
  const frame = exponential([Math.PI / 2, 0, 0]);
  meetObstacles(batch, { radius: RADIUS, obstacles: [capsuleObstacle(0.1, bar, { frame, friction })] });
  const ratios: number[] = [];
  run(batch, 60, (k, { overlap }) => {
    if (k < 30) return;
    expect(overlap).toBeLessThan(0.3 * RADIUS);
    batch.contactForce.fill(0);
    batch.strand.merged?.contacts.forEach((list, j) => {
      for (const { active, part, force } of list)
        for (let a = 0; a < 3 && active; a++) {
          batch.contactForce[3 * j + a] += (1 - part) * force[a];
          batch.contactForce[3 * j + 3 + a] += part * force[a];
        }
    });
    ratios.push(-measureReactions(batch, (k + 1) * DT)[0].force[2] / pull);
  });
  const exact = Math.exp(friction * Math.PI);
  const mean = ratios.reduce((sum, x) => sum + x) / ratios.length;
  expect(Math.abs(mean / exact - 1)).toBeLessThan(0.015);
  expect((Math.max(...ratios) - Math.min(...ratios)) / exact).toBeLessThan(0.03);
});
