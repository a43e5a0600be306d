/** PNG pictures and texture coordinates of meshes. */
import { readFileSync } from 'node:fs';
import { constants, deflateSync } from 'node:zlib';
import { Document, WebIO } from '@gltf-transform/core';
import { describe, expect, it } from 'vitest';
import { InflateError, inflate } from '../src/import/inflate.ts';
import { crc32, readMesh, readTexture } from '../src/index.ts';

function chunk(type: string, content: Uint8Array): Uint8Array {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(content.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly type: number;
  /** Rows with the number of their filter. */
  readonly rows: Uint8Array;
  readonly palette?: Uint8Array;
  readonly interlace?: number;
}

function png({ width, height, depth, type, rows, palette, interlace = 0 }: Picture): Uint8Array {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([depth, type, 0, 0, interlace], 8);
  const data = deflateSync(rows);
  return Buffer.concat([
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk('IHDR', head),
    ...(palette ? [chunk('PLTE', palette)] : []),
    // in two parts, as encoders write long data
    chunk('IDAT', data.subarray(0, 5)),
    chunk('IDAT', data.subarray(5)),
    chunk('IEND', new Uint8Array(0)),
  ]);
}

const noise = (count: number, seed: number): Uint8Array =>
  Uint8Array.from({ length: count }, (_, k) => Math.floor(256 * Math.abs(Math.sin(seed + 12.9898 * k * k))));

describe('pictures', () => {
  it('inflates what zlib deflates, at every level and with fixed codes', () => {
    const text = Buffer.from('curls and coils and '.repeat(4000));
    for (const data of [noise(70_000, 1), text, new Uint8Array(0), noise(3, 2)])
      for (const options of [
        { level: 0 },
        { level: 1 },
        { level: 9 },
        { strategy: constants.Z_FIXED },
        { strategy: constants.Z_HUFFMAN_ONLY },
      ])
        expect(Buffer.compare(inflate(deflateSync(data, options), data.length), data)).toBe(0);
    expect(() => inflate(deflateSync(text), text.length - 1)).toThrow(InflateError);
    expect(() => inflate(deflateSync(text), text.length + 1)).toThrow('expected');
    const packed = deflateSync(noise(500, 3));
    for (let k = 0; k < packed.length; k++) expect(() => inflate(packed.subarray(0, k), 500)).toThrow(InflateError);
    for (let k = 0; k < packed.length; k++)
      expect(() =>
        inflate(
          packed.map((byte, i) => (i === k ? byte ^ 0x55 : byte)),
          500,
        ),
      ).toThrow(InflateError);
  });

  it('reads grey, colour, palettes and all depths, with all filters', () => {
    const grey16 = png({ width: 1, height: 1, depth: 16, type: 0, rows: Uint8Array.of(0, 200, 17) });
    expect([...readTexture(grey16, 'a').color]).toEqual([200, 200, 200]);
    const bits = png({ width: 3, height: 2, depth: 2, type: 0, rows: Uint8Array.of(0, 0b00011011, 0, 0b11100100) });
    expect([...readTexture(bits, 'a').color].filter((_, k) => k % 3 === 0)).toEqual([0, 85, 170, 255, 170, 85]);
    const palette = Uint8Array.of(1, 2, 3, 40, 50, 60);
    const indexed = png({ width: 9, height: 1, depth: 1, type: 3, rows: Uint8Array.of(0, 0b01000000, 0x80), palette });
    const { color, width, height } = readTexture(indexed, 'a');
    expect([width, height]).toEqual([9, 1]);
    expect([...color.slice(0, 6)]).toEqual([1, 2, 3, 40, 50, 60]);
    expect([...color.slice(24)]).toEqual([40, 50, 60]);
    // filters 1 to 4 of one picture: rows as the format defines them
    const plain = noise(4 * 5 * 5, 4);
    const rows: number[] = [];
    for (let y = 0; y < 5; y++) {
      rows.push(y);
      for (let x = 0; x < 20; x++) {
        const at = (dy: number, dx: number): number => (y - dy < 0 || x < dx ? 0 : plain[20 * (y - dy) + x - dx]);
        const [left, up, corner] = [at(0, 4), at(1, 0), at(1, 4)];
        const paeth = [left, up, corner].reduce((best, one) =>
          Math.abs(left + up - corner - one) < Math.abs(left + up - corner - best) ? one : best,
        );
        const guess = [0, left, up, Math.floor((left + up) / 2), paeth][y];
        rows.push((plain[20 * y + x] - guess) & 255);
      }
    }
    const filtered = png({ width: 5, height: 5, depth: 8, type: 6, rows: Uint8Array.from(rows) });
    expect([...readTexture(filtered, 'a').color]).toEqual([...plain].filter((_, k) => k % 4 < 3));
  });

  it('says what to do about others', () => {
    const one = { width: 1, height: 1, depth: 8, type: 0, rows: Uint8Array.of(0, 9) };
    const whole = png(one);
    const read = (bytes: Uint8Array): string => {
      try {
        readTexture(bytes, 'map');
        return '';
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(read(Uint8Array.of(0xff, 0xd8, 0xff))).toContain('this is a JPEG picture; a texture must be a PNG picture');
    expect(read(Buffer.from('RIFF....WEBP'))).toContain('a WebP picture');
    expect(read(Buffer.from('v 0 0 0\n'))).toContain('no picture');
    expect(read(png({ ...one, interlace: 1 }))).toContain('save it without interlacing');
    expect(read(png({ ...one, type: 3 }))).toContain('palette does not have');
    expect(read(png({ ...one, rows: Uint8Array.of(7, 9) }))).toContain('unknown filter 7');
    expect(read(png({ ...one, width: 100_000, height: 100_000 }))).toContain('pixels');
    for (let k = 8; k < whole.length; k++) expect(read(whole.subarray(0, k))).toMatch(/truncated|no picture/);
  });
});

/** Texture coordinates of each corner of a mesh, by the place of its vertex. */
function uvByPlace(bytes: Uint8Array, name: string): string[] {
  const { position, triangle, uv } = readMesh(bytes, name, { up: 'z', unit: 1 });
  return [...triangle]
    .map((vertex, k) => `${position[3 * vertex]},${position[3 * vertex + 1]}: ${uv?.[2 * k]},${uv?.[2 * k + 1]}`)
    .sort();
}

describe('texture coordinates', () => {
  const text = (words: string): Uint8Array => new TextEncoder().encode(words);
  // a square with a seam on its diagonal would have two coordinates per corner; here one corner differs between the triangles
  const expected = ['0,0: 0,0', '0,0: 0.5,0', '0,1: 0,1', '1,0: 1,0', '1,1: 1,1', '1,1: 1,1'];

  it('are read from OBJ files, per corner', () => {
    const obj =
      'v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt 0.5 0\nf 1/1 2/2 3/3\nf 1/5/9 3/-3 4/4\n';
    expect(uvByPlace(text(obj), 'a.obj')).toEqual(expected);
    expect(readMesh(text('v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\nf 1//1 2//1 3//1\n'), 'a.obj').uv).toBeUndefined();
    const { uv, warnings } = readMesh(text('v 0 0 0\nv 1 0 0\nv 1 1 0\nvt 0.5 1\nf 1/1 2/2 3\n'), 'a.obj');
    expect([...(uv ?? [])]).toEqual([0.5, 1, 0, 0, 0, 0]);
    expect(warnings).toEqual([
      '2 corners have no texture coordinate, or one that the file does not have; they count as (0, 0)',
    ]);
  });

  const usd = (uv: string, prefix = ''): Uint8Array =>
    text(`#usda 1.0
( metersPerUnit = 1
  upAxis = "Z" )
def Mesh "a" {
  int[] faceVertexCounts = [3, 3]
  int[] faceVertexIndices = [0, 1, 2, 0, 2, 3]
  point3f[] points = [(0,0,0), (1,0,0), (1,1,0), (0,1,0)]
  ${prefix}
  ${uv}
}
`);

  it('are read from USD files, with indices and under the name of a UV map', () => {
    const faceVarying = '(interpolation = "faceVarying")';
    const plain = `texCoord2f[] primvars:st = [(0,0), (1,0), (1,1), (0.5,0), (1,1), (0,1)] ${faceVarying}`;
    expect(uvByPlace(usd(plain), 'a.usda')).toEqual(expected);
    const indexed = `texCoord2f[] primvars:UVMap = [(0,0), (1,0), (1,1), (0,1), (0.5,0)] ${faceVarying}
  int[] primvars:UVMap:indices = [0, 1, 2, 4, 2, 3]`;
    expect(uvByPlace(usd(indexed), 'a.usda')).toEqual(expected);
    // a mirrored mesh is wound the other way: coordinates stay with their vertices
    expect(uvByPlace(usd(plain, 'uniform token orientation = "leftHanded"'), 'a.usda')).toEqual(expected);
    const perVertex = 'texCoord2f[] primvars:st = [(0,0), (1,0), (1,1), (0,1)] (interpolation = "vertex")';
    expect(uvByPlace(usd(perVertex), 'a.usda')).toEqual(expected.map((one) => one.replace('0.5,0', '0,0')).sort());
    expect(() => uvByPlace(usd(indexed.replace('4, 2, 3]', '9, 2, 3]')), 'a.usda')).toThrow(
      "texture coordinate 9 of 'a' is missing or not finite",
    );
  });

  it('are read from glTF files, from the bottom up', async () => {
    const document = new Document();
    const buffer = document.createBuffer();
    const accessor = (type: 'VEC2' | 'VEC3', values: number[]) =>
      document.createAccessor().setType(type).setArray(Float32Array.from(values)).setBuffer(buffer);
    const triangle = (positions: number[], uv: number[]) =>
      document
        .createPrimitive()
        .setAttribute('POSITION', accessor('VEC3', positions))
        .setAttribute('TEXCOORD_0', accessor('VEC2', uv));
    const mesh = document
      .createMesh()
      .addPrimitive(triangle([0, 0, 0, 1, 0, 0, 1, 1, 0], [0, 1, 1, 1, 1, 0]))
      .addPrimitive(triangle([0, 0, 0, 1, 1, 0, 0, 1, 0], [0.5, 1, 1, 0, 0, 0]));
    document.createScene().addChild(document.createNode().setMesh(mesh).setScale([1, 1, -1]));
    expect(uvByPlace(await new WebIO().writeBinary(document), 'a.glb')).toEqual(expected);
  });

  it('are read from Alembic files: the same for all corners of this one, by indices', () => {
    const { uv, triangle } = readMesh(readFileSync(new URL('./library.abc', import.meta.url)), 'library.abc');
    expect(uv).toHaveLength(2 * triangle.length);
    expect(uv?.every((x, k) => x === [0.25, 0.5][k % 2])).toBe(true);
  });
});
