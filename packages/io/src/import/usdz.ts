/** The layer in a package of USD (.usdz): a zip archive without compression, whose first file is the layer to open. */
import { viewOf } from '../bytes.ts';
import { InputError } from '../errors.ts';

/** True if the bytes begin as a zip archive does. */
export function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4;
}

/** The bytes of the first layer in a package. Throws InputError. */
export function openPackage(bytes: Uint8Array, source: string): { readonly bytes: Uint8Array; readonly name: string } {
  const fail = (message: string): never => {
    throw new InputError(source, `this .usdz file ${message}`);
  };
  const view = viewOf(bytes);
  // the directory's end, before a comment of at most 64 KiB
  let end = bytes.length - 22;
  while (end >= 0 && end > bytes.length - 65558 && view.getUint32(end, true) !== 0x06054b50) end--;
  if (end < 0 || view.getUint32(end, true) !== 0x06054b50) fail('is truncated: the directory at its end is missing');
  let at = view.getUint32(end + 16, true);
  const count = view.getUint16(end + 10, true);
  for (let k = 0; k < count; k++) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== 0x02014b50) fail('has a damaged directory');
    const [method, size] = [view.getUint16(at + 10, true), view.getUint32(at + 20, true)];
    const [nameLength, local] = [view.getUint16(at + 28, true), view.getUint32(at + 42, true)];
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength));
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    if (!/\.usd[ac]?$/i.test(name)) continue;
    if (method !== 0) fail(`has compressed files, which USD does not allow; usdzip -r new.usdz writes a valid one`);
    if (local + 30 > bytes.length) fail('is truncated');
    const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    if (start + size > bytes.length) fail('is truncated');
    return { bytes: bytes.subarray(start, start + size), name };
  }
  return fail('has no .usd, .usda or .usdc file in it');
}
