/** The request that builds a scene: after a moment the page says what the worker does, and the visitor can cancel it. */
import { ask } from './connection.ts';
import type { Answer, Ask } from './protocol.ts';
import * as state from './state.ts';

/** Shorter builds are not announced [ms]. */
const patience = 300;

let builds = 0;

export async function build(request: Ask<'load'>): Promise<Answer<'load'>> {
  const mine = ++builds;
  let what = 'Reading the scene';
  const timer = setTimeout(() => {
    state.loading.value = what;
  }, patience);
  try {
    return await ask('load', request, {
      onProgress: (progress) => {
        what = progress.what;
        if (state.loading.value !== undefined) state.loading.value = what;
      },
    });
  } finally {
    clearTimeout(timer);
    if (mine === builds) state.loading.value = undefined;
  }
}
