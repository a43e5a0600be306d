/** Every command, rule and option of a study from file to data set, and the studies that are given as examples. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decodeRecording } from '@tendril-sim/io';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf } from '../../../test/markdown.ts';
import { checkFirstRun } from '../../cli/src/sweep/check.ts';
import { version } from '../../cli/src/version.ts';
import { createPool, type Pool } from '../src/pool/pool.ts';
import { createExecutor, type Outcome } from '../src/run/execute.ts';
import { parseStudy, readStudy } from '../src/study/plan.ts';
import { type Bench, createBench, type Finished, runStudy, type StudyOptions } from './harness.ts';

let bench: Bench;
let pool: Pool;
beforeAll(() => {
  bench = createBench();
  pool = createPool(2);
});
afterAll(() => {
  pool.close();
  bench.remove();
});

const root = fileURLToPath(new URL('../../..', import.meta.url));
let number = 0;

/** Runs a study of this text in a folder of its own. */
function run(text: string, options: StudyOptions = {}): Promise<Finished> {
  const name = `study-${++number}`;
  bench.write(`${name}.yaml`, `sweep: 1\n${text}`);
  return runStudy(bench.at(`${name}.yaml`), bench.at(name), { pool, ...options });
}

/** Numbers of the only row of each run. */
const numbers = ({ outcomes }: Finished): unknown[][] => outcomes.map(({ rows }) => [...rows[0].cells]);

