/**
 * The 3D view: one renderer, one camera, one to four lanes side by side. It draws when something has changed and not
 * otherwise, and as finely as there is time for (quality.ts).
 */
import { Vector3 } from 'three';
import type { Shape } from '../shapes.ts';
import { forceColors } from './arrows.ts';
import { createColliders } from './colliders.ts';
import { mapOf, quantities } from './colormaps.ts';
import { applyColors, baseColor, measureBounds, refineWhole, render, showFrame } from './drawing.ts';
import { ballOf, boundsOf, formatLength, roundLength } from './frameCamera.ts';
import { createLaneView } from './lane.ts';
import { dragTarget, onCollider, pick, pickFront, project } from './pointing.ts';
import { createViewState, perPixelOf, rectsOf, setSize, smallerSide, type ViewState } from './viewState.ts';
import type { Legend, View, ViewScene } from './viewTypes.ts';

export interface ViewSettings {
  /** Pictures cost as little as can be. */
  readonly isCoarse?: boolean;
}

export function createView(canvas: HTMLCanvasElement, { isCoarse = false }: ViewSettings = {}): View {
  const view = createViewState(canvas, isCoarse);
  const { man, arrows } = view;
  return {
    load: (scene, { keepCamera }) => load(view, scene, { keepCamera }),
    show: (a, b, weight) => showFrame(view, a, b, weight),
    setOptions(next) {
      const { options } = view;
      if (next.colorBy !== options.colorBy) view.range = 0;
      view.options = next;
      if (next.overlay !== options.overlay) setSize(view);
      applyColors(view);
    },
    setReleased(released) {
      released.forEach((pins, lane) => {
        view.lanes[lane]?.setReleased(pins);
      });
      view.dirty = true;
    },
    colliderAt: (collider) => view.colliders?.at(collider),
    setFailed(lane, rod) {
      view.lanes[lane]?.setFailed(rod);
      view.dirty = true;
    },
    render: (seconds) => render(view, seconds),
    resize: () => setSize(view),
    setInset(pixels) {
      if (pixels === view.inset) return;
      view.inset = pixels;
      setSize(view);
    },
    ...createCameraMoves(view),
    ...createPointing(view),
    ...createHandMarks(view),
    legend: () => legendOf(view),
    forceLegend: () => arrows.legend(smallerSide(view)),
    scaleBar: () => scaleBarOf(view),
    get size() {
      return { width: view.width, height: view.height };
    },
    ...createPictures(view),
    get laneRects() {
      return rectsOf(view);
    },
    get radius() {
      return man.framed;
    },
    get perPixel() {
      return perPixelOf(view);
    },
    get drawTime() {
      return view.quality.drawTime;
    },
    drawer: view.drawer,
    get passes() {
      return view.refined ? view.pass : 0;
    },
    dispose: () => dispose(view),
  };
}

function createCameraMoves(
  view: ViewState,
): Pick<View, 'focus' | 'camera' | 'setCamera' | 'holdCamera' | 'orbit' | 'zoom'> {
  const { man } = view;
  return {
    focus() {
      man.frame(measureBounds(view));
      man.placeGround(view.ground);
      view.dirty = true;
    },
    camera: () => man.pose(),
    setCamera(pose) {
      man.take(pose);
      view.dirty = true;
    },
    holdCamera: man.stay,
    orbit: man.orbit,
    zoom: man.zoom,
  };
}

/** The view as a picture to save. */
function createPictures(view: ViewState): Pick<View, 'shapes' | 'still' | 'setBackdrop' | 'picture'> {
  return {
    shapes: () => shapesOf(view),
    still: async (size) => (await import('./still.ts')).stillOf(view, size),
    setBackdrop(color) {
      view.fixedRatio = color === undefined ? undefined : view.pixelRatio;
      view.renderer.setClearColor(color ?? 0x000000, color === undefined ? 0 : 1);
      view.dirty = true;
    },
    picture(type) {
      refineWhole(view, view.isCoarse ? view.quality.ratio : 2);
      return new Promise((resolve) => view.canvas.toBlob((blob) => resolve(blob ?? undefined), type, 0.8));
    },
  };
}

/** What is under a point of the page, and where a point of the scene is on it. */
function createPointing(
  view: ViewState,
): Pick<View, 'pick' | 'pickFront' | 'onCollider' | 'dragTarget' | 'project' | 'drawnAt'> {
  return {
    pick: (clientX, clientY) => pick(view, clientX, clientY),
    pickFront: (clientX, clientY) => pickFront(view, clientX, clientY),
    onCollider: (clientX, clientY) => onCollider(view, clientX, clientY),
    dragTarget: (clientX, clientY, at) => dragTarget(view, clientX, clientY, at),
    project: (at, lane) => project(view, at, lane),
    drawnAt(rod, node) {
      const x = view.lanes[0]?.samples[rod]?.nodePosition;
      return x && project(view, x.subarray(3 * node, 3 * node + 3), 0);
    },
  };
}

