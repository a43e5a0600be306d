/** `tendril groom`: grows, styles and simulates hairstyles, and writes them for other programs. */
import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import {
  type Curl,
  combHairstyle,
  compileSurfaceMap,
  createCoordinates,
  createHeadField,
  createSurface,
  curlHairstyle,
  cutHairstyle,
  fitCoordinates,
  type GrowOptions,
  growHairstyle,
  type HairLayer,
  type Hairstyle,
  type HairType,
  hairsOf,
  layHairstyle,
  type Preset,
  SceneError,
  type SurfaceMap,
  type SurfacePlace,
  type SurfaceReport,
} from '@tendril-sim/core';
import { encodeHairstyle, encodeMotionFrame, encodeMotionHead, parseQuantity } from '@tendril-sim/io';
import {
  createAtomicWriter,
  openRecordingFile,
  readHairstyleFile,
  readMeshFile,
  writeFileAtomic,
} from '@tendril-sim/io/node';
import { exitCode, UsageError } from '../exit.ts';
import { formatNumber, formatWarning, type Terminal } from '../terminal.ts';
import { version } from '../version.ts';
import { mergeGrow, presetOf } from './groomPreset.ts';

type Triple = readonly [number, number, number];

export interface OutOptions {
  readonly out?: string;
  readonly force?: boolean;
}

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
  const surface = createSurface(mesh);
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
  const { density, seed = 0, onVertices } = options;
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

