/**
 * `tendril studio`: serves the page of @tendril-sim/studio on the loopback interface, and opens it.
 *
 * The server provides the built page and, under `scene/`, the one scene file it was started with; it rejects every other path.
 */
import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { basename, dirname, extname, join, resolve, sep } from 'node:path';
import { caseIds } from '@tendril-sim/cases/catalog';
import { exitCode, UsageError } from '../exit.ts';
import { untilInterrupted } from '../interrupt.ts';
import { suggest } from '../suggest.ts';
import type { StatusSource } from '../sweep/statusPage.ts';
import type { Terminal } from '../terminal.ts';

export interface StudioOptions {
  readonly port?: number;
  /** False with --no-open. */
  readonly open: boolean;
  /** Redis, whose studies the page /status shows. */
  readonly queue?: string;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.png': 'image/png',
  '.json': 'application/json',
  '.yaml': 'text/plain; charset=utf-8',
  '.ts': 'text/plain; charset=utf-8',
  '.py': 'text/plain; charset=utf-8',
  '.sh': 'text/plain; charset=utf-8',
  '.md': 'text/plain; charset=utf-8',
  '.bib': 'text/plain; charset=utf-8',
};

/** Content security policy: the page may run its own scripts, and nothing from anywhere else. */
const policyFor = (embeddedBy: "'none'" | "'self'"): string =>
  `default-src 'self'; img-src 'self' blob: data:; style-src 'self' 'unsafe-inline'; worker-src 'self' blob:; connect-src 'self'; frame-ancestors ${embeddedBy}; base-uri 'none'; form-action 'none'`;

export async function studio(
  reference: string | undefined,
  options: StudioOptions,
  terminal: Terminal,
): Promise<number> {
  const folder = findPage();
  const scene = reference === undefined ? undefined : findScene(reference);
  const status =
    options.queue === undefined ? undefined : await (await import('../sweep/statusPage.ts')).openStatus(options.queue);
  const server = createServer((request, response) => void answer(request, response, folder, { scene, status }));
  await listen(server, options.port ?? 0);
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/${scene ? scene.fragment : ''}`;
  terminal.out(`studio at ${url}\n  Ctrl-C ends it\n`);
  if (status) terminal.out(`  studies at http://127.0.0.1:${port}/status, metrics at /metrics\n`);
  if (options.open) openBrowser(url, terminal);
  await untilInterrupted();
  server.closeAllConnections();
  server.close();
  status?.close();
  return exitCode.done;
}

interface AnswerOptions {
  readonly scene?: StudioScene;
  readonly status?: StatusSource;
  /** Pages of this server may embed each other. */
  readonly embeds?: boolean;
}

interface StudioScene {
  readonly fragment: string;
  /** The file, if the scene is one. */
  readonly file?: string;
  readonly name?: string;
}

function findScene(reference: string): StudioScene {
  if (existsSync(reference)) {
    if (statSync(reference).isDirectory()) throw new UsageError(`'${reference}' is a folder; name a scene file in it`);
    const name = basename(reference);
    return { fragment: `#file=${encodeURIComponent(name)}`, file: resolve(reference), name };
  }
  if (caseIds.includes(reference)) return { fragment: `#case=${reference}` };
  const meant = suggest(reference, caseIds);
  throw new UsageError(
    `there is no scene file and no case '${reference}'${meant ? `; did you mean the case '${meant}'?` : ''}`,
  );
}

/** The folder of the built page. */
export function findPage(): string {
  let folder: string;
  try {
    folder = join(dirname(createRequire(import.meta.url).resolve('@tendril-sim/studio/package.json')), 'dist');
  } catch {
    throw new UsageError('the studio is not installed: npm install @tendril-sim/studio');
  }
  if (!existsSync(join(folder, 'index.html'))) throw new UsageError('the studio is not built: npm run build');
  return folder;
}

/** Listens on the loopback interface only; port 0 selects a free one. */
export function listen(server: Server, port: number): Promise<void> {
  return new Promise((done, failed) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      failed(
        error.code === 'EADDRINUSE'
          ? new UsageError(`port ${port} is in use; omit --port to use a free one`)
          : error.code === 'EACCES'
            ? new UsageError(`port ${port} needs more rights than this user has; choose one above 1023`)
            : error,
      );
    });
    // this machine only: scenes are private
    server.listen(port, '127.0.0.1', () => done());
  });
}

/** Answers with a file of a folder, or with the scene or status page of the studio. */
export async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  folder: string,
  { scene, status, embeds = false }: AnswerOptions = {},
): Promise<void> {
  const send = (status: number, type: string, body: string | Buffer): void => {
    response.writeHead(status, {
      'content-type': type,
      'cache-control': 'no-store',
      'content-security-policy': policyFor(embeds ? "'self'" : "'none'"),
      'x-content-type-options': 'nosniff',
      'x-frame-options': embeds ? 'SAMEORIGIN' : 'DENY',
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  };
  const refuse = (status: number, text: string): void => send(status, 'text/plain; charset=utf-8', `${text}\n`);
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    refuse(405, 'this server only reads');
    return;
  }
  // DNS rebinding: a page of another host name that points here must not read the scene
  if (!/^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(request.headers.host ?? '')) {
    refuse(403, 'this server answers only requests to 127.0.0.1');
    return;
  }
  try {
    const path = readPath(request.url ?? '/');
    if (path === undefined) {
      refuse(400, 'bad address');
      return;
    }
    if (scene?.file !== undefined && path === `/scene/${scene.name}`) {
      send(200, 'text/plain; charset=utf-8', await readFile(scene.file));
      return;
    }
    if (status && path === '/status') {
      send(200, types['.html'], await status.page());
      return;
    }
    if (status && path === '/metrics') {
      send(200, 'text/plain; version=0.0.4; charset=utf-8', await status.metrics());
      return;
    }
    const file = resolve(folder, `.${path}${path.endsWith('/') ? 'index.html' : ''}`);
    if (file !== folder && !file.startsWith(folder + sep)) {
      refuse(403, 'outside of the page');
      return;
    }
    send(200, types[extname(file)] ?? 'application/octet-stream', await readFile(file));
  } catch {
    const page = await readFile(join(folder, '404.html')).catch(() => undefined);
    if (page) send(404, types['.html'], page);
    else refuse(404, 'not found');
  }
}

/** The decoded path of a request; undefined if it is invalid. */
function readPath(url: string): string | undefined {
  try {
    const path = decodeURIComponent(url.split(/[?#]/)[0]);
    return path.startsWith('/') && !path.includes('\0') ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Opens an address with the system's default program; if there is none, the address has been printed. */
export function openBrowser(url: string, terminal: Terminal): void {
  const [command, ...first] =
    process.platform === 'darwin' ? ['open'] : process.platform === 'win32' ? ['cmd', '/c', 'start', ''] : ['xdg-open'];
  const child = spawn(command, [...first, url], { stdio: 'ignore', detached: true });
  child.on('error', () => terminal.out('  no browser could be opened; open the address yourself\n'));
  child.unref();
}