describe('a command', () => {
  it('run gives a row per instant where a series is asked for', async () => {
    const found = await run(`scene: rod.yaml
command: run
series: { every: 4 ms }
parameters: [{ path: 'rods[0].material.E', name: E, values: [1 GPa, 10 GPa] }]
quantities: { tip: probe.tip.z, lowest: { of: probe.tip.z, over: min }, t: time }
`);
    for (const { rows } of found.outcomes) {
      expect(rows.map(({ time }) => Math.round(1000 * (time ?? 0)))).toEqual([0, 4, 8, 12, 16, 20]);
      // a quantity over all instants is the same in each row
      const tips = rows.map(({ cells }) => cells[0] as number);
      expect(rows.map(({ cells }) => cells[1])).toEqual(tips.map(() => Math.min(...tips)));
      expect(rows.map(({ cells }) => cells[2])).toEqual(rows.map(({ time }) => time));
    }
    expect(found.outcomes[0].rows[5].cells[0]).not.toBe(found.outcomes[1].rows[5].cells[0]);
  });

  it('reads the former name of the largest stretch, with a warning', async () => {
    const text = (name: string): string =>
      `scene: rod.yaml\ncommand: statics\nparameters: [{ path: 'rods[0].material.E', name: E, values: [1 GPa] }]\nquantities: { most: rod.rod.${name} }\n`;
    const [now, before] = [await run(text('stretchMax')), await run(text('maxStretch'))];
    expect(numbers(before)).toEqual(numbers(now));
    const study = await readStudy(bench.at(`study-${number}.yaml`), version);
    expect(await checkFirstRun(study)).toEqual(['quantities.most: maxStretch is now called stretchMax']);
  });

  it('run ends when the rod is at rest, and says when', async () => {
    bench.write(
      'drop.yaml',
      bench.read('rod.yaml').replace('duration: 20 ms', 'duration: 1 s').replace('every: 5 ms', 'every: 10 ms'),
    );
    const found = await run(`scene: drop.yaml
command: run
parameters: [{ path: 'rods[0].material.damping.mass', name: damping, values: [0, 200] }]
quantities: { end: time, kinetic: { of: energy.kinetic, over: max } }
stop: { rest: 1e-9 }
`);
    const [[free], [damped]] = numbers(found) as number[][];
    expect(free).toBeCloseTo(1, 9);
    expect(damped).toBeLessThan(0.6);
  });

  it('runs are doubtful where steps have remarks, the integrator dissipates or a reaction is not settled', async () => {
    bench.write(
      'swing.yaml',
      `tendril: 1
gravity: [0, 0, -9.81]
rods:
  - id: rod
    shape: { type: straight, from: [0, 0, 0], to: [30 cm, 0, 0] }
    edges: 20
    section: { type: circle, radius: 3 mm }
    material: { E: 2 MPa, nu: 0.4, density: 1000 }
pins: [{ rod: rod, at: start, path: { interpolation: linear, keys: [{ time: 0 }, { time: 0.396, offset: [0, 0, 1 mm] }, { time: 1, offset: [0, 0, 3 cm] }] } }]
time: { duration: 0.4 s, step: 4 ms }
`,
    );
    const found = await run(`scene: swing.yaml
command: run
parameters: [{ path: 'rods[0].model', name: kind, values: [der, helix, massspring] }]
quantities: { tip: 'rod.rod.node[-1].z' }
`);
    expect(found.outcomes.map(({ status }) => status)).toEqual(['done', 'doubtful', 'doubtful']);
    const [der, helix, massspring] = found.outcomes.map(({ message = '' }) => message);
    expect(der).toBe('');
    expect(helix).toMatch(/integrator dissipated/);
    expect(massspring).toMatch(/springs are far too soft.*warning: rod 'rod' bends/s);
    const forced = await run(`scene: swing.yaml
command: run
parameters: [{ path: time.step, name: step, values: [0.004] }]
quantities: { force: 'reaction[0].force.z' }
`);
    expect(forced.outcomes[0]).toMatchObject({ status: 'doubtful' });
    expect(forced.outcomes[0].message).toMatch(/not settled/);
  });

  it('statics and modes are doubtful where a branch of equilibria was left', async () => {
    bench.write(
      'curl.yaml',
      `tendril: 1
gravity: [0, 0, -1]
rods:
  - id: rod
    shape: { type: straight, from: [0, 0, 0], to: [0, 0, -1] }
    frame: { d1: [0, 1, 0] }
    natural: { curvature: [11, 0, 0] }
    edges: 60
    section: { type: stiffness, EI1: 1, GJ: 0.667, mass: 100, radius: 1 cm }
pins: [{ rod: rod, at: start }]
statics: { stability: report }
`,
    );
    for (const command of ['statics', 'modes']) {
      const found = await run(`scene: curl.yaml
command: ${command}
parameters: [{ path: 'rods[0].model', name: kind, values: [helix, massspring] }]
quantities: { stable: equilibrium.stable, left: equilibrium.leftBranch }
`);
      // helix stays on the planar branch, massspring always goes downhill
      expect(numbers(found)).toEqual([
        [0, 0],
        [1, 1],
      ]);
      expect(found.outcomes.map(({ status }) => status)).toEqual(['done', 'doubtful']);
      expect(found.outcomes[1].message).toMatch(/branch could not be followed/);
    }
  });

  it('modes gives frequencies of a cantilever, as theory has them', async () => {
    const found = await run(`scene: rod.yaml
command: modes
count: 2
parameters: [{ path: 'rods[0].edges', name: n, values: [20, 40] }, { path: gravity, name: g, values: [[0, 0, 0]] }]
quantities: { first: 'mode[0].frequency', second: 'modes.rod[1].omega', stable: equilibrium.stable }
`);
    // (1.8751/L)² √(EI/ρA), the same in both directions across the rod
    const omega = (1.87510407 / 0.2) ** 2 * Math.sqrt((3e9 * 1e-6) / 4 / 1300);
    const errors = (numbers(found) as number[][]).map(([first]) => Math.abs((2 * Math.PI * first) / omega - 1));
    expect(errors[0]).toBeLessThan(0.01);
    expect(errors[1]).toBeLessThan(errors[0] / 2);
    for (const [first, second, stable] of numbers(found) as number[][]) {
      expect(second / (2 * Math.PI * first)).toBeCloseTo(1, 6);
      expect(stable).toBe(1);
    }
  });

  it('check gives measured, expected and error of every quantity of a case, by model and resolution', async () => {
    const found = await run(
      'case: [end-load-cantilever]\ncommand: check\nmodels: [der, cosserat]\nresolutions: [10, 20]\n',
    );
    expect(found.outcomes.map(({ status }) => status)).toEqual(['done', 'done', 'done', 'done']);
    const error = ({ rows }: Outcome): number => Math.max(...rows.map(({ cells }) => cells[3] as number));
    const [der10, der20, cosserat10, cosserat20] = found.outcomes.map(error);
    expect(der20).toBeLessThan(der10);
    expect(cosserat20).toBeLessThan(cosserat10);
    for (const [quantity, measured, expected] of found.outcomes.flatMap(({ rows }) => rows.map(({ cells }) => cells))) {
      expect(quantity).not.toBe('');
      expect(typeof measured).toBe('number');
      expect(typeof expected).toBe('number');
    }
  });

  it('statics of all models agree', async () => {
    const found = await run(
      "scene: rod.yaml\ncommand: statics\nmodels: all\nset: { 'rods[0].edges': 40 }\nquantities: { tip: probe.tip.z }\n",
    );
    const tips = found.outcomes.filter(({ status }) => status === 'done').map(({ rows }) => rows[0].cells[0] as number);
    expect(tips.length).toBeGreaterThan(3);
    for (const tip of tips) expect(Math.abs(tip / tips[0] - 1)).toBeLessThan(0.05);
  });
});

