/**
 * Alembic (.abc, Ogawa): strands as one curves object with the attributes that Unreal's groom importer documents, and the head as a mesh whose
 * vertices move. Points are in metres; axes are those of the scene.
 *
 * The layout follows the Alembic library: objects and properties are groups whose last child has the headers of their contents, and an array
 * sample is a 16-byte key followed by the values.
 */
import { cutBroken } from './broken.ts';
import { type Footage, frameRate, nodeRadius, uniqueNames } from './footage.ts';
import { type Obstacle, obstaclesOf, writeObstacle } from './obstacles.ts';
import { dataOf, joinBytes, type OgawaData, type OgawaGroup, writeOgawa } from './ogawa.ts';

/** Alembic's codes of plain types. */
const pods = {
  uint8: [1, 1],
  int16: [4, 2],
  int32: [6, 4],
  float32: [10, 4],
  float64: [11, 8],
  string: [12, 0],
} as const;
type Pod = keyof typeof pods;

interface Sample {
  readonly size: number;
  bytes(): ArrayBufferView;
}

interface Property {
  readonly name: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Members of a compound property. */
  readonly properties?: readonly Property[];
  readonly pod?: Pod;
  readonly extent?: number;
  readonly isScalar?: boolean;
  /** One value, or one per frame. */
  readonly samples?: readonly Sample[];
  /** Of strings: how many; other lengths follow from the size. */
  readonly count?: number;
}

interface AbcObject {
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly properties: readonly Property[];
}

/** Options of the Alembic export. */
export interface AlembicOptions {
  /** Name of the group of hair in Unreal. Default `hair`. */
  readonly group?: string;
  /** Hairs that follow the strands of the footage, which are their guides: written at rest, as in its first frame, beside the guides in motion. */
  readonly hairs?: Footage;
}

/** Exports a recording as Alembic. */
export function* exportAlembic(recording: Footage, options: AlembicOptions = {}): Generator<Uint8Array> {
  const { footage } = cutBroken(recording);
  const { frameCount } = footage;
  const rate = frameRate(footage);
  const start = footage.timeOf?.(0) ?? footage.frame(0).time;
  const source = keepPoses(footage);
  const obstacles = obstaclesOf(footage.header);
  const { group = 'hair', hairs } = options;
  const curves = hairs ? ['guides', 'strands'] : ['strands'];
  const names = uniqueNames([...curves, ...obstacles.map(({ id }) => id)], (id) => id.replace(/[^A-Za-z0-9_]+/g, '_'));
  const objects = [
    curvesObject(source, { name: names[0], group }),
    ...(hairs
      ? [curvesObject({ ...hairs, frameCount: 1 }, { name: names[1], group, firstId: footage.header.rods.length })]
      : []),
    ...obstacles.map((obstacle, k) => meshObject(source, names[curves.length + k], obstacle)),
  ];
  const text = (words: string): OgawaData => dataOf(new TextEncoder().encode(words));
  const sampling = (most: number, step: number, from: number): Uint8Array =>
    joinBytes(Uint32Array.of(most), Float64Array.of(step), Uint32Array.of(1), Float64Array.of(from));
  yield* writeOgawa({
    children: [
      dataOf(joinBytes(Int32Array.of(0))),
      dataOf(joinBytes(Int32Array.of(10803))),
      { children: [{ children: [] }, ...objects.map(objectGroup), objectHeaders(objects)] },
      text('_ai_Application=Tendril'),
      dataOf(joinBytes(sampling(1, 1, 0), sampling(frameCount, 1 / rate, start))),
      dataOf(new Uint8Array(0)),
    ],
  });
}

type Source = Footage & { pose(k: number): Pick<ReturnType<Footage['frame']>, 'time' | 'bodies'> };

/** Where bodies are is kept when a frame has been made: frames of hair are costly. */
function keepPoses(footage: Footage): Source {
  const poses = new Map<number, Pick<ReturnType<Footage['frame']>, 'time' | 'bodies'>>();
  const frame = (k: number): ReturnType<Footage['frame']> => {
    const made = footage.frame(k);
    poses.set(k, { time: made.time, bodies: made.bodies });
    return made;
  };
  return { ...footage, frame, pose: (k) => poses.get(k) ?? frame(k) };
}

const serialize = (metadata: Readonly<Record<string, string>> = {}): string =>
  Object.keys(metadata)
    .sort()
    .map((key) => `${key}=${metadata[key]}`)
    .join(';');

function objectGroup({ properties }: AbcObject): OgawaGroup {
  return { children: [compound(properties), dataOf(new Uint8Array(32))] };
}

