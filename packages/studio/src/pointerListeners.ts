/** Listeners for a pointer on the view that see its events before the camera does. */

export interface PointerHandlers {
  down(event: PointerEvent): void;
  move(event: PointerEvent): void;
  /** Also called when the pointer is cancelled. */
  up(event: PointerEvent): void;
}

/** Attaches the handlers to `host`; the returned function removes them. */
export function listenToPointer(host: HTMLElement, { down, move, up }: PointerHandlers): () => void {
  const capture = { capture: true };
  host.addEventListener('pointerdown', down, capture);
  host.addEventListener('pointermove', move, capture);
  host.addEventListener('pointerup', up, capture);
  host.addEventListener('pointercancel', up, capture);
  return () => {
    host.removeEventListener('pointerdown', down, capture);
    host.removeEventListener('pointermove', move, capture);
    host.removeEventListener('pointerup', up, capture);
    host.removeEventListener('pointercancel', up, capture);
  };
}
