import type { View } from '../view/viewTypes.ts';

/** The view that is shown, for the keyboard and for pictures; who waits for its next picture, and who for the view itself. */
export const current: {
  view: View | undefined;
  readonly waiting: (() => void)[];
  readonly expecting: ((view: View) => void)[];
} = { view: undefined, waiting: [], expecting: [] };

/** Uses the view, or the one to come if the page still builds it. */
export function withView(use: (view: View) => void): void {
  if (current.view) use(current.view);
  else current.expecting.push(use);
}
