/** The brush on the view while hair is groomed. Where it meets no hair, the mouse is the camera's. */
import type { Vector3 } from 'three';
import { brush, brushRadius, strokeTo } from './grooming.ts';
import { listenToPointer } from './pointerListeners.ts';
import * as state from './state.ts';
import type { View } from './view/viewTypes.ts';

export function attachBrush(canvas: HTMLCanvasElement, view: View): () => void {
  const host = canvas.parentElement ?? canvas;
  let stroke: { at: Vector3; last: Vector3 } | undefined;

  const ring = (event: PointerEvent): void => {
    const box = host.getBoundingClientRect();
    const over = event.target === canvas && brush.value !== 'orbit' && state.grooming.value;
    state.brushRing.value = over
      ? { x: event.clientX - box.left, y: event.clientY - box.top, size: (2 * brushRadius.value) / view.perPixel }
      : undefined;
  };

  const down = (event: PointerEvent): void => {
    if (!state.grooming.value || event.button !== 0 || event.target !== canvas || brush.value === 'orbit') return;
    const at = view.pickFront(event.clientX, event.clientY);
    const start = at && view.dragTarget(event.clientX, event.clientY, at);
    if (!at || !start) return;
    stroke = { at, last: start };
    canvas.setPointerCapture(event.pointerId);
    state.hint.value = false;
    if (brush.value !== 'comb') strokeTo(start.toArray(), start.toArray(), { end: false });
    event.stopPropagation();
  };

  const move = (event: PointerEvent): void => {
    if (!state.grooming.value) return;
    ring(event);
    if (!stroke) return;
    event.stopPropagation();
    const now = view.dragTarget(event.clientX, event.clientY, stroke.at);
    if (!now || now.distanceTo(stroke.last) < 0.0015) return;
    strokeTo(stroke.last.toArray(), now.toArray(), { end: false });
    stroke.last = now;
  };

  const up = (event: PointerEvent): void => {
    if (!stroke) return;
    const { last } = stroke;
    stroke = undefined;
    strokeTo(last.toArray(), last.toArray(), { end: true });
    if (canvas.hasPointerCapture(event.pointerId)) canvas.releasePointerCapture(event.pointerId);
    event.stopPropagation();
  };

  const leave = (): void => {
    state.brushRing.value = undefined;
  };
  const detach = listenToPointer(host, { down, move, up });
  canvas.addEventListener('pointerleave', leave);
  return () => {
    detach();
    canvas.removeEventListener('pointerleave', leave);
  };
}
