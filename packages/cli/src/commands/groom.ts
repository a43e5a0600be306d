/** `tendril groom`: styles hairstyles, describes them, and packs their motion. */
import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import {
  type Curl,
  combHairstyle,
  compileSurfaceMap,
  createCoordinates,
  createHeadField,
  curlHairstyle,
  cutHairstyle,
  fitCoordinates,
  type HairLayer,
  type Hairstyle,
  hairsOf,
  layHairstyle,
  SceneError,
  type SurfaceMap,
} from '@tendril-sim/core';
import { encodeHairstyle, encodeMotionFrame, encodeMotionHead } from '@tendril-sim/io';
import { createAtomicWriter, openRecordingFile, readHairstyleFile, writeFileAtomic } from '@tendril-sim/io/node';
import { exitCode, UsageError } from '../exit.ts';
import { formatNumber, formatWarning, type Terminal } from '../terminal.ts';
import { version } from '../version.ts';

type Triple = readonly [number, number, number];

export interface OutOptions {
  readonly out?: string;
  readonly force?: boolean;
}

/** Lays guides over the skin stored in the style; if that has no inside, they stay as they hang. */
export function layOver(style: Hairstyle, terminal: Terminal): Hairstyle {
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

export function reportSettled(
  report: { readonly failed?: number; readonly unstable?: number },
  terminal: Terminal,
): void {
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

export function save(out: string, style: Hairstyle, options: OutOptions, terminal: Terminal): void {
  if (!/\.hairstyle$/i.test(out)) throw new UsageError(`'${out}' should end in .hairstyle`);
  writeFileAtomic(out, encodeHairstyle(style, version), { overwrite: options.force === true });
  terminal.err(`wrote ${out}: ${describe(style)}\n`);
}

function describe({ guideRoots, hairRoots, elements }: Hairstyle): string {
  const hairs = hairRoots ? `, ${hairRoots.count} hairs` : '';
  return `${guideRoots.count} ${guideRoots.count === 1 ? 'guide' : 'guides'} of ${elements} elements${hairs}`;
}

/** Writes the changed style to --out, or with --force over the old one. */
export function target(file: string, options: OutOptions): string {
  const out = options.out ?? file;
  if (out === file && !options.force)
    throw new UsageError(`name the file to write: --out other.hairstyle, or --force to replace '${file}'`);
  refuseExisting(out, options);
  return out;
}

export interface WhereOptions extends OutOptions {
  readonly where?: string;
}

export function whereOf({ where }: WhereOptions): SurfaceMap | undefined {
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
