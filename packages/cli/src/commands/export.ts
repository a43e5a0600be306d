/** `tendril export`: a recording as a table, a picture, a film, or a file that other programs open. */
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { SceneError } from '@tendril-sim/core';
import {
  bodiesToVtp,
  cutBroken,
  exportAlembic,
  exportGlb,
  exportParquet,
  exportUsda,
  exportUsdc,
  type Footage,
  formatPvd,
  frameToVtp,
  InputError,
  nodeTable,
  obstaclesToVtp,
  oneFrame,
  pickFrames,
  wispFootage,
} from '@tendril-sim/io';
import { createAtomicWriter, openRecordingFile, writeFileAtomic } from '@tendril-sim/io/node';
import { type Bitmap, encodeApng } from '../apng.ts';
import type { ExportFormat } from '../choices.ts';
import { exitCode, UsageError } from '../exit.ts';
import { filmFrames, writeFilm } from '../film.ts';
import { ensureFolder, isUnfinished } from '../folder.ts';
import { drawFrames, stageOf } from '../footage.ts';
import { withInterrupt } from '../interrupt.ts';
import { invocation } from '../invocation.ts';
import { renderBitmap, renderPng } from '../plot/png.ts';
import { suggestFile } from '../suggest.ts';
import { formatWarning, type Terminal } from '../terminal.ts';

export interface ExportOptions {
  readonly to: ExportFormat;
  readonly out?: string;
  readonly force?: boolean;
  readonly frame?: number;
  /** Only every nth frame. */
  readonly every?: number;
  readonly look?: 'tubes' | 'lines';
  readonly fps?: number;
  readonly speed?: number;
  /** Fibers around each rod, drawn instead of the rod. */
  readonly fibers?: number;
  /** Radius of their bundle [m], and the ratio of its radius at the end of a rod to that at its start. */
  readonly bundle?: number;
  readonly taper?: number;
  readonly winding?: number;
  readonly blend?: number;
  /** Radius of a fiber [m]. */
  readonly fiberRadius?: number;
}

interface Job {
  readonly footage: Footage;
  readonly out: string;
  readonly options: ExportOptions;
  readonly terminal: Terminal;
}

export async function exportRecording(reference: string, options: ExportOptions, terminal: Terminal): Promise<number> {
  checkOptions(options);
  const file = findRecording(reference);
  const recording = openRecordingFile(file, { partial: true });
  try {
    if (!recording.complete) {
      terminal.err(
        formatWarning(`${file}: the recording is incomplete; its ${recording.frameCount} complete frames are used`),
      );
    }
    if (recording.frameCount === 0) throw new UsageError(`${file}: the recording has no frame to export`);
    // fibers are placed around the first frame, whichever frames are shown
    const sound = insistFinite(recording, file);
    const footage = chooseFrames(options.fibers === undefined ? sound : wispsOf(sound, options), options);
    const extension = options.to === 'vtp' && options.frame === undefined ? 'pvd' : options.to;
    if (extension === 'pvd' && options.out && extname(options.out) === '.vtp')
      throw new UsageError(
        `a series of .vtp files needs a .pvd: use --out ${basename(options.out, '.vtp')}.pvd, or one --frame`,
      );
    const out = options.out ?? join(dirname(file), `${basename(file, extname(file))}.${extension}`);
    if (existsSync(out) && !options.force)
      throw new UsageError(`'${out}' exists; choose another --out, or add --force to replace it`);
    return await writers[options.to]({ footage, out, options, terminal });
  } finally {
    recording.close();
  }
}

/** The recording itself, or that of a folder with results. */
export function findRecording(reference: string): string {
  if (!existsSync(reference)) {
    const hasRecording = (name: string): boolean => existsSync(join(dirname(reference), name, 'recording.tendril'));
    const meant = suggestFile(reference, (name) => name.endsWith('.tendril') || hasRecording(name));
    throw new UsageError(
      `there is no recording '${reference}'; ${meant === undefined ? 'name a recording.tendril, or the folder of a run' : `did you mean '${meant}'?`}`,
    );
  }
  if (!statSync(reference).isDirectory()) {
    if (/\.(ya?ml|json)$/i.test(reference))
      throw new UsageError(
        `'${reference}' is a scene, not a recording; simulate it first: ${invocation()} run ${reference}, and name the folder that it writes`,
      );
    return reference;
  }
  const file = join(reference, 'recording.tendril');
  if (existsSync(file)) return file;
  if (isUnfinished(reference))
    throw new UsageError(`a run was killed in '${reference}'; save its frames with: tendril recover ${reference}`);
  throw new UsageError(
    `the folder '${reference}' has no recording.tendril; name a recording, or a folder with results`,
  );
}