/** Names and metadata of objects, and 32 bytes for hashes that readers ignore. */
function objectHeaders(objects: readonly AbcObject[]): OgawaData {
  const encoder = new TextEncoder();
  const parts = objects.flatMap(({ name, metadata }) => {
    const [words, more] = [encoder.encode(name), encoder.encode(serialize(metadata))];
    return [Uint32Array.of(words.length), words, Uint8Array.of(0xff), Uint32Array.of(more.length), more];
  });
  return dataOf(joinBytes(...parts, new Uint8Array(32)));
}

function compound(properties: readonly Property[]): OgawaGroup {
  if (properties.length === 0) return { children: [] };
  const headers = dataOf(joinBytes(...properties.flatMap(propertyHeader)));
  return { children: [...properties.map(propertyGroup), headers] };
}

/** Keys identify samples in caches of readers: no two are the same. */
let lastKey = 0;

function propertyGroup({ properties, samples = [], isScalar, pod, count = 0 }: Property): OgawaGroup {
  if (properties) return compound(properties);
  return {
    children: samples.flatMap((sample): OgawaData[] => {
      const key = ++lastKey;
      const data: OgawaData = {
        size: 16 + sample.size,
        bytes: () => joinBytes(Float64Array.of(key, Math.PI), sample.bytes()),
      };
      if (isScalar) return [data];
      // the dimensions follow from the size, except for strings
      return [data, dataOf(pod === 'string' ? joinBytes(BigUint64Array.of(BigInt(count))) : new Uint8Array(0))];
    }),
  };
}

/** Sizes are 32 bits wide, metadata are in the header itself. */
function propertyHeader({
  name,
  metadata,
  properties,
  pod,
  extent = 1,
  isScalar,
  samples = [],
}: Property): Uint8Array[] {
  const encoder = new TextEncoder();
  const [words, more] = [encoder.encode(name), encoder.encode(serialize(metadata))];
  const named = [Uint32Array.of(words.length), words, ...(more.length > 0 ? [Uint32Array.of(more.length), more] : [])];
  const common = (2 << 2) | ((more.length > 0 ? 0xff : 0) << 20);
  if (properties || pod === undefined) return [joinBytes(Uint32Array.of(common >>> 0), ...named)];
  const isConstant = samples.length <= 1;
  const info =
    common |
    (isScalar ? 1 : 2) |
    (pods[pod][0] << 4) |
    (isConstant ? 0x800 : 0x100) |
    // all samples have the same number of values
    0x400 |
    (extent << 12);
  const sampling = isConstant ? [] : [Uint32Array.of(1)];
  return [joinBytes(Uint32Array.of(info >>> 0), Uint32Array.of(samples.length), ...sampling, ...named)];
}

type Scope = 'con' | 'uni' | 'vtx';

/** A value of the geometry, in the form that Alembic's readers recognise. */
function geomParam(name: string, pod: Pod, scope: Scope, values: ArrayBufferView, extent = 1, count = 0): Property {
  return {
    name,
    pod,
    extent,
    count,
    metadata: {
      geoScope: scope,
      isGeomParam: 'true',
      podName: pod === 'string' ? 'string' : `${pod}_t`,
      podExtent: String(extent),
      ...(extent === 2 && { interpretation: 'vector' }),
      ...(extent === 3 && { interpretation: 'rgb' }),
    },
    samples: [{ size: values.byteLength, bytes: () => values }],
  };
}

const fixed = (values: ArrayBufferView): Sample[] => [{ size: values.byteLength, bytes: () => values }];

function bounds(boxes: readonly Float64Array[]): Property {
  return {
    name: '.selfBnds',
    pod: 'float64',
    extent: 6,
    isScalar: true,
    metadata: { interpretation: 'box' },
    samples: boxes.map((box) => ({ size: 48, bytes: () => box })),
  };
}

function boxAround(box: Float64Array, points: Float32Array): void {
  box.set([Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity]);
  for (let i = 0; i < points.length; i++) {
    box[i % 3] = Math.min(box[i % 3], points[i]);
    box[3 + (i % 3)] = Math.max(box[3 + (i % 3)], points[i]);
  }
}

