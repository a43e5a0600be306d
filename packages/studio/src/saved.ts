/** What outlives a visit: the scene that is open. */
import * as state from './state.ts';

/** One visit's work outlives it. */
const saveKey = 'tendril-studio-scene';

export function readSaved(): { text: string; name: string; caseId: string | undefined } | undefined {
  try {
    const saved = JSON.parse(localStorage.getItem(saveKey) ?? 'null') as {
      text?: unknown;
      name?: unknown;
      caseId?: unknown;
    } | null;
    if (typeof saved?.text !== 'string' || typeof saved.name !== 'string') return undefined;
    return { text: saved.text, name: saved.name, caseId: typeof saved.caseId === 'string' ? saved.caseId : undefined };
  } catch {
    return undefined;
  }
}

export function autosave(): void {
  try {
    // hair that was groomed here is in files that the text only names
    if (!state.changed.value || /\.hairstyle\b/.test(state.text.value)) localStorage.removeItem(saveKey);
    else
      localStorage.setItem(
        saveKey,
        JSON.stringify({ text: state.text.value, name: state.sceneName.value, caseId: state.caseId.value }),
      );
  } catch {
    // no storage (private window, full): the page works without
  }
}
