/** What is made of a data set: SQL, the report, sensitivity indices. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf } from '../../../test/markdown.ts';
import { sweepReport } from '../../cli/src/commands/sweepReport.ts';
import { drawConvergence, drawScatter } from '../../cli/src/sweep/plots.ts';
import { readReportData, thin } from '../../cli/src/sweep/reportData.ts';
import { queryStudy } from '../src/query.ts';
import { binnedIndices, saltelliIndices } from '../src/sensitivity.ts';
import { digest } from '../src/study/plan.ts';
import { sampleRandom, sampleSobol } from '../src/study/random.ts';
import { type Bench, createBench, runStudy, tendril } from './harness.ts';

let bench: Bench;
beforeAll(() => {
  bench = createBench();
});
afterAll(() => bench.remove());

const root = fileURLToPath(new URL('../../..', import.meta.url));
const sql = async (text: string): Promise<Record<string, unknown>[]> => {
  const { columns, rows } = await queryStudy(bench.at('ishigami'), text);
  return rows.map((row) => Object.fromEntries(columns.map((name, k) => [name, row[k]])));
};

describe('a data set', () => {
  // the Ishigami function, whose indices are known in closed form
  const study = `sweep: 1
title: Ishigami & friends
scene: rod.yaml
command: validate
design: { type: saltelli, count: 256 }
parameters:
  - { name: a, range: { from: ${-Math.PI}, to: ${Math.PI} } }
  - { name: b, range: { from: ${-Math.PI}, to: ${Math.PI} } }
  - { name: c, range: { from: ${-Math.PI}, to: ${Math.PI} } }
quantities: { f: sin(a) + 7*sin(b)^2 + 0.1*c^4*sin(a) }
`;

  it('is read by SQL, and its report has the indices that theory gives', async () => {
    bench.write('ishigami.yaml', study);
    const { counts } = await runStudy(bench.at('ishigami.yaml'), bench.at('ishigami'));
    expect(counts).toEqual({ done: 1280 });
    const { columns, rows } = await queryStudy(
      `${bench.folder}/ishigami`,
      'select count(*)::int as n, avg(f) as mean from runs',
    );
    expect(columns).toEqual(['n', 'mean']);
    expect(rows[0][0]).toBe(1280);
    // the mean is 7/2
    expect(rows[0][1]).toBeCloseTo(3.5, 0);
    const all = await queryStudy(`${bench.folder}/ishigami`, 'select f from runs order by run');
    const indices = saltelliIndices(
      ['a', 'b', 'c'],
      all.rows.map(([f]) => f as number),
    );
    for (const [k, [first, total]] of [
      [0.3139, 0.5576],
      [0.4424, 0.4424],
      [0, 0.2437],
    ].entries()) {
      expect(Math.abs(indices[k].first - first)).toBeLessThan(0.08);
      expect(Math.abs((indices[k].total ?? 0) - total)).toBeLessThan(0.08);
    }
    const quiet = { out: () => {}, err: () => {}, live: false, columns: 80 };
    expect(await sweepReport(bench.at('ishigami'), { studio: 'http://127.0.0.1:4173' }, quiet)).toBe(0);
    const page = bench.read('ishigami/report.html');
    expect(page).toContain('Ishigami &amp; friends');
    for (const words of ['Parallel coordinates', 'Response surface', 'f over b', 'Sobol sensitivity indices', '0.55'])
      expect(page).toContain(words);
    const link = /href="(http:\/\/127\.0\.0\.1:4173\/#name=run-\d+\.yaml&amp;s=[\w-]+)"/.exec(page)?.[1];
    expect(link).toBeDefined();
    const { inflateRawSync } = await import('node:zlib');
    const scene = JSON.parse(inflateRawSync(Buffer.from((link as string).split('s=')[1], 'base64url')).toString()) as {
      tendril: number;
    };
    expect(scene.tendril).toBe(1);
  });

  it('is read by the line of pandas that the docs show', async ({ skip }) => {
    const python = (program: string): ReturnType<typeof spawnSync> =>
      spawnSync('python3', ['-c', program], { cwd: bench.folder, encoding: 'utf8' });
    if (python('import pandas, pyarrow').status !== 0)
      skip('needs pandas and pyarrow: python3 -m pip install pandas pyarrow');
    const block = blocksOf(readFileSync(join(root, 'docs/sweep.md'), 'utf8')).find(
      ({ language }) => language === 'python',
    );
    const lines = (block?.text ?? '').replace('out/study-sweep', 'ishigami');
    expect(lines).toContain('pandas.read_parquet');
    const { stdout, stderr } = python(`${lines}\nprint(len(runs), runs.f.mean(), runs.a.dtype, set(runs.status))`);
    const [{ mean }] = await sql('select avg(f) as mean from runs');
    const [rows, average, ...rest] = String(stdout).trim().split(' ');
    expect([rows, ...rest], String(stderr)).toEqual(['1280', 'float64', "{'done'}"]);
    expect(Number(average)).toBeCloseTo(mean as number, 10);
  });

  it('that is asked wrongly says what is wrong', async () => {
    const wrong = await tendril(['sweep', 'query', 'ishigami', 'select x from runs'], bench.folder);
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain('"x" not found');
    await expect(readReportData(bench.folder, '')).rejects.toThrow('has no study');
  });
});

describe('a report of many runs', () => {
  it('draws a fair choice of a Sobol sequence', () => {
    const { points } = sampleSobol(10_000, 3, 1);
    const runs = Array.from({ length: 10_000 }, (_, k) => ({
      row: { hash: digest(String(k)) },
      isRight: points[3 * k + 2] > 0.5,
    }));
    const drawn = thin(runs, 1500);
    expect(drawn.length).toBe(1500);
    // half of them, within four standard errors
    expect(Math.abs(drawn.filter(({ isRight }) => isRight).length - 750)).toBeLessThan(78);
  });
});

describe('plots of a report', () => {
  it('have logarithmic axes where the study has, and prefixes where units take them', () => {
    const points = [1e8, 1e9, 1e10].map((x, k) => ({ x, y: 1000 + k, title: '' }));
    const svg = drawScatter(points, { label: 'E', unit: 'Pa', log: true }, { label: 'density', unit: 'kg/m^3' });
    // the middle of three decades
    const [left, middle, right] = [...svg.matchAll(/<circle cx="([\d.]+)"/g)].map(([, x]) => Number(x));
    expect(Math.abs(middle - (left + right) / 2)).toBeLessThan(0.02);
    expect(svg).toContain('1 GPa');
    expect(svg).toContain('density [kg/m^3]');
  });

  it('of a convergence study name the order', () => {
    const points = [10, 20, 40].map((x) => ({ x, y: 3 / x ** 2, title: '' }));
    expect(drawConvergence([{ label: 'der', points }])).toContain('der, order 2.00');
  });
});

describe('sensitivity without a design for it', () => {
  it('finds the first order by parts, and nothing where there is nothing', () => {
    const { points } = sampleRandom(4000, 3, 2);
    const column = (k: number): number[] => Array.from({ length: 4000 }, (_, i) => points[3 * i + k]);
    const [x, y, z] = [column(0), column(1), column(2)];
    // 3x + y: variances 9/12 and 1/12
    const [sx, sy, sz] = binnedIndices(
      ['x', 'y', 'z'],
      [x, y, z],
      x.map((value, k) => 3 * value + y[k]),
    ).map(({ first }) => first);
    expect(Math.abs(sx - 0.9)).toBeLessThan(0.02);
    expect(Math.abs(sy - 0.1)).toBeLessThan(0.03);
    expect(sz).toBeLessThan(0.02);
  });
});
