/** Binary USD read back: crates and packages against the text form, USD's compression against vectors of its documentation, damaged files. */
import { createSurface, growHairstyle } from '@tendril-sim/core';
import { expect, it } from 'vitest';
import { InputError } from '../src/errors.ts';
import type { Footage } from '../src/export/footage.ts';
import { exportUsda } from '../src/export/usda.ts';
import { exportUsdc } from '../src/export/usdc.ts';
import { hairFootage } from '../src/hairFootage.ts';
import { decompress, decompressIntegers } from '../src/import/lz4.ts';
import { readMesh, readMeshMotion } from '../src/import/mesh.ts';
import { readCurves } from '../src/import/read.ts';
import { createCrateReader } from '../src/import/usdcValues.ts';

const position = [0, 0, 0, 0.1, 0, 0, 0.1, 0.1, 0, 0, 0.1, 0];
const surface = createSurface({ position, triangle: [0, 1, 2, 0, 2, 3] });

/** Hair on a sheet that deforms, for three frames. */
function footage(): Footage {
  const { style } = growHairstyle(surface, { guides: { count: 3 }, length: 0.05, hairs: { count: 20 } });
  const mesh = { position: surface.position, triangle: surface.triangle };
  const frames = [0, 0.04, 0.08].map((time) => ({ time, position: surface.position.map((x) => x * (1 + time)) }));
  const still = hairFootage(style, 'test', {
    nodes: 5,
    skin: { mesh, frames, name: 'grow', source: 'test', warnings: [] },
  });
  return {
    ...still,
    frameCount: 3,
    timeOf: (k) => frames[k].time,
    frame: (k) => ({
      ...still.frame(0),
      time: frames[k].time,
      rods: still.frame(0).rods.map((rod) => ({ ...rod, nodePosition: rod.nodePosition.map((x) => x + 0.01 * k) })),
    }),
  };
}

const crateOf = (film: Footage): Uint8Array =>
  Uint8Array.from([...exportUsdc(film, { title: 'a test' })].flatMap((chunk) => [...chunk]));
const textOf = (film: Footage): Uint8Array =>
  new TextEncoder().encode([...exportUsda(film, { title: 'a test' })].join(''));

const furthest = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((most, x, k) => Math.max(most, Math.abs(x - b[k])), a.length === b.length ? 0 : Infinity);

/** A zip archive of one file. */
function zipOf(name: string, content: Uint8Array, method = 0): Uint8Array {
  const label = new TextEncoder().encode(name);
  const local = new DataView(new ArrayBuffer(30));
  local.setUint32(0, 0x04034b50, true);
  local.setUint16(26, label.length, true);
  // USD pads so that content begins at a multiple of 64 bytes
  const pad = (64 - ((30 + label.length) % 64)) % 64;
  local.setUint16(28, pad, true);
  const entry = new DataView(new ArrayBuffer(46));
  entry.setUint32(0, 0x02014b50, true);
  entry.setUint16(10, method, true);
  entry.setUint32(20, content.length, true);
  entry.setUint16(28, label.length, true);
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(10, 1, true);
  const parts = [new Uint8Array(local.buffer), label, new Uint8Array(pad), content];
  end.setUint32(
    16,
    parts.reduce((sum, { length }) => sum + length, 0),
    true,
  );
  return Uint8Array.from(
    [...parts, new Uint8Array(entry.buffer), label, new Uint8Array(end.buffer)].flatMap((part) => [...part]),
  );
}

