/** Alembic: what we write, read back, and archives laid out as the Alembic library does where it differs from ours. */
import { readFileSync } from 'node:fs';
import { createSurface, growHairstyle } from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';
import { InputError } from '../src/errors.ts';
import { exportAlembic } from '../src/export/alembic.ts';
import type { Footage } from '../src/export/footage.ts';
import { dataOf, joinBytes, type OgawaData, type OgawaGroup, writeOgawa } from '../src/export/ogawa.ts';
import { hairFootage } from '../src/hairFootage.ts';
import { type AbcProperty, readAlembic } from '../src/import/abcContainer.ts';
import { readMesh, readMeshMotion } from '../src/import/mesh.ts';
import type { TriangleMesh } from '../src/import/meshFile.ts';
import { readCurves } from '../src/import/read.ts';
import { record, swing } from './footage.ts';

const bytesOf = (chunks: Iterable<Uint8Array>): Uint8Array => joinBytes(...chunks);

/** Properties of the geometry of each object, by the name of the object. */
function readObjects(footage: Footage): ReadonlyMap<string, ReadonlyMap<string, AbcProperty>> {
  const { top } = readAlembic(bytesOf(exportAlembic(footage)), 'out.abc');
  return new Map(top.children.map(({ name, properties }) => [name, properties.get('.geom')?.properties ?? new Map()]));
}

const floats = (property: AbcProperty | undefined, sample = 0): number[] => [...(property?.numbers(sample) ?? [])];

it('holds rods of a recording, closed ones with their first node again at the end', () => {
  const recording = record(swing, 3, 0.01);
  const curves = readObjects(recording).get('strands');
  expect(floats(curves?.get('nVertices'))).toEqual([9, 10]);
  const [rope, ring] = recording.frame(2).rods.map(({ nodePosition }) => [...Float32Array.from(nodePosition)]);
  expect(floats(curves?.get('P'), 2)).toEqual([...rope, ...ring, ...ring.slice(0, 3)]);
  const width = floats(curves?.get('width'));
  expect(width).toHaveLength(19);
  expect(width[18]).toBeCloseTo(0.006, 7);
  expect(width[0]).toBeGreaterThan(width[8]);
  // the same file as curves: positions and widths come back, z is up because Tendril wrote it
  const again = readCurves(bytesOf(exportAlembic(recording)), 'out.abc', { frame: -1 });
  expect([...again.counts]).toEqual([9, 10]);
  expect([...again.position.subarray(0, 27)]).toEqual(rope);
  expect(again.radius?.[0]).toBeCloseTo(width[0] / 2, 9);
});

it('holds guides in motion beside their hairs at rest', () => {
  const surface = createSurface({
    position: [0, 0, 0, 0.1, 0, 0, 0.1, 0.1, 0, 0, 0.1, 0],
    triangle: [0, 1, 2, 0, 2, 3],
  });
  const { style } = growHairstyle(surface, { guides: { count: 3 }, length: 0.05, hairs: { count: 20 } });
  const [hairs, still] = [false, true].map((guides) => hairFootage(style, 'test', { nodes: 5, guides }));
  const guides: Footage = {
    ...still,
    frameCount: 4,
    timeOf: (k) => k / 24,
    frame: (k) => ({
      ...still.frame(0),
      time: k / 24,
      rods: still.frame(0).rods.map((rod) => ({ ...rod, nodePosition: rod.nodePosition.map((x) => x + k) })),
    }),
  };
  const { top } = readAlembic(bytesOf(exportAlembic(guides, { hairs })), 'out.abc');
  const of = (name: string): ReadonlyMap<string, AbcProperty> =>
    top.children.find((child) => child.name === name)?.properties.get('.geom')?.properties ?? new Map();
  const param = (name: string, key: string): number[] => floats(of(name).get('.arbGeomParams')?.properties?.get(key));
  expect([of('guides').get('P')?.sampleCount, of('strands').get('P')?.sampleCount]).toEqual([4, 1]);
  expect(param('guides', 'groom_guide')).toEqual([1, 1, 1]);
  expect(param('strands', 'groom_guide')).toEqual(new Array(20).fill(0));
  // ids are unique in the file
  expect([...param('guides', 'groom_id'), ...param('strands', 'groom_id')]).toEqual(
    Array.from({ length: 23 }, (_, k) => k),
  );
  expect(floats(of('guides').get('P'), 3)[0]).toBeCloseTo(still.frame(0).rods[0].nodePosition[0] + 3, 5);
  expect(floats(of('strands').get('P'))).toEqual(
    hairs.frame(0).rods.flatMap(({ nodePosition }) => [...Float32Array.from(nodePosition)]),
  );
});

