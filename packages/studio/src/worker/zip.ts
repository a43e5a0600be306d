/** Several files as one: a ZIP without compression. */

const table = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

function crc32(bytes: Uint8Array): number {
  let c = 0xffffffff;
  for (const byte of bytes) c = table[(c ^ byte) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

/** Of 1 January 1980, the first that the format knows: the same files give the same bytes. */
const date = 0x0021;

export function zip(files: readonly { readonly name: string; readonly bytes: Uint8Array }[]): Uint8Array[] {
  const parts: Uint8Array[] = [];
  const list: Uint8Array[] = [];
  let offset = 0;
  for (const { name, bytes } of files) {
    const letters = new TextEncoder().encode(name);
    const common = new DataView(new ArrayBuffer(26));
    common.setUint16(0, 20, true);
    // names are UTF-8
    common.setUint16(2, 0x0800, true);
    common.setUint16(8, date, true);
    common.setUint32(10, crc32(bytes), true);
    common.setUint32(14, bytes.length, true);
    common.setUint32(18, bytes.length, true);
    common.setUint16(22, letters.length, true);
    const head = Uint8Array.from([0x50, 0x4b, 3, 4, ...new Uint8Array(common.buffer), ...letters]);
    parts.push(head, bytes);
    const tail = new DataView(new ArrayBuffer(14));
    tail.setUint32(10, offset, true);
    list.push(
      Uint8Array.from([
        0x50,
        0x4b,
        1,
        2,
        20,
        0,
        ...new Uint8Array(common.buffer),
        ...new Uint8Array(tail.buffer),
        ...letters,
      ]),
    );
    offset += head.length + bytes.length;
  }
  const size = list.reduce((sum, { length }) => sum + length, 0);
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(8, files.length, true);
  end.setUint16(10, files.length, true);
  end.setUint32(12, size, true);
  end.setUint32(16, offset, true);
  return [...parts, ...list, new Uint8Array(end.buffer)];
}
