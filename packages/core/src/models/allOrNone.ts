/** A step of a bundle that moves all rods or none. */

import type { Bundle, BundleState, BundleStep, StepOutcome } from '../model.ts';
import { copyState } from './stateParts.ts';

/**
 * Calls `advance`; if it fails or throws, such as on a formula that gives NaN, restores the state. `before`: memory for that. Systems that the step leaves
 * out are not touched: they may wait at its end, with their clamps at their pose there.
 */
export function advanceAllOrNone(
  { state, before, refresh }: { readonly before: BundleState } & Pick<Bundle, 'state' | 'refresh'>,
  { t, without }: BundleStep,
  advance: () => StepOutcome,
): StepOutcome {
  copyState(before, state);
  let isDone = false;
  try {
    const outcome = advance();
    isDone = outcome.ok;
    return outcome;
  } finally {
    if (!isDone) {
      copyState(state, before);
      refresh(t, without);
    }
  }
}
