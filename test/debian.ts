/**
 * Makes sure that the tests have the programs that they need beside Node: Chromium for the studio, Redis and OpenSSL for queues. What is
 * missing is installed from Debian when this user may. Run before the tests (`pretest`).
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

interface Needed {
  /** Debian's package. */
  readonly name: string;
  readonly purpose: string;
  readonly places: readonly (string | undefined)[];
  readonly otherwise: string;
}

const needed: readonly Needed[] = [
  {
    name: 'chromium',
    purpose: 'the tests of the studio',
    places: [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'],
    otherwise: ', or set CHROMIUM to the path of a Chromium or Chrome',
  },
  {
    name: 'redis-server',
    purpose: 'the tests of queues',
    places: ['/usr/bin/redis-server', '/usr/bin/valkey-server', '/usr/local/bin/redis-server'],
    otherwise: ', or valkey-server',
  },
  {
    name: 'openssl',
    purpose: 'the tests of queues behind TLS',
    places: ['/usr/bin/openssl', '/usr/local/bin/openssl'],
    otherwise: '',
  },
];

const missing = needed.filter(({ places }) => !places.some((path) => path && existsSync(path)));

if (missing.length > 0) {
  const mayInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
  const names = missing.map(({ name }) => name);
  if (!mayInstall) {
    for (const { name, purpose, otherwise } of missing)
      console.error(`${purpose} need ${name}. Install it (Debian: apt-get install ${name})${otherwise}.`);
    process.exit(1);
  }
  console.log(`installing for the tests: ${names.join(', ')}`);
  const run = (...args: string[]): { status: number | null } =>
    spawnSync('apt-get', args, {
      stdio: 'inherit',
      // tests start a Redis of their own; none is to run as a service
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
    });
  run('update', '-qq');
  const { status } = run('install', '-y', '-qq', '--no-install-recommends', ...names);
  if (status !== 0) {
    console.error(`this could not be installed: apt-get install ${names.join(' ')}`);
    process.exit(1);
  }
}
