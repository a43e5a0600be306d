import { describe, expect, it } from 'vitest';
import { createProbes, createRecorder, createWorld, type Scene, simulate } from '../../src/index.ts';

const scene: Scene = {
  tendril: 1,
  gravity: [0, 0, -9.81],
  rods: [
    {
      id: 'a',
      shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
      edges: 8,
      section: { type: 'stiffness', EI1: 1, GJ: 1, mass: 0.1 },
    },
  ],
  time: { duration: 0.1, step: 0.003 },
  output: {
    probes: [
      { rod: 'a', at: { u: 0.3 } },
      { name: 'speed', rod: 'a', at: 'end', quantity: 'velocity' },
    ],
  },
};

describe('simulate', () => {
  it('shows the world at the start, at every interval and at the end, which it reaches exactly', () => {
    const world = createWorld(scene);
    const recorder = createRecorder();
    const probes = createProbes(world);
    simulate(world, 0.1, [recorder, probes], 0.02);
    expect(world.time).toBeCloseTo(0.1, 14);
    const times = recorder.frames.map(({ time }) => time);
    // the first step at or after each multiple of the interval
    expect(times).toEqual([0, 0.021, 0.042, 0.06, 0.081, 0.1].map((time) => expect.closeTo(time, 14)));
    // free fall: every frame at −g t²/2 (TR-BDF2 is exact for it)
    for (const { time, nodePosition } of recorder.frames)
      expect(nodePosition[0][2]).toBeCloseTo(-0.5 * 9.81 * time ** 2, 8);
    const [place, speed] = probes.series;
    expect(place.value[5]).toEqual([
      expect.closeTo(0.3, 9),
      expect.closeTo(0, 9),
      expect.closeTo(-0.5 * 9.81 * 0.01, 8),
    ]);
    expect((speed.value[5] as number[])[2]).toBeCloseTo(-0.981, 7);
  });
});
