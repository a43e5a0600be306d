/**
 * VTK PolyData (.vtp), one file per frame, and the collection (.pvd) that gives the files their times, for ParaView.
 *
 * A rod is one poly-line, so that ParaView's Tube filter makes one tube of it. Data belong to points; values of edges
 * (tension) are the mean of both edges. Arrays are appended in raw form after the XML: exact doubles that are fast to read.
 */
import { channelNames } from '@tendril-sim/core';
import type { RecordingFrame } from '../recording.ts';
import { type Footage, nodeChannel, nodeFrames, nodeRadius } from './footage.ts';
import { obstaclesOf, writeObstacle } from './obstacles.ts';

interface DataArray {
  readonly name: string;
  readonly values: Float64Array | Float32Array | BigInt64Array | Int32Array;
  readonly components?: number;
}

/** The rods of one frame. */
export function frameToVtp(header: Footage['header'], frame: RecordingFrame): Uint8Array {
  const { rods } = header;
  const count = rods.reduce((sum, { nodeCount }) => sum + nodeCount, 0);
  const vectors = (): Float32Array => new Float32Array(3 * count);
  const position = new Float64Array(3 * count);
  const [tangent, d1, d2] = [vectors(), vectors(), vectors()];
  const radius = new Float32Array(count);
  const arcLength = new Float64Array(count);
  const values = channelNames.map(() => new Float64Array(count));
  const known = channelNames.map(() => true);
  const connectivity: number[] = [];
  const offsets: number[] = [];
  let node = 0;
  rods.forEach((rod, k) => {
    const one = frame.rods[k];
    position.set(one.nodePosition, 3 * node);
    const frames = nodeFrames(rod, one);
    tangent.set(frames.tangent, 3 * node);
    d1.set(frames.d1, 3 * node);
    d2.set(crossed(frames.tangent, frames.d1), 3 * node);
    radius.set(nodeRadius(rod), node);
    for (let i = 1; i < rod.nodeCount; i++) arcLength[node + i] = arcLength[node + i - 1] + rod.edgeLengthRest[i - 1];
    channelNames.forEach((channel, c) => {
      const value = nodeChannel(rod, one, channel);
      if (value) values[c].set(value, node);
      else known[c] = false;
    });
    for (let i = 0; i < rod.nodeCount; i++) connectivity.push(node + i);
    if (rod.closed) connectivity.push(node);
    offsets.push(connectivity.length);
    node += rod.nodeCount;
  });
  return polyData({
    time: frame.time,
    position,
    cells: 'Lines',
    connectivity,
    offsets,
    pointData: [
      { name: 'radius', values: radius },
      { name: 'arcLength', values: arcLength },
      ...channelNames.flatMap((name, c) => (known[c] ? [{ name, values: values[c] }] : [])),
      { name: 'tangent', values: tangent, components: 3 },
      { name: 'd1', values: d1, components: 3 },
      { name: 'd2', values: d2, components: 3 },
    ],
    cellData: [{ name: 'rod', values: Int32Array.from(rods, (_, k) => k) }],
  });
}

/** The bodies of one frame, a point each with its orientation (w, x, y, z); undefined if there are none. */
export function bodiesToVtp(header: Footage['header'], frame: RecordingFrame): Uint8Array | undefined {
  const bodies = header.bodies ?? [];
  if (bodies.length === 0 || !frame.bodies) return undefined;
  const poses = frame.bodies;
  return polyData({
    time: frame.time,
    position: Float64Array.from(poses.flatMap(({ position }) => Array.from(position))),
    cells: 'Verts',
    connectivity: poses.map((_, k) => k),
    offsets: poses.map((_, k) => k + 1),
    pointData: [
      { name: 'radius', values: Float32Array.from(bodies, ({ radius }) => radius) },
      {
        name: 'orientation',
        values: Float64Array.from(poses.flatMap(({ orientation }) => Array.from(orientation))),
        components: 4,
      },
    ],
    cellData: [{ name: 'body', values: Int32Array.from(bodies, (_, k) => k) }],
  });
}

/** The obstacles of one frame, where they are then; undefined if there are none. */
export function obstaclesToVtp(header: Footage['header'], frame: RecordingFrame): Uint8Array | undefined {
  const obstacles = obstaclesOf(header);
  if (obstacles.length === 0) return undefined;
  const position: number[] = [];
  const connectivity: number[] = [];
  const which: number[] = [];
  obstacles.forEach((obstacle, k) => {
    const first = position.length / 3;
    const vertices = new Float64Array(obstacle.position.length);
    writeObstacle(vertices, obstacle, frame);
    for (const x of vertices) position.push(x);
    for (const vertex of obstacle.triangle) connectivity.push(first + vertex);
    for (let f = 0; f < obstacle.triangle.length; f += 3) which.push(k);
  });
  return polyData({
    time: frame.time,
    position: Float64Array.from(position),
    cells: 'Polys',
    connectivity,
    offsets: which.map((_, f) => 3 * (f + 1)),
    pointData: [],
    cellData: [{ name: 'obstacle', values: Int32Array.from(which) }],
  });
}

