/** Hairstyles and motions: written and read bit for bit, refused when they are damaged or of another version. */
import {
  createCoordinates,
  createSurface,
  createWorld,
  fitCoordinates,
  growHairstyle,
  type Hairstyle,
  playCoordinates,
  poseGuides,
  rodsOfHairstyle,
} from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';
import {
  createFileResolver,
  decodeHairstyle,
  decodeMotion,
  encodeHairstyle,
  encodeMotionFrame,
  encodeMotionHead,
  exportUsda,
  hairFootage,
  parseScene,
  readCurves,
} from '../src/index.ts';
import { join } from './footage.ts';

/** A roof of two triangles. */
const surface = createSurface({
  position: [0, 0, 0, 0.1, 0, 0.02, 0.1, 0.1, 0.02, 0, 0.1, 0],
  triangle: [0, 1, 2, 0, 2, 3],
});
const { style } = growHairstyle(surface, {
  guides: { count: 6, spread: true },
  length: 0.08,
  hair: 'wavy',
  hairs: { count: 40, clump: 0.2 },
});
const bytes = encodeHairstyle(style, 'test');

describe('hairstyle', () => {
  it('is the same after writing and reading', () => {
    expect(decodeHairstyle(bytes, 'a.hairstyle')).toEqual(style);
    const { hairRoots, hairOptions, ...bare } = style;
    expect(hairRoots?.count).toBe(40);
    expect(hairOptions).toMatchObject({ clump: 0.2 });
    expect(decodeHairstyle(encodeHairstyle(bare, 'test'), 'a')).toEqual(bare);
    // with texture coordinates and sections, or one of them
    const numbers = (count: number): Float64Array => Float64Array.from({ length: count }, (_, k) => k % 3);
    const hairs = { ...(hairRoots as NonNullable<typeof hairRoots>), section: numbers(40) };
    const divided = { ...style, guideRoots: { ...style.guideRoots, section: numbers(6) }, hairRoots: hairs };
    expect(decodeHairstyle(encodeHairstyle(divided, 'test'), 'a')).toEqual(divided);
    const mapped = {
      ...divided,
      guideRoots: { ...divided.guideRoots, uv: numbers(12) },
      hairRoots: { ...hairs, uv: numbers(80) },
      skin: { position: numbers(9), triangle: Uint32Array.of(0, 1, 2) },
    };
    expect(decodeHairstyle(encodeHairstyle(mapped, 'test'), 'a')).toEqual(mapped);
    expect(() => encodeHairstyle({ ...mapped, hairRoots: hairs }, 'test')).toThrow('must both have uv');
  });

  it('is refused when it is of another version, cut, changed, or no hairstyle', () => {
    const changed = (at: number, value: number): Uint8Array => {
      const copy = bytes.slice();
      copy[at] = value;
      return copy;
    };
    expect(() => decodeHairstyle(changed(8, 9), 'a')).toThrow(/format version 9.*update Tendril/);
    expect(() => decodeHairstyle(bytes.subarray(0, bytes.length - 100), 'a')).toThrow(/truncated/);
    expect(() => decodeHairstyle(changed(bytes.length - 200, 1), 'a')).toThrow(/checksum/);
    expect(() => decodeHairstyle(new TextEncoder().encode('v 0 0 0'), 'a')).toThrow(/not a Tendril hairstyle/);
    const wrong = { ...style, length: style.length.map((value, k) => (k === 2 ? -value : value)) };
    expect(() => decodeHairstyle(encodeHairstyle(wrong, 'x'), 'a')).toThrow(/guide 2 of the hairstyle has no length/);
    const nan = { ...style, natural: style.natural.map(() => Number.NaN) };
    expect(() => decodeHairstyle(encodeHairstyle(nan, 'x'), 'a')).toThrow(/not a number/);
    const none = { ...style, fiber: { ...style.fiber, E: -1 } };
    expect(() => decodeHairstyle(encodeHairstyle(none, 'x'), 'a')).toThrow(/header/);
  });

  it('gives rods to a scene that names it', () => {
    const text =
      'tendril: 1\ngravity: [0, 0, -9.81]\nstrands: [{ file: a.hairstyle, id: hair, every: 2 }]\nsolver: { helix: { elements: 10 } }\n';
    const files = createFileResolver(() => bytes);
    const { scene } = parseScene(text, 'a.yaml', { files });
    expect(scene.rods.map(({ id, model }) => [id, model])).toEqual([
      ['hair-0', 'helix'],
      ['hair-2', 'helix'],
      ['hair-4', 'helix'],
    ]);
    expect(scene.pins).toHaveLength(3);
    const world = createWorld(scene);
    const { position, nodes } = poseGuides(style, world.rods[0].edgeCount / 10);
    for (let i = 0; i < 3 * nodes; i++) expect(world.samples[0].nodePosition[i]).toBeCloseTo(position[i], 4);
    const strange = text.replace('every: 2', 'edges: 15');
    expect(() => parseScene(strange, 'a.yaml', { files })).toThrow(/multiple of 10/);
    expect(() => parseScene(text.replace('every: 2', 'up: y'), 'a.yaml', { files })).toThrow(/leave this out/);
  });
});