it('gives the curves and the moving mesh that the text form gives', () => {
  const film = footage();
  const [crate, text] = [crateOf(film), textOf(film)];
  for (const frame of [0, 2]) {
    const curves = readCurves(crate, 'hair.usdc', { frame });
    const expected = readCurves(text, 'hair.usda', { frame });
    expect(curves.counts).toEqual(expected.counts);
    expect(curves.counts.length).toBe(20);
    // the text has seven digits
    expect(furthest(curves.position, expected.position)).toBeLessThan(1e-7);
    expect(curves.radius?.[0]).toBeCloseTo(expected.radius?.[0] ?? 0, 9);
  }
  const { mesh, motion } = readMeshMotion(crate, 'hair.usd', {});
  expect(mesh.triangle).toEqual(surface.triangle);
  expect(motion.times).toEqual([0, 0.04, 0.08]);
  expect(
    furthest(
      motion.positionsAt(0.08),
      surface.position.map((x) => 1.08 * x),
    ),
  ).toBeLessThan(1e-7);
  expect(motion.positionsAt(0.06)[3]).toBeCloseTo(0.106, 7);
});

it('opens the first layer of a package', () => {
  const film = footage();
  const expected = readCurves(crateOf(film), 'hair.usdc').position;
  expect(readCurves(zipOf('scene.usdc', crateOf(film)), 'hair.usdz').position).toEqual(expected);
  expect(readMesh(zipOf('scene.usda', textOf(film)), 'hair.usdz').triangle).toEqual(surface.triangle);
  expect(() => readCurves(zipOf('scene.usdc', crateOf(film), 8), 'a.usdz')).toThrow(/usdzip/);
  expect(() => readCurves(zipOf('color.png', crateOf(film)), 'a.usdz')).toThrow(/no \.usd/);
  expect(() => readCurves(zipOf('scene.usdc', crateOf(film)).subarray(0, 900), 'a.usdz')).toThrow(/truncated/);
});

it('rejects damaged files with a reason, and never hangs', () => {
  const whole = crateOf(footage());
  for (let cut = 0; cut < whole.length; cut += 61) {
    expect(() => readCurves(whole.subarray(0, cut), 'cut.usdc')).toThrow(InputError);
  }
  // the tables are at the end
  let rejected = 0;
  for (let at = whole.length - 1200; at < whole.length; at += 7) {
    const damaged = whole.slice();
    damaged[at] ^= 0x55;
    try {
      readCurves(damaged, 'damaged.usdc');
    } catch (error) {
      expect(error).toBeInstanceOf(InputError);
      rejected++;
    }
  }
  expect(rejected).toBeGreaterThan(20);
  const old = whole.slice();
  old[9] = 1;
  expect(() => readCurves(old, 'old.usdc')).toThrow(/version 0\.1 is not read/);
});

/** One piece of LZ4 that holds literals alone. */
const literal = (...bytes: number[]): Uint8Array => {
  const head = [0, Math.min(bytes.length, 15) << 4];
  for (let left = bytes.length - 15; left >= 0; left -= 255) head.push(Math.min(left, 255));
  return Uint8Array.from([...head, ...bytes]);
};

it('decompresses LZ4 with matches that overlap what they write, in one piece and in several', () => {
  const [a, b, c, d] = [97, 98, 99, 100];
  // three literals, nine bytes from three back, one literal
  const block = [0x35, a, b, c, 3, 0, 0x10, d];
  expect(String.fromCharCode(...decompress(Uint8Array.from([0, ...block]), 100))).toBe('abcabcabcabcd');
  const twice = Uint8Array.from([2, block.length, 0, 0, 0, 3, 0, 0, 0, ...block, 0x20, d, d]);
  expect(String.fromCharCode(...decompress(twice, 100))).toBe('abcabcabcabcddd');
  // a long match: 4 + 15 + 255 + 2
  expect(decompress(Uint8Array.from([0, 0x1f, a, 1, 0, 255, 2, 0]), 1000)).toHaveLength(1 + 276);
  expect(() => decompress(Uint8Array.from([0, 0x35, a, b, c, 4, 0]), 100)).toThrow(/not there/);
});

it('decodes integers as in the example of the documentation of USD', () => {
  // pxr/base/tf/integerCoding: 123 124 125 100125 100125 100126 100126
  const codes = [0b11000001, 0b00010001];
  const bytes = literal(1, 0, 0, 0, ...codes, 123, ...[0xa0, 0x86, 1, 0], 0, 0);
  expect([...decompressIntegers(bytes, 7)]).toEqual([123, 124, 125, 100125, 100125, 100126, 100126]);
});

