/**
 * Hairstyles and their motion as files.
 *
 * Both begin with a header (see container.ts). In a hairstyle (letters TSTY), one section of doubles follows, little endian. Guides: position,
 * normal, side and colour of the roots, tangent, d1 and axis (3 each), length (1), natural and present curvature (3 per element). Hairs:
 * position, normal, side and colour of the roots. In version 2 the skin: positions (3 per vertex) and corners (3 per triangle). In version 3
 * texture coordinates (2) and sections (1) of the roots, of guides and hairs each. Then 4 zero bytes and the CRC-32 of the section. A style is written in the oldest version
 * that holds it.
 *
 * In a motion (letters TMOT), frames of equal size follow: time, then root position, tangent, d1 and curvature of all guides, as
 * doubles; then 4 zero bytes and the CRC-32 of the frame.
 */
import type { Coordinates, Hairstyle, Roots } from '@tendril-sim/core';
import { getF64, isSealed, putF64, sealSection } from './bytes.ts';
import { binaryError, decodeHead, encodeHead, type Format } from './container.ts';

/** Version of the hairstyle format. */
export const hairstyleVersion: number = 3;
const styleFormat: Format = { noun: 'hairstyle', letters: 'TSTY', version: hairstyleVersion };
const bareFormat: Format = { ...styleFormat, version: 1 };
const skinFormat: Format = { ...styleFormat, version: 2 };
/** Version of the motion format. */
export const motionVersion: number = 1;
const motionFormat: Format = { noun: 'motion', letters: 'TMOT', version: motionVersion };

interface StyleHeader extends Pick<Hairstyle, 'hair' | 'fiber' | 'gravity' | 'elements' | 'hairOptions'> {
  /** Version of the program that saved. */
  readonly version: string;
  readonly guides: number;
  readonly hairs: number;
  /** Vertices and triangles of the skin. */
  readonly skin?: readonly [number, number];
  /** True if texture coordinates of the roots follow, and their sections. */
  readonly uv?: boolean;
  readonly section?: boolean;
}

const rootArrays = ['position', 'normal', 'side', 'color'] as const;

/** Arrays that not all roots have, and their numbers per root. */
const moreArrays = [
  { name: 'uv', per: 2 },
  { name: 'section', per: 1 },
] as const;

function arraysOf(style: Hairstyle): ArrayLike<number>[] {
  const { guideRoots, hairRoots, skin } = style;
  return [
    ...rootArrays.map((name) => guideRoots[name]),
    style.rootTangent,
    style.rootDirector,
    style.axis,
    style.length,
    style.natural,
    style.curvature,
    ...(hairRoots ? rootArrays.map((name) => hairRoots[name]) : []),
    ...(skin ? [skin.position, Float64Array.from(skin.triangle)] : []),
    ...moreArrays.flatMap(({ name }) => [guideRoots[name] ?? [], hairRoots?.[name] ?? []]),
  ];
}

/** Writes a hairstyle as bytes. */
export function encodeHairstyle(style: Hairstyle, version: string): Uint8Array {
  const { hair, fiber, gravity, elements, hairOptions, guideRoots, hairRoots, skin } = style;
  const more = moreArrays.filter(({ name }) => guideRoots[name]);
  for (const { name } of moreArrays)
    if (hairRoots && Boolean(hairRoots[name]) !== Boolean(guideRoots[name]))
      throw new RangeError(`guides and hairs must both have ${name}, or neither`);
  const header: StyleHeader = {
    version,
    ...(hair && { hair }),
    fiber,
    gravity,
    elements,
    guides: guideRoots.count,
    hairs: hairRoots?.count ?? 0,
    ...(hairOptions && { hairOptions }),
    ...(skin && { skin: [skin.position.length / 3, skin.triangle.length / 3] as const }),
    ...Object.fromEntries(more.map(({ name }) => [name, true])),
  };
  const head = encodeHead(more.length > 0 ? styleFormat : skin ? skinFormat : bareFormat, header);
  const arrays = arraysOf(style);
  const out = new Uint8Array(head.length + arrays.reduce((sum, { length }) => sum + 8 * length, 8));
  out.set(head);
  const body = out.subarray(head.length);
  let offset = 0;
  for (const values of arrays) offset = putF64(body, offset, values);
  sealSection(body);
  return out;
}

