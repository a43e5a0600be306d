/** Saving, opening, pictures, links. */

import { hairstyleBytes, openGroomFile } from './grooming.ts';
import { LinkTooLong } from './link.ts';
import { openFile, shareLink } from './opening.ts';
import * as state from './state.ts';

export function download(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function saveScene(): void {
  const name = /\.(ya?ml|json)$/.test(state.sceneName.value) ? state.sceneName.value : `${state.sceneName.value}.yaml`;
  download(new Blob([state.text.value], { type: 'application/yaml' }), name);
  state.tell(`Saved ${name}.`, 'good');
}

export function chooseFile(): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.accept = '.yaml,.yml,.json,.tendril,.usd,.usda,.usdc,.usdz,.abc,.obj,.hair,.tfx,.glb,.gltf,.csv';
  input.onchange = () => {
    const file = input.files?.[0];
    if (file) void openFile(file);
  };
  input.click();
}

/** A hairstyle, or a mesh to grow hair on. */
export function chooseGroomFile(accept: string): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.accept = accept;
  input.onchange = () => {
    const file = input.files?.[0];
    if (file) void openGroomFile(file);
  };
  input.click();
}

export async function saveHairstyle(): Promise<void> {
  const bytes = await hairstyleBytes();
  if (!bytes) return;
  download(new Blob([bytes as BlobPart], { type: 'application/octet-stream' }), 'hair.hairstyle');
  state.tell('Saved hair.hairstyle: tendril groom reads it too.', 'good');
}

export async function copyLink(): Promise<void> {
  let link: string | undefined;
  try {
    link = await shareLink();
  } catch (error) {
    if (!(error instanceof LinkTooLong)) throw error;
    state.tell(`There is no link to this scene: ${error.message}. Save it as a file.`, 'bad');
    return;
  }
  if (link === undefined) {
    state.tell('A link cannot carry this hair: it comes from a file. Save the hairstyle and send that.', 'bad');
    return;
  }
  const isCase = new URL(link).hash.startsWith('#case=');
  const what = state.grooming.value ? 'the hair, as it was made' : isCase ? 'the case' : 'the whole scene';
  if (link.length > 60_000) {
    state.tell(
      `${state.grooming.value ? 'The hair' : 'The scene'} is too large for a link; save it as a file instead.`,
      'bad',
    );
    return;
  }
  // settings of this visit, as ?quality, stay in the address and out of the link
  globalThis.history.replaceState(null, '', new URL(link).hash);
  try {
    await navigator.clipboard.writeText(link);
    state.tell(`Link copied: it holds ${what}.`, 'good');
  } catch {
    state.tell(`The link is in the address bar: it holds ${what}.`, 'good');
  }
}

export function acceptDrops(): void {
  addEventListener('dragover', (event) => {
    event.preventDefault();
    document.body.classList.add('dropping');
  });
  addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) document.body.classList.remove('dropping');
  });
  addEventListener('drop', (event) => {
    event.preventDefault();
    document.body.classList.remove('dropping');
    const [file, ...others] = event.dataTransfer?.files ?? [];
    if (!file) return;
    if (others.length > 0) state.tell(`Opened ${file.name} only. Drop one file at a time.`);
    // a mesh that is dropped while hair is groomed is one to grow on
    const groomed =
      /\.hairstyle$/i.test(file.name) ||
      (state.grooming.value && /\.(obj|glb|gltf|usd[acz]?|abc|png)$/i.test(file.name));
    void (groomed ? openGroomFile(file) : openFile(file));
  });
}
