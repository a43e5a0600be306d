/**
 * Contacts that links' solver need not look at.
 *
 * What may close within a step is taken up, and hardly any of it does: of 840 places where a cloth of 2 × 250 hairs lay over the top of a statue, 4 pushed. A
 * contact that carries nothing still has a mass glued to its place, whose copy follows the cloth by a hundredth of the difference in a turn. So those that
 * would not close under the forces of the last step sleep, without a mass, as do those that carried nothing in a round and have a gap after it; all are
 * looked at when the rods have moved.
 */

import type { ContactSet } from '../contactSet.ts';
import type { SideArrays } from './sideArrays.ts';

/**
 * Wakes contacts whose gap at the end of the step, with these velocities of the sides, is less than `margin` of their size, and lets those sleep whose
 * gap is more than `open` of it; whoever carries something is awake. Returns how many it woke.
 */
export function wakeContacts(
  set: ContactSet,
  { awake, sideA, sideB }: Pick<SideArrays, 'awake' | 'sideA' | 'sideB'>,
  velocity: Float64Array,
  dt: number,
  margin: number,
  open: number,
): number {
  const { normal, surface, impulse, bias, size } = set;
  let woken = 0;
  for (let c = 0; c < set.count; c++) {
    const o = 3 * c;
    if (impulse[o] !== 0 || impulse[o + 1] !== 0 || impulse[o + 2] !== 0) {
      woken += 1 - awake[c];
      awake[c] = 1;
      continue;
    }
    let u = bias[c];
    for (let k = 0; k < 3; k++) {
      const other = sideB[c] >= 0 ? velocity[3 * sideB[c] + k] : surface[o + k];
      u += normal[o + k] * (velocity[3 * sideA[c] + k] - other);
    }
    if (awake[c]) {
      if (u * dt > open * size[c]) awake[c] = 0;
    } else if (u * dt < margin * size[c]) {
      awake[c] = 1;
      woken++;
    }
  }
  return woken;
}
