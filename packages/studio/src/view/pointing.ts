/** From pixels of the page to places in the scene, and back. */
import { Plane, Raycaster, Vector2, Vector3 } from 'three';
import { type Pick, pickRod } from './pick.ts';
import { rectsOf, type ViewState } from './viewState.ts';

/** The lane under the cursor, and the cursor in its rectangle: −1 to 1 to the right and up. */
function toDevice(view: ViewState, clientX: number, clientY: number): { x: number; y: number; lane: number } {
  const box = view.canvas.getBoundingClientRect();
  const rects = rectsOf(view);
  const left = clientX - box.left;
  const top = clientY - box.top;
  const found = rects.findIndex(
    ({ x, y, width, height }) => left >= x && left < x + width && top >= y && top < y + height,
  );
  const lane = Math.max(0, found);
  const rect = rects[lane] ?? { x: 0, y: 0, width: view.width, height: view.height };
  return { lane, x: ((left - rect.x) / rect.width) * 2 - 1, y: 1 - ((top - rect.y) / rect.height) * 2 };
}

function castFrom(view: ViewState, clientX: number, clientY: number): Raycaster {
  const { x, y } = toDevice(view, clientX, clientY);
  const caster = new Raycaster();
  caster.setFromCamera(new Vector2(x, y), view.man.camera);
  return caster;
}

export function pick(view: ViewState, clientX: number, clientY: number): Pick | undefined {
  if (!view.options.overlay) return pickIn(view, toDevice(view, clientX, clientY).lane, clientX, clientY);
  const found = view.lanes.flatMap((_, lane) => pickIn(view, lane, clientX, clientY) ?? []);
  return found.sort((a, b) => a.distance - b.distance)[0];
}

function pickIn(view: ViewState, lane: number, clientX: number, clientY: number): Pick | undefined {
  const one = view.lanes[lane];
  const box = view.canvas.getBoundingClientRect();
  const rect = rectsOf(view)[lane];
  if (!one || !rect || one.info.refused !== undefined) return undefined;
  return pickRod(one, lane, view.man.camera, { x: clientX - box.left - rect.x, y: clientY - box.top - rect.y }, rect);
}

/** The place of hair, or of a thing in the way, that is in front under the cursor. */
export function pickFront(view: ViewState, clientX: number, clientY: number): Vector3 | undefined {
  const { camera, framed } = view.man;
  const box = view.canvas.getBoundingClientRect();
  const [first] = view.lanes;
  const [rect] = rectsOf(view);
  const hair =
    first && pickRod(first, 0, camera, { x: clientX - box.left, y: clientY - box.top }, rect, { front: true })?.point;
  const solid = onCollider(view, clientX, clientY);
  if (!hair || !solid) return hair ?? solid;
  return hair.distanceTo(camera.position) < solid.distanceTo(camera.position) + 0.02 * framed ? hair : solid;
}

export function onCollider(view: ViewState, clientX: number, clientY: number): Vector3 | undefined {
  if (!view.colliders) return undefined;
  return castFrom(view, clientX, clientY).intersectObject(view.colliders.group)[0]?.point;
}

/** The point under the cursor in the plane through `at` that faces the camera. */
export function dragTarget(view: ViewState, clientX: number, clientY: number, at: Vector3): Vector3 | undefined {
  const { ray } = castFrom(view, clientX, clientY);
  const normal = view.man.camera.getWorldDirection(new Vector3());
  return ray.intersectPlane(new Plane().setFromNormalAndCoplanarPoint(normal, at), new Vector3()) ?? undefined;
}

const point = new Vector3();

/** A point as it is seen in a lane, in pixels of the page. */
export function project(view: ViewState, at: ArrayLike<number>, lane: number): { x: number; y: number } {
  const rect = rectsOf(view)[lane] ?? { x: 0, y: 0, width: view.width, height: view.height };
  const box = view.canvas.getBoundingClientRect();
  point.set(at[0], at[1], at[2]).project(view.man.camera);
  return {
    x: box.left + rect.x + (0.5 + 0.5 * point.x) * rect.width,
    y: box.top + rect.y + (0.5 - 0.5 * point.y) * rect.height,
  };
}
