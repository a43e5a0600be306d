/** Byte-level helpers of the binary formats, little endian: checksums, padding. */

const crcTable: Uint32Array = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});

/** CRC-32 (ISO-HDLC, as in zip and PNG): finds every burst of up to 32 wrong bits. */
export function crc32(bytes: Uint8Array): number {
  let c = 0xffffffff;
  for (let i = 0; i < bytes.length; i++) c = crcTable[(c ^ bytes[i]) & 0xff] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

/** JSON with sorted keys and without spaces: equal values, equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([x], [y]) => (x < y ? -1 : 1)))
      : item,
  );
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Sections are multiples of 8 bytes long, so that arrays of doubles in them are aligned. */
export function align8(size: number): number {
  return Math.ceil(size / 8) * 8;
}

/** Writes the checksum of all but the last four bytes into them. */
export function sealSection(section: Uint8Array): number {
  const body = section.length - 4;
  const sum = crc32(section.subarray(0, body));
  viewOf(section).setUint32(body, sum, true);
  return sum;
}

/** True if the last four bytes are the checksum of the others. */
export function isSealed(section: Uint8Array): boolean {
  const body = section.length - 4;
  return viewOf(section).getUint32(body, true) === crc32(section.subarray(0, body));
}

const littleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** Copies numbers into bytes at an offset; returns the offset after them. */
export function putF64(out: Uint8Array, offset: number, values: ArrayLike<number>): number {
  if (littleEndian && values instanceof Float64Array) {
    out.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), offset);
  } else {
    const view = viewOf(out);
    for (let i = 0; i < values.length; i++) view.setFloat64(offset + 8 * i, values[i], true);
  }
  return offset + 8 * values.length;
}

export function putF32(out: Uint8Array, offset: number, values: ArrayLike<number>): number {
  const view = viewOf(out);
  for (let i = 0; i < values.length; i++) view.setFloat32(offset + 4 * i, values[i], true);
  return offset + 4 * values.length;
}

export function getF64(bytes: Uint8Array, offset: number, count: number): Float64Array {
  const out = new Float64Array(count);
  if (littleEndian) {
    new Uint8Array(out.buffer).set(bytes.subarray(offset, offset + 8 * count));
  } else {
    const view = viewOf(bytes);
    for (let i = 0; i < count; i++) out[i] = view.getFloat64(offset + 8 * i, true);
  }
  return out;
}

export function getF32(bytes: Uint8Array, offset: number, count: number): Float64Array {
  const out = new Float64Array(count);
  const view = viewOf(bytes);
  for (let i = 0; i < count; i++) out[i] = view.getFloat32(offset + 4 * i, true);
  return out;
}
