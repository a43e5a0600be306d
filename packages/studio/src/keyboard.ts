/** The keyboard map; `help` of ui/help.tsx shows it. */

import { comeToRest, hand } from './acting.ts';
import { chooseFile, saveScene } from './files.ts';
import { groomRedo, groomUndo, startGrooming } from './grooming.ts';
import { cutAt, pinAtPlace } from './handling.ts';
import { stepFrames, togglePlay } from './playback.ts';
import { leaveGrooming, openCase, redo, restart, undo } from './session.ts';
import * as state from './state.ts';
import { current } from './ui/current.ts';

export const keys: readonly (readonly [string, string])[] = [
  ['Space', 'play, pause'],
  ['← →', 'one frame back, on'],
  ['R', 'restart'],
  ['E', 'let it come to rest: equilibrium'],
  ['L', 'loop'],
  ['V P X W', 'hands: pull, pin, cut, wind'],
  ['Enter', 'pins or cuts the first rod in its middle'],
  ['B', 'blow at it'],
  ['F', 'show all'],
  ['A', 'forces as arrows'],
  ['Shift + arrows', 'orbit'],
  ['+ −', 'zoom'],
  ['1 … 9', 'the first cases of the gallery'],
  ['C', 'compare models'],
  ['O', 'compared models side by side, or over each other'],
  ['Ctrl Z, Ctrl Y', 'undo, redo'],
  ['Ctrl S, Ctrl O', 'save, open'],
  ['G', 'groom hair'],
  ['?', 'this help'],
];

const plain: Readonly<Record<string, () => void>> = {
  ' ': togglePlay,
  arrowleft: () => stepFrames(-1),
  arrowright: () => stepFrames(1),
  r: restart,
  e: comeToRest,
  l: () => {
    state.loop.value = !state.loop.value;
  },
  v: () => {
    state.tool.value = 'pull';
  },
  p: () => {
    state.tool.value = 'pin';
  },
  x: () => {
    state.tool.value = 'cut';
  },
  enter: actInTheMiddle,
  w: () => {
    state.tool.value = 'wind';
  },
  b: blow,
  f: () => current.view?.focus(),
  a: () => {
    state.forces.value = !state.forces.value;
  },
  c: () => {
    state.compareOpen.value = !state.compareOpen.value;
  },
  o: () => {
    if (state.comparing.value) state.overlay.value = !state.overlay.value;
  },
  g: () => {
    if (state.grooming.value) leaveGrooming();
    else void startGrooming();
  },
  '+': () => current.view?.zoom(1.25),
  '=': () => current.view?.zoom(1.25),
  '-': () => current.view?.zoom(0.8),
  '?': () => {
    state.helpOpen.value = !state.helpOpen.value;
  },
  escape: () => {
    state.helpOpen.value = false;
    state.compareOpen.value = false;
    state.filmOpen.value = false;
    state.sheet.value = 'view';
  },
};

const orbit: Readonly<Record<string, readonly [number, number]>> = {
  arrowleft: [-0.2, 0],
  arrowright: [0.2, 0],
  arrowup: [0, -0.15],
  arrowdown: [0, 0.15],
};

const withControl: Readonly<Record<string, () => void>> = {
  z: () => (state.grooming.value ? groomUndo() : undo()),
  y: () => (state.grooming.value ? groomRedo() : redo()),
  s: saveScene,
  o: chooseFile,
};

/** A puff from the left of the picture: pulling for those who have no mouse. */
function blow(): void {
  const size = current.view?.radius ?? 1;
  const speed = (6 * size) / Math.max(1e-9, state.duration.value);
  hand({ kind: 'wind', velocity: [speed, 0.4 * speed, 0.3 * speed] });
}

/** Pin and cut for those who have no mouse. */
function actInTheMiddle(): void {
  const lane = state.loaded.value?.lanes.findIndex(({ refused }) => refused === undefined) ?? -1;
  const { rods = [], pins = [] } = state.loaded.value?.lanes[lane] ?? {};
  if (rods.length === 0) return;
  const node = Math.floor(rods[0].nodeCount / 2);
  if (state.tool.value === 'cut') void cutAt(0, node);
  if (state.tool.value !== 'pin') return;
  const pin = pins.findIndex((one) => one.rod === 0 && one.node === node && !one.released);
  void pinAtPlace(lane, 0, node, pin);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !['checkbox', 'button'].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable;
}

const isSlider = (target: EventTarget | null): boolean => target instanceof HTMLInputElement && target.type === 'range';

/** The button that was clicked last: it has had its turn, and Space is for the run again. */
let clicked: Element | null = null;

const buttonAt = (target: EventTarget | null): Element | null =>
  target instanceof Element ? target.closest('button, summary, a, [role=tab]') : null;

/** Whether a button has the focus by the keyboard. */
const isPressable = (target: EventTarget | null): boolean => {
  const button = buttonAt(target);
  return button !== null && button !== clicked;
};

export function listenToKeys(): void {
  addEventListener('pointerdown', ({ target }) => {
    clicked = buttonAt(target);
  });
  addEventListener('keydown', (event) => {
    const key = event.key.toLowerCase();
    if (key === 'tab') clicked = null;
    if (event.ctrlKey || event.metaKey) {
      const action = withControl[key === 'z' && event.shiftKey ? 'y' : key];
      // the text has an undo of its own while it is being typed in
      if (!action || (isTyping(event.target) && !isSlider(event.target) && (key === 'z' || key === 'y'))) return;
      event.preventDefault();
      action();
      return;
    }
    // a slider needs the arrows and nothing else
    const isTaken = isSlider(event.target) ? key.startsWith('arrow') : isTyping(event.target);
    if (isTaken || event.altKey) return;
    if (event.shiftKey && orbit[key]) {
      event.preventDefault();
      current.view?.orbit(...orbit[key]);
      return;
    }
    // a button that has the focus is pressed by Space
    if ((key === ' ' || key === 'enter') && isPressable(event.target)) return;
    if (/^[1-9]$/.test(key)) {
      const one = state.cases[Number(key) - 1];
      if (one) void openCase(one.id);
      return;
    }
    const action = plain[key];
    // nothing runs that these could be done to
    if (!action || (state.grooming.value && !['f', 'g', '+', '=', '-', '?', 'escape'].includes(key))) return;
    event.preventDefault();
    // else the key that is released would press it
    if (event.target instanceof HTMLButtonElement) event.target.blur();
    action();
  });
}