it('holds curves in time with the attributes of a groom, and the head', () => {
  const position = [0, 0, 0, 0.1, 0, 0, 0.1, 0.1, 0, 0, 0.1, 0];
  const surface = createSurface({ position, triangle: [0, 1, 2, 0, 2, 3] });
  const { style } = growHairstyle(surface, { guides: { count: 3 }, length: 0.05, hairs: { count: 20 } });
  const still = hairFootage({ ...style, skin: { position: surface.position, triangle: surface.triangle } }, 'test', {
    nodes: 5,
  });
  const moving: Footage = {
    ...still,
    frameCount: 2,
    timeOf: (k) => k / 24,
    frame: (k) => ({
      ...still.frame(0),
      time: k / 24,
      bodies: [{ position: [0, 0, k], orientation: [1, 0, 0, 0] }],
      rods: still.frame(0).rods.map((rod) => ({ ...rod, nodePosition: rod.nodePosition.map((x) => x + k) })),
    }),
  };
  const objects = readObjects(moving);
  expect([...objects.keys()]).toEqual(['strands', 'skin']);
  const points = objects.get('strands')?.get('P');
  expect([points?.sampleCount, points?.extent, points?.timeOf(1)]).toEqual([2, 3, expect.closeTo(1 / 24, 9)]);
  expect(floats(points, 1)).toEqual(
    moving.frame(1).rods.flatMap(({ nodePosition }) => [...Float32Array.from(nodePosition)]),
  );
  const params = objects.get('strands')?.get('.arbGeomParams')?.properties;
  expect([...(params?.keys() ?? [])]).toEqual(
    expect.arrayContaining(['groom_guide', 'groom_root_uv', 'groom_width', 'groom_group_name', 'groom_id']),
  );
  expect(floats(params?.get('groom_width'))).toHaveLength(100);
  expect(floats(objects.get('skin')?.get('P'), 1)[2]).toBe(1);
  // the head comes back as an animated mesh, with its faces the same way round
  const { mesh, motion } = readMeshMotion(bytesOf(exportAlembic(moving)), 'out.abc', {});
  const turned = Array.from({ length: 2 }, (_, f) => [1, 2, 0].map((k) => mesh.triangle[3 * f + k]));
  expect(still.header.scene.colliders?.[0]).toMatchObject({ faces: turned });
  expect(motion.times.map((time) => Math.round(24 * time))).toEqual([0, 1]);
  expect(motion.positionsAt(0.5 / 24)[2]).toBeCloseTo(0.5, 6);
});

