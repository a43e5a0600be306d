/** The matrix of many bodies that rods join, as a sparse one: bodies are coupled by the rods that they share. */
import { analyzeSparse, createSparsePattern } from '../../linalg/sparse.ts';
import type { Member, SparseOuter } from './welds.ts';

/** From this many bodies on: with fewer the dense factor is as fast. */
const SPARSE_FROM = 12;

/** Pattern and factor of the bodies' matrix; undefined if there are too few bodies to gain from it. */
export function createSparseOuter(members: readonly Member[], count: number): SparseOuter | undefined {
  if (count < SPARSE_FROM) return undefined;
  const pairs: [number, number][] = [];
  const blocks = new Set<number>();
  for (let b = 0; b < count; b++) blocks.add(b * count + b);
  for (const { ties } of members)
    for (const a of ties) for (const b of ties) if (a.body >= b.body) blocks.add(a.body * count + b.body);
  for (const block of blocks) {
    const [a, b] = [Math.floor(block / count), block % count];
    for (let i = 0; i < 6; i++) for (let j = 0; j < 6; j++) if (a > b || j <= i) pairs.push([6 * a + i, 6 * b + j]);
  }
  const pattern = createSparsePattern(6 * count, pairs);
  return {
    row: Int32Array.from(pairs, ([i]) => i),
    column: Int32Array.from(pairs, ([, j]) => j),
    slot: Int32Array.from(pairs, ([i, j]) => pattern.slotOf(i, j)),
    values: new Float64Array(pattern.slots),
    scale: new Float64Array(6 * count),
    factor: analyzeSparse(pattern, pairs),
  };
}
