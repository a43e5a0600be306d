/** Files of other programs: curves and meshes in, recordings of the run out. Loaded when first asked for. */
import { channelNames, type World } from '@tendril-sim/core';
import {
  bodiesToVtp,
  createRecordingEncoder,
  exportGlb,
  exportParquet,
  exportUsda,
  type Footage,
  formatCurveScene,
  formatPvd,
  frameToVtp,
  InputError,
  listAnimations,
  nodeTable,
  obstaclesToVtp,
  type RecordedRod,
  type RecordingFrame,
  type RecordingHeader,
  readCurves,
  readMesh,
  recordingHeader,
} from '@tendril-sim/io';
import { layoutOfLane, poseSize } from '../frameLayout.ts';
import type { ExportFormat, Frame, Imported, LaneInfo, RodInfo } from '../protocol.ts';
import { zip } from './zip.ts';

/** More curves than this are a job for the command line. */
const curveLimit = 3000;
const triangleLimit = 20_000;

export function importFile(bytes: Uint8Array, name: string): Imported {
  try {
    const curves = readCurves(bytes, name);
    if (curves.counts.length > curveLimit)
      throw new Error(`${name} has ${curves.counts.length} curves; take some of them with tendril import --every`);
    return { text: formatCurveScene(curves, name, { refer: false }) };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const mesh = /\.(obj|glb|gltf|usd[acz]?|abc)$/i.test(name) ? importMesh(bytes, name) : undefined;
    if (mesh) return mesh;
    throw new Error(error.problems.map(({ message }) => message).join('\n'));
  }
}

function importMesh(bytes: Uint8Array, name: string): Imported | undefined {
  try {
    const { position, triangle } = readMesh(bytes, name);
    const count = triangle.length / 3;
    if (count === 0) return undefined;
    if (listAnimations(bytes, name).length > 0) return { isCharacter: true };
    if (count > triangleLimit) throw new Error(`${name} has ${count} triangles; ${triangleLimit} are taken at most`);
    const triples = (values: ArrayLike<number>): number[][] =>
      Array.from({ length: values.length / 3 }, (_, k) => [values[3 * k], values[3 * k + 1], values[3 * k + 2]]);
    const rounded = Float64Array.from(position, (x) => Number(x.toPrecision(7)));
    return { collider: { type: 'mesh', vertices: triples(rounded), faces: triples(triangle) } };
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

export interface ExportSource {
  readonly source: World | RecordingHeader;
  readonly info: LaneInfo;
  readonly frames: readonly Frame[];
  readonly lane: number;
  /** Makes the hairs of a frame of which only the guides are kept. */
  hairs?(guides: Float32Array): Float32Array;
}

/** The frames that the page has kept, as a file. */
export function exportRun(run: ExportSource, format: ExportFormat): Uint8Array[] {
  const { source, info, frames } = run;
  const about = { version: 'studio', precision: 'f32', channels: channelNames } as const;
  const own: RecordingHeader = 'step' in source ? recordingHeader(source, about) : { ...source, ...about };
  // hairs that follow guides are what is seen, and what is saved
  const header = info.rods.length === own.rods.length ? own : { ...own, rods: info.rods.map(recordedRod) };
  const footage: Footage = {
    header,
    frameCount: frames.length,
    frame: (k) => unpack(run, frames[k]),
  };
  const encode = (part: string): Uint8Array => new TextEncoder().encode(part);
  if (format === 'usda') return gathered(exportUsda(footage)).map(encode);
  if (format === 'csv') return gathered(nodeTable({ header, frames: () => eachFrame(footage) })).map(encode);
  if (format === 'parquet') return [...exportParquet(footage)];
  if (format === 'vtk') return zip(vtkFiles(footage));
  if (format === 'glb') return [...exportGlb(footage).chunks()];
  const encoder = createRecordingEncoder(header);
  const parts = [encoder.encodeHeader()];
  for (let k = 0; k < frames.length; k++) parts.push(encoder.encodeFrame(footage.frame(k)));
  parts.push(encoder.encodeFooter());
  return parts;
}

function* eachFrame(footage: Footage): Generator<RecordingFrame> {
  for (let k = 0; k < footage.frameCount; k++) yield footage.frame(k);
}

/** Small pieces of text, made few. */
function gathered(parts: Iterable<string>): string[] {
  const out: string[] = [];
  let now = '';
  for (const part of parts) {
    now += part;
    if (now.length < 1 << 20) continue;
    out.push(now);
    now = '';
  }
  return [...out, now];
}

/** A file a frame, and the collection that ParaView opens. */
function vtkFiles(footage: Footage): { name: string; bytes: Uint8Array }[] {
  const { header } = footage;
  const files: { name: string; bytes: Uint8Array }[] = [];
  const entries: { time: number; part: number; file: string }[] = [];
  for (let k = 0; k < footage.frameCount; k++) {
    const frame = footage.frame(k);
    const number = String(k).padStart(String(footage.frameCount - 1).length, '0');
    [frameToVtp(header, frame), bodiesToVtp(header, frame), obstaclesToVtp(header, frame)].forEach((bytes, part) => {
      if (!bytes) return;
      const name = `frames/${['rods', 'bodies', 'obstacles'][part]}-${number}.vtp`;
      files.push({ name, bytes });
      entries.push({ time: frame.time, part, file: name });
    });
  }
  return [{ name: 'run.pvd', bytes: new TextEncoder().encode(formatPvd(entries)) }, ...files];
}

function recordedRod({ id, model, closed, nodeCount, edgeCount, nodeArc, edgeRadius }: RodInfo): RecordedRod {
  const edgeLengthRest = Array.from({ length: edgeCount }, (_, j) => (nodeArc[j + 1] ?? nodeArc[j]) - nodeArc[j]);
  return { id, model, closed, nodeCount, edgeCount, edgeLengthRest, edgeRadius: Array.from(edgeRadius) };
}

function unpack({ info, lane, hairs }: ExportSource, frame: Frame): RecordingFrame {
  const { data: kept, stats, guides } = frame.lanes[lane];
  const data = kept.length === 0 && guides && hairs ? hairs(guides) : kept;
  const layout = layoutOfLane(info);
  const take = (offset: number, count: number): Float64Array =>
    Float64Array.from(data.subarray(offset, offset + count));
  const rods = info.rods.map(({ nodeCount, edgeCount }, r) => {
    const at = layout.rods[r];
    return {
      nodePosition: take(at.position, 3 * nodeCount),
      edgeDirector: take(at.director, 3 * edgeCount),
      channels: {
        curvature: take(at.curvature, nodeCount),
        twist: take(at.twist, nodeCount),
        tension: take(at.tension, edgeCount),
      },
    };
  });
  const bodies = info.bodies.map((_, k) => {
    const offset = layout.bodies + poseSize * k;
    return { position: take(offset, 3), orientation: take(offset + 3, 4) };
  });
  const [kinetic, bending, twisting, stretching, potential, total] = stats;
  return {
    time: frame.time,
    rods,
    ...(bodies.length > 0 && { bodies }),
    energies: { kinetic, bending, twisting, stretching, potential, total },
  };
}
