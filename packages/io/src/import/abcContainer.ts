/**
 * Reads Alembic archives (.abc) in their Ogawa form: objects with properties, and samples of properties in time. Headers are read immediately, samples
 * on demand. Every position is checked against the size of the file.
 */
import { viewOf } from '../bytes.ts';
import { InputError } from '../errors.ts';

export interface AbcProperty {
  readonly name: string;
  /** Properties of a compound, by name. */
  readonly properties: ReadonlyMap<string, AbcProperty>;
  readonly extent: number;
  /** Number of samples; those after the last change are not counted, so that a constant property has one. 0 for a compound. */
  readonly sampleCount: number;
  /** Time of a sample [s]. */
  timeOf(sample: number): number;
  /** Values of a sample; throws InputError if they are not numbers. */
  numbers(sample: number): Float64Array;
}

export interface AbcObject {
  readonly name: string;
  /** Such as `AbcGeom_PolyMesh_v1`; empty if it has none. */
  readonly schema: string;
  readonly properties: ReadonlyMap<string, AbcProperty>;
  readonly children: readonly AbcObject[];
}

export interface AbcArchive {
  /** Name of the program that wrote the file, as far as the file has it. */
  readonly application: string;
  readonly top: AbcObject;
}

const dataBit = 1n << 63n;
const depthLimit = 200;

type Place = bigint;

/** The container: groups of groups and data, each named by its position in the file. */
interface Container {
  readonly source: string;
  readonly root: Place;
  children(group: Place): Place[];
  data(place: Place): Uint8Array;
  fail(message: string): InputError;
}

export function isAlembic(bytes: Uint8Array, source: string): boolean {
  return /\.abc$/i.test(source) || String.fromCharCode(...bytes.subarray(0, 5)) === 'Ogawa';
}

function openContainer(bytes: Uint8Array, source: string): Container {
  const fail = (message: string): InputError => new InputError(source, message);
  const magic = String.fromCharCode(...bytes.subarray(0, 5));
  if (bytes[0] === 0x89 && magic.slice(1, 4) === 'HDF')
    throw fail('this Alembic file is in the old HDF5 form; convert it: abcconvert -toOgawa in.abc out.abc');
  if (magic !== 'Ogawa' || bytes.length < 16) throw fail('this is not an Alembic file: it does not begin with "Ogawa"');
  if (bytes[5] !== 0xff)
    throw fail('this Alembic file is incomplete: the program that wrote it did not finish; export it again');
  const view = viewOf(bytes);
  // a file has fewer groups than this, unless groups are shared or contain themselves
  let groupsLeft = bytes.length / 8;
  const sizeAt = (at: number, unit: number): number => {
    const size = at + 8 <= bytes.length ? Number(view.getBigUint64(at, true)) : 0;
    const end = at + 8 + unit * size;
    if (end > bytes.length)
      throw fail(
        `the Alembic file is truncated or damaged: it has ${bytes.length} bytes and refers to byte ${end}; copy or export it again`,
      );
    return size;
  };
  return {
    source,
    root: view.getBigUint64(8, true),
    fail,
    children(group) {
      if (group === 0n || group & dataBit) return [];
      if (--groupsLeft < 0) throw fail('the Alembic file is damaged: its groups contain each other');
      const at = Number(group);
      return Array.from({ length: sizeAt(at, 8) }, (_, k) => view.getBigUint64(at + 8 + 8 * k, true));
    },
    data(place) {
      if (!(place & dataBit)) throw fail('the Alembic file is damaged: a group stands where data is expected');
      const at = Number(place & (dataBit - 1n));
      return at === 0 ? new Uint8Array(0) : bytes.subarray(at + 8, at + 8 + sizeAt(at, 1));
    },
  };
}

/** Reads an archive. Throws InputError. */
export function readAlembic(bytes: Uint8Array, source: string): AbcArchive {
  const file = openContainer(bytes, source);
  const [, , top, about, sampling, metadata] = file.children(file.root);
  if (metadata === undefined) throw file.fail('the Alembic file is damaged: its root has too few entries');
  const archive: Archive = {
    ...file,
    metadata: readMetadata(cursorOf(file, metadata)),
    samplings: readSamplings(cursorOf(file, sampling)),
  };
  const application = /_ai_Application=([^;]*)/.exec(new TextDecoder().decode(file.data(about)))?.[1] ?? '';
  return { application, top: readObject(archive, top, { name: '', metadata: '' }, 0) };
}

