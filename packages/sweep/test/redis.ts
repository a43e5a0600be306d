/** A Redis of one's own: on loopback, a free port, with a password and an append-only file; killed and started again by tests. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const programs = ['/usr/bin/redis-server', '/usr/bin/valkey-server', '/usr/local/bin/redis-server'];

export interface TestRedis {
  readonly url: string;
  readonly port: number;
  start(): Promise<void>;
  kill(): Promise<void>;
  /** CONFIG SET. */
  configure(name: string, value: string): Promise<void>;
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

/** PEM files of an authority made for the test, and of a server and a client that it vouches for. */
export interface Certificates {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** By openssl, in a folder. */
export function makeCertificates(folder: string): Certificates {
  const file = (name: string): string => join(folder, name);
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { stdio: 'ignore' });
  const key = (name: string): string[] => [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    file(name),
  ];
  openssl('req', '-x509', ...key('ca.key'), '-out', file('ca.pem'), '-subj', '/CN=test authority', '-days', '2');
  openssl('req', ...key('key.pem'), '-out', file('request.pem'), '-subj', '/CN=127.0.0.1');
  writeFileSync(file('names'), 'subjectAltName=IP:127.0.0.1');
  const signed = ['-in', file('request.pem'), '-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-CAcreateserial'];
  openssl('x509', '-req', ...signed, '-out', file('cert.pem'), '-days', '2', '-extfile', file('names'));
  return { ca: file('ca.pem'), cert: file('cert.pem'), key: file('key.pem') };
}

/** With certificates: TLS alone, and clients have to show one. */
export async function createRedis(tls?: Certificates): Promise<TestRedis> {
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
    url: `${tls ? 'rediss' : 'redis'}://:${password}@127.0.0.1:${port}`,
    port,
    kill,
    async start() {
      child = spawn(
        program,
        [
          ...(tls ? ['--port', '0', '--tls-port', String(port)] : ['--port', String(port)]),
          ...(tls ? ['--tls-ca-cert-file', tls.ca, '--tls-cert-file', tls.cert, '--tls-key-file', tls.key] : []),
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
    configure: (name, value) => command(port, [`AUTH ${password}`, `CONFIG SET ${name} ${value}`]),
    async remove() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Sends commands in plain text; throws unless each is answered by OK. */
function command(port: number, lines: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n`));
    let answer = '';
    socket.on('error', reject).on('data', (chunk: Buffer) => {
      answer += chunk.toString();
      if (answer.split('\r\n').length <= lines.length) return;
      socket.destroy();
      if (answer === '+OK\r\n'.repeat(lines.length)) resolve();
      else reject(new Error(answer));
    });
  });
}

async function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