/** Rejects frames with positions that are not numbers: other programs would fail on them, later and without a reason. */
export function insistFinite(footage: Footage, file: string): Footage {
  return {
    header: footage.header,
    frameCount: footage.frameCount,
    frame(index) {
      const frame = footage.frame(index);
      const broken = frame.rods.findIndex(({ nodePosition, edgeDirector }) =>
        [nodePosition, edgeDirector].some((values) => !values.every(Number.isFinite)),
      );
      if (broken < 0) return frame;
      const id = footage.header.rods[broken].id;
      throw new InputError(
        file,
        `frame ${index} has positions of rod '${id}' that are not finite; the file is damaged, or Tendril did not write it`,
      );
    },
  };
}

/** Fibers around the rods; errors name the option of the command line. */
function wispsOf(
  footage: Footage,
  { fibers = 1, bundle, taper = 1, winding, blend, fiberRadius }: ExportOptions,
): Footage {
  if (bundle === undefined)
    throw new UsageError('--fibers needs the radius of their bundle: --fibers 30 --bundle "2 mm"');
  const radius = [
    [0, bundle],
    [1, bundle * taper],
  ] as const;
  try {
    return wispFootage(footage, { count: fibers, radius, turns: winding, blend, fiberRadius });
  } catch (error) {
    if (!(error instanceof SceneError)) throw error;
    const names: Readonly<Record<string, string>> = { turns: 'winding', count: 'fibers', radius: 'bundle' };
    const name = String(error.path[0] ?? 'fibers');
    throw new UsageError(`--${names[name] ?? name}: ${error.message}`);
  }
}

/** Rejects options that would have no effect. */
function checkOptions(options: ExportOptions): void {
  const { to, look, fps, speed, frame, every } = options;
  for (const name of ['bundle', 'taper', 'winding', 'blend', 'fiberRadius'] as const) {
    if (options[name] !== undefined && options.fibers === undefined)
      throw new UsageError(`--${name === 'fiberRadius' ? 'fiber-radius' : name} needs --fibers`);
  }
  const film = to === 'mp4' || to === 'webm' || to === 'apng';
  const wrong = (name: string, where: string): never => {
    throw new UsageError(`--${name} applies only to ${where}, not to --to ${to}`);
  };
  if (look !== undefined && to !== 'glb') wrong('look', '--to glb');
  if (fps !== undefined && !film) wrong('fps', 'films: --to apng, mp4 or webm');
  if (speed !== undefined && !film) wrong('speed', 'films: --to apng, mp4 or webm');
  if (frame !== undefined && film) wrong('frame', 'everything but films');
  if (frame !== undefined && every !== undefined) throw new UsageError('--frame and --every cannot be combined');
}

function chooseFrames(footage: Footage, { frame, every }: ExportOptions): Footage {
  const { frameCount } = footage;
  if (every !== undefined) {
    const indices = Array.from({ length: Math.ceil(frameCount / every) }, (_, k) => k * every);
    return pickFrames(footage, indices);
  }
  if (frame === undefined) return footage;
  // counts from 0; negative counts from the end, so that −1 is the last
  const index = frame < 0 ? frameCount + frame : frame;
  if (index < 0 || index >= frameCount)
    throw new UsageError(`there is no frame ${frame}: the recording has frames 0 to ${frameCount - 1}`);
  return oneFrame(footage, index);
}

const writers: Readonly<Record<ExportFormat, (job: Job) => number | Promise<number>>> = {
  usda: (job) => writeChunks(job, exportUsda(job.footage)),
  usdc: (job) => writeChunks(job, exportUsdc(job.footage)),
  abc: (job) => writeChunks(job, exportAlembic(job.footage)),
  csv: (job) => writeChunks(job, nodeTable({ header: job.footage.header, frames: () => eachFrame(job.footage) })),
  parquet: (job) => writeChunks(job, exportParquet(job.footage)),
  svg: (job) => writeChunks(job, [picture(job)]),
  png: (job) => writeChunks(job, [renderPng(picture(job))]),
  glb: exportToGlb,
  vtp: exportToVtp,
  apng: (job) => writeChunks(job, [animation(job)]),
  mp4: exportToFilm,
  webm: exportToFilm,
};

function* eachFrame(footage: Footage): Generator<ReturnType<Footage['frame']>> {
  for (let k = 0; k < footage.frameCount; k++) yield footage.frame(k);
}

function picture({ footage, options }: Job): string {
  const { frame } = options;
  if (frame === undefined) return drawFrames(footage);
  return drawFrames(
    footage,
    frame < 0 ? (frame === -1 ? 'last frame' : `frame ${-frame} from the end`) : `frame ${frame}`,
  );
}

