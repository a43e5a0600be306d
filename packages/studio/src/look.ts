/** How a scene looks when it is first shown: its colouring, and what its rods seem made of. Later it looks as the visitor chooses. */
import type { Loaded } from './protocol.ts';
import * as state from './state.ts';

let isNew = false;

/** The next scene that is shown is another one. */
export function expectNewLook(caseId: string | undefined): void {
  isNew = true;
  state.finish.value = state.cases.find(({ id }) => id === caseId)?.finish ?? 'rubber';
}

/** Colours a scene that was not shown before as it asks for. */
export function takeLook({ colorBy }: Loaded): void {
  if (isNew) state.colorBy.value = state.comparing.value ? 'plain' : colorBy;
  isNew = false;
}

/** Side by side, the colour tells the models apart. */
export function lookAfterComparing(wasComparing: boolean): void {
  if (state.comparing.value === wasComparing) return;
  state.colorBy.value = state.comparing.value ? 'plain' : (state.loaded.value?.colorBy ?? 'curvature');
}
