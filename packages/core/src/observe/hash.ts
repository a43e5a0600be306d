/** 64-bit FNV-1a over the bytes of the arrays (little endian), as 16 hexadecimal digits: the same state, the same digits. */
export function hashArrays(arrays: readonly Float64Array[]): string {
  // 64-bit product by the prime 2^40 + 2^8 + 0xb3, in 16-bit limbs
  let a = 0x2325;
  let b = 0x8422;
  let c = 0x9ce4;
  let d = 0xcbf2;
  for (const array of arrays) {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    for (let i = 0; i < bytes.length; i++) {
      a ^= bytes[i];
      const p0 = a * 0x1b3;
      const p1 = b * 0x1b3 + (p0 >>> 16);
      const p2 = c * 0x1b3 + (a << 8) + (p1 >>> 16);
      const p3 = d * 0x1b3 + (b << 8) + (p2 >>> 16);
      a = p0 & 0xffff;
      b = p1 & 0xffff;
      c = p2 & 0xffff;
      d = p3 & 0xffff;
    }
  }
  return [d, c, b, a].map((limb) => limb.toString(16).padStart(4, '0')).join('');
}
