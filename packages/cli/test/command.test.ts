/** The command as a person or a script calls it: cases, a first scene, the schema, help. */
import { sceneSchema } from '@tendril/io';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { sandbox } from './harness.ts';

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
    expect(await box.run('--version')).toMatchObject({ code: 0, out: '0.1.0\n' });
    expect((await box.run('run', '--help')).out).toContain('--resume');
    expect((await box.run()).code).toBe(2);
  });
});
