/** The address of the page: which scene is open. */
import type { Entry } from './history.ts';

/** What the address says about the scene that is open. */
function addressOf({ caseId, changed, work }: Entry): string {
  const named = caseId === undefined ? '' : `case=${caseId}`;
  return `#${named}${named && changed ? '&' : ''}${changed ? `work=${work}` : ''}`;
}

/** Back leads from one scene to another, not from one edit to the next. */
export function writeAddress(entry: Entry, { isNew }: { readonly isNew: boolean }): void {
  const address = addressOf(entry);
  if (location.hash === address) return;
  if (isNew && location.hash !== '') globalThis.history.pushState(null, '', address);
  else globalThis.history.replaceState(null, '', address);
}
