/** What the view is made of, and what it remembers from picture to picture. */
import { NeutralToneMapping, PCFShadowMap, Scene, WebGLRenderer } from 'three';
import { type Accumulator, createAccumulator } from './accumulate.ts';
import { createForceScale, type ForceScale } from './arrows.ts';
import { type Cameraman, createCameraman } from './cameraman.ts';
import type { Colliders } from './colliders.ts';
import { createGround, type Ground } from './ground.ts';
import type { LaneView } from './lane.ts';
import { addLights, type Lights } from './lights.ts';
import { createHover, createPull } from './marks.ts';
import { createLowQuality, createQuality, type Quality } from './quality.ts';
import type { Drawer, Pull, ViewOptions } from './viewTypes.ts';

const startOptions: ViewOptions = {
  colorBy: 'curvature',
  stripe: true,
  finish: 'rubber',
  ghost: false,
  frames: false,
  forces: false,
  dark: false,
  grid: true,
  overlay: false,
  hairColor: '#7a5238',
};

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface ViewState {
  readonly canvas: HTMLCanvasElement;
  /** WebGL is drawn by the processor: then multisampling costs more than it gives. */
  readonly drawer: Drawer;
  /** A processor draws, in place of a graphics card. */
  readonly software: boolean;
  /** Without shadows, and as few pixels and hairs as can be. */
  readonly isCoarse: boolean;
  readonly renderer: WebGLRenderer;
  readonly scene: Scene;
  readonly man: Cameraman;
  readonly lights: Lights;
  readonly ground: Ground;
  readonly band: ReturnType<typeof createPull>;
  readonly hover: ReturnType<typeof createHover>;
  readonly arrows: ForceScale;
  readonly quality: Quality;
  lanes: LaneView[];
  colliders: Colliders | undefined;
  options: ViewOptions;
  pull: Pull | undefined;
  /** What a hand does before each picture. */
  hold: (() => void) | undefined;
  /** How large the rods are together now [m]. */
  spread: number;
  /** Largest value of the quantity that colours show. */
  range: number;
  /** Rods are drawn thicker than they are, by this factor. */
  thickness: number;
  /** Something has changed since the last picture. */
  dirty: boolean;
  /** The last picture was a fine one, of something that stands still. */
  refined: boolean;
  /** Pictures in the mean that is shown. */
  pass: number;
  readonly accumulator: Accumulator;
  /** Of the view [pixels], and pixels of the screen to one of the page. */
  width: number;
  height: number;
  pixelRatio: number;
  /** Pixel ratio of a film that is being recorded, whose size must not change. */
  fixedRatio: number | undefined;
  /** What lies over the lower edge of the view [pixels]. */
  inset: number;
}

export function createViewState(canvas: HTMLCanvasElement, isCoarse: boolean): ViewState {
  const drawer = findDrawer();
  const { isSoftware: software } = drawer;
  const renderer = createRenderer(canvas, software);
  const scene = new Scene();
  const man = createCameraman(canvas);
  scene.add(man.camera);
  const lights = addLights(scene, software);
  const ground = createGround();
  const band = createPull();
  const hover = createHover();
  scene.add(ground.object, band.line, band.ball, hover);
  return {
    canvas,
    drawer,
    software,
    isCoarse,
    renderer,
    scene,
    man,
    lights,
    ground,
    band,
    hover,
    arrows: createForceScale(),
    quality: isCoarse
      ? createLowQuality()
      : createQuality(
          software,
          () => globalThis.devicePixelRatio || 1,
          () => performance.now(),
        ),
    lanes: [],
    colliders: undefined,
    options: startOptions,
    pull: undefined,
    hold: undefined,
    spread: 0,
    range: 0,
    thickness: 1,
    dirty: true,
    refined: false,
    pass: 0,
    accumulator: createAccumulator(),
    width: 1,
    height: 1,
    pixelRatio: 0,
    fixedRatio: undefined,
    inset: 0,
  };
}

function createRenderer(canvas: HTMLCanvasElement, software: boolean): WebGLRenderer {
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
  return renderer;
}

function findDrawer(): Drawer {
  const context = document.createElement('canvas').getContext('webgl2');
  const info = context?.getExtension('WEBGL_debug_renderer_info');
  const name = info ? String(context?.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return { name, isSoftware: /swiftshader|llvmpipe|software|basic render/i.test(name) };
}

/** Where lanes are in the view [pixels]. */
export function rectsOf({ lanes, options, width, height }: ViewState): Rect[] {
  const count = Math.max(1, lanes.length);
  if (options.overlay) return Array.from({ length: count }, () => ({ x: 0, y: 0, width, height }));
  const columns = count === 1 ? 1 : width >= 560 ? Math.min(count, count === 4 ? 2 : 3) : count > 2 ? 2 : 1;
  const rows = Math.ceil(count / columns);
  return Array.from({ length: count }, (_, k) => ({
    x: ((k % columns) * width) / columns,
    y: (Math.floor(k / columns) * height) / rows,
    width: width / columns,
    height: height / rows,
  }));
}

/** Size of a pixel at the distance of what is looked at [m]. */
export function perPixelOf(view: ViewState, lane = 0): number {
  return view.man.perPixel(rectsOf(view)[lane].height);
}

/** Of a lane [pixels]. */
export function smallerSide(view: ViewState): number {
  const [{ width, height }] = rectsOf(view);
  return Math.min(width, height);
}

/** Takes the size of the page's element, at this pixel ratio. */
export function setSize(view: ViewState, ratio: number = view.fixedRatio ?? view.quality.ratio): void {
  const { canvas, renderer, man, lanes, inset } = view;
  view.pixelRatio = ratio;
  const box = canvas.parentElement?.getBoundingClientRect();
  view.width = Math.max(1, Math.round(box?.width ?? 1));
  view.height = Math.max(1, Math.round(box?.height ?? 1));
  renderer.setPixelRatio(ratio);
  renderer.setSize(view.width, view.height, false);
  const [first] = rectsOf(view);
  man.setAspect(first.width / first.height, lanes.length > 1 ? 0 : inset / first.height);
  for (const { hair } of lanes) hair?.setResolution(first.width * ratio, first.height * ratio);
  view.dirty = true;
}
