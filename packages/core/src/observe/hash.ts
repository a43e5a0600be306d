/** 64-bit FNV-1a, in 16-bit limbs because numbers have 53 bits. Equal bytes give equal digits. */
export interface Hash {
  /** Appends bytes. */
  add(bytes: Uint8Array): void;
  /** 16 hexadecimal digits of all that was added so far. */
  digits(): string;
}

/** Creates a 64-bit FNV-1a hash. */
export function createHash(): Hash {
  let a = 0x2325;
  let b = 0x8422;
  let c = 0x9ce4;
  let d = 0xcbf2;
  return {
    // product with the prime 2⁴⁰ + 2⁸ + 0xb3
    add(bytes) {
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
    },
    digits: () => [d, c, b, a].map((limb) => limb.toString(16).padStart(4, '0')).join(''),
  };
}

/** Hash of the bytes of arrays (little endian). */
export function hashArrays(arrays: readonly Float64Array[]): string {
  const hash = createHash();
  for (const array of arrays) hash.add(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  return hash.digits();
}