/** The collection; names are relative to it. */
export function formatPvd(
  entries: readonly { readonly time: number; readonly part: number; readonly file: string }[],
): string {
  const lines = entries.map(
    ({ time, part, file }) => `    <DataSet timestep="${time}" part="${part}" file="${escapeXml(file)}"/>\n`,
  );
  return `<?xml version="1.0"?>
<VTKFile type="Collection" version="1.0" byte_order="LittleEndian" header_type="UInt64">
  <Collection>
${lines.join('')}  </Collection>
</VTKFile>
`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

function crossed(a: Float64Array, b: Float64Array): Float64Array {
  const out = new Float64Array(a.length);
  for (let i = 0; i < a.length; i += 3) {
    out[i] = a[i + 1] * b[i + 2] - a[i + 2] * b[i + 1];
    out[i + 1] = a[i + 2] * b[i] - a[i] * b[i + 2];
    out[i + 2] = a[i] * b[i + 1] - a[i + 1] * b[i];
  }
  return out;
}

interface PolyData {
  readonly time: number;
  readonly position: Float64Array;
  readonly cells: 'Lines' | 'Verts' | 'Polys';
  readonly connectivity: readonly number[];
  /** One past the last entry of each cell. */
  readonly offsets: readonly number[];
  readonly pointData: readonly DataArray[];
  readonly cellData: readonly DataArray[];
}

function polyData({ time, position, cells, connectivity, offsets, pointData, cellData }: PolyData): Uint8Array {
  const blocks: ArrayBufferView[] = [];
  let offset = 0;
  const entry = ({ name, values, components = 1 }: DataArray, indent: string, tuples = ''): string => {
    const type =
      values instanceof Float64Array
        ? 'Float64'
        : values instanceof Float32Array
          ? 'Float32'
          : values instanceof Int32Array
            ? 'Int32'
            : 'Int64';
    const line = `${indent}<DataArray type="${type}" Name="${name}" NumberOfComponents="${components}"${tuples} format="appended" offset="${offset}"/>\n`;
    blocks.push(values);
    offset += 8 + values.byteLength;
    return line;
  };
  const deep = '        ';
  const whole = (values: readonly number[]): BigInt64Array => BigInt64Array.from(values, BigInt);
  const cellArrays =
    entry({ name: 'connectivity', values: whole(connectivity) }, deep) +
    entry({ name: 'offsets', values: whole(offsets) }, deep);
  const count = position.length / 3;
  const countOf = (kind: PolyData['cells']): number => (cells === kind ? offsets.length : 0);
  const head = `<?xml version="1.0"?>
<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64">
  <PolyData>
    <FieldData>
${entry({ name: 'TimeValue', values: Float64Array.of(time) }, '      ', ' NumberOfTuples="1"')}    </FieldData>
    <Piece NumberOfPoints="${count}" NumberOfVerts="${countOf('Verts')}" NumberOfLines="${countOf('Lines')}" NumberOfStrips="0" NumberOfPolys="${countOf('Polys')}">
      <Points>
${entry({ name: 'Points', values: position, components: 3 }, deep)}      </Points>
      <${cells}>
${cellArrays}      </${cells}>
      <PointData${pointData.length > 0 ? ' Scalars="radius"' : ''}>
${pointData.map((item) => entry(item, deep)).join('')}      </PointData>
      <CellData>
${cellData.map((item) => entry(item, deep)).join('')}      </CellData>
    </Piece>
  </PolyData>
  <AppendedData encoding="raw">
   _`;
  return assemble(head, blocks, '\n  </AppendedData>\n</VTKFile>\n');
}

/** Text, then each block behind its length as a 64-bit number, then text. */
function assemble(head: string, blocks: readonly ArrayBufferView[], foot: string): Uint8Array {
  const encoder = new TextEncoder();
  const [start, end] = [encoder.encode(head), encoder.encode(foot)];
  const size = blocks.reduce((sum, { byteLength }) => sum + 8 + byteLength, start.length + end.length);
  const out = new Uint8Array(size);
  const view = new DataView(out.buffer);
  out.set(start);
  let at = start.length;
  for (const { buffer, byteOffset, byteLength } of blocks) {
    view.setBigUint64(at, BigInt(byteLength), true);
    out.set(new Uint8Array(buffer, byteOffset, byteLength), at + 8);
    at += 8 + byteLength;
  }
  out.set(end, at);
  return out;
}
