/** Velocities of the sides of contacts, for models whose samples have the velocities at the end of the step. */

import type { ContactSides, Samples } from '../port.ts';

/** Writes S v, 3 numbers per side [m/s]; `rods`: by the number of a side's rod. */
export function readSampleVelocity(
  out: Float64Array,
  rods: readonly { readonly samples: Samples }[],
  sides: ContactSides,
): void {
  for (let c = 0; c < sides.count; c++) {
    const { nodeVelocity: v, edgeSpin } = rods[sides.rod[c]].samples;
    const a = 3 * sides.edge[c];
    const w = sides.weight[c];
    for (let k = 0; k < 3; k++)
      out[3 * c + k] = (1 - w) * v[a + k] + w * v[a + 3 + k] + edgeSpin[sides.edge[c]] * sides.arm[3 * c + k];
  }
}

/** Marks the rods that have sides with 1. */
export function markTouched(count: number, sides: ContactSides): Uint8Array {
  const touched = new Uint8Array(count);
  for (let c = 0; c < sides.count; c++) touched[sides.rod[c]] = 1;
  return touched;
}
