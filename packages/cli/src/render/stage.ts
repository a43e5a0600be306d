/** Position and target of the camera over all frames of a film. */
import type { Framing, RenderCamera, Triple } from '@tendril-sim/bridge/render';
import type { Footage, RecordingFrame } from '@tendril-sim/io';
import { UsageError } from '../exit.ts';
import { stageOf } from '../footage.ts';
import { gravityOf, pictureObstacles } from '../locate.ts';
import { poolsOf, roomForObstacles } from '../plot/obstacles.ts';
import { chooseView, cross, project, type Vector } from '../plot/view.ts';

/** Options of the camera. */
export interface CameraOptions {
  /** Turn about the upright axis and height of the eye [°]; chosen from the scene by default. */
  readonly azimuth?: number;
  readonly elevation?: number;
  /** 2 shows half of what 1 shows. */
  readonly zoom?: number;
  /** Vertical angle of view [°]. */
  readonly fov?: number;
  /** Eye and target [m]; the target alone moves the camera in parallel. */
  readonly eye?: Triple;
  readonly target?: Triple;
  /** Id of a rod or body whose middle keeps its place in the picture. */
  readonly follow?: string;
}

/** Camera and framing of every frame. */
export interface Stage {
  readonly framing: Framing;
  readonly up: Triple;
  /** Height of the floor along the up direction, in units of the picture. */
  readonly floor: number | undefined;
  camera(frame: RecordingFrame): RenderCamera;
}

/** Arranges the camera such that everything is in the picture in every frame. */
export function createStage(footage: Footage, options: CameraOptions, aspect: number): Stage {
  const clouds = stageOf(footage);
  const last = footage.frame(footage.frameCount - 1);
  const obstacles = pictureObstacles(footage.header, last);
  const gravity = gravityOf(footage.header.scene);
  const room = roomForObstacles(obstacles, clouds);
  const { right, towards, up } = lookFrom([...clouds, ...room], gravity, options);
  const shown = [...clouds, ...room];
  const box = boxOf(shown, right, up, towards);
  const center = box.middle;
  const scale = 1 / Math.max(1e-9, box.radius);
  const framing: Framing = { center, scale };
  const vertical = uprightOf(gravity);
  const fov = ((options.fov ?? 26) * Math.PI) / 180;
  const distance = fit(box, fov, aspect) / (options.zoom ?? 1);
  const toPicture = (p: ArrayLike<number>): Triple => [
    scale * (p[0] - center[0]),
    scale * (p[1] - center[1]),
    scale * (p[2] - center[2]),
  ];
  const target = options.target ? toPicture(options.target) : ([0, 0, 0] as const);
  const eye = options.eye
    ? toPicture(options.eye)
    : ([0, 1, 2].map((k) => target[k] + distance * towards[k]) as unknown as Triple);
  const start = options.follow === undefined ? undefined : middleOf(footage, footage.frame(0), options.follow);
  return {
    framing,
    up: vertical,
    floor: floorOf(obstacles, shown, vertical, framing),
    camera(frame) {
      const camera = { eye, target, up, fov };
      if (!start || options.follow === undefined) return camera;
      const now = middleOf(footage, frame, options.follow);
      const by = [0, 1, 2].map((k) => scale * (now[k] - start[k]));
      const moved = (p: Triple): Triple => [p[0] + by[0], p[1] + by[1], p[2] + by[2]];
      return { ...camera, eye: moved(eye), target: moved(target) };
    },
  };
}

function uprightOf(gravity: Vector | undefined): Triple {
  const length = gravity ? Math.hypot(...gravity) : 0;
  return gravity && length > 0 ? [-gravity[0] / length, -gravity[1] / length, -gravity[2] / length] : [0, 0, 1];
}

