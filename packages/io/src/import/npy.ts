/**
 * NumPy's .npy: one array of numbers. Layout, by its specification (numpy.lib.format):
 *
 *   0    6  \x93NUMPY
 *   6    2  u8 major and minor version of the format: 1, 2 or 3
 *   8    2  u16 length of the header (4 bytes, u32, from version 2 on), little endian
 *  10       header: a Python dictionary with `descr`, `fortran_order` and `shape`, padded by spaces
 *           the numbers, the last index fastest, or the first with `fortran_order`
 */
import { viewOf } from '../bytes.ts';
import { binaryError } from '../container.ts';
import { InputError } from '../errors.ts';

/** An array of a file, the last index fastest. */
export interface NumberArray {
  readonly shape: readonly number[];
  readonly values: Float32Array | Float64Array;
}

const magic = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];

/** Reads single and double precision of either byte order. Throws InputError. */
export function readNpy(bytes: Uint8Array, source: string): NumberArray {
  if (bytes.length < 12 || magic.some((byte, k) => bytes[k] !== byte))
    throw binaryError(source, 0, 'this is not a .npy file: save the array with numpy.save');
  const view = viewOf(bytes);
  const isLong = bytes[6] > 1;
  const start = isLong ? 12 : 10;
  const end = start + (isLong ? view.getUint32(8, true) : view.getUint16(8, true));
  if (end > bytes.length) throw binaryError(source, bytes.length, 'the file is truncated within its header');
  const { type, isFortran, shape } = readHeader(new TextDecoder().decode(bytes.subarray(start, end)), source);
  const size = shape.reduce((product, n) => product * n, 1);
  const width = Number(type[2]);
  if (bytes.length - end !== size * width) {
    throw binaryError(
      source,
      end,
      `an array of ${shape.join(' × ')} needs ${size * width} bytes, and ${bytes.length - end} follow the header: the file is truncated or damaged`,
    );
  }
  const isLittle = type[0] !== '>';
  const values = width === 4 ? new Float32Array(size) : new Float64Array(size);
  for (let i = 0; i < size; i++) {
    values[i] = width === 4 ? view.getFloat32(end + 4 * i, isLittle) : view.getFloat64(end + 8 * i, isLittle);
  }
  return { shape, values: isFortran ? reverseOrder(values, shape) : values };
}

function readHeader(text: string, source: string): { type: string; isFortran: boolean; shape: number[] } {
  const type = /'descr'\s*:\s*'([^']*)'/.exec(text)?.[1];
  const order = /'fortran_order'\s*:\s*(True|False)/.exec(text)?.[1];
  const shape = /'shape'\s*:\s*\(([\d\s,]*)\)/.exec(text)?.[1];
  if (type === undefined && /'descr'\s*:\s*\[/.test(text))
    throw new InputError(source, 'its elements are records; save an array of numbers');
  if (type === undefined || order === undefined || shape === undefined)
    throw binaryError(source, 10, 'its header lacks the type, order or shape of the array; save it with numpy.save');
  if (!/^[<>=|]f[48]$/.test(type))
    throw new InputError(source, `its numbers are of type '${type}'; save them as array.astype('float32')`);
  const sizes = shape
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
    .map(Number);
  return { type, isFortran: order === 'True', shape: sizes };
}

/** From the first index fastest to the last index fastest. */
function reverseOrder<T extends Float32Array | Float64Array>(values: T, shape: readonly number[]): T {
  const out = values.slice() as T;
  const index = shape.map(() => 0);
  for (let to = 0; to < values.length; to++) {
    let from = 0;
    for (let axis = shape.length - 1; axis >= 0; axis--) from = from * shape[axis] + index[axis];
    out[to] = values[from];
    for (let axis = shape.length - 1; axis >= 0 && ++index[axis] === shape[axis]; axis--) index[axis] = 0;
  }
  return out;
}
