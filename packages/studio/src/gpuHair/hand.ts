/** The pointer and the keys: what is dragged on the head turns it, beside it one looks around. */
import type { Orbit } from './camera.ts';
import type { Motion } from './motion.ts';

/** Turn of a drag across the whole view [rad]. */
const SWEEP = 5;
const [NEAR, FAR] = [0.55, 3];

function orbitBy(orbit: Orbit, across: number, up: number): void {
  orbit.around -= across;
  orbit.above = Math.min(1.2, Math.max(-0.5, orbit.above + up));
}

function zoomBy(orbit: Orbit, factor: number): void {
  orbit.distance = Math.min(FAR, Math.max(NEAR, orbit.distance * factor));
}

/** True if a place in the view is on the bust, roughly: within its outline in the middle of the view. */
function isOnBust({ clientX, clientY }: PointerEvent, view: HTMLElement, { distance }: Orbit): boolean {
  const size = view.clientHeight * (1.35 / distance);
  const [x, y] = [(clientX - 0.5 * view.clientWidth) / size, (clientY - 0.5 * view.clientHeight) / size];
  return Math.hypot(x / 0.24, (y + 0.06) / 0.36) < 1;
}

const keys: Readonly<Record<string, (orbit: Orbit, motion: Motion) => void>> = {
  ArrowLeft: (orbit) => orbitBy(orbit, 0.1, 0),
  ArrowRight: (orbit) => orbitBy(orbit, -0.1, 0),
  ArrowUp: (orbit) => orbitBy(orbit, 0, 0.1),
  ArrowDown: (orbit) => orbitBy(orbit, 0, -0.1),
  '+': (orbit) => zoomBy(orbit, 0.9),
  '-': (orbit) => zoomBy(orbit, 1.1),
  a: (_, motion) => {
    motion.byHand -= 0.5;
  },
  d: (_, motion) => {
    motion.byHand += 0.5;
  },
};

/** Lets the view be handled. */
export function handle(view: HTMLElement, orbit: Orbit, motion: Motion): void {
  let held: 'head' | 'camera' | undefined;
  view.addEventListener('pointerdown', (event) => {
    held = isOnBust(event, view, orbit) ? 'head' : 'camera';
    view.setPointerCapture(event.pointerId);
    view.style.cursor = 'grabbing';
  });
  view.addEventListener('pointermove', ({ movementX, movementY }) => {
    const turn = (SWEEP * movementX) / view.clientWidth;
    if (held === 'head') motion.byHand += turn;
    if (held === 'camera') orbitBy(orbit, turn, (3 * movementY) / view.clientHeight);
  });
  for (const end of ['pointerup', 'pointercancel'])
    view.addEventListener(end, () => {
      held = undefined;
      view.style.cursor = 'grab';
    });
  view.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      zoomBy(orbit, Math.exp(0.001 * event.deltaY));
    },
    { passive: false },
  );
  view.addEventListener('keydown', (event) => {
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act(orbit, motion);
  });
}
