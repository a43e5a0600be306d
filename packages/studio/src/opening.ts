/** Ways into the page: its address, the last visit, files that are chosen or dropped; and the link that leads back here. */
import { packText, unpackText } from './link.ts';
import type { FromWorker, Loaded } from './protocol.ts';
import { readSaved } from './saved.ts';
import { ask, checkText, edit, openCase, openText, showRecording } from './session.ts';
import * as state from './state.ts';

/** What the address names, else what was open last, else a case that moves at once. */
export async function openFirst(): Promise<void> {
  const wanted = new URLSearchParams(location.hash.slice(1));
  const shared = wanted.get('s');
  if (shared !== null) {
    try {
      void openText(await unpackText(shared), wanted.get('name') ?? 'shared.yaml');
      return;
    } catch {
      state.tell('The link is damaged: its scene cannot be read. Ask for it again.', 'bad');
    }
  }
  const file = wanted.get('file');
  if (file !== null) {
    try {
      const response = await fetch(`scene/${encodeURIComponent(file)}`);
      if (!response.ok) throw new Error(response.statusText);
      await openFile(new File([await response.blob()], file));
      return;
    } catch {
      state.tell(`The file ${file} cannot be read any more; start the studio with it again.`, 'bad');
    }
  }
  const id = wanted.get('case');
  if (id !== null && openCase(id)) return;
  const saved = readSaved();
  if (saved) {
    void openText(saved.text, saved.name);
    state.caseId.value = saved.caseId;
    state.changed.value = true;
    return;
  }
  // one that moves from the first moment on
  openCase('trefoil-knot') || openCase('helix-reconstruction') || openCase(state.cases.value[0]?.id ?? '');
}

export async function shareLink(): Promise<string> {
  const packed = await packText(state.text.value);
  const name = encodeURIComponent(state.sceneName.value);
  return `${location.origin}${location.pathname}#name=${name}&s=${packed}`;
}

async function openRecording(bytes: ArrayBuffer, name: string): Promise<void> {
  const answer = await ask<Extract<FromWorker, { type: 'recording' }>>(
    (ticket) => ({ type: 'recording', ticket, bytes, name }),
    [bytes],
  );
  if (!answer.loaded) {
    state.tell(`${name} cannot be shown: ${answer.error}`, 'bad');
    return;
  }
  const message: Loaded = { type: 'loaded', ticket: 0, ...answer.loaded };
  showRecording(message, answer.frames, answer.text, name);
}

/** Curves become a scene, a mesh becomes a thing in the way of the present one. */
async function importOther(bytes: ArrayBuffer, name: string): Promise<void> {
  const answer = await ask<Extract<FromWorker, { type: 'imported' }>>(
    (ticket) => ({ type: 'import', ticket, bytes, name }),
    [bytes],
  );
  if (answer.text !== undefined) void openText(answer.text, name.replace(/\.\w+$/, '.yaml'));
  else if (answer.collider) {
    const values = state.loaded.value?.values as { colliders?: unknown[] } | undefined;
    await edit([{ path: ['colliders'], value: [...(values?.colliders ?? []), answer.collider] }], '');
    state.tell(`${name} is now in the way of the rods.`, 'good');
  } else state.tell(`${name} cannot be used: ${answer.error}`, 'bad');
}

/** Opens what was dropped or chosen, by what it holds and not by what it is called. */
export async function openFile(file: File): Promise<void> {
  const bytes = await file.arrayBuffer();
  const beginning = new TextDecoder('latin1').decode(new Uint8Array(bytes, 0, Math.min(8, bytes.byteLength)));
  if (beginning.slice(0, 5).includes('TREC')) {
    await openRecording(bytes, file.name);
    return;
  }
  if (/\.(usda?|usdc|usdz|obj|hair|tfx|glb|gltf|csv|tsv)$/i.test(file.name)) {
    await importOther(bytes, file.name);
    return;
  }
  const words = new TextDecoder('utf-8', { fatal: true });
  let text: string;
  try {
    text = words.decode(bytes);
  } catch {
    state.tell(`${file.name} is neither a scene nor a recording of Tendril. Curves are read by: tendril import`, 'bad');
    return;
  }
  const found = await checkText(text);
  if (found.length > 0 && !/^\s*["']?(tendril|rods)["']?\s*:/m.test(text) && !text.trimStart().startsWith('{')) {
    state.tell(`${file.name} is no scene: it has no field "tendril". What was open stays.`, 'bad');
    return;
  }
  void openText(text, file.name);
}