interface Sampling {
  readonly perCycle: number;
  readonly times: readonly number[];
}

interface Archive extends Container {
  /** Texts that headers refer to by number. */
  readonly metadata: readonly string[];
  readonly samplings: readonly Sampling[];
}

/** Reads small numbers and texts one after the other. */
interface Cursor {
  readonly more: boolean;
  /** A whole number of 1, 2 or 4 bytes. */
  whole(size: number): number;
  real(): number;
  text(length: number): string;
}

function cursorOf({ data, fail }: Container, place: Place, unread = 0): Cursor {
  const bytes = data(place);
  const view = viewOf(bytes);
  const end = bytes.length - unread;
  let at = 0;
  const advance = (size: number): number => {
    if (at + size > end) throw fail('the Alembic file is damaged: a header is too short');
    at += size;
    return at - size;
  };
  return {
    get more() {
      return at < end;
    },
    whole(size) {
      const from = advance(size);
      return size === 1 ? view.getUint8(from) : size === 2 ? view.getUint16(from, true) : view.getUint32(from, true);
    },
    real: () => view.getFloat64(advance(8), true),
    text(length) {
      const from = advance(length);
      return new TextDecoder().decode(bytes.subarray(from, from + length));
    },
  };
}

function readMetadata(cursor: Cursor): string[] {
  const out = [''];
  while (cursor.more) out.push(cursor.text(cursor.whole(1)));
  return out;
}

function readSamplings(cursor: Cursor): Sampling[] {
  const out: Sampling[] = [];
  while (cursor.more) {
    cursor.whole(4);
    const perCycle = cursor.real();
    const count = cursor.whole(4);
    out.push({ perCycle, times: Array.from({ length: count }, () => cursor.real()) });
  }
  return out;
}

/** More samples than this are a sign of damage. */
const sampleLimit = 1_000_000;

/** Time of a sample: the stored times, cycle after cycle; an acyclic sampling stores all of them. */
function timeOf({ perCycle, times }: Sampling, sample: number, fail: Container['fail']): number {
  const isAcyclic = perCycle > 1e300;
  const cycle = isAcyclic ? 0 : Math.floor(sample / times.length);
  const stored = times[sample - cycle * times.length];
  if (stored === undefined) throw fail(`the Alembic file is damaged: sample ${sample} has no time`);
  return cycle === 0 ? stored : stored + cycle * perCycle;
}

interface Named {
  readonly name: string;
  readonly metadata: string;
}

function readObject(archive: Archive, place: Place, { name, metadata }: Named, depth: number): AbcObject {
  if (depth > depthLimit) throw archive.fail('objects of the Alembic file are nested too deeply');
  const parts = archive.children(place);
  const last = parts[parts.length - 1] ?? 0n;
  // 32 bytes of hashes follow the headers
  const headers = last & dataBit ? readObjectHeaders(archive, cursorOf(archive, last, 32)) : [];
  return {
    name,
    schema: /(?:^|;)schema=([^;]*)/.exec(metadata)?.[1] ?? '',
    properties: parts.length > 0 && !(parts[0] & dataBit) ? readCompound(archive, parts[0], depth) : new Map(),
    children: headers.map((header, k) => readObject(archive, parts[k + 1] ?? 0n, header, depth + 1)),
  };
}

function readObjectHeaders(archive: Archive, cursor: Cursor): Named[] {
  const out: Named[] = [];
  while (cursor.more) {
    const name = cursor.text(cursor.whole(4));
    const index = cursor.whole(1);
    out.push({ name, metadata: index === 0xff ? cursor.text(cursor.whole(4)) : (archive.metadata[index] ?? '') });
  }
  return out;
}

interface Header {
  readonly name: string;
  readonly isCompound: boolean;
  readonly isScalar: boolean;
  readonly pod: number;
  readonly extent: number;
  readonly sampling: number;
  /** The first sample that differs from sample 0, and the last that differs from the one before it; both 0: none. */
  readonly firstChange: number;
  readonly lastChange: number;
}

