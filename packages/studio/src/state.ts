/** What the page knows. Signals: whoever reads one is drawn again when it changes. */
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Problem } from '@tendril-sim/io';
import { createFrameStore, type FrameStore } from './frames.ts';
import type { CaseInfo, ContactFacts, Failure, Loaded, Variant } from './protocol.ts';
import type { ForceLegend } from './view/arrows.ts';
import type { ColorBy } from './view/colormaps.ts';
import type { Legend } from './view/viewTypes.ts';

export type Panel = 'gallery' | 'view' | 'inspector' | 'theory' | 'scene';
export type SidePanel = 'inspector' | 'theory' | 'scene';
export type Tool = 'pull' | 'pin' | 'cut' | 'wind';
export type Theme = 'system' | 'light' | 'dark';

export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly kind: 'info' | 'good' | 'bad';
}

export const cases: Signal<readonly CaseInfo[]> = signal([]);
export const models: Signal<readonly string[]> = signal([]);
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

export const loaded: Signal<Loaded | undefined> = signal(undefined);
/** Shown is a recording: no simulation behind it. */
export const recorded: Signal<string | undefined> = signal(undefined);
export const variants: Signal<readonly Variant[]> = signal([{ id: '', label: 'as written' }]);
export const failure: Signal<Failure | undefined> = signal(undefined);
export const notice: Signal<Notice | undefined> = signal(undefined);
export const fatal: Signal<string | undefined> = signal(undefined);

export const frames: FrameStore = createFrameStore();
export const playing: Signal<boolean> = signal(true);
export const loop: Signal<boolean> = signal(true);
/** Times the natural pace, which shows the whole run in some ten seconds. */
export const speed: Signal<number> = signal(1);
/** Where the cursor is [s]; updated some times a second, for numbers and plots. */
export const clock: Signal<number> = signal(0);
/** How far the run has come [s]; likewise. */
export const reached: Signal<number> = signal(0);
/** Goes on after the end of the scene, because someone is pulling at it. */
export const openEnded: Signal<boolean> = signal(false);

export const colorBy: Signal<ColorBy> = signal('curvature');
export const stripe: Signal<boolean> = signal(true);
export const ghost: Signal<boolean> = signal(false);
export const grid: Signal<boolean> = signal(true);
export const materialFrames: Signal<boolean> = signal(false);
/** Arrows of forces. */
export const forces: Signal<boolean> = signal(false);
export const forceLegend: Signal<ForceLegend> = signal({ pixels: 0, force: 0, kinds: [] });
export const theme: Signal<Theme> = signal('system');
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
/** How things touch at the cursor, a lane each. */
export const contacts: Signal<readonly (ContactFacts | undefined)[]> = signal([]);
/** Milliseconds of computing a simulated second, a lane each. */
export const costs: Signal<readonly number[]> = signal([]);

export const galleryOpen: Signal<boolean> = signal(true);
export const sideOpen: Signal<boolean> = signal(true);
export const plotsOpen: Signal<boolean> = signal(true);
export const side: Signal<SidePanel> = signal('inspector');
/** On a narrow screen: which sheet lies over the view. */
export const sheet: Signal<Panel> = signal('view');
/** Hair is being groomed: the view shows it, and nothing runs. */
export const grooming: Signal<boolean> = signal(false);
export const hairColor: Signal<string> = signal('#7a5238');
/** Where the brush is in the view, and how large [pixels]. */
export const brushRing: Signal<{ x: number; y: number; size: number } | undefined> = signal(undefined);
export const helpOpen: Signal<boolean> = signal(false);
export const compareOpen: Signal<boolean> = signal(false);
export const hint: Signal<boolean> = signal(true);

export const comparing: ReadonlySignal<boolean> = computed(() => variants.value.length > 1);
export const duration: ReadonlySignal<number> = computed(() => loaded.value?.time.duration ?? 1);
/** Simulated seconds a second at speed 1. */
export const pace: ReadonlySignal<number> = computed(() => {
  const whole = duration.value;
  return whole / Math.min(14, Math.max(7, whole));
});

let noticeCount = 0;

export function tell(message: string, kind: Notice['kind'] = 'info'): void {
  notice.value = { id: ++noticeCount, text: message, kind };
}