/** Reads a hairstyle from bytes; throws `InputError`. */
export function decodeHairstyle(bytes: Uint8Array, source: string): Hairstyle {
  const format = [bareFormat, skinFormat].find(({ version }) => bytes.length > 12 && bytes[8] === version);
  const head = decodeHead(format ?? styleFormat, bytes, source);
  const header = checkStyle(head.header, source);
  const { guides, hairs, elements } = header;
  const [vertices, triangles] = header.skin ?? [0, 0];
  const moreCount = moreArrays.reduce((sum, { name, per }) => sum + (header[name] ? per * (guides + hairs) : 0), 0);
  const size = 8 * ((3 * 7 + 1 + 6 * elements) * guides + 12 * hairs + 3 * (vertices + triangles) + moreCount) + 8;
  const body = bytes.subarray(head.size);
  checkBody(body, size, head.size, bytes.length, source, 'hairstyle');
  let offset = 0;
  const take = (count: number): Float64Array => {
    const values = getF64(body, offset, count);
    const wrong = values.findIndex((value) => !Number.isFinite(value));
    if (wrong >= 0)
      throw binaryError(
        source,
        head.size + offset + 8 * wrong,
        'the hairstyle holds what is not a number; make it anew',
      );
    offset += 8 * count;
    return values;
  };
  const takeRoots = (count: number): Roots => ({
    count,
    position: take(3 * count),
    normal: take(3 * count),
    side: take(3 * count),
    color: take(3 * count),
  });
  const { hair, fiber, gravity, hairOptions } = header;
  // properties are read in the order they are written here
  const style = {
    ...(hair && { hair }),
    fiber,
    gravity,
    elements,
    guideRoots: takeRoots(guides),
    rootTangent: take(3 * guides),
    rootDirector: take(3 * guides),
    axis: take(3 * guides),
    length: take(guides),
    natural: take(3 * elements * guides),
    curvature: take(3 * elements * guides),
  };
  const short = style.length.findIndex((value) => !(value > 0));
  if (short >= 0) throw binaryError(source, head.size, `guide ${short} of the hairstyle has no length; make it anew`);
  const withHairs = { ...style, ...(hairs > 0 && { hairRoots: takeRoots(hairs), hairOptions: hairOptions ?? {} }) };
  if (!header.skin) return takeMore(withHairs, header, take);
  const position = take(3 * vertices);
  const triangle = Uint32Array.from(take(3 * triangles));
  if (triangle.some((vertex) => vertex >= vertices))
    throw binaryError(
      source,
      head.size,
      'the skin of the hairstyle names a vertex that it does not have; make it anew',
    );
  return takeMore({ ...withHairs, skin: { position, triangle } }, header, take);
}

/** What not all roots have, if the file has it. */
function takeMore(style: Hairstyle, header: StyleHeader, take: (count: number) => Float64Array): Hairstyle {
  let { guideRoots, hairRoots } = style;
  for (const { name, per } of moreArrays) {
    if (!header[name]) continue;
    guideRoots = { ...guideRoots, [name]: take(per * guideRoots.count) };
    hairRoots &&= { ...hairRoots, [name]: take(per * hairRoots.count) };
  }
  return { ...style, guideRoots, ...(hairRoots && { hairRoots }) };
}

function checkBody(body: Uint8Array, size: number, start: number, total: number, source: string, noun: string): void {
  if (body.length < size) {
    throw binaryError(
      source,
      total,
      `the ${noun} is truncated: ${start + size} bytes expected, ${total} found; copy the file again`,
    );
  }
  if (body.length > size)
    throw binaryError(
      source,
      start + size,
      `${body.length - size} bytes follow the end of the ${noun}; copy the file again`,
    );
  if (!isSealed(body))
    throw binaryError(source, start, `the ${noun} does not match its checksum: it is corrupted; copy the file again`);
}

const isCount = (n: unknown): boolean => Number.isSafeInteger(n) && (n as number) >= 0 && (n as number) < 2 ** 31;
const isPositive = (n: unknown): boolean => typeof n === 'number' && n > 0 && Number.isFinite(n);

