/** `tendril render`: path-traced stills and films of a recording. */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import { type Footage, hairFootage, pickFrames } from '@tendril-sim/io';
import {
  openRecordingFile,
  readHairstyleFile,
  readMotionFile,
  readSkinFile,
  writeFileAtomic,
} from '@tendril-sim/io/node';
import { exitCode, UsageError } from '../exit.ts';
import { writeFilm } from '../film.ts';
import { ensureFolder } from '../folder.ts';
import { type Interrupt, withInterrupt } from '../interrupt.ts';
import { createPercentage } from '../progress.ts';
import { createRenderPool } from '../render/pool.ts';
import { checkColor, createShoot, drawFrame, type Shoot, type ShootOptions } from '../render/shoot.ts';
import { formatWarning, type Terminal } from '../terminal.ts';
import { version } from '../version.ts';
import { findRecording, insistFinite } from './export.ts';
import { skinOptions } from './groomScene.ts';

export interface RenderOptions extends ShootOptions {
  readonly out?: string;
  readonly force?: boolean;
  readonly frame?: number;
  readonly frames?: readonly [number, number];
  readonly every?: number;
  readonly fps: number;
  readonly speed: number;
  readonly threads?: number;
  /** For a hairstyle: a motion of `tendril groom pack`, and the animated mesh that it grows on. */
  readonly motion?: string;
  readonly head?: string;
  readonly animation?: string | true;
  readonly start?: number;
}

type Output = 'still' | 'mp4' | 'webm' | 'pictures';

export async function renderRecording(reference: string, options: RenderOptions, terminal: Terminal): Promise<number> {
  const isStyle = extname(reference) === '.hairstyle';
  for (const name of ['motion', 'head', 'animation', 'start'] as const)
    if (options[name] !== undefined && !isStyle) throw new UsageError(`--${name} applies only to a .hairstyle`);
  for (const name of ['animation', 'start'] as const)
    if (options[name] !== undefined && options.head === undefined)
      throw new UsageError(`--${name} needs the animated mesh: --head character.glb`);
  const file = isStyle ? reference : findRecording(reference);
  const out = options.out ?? join(dirname(file), `${basename(file, extname(file))}-render.png`);
  const output = outputOf(out, options);
  checkOut(out, output, options);
  checkColor(options.background);
  const source = isStyle ? openHair(file, options) : openRecording(file, terminal);
  const pool = createRenderPool(options.threads ?? availableParallelism());
  try {
    const footage = chooseFrames(insistFinite(source.footage, file), options, output);
    const shoot = createShoot(footage, options, pool);
    return await withInterrupt((interrupt) => write({ ...shoot, options }, out, output, interrupt, terminal));
  } finally {
    await pool.close();
    source.close();
  }
}

/** A shoot with the options of the command. */
interface CommandShoot extends Shoot {
  readonly options: RenderOptions;
}

interface Source {
  readonly footage: Footage;
  close(): void;
}

function openRecording(file: string, terminal: Terminal): Source {
  const recording = openRecordingFile(file, { partial: true });
  if (!recording.complete)
    terminal.err(
      formatWarning(`${file}: the recording is incomplete; its ${recording.frameCount} complete frames are used`),
    );
  if (recording.frameCount > 0) return { footage: recording, close: () => recording.close() };
  recording.close();
  throw new UsageError(`${file}: the recording has no frame to render`);
}

/** All hairs of a hairstyle, at rest or in motion. */
function openHair(file: string, options: RenderOptions): Source {
  const { motion, head } = options;
  const footage = hairFootage(readHairstyleFile(file), version, {
    ...(motion !== undefined && { motion: readMotionFile(motion) }),
    ...(head !== undefined && { skin: readSkinFile(head, skinOptions(options)) }),
  });
  return { footage, close: () => {} };
}

/** What to write: by the name of the file, and by the choice of frames. */
function outputOf(out: string, { frames, every, frame }: RenderOptions): Output {
  const extension = extname(out).toLowerCase();
  const isSeries = frames !== undefined || every !== undefined;
  const output = extension === '.mp4' ? 'mp4' : extension === '.webm' ? 'webm' : isSeries ? 'pictures' : 'still';
  if ((output === 'still' || output === 'pictures') && extension !== '.png')
    throw new UsageError(`'${out}': stills end in .png, films in .mp4 or .webm`);
  if (frame !== undefined && output !== 'still')
    throw new UsageError('--frame is for stills; choose the frames of a film with --frames and --every');
  return output;
}

