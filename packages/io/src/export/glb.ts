/**
 * glTF 2.0 in one binary file (.glb), animated.
 *
 * glTF has no curves, so a rod is a tube of triangles (or, on request and for many rods, line segments), and no vertex animation except morph targets: the
 * first frame is the mesh, every further frame a target with displacements, and the weights move from one target to the next. Playback interpolates
 * positions linearly between frames, as in the other formats. A skin with one bone per node would be smaller, but hundreds of bones per rod make Blender's
 * outliner useless, and thousands of strands do not open at all.
 *
 * The file begins with JSON that has the bounds of every array, so geometry is computed twice, one frame at a time, and never stored: first for the bounds,
 * then for the bytes. Targets are limited to 255, which WebGL 2 guarantees.
 *
 * glTF is in metres with y up; the root node rotates scenes with z up.
 */
import { hypotOf } from '@tendril-sim/core/math';
import { putF32 } from '../bytes.ts';
import type { RecordedRod, RecordingFrame } from '../recording.ts';
import { cutBroken } from './broken.ts';
import { type Footage, groupColor, groupRods, pickFrames, upAxisOf } from './footage.ts';
import { type BinaryLayout, createBinaryLayout } from './glbLayout.ts';
import { type Obstacle, obstaclesOf } from './obstacles.ts';
import { ballMesh, type Look, layMesh, type MeshLayout, placeMesh } from './tube.ts';

/** Look of exported rods. */
export interface GlbOptions {
  /** Tubes, or lines without thickness. Default: tubes, or lines where tubes would make a file beyond `tubeBudget`. */
  readonly look?: Look;
}

/** The pieces of a .glb file, and warnings. */
export interface GlbExport {
  /** How the rods are drawn. */
  readonly look: Look;
  /** How many of the frames are in the file; the rest is left out evenly. */
  readonly frameCount: number;
  /** Size of the file [bytes]. */
  readonly byteLength: number;
  /** Yields the bytes of the file in order. */
  chunks(): Generator<Uint8Array>;
}

/** Size up to which tubes are the default [bytes]. */
const tubeBudget = 256e6;
const frameLimit = 256;
/** Lengths are 32-bit numbers. */
const sizeLimit = 2 ** 32 - 1;

interface Mesh {
  readonly name: string;
  readonly members: readonly number[];
  readonly rods: readonly RecordedRod[];
  readonly layout: MeshLayout;
  readonly color: readonly number[];
}

/** Exports a recording as animated glTF. */
export function exportGlb(recording: Footage, options: GlbOptions = {}): GlbExport {
  const { footage } = cutBroken(recording);
  if (footage.frameCount === 0) throw new RangeError('the recording has no frame to export');
  const film = thin(footage);
  const { header, frameCount } = film;
  const sizeOf = (look: Look): number => {
    const meshes = groupRods(header).map(
      ({ rods }) =>
        layMesh(
          rods.map((k) => header.rods[k]),
          look,
        ).vertexCount,
    );
    const vertices = meshes.reduce((sum, count) => sum + count, 0);
    return vertices * frameCount * (look === 'tubes' ? 24 : 12);
  };
  const look = options.look ?? (sizeOf('tubes') > tubeBudget ? 'lines' : 'tubes');
  if (sizeOf(look) > 0.9 * sizeLimit) {
    throw new RangeError(
      `the file would have ${(sizeOf(look) / 1e9).toFixed(1)} GB, and a .glb may have 4.2; export fewer rods or frames, or to usda`,
    );
  }
  const meshes = groupRods(header).map(({ name, rods }, k): Mesh => {
    const members = rods.map((index) => header.rods[index]);
    return { name, members: rods, rods: members, layout: layMesh(members, look), color: groupColor(film, k) };
  });
  const { json, binaryLength } = describe(film, meshes, look);
  const byteLength = 12 + 8 + json.length + 8 + binaryLength;
  return { look, frameCount, byteLength, chunks: () => writeGlb(film, meshes, look, json, binaryLength, byteLength) };
}

function thin(footage: Footage): Footage {
  const { frameCount } = footage;
  if (frameCount <= frameLimit) return footage;
  return pickFrames(
    footage,
    Array.from({ length: frameLimit }, (_, k) => Math.round((k * (frameCount - 1)) / (frameLimit - 1))),
  );
}