describe('a file written by Alembic 1.8.9', () => {
  // by its C++ library (Debian: libalembic-graphics-dev): a box whose width grows, below a transform that rises by 0.1 and turns by 10° per sample;
  // curves of all kinds; a hidden subdivision surface below a transform that does not inherit; an instance
  const bytes = Uint8Array.from(readFileSync(new URL('./library.abc', import.meta.url)));

  it('is read as the library means it: transforms, times, winding, what is hidden', () => {
    const { mesh, motion, warnings } = readMeshMotion(bytes, 'library.abc', { up: 'z' });
    expect(mesh.position).toHaveLength(3 * 8);
    expect(mesh.triangle).toHaveLength(3 * 12);
    expect(warnings).toEqual(['1 instanced objects were omitted; export them as copies']);
    expect(volume(mesh)).toBeCloseTo(16, 12);
    // the box has samples at 0, 0.1, 0.25 and 0.3 s, the transform at 1/24 s and every 1/24 s after it
    const [x, z, turn] = [1.1 + 0.1 * (0.025 / 0.15), 2, Math.PI / 9];
    const corner = [-x * Math.cos(turn) - z * Math.sin(turn), -1 + 0.2, x * Math.sin(turn) - z * Math.cos(turn)];
    expect([...motion.positionsAt(0.125).subarray(0, 3)]).toEqual(corner.map((v) => expect.closeTo(v, 6)));
    expect(motion.times[0]).toBe(0);
    expect(motion.times[motion.times.length - 1]).toBeCloseTo(0.5, 12);
  });

  it('has its curves: B-splines, closed polylines, one width for all, none', () => {
    const curves = readCurves(bytes, 'library.abc', { up: 'z' });
    expect([...curves.counts]).toEqual([3, 5, 5, 7, 4, 7]);
    expect([...curves.closed]).toEqual([0, 0, 1, 1, 0, 0]);
    // B-spline (P0 + 4 P1 + P2)/6 of points (i, i²/10)
    expect([...curves.position.subarray(0, 3)]).toEqual([1, 0.1 + 0.2 / 6, 0].map((v) => expect.closeTo(v, 6)));
    expect([0, 8, 20].map((k) => curves.radius?.[k])).toEqual([
      expect.closeTo(0.01, 8),
      expect.closeTo(0.25, 8),
      // no width: the mean of all that have one
      expect.closeTo((8 * 0.01 + 12 * 0.25) / 20, 8),
    ]);
    expect(curves.warnings.join()).toMatch(/11 of 31 points have no width/);
  });
});

function volume({ position: p, triangle }: TriangleMesh): number {
  let sum = 0;
  for (let f = 0; f < triangle.length; f += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => p.subarray(3 * triangle[f + k], 3 * triangle[f + k] + 3));
    sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return sum / 6;
}

