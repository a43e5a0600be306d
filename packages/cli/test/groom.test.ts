/** `tendril import` and `tendril groom`: curves and hair. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sandbox } from './harness.ts';

describe('import and groom', () => {
  it('makes a scene of curves that runs', async () => {
    const box = sandbox();
    const line = (y: number): string => [0, 1, 2, 3].map((k) => `s${y},${k},${y},0\n`).join('');
    box.write('few.csv', `rod,x,y,z\n${line(0)}${line(1)}`);
    const few = await box.run('import', 'few.csv', '--unit', '1 cm', '--material', 'rubber', '--radius', '1 mm');
    expect([few.code, few.err]).toEqual([0, 'wrote few.yaml: 2 rods, 8 points\nnext: tendril run few.yaml\n']);
    expect((await box.run('run', 'few.yaml', '--until', '10 ms', '--quiet', '--out', 'a')).code).toBe(0);
    expect(box.json('a/result.json').rods).toMatchObject([{ id: 's0' }, { id: 's1' }]);
    box.write('many.csv', `rod,x,y,z\n${Array.from({ length: 30 }, (_, y) => line(y)).join('')}`);
    expect((await box.run('import', 'many.csv', '--count', '2')).code).toBe(0);
    expect(box.read('many.yaml')).toContain('file: "many.csv"');
    expect((await box.run('run', 'many.yaml', '--until', '4 ms', '--quiet', '--out', 'b')).code).toBe(0);
    expect(box.json('b/result.json').rods).toMatchObject([{ id: 'many-0' }, { id: 'many-1' }]);
    mkdirSync(join(box.path, 'other'));
    const elsewhere = await box.run('import', 'many.csv', '--out', 'other/scene.yaml');
    expect([elsewhere.code, elsewhere.err]).toEqual([2, expect.stringContaining('must lie in its folder')]);
    const foreign = await box.run('import', 'few.yaml');
    expect([foreign.code, foreign.err]).toEqual([2, expect.stringContaining('.usda, .obj, .hair')]);
  });

  it('grows hair, styles it, moves it and plays it back', { timeout: 60_000 }, async () => {
    const box = sandbox();
    box.write('roof.obj', 'v 0 0 0\nv 0.1 0 0.02\nv 0.1 0.1 0.02\nv 0 0.1 0\nf 1 2 3\nf 1 4 3\n');
    const grown = await box.run(
      'groom',
      'grow',
      'roof.obj',
      '--length',
      '6 cm',
      '--guides',
      '6',
      '--hairs',
      '50',
      '--hair',
      'wavy',
    );
    expect([grown.code, grown.err]).toEqual([
      0,
      'warning: roof.obj: 1 triangles faced the wrong way and are turned\nwrote roof.hairstyle: 6 guides of 10 elements, 50 hairs\n',
    ]);
    const styled = await box.run(
      'groom',
      'cut',
      'roof.hairstyle',
      '--length',
      '5 cm',
      '--where',
      'x - 0.05',
      '--out',
      'cut.hairstyle',
    );
    expect(styled.err).toMatch(/^cut [1-5] of 6 guides/);
    expect(
      (
        await box.run(
          'groom',
          'comb',
          'cut.hairstyle',
          '--from',
          '0,0,0.05',
          '--to',
          '0.05,0,0.05',
          '--radius',
          '10 cm',
          '--force',
        )
      ).code,
    ).toBe(0);
    expect(
      (await box.run('groom', 'curl', 'cut.hairstyle', '--curl', '5 mm,-2 cm', '--out', 'curled.hairstyle')).code,
    ).toBe(0);
    expect(JSON.parse((await box.run('groom', 'info', 'curled.hairstyle', '--json')).out)).toMatchObject({
      guides: 6,
      hairs: 50,
    });
    expect((await box.run('groom', 'scene', 'curled.hairstyle')).code).toBe(0);
    expect((await box.run('run', 'curled.yaml', '--until', '40 ms', '--out', 'a', '--quiet')).code).toBe(0);
    const packed = await box.run('groom', 'pack', 'curled.hairstyle', 'a/recording.tendril');
    expect(packed.err).toMatch(/2 frames, [\d.e-]+ mm off at most/);
    const played = await box.run(
      'groom',
      'export',
      'curled.hairstyle',
      '--to',
      'usda',
      '--motion',
      'a/recording.motion',
    );
    expect(played.err).toBe('wrote curled.usda: 50 strands, 2 frames\n');
    const bad: [string[], RegExp][] = [
      [['grow', 'roof.obj', '--length', '-1', '--out', 'x.hairstyle'], /length: must be zero or more/],
      [['grow', 'roof.obj', '--length', '1', '--guides', '0'], /positive whole number/],
      [['grow', 'roof.obj', '--length', '1', '--density', 'q', '--out', 'x.hairstyle'], /density: unknown name 'q'/],
      [['cut', 'roof.hairstyle', '--length', '1'], /say where the changed style goes/],
      [['info', 'roof.obj'], /not a Tendril hairstyle/],
    ];
    for (const [args, message] of bad) {
      const { code, err } = await box.run('groom', ...args);
      expect(code).toBe(2);
      expect(err).toMatch(message);
    }
  });
});
