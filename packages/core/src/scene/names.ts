/** Lists known names for an error message: all if there are few, else those most similar to the unknown name. */

const FEW = 12;
const NEAREST = 5;

/** Names as text for messages. */
export function listNames(names: Iterable<string>, wanted: string): string {
  const all = [...names];
  if (all.length === 0) return 'none';
  if (all.length <= FEW) return all.join(', ');
  const distance = new Map(all.map((name) => [name, editDistance(wanted, name)]));
  const near = [...all].sort((a, b) => (distance.get(a) ?? 0) - (distance.get(b) ?? 0)).slice(0, NEAREST);
  return `${near.join(', ')} and ${all.length - NEAREST} more`;
}

/** Letters to change, add or take away. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length];
}