function readCompound(archive: Archive, place: Place, depth: number): Map<string, AbcProperty> {
  if (depth > depthLimit) throw archive.fail('properties of the Alembic file are nested too deeply');
  const parts = archive.children(place);
  const out = new Map<string, AbcProperty>();
  if (parts.length === 0) return out;
  const cursor = cursorOf(archive, parts[parts.length - 1]);
  for (let k = 0; cursor.more; k++) {
    const header = readPropertyHeader(archive, cursor);
    out.set(header.name, propertyOf(archive, header, parts[k] ?? 0n, depth));
  }
  return out;
}

/** Bits of a header: type 0–1, size of its numbers 2–3, type of its values 4–7, extent 12–19, metadata 20–27. */
function readPropertyHeader(archive: Archive, cursor: Cursor): Header {
  const info = cursor.whole(4);
  const size = [1, 2, 4, 4][(info >> 2) & 3];
  const isCompound = (info & 3) === 0;
  const count = isCompound ? 0 : cursor.whole(size);
  const hasChanges = !isCompound && (info & 0x200) !== 0;
  const isConstant = (info & 0x800) !== 0 || count < 2;
  const firstChange = hasChanges ? cursor.whole(size) : isConstant ? 0 : 1;
  const lastChange = hasChanges ? cursor.whole(size) : isConstant ? 0 : count - 1;
  const sampling = !isCompound && info & 0x100 ? cursor.whole(size) : 0;
  const name = cursor.text(cursor.whole(size));
  if (lastChange > sampleLimit)
    throw archive.fail(`'${name}' has ${lastChange} samples; ${sampleLimit} are read at most`);
  if (((info >>> 20) & 0xff) === 0xff) cursor.text(cursor.whole(size));
  return {
    name,
    isCompound,
    isScalar: (info & 3) === 1,
    pod: (info >> 4) & 15,
    extent: (info >> 12) & 0xff,
    sampling,
    firstChange,
    lastChange,
  };
}

function propertyOf(archive: Archive, header: Header, place: Place, depth: number): AbcProperty {
  const { name, isCompound, isScalar, pod, extent, firstChange, lastChange } = header;
  const parts = isCompound ? [] : archive.children(place);
  const isConstant = firstChange === 0 && lastChange === 0;
  return {
    name,
    extent,
    sampleCount: isCompound ? 0 : lastChange + 1,
    timeOf: (sample) => timeOf(archive.samplings[header.sampling] ?? { perCycle: 1, times: [0] }, sample, archive.fail),
    properties: isCompound ? readCompound(archive, place, depth + 1) : new Map(),
    numbers(sample) {
      const stored = isConstant || sample < firstChange ? 0 : Math.min(sample, lastChange) - firstChange + 1;
      // arrays have their dimensions beside them
      const found = parts[isScalar ? stored : 2 * stored];
      if (found === undefined) throw archive.fail(`the Alembic file is damaged: a sample of '${name}' is missing`);
      const bytes = archive.data(found);
      const decode = decoders[pod];
      if (!decode) throw archive.fail(`'${name}' holds no numbers`);
      const [width, read] = decode;
      const view = viewOf(bytes);
      // 16 bytes of a key come first
      return Float64Array.from({ length: Math.max(0, Math.floor((bytes.length - 16) / width)) }, (_, k) =>
        read(view, 16 + width * k),
      );
    },
  };
}

/** By Alembic's number of a type: its size, and how it is read. Strings have none. */
const decoders: readonly (readonly [number, (view: DataView, at: number) => number] | undefined)[] = [
  [1, (view, at) => view.getUint8(at)],
  [1, (view, at) => view.getUint8(at)],
  [1, (view, at) => view.getInt8(at)],
  [2, (view, at) => view.getUint16(at, true)],
  [2, (view, at) => view.getInt16(at, true)],
  [4, (view, at) => view.getUint32(at, true)],
  [4, (view, at) => view.getInt32(at, true)],
  [8, (view, at) => Number(view.getBigUint64(at, true))],
  [8, (view, at) => Number(view.getBigInt64(at, true))],
  undefined,
  [4, (view, at) => view.getFloat32(at, true)],
  [8, (view, at) => view.getFloat64(at, true)],
];
