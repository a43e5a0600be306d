/**
 * The camera, and what it is to keep in view: it frames a scene when it is opened, and goes along with one that outgrows its frame
 * until someone takes the camera.
 */
import CameraControls from 'camera-controls';
import {
  Box3,
  Matrix4,
  PerspectiveCamera,
  Quaternion,
  Raycaster,
  Sphere,
  Spherical,
  Vector2,
  Vector3,
  Vector4,
} from 'three';
import { aroundRods, type Extent, fitDistance, frameBox, roundLength, upOf } from './frameCamera.ts';
import type { Ground } from './ground.ts';
import type { CameraPose } from './viewTypes.ts';

CameraControls.install({
  THREE: { Vector2, Vector3, Vector4, Quaternion, Matrix4, Spherical, Box3, Sphere, Raycaster },
});

type Triple = readonly [number, number, number];

export interface Cameraman {
  readonly camera: PerspectiveCamera;
  /** What is in view [m]. */
  readonly seen: Box3;
  /** Half its diagonal when it was last framed [m]. */
  readonly framed: number;
  /** From the camera to what it looks at [m]. */
  readonly distance: number;
  /** From what it looks at towards the camera, unit. */
  readonly direction: Vector3;
  /** A hand holds something: would the camera follow what it pulls, the hand would go along and pull it farther. */
  held: boolean;
  /** Another scene: rods, and things that stay, of which only the part near the rods counts. */
  begin(rods: Extent, things: Box3, gravity: Triple, look: Triple | undefined): void;
  /** Another scene, looked at as before. */
  keep(gravity: Triple, look: Triple | undefined): void;
  /** Shows all of it. */
  fit({ smooth }: { readonly smooth: boolean }): void;
  /** Once a frame, with where the rods are now. */
  watch(now: Extent): void;
  /** Frames what is there now, whatever was seen before. */
  frame(now: Extent): void;
  /** `inset`: part of the picture at its lower edge that is covered. */
  setAspect(aspect: number, inset: number): void;
  placeGround(ground: Ground): void;
  /** Undefined where the camera stands as `fit` or the rods have led it. */
  pose(): CameraPose | undefined;
  /** Stays where it is, and follows nothing until `fit`. */
  stay(): void;
  /** Stands there, and follows nothing until `fit`. */
  take(pose: CameraPose): void;
  orbit(azimuth: number, polar: number): void;
  zoom(factor: number): void;
  /** True where the camera has moved. */
  update(seconds: number): boolean;
  /** Size of a pixel at that distance, in a picture of this height [m]. */
  perPixel(height: number): number;
  dispose(): void;
}

/** How fast the frame follows what has become smaller or has gone elsewhere [s]. */
const shrinkTime = 1.2;

interface CameraState {
  readonly camera: PerspectiveCamera;
  readonly controls: CameraControls;
  readonly seen: Box3;
  /** Bounds of things that stay. */
  readonly fixedBox: Box3;
  /** Radius of a ball about the middle of `seen` that holds all rods [m]; Infinity where things that stay are seen too. */
  ball: number;
  gravity: Triple;
  look: Triple | undefined;
  framed: number;
  floor: number;
  inset: number;
  /** True once someone has zoomed or shifted the camera. */
  taken: boolean;
  /** True once someone has turned it, too. */
  isMoved: boolean;
  held: boolean;
  /** Time of the last `watch` [ms]. */
  watched: number;
}

function createState(canvas: HTMLCanvasElement): CameraState {
  const camera = new PerspectiveCamera(28, 1, 0.01, 100);
  return {
    camera,
    controls: new CameraControls(camera, canvas),
    seen: new Box3(),
    fixedBox: new Box3(),
    ball: Number.POSITIVE_INFINITY,
    gravity: [0, 0, 0],
    look: undefined,
    framed: 1,
    floor: 0,
    inset: 0,
    taken: false,
    isMoved: false,
    held: false,
    watched: performance.now(),
  };
}

