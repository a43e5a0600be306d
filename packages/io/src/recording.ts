/**
 * Recordings: the frames of a run, written as it proceeds and read frame by frame.
 *
 * A file is a header (see container.ts; letters TREC), frames of equal size, and a footer. Because frames have equal size, any
 * frame can be read without an index. A run that was killed leaves a file without footer; its complete frames can still be read
 * (`partial`). All numbers are little endian.
 *
 *   frame   4  the letters FRAM
 *           4  u32 index of the frame, from 0
 *           8  f64 time [s]
 *          48  6 × f64 energies [J]: kinetic, bending, twisting, stretching, potential, total
 *              for each rod: nodePosition [m], 3 per node, f64 (or f32: `precision` of the JSON header)
 *                            edgeDirector d1, 3 per edge, f32; zero: the edge is broken
 *                            each of the JSON header's `channels`, 1 per node (tension: 1 per edge), f32
 *              for each body: position [m] and orientation (quaternion w x y z, body to world), 7 × f64
 *              zeros up to a multiple of 8 less 4
 *           4  u32 CRC-32 of the frame before it
 *
 *   footer  4  the letters DONE
 *           4  u32 number of frames
 *           8  64-bit FNV-1a of the CRC-32s of the header and of all frames, as bytes
 *           4  zero
 *           4  u32 CRC-32 of the footer before it
 *
 * Positions default to doubles, because results are measured on recordings. Directors need no more than f32: they are drawn, and d2 follows from the
 * tangent of the edge.
 */
import { type BodySpec, type Channel, createHash, type Energies, type Scene, type World } from '@tendril-sim/core';
import { isSealed, sealSection, viewOf } from './bytes.ts';
import { binaryError, decodeHead, encodeHead, type Format, headSizeOf } from './container.ts';
import type { InputError } from './errors.ts';
import { decodeFrame, encodeFrame, frameSizeOf, frameTag } from './recordingFrames.ts';
import { type SectionOutline, sectionOutline } from './sectionOutline.ts';

/** Version of the recording format. */
export const recordingVersion: number = 1;
const format: Format = { noun: 'recording', letters: 'TREC', version: recordingVersion };

/** Description of a rod in a recording. */
export interface RecordedRod {
  /** Id in the scene. */
  readonly id: string;
  /** Model that simulated it. */
  readonly model: string;
  /** True for a ring. */
  readonly closed: boolean;
  /** Number of nodes. */
  readonly nodeCount: number;
  /** Number of edges. */
  readonly edgeCount: number;
  /** [m] */
  readonly edgeLengthRest: readonly number[];
  /** [m] */
  readonly edgeRadius: readonly number[];
  /** Outline of a section that is not round. */
  readonly section?: SectionOutline;
  /** For a piece of a rod that broke (export/broken.ts): the id of the rod. */
  readonly origin?: string;
}

/** Description of a body in a recording. */
export interface RecordedBody {
  /** Id in the scene. */
  readonly id: string;
  /** Radius of a ball that represents it [m]; 0 for a junction. */
  readonly radius: number;
}

/** Scene, rods, bodies and channels of a recording. */
export interface RecordingHeader {
  /** Version of the program that recorded. */
  readonly version: string;
  /** The scene that was run. */
  readonly scene: Scene;
  /** Rods, in the order of the scene. */
  readonly rods: readonly RecordedRod[];
  /** Default none. */
  readonly bodies?: readonly RecordedBody[];
  /** Of node positions; default f64. */
  readonly precision?: 'f64' | 'f32';
  /** Quantities along the rods that each frame holds; default none. */
  readonly channels?: readonly Channel[];
}

/** Positions, directors and channels of a rod in a frame. */
export interface RodFrame {
  /** [m], 3 per node */
  readonly nodePosition: Float64Array;
  /** d1, unit, 3 per edge; zero if the edge is broken */
  readonly edgeDirector: Float64Array;
  /** Recorded channels by name. */
  readonly channels?: Readonly<Partial<Record<Channel, Float64Array>>>;
}

/** Pose of a body in a frame. */
export interface BodyFrame {
  /** [m] */
  readonly position: ArrayLike<number>;
  /** w, x, y, z from body to world axes */
  readonly orientation: ArrayLike<number>;
}

/** One frame of a recording. */
export interface RecordingFrame {
  /** [s] */
  readonly time: number;
  /** Rods, in the order of the header. */
  readonly rods: readonly RodFrame[];
  /** Bodies, in the order of the header. */
  readonly bodies?: readonly BodyFrame[];
  /** Energies of the world [J]. */
  readonly energies: Readonly<Energies>;
}

