/** Fits of scenes: a noisy hanging curl with coverage of its confidence intervals, force over displacement, frequencies, bad data. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWorld, StoppedError } from '@tendril-sim/core';
import { afterAll, describe, expect, it } from 'vitest';
import { type FitStudy, fitScene, readFitStudy } from '../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'tendril-fit-'));
afterAll(() => rmSync(folder, { recursive: true }));
const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

/** A reproducible normal random number. */
function createNoise(seed: number): () => number {
  let state = seed;
  const uniform = (): number => {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    return (state + 0.5) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

const truth = { EI: 2e-7, GJ: 1.5e-7, bend: 60 };
write(
  'curl.yaml',
  `tendril: 1
gravity: [0, 0, -9.81]
rods:
  - id: curl
    shape: { type: straight, from: [0, 0, 0], to: [0, 0, -0.1] }
    frame: { d1: [1, 0, 0] }
    edges: 10
    inextensible: true
    natural: { curvature: [0, 60, 20] }
    section: { type: stiffness, EI1: ${truth.EI}, EI2: ${truth.EI}, GJ: ${truth.GJ}, mass: 2e-4 }
pins: [{ rod: curl, at: start }]
`,
);
const header = (start: { EI: number; GJ: number; bend: number }): string => `fit: 1
scene: curl.yaml
parameters:
  - { name: EI, path: [rods.0.section.EI1, rods.0.section.EI2], start: ${start.EI}, bounds: { lower: 1e-9 } }
  - { name: GJ, path: rods.curl.section.GJ, start: ${start.GJ}, bounds: { lower: 1e-9 } }
  - { name: bend, path: rods.0.natural.curvature.1, start: ${start.bend} }
experiments:
`;
const points = Array.from({ length: 10 }, (_, i) => (i + 1) / 10);
write('zero.csv', `u,x [mm],y [mm],z [mm]\n${points.map((u) => `${u},0,0,0`).join('\n')}\n`);
const shape = (deviation: string): string => `  - shape: { file: zero.csv, rod: curl${deviation} }\n`;

/** The study with the data of the true curl and noise. */
function withData(study: FitStudy, exact: Float64Array, noise: () => number, sigma: number): FitStudy {
  const experiments = study.experiments.map((one) => ({
    ...one,
    measurements: one.measurements.map((measurement) => {
      const { at, axis } = measurement.point ?? { at: { u: 0 }, axis: 0 };
      const node = Math.round(10 * ('u' in at ? at.u : 0));
      return { ...measurement, value: exact[3 * node + axis] + sigma * noise() };
    }),
  }));
  return { ...study, experiments };
}

describe('a noisy hanging curl', () => {
  const exact = async (): Promise<Float64Array> => {
    const study = await readFitStudy(write('exact.yaml', header(truth) + shape('')));
    const world = createWorld(study.family.build([]));
    expect(world.equilibrate()[0]).toMatchObject({ converged: true, stable: true });
    return world.samples[0].nodePosition.slice();
  };

  it('without noise, the true values are found from far away', async () => {
    const far = { EI: 3e-7, GJ: 1e-7, bend: 50 };
    const study = await readFitStudy(write('far.yaml', header(far) + shape('')));
    const { result } = fitScene(withData(study, await exact(), () => 0, 0));
    for (const { name, value } of result.parameters)
      expect(value / truth[name as keyof typeof truth], name).toBeCloseTo(1, 6);
  });

  it('the confidence intervals cover the truth as often as they say', async () => {
    const sigma = 2e-4;
    const study = await readFitStudy(write('noisy.yaml', header(truth) + shape(', deviation: 0.2 mm')));
    const clean = await exact();
    const noise = createNoise(7);
    const draws = 40;
    const covered = { EI: 0, GJ: 0, bend: 0 };
    let sums = 0;
    for (let draw = 0; draw < draws; draw++) {
      const { result } = fitScene(withData(study, clean, noise, sigma));
      expect(result.end).toBe('converged');
      sums += result.sum / result.degrees;
      for (const { name, interval = [1, 0] } of result.parameters) {
        const value = truth[name as keyof typeof truth];
        if (interval[0] <= value && value <= interval[1]) covered[name as keyof typeof truth]++;
      }
    }
    // 95 % of 40 is 38, with a deviation of 1.4
    for (const [name, count] of Object.entries(covered)) {
      expect(count, `${name}: ${count} of ${draws}`).toBeGreaterThanOrEqual(34);
    }
    expect(Object.values(covered).some((count) => count < draws)).toBe(true);
    expect(sums / draws).toBeCloseTo(1, 1);
  });
});

describe('stopping', () => {
  const study = async (): Promise<FitStudy> => {
    const far = { EI: 3e-7, GJ: 1e-7, bend: 50 };
    return readFitStudy(write('stopped.yaml', header(far) + shape('') + shape('')));
  };
  const stoppedAt = (count: number): (() => boolean) => {
    let calls = 0;
    return () => ++calls > count;
  };

  it('in the middle of an iteration, the values of the last one are kept, with their residuals', async () => {
    // two equilibria and six derivatives at the start, and one equilibrium of the first iteration
    const { result, comparisons } = fitScene(await study(), { isStopped: stoppedAt(9) });
    expect(result).toMatchObject({ end: 'stopped', iterations: 0 });
    expect(result.parameters[0].value).toBe(3e-7);
    const sum = comparisons.reduce((total, { measured, fitted }) => total + (fitted - measured) ** 2, 0);
    expect(sum).toBeGreaterThan(0);
    expect(sum / result.sum).toBeCloseTo(1, 10);
  });

  it('before there are values, the error says so', async () => {
    const one = await study();
    expect(() => fitScene(one, { isStopped: stoppedAt(1) })).toThrow(StoppedError);
  });
});

describe('other data', () => {
  write(
    'beam.yaml',
    `tendril: 1
gravity: [0, 0, 0]
rods:
  - id: beam
    shape: { type: straight, from: [0, 0, 0], to: [1, 0, 0] }
    frame: { d1: [0, 1, 0] }
    edges: 10
    section: { type: stiffness, EI1: 2, EI2: 5, GJ: 1, mass: 0.1 }
pins:
  - { rod: beam, at: start }
  - { rod: beam, at: end, hold: position, position: [1, 0, 0], axes: [y, z] }
`,
  );
  // P = 3EI/L³ d for a cantilever, with the softness 1 + 1/2n² of the discrete one
  const stiffness = (EI: number): number => (3 * EI) / 1.005;
  write('pull.csv', `d [mm],F [mN]\n${[1, 2, 3].map((d) => `${d},${stiffness(2.5) * d}`).join('\n')}\n`);
  const study = (parameters: string, experiments: string): string => `fit: 1
scene: beam.yaml
parameters:
${parameters}experiments:
${experiments}`;
  const EI = '  - { name: EI, path: rods.0.section.EI1 }\n';
  const pull = `  - table: pull.csv
    columns: { pins.1.position.2: d }
    measured: { F: { of: 'reaction[1].force.z' } }
`;

  it('force over displacement', async () => {
    const { result } = fitScene(await readFitStudy(write('pull.yaml', study(EI, pull))));
    // large displacements stiffen the beam by about (d/L)²
    expect(result.parameters[0].value).toBeCloseTo(2.5, 4);
    expect(result.degrees).toBe(2);
  });

  it('a frequency determines stiffness over mass, and says so', async () => {
    // with the end held: clamped–pinned, (β²)² EI/m, β = 3.9266; measured for EI = 2 in the same discrete beam
    const world = createWorld((await readFitStudy(join(folder, 'pull.yaml'))).family.build([]));
    world.equilibrate();
    const frequency = world.modes(1)[0].omega[0] / (2 * Math.PI);
    const mass = '  - { name: mass, path: rods.0.section.mass, start: 0.12 }\n';
    const measured = `  - measured: { f: { of: 'mode[0].frequency', value: ${frequency}, deviation: ${0.01 * frequency} } }\n`;
    const alone = fitScene(await readFitStudy(write('f.yaml', study(mass, measured))));
    expect(alone.result.parameters[0].value).toBeCloseTo(0.1, 6);
    // 1 % of f is 2 % of the mass
    expect(alone.result.parameters[0].deviation).toBeCloseTo(0.002, 5);
    const both = fitScene(await readFitStudy(write('both.yaml', study(EI + mass, measured))));
    expect(both.result.unidentified[0].map(({ name }) => name)).toEqual(['EI', 'mass']);
  });

  it('steps back where the scene is impossible', async () => {
    // the first step of a fit without bounds leads to a negative stiffness
    const soft = '  - { name: EI, path: rods.0.section.EI1, start: 40 }\n';
    const { result } = fitScene(await readFitStudy(write('soft.yaml', study(soft, pull))));
    expect(result.parameters[0].value).toBeCloseTo(2.5, 3);
  });

  it('names what is wrong with the data', async () => {
    const fails = (text: string): Promise<unknown> => readFitStudy(write('bad.yaml', text));
    await expect(fails(study('  - { path: rods.0.section.EI9 }\n', pull))).rejects.toThrow(/no 'EI9'/);
    for (const field of [
      'start: 2 mm',
      'unit: mm, start: 2',
      'bounds: { lower: 1 s }',
      'prior: { mean: 2 kg, deviation: 1 kg }',
    ])
      await expect(fails(study(EI.replace('EI1', `EI1, ${field}`), pull))).rejects.toThrow(/N\*m\^2|N m/);
    await expect(fails(study(EI.replace('EI1', 'EI1, start: 2000 N*mm*m'), pull))).resolves.toMatchObject({
      parameters: [{ start: 2 }],
    });
    await expect(
      fails(study(EI, pull.replace('    columns', '    set: { gravity.2: 3 kg }\n    columns'))),
    ).rejects.toThrow(/kg/);
    write('seconds.csv', 'd [s],F [mN]\n1,2\n2,4\n');
    await expect(fails(study(EI, pull.replace('pull.csv', 'seconds.csv')))).rejects.toThrow(/length|\bm\b/);
    await expect(fails(study(EI.replace('EI1', 'EI1, start: 2 parsec'), pull))).rejects.toThrow(/parsec/);
    await expect(fails(study(EI.replace('EI1', 'EI1, unit: mm'), pull))).rejects.toThrow(/stiffness/);
    await expect(fails(study(EI, pull.replace(': d }', ': dd }')))).rejects.toThrow(/no column 'dd'/);
    await expect(fails(study(EI, pull.replace('pins.1.position', 'pins.1.positoin')))).rejects.toThrow(
      /did you mean 'position'/,
    );
    await expect(fails(study(EI, pull.replace('reaction[1].force.z', 'reaction[1].force.z +')))).rejects.toThrow();
    write('nan.csv', 'd,F\n1,2\n2,NaN\n');
    await expect(fails(study(EI, pull.replace('pull.csv', 'nan.csv')))).rejects.toThrow(/column 'F'.*NaN/);
    await expect(fails(study(EI, '  - { time: 1 }\n'))).rejects.toThrow(/nothing was measured/);
    const mixed = `${pull}  - measured: { f: { of: 'mode[0].frequency', value: 3 } }\n`;
    await expect(fails(study(EI, mixed))).rejects.toThrow(/no deviation/);
    const unknown = await readFitStudy(write('u.yaml', study(EI, pull.replace('reaction[1]', 'reaction[7]'))));
    expect(() => fitScene(unknown)).toThrow(/'F'/);
  });
});
