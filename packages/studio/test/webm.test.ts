/** The container of films: what is written, as a reader of WebM finds it. */
import { expect, it } from 'vitest';
import { type EncodedPicture, muxWebm } from '../src/webm.ts';

interface Element {
  readonly id: number;
  /** Of its content, and of the element itself. */
  readonly from: number;
  readonly to: number;
  readonly begin: number;
}

/** The elements of a part of the file; sizes and identifiers as the format defines them, not as they are written. */
function read(bytes: Uint8Array, from: number, to: number): Element[] {
  const list: Element[] = [];
  for (let at = from; at < to; ) {
    const begin = at;
    const idLength = Math.clz32(bytes[at]) - 23;
    let id = 0;
    for (let k = 0; k < idLength; k++) id = id * 256 + bytes[at++];
    const sizeLength = Math.clz32(bytes[at]) - 23;
    let size = bytes[at++] & (0xff >> sizeLength);
    for (let k = 1; k < sizeLength; k++) size = size * 256 + bytes[at++];
    list.push({ id, from: at, to: at + size, begin });
    at += size;
  }
  expect(list[list.length - 1]?.to ?? from).toBe(to);
  return list;
}

const numberOf = (bytes: Uint8Array, { from, to }: Element): number =>
  bytes.subarray(from, to).reduce((sum, byte) => sum * 256 + byte, 0);

const pictures: EncodedPicture[] = Array.from({ length: 130 }, (_, k) => ({
  bytes: Uint8Array.of(k, 1, 2),
  time: (k * 1000) / 24,
  isKey: k % 60 === 0,
}));
const parts = muxWebm({ codec: 'V_VP9', width: 640, height: 360, fps: 24 }, pictures);
const file = Uint8Array.from(parts.flatMap((part) => [...part]));
const [, segment] = read(file, 0, file.length);
const children = read(file, segment.from, segment.to);
const all = (id: number, within: readonly Element[] = children): Element[] => within.filter((one) => one.id === id);
const inside = (one: Element): Element[] => read(file, one.from, one.to);

it('holds every picture at its time, key pictures marked', () => {
  const found = all(0x1f43b675).flatMap((cluster) => {
    const [time, ...blocks] = inside(cluster);
    return blocks.map(({ from, to }) => ({
      time: numberOf(file, time) + file[from + 1] * 256 + file[from + 2],
      isKey: (file[from + 3] & 0x80) !== 0,
      bytes: [...file.subarray(from + 4, to)],
    }));
  });
  expect(found).toEqual(
    pictures.map(({ bytes, time, isKey }) => ({ time: Math.round(time), isKey, bytes: [...bytes] })),
  );
});

it('leads a player to the clusters, and tells size, codec and duration', () => {
  const clusters = all(0x1f43b675);
  expect(clusters).toHaveLength(3);
  const offsets = inside(all(0x1c53bb6b)[0]).map((cue) => {
    const [, place] = inside(cue);
    return numberOf(file, inside(place)[1]);
  });
  expect(offsets).toEqual(clusters.map(({ begin }) => begin - segment.from));
  const track = inside(inside(all(0x1654ae6b)[0])[0]);
  const [video] = all(0xe0, track);
  expect(inside(video).map((one) => numberOf(file, one))).toEqual([640, 360]);
  const [codec] = all(0x86, track);
  expect(new TextDecoder().decode(file.subarray(codec.from, codec.to))).toBe('V_VP9');
  const [duration] = all(0x4489, inside(all(0x1549a966)[0]));
  expect(new DataView(file.buffer).getFloat64(duration.from)).toBeCloseTo((130 / 24) * 1000, 9);
});
