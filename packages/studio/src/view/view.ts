/**
 * The 3D view: one renderer, one camera, one to four lanes side by side. It draws when something has changed and not
 * otherwise, and as finely as there is time for (quality.ts).
 */
import {
  Box3,
  NeutralToneMapping,
  PCFShadowMap,
  Plane,
  Raycaster,
  Scene,
  Vector2,
  Vector3,
  WebGLRenderer,
} from 'three';
import { createForceScale, forceColors } from './arrows.ts';
import { createCameraman } from './cameraman.ts';
import { type Colliders, createColliders } from './colliders.ts';
import { laneColors, mapOf, quantities } from './colormaps.ts';
import { boundsOf, formatLength, roundLength } from './frameCamera.ts';
import { createGround } from './ground.ts';
import { createLaneView, type LaneView } from './lane.ts';
import { addLights } from './lights.ts';
import { createHover, createPull } from './marks.ts';
import { pickRod } from './pick.ts';
import { createQuality } from './quality.ts';
import { drawSvg } from './svg.ts';
import type { Pull, View, ViewOptions } from './viewTypes.ts';

const plain = { light: '#b5652f', dark: '#e8a868' };

const startOptions: ViewOptions = {
  colorBy: 'curvature',
  stripe: true,
  ghost: false,
  frames: false,
  forces: false,
  dark: false,
  grid: true,
  hairColor: '#7a5238',
};

interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Where lanes are in a view of this size [pixels]. */
function rectsOf(laneCount: number, width: number, height: number): Rect[] {
  const count = Math.max(1, laneCount);
  const columns = count === 1 ? 1 : width >= 560 ? Math.min(count, count === 4 ? 2 : 3) : count > 2 ? 2 : 1;
  const rows = Math.ceil(count / columns);
  return Array.from({ length: count }, (_, k) => ({
    x: ((k % columns) * width) / columns,
    y: (Math.floor(k / columns) * height) / rows,
    width: width / columns,
    height: height / rows,
  }));
}

