/** Faults from outside: killed processes, full disks, closed pipes, two commands in one folder. No work is lost. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { decodeRecording, decodeState } from '@tendril-sim/io';
import { describe, expect, it } from 'vitest';
import { command, type Sandbox, sandbox, scene } from './harness.ts';

const long = scene({ duration: '1 h', step: '1 ms', more: 'output: { every: 1 ms }' });

const files = (box: Sandbox, folder: string): string[] => readdirSync(join(box.path, folder)).sort();

/** Most time from a signal to the end [ms]: two seconds on an idle machine; what does not notice the signal never ends. */
const patience = 30_000;

async function appears(box: Sandbox, name: string): Promise<void> {
  await expect.poll(() => existsSync(join(box.path, name)), { timeout: 240_000 }).toBe(true);
}

describe('lost work', () => {
  it('of a run that is killed is recovered, and the run goes on to the same state', async () => {
    const box = sandbox();
    box.write('long.yaml', long);
    const { child, finished } = box.start('run', 'long.yaml', '--out', 'a', '--checkpoint', '0.05');
    await appears(box, 'a/checkpoint.tendril');
    child.kill('SIGKILL');
    await finished;
    expect(files(box, 'a')).not.toContain('result.json');
    const refused = await box.run('run', 'long.yaml', '--out', 'a');
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.err).toContain('tendril recover a');
    const recovered = await box.run('recover', 'a');
    expect(recovered).toMatchObject({ code: 0 });
    expect(recovered.out).toMatch(/recovered a\/recording\.tendril: \d+ frames/);
    expect(files(box, 'a')).toEqual(['recording.tendril', 'state.tendril']);
    const recording = decodeRecording(box.bytes('a/recording.tendril'), 'recording');
    const { time } = decodeState(box.bytes('a/state.tendril'), 'state').state;
    expect(recording.frame(recording.frameCount - 1).time).toBeGreaterThanOrEqual(time);
    const until = String(Number((time + 0.02).toFixed(3)));
    expect((await box.run('run', 'long.yaml', '--resume', 'a', '--until', until, '--out', 'b')).code).toBe(0);
    expect((await box.run('run', 'long.yaml', '--until', until, '--out', 'c')).code).toBe(0);
    expect(box.json('b/result.json').stateHash).toBe(box.json('c/result.json').stateHash);
  });

  it('of a full disk is every frame that fitted, and the state', () => {
    const box = sandbox();
    box.write('long.yaml', long);
    // a limit on the size of files: Node sees a failed write, as on a full disk
    const script = `ulimit -f 600; exec "${process.execPath}" "${command}" run long.yaml --until 2 --out a`;
    const { status, stderr } = spawnSync('sh', ['-c', script], { cwd: box.path, encoding: 'utf8' });
    expect(status).toBe(2);
    expect(stderr).toMatch(/a\/recording\.tendril: the file is larger than the system allows/);
    const recording = decodeRecording(box.bytes('a/recording.tendril'), 'recording');
    expect(recording.complete).toBe(true);
    expect(recording.frameCount).toBeGreaterThan(100);
    const { time } = decodeState(box.bytes('a/state.tendril'), 'state').state;
    expect(time).toBeCloseTo(recording.frame(recording.frameCount - 1).time + 1e-3, 9);
    expect(box.json('a/result.json').stopped).toMatchObject({ time });
    expect(files(box, 'a').filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('does not come from a formula that fails on the way, nor does an old result vouch for new files', async () => {
    const box = sandbox();
    box.write('ok.yaml', scene({ more: 'output: { probes: [{ rod: rod, at: end }] }' }));
    box.write('bad.yaml', scene({ more: 'fields: [{ type: force, per: mass, formula: [0, 0, sqrt(0.05 - t)] }]' }));
    box.write('wrong.yaml', scene({ more: 'fields: [{ type: force, per: mass, formula: [0, 0, sqrt(-1 - t)] }]' }));
    expect((await box.run('run', 'ok.yaml', '--out', 'a')).code).toBe(0);
    const before = box.read('a/result.json');
    // wrong from its first step: everything stays as it was
    expect((await box.run('run', 'wrong.yaml', '--out', 'a', '--force')).code).toBe(2);
    expect(box.read('a/result.json')).toBe(before);
    const { code, err } = await box.run('run', 'bad.yaml', '--out', 'a', '--force');
    expect(code).toBe(2);
    expect(err).toMatch(/bad\.yaml:13:\d+ fields\[0\]\.formula\[2\]: the formula gives NaN/);
    const result = box.json('a/result.json');
    expect(result.stopped).toMatchObject({ time: result.time });
    const recording = decodeRecording(box.bytes('a/recording.tendril'), 'recording');
    expect(recording.frame(recording.frameCount - 1).time).toBe(result.time);
    expect(files(box, 'a')).not.toContain('probes.csv');
  });

  it('does not come from two commands in one folder, a closed terminal or SIGHUP', async () => {
    const box = sandbox();
    box.write('long.yaml', long);
    const { child, finished } = box.start('run', 'long.yaml', '--out', 'a');
    await appears(box, 'a/.tendril.lock');
    for (const more of [
      ['run', 'long.yaml'],
      ['statics', 'long.yaml', '--force'],
    ]) {
      const second = await box.run(...more, '--out', 'a');
      expect(second).toMatchObject({ code: 2 });
      expect(second.err).toContain(`another tendril (process ${child.pid}) is writing into 'a'`);
    }
    child.stderr?.destroy();
    child.stdout?.destroy();
    await new Promise((resolve) => setTimeout(resolve, 300));
    child.kill('SIGHUP');
    expect(await finished).toMatchObject({ code: 130 });
    expect(files(box, 'a')).toContain('state.tendril');
    expect(box.json('a/result.json').stopped).toMatchObject({ reason: 'interrupted' });
    expect(files(box, 'a').filter((name) => name.startsWith('.'))).toEqual([]);
  });
});

/** From the fifth step on a torque twists a hair by more than any piece of a step can follow. */
const stuck = `
tendril: 1
rods:
  - id: hair
    shape: { type: straight, from: [0, 0, 0.0005], to: [0.1, 0, 0.0005] }
    edges: 60
    section: { type: circle, radius: 0.3 mm }
    material: { E: 3 GPa, nu: 0.4, density: 1300 }
pins: [{ rod: hair, at: start }]
loads:
  - { type: torque, rod: hair, at: end, torque: [0, -0.5, 0.3], frame: material, factor: { formula: '(t > 0.02) * 1' } }
colliders: [{ type: plane, friction: 0.3 }]
time: { duration: 1, step: 5 ms, halvings: 16 }
`;

describe('Ctrl-C', () => {
  it('ends at once when it comes twice, also inside a long step', async () => {
    const box = sandbox();
    // one equilibrium of a rod this fine takes many seconds
    box.write('fine.yaml', scene().replace('edges: 12', 'edges: 20000').replace('E: 5 MPa', 'E: 5 kPa'));
    const { child, finished } = box.start('statics', 'fine.yaml', '--out', 'a', '-q');
    await appears(box, 'a/.reserve.tmp');
    await new Promise((resolve) => setTimeout(resolve, 500));
    child.kill('SIGINT');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(child.exitCode).toBeNull();
    const before = performance.now();
    child.kill('SIGINT');
    expect(await finished).toEqual({ code: 130, out: '', err: '' });
    expect(performance.now() - before).toBeLessThan(patience);
  });

  it('ends a step that is tried in ever smaller pieces, and keeps what was recorded', async () => {
    const box = sandbox();
    box.write('stuck.yaml', stuck);
    const { child, finished } = box.start('run', 'stuck.yaml', '--out', 'a', '-q', '--checkpoint', '0.001');
    // a checkpoint after every step: the fifth never ends
    await appears(box, 'a/checkpoint.tendril');
    const reached = (): number => decodeState(box.bytes('a/checkpoint.tendril'), 'checkpoint').state.time;
    await expect.poll(reached, { timeout: 240_000 }).toBeCloseTo(0.02, 9);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(child.exitCode).toBeNull();
    const before = performance.now();
    child.kill('SIGINT');
    expect(await finished).toEqual({ code: 130, out: '', err: '' });
    expect(performance.now() - before).toBeLessThan(patience);
    expect(box.json('a/result.json')).toMatchObject({ stopped: { reason: 'interrupted' }, steps: { count: 4 } });
    expect(files(box, 'a')).toContain('state.tendril');
  });

  it('removes what a command that saves nothing has begun to write', async () => {
    const box = sandbox();
    box.write('sheet.obj', 'v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n');
    const grown = await box.run('groom', 'grow', 'sheet.obj', '--length', '10 cm', '--guides', '9', '--hairs', '40000');
    expect(grown.code).toBe(0);
    const { child, finished } = box.start('groom', 'export', 'sheet.hairstyle', '--to', 'usda', '--nodes', '2000');
    const temporary = (): string[] => files(box, '.').filter((name) => name.endsWith('.tmp'));
    await expect.poll(() => temporary().length, { timeout: 60_000 }).toBe(1);
    child.kill('SIGINT');
    const { code, err } = await finished;
    expect(code).toBe(130);
    expect(err).toMatch(/40000 strands of 2000 points make about 4\.8 GB/);
    expect(temporary()).toEqual([]);
  });

  it('is quiet with --quiet', async () => {
    const box = sandbox();
    box.write('long.yaml', long);
    const { child, finished } = box.start('run', 'long.yaml', '--out', 'a', '-q');
    await appears(box, 'a/.tendril.lock');
    await new Promise((resolve) => setTimeout(resolve, 300));
    child.kill('SIGINT');
    expect(await finished).toEqual({ code: 130, out: '', err: '' });
    expect(box.json('a/result.json').stopped).toMatchObject({ reason: 'interrupted' });
  });
});

describe.runIf(process.platform === 'linux')('a folder that cannot be written', () => {
  it('is refused by every command that writes, before the work', async () => {
    const box = sandbox();
    box.write('a.yaml', scene());
    expect((await box.run('run', 'a.yaml', '--until', '10 ms', '--out', 'a', '-q')).code).toBe(0);
    const commands = [
      ['run', 'a.yaml', '--out', '/proc/nowhere'],
      ['compare', 'a.yaml', '--models', 'der,helix', '--out', '/proc/nowhere'],
      ['export', 'a', '--to', 'csv', '--out', '/proc/nowhere/a.csv'],
      ['schema', '--out', '/proc/nowhere/schema.json'],
      ['new', '/proc/nowhere/scene.yaml'],
    ];
    for (const args of commands) {
      const { code, err } = await box.run(...args);
      expect({ args, code }).toEqual({ args, code: 2 });
      expect(err).toMatch(/\/proc\/nowhere.*(cannot|does not exist)/);
    }
  });
});
