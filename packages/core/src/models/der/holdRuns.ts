/** Saves the start of a step for many rods that are consecutive in the state at once: one by one, 5,000 rods took four times as long. */
import type { BundleState } from '../../model.ts';

type Views = Readonly<Record<'q' | 'v' | 'memory', Float64Array>>;
const names = ['q', 'v', 'memory'] as const;

/**
 * Copies the marked rods' part of `state` to `held`. `starts`: offset of each rod there; undefined if they are not consecutive.
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
