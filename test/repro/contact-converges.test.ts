/**
 * Contact is solved with default settings: four of the first 120 steps of this scene, the first of docs/contact.md, ended at the limit of
 * iterations.
 */
import { createWorld } from '@tendril-sim/core';
import { parseScene, sceneFromObject } from '@tendril-sim/io';
import { expect, it } from 'vitest';
import { hairBallScene } from '../../cases/hair-ball/case.ts';
import { read } from '../files.ts';

it('solves every step of the first scene in docs/contact.md', () => {
  const [, text] = /```yaml\n([\s\S]*?)```/.exec(read('docs/contact.md')) ?? [];
  const world = createWorld(parseScene(text, 'contact.md').scene);
  const unsolved: number[] = [];
  for (let k = 0; k < 120; k++) if (!world.step().contact?.converged) unsolved.push(k);
  expect(unsolved).toEqual([]);
});

it('draws a rope of strand round a thick rod', () => {
  // links without spin inertia and with hardly any GJ, on levers a hundred thousand times stronger: the fourth step failed at any length
  const half = Math.PI / 48;
  const arc = Array.from({ length: 24 }, (_, k) => (2 * k + 1) * half);
  const radius = 1 / Math.cos(half);
  const edge = 2 * Math.tan(half);
  const line = (x: number): [number, number, number][] =>
    Array.from({ length: 6 }, (_, k) => [x, -(5.5 - k) * edge, 0] as [number, number, number]);
  const points: [number, number, number][] = [
    ...line(1),
    ...arc.map((angle): [number, number, number] => [radius * Math.cos(angle), radius * Math.sin(angle), 0]),
    ...line(-1).reverse(),
  ];
  const world = createWorld({
    tendril: 1,
    rods: [
      {
        id: 'rope',
        model: 'strand',
        shape: { type: 'points', points },
        natural: 'straight',
        section: { type: 'stiffness', EI1: 1e-6, GJ: 1e-6, mass: 1e-3, radius: 0.05 },
      },
      {
        id: 'peg',
        shape: { type: 'straight', from: [0, 0, -1], to: [0, 0, 1] },
        edges: 3,
        section: { type: 'stiffness', EI1: 1e7, GJ: 1e7, mass: 1000, radius: 0.95, inertia: 1000 },
      },
    ],
    pins: [
      { rod: 'rope', at: 'start', path: { keys: [{ time: 0 }, { time: 1, offset: [0, -0.05, 0] }] } },
      { rod: 'peg', at: 'start' },
      { rod: 'peg', at: 'end' },
    ],
    loads: [{ type: 'force', rod: 'rope', at: 'end', force: [0, -1, 0] }],
    contact: { friction: 0.2, self: false },
    time: { duration: 1, step: 1e-3 },
  });
  const reports = Array.from({ length: 60 }, () => world.step());
  expect(reports.every(({ contact }) => contact?.converged)).toBe(true);
  expect(reports.some(({ energyGain }) => energyGain)).toBe(false);
  // the pull at the start is between none and that of the capstan
  const [pull] = world.reactions();
  expect(-pull.force[1]).toBeGreaterThan(1);
  expect(-pull.force[1]).toBeLessThan(Math.exp(0.2 * Math.PI) + 0.01);
});

it('judges a step in pieces by overlaps at the starts of its pieces', () => {
  // a contact that a piece misses is found on the way, where rods have passed through each other: that is no overlap
  const ball = hairBallScene(32, 8, [0], true);
  const world = createWorld(sceneFromObject({ ...ball, time: { duration: 0.5, step: 1 / 120 } }));
  const reports = Array.from({ length: 50 }, () => world.step());
  expect(reports.some(({ substeps }) => substeps > 1)).toBe(true);
  expect(reports.map(({ contact }) => contact?.converged).indexOf(false)).toBe(-1);
  // 5 % of the radius of contact
  expect(Math.max(...reports.map(({ contact }) => contact?.overlap ?? 0))).toBeLessThan(1.5e-5);
});
