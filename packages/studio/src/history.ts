/**
 * Undo and redo over everything that replaces a scene: edits, cases, files, recordings. Changes of the same kind in quick succession
 * (a slider that moves) are one.
 */
import type { ReadRecording } from './protocol.ts';
import type { KeptHair } from './saved.ts';

/** A scene as it was open. */
export interface Entry {
  readonly text: string;
  readonly name: string;
  readonly caseId: string | undefined;
  /** Differs from the case, or is one's own. */
  readonly changed: boolean;
  /** Under which it is among the recent scenes: the same for all edits of one scene. */
  readonly work: string;
  /** What is shown is a recording of it. */
  readonly recording?: ReadRecording;
  /** The files that it names. */
  readonly hair?: KeptHair;
}

export interface History {
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  readonly now: Entry | undefined;
  push(entry: Entry, kind: string, time: number): void;
  undo(): Entry | undefined;
  redo(): Entry | undefined;
}

const depth = 300;
const together = 900;
/** Recordings are large: of older ones the scene alone is kept. */
const recordingLimit = 3;

export function createHistory(): History {
  let entries: Entry[] = [];
  let at = -1;
  let lastKind = '';
  let lastTime = 0;
  const forgetRecordings = (): void => {
    const kept = entries.flatMap(({ recording }, k) => (recording ? [k] : [])).slice(-recordingLimit);
    entries = entries.map((entry, k) => {
      if (!entry.recording || kept.includes(k)) return entry;
      const { recording: _, ...rest } = entry;
      return rest;
    });
  };
  return {
    get canUndo() {
      return at > 0;
    },
    get canRedo() {
      return at < entries.length - 1;
    },
    get now() {
      return entries[at];
    },
    push(entry, kind, time) {
      const present = entries[at];
      if (present?.text === entry.text && present.work === entry.work && !entry.recording) return;
      entries = entries.slice(0, at + 1);
      const same = kind !== '' && kind === lastKind && time - lastTime < together && present?.work === entry.work;
      if (same && at > 0) entries[at] = entry;
      else entries.push(entry);
      if (entries.length > depth) entries.shift();
      at = entries.length - 1;
      lastKind = kind;
      lastTime = time;
      forgetRecordings();
    },
    undo() {
      if (at <= 0) return undefined;
      lastKind = '';
      return entries[--at];
    },
    redo() {
      if (at >= entries.length - 1) return undefined;
      lastKind = '';
      return entries[++at];
    },
  };
}
