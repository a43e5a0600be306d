/** `--backend`: the same rods by another formulation, through all layers from the scene to the recording. */
import { decodeRecording } from '@tendril-sim/io';
import { expect, it } from 'vitest';
import { sandbox } from './harness.ts';

const scene = `tendril: 1
gravity: [0, 0, -9.81]
rods:
  - id: strand
    shape: { type: helix, radius: 1 cm, pitch: 3 cm, turns: 2 }
    edges: 16
    inextensible: true
    section: { type: circle, radius: 0.05 mm }
    material: { E: 3.58 GPa, G: 1.07 GPa, density: 1300 }
pins: [{ rod: strand, at: start }]
time: { duration: 40 ms, step: 4 ms }
solver: { der: { twist: quasistatic } }
`;
type Result = { rods: { nodePosition: number[][] }[]; stateHash: string };

it('gives the results of the standard backend, and goes on from its own state', async () => {
  const box = sandbox();
  box.write('strand.yaml', scene);
  for (const name of ['standard', 'batch'])
    expect(await box.run('run', 'strand.yaml', '--out', name, '--backend', name)).toMatchObject({ code: 0 });
  const [standard, batch] = ['standard', 'batch'].map((name) => box.json(`${name}/result.json`) as unknown as Result);
  expect(batch.stateHash).not.toBe(standard.stateHash);
  const [a, b] = [standard, batch].map(({ rods }) => rods[0].nodePosition.flat());
  expect(Math.max(...a.map((x, k) => Math.abs(x - b[k])))).toBeLessThan(1e-9);
  const recording = decodeRecording(box.bytes('batch/recording.tendril'), 'recording');
  expect(recording.frameCount).toBeGreaterThan(2);

  const half = ['--backend', 'batch', '--out', 'half', '--until', '20 ms'];
  expect(await box.run('run', 'strand.yaml', ...half)).toMatchObject({ code: 0 });
  const rest = ['--backend', 'batch', '--out', 'rest', '--resume', 'half/state.tendril'];
  expect(await box.run('run', 'strand.yaml', ...rest)).toMatchObject({ code: 0 });
  expect((box.json('rest/result.json') as unknown as Result).stateHash).toBe(batch.stateHash);
});

it('names the field of a scene that it does not cover', async () => {
  const box = sandbox();
  box.write('stretch.yaml', scene.replace('inextensible: true', 'inextensible: false'));
  const { code, err } = await box.run('run', 'stretch.yaml', '--backend', 'batch');
  expect(code).toBe(2);
  expect(err).toMatch(/stretch\.yaml:7:\d+ rods\[0\]\.inextensible: .*set inextensible: true/);
});

it('takes SIMD where many rods find no GPU, in as many threads as asked for, with the same bits', async () => {
  const box = sandbox();
  const hair = scene.split('\n').slice(4, 9).join('\n');
  const rods = Array.from({ length: 170 }, (_, k) => `  - id: hair${k}\n${hair}`.replace('edges: 16', 'edges: 31'));
  const pins = rods.map((_, k) => `{ rod: hair${k}, at: start }`);
  box.write(
    'many.yaml',
    `tendril: 1
gravity: [0, 0, -9.81]
rods:
${rods.join('\n')}
pins: [${pins.join(', ')}]
time: { duration: 8 ms, step: 4 ms }
solver: { der: { twist: quasistatic, integrator: bdf2 } }
`,
  );
  const hashes: string[] = [];
  for (const threads of ['1', '2']) {
    const { code, out, err } = await box.run(
      'run',
      'many.yaml',
      '--backend',
      'auto',
      '--threads',
      threads,
      '--out',
      threads,
    );
    expect(code).toBe(0);
    expect(out + err).toMatch(/computed by: SIMD kernels on the CPU, in single precision/);
    hashes.push((box.json(`${threads}/result.json`) as unknown as Result).stateHash);
  }
  expect(hashes[1]).toBe(hashes[0]);
});
