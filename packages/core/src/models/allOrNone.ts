/** A step of a bundle that moves all rods or none. */

import type { BundleState, StepOutcome } from '../model.ts';
import { copyState } from './stateParts.ts';

/** Calls `step`; if it fails or throws, such as on a formula that gives NaN, restores the state. `before`: memory for that. */
export function advanceAllOrNone(
  { state, before, refresh }: { state: BundleState; before: BundleState; refresh: (t: number) => void },
  t: number,
  step: () => StepOutcome,
): StepOutcome {
  copyState(before, state);
  let isDone = false;
  try {
    const outcome = step();
    isDone = outcome.ok;
    return outcome;
  } finally {
    if (!isDone) {
      copyState(state, before);
      refresh(t);
    }
  }
}
