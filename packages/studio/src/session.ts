/**
 * What happens: opening scenes, changing them, playing, pulling. The one place that writes the signals of state.ts which
 * belong to the scene and its run.
 */
import type { SceneEdit } from '@tendril-sim/io';
import { type Client, startClient } from './client.ts';
import { createHistory } from './history.ts';
import { expectNothing, jumpToEnd, rewind, startPlayback } from './playback.ts';
import type { ExportFormat, Frame, FromWorker, HandMessage, Loaded, Variant } from './protocol.ts';
import { autosave } from './saved.ts';
import * as state from './state.ts';
import type { ColorBy } from './view/colormaps.ts';

type CasesAnswer = Extract<FromWorker, { type: 'cases' }>;

const history = createHistory();
let client: Client;
/** Frames of another run are late, and dropped. Loads have positive numbers, restarts negative ones. */
let run = 0;
let restarts = 0;
/** Bumped when a scene was loaded anew: the view takes it up. */
export const view: {
  loaded: ((scene: Loaded, keepCamera: boolean) => void) | undefined;
  pins: ((released: readonly (readonly boolean[])[]) => void) | undefined;
} = { loaded: undefined, pins: undefined };
/** Of the pull that is going on [N]. */
export const pullForce: { value: number } = { value: 0 };

let keepCamera = false;
/** The run has other rods or pins than the scene: it starts anew from the scene's text. */
let operated = false;

/** `ready`: what to do when the page knows its cases. */
export function startSession(ready: () => Promise<void>): void {
  client = startClient({
    loaded: takeLoaded,
    frame(ofRun, frame) {
      if (ofRun !== run) return;
      state.frames.add(frame);
    },
    failed(failure) {
      state.failure.value = failure;
      state.playing.value = false;
    },
    pullForce(force) {
      pullForce.value = force;
    },
    pins(released) {
      const { value: loaded } = state.loaded;
      if (!loaded) return;
      const marked = (pins: Loaded['lanes'][number]['pins'], k: number): typeof pins =>
        pins.map((pin, p) => ({ ...pin, released: released[k]?.[p] ?? false }));
      state.loaded.value = {
        ...loaded,
        lanes: loaded.lanes.map((lane, k) => ({ ...lane, pins: marked(lane.pins, k) })),
      };
      view.pins?.(released);
      operated ||= released.some((lane) => lane.includes(true));
    },
    progress() {},
    broken(message) {
      state.fatal.value = message;
    },
  });
  void client
    .ask<CasesAnswer>(() => ({ type: 'cases' }))
    .then((answer) => {
      state.cases.value = answer.cases;
      state.models.value = answer.models;
      state.schema.value = answer.schema;
      return ready();
    });
  startPlayback((message) => client.send(message));
}

function takeLoaded(message: Loaded): void {
  run = message.ticket;
  if (message.kept !== 'state') state.frames.clear();
  if (message.kept === 'restarted') {
    rewind();
    state.openEnded.value = false;
    operated = false;
  }
  expectNothing();
  state.loaded.value = message;
  state.recorded.value = undefined;
  view.loaded?.(message, keepCamera);
}

export const hasCase = (id: string): boolean => state.cases.value.some((one) => one.id === id);

/** Resolved when its scene is on its way. */
export async function openCase(id: string): Promise<void> {
  state.caseId.value = id;
  state.sceneName.value = `${id}.yaml`;
  const { text } = await client.ask<Extract<FromWorker, { type: 'case-text' }>>((ticket) => ({
    type: 'case-text',
    ticket,
    id,
  }));
  // another was chosen meanwhile
  if (state.caseId.value !== id) return;
  const known = state.cases.value.find((one) => one.id === id)?.colorBy;
  state.colorBy.value = state.comparing.value ? 'plain' : (known ?? preferredColor(text));
  history.reset(text);
  void open(text);
  state.changed.value = false;
  afterChange();
  globalThis.history.replaceState(null, '', `#case=${id}`);
}

export const asWritten: Variant = { id: '', label: 'as written' };

