/** What the view shows, and how. */
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { RodFinish } from '@tendril-sim/bridge/three';
import type { ForceLegend } from '../view/arrows.ts';
import type { ColorBy } from '../view/colormaps.ts';
import type { Legend } from '../view/viewTypes.ts';
import { wantedTheme } from './layout.ts';

export type Tool = 'pull' | 'pin' | 'cut' | 'wind';
export type Theme = 'system' | 'light' | 'dark';

export const colorBy: Signal<ColorBy> = signal('curvature');
/** What rods look as if made of. */
export const finish: Signal<RodFinish> = signal('rubber');
export const stripe: Signal<boolean> = signal(true);
export const ghost: Signal<boolean> = signal(false);
export const grid: Signal<boolean> = signal(true);
export const materialFrames: Signal<boolean> = signal(false);
/** Arrows of forces. */
export const forces: Signal<boolean> = signal(false);
export const forceLegend: Signal<ForceLegend> = signal({ pixels: 0, force: 0, kinds: [] });
/** Models that are compared are drawn in one picture, over each other. */
export const overlay: Signal<boolean> = signal(false);
export const theme: Signal<Theme> = signal(wantedTheme === 'light' || wantedTheme === 'dark' ? wantedTheme : 'system');
export const systemDark: Signal<boolean> = signal(false);
export const dark: ReadonlySignal<boolean> = computed(() =>
  theme.value === 'system' ? systemDark.value : theme.value === 'dark',
);
export const tool: Signal<Tool> = signal('pull');
export const legend: Signal<Legend> = signal({ by: 'curvature', low: 0, high: 1, thickness: 1 });
export const scaleBar: Signal<{ pixels: number; label: string }> = signal({ pixels: 100, label: '1 m' });
/** The pull that is going on: newtons, and where on the page. */
export const pulling: Signal<{ force: number; x: number; y: number } | undefined> = signal(undefined);
export const hovering: Signal<string | undefined> = signal(undefined);
export const hairColor: Signal<string> = signal('#7a5238');
/** Where the brush is in the view, and how large [pixels]. */
export const brushRing: Signal<{ x: number; y: number; size: number } | undefined> = signal(undefined);
/** The still or film that is being traced. */
export interface Rendering {
  /** How much of it is done, 0…1. */
  readonly part: number;
  readonly what: string;
  cancel(): void;
}
export const rendering: Signal<Rendering | undefined> = signal(undefined);
/** What lies over the lower edge of the view [pixels]. */
export const viewInset: Signal<number> = signal(0);
