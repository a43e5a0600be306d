import type { Channel, Energies, Rod, Samples, Scene, World, WorldState } from '@tendril-sim/core';

export const scene: Scene = {
  tendril: 1,
  title: 'Two, "rods"',
  rods: [
    {
      id: 'open, rod',
      shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
      edges: 3,
      section: { type: 'circle', radius: 0.001 },
    },
    { id: 'ring', shape: { type: 'ring', radius: 1 }, edges: 4, section: { type: 'circle', radius: 0.001 } },
  ],
  time: { duration: 1, step: 0.01 },
};

const random =
  (seed: number): (() => number) =>
  () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32 - 0.5;
  };
export const noise = (length: number, seed: number): Float64Array => Float64Array.from({ length }, random(seed));

export const energies = (k: number): Energies => ({
  kinetic: k,
  bending: 0.1,
  twisting: 1e-300,
  stretching: 0,
  potential: -1 / 3,
  total: k,
});

const rodOf = (id: string, closed: boolean, edgeCount: number): Rod =>
  ({
    id,
    model: 'der',
    closed,
    nodeCount: closed ? edgeCount : edgeCount + 1,
    edgeCount,
    length: edgeCount * 0.5,
    edgeLengthRest: new Float64Array(edgeCount).fill(0.5),
    edgeRadius: new Float64Array(edgeCount).fill(0.001),
  }) as Partial<Rod> as Rod;

/** As much of a world as the formats look at. */
export function fakeWorld(): World {
  const rods = [rodOf('open, rod', false, 3), rodOf('ring', true, 4)];
  const samples = rods.map(
    ({ nodeCount, edgeCount }, k): Samples => ({
      nodePosition: noise(3 * nodeCount, k + 1),
      nodeVelocity: noise(3 * nodeCount, k + 2),
      edgeTangent: Float64Array.from({ length: 3 * edgeCount }, (_, i) => (i % 3 === 0 ? 1 : 0)),
      edgeDirector: Float64Array.from({ length: 3 * edgeCount }, (_, i) => (i % 3 === 1 ? 1 : 0)),
      edgeSpin: new Float64Array(edgeCount),
    }),
  );
  return {
    scene,
    rods,
    samples,
    time: 0.25,
    stepCount: 25,
    warnings: ['a remark'],
    energies: () => energies(2),
    momentum: () => ({
      linear: new Float64Array(3),
      angular: new Float64Array(3),
      center: new Float64Array([1, 2, 3]),
      mass: 4,
    }),
    channel: (rod: number, channel: Channel) =>
      noise(channel === 'tension' ? rods[rod].edgeCount : rods[rod].nodeCount, 9),
    hash: () => '0123456789abcdef',
    reactions: () => [],
    bodies: [],
  } as Partial<World> as World;
}

export const state: WorldState = {
  time: 0.1 + 0.2,
  stepCount: 12345,
  bundles: [
    {
      q: noise(17, 3),
      v: noise(17, 4),
      memory: new Float64Array([-0, 5e-324, Number.MAX_VALUE, Number.NEGATIVE_INFINITY]),
    },
    { q: noise(2, 5), v: noise(3, 6), memory: new Float64Array(0) },
  ],
};
