/** `tendril docs`: serves the documentation site on the loopback interface, and opens it. `npm run docs` builds the site. */
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitCode, UsageError } from '../exit.ts';
import { untilInterrupted } from '../interrupt.ts';
import type { Terminal } from '../terminal.ts';
import { answer, findPage, listen, openBrowser } from './studio.ts';

export interface DocsOptions {
  readonly port?: number;
  /** False with --no-open. */
  readonly open: boolean;
}

export async function docs(options: DocsOptions, terminal: Terminal): Promise<number> {
  const folder = fileURLToPath(new URL('../site', import.meta.url));
  if (!existsSync(join(folder, 'index.html')))
    throw new UsageError(
      'the documentation is not built: run "npm run docs" in the repository, or read its folder docs/',
    );
  // the live figures of the pages are the studio, which is a package of its own
  const server = createServer((request, response) => {
    const isStudio = request.url?.startsWith('/studio/') ?? false;
    if (isStudio) request.url = request.url?.slice('/studio'.length);
    void answer(request, response, isStudio ? findPage() : folder, { embeds: true });
  });
  await listen(server, options.port ?? 0);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  terminal.out(`documentation at ${url}\n  Ctrl-C ends it\n`);
  if (options.open) openBrowser(url, terminal);
  await untilInterrupted();
  server.closeAllConnections();
  server.close();
  return exitCode.done;
}
