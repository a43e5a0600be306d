/**
 * Writes Ogawa, the container of Alembic files (.abc): groups of groups and data, each named by its position in the file. Sizes are known
 * before anything is written, so a file is written in one pass, one piece of data at a time. Little endian.
 */
import { viewOf } from '../bytes.ts';

/** Bytes that are made when they are written. */
export interface OgawaData {
  readonly size: number;
  bytes(): Uint8Array;
}

export interface OgawaGroup {
  readonly children: readonly (OgawaGroup | OgawaData)[];
}

const dataBit = 1n << 63n;
const headSize = 16;

export function dataOf(bytes: Uint8Array): OgawaData {
  return { size: bytes.length, bytes: () => bytes };
}

export function joinBytes(...parts: readonly ArrayBufferView[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const { buffer, byteOffset, byteLength } of parts) {
    out.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += byteLength;
  }
  return out;
}

/** Children come before the group that refers to them; empty ones occupy no space. */
export function* writeOgawa(root: OgawaGroup): Generator<Uint8Array> {
  const pieces: { readonly size: number; make(): Uint8Array }[] = [];
  let end = headSize;
  const put = (size: number, make: () => Uint8Array): bigint => {
    const at = end;
    pieces.push({ size, make });
    end += size;
    return BigInt(at);
  };
  const place = (node: OgawaGroup | OgawaData): bigint => {
    if ('children' in node) {
      if (node.children.length === 0) return 0n;
      const list = [BigInt(node.children.length), ...node.children.map(place)];
      return put(8 * list.length, () => new Uint8Array(BigUint64Array.from(list).buffer));
    }
    if (node.size === 0) return dataBit;
    return dataBit | put(8 + node.size, () => joinBytes(BigUint64Array.of(BigInt(node.size)), node.bytes()));
  };
  const first = place(root);
  const head = new Uint8Array(headSize);
  head.set(new TextEncoder().encode('Ogawa'));
  // complete, version 1
  head.set([0xff, 0, 1], 5);
  viewOf(head).setBigUint64(8, first, true);
  yield head;
  for (const { size, make } of pieces) {
    const bytes = make();
    if (bytes.length !== size) throw new RangeError(`a piece has ${bytes.length} bytes where ${size} were announced`);
    yield bytes;
  }
}
