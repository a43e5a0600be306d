/**
 * Contacts of linked rods that the solver ignores for now (they sleep).
 *
 * Most contacts that may close within a step do not, and each slows the solver down by the point mass on its sides. A contact sleeps if it would not
 * close under the forces of the last step, or if it carried no force in a round and has a gap after it. All are checked again after every round.
 * Measurements: docs/notes/contact-solver.md.
 */

import type { ContactSet } from '../contactSet.ts';
import type { SideArrays } from './sideArrays.ts';

/**
 * Wakes contacts whose gap at the end of the step, with these side velocities, is less than `margin` of their size. Puts to sleep those whose gap
 * exceeds `open` of it. A contact with an impulse is always awake. Returns how many it woke.
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
