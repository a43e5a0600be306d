/** Positions of linked rods as one array: the model's own, or a copy. */
import type { Samples } from '../../port.ts';

export interface Positions {
  readonly data: Float64Array;
  /** Offset of each rod of the scene. */
  readonly first: Int32Array;
  /** Current positions. */
  update(): void;
}

export function findPositions(samples: readonly Samples[], rods: Int32Array): Positions {
  const first = new Int32Array(samples.length);
  if (rods.length === 0) return { data: new Float64Array(0), first, update: () => {} };
  const { buffer } = samples[rods[0]].nodePosition;
  if (rods.every((r) => samples[r].nodePosition.buffer === buffer)) {
    for (const r of rods) first[r] = samples[r].nodePosition.byteOffset / 8;
    return { data: new Float64Array(buffer), first, update: () => {} };
  }
  let size = 0;
  for (const r of rods) {
    first[r] = size;
    size += samples[r].nodePosition.length;
  }
  const data = new Float64Array(size);
  return {
    data,
    first,
    update() {
      for (const r of rods) data.set(samples[r].nodePosition, first[r]);
    },
  };
}
