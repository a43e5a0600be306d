/** The study file: expansion of parameters, units, hashes, and what is wrong with it, by line. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileQuantity, lookUp } from '../src/run/expression.ts';
import { isMeanKnown } from '../src/stop.ts';
import { normalQuantile } from '../src/study/distributions.ts';
import { parseStudy } from '../src/study/plan.ts';
import type { Study } from '../src/study/planTypes.ts';
import { sampleLatinHypercube, sampleSobol, sobolDimensions } from '../src/study/random.ts';
import { listRuns } from '../src/study/runs.ts';
import { studyJsonSchema } from '../src/study/schema.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tendril-study-'));
  writeFileSync(
    join(folder, 'scene.yaml'),
    `tendril: 1
rods:
  - { id: a, shape: { type: straight, from: [0, 0, 0], to: [1, 0, 0] }, edges: 4, section: { type: circle, radius: 1 cm }, material: { E: 1 GPa, nu: 0.3, density: 1000 } }
`,
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const head = 'sweep: 1\nscene: scene.yaml\ncommand: validate\nquantities: { l: rod.a.length }\n';
const read = (text: string): Promise<Study> => parseStudy(head + text, join(folder, 'study.yaml'), '1.0.0');
const valuesOf = (study: Study): unknown[][] =>
  Array.from({ length: study.count }, (_, k) => [...study.spec(k).values]);

describe('parameters', () => {
  it('make a grid of lists and ranges, in SI, the last fastest', async () => {
    const study = await read(`parameters:
  - { path: 'rods[0].material.E', name: E, values: [1 GPa, 20 MPa] }
  - { path: 'rods[0].section.radius', name: r, unit: mm, range: { from: 1, to: 100, count: 3, scale: log } }
`);
    expect(valuesOf(study).map(([e, r]) => [e, Number((r as number).toPrecision(12))])).toEqual([
      [1e9, 0.001],
      [1e9, 0.01],
      [1e9, 0.1],
      [2e7, 0.001],
      [2e7, 0.01],
      [2e7, 0.1],
    ]);
    expect(study.plan.parameters.map(({ unit }) => unit)).toEqual(['Pa', 'm']);
  });

  it('are zipped, rounded, and crossed with models', async () => {
    const study = await read(`design: zip
models: [der, cosserat]
parameters:
  - { path: 'rods[0].edges', name: n, values: [10.4, 20], whole: true }
  - { path: 'rods[0].section.radius', name: r, values: [1 mm, 2 mm] }
`);
    expect(Array.from({ length: study.count }, (_, k) => [study.spec(k).model, ...study.spec(k).values])).toEqual([
      ['der', 10, 0.001],
      ['der', 20, 0.002],
      ['cosserat', 10, 0.001],
      ['cosserat', 20, 0.002],
    ]);
  });

  it('come from a CSV or a Parquet table, with units in its titles', async () => {
    writeFileSync(join(folder, 'rows.csv'), 'E [GPa],label\n2,"soft, red"\n3,stiff\n');
    const bytes = parquetWriteBuffer({ columnData: [{ name: 'r', data: [0.5, 0.25], type: 'DOUBLE' }] });
    writeFileSync(join(folder, 'rows.parquet'), new Uint8Array(bytes));
    const csv = await read(
      `table: rows.csv\nparameters: [{ path: 'rods[0].material.E', column: E, name: E }, { name: label, column: label }]\n`,
    );
    expect(valuesOf(csv)).toEqual([
      [2e9, 'soft, red'],
      [3e9, 'stiff'],
    ]);
    expect(csv.plan.parameters[0].unit).toBe('Pa');
    const parquet = await read(
      `table: rows.parquet\nparameters: [{ path: 'rods[0].section.radius', column: r, unit: mm }]\n`,
    );
    expect(valuesOf(parquet)).toEqual([[0.0005], [0.00025]]);
    // gzip, whole numbers of 64 bits, units in a title
    const packed = parquetWriteBuffer({
      columnData: [
        { name: 'E [GPa]', data: [0.06, 3], type: 'DOUBLE' },
        { name: 'n', data: [10n, 11n], type: 'INT64' },
      ],
      codec: 'GZIP',
      compressors: { GZIP: (input) => new Uint8Array(gzipSync(input)) },
    });
    writeFileSync(join(folder, 'packed.parquet'), new Uint8Array(packed));
    const titled = await read(
      `table: packed.parquet\nparameters: [{ path: 'rods[0].material.E', column: E, name: E }, { name: n, column: n }]\n`,
    );
    expect(valuesOf(titled)).toEqual([
      [6e7, 10],
      [3e9, 11],
    ]);
    expect(titled.plan.parameters.map(({ unit }) => unit)).toEqual(['Pa', undefined]);
  });

  it('in a table are all there and in units that agree, also far down', async () => {
    const problemOf = async (name: string, bytes: string | Uint8Array): Promise<string> => {
      writeFileSync(join(folder, name), bytes);
      return read(`table: ${name}\nparameters: [{ name: x, column: x }]\n`).then(
        () => 'accepted',
        (error: Error) => error.message,
      );
    };
    const rows = '1 mm,2\n'.repeat(200);
    expect(await problemOf('far.csv', `x,y\n${rows}3 s,4\n`)).toContain(
      `study.yaml:6:33 parameters[0].column: row 201 of the table, column 'x': "3 s" is in s`,
    );
    expect(await problemOf('empty.csv', 'x,y\n1,2\n,3\n')).toContain("row 2 of the table, column 'x': it is empty");
    expect(await problemOf('infinite.csv', 'x\n1\nInfinity\n')).toContain('expected a finite number, got Infinity');
    expect(await problemOf('short.csv', 'x,y\n1,2\n3\n')).toContain('row 2 of the table: expected 2 cells, got 1');
    expect(await problemOf('cut.parquet', 'PAR1 and no more')).toContain('it is no complete Parquet file');
  });

  it('that name files stand for their contents, and a table that changed is noticed', async () => {
    writeFileSync(join(folder, 'mesh.obj'), 'v 0 0 0\n');
    const text = `parameters: [{ name: mesh, path: 'colliders[0].file', values: [mesh.obj] }]\n`;
    const { hash } = (await read(text)).spec(0);
    expect((await read(text)).spec(0).hash).toBe(hash);
    writeFileSync(join(folder, 'mesh.obj'), 'v 1 0 0\n');
    expect((await read(text)).spec(0).hash).not.toBe(hash);
    writeFileSync(join(folder, 'changing.csv'), 'x\n1\n');
    const { plan, source, text: whole } = await read('table: changing.csv\nparameters: [{ name: x, column: x }]\n');
    expect((await parseStudy(whole, source, '1.0.0', plan)).count).toBe(1);
    writeFileSync(join(folder, 'changing.csv'), 'x\n2\n');
    await expect(parseStudy(whole, source, '1.0.0', plan)).rejects.toThrow('the table has changed since the study ran');
  });

  it('are drawn from distributions, the same for the same seed', async () => {
    const text = (seed: number): string => `design: { type: random, count: 2000, seed: ${seed} }
parameters:
  - { name: a, distribution: { type: normal, mean: 5 mm, deviation: 1 mm } }
  - { name: b, distribution: { type: log-normal, median: 2, factor: 1.5 } }
  - { name: c, distribution: { type: triangular, from: 0, mode: 1, to: 4 } }
`;
    const rows = valuesOf(await read(text(3))) as number[][];
    expect(valuesOf(await read(text(3)))).toEqual(rows);
    expect(valuesOf(await read(text(4)))[0]).not.toEqual(rows[0]);
    const mean = (f: (row: number[]) => number): number => rows.reduce((sum, row) => sum + f(row), 0) / rows.length;
    // within four standard errors of the exact moments
    expect(Math.abs(mean(([a]) => a) - 0.005)).toBeLessThan((4 * 0.001) / Math.sqrt(2000));
    expect(Math.abs(mean(([a]) => (a - 0.005) ** 2) - 1e-6)).toBeLessThan(4e-6 * Math.sqrt(2 / 2000));
    expect(Math.abs(mean(([, b]) => Math.log(b)) - Math.log(2))).toBeLessThan((4 * Math.log(1.5)) / Math.sqrt(2000));
    expect(Math.abs(mean(([, , c]) => c) - 5 / 3)).toBeLessThan((4 * 0.85) / Math.sqrt(2000));
  });

  it('run identical inputs once, and hash scene, version and values', async () => {
    const same = await read(`parameters: [{ name: r, path: 'rods[0].section.radius', values: [1 mm, 0.001, 2 mm] }]\n`);
    const runs = listRuns(same);
    expect([same.count, runs.count, runs.duplicates]).toEqual([3, 2, 1]);
    const other = await parseStudy(same.text, join(folder, 'study.yaml'), '1.0.1');
    expect(other.spec(0).hash).not.toBe(same.spec(0).hash);
    expect((await parseStudy(same.text, join(folder, 'study.yaml'), '1.0.0')).spec(2).hash).toBe(same.spec(2).hash);
  });

  it('fall into shards, each run in exactly one of them', async () => {
    const study = await read(
      `parameters: [{ name: r, path: 'rods[0].section.radius', range: { from: 1, to: 2, count: 103 } }]\n`,
    );
    const shards = [1, 2, 3, 4].map((number) => listRuns(study, { number, of: 4 }));
    const all = shards.flatMap((runs) => Array.from({ length: runs.count }, (_, k) => runs.spec(k).index));
    expect(all.sort((a, b) => a - b)).toEqual(Array.from({ length: 103 }, (_, k) => k));
  });
});

describe('samples', () => {
  it('of a Latin hypercube have one point in every stratum', () => {
    const { points } = sampleLatinHypercube(50, 3, 7);
    for (let d = 0; d < 3; d++) {
      const strata = Array.from({ length: 50 }, (_, k) => Math.floor(points[3 * k + d] * 50));
      expect(new Set(strata).size).toBe(50);
    }
  });

  it('of Sobol begin as published', () => {
    const { points } = sampleSobol(5, 3, 0);
    expect([...points]).toEqual([0, 0, 0, 0.5, 0.5, 0.5, 0.75, 0.25, 0.25, 0.25, 0.75, 0.75, 0.375, 0.375, 0.625]);
  });

  it('of Sobol fill every dyadic interval of every dimension, and squares of the first two, also when shifted', () => {
    for (const seed of [0, 5]) {
      const { points } = sampleSobol(256, sobolDimensions, seed);
      for (let d = 0; d < sobolDimensions; d++) {
        const cells = new Set(Array.from({ length: 256 }, (_, k) => Math.floor(points[k * sobolDimensions + d] * 256)));
        expect(cells.size).toBe(256);
      }
      const squares = new Set(
        Array.from({ length: 256 }, (_, k) => {
          const [x, y] = [points[k * sobolDimensions], points[k * sobolDimensions + 1]];
          return 16 * Math.floor(16 * x) + Math.floor(16 * y);
        }),
      );
      expect(squares.size).toBe(256);
    }
  });

  it('of a Saltelli design share all columns but one', async () => {
    const study = await read(`design: { type: saltelli, count: 4 }
parameters: [{ name: a, range: { from: 0, to: 1 } }, { name: b, range: { from: 0, to: 1 } }]
`);
    expect(study.count).toBe(16);
    const rows = valuesOf(study);
    for (let k = 0; k < 16; k += 4) {
      const [a, b, ab0, ab1] = rows.slice(k, k + 4);
      expect(ab0).toEqual([b[0], a[1]]);
      expect(ab1).toEqual([a[0], b[1]]);
    }
  });

  it('have normal quantiles', () => {
    expect(normalQuantile(0.975)).toBeCloseTo(1.959963984540054, 14);
    expect(normalQuantile(1e-10)).toBeCloseTo(-6.361340902404056, 12);
    expect(normalQuantile(0.5)).toBe(0);
    expect(normalQuantile(0.2)).toBeCloseTo(-normalQuantile(0.8), 14);
  });

  it('know when a mean is known', () => {
    // deviation 1 about 10: half-width 1.96/√n
    const values = Float64Array.from({ length: 400 }, (_, k) => 10 + (k % 2 === 0 ? 1 : -1));
    expect(isMeanKnown(values, 0.0099)).toBe(true);
    expect(isMeanKnown(values, 0.0097)).toBe(false);
  });
});

describe('quantities', () => {
  const scope = {
    probe: new Map([['tip', [1, 2, 3]]]),
    rod: {
      list: [
        [1, 2, 3],
        [4, 5, 6],
      ],
    },
    E: 2,
    stable: true,
  };
  const value = (text: string): number => compileQuantity(text).evaluate((reference) => lookUp(scope, reference));

  it('follow fields, axes and indices', () => {
    expect(value('probe.tip.z')).toBe(3);
    expect(value('rod.list[-1].y * E^2 - 1e-1*stable')).toBeCloseTo(19.9, 12);
    expect(value('hypot(probe["tip"].x, probe.tip.y) + max(E, pi)')).toBeCloseTo(Math.sqrt(5) + Math.PI, 12);
  });

  it('say what there is', () => {
    expect(() => value('probe.top.z')).toThrow("'probe.top.z': there is no 'top' in 'probe'; did you mean 'tip'?");
    expect(() => value('probe.tip')).toThrow("'probe.tip' is no number; it has x, y, z");
  });
});

describe('a study that is wrong', () => {
  const problem = async (text: string): Promise<string> => {
    try {
      await read(text);
      return 'accepted';
    } catch (error) {
      return (error as Error).message.replaceAll(`${folder}/`, '');
    }
  };

  it('is refused with its line, its field and what would be right', async () => {
    expect(await problem(`parameters:\n  - { path: 'rods[0].edges', valeus: [1] }\n`)).toContain(
      "study.yaml:6:30 parameters[0].valeus: unknown field 'valeus'; did you mean 'values'?",
    );
    expect(await problem(`parameters:\n  - { path: a, name: r, values: [1 mm, 2 s] }\n`)).toContain(
      'is in s, others of this parameter are in m',
    );
    expect(await problem(`parameters:\n  - { path: a, name: r, range: { from: 1, to: 2 } }\n`)).toContain(
      'give its range a count',
    );
    expect(await problem(`parameters:\n  - { path: a, range: { from: -1, to: 2, count: 3, scale: log } }\n`)).toContain(
      'positive ends',
    );
    expect(await problem(`models: [dre]\n`)).toContain("did you mean 'der'?");
    expect(await problem(`limits: { memory: 20 MB }\n`)).toContain('a worker process needs 150 MB');
    expect(await problem(`set: { 'rods.a.edges': 'm * 2' }\n`)).toContain("there is no parameter 'm'");
    expect(await problem(`parameters: [{ name: status, values: [1] }]\n`)).toContain('is a column of every data set');
    expect(await problem(`parameters: [{ name: L, values: [1] }]\n`)).toContain(
      "study.yaml:4:18 quantities.l: there is a parameter 'L'; choose another name",
    );
    // e is 2.718… in expressions, energy what the run found
    for (const name of ['e', 'pi', 'energy'])
      expect(await problem(`parameters: [{ name: ${name}, values: [1] }]\n`)).toContain(
        `study.yaml:5:22 parameters[0].name: '${name}' means something else in expressions`,
      );
    expect(await problem('count: 3\n')).toContain("study.yaml:5:8 count: count is for command 'modes'");
    expect(await problem('series: { every: 1 s }\n')).toContain("for command 'run'; use series: true");
    expect(await problem('table: rows.csv\n')).toContain('no parameter has a column of this table');
    expect(await problem(`stop: { converged: { quantity: x, tolerance: 0.1 } }\n`)).toContain(
      "there is no quantity 'x'",
    );
    expect(await problem(`parameters: [{ name: r, values: [1], range: { from: 1, to: 2 } }]\n`)).toContain(
      'exactly one of',
    );
  });

  it('has a schema for editors', () => {
    const schema = studyJsonSchema() as { properties: Record<string, unknown>; required: string[] };
    expect(schema.required).toEqual(['sweep', 'command']);
    expect(Object.keys(schema.properties)).toContain('parameters');
  });
});
