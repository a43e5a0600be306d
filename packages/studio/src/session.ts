/**
 * What happens to the scene and its run: opening, changing, undoing, restarting, pulling. The one writer of the signals of state/scene.ts
 * and of the run's in state/run.ts.
 *
 * Every run has a number. Events and commands carry it, so that what belongs to an old run changes nothing. A change keeps the run where
 * the core says that its state fits (`livenessOf`), from the frame at the cursor on; frames of other values are dropped.
 */
import type { SceneEdit } from '@tendril-sim/io';
import { writeAddress } from './address.ts';
import { build } from './building.ts';
import { ask, attachFiles, command, connect, explain, nextRun, replaceWorker, showRun } from './connection.ts';
import { createHistory, type Entry } from './history.ts';
import { expectNewLook, lookAfterComparing, takeLook } from './look.ts';
import { cursor, expectNothing, rewind, startPlayback, takeFrame } from './playback.ts';
import { type Frame, isRefusal, type Loaded, type ReadRecording, type RunEvent, type Variant } from './protocol.ts';
import { keepWork, newWork, titleOfWork } from './recent.ts';
import type { KeptHair } from './saved.ts';
import * as state from './state.ts';

const history = createHistory();
/** Bumped when something is shown that the worker did not load: its late answers change nothing. */
let epoch = 0;
/** The hair of the scene that is open. */
let openHair: KeptHair | undefined;

export const view: {
  loaded: ((scene: Loaded, options: { readonly keepCamera: boolean }) => void) | undefined;
  pins: ((released: readonly (readonly boolean[])[]) => void) | undefined;
} = { loaded: undefined, pins: undefined };
/** Of the pull that is going on [N]. */
export const pullForce: { value: number } = { value: 0 };
let keepCamera = false;
/** The run has other rods or pins than the scene: it starts anew from the scene's text. */
let operated = false;

/** `open`: opens the first scene. */
export function startSession(open: () => Promise<void>): void {
  connect(take);
  startPlayback((time, every) => command({ type: 'until', time, every }), restart);
  open().catch((error) => explain(error, 'The scene'));
}

function take(event: RunEvent): void {
  if (event.type === 'frame') {
    state.frames.add(event.frame);
    if (event.pull !== undefined) pullForce.value = event.pull;
    takeFrame();
  } else if (event.type === 'failed') {
    state.failure.value = event.failure;
    state.playing.value = false;
  } else takePins(event.released);
}

function takePins(released: readonly (readonly boolean[])[]): void {
  const { value: loaded } = state.loaded;
  if (!loaded) return;
  const differs = loaded.lanes.some(({ pins }, k) =>
    pins.some((pin, p) => (pin.released ?? false) !== (released[k]?.[p] ?? false)),
  );
  operated ||= released.some((lane) => lane.includes(true));
  if (!differs) return;
  state.loaded.value = {
    ...loaded,
    lanes: loaded.lanes.map((lane, k) => ({
      ...lane,
      pins: lane.pins.map((pin, p) => ({ ...pin, released: released[k]?.[p] ?? false })),
    })),
  };
  view.pins?.(released);
}

function takeLoaded(message: Loaded): void {
  if (message.kept === 'restarted') {
    state.openEnded.value = false;
    operated = false;
  }
  state.frames.clear();
  rewind(message.start);
  expectNothing();
  state.loaded.value = message;
  state.recorded.value = undefined;
  view.loaded?.(message, { keepCamera });
}

export const hasCase = (id: string): boolean => state.cases.some((one) => one.id === id);

/** Resolved when its scene is on its way. */
export async function openCase(id: string): Promise<void> {
  const mine = ++opening;
  try {
    const { text } = await ask('case-text', { id });
    // another was chosen meanwhile
    if (mine !== opening) return;
    state.unfetched.value = undefined;
    await openEntry({ text, name: `${id}.yaml`, caseId: id, changed: false, work: newWork() });
  } catch (error) {
    if (mine === opening) explain(error, `The case ${id}`, () => void openCase(id));
  }
}

let opening = 0;

export const asWritten: Variant = { id: '', label: 'as written' };

export interface OpenOptions {
  readonly caseId?: string | undefined;
  readonly work?: string;
  readonly hair?: KeptHair;
  /** Made or opened by the visitor, and kept for later. Default true. */
  readonly isOwn?: boolean;
  /** The address names it already. */
  readonly keepAddress?: boolean;
}

