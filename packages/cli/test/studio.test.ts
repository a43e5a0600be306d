/** `tendril studio`: the page, the scene it was given, and nothing else. */
import { mkdirSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { answer } from '../src/commands/studio.ts';
import { sandbox } from './harness.ts';

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly policy: string;
  readonly body: string;
}

/** By hand, so that a path with dots arrives as it is written. */
function get(port: number, path: string, host = `127.0.0.1:${port}`, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request({ port, host: '127.0.0.1', path, method, headers: { host } }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          type: String(response.headers['content-type']),
          policy: String(response.headers['content-security-policy']),
          body,
        }),
      );
    });
    asked.on('error', reject);
    asked.end();
  });
}

const running: { kill(signal: NodeJS.Signals): boolean }[] = [];

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

async function start(...args: string[]): Promise<{ port: number; address: string; stop(): Promise<number | null> }> {
  const box = sandbox();
  box.write('my scene.yaml', 'tendril: 1\nrods: []\n');
  box.write('secret.txt', 'not for the page');
  const { child, finished } = box.start('studio', '--no-open', ...args);
  running.push(child);
  const address = await new Promise<string>((resolve, reject) => {
    let out = '';
    child.stdout?.on('data', (chunk: string) => {
      out += chunk;
      const found = /http:\S+/.exec(out);
      if (found && out.includes('Ctrl-C')) resolve(found[0]);
    });
    void finished.then(({ err }) => reject(new Error(err)));
  });
  return {
    address,
    port: Number(new URL(address).port),
    async stop() {
      child.kill('SIGINT');
      return (await finished).code;
    },
  };
}

it('serves the page and the scene, refuses the rest, and ends on Ctrl-C', async () => {
  const { port, address, stop } = await start('my scene.yaml');
  expect(address).toBe(`http://127.0.0.1:${port}/#file=my%20scene.yaml`);
  const page = await get(port, '/');
  expect(page).toMatchObject({ status: 200, type: 'text/html; charset=utf-8' });
  expect(page.policy).toContain("frame-ancestors 'none'");
  const script = /src="\.(\/assets\/[^"]+\.js)"/.exec(page.body)?.[1] as string;
  expect(await get(port, script)).toMatchObject({ status: 200, type: 'text/javascript; charset=utf-8' });
  expect((await get(port, '/scene/my%20scene.yaml')).body).toBe('tendril: 1\nrods: []\n');
  for (const path of ['/../package.json', '/..%2fpackage.json', '/%2e%2e/package.json', '//etc/passwd']) {
    expect((await get(port, path)).status, path).toBeGreaterThanOrEqual(403);
  }
  expect((await get(port, '/scene/secret.txt')).status).toBe(404);
  expect((await get(port, '/%zz')).status).toBe(400);
  expect((await get(port, '/', 'evil.example')).status).toBe(403);
  expect((await get(port, '/', undefined, 'POST')).status).toBe(405);
  expect(await stop()).toBe(0);
});

it('opens a case, and says what it does not find', async () => {
  const { address, port, stop } = await start('michell-ring');
  expect(address).toContain('#case=michell-ring');
  const taken = await sandbox().run('studio', '--no-open', '--port', String(port));
  expect(taken).toMatchObject({ code: 2, err: expect.stringContaining(`port ${port} is in use`) });
  expect(await stop()).toBe(0);
  const lost = await sandbox().run('studio', '--no-open', 'michel-ring');
  expect(lost).toMatchObject({ code: 2, err: expect.stringContaining("did you mean the case 'michell-ring'?") });
});

it('serves the index of a folder, as the documentation has them', async () => {
  const box = sandbox();
  mkdirSync(join(box.path, 'api'));
  box.write('api/index.html', 'reference');
  const server = createServer((asked, response) => void answer(asked, response, box.path, { embeds: true }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  expect(await get(port, '/api/')).toMatchObject({ status: 200, type: 'text/html; charset=utf-8', body: 'reference' });
  expect(await get(port, '/')).toMatchObject({ status: 404, body: 'not found\n' });
  box.write('404.html', 'no such page');
  expect(await get(port, '/a/b')).toMatchObject({
    status: 404,
    type: 'text/html; charset=utf-8',
    body: 'no such page',
  });
  server.close();
});
