/** The run: its frames, the clock, what it computes. */
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { createFrameStore, type FrameStore, type StatSample } from '../frames.ts';
import type { ContactFacts, Failure, Loaded, Variant } from '../protocol.ts';

export const loaded: Signal<Loaded | undefined> = signal(undefined);
/** Shown is a recording: no simulation behind it. */
export const recorded: Signal<string | undefined> = signal(undefined);
export const variants: Signal<readonly Variant[]> = signal([{ id: '', label: 'as written' }]);
export const failure: Signal<Failure | undefined> = signal(undefined);
export const frames: FrameStore = createFrameStore();
/** Energies of the run before the last change, for comparison. */
export const ghostStats: Signal<readonly StatSample[]> = signal([]);
export const playing: Signal<boolean> = signal(true);
export const loop: Signal<boolean> = signal(true);
/** Times the natural pace, which shows the whole run in some ten seconds. */
export const speed: Signal<number> = signal(1);
/** Where the cursor is [s]; updated some times a second, for numbers and plots. */
export const clock: Signal<number> = signal(0);
/** How far the run has come [s]; likewise. */
export const reached: Signal<number> = signal(0);
/** The file of the run that is being written. */
export const saving: Signal<string | undefined> = signal(undefined);
/** Goes on after the end of the scene, because someone is pulling at it. */
export const openEnded: Signal<boolean> = signal(false);
/** How things touch at the cursor, a lane each. */
export const contacts: Signal<readonly (ContactFacts | undefined)[]> = signal([]);
/** What steps have found by the instant that is shown, lane by lane. */
export const doubts: Signal<readonly (readonly string[])[]> = signal([]);
/** Milliseconds of computing a simulated second, a lane each. */
export const costs: Signal<readonly number[]> = signal([]);
export const comparing: ReadonlySignal<boolean> = computed(() => variants.value.length > 1);
export const duration: ReadonlySignal<number> = computed(() => loaded.value?.time.duration ?? 1);
/** Simulated seconds a second at speed 1. */
export const pace: ReadonlySignal<number> = computed(() => {
  const whole = duration.value;
  return whole / Math.min(14, Math.max(7, whole));
});
