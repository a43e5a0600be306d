/**
 * Wind on a grid from a .npy file: the array becomes the values of the scene, x fastest, packed as base64, so that recordings and states do not
 * depend on the file.
 */
import { type FieldSpec, type PackedNumbers, type SampledWindSpec, sampleLimit } from '@tendril-sim/core';
import { InputError } from './errors.ts';
import { type NumberArray, readNpy } from './import/npy.ts';
import type { FieldInFile, WindFileSpec } from './schema/wind.ts';

/** The file that the wind of a field is in, if there is one. */
export function windFileOf(field: FieldInFile): WindFileSpec | undefined {
  if (field.type !== 'air' || typeof field.wind !== 'object' || !('grid' in field.wind)) return undefined;
  const { grid } = field.wind;
  return grid && 'file' in grid ? grid : undefined;
}

/** The field with the values of its file. Throws InputError. */
export function fillWind(field: FieldInFile, bytes: Uint8Array): FieldSpec {
  const spec = windFileOf(field);
  if (!spec || field.type !== 'air') return field as FieldSpec;
  const { file, axes = 'xyz', ...rest } = spec;
  if (!/\.npy$/i.test(file))
    throw new InputError(file, 'wind is read from .npy files; docs/scene.md says how to convert others to it');
  const grid: SampledWindSpec = { ...rest, ...valuesOf(readNpy(bytes, file), axes, file) };
  return { ...field, wind: { ...(field.wind as object), grid } };
}

function valuesOf(
  { shape, values }: NumberArray,
  axes: 'xyz' | 'zyx',
  file: string,
): Pick<SampledWindSpec, 'count' | 'values'> {
  const indices = axes === 'xyz' ? 'x, y, z' : 'z, y, x';
  if ((shape.length !== 4 && shape.length !== 5) || shape.at(-1) !== 3 || values.length === 0) {
    throw new InputError(
      file,
      `its shape is (${shape.join(', ')}); expected (${indices}, 3) or (frames, ${indices}, 3), none of them 0`,
    );
  }
  if (values.length > sampleLimit)
    throw new InputError(
      file,
      `it has ${values.length} numbers; ${sampleLimit} are allowed: save fewer frames or a coarser grid`,
    );
  const [a, b, c] = shape.slice(-4, -1);
  if (axes === 'zyx') return { count: [c, b, a], values: packNumbers(values) };
  const out = values.slice();
  const frame = 3 * a * b * c;
  let from = 0;
  for (let start = 0; start < values.length; start += frame) {
    for (let i = 0; i < a; i++) {
      for (let j = 0; j < b; j++) {
        for (let k = 0; k < c; k++, from += 3) {
          const to = start + 3 * (i + a * (j + b * k));
          for (let component = 0; component < 3; component++) out[to + component] = values[from + component];
        }
      }
    }
  }
  return { count: [a, b, c], values: packNumbers(out) };
}

/** Base64 of the little-endian bytes. */
function packNumbers(values: Float32Array | Float64Array): PackedNumbers {
  const isSingle = values instanceof Float32Array;
  const bytes = new Uint8Array(values.byteLength);
  const view = new DataView(bytes.buffer);
  values.forEach((value: number, i: number) => {
    if (isSingle) view.setFloat32(4 * i, value, true);
    else view.setFloat64(8 * i, value, true);
  });
  const pieces: string[] = [];
  // pieces of a multiple of three bytes join without padding
  const size = 3 * 8192;
  for (let i = 0; i < bytes.length; i += size) {
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(i, i + size))));
  }
  const text = pieces.join('');
  return isSingle ? { float32: text } : { float64: text };
}