/** Writes a recording section by section. */
export interface RecordingEncoder {
  /** Bytes of the header; write them first. */
  encodeHeader(): Uint8Array;
  /** Bytes of the next frame. */
  encodeFrame(frame: RecordingFrame): Uint8Array;
  /** Undoes the last frame, which could not be written. */
  dropFrame(): void;
  /** Bytes of the footer, with the number of frames and a hash; write them last. */
  encodeFooter(): Uint8Array;
}

/** A recording in memory. */
export interface Recording {
  /** Scene, rods and bodies. */
  readonly header: RecordingHeader;
  /** Number of frames. */
  readonly frameCount: number;
  /** False if the run stopped before its end was written. */
  readonly complete: boolean;
  /** Decodes one frame; throws RangeError outside 0…frameCount−1. */
  frame(index: number): RecordingFrame;
  /** All frames in turn, decoded on request. */
  frames(): IterableIterator<RecordingFrame>;
}

const footSize = 24;
const footTag = 0x454e4f44; // DONE

/** Creates an encoder for recordings with a header. */
export function createRecordingEncoder(header: RecordingHeader): RecordingEncoder {
  const hash = createHash();
  let frameCount = 0;
  /** Checksum of the last section, which may still be taken back. */
  let last = new Uint8Array();
  const seal = (section: Uint8Array): Uint8Array => {
    sealSection(section);
    hash.add(last);
    last = section.slice(section.length - 4);
    return section;
  };
  return {
    encodeHeader: () => seal(encodeHead(format, header)),
    encodeFrame: (frame) => seal(encodeFrame(header, frame, frameCount++)),
    dropFrame() {
      frameCount--;
      last = new Uint8Array();
    },
    encodeFooter() {
      hash.add(last);
      last = new Uint8Array();
      const out = new Uint8Array(footSize);
      const view = viewOf(out);
      view.setUint32(0, footTag, true);
      view.setUint32(4, frameCount, true);
      view.setBigUint64(8, BigInt(`0x${hash.digits()}`), true);
      sealSection(out);
      return out;
    },
  };
}

/** Options for recordings that were cut short. */
export interface DecodeOptions {
  /** Reads the complete frames of a recording that was cut short, instead of rejecting it. */
  readonly partial?: boolean;
}

/** Where the bytes of a recording come from: memory, or a file that is read piece by piece. */
export interface ByteSource {
  /** [bytes]. */
  readonly size: number;
  /** The bytes from offset on, `length` of them, all within the source. */
  read(offset: number, length: number): Uint8Array;
}

/** Checks the whole file; frames are decoded on request. */
export function decodeRecording(bytes: Uint8Array, source: string, options: DecodeOptions = {}): Recording {
  return readRecording({ size: bytes.length, read: (at, length) => bytes.subarray(at, at + length) }, source, options);
}

/** The same for a source that is never held in memory: each frame is read now to check it, and again on request. */
export function readRecording(bytes: ByteSource, source: string, options: DecodeOptions = {}): Recording {
  const head = decodeHead(format, bytes.read(0, headSizeOf(bytes)), source);
  const header = checkHeader(head.header, source);
  const frameSize = frameSizeOf(header);
  const { frameCount, complete } = checkSections(bytes, source, { from: head.size, frameSize, ...options });
  const frame = (index: number): RecordingFrame => {
    if (!Number.isInteger(index) || index < 0 || index >= frameCount) {
      throw new RangeError(`frame ${index} is outside 0…${frameCount - 1}`);
    }
    const start = head.size + index * frameSize;
    return decodeFrame(header, bytes.read(start, frameSize));
  };
  return {
    header,
    frameCount,
    complete,
    frame,
    *frames() {
      for (let k = 0; k < frameCount; k++) yield frame(k);
    },
  };
}