/** The arrays of each frame: the mesh itself first, then displacements from it. The next frame overwrites them. */
function* targetsOf(
  film: Footage,
  { members, rods, layout }: Mesh,
  look: Look,
): Generator<{ readonly position: Float32Array; readonly normal?: Float32Array }> {
  const make = (): Float32Array => new Float32Array(3 * layout.vertexCount);
  const base = { position: make(), normal: look === 'tubes' ? make() : undefined };
  const moved = { position: make(), normal: look === 'tubes' ? make() : undefined };
  for (let k = 0; k < film.frameCount; k++) {
    const frame = film.frame(k);
    const target = k === 0 ? base : moved;
    placeMesh(
      target.position,
      target.normal,
      rods,
      members.map((index) => frame.rods[index]),
    );
    if (k > 0) {
      for (let i = 0; i < moved.position.length; i++) moved.position[i] -= base.position[i];
      if (moved.normal && base.normal) for (let i = 0; i < moved.normal.length; i++) moved.normal[i] -= base.normal[i];
    }
    yield target;
  }
}

/** Vertices of an obstacle in the first frame, then, if it deforms, their displacements in every other frame. */
function* shapesOf(film: Footage, { position, shapeAt }: Obstacle): Generator<Float32Array> {
  const base = Float32Array.from(shapeAt?.(film.frame(0).time) ?? position);
  yield base;
  if (!shapeAt) return;
  for (let k = 1; k < film.frameCount; k++)
    yield Float32Array.from(shapeAt(film.frame(k).time), (value, i) => value - base[i]);
}

/** Meshes of rods and of obstacles that deform, with a morph target per frame; of bodies and other obstacles, one each. */
function describeMeshes(layout: BinaryLayout, film: Footage, meshes: readonly Mesh[], look: Look): object[] {
  const { header, frameCount } = film;
  const animated = frameCount > 1;
  const rods = meshes.map((mesh, m) => {
    const indices = layout.indices(mesh.layout.indices);
    const targets: object[] = [];
    for (const { position, normal } of targetsOf(film, mesh, look))
      targets.push({
        POSITION: layout.vectors(position, { bounds: true }),
        ...(normal && { NORMAL: layout.vectors(normal, { bounds: false }) }),
      });
    const primitive = { indices, attributes: targets[0], ...(animated && { targets: targets.slice(1) }) };
    return {
      name: mesh.name,
      primitives: [{ ...primitive, mode: look === 'tubes' ? 4 : 1, material: m }],
      ...(animated && { weights: new Array(frameCount - 1).fill(0) }),
    };
  });
  const bodies = drawnBodies(header).length > 0 ? [describeBall(layout, meshes.length)] : [];
  const obstacles = obstaclesOf(header).map((obstacle) => {
    const indices = layout.indices(obstacle.triangle);
    // without normals a viewer shades every triangle flat
    const shapes: object[] = [];
    for (const shape of shapesOf(film, obstacle)) shapes.push({ POSITION: layout.vectors(shape, { bounds: true }) });
    const [attributes, ...targets] = shapes;
    const material = meshes.length + bodies.length;
    return {
      name: obstacle.id,
      primitives: [{ indices, attributes, material, ...(targets.length > 0 && { targets }) }],
      ...(targets.length > 0 && { weights: new Array(targets.length).fill(0) }),
    };
  });
  return [...rods, ...bodies, ...obstacles];
}

function describeBall(layout: BinaryLayout, materialIndex: number): object {
  const ball = ballMesh();
  const indices = layout.indices(ball.indices);
  const position = layout.vectors(ball.position, { bounds: true });
  // a unit ball is its own normal
  const attributes = { POSITION: position, NORMAL: position };
  return { name: 'body', primitives: [{ indices, attributes, material: materialIndex }] };
}

