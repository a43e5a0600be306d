/**
 * Makes sure that the browser tests have a browser: Debian's Chromium, installed when it is missing and this user may.
 * Run before the tests (`pretest`).
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const places = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

if (!places.some((path) => path && existsSync(path))) {
  const root = process.getuid?.() === 0;
  const debian = existsSync('/usr/bin/apt-get');
  if (!root || !debian) {
    console.error(
      'The tests of the studio need Chromium. Install it (Debian: apt-get install chromium), or set CHROMIUM to the path of a Chromium or Chrome.',
    );
    process.exit(1);
  }
  console.log('installing Chromium for the tests of the studio');
  const run = (...args: string[]): { status: number | null } =>
    spawnSync('apt-get', args, { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  run('update', '-qq');
  const { status } = run('install', '-y', '-qq', '--no-install-recommends', 'chromium');
  if (status !== 0) {
    console.error('Chromium could not be installed: apt-get install chromium');
    process.exit(1);
  }
}