/** Checks the frames, which begin at `from`, and the footer. Throws unless the recording is complete or the caller accepts a partial one. */
function checkSections(
  bytes: ByteSource,
  source: string,
  { from, frameSize, partial = false }: DecodeOptions & { readonly from: number; readonly frameSize: number },
): { readonly frameCount: number; readonly complete: boolean } {
  const hash = createHash();
  hash.add(bytes.read(from - 4, 4));
  let offset = from;
  let frameCount = 0;
  let complete = false;
  while (!complete && offset < bytes.size) {
    const left = bytes.size - offset;
    const tag = left >= 4 ? viewOf(bytes.read(offset, 4)).getUint32(0, true) : undefined;
    const size = tag === footTag ? footSize : frameSize;
    if (left < size) break;
    const section = bytes.read(offset, size);
    const view = viewOf(section);
    const name = tag === footTag ? 'the end mark' : `frame ${frameCount}`;
    const corrupt = (what: string): InputError =>
      binaryError(source, offset, `${name} ${what}: the recording is corrupted; copy the file again or record anew`);
    if (tag !== footTag && tag !== frameTag) throw corrupt('does not begin as it should');
    if (!isSealed(section)) throw corrupt('does not match its checksum');
    if (view.getUint32(4, true) !== frameCount) throw corrupt('does not carry the expected number');
    if (tag === footTag) {
      const digits = view.getBigUint64(8, true).toString(16).padStart(16, '0');
      if (digits !== hash.digits()) throw corrupt('does not match the frames before it');
      complete = true;
    } else {
      hash.add(section.subarray(size - 4));
      frameCount++;
    }
    offset += size;
  }
  if (complete && offset < bytes.size) {
    throw binaryError(
      source,
      offset,
      `${bytes.size - offset} bytes follow the end of the recording; copy the file again`,
    );
  }
  if (!complete && !partial) {
    throw binaryError(
      source,
      offset,
      `the recording is truncated: it ends without its end mark after ${frameCount} complete frames; copy the file again, or read the complete frames with the option partial`,
    );
  }
  return { frameCount, complete };
}

function checkHeader(value: unknown, source: string): RecordingHeader {
  const header = value as Partial<RecordingHeader> | null;
  const isCount = (n: unknown): boolean => Number.isSafeInteger(n) && (n as number) >= 0 && (n as number) < 2 ** 31;
  const sound =
    typeof header === 'object' &&
    header !== null &&
    typeof header.version === 'string' &&
    typeof header.scene === 'object' &&
    Array.isArray(header.rods) &&
    header.rods.every(
      (rod: RecordedRod) =>
        typeof rod?.id === 'string' &&
        isCount(rod.nodeCount) &&
        isCount(rod.edgeCount) &&
        rod.edgeCount > 0 &&
        rod.nodeCount === rod.edgeCount + (rod.closed ? 0 : 1) &&
        [rod.edgeLengthRest, rod.edgeRadius].every((list) => Array.isArray(list) && list.length === rod.edgeCount),
    ) &&
    (header.channels === undefined || Array.isArray(header.channels)) &&
    (header.bodies === undefined ||
      (Array.isArray(header.bodies) && header.bodies.every((body) => typeof body?.id === 'string')));
  if (!sound) throw binaryError(source, 16, 'the header of the recording lacks fields it must have; record anew');
  return header as RecordingHeader;
}

/** The header for recording a world. */
export function recordingHeader(
  world: Pick<World, 'scene' | 'rods'>,
  options: Pick<RecordingHeader, 'version' | 'precision' | 'channels'>,
): RecordingHeader {
  const rods = world.rods.map((rod): RecordedRod => {
    const { id, model, closed, nodeCount, edgeCount } = rod;
    const section = sectionOutline(world.scene, rod);
    return {
      id,
      model,
      closed,
      nodeCount,
      edgeCount,
      edgeLengthRest: [...rod.edgeLengthRest],
      edgeRadius: [...rod.edgeRadius],
      ...(section && { section }),
    };
  });
  // colliders that touch nothing are drawn in place of the body that carries them
  const hasPicture = (id: string): boolean =>
    world.scene.colliders?.some(({ body, rods }) => body === id && rods?.length === 0) ?? false;
  const bodies = world.scene.bodies?.map(
    (spec): RecordedBody => ({ id: spec.id, radius: hasPicture(spec.id) ? 0 : drawnRadius(spec) }),
  );
  return { ...options, scene: world.scene, rods, ...(bodies && { bodies }) };
}

/** A ball of about the size of the body: that of its solid, or the one with its inertia. */
function drawnRadius({ solid, mass = 0, inertia = [] }: BodySpec): number {
  if (solid?.type === 'sphere' || solid?.type === 'cylinder') return solid.radius;
  if (solid?.type === 'box') return Math.max(...solid.size) / 2;
  if (!(mass > 0)) return 0;
  return Math.sqrt((2.5 * (inertia[0] + inertia[1] + inertia[2])) / (3 * mass));
}

/** The current state of the world; holds views of its arrays, so encode it before the next step. */
export function recordingFrame(
  world: Pick<World, 'time' | 'samples' | 'energies' | 'channel'> & Partial<Pick<World, 'bodies'>>,
  channels: readonly Channel[] = [],
): RecordingFrame {
  return {
    time: world.time,
    energies: world.energies(),
    rods: world.samples.map(({ nodePosition, edgeDirector }, k) => ({
      nodePosition,
      edgeDirector,
      channels: Object.fromEntries(channels.map((channel) => [channel, world.channel(k, channel)])),
    })),
    ...(world.bodies && world.bodies.length > 0 && { bodies: world.bodies.map(({ pose }) => pose) }),
  };
}