export function createCameraman(canvas: HTMLCanvasElement): Cameraman {
  const state = createState(canvas);
  const { camera, controls, seen } = state;
  configure(controls);
  controls.addEventListener('control', () => {
    const { ACTION } = CameraControls;
    state.isMoved = true;
    // turning it leaves the rods to the camera; zooming and shifting do not
    if (controls.currentAction !== ACTION.ROTATE && controls.currentAction !== ACTION.TOUCH_ROTATE) state.taken = true;
  });
  canvas.addEventListener('wheel', () => {
    state.taken = state.isMoved = true;
  });
  return {
    camera,
    seen,
    get framed() {
      return state.framed;
    },
    get held() {
      return state.held;
    },
    set held(now) {
      state.held = now;
    },
    get distance() {
      return controls.distance;
    },
    get direction() {
      return controls.getPosition(new Vector3()).sub(controls.getTarget(new Vector3())).normalize();
    },
    begin: (rods, things, gravity, look) => begin(state, rods, things, { gravity, look }),
    keep(gravity, look) {
      Object.assign(state, { gravity, look });
    },
    fit({ smooth }) {
      state.taken = state.isMoved = false;
      fit(state, { smooth });
    },
    frame: (now) => frame(state, now),
    watch: (now) => watch(state, now),
    setAspect: (aspect, inset) => setAspect(state, aspect, inset),
    placeGround: (ground) => placeGround(state, ground),
    pose: () => poseOf(state),
    stay: () => stay(state),
    take: (pose) => take(state, pose),
    orbit(azimuth, polar) {
      state.isMoved = true;
      void controls.rotate(azimuth, polar, true);
    },
    zoom(factor) {
      state.taken = state.isMoved = true;
      void controls.dollyTo(controls.distance / factor, true);
    },
    update: (seconds) => controls.update(seconds),
    perPixel: (height) => (2 * controls.distance * Math.tan((camera.fov * Math.PI) / 360)) / height,
    dispose: () => controls.dispose(),
  };
}

function begin(
  state: CameraState,
  { box: rods, ball }: Extent,
  things: Box3,
  { gravity, look }: { readonly gravity: Triple; readonly look: Triple | undefined },
): void {
  const { seen, fixedBox } = state;
  Object.assign(state, { gravity, look, floor: Number.POSITIVE_INFINITY, taken: false, isMoved: false });
  seen.copy(rods);
  fixedBox.copy(things).intersect(aroundRods(rods));
  if (!fixedBox.isEmpty()) seen.union(fixedBox);
  state.ball = fixedBox.isEmpty() ? ball : Number.POSITIVE_INFINITY;
}

function fit(state: CameraState, { smooth }: { readonly smooth: boolean }): void {
  const { camera, controls, seen, gravity, look, inset } = state;
  const framing = frameBox(seen, gravity, look);
  state.framed = framing.radius;
  camera.up.copy(framing.up);
  controls.updateCameraUp();
  const half = (camera.fov * Math.PI) / 360;
  const near = fitDistance({ box: seen, ball: state.ball }, framing, half, camera.aspect);
  const distance = Math.max((look ? 1.08 : 1.22) * near, 1.05 * framing.radius) / (1 - inset);
  const position = framing.center.clone().addScaledVector(framing.from, distance);
  const { center } = framing;
  void controls.setLookAt(position.x, position.y, position.z, center.x, center.y, center.z, smooth);
  camera.near = distance / 200;
  camera.far = distance * 30;
  camera.updateProjectionMatrix();
  controls.minDistance = distance / 60;
  controls.maxDistance = distance * 6;
}

function frame(state: CameraState, { box, ball }: Extent): void {
  const { seen, fixedBox } = state;
  const isAlone = fixedBox.isEmpty();
  seen.copy(box);
  if (!isAlone) seen.union(fixedBox);
  state.ball = isAlone ? ball : Number.POSITIVE_INFINITY;
  state.floor = Number.POSITIVE_INFINITY;
  state.taken = state.isMoved = false;
  fit(state, { smooth: true });
}

function stay(state: CameraState): void {
  state.taken = true;
}

function poseOf({ camera, controls, isMoved }: CameraState): CameraPose | undefined {
  if (!isMoved) return undefined;
  const position = controls.getPosition(new Vector3()).toArray();
  return { position, target: controls.getTarget(new Vector3()).toArray(), aspect: camera.aspect };
}

function take(state: CameraState, { position, target, aspect }: CameraPose): void {
  const { camera, controls } = state;
  const at = new Vector3(...target);
  // what was seen at the sides stays in a narrower picture
  const from = new Vector3(...position).sub(at).multiplyScalar(Math.max(1, aspect / camera.aspect));
  const distance = from.length();
  state.taken = state.isMoved = true;
  controls.minDistance = Math.min(controls.minDistance, distance);
  controls.maxDistance = Math.max(controls.maxDistance, distance);
  camera.near = Math.min(camera.near, distance / 200);
  camera.far = Math.max(camera.far, distance * 30);
  camera.updateProjectionMatrix();
  void controls.setLookAt(...from.add(at).toArray(), ...target, false);
}

