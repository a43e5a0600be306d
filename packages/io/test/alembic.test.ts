/** Alembic, read back by a reader of the container and of the headers as the Alembic library lays them out. */
import { createSurface, growHairstyle } from '@tendril-sim/core';
import { expect, it } from 'vitest';
import { exportAlembic } from '../src/export/alembic.ts';
import type { Footage } from '../src/export/footage.ts';
import { hairFootage } from '../src/hairFootage.ts';
import { record, swing } from './footage.ts';

interface Node {
  readonly data?: Uint8Array;
  readonly children?: readonly Node[];
}

function readOgawa(bytes: Uint8Array): Node {
  const view = new DataView(bytes.buffer);
  expect([...bytes.subarray(0, 8)]).toEqual([...'Ogawa'].map((c) => c.charCodeAt(0)).concat([0xff, 0, 1]));
  const node = (position: bigint): Node => {
    const at = Number(position & ((1n << 63n) - 1n));
    const isData = position >> 63n === 1n;
    if (at === 0) return isData ? { data: new Uint8Array(0) } : { children: [] };
    const count = Number(view.getBigUint64(at, true));
    if (isData) return { data: bytes.slice(at + 8, at + 8 + count) };
    return { children: Array.from({ length: count }, (_, k) => node(view.getBigUint64(at + 8 + 8 * k, true))) };
  };
  return node(view.getBigUint64(8, true));
}

interface Header {
  readonly name: string;
  readonly metadata: string;
  readonly info: number;
  readonly samples: number;
  readonly node: Node;
}

/** Properties of a compound by name; sizes in their headers are four bytes wide. */
function readCompound({ children = [] }: Node): Map<string, Header> {
  const data = children[children.length - 1].data as Uint8Array;
  const view = new DataView(data.buffer);
  const out = new Map<string, Header>();
  let at = 0;
  const word = (): number => {
    at += 4;
    return view.getUint32(at - 4, true);
  };
  const text = (): string => {
    const size = word();
    at += size;
    return new TextDecoder().decode(data.subarray(at - size, at));
  };
  for (let k = 0; at < data.length; k++) {
    const info = word();
    expect((info >> 2) & 3).toBe(2);
    const samples = (info & 3) > 0 ? word() : 0;
    if (info & 0x100) word();
    const name = text();
    const metadata = (info >>> 20) & 0xff ? text() : '';
    out.set(name, { name, metadata, info, samples, node: children[k] });
  }
  return out;
}

const floats = ({ node }: Header, k: number): Float32Array =>
  new Float32Array((node.children?.[2 * k].data ?? new Uint8Array(16)).slice(16).buffer);

/** The geometry of the k-th object, from 1, and the names of all. */
function readObjects(footage: Footage): { geometry(k: number): Map<string, Header>; readonly names: string } {
  const bytes = Uint8Array.from([...exportAlembic(footage)].flatMap((chunk) => [...chunk]));
  const { children: root = [] } = readOgawa(bytes);
  expect(root.map(({ data }) => data !== undefined)).toEqual([true, true, false, true, true, true]);
  const top = root[2].children ?? [];
  return {
    names: new TextDecoder().decode(top[top.length - 1].data),
    geometry: (k) => readCompound(readCompound((top[k].children ?? [])[0]).get('.geom')?.node ?? {}),
  };
}

it('holds rods of a recording, closed ones with their first node again at the end', () => {
  const recording = record(swing, 3, 0.01);
  const curves = readObjects(recording).geometry(1);
  const counts = new Int32Array((curves.get('nVertices') as Header).node.children?.[0].data?.slice(16).buffer ?? []);
  expect([...counts]).toEqual([9, 10]);
  const [rope, ring] = recording.frame(2).rods.map(({ nodePosition }) => [...Float32Array.from(nodePosition)]);
  expect([...floats(curves.get('P') as Header, 2)]).toEqual([...rope, ...ring, ...ring.slice(0, 3)]);
  const width = floats(curves.get('width') as Header, 0);
  expect(width).toHaveLength(19);
  expect(width[18]).toBeCloseTo(0.006, 7);
  expect(width[0]).toBeGreaterThan(width[8]);
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
  const { geometry, names } = readObjects(moving);
  expect(names).toMatch(/strands.*schema=AbcGeom_Curve_v2;schemaObjTitle=AbcGeom_Curve_v2:\.geom.*skin.*PolyMesh_v1/s);
  const curves = geometry(1);
  const points = curves.get('P') as Header;
  expect([points.samples, points.info & 3, (points.info >> 4) & 15, (points.info >> 12) & 255]).toEqual([2, 2, 10, 3]);
  const expected = moving.frame(1).rods.flatMap(({ nodePosition }) => [...Float32Array.from(nodePosition)]);
  expect([...floats(points, 1)]).toEqual(expected);
  const params = readCompound(curves.get('.arbGeomParams')?.node ?? {});
  expect([...params.keys()]).toEqual(
    expect.arrayContaining(['groom_guide', 'groom_root_uv', 'groom_width', 'groom_group_name', 'groom_id']),
  );
  expect(params.get('groom_root_uv')?.metadata).toContain('geoScope=uni');
  expect(floats(params.get('groom_width') as Header, 0)).toHaveLength(100);
  expect(floats(geometry(2).get('P') as Header, 1)[2]).toBe(1);
});