/** Opens a scene of one's own. False where it has problems. */
export function openText(text: string, name: string, options: OpenOptions = {}): Promise<boolean> {
  const { caseId, work = newWork(), hair, isOwn = true, keepAddress } = options;
  opening++;
  return openEntry({ text, name, caseId, changed: isOwn, work, ...(hair && { hair }) }, keepAddress);
}

function openEntry(entry: Entry, keepAddress = false): Promise<boolean> {
  history.push(entry, '', performance.now());
  const opened = show(entry);
  if (!keepAddress) writeAddress(entry, { isNew: true });
  return opened;
}

/** Shows an entry of the history from its start. */
function show(entry: Entry): Promise<boolean> {
  takeEntry(entry);
  state.grooming.value = false;
  state.failure.value = undefined;
  state.ghostStats.value = [];
  expectNewLook(entry.caseId);
  if (entry.recording) {
    showFrames(entry.recording, entry.name);
    lastGood = { entry, variants: [asWritten] };
    return Promise.resolve(true);
  }
  state.playing.value = true;
  keepCamera = false;
  return load(undefined);
}

function takeEntry(entry: Entry): void {
  state.text.value = entry.text;
  state.sceneName.value = entry.name;
  state.caseId.value = entry.caseId;
  state.changed.value = entry.changed;
  state.canUndo.value = history.canUndo;
  state.canRedo.value = history.canRedo;
  if (entry.hair && entry.hair !== openHair) attachFiles(entry.hair.files);
  openHair = entry.hair;
  if (entry.changed && !entry.recording) keepWork(entry, titleOfWork(entry.work) ?? entry.name);
}

/** A scene that the worker has built and runs. */
interface Built {
  readonly number: number;
  readonly answer: Loaded;
  readonly entry: Entry | undefined;
  readonly variants: readonly Variant[];
  readonly from: number | undefined;
}

let loads = 0;
/** Built after something else was asked for: it is shown only if that fails. */
let overtaken: Built | undefined;
/** What was shown last without a problem: a load that is cancelled leads back to it. */
let lastGood: Pick<Built, 'entry' | 'variants'> | undefined;

/** Compiles the text; a scene with problems leaves what runs as it is. `from`: time from which the run continues [s]. */
async function load(from: number | undefined): Promise<boolean> {
  const mine = ++loads;
  const asked = epoch;
  const number = nextRun();
  const entry = history.now;
  const [text, name, caseId] = [state.text.value, state.sceneName.value, state.caseId.value];
  const variants = state.variants.value;
  // after a failure the worker still runs what it built before
  const fail = (): boolean => {
    if (asked !== epoch || mine !== loads) return false;
    if (overtaken) takeBuilt(overtaken);
    return true;
  };
  try {
    const answer = await build({ run: number, text, name, caseId, variants, from });
    if (isRefusal(answer)) {
      if (fail()) state.problems.value = answer.problems;
      return false;
    }
    const built = { number, answer, entry, variants, from };
    if (asked === epoch && mine === loads) takeBuilt(built);
    else if (asked === epoch) overtaken = built;
    return true;
  } catch (error) {
    if (fail()) explain(error, 'The scene', () => void load(from));
    return false;
  }
}

function takeBuilt({ number, answer, entry, variants, from }: Built): void {
  overtaken = undefined;
  lastGood = { entry, variants };
  showRun(number);
  state.problems.value = [];
  state.failure.value = undefined;
  state.unfetched.value = undefined;
  takeLoaded(answer);
  takeLook(answer);
  if (entry?.changed && answer.title !== '') keepWork(entry, answer.title);
  if (from !== undefined && answer.kept === 'restarted') {
    state.tell('Restarted: this change needs a new start.');
    state.playing.value = true;
  }
}

/** Cancels the load: a new worker replaces the busy one and shows what was shown before, if anything was. */
export function cancelLoading(): void {
  replaceWorker();
  epoch++;
  overtaken = undefined;
  state.loading.value = undefined;
  if (!lastGood?.entry) {
    state.problems.value = [{ message: 'You stopped building it. Make it smaller, or open another scene.' }];
    return;
  }
  const { entry, variants } = lastGood;
  // the models side by side may have been what took long, and not the scene
  const isSame = history.now?.text === entry.text && history.now.work === entry.work;
  state.variants.value = variants;
  state.tell('Stopped. What was open before starts again.');
  void show((isSame ? history.now : history.undo()) ?? entry);
}

/** Changes values of the scene, as the inspector does. */
export async function edit(edits: readonly SceneEdit[], kind: string): Promise<void> {
  try {
    const { text } = await ask('edit', { text: state.text.value, edits });
    await change(text, kind);
  } catch (error) {
    explain(error, 'The change');
  }
}

