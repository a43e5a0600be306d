/** `tendril run`: what it writes, what it keeps, what it says when things go wrong. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { decodeRecording, decodeState } from '@tendril-sim/io';
import { describe, expect, it } from 'vitest';
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
      'probes.svg',
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
    expect(tip[11].split(',').slice(4, 7).map(Number)).toEqual(end);

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

  it('says when contact was not solved', async () => {
    const box = sandbox();
    const floor = 'colliders: [{ id: floor, type: plane, friction: 0.5, position: [0, 0, -0.01] }]';
    box.write('slide.yaml', scene({ more: `${floor}\ncontact: { iterations: 1 }` }));
    box.write('fine.yaml', scene({ more: floor }));
    const { code, out } = await box.run('run', 'slide.yaml', '--until', '0.05');
    expect(code).toBe(0);
    expect(out).toMatch(/! done, but not solved at t = 0.05 s/);
    const said =
      /contact not solved to its tolerance in (\d+) of 10 steps; largest error \S+ m\/s \('rod' and 'floor'\)/;
    expect(out).toMatch(said);
    const result = box.json('out/slide/result.json') as {
      steps: { contact: { missed: number } };
      warnings: string[];
    };
    expect(result.steps.contact).toMatchObject({ missed: Number(said.exec(out)?.[1]), worst: { other: 'floor' } });
    expect(result.warnings.at(-1)).toMatch(said);
    expect((await box.run('run', 'slide.yaml', '--until', '0.05', '--strict', '-q')).code).toBe(4);
    const fine = await box.run('run', 'fine.yaml', '--until', '0.05', '--strict');
    expect(fine.code).toBe(0);
    expect(fine.out).toMatch(/✓ done/);
    expect(box.json('out/fine/result.json')).toMatchObject({ steps: { contact: { missed: 0 } }, warnings: [] });
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
    expect(refused.err).toMatch(/'a' already has a result.*--force/);
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

  it('takes one shorter step where less than a step is asked for', async () => {
    const box = sandbox();
    box.write('swing.yaml', scene());
    const { code, err } = await box.run('run', 'swing.yaml', '--until', '0.1 ms', '-o', 'a', '-q');
    expect(err).toBe('');
    expect(code).toBe(0);
    expect(box.json('a/result.json')).toMatchObject({ time: 1e-4 });
  });

  it('keeps everything when it is interrupted', async () => {
    const box = sandbox();
    box.write('long.yaml', scene({ duration: '1 h', step: '1 ms', more: 'output: { every: 1 ms }' }));
    const { child, finished } = box.start('run', 'long.yaml', '--out', 'a');
    // wait until it runs: the recording grows under a temporary name
    await expect.poll(() => existsSync(join(box.path, 'a')), { timeout: 240_000 }).toBe(true);
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

describe('a rod that turns work into heat', () => {
  it('writes the heat, which with the energy is constant', async () => {
    const box = sandbox();
    box.write(
      'clay.yaml',
      `tendril: 1
gravity: [0, 0, -9.81]
rods:
  - id: clay
    shape: { type: straight, from: [0, 0, 0], to: [30 cm, 0, 0] }
    edges: 16
    section: { type: circle, radius: 2 mm }
    material: { E: 20 MPa, nu: 0.5, density: 1100 }
    law: { type: elastoplastic, yield: { bending: 1 mN*m }, time: 20 ms }
pins: [{ rod: clay, at: start }]
time: { duration: 0.4, step: 4 ms }
`,
    );
    expect((await box.run('run', 'clay.yaml', '--out', 'clay')).code).toBe(0);
    const [names, ...rows] = box.read('clay/energies.csv').trim().split('\n');
    expect(names).toMatch(/,total,dissipated$/);
    const [total, heat] = (rows.at(-1) ?? '').split(',').slice(-2).map(Number);
    expect(heat).toBeGreaterThan(3e-3);
    expect(Math.abs(total + heat)).toBeLessThan(2e-3 * heat);
  });
});