/** The morph weights over the frames, and the motion of bodies and moving obstacles. */
function describeAnimation(layout: BinaryLayout, film: Footage, meshes: readonly Mesh[]): object {
  const { header, frameCount } = film;
  const [start, end] = [film.frame(0).time, film.frame(frameCount - 1).time];
  const times = layout.floats(frameCount, 'SCALAR', { min: [0], max: [Math.fround(end - start)] });
  const weights = layout.floats(frameCount * (frameCount - 1), 'SCALAR');
  const samplers: object[] = [{ input: times, output: weights, interpolation: 'LINEAR' }];
  const channels: object[] = meshes.map((_, m) => ({ sampler: 0, target: { node: 1 + m, path: 'weights' } }));
  const move = (node: number): void => {
    for (const [path, type] of [
      ['translation', 'VEC3'],
      ['rotation', 'VEC4'],
    ] as const) {
      samplers.push({ input: times, output: layout.floats(frameCount, type), interpolation: 'LINEAR' });
      channels.push({ sampler: samplers.length - 1, target: { node, path } });
    }
  };
  const bodies = drawnBodies(header);
  bodies.forEach((_, b) => {
    move(1 + meshes.length + b);
  });
  obstaclesOf(header).forEach(({ moves, shapeAt }, k) => {
    const node = 1 + meshes.length + 2 * bodies.length + k;
    if (shapeAt) channels.push({ sampler: 0, target: { node, path: 'weights' } });
    if (moves) move(node);
  });
  return { name: 'simulation', samplers, channels };
}

/** The JSON that describes the binary part, and the length of that part. Both follow the order in `writeGlb`. */
function describe(film: Footage, meshes: readonly Mesh[], look: Look): { json: Uint8Array; binaryLength: number } {
  const { header } = film;
  const layout = createBinaryLayout();
  const bodies = drawnBodies(header);
  const obstacles = obstaclesOf(header);
  const described = describeMeshes(layout, film, meshes, look);
  const animation = film.frameCount > 1 ? describeAnimation(layout, film, meshes) : undefined;
  const document = {
    asset: { version: '2.0', generator: `Tendril ${header.version}` },
    scene: 0,
    scenes: [{ name: header.scene.title ?? 'Tendril', nodes: [0] }],
    nodes: nodesOf(film, meshes, bodies, obstacles),
    meshes: described,
    materials: [
      ...meshes.map(({ name, color }) => material(name, color)),
      ...(bodies.length > 0 ? [material('body', [0.35, 0.37, 0.4])] : []),
      ...(obstacles.length > 0 ? [{ ...material('obstacle', [0.6, 0.6, 0.58]), doubleSided: true }] : []),
    ],
    ...(animation && { animations: [animation] }),
    accessors: layout.accessors,
    bufferViews: layout.bufferViews,
    buffers: [{ byteLength: layout.length() }],
  };
  const text = JSON.stringify(document);
  const length = Math.ceil(new TextEncoder().encode(text).length / 4) * 4;
  const json = new Uint8Array(length).fill(0x20);
  json.set(new TextEncoder().encode(text));
  return { json, binaryLength: layout.length() };
}

function material(name: string, color: readonly number[]): object {
  return {
    name,
    doubleSided: false,
    pbrMetallicRoughness: { baseColorFactor: [...color, 1], metallicFactor: 0, roughnessFactor: 0.45 },
  };
}

interface DrawnBody {
  readonly index: number;
  readonly id: string;
  readonly scale: readonly number[];
}

/** Bodies as balls, stretched to the extents of their solid. */
function drawnBodies(header: Footage['header']): DrawnBody[] {
  return (header.bodies ?? []).flatMap(({ id, radius }, index) => {
    if (!(radius > 0)) return [];
    const solid = header.scene.bodies?.find((spec) => spec.id === id)?.solid;
    const scale =
      solid?.type === 'box'
        ? solid.size.map((length) => length / 2)
        : solid?.type === 'cylinder'
          ? [solid.radius, solid.radius, solid.height / 2]
          : [radius, radius, radius];
    return [{ index, id, scale }];
  });
}

function nodesOf(
  film: Footage,
  meshes: readonly Mesh[],
  bodies: readonly DrawnBody[],
  obstacles: readonly Obstacle[],
): object[] {
  const firstShape = meshes.length + (bodies.length > 0 ? 1 : 0);
  const poses = film.frame(0).bodies ?? [];
  const half = Math.SQRT1_2;
  return [
    {
      name: 'tendril',
      ...(upAxisOf(film.header.scene) === 'Z' && { rotation: [-half, 0, 0, half] }),
      children: [
        ...[...meshes, ...bodies].map((_, k) => 1 + k),
        ...obstacles.map((_, k) => 1 + meshes.length + 2 * bodies.length + k),
      ],
    },
    ...meshes.map(({ name }, m) => ({ name, mesh: m })),
    ...bodies.map(({ id, index }, b) => ({
      name: id,
      translation: Array.from(poses[index].position),
      rotation: turned(poses[index].orientation),
      children: [1 + meshes.length + bodies.length + b],
    })),
    ...bodies.map(({ id, scale }) => ({ name: `${id} shape`, mesh: meshes.length, scale })),
    ...obstacles.map((obstacle, k) => {
      const { translation, rotation } = placeOf(obstacle, film.frame(0));
      return { name: obstacle.id, mesh: firstShape + k, translation, rotation };
    }),
  ];
}

