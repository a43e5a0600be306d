/** Mouse, pen and finger on the view: what they do to rods. What they do not take is the camera's. */
import { Vector3 } from 'three';
import { hand, keepHand, operate } from './acting.ts';
import { listenToPointer } from './pointerListeners.ts';
import type { HandMessage } from './protocol.ts';
import { pullForce } from './session.ts';
import * as state from './state.ts';
import type { Pick } from './view/pick.ts';
import type { View } from './view/viewTypes.ts';

/** Where the hand took hold, and where it is now [m]. */
interface Reach {
  readonly start: Vector3;
  readonly now: Vector3;
}

type Grab =
  | (Reach & { readonly kind: 'pull'; readonly rod: number; readonly node: number })
  | (Reach & { readonly kind: 'move-pin'; readonly pin: number })
  | (Reach & { readonly kind: 'move-all'; readonly from: Vector3 })
  | { readonly kind: 'wind'; x: number; y: number; time: number };

/** Angle that one notch of the wheel turns an end [rad]. */
const notch = Math.PI / 8;

export interface AttachedHands {
  /** Updates what is under a mouse that stands still: rods move. */
  look(): void;
  detach(): void;
}

/** The mouse on the view, and what it holds. */
interface HandlingState {
  readonly canvas: HTMLCanvasElement;
  readonly view: View;
  grab: Grab | undefined;
  /** The mouse on the page, since it moved with something in the hand. */
  pointer: { readonly x: number; readonly y: number } | undefined;
  /** When the worker last got the pull [ms]. */
  sentPull: number;
  /** Where the mouse is over the view with nothing in its hand. */
  over: { readonly clientX: number; readonly clientY: number } | undefined;
  /** How far the head has been moved. */
  readonly moved: Vector3;
}

export function attachHands(canvas: HTMLCanvasElement, view: View): AttachedHands {
  const hands: HandlingState = {
    canvas,
    view,
    grab: undefined,
    pointer: undefined,
    sentPull: 0,
    over: undefined,
    moved: new Vector3(),
  };
  const host = canvas.parentElement ?? canvas;
  const doubleClick = (): void => view.focus();
  // a new start has no springs
  const forget = state.loaded.subscribe((loaded) => {
    if (loaded?.kept !== 'restarted') return;
    nails.clear();
    hands.moved.set(0, 0, 0);
  });
  const leave = (): void => {
    hands.over = undefined;
    look(hands);
  };
  const wheel = (event: WheelEvent): void => twist(view, event);
  const stopListening = listenToPointer(host, {
    down: (event) => pressDown(hands, event),
    move: (event) => movePointer(hands, event),
    up: (event) => letGo(hands, event),
  });
  host.addEventListener('wheel', wheel, { capture: true, passive: false });
  host.addEventListener('pointerleave', leave);
  canvas.addEventListener('dblclick', doubleClick);
  const detach = (): void => {
    forget();
    stopListening();
    host.removeEventListener('pointerleave', leave);
    host.removeEventListener('wheel', wheel, { capture: true });
    canvas.removeEventListener('dblclick', doubleClick);
  };
  return { look: () => look(hands), detach };
}

function pressDown(hands: HandlingState, event: PointerEvent): void {
  const { canvas, view, moved } = hands;
  if (event.button !== 0 || event.target !== canvas || state.grooming.value) return;
  const taken = takeHold(view, event, moved);
  if (!taken) return;
  state.hint.value = false;
  event.stopPropagation();
  if (taken === 'done') return;
  hands.grab = taken;
  hands.over = undefined;
  state.hovering.value = undefined;
  view.setHover(undefined);
  hands.pointer = undefined;
  if (taken.kind !== 'wind') view.setHold(() => hold(hands));
  canvas.setPointerCapture(event.pointerId);
  canvas.classList.add('grabbing');
}

function movePointer(hands: HandlingState, event: PointerEvent): void {
  const { grab, canvas, view } = hands;
  if (!grab) {
    // with thousands of hairs, finding the one under the mouse takes too long
    if (state.grooming.value || state.loaded.value?.hair) return;
    const isOver = event.buttons === 0 && event.pointerType === 'mouse' && event.target === canvas;
    hands.over = isOver ? { clientX: event.clientX, clientY: event.clientY } : undefined;
    look(hands);
    return;
  }
  if (grab.kind === 'wind') {
    blow(view, grab, event);
    return;
  }
  const pointer = { x: event.clientX, y: event.clientY };
  hands.pointer = pointer;
  const message = reach(hands, grab);
  if (message) hand(message);
  if (grab.kind === 'pull') state.pulling.value = { force: pullForce.value, ...pointer };
}

