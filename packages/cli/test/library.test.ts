/** `import … from 'tendril'` must serve browsers too: nothing of Node may slip in. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

it('bundles for a browser', async () => {
  const result = await build({
    entryPoints: [fileURLToPath(new URL('../dist/index.js', import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    logLevel: 'silent',
  });
  expect(result.errors).toEqual([]);
  expect(result.outputFiles[0].text).not.toMatch(/from ["']node:/);
});

it('exports the simulator and the file formats', async () => {
  const tendril = await import('../src/index.ts');
  for (const name of ['createWorld', 'parseScene', 'createRecordingEncoder', 'sceneJsonSchema'] as const) {
    expect(typeof tendril[name]).toBe('function');
  }
});
