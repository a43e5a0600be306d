/**
 * The 3D view: one renderer, one camera, one to four lanes side by side.
 *
 * It draws when something has changed and not otherwise; where drawing is slow (no graphics card) it lowers the resolution
 * until it is not.
 */
import CameraControls from 'camera-controls';
import {
  Box3,
  BufferAttribute,
  BufferGeometry,
  DirectionalLight,
  HemisphereLight,
  Line,
  LineBasicMaterial,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  PerspectiveCamera,
  Plane,
  Quaternion,
  Raycaster,
  Scene,
  Sphere,
  SphereGeometry,
  Spherical,
  Vector2,
  Vector3,
  Vector4,
  WebGLRenderer,
} from 'three';
import type { ColliderInfo, Frame, LaneInfo } from '../protocol.ts';
import { type Colliders, createColliders } from './colliders.ts';
import { type ColorBy, laneColors, quantities } from './colormaps.ts';
import { boundsOf, fitDistance, formatLength, frameBox, roundLength, upOf } from './frameCamera.ts';
import { createGround } from './ground.ts';
import { createLaneView, type LaneView } from './lane.ts';
import { type Pick, pickRod } from './pick.ts';

CameraControls.install({
  THREE: { Vector2, Vector3, Vector4, Quaternion, Matrix4, Spherical, Box3, Sphere, Raycaster },
});

export interface ViewOptions {
  readonly colorBy: ColorBy;
  readonly stripe: boolean;
  readonly ghost: boolean;
  readonly frames: boolean;
  readonly dark: boolean;
  readonly grid: boolean;
}

export interface ViewScene {
  readonly lanes: readonly LaneInfo[];
  readonly colliders: readonly ColliderInfo[];
  readonly gravity: readonly [number, number, number];
}

export interface Legend {
  readonly by: ColorBy;
  readonly low: number;
  readonly high: number;
  /** Drawn thicker than they are, by this factor. */
  readonly thickness: number;
}

export interface View {
  load(scene: ViewScene, keepCamera: boolean): void;
  show(a: Frame, b: Frame, weight: number): void;
  setOptions(options: ViewOptions): void;
  setFailed(lane: number, rod: string | undefined): void;
  /** Of each lane and pin: whether it was let go. */
  setReleased(released: readonly (readonly boolean[])[]): void;
  /** Where a collider is drawn [m]. */
  colliderAt(collider: number): number[] | undefined;
  /** Draws if anything has changed; false where nothing had. */
  render(seconds: number): boolean;
  resize(): void;
  focus(): void;
  orbit(azimuth: number, polar: number): void;
  zoom(factor: number): void;
  pick(clientX: number, clientY: number): Pick | undefined;
  /** The point under the cursor in the plane through `point` that faces the camera. */
  dragTarget(clientX: number, clientY: number, point: Vector3): Vector3 | undefined;
  /** A point as it is seen, in pixels of the page. */
  project(point: ArrayLike<number>, lane: number): { x: number; y: number };
  setPull(from: ArrayLike<number> | undefined, to?: ArrayLike<number>): void;
  setHover(at: ArrayLike<number> | undefined, radius?: number): void;
  legend(): Legend;
  scaleBar(): { pixels: number; label: string };
  picture(type: string): Promise<Blob | undefined>;
  readonly laneRects: readonly { x: number; y: number; width: number; height: number }[];
  /** Size of the scene [m]. */
  readonly radius: number;
  /** Smoothed time from one drawn frame to the next [ms]. */
  readonly drawTime: number;
  dispose(): void;
}

const plain = { light: '#b5652f', dark: '#e8a868' };

