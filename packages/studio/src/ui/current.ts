import type { View } from '../view/viewTypes.ts';

/** The view that is shown, for the keyboard and for pictures; and who waits for its next picture. */
export const current: { view: View | undefined; readonly waiting: (() => void)[] } = { view: undefined, waiting: [] };
