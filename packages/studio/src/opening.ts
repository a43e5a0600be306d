/** Ways into the page: its address, the last visit, files that are chosen or dropped; and the link that leads back here. */

import { checkText } from './acting.ts';
import { ask, explain } from './connection.ts';
import { openGroomFile, openKeptScene, openShared, recipeOfHair, startGrooming } from './grooming.ts';
import { LinkTooLong, packText, unpackText } from './link.ts';
import { goTo } from './playback.ts';
import { findWork, lastWork, readRecent, type Work } from './recent.ts';
import { change, edit, hasCase, openCase, openRecording, openText } from './session.ts';
import { readShot, type Shot, writeShot } from './shot.ts';
import * as state from './state.ts';
import { current, withView } from './ui/current.ts';
import { variantOptions } from './variants.ts';

/** What the address names, else what was open last, else a case that moves at once. */
export async function openFirst(): Promise<void> {
  void readRecent();
  addEventListener('popstate', () => void followAddress());
  if (await openAddress()) return;
  if (state.viewOnly || !(await openSaved())) await openMoving();
}

/** After a link was pasted, or Back was pressed: the page has changed its address itself without this. */
async function followAddress(): Promise<void> {
  if (!(await openAddress()) && location.hash === '') await openMoving();
}

async function openAddress(): Promise<boolean> {
  const wanted = new URLSearchParams(location.hash.slice(1));
  if (await openLink(wanted)) return true;
  const file = wanted.get('file');
  if (file !== null) {
    try {
      const response = await fetch(`scene/${encodeURIComponent(file)}`);
      if (!response.ok) throw new Error(response.statusText);
      await openFile(new File([await response.blob()], file));
      return true;
    } catch {
      state.tell(`The file ${file} cannot be read any more; start the studio with it again.`, 'bad');
    }
  }
  const [work, id] = [wanted.get('work'), wanted.get('case')];
  if (work !== null && (await openWork(work))) return true;
  if (id !== null && hasCase(id)) {
    const shot = prepareShot(wanted);
    await openCase(id);
    if (state.caseId.value === id && !state.changed.value) applyShot(shot);
    return true;
  }
  if (wanted.has('groom')) {
    if (state.text.value === '') await openMoving();
    await startGrooming();
    return true;
  }
  return false;
}

/** A recent scene; false where this browser does not have it. */
export async function openWork(name: string): Promise<boolean> {
  const work = await findWork(name);
  if (!work) {
    state.tell('These edits are not in this browser any more.', 'bad');
    return false;
  }
  if (work.caseId !== undefined && hasCase(work.caseId)) state.caseId.value = work.caseId;
  if (namesHair(work.text)) return openKeptHair(work);
  const { text, name: file, caseId } = work;
  void openText(text, file, { caseId, work: work.work });
  return true;
}

