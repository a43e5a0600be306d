/** What outlives a visit: the scene that is open, and hair that was groomed. */
import type { KeptGroom, Recipe } from './groomTypes.ts';
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
    if (!state.changed.value) localStorage.removeItem(saveKey);
    else
      localStorage.setItem(
        saveKey,
        JSON.stringify({ text: state.text.value, name: state.sceneName.value, caseId: state.caseId.value }),
      );
  } catch {
    // no storage (private window, full): the page works without
  }
}

/** The files that a scene of groomed hair names, and how the hair came about. */
export interface KeptHair {
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  readonly recipe?: Recipe;
}

interface Kept {
  /** The panel as it was left. */
  readonly groom: KeptGroom & { readonly color: string };
  readonly hair: KeptHair;
}

/** Larger things are in a database; a browser without one (a private window) keeps nothing, and says so by undefined. */
export async function readKept<K extends keyof Kept>(key: K): Promise<Kept[K] | undefined> {
  try {
    const store = await openStore('readonly');
    return (await settled(store.get(key))) as Kept[K] | undefined;
  } catch {
    return undefined;
  }
}

/** False where it could not be kept. */
export async function writeKept<K extends keyof Kept>(key: K, value: Kept[K]): Promise<boolean> {
  try {
    const store = await openStore('readwrite');
    await settled(store.put(value, key));
    return true;
  } catch {
    return false;
  }
}

async function openStore(mode: IDBTransactionMode): Promise<IDBObjectStore> {
  const opening = indexedDB.open('tendril-studio', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore('kept');
  const database = await settled(opening);
  return database.transaction('kept', mode).objectStore('kept');
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
