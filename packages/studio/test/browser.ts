/** A browser and the built page, for the tests and for the pictures of the gallery. */
import { existsSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, extname, join, normalize } from 'node:path';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';

/** Tests and scripts run in the root of the repository. */
const dist = join(process.cwd(), 'packages/studio/dist');

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
};

/** Where Debian, and others, put it; CHROMIUM names another. */
export function findChromium(): string {
  const places = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
  const found = places.find((path) => path && existsSync(path));
  if (!found) throw new Error('Chromium is missing: run "npm test", which installs it, or set CHROMIUM to its path');
  return found;
}

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: findChromium(),
    // a busy machine takes its time; only a hang reaches this
    timeout: 120_000,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
    ],
  });
}

/** Lets pages of a browser, or one page, be asked what they show: `window.tendrilStudio`. Before they load the studio. */
export function allowScripting(pages: Pick<BrowserContext, 'addInitScript'>): Promise<unknown> {
  return pages.addInitScript('window.tendrilScripting = true');
}

export interface Server {
  readonly url: string;
  /** Paths that were asked for, each as often as it was. */
  readonly served: string[];
  close(): void;
}

export async function serveStudio(): Promise<Server> {
  if (!existsSync(join(dist, 'index.html'))) throw new Error('the page is not built: run "npm run build"');
  const served: string[] = [];
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname));
    served.push(path);
    try {
      const content = await readFile(join(dist, path === '/' ? 'index.html' : path));
      response.writeHead(200, {
        'content-type': types[extname(path)] ?? 'text/html; charset=utf-8',
        // their names say what is in them
        'cache-control': path.startsWith('/assets/') ? 'max-age=3600, immutable' : 'no-store',
      });
      response.end(content);
    } catch {
      response.writeHead(404);
      response.end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, served, close: () => server.close() };
}

/** Environment in which Node's WebGPU finds the software GPU that comes with Chromium. */
export function softwareGpu(): Readonly<Record<string, string>> {
  const folders = ['/usr/lib/chromium', dirname(realpathSync(findChromium()))];
  const folder = folders.find((one) => existsSync(join(one, 'vk_swiftshader_icd.json')));
  if (!folder) throw new Error(`no SwiftShader beside Chromium: looked in ${folders.join(', ')}`);
  return {
    VK_ICD_FILENAMES: join(folder, 'vk_swiftshader_icd.json'),
    LD_LIBRARY_PATH: folder,
    // Mesa's Vulkan layer, where it is installed, prints an error if this variable is not set
    XDG_RUNTIME_DIR: tmpdir(),
  };
}
