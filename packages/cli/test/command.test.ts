/** The command as a person or a script calls it: cases, a first scene, the schema, help. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { sceneSchema } from '@tendril-sim/io';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { version } from '../src/version.ts';
import { command, sandbox, scene } from './harness.ts';

describe('check', () => {
  it('prints one array, and nothing else, with --json', async () => {
    const box = sandbox();
    const { code, out } = await box.run('check', 'heavy-cantilever', '--json');
    const rows = JSON.parse(out) as Record<string, unknown>[];
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) {
      expect(Object.keys(row)).toEqual([
        'case',
        'model',
        'n',
        'quantity',
        'measured',
        'relation',
        'expected',
        'error',
        'tolerance',
        'order',
        'pass',
      ]);
    }
    expect(code).toBe(rows.every(({ pass }) => pass) ? 0 : 1);
  });

  it('lists the cases', async () => {
    const { code, out } = await sandbox().run('check', '--list', '--json');
    expect(code).toBe(0);
    expect((JSON.parse(out) as { id: string }[]).map(({ id }) => id)).toContain('heavy-cantilever');
  });

  it('runs a case by its id', async () => {
    const box = sandbox();
    const { code } = await box.run('run', 'heavy-cantilever', '--until', '50 ms');
    expect(code).toBe(0);
    expect(box.json('out/heavy-cantilever/result.json').scene).toMatchObject({ file: 'case heavy-cantilever' });
  });
});

describe('scenes', () => {
  it('are checked without a run, changed by options, and read from standard input', async () => {
    const box = sandbox();
    box.write('a.yaml', scene());
    const valid = await box.run('validate', 'a.yaml', '--set', 'rods.rod.edges=30', '--set', 'pins[0].hold=position');
    expect(valid).toMatchObject({ code: 0, out: '✓ a.yaml is valid: der · 30 edges\n' });
    const wrong = await box.run('validate', 'a.yaml', '--set', 'rods.0.section.radius=2 kg');
    expect(wrong).toMatchObject({ code: 2, out: '' });
    expect(wrong.err).toMatch(/^error: --set rods\.0\.section\.radius=2 kg: rods\[0\]\.section\.radius: /);
    const absent = await box.run('validate', 'a.yaml', '--set', 'rods.other.edges=3');
    expect(absent.err).toContain("'rods' has 1 entry and none is 'other'");
    const input = scene().replace('edges: 12', 'edges: 1');
    const { status, stderr } = spawnSync(process.execPath, [command, 'validate', '-'], { input, encoding: 'utf8' });
    expect(status).toBe(2);
    expect(stderr).toMatch(/standard input:7:\d+ rods\[0\]\.edges/);
  });
});

describe('new, schema, help', () => {
  it('starts a scene that runs', async () => {
    const box = sandbox();
    expect((await box.run('new')).code).toBe(0);
    const text = box.read('scene.yaml');
    expect(text).toMatch(/^# yaml-language-server: \$schema=\.\/tendril\.schema\.json\n/);
    expect(sceneSchema.safeParse(parse(text)).success).toBe(true);
    expect((await box.run('new')).code).toBe(2);
    expect(box.read('scene.yaml')).toBe(text);
    expect((await box.run('run', 'scene.yaml', '--until', '20 ms', '--quiet')).code).toBe(0);
    expect((await box.run('new', 'cloth.yaml', '--template', 'weave')).code).toBe(0);
    expect((await box.run('run', 'cloth.yaml', '--until', '8 ms', '--quiet')).code).toBe(0);
    expect((await box.run('new', 'other.yaml', '--template', 'wave')).code).toBe(2);
  });

  it('copies an example of the documentation', async () => {
    const box = sandbox();
    expect((await box.run('new', '--example', 'mechanics')).code).toBe(0);
    expect((await box.run('validate', 'mechanics/cantilever.yaml')).code).toBe(0);
    // the rest of the repository is not beside the copy
    expect(box.read('mechanics/README.md')).not.toContain('](../../');
    expect(box.read('mechanics/README.md')).toContain(
      '](https://github.com/tendril-sim/tendril/blob/main/docs/der.md)',
    );
    expect((await box.run('new', '--example', 'mechanics')).code).toBe(2);
    expect((await box.run('new', 'my-hair', '--example', 'hair')).code).toBe(0);
    expect(box.read('my-hair/run.sh')).toContain('groom grow head.glb');
    expect((await box.run('new', '--example', 'hare')).code).toBe(2);
  });

  it('starts a case, in a clone alone', async () => {
    const box = sandbox();
    const outside = await box.run('new', 'my-buckling', '--case');
    expect([outside.code, outside.err]).toEqual([2, expect.stringContaining('in the root of a clone')]);
    mkdirSync(join(box.path, 'cases', 'src'), { recursive: true });
    box.write('cases/src/case.ts', '');
    expect((await box.run('new', 'My Buckling', '--case')).code).toBe(2);
    expect((await box.run('new', 'my-buckling', '--case')).code).toBe(0);
    expect(box.read('cases/my-buckling/case.ts')).toContain(
      "export const myBuckling: Case = defineCase({\n  id: 'my-buckling',",
    );
    expect(box.read('cases/my-buckling/README.md')).toContain('# my-buckling');
  });

  it('prints the schema', async () => {
    const box = sandbox();
    const { code, out } = await box.run('schema');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ title: 'Tendril scene' });
    expect((await box.run('schema', '--out', 's.json')).code).toBe(0);
    expect(box.read('s.json')).toBe(out);
    expect((await box.run('schema', '--out', 's.json')).code).toBe(2);
  });

  it('helps', async () => {
    const box = sandbox();
    const help = await box.run('--help');
    expect(help.code).toBe(0);
    expect(help.out).toContain('Examples:');
    // every command is below a heading of its own, and no line is longer than a terminal is wide
    expect(help.out).toMatch(/Simulate:\n {2}run <scene> /);
    expect(help.out).not.toContain('Commands:');
    expect(help.out.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(await box.run('--version')).toMatchObject({ code: 0, out: `${version}\n` });
    expect((await box.run('run', '--help')).out).toContain('--resume');
    expect((await box.run()).code).toBe(2);
  });
});
