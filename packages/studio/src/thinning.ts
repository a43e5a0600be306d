/** Makes room in a list of instants: of the older three quarters those go that lie closest to their neighbours, never two in a row. */
export function thinOut<T extends { readonly time: number }>(list: readonly T[]): T[] {
  const old = Math.floor(list.length * 0.75);
  const gaps: { readonly k: number; readonly gap: number }[] = [];
  for (let k = 1; k < old - 1; k += 2) gaps.push({ k, gap: list[k + 1].time - list[k - 1].time });
  gaps.sort((a, b) => a.gap - b.gap);
  const dropped = new Set(gaps.slice(0, Math.ceil(gaps.length / 2)).map(({ k }) => k));
  return list.filter((_, k) => !dropped.has(k));
}
