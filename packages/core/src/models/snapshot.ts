/** Named arrays that are copied together, to restore a rod. */

type Arrays<K extends string> = { readonly [Name in K]: Float64Array };

/** Copies of the named arrays. */
export function cloneArrays<K extends string>(from: Arrays<NoInfer<K>>, names: readonly K[]): Arrays<K> {
  return Object.fromEntries(names.map((name) => [name, from[name].slice()])) as Arrays<K>;
}

/** Writes the named arrays of `from` over those of `to`. */
export function copyArrays<K extends string>(
  to: Arrays<NoInfer<K>>,
  from: Arrays<NoInfer<K>>,
  names: readonly K[],
): void {
  for (const name of names) to[name].set(from[name]);
}
