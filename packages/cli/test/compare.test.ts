/** `tendril compare`: what it writes, what it says of models that cannot, and the distances it is about. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { measureDistances, resample, summariseDistances } from '../src/comparison.ts';
import { sandbox, scene } from './harness.ts';

interface ModelReport {
  model: string;
  status: string;
  reason?: string;
  wallPerSecond?: number;
  iterationsPerStep?: number;
  energy?: { start: number; end: number };
  equilibrium?: { stable: boolean; iterations: number };
  rods?: { tip: number[] }[];
  distance?: { rms: number; largest: number; endRms: number; series: { time: number; rms: number }[] };
}

describe('compare', () => {
  it('runs a scene on several models, and goes on where one refuses', async () => {
    const box = sandbox();
    box.write('swing.yaml', scene({ more: 'output: { every: 20 ms }\nsolver: { cosserat: { gyration: 1 mm } }' }));
    // options that one model refuses do not stop the other
    const refused = await box.run('compare', 'swing.yaml', '--models', 'der,cosserat', '--out', 'a');
    expect(refused.code).toBe(0);
    expect(refused.err).toMatch(/cosserat refused: .*gyration.*section: inflated/s);
    expect(refused.out).toContain('distances are from der');
    expect(existsSync(join(box.path, 'a/cosserat'))).toBe(false);

    box.write('swing.yaml', scene({ more: 'output: { every: 20 ms }' }));
    const { code, out, err } = await box.run('compare', 'swing.yaml', '--models', 'cosserat,der', '--json');
    expect(code).toBe(0);
    expect(err).toContain('wall times are single measurements');
    const folder = 'out/swing-compare';
    expect(readdirSync(join(box.path, folder)).sort()).toEqual([
      'compare.csv',
      'compare.json',
      'cosserat',
      'der',
      'distances.csv',
      'distances.svg',
      'shapes.png',
      'shapes.svg',
    ]);
    expect(readdirSync(join(box.path, folder, 'der'))).toEqual(
      expect.arrayContaining(['recording.tendril', 'result.json']),
    );
    const report = JSON.parse(out) as { tendril: object; reference: string; length: number; models: ModelReport[] };
    expect(report).toEqual(box.json(`${folder}/compare.json`));
    expect(report).toMatchObject({ tendril: { compare: 1 }, reference: 'cosserat', length: 0.2 });
    const [first, second] = report.models;
    expect(first.distance).toBeUndefined();
    expect(second.distance?.series.map(({ time }) => Number(time.toFixed(6)))).toEqual([
      0, 0.02, 0.04, 0.06, 0.08, 0.1,
    ]);
    // rubber of 2 mm: the models differ by shear and stretch, a little and not by nothing
    expect(second.distance?.largest).toBeGreaterThan(1e-9);
    expect(second.distance?.largest).toBeLessThan(1e-3 * report.length);
    expect(second.iterationsPerStep).toBeGreaterThan(1);
    expect(second.wallPerSecond).toBeGreaterThan(0);
    expect(box.read(`${folder}/compare.csv`).trim().split('\n')).toHaveLength(3);
    expect(box.read(`${folder}/distances.csv`).trim().split('\n')).toHaveLength(7);
    expect(box.read(`${folder}/shapes.svg`)).toContain('cosserat');
  });

  it('compares equilibria', async () => {
    const box = sandbox();
    box.write('swing.yaml', scene());
    const { code, out } = await box.run('compare', 'swing.yaml', '--models', 'der,cosserat', '--statics', '--json');
    expect(code).toBe(0);
    const { models } = JSON.parse(out) as { models: ModelReport[] };
    for (const one of models) expect(one.equilibrium).toMatchObject({ stable: true });
    expect(models[1].distance?.endRms).toBeLessThan(1e-4);
    const tips = models.map(({ rods }) => rods?.[0].tip as number[]);
    expect(Math.hypot(...tips[0].map((x, k) => x - tips[1][k]))).toBeLessThan(2e-4);
  });

  it('refuses models that do not exist, one alone, and folders that hold results', async () => {
    const box = sandbox();
    box.write('swing.yaml', scene());
    const unknown = await box.run('compare', 'swing.yaml', '--models', 'der,coserat');
    expect(unknown).toMatchObject({ code: 2 });
    expect(unknown.err).toContain("did you mean 'cosserat'");
    const models = async (list: string): Promise<string> => {
      const { code, err } = await box.run('compare', 'swing.yaml', '--models', list);
      expect(code).toBe(2);
      return err;
    };
    expect(await models('der')).toContain("--models names only 'der'; a comparison needs two or more");
    expect(await models('der, der')).toContain("--models names 2 times 'der'; a comparison needs two or more");
    expect(await models('')).toContain('--models names no model; a comparison needs two or more');
    expect((await box.run('compare', 'swing.yaml', '--models', 'der,cosserat', '-o', 'a', '-u', '10 ms')).code).toBe(0);
    const again = await box.run('compare', 'swing.yaml', '--models', 'der,cosserat', '-o', 'a', '-u', '10 ms');
    expect(again).toMatchObject({ code: 2 });
    expect(again.err).toContain('already has a result (compare.json)');
    const forced = await box.run('compare', 'swing.yaml', '--models', 'der,strand', '-o', 'a', '-u', '10 ms', '-f');
    expect(forced.code).toBe(0);
    expect(existsSync(join(box.path, 'a/strand/result.json'))).toBe(true);
    expect(existsSync(join(box.path, 'a/cosserat/result.json'))).toBe(false);
  });
});

describe('distances', () => {
  const straight = { closed: false, nodeArc: [0, 1, 2], length: 2 };

  it('are between equal fractions of rest length, however many nodes there are', () => {
    const fine = { closed: false, nodeArc: [0, 0.5, 1, 1.5, 2], length: 2 };
    const coarse = Float64Array.of(0, 0, 0, 1, 0, 0, 2, 0, 0);
    const shifted = Float64Array.of(0, 3, 4, 0.5, 3, 4, 1, 3, 4, 1.5, 3, 4, 2, 3, 4);
    const [distance] = measureDistances(
      [straight],
      [{ time: 1, rods: [coarse] }],
      [fine],
      [{ time: 1, rods: [shifted] }],
    );
    expect(distance.rms).toBeCloseTo(5, 12);
    expect(distance.largest).toBeCloseTo(5, 12);
  });

  it('end where one of the two ends', () => {
    const at = (time: number, y: number): { time: number; rods: Float64Array[] } => ({
      time,
      rods: [Float64Array.of(0, y, 0, 1, y, 0, 2, y, 0)],
    });
    const series = measureDistances([straight], [at(0, 0), at(1, 0), at(2, 0)], [straight], [at(0, 0), at(1, 2)]);
    expect(series.map(({ time }) => time)).toEqual([0, 1]);
    const summary = summariseDistances(series);
    expect(summary.rms).toBeCloseTo(Math.SQRT2, 12);
    expect(summary).toMatchObject({ largest: 2, endRms: 2, until: 1 });
  });

  it('go round a closed rod', () => {
    const ring = { closed: true, nodeArc: [0, 1, 2, 3], length: 4 };
    const square = Float64Array.of(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0);
    const points = resample(ring, square);
    expect([...points.slice(-3)]).toEqual([0, 0, 0]);
    expect([...points.slice(3 * 50, 3 * 50 + 3)]).toEqual([1, 1, 0]);
    expect(points[3 * 75 + 1]).toBeCloseTo(1, 12);
  });
});
