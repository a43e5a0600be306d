/** The start of a step of many rods, side by side in the state, in one go: one by one, 5,000 rods took four times as long. */
import type { BundleState } from '../../model.ts';

type Views = Readonly<Record<'q' | 'v' | 'memory', Float64Array>>;
const names = ['q', 'v', 'memory'] as const;

/**
 * Copies what `state` has of the marked rods to `held`. `starts`: where each rod is there; undefined where they do not lie one after the other.
 */
export function createHolder(
  held: Views,
  state: BundleState,
  starts: readonly Views[],
): ((marked: Uint8Array) => void) | undefined {
  const ends = (view: Float64Array): number => view.byteOffset + 8 * view.length;
  const inRow = starts.every((views, k) =>
    names.every((name) => {
      const before = k > 0 ? ends(starts[k - 1][name]) : held[name].byteOffset;
      return views[name].byteOffset === before;
    }),
  );
  if (!inRow) return undefined;
  return (marked) => {
    for (let k = marked.indexOf(1); k >= 0; ) {
      const next = marked.indexOf(0, k);
      const end = next < 0 ? marked.length : next;
      for (const name of names) {
        const { byteOffset } = held[name];
        const from = (starts[k][name].byteOffset - byteOffset) / 8;
        const to = (ends(starts[end - 1][name]) - byteOffset) / 8;
        held[name].set(state[name].subarray(from, to), from);
      }
      k = marked.indexOf(1, end);
    }
  };
}