export function openText(text: string, name: string): Promise<boolean> {
  state.caseId.value = undefined;
  state.sceneName.value = name;
  state.colorBy.value = preferredColor(text);
  history.reset(text);
  const opened = open(text);
  state.changed.value = true;
  afterChange();
  return opened;
}

/** Where twist is put in, twist is what one wants to see. */
function preferredColor(text: string): ColorBy {
  return /twist:|turns:|torque/.test(text) ? 'twist' : 'curvature';
}

function open(text: string): Promise<boolean> {
  state.grooming.value = false;
  // the address is that of the panel no more
  if (location.hash === '#groom') globalThis.history.replaceState(null, '', location.pathname);
  state.text.value = text;
  state.failure.value = undefined;
  state.playing.value = true;
  keepCamera = false;
  return load(false);
}

let loading = 0;

/** Compiles the text; a scene with problems leaves what runs as it is. */
async function load(keep: boolean): Promise<boolean> {
  const mine = ++loading;
  const answer = await client.ask<Extract<FromWorker, { type: 'loaded' | 'refused' }>>((ticket) => ({
    type: 'load',
    ticket,
    text: state.text.value,
    name: state.sceneName.value,
    variants: state.variants.value,
    keep,
  }));
  if (mine !== loading) return answer.type === 'loaded';
  if (answer.type === 'refused') {
    state.problems.value = answer.problems;
    return false;
  }
  state.problems.value = [];
  state.failure.value = undefined;
  if (keep && answer.kept === 'restarted') {
    state.tell('Restarted: this change needs a new start.');
    state.playing.value = true;
  }
  return true;
}

function afterChange(): void {
  state.canUndo.value = history.canUndo;
  state.canRedo.value = history.canRedo;
  autosave();
}

/** Fields that can change under a running simulation: its state still fits. */
const live =
  /^(gravity|materials|sections|loads|fields|solver|title|description|time\.(step|halvings)|output|rods\.\d+\.(section|material))(\.|$)/;

export function isLive(path: readonly PropertyKey[]): boolean {
  return live.test(path.map(String).join('.'));
}

/** Changes values of the scene, as the inspector does. */
export async function edit(edits: readonly SceneEdit[], kind: string): Promise<void> {
  const answer = await client.ask<Extract<FromWorker, { type: 'edited' }>>((ticket) => ({
    type: 'edit',
    ticket,
    text: state.text.value,
    edits,
  }));
  change(answer.text, kind);
}

/** Takes a new text; the run goes on where its state still fits, else it starts anew. */
export function change(text: string, kind: string): void {
  if (text === state.text.value) return;
  history.push(text, kind, performance.now());
  state.text.value = text;
  state.changed.value = true;
  afterChange();
  keepCamera = true;
  void load(state.recorded.value === undefined);
}

function travel(text: string | undefined): void {
  if (text === undefined) return;
  state.text.value = text;
  state.changed.value = true;
  afterChange();
  keepCamera = true;
  void load(true);
}

export function undo(): void {
  travel(history.undo());
}

export function redo(): void {
  travel(history.redo());
}

export function setVariants(list: readonly Variant[]): void {
  const before = state.comparing.value;
  state.variants.value = list.length > 0 ? list : [asWritten];
  // side by side, the colour tells the models apart
  if (state.comparing.value && !before) state.colorBy.value = 'plain';
  if (!state.comparing.value && before) state.colorBy.value = preferredColor(state.text.value);
  state.failure.value = undefined;
  state.playing.value = true;
  keepCamera = false;
  void load(false);
}

export function restart(): void {
  state.failure.value = undefined;
  state.openEnded.value = false;
  if (state.recorded.value !== undefined) {
    rewind();
    return;
  }
  if (operated || state.loaded.value?.hair) {
    keepCamera = true;
    state.playing.value = true;
    void load(false);
    return;
  }
  run = --restarts;
  state.frames.clear();
  rewind();
  expectNothing();
  client.send({ type: 'restart', run });
  state.playing.value = true;
}

