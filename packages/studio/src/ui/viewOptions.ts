/** What the view is to show, and how, by the choices of the visitor. */
import * as state from '../state.ts';
import type { ViewOptions } from '../view/viewTypes.ts';

export function viewOptions(): ViewOptions {
  return {
    colorBy: state.colorBy.value,
    stripe: state.stripe.value,
    finish: state.finish.value,
    ghost: state.ghost.value,
    frames: state.materialFrames.value,
    forces: state.forces.value,
    dark: state.dark.value,
    grid: state.grid.value,
    overlay: state.overlay.value,
    hairColor: hairColorFor(state.hairColor.value, state.dark.value),
  };
}

/** On a dark page hair is a little lighter: dark hair would not be seen. */
function hairColorFor(color: string, dark: boolean): string {
  if (!dark) return color;
  const parts = [1, 3, 5].map((k) => Number.parseInt(color.slice(k, k + 2), 16));
  return `#${parts
    .map((c) =>
      Math.round(c + 0.16 * (200 - c))
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}
