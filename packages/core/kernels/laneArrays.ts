/** Arrays of records in the memory of a block of strands: how translated sweeps address, read and write them. */
import { type Code, known, type Leaf, lanes, tuple, type Value } from './laneValues.ts';
import { TranslationError } from './values.ts';

export const zeros = (count: number): Value => tuple(Array.from({ length: count }, () => known(0)));

/** Address of an element of an array of records, and the offset of what follows in it. */
function place(
  code: Code,
  array: string,
  record: number,
  index: Leaf,
): { readonly address: string; readonly offset: number } {
  if (index.kind === 'known') return { address: array, offset: index.value * record };
  if (index.kind !== 'index') throw new TranslationError('a place is the same in all lanes');
  const isBehind = index.constant >= 0;
  const name = isBehind ? index.name : code.index(index);
  const address = code.bind(`${array} + <usize>${name} * ${record}`, 'usize');
  return { address, offset: isBehind ? index.constant * record : 0 };
}

/** Records of vectors, of which `from` is the first that is meant. */
export interface LaneArray {
  read(index: Leaf, from: number, count: number): Leaf[];
  write(index: Leaf, from: number, values: readonly Leaf[]): void;
}

/** Opens an array whose records have this number of vectors. */
export function openArray(code: Code, array: string, vectors: number): LaneArray {
  return {
    read(index, from, count) {
      const { address, offset } = place(code, array, 16 * vectors, index);
      return Array.from({ length: count }, (_, k) =>
        lanes(code.load(`v128.load(${address}, ${offset + 16 * (from + k)})`)),
      );
    },
    write(index, from, values) {
      const { address, offset } = place(code, array, 16 * vectors, index);
      values.forEach((value, k) => {
        const at = offset + 16 * (from + k);
        const text = value.kind === 'flag' ? code.maskText(value) : code.text(value);
        const kept = code.mask && `v128.bitselect(${text}, v128.load(${address}, ${at}), ${code.mask})`;
        code.lines.push(`v128.store(${address}, ${kept ?? text}, ${at});`);
      });
    },
  };
}