/** Lays guides over the skin stored in the style; if that has no inside, they stay as they hang. */
function layOver(style: Hairstyle, terminal: Terminal): Hairstyle {
  const field = style.skin && createHeadField(style.skin);
  if (!field) return style;
  const { style: laid, report } = layHairstyle(style, field);
  if (report.inside > 0) {
    const depth = formatNumber(1e3 * report.deepest, 2);
    terminal.err(
      formatWarning(`${report.inside} guides still pass through the mesh, up to ${depth} mm deep: use more --elements`),
    );
  }
  return laid;
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

function reportSettled(report: { readonly failed?: number; readonly unstable?: number }, terminal: Terminal): void {
  if (report.failed) terminal.err(formatWarning(`${report.failed} guides found no equilibrium and keep their shape`));
  if (report.unstable) terminal.err(formatWarning(`${report.unstable} guides are in an unstable equilibrium`));
}

export function withoutEnding(file: string): string {
  return file.slice(0, file.length - extname(file).length);
}

export function refuseExisting(out: string, { force }: OutOptions): void {
  if (existsSync(out) && !force)
    throw new UsageError(`'${out}' exists; choose another --out, or add --force to replace it`);
}

function save(out: string, style: Hairstyle, options: OutOptions, terminal: Terminal): void {
  if (!/\.hairstyle$/i.test(out)) throw new UsageError(`'${out}' should end in .hairstyle`);
  writeFileAtomic(out, encodeHairstyle(style, version), { overwrite: options.force === true });
  terminal.err(`wrote ${out}: ${describe(style)}\n`);
}

function describe({ guideRoots, hairRoots, elements }: Hairstyle): string {
  const hairs = hairRoots ? `, ${hairRoots.count} hairs` : '';
  return `${guideRoots.count} ${guideRoots.count === 1 ? 'guide' : 'guides'} of ${elements} elements${hairs}`;
}

/** Writes the changed style to --out, or with --force over the old one. */
function target(file: string, options: OutOptions): string {
  const out = options.out ?? file;
  if (out === file && !options.force)
    throw new UsageError(`name the file to write: --out other.hairstyle, or --force to replace '${file}'`);
  refuseExisting(out, options);
  return out;
}

export interface WhereOptions extends OutOptions {
  readonly where?: string;
}

function whereOf({ where }: WhereOptions): SurfaceMap | undefined {
  if (where === undefined) return undefined;
  const map = compileSurfaceMap(where, 'where');
  return (place) => Math.max(0, map(place));
}

export interface CutCommandOptions extends WhereOptions {
  readonly length?: number;
  /** Point and normal. */
  readonly plane?: readonly number[];
}

export function cut(file: string, options: CutCommandOptions, terminal: Terminal): number {
  const out = target(file, options);
  const { length, plane: p } = options;
  const plane = p && { point: [p[0], p[1], p[2]] as Triple, normal: [p[3], p[4], p[5]] as Triple };
  const { style, cut: count } = cutHairstyle(readHairstyleFile(file), { length, plane, where: whereOf(options) });
  terminal.err(`cut ${count} of ${style.guideRoots.count} guides\n`);
  save(out, style, options, terminal);
  return exitCode.done;
}

export interface CombCommandOptions extends WhereOptions {
  readonly from: Triple;
  readonly to: Triple;
  readonly radius: number;
  readonly strength?: number;
}

export function comb(file: string, options: CombCommandOptions, terminal: Terminal): number {
  const out = target(file, options);
  const { style, report } = combHairstyle(readHairstyleFile(file), { ...options, where: whereOf(options) });
  terminal.err(`combed ${report.combed} of ${style.guideRoots.count} guides\n`);
  if (report.unstable > 0)
    terminal.err(formatWarning(`${report.unstable} of them are too soft to keep this shape and will sag`));
  save(out, layOver(style, terminal), options, terminal);
  return exitCode.done;
}

export interface CurlCommandOptions extends WhereOptions {
  readonly curl?: Curl;
  readonly straight?: boolean;
  readonly settle: boolean;
}

export function curl(file: string, options: CurlCommandOptions, terminal: Terminal): number {
  if ((options.curl === undefined) === (options.straight !== true))
    throw new UsageError('set a curl: --curl "1 cm,2 cm" (radius and pitch), or --straight');
  const out = target(file, options);
  const where = whereOf(options);
  const { style, report } = curlHairstyle(readHairstyleFile(file), {
    curl: options.curl,
    settle: options.settle,
    where,
  });
  reportSettled(report, terminal);
  save(out, layOver(style, terminal), options, terminal);
  return exitCode.done;
}

export interface LayerCommandOptions extends OutOptions {
  readonly layers: readonly HairLayer[];
  readonly lengths?: readonly number[];
  readonly clear?: boolean;
  readonly remove?: number;
}

/** Changes the layers of a style: guides and roots stay as they are. */
export function layer(file: string, options: LayerCommandOptions, terminal: Terminal): number {
  const out = target(file, options);
  const style = readHairstyleFile(file);
  if (!style.hairRoots) throw new UsageError(`'${file}' has no hairs between its guides; grow it with --hairs`);
  const { layers: given, lengths, clear, remove } = options;
  const before = style.hairOptions?.layers ?? [];
  if (remove !== undefined && !(remove >= 1 && remove <= before.length))
    throw new UsageError(`--remove ${remove}: '${file}' has ${before.length} layers`);
  const kept = clear ? [] : before.filter((_, k) => k + 1 !== remove);
  const layers = [...kept, ...given];
  const { layers: _, ...others } = style.hairOptions ?? {};
  const hairOptions = {
    ...others,
    ...(layers.length > 0 && { layers }),
    ...(lengths && { length: [lengths[0], lengths[1]] as const }),
  };
  const changed = { ...style, hairOptions };
  // checks the layers
  hairsOf(changed);
  terminal.err(layers.map((one, k) => `layer ${k + 1}: ${describeLayer(one)}\n`).join(''));
  save(out, changed, options, terminal);
  return exitCode.done;
}

function describeLayer(one: HairLayer): string {
  const mm = (x: number): string => `${formatNumber(1e3 * x, 3)} mm`;
  if (one.type === 'clump') return `clump, ${one.count} groups, strength ${one.strength}, power ${one.power ?? 2}`;
  if (one.type === 'curl')
    return `curl, radius ${mm(one.radius)}, pitch ${mm(one.pitch)}, phase ${formatNumber(one.phase ?? 0, 3)}`;
  return `frizz, amplitude ${mm(one.amplitude)}, wavelength ${mm(one.wavelength)}`;
}

export function info(file: string, options: { readonly json?: boolean }, terminal: Terminal): number {
  const style = readHairstyleFile(file);
  const lengths = [...style.length];
  const facts = {
    guides: style.guideRoots.count,
    elements: style.elements,
    hairs: style.hairRoots?.count ?? 0,
    hair: style.hair ?? null,
    length: { least: Math.min(...lengths), most: Math.max(...lengths) },
    fiber: style.fiber,
    gravity: style.gravity,
    layers: style.hairOptions?.layers ?? [],
  };
  if (options.json) terminal.out(`${JSON.stringify(facts, null, 2)}\n`);
  else {
    const { a, b } = style.fiber;
    terminal.out(
      [
        describe(style),
        `length ${formatNumber(facts.length.least)} to ${formatNumber(facts.length.most)} m`,
        `section ${formatNumber(2e6 * a, 3)} × ${formatNumber(2e6 * b, 3)} µm${style.hair ? `, hair type ${style.hair}` : ''}`,
        ...facts.layers.map((one, k) => `layer ${k + 1}: ${describeLayer(one)}`),
        '',
      ].join('\n'),
    );
  }
  return exitCode.done;
}

/** A recording of all guides as generalised coordinates. */
export function pack(file: string, recordingFile: string, options: OutOptions, terminal: Terminal): number {
  const style = readHairstyleFile(file);
  const out = options.out ?? `${withoutEnding(recordingFile)}.motion`;
  refuseExisting(out, options);
  const recording = openRecordingFile(recordingFile, { partial: true });
  const writer = createAtomicWriter(out, { overwrite: options.force === true });
  try {
    const { rods } = recording.header;
    const guides = style.guideRoots.count;
    if (rods.length !== guides)
      throw new UsageError(
        `the recording has ${rods.length} rods and the hairstyle ${guides} guides; use the recording of a scene with all guides of this hairstyle`,
      );
    const header = { version, guides, elements: style.elements };
    const coordinates = createCoordinates(guides, style.elements);
    let worst = 0;
    writer.append(encodeMotionHead(header));
    for (let k = 0; k < recording.frameCount; k++) {
      const { time, rods: shapes } = recording.frame(k);
      for (let g = 0; g < guides; g++)
        worst = Math.max(worst, fitCoordinates(coordinates, g, shapes[g], style.length[g], style.elements).largest);
      writer.append(encodeMotionFrame(header, { time, ...coordinates }));
    }
    writer.commit();
    terminal.err(
      `wrote ${out}: ${recording.frameCount} frames, ${formatNumber(worst * 1e3, 2)} mm largest deviation\n`,
    );
  } catch (error) {
    writer.abort();
    throw error;
  } finally {
    recording.close();
  }
  return exitCode.done;
}

/** Renames options in errors to those of the command line. */
export function groomError(error: unknown): unknown {
  if (!(error instanceof SceneError) || error.path.length === 0) return error;
  const option = String(error.path[0]).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return new UsageError(`${option}: ${error.message}`);
}
