import { describe, expect, it } from 'vitest';
import { createProbes, createRecorder, createWorld, type Scene, SceneError, simulate } from '../../src/index.ts';

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

describe('probes of bodies', () => {
  const thrown: Scene = {
    tendril: 1,
    rods: [{ ...scene.rods[0], section: { type: 'stiffness', EI1: 1, GJ: 1, mass: 1e-9 } }],
    bodies: [
      {
        id: 'bob',
        mass: 2,
        inertia: [0.2, 0.3, 0.4],
        position: [1, 0, 0],
        // body z lies along world x
        rotation: [0, Math.PI / 2, 0],
        velocity: { linear: [1, 2, 3], angular: [5, 0, 7] },
      },
    ],
    welds: [{ rod: 'a', at: 'end', body: 'bob' }],
    time: { duration: 0.1, step: 0.01 },
    output: {
      probes: [
        { body: 'bob', quantity: 'translationalEnergy' },
        { body: 'bob', quantity: 'rotationalEnergy' },
        { name: 'spin', body: 'bob', quantity: 'angularVelocity' },
        { body: 'bob' },
      ],
    },
  };

  it('read pose and kinetic energies, in body axes where inertia is', () => {
    const world = createWorld(thrown);
    const probes = createProbes(world);
    probes.observe(world);
    expect(probes.series.map(({ name, body, rod }) => [name, body, rod])).toEqual([
      ['bob.translationalEnergy', 'bob', undefined],
      ['bob.rotationalEnergy', 'bob', undefined],
      ['spin', 'bob', undefined],
      ['bob.position', 'bob', undefined],
    ]);
    const [moving, turning, spin, place] = probes.series.map(({ value }) => value[0]);
    expect(moving).toBeCloseTo(0.5 * 2 * 14, 12);
    // world x is body z (0.4), world z is body −x (0.2)
    expect(turning).toBeCloseTo(0.5 * (0.4 * 25 + 0.2 * 49), 12);
    expect(spin).toEqual([5, 0, 7].map((value) => expect.closeTo(value, 12)));
    expect(place).toEqual([1, 0, 0]);
    // the rod has next to no mass
    expect(world.energies().kinetic).toBeCloseTo((moving as number) + (turning as number), 6);
  });

  it('name a body that exists', () => {
    expect(() => createWorld({ ...thrown, output: { probes: [{ body: 'bop' }] } })).toThrow(SceneError);
    expect(() => createWorld({ ...thrown, output: { probes: [{ body: 'bop' }] } })).toThrow("there is no body 'bop'");
  });
});
