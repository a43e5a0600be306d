/** The objects for three.js without a renderer: what is written for the graphics card. */
import { createWorld, type Scene as SceneSpec } from '@tendril-sim/core';
import type { BufferGeometry, PerspectiveCamera, Scene } from 'three';
import { Scene as ThreeScene, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { createHairShadow } from '../src/three/hairShadow.ts';
import { createHairObject, createRecords, createRodObject, writeSamples, writeValues } from '../src/three/index.ts';
import { blendCurves } from '../src/three/strands.ts';

const spec = (changes: Partial<SceneSpec['rods'][number]>): SceneSpec => ({
  tendril: 1,
  rods: [
    {
      id: 'rod',
      shape: { type: 'arc', from: [0, 0, 0], tangent: [1, 0, 0], normal: [0, 0, 1], radius: 1, angle: 1.2 },
      edges: 12,
      section: { type: 'ellipse', a: 0.02, b: 0.01 },
      material: { E: 1e7, nu: 0.4, density: 1000 },
      ...changes,
    },
  ],
});

/** Numbers of a record: position, value, tangent, d1. */
const at = (dynamic: Float32Array, record: number): { x: number[]; value: number; t: number[]; d: number[] } => {
  const o = 12 * record;
  const part = (from: number): number[] => Array.from(dynamic.subarray(o + from, o + from + 3));
  return { x: part(0), value: dynamic[o + 3], t: part(4), d: part(8) };
};
const dot = (a: number[], b: number[]): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

describe('records', () => {
  it('carry positions, and the tangents of the circle that the nodes lie on', () => {
    const world = createWorld(spec({}));
    const records = createRecords(world.rods);
    writeSamples(records, world.samples);
    expect(records.count).toBe(13);
    for (let i = 0; i <= 12; i++) {
      const angle = (1.2 * i) / 12;
      const { x, t, d } = at(records.dynamic, i);
      expect(x[0]).toBeCloseTo(Math.sin(angle), 3);
      // at free ends too: the curvature goes on
      expect(t[0]).toBeCloseTo(Math.cos(angle), 5);
      expect(t[2]).toBeCloseTo(Math.sin(angle), 5);
      expect(dot(t, d)).toBeCloseTo(0, 6);
      expect(dot(d, d)).toBeCloseTo(1, 6);
    }
  });

  it('have the axes of the section, and its rectangle', () => {
    const [rod] = createWorld(spec({})).rods;
    const { fixed } = createRecords([rod]);
    expect(fixed[0]).toBeCloseTo(0.02, 6);
    expect(fixed[1]).toBeCloseTo(0.01, 6);
    const flat = createWorld(spec({ section: { type: 'rectangle', width: 0.04, height: 0.01 } })).rods[0];
    const square = createRecords([{ ...flat, square: true }]).fixed;
    expect(square[0]).toBeCloseTo(0.02, 6);
    expect(square[1]).toBeCloseTo(0.005, 6);
  });

  it('close a ring, and join no rod to the next', () => {
    const ring = createWorld(spec({ shape: { type: 'ring', radius: 1 } }));
    const line = createWorld(spec({}));
    const records = createRecords([...ring.rods, ...line.rods]);
    writeSamples(records, [...ring.samples, ...line.samples]);
    expect(records.start).toEqual([0, 13, 26]);
    expect(at(records.dynamic, 12)).toEqual(at(records.dynamic, 0));
    const joined = Array.from({ length: 26 }, (_, i) => records.fixed[8 * i + 3]);
    expect(joined.flatMap((join, i) => (join === 0 ? [i] : []))).toEqual([12, 25]);
  });

  it('take values at nodes, and at edges as the mean beside a node', () => {
    const world = createWorld(spec({}));
    const records = createRecords(world.rods);
    writeValues(records, [Float64Array.from({ length: 13 }, (_, i) => i)]);
    expect(at(records.dynamic, 7).value).toBe(7);
    writeValues(records, [Float64Array.from({ length: 12 }, (_, j) => j)]);
    expect(at(records.dynamic, 7).value).toBe(6.5);
    expect(at(records.dynamic, 12).value).toBe(11);
  });
});

it('objects have a triangle mesh a segment, and let go of what they hold', () => {
  const world = createWorld(spec({}));
  const rods = createRodObject(world.rods, { sides: 6, pieces: 2 });
  const { index } = rods.object.geometry as BufferGeometry;
  expect(index?.count).toBe(12 * 2 * 6 * 2 * 3);
  rods.update(world.samples);
  expect(at(rods.records.dynamic, 12).x[0]).toBeCloseTo(Math.sin(1.2), 3);
  const hair = createHairObject(world.rods);
  hair.update(world.samples);
  // arc lengths, in radii
  const arc = (o: number): number => rods.records.dynamic[12 * o + 11];
  expect((arc(12) - arc(11)) * world.rods[0].edgeRadius[0]).toBeCloseTo(
    world.rods[0].nodeArc[12] - world.rods[0].nodeArc[11],
    3,
  );
  expect(hair.records.dynamic).toEqual(rods.records.dynamic);
  expect((hair.object.geometry as BufferGeometry).index?.count).toBe(12 * 6);
  rods.dispose();
  hair.dispose();
});

it('a part of the hairs is one from everywhere', () => {
  const world = createWorld({
    ...spec({}),
    rods: Array.from({ length: 60 }, (_, k) => ({ ...spec({}).rods[0], id: `${k}` })),
  });
  const hair = createHairObject(world.rods);
  hair.setShare(0.1);
  const geometry = hair.object.geometry as BufferGeometry;
  expect(geometry.drawRange.count).toBe(6 * 12 * 6);
  const drawn = new Set<number>();
  // 13 nodes per hair, each with two vertices
  for (let i = 0; i < geometry.drawRange.count; i++) drawn.add(Math.floor((geometry.index?.getX(i) ?? 0) / 26));
  const list = [...drawn].sort((a, b) => a - b);
  expect(list).toHaveLength(6);
  for (let k = 1; k < 6; k++) expect(list[k] - list[k - 1]).toBeLessThan(20);
  hair.setShare(1);
  expect(geometry.drawRange.count).toBe(Number.POSITIVE_INFINITY);
  hair.dispose();
});

it('more hairs are drawn than there are rods, none across a parting', () => {
  // two rows of roots: hair falls to the left of one and to the right of the other
  const shapes = Array.from({ length: 200 }, (_, k) => {
    const side = k < 100 ? -1 : 1;
    const root = [side * 0.0005, 0.001 * (k % 100), 0];
    return Float64Array.from(
      { length: 39 },
      (_, i) => root[i % 3] + (i % 3 === 0 ? side * 0.01 * Math.floor(i / 3) : 0),
    );
  });
  const table = blendCurves(
    shapes.map((nodePosition) => ({ nodePosition })),
    5000,
  );
  const used = new Set<number>();
  for (let h = 0; h < 5000; h++) {
    const [a, b, c, , ...weights] = table.subarray(8 * h, 8 * h + 7);
    expect(weights.reduce((sum, w) => sum + w)).toBeCloseTo(1, 6);
    expect(Math.min(...weights)).toBeGreaterThanOrEqual(0);
    expect(new Set([a < 100, b < 100, c < 100]).size).toBe(1);
    expect(Math.max(Math.abs(b - a), Math.abs(c - a))).toBeLessThan(8);
    if (h < 200) used.add(a);
  }
  // every rod is a hair of its own
  expect(used.size).toBe(200);
});

it('hair takes light from hair behind it, as optics says', () => {
  // a slab: 40 × 40 straight hairs along x, that the light meets from above
  const rods = Array.from({ length: 1600 }, () => ({
    closed: false,
    nodeCount: 41,
    edgeCount: 40,
    edgeRadius: new Float64Array(40).fill(5e-4),
  }));
  const samples = rods.map((_, k) => ({
    nodePosition: Float64Array.from(
      { length: 123 },
      (_, i) => [Math.floor(i / 3) / 40, (k % 40) / 39, Math.floor(k / 40) / 39][i % 3],
    ),
  }));
  const records = createRecords(rods);
  writeSamples(records, samples);
  const shadow = createHairShadow();
  const width = 1e-3;
  shadow.update(records, width / 40, new Vector3(0, 0, 1));
  const { image } = shadow.uniforms.hairDepth.value;
  /** Optical depth towards the light, the mean over a layer: cells have one or two hairs each. */
  const depthAt = (z: number): number => {
    let sum = 0;
    for (let k = 0; k < 400; k++) {
      const p = new Vector3(0.25 + 0.025 * (k % 20), 0.25 + 0.025 * Math.floor(k / 20), z);
      p.applyMatrix4(shadow.uniforms.hairGrid.value).multiplyScalar(40).floor();
      sum += (image.data as Uint8Array)[2 * (p.x + 40 * (p.y + 40 * p.z))] / 400;
    }
    return (sum / 255) * 8;
  };
  // hairs per area of the side, times their width, times the depth
  const whole = 1600 * width * 1;
  expect(depthAt(0.02) / whole).toBeCloseTo(0.95, 1);
  expect(depthAt(0.5) / whole).toBeCloseTo(0.5, 1);
  expect(depthAt(1.01) / whole).toBeLessThan(0.05);
  shadow.dispose();
});

it('runs as the page shows it', async () => {
  // the example of the README is compiled and run by test/examples; here it is looked at
  const world = createWorld({ ...spec({}), gravity: [0, 0, -9.81], pins: [{ rod: 'rod', at: 'start' }] });
  const rods = createRodObject(world.rods);
  const scene: Scene = new ThreeScene();
  scene.add(rods.object);
  const seen: number[] = [];
  const render = (_: Scene, __?: PerspectiveCamera): void => {
    seen.push(at(rods.records.dynamic, 12).x[2]);
  };
  for (let k = 0; k < 5; k++) {
    world.step(0.02);
    rods.update(world.samples);
    render(scene);
  }
  expect(seen[4]).toBeLessThan(seen[0]);
});
