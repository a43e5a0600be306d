import type { ProbeSeries } from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';
import {
  buildResult,
  createRecordingEncoder,
  createStepTotals,
  decodeRecording,
  energyTable,
  formatResult,
  nodeTable,
  probeTable,
  type Result,
  recordingFrame,
  recordingHeader,
  stretchMax,
} from '../src/index.ts';
import { fakeWorld } from './fixtures.ts';

const world = fakeWorld();
const totals = createStepTotals();
totals.add({ time: 1, dt: 1, substeps: 1, iterations: 3, iterationsMax: 3, shifts: 0 });
totals.add({ time: 2, dt: 1, substeps: 4, iterations: 9, iterationsMax: 5, shifts: 2 });
const modes = [
  {
    rod: 'ring',
    omega: new Float64Array([2 * Math.PI]),
    shapes: [{ nodeDisplacement: new Float64Array(12), edgeTwist: new Float64Array(4) }],
  },
];
const input = {
  world,
  version: '0.1.0',
  command: 'run',
  file: 'a.yaml',
  steps: totals.totals(),
  wallSeconds: 1.5,
  modes,
  warnings: ['more'],
} as const;

describe('result', () => {
  it('holds what the world holds', () => {
    const result = buildResult(input);
    const read = JSON.parse(formatResult(result)) as Result;
    expect(read).toEqual(result);
    expect(read.tendril).toEqual({ result: 1, version: '0.1.0' });
    expect(read.scene).toEqual({ title: 'Two, "rods"', file: 'a.yaml' });
    expect(read.steps).toEqual({ count: 2, substeps: 5, iterations: 12, iterationsMax: 5, shifts: 2, failures: 1 });
    expect(read.rods[0].nodePosition.flat()).toEqual([...world.samples[0].nodePosition]);
    expect(read.rods[0].edgeFrame[2]).toEqual({ tangent: [1, 0, 0], d1: [0, 1, 0], d2: [0, 0, 1] });
    expect(read.modes?.[0].frequency).toEqual([1]);
    expect(read.momentum.center).toEqual([1, 2, 3]);
    expect(read.warnings).toEqual(['a remark', 'more']);
    expect(read.stateHash).toBe('0123456789abcdef');
    expect('stopped' in read).toBe(false);
    const stop = { reason: 'why', time: 0.2, remedy: 'what to try', rod: 'ring' };
    expect(buildResult({ ...input, stopped: stop }).stopped).toEqual(stop);
  });

  it('tells of steps whose contact was not solved', () => {
    const step = { time: 1, dt: 1, substeps: 1, iterations: 1, iterationsMax: 1, shifts: 0 };
    const good = { contacts: 2, iterations: 20, error: 1e-6, converged: true, swept: 0, overlap: 1e-5 };
    const sums = createStepTotals();
    sums.add({ ...step, contact: good });
    expect(buildResult({ ...input, steps: sums.totals() }).warnings).toEqual(['a remark', 'more']);
    const bad = { ...good, converged: false, worst: { rod: 'ring', other: 'floor' } };
    sums.add({ ...step, contact: { ...bad, error: 2e-3, iterations: 300 } });
    sums.add({ ...step, contact: { ...bad, error: 1e-3, overlap: 1e-4, worst: { rod: 'ring', other: 'wall' } } });
    const { steps, warnings } = buildResult({ ...input, steps: sums.totals() });
    const worst = { rod: 'ring', other: 'floor' };
    expect(steps.contact).toEqual({ missed: 2, error: 2e-3, iterationsMax: 300, overlap: 1e-4, worst });
    expect(warnings[2]).toMatch(
      /^contact not solved to its tolerance in 2 of 3 steps; largest error 0.0020 m\/s \('ring' and 'floor'\).*contact.iterations/,
    );
  });

  it('measures stretch, over the closing edge too', () => {
    expect(stretchMax([0, 0, 0, 1, 0, 0, 1, 3, 0], [1, 2])).toBeCloseTo(0.5, 15);
    expect(stretchMax([0, 0, 0, 1, 0, 0, 1, 1, 0], [1, 1, 1])).toBeCloseTo(Math.SQRT2 - 1, 15);
    expect(stretchMax([0, 0, 0, 0.5, 0, 0], [1])).toBe(-0.5);
  });

  it('refuses what is not finite and names it', () => {
    expect(() => formatResult({ ...buildResult(input), time: Number.NaN })).toThrow('result.time is NaN');
    const bad = fakeWorld();
    bad.samples[1].nodePosition[4] = Number.POSITIVE_INFINITY;
    expect(() => formatResult(buildResult({ ...input, world: bad }))).toThrow(
      /^result\.rods\[1\]\.nodePosition\[1\]\[1\] is Infinity/,
    );
  });

  it('keeps empty lists valid', () => {
    const read = JSON.parse(formatResult({ ...buildResult(input), warnings: [], probes: [] })) as Result;
    expect([read.warnings, read.probes, read.bodies]).toEqual([[], [], []]);
  });
});

describe('csv', () => {
  const encoder = createRecordingEncoder(recordingHeader(world, { version: '1', channels: ['tension'] }));
  const parts = [
    encoder.encodeHeader(),
    encoder.encodeFrame(recordingFrame(world, ['tension'])),
    encoder.encodeFooter(),
  ];
  const recording = decodeRecording(Uint8Array.from(parts.flatMap((part) => [...part])), 'x');

  it('writes nodes with all digits and quoted names', () => {
    const lines = [...nodeTable(recording)];
    expect(lines[0]).toBe('frame,time,rod,node,x,y,z,d1x,d1y,d1z,tension\n');
    expect(lines).toHaveLength(1 + 4 + 4);
    const [x, y, z] = world.samples[0].nodePosition;
    expect(lines[1].startsWith(`0,0.25,"open, rod",0,${x},${y},${z},0,1,0,`)).toBe(true);
    expect(lines[4].trimEnd().endsWith(',,,,')).toBe(true);
    expect(lines[8].split(',')[2]).toBe('ring');
  });

  it('writes energies and probes', () => {
    expect([...energyTable(recording)]).toEqual([
      'frame,time,kinetic,bending,twisting,stretching,potential,total\n',
      '0,0.25,2,0.1,1e-300,0,-0.3333333333333333,2\n',
    ]);
    const probes: ProbeSeries[] = [
      { name: 'the "tip"', rod: 'a', quantity: 'position', time: [0], value: [[1, 2, 3]] },
      { name: 'n', rod: 'a', quantity: 'tension', time: [0.5], value: [7] },
      { name: 'm', body: 'b', quantity: 'rotationalEnergy', time: [0.5], value: [8] },
    ];
    expect([...probeTable(probes)].slice(1)).toEqual([
      '"the ""tip""",a,position,0,1,2,3,\n',
      'n,a,tension,0.5,7,,,\n',
      'm,,rotationalEnergy,0.5,8,,,b\n',
    ]);
  });
});