/** A valid checksum shows that the header is as written, not that this program wrote it. */
function checkStyle(value: unknown, source: string): StyleHeader {
  const header = value as Partial<StyleHeader> | null;
  const fiber = header?.fiber as Partial<Hairstyle['fiber']> | undefined;
  const sound =
    typeof header === 'object' &&
    header !== null &&
    typeof header.version === 'string' &&
    isCount(header.guides) &&
    isCount(header.hairs) &&
    isCount(header.elements) &&
    (header.elements as number) > 0 &&
    (header.guides as number) > 0 &&
    Array.isArray(header.gravity) &&
    header.gravity.length === 3 &&
    header.gravity.every(Number.isFinite) &&
    (header.skin === undefined ||
      (Array.isArray(header.skin) && header.skin.length === 2 && header.skin.every(isCount))) &&
    fiber !== undefined &&
    [fiber.a, fiber.b, fiber.E, fiber.G, fiber.density].every(isPositive);
  if (!sound) throw binaryError(source, 16, 'the header of the hairstyle lacks fields it must have; make it anew');
  return header as StyleHeader;
}

/** Header of a motion file. */
export interface MotionHeader {
  /** Version of the program that recorded. */
  readonly version: string;
  /** Number of guides. */
  readonly guides: number;
  /** Helical elements per guide. */
  readonly elements: number;
}

/** Roots, frames and curvatures of all guides at one instant. */
export interface MotionFrame extends Coordinates {
  /** [s] */
  readonly time: number;
}

/** Motion of the guides of a hairstyle. */
export interface Motion {
  /** What the file says about itself. */
  readonly header: MotionHeader;
  /** Number of frames. */
  readonly frameCount: number;
  /** Decodes one frame, counted from 0. */
  frame(index: number): MotionFrame;
}

function motionFrameSize({ guides, elements }: MotionHeader): number {
  return 8 * (1 + (9 + 3 * elements) * guides) + 8;
}

/** Writes the head of a motion file as bytes. */
export function encodeMotionHead(header: MotionHeader): Uint8Array {
  return encodeHead(motionFormat, header);
}

/** Writes one frame of a motion as bytes. */
export function encodeMotionFrame(header: MotionHeader, frame: MotionFrame): Uint8Array {
  const out = new Uint8Array(motionFrameSize(header));
  let offset = putF64(out, 0, [frame.time]);
  for (const values of [frame.rootPosition, frame.rootTangent, frame.rootDirector, frame.curvature])
    offset = putF64(out, offset, values);
  if (offset !== out.length - 8) throw new RangeError('the frame does not fit the header of the motion');
  sealSection(out);
  return out;
}

/** Frames are decoded, and checked, on request. */
export function decodeMotion(bytes: Uint8Array, source: string): Motion {
  const head = decodeHead(motionFormat, bytes, source);
  const header = head.header as MotionHeader;
  if (!isCount(header?.guides) || !isCount(header?.elements) || header.guides === 0 || header.elements === 0)
    throw binaryError(source, 16, 'the header of the motion lacks fields it must have; make it anew');
  const size = motionFrameSize(header);
  const frameCount = Math.floor((bytes.length - head.size) / size);
  if (head.size + frameCount * size !== bytes.length)
    throw binaryError(source, bytes.length, `the motion is truncated within frame ${frameCount}; copy the file again`);
  return {
    header,
    frameCount,
    frame(index) {
      if (!Number.isInteger(index) || index < 0 || index >= frameCount)
        throw new RangeError(`frame ${index} is outside 0…${frameCount - 1}`);
      const start = head.size + index * size;
      const section = bytes.subarray(start, start + size);
      if (!isSealed(section))
        throw binaryError(source, start, `frame ${index} does not match its checksum: the motion is corrupted`);
      const { guides, elements } = header;
      const at = (part: number): Float64Array => getF64(section, 8 + 24 * guides * part, 3 * guides);
      return {
        time: getF64(section, 0, 1)[0],
        rootPosition: at(0),
        rootTangent: at(1),
        rootDirector: at(2),
        curvature: getF64(section, 8 + 72 * guides, 3 * elements * guides),
      };
    },
  };
}
