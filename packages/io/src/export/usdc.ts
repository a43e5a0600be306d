/**
 * Universal Scene Description in its binary form (.usdc): strands as BasisCurves with points over time, widths, colours and the attributes
 * of grooms, and obstacles as moving meshes. A sixth of the size of text, and written one frame at a time.
 */
import { cutBroken } from './broken.ts';
import { type CrateAttribute, type CrateNumbers, type CratePrim, numbersOf, writeCrate } from './crate.ts';
import {
  type Footage,
  frameRate,
  groupColor,
  groupRods,
  nodeRadius,
  type RodGroup,
  uniqueNames,
  upAxisOf,
} from './footage.ts';
import { type Obstacle, obstaclesOf } from './obstacles.ts';
import { identifier, type UsdaOptions } from './usda.ts';

/** Exports a recording as binary USD. */
export function* exportUsdc(footage: Footage, options: UsdaOptions = {}): Generator<Uint8Array> {
  const source = rememberFrame(cutBroken(footage).footage);
  const { header, frameCount } = source;
  const rate = frameRate(source);
  const times = Array.from({ length: frameCount }, (_, k) => Math.round(source.time(k) * rate * 1e6) / 1e6);
  const groups = groupRods(header);
  const obstacles = obstaclesOf(header);
  const names = uniqueNames([...groups.map(({ name }) => name), ...obstacles.map(({ id }) => id)], identifier);
  const children = [
    ...groups.map((group, k) => curvesPrim(source, group, names[k], { times, color: groupColor(source, k) })),
    ...obstacles.map((obstacle, k) => meshPrim(source, obstacle, names[groups.length + k], times)),
  ];
  yield* writeCrate({
    metadata: {
      defaultPrim: { token: 'tendril' },
      documentation: { text: options.title ?? header.scene.title ?? 'A recording of Tendril' },
      metersPerUnit: 1,
      upAxis: { token: upAxisOf(header.scene) },
      framesPerSecond: rate,
      timeCodesPerSecond: rate,
      startTimeCode: times[0] ?? 0,
      endTimeCode: times[times.length - 1] ?? 0,
    },
    prims: [{ name: 'tendril', type: 'Xform', attributes: [], children }],
  });
}

type Pose = Pick<ReturnType<Footage['frame']>, 'time' | 'bodies'>;
/** `pose`: time and bodies of a frame, without its rods. */
type Source = Footage & { time(k: number): number; pose(k: number): Pose };

/** Computes a frame once for all values of it that are written consecutively; keeps poses of obstacles and times of all frames. */
function rememberFrame(footage: Footage): Source {
  let last: { readonly k: number; readonly frame: ReturnType<Footage['frame']> } | undefined;
  const small = new Map<number, Pose>();
  const frame = (k: number): ReturnType<Footage['frame']> => {
    if (last?.k !== k) last = { k, frame: footage.frame(k) };
    small.set(k, { time: last.frame.time, bodies: last.frame.bodies });
    return last.frame;
  };
  const pose = (k: number): Pose => small.get(k) ?? frame(k);
  return {
    header: footage.header,
    frameCount: footage.frameCount,
    groom: footage.groom,
    frame,
    pose,
    time: (k) => footage.timeOf?.(k) ?? pose(k).time,
  };
}

/** Points, and the box around them, which is known when they have been written. */
function curvesPrim(
  source: Source,
  { rods: list, closed }: RodGroup,
  name: string,
  { times, color }: { readonly times: readonly number[]; readonly color: readonly number[] },
): CratePrim {
  const rods = list.map((k) => source.header.rods[k]);
  const total = rods.reduce((sum, { nodeCount }) => sum + nodeCount, 0);
  const boxes = times.map(() => new Float32Array(6));
  const points = times.map(
    (_, k): CrateNumbers => ({
      of: 'float3',
      count: total,
      isArray: true,
      bytes() {
        const { rods: shapes } = source.frame(k);
        const out = new Float32Array(3 * total);
        let at = 0;
        for (const r of list) {
          out.set(shapes[r].nodePosition, at);
          at += shapes[r].nodePosition.length;
        }
        boxes[k].set(boxOf(out));
        return new Uint8Array(out.buffer);
      },
    }),
  );
  const extent = times.map(
    (_, k): CrateNumbers => ({
      of: 'float3',
      count: 2,
      isArray: true,
      bytes: () => new Uint8Array(boxes[k].buffer),
    }),
  );
  const inTime = (samples: readonly CrateNumbers[]): CrateAttribute['value'] =>
    samples.length === 1 ? samples[0] : { times, samples };
  return {
    name,
    type: 'BasisCurves',
    attributes: [
      { name: 'type', type: 'token', value: { token: 'linear' }, isUniform: true },
      { name: 'wrap', type: 'token', value: { token: closed ? 'periodic' : 'nonperiodic' }, isUniform: true },
      {
        name: 'curveVertexCounts',
        type: 'int[]',
        value: numbersOf(
          'int',
          rods.map(({ nodeCount }) => nodeCount),
        ),
      },
      widthsOf(rods),
      ...colorsOf(source, list, color),
      ...groomAttributes(source, list),
      { name: 'points', type: 'point3f[]', value: inTime(points) },
      { name: 'extent', type: 'float3[]', value: inTime(extent) },
    ],
  };
}

