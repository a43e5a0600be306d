/** Grooming: what the panel and the brush do. The hair itself is in the worker. */
import { type Signal, signal } from '@preact/signals';
import { type HairType, hairTypes, type StylePreset } from '@tendril-sim/core';
import { ask, onNewWorker } from './connection.ts';
import type {
  Brush,
  GroomAction,
  Groomed,
  GroomFacts,
  GroomSettings,
  HeadMotion,
  Recipe,
  Reshaping,
} from './groomTypes.ts';
import { readRecipe, roundPlace } from './recipe.ts';
import { type KeptHair, readKept, writeKept } from './saved.ts';
import { hairOfScene, openText, showStill } from './session.ts';
import * as state from './state.ts';

export const facts: Signal<GroomFacts | undefined> = signal(undefined);
export const settings: Signal<GroomSettings> = signal(settingsOf('wavy'));
export const brush: Signal<Brush | 'orbit'> = signal('comb');
/** [m] */
export const brushRadius: Signal<number> = signal(0.05);
export const strength: Signal<number> = signal(0.7);
export const motion: Signal<HeadMotion> = signal('shake');
export const busy: Signal<string | undefined> = signal(undefined);
/** Whether what is shown would be there after a reload; undefined: not yet. */
export const kept: Signal<boolean | undefined> = signal(undefined);

/** Numbers of a hair type as settings; `before`: what it says nothing about stays. */
export function settingsOf(hair: HairType, before?: GroomSettings): GroomSettings {
  const { curl } = hairTypes[hair];
  return {
    guides: 96,
    hairs: 6000,
    length: 0.24,
    jitter: 0.15,
    frizz: 0.2,
    clump: 0.5,
    lie: 0.8,
    scalp: '0.634*y + 0.775*z > 0.011',
    ...withoutPreset(before),
    hair,
    radius: typeof curl?.radius === 'number' ? curl.radius : 0,
    pitch: typeof curl?.pitch === 'number' ? curl.pitch : (before?.pitch ?? 0.05),
  };
}

function withoutPreset(before: GroomSettings | undefined): Omit<GroomSettings, 'preset'> | undefined {
  if (!before) return undefined;
  const { preset, ...others } = before;
  return others;
}

const scalps = { head: '0.634*y + 0.775*z > 0.011', ball: 'nz > 0.05' } as const;

/** One at a time; of what comes meanwhile the last is kept. */
let waiting: GroomAction | undefined;
let working = false;