/** Positions in time, and their bounding boxes, which are known once the positions have been written. */
function positions(
  frameCount: number,
  size: number,
  make: (k: number) => Float32Array,
): { readonly points: Property; readonly bounds: Property } {
  const boxes = Array.from({ length: frameCount }, () => new Float64Array(6));
  const samples = boxes.map(
    (box, k): Sample => ({
      size: 4 * size,
      bytes() {
        const points = make(k);
        boxAround(box, points);
        return points;
      },
    }),
  );
  const metadata = { geoScope: 'vtx', interpretation: 'point' };
  return { points: { name: 'P', pod: 'float32', extent: 3, metadata, samples }, bounds: bounds(boxes) };
}

/** Names of a curves object and its group, and the `groom_id` of its first strand. */
interface CurvesName {
  readonly name: string;
  readonly group: string;
  readonly firstId?: number;
}

function curvesObject(source: Footage, about: CurvesName): AbcObject {
  const { header, frameCount } = source;
  const { rods } = header;
  // curves of one object are periodic all or none: a ring ends with its first node
  const counts = Int32Array.from(rods, ({ nodeCount, closed }) => nodeCount + (closed ? 1 : 0));
  const total = counts.reduce((sum, count) => sum + count, 0);
  const { points, bounds: box } = positions(frameCount, 3 * total, (k) => {
    const out = new Float32Array(3 * total);
    let at = 0;
    source.frame(k).rods.forEach(({ nodePosition }, r) => {
      out.set(nodePosition, at);
      if (rods[r].closed) out.set(nodePosition.subarray(0, 3), at + nodePosition.length);
      at += 3 * counts[r];
    });
    return out;
  });
  const width = new Float32Array(total);
  let at = 0;
  for (const rod of rods) {
    const radii = nodeRadius(rod);
    for (const radius of radii) width[at++] = 2 * radius;
    if (rod.closed) width[at++] = 2 * radii[0];
  }
  return geomObject(about.name, 'AbcGeom_Curve_v2', [
    points,
    { name: 'nVertices', pod: 'int32', samples: fixed(counts) },
    // linear, not periodic, no basis
    { name: 'curveBasisAndType', pod: 'uint8', extent: 4, isScalar: true, samples: fixed(Uint8Array.of(1, 0, 0, 0)) },
    geomParam('width', 'float32', 'vtx', width),
    box,
    { name: '.arbGeomParams', properties: groomParams(source, width, about) },
  ]);
}

/** An object of AbcGeom. */
function geomObject(name: string, schema: string, properties: Property[]): AbcObject {
  return {
    name,
    metadata: { schema, schemaObjTitle: `${schema}:.geom` },
    properties: [{ name: '.geom', metadata: { schema }, properties }],
  };
}

/** Attributes that Unreal reads from a groom: docs "Using Alembic for Grooms". */
function groomParams({ header, groom }: Footage, width: Float32Array, { group, firstId = 0 }: CurvesName): Property[] {
  const count = header.rods.length;
  const name = new TextEncoder().encode(`${group}\0`);
  const color = groom?.color;
  return [
    geomParam('groom_version_major', 'int16', 'con', Int16Array.of(1)),
    geomParam('groom_version_minor', 'int16', 'con', Int16Array.of(5)),
    geomParam('groom_group_name', 'string', 'con', name, 1, 1),
    geomParam('groom_group_id', 'int32', 'con', Int32Array.of(0)),
    geomParam(
      'groom_id',
      'int32',
      'uni',
      Int32Array.from({ length: count }, (_, k) => firstId + k),
    ),
    geomParam('groom_guide', 'int16', 'uni', new Int16Array(count).fill(groom?.isGuides ? 1 : 0)),
    geomParam('groom_width', 'float32', 'vtx', width),
    ...(groom ? [geomParam('groom_root_uv', 'float32', 'uni', groom.rootUv, 2)] : []),
    ...(color ? [geomParam('groom_color', 'float32', 'uni', color, 3)] : []),
  ];
}

function meshObject(source: Source, name: string, obstacle: Obstacle): AbcObject {
  const { position, triangle, moves, shapeAt } = obstacle;
  const { points, bounds: box } = positions(moves || shapeAt ? source.frameCount : 1, position.length, (k) => {
    const out = new Float32Array(position.length);
    writeObstacle(out, obstacle, source.pose(k));
    return out;
  });
  // Alembic winds faces clockwise seen from outside
  const corners = Int32Array.from(triangle, (_, k) => triangle[k - (k % 3) + (2 - (k % 3))]);
  return geomObject(name, 'AbcGeom_PolyMesh_v1', [
    points,
    { name: '.faceIndices', pod: 'int32', samples: fixed(corners) },
    { name: '.faceCounts', pod: 'int32', samples: fixed(new Int32Array(triangle.length / 3).fill(3)) },
    box,
  ]);
}
