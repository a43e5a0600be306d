/**
 * Active contacts of linked rods: the solver ignores the others for now.
 *
 * Most contacts that may close within a step do not, and each slows the solver down by the point mass on its sides. A contact is inactive if it
 * would not close under the forces of the last step, or if it carried no force in a round and has a gap after it. All are checked again after
 * every round. Measurements: docs/notes/contact-solver.md.
 */

import type { ContactSet } from '../contactSet.ts';
import type { SideArrays } from './sideArrays.ts';

/** Side velocities from which the gaps at the end of the step follow, and the gaps at which contacts change, as fractions of their size. */
export interface ActiveRule {
  /** 3 numbers per side [m/s]. */
  readonly velocity: Float64Array;
  readonly dt: number;
  /** An inactive contact with a smaller gap becomes active. */
  readonly close: number;
  /** An active contact without impulse and with a larger gap becomes inactive. */
  readonly open: number;
}

/** Activates contacts that would close, and contacts with an impulse; deactivates those that opened. Returns how many it activated. */
export function updateActive(
  set: ContactSet,
  { isActive, sideA, sideB }: Pick<SideArrays, 'isActive' | 'sideA' | 'sideB'>,
  { velocity, dt, close, open }: ActiveRule,
): number {
  const { normal, surface, impulse, bias, size } = set;
  let activated = 0;
  for (let c = 0; c < set.count; c++) {
    const o = 3 * c;
    if (impulse[o] !== 0 || impulse[o + 1] !== 0 || impulse[o + 2] !== 0) {
      activated += 1 - isActive[c];
      isActive[c] = 1;
      continue;
    }
    let u = bias[c];
    for (let k = 0; k < 3; k++) {
      const other = sideB[c] >= 0 ? velocity[3 * sideB[c] + k] : surface[o + k];
      u += normal[o + k] * (velocity[3 * sideA[c] + k] - other);
    }
    if (isActive[c]) {
      if (u * dt > open * size[c]) isActive[c] = 0;
    } else if (u * dt < close * size[c]) {
      isActive[c] = 1;
      activated++;
    }
  }
  return activated;
}