describe('a rule', () => {
  const draws = (more: string): string => `scene: rod.yaml
command: validate
design: { type: random, count: 2000, seed: 3 }
parameters: [{ name: x, distribution: { type: normal, mean: 10, deviation: 1 } }]
quantities: { y: 2*x }
${more}`;

  it('of convergence stops the study at the same run, also when it was interrupted', async () => {
    const text = draws('stop: { converged: { quantity: y, tolerance: 0.01, every: 50 } }\n');
    const found = await run(text);
    expect(found.end).toBe('converged');
    // 1.96·0.1/√n < 0.01 from n = 385 on, within the scatter of the deviation
    expect(found.runs % 50).toBe(0);
    expect(found.runs).toBeGreaterThanOrEqual(300);
    expect(found.runs).toBeLessThanOrEqual(450);
    let seen = 0;
    const path = bench.at(`study-${number}.yaml`);
    const first = await runStudy(path, bench.at('cut'), {
      pool,
      onProgress: ({ done }) => {
        seen = done;
      },
      isInterrupted: () => seen > 120,
    });
    expect(first.end).toBe('interrupted');
    const second = await runStudy(path, bench.at('cut'), { pool });
    expect([second.end, second.runs, second.hash]).toEqual(['converged', found.runs, found.hash]);
  });

  it('of a deadline starts no run after it; the same command goes on', async () => {
    const text = draws('stop: { deadline: 0.2 s }\n').replace('count: 2000', 'count: 20000');
    const found = await run(text);
    expect(found.end).toBe('deadline');
    expect(found.runs).toBeLessThan(20_000);
    const again = await runStudy(bench.at(`study-${number}.yaml`), bench.at(`study-${number}`), { pool });
    expect(again.before).toBe(found.runs);
    expect(again.runs).toBeGreaterThan(found.runs);
  });

  it('makes again what failed, where that is asked for, and nothing else', async () => {
    // a file stands where the folder of recordings has to be
    bench.write('blocked', '');
    const failed = await run(`scene: rod.yaml
command: run
parameters: [{ path: 'rods[0].edges', name: n, values: [10, 11] }]
quantities: { tip: probe.tip.z }
recordings: { to: '${bench.folder}/blocked' }
`);
    expect(failed.counts).toEqual({ failed: 2 });
    expect(failed.outcomes[0].message).toContain('the recording could not be kept');
    const [path, out] = [bench.at(`study-${number}.yaml`), bench.at(`study-${number}`)];
    rmSync(bench.at('blocked'));
    expect((await runStudy(path, out, { pool })).before).toBe(2);
    const again = await runStudy(path, out, { pool, retryFailed: true });
    expect([again.before, again.runs, again.counts.done]).toEqual([0, 2, 2]);
    // now nothing has failed: nothing is made again
    expect((await runStudy(path, out, { pool, retryFailed: true })).before).toBe(2);
  });

  it('keeps recordings of every nth run in the results', async () => {
    const found = await run(`scene: rod.yaml
command: run
parameters: [{ path: 'rods[0].material.E', name: E, values: [1 GPa, 2 GPa, 3 GPa] }]
quantities: { tip: probe.tip.z }
recordings: { every: 2 }
`);
    const places = found.outcomes.map(({ recording }) => recording);
    expect(places[1]).toBeUndefined();
    for (const k of [0, 2]) {
      expect(places[k]).toBe(join(bench.at(`study-${number}`), 'recordings', `${found.outcomes[k].hash}.tendril`));
      const { frameCount } = decodeRecording(readFileSync(places[k] as string), 'recording');
      // 20 ms every 5 ms
      expect(frameCount).toBe(5);
    }
  });
});