/** Axes of the picture: as in other pictures of the scene, but never square on, unless angles are given. */
function lookFrom(
  clouds: readonly ArrayLike<number>[],
  gravity: Vector | undefined,
  { azimuth, elevation }: CameraOptions,
): { right: Vector; up: Vector; towards: Vector } {
  const radians = (degrees: number | undefined): number | undefined =>
    degrees === undefined ? undefined : (degrees * Math.PI) / 180;
  const view = chooseView(clouds, {
    gravity,
    oblique: true,
    azimuth: radians(azimuth),
    elevation: radians(elevation),
  });
  return { right: view.right, towards: view.towards, up: cross(view.towards, view.right) };
}

interface ViewBox {
  readonly middle: Triple;
  /** Half sizes along right, up and towards the viewer. */
  readonly half: readonly [number, number, number];
  readonly radius: number;
}

function boxOf(clouds: readonly ArrayLike<number>[], right: Vector, up: Vector, towards: Vector): ViewBox {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (const cloud of clouds) {
    const placed = project({ right, up, towards, planar: false }, cloud);
    for (let i = 0; i < placed.length; i++) {
      low[i % 3] = Math.min(low[i % 3], placed[i]);
      high[i % 3] = Math.max(high[i % 3], placed[i]);
    }
  }
  const mean = low.map((x, k) => (x + high[k]) / 2);
  const middle = [0, 1, 2].map((k) => mean[0] * right[k] + mean[1] * up[k] + mean[2] * towards[k]);
  const half = low.map((x, k) => (high[k] - x) / 2);
  return {
    middle: [middle[0], middle[1], middle[2]],
    half: [half[0], half[1], half[2]],
    radius: Math.max(1e-12, Math.hypot(...half)),
  };
}

/** Distance of the eye, in units of the picture, from which the box fills most of the picture. */
function fit({ half, radius }: ViewBox, fov: number, aspect: number): number {
  const [w, h, d] = half.map((x) => (1.18 * x) / radius);
  const slope = Math.tan(fov / 2);
  return Math.max(h / slope, w / (slope * aspect), 0.2) + 0.6 * d;
}

/** The floor: a level plane of the scene, or a little under everything. */
function floorOf(
  obstacles: Parameters<typeof poolsOf>[0],
  clouds: readonly ArrayLike<number>[],
  up: Triple,
  { center, scale }: Framing,
): number | undefined {
  const height = (p: ArrayLike<number>, i: number): number =>
    scale * [0, 1, 2].reduce((sum, k) => sum + (p[i + k] - center[k]) * up[k], 0);
  for (const pool of poolsOf(obstacles, clouds)) {
    const level = Math.abs([0, 1, 2].reduce((sum, k) => sum + pool.u[k] * up[k], 0)) < 1e-6 * Math.hypot(...pool.u);
    const flat = Math.abs([0, 1, 2].reduce((sum, k) => sum + pool.v[k] * up[k], 0)) < 1e-6 * Math.hypot(...pool.v);
    if (level && flat) return height(pool.center, 0);
  }
  let lowest = Infinity;
  for (const cloud of clouds) for (let i = 0; i + 2 < cloud.length; i += 3) lowest = Math.min(lowest, height(cloud, i));
  return lowest < Infinity ? lowest - 0.08 : undefined;
}

/** Middle of a rod or body in a frame [m]. */
function middleOf({ header }: Footage, frame: RecordingFrame, id: string): Triple {
  const body = header.bodies?.findIndex((one) => one.id === id) ?? -1;
  const at = body < 0 ? undefined : frame.bodies?.[body].position;
  if (at) return [at[0], at[1], at[2]];
  const rod = header.rods.findIndex((one) => one.id === id);
  if (rod < 0) {
    const names = [...header.rods, ...(header.bodies ?? [])].map((one) => one.id);
    throw new UsageError(
      `--follow: there is no rod or body '${id}'; there are ${names.slice(0, 8).join(', ')}${names.length > 8 ? ', …' : ''}`,
    );
  }
  const x = frame.rods[rod].nodePosition;
  const sum = [0, 0, 0];
  for (let i = 0; i < x.length; i++) sum[i % 3] += (3 * x[i]) / x.length;
  return [sum[0], sum[1], sum[2]];
}