it('reads values of every form', () => {
  const bytes = new Uint8Array(512);
  const view = new DataView(bytes.buffer);
  const names = { tokens: ['', 'X', 'key'], texts: Uint32Array.of(2), paths: ['/', '/Body'], version: 8 };
  const reader = createCrateReader(bytes, names);
  const value = (rep: bigint): ReturnType<typeof reader.value> => reader.value(rep);
  const word = (kind: number, payload: number, flags = 0): bigint =>
    (BigInt(flags) << 48n) | (BigInt(kind) << 48n) | BigInt(payload);
  const [array, inlined, packed] = [0x8000, 0x4000, 0xa000];
  // inlined: small whole numbers of vectors, the diagonal of a matrix, doubles as floats, signed integers, words
  expect(value(word(24, 0x00fe0201, inlined))).toEqual(Float64Array.of(1, 2, -2));
  const diagonal = value(word(15, 0x01fd0201, inlined)) as Float64Array;
  expect([0, 5, 10, 15].map((k) => diagonal[k])).toEqual([1, 2, -3, 1]);
  expect(diagonal.reduce((sum, x) => sum + Math.abs(x), 0)).toBe(7);
  expect(value(word(9, 0x3fc00000, inlined))).toBe(1.5);
  expect(value(word(3, 0xffffffff, inlined))).toBe(-1);
  expect(value(word(11, 1, inlined))).toBe('X');
  expect(value(word(10, 0, inlined))).toBe('key');
  // a quaternion: x, y, z, w in the file, w first in the text form
  [0.1, 0.2, 0.3, 0.9].forEach((x, k) => {
    view.setFloat64(8 * k, x, true);
  });
  expect(value(word(16, 0))).toEqual(Float64Array.of(0.9, 0.1, 0.2, 0.3));
  // halves: 1, −2, the smallest, infinity
  view.setBigUint64(64, 4n, true);
  [0x3c00, 0xc000, 0x0001, 0x7c00].forEach((half, k) => {
    view.setUint16(72 + 2 * k, half, true);
  });
  expect(value(word(7, 64, array))).toEqual(Float64Array.of(1, -2, 2 ** -24, Infinity));
  // 16 floats by a table of two
  view.setBigUint64(128, 16n, true);
  bytes[136] = 't'.charCodeAt(0);
  view.setUint32(137, 2, true);
  view.setFloat32(141, 0.25, true);
  view.setFloat32(145, 7, true);
  // the index is 0, then 1 fifteen times: the common difference is 0
  const indices = literal(0, 0, 0, 0, 0b0100, 0, 0, 0, 1);
  view.setBigUint64(149, BigInt(indices.length), true);
  bytes.set(indices, 157);
  expect(value(word(8, 128, packed))).toEqual(Float64Array.from({ length: 16 }, (_, k) => (k === 0 ? 0.25 : 7)));
  // a relationship that prepends one path
  bytes[256] = 0x20;
  view.setBigUint64(257, 1n, true);
  view.setUint32(265, 1, true);
  expect(reader.targets(word(34, 256))).toEqual(['/Body']);
  // samples: times, and a block among the values
  view.setBigInt64(320, 8n, true);
  view.setBigUint64(328, word(48, 368), true);
  view.setBigInt64(336, 8n, true);
  view.setBigUint64(344, 2n, true);
  view.setBigUint64(352, word(51, 0, inlined), true);
  view.setBigUint64(360, word(8, 0x40000000, inlined), true);
  view.setBigUint64(368, 2n, true);
  view.setFloat64(376, 1, true);
  view.setFloat64(384, 5, true);
  expect(reader.samples(word(46, 320))).toEqual([
    [1, undefined],
    [5, 2],
  ]);
});
