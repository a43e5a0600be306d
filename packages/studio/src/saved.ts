/** What outlives a visit: recent scenes, and hair that was groomed. */
import type { KeptGroom, Recipe } from './groomTypes.ts';
import type { Work } from './recent.ts';

/** The files that a scene of groomed hair names, and how the hair came about. */
export interface KeptHair {
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  readonly recipe?: Recipe;
}

interface Kept {
  /** The panel as it was left. */
  readonly groom: KeptGroom & { readonly color: string };
  readonly hair: KeptHair;
  readonly recent: readonly Work[];
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