/** Equilibrium with the loads and pins of this instant. */
export function comeToRest(): void {
  jumpToEnd();
  client.send({ type: 'rest' });
}

export function hand(message: HandMessage): void {
  if (state.recorded.value !== undefined) return;
  jumpToEnd();
  if (message.kind !== 'drop') {
    state.openEnded.value = true;
    state.playing.value = true;
  }
  client.send({ type: 'hand', hand: message });
}

/** A hand that keeps still while the camera moves: no reason to go on from a pause, or to jump. */
export function keepHand(message: HandMessage): void {
  if (state.recorded.value === undefined) client.send({ type: 'hand', hand: message });
}

/** For others that ask the worker. */
export function ask<T extends FromWorker>(build: Parameters<Client['ask']>[0], transfer?: Transferable[]): Promise<T> {
  return client.ask<T>(build, transfer);
}

/** Files that the next scene names. */
export function attachFiles(files: readonly { readonly name: string; readonly bytes: Uint8Array }[]): void {
  client.send({ type: 'attach', files });
}

/** Shows what does not run; `scene` where other things are to be drawn than before. */
export function showStill(scene: Loaded | undefined, frame: Frame): void {
  run = --restarts;
  loading++;
  state.playing.value = false;
  state.frames.clear();
  state.frames.add(frame);
  rewind();
  if (!scene) return;
  const first = state.loaded.value?.title !== scene.title;
  state.failure.value = undefined;
  state.problems.value = [];
  state.recorded.value = undefined;
  state.variants.value = [asWritten];
  state.loaded.value = scene;
  view.loaded?.(scene, !first);
}

/** Shows a recording: no simulation behind it. */
export function showRecording(message: Loaded, frames: readonly Frame[], text: string, name: string): void {
  run = --restarts;
  loading++;
  state.grooming.value = false;
  state.frames.clear();
  for (const frame of frames) state.frames.add(frame);
  rewind();
  state.caseId.value = undefined;
  state.sceneName.value = name.replace(/\.\w+$/, '.yaml');
  state.text.value = text;
  history.reset(text);
  state.recorded.value = name;
  state.failure.value = undefined;
  state.problems.value = [];
  state.variants.value = [asWritten];
  state.loaded.value = message;
  view.loaded?.(message, false);
  state.playing.value = true;
  afterChange();
}

/** Back to the scene that was open. */
export function leaveGrooming(): void {
  if (!state.grooming.value) return;
  state.grooming.value = false;
  open(state.text.value);
}

/** Cuts a rod at a node, or pins it there. Undefined where that was done, else why it was not. */
export async function operate(kind: 'cut' | 'pin', rod: number, node: number): Promise<string | undefined> {
  if (state.recorded.value !== undefined) return 'a recording can only be looked at';
  jumpToEnd();
  keepCamera = true;
  const answer = await client.ask<Extract<FromWorker, { type: 'loaded' | 'refused' }>>((ticket) => ({
    type: 'operate',
    ticket,
    kind,
    rod,
    node,
  }));
  if (answer.type === 'refused') return answer.problems[0]?.message ?? 'the model cannot do that';
  operated = true;
  state.openEnded.value = true;
  state.playing.value = true;
  return undefined;
}

export async function checkText(text: string): Promise<Extract<FromWorker, { type: 'checked-text' }>['problems']> {
  const answer = await client.ask<Extract<FromWorker, { type: 'checked-text' }>>((ticket) => ({
    type: 'check-text',
    ticket,
    text,
    name: state.sceneName.value,
  }));
  return answer.problems;
}

/** The run as it has been kept, as a file's parts. */
export async function exportRun(format: ExportFormat): Promise<readonly Uint8Array[] | undefined> {
  const answer = await client.ask<Extract<FromWorker, { type: 'exported' }>>((ticket) => ({
    type: 'export',
    ticket,
    format,
    recorded: state.recorded.value !== undefined,
    frames: state.frames.frames,
  }));
  if (answer.error === undefined) return answer.parts;
  state.tell(`The run cannot be saved: ${answer.error}`, 'bad');
  return undefined;
}