/** Radius of the thickest rod [m]. */
function thickestOf(lanes: readonly LaneView[]): number {
  let most = 0;
  for (const { info } of lanes) for (const { edgeRadius } of info.rods) most = Math.max(most, edgeRadius[0]);
  return most;
}

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
  // keeps the colours of the legend as they are, and rolls off what is brighter
  renderer.toneMapping = NeutralToneMapping;
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = PCFShadowMap;
  const scene = new Scene();
  const man = createCameraman(canvas);
  const { camera } = man;
  scene.add(camera);
  const lights = addLights(scene, software);
  const ground = createGround();
  scene.add(ground.object);
  const band = createPull();
  let pull: Pull | undefined;
  let hold: (() => void) | undefined;
  const hover = createHover();
  scene.add(band.line, band.ball, hover);

  let lanes: LaneView[] = [];
  let colliders: Colliders | undefined;
  let options = startOptions;
  const arrows = createForceScale();
  /** How large the rods are together now [m]. */
  let spread = 0;
  let range = 0;
  let thickness = 1;
  let dirty = true;
  let width = 1;
  let height = 1;
  const quality = createQuality(
    software,
    () => globalThis.devicePixelRatio || 1,
    () => performance.now(),
  );
  let refined = false;
  let sized = 0;
  /** What lies over the lower edge of the view [pixels]. */
  let inset = 0;

  const rects = (): Rect[] => rectsOf(lanes.length, width, height);

  const applyColors = (): void => {
    const by = options.colorBy;
    lanes.forEach((lane, k) => {
      const base = lanes.length > 1 ? laneColors[k % laneColors.length] : options.dark ? plain.dark : plain.light;
      lane.setColoring(
        by,
        range || 1,
        lane.hair && lanes.length === 1 ? options.hairColor : base,
        options.stripe,
        options.dark,
      );
      lane.setExtras(options.ghost, options.frames, options.forces);
    });
    colliders?.shade(options.hairColor);
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
    const most = thickestOf(lanes);
    const pixel = man.perPixel(rects()[0].height);
    // a hair may be as thin as a pixel, a rod should show its sides
    const least = lanes.some(({ hair }) => hair) ? 0.6 : 1.7;
    const factor = most === 0 ? 1 : Math.max(1, (least * pixel) / most);
    if (Math.abs(factor - thickness) < 0.02 * thickness) return;
    thickness = factor;
    for (const lane of lanes) lane.setThickness(factor);
  };

  /** Of a lane [pixels]. */
  const smallerSide = (): number => Math.min(rects()[0].width, rects()[0].height);

  /** Arrows keep their size on the screen. */
  const applyForces = (): void => {
    if (!options.forces) return;
    const pixel = man.perPixel(rects()[0].height);
    const scale = arrows.perNewton(smallerSide()) * pixel;
    for (const lane of lanes) lane.drawForces(scale, pixel, arrows.width(spread / pixel), options.dark);
  };

  const point = new Vector3();
  const held = new Vector3();
  /** The place that the hand holds, as it is drawn; another model may have fewer nodes. */
  const heldIn = ({ samples }: LaneView): Vector3 | undefined => {
    const x = pull && samples[pull.rod]?.nodePosition;
    return x && pull ? held.fromArray(x, Math.min(3 * pull.node, x.length - 3)) : undefined;
  };
  /** Whether what the hand holds is seen: if it is not, the camera has to go after it. */
  const inPicture = (): boolean => {
    const at = lanes[0] && heldIn(lanes[0])?.project(camera);
    return !at || Math.max(Math.abs(at.x), Math.abs(at.y)) < 0.95;
  };
  const now = new Box3();
  /** Where the rods are now. */
  const bounds = (): Box3 => {
    now.makeEmpty();
    for (const lane of lanes) {
      for (const { nodePosition: x } of lane.samples)
        for (let i = 0; i < x.length; i += 3) now.expandByPoint(point.set(x[i], x[i + 1], x[i + 2]));
    }
    return now;
  };

  const setSize = (ratio: number): void => {
    sized = ratio;
    const box = canvas.parentElement?.getBoundingClientRect();
    width = Math.max(1, Math.round(box?.width ?? 1));
    height = Math.max(1, Math.round(box?.height ?? 1));
    renderer.setPixelRatio(ratio);
    renderer.setSize(width, height, false);
    const [first] = rects();
    man.setAspect(first.width / first.height, lanes.length > 1 ? 0 : inset / first.height);
    for (const { hair } of lanes) hair?.setResolution(first.width * ratio, first.height * ratio);
    dirty = true;
  };
  const resize = (): void => setSize(quality.ratio);

  const draw = (): void => {
    applyThickness();
    lights.setShadows(!software || refined);
    lights.cover(man.seen, thickness * thickestOf(lanes));
    applyForces();
    for (const { hair } of lanes) hair?.setShare(refined ? 1 : quality.share);
    renderer.setScissorTest(false);
    renderer.setViewport(0, 0, width, height);
    renderer.clear();
    const areas = rects();
    lanes.forEach((lane, k) => {
      lanes.forEach((other) => {
        other.group.visible = other === lane;
      });
      const { x, y, width: w, height: h } = areas[k];
      if (pull) band.place(heldIn(lane), pull.target, 0.008 * man.distance);
      lane.placeColliders((collider, at) => colliders?.place(collider, at));
      ground.renderShadow(renderer, lane.casters, thickness);
      renderer.setViewport(x, height - y - h, w, h);
      renderer.setScissor(x, height - y - h, w, h);
      renderer.setScissorTest(lanes.length > 1);
      renderer.render(scene, camera);
    });
  };

  /** A picture that stands still is drawn once more, finely: now. */
  const refine = (): void => {
    refined = true;
    setSize(quality.fineRatio);
    draw();
    dirty = false;
    quality.drew(true);
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
    load({ lanes: infos, colliders: things, gravity: g, look: from }, keepCamera) {
      for (const lane of lanes) {
        scene.remove(lane.group);
        lane.dispose();
      }
      if (colliders) {
        scene.remove(colliders.group);
        colliders.dispose();
      }
      lanes = infos.map((info) => createLaneView(info, ground, software));
      for (const lane of lanes) scene.add(lane.group);
      colliders = createColliders(things, boundsOf(infos));
      scene.add(colliders.group);
      thickness = 1;
      quality.begin(lanes.reduce((sum, { hair, info }) => sum + (hair ? info.rods.length : 0), 0));
      if (keepCamera) {
        man.keep(g, from);
        resize();
      } else {
        range = 0;
        arrows.reset();
        man.begin(boundsOf(infos), colliders.bounds, g, from);
        resize();
        man.fit(false);
        lights.place(man.seen, man.direction, camera.up);
        man.placeGround(ground);
      }
      applyColors();
    },
    show(a, b, weight) {
      let most = 0;
      lanes.forEach((lane, k) => {
        if (!a.lanes[k] || !b.lanes[k] || lane.info.refused !== undefined) return;
        lane.show(a.lanes[k], b.lanes[k], weight);
        most = Math.max(most, lane.largest);
      });
      arrows.watch(lanes.map(({ forces }) => forces));
      // rises at once, falls slowly, so that colours do not flicker
      const next = most > range ? most : range + 0.01 * (most - range);
      if (options.colorBy !== 'plain' && Math.abs(next - range) > 1e-3 * range) {
        range = next;
        applyColors();
      }
      colliders?.deform(a.time + weight * (b.time - a.time));
      for (const { hair } of lanes) hair?.setVolume(man.seen.getCenter(point));
      spread = bounds().getSize(point).length();
      man.held = hold !== undefined && inPicture();
      man.watch(now);
      man.placeGround(ground);
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
      const moved = man.update(seconds);
      if (hold) {
        camera.updateMatrixWorld();
        hold();
      }
      if (options.forces && arrows.settle(seconds)) dirty = true;
      quality.measure();
      if (!moved && !dirty) {
        if (quality.rest(seconds)) refine();
        return false;
      }
      // before drawing: another size clears what was drawn
      if (refined || sized !== quality.ratio) {
        refined = false;
        quality.wake();
        resize();
      }
      dirty = false;
      draw();
      quality.drew(false);
      return true;
    },
    resize,
    setInset(pixels) {
      if (pixels === inset) return;
      inset = pixels;
      resize();
    },
    focus() {
      man.fit(true);
      dirty = true;
    },
    orbit: man.orbit,
    zoom: man.zoom,
    pick(clientX, clientY) {
      const { lane } = toDevice(clientX, clientY);
      const view = lanes[lane];
      const box = canvas.getBoundingClientRect();
      const rect = rects()[lane];
      if (!view || !rect || view.info.refused !== undefined) return undefined;
      return pickRod(view, lane, camera, clientX - box.left - rect.x, clientY - box.top - rect.y, rect);
    },
    pickFront(clientX, clientY) {
      const box = canvas.getBoundingClientRect();
      const [view] = lanes;
      const [rect] = rects();
      const hair = view && pickRod(view, 0, camera, clientX - box.left, clientY - box.top, rect, true)?.point;
      const solid = this.onCollider(clientX, clientY);
      if (!hair || !solid) return hair ?? solid;
      return hair.distanceTo(camera.position) < solid.distanceTo(camera.position) + 0.02 * man.framed ? hair : solid;
    },
    onCollider(clientX, clientY) {
      const { x, y } = toDevice(clientX, clientY);
      const caster = new Raycaster();
      caster.setFromCamera(new Vector2(x, y), camera);
      return colliders ? caster.intersectObject(colliders.group)[0]?.point : undefined;
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
    setPull(next) {
      pull = next;
      if (!pull) band.hide();
      dirty = true;
    },
    setHold(next) {
      hold = next;
      man.held = hold !== undefined;
    },
    drawnAt(rod, node) {
      const x = lanes[0]?.samples[rod]?.nodePosition;
      return x && this.project(x.subarray(3 * node, 3 * node + 3), 0);
    },
    pulled: () =>
      band.line.visible ? { rod: band.line.position.toArray(), hand: band.ball.position.toArray() } : undefined,
    setHover(at, radius = 0) {
      const visible = at !== undefined;
      if (!visible && !hover.visible) return;
      hover.visible = visible;
      if (at) {
        hover.position.set(at[0], at[1], at[2]);
        hover.scale.setScalar(Math.max(1.6 * radius * thickness, 0.006 * man.distance));
      }
      dirty = true;
    },
    legend() {
      const signed = options.colorBy !== 'plain' && quantities[options.colorBy].signed;
      return { by: options.colorBy, low: signed ? -range : 0, high: range, thickness };
    },
    forceLegend: () => arrows.legend(smallerSide()),
    scaleBar() {
      const [rect] = rects();
      const perPixel = man.perPixel(rect.height);
      const length = roundLength(perPixel * 140);
      return { pixels: length / perPixel, label: formatLength(length) };
    },
    get size() {
      return { width, height };
    },
    svg(background, annotate) {
      const { low, high } = this.legend();
      const single = (): string => (lanes[0]?.hair ? options.hairColor : options.dark ? plain.dark : plain.light);
      return drawSvg(lanes, rects(), camera, {
        width,
        height,
        background,
        over: annotate?.(width, height) ?? '',
        map: mapOf(options.colorBy, options.dark),
        low,
        high,
        thickness,
        color: (lane) => (lanes.length > 1 ? laneColors[lane % laneColors.length] : single()),
        perPixel: (lane) => man.perPixel(rects()[lane].height),
        forces: options.forces
          ? {
              scale: arrows.perNewton(smallerSide()) * man.perPixel(rects()[0].height),
              width: arrows.width(spread / man.perPixel(rects()[0].height)),
              color: (kind) => forceColors[kind][options.dark ? 'dark' : 'light'],
            }
          : undefined,
      });
    },
    setBackdrop(color) {
      renderer.setClearColor(color ?? 0x000000, color === undefined ? 0 : 1);
      dirty = true;
    },
    picture(type) {
      refine();
      return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob ?? undefined), type, 0.8));
    },
    get laneRects() {
      return rects();
    },
    get radius() {
      return man.framed;
    },
    get perPixel() {
      return man.perPixel(rects()[0].height);
    },
    get drawTime() {
      return quality.drawTime;
    },
    dispose() {
      for (const lane of lanes) lane.dispose();
      ground.dispose();
      lights.dispose();
      man.dispose();
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
