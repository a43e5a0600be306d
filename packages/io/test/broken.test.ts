/** Rods that broke, in pictures and files: as curves whose number of points does not change. */
import { createWorld, isBroken, type Scene } from '@tendril-sim/core';
import { expect, it } from 'vitest';
import { cutBroken, exportUsda, type Footage, recordingFrame, recordingHeader } from '../src/index.ts';

const section = { type: 'stiffness', EA: 1000, EI1: 1e-3, GJ: 1e-3, mass: 0.1, inertia: 1e-6 } as const;
const rope: Scene = {
  tendril: 1,
  rods: [
    {
      id: 'rope',
      shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
      edges: 4,
      section,
      break: {
        tension: {
          along: [
            [0, 9],
            [0.5, 9],
            [0.5, 5],
            [0.75, 5],
            [0.75, 9],
            [1, 9],
          ],
        },
      },
    },
  ],
  pins: [
    { rod: 'rope', at: 'start' },
    { rod: 'rope', at: 'end', path: { keys: [{ time: 0 }, { time: 1, offset: [0.01, 0, 0] }] } },
  ],
  time: { duration: 1, step: 0.01 },
};
const ring: Scene = {
  ...rope,
  rods: [{ ...rope.rods[0], shape: { type: 'ring', center: [0, 0, 0], radius: 0.1 }, edges: 8, break: { tension: 1 } }],
  pins: [
    { rod: 'rope', at: { node: 0 }, hold: 'position' },
    {
      rod: 'rope',
      at: { node: 4 },
      hold: 'position',
      path: { keys: [{ time: 0 }, { time: 0.5, offset: [-0.2, 0, 0] }] },
    },
  ],
};

function film(scene: Scene): Footage {
  const world = createWorld(scene);
  const frames = [structuredClone(recordingFrame(world))];
  for (let k = 0; k < 80; k++) {
    world.step();
    if (k % 10 === 9) frames.push(structuredClone(recordingFrame(world)));
  }
  return { header: recordingHeader(world, { version: '0' }), frameCount: frames.length, frame: (k) => frames[k] };
}

const at = (x: Float64Array, i: number): number[] => [...x.subarray(3 * i, 3 * i + 3)];

it('halves the broken edge: its halves meet before the break, and go straight on after it', () => {
  const source = film(rope);
  const { footage, find } = cutBroken(source);
  expect(
    footage.header.rods.map(({ id, origin, nodeCount, edgeCount }) => ({ id, origin, nodeCount, edgeCount })),
  ).toEqual([
    { id: 'rope', origin: 'rope', nodeCount: 4, edgeCount: 3 },
    { id: 'rope-2', origin: 'rope', nodeCount: 3, edgeCount: 2 },
  ]);
  const total = footage.header.rods.flatMap(({ edgeLengthRest }) => edgeLengthRest).reduce((sum, l) => sum + l, 0);
  expect(total).toBeCloseTo(1, 12);
  const [first, last] = [footage.frame(0).rods, footage.frame(footage.frameCount - 1).rods];
  expect(at(first[0].nodePosition, 3)).toEqual([0.625, 0, 0]);
  expect(at(first[1].nodePosition, 0)).toEqual([0.625, 0, 0]);
  for (const { nodePosition: x } of [last[0]]) {
    const step = [0, 1, 2].map((k) => x[9 + k] - x[6 + k]);
    expect(Math.hypot(...step)).toBeCloseTo(0.125, 12);
  }
  expect(last[1].nodePosition[0]).toBeGreaterThan(last[0].nodePosition[9]);
  for (const rod of [...first, ...last])
    for (let j = 0; 3 * j < rod.edgeDirector.length; j++) expect(isBroken(rod, j)).toBe(false);
  expect([0, 2, 3, 4].map((node) => find(0, node))).toEqual([
    { rod: 0, node: 0 },
    { rod: 0, node: 2 },
    { rod: 1, node: 1 },
    { rod: 1, node: 2 },
  ]);
  const text = [...exportUsda(source)].join('');
  expect(text).toContain('curveVertexCounts = [4]');
  expect(text).toContain('curveVertexCounts = [3]');
});

it('opens a ring, and names its pieces', () => {
  const source = film(ring);
  const last = source.frame(source.frameCount - 1).rods[0];
  const cuts = Array.from({ length: 8 }, (_, j) => j).filter((j) => isBroken(last, j));
  const { footage, find } = cutBroken(source);
  const { rods } = footage.header;
  expect(rods).toHaveLength(cuts.length);
  expect(new Set(rods.map(({ id }) => id)).size).toBe(rods.length);
  expect(rods.every(({ closed }) => !closed)).toBe(true);
  expect(rods.reduce((sum, { edgeCount }) => sum + edgeCount, 0)).toBe(8 + cuts.length);
  for (let node = 0; node < 8; node++) {
    const place = find(0, node);
    expect(at(footage.frame(3).rods[place.rod].nodePosition, place.node)).toEqual(
      at(source.frame(3).rods[0].nodePosition, node),
    );
  }
});

it('leaves recordings without breaks as they are', () => {
  const source = film({ ...rope, rods: [{ ...rope.rods[0], break: { tension: 1e6 } }] });
  expect(cutBroken(source).footage).toBe(source);
});