/** Buffers small pieces of text: a system call for each would take longer than creating them. */
function writeChunks({ out, options, terminal }: Job, chunks: Iterable<string | Uint8Array>): number {
  const writer = createAtomicWriter(out, { overwrite: options.force === true });
  let gathered = '';
  try {
    for (const chunk of chunks) {
      if (typeof chunk === 'string') gathered += chunk;
      if (gathered.length > 1 << 18 || typeof chunk !== 'string') {
        if (gathered !== '') writer.append(gathered);
        gathered = '';
      }
      if (typeof chunk !== 'string') writer.append(chunk);
    }
    if (gathered !== '') writer.append(gathered);
    writer.commit();
  } catch (error) {
    writer.abort();
    throw error;
  }
  terminal.err(`wrote ${out}\n`);
  return exitCode.done;
}

function exportToGlb(job: Job): number {
  const { footage, options, terminal } = job;
  let glb: ReturnType<typeof exportGlb>;
  try {
    glb = exportGlb(footage, { look: options.look });
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(error.message) : error;
  }
  if (glb.frameCount < footage.frameCount) {
    terminal.err(
      formatWarning(
        `the file has ${glb.frameCount} of ${footage.frameCount} frames, evenly spread, because a glTF animation of shapes can have no more`,
      ),
    );
  }
  if (glb.look === 'lines' && options.look === undefined)
    terminal.err(
      formatWarning('rods are written as lines, because tubes would make a very large file; --look tubes writes tubes'),
    );
  return writeChunks(job, glb.chunks());
}

/** One file per frame in a folder beside the collection; a single frame is one file. */
function exportToVtp(job: Job): number {
  const { out, options, terminal } = job;
  const { footage } = cutBroken(job.footage);
  const { header } = footage;
  if (options.frame !== undefined) return writeChunks(job, [frameToVtp(header, footage.frame(0))]);
  const overwrite = options.force === true;
  const name = `${basename(out, extname(out))}-frames`;
  const folder = join(dirname(out), name);
  if (existsSync(folder) && !overwrite)
    throw new UsageError(`'${folder}' exists; choose another --out, or add --force to replace it`);
  ensureFolder(folder);
  const digits = String(footage.frameCount - 1).length;
  const entries: { time: number; part: number; file: string }[] = [];
  for (let k = 0; k < footage.frameCount; k++) {
    const frame = footage.frame(k);
    const number = String(k).padStart(digits, '0');
    [frameToVtp(header, frame), bodiesToVtp(header, frame), obstaclesToVtp(header, frame)].forEach((bytes, part) => {
      if (!bytes) return;
      const file = `${['rods', 'bodies', 'obstacles'][part]}-${number}.vtp`;
      writeFileAtomic(join(folder, file), bytes, { overwrite });
      entries.push({ time: frame.time, part, file: `${name}/${file}` });
    });
  }
  writeFileAtomic(out, formatPvd(entries), { overwrite });
  terminal.err(`wrote ${out} and ${footage.frameCount} frames in ${folder}\n`);
  return exitCode.done;
}

/** Pictures of a third of the size of `--to png`, 15 per second by default: made for web pages. */
function animation({ footage, options: { fps = 15, speed = 1 } }: Job): Uint8Array {
  const stage = stageOf(footage);
  const times = Array.from({ length: footage.frameCount }, (_, k) => footage.frame(k).time);
  const indices = filmFrames(times, { fps, speed });
  function* bitmaps(): Generator<Bitmap> {
    for (const index of indices) yield renderBitmap(drawFrames(oneFrame(footage, index), undefined, stage), 0.65);
  }
  return encodeApng(bitmaps(), fps);
}

async function exportToFilm({ footage, out, options, terminal }: Job): Promise<number> {
  const { fps = 30, speed = 1, to, force } = options;
  if (to !== 'mp4' && to !== 'webm') throw new TypeError(to);
  const stage = stageOf(footage);
  const draw = (index: number): Uint8Array => renderPng(drawFrames(oneFrame(footage, index), undefined, stage), 1.5);
  let shown = 0;
  const report = (fraction: number): void => {
    if (!terminal.live || Math.floor(fraction * 100) === shown) return;
    shown = Math.floor(fraction * 100);
    terminal.err(`\r${shown} % `);
  };
  const film = { kind: to, fps, speed, overwrite: force === true } as const;
  const state = await withInterrupt((interrupt) => writeFilm(out, footage, draw, film, interrupt, report));
  if (terminal.live) terminal.err('\r\u001b[2K');
  if (state === 'interrupted') return exitCode.interrupted;
  terminal.err(`wrote ${out}\n`);
  return exitCode.done;
}
