/** A Redis of one's own: on loopback, a free port, with a password and an append-only file; killed and started again by tests. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const programs = ['/usr/bin/redis-server', '/usr/bin/valkey-server', '/usr/local/bin/redis-server'];

export interface TestRedis {
  readonly url: string;
  readonly port: number;
  start(): Promise<void>;
  kill(): Promise<void>;
  remove(): Promise<void>;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

export const password = 'test-password';

export async function createRedis(): Promise<TestRedis> {
  const program = programs.find((path) => existsSync(path));
  if (program === undefined)
    throw new Error('install redis-server or valkey-server (Debian: apt-get install redis-server)');
  const folder = mkdtempSync(join(tmpdir(), 'tendril-redis-'));
  const port = await freePort();
  let child: ChildProcess | undefined;
  const kill = async (): Promise<void> => {
    const old = child;
    child = undefined;
    if (!old || old.exitCode !== null) return;
    const ended = new Promise((resolve) => old.once('exit', resolve));
    old.kill('SIGKILL');
    await ended;
  };
  return {
    url: `redis://:${password}@127.0.0.1:${port}`,
    port,
    kill,
    async start() {
      child = spawn(
        program,
        [
          '--port',
          String(port),
          '--bind',
          '127.0.0.1',
          '--requirepass',
          password,
          '--appendonly',
          'yes',
          '--dir',
          folder,
          '--save',
          '',
          '--loglevel',
          'warning',
        ],
        { stdio: ['ignore', 'pipe', 'ignore'] },
      );
      for (let k = 0; k < 200 && !(await accepts(port)); k++) await new Promise((resolve) => setTimeout(resolve, 25));
    },
    async remove() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function accepts(port: number): Promise<boolean> {
  const { connect } = await import('node:net');
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
