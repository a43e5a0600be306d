/**
 * The scene in the address: compressed, in the fragment, which no server ever sees. A link comes from anywhere, so what it
 * inflates to is limited: half a megabyte can become half a gigabyte.
 */

/** Bytes of text in a link at most; larger scenes are opened as files. */
export const linkTextLimit: number = 4 * 2 ** 20;

/** A link whose text is too long; no fault of its letters. */
export class LinkTooLong extends Error {
  constructor() {
    super(`the link holds more than ${linkTextLimit / 2 ** 20} MB of text`);
    this.name = 'LinkTooLong';
  }
}

async function pipe(bytes: Uint8Array, through: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const reader = new Blob([bytes as BlobPart]).stream().pipeThrough(through).getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    size += value.length;
    if (size > linkTextLimit) {
      await reader.cancel();
      throw new LinkTooLong();
    }
  }
  const out = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    out.set(chunk, at);
    at += chunk.length;
  }
  return out;
}

/** Throws LinkTooLong for text that `unpackText` would refuse. */
export async function packText(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > linkTextLimit) throw new LinkTooLong();
  const packed = await pipe(bytes, new CompressionStream('deflate-raw'));
  let letters = '';
  for (const byte of packed) letters += String.fromCharCode(byte);
  return btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** Throws LinkTooLong where there is more text than a link may hold. */
export async function unpackText(packed: string): Promise<string> {
  const letters = atob(packed.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  return new TextDecoder().decode(await pipe(bytes, new DecompressionStream('deflate-raw')));
}
