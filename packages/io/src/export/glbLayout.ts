/** The binary part of a .glb file: accessors and buffer views, whose bytes `writeGlb` writes in the same order. */

/** Accessors of the binary part, in the order in which `writeGlb` writes it. Every method reserves space and returns the accessor's index. */
export interface BinaryLayout {
  readonly accessors: readonly object[];
  readonly bufferViews: readonly object[];
  length(): number;
  vectors(values: Float32Array, { bounds }: { readonly bounds: boolean }): number;
  indices(values: Uint32Array): number;
  /** Values of an animation. */
  floats(count: number, type: 'SCALAR' | 'VEC3' | 'VEC4', more?: object): number;
}

export function createBinaryLayout(): BinaryLayout {
  const accessors: object[] = [];
  const bufferViews: object[] = [];
  let offset = 0;
  const add = (byteLength: number, accessor: object, target?: number): number => {
    bufferViews.push({ buffer: 0, byteOffset: offset, byteLength, ...(target && { target }) });
    offset += byteLength;
    accessors.push({ bufferView: bufferViews.length - 1, ...accessor });
    return accessors.length - 1;
  };
  return {
    accessors,
    bufferViews,
    length: () => offset,
    vectors: (values, { bounds }) =>
      add(
        values.byteLength,
        { componentType: 5126, count: values.length / 3, type: 'VEC3', ...(bounds && boundsOf(values)) },
        34962,
      ),
    indices: (values) => add(values.byteLength, { componentType: 5125, count: values.length, type: 'SCALAR' }, 34963),
    floats: (count, type, more = {}) =>
      add(count * 4 * (type === 'VEC3' ? 3 : type === 'VEC4' ? 4 : 1), { componentType: 5126, count, type, ...more }),
  };
}

function boundsOf(values: Float32Array): { min: number[]; max: number[] } {
  const min = [Infinity, Infinity, Infinity];
  const max = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < values.length; i++) {
    min[i % 3] = Math.min(min[i % 3], values[i]);
    max[i % 3] = Math.max(max[i % 3], values[i]);
  }
  return { min, max };
}
