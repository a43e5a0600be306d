/** `tendril groom grow`: reads a mesh, and perhaps a texture, and grows hair on it. */
import {
  type Curl,
  compileSurfaceMap,
  createHeadField,
  createSurface,
  type GrowOptions,
  growHairstyle,
  type Hairstyle,
  type HairType,
  type Preset,
  paintSurface,
  type SurfaceMap,
  type SurfacePlace,
  type SurfaceReport,
} from '@tendril-sim/core';
import { parseQuantity } from '@tendril-sim/io';
import { readMeshFile, readTextureFile } from '@tendril-sim/io/node';
import { exitCode, UsageError } from '../exit.ts';
import { formatNumber, formatWarning, type Terminal } from '../terminal.ts';
import { layOver, type OutOptions, refuseExisting, reportSettled, save, withoutEnding } from './groom.ts';
import { mergeGrow, presetOf } from './groomPreset.ts';

type Triple = readonly [number, number, number];

export interface GrowCommandOptions extends OutOptions {
  readonly unit?: number;
  readonly up?: 'y' | 'z';
  readonly guides?: number;
  readonly onVertices?: boolean;
  readonly hairs?: number;
  /** A style by name, and the direction of the face for it. */
  readonly preset?: string;
  readonly front?: Triple;
  /** Required without a preset. */
  readonly length?: string;
  readonly lengthJitter?: number;
  readonly density?: string;
  /** A PNG picture that gives formulas their colours, by the texture coordinates of the mesh. */
  readonly texture?: string;
  readonly hair?: string;
  readonly curl?: Curl;
  readonly elements?: number;
  readonly phaseJitter?: number;
  readonly lean?: string;
  readonly lay: boolean;
  readonly clump?: number;
  readonly seed?: number;
  readonly settle: boolean;
}

export function grow(meshFile: string, options: GrowCommandOptions, terminal: Terminal): number {
  const out = options.out ?? `${withoutEnding(meshFile)}.hairstyle`;
  refuseExisting(out, options);
  const mesh = readMeshFile(meshFile, options);
  for (const warning of mesh.warnings ?? []) terminal.err(formatWarning(`${meshFile}: ${warning}`));
  const bare = createSurface(mesh);
  const { texture } = options;
  const surface = texture === undefined ? bare : paintSurface(bare, readTextureFile(texture));
  for (const doubt of doubtPlacement(meshFile, surface.position, options)) terminal.err(formatWarning(doubt));
  reportSurface(meshFile, surface.report, terminal);
  const preset = presetOf(surface, options);
  const { style, report } = growHairstyle(surface, growOptions(preset, options));
  reportSettled(report, terminal);
  const skin = { position: surface.position, triangle: surface.triangle };
  const skinned = options.lay || preset?.shape ? { ...style, skin } : style;
  const laid = preset?.shape
    ? shapeGuides(skinned, preset.shape, terminal)
    : options.lay
      ? layOver(skinned, terminal)
      : style;
  // a length of one's own is kept
  save(out, preset?.trim && options.length === undefined ? preset.trim(laid) : laid, options, terminal);
  return exitCode.done;
}

/** Options for growing: those of the command line, and of the preset where there is one. */
function growOptions(preset: Preset | undefined, options: GrowCommandOptions): GrowOptions {
  const { seed = 0, onVertices, texture } = options;
  // a texture without a formula is the density itself
  const density = options.density ?? (texture === undefined ? undefined : '(r + g + b) / 3');
  const count = options.guides ?? preset?.grow.guides?.count ?? 200;
  const map = density === undefined ? undefined : compileSurfaceMap(density, 'density');
  const given = {
    guides: {
      on: onVertices ? ('vertices' as const) : ('faces' as const),
      count,
      spread: count <= 5000,
      density: map,
      seed,
    },
    length: options.length === undefined ? undefined : lengthMap(options.length),
    lengthJitter: options.lengthJitter,
    hair: options.hair as HairType | undefined,
    curl: options.curl,
    elements: options.elements,
    phaseJitter: options.phaseJitter,
    lean: options.lean === undefined ? undefined : leanMap(options.lean),
    // a preset that shapes its guides does not let them hang first
    settle: options.settle ? undefined : false,
    ...(options.hairs !== undefined && { hairs: { count: options.hairs, density: map, clump: options.clump } }),
  };
  return preset ? mergeGrow(preset.grow, given) : (given as GrowOptions);
}

function shapeGuides(style: Hairstyle, shape: NonNullable<Preset['shape']>, terminal: Terminal): Hairstyle {
  terminal.err(formatWarning('nothing ties the hair of this style: in a simulation it falls loose'));
  return shape(style, style.skin && createHeadField(style.skin));
}

/** Splits three numbers or formulas at commas outside parentheses. */
function leanMap(text: string): (place: SurfacePlace) => Triple {
  const parts = text.split(/,(?![^()]*\))/);
  if (parts.length !== 3)
    throw new UsageError(`--lean: expected three numbers or formulas with commas between them: x,y,z, got '${text}'`);
  const [x, y, z] = parts.map((part) => compileSurfaceMap(part, 'lean'));
  return (place) => [x(place), y(place), z(place)];
}

/** A length, or an expression in metres. */
function lengthMap(text: string): Exclude<SurfaceMap, ArrayLike<number>> {
  const number = Number(text);
  if (text.trim() !== '' && Number.isFinite(number)) return number;
  const quantity = parseQuantity(text, 'length');
  return quantity.ok ? quantity.value : compileSurfaceMap(text, 'length');
}

/** Warns about sizes that no head has, and an axis that may not be up: an OBJ file states neither unit nor axes. */
function doubtPlacement(file: string, p: Float64Array, { unit, up }: GrowCommandOptions): string[] {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  p.forEach((x, i) => {
    low[i % 3] = Math.min(low[i % 3], x);
    high[i % 3] = Math.max(high[i % 3], x);
  });
  const [x, y, z] = high.map((value, k) => value - low[k]);
  const size = Math.max(x, y, z);
  const likely = size > 100 ? '1 mm' : size > 4 ? '1 cm' : undefined;
  return [
    unit === undefined && likely
      ? `${file}: the mesh is ${formatNumber(size, 3)} m large; if its unit is not the metre, add --unit "${likely}"`
      : '',
    unit === undefined && size < 5e-3
      ? `${file}: the mesh is ${formatNumber(1e3 * size, 3)} mm large; if its unit is not the metre, add --unit`
      : '',
    up === undefined && /\.obj$/i.test(file) && y > 1.1 * Math.max(x, z)
      ? `${file}: z is assumed to be up, but the mesh is longest along y; add --up y if y is up (as Blender writes it), or --up z`
      : '',
  ].filter((words) => words !== '');
}

function reportSurface(file: string, report: SurfaceReport, terminal: Terminal): void {
  const said = [
    report.degenerate > 0 ? `${report.degenerate} triangles without area were removed` : '',
    report.flipped > 0 ? `${report.flipped} triangles faced the wrong way and were flipped` : '',
    report.branched > 0 ? `${report.branched} edges have more than two triangles` : '',
  ].filter((words) => words !== '');
  for (const words of said) terminal.err(formatWarning(`${file}: ${words}`));
}
