/** What is done to the run that is shown: hands, cuts, pins, rest; and what is asked about it. */
import { ask, command, explain, nextRun, shownRun } from './connection.ts';
import { jumpToEnd } from './playback.ts';
import { type Answer, type ExportFormat, type Frame, type HandMessage, isRefusal } from './protocol.ts';
import { takeOperated } from './session.ts';
import * as state from './state.ts';

/** Equilibrium with the loads and pins of this instant. */
export function comeToRest(): void {
  jumpToEnd();
  command({ type: 'rest' });
}

export function hand(message: HandMessage): void {
  if (state.recorded.value !== undefined) return;
  jumpToEnd();
  if (message.kind !== 'drop') {
    state.openEnded.value = true;
    state.playing.value = true;
  }
  command({ type: 'hand', hand: message });
}

/** A hand that keeps still while the camera moves: no reason to go on from a pause, or to jump. */
export function keepHand(message: HandMessage): void {
  if (state.recorded.value === undefined) command({ type: 'hand', hand: message });
}

/** Cuts a rod at a node, or pins it there. Undefined where that was done, else why it was not. */
export async function operate(kind: 'cut' | 'pin', rod: number, node: number): Promise<string | undefined> {
  if (state.recorded.value !== undefined) return 'a recording can only be looked at';
  jumpToEnd();
  const run = nextRun();
  const answer = await ask('operate', { run, kind, rod, node });
  if (isRefusal(answer)) return answer.problems[0]?.message ?? 'the model cannot do that';
  takeOperated(run, answer);
  return undefined;
}

/** Hairs of a frame that keeps its guides only. */
export async function fetchHairs(frame: Frame): Promise<void> {
  const guides = frame.lanes.find((lane) => lane.guides)?.guides;
  if (!guides) return;
  const { data } = await ask('hairs', { run: shownRun(), guides });
  state.frames.fill(frame, data);
}

export async function checkText(text: string): Promise<Answer<'check-text'>['problems']> {
  return (await ask('check-text', { text, name: state.sceneName.value })).problems;
}

/** The run as it has been kept, as a file's parts. */
export async function exportRun(format: ExportFormat): Promise<readonly Uint8Array[] | undefined> {
  const recorded = state.recorded.value !== undefined;
  // what the worker makes hairs of need not travel
  const frames = state.frames.frames.map((frame) => ({
    ...frame,
    lanes: frame.lanes.map((lane) => (lane.guides ? { ...lane, data: new Float32Array(0) } : lane)),
  }));
  try {
    return (await ask('export', { format, recorded, frames })).parts;
  } catch (error) {
    explain(error, 'The run cannot be saved');
    return undefined;
  }
}