describe('motion', () => {
  /** The world's guides, shaken, as coordinates. */
  function record(moved: Hairstyle, frames: number): { bytes: Uint8Array; worst: number; last: Float64Array[] } {
    const { rods, pins } = rodsOfHairstyle(moved, { perElement: 4 });
    const path = { keys: [{ time: 0 }, { time: 0.1, offset: [0.03, 0, 0] as const, rotation: [0, 0, 0.4] as const }] };
    const world = createWorld({
      tendril: 1,
      gravity: moved.gravity,
      rods,
      pins: pins.map((pin) => ({ ...pin, path })),
      solver: { helix: { elements: moved.elements, tolerance: 1e-7 } },
      time: { duration: 1, step: 0.005 },
    });
    const header = { version: 'test', guides: rods.length, elements: moved.elements };
    const parts = [encodeMotionHead(header)];
    const coordinates = createCoordinates(rods.length, moved.elements);
    let worst = 0;
    for (let k = 0; k < frames; k++) {
      if (k > 0) world.step(0.005);
      world.samples.forEach((sample, g) => {
        worst = Math.max(worst, fitCoordinates(coordinates, g, sample, moved.length[g], moved.elements).largest);
      });
      parts.push(encodeMotionFrame(header, { time: world.time, ...coordinates }));
    }
    return { bytes: join(parts), worst, last: world.samples.map(({ nodePosition }) => nodePosition.slice()) };
  }
  const { bytes: recorded, worst, last } = record(style, 12);

  it('is close to what was simulated, and plays back', () => {
    expect(worst).toBeLessThan(2e-4 * 0.08);
    const motion = decodeMotion(recorded, 'a.motion');
    expect(motion.frameCount).toBe(12);
    const frame = motion.frame(11);
    expect(frame.time).toBeCloseTo(0.055, 12);
    const { position, nodes } = playCoordinates(style, frame, 4);
    last.forEach((x, g) => {
      for (let i = 0; i < x.length; i++) expect(Math.abs(position[3 * nodes * g + i] - x[i])).toBeLessThan(1e-4);
    });
    // guides have moved, and hairs with them, roots in a body
    const film = hairFootage(style, 'test', { motion, nodes: 9 });
    expect(film.header.rods).toHaveLength(40);
    const [a, b] = [film.frame(0).rods[7].nodePosition, film.frame(11).rods[7].nodePosition];
    expect(b[0] - a[0]).toBeGreaterThan(0.003);
    const still = hairFootage(style, 'test', { nodes: 9 }).frame(0).rods[7].nodePosition;
    for (let i = 0; i < still.length; i++) expect(a[i]).toBeCloseTo(still[i], 3);
    const curves = readCurves(join(exportUsda(film)), 'a.usda', { frame: -1 });
    expect(curves.counts).toHaveLength(40);
    expect(curves.position[3 * 9 * 7 + 24]).toBeCloseTo(b[24], 7);
  });

  it('is refused when it is damaged or of another style', () => {
    expect(() => decodeMotion(recorded.subarray(0, recorded.length - 9), 'a')).toThrow(/truncated within frame 11/);
    const copy = recorded.slice();
    copy[copy.length - 30] ^= 1;
    expect(() => decodeMotion(copy, 'a').frame(11)).toThrow(/checksum/);
    expect(() => decodeMotion(recorded, 'a').frame(12)).toThrow(/outside/);
    expect(() => decodeMotion(bytes, 'a')).toThrow(/not a Tendril motion/);
    const other = growHairstyle(surface, { guides: { count: 5 }, length: 0.08, settle: false }).style;
    expect(() => playCoordinates(other, decodeMotion(recorded, 'a').frame(0))).toThrow(/belongs to another/);
  });
});