export function createView(canvas: HTMLCanvasElement): View {
  const software = isSoftware();
  const renderer = new WebGLRenderer({
    canvas,
    antialias: !software,
    alpha: true,
    powerPreference: 'high-performance',
  });
  renderer.setClearColor(0x000000, 0);
  renderer.autoClear = false;
  const scene = new Scene();
  const camera = new PerspectiveCamera(28, 1, 0.01, 100);
  const controls = new CameraControls(camera, canvas);
  configure(controls);
  scene.add(camera);
  const lights = addLights(camera, scene);
  const ground = createGround();
  scene.add(ground.object);
  const pull = createPull();
  const hover = createHover();
  scene.add(pull.line, pull.ball, hover);

  let lanes: LaneView[] = [];
  let colliders: Colliders | undefined;
  let gravity: readonly [number, number, number] = [0, 0, 0];
  let options: ViewOptions = {
    colorBy: 'curvature',
    stripe: true,
    ghost: false,
    frames: false,
    dark: false,
    grid: true,
  };
  const seen = new Box3();
  const fixedBox = new Box3();
  let framed = 1;
  let floor = 0;
  let range = 0;
  let thickness = 1;
  let userCamera = false;
  let dirty = true;
  let width = 1;
  let height = 1;
  let drawTime = 30;
  let still = 0;
  let refined = false;
  let ratio = Math.min(2, globalThis.devicePixelRatio || 1);

  controls.addEventListener('controlstart', () => {
    userCamera = true;
  });

  const visibleLanes = (): LaneView[] => lanes;
  const rects = (): { x: number; y: number; width: number; height: number }[] => {
    const count = Math.max(1, lanes.length);
    const columns = count === 1 ? 1 : width >= 560 ? Math.min(count, count === 4 ? 2 : 3) : count > 2 ? 2 : 1;
    const rows = Math.ceil(count / columns);
    return Array.from({ length: count }, (_, k) => ({
      x: ((k % columns) * width) / columns,
      y: (Math.floor(k / columns) * height) / rows,
      width: width / columns,
      height: height / rows,
    }));
  };

  const applyColors = (): void => {
    const by = options.colorBy;
    lanes.forEach((lane, k) => {
      const base = lanes.length > 1 ? laneColors[k % laneColors.length] : options.dark ? plain.dark : plain.light;
      lane.setColoring(
        by,
        range || 1,
        lane.hair && lanes.length === 1 ? (options.dark ? '#c08a5a' : '#7a5238') : base,
        options.stripe,
        options.dark,
      );
      lane.setExtras(options.ghost, options.frames);
    });
    ground.setColors(
      options.dark ? '#5b6577' : '#9aa3b2',
      options.dark ? '#000000' : '#1c2433',
      options.dark ? 0.85 : 0.36,
      options.grid,
    );
    lights.set(options.dark);
    dirty = true;
  };

  /** Rods that would be thinner than a pixel are drawn thicker; the legend says so. */
  const applyThickness = (): void => {
    let most = 0;
    for (const { info } of lanes) for (const { edgeRadius } of info.rods) most = Math.max(most, edgeRadius[0]);
    const pixel = (2 * controls.distance * Math.tan((camera.fov * Math.PI) / 360)) / rects()[0].height;
    // a hair may be as thin as a pixel, a rod should show its sides
    const least = lanes.some(({ hair }) => hair) ? 0.6 : 1.7;
    const factor = most === 0 ? 1 : Math.max(1, (least * pixel) / most);
    if (Math.abs(factor - thickness) < 0.02 * thickness) return;
    thickness = factor;
    for (const lane of lanes) lane.setThickness(factor);
  };

  const placeGround = (): void => {
    const up = upOf(gravity);
    const center = seen.getCenter(new Vector3());
    const corners = [seen.min, seen.max].map((corner) => corner.dot(up));
    const low = Math.min(...corners);
    const wanted = low - 0.06 * framed;
    if (floor > wanted || floor === Number.POSITIVE_INFINITY) floor = wanted;
    center.addScaledVector(up, floor - center.dot(up));
    const size = 6 * framed;
    ground.place(center, up, size, roundLength(framed / 4));
  };

  const fit = (smooth: boolean): void => {
    const framing = frameBox(seen, gravity);
    framed = framing.radius;
    camera.up.copy(framing.up);
    controls.updateCameraUp();
    const aspect = rects()[0].width / Math.max(1, rects()[0].height);
    const half = (camera.fov * Math.PI) / 360;
    const distance = Math.max(1.22 * fitDistance(seen, framing, half, aspect), 1.05 * framing.radius);
    const position = framing.center.clone().addScaledVector(framing.from, distance);
    const { center } = framing;
    void controls.setLookAt(position.x, position.y, position.z, center.x, center.y, center.z, smooth);
    camera.near = distance / 200;
    camera.far = distance * 30;
    camera.updateProjectionMatrix();
    controls.minDistance = distance / 60;
    controls.maxDistance = distance * 6;
    dirty = true;
  };

  /** Goes along with a scene that outgrows its frame or shrinks in it, until someone takes the camera. */
  const follow = (): void => {
    const radius = 0.5 * seen.getSize(new Vector3()).length();
    if (radius <= 1.1 * framed && radius >= 0.8 * framed) return;
    const growth = radius / framed;
    framed = radius;
    if (userCamera) return;
    const center = seen.getCenter(new Vector3());
    void controls.moveTo(center.x, center.y, center.z, true);
    void controls.dollyTo(controls.distance * growth, true);
    camera.far = controls.distance * growth * 30;
    camera.updateProjectionMatrix();
  };

  const point = new Vector3();
  const now = new Box3();
  /** What is to be kept in view: grows at once, shrinks slowly. */
  const watch = (): void => {
    now.makeEmpty();
    for (const lane of lanes) {
      for (const { nodePosition: x } of lane.samples)
        for (let i = 0; i < x.length; i += 3) now.expandByPoint(point.set(x[i], x[i + 1], x[i + 2]));
    }
    if (colliders && !fixedBox.isEmpty()) now.union(fixedBox);
    if (now.isEmpty()) return;
    seen.min.lerp(now.min, 0.012);
    seen.max.lerp(now.max, 0.012);
    seen.union(now);
  };

  const resize = (): void => {
    const box = canvas.parentElement?.getBoundingClientRect();
    width = Math.max(1, Math.round(box?.width ?? 1));
    height = Math.max(1, Math.round(box?.height ?? 1));
    renderer.setPixelRatio(ratio);
    renderer.setSize(width, height, false);
    const [first] = rects();
    const aspect = first.width / first.height;
    const reshaped = Math.abs(aspect / camera.aspect - 1) > 0.05;
    camera.aspect = aspect;
    camera.updateProjectionMatrix();
    if (reshaped && !userCamera && !seen.isEmpty()) fit(false);
    for (const { hair } of lanes) hair?.setResolution(first.width * ratio, first.height * ratio);
    dirty = true;
  };

  const draw = (): void => {
    applyThickness();
    renderer.setScissorTest(false);
    renderer.setViewport(0, 0, width, height);
    renderer.clear();
    const areas = rects();
    visibleLanes().forEach((lane, k) => {
      lanes.forEach((other) => {
        other.group.visible = other === lane;
      });
      const { x, y, width: w, height: h } = areas[k];
      lane.placeColliders((collider, at) => colliders?.place(collider, at));
      ground.renderShadow(renderer, lane.casters, thickness);
      renderer.setViewport(x, height - y - h, w, h);
      renderer.setScissor(x, height - y - h, w, h);
      renderer.setScissorTest(lanes.length > 1);
      renderer.render(scene, camera);
    });
  };

  /** Fewer pixels where drawing is slow, more where it is fast. */
  const adapt = (spent: number): void => {
    // what compiles shaders or sleeps is no measure
    drawTime += 0.06 * (Math.min(spent, 120) - drawTime);
    const wanted = Math.min(2, globalThis.devicePixelRatio || 1);
    const next = drawTime > 60 ? Math.max(0.7, ratio * 0.85) : drawTime < 24 ? Math.min(wanted, ratio * 1.2) : ratio;
    if (Math.abs(next - ratio) < 0.01) return;
    ratio = next;
    drawTime = 36;
    resize();
  };

  /** A picture that stands still is drawn once more, finely. */
  const refine = (): void => {
    const coarse = ratio;
    ratio = 2;
    resize();
    draw();
    ratio = coarse;
    refined = true;
    dirty = false;
  };

  const laneAt = (x: number, y: number): number =>
    rects().findIndex((rect) => x >= rect.x && x < rect.x + rect.width && y >= rect.y && y < rect.y + rect.height);

  const toDevice = (clientX: number, clientY: number): { x: number; y: number; lane: number } => {
    const box = canvas.getBoundingClientRect();
    const lane = Math.max(0, laneAt(clientX - box.left, clientY - box.top));
    const rect = rects()[lane] ?? { x: 0, y: 0, width, height };
    return {
      lane,
      x: ((clientX - box.left - rect.x) / rect.width) * 2 - 1,
      y: 1 - ((clientY - box.top - rect.y) / rect.height) * 2,
    };
  };

  return {
    load({ lanes: infos, colliders: things, gravity: g }, keepCamera) {
      for (const lane of lanes) {
        scene.remove(lane.group);
        lane.dispose();
      }
      if (colliders) {
        scene.remove(colliders.group);
        colliders.dispose();
      }
      gravity = g;
      lanes = infos.map((info) => createLaneView(info, ground, software));
      for (const lane of lanes) scene.add(lane.group);
      colliders = createColliders(things, boundsOf(infos));
      scene.add(colliders.group);
      thickness = 1;
      if (!keepCamera) {
        range = 0;
        seen.copy(boundsOf(infos));
        fixedBox.setFromObject(colliders.group);
        // of a large thing only the part near the rods
        const near = boundsOf(infos);
        fixedBox.intersect(near.expandByScalar(0.4 * near.getSize(new Vector3()).length()));
        if (!fixedBox.isEmpty()) seen.union(fixedBox);
        floor = Number.POSITIVE_INFINITY;
        userCamera = false;
        resize();
        fit(false);
        placeGround();
      } else resize();
      applyColors();
    },
    show(a, b, weight) {
      let most = 0;
      lanes.forEach((lane, k) => {
        if (!a.lanes[k] || !b.lanes[k] || lane.info.refused !== undefined) return;
        lane.show(a.lanes[k], b.lanes[k], weight);
        most = Math.max(most, lane.largest);
      });
      // rises at once, falls slowly, so that colours do not flicker
      const next = most > range ? most : range + 0.01 * (most - range);
      if (options.colorBy !== 'plain' && Math.abs(next - range) > 1e-3 * range) {
        range = next;
        applyColors();
      }
      colliders?.deform(a.time + weight * (b.time - a.time));
      watch();
      follow();
      placeGround();
      dirty = true;
    },
    setOptions(next) {
      if (next.colorBy !== options.colorBy) range = 0;
      options = next;
      applyColors();
    },
    setReleased(released) {
      released.forEach((pins, lane) => {
        lanes[lane]?.setReleased(pins);
      });
      dirty = true;
    },
    colliderAt: (collider) => colliders?.at(collider),
    setFailed(lane, rod) {
      lanes[lane]?.setFailed(rod);
      dirty = true;
    },
    render(seconds) {
      const moved = controls.update(seconds);
      if (!moved && !dirty) {
        still += seconds;
        if (software && !refined && still > 0.35) refine();
        return false;
      }
      still = 0;
      if (refined) {
        refined = false;
        resize();
      }
      // before drawing: another size clears what was drawn
      adapt(1000 * seconds);
      dirty = false;
      draw();
      return true;
    },
    resize,
    focus() {
      userCamera = false;
      fit(true);
    },
    orbit(azimuth, polar) {
      userCamera = true;
      void controls.rotate(azimuth, polar, true);
    },
    zoom(factor) {
      userCamera = true;
      void controls.dollyTo(controls.distance / factor, true);
    },
    pick(clientX, clientY) {
      const { lane } = toDevice(clientX, clientY);
      const view = lanes[lane];
      const box = canvas.getBoundingClientRect();
      const rect = rects()[lane];
      if (!view || !rect || view.info.refused !== undefined) return undefined;
      return pickRod(view, lane, camera, clientX - box.left - rect.x, clientY - box.top - rect.y, rect);
    },
    dragTarget(clientX, clientY, at) {
      const { x, y } = toDevice(clientX, clientY);
      const caster = new Raycaster();
      caster.setFromCamera(new Vector2(x, y), camera);
      const normal = camera.getWorldDirection(new Vector3());
      return (
        caster.ray.intersectPlane(new Plane().setFromNormalAndCoplanarPoint(normal, at), new Vector3()) ?? undefined
      );
    },
    project(at, lane) {
      const rect = rects()[lane] ?? { x: 0, y: 0, width, height };
      const box = canvas.getBoundingClientRect();
      point.set(at[0], at[1], at[2]).project(camera);
      return {
        x: box.left + rect.x + (0.5 + 0.5 * point.x) * rect.width,
        y: box.top + rect.y + (0.5 - 0.5 * point.y) * rect.height,
      };
    },
    setPull(from, to) {
      pull.set(from, to, 0.008 * controls.distance);
      dirty = true;
    },
    setHover(at, radius = 0) {
      const visible = at !== undefined;
      if (!visible && !hover.visible) return;
      hover.visible = visible;
      if (at) {
        hover.position.set(at[0], at[1], at[2]);
        hover.scale.setScalar(Math.max(1.6 * radius * thickness, 0.006 * controls.distance));
      }
      dirty = true;
    },
    legend() {
      const signed = options.colorBy !== 'plain' && quantities[options.colorBy].signed;
      return { by: options.colorBy, low: signed ? -range : 0, high: range, thickness };
    },
    scaleBar() {
      const [rect] = rects();
      const perPixel = (2 * controls.distance * Math.tan((camera.fov * Math.PI) / 360)) / rect.height;
      const length = roundLength(perPixel * 140);
      return { pixels: length / perPixel, label: formatLength(length) };
    },
    picture(type) {
      refine();
      return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob ?? undefined), type, 0.8));
    },
    get laneRects() {
      return rects();
    },
    get radius() {
      return framed;
    },
    get drawTime() {
      return drawTime;
    },
    dispose() {
      for (const lane of lanes) lane.dispose();
      ground.dispose();
      controls.dispose();
      renderer.dispose();
    },
  };
}

