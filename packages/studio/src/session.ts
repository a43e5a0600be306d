/**
 * What happens: opening scenes, changing them, playing, pulling. The one place that writes the signals of state.ts which
 * belong to the scene and its run.
 */
import type { SceneEdit } from '@tendril/io';
import { type Client, startClient } from './client.ts';
import { createHistory } from './history.ts';
import { packText, unpackText } from './link.ts';
import type { ExportFormat, Frame, FromWorker, HandMessage, Loaded, Variant } from './protocol.ts';
import * as state from './state.ts';
import type { ColorBy } from './view/colormaps.ts';

type CasesAnswer = Extract<FromWorker, { type: 'cases' }>;

const history = createHistory();
let client: Client;
/** Frames of another run are late, and dropped. Loads have positive numbers, restarts negative ones. */
let run = 0;
let restarts = 0;
/** The cursor [s], as fine as it moves. */
let head = 0;
let asked = 0;
/** Bumped when a scene was loaded anew: the view takes it up. */
export const view: {
  loaded: ((scene: Loaded, keepCamera: boolean) => void) | undefined;
  pins: ((released: readonly (readonly boolean[])[]) => void) | undefined;
} = { loaded: undefined, pins: undefined };
export const pullAt: { point: readonly number[] | undefined; force: number } = { point: undefined, force: 0 };

let keepCamera = false;
/** The run has other rods or pins than the scene: it starts anew from the scene's text. */
let operated = false;

export function startSession(): void {
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
    pullForce(force, at) {
      pullAt.force = force;
      pullAt.point = at;
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
      return openFirst();
    });
}

/** What the address names, else what was open last, else a case that moves at once. */
async function openFirst(): Promise<void> {
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

/** One visit's work outlives it. */
const saveKey = 'tendril-studio-scene';

function readSaved(): { text: string; name: string; caseId: string | undefined } | undefined {
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

function autosave(): void {
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

function takeLoaded(message: Loaded): void {
  run = message.ticket;
  if (message.kept !== 'state') state.frames.clear();
  if (message.kept === 'restarted') {
    head = 0;
    state.openEnded.value = false;
    operated = false;
  }
  asked = 0;
  state.loaded.value = message;
  state.recorded.value = undefined;
  view.loaded?.(message, keepCamera);
}

export function openCase(id: string): boolean {
  const found = state.cases.value.find((one) => one.id === id);
  if (!found) return false;
  state.caseId.value = id;
  state.sceneName.value = `${id}.yaml`;
  void client
    .ask<Extract<FromWorker, { type: 'case-text' }>>((ticket) => ({ type: 'case-text', ticket, id }))
    .then(({ text }) => {
      // another was chosen meanwhile
      if (state.caseId.value !== id) return;
      state.colorBy.value = state.comparing.value ? 'plain' : preferredColor(text);
      history.reset(text);
      void open(text);
      state.changed.value = false;
      afterChange();
      globalThis.history.replaceState(null, '', `#case=${id}`);
    });
  return true;
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
    head = 0;
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
  head = 0;
  asked = 0;
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
  head = 0;
  if (!scene) return;
  const first = state.loaded.value?.title !== scene.title;
  state.failure.value = undefined;
  state.problems.value = [];
  state.recorded.value = undefined;
  state.variants.value = [asWritten];
  state.loaded.value = scene;
  view.loaded?.(scene, !first);
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

/** A hand acts on the run as it is now, not on a moment that is past. */
function jumpToEnd(): void {
  head = state.frames.last;
}

export function togglePlay(): void {
  const end = state.openEnded.value ? Number.POSITIVE_INFINITY : state.duration.value;
  if (!state.playing.value && head >= end - 1e-9) head = state.frames.first;
  state.playing.value = !state.playing.value;
  // a pause rests on a frame, not a hair's breadth after one: the next step back is then seen to be a step
  if (!state.playing.value) {
    head = state.frames.around(head)?.a.time ?? head;
    state.clock.value = head;
  }
}

export function seek(time: number): void {
  head = Math.min(Math.max(time, state.frames.first), state.frames.last);
  state.playing.value = false;
  state.clock.value = head;
}

/** One frame on or back; at the end of what is known, one step of the simulation. */
export function stepFrames(by: number): void {
  state.playing.value = false;
  const { frames } = state.frames;
  const around = state.frames.around(head);
  if (!around) return;
  const at = frames.indexOf(around.weight > 0 && by < 0 ? around.b : around.a);
  const next = frames[at + by];
  if (next) head = next.time;
  else if (by > 0 && state.recorded.value === undefined) {
    const { step } = state.loaded.value?.time ?? { step: 0.01 };
    state.openEnded.value ||= head >= state.duration.value - 1e-9;
    client.send({ type: 'until', time: state.frames.last + step, every: step });
    setTimeout(() => {
      head = state.frames.last;
    }, 30);
  }
  state.clock.value = head;
}

/** Once a drawn frame: moves the cursor and asks the worker for what comes next. Returns where the cursor is. */
export function tick(seconds: number): number {
  const { last } = state.frames;
  const end = state.openEnded.value ? Number.POSITIVE_INFINITY : state.duration.value;
  if (!state.playing.value || state.frames.frames.length === 0) return head;
  const rate = state.pace.value * state.speed.value;
  // a page that slept does not jump
  const wanted = head + Math.min(seconds, 0.1) * rate;
  head = Math.min(wanted, last);
  if (head >= end - 1e-9 || (state.recorded.value !== undefined && head >= last)) {
    if (state.loop.value) head = state.frames.first;
    else state.playing.value = false;
  }
  const ahead = Math.min(end, head + rate * 0.05 + (state.loaded.value?.time.step ?? 0));
  if (ahead > last && ahead > asked && state.recorded.value === undefined && !state.failure.value) {
    asked = ahead;
    client.send({ type: 'until', time: ahead, every: rate / 60 });
  }
  return head;
}

export function cursor(): number {
  return head;
}

export async function shareLink(): Promise<string> {
  const packed = await packText(state.text.value);
  const name = encodeURIComponent(state.sceneName.value);
  return `${location.origin}${location.pathname}#name=${name}&s=${packed}`;
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

export async function openRecording(bytes: ArrayBuffer, name: string): Promise<void> {
  const answer = await client.ask<Extract<FromWorker, { type: 'recording' }>>(
    (ticket) => ({ type: 'recording', ticket, bytes, name }),
    [bytes],
  );
  if (!answer.loaded) {
    state.tell(`${name} cannot be shown: ${answer.error}`, 'bad');
    return;
  }
  run = --restarts;
  loading++;
  state.grooming.value = false;
  state.frames.clear();
  for (const frame of answer.frames) state.frames.add(frame);
  head = 0;
  state.caseId.value = undefined;
  state.sceneName.value = name.replace(/\.\w+$/, '.yaml');
  state.text.value = answer.text;
  history.reset(answer.text);
  state.recorded.value = name;
  state.failure.value = undefined;
  state.problems.value = [];
  state.variants.value = [asWritten];
  const message: Loaded = { type: 'loaded', ticket: 0, ...answer.loaded };
  state.loaded.value = message;
  view.loaded?.(message, false);
  state.playing.value = true;
  afterChange();
}

/** Curves become a scene, a mesh becomes a thing in the way of the present one. */
async function importOther(bytes: ArrayBuffer, name: string): Promise<void> {
  const answer = await client.ask<Extract<FromWorker, { type: 'imported' }>>(
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
