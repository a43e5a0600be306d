/** Edits of sliders: one at a time; while one is under way only the latest of the next ones is kept. */
import type { SceneEdit } from '@tendril-sim/io';
import { edit } from '../session.ts';

let isUnderWay = false;
let waiting: (() => Promise<void>) | undefined;

export async function sendEdit(edits: readonly SceneEdit[], kind: string): Promise<void> {
  const go = (): Promise<void> => edit(edits, kind);
  if (isUnderWay) {
    waiting = go;
    return;
  }
  isUnderWay = true;
  try {
    await go();
    while (waiting) {
      const next = waiting;
      waiting = undefined;
      await next();
    }
  } finally {
    isUnderWay = false;
  }
}
