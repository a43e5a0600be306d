/** Ways into the page: its address, the last visit, files that are chosen or dropped; and the link that leads back here. */
import { openKeptScene, openShared, recipeOfHair, startGrooming } from './grooming.ts';
import { LinkTooLong, packText, unpackText } from './link.ts';
import type { FromWorker, Loaded } from './protocol.ts';
import { readSaved } from './saved.ts';
import { ask, checkText, edit, hasCase, openCase, openText, showRecording } from './session.ts';
import * as state from './state.ts';

/** What the address names, else what was open last, else a case that moves at once. */
export async function openFirst(): Promise<void> {
  const wanted = new URLSearchParams(location.hash.slice(1));
  if (await openLink(wanted)) return;
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
  if (id !== null && hasCase(id)) return openCase(id);
  if (wanted.has('groom')) {
    await openMoving();
    return startGrooming();
  }
  if (!(await openSaved())) await openMoving();
}

/** What a link holds: a scene, hair, or a scene of hair. */
async function openLink(wanted: URLSearchParams): Promise<boolean> {
  const [shared, hair] = [wanted.get('s'), wanted.get('h')];
  if (shared === null && hair === null) return false;
  const name = wanted.get('name') ?? 'shared.yaml';
  try {
    const text = shared === null ? undefined : await unpackText(shared);
    if (hair !== null) {
      const recipe: unknown = JSON.parse(await unpackText(hair));
      // there is something to come back to
      if (text === undefined) await openMoving();
      if (await openShared(recipe, text, name)) return true;
      throw new Error('no hair');
    }
    void openText(text ?? '', name);
    return true;
  } catch (error) {
    const what = shared === null ? 'hair' : 'scene';
    const message =
      error instanceof LinkTooLong
        ? `The link is refused: ${error.message}. Ask for the ${what} as a file.`
        : `The link is damaged: its ${what} cannot be read. Ask for it again.`;
    state.tell(message, 'bad');
    return false;
  }
}

/** What was open last. */
async function openSaved(): Promise<boolean> {
  const saved = readSaved();
  if (!saved) return false;
  // hair that was groomed here is in files that the text only names
  if (namesHair(saved.text)) {
    if (await openKeptScene(saved.text, saved.name)) return true;
    state.tell('The hair of the last scene is gone: this browser does not keep it. Save hairstyles as files.', 'bad');
    return false;
  }
  void openText(saved.text, saved.name);
  state.caseId.value = saved.caseId;
  state.changed.value = true;
  return true;
}

const namesHair = (text: string): boolean => /\.hairstyle\b/.test(text);

/** A case that moves from the first moment on. */
async function openMoving(): Promise<void> {
  const first = ['trefoil-knot', 'helix-reconstruction'].find(hasCase) ?? state.cases.value[0]?.id;
  if (first !== undefined) await openCase(first);
}

/** The link to what is shown; undefined where it is hair of which a link cannot tell. */
export async function shareLink(): Promise<string | undefined> {
  const here = `${location.origin}${location.pathname}`;
  const hairy = state.grooming.value || namesHair(state.text.value);
  const recipe = hairy ? await recipeOfHair() : undefined;
  if (hairy && !recipe) return undefined;
  const hair = recipe ? `h=${await packText(JSON.stringify({ ...recipe, color: state.hairColor.value }))}` : '';
  if (state.grooming.value) return `${here}#${hair}`;
  const name = encodeURIComponent(state.sceneName.value);
  return `${here}#name=${name}&s=${await packText(state.text.value)}${hair && `&${hair}`}`;
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
