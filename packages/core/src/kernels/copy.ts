/** Copies numbers of two rods to and from pairs, one rod per lane. */

export function hasAny(list: Float64Array): boolean {
  for (let k = 0; k < list.length; k++) if (list[k] !== 0) return true;
  return false;
}

/** Offset of a view in its buffer, in numbers. */
export function placeOf(list: Float64Array): number {
  return list.byteOffset / 8;
}

/** Copies numbers of two rods, from indices i and j, to pairs from index `o`. */
export function interleave(
  to: Float64Array,
  o: number,
  a: Float64Array,
  i: number,
  b: Float64Array,
  j: number,
  count: number,
): void {
  for (let k = 0; k < count; k++) {
    to[o + 2 * k] = a[i + k];
    to[o + 2 * k + 1] = b[j + k];
  }
}

/** Copies numbers of one rod from pairs. */
export function take(to: Float64Array, i: number, from: Float64Array, o: number, count: number): void {
  for (let k = 0; k < count; k++) to[i + k] = from[o + 2 * k];
}

/** The three position components of each node, out of four unknowns. */
export function takeNodes(to: Float64Array, at: number, from: Float64Array, o: number, count: number): void {
  for (let i = 0; i < count; i++) {
    to[at + 3 * i] = from[o + 8 * i];
    to[at + 3 * i + 1] = from[o + 8 * i + 2];
    to[at + 3 * i + 2] = from[o + 8 * i + 4];
  }
}