/** Takes a new text; the run goes on from the cursor where its state still fits, else it starts anew. A copy leaves the scene as it was. */
export async function change(text: string, kind: string, as: 'edit' | 'copy' = 'edit'): Promise<void> {
  const { now } = history;
  if (text === state.text.value || !now) return;
  // the first edit of a case makes it one's own
  const work = now.changed && as === 'edit' ? now.work : newWork();
  const { recording: _, ...rest } = now;
  const entry: Entry = { ...rest, text, changed: true, work };
  history.push(entry, kind, performance.now());
  takeEntry(entry);
  writeAddress(entry, { isNew: as === 'copy' });
  await reload();
}

/** Runs what has changed: from the cursor, or from the start if the cursor is at the end. */
async function reload(): Promise<void> {
  const isRecorded = state.recorded.value !== undefined;
  const { step } = state.loaded.value?.time ?? { step: 0 };
  const isOver = !state.openEnded.value && cursor() >= state.duration.value - 1.5 * step;
  const { stats } = state.frames;
  keepCamera = true;
  if (isOver) state.playing.value = true;
  const loaded = await load(isRecorded || isOver ? undefined : cursor());
  // while a slider is dragged the ghost stays that of the last run that was seen
  if (loaded && stats.length > 20) state.ghostStats.value = stats;
}

/** To another entry of the history: an edit of the same scene keeps the run where it can, another scene starts. */
function travel(before: Entry | undefined, entry: Entry | undefined): void {
  if (!before || !entry) return;
  opening++;
  // a case and its first edit do not have the same work
  const isScene = before.work === entry.work || (entry.caseId !== undefined && before.caseId === entry.caseId);
  const isEdit = isScene && !before.recording && !entry.recording;
  if (isEdit) {
    takeEntry(entry);
    void reload();
  } else void show(entry);
  writeAddress(entry, { isNew: false });
}

export function undo(): void {
  travel(history.now, history.undo());
}

export function redo(): void {
  travel(history.now, history.redo());
}

export function setVariants(list: readonly Variant[]): void {
  const before = state.comparing.value;
  state.variants.value = list.length > 0 ? list : [asWritten];
  lookAfterComparing(before);
  state.failure.value = undefined;
  state.ghostStats.value = [];
  state.playing.value = true;
  keepCamera = false;
  void load(undefined);
}

export function restart(): void {
  state.failure.value = undefined;
  state.openEnded.value = false;
  if (state.recorded.value !== undefined) {
    rewind();
    return;
  }
  state.playing.value = true;
  if (operated || state.loaded.value?.hair) {
    keepCamera = true;
    void load(undefined);
    return;
  }
  showRun(nextRun());
  state.frames.clear();
  rewind();
  expectNothing();
  command({ type: 'restart' });
}

/** The hair of the scene that is open, where it has any. */
export const hairOfScene = (): KeptHair | undefined => openHair;

/** Shows what does not run; `scene` where other things are to be drawn than before. */
export function showStill(scene: Loaded | undefined, frame: Frame): void {
  showRun(nextRun());
  epoch++;
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
  view.loaded?.(scene, { keepCamera: !first });
}

/** Opens a recording: no simulation behind it. */
export function openRecording(recording: ReadRecording, name: string): void {
  opening++;
  void openEntry({ text: recording.text, name, caseId: undefined, changed: true, work: newWork(), recording });
}

function showFrames({ loaded, frames }: ReadRecording, name: string): void {
  showRun(nextRun());
  epoch++;
  state.frames.clear();
  for (const frame of frames) state.frames.add(frame);
  rewind(loaded.start);
  state.sceneName.value = name.replace(/\.\w+$/, '.yaml');
  state.recorded.value = name;
  state.problems.value = [];
  state.variants.value = [asWritten];
  state.loaded.value = loaded;
  view.loaded?.(loaded, { keepCamera: false });
  takeLook(loaded);
  state.playing.value = true;
}

/** Back to the scene that was open. */
export function leaveGrooming(): void {
  if (!state.grooming.value) return;
  state.grooming.value = false;
  if (!history.now) return;
  void show(history.now);
  writeAddress(history.now, { isNew: false });
}

/** Other rods or pins go on in place of those that were shown. */
export function takeOperated(number: number, loaded: Loaded): void {
  keepCamera = true;
  showRun(number);
  takeLoaded(loaded);
  operated = true;
  state.openEnded.value = true;
  state.playing.value = true;
}
