/**
 * How a scene is looked at, as a link says it: camera, time, models side by side, colours, panel. Text in, text out; opening.ts applies it.
 *
 * A link comes from anywhere: what is not well formed is left out.
 */
import type { SidePanel } from './state.ts';
import type { ColorBy } from './view/colormaps.ts';
import type { CameraPose } from './view/viewTypes.ts';

export interface Shot {
  readonly camera?: CameraPose | undefined;
  /** Where the run stands [s]; none: it plays. */
  readonly time?: number | undefined;
  /** Ids of the variants that run side by side. */
  readonly variants?: readonly string[] | undefined;
  /** They are drawn over each other. */
  readonly overlay?: boolean | undefined;
  readonly colorBy?: ColorBy | undefined;
  readonly panel?: SidePanel | undefined;
}

/** Variants that a link may name; the page offers at most four. */
const mostVariants = 4;

const colors: readonly ColorBy[] = ['curvature', 'twist', 'tension', 'contact', 'plain'];
const panels: readonly SidePanel[] = ['inspector', 'theory', 'scene'];

const oneOf = <T extends string>(known: readonly T[], word: string | null): T | undefined =>
  known.find((each) => each === word);

function readNumber(word: string | null): number | undefined {
  const value = word === null || word.trim() === '' ? Number.NaN : Number(word);
  return Number.isFinite(value) ? value : undefined;
}

function readCamera(word: string | null): CameraPose | undefined {
  const numbers = (word ?? '').split(',').map(readNumber);
  if (numbers.length !== 7 || numbers.includes(undefined)) return undefined;
  const [x, y, z, atX, atY, atZ, aspect] = numbers as number[];
  const isPose = Math.hypot(x - atX, y - atY, z - atZ) > 0 && aspect > 0;
  return isPose ? { position: [x, y, z], target: [atX, atY, atZ], aspect } : undefined;
}

/** `known`: ids of the variants that this page can run. */
export function readShot(address: URLSearchParams, known: readonly string[]): Shot {
  const time = readNumber(address.get('t'));
  const variants = address.get('compare')?.split(',').slice(0, mostVariants);
  const isKnown = variants?.every((id) => known.includes(id));
  return {
    camera: readCamera(address.get('camera')),
    time: time !== undefined && time >= 0 ? time : undefined,
    variants: isKnown ? [...new Set(variants)] : undefined,
    overlay: address.get('overlay') === '1' || undefined,
    colorBy: oneOf(colors, address.get('color')),
    panel: oneOf(panels, address.get('panel')),
  };
}

/** Six digits: a tenth of a pixel. */
const short = (value: number): string => String(Number(value.toPrecision(6)));

/** The part of an address after the scene; empty, or `&` and more. */
export function writeShot({ camera, time, variants, overlay, colorBy, panel }: Shot): string {
  const parts: string[] = [];
  if (camera) parts.push(`camera=${[...camera.position, ...camera.target, camera.aspect].map(short).join(',')}`);
  if (time !== undefined) parts.push(`t=${short(time)}`);
  if (variants && variants.length > 0) parts.push(`compare=${variants.join(',')}`);
  if (overlay) parts.push('overlay=1');
  if (colorBy) parts.push(`color=${colorBy}`);
  if (panel) parts.push(`panel=${panel}`);
  return parts.map((part) => `&${part}`).join('');
}