/** Moves the hand to the mouse; undefined if it is there already. */
function reach(hands: HandlingState, held: Exclude<Grab, { kind: 'wind' }>): HandMessage | undefined {
  const { pointer, view, moved } = hands;
  // in the plane through its last position: without a moving camera, that of the beginning
  const now = pointer && view.dragTarget(pointer.x, pointer.y, held.now);
  if (!now || now.distanceTo(held.now) < 1e-9 * view.radius) return undefined;
  held.now.copy(now);
  const offset = now.sub(held.start);
  if (held.kind === 'move-all') {
    moved.copy(held.from).add(offset);
    return { kind: 'move-all', offset: moved.toArray() };
  }
  if (held.kind === 'move-pin') return { kind: 'move-pin', pin: held.pin, offset: offset.toArray() };
  view.setPull({ rod: held.rod, node: held.node, target: held.now });
  return pullOf(hands, held);
}

/** Once per picture: the camera may have moved while the mouse stood still. */
function hold(hands: HandlingState): void {
  const { grab, pointer, sentPull } = hands;
  if (!grab || grab.kind === 'wind') return;
  const message = reach(hands, grab);
  if (message) keepHand(message);
  else if (grab.kind === 'pull' && pointer && performance.now() - sentPull > 250) keepHand(pullOf(hands, grab));
}

/** Sent again from time to time: a run that was restarted, or continues with other values, has no hand. */
function pullOf(hands: HandlingState, { rod, node, now }: Extract<Grab, { kind: 'pull' }>): HandMessage {
  hands.sentPull = performance.now();
  return { kind: 'pull', rod, node, target: now.toArray() };
}

function letGo(hands: HandlingState, event: PointerEvent): void {
  const { canvas, view } = hands;
  if (!hands.grab) return;
  hands.grab = undefined;
  hand({ kind: 'drop' });
  view.setHold(undefined);
  view.setPull(undefined);
  pullForce.value = 0;
  state.pulling.value = undefined;
  canvas.classList.remove('grabbing');
  if (canvas.hasPointerCapture(event.pointerId)) canvas.releasePointerCapture(event.pointerId);
  event.stopPropagation();
}

function look({ grab, over, canvas, view }: HandlingState): void {
  if (grab || state.grooming.value || state.loaded.value?.hair) return;
  const pick = over && state.tool.value !== 'wind' ? view.pick(over.clientX, over.clientY) : undefined;
  canvas.classList.toggle('over-rod', pick !== undefined);
  if (!pick) {
    view.setHover(undefined);
    if (state.hovering.value !== undefined) state.hovering.value = undefined;
    return;
  }
  view.setHover(pick.point.toArray(), pick.radius);
  state.hovering.value = describe(pick);
}

/** The pin near a place, −1 where there is none. */
function pinAt(pick: Pick): number {
  const { pins, rods } = state.loaded.value?.lanes[pick.lane] ?? { pins: [], rods: [] };
  const reach = Math.max(1, Math.round((rods[pick.rod]?.edgeCount ?? 0) / 16));
  let best = -1;
  let nearest = reach + 1;
  pins.forEach(({ rod, node, released }, k) => {
    const away = Math.abs(node - pick.node);
    if (released || rod !== pick.rod || away >= nearest) return;
    nearest = away;
    best = k;
  });
  return best;
}

/** The free end that a place belongs to. */
function endAt(pick: Pick): 'start' | 'end' | undefined {
  const rod = state.loaded.value?.lanes[pick.lane]?.rods[pick.rod];
  if (!rod || rod.closed) return undefined;
  const reach = Math.max(1, Math.round(rod.edgeCount / 10));
  return pick.node <= reach ? 'start' : pick.node >= rod.nodeCount - 1 - reach ? 'end' : undefined;
}

/** Where a head is that the hand may move: on its skin, or with Shift on its hair. */
function headAt(view: View, event: PointerEvent): Vector3 | undefined {
  if (state.loaded.value?.hair !== 'movable' || state.tool.value !== 'pull') return undefined;
  const front = view.pickFront(event.clientX, event.clientY);
  if (event.shiftKey) return front;
  const solid = view.onCollider(event.clientX, event.clientY);
  return front && solid && front.equals(solid) ? solid : undefined;
}

