/** A WebM file of one video track: the container of pictures that the browser has encoded. Clusters begin at key pictures, and are indexed. */

export interface EncodedPicture {
  readonly bytes: Uint8Array;
  /** [ms] */
  readonly time: number;
  readonly isKey: boolean;
}

export interface WebmTrack {
  readonly codec: 'V_VP8' | 'V_VP9';
  readonly width: number;
  readonly height: number;
  readonly fps: number;
}

/** Identifiers of the elements that are written. */
const ids = {
  head: 0x1a45dfa3,
  version: 0x4286,
  readVersion: 0x42f7,
  idLength: 0x42f2,
  sizeLength: 0x42f3,
  docType: 0x4282,
  docVersion: 0x4287,
  docReadVersion: 0x4285,
  segment: 0x18538067,
  info: 0x1549a966,
  timeScale: 0x2ad7b1,
  duration: 0x4489,
  muxer: 0x4d80,
  writer: 0x5741,
  tracks: 0x1654ae6b,
  track: 0xae,
  trackNumber: 0xd7,
  trackUid: 0x73c5,
  trackType: 0x83,
  lacing: 0x9c,
  codec: 0x86,
  pictureTime: 0x23e383,
  video: 0xe0,
  width: 0xb0,
  height: 0xba,
  cues: 0x1c53bb6b,
  cue: 0xbb,
  cueTime: 0xb3,
  cuePlace: 0xb7,
  cueTrack: 0xf7,
  cueOffset: 0xf1,
  cluster: 0x1f43b675,
  clusterTime: 0xe7,
  block: 0xa3,
} as const;

type Name = keyof typeof ids;

const lengthOf = (parts: readonly Uint8Array[]): number => parts.reduce((sum, { length }) => sum + length, 0);

/** Big-endian, in as many bytes. */
function integer(value: number, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, k) => Math.floor(value / 256 ** (length - 1 - k)) % 256);
}

function element(name: Name, parts: readonly Uint8Array[]): Uint8Array[] {
  const id = ids[name];
  const idLength = id > 0xffffff ? 4 : id > 0xffff ? 3 : id > 0xff ? 2 : 1;
  // sizes of eight bytes everywhere, so that the index has a length that is known before its offsets are
  const size = integer(lengthOf(parts), 8);
  size[0] = 1;
  return [integer(id, idLength), size, ...parts];
}

const number = (name: Name, value: number): Uint8Array[] => element(name, [integer(value, 8)]);
const text = (name: Name, value: string): Uint8Array[] => element(name, [new TextEncoder().encode(value)]);

function real(name: Name, value: number): Uint8Array[] {
  const bytes = new DataView(new ArrayBuffer(8));
  bytes.setFloat64(0, value);
  return element(name, [new Uint8Array(bytes.buffer)]);
}

function head(): Uint8Array[] {
  return element('head', [
    ...number('version', 1),
    ...number('readVersion', 1),
    ...number('idLength', 4),
    ...number('sizeLength', 8),
    ...text('docType', 'webm'),
    ...number('docVersion', 4),
    ...number('docReadVersion', 2),
  ]);
}

function description({ codec, width, height, fps }: WebmTrack, duration: number): Uint8Array[] {
  const info = element('info', [
    // times are milliseconds
    ...number('timeScale', 1_000_000),
    ...real('duration', duration),
    ...text('muxer', 'Tendril'),
    ...text('writer', 'Tendril'),
  ]);
  const track = element('track', [
    ...number('trackNumber', 1),
    ...number('trackUid', 1),
    ...number('trackType', 1),
    ...number('lacing', 0),
    ...text('codec', codec),
    ...number('pictureTime', Math.round(1e9 / fps)),
    ...element('video', [...number('width', width), ...number('height', height)]),
  ]);
  return [...info, ...element('tracks', track)];
}

interface Cluster {
  readonly time: number;
  readonly parts: readonly Uint8Array[];
}

/** Longest time from the first picture of a cluster to another [ms]: blocks have 16 bits for it. */
const clusterLimit = 30_000;

function clustersOf(pictures: readonly EncodedPicture[]): Cluster[] {
  const groups: EncodedPicture[][] = [];
  for (const picture of pictures) {
    const last = groups[groups.length - 1];
    if (!last || picture.isKey || picture.time - last[0].time > clusterLimit) groups.push([picture]);
    else last.push(picture);
  }
  return groups.map((group) => {
    const time = Math.round(group[0].time);
    const blocks = group.flatMap(({ bytes, time: at, isKey }) => {
      const place = integer(Math.round(at) - time, 2);
      return element('block', [Uint8Array.of(0x81, ...place, isKey ? 0x80 : 0), bytes]);
    });
    return { time, parts: element('cluster', [...number('clusterTime', time), ...blocks]) };
  });
}

function index(clusters: readonly Cluster[], offset: number): Uint8Array[] {
  let at = offset;
  const cues = clusters.flatMap(({ time, parts }) => {
    const place = element('cuePlace', [...number('cueTrack', 1), ...number('cueOffset', at)]);
    at += lengthOf(parts);
    return element('cue', [...number('cueTime', time), ...place]);
  });
  return element('cues', cues);
}

/** The parts of the file. Pictures come in the order of their times; the first is a key picture. */
export function muxWebm(track: WebmTrack, pictures: readonly EncodedPicture[]): Uint8Array[] {
  const last = pictures[pictures.length - 1]?.time ?? 0;
  const told = description(track, last + 1000 / track.fps);
  const clusters = clustersOf(pictures);
  const before = lengthOf(told) + lengthOf(index(clusters, 0));
  return [
    ...head(),
    ...element('segment', [...told, ...index(clusters, before), ...clusters.flatMap(({ parts }) => parts)]),
  ];
}
