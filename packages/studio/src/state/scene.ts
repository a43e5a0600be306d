/** The scene that is open, and what is wrong with it. */
import { type Signal, signal } from '@preact/signals';
import type { Problem } from '@tendril-sim/io';

/** What the gallery says about the cases; a case itself is fetched when it is opened. */
export { cases } from 'virtual:cases';

/** The schema of scenes, once something needed it (`needSchema`). */
export const schema: Signal<object | undefined> = signal(undefined);
/** The scene as text: what everything else follows from. */
export const text: Signal<string> = signal('');
export const sceneName: Signal<string> = signal('scene.yaml');
/** The case that the scene is, or began as. */
export const caseId: Signal<string | undefined> = signal(undefined);
export const changed: Signal<boolean> = signal(false);
export const problems: Signal<readonly Problem[]> = signal([]);
export const canUndo: Signal<boolean> = signal(false);
export const canRedo: Signal<boolean> = signal(false);
/** What the worker is busy with, where it takes longer than a moment. */
export const loading: Signal<string | undefined> = signal(undefined);
/** A part of the page or a case that could not be fetched, and how to try again. */
export const unfetched: Signal<{ readonly what: string; retry(): void } | undefined> = signal(undefined);
