/** Positions of the rods that links hold, as one array: where the model keeps them, or a copy. */
import type { Samples } from '../../port.ts';

export interface Positions {
  readonly data: Float64Array;
  /** Where each rod of the scene begins in it. */
  readonly first: Int32Array;
  /** Where they are now. */
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