async function openKeptHair({ text, name, work, hair }: Work): Promise<boolean> {
  if (await openKeptScene(text, name, { work, hair })) return true;
  state.tell('The hair of this scene is gone: this browser does not keep it. Save hairstyles as files.', 'bad');
  return false;
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
    const shot = prepareShot(wanted);
    // what another page embeds is not the visitor's work
    const isOpen = await openText(text ?? '', name, { keepAddress: true, isOwn: !state.viewOnly });
    if (isOpen && state.text.value === text) applyShot(shot);
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

/** How a link wants its scene to be looked at; what runs side by side is chosen before the scene is loaded. */
function prepareShot(wanted: URLSearchParams): Shot {
  const options = variantOptions();
  const known = options.map(({ variant }) => variant.id);
  const shot = readShot(wanted, known);
  const chosen = options.map(({ variant }) => variant).filter(({ id }) => shot.variants?.includes(id));
  if (chosen.length > 0) state.variants.value = chosen;
  return shot;
}

function applyShot({ camera, time, overlay, colorBy, panel }: Shot): void {
  state.overlay.value = overlay ?? false;
  if (camera) withView((view) => view.setCamera(camera));
  if (colorBy) state.colorBy.value = colorBy;
  if (panel && !state.viewOnly) {
    state.side.value = panel;
    state.sideOpen.value = true;
  }
  if (time !== undefined) goTo(time);
}

/** How the scene is looked at now. */
function takeShot(): Shot {
  const panel = state.side.value;
  return {
    camera: current.view?.camera(),
    time: state.playing.value ? undefined : state.clock.value,
    variants: state.comparing.value ? state.variants.value.map(({ id }) => id) : undefined,
    overlay: (state.comparing.value && state.overlay.value) || undefined,
    colorBy: state.colorBy.value,
    panel: state.sideOpen.value && panel !== 'inspector' ? panel : undefined,
  };
}

/** What was worked on last. */
async function openSaved(): Promise<boolean> {
  const last = lastWork();
  return last !== undefined && (await openWork(last.work));
}

const namesHair = (text: string): boolean => /\.hairstyle\b/.test(text);

/**
 * The first thing that a visitor sees: Michell's ring, twisted beyond what it bears, which leaps out of its plane within seconds. A small
 * force that varies around the ring is its imperfection: a perfect ring would wait for rounding errors.
 */
const firstScene = `tendril: 1
title: A twisted ring leaps
description: Twist it by less than theory's threshold and it lies flat again. Contact is off, so it passes through itself; add contact to the scene to prevent that.
rods:
  - id: ring
    shape: { type: ring, radius: 1, axis: [ 0, 0, 1 ] }
    edges: 64
    natural: straight
    frame: { twist: 17 }
    section: { type: stiffness, EI1: 1, GJ: 1, mass: 1, radius: 0.045, damping: { mass: 0.7 } }
fields:
  - { type: force, per: length, formula: [ "0", "0", "0.03*cos(4*pi*u)" ] }
time: { duration: 14, step: 0.02 }
`;

export function closePanels(): void {
  state.galleryOpen.value = false;
  state.sideOpen.value = false;
  state.plotsOpen.value = false;
}

/** The page of a first visit: one thing fills the view, with one slider; panels wait until they are asked for. */
async function openMoving(): Promise<void> {
  if (!hasCase('michell-ring')) {
    const [first] = state.cases;
    if (first) await openCase(first.id);
    return;
  }
  closePanels();
  const options = { caseId: 'michell-ring', isOwn: false, keepAddress: true } as const;
  void openText(firstScene, 'twisted-ring.yaml', options);
}

/** The link to what is shown; undefined where it is hair of which a link cannot tell. */
export async function shareLink(): Promise<string | undefined> {
  const here = `${location.origin}${location.pathname}`;
  const hairy = state.grooming.value || namesHair(state.text.value);
  const recipe = hairy ? await recipeOfHair() : undefined;
  if (hairy && !recipe) return undefined;
  const hair = recipe ? `h=${await packText(JSON.stringify({ ...recipe, color: state.hairColor.value }))}` : '';
  if (state.grooming.value) return `${here}#${hair}`;
  const shot = writeShot(takeShot());
  const { value: id } = state.caseId;
  if (id !== undefined && hasCase(id) && !state.changed.value && state.text.value !== firstScene)
    return `${here}#case=${id}${shot}`;
  const name = encodeURIComponent(state.sceneName.value);
  return `${here}#name=${name}&s=${await packText(state.text.value)}${hair && `&${hair}`}${shot}`;
}

async function readRecording(bytes: ArrayBuffer, name: string): Promise<void> {
  try {
    openRecording(await ask('recording', { bytes, name }, { transfer: [bytes] }), name);
  } catch (error) {
    explain(error, `${name} cannot be shown`);
  }
}

/** Curves become a scene, an animated mesh is one to grow hair on, another mesh becomes a thing in the way of the present scene. */
async function importOther(bytes: ArrayBuffer, file: File): Promise<void> {
  const { name } = file;
  try {
    const { text, collider, isCharacter } = await ask('import', { bytes, name }, { transfer: [bytes] });
    if (isCharacter) await openGroomFile(file);
    if (text !== undefined) void openText(text, name.replace(/\.\w+$/, '.yaml'));
    if (!collider) return;
    const values = state.loaded.value?.values as { colliders?: unknown[] } | undefined;
    await edit([{ path: ['colliders'], value: [...(values?.colliders ?? []), collider] }], '');
    state.tell(`${name} is now in the way of the rods.`, 'good');
  } catch (error) {
    explain(error, `${name} cannot be used`);
  }
}

/** Goes on with a copy of the scene under another title; the scene itself stays among the recent ones, and one step of Back or undo away. */
export async function copyScene(): Promise<void> {
  const title = `${state.loaded.value?.title || state.sceneName.value} (copy)`;
  try {
    const { text } = await ask('edit', { text: state.text.value, edits: [{ path: ['title'], value: title }] });
    await change(text, '', 'copy');
    state.tell(`You work on a copy now: ${title}.`, 'good');
  } catch (error) {
    explain(error, 'The copy');
  }
}

/** Whether a text means to be a scene, sound or not: it has one of the fields that only scenes have, and not as the name of a command. */
function looksLikeScene(text: string): boolean {
  return /^\s*[{,]?\s*["']?(tendril["']?\s*:\s*["']?[\d.]|(rods|strands)["']?\s*:)/m.test(text);
}

/** Opens what was dropped or chosen, by what it holds and not by what it is called. */
export async function openFile(file: File): Promise<void> {
  const bytes = await file.arrayBuffer();
  const beginning = new TextDecoder('latin1').decode(new Uint8Array(bytes, 0, Math.min(8, bytes.byteLength)));
  if (beginning.slice(0, 5).includes('TREC')) {
    await readRecording(bytes, file.name);
    return;
  }
  if (/\.(usda?|usdc|usdz|abc|obj|hair|tfx|glb|gltf|csv|tsv)$/i.test(file.name)) {
    await importOther(bytes, file);
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
  if (found.length > 0 && !looksLikeScene(text)) {
    state.tell(`${file.name} is no scene: it has no field "tendril". What was open stays.`, 'bad');
    return;
  }
  void openText(text, file.name);
}