function checkOut(out: string, output: Output, { force }: RenderOptions): void {
  if (output === 'pictures') return;
  if (existsSync(out) && !force)
    throw new UsageError(`'${out}' exists; choose another --out, or add --force to replace it`);
  if (!existsSync(dirname(out))) throw new UsageError(`the folder '${dirname(out)}' does not exist; create it first`);
}

function chooseFrames(footage: Footage, { frame, frames, every = 1 }: RenderOptions, output: Output): Footage {
  const { frameCount } = footage;
  const indexOf = (wanted: number, option: string): number => {
    const index = wanted < 0 ? frameCount + wanted : wanted;
    if (index < 0 || index >= frameCount)
      throw new UsageError(`${option}: there is no frame ${wanted}; the recording has frames 0 to ${frameCount - 1}`);
    return index;
  };
  if (output === 'still') return pickFrames(footage, [indexOf(frame ?? -1, '--frame')]);
  const [first, last] = (frames ?? [0, -1]).map((wanted) => indexOf(wanted, '--frames'));
  if (last < first) throw new UsageError('--frames: the last frame comes before the first');
  return pickFrames(
    footage,
    Array.from({ length: Math.floor((last - first) / every) + 1 }, (_, k) => first + k * every),
  );
}

async function write(
  shoot: CommandShoot,
  out: string,
  output: Output,
  interrupt: Interrupt,
  terminal: Terminal,
): Promise<number> {
  const progress = createPercentage(terminal, shoot.footage.frameCount);
  const draw = async (index: number): Promise<Uint8Array | undefined> => {
    const png = await drawFrame(shoot, index, interrupt, (fraction) => progress.show(index, fraction));
    progress.finish(index);
    return png;
  };
  try {
    if (output === 'mp4' || output === 'webm') {
      const isDone = await writeMovie(shoot, out, output, interrupt, draw);
      if (!isDone) return exitCode.interrupted;
    } else if (!(await writePictures(shoot, out, output, draw))) return exitCode.interrupted;
  } finally {
    progress.clear();
  }
  terminal.err(`wrote ${out}${output === 'pictures' ? ` as ${shoot.footage.frameCount} pictures` : ''}\n`);
  return exitCode.done;
}

/** One picture, or a numbered one per frame: film.png becomes film-0001.png and so on. */
async function writePictures(
  { footage, options }: CommandShoot,
  out: string,
  output: 'still' | 'pictures',
  draw: (index: number) => Promise<Uint8Array | undefined>,
): Promise<boolean> {
  const overwrite = options.force === true;
  const digits = Math.max(4, String(footage.frameCount - 1).length);
  const nameOf = (k: number): string =>
    output === 'still' ? out : `${out.slice(0, -4)}-${String(k).padStart(digits, '0')}.png`;
  if (output === 'pictures') ensureFolder(dirname(out));
  // before the first picture, which may take minutes
  const names = Array.from({ length: footage.frameCount }, (_, k) => nameOf(k));
  const existing = overwrite ? undefined : names.find((name) => existsSync(name));
  if (existing !== undefined)
    throw new UsageError(`'${existing}' exists; choose another --out, or add --force to replace it`);
  for (let k = 0; k < names.length; k++) {
    const png = await draw(k);
    if (!png) return false;
    writeFileAtomic(names[k], png, { overwrite });
  }
  return true;
}

async function writeMovie(
  { footage, options: { fps, speed, force } }: CommandShoot,
  out: string,
  kind: 'mp4' | 'webm',
  interrupt: Interrupt,
  draw: (index: number) => Promise<Uint8Array | undefined>,
): Promise<boolean> {
  const state = await writeFilm(
    out,
    footage,
    async (index) => (await draw(index)) ?? new Uint8Array(),
    { kind, fps, speed, overwrite: force === true },
    interrupt,
    () => {},
  );
  return state === 'done';
}