/** What the hand takes hold of, if anything; 'done' where a click was all there was to do: a cut, a pin. */
function takeHold(view: View, event: PointerEvent, moved: Vector3): Grab | 'done' | undefined {
  const tool = state.tool.value;
  const { clientX, clientY } = event;
  const solid = headAt(view, event);
  const atHead = solid && view.dragTarget(clientX, clientY, solid);
  if (atHead) return { kind: 'move-all', start: atHead, now: atHead.clone(), from: moved.clone() };
  if (tool === 'wind') return { kind: 'wind', x: clientX, y: clientY, time: performance.now() };
  const pick = view.pick(clientX, clientY);
  if (!pick) return undefined;
  const pin = pinAt(pick);
  if (tool === 'pin' || tool === 'cut') {
    if (tool === 'cut') void cutAt(pick.rod, pick.node);
    else void pinAtPlace(pick.lane, pick.rod, pick.node, pin);
    return 'done';
  }
  const start = view.dragTarget(clientX, clientY, pick.point);
  if (!start) return undefined;
  const now = start.clone();
  if (event.shiftKey && pin >= 0) return { kind: 'move-pin', pin, start, now };
  return { kind: 'pull', rod: pick.rod, node: pick.node, start, now };
}

/** The wind goes with the mouse: its speed is that of the mouse, in sizes of the scene a second of the film. */
function blow(view: View, wind: Extract<Grab, { kind: 'wind' }>, event: PointerEvent): void {
  const now = performance.now();
  const seconds = Math.max(0.008, (now - wind.time) / 1000);
  const center = new Vector3();
  const a = view.dragTarget(wind.x, wind.y, center);
  const b = view.dragTarget(event.clientX, event.clientY, center);
  if (!a || !b) return;
  const velocity = b
    .sub(a)
    .divideScalar(seconds)
    .divideScalar(Math.max(1e-9, state.pace.value * state.speed.value));
  hand({ kind: 'wind', velocity: velocity.toArray() });
  wind.x = event.clientX;
  wind.y = event.clientY;
  wind.time = now;
}

/** What the hand could do at a place, for the line under the view. */
function describe(pick: Pick): string {
  const lane = state.loaded.value?.lanes[pick.lane];
  return `${lane?.rods[pick.rod]?.id ?? ''}, node ${pick.node}: ${describeTool(pick)}`;
}

function describeTool(pick: Pick): string {
  const pin = pinAt(pick);
  if (state.tool.value === 'cut') return 'click to cut it here';
  if (state.tool.value === 'pin') return pin >= 0 ? 'click to let go' : 'click to pin';
  const twists = state.loaded.value?.lanes[pick.lane]?.pins[pin]?.clamps ? ', wheel twists' : '';
  if (pin >= 0) return `drag to pull, Shift-drag moves the pin${twists}`;
  return endAt(pick) ? 'drag to pull, wheel twists the end' : 'drag to pull';
}

/** Twists the pin or the free end under the mouse. */
function twist(view: View, event: WheelEvent): void {
  if (state.grooming.value) return;
  const pick = view.pick(event.clientX, event.clientY);
  if (!pick || event.ctrlKey) return;
  const by = -Math.sign(event.deltaY) * notch;
  const pin = pinAt(pick);
  const clamps = state.loaded.value?.lanes[pick.lane]?.pins[pin]?.clamps === true;
  const end = endAt(pick);
  if (clamps) hand({ kind: 'twist-pin', pin, by });
  else if (end && pin < 0) hand({ kind: 'twist-end', rod: pick.rod, end, by });
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** Cuts; what cannot be cut says why. */
export async function cutAt(rod: number, node: number): Promise<void> {
  const reason = await operate('cut', rod, node);
  if (reason === undefined) state.tell('Cut. Both parts go on from here; R makes it whole again.', 'good');
  else state.tell(`Not cut: ${reason}`, 'bad');
}

/** Springs that stand for pins, by rod and node. */
const nails = new Set<string>();

/** Pins a place or lets it go: as a constraint where the model takes one, else by a stiff spring, and says which. */
export async function pinAtPlace(lane: number, rod: number, node: number, pin: number): Promise<void> {
  const model = state.loaded.value?.lanes[lane]?.rods[rod]?.model;
  const key = `${rod} ${node}`;
  if (pin >= 0) {
    if (model === 'helix') {
      state.tell('The clamp of a super-helix cannot be let go: it is its root. Compare with another model (C).', 'bad');
      return;
    }
    hand({ kind: 'release-pin', pin });
    state.tell('Let go.');
    return;
  }
  if (nails.delete(key)) {
    hand({ kind: 'nail', rod, node });
    state.tell('Let go.');
    return;
  }
  const reason = await operate('pin', rod, node);
  if (reason === undefined) {
    state.tell('Pinned here; click again to let go.');
    return;
  }
  nails.add(key);
  hand({ kind: 'nail', rod, node });
  state.tell(`Held here by a stiff spring; click again to let go. No pin: ${reason}`);
}