/** Marks of a hand: the band by which it pulls, and the place under the mouse. */
function createHandMarks(view: ViewState): Pick<View, 'setPull' | 'setHold' | 'pulled' | 'setHover'> {
  const { man, band } = view;
  return {
    setPull(next) {
      view.pull = next;
      if (!next) band.hide();
      view.dirty = true;
    },
    setHold(next) {
      view.hold = next;
      man.held = next !== undefined;
    },
    pulled: () =>
      band.line.visible ? { rod: band.line.position.toArray(), hand: band.ball.position.toArray() } : undefined,
    setHover: (at, radius) => setHover(view, at, radius),
  };
}

/** Loads other lanes and colliders; `keepCamera`: seen from where the last ones were. */
function load(
  view: ViewState,
  { lanes: infos, colliders: things, gravity, look }: ViewScene,
  { keepCamera }: { readonly keepCamera: boolean },
): void {
  const { scene, ground, software, quality, man, arrows, lights } = view;
  for (const lane of view.lanes) {
    scene.remove(lane.group);
    lane.dispose();
  }
  if (view.colliders) {
    scene.remove(view.colliders.group);
    view.colliders.dispose();
  }
  const lanes = infos.map((info) => createLaneView(info, ground, software));
  const rods = boundsOf(infos);
  const colliders = createColliders(things, {
    rods,
    moving: infos[0]?.moving ?? [],
    ...(lanes[0]?.hair && { shadow: lanes[0].hair.shadow }),
  });
  for (const { group } of [...lanes, colliders]) scene.add(group);
  view.lanes = lanes;
  view.colliders = colliders;
  view.thickness = 1;
  quality.begin(lanes.reduce((sum, { hair, info }) => sum + (hair ? info.rods.length : 0), 0));
  if (keepCamera) {
    man.keep(gravity, look);
    setSize(view);
  } else {
    view.range = 0;
    arrows.reset();
    const moving = colliders.movingBounds(rods);
    const box = rods.clone().union(moving);
    const nodes = infos.flatMap(({ rods }) => rods.map(({ nodePosition }) => nodePosition));
    const ball = moving.isEmpty() ? ballOf(nodes, box.getCenter(new Vector3())) : Number.POSITIVE_INFINITY;
    man.begin({ box, ball }, colliders.bounds, gravity, look);
    setSize(view);
    man.fit({ smooth: false });
    lights.place(man.seen, man.direction, man.camera.up);
    man.placeGround(ground);
  }
  applyColors(view);
}

function setHover(view: ViewState, at: ArrayLike<number> | undefined, radius = 0): void {
  const { hover, man, thickness } = view;
  const visible = at !== undefined;
  if (!visible && !hover.visible) return;
  hover.visible = visible;
  if (at) {
    hover.position.set(at[0], at[1], at[2]);
    hover.scale.setScalar(Math.max(1.6 * radius * thickness, 0.006 * man.distance));
  }
  view.dirty = true;
}

function scaleBarOf(view: ViewState): ReturnType<View['scaleBar']> {
  const perPixel = perPixelOf(view);
  const length = roundLength(perPixel * 140);
  return { pixels: length / perPixel, label: formatLength(length) };
}

function legendOf({ options, range, thickness }: ViewState): Legend {
  const signed = options.colorBy !== 'plain' && quantities[options.colorBy].signed;
  return { by: options.colorBy, low: signed ? -range : 0, high: range, thickness };
}

/** As vectors, for print. */
async function shapesOf(view: ViewState): Promise<Shape[]> {
  const { drawShapes } = await import('./vectors.ts');
  const { lanes, man, options, thickness, arrows, spread } = view;
  const { low, high } = legendOf(view);
  const rects = rectsOf(view);
  const pixel = perPixelOf(view);
  return drawShapes(lanes, rects, man.camera, {
    map: mapOf(options.colorBy, options.dark),
    low,
    high,
    thickness,
    share: (lane) => (options.overlay ? 1 - lane / lanes.length : 1),
    color: (lane) => baseColor(view, lane),
    perPixel: (lane) => man.perPixel(rects[lane].height),
    forces: options.forces
      ? {
          scale: arrows.perNewton(smallerSide(view)) * pixel,
          width: arrows.width(spread / pixel),
          color: (kind) => forceColors[kind][options.dark ? 'dark' : 'light'],
        }
      : undefined,
  });
}

function dispose({ lanes, ground, lights, man, renderer, accumulator }: ViewState): void {
  accumulator.dispose();
  for (const lane of lanes) lane.dispose();
  ground.dispose();
  lights.dispose();
  man.dispose();
  renderer.dispose();
}
