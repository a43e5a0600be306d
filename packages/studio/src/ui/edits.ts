/** Edits of sliders: one at a time; while one is under way only the latest of the next ones is kept. */
import { livenessOf } from '@tendril-sim/core';
import type { SceneEdit } from '@tendril-sim/io';
import type { Control } from '../protocol.ts';
import { edit } from '../session.ts';
import * as state from '../state.ts';

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

/** Sets a control, in all rods that share it. */
export const editsOf = ({ path, also = [] }: Control, value: number): SceneEdit[] =>
  [path, ...also].map((at) => ({ path: at, value }));

/** How a change of a field reaches the run; the core says so. */
export function isLive(path: readonly (string | number)[]): boolean {
  const liveness = livenessOf(path);
  if (liveness !== 'turn') return liveness === 'keep';
  return state.loaded.value?.lanes[0]?.rods[Number(path[1])]?.closed === true;
}
