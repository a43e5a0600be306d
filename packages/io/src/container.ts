/**
 * The header that recordings and states share: signature, version, JSON header, checksum.
 *
 *   offset  size  what
 *        0     8  signature: 0x89, four letters, CR LF, 0x1a (a transfer that converts line ends damages it detectably)
 *        8     4  u32 version of the format
 *       12     4  u32 length of the JSON header in bytes
 *       16     n  the JSON header, UTF-8, then zeros up to a multiple of 8 less 4
 *      end     4  u32 CRC-32 of all bytes before it
 *
 * All numbers are little endian.
 */
import { align8, isSealed, sealSection, viewOf } from './bytes.ts';
import { InputError } from './errors.ts';

export interface Format {
  /** `recording` or `state`, for messages. */
  readonly noun: string;
  readonly letters: string;
  readonly version: number;
}

const fixed = 16;

function signature(letters: string): number[] {
  return [0x89, ...[...letters].map((letter) => letter.charCodeAt(0)), 0x0d, 0x0a, 0x1a];
}

export function encodeHead(format: Format, header: unknown): Uint8Array {
  const json = new TextEncoder().encode(JSON.stringify(header));
  const head = new Uint8Array(align8(fixed + json.length + 4));
  head.set(signature(format.letters));
  viewOf(head).setUint32(8, format.version, true);
  viewOf(head).setUint32(12, json.length, true);
  head.set(json, fixed);
  sealSection(head);
  return head;
}

/** Number of bytes of a source's header, from its first bytes: what decodeHead needs. */
export function headSizeOf(source: {
  readonly size: number;
  read(offset: number, length: number): Uint8Array;
}): number {
  if (source.size < fixed) return source.size;
  return Math.min(source.size, align8(fixed + viewOf(source.read(12, 4)).getUint32(0, true) + 4));
}

/** An error in a binary file. The message gives the byte offset and the remedy. */
export function binaryError(source: string, offset: number, message: string): InputError {
  return new InputError(source, [{ offset, message: `${message} (at byte ${offset})` }]);
}

export function decodeHead(format: Format, bytes: Uint8Array, source: string): { header: unknown; size: number } {
  const { noun } = format;
  const expected = signature(format.letters);
  if (bytes.length === 0) throw binaryError(source, 0, `the file is empty; expected a Tendril ${noun}`);
  const wrong = expected.findIndex((byte, k) => k < bytes.length && bytes[k] !== byte);
  if (wrong >= 5) {
    throw binaryError(source, wrong, `the ${noun} was damaged by a transfer as text; copy it again in binary mode`);
  }
  if (wrong >= 0) throw binaryError(source, wrong, `this is not a Tendril ${noun}; choose a file that Tendril wrote`);
  const truncated = (end: number): InputError =>
    binaryError(
      source,
      bytes.length,
      `the ${noun} is truncated: its header needs ${end} bytes; copy the file again or create it again`,
    );
  if (bytes.length < fixed) throw truncated(fixed);
  const view = viewOf(bytes);
  const version = view.getUint32(8, true);
  if (version !== format.version) {
    const remedy =
      version > format.version
        ? 'update Tendril to read it'
        : 'read it with the Tendril that wrote it, or create it again';
    throw binaryError(
      source,
      8,
      `the ${noun} has format version ${version}, and this Tendril reads ${format.version}; ${remedy}`,
    );
  }
  const length = view.getUint32(12, true);
  const size = align8(fixed + length + 4);
  if (bytes.length < size) throw truncated(size);
  const corrupt = (): InputError =>
    binaryError(source, fixed, `the header of the ${noun} is corrupted; copy the file again or create it again`);
  if (!isSealed(bytes.subarray(0, size))) throw corrupt();
  try {
    return {
      header: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(fixed, fixed + length))),
      size,
    };
  } catch {
    throw corrupt();
  }
}