/** An action that fails says so, as one that is refused. */
async function groom(action: GroomAction, transfer: Transferable[] = []): Promise<Groomed> {
  try {
    return await ask('groom', action, { transfer });
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

// hair that is groomed is in the worker: a new one fetches it from the browser's store
onNewWorker.push(() => {
  facts.value = undefined;
});

async function send(action: GroomAction, transfer: Transferable[] = []): Promise<Groomed> {
  const answer = await groom(action, transfer);
  take(answer);
  const unfinished = action.kind === 'stroke' && !action.end;
  if (action.kind !== 'show' && action.kind !== 'simulate' && action.kind !== 'recall' && !unfinished) keepSoon();
  return answer;
}

let keeping: ReturnType<typeof setTimeout> | undefined;

/** When the hand rests: into the browser's store. */
function keepSoon(): void {
  kept.value = undefined;
  clearTimeout(keeping);
  keeping = setTimeout(async () => {
    const mine = keeping;
    const answer = await groom({ kind: 'keep' });
    const done = answer.kept ? await writeKept('groom', { ...answer.kept, color: state.hairColor.value }) : false;
    if (mine !== keeping) return;
    kept.value = done;
    // from a link it is one's own now: a reload comes back to what was made of it
    if (done && state.grooming.value) globalThis.history.replaceState(null, '', '#groom');
  }, 400);
}

function take(answer: Groomed): void {
  if (answer.error !== undefined) {
    state.tell(answer.error, 'bad');
    // what was asked for is not what there is
    if (facts.value) settings.value = facts.value.settings;
  }
  if (answer.facts) {
    facts.value = answer.facts;
    settings.value = answer.facts.settings;
  }
  if (answer.frame && state.grooming.value) {
    showStill(answer.loaded, answer.frame);
  }
}

/** For sliders and strokes, which come faster than hair grows. */
async function push(action: GroomAction): Promise<void> {
  if (working) {
    // a stroke that goes on begins where the last that was sent has ended
    waiting = waiting?.kind === 'stroke' && action.kind === 'stroke' ? { ...action, from: waiting.from } : action;
    return;
  }
  working = true;
  let next: GroomAction | undefined = action;
  while (next) {
    await send(next);
    next = waiting;
    waiting = undefined;
  }
  working = false;
}

/** The panel, and the address to which a reload comes back. */
function enterGrooming(): void {
  if (state.grooming.value) return;
  showGrooming();
  state.hint.value = true;
  globalThis.history.replaceState(null, '', '#groom');
}

function showGrooming(): void {
  state.grooming.value = true;
  state.sheet.value = 'view';
  // the page of a first visit has its panels closed
  state.sideOpen.value = true;
}

export async function startGrooming(): Promise<void> {
  if (state.grooming.value) return;
  enterGrooming();
  if (facts.value || (await recall())) {
    await send({ kind: 'show' });
    return;
  }
  await growOnHead();
}

async function growOnHead(): Promise<void> {
  busy.value = 'Growing hair…';
  await send({ kind: 'open', head: 'head', settings: settings.value });
  busy.value = undefined;
}

/** The hair of the last visit; false where there is none. */
async function recall(): Promise<boolean> {
  const last = await readKept('groom');
  if (!last) return false;
  busy.value = 'Fetching the hair of last time…';
  const answer = await send({ kind: 'recall', kept: last });
  busy.value = undefined;
  kept.value = answer.error === undefined;
  useColor(last.color);
  return answer.error === undefined;
}

/** Hair that a link describes, done again; with `text` as the scene that it is in. False where it is no such hair. */
export async function openShared(value: unknown, text: string | undefined, name: string): Promise<boolean> {
  const recipe = readRecipe(value, Object.keys(hairTypes));
  if (!recipe) return false;
  if (text === undefined) showGrooming();
  useColor((value as { color?: unknown }).color);
  busy.value = 'Growing and styling the hair of the link…';
  const answer = await send({ kind: 'replay', recipe });
  if (answer.error === undefined && text !== undefined) {
    const { files, recipe: made } = await send({ kind: 'simulate', motion: motion.value });
    const hair = files && keepHair({ files, ...(made && { recipe: made }) });
    await openText(text, name, { ...(hair && { hair }), keepAddress: true });
  }
  busy.value = undefined;
  return answer.error === undefined;
}

/** A scene of groomed hair from an earlier visit; false where its files are gone. */
export async function openKeptScene(
  text: string,
  name: string,
  { work, hair }: { readonly work: string; readonly hair: KeptHair | undefined },
): Promise<boolean> {
  const files = hair ?? (await readKept('hair'));
  if (!files) return false;
  await recall();
  await openText(text, name, { work, hair: files });
  return true;
}

function useColor(color: unknown): void {
  if (typeof color === 'string' && /^#[0-9a-f]{6}$/.test(color)) state.hairColor.value = color;
}

export function chooseColor(color: string): void {
  state.hairColor.value = color;
  if (facts.value) keepSoon();
}

function keepHair(hair: KeptHair): KeptHair {
  void writeKept('hair', hair);
  return hair;
}

/** How the hair that is shown, or that the scene names, was made; undefined where it comes from files. */
export async function recipeOfHair(): Promise<Recipe | undefined> {
  if (!state.grooming.value) return hairOfScene()?.recipe;
  return (await groom({ kind: 'keep' })).kept?.recipe;
}

export async function chooseHead(head: 'head' | 'ball'): Promise<void> {
  busy.value = 'Growing hair…';
  settings.value = { ...settings.value, scalp: scalps[head] };
  if (motion.value.startsWith('plays ')) motion.value = 'shake';
  await send({ kind: 'open', head, settings: settings.value });
  busy.value = undefined;
}

/** A mesh of one's own, or a hairstyle: by the name of the file. */
export async function openGroomFile(file: File): Promise<void> {
  const bytes = await file.arrayBuffer();
  const { name } = file;
  busy.value = `Reading ${name}…`;
  if (/\.hairstyle$/i.test(name)) {
    await startGrooming();
    const answer = await send({ kind: 'load', bytes, name }, [bytes]);
    if (answer.error === undefined) state.tell(`${name} is open.`, 'good');
  } else if (/\.png$/i.test(name)) {
    const answer = await send({ kind: 'texture', bytes, name }, [bytes]);
    if (answer.error === undefined)
      state.tell(`Hair grows where ${name} is bright; r, g and b in the formula are its colours.`, 'good');
  } else {
    enterGrooming();
    const answer = await send({ kind: 'mesh', bytes, name, settings: { ...settings.value, scalp: '' } }, [bytes]);
    if (answer.error === undefined) tellMesh(name, answer.facts?.animations ?? []);
    else if (!facts.value) await growOnHead();
  }
  busy.value = undefined;
}

/** A character plays its first animation unless another motion is chosen. */
function tellMesh(name: string, animations: readonly string[]): void {
  const [first] = animations;
  motion.value = first === undefined ? 'shake' : `plays ${first}`;
  const plays = first === undefined ? '' : ` Simulate plays its animation "${first}".`;
  state.tell(`Hair grows on ${name}; say where in the panel.${plays}`);
}

export function change(what: keyof GroomSettings, value: number | string): void {
  const { preset, ...others } = settings.value;
  // the number of hairs leaves a style as it is
  const isOfHairs = what === 'hairs' || what === 'clump';
  settings.value = { ...others, ...(isOfHairs && preset && { preset }), [what]: value };
  void push({ kind: 'grow', settings: settings.value, what });
}

/** A style by name, on the present head. */
export async function choosePreset(preset: StylePreset): Promise<void> {
  busy.value = 'Growing hair…';
  await send({ kind: 'grow', settings: { ...settings.value, preset }, what: '' });
  busy.value = undefined;
}

export function chooseType(hair: HairType): void {
  settings.value = settingsOf(hair, settings.value);
  void push({ kind: 'grow', settings: settings.value, what: '' });
}

export function strokeTo(from: readonly number[], to: readonly number[], { end }: { readonly end: boolean }): void {
  if (brush.value === 'orbit') return;
  void push({
    kind: 'stroke',
    brush: brush.value,
    from: roundPlace(from),
    to: roundPlace(to),
    radius: brushRadius.value,
    strength: strength.value,
    settings: settings.value,
    end,
  });
}

export function trim(length: number): void {
  void push({ kind: 'trim', length });
}

export function reshape(how: Reshaping): void {
  void push({ kind: 'shape', how, strength: strength.value });
}

export function groomUndo(): void {
  void push({ kind: 'undo' });
}

export function groomRedo(): void {
  void push({ kind: 'redo' });
}

export async function hairstyleBytes(): Promise<Uint8Array | undefined> {
  return (await groom({ kind: 'save' })).bytes;
}

/** The hair as a scene that runs, with the head in its way. */
export async function simulate(): Promise<void> {
  busy.value = 'Making a scene of it…';
  const answer = await send({ kind: 'simulate', motion: motion.value });
  if (answer.text !== undefined && answer.files) {
    const hair = keepHair({ files: answer.files, ...(answer.recipe && { recipe: answer.recipe }) });
    await openText(answer.text, 'hair.yaml', { hair });
  }
  busy.value = undefined;
}
