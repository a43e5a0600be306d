/**
 * Pictures of the styles of `tendril groom grow --preset`, on the studio's bust: docs/images/presets/<style>.png, and small ones for the
 * grooming panel: packages/studio/src/thumbs/presets/<style>.png.
 * `npm run presets [-- [--folder out] [--thumbs out] [--samples 16] [style…]]`
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { headMesh, toObj } from './src/worker/groom/heads.ts';

interface View {
  readonly eye: string;
  readonly color: string;
}

const front = '0.42,-0.78,0.1';

const views: Readonly<Record<string, View>> = {
  bob: { eye: front, color: '#3b2417' },
  fringe: { eye: '0.2,-0.86,0.08', color: '#241a14' },
  ponytail: { eye: '0.85,0.6,0.1', color: '#7a4a26' },
  braid: { eye: '0.3,0.9,0.1', color: '#8a5a30' },
  afro: { eye: front, color: '#1d1714' },
  coily: { eye: front, color: '#2c1d16' },
  fur: { eye: front, color: '#6b5138' },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    folder: { type: 'string', default: join(process.cwd(), 'docs/images/presets') },
    thumbs: { type: 'string', default: join(process.cwd(), 'packages/studio/src/thumbs/presets') },
    samples: { type: 'string', default: '16' },
  },
});
const tendril = (...args: string[]): void => {
  execFileSync(process.execPath, ['packages/cli/bin/tendril.mjs', ...args], { stdio: 'inherit' });
};
for (const folder of [values.folder, values.thumbs]) mkdirSync(folder, { recursive: true });
const scratch = mkdtempSync(join(tmpdir(), 'tendril-presets-'));
try {
  const bust = join(scratch, 'bust.obj');
  writeFileSync(bust, toObj(headMesh('head', { isFine: true })));
  for (const [name, { eye, color }] of Object.entries(views)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    const style = join(scratch, `${name}.hairstyle`);
    tendril('groom', 'grow', bust, '--up', 'z', '--preset', name, '--out', style);
    const look = ['--eye', eye, '--target', '0,0.01,-0.035', '--fov', '24', '--color', color, '--no-floor'];
    const render = (folder: string, size: string, samples: number): void =>
      tendril(
        'render',
        style,
        ...['--size', size, '--samples', String(samples), '--out', join(folder, `${name}.png`), '--force'],
        ...look,
      );
    render(values.folder, '320x360', Number(values.samples));
    // small pictures need more samples per pixel to be as smooth
    render(values.thumbs, '106x120', 3 * Number(values.samples));
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
