/** The command as others call it: exit codes, files, messages. Runs on what `npm run build` made. */
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { decodeRecording, decodeState, sceneSchema } from '@tendril/io';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { sandbox, scene } from './harness.ts';

describe('run', () => {
  it('writes everything, and pictures that do not change from run to run', async () => {
    const box = sandbox();
    box.write('swing.yaml', scene({ more: 'output: { every: 10 ms, probes: [{ name: tip, rod: rod, at: end }] }' }));
    const first = await box.run('run', 'swing.yaml');
    expect(first).toMatchObject({ code: 0 });
    expect(first.out).toContain('done at t = 0.1 s: 20 steps');
    const files = [
      'energies.csv',
      'energies.svg',
      'picture.png',
      'picture.svg',
      'probes.csv',
      'recording.tendril',
      'result.json',
      'state.tendril',
    ];
    expect(readdirSync(join(box.path, 'out/swing')).sort()).toEqual(files);

    const result = box.json('out/swing/result.json');
    expect(result).toMatchObject({
      tendril: { result: 1 },
      command: 'run',
      scene: { title: 'Swing' },
      steps: { count: 20 },
    });
    const recording = decodeRecording(box.bytes('out/swing/recording.tendril'), 'recording');
    expect(recording.frameCount).toBe(11);
    expect(box.read('out/swing/energies.csv').trim().split('\n')).toHaveLength(22);
    const tip = box.read('out/swing/probes.csv').trim().split('\n');
    expect(tip).toHaveLength(12);
    // the probe reads what the result holds
    const end = (result.rods as { nodePosition: number[][] }[])[0].nodePosition[12];
    expect(tip[11].split(',').slice(4).map(Number)).toEqual(end);

    const second = await box.run('run', 'swing.yaml', '--quiet');
    expect(second).toEqual({ code: 0, out: '', err: '' });
    for (const name of [
      'picture.svg',
      'energies.svg',
      'energies.csv',
      'recording.tendril',
      'state.tendril',
      'picture.png',
    ]) {
      expect(Buffer.compare(box.bytes(`out/swing/${name}`), box.bytes(`out/swing-2/${name}`)), name).toBe(0);
    }
  });

  it('prints the result alone with --json', async () => {
    const box = sandbox();
    box.write('swing.yaml', scene());
    const { code, out, err } = await box.run('run', 'swing.yaml', '--json', '--out', 'a/b');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual(box.json('a/b/result.json'));
    expect(err).toContain('done at');
  });

  it('refuses to overwrite, and replaces only what it is told to', async () => {
    const box = sandbox();
    box.write('swing.yaml', scene({ more: 'output: { probes: [{ rod: rod, at: end }] }' }));
    box.write('plain.yaml', scene());
    expect((await box.run('run', 'swing.yaml', '--out', 'a')).code).toBe(0);
    const before = box.read('a/result.json');
    const refused = await box.run('run', 'swing.yaml', '--out', 'a');
    expect(refused.code).toBe(2);
    expect(refused.err).toMatch(/'a' already holds a result.*--force/);
    expect(box.read('a/result.json')).toBe(before);
    box.write('a/notes.txt', 'mine');
    expect((await box.run('run', 'plain.yaml', '--out', 'a', '--force')).code).toBe(0);
    // what the earlier run wrote and this one did not is gone, what is not ours stays
    expect(existsSync(join(box.path, 'a/probes.csv'))).toBe(false);
    expect(box.read('a/notes.txt')).toBe('mine');
    expect(readdirSync(join(box.path, 'a')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('goes on from a state to the same end, bit for bit', async () => {
    const box = sandbox();
    box.write('swing.yaml', scene({ duration: '200 ms' }));
    expect((await box.run('run', 'swing.yaml', '--out', 'whole')).code).toBe(0);
    expect((await box.run('run', 'swing.yaml', '--out', 'half', '--until', '85 ms')).code).toBe(0);
    expect((await box.run('run', 'swing.yaml', '--out', 'rest', '--resume', 'half/state.tendril')).code).toBe(0);
    expect(box.json('rest/result.json').stateHash).toBe(box.json('whole/result.json').stateHash);
    expect(Buffer.compare(box.bytes('rest/state.tendril'), box.bytes('whole/state.tendril'))).toBe(0);

    const late = await box.run('run', 'swing.yaml', '--resume', 'whole/state.tendril');
    expect(late).toMatchObject({ code: 2 });
    expect(late.err).toContain('give a later --until');
    box.write('other.yaml', scene().replace('E: 5 MPa', 'E: 6 MPa'));
    const other = await box.run('run', 'other.yaml', '--resume', 'whole/state.tendril');
    expect(other).toMatchObject({ code: 2 });
    expect(other.err).toContain('another scene');
    expect(existsSync(join(box.path, 'out'))).toBe(false);
  });

  it('shortens the last step to end exactly when asked', async () => {
    const box = sandbox();
    box.write('swing.yaml', scene());
    await box.run('run', 'swing.yaml', '--out', 'a', '--until', '0.0125');
    expect(box.json('a/result.json').time).toBeCloseTo(0.0125, 15);
    expect(box.json('a/result.json').steps).toMatchObject({ count: 3 });
  });

  it('keeps everything when it is interrupted', async () => {
    const box = sandbox();
    box.write('long.yaml', scene({ duration: '1 h', step: '1 ms', more: 'output: { every: 1 ms }' }));
    const { child, finished } = box.start('run', 'long.yaml', '--out', 'a');
    // wait until it runs: the recording grows under a temporary name
    await expect.poll(() => existsSync(join(box.path, 'a')), { timeout: 20_000 }).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 700));
    child.kill('SIGINT');
    const { code, out } = await finished;
    expect(code).toBe(130);
    expect(out).toContain('--resume a/state.tendril');
    const result = box.json('a/result.json');
    expect(result.stopped).toMatchObject({ reason: 'interrupted', time: result.time });
    const recording = decodeRecording(box.bytes('a/recording.tendril'), 'recording');
    expect(recording.complete).toBe(true);
    expect(recording.frameCount).toBeGreaterThan(2);
    expect(recording.frame(recording.frameCount - 1).time).toBe(result.time);
    expect(decodeState(box.bytes('a/state.tendril'), 'state').state.time).toBe(result.time);
    expect(readdirSync(join(box.path, 'a')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('says where and what to try when the simulation fails, and saves the state', async () => {
    const box = sandbox();
    box.write(
      'bad.yaml',
      scene({ step: '50 ms', more: 'solver: { der: { iterations: 1 } }' }).replace(
        'step: 50 ms',
        'step: 50 ms, halvings: 0',
      ),
    );
    const { code, err } = await box.run('run', 'bad.yaml', '--out', 'a');
    expect(code).toBe(3);
    expect(err).toMatch(/failed for rod 'rod'/);
    expect(err).toMatch(/try a smaller time\.step/);
    expect(box.json('a/result.json').stopped).toMatchObject({ rod: 'rod', time: 0 });
    expect(decodeState(box.bytes('a/state.tendril'), 'state').state.time).toBe(0);
    expect(decodeRecording(box.bytes('a/recording.tendril'), 'r').frameCount).toBe(1);
  });
});

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

  it('suggests what was meant', async () => {
    const box = sandbox();
    box.write('swing.yaml', scene());
    const cases: [string[], RegExp][] = [
      [['rnu', 'swing.yaml'], /Did you mean run/],
      [['run', 'swing.yaml', '--untl', '2'], /Did you mean --until/],
      [['run', 'heavy-cantilevr'], /did you mean the case 'heavy-cantilever'/],
      [['check', 'heavy'], /did you mean 'heavy-cantilever'/],
      [['run', 'swing.yaml', '--model', 'nope'], /swing\.yaml:5:\d+ rods\[0\]\.model/],
      [['run', 'swing.yaml', '--until', '5 kg'], /Expected a positive time/],
      [['run', 'nowhere.yaml'], /no scene file 'nowhere\.yaml'/],
      [['run', '.'], /is a folder/],
      [['run', 'swing.yaml', '--out', 'swing.yaml'], /is a file; --out wants a folder/],
      [['export', 'swing.yaml', '--to', 'csv'], /not a Tendril recording/],
      [['run'], /missing required argument/],
    ];
    for (const [args, message] of cases) {
      const { code, out, err } = await box.run(...args);
      expect(err, args.join(' ')).toMatch(message);
      expect({ args, code, out }).toEqual({ args, code: 2, out: '' });
    }
  });
});

describe('statics', () => {
  it('follows a path and finds the critical load of a column', async () => {
    const box = sandbox();
    // Euler: P = π² EI / (4 L²) = 2.4674 for EI = L = 1, reached at t = 0.49348
    box.write(
      'column.yaml',
      `tendril: 1
rods:
  - id: column
    shape: { type: straight, from: [0, 0, 0], to: [0, 0, 1] }
    edges: 40
    section: { type: stiffness, EI1: 1, EI2: 3, GJ: 1, mass: 1, EA: 1e6 }
pins: [{ rod: column, at: start }]
loads:
  - { rod: column, type: force, at: end, force: [0, 0, -5], factor: { keys: [[0, 0], [1, 1]], interpolation: linear } }
statics: { from: 0, to: 1, steps: 10 }
`,
    );
    for (const stability of ['report', 'seek']) {
      const { code, out } = await box.run('statics', 'column.yaml', '--out', stability, '--stability', stability);
      expect(code).toBe(0);
      expect(out).toContain('critical');
      const result = box.json(`${stability}/result.json`) as {
        critical: Record<string, number>[];
        path: Record<string, unknown>[];
      };
      expect(result.path).toHaveLength(11);
      expect(result.critical).toHaveLength(1);
      expect(result.critical[0]).toMatchObject({ negativeModesBefore: 0, negativeModesAfter: 1 });
      expect(Math.abs(result.critical[0].parameter - Math.PI ** 2 / 20)).toBeLessThan(1e-3);
      expect(result.path.at(-1)).toMatchObject({ stable: stability === 'seek' });
      expect(box.read(`${stability}/energies.csv`)).toMatch(/^parameter,kinetic,.*,negativeModes,stable\n/);
      expect(decodeRecording(box.bytes(`${stability}/recording.tendril`), 'r').frameCount).toBe(11);
      expect(box.read(`${stability}/energies.svg`)).toContain('critical: t = 0.49');
    }
  });

  it('exits with 3 when there is no equilibrium', async () => {
    const box = sandbox();
    box.write('loose.yaml', scene().replace(/pins:\n.*\n/, ''));
    const { code, err } = await box.run('statics', 'loose.yaml', '--out', 'a');
    expect(code).toBe(3);
    expect(err).toContain("no equilibrium found for rod 'rod'");
    expect(box.json('a/result.json').stopped).toMatchObject({ rod: 'rod' });
  });
});

describe('modes', () => {
  it('finds frequencies and writes matrices', async () => {
    const box = sandbox();
    box.write('swing.yaml', scene());
    const { code, out } = await box.run('modes', 'swing.yaml', '--out', 'a', '--count', '4', '--matrices');
    expect(code).toBe(0);
    expect(out).toContain('f [Hz]');
    const result = box.json('a/result.json') as { modes: { omega: number[]; frequency: number[] }[] };
    expect(result.modes[0].omega).toHaveLength(4);
    const lines = box.read('a/K.mtx').split('\n');
    expect(lines[0]).toBe('%%MatrixMarket matrix coordinate real symmetric');
    const [size, columns, count] = lines
      .filter((line) => !line.startsWith('%'))[0]
      .split(' ')
      .map(Number);
    const entries = lines.filter((line) => line !== '' && !line.startsWith('%')).slice(1);
    expect(columns).toBe(size);
    expect(entries).toHaveLength(count);
    for (const entry of entries) {
      const [row, column] = entry.split(' ').map(Number);
      expect(row >= column && column >= 1 && row <= size).toBe(true);
    }
    for (const name of ['M.mtx', 'C.mtx', 'modes.svg', 'modes.png', 'modes.csv'])
      expect(existsSync(join(box.path, 'a', name)), name).toBe(true);
    const again = await box.run('modes', 'swing.yaml', '--out', 'b', '--count', '4', '--quiet');
    expect(again.code).toBe(0);
    expect(box.read('b/modes.svg')).toBe(box.read('a/modes.svg'));
  });
});

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

describe('export, new, schema, help', () => {
  it('writes a recording as a table and as pictures, without overwriting', async () => {
    const box = sandbox();
    box.write('swing.yaml', scene({ more: 'output: { every: 10 ms }' }));
    await box.run('run', 'swing.yaml', '--out', 'a', '--quiet');
    const recording = 'a/recording.tendril';
    expect((await box.run('export', recording, '--to', 'csv')).code).toBe(0);
    expect(box.read('a/recording.csv').trim().split('\n')).toHaveLength(1 + 11 * 13);
    expect((await box.run('export', recording, '--to', 'csv')).code).toBe(2);
    expect((await box.run('export', recording, '--to', 'csv', '--force', '--frame', '-1')).code).toBe(0);
    expect(box.read('a/recording.csv').trim().split('\n')).toHaveLength(1 + 13);
    expect((await box.run('export', recording, '--to', 'svg', '--out', 'p.svg')).code).toBe(0);
    expect(box.read('p.svg')).toContain('</svg>');
    expect((await box.run('export', recording, '--to', 'png', '--out', 'p.png', '--frame', '3')).code).toBe(0);
    expect((await box.run('export', recording, '--to', 'png', '--out', 'q.png', '--frame', '99')).err).toContain(
      'frames 0 to 10',
    );
  });

  it('writes a recording for other programs', async () => {
    const box = sandbox();
    box.write('swing.yaml', scene({ more: 'output: { every: 20 ms }' }));
    await box.run('run', 'swing.yaml', '--out', 'a', '--quiet');
    const recording = 'a/recording.tendril';
    const all = await Promise.all(
      ['usda', 'glb', 'vtp', 'parquet'].map((format) => box.run('export', recording, '--to', format, '--every', '2')),
    );
    expect(all.map(({ code, err }) => [code, err])).toEqual([
      [0, 'wrote a/recording.usda\n'],
      [0, 'wrote a/recording.glb\n'],
      [0, 'wrote a/recording.pvd and 3 frames in a/recording-frames\n'],
      [0, 'wrote a/recording.parquet\n'],
    ]);
    expect(box.read('a/recording.usda')).toContain('endTimeCode = 2\n');
    expect(box.read('a/recording.pvd').match(/<DataSet /g)).toHaveLength(3);
    expect(box.read('a/recording-frames/rods-2.vtp')).toContain('Name="tension"');
    expect(new TextDecoder().decode(box.bytes('a/recording.glb').subarray(0, 4))).toBe('glTF');
    const again = await box.run('export', recording, '--to', 'vtp');
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('--force')]);
    // fibers around the rod, in every format: their radius is that of the bundle, their places keep
    const wisps = await box.run(
      ...[
        'export',
        recording,
        '--to',
        'csv',
        '--out',
        'wisps.csv',
        '--fibers',
        '6',
        '--bundle',
        '3 mm',
        '--taper',
        '0',
      ],
    );
    expect(wisps.code).toBe(0);
    const rows = box
      .read('wisps.csv')
      .trim()
      .split('\n')
      .slice(1)
      .map((row) => row.split(','));
    expect([...new Set(rows.map(([, , rod]) => rod))]).toEqual([0, 1, 2, 3, 4, 5].map((k) => `rod-${k}`));
    const firsts = rows
      .filter(([frame, , , node]) => frame === '0' && node === '0')
      .map((row) => row.slice(4, 7).map(Number));
    for (const [x, y, z] of firsts) {
      expect(x).toBeCloseTo(0, 9);
      expect(Math.hypot(y, z)).toBeLessThan(3e-3);
    }
    expect(Math.max(...firsts.map(([, y, z]) => Math.hypot(y, z)))).toBeGreaterThan(2.8e-3);
    expect((await box.run('export', recording, '--to', 'csv', '--fibers', '6')).err).toContain('--bundle');
    expect((await box.run('export', recording, '--to', 'csv', '--blend', '1')).err).toContain('goes with --fibers');
    const beyond = ['--fibers', '6', '--bundle', '1 mm', '--blend', '2', '--out', 'b.csv'];
    expect((await box.run('export', recording, '--to', 'csv', ...beyond)).err).toContain(
      '--blend: must be from 0 to 1',
    );
    const misplaced = await box.run('export', recording, '--to', 'usda', '--fps', '25');
    expect([misplaced.code, misplaced.err]).toEqual([2, expect.stringContaining('--fps is for films')]);
  });

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

  it('makes a film, or says what it needs', async () => {
    const box = sandbox();
    box.write('swing.yaml', scene({ more: 'output: { every: 20 ms }' }));
    await box.run('run', 'swing.yaml', '--out', 'a', '--quiet');
    const { code, err } = await box.run('export', 'a/recording.tendril', '--to', 'webm', '--fps', '20');
    // other machines than this one have no ffmpeg
    if (code === 0) expect(box.bytes('a/recording.webm').length).toBeGreaterThan(1000);
    else expect([code, err]).toEqual([2, expect.stringContaining('install it')]);
    expect(readdirSync(join(box.path, 'a')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

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
