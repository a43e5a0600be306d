/** Pictures of one recording: the camera, the materials and the light that all of its frames share, and a frame as PNG. */
import { developPicture, type LightName, parseColor, type RenderScene, type Triple } from '@tendril-sim/bridge/render';
import { cutBroken, type Footage } from '@tendril-sim/io';
import { encodePng } from '../apng.ts';
import { UsageError } from '../exit.ts';
import type { Interrupt } from '../interrupt.ts';
import type { RenderPool } from './pool.ts';
import { chooseMaterials, type MaterialOptions, surfacesOf, type Wardrobe } from './scene.ts';
import { type CameraOptions, createStage, type Stage } from './stage.ts';

/** Options of a picture. */
export interface ShootOptions extends CameraOptions, MaterialOptions {
  /** Width and height [pixels]. */
  readonly size: readonly [number, number];
  readonly samples: number;
  readonly bounces: number;
  readonly light: LightName;
  /** [°] */
  readonly lightTurn: number;
  readonly brightness: number;
  readonly background: string;
  readonly floor?: boolean;
  readonly denoise?: boolean;
}

/** Everything that pictures of one recording share. */
export interface Shoot {
  readonly footage: Footage;
  readonly stage: Stage;
  readonly wardrobe: Wardrobe;
  readonly background: Triple;
  readonly options: ShootOptions;
  readonly pool: RenderPool;
}

/** The color, or a usage error. */
export function checkColor(background: string): Triple {
  const color = parseColor(background);
  if (!color) throw new UsageError(`--background: '${background}' is no colour such as #f4f1ec`);
  return color;
}

/** Places the camera for all frames of the footage. */
export function createShoot(recording: Footage, options: ShootOptions, pool: RenderPool): Shoot {
  const { footage } = cutBroken(recording);
  const [width, height] = options.size;
  const stage = createStage(footage, options, width / height);
  const wardrobe = chooseMaterials(footage, options);
  return { footage, stage, wardrobe, background: checkColor(options.background), options, pool };
}

/** A frame as PNG; undefined after an interrupt. */
export async function drawFrame(
  { footage, stage, wardrobe, background, options, pool }: Shoot,
  index: number,
  interrupt: Interrupt,
  report: (fraction: number) => void = () => {},
): Promise<Uint8Array | undefined> {
  const [width, height] = options.size;
  const frame = footage.frame(index);
  const camera = stage.camera(frame);
  const away = Math.hypot(...camera.eye.map((x, k) => x - camera.target[k]));
  const pixel = (2 * away * Math.tan(camera.fov / 2)) / height / stage.framing.scale;
  const surfaces = surfacesOf(footage, frame, stage, wardrobe, { pixel, thickness: options.thickness ?? 1 });
  const { floor, ...rest } = surfaces;
  const scene: RenderScene = {
    geometry: options.floor === false ? rest : { ...rest, floor },
    camera,
    light: { name: options.light, turn: (options.lightTurn * Math.PI) / 180, brightness: options.brightness },
    up: stage.up,
    background,
    width,
    height,
    bounces: options.bounces,
  };
  const sums = await pool.trace(scene, options.samples, interrupt, report);
  if (!sums) return undefined;
  const pixels = developPicture(scene, sums, { samples: options.samples, denoise: options.denoise });
  return encodePng({ width, height, pixels });
}
