/** Which parts of the page are open, and what it says. */
import { effect, type Signal, signal } from '@preact/signals';

export type Panel = 'gallery' | 'view' | 'inspector' | 'theory' | 'scene';
export type SidePanel = 'inspector' | 'theory' | 'scene';

export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly kind: 'info' | 'good' | 'bad';
}

/** The view and its timeline alone, for pages that embed the studio: the address has `?view`, or `?embed`. */
export const viewOnly: boolean =
  typeof location !== 'undefined' && ['view', 'embed'].some((name) => new URLSearchParams(location.search).has(name));

/** Light or dark whatever the system says: the address has `?theme=dark`. */
export const wantedTheme: string | null =
  typeof location === 'undefined' ? null : new URLSearchParams(location.search).get('theme');

/** Coarse and seldom pictures without shadows, for slow machines: the address has `?quality=low`. */
export const isCoarse: boolean =
  typeof location !== 'undefined' && new URLSearchParams(location.search).get('quality') === 'low';

export const notice: Signal<Notice | undefined> = signal(undefined);
export const fatal: Signal<string | undefined> = signal(undefined);
/** Panels are sheets over the view. */
export const narrow: Signal<boolean> = signal(false);
/** There is room for one panel beside the view: the gallery or the inspector. */
export const tight: Signal<boolean> = signal(false);
export const galleryOpen: Signal<boolean> = signal(true);
export const sideOpen: Signal<boolean> = signal(true);
export const plotsOpen: Signal<boolean> = signal(true);
export const side: Signal<SidePanel> = signal('inspector');
/** On a narrow screen: which sheet lies over the view. */
export const sheet: Signal<Panel> = signal('view');
/** Hair is being groomed: the view shows it, and nothing runs. */
export const grooming: Signal<boolean> = signal(false);
export const helpOpen: Signal<boolean> = signal(false);
export const compareOpen: Signal<boolean> = signal(false);
/** The dialog of path-traced films. */
export const filmOpen: Signal<boolean> = signal(false);
export const hint: Signal<boolean> = signal(true);

// the panel that was opened last stays; on a page that becomes tight, the inspector
let last: 'gallery' | 'side' = 'side';
let [hadGallery, hadSide] = [true, true];
effect(() => {
  const [gallery, right] = [galleryOpen.value, sideOpen.value];
  if (gallery && !hadGallery) last = 'gallery';
  if (right && !hadSide) last = 'side';
  [hadGallery, hadSide] = [gallery, right];
  if (!tight.value || !gallery || !right) return;
  if (last === 'gallery') sideOpen.value = false;
  else galleryOpen.value = false;
});

let noticeCount = 0;

export function tell(message: string, kind: Notice['kind'] = 'info'): void {
  notice.value = { id: ++noticeCount, text: message, kind };
}
