/** Bad input: file, line, field, and what was meant. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sandbox, scene } from './harness.ts';

describe('bad input', () => {
  it('names file, line and field, and leaves no folder behind', async () => {
    const box = sandbox();
    box.write('bad.yaml', scene().replace('radius: 2 mm', 'radius: 2 kg'));
    const wrongUnit = await box.run('run', 'bad.yaml');
    expect(wrongUnit.code).toBe(2);
    expect(wrongUnit.err).toMatch(/bad\.yaml:8:\d+ rods\[0\]\.section/);
    // found by the core, located in the file
    box.write('pin.yaml', scene().replace('{ rod: rod, at: start }', '{ rod: rodd, at: start }'));
    const wrongRod = await box.run('run', 'pin.yaml');
    expect(wrongRod.code).toBe(2);
    expect(wrongRod.err).toMatch(/pin\.yaml:11:\d+ pins\[0\]\.rod/);
    box.write('probe.yaml', scene({ more: 'output: { probes: [{ rod: nobody, at: end }] }' }));
    const wrongProbe = await box.run('run', 'probe.yaml');
    expect(wrongProbe.code).toBe(2);
    expect(wrongProbe.err).toMatch(/probe\.yaml:13:\d+ output\.probes\[0\]\.rod/);
    box.write('timeless.yaml', scene().replace(/^time:.*$/m, ''));
    expect((await box.run('run', 'timeless.yaml')).err).toContain('tendril statics');
    expect(existsSync(join(box.path, 'out'))).toBe(false);
  });

  it('knows files that are for other commands', async () => {
    const box = sandbox();
    box.write('line.obj', 'v 0 0 0\nv 1 0 0\nl 1 2\n');
    box.write('recording.tendril', 'TREC');
    box.write('state.tendril', 'TSTA');
    box.write('hair.hairstyle', '');
    const says = async (...args: string[]): Promise<string> => {
      const { code, err } = await box.run(...args);
      expect(code).toBe(2);
      return err;
    };
    expect(await says('run', 'line.obj')).toContain('tendril import line.obj');
    expect(await says('run', 'recording.tendril')).toContain('tendril studio recording.tendril');
    expect(await says('statics', 'state.tendril')).toContain('--resume state.tendril');
    expect(await says('run', 'hair.hairstyle')).toContain('strands:');
    expect(await says('export', '.', '--to', 'csv')).toMatch(/recording\.tendril: .*(truncated|empty|not a Tendril)/);
  });

  it('suggests what was meant', async () => {
    const box = sandbox();
    box.write('swing.yaml', scene());
    const cases: [string[], RegExp][] = [
      [['rnu', 'swing.yaml'], /Did you mean run/],
      [['run', 'swing.yaml', '--untl', '2'], /Did you mean --until/],
      [['run', 'heavy-cantilevr'], /did you mean the case 'heavy-cantilever'/],
      [['check', 'heavy'], /did you mean 'heavy-cantilever'/],
      [['run', 'swing.yaml', '--model', 'cosserrat'], /^error: --model: .*did you mean 'cosserat'/],
      [['run', 'swing.yml'], /did you mean the file 'swing\.yaml'/],
      [['run', 'swing.yaml', '--set', 'rods.rod.edges=1.5'], /^error: --set rods\.rod\.edges=1\.5: rods\[0\]\.edges/],
      [['run', '/dev/zero'], /\/dev\/zero: this is a device/],
      [['fit', '/dev/zero'], /\/dev\/zero: this is a device/],
      [['sweep', '/dev/zero'], /\/dev\/zero: this is a device/],
      [['render', 'a', '--threads', '100000'], /from 1 to 1024/],
      [['groom', 'export', 'x.hairstyle', '--to', 'abc', '--nodes', '1000000000'], /from 2 to 10000/],
      [['statics', 'swing.yaml', '--set', 'statics.steps=1e12'], /whole number from 1 to 1000000/],
      [['gradient', '/dev/zero', '--of', 'energy.total', '--by', 'gravity.2'], /\/dev\/zero: this is a device/],
      [['run', 'swing.yaml', '--until', '5 kg'], /Expected a positive time/],
      [['run', 'nowhere.yaml'], /no scene file 'nowhere\.yaml'; .*tendril new nowhere\.yaml/],
      [['sweep', 'nowhere.yaml'], /nowhere\.yaml: there is no such study file/],
      [['export', 'out/swing'], /name a format with --to: usda, /],
      [['run', '.'], /is a folder/],
      [['run', 'swing.yaml', '--out', 'swing.yaml'], /is a file; --out expects a folder/],
      [['export', 'swing.yaml', '--to', 'csv'], /'swing\.yaml' is a scene, not a recording; simulate it first/],
      [['run'], /missing required argument/],
    ];
    for (const [args, message] of cases) {
      const { code, out, err } = await box.run(...args);
      expect(err, args.join(' ')).toMatch(message);
      expect({ args, code, out }).toEqual({ args, code: 2, out: '' });
    }
  });
});
