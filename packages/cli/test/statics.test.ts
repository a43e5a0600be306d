/** `tendril statics` and `tendril modes`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { decodeRecording } from '@tendril-sim/io';
import { describe, expect, it } from 'vitest';
import { sandbox, scene } from './harness.ts';

describe('statics', () => {
  it('follows a branch and those that leave it', async () => {
    const box = sandbox();
    box.write(
      'strip.yaml',
      `tendril: 1
rods:
  - id: strip
    shape: { type: straight, from: [0, 0, 0], to: [0, 0, 1] }
    edges: 12
    inextensible: true
    section: { type: stiffness, EI1: 1, EI2: 3, GJ: 1, mass: 1 }
pins: [{ rod: strip, at: start }]
loads: [{ rod: strip, type: force, at: end, force: [0, 0, -1], factor: { formula: t } }]
statics: { from: 0, to: 3, follow: branch, switches: 1 }
`,
    );
    const { code, out } = await box.run('statics', 'strip.yaml', '--out', 'out');
    expect(code).toBe(0);
    expect(out).toContain('3 branches');
    const rows = box
      .read('out/branches.csv')
      .trim()
      .split('\n')
      .map((line) => line.split(','));
    expect(rows[0].slice(0, 5)).toEqual(['branch', 'parent', 'point', 'kind', 'parameter']);
    expect(rows.filter(([, , , kind]) => kind === 'bifurcation').map(([branch]) => branch)).toEqual(['0']);
    expect(rows.filter(([branch, parent]) => branch === '2' && parent === '0').length).toBeGreaterThan(5);
    expect(box.read('out/branches.svg')).toContain('bifurcations');
    const side = decodeRecording(box.bytes('out/branch-1/recording.tendril'), 'r');
    expect(side.frameCount).toBe(rows.filter(([branch]) => branch === '1').length);
    const again = await box.run('statics', 'strip.yaml', '--out', 'out');
    expect(again.code).toBe(2);
  });

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
  it('with obstacles are about an equilibrium', async () => {
    const box = sandbox();
    box.write('swing.yaml', scene({ more: 'colliders: [{ type: plane, position: [0, 0, -9], normal: [0, 0, 1] }]' }));
    expect((await box.run('modes', 'swing.yaml', '--out', 'a')).code).toBe(0);
    const { code, err } = await box.run('modes', 'swing.yaml', '--about', 'initial', '--out', 'b');
    expect(code).toBe(2);
    expect(err).toMatch(/modes of a scene with contact are about an equilibrium: find it first/);
  });

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

describe('gradient --run', () => {
  const swing = `tendril: 1
gravity: [0, 0, -9.81]
rods:
  - id: hair
    shape: { type: straight, from: [0, 0, 0], to: [10 cm, 0, 0] }
    edges: 8
    section: { type: circle, radius: 1 mm }
    material: { E: 10 MPa, nu: 0.35, density: 1300 }
pins: [{ rod: hair, at: start }]
time: { duration: 40 ms, step: 2 ms }
`;
  const of = ['--of', 'rod.hair.node[-1].z', '--of', 'energy.bending'];

  it('prints the derivatives of runs', async () => {
    const box = sandbox();
    box.write('swing.yaml', swing);
    const by = ['--by', 'rods.hair.material.E', '--by', 'gravity.2'];
    const { code, out } = await box.run('gradient', 'swing.yaml', '--run', ...of, ...by, '--json');
    expect(code).toBe(0);
    const { values, derivatives } = JSON.parse(out);
    const runs = await Promise.all(
      [1.001e7, 0.999e7].map(async (E) => {
        const result = await box.run(
          'run',
          'swing.yaml',
          '--set',
          `rods.0.material.E=${E}`,
          '--out',
          `E${E}`,
          '--json',
        );
        return JSON.parse(result.out).energies.bending;
      }),
    );
    const row = derivatives.find(
      (one: { quantity: string; field: string }) => one.quantity === 'energy.bending' && one.field.endsWith('E'),
    );
    expect(row.derivative / ((runs[0] - runs[1]) / 2e4)).toBeCloseTo(1, 4);
    expect(values['rod.hair.node[-1].z']).toBeLessThan(-1e-3);
  });

  it('rejects what is for equilibria, and runs that are none', async () => {
    const box = sandbox();
    box.write('swing.yaml', swing);
    const by = ['--by', 'gravity.2'];
    const along = await box.run('gradient', 'swing.yaml', '--run', ...of, ...by, '--along');
    expect(along.err).toContain('--along is for equilibria');
    const until = await box.run('gradient', 'swing.yaml', ...of, ...by, '--until', '1');
    expect(until.err).toContain('add --run');
    const step = await box.run('gradient', 'swing.yaml', '--run', ...of, '--by', 'time.step');
    expect(step.err).toContain('changes the steps');
  });
});

describe('gradient', () => {
  const beam = `tendril: 1
gravity: [0, 0, 0]
rods:
  - id: beam
    shape: { type: straight, from: [0, 0, 0], to: [1, 0, 0] }
    edges: 10
    section: { type: stiffness, EI1: 2, EI2: 3, GJ: 1, mass: 0.1 }
pins: [{ rod: beam, at: start }]
loads: [{ type: force, rod: beam, at: end, force: [0, 0, -0.1 mN] }]
output: { probes: [{ name: tip, rod: beam, at: end }] }
`;

  it('differentiates quantities by fields, and writes influence along the rod', async () => {
    const box = sandbox();
    box.write('beam.yaml', beam);
    const fields = ['--by', 'loads.0.force.2', '--by', 'rods.beam.section.EI1'];
    const of = ['--of', 'probe.tip.z', '--of', 'mode[0].frequency'];
    const { code, out } = await box.run('gradient', 'beam.yaml', ...of, ...fields, '--json', '--along', '--out', 'out');
    expect(code).toBe(0);
    const { derivatives } = JSON.parse(out);
    const found = derivatives.map(({ derivative }: { derivative: number }) => derivative);
    // L³/3EI (1 + 1/2n²), and P times that over EI; f grows with the root of EI and does not feel so small a load
    expect(found[0]).toBeCloseTo(1.005 / 6, 6);
    expect(found[2] / ((1e-4 * 1.005) / 12)).toBeCloseTo(1, 6);
    expect(found[3] / (JSON.parse(out).values['mode[0].frequency'] / 4)).toBeCloseTo(1, 4);
    const rows = box.read('out/gradient.csv').trim().split('\n');
    expect(rows).toHaveLength(1 + 2 * 11);
    const [, , , , , , , , fz] = rows[11].split(',').map(Number);
    expect(fz).toBeCloseTo(found[0], 8);
  });

  it('names a wrong field, quantity or option', async () => {
    const box = sandbox();
    box.write('beam.yaml', beam);
    const of = ['--of', 'probe.tip.z'];
    const wrong = await box.run('gradient', 'beam.yaml', ...of, '--by', 'rods.0.sektion.EI1');
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("did you mean 'section'")]);
    const probe = await box.run('gradient', 'beam.yaml', '--of', 'probe.top.z', '--by', 'gravity.2');
    expect([probe.code, probe.err]).toEqual([2, expect.stringContaining("there is no 'top'")]);
  });
});

describe('fit', () => {
  it('finds a stiffness from force over displacement, and warns of what the data do not determine', async () => {
    const box = sandbox();
    box.write(
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
  - { rod: beam, at: end, hold: position, position: [1, 0, 0], axes: [z] }
`,
    );
    // P = 3EI/L³ d, with the softness 1 + 1/2n² of the discrete cantilever, for EI = 2.5
    box.write('pull.csv', `d [mm],F [mN]\n1,${7.5 / 1.005}\n2,${15 / 1.005}\n3,${22.5 / 1.005}\n`);
    box.write(
      'fit.yaml',
      `fit: 1
scene: beam.yaml
parameters:
  - { name: EI, path: rods.beam.section.EI1 }
  - { name: GJ, path: rods.beam.section.GJ }
experiments:
  - { table: pull.csv, columns: { pins.1.position.2: d }, measured: { F: { of: 'reaction[1].force.z', deviation: 0.1 mN } } }
`,
    );
    const { code, err } = await box.run('fit', 'fit.yaml', '--out', 'out');
    expect([code, err]).toEqual([0, expect.stringContaining("do not determine 'GJ'")]);
    const { parameters, end } = JSON.parse(box.read('out/fit.json'));
    expect(end).toBe('converged');
    expect(parameters[0].value).toBeCloseTo(2.5, 4);
    // 0.1 mN at 1, 2 and 3 mm
    expect(parameters[0].deviation).toBeCloseTo((0.1 * 1.005) / 3 / Math.sqrt(14), 4);
    expect(parameters[1].interval).toBeUndefined();
    expect(box.read('out/residuals.csv').trim().split('\n')).toHaveLength(4);
  });
});

describe('design', () => {
  it('writes natural shapes for which a curl does not sag, and keeps comments', async () => {
    const box = sandbox();
    box.write(
      'curl.yaml',
      `tendril: 1
gravity: [0, 0, -9.81]
rods:
  - id: curl # drawn as it should hang
    shape: { type: helix, radius: 6 mm, pitch: 2 cm, turns: 2, axis: [1, 0, -1] }
    edges: 20
    inextensible: true
    section: { type: circle, radius: 0.3 mm }
    material: { E: 300 MPa, nu: 0.4, density: 1300 }
pins: [{ rod: curl, at: start }]
`,
    );
    const { code, out } = await box.run('design', 'curl.yaml', '--out', 'designed.yaml');
    expect(code).toBe(0);
    const [, sag, stable] = /curl +(\S+) +(\S+)/.exec(out) ?? [];
    expect(Number(sag)).toBeLessThan(1e-12);
    expect(stable).toBe('yes');
    const written = box.read('designed.yaml');
    expect(written).toContain('# drawn as it should hang');
    expect(written).toContain('curvature');
  });
});