/** Whether WebGL is drawn by the processor: then multisampling costs more than it gives. */
function isSoftware(): boolean {
  const context = document.createElement('canvas').getContext('webgl2');
  const info = context?.getExtension('WEBGL_debug_renderer_info');
  const name = info ? String(context?.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
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

/** A key over the shoulder, a cool fill from the other side, and sky and ground. */
function addLights(camera: PerspectiveCamera, scene: Scene): { set(dark: boolean): void } {
  const key = new DirectionalLight('#fff4e2', 2.6);
  key.position.set(-2.2, 3, 2.4);
  const rim = new DirectionalLight('#bcd6ff', 1.2);
  rim.position.set(3, 1, -2.5);
  const sky = new HemisphereLight('#ffffff', '#8a8378', 1.15);
  sky.position.set(0, 0, 1);
  camera.add(key, key.target, rim, rim.target);
  scene.add(sky);
  return {
    set(dark) {
      key.intensity = dark ? 2.5 : 2.1;
      rim.intensity = dark ? 1.7 : 0.7;
      sky.intensity = dark ? 0.75 : 1.35;
    },
  };
}

function createHover(): Mesh {
  const mesh = new Mesh(
    new SphereGeometry(1, 24, 16),
    new MeshBasicMaterial({ color: '#ffffff', transparent: true, opacity: 0.55, depthTest: false }),
  );
  mesh.visible = false;
  mesh.renderOrder = 5;
  return mesh;
}

/** The rubber band between the mouse and the rod. */
function createPull(): {
  line: Line;
  ball: Mesh;
  set(from: ArrayLike<number> | undefined, to: ArrayLike<number> | undefined, size: number): void;
} {
  const position = new BufferAttribute(new Float32Array(6), 3);
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', position);
  const line = new Line(geometry, new LineBasicMaterial({ color: '#e5484d', depthTest: false, transparent: true }));
  const ball = new Mesh(
    new SphereGeometry(1, 20, 14),
    new MeshBasicMaterial({ color: '#e5484d', depthTest: false, transparent: true }),
  );
  line.frustumCulled = false;
  line.visible = false;
  ball.visible = false;
  line.renderOrder = 6;
  ball.renderOrder = 6;
  return {
    line,
    ball,
    set(from, to, size) {
      const shown = from !== undefined && to !== undefined;
      line.visible = shown;
      ball.visible = shown;
      if (!from || !to) return;
      for (let k = 0; k < 3; k++) {
        position.array[k] = from[k];
        position.array[3 + k] = to[k];
      }
      position.needsUpdate = true;
      ball.position.set(to[0], to[1], to[2]);
      ball.scale.setScalar(size);
    },
  };
}