/** How far something reaches in the picture, from its middle to its edge: 1 at the edge. Of where the camera is, or is on its way to. */
function reachOf({ camera, controls, inset }: CameraState, now: Extent): number {
  const center = controls.getTarget(new Vector3());
  const from = controls.getPosition(new Vector3()).sub(center);
  const distance = from.length();
  const half = (camera.fov * Math.PI) / 360;
  const framing = { center, radius: 0, from: from.normalize(), up: camera.up };
  return fitDistance(now, framing, half, camera.aspect) / (distance * (1 - inset));
}

/** Follows rods that leave the picture, and approaches those that have shrunk, in the current direction of view. */
function follow(state: CameraState, now: Extent): void {
  const { camera, controls, seen, inset } = state;
  if (state.held || state.taken) return;
  const reach = reachOf(state, now);
  const radius = 0.5 * seen.getSize(new Vector3()).length();
  if (reach < 0.97 && radius >= 0.8 * state.framed) return;
  const center = seen.getCenter(new Vector3());
  const from = controls.getPosition(new Vector3()).sub(controls.getTarget(new Vector3())).normalize();
  const half = (camera.fov * Math.PI) / 360;
  const { ball } = state;
  const near = fitDistance({ box: seen, ball }, { center, radius, from, up: camera.up }, half, camera.aspect);
  const distance = Math.max(1.18 * near, 1.05 * radius) / (1 - inset);
  state.framed = radius;
  controls.maxDistance = Math.max(controls.maxDistance, 3 * distance);
  void controls.moveTo(center.x, center.y, center.z, true);
  void controls.dollyTo(distance, true);
  camera.far = Math.max(camera.far, distance * 30);
  camera.updateProjectionMatrix();
}

function watch(state: CameraState, { box: now, ball }: Extent): void {
  const { seen, fixedBox } = state;
  const isAlone = fixedBox.isEmpty();
  const own = now.getCenter(new Vector3());
  if (!isAlone) now.union(fixedBox);
  if (now.isEmpty()) return;
  // grows at once, shrinks slowly
  const part = 1 - Math.exp(-Math.min(0.5, (performance.now() - state.watched) / 1000) / shrinkTime);
  state.watched = performance.now();
  seen.min.lerp(now.min, part);
  seen.max.lerp(now.max, part);
  seen.union(now);
  const around = isAlone ? ball + own.distanceTo(seen.getCenter(new Vector3())) : Number.POSITIVE_INFINITY;
  state.ball = Math.max(around, Number.isFinite(state.ball) ? state.ball + part * (around - state.ball) : around);
  follow(state, { box: now, ball: isAlone ? ball : Number.POSITIVE_INFINITY });
}

function setAspect(state: CameraState, aspect: number, inset: number): void {
  const { camera, seen } = state;
  const isReshaped = Math.abs(aspect / camera.aspect - 1) > 0.05 || Math.abs(inset - state.inset) > 0.03;
  state.inset = inset;
  camera.aspect = aspect;
  // the middle of what is not covered is the middle of the picture
  if (inset > 0) camera.setViewOffset(aspect, 1, 0, inset / 2, aspect, 1);
  else camera.clearViewOffset();
  camera.updateProjectionMatrix();
  if (isReshaped && !state.taken && !seen.isEmpty()) fit(state, { smooth: false });
}

function placeGround(state: CameraState, ground: Ground): void {
  const { seen, gravity, framed } = state;
  const up = upOf(gravity);
  const center = seen.getCenter(new Vector3());
  const low = Math.min(seen.min.dot(up), seen.max.dot(up));
  const wanted = low - 0.06 * framed;
  if (state.floor > wanted || state.floor === Number.POSITIVE_INFINITY) state.floor = wanted;
  center.addScaledVector(up, state.floor - center.dot(up));
  ground.place(center, up, 6 * framed, roundLength(framed / 4));
}

function configure(controls: CameraControls): void {
  const { ACTION } = CameraControls;
  controls.mouseButtons.left = ACTION.ROTATE;
  controls.mouseButtons.right = ACTION.ROTATE;
  controls.mouseButtons.middle = ACTION.TRUCK;
  controls.mouseButtons.wheel = ACTION.DOLLY;
  controls.touches.one = ACTION.TOUCH_ROTATE;
  controls.touches.two = ACTION.TOUCH_DOLLY_TRUCK;
  controls.smoothTime = 0.14;
  controls.draggingSmoothTime = 0.06;
  controls.dollySpeed = 0.7;
}
