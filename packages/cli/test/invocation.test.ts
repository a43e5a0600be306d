/** Hints name the command as the user can call it. */
import { expect, it } from 'vitest';
import { invocation } from '../src/invocation.ts';
import { sandbox } from './harness.ts';

it.each([
  [
    'of a project',
    { npm_lifecycle_event: 'npx', npm_lifecycle_script: "'tendril'" },
    '/a/node_modules/.bin/tendril',
    'npx tendril',
  ],
  [
    'of no project',
    { npm_lifecycle_event: 'npx', npm_lifecycle_script: 'tendril' },
    '/home/a/.npm/_npx/0f/node_modules/.bin/tendril',
    'npx @tendril-sim/cli',
  ],
  ['on the path', {}, '/usr/bin/tendril', 'tendril'],
  [
    'inside the script of a project',
    { npm_lifecycle_event: 'simulate', npm_lifecycle_script: 'tendril run a.yaml' },
    '/a/node_modules/.bin/tendril',
    'tendril',
  ],
  [
    'inside another program of npx',
    { npm_lifecycle_event: 'npx', npm_lifecycle_script: 'vitest' },
    '/a/node_modules/.bin/vitest',
    'tendril',
  ],
])('a command %s', (_, env, script, expected) => {
  expect(invocation(env, script)).toBe(expected);
});

it('files of another kind are named as what they are', async () => {
  const box = sandbox();
  box.write('cable.yaml', 'tendril: 1\n');
  const exported = await box.run('export', 'cable.yaml', '--to', 'usda');
  expect([exported.code, exported.err]).toEqual([
    2,
    expect.stringMatching(/is a scene, not a recording; simulate it first: .*tendril run cable\.yaml/),
  ]);
  const grown = await box.run('groom', 'grow', 'cable.yaml', '--length', '10 cm');
  expect([grown.code, grown.err]).toEqual([
    2,
    expect.stringContaining('other meshes are .glb, .gltf, .usda, .usdc, .usdz and .abc files'),
  ]);
});

it('check names a model that does not exist', async () => {
  const { code, err } = await sandbox().run('check', 'heavy-cantilever', '--model', 'derr');
  expect([code, err]).toEqual([2, expect.stringContaining("there is no model 'derr'; did you mean 'der'?")]);
});
