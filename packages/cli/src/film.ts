/**
 * A recording as a film: pipes a PNG of every instant to ffmpeg.
 *
 * The pictures are those of `export --to png` or of `render`: a film needs no browser, and is the same on every machine. ffmpeg must be on the path; it is not part of this package.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Footage } from '@tendril-sim/io';
import { createAtomicWriter } from '@tendril-sim/io/node';
import { UsageError } from './exit.ts';
import { createBreather, type Interrupt } from './interrupt.ts';

export interface FilmOptions {
  readonly kind: 'mp4' | 'webm';
  /** Pictures per second of the film. */
  readonly fps: number;
  /** Simulated seconds per second of the film. */
  readonly speed: number;
  /** Replaces a film that exists. */
  readonly overwrite: boolean;
}

const codecs: Readonly<Record<FilmOptions['kind'], readonly string[]>> = {
  mp4: [
    '-c:v',
    'libx264',
    '-preset',
    'medium',
    '-crf',
    '18',
    '-pix_fmt',
    'yuv420p',
    '-movflags',
    '+faststart',
    '-f',
    'mp4',
  ],
  webm: ['-c:v', 'libvpx-vp9', '-crf', '28', '-b:v', '0', '-row-mt', '1', '-pix_fmt', 'yuv420p', '-f', 'webm'],
};

/** Most pictures of a film: nine hours at 30 per second. */
const MOST_PICTURES = 1e6;

/** For each picture of the film the recorded frame that is nearest in time. */
export function filmFrames(times: readonly number[], { fps, speed }: Pick<FilmOptions, 'fps' | 'speed'>): number[] {
  const start = times[0];
  const count = Math.max(1, Math.floor(((times[times.length - 1] - start) / speed) * fps + 1e-6) + 1);
  if (!(count <= MOST_PICTURES))
    throw new UsageError(
      `the film would have ${count.toPrecision(2)} pictures, and ${MOST_PICTURES} are the most; raise --speed or lower --fps`,
    );
  let k = 0;
  return Array.from({ length: count }, (_, picture) => {
    const time = start + (picture / fps) * speed;
    while (k + 1 < times.length && Math.abs(times[k + 1] - time) <= Math.abs(times[k] - time)) k++;
    return k;
  });
}

/** Writes a film: under a temporary name, until it is complete. */
export async function writeFilm(
  out: string,
  footage: Footage,
  draw: (index: number) => Uint8Array | Promise<Uint8Array>,
  options: FilmOptions,
  interrupt: Interrupt,
  report: (fraction: number) => void,
): Promise<'done' | 'interrupted'> {
  const times = Array.from({ length: footage.frameCount }, (_, k) => footage.frame(k).time);
  const frames = filmFrames(times, options);
  // ffmpeg writes into the file that this opens
  const writer = createAtomicWriter(out, { overwrite: options.overwrite });
  const { child, ended, said } = startFfmpeg(writer.temporary, options);
  const breathe = createBreather();
  const feed = async (): Promise<'done' | 'interrupted'> => {
    let last = -1;
    let png: Uint8Array = new Uint8Array();
    for (let k = 0; k < frames.length; k++) {
      if (frames[k] !== last) png = await draw(frames[k]);
      last = frames[k];
      // a pipe that breaks is no reason: how ffmpeg ended is
      if (!child.stdin.write(png)) await Promise.race([once(child.stdin, 'drain').catch(() => ended), ended]);
      report((k + 1) / frames.length);
      await breathe();
      if (interrupt.requested) {
        child.kill();
        return 'interrupted';
      }
      if (child.exitCode !== null || child.signalCode !== null) break;
    }
    child.stdin.end();
    return 'done';
  };
  try {
    const [state, how] = await Promise.all([feed(), ended]);
    if (state === 'interrupted') return state;
    if (how !== 'exit code 0')
      throw new UsageError(`ffmpeg could not make the film (${how}): ${said() || 'no message'}`);
    writer.commit();
    return state;
  } finally {
    child.kill();
    // without effect once the film has its name
    writer.abort();
  }
}

/** Starts ffmpeg, which reads pictures from its input. `ended`: its exit; `said`: the end of its messages. */
function startFfmpeg(file: string, { fps, kind }: FilmOptions) {
  const input = ['-f', 'image2pipe', '-c:v', 'png', '-framerate', String(fps), '-i', '-'];
  // these codecs require even numbers of pixels
  const even = ['-vf', 'pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white'];
  const child = spawn(
    'ffmpeg',
    ['-hide_banner', '-loglevel', 'error', '-y', ...input, ...even, ...codecs[kind], file],
    {
      stdio: ['pipe', 'ignore', 'pipe'],
    },
  );
  let messages = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    messages = (messages + chunk).slice(-2000);
  });
  const ended = new Promise<string>((resolve, reject) => {
    child.on('error', (error: NodeJS.ErrnoException) => reject(error.code === 'ENOENT' ? missing(kind) : error));
    child.on('close', (code, signal) => resolve(signal === null ? `exit code ${code}` : describeSignal(signal)));
  });
  // the pipe breaks if ffmpeg ends early; `ended` has its error message
  child.stdin.on('error', () => {});
  return { child, ended, said: (): string => messages.trim() };
}

/** SIGXFSZ ends a process whose file is larger than the system allows. */
const describeSignal = (signal: NodeJS.Signals): string =>
  signal === 'SIGXFSZ' ? 'the file is larger than the system allows' : `ended by ${signal}`;

function missing(kind: string): UsageError {
  return new UsageError(
    `films need ffmpeg, which is not on the path; install it (Debian, Ubuntu: apt install ffmpeg; macOS: brew install ffmpeg; Windows: winget install ffmpeg), or export pictures with --to png --frame N, or --to glb, which moves without ${kind}`,
  );
}
