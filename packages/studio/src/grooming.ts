/** Grooming: what the panel and the brush do. The hair itself is in the worker. */
import { type Signal, signal } from '@preact/signals';
import { type HairType, hairTypes } from '@tendril/core';
import type { Brush, GroomAction, Groomed, GroomFacts, GroomSettings, HeadMotion } from './groomTypes.ts';
import type { Loaded } from './protocol.ts';
import { ask, attachFiles, openText, showStill } from './session.ts';
import * as state from './state.ts';

export const facts: Signal<GroomFacts | undefined> = signal(undefined);
export const settings: Signal<GroomSettings> = signal(settingsOf('wavy'));
export const brush: Signal<Brush | 'orbit'> = signal('comb');
/** [m] */
export const brushRadius: Signal<number> = signal(0.05);
export const strength: Signal<number> = signal(0.7);
export const motion: Signal<HeadMotion> = signal('shake');
export const busy: Signal<string | undefined> = signal(undefined);

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
    scalp: '0.634*y + 0.775*z > 0.004',
    ...before,
    hair,
    radius: typeof curl?.radius === 'number' ? curl.radius : 0,
    pitch: typeof curl?.pitch === 'number' ? curl.pitch : (before?.pitch ?? 0.05),
  };
}

const scalps = { head: '0.634*y + 0.775*z > 0.004', ball: 'nz > 0.05' } as const;

/** One at a time; of what comes meanwhile the last is kept. */
let waiting: GroomAction | undefined;
let working = false;

async function send(action: GroomAction, transfer: Transferable[] = []): Promise<Groomed> {
  const answer = await ask<Groomed>((ticket) => ({ type: 'groom', ticket, action }), transfer);
  take(answer);
  return answer;
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
    const loaded: Loaded | undefined = answer.loaded && { type: 'loaded', ticket: 0, ...answer.loaded };
    showStill(loaded, answer.frame);
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

export async function startGrooming(): Promise<void> {
  if (state.grooming.value) return;
  state.grooming.value = true;
  state.hint.value = true;
  state.sheet.value = 'view';
  if (facts.value) {
    await send({ kind: 'show' });
    return;
  }
  busy.value = 'Growing hair…';
  await send({ kind: 'open', head: 'head', settings: settings.value });
  busy.value = undefined;
}

export async function chooseHead(head: 'head' | 'ball'): Promise<void> {
  busy.value = 'Growing hair…';
  settings.value = { ...settings.value, scalp: scalps[head] };
  await send({ kind: 'open', head, settings: settings.value });
  busy.value = undefined;
}

/** A mesh of one's own, or a hairstyle: by the name of the file. */
export async function openGroomFile(file: File): Promise<void> {
  const bytes = await file.arrayBuffer();
  const { name } = file;
  busy.value = `Reading ${name}…`;
  if (!state.grooming.value) await startGrooming();
  if (/\.hairstyle$/i.test(name)) {
    const answer = await send({ kind: 'load', bytes, name }, [bytes]);
    if (answer.error === undefined) state.tell(`${name} is open.`, 'good');
  } else {
    settings.value = { ...settings.value, scalp: 'nz > 0' };
    const answer = await send({ kind: 'mesh', bytes, name, settings: settings.value }, [bytes]);
    if (answer.error === undefined) state.tell(`Hair grows on ${name} where it faces up; say where else in the panel.`);
  }
  busy.value = undefined;
}

export function change(what: keyof GroomSettings, value: number | string): void {
  settings.value = { ...settings.value, [what]: value };
  void push({ kind: 'grow', settings: settings.value, what });
}

export function chooseType(hair: HairType): void {
  settings.value = settingsOf(hair, settings.value);
  void push({ kind: 'grow', settings: settings.value, what: '' });
}

export function strokeTo(from: readonly number[], to: readonly number[], end: boolean): void {
  if (brush.value === 'orbit') return;
  void push({
    kind: 'stroke',
    brush: brush.value,
    from: [from[0], from[1], from[2]],
    to: [to[0], to[1], to[2]],
    radius: brushRadius.value,
    strength: strength.value,
    settings: settings.value,
    end,
  });
}

export function trim(length: number): void {
  void push({ kind: 'trim', length });
}

export function groomUndo(): void {
  void push({ kind: 'undo' });
}

export function groomRedo(): void {
  void push({ kind: 'redo' });
}

export async function hairstyleBytes(): Promise<Uint8Array | undefined> {
  return (await ask<Groomed>((ticket) => ({ type: 'groom', ticket, action: { kind: 'save' } }))).bytes;
}

/** The hair as a scene that runs, with the head in its way. */
export async function simulate(): Promise<void> {
  busy.value = 'Making a scene of it…';
  const answer = await send({ kind: 'simulate', motion: motion.value });
  if (answer.text !== undefined && answer.files) {
    attachFiles(answer.files);
    await openText(answer.text, 'hair.yaml');
  }
  busy.value = undefined;
}