/** The box about an obstacle in its own axes, in all frames. */
function extentOf(source: Source, { position, shapeAt }: Obstacle, times: readonly number[]): number[] {
  if (!shapeAt) return boxOf(Float32Array.from(position));
  const boxes = times.map((_, k) => boxOf(Float32Array.from(shapeAt(source.pose(k).time))));
  return boxes.reduce((a, b) => a.map((value, k) => (k < 3 ? Math.min(value, b[k]) : Math.max(value, b[k]))));
}

function boxOf(points: Float32Array): number[] {
  const box = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity];
  for (let i = 0; i < points.length; i++) {
    box[i % 3] = Math.min(box[i % 3], points[i]);
    box[3 + (i % 3)] = Math.max(box[3 + (i % 3)], points[i]);
  }
  return box;
}

/** One width if all are equal, else one per point. */
function widthsOf(rods: Footage['header']['rods']): CrateAttribute {
  const first = rods[0].edgeRadius[0];
  const same = rods.every((rod) => rod.edgeRadius === rods[0].edgeRadius || rod.edgeRadius.every((r) => r === first));
  const even = same && rods[0].edgeRadius.every((r) => r === first);
  const values = even ? [2 * first] : rods.flatMap((rod) => Array.from(nodeRadius(rod), (radius) => 2 * radius));
  return {
    name: 'widths',
    type: 'float[]',
    value: numbersOf('float', values),
    interpolation: even ? 'constant' : 'vertex',
  };
}

function colorsOf({ groom }: Source, list: readonly number[], color: readonly number[]): CrateAttribute[] {
  const own = groom?.color;
  const values = own ? list.flatMap((k) => [own[3 * k], own[3 * k + 1], own[3 * k + 2]]) : color;
  const interpolation = own ? 'uniform' : 'constant';
  return [{ name: 'primvars:displayColor', type: 'color3f[]', value: numbersOf('float3', values), interpolation }];
}

/** Attributes of grooms besides their curves: root position on the skin, and the guide that a hair follows. */
function groomAttributes({ groom }: Source, list: readonly number[]): CrateAttribute[] {
  if (!groom) return [];
  const { rootUv, guide } = groom;
  const st = list.flatMap((k) => [rootUv[2 * k], rootUv[2 * k + 1]]);
  return [
    { name: 'primvars:st', type: 'texCoord2f[]', value: numbersOf('float2', st), interpolation: 'uniform' },
    {
      name: 'primvars:guide',
      type: 'int[]',
      value: numbersOf(
        'int',
        list.map((k) => guide[k]),
      ),
      interpolation: 'uniform',
    },
  ];
}

function meshPrim(source: Source, obstacle: Obstacle, name: string, times: readonly number[]): CratePrim {
  const { position, triangle, moves, place, shapeAt } = obstacle;
  const at = new Float64Array(12);
  const matrix = (k: number): CrateNumbers => ({
    of: 'matrix4d',
    count: 1,
    isArray: false,
    bytes() {
      place(at, source.pose(k));
      const rows = [0, 1, 2, 3].flatMap((r) => [at[3 * r], at[3 * r + 1], at[3 * r + 2], r === 3 ? 1 : 0]);
      return numbersOf('matrix4d', rows, { isArray: false }).bytes();
    },
  });
  const move = moves && times.length > 1;
  const points = (k: number): CrateNumbers => ({
    of: 'float3',
    count: position.length / 3,
    isArray: true,
    bytes: () => numbersOf('float3', shapeAt?.(source.pose(k).time) ?? position).bytes(),
  });
  return {
    name,
    type: 'Mesh',
    attributes: [
      {
        name: 'faceVertexCounts',
        type: 'int[]',
        value: numbersOf('int', new Int32Array(triangle.length / 3).fill(3)),
      },
      { name: 'faceVertexIndices', type: 'int[]', value: numbersOf('int', triangle) },
      {
        name: 'points',
        type: 'point3f[]',
        value: shapeAt ? { times, samples: times.map((_, k) => points(k)) } : points(0),
      },
      { name: 'extent', type: 'float3[]', value: numbersOf('float3', extentOf(source, obstacle, times)) },
      { name: 'subdivisionScheme', type: 'token', value: { token: 'none' }, isUniform: true },
      {
        name: 'xformOp:transform',
        type: 'matrix4d',
        value: move ? { times, samples: times.map((_, k) => matrix(k)) } : matrix(0),
      },
      { name: 'xformOpOrder', type: 'token[]', value: { tokens: ['xformOp:transform'] }, isUniform: true },
    ],
  };
}
