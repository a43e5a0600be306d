/** Wind from .npy files: orders of the array, number types, and what is rejected. */
import { createWorld } from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';
import { createFileResolver, InputError, parseScene, sceneHash } from '../src/index.ts';

interface Array4 {
  readonly shape: readonly number[];
  readonly type?: string;
  readonly fortran?: boolean;
  readonly values: readonly number[];
}

/** As numpy.save writes it. */
function encode({ shape, type = '<f4', fortran = false, values }: Array4): Uint8Array {
  const text = `{'descr': '${type}', 'fortran_order': ${fortran ? 'True' : 'False'}, 'shape': (${shape.join(', ')},), }`;
  const head = `${text.padEnd(Math.ceil((10 + text.length + 1) / 64) * 64 - 11)}\n`;
  const out = new Uint8Array(10 + head.length + values.length * Number(type[2]));
  out.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, head.length & 255, head.length >> 8]);
  out.set(new TextEncoder().encode(head), 10);
  const view = new DataView(out.buffer);
  values.forEach((value, i) => {
    if (type[2] === '4') view.setFloat32(10 + head.length + 4 * i, value, type[0] === '<');
    else view.setFloat64(10 + head.length + 8 * i, value, type[0] === '<');
  });
  return out;
}

const sizes = [2, 3, 4];
/** A different number at every place. */
const at = (t: number, i: number, j: number, k: number, c: number): number => t * 1000 + i * 100 + j * 10 + k + c / 8;

/** Values in the order of the loops over `axes`, the last fastest. */
function list(axes: readonly ('t' | 'x' | 'y' | 'z' | 'c')[]): Pick<Array4, 'shape' | 'values'> {
  const size = { t: 2, x: sizes[0], y: sizes[1], z: sizes[2], c: 3 };
  const values: number[] = [];
  const index = { t: 0, x: 0, y: 0, z: 0, c: 0 };
  const loop = (depth: number): void => {
    if (depth === axes.length) values.push(at(index.t, index.x, index.y, index.z, index.c));
    else for (index[axes[depth]] = 0; index[axes[depth]] < size[axes[depth]]; index[axes[depth]]++) loop(depth + 1);
  };
  loop(0);
  return { shape: axes.map((axis) => size[axis]), values };
}

const text = (extra = ''): string => `tendril: 1
rods: [{ id: a, shape: { type: straight, from: [0, 0, 1], to: [1, 0, 1] }, section: { type: circle, radius: 1 mm }, material: { E: 1 GPa, nu: 0.3, density: 1000 } }]
fields:
  - type: air
    linear: [1e-3, 1e-3]
    wind: { grid: { file: wind.npy, origin: [0, 0, 0], spacing: 10 cm, outside: nearest${extra} } }
`;

const parse = (bytes: Uint8Array, extra?: string): ReturnType<typeof parseScene> =>
  parseScene(text(extra), 'a.yaml', { files: createFileResolver(() => bytes) });

interface Grid {
  readonly count: readonly number[];
  readonly values: { readonly float32?: string; readonly float64?: string };
}

function gridOf(bytes: Uint8Array, extra?: string): { count: readonly number[]; numbers: number[] } {
  const [field] = parse(bytes, extra).scene.fields ?? [];
  const { count, values } = (field as unknown as { wind: { grid: Grid } }).wind.grid;
  const packed = Buffer.from(values.float32 ?? values.float64 ?? '', 'base64');
  const bits = packed.buffer.slice(packed.byteOffset, packed.byteOffset + packed.length);
  return { count, numbers: [...(values.float32 ? new Float32Array(bits) : new Float64Array(bits))] };
}

const messageOf = (action: () => unknown): string => {
  try {
    action();
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  return '';
};

describe('wind from a file', () => {
  const wanted = list(['z', 'y', 'x', 'c']).values;
  const moving = list(['t', 'z', 'y', 'x', 'c']).values;

  it('has x fastest in the scene, whatever the order in the file', () => {
    expect(gridOf(encode(list(['x', 'y', 'z', 'c'])))).toEqual({ count: sizes, numbers: wanted });
    expect(gridOf(encode(list(['z', 'y', 'x', 'c'])), ', axes: zyx')).toEqual({ count: sizes, numbers: wanted });
    expect(gridOf(encode(list(['t', 'x', 'y', 'z', 'c'])), ', times: [0, 1]').numbers).toEqual(moving);
    const reversed = list(['c', 'z', 'y', 'x']);
    const fortran = encode({ shape: [...reversed.shape].reverse(), values: reversed.values, fortran: true });
    expect(gridOf(fortran)).toEqual({ count: sizes, numbers: wanted });
  });

  it('may be in double precision and in either byte order', () => {
    for (const type of ['<f8', '>f8', '>f4'])
      expect(gridOf(encode({ ...list(['x', 'y', 'z', 'c']), type })).numbers).toEqual(wanted);
  });

  it('is part of the scene, so that states and recordings do not depend on the file', () => {
    const { scene } = parse(encode(list(['x', 'y', 'z', 'c'])));
    const again = JSON.parse(JSON.stringify(scene));
    expect(sceneHash(again)).toBe(sceneHash(scene));
    const other = encode({ ...list(['x', 'y', 'z', 'c']), values: wanted.map((value) => value + 1) });
    expect(sceneHash(parse(other).scene)).not.toBe(sceneHash(scene));
    const positions = [scene, again].map((one) => {
      const world = createWorld(one);
      world.step(1e-3);
      return [...world.samples[0].nodePosition];
    });
    expect(positions[0]).toEqual(positions[1]);
  });

  it('says what is wrong with it', () => {
    const good = list(['x', 'y', 'z', 'c']);
    const wrong: [Uint8Array, string, RegExp][] = [
      [
        encode({ shape: [2, 3, 4], values: wanted.slice(0, 24) }),
        '',
        /its shape is \(2, 3, 4\); expected \(x, y, z, 3\) or \(frames, x, y, z, 3\)/,
      ],
      [encode({ ...good, type: '<i4' }), '', /numbers are of type '<i4'; save them as array.astype\('float32'\)/],
      [encode(good).slice(0, -4), '', /2 × 3 × 4 × 3 needs 288 bytes, and 284 follow/],
      [encode(good).slice(0, 40), '', /truncated within its header/],
      [new TextEncoder().encode('x,y,z,vx,vy,vz'), '', /not a \.npy file: save the array with numpy\.save/],
    ];
    for (const [bytes, extra, message] of wrong) expect(messageOf(() => parse(bytes, extra))).toMatch(message);
    expect(messageOf(() => parse(encode(good), ', count: [2, 3, 4]'))).toMatch(/count/);
    expect(messageOf(() => parseScene(text(), 'a.yaml'))).toMatch(/wind\.grid\.file: .*files cannot be read here/);
    const missing = createFileResolver((name) => {
      throw new InputError(name, 'no such file');
    });
    expect(messageOf(() => parseScene(text(), 'a.yaml', { files: missing }))).toMatch(
      /fields\[0\]\.wind\.grid\.file: .*no such file/,
    );
    const vdb = text().replace('wind.npy', 'smoke.vdb');
    const files = createFileResolver(() => new Uint8Array(8));
    expect(messageOf(() => parseScene(vdb, 'a.yaml', { files }))).toMatch(/read from \.npy files; docs\/scene\.md/);
    const spoilt = encode({ ...good, values: good.values.map((value, i) => (i === 7 ? Number.NaN : value)) });
    expect(messageOf(() => createWorld(parse(spoilt).scene))).toMatch(
      /component y at point \[0, 0, 2\] of frame 0 is NaN/,
    );
  });
});