describe('an archive as the Alembic library lays it out', () => {
  const text = (words: string): Uint8Array => new TextEncoder().encode(words);
  const key = new Uint8Array(16);
  const sample = (values: ArrayBufferView): OgawaData => dataOf(joinBytes(key, values));
  /** Headers with sizes of one byte: pod, extent, samples, then `more` (changes, sampling). */
  const header = (name: string, info: number, ...more: number[]): Uint8Array =>
    joinBytes(Uint32Array.of(info), Uint8Array.from(more), Uint8Array.of(name.length), text(name));
  const scalar = (pod: number, extent: number): number => 1 | (pod << 4) | 0x400 | (extent << 12);
  const array = (pod: number, extent: number): number => 2 | (pod << 4) | 0x400 | (extent << 12);
  const constant = 0x800;
  const compound = (headers: Uint8Array[], parts: (OgawaGroup | OgawaData)[]): OgawaGroup => ({
    children: [...parts, dataOf(joinBytes(...headers))],
  });
  const none = dataOf(new Uint8Array(0));

  /** A square below a transform that moves along x and turns about z; its metadata are in the list of the archive. */
  const archive = (): OgawaGroup => {
    const square = Float32Array.of(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0);
    const raised = Float32Array.of(0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1);
    const geometry = compound(
      [
        // five samples at times of sampling 1, of which only 2 and 3 differ from those before them
        header('P', array(10, 3) | 0x300, 5, 2, 3, 1),
        header('.faceIndices', array(6, 1) | constant, 1),
        header('.faceCounts', array(6, 1) | constant, 1),
      ],
      [
        { children: [sample(square), none, sample(raised), none, sample(square), none] },
        { children: [sample(Int32Array.of(0, 3, 2, 1)), none] },
        { children: [sample(Int32Array.of(4)), none] },
      ],
    );
    const xform = compound(
      [
        header('.inherits', scalar(0, 1) | constant, 1),
        header('.ops', scalar(1, 2) | constant, 1),
        header('.vals', scalar(11, 4) | 0x100, 2, 1),
      ],
      [
        { children: [sample(Uint8Array.of(1))] },
        { children: [sample(Uint8Array.of(0x10, 0x60))] },
        { children: [sample(Float64Array.of(2, 0, 0, 0)), sample(Float64Array.of(4, 0, 0, 90))] },
      ],
    );
    const hashes = new Uint8Array(32);
    const objects = (name: string, index: number): OgawaData =>
      dataOf(joinBytes(Uint32Array.of(name.length), text(name), Uint8Array.of(index), hashes));
    const mesh = { children: [compound([header('.geom', 0)], [geometry]), dataOf(hashes)] };
    const turning = { children: [compound([header('.xform', 0)], [xform]), mesh, objects('square', 2)] };
    const indexed = ['schema=AbcGeom_Xform_v3', 'schema=AbcGeom_PolyMesh_v1'].flatMap((words) => [
      Uint8Array.of(words.length),
      text(words),
    ]);
    const sampling = (step: number, ...times: number[]): Uint8Array =>
      joinBytes(Uint32Array.of(9), Float64Array.of(step), Uint32Array.of(times.length), Float64Array.from(times));
    return {
      children: [
        dataOf(joinBytes(Int32Array.of(0))),
        dataOf(joinBytes(Int32Array.of(10803))),
        { children: [{ children: [] }, turning, objects('turning', 1)] },
        dataOf(text('_ai_Application=Other')),
        dataOf(joinBytes(sampling(1, 0), sampling(1, 0, 0.25))),
        dataOf(joinBytes(...indexed)),
      ],
    };
  };

  it('is read with short headers, shared metadata, cyclic times, samples that repeat, and transforms', () => {
    const bytes = bytesOf(writeOgawa(archive()));
    const { mesh, motion } = readMeshMotion(bytes, 'square.abc', { up: 'z' });
    // anticlockwise from outside
    expect([...mesh.triangle]).toEqual([0, 2, 3, 0, 1, 2]);
    expect(motion.times).toEqual([0, 0.25, 1, 1.25]);
    const corner = (time: number): number[] => [...motion.positionsAt(time).subarray(3, 6)];
    expect(corner(0)).toEqual([3, 0, 0]);
    // half way: translated by 3, turned by 45°
    const at = corner(0.125);
    expect(at).toEqual([3 + Math.SQRT1_2, Math.SQRT1_2, 0].map((x) => expect.closeTo(x, 12)));
    expect(corner(0.25)[2]).toBe(0);
    expect(corner(1)[2]).toBe(1);
    expect(corner(1.125)[2]).toBeCloseTo(0.5, 12);
    expect(corner(9)[2]).toBe(0);
    // y is up unless the caller knows better
    const upright = [...readMesh(bytes, 'square.abc').position.subarray(6, 9)];
    expect(upright).toEqual([3, 0, 1].map((x) => expect.closeTo(x, 12)));
  });

  it('is refused with a remedy where it is damaged, at whatever byte', () => {
    const bytes = bytesOf(writeOgawa(archive()));
    expect(() => readMesh(bytes.subarray(0, 300), 'cut.abc')).toThrow(
      /truncated or damaged: it has 300 bytes and refers to byte .* export it again/,
    );
    expect(() => readMesh(Uint8Array.of(0x89, 0x48, 0x44, 0x46, 0, 0), 'old.abc')).toThrow(/abcconvert/);
    const unfinished = bytes.slice();
    unfinished[5] = 0;
    expect(() => readMesh(unfinished, 'cut.abc')).toThrow(/did not finish/);
    for (let k = 8; k < bytes.length; k += 3) {
      const wrong = bytes.slice();
      wrong[k] ^= 0xff;
      try {
        readMesh(wrong, 'wrong.abc');
      } catch (error) {
        expect(error).toBeInstanceOf(InputError);
      }
    }
  });
});