const place = new Float64Array(12);

/** Pose of an obstacle for glTF: the quaternion x y z w of its axes. */
function placeOf(obstacle: Obstacle, frame: RecordingFrame): { translation: number[]; rotation: number[] } {
  obstacle.place(place, frame);
  const [xx, yx, zx, xy, yy, zy, xz, yz, zz, ...translation] = place;
  // the largest of the four components first: the others follow by division
  const squares = [1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz, 1 + xx + yy + zz];
  const k = squares.indexOf(Math.max(...squares));
  const rows = [
    [squares[0], xy + yx, xz + zx, zy - yz],
    [xy + yx, squares[1], yz + zy, xz - zx],
    [xz + zx, yz + zy, squares[2], yx - xy],
    [zy - yz, xz - zx, yx - xy, squares[3]],
  ];
  const size = hypotOf(rows[k]);
  return { translation, rotation: rows[k].map((value) => value / size) };
}

/** w x y z → x y z w */
function turned(q: ArrayLike<number>): number[] {
  return [q[1], q[2], q[3], q[0]];
}

function* writeGlb(
  film: Footage,
  meshes: readonly Mesh[],
  look: Look,
  json: Uint8Array,
  binaryLength: number,
  byteLength: number,
): Generator<Uint8Array> {
  const words = (...values: number[]): Uint8Array => bytesOf(Uint32Array.from(values));
  yield words(0x46546c67, 2, byteLength, json.length, 0x4e4f534a);
  yield json;
  yield words(binaryLength, 0x004e4942);
  for (const mesh of meshes) {
    yield bytesOf(mesh.layout.indices);
    for (const { position, normal } of targetsOf(film, mesh, look)) {
      yield bytesOf(position).slice();
      if (normal) yield bytesOf(normal).slice();
    }
  }
  const { frameCount } = film;
  const bodies = drawnBodies(film.header);
  if (bodies.length > 0) {
    const { indices, position } = ballMesh();
    yield bytesOf(indices);
    yield bytesOf(position);
  }
  const obstacles = obstaclesOf(film.header);
  for (const obstacle of obstacles) {
    yield bytesOf(obstacle.triangle);
    for (const shape of shapesOf(film, obstacle)) yield bytesOf(shape);
  }
  if (frameCount < 2) return;
  const times = Array.from({ length: frameCount }, (_, k) => film.frame(k).time);
  yield floats(times.map((time) => time - times[0]));
  for (let k = 0; k < frameCount; k++) {
    const row = new Array<number>(frameCount - 1).fill(0);
    if (k > 0) row[k - 1] = 1;
    yield floats(row);
  }
  for (const { index } of bodies) {
    const poses = times.map(
      (_, k) => film.frame(k).bodies?.[index] ?? { position: [0, 0, 0], orientation: [1, 0, 0, 0] },
    );
    yield floats(poses.flatMap(({ position }) => Array.from(position)));
    yield floats(continuous(poses.map(({ orientation }) => turned(orientation))).flat());
  }
  for (const obstacle of obstacles) {
    if (!obstacle.moves) continue;
    const places = times.map((_, k) => placeOf(obstacle, film.frame(k)));
    yield floats(places.flatMap(({ translation }) => translation));
    yield floats(continuous(places.map(({ rotation }) => rotation)).flat());
  }
}

/** A quaternion and its negative are the same rotation; between frames use the closer of the two. */
function continuous(turns: number[][]): number[][] {
  for (let k = 1; k < turns.length; k++) {
    const dot = turns[k].reduce((sum, value, m) => sum + value * turns[k - 1][m], 0);
    if (dot < 0) turns[k] = turns[k].map((value) => -value);
  }
  return turns;
}

function bytesOf(values: Float32Array | Uint32Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

function floats(values: readonly number[]): Uint8Array {
  const out = new Uint8Array(4 * values.length);
  putF32(out, 0, values);
  return out;
}