describe('an example', () => {
  it.each(
    blocksOf(readFileSync(join(root, 'docs/sweep.md'), 'utf8'))
      .filter(({ language, text }) => language === 'yaml' && text.startsWith('sweep:'))
      .map(({ line, text }) => [line, text] as const),
  )('in line %d of docs/sweep.md is a study whose runs can be made', async (_, text) => {
    const study = await parseStudy(text, bench.at('example.yaml'), version);
    expect(await checkFirstRun(study)).toEqual([]);
    if (study.plan.recordings) return;
    const { status } = await createExecutor(study.plan).execute(study.spec(study.count - 1));
    expect(status).toBe('done');
  });

  const example = (name: string): string => join(root, 'cases/sweeps', `${name}.yaml`);
  /** Some runs of a study: first, last and between. */
  async function sample(name: string, parts: number): Promise<{ readonly count: number; readonly found: Outcome[] }> {
    const study = await readStudy(example(name), version);
    expect(await checkFirstRun(study)).toEqual([]);
    const indices = Array.from({ length: parts }, (_, k) => Math.round((k * (study.count - 1)) / (parts - 1)));
    const found = await Promise.all(indices.map((index) => pool.execute(study.plan, study.spec(index))));
    return { count: study.count, found };
  }

  it('of Michell has 400 points, as theory says', async () => {
    const { count, found } = await sample('michell-map', 9);
    expect(count).toBe(400);
    // stable, negative modes, load, as theory
    expect(found.map(({ rows }) => rows[0].cells[3])).toEqual(found.map(() => 1));
    expect(new Set(found.map(({ rows }) => rows[0].cells[0])).size).toBe(2);
  });

  it('of a hanging curl leaves its plane between light and heavy', async () => {
    const study = await readStudy(example('bend-twist-map'), version);
    expect(study.count).toBe(256);
    // the largest curvature: rolled up without weight, a helix under some, hanging straight under more
    const found = await Promise.all([240, 244, 255].map((index) => pool.execute(study.plan, study.spec(index))));
    expect(found.map(({ rows }) => rows[0].cells.slice(3))).toEqual([
      [0, 1],
      [1, 1],
      [0, 1],
    ]);
  });

  it('of ropes on pegs has 10,000 runs whose ropes touch the pegs', async () => {
    const { count, found } = await sample('ropes-on-pegs', 3);
    expect(count).toBe(10_000);
    for (const { status, rows } of found) {
      expect(['done', 'doubtful']).toContain(status);
      expect(rows[0].cells[5]).toBeGreaterThan(0.05);
    }
  });

  it('of convergence has all models of four cases', async () => {
    const { found } = await sample('convergence', 5);
    expect(found.map(({ status }) => status)).toEqual(found.map(() => 'done'));
    const cells = found.flatMap(({ rows }) => rows.map((row) => row.cells));
    expect(cells.map(([, , , , , pass]) => pass)).toEqual(cells.map(() => true));
  });
});
