/** `tendril doctor`: prints what this machine has and what Tendril will use. */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { availableParallelism, totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { NoGpuError, startGpu } from '@tendril-sim/io/node';
import { exitCode } from '../exit.ts';
import { bad, doubtful, good, type Terminal } from '../terminal.ts';
import { version } from '../version.ts';

export interface DoctorOptions {
  readonly json?: boolean;
}

interface Finding {
  readonly what: string;
  /** `missing` is needed; `absent` is optional. */
  readonly state: 'ok' | 'absent' | 'missing';
  readonly found: string;
  /** Consequence for the user. */
  readonly use: string;
}

export async function doctor(options: DoctorOptions, terminal: Terminal): Promise<number> {
  const findings = [node(), threads(), simd(), await gpu(), ffmpeg(), ...packages(), queue()];
  if (options.json) terminal.out(`${JSON.stringify({ tendril: version, findings }, null, 2)}\n`);
  else {
    const marks = { ok: good('✓'), absent: doubtful('–'), missing: bad('✗') };
    const width = Math.max(...findings.map(({ what }) => what.length));
    terminal.out(`tendril ${version}\n`);
    for (const { what, state, found, use } of findings)
      terminal.out(`${marks[state]} ${what.padEnd(width)}  ${found}; ${use}\n`);
  }
  return findings.some(({ state }) => state === 'missing') ? exitCode.missed : exitCode.done;
}

function node(): Finding {
  const heap = Math.round(getHeapStatistics().heap_size_limit / 2 ** 20);
  const memory = Math.round(totalmem() / 2 ** 20);
  return {
    what: 'Node',
    state: 'ok',
    found: `${process.version} on ${process.platform} ${process.arch}`,
    use: `may use ${heap} MB of ${memory} MB; more with NODE_OPTIONS=--max-old-space-size=<MB>`,
  };
}

function threads(): Finding {
  const cores = availableParallelism();
  return {
    what: 'threads',
    state: 'ok',
    found: cores === 1 ? '1 core' : `${cores} cores`,
    use: `runs use up to ${cores} ${cores === 1 ? 'thread' : 'threads'} if there are many rods, sweeps ${cores} processes`,
  };
}

/** A module that adds two 128-bit vectors: valid only if WebAssembly supports SIMD. */
const simdModule = Uint8Array.from([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
]);

function simd(): Finding {
  // exists in Node, but its types are in those of browsers
  const { WebAssembly } = globalThis as unknown as { WebAssembly: { validate(bytes: Uint8Array): boolean } };
  const works = WebAssembly.validate(simdModule);
  return {
    what: 'SIMD',
    state: works ? 'ok' : 'missing',
    found: works ? 'WebAssembly with SIMD' : 'no SIMD in WebAssembly',
    use: works ? 'kernels compute models der and fiber' : 'run with --plain, two to three times slower',
  };
}

async function gpu(): Promise<Finding> {
  const what = 'GPU';
  try {
    const { model, isSoftware, close } = await startGpu();
    close();
    const use = isSoftware
      ? 'it computes on the CPU, so --backend auto does not use it'
      : 'used by --backend gpu, and by --backend auto if the scene allows it';
    return { what, state: isSoftware ? 'absent' : 'ok', found: model.adapter, use };
  } catch (error) {
    if (!(error instanceof NoGpuError)) throw error;
    return { what, state: 'absent', found: 'none', use: error.message };
  }
}

function ffmpeg(): Finding {
  const { stdout } = spawnSync('ffmpeg', ['-version'], { encoding: 'utf8', timeout: 5000 });
  const found = /^ffmpeg version (\S+)/.exec(stdout ?? '')?.[1];
  return {
    what: 'ffmpeg',
    state: found ? 'ok' : 'absent',
    found: found ?? 'not on the path',
    use: found ? 'tendril export --to mp4 and webm' : 'films need it; --to png and glb do not',
  };
}

const optional: readonly (readonly [name: string, use: string])[] = [
  ['bullmq', 'tendril sweep --queue and tendril worker'],
  ['ioredis', 'tendril sweep --queue and tendril worker'],
  ['@duckdb/node-api', 'tendril sweep query'],
  ['aws4fetch', 'recordings of sweeps in an S3-compatible store'],
];

/** Optional packages of `@tendril-sim/sweep`. */
function packages(): Finding[] {
  const sweep = createRequire(createRequire(import.meta.url).resolve('@tendril-sim/sweep/package.json'));
  return optional.map(([what, use]) => {
    const isInstalled = canResolve(sweep, what);
    return isInstalled
      ? { what, state: 'ok', found: 'installed', use }
      : { what, state: 'absent', found: 'not installed', use: `needed by ${use}: npm install ${what}` };
  });
}

function canResolve({ resolve }: NodeJS.Require, name: string): boolean {
  try {
    resolve(name);
    return true;
  } catch (error) {
    // packages without an entry for require() count as installed
    return (error as NodeJS.ErrnoException).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED';
  }
}

function queue(): Finding {
  const isSet = Boolean(process.env.TENDRIL_QUEUE);
  return {
    what: 'queue',
    state: isSet ? 'ok' : 'absent',
    found: isSet ? 'TENDRIL_QUEUE is set' : 'TENDRIL_QUEUE is not set',
    use: isSet ? 'check the queue with: tendril sweep queue' : 'sweeps run on this machine',
  };
}
