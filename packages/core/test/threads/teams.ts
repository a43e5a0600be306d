/** Threads on what `npm run build` made, and the scenes that they are compared on: the same bits whatever their number. */
import { type ContactForce, createWorld, type Model, type Scene, type World } from '@tendril-sim/core';
import { type BalanceRule, loadDer, loadThreadedDer, type ThreadOptions } from '@tendril-sim/core/kernels';
import { afterAll, expect } from 'vitest';
// the sources have no file that a thread could run
import { startThreads, type Threads } from '../../../io/dist/node.js';

/** Of those that end with the tests of the file. */
export function hire(count: number): Threads['ports'] {
  const threads = startThreads(count);
  afterAll(() => {
    threads.close();
  });
  return threads.ports;
}

let seed = 1;
/** Ranges of rods that end somewhere else in every step; and where they ended. */
const ends = new Set<string>();
const wander: BalanceRule = (bounds) => {
  ends.add(Array.from(bounds).join());
  return Array.from(bounds, (bound) => {
    seed = (seed * 16807) % 2147483647;
    return bound + 12 * (seed / 2147483647 - 0.5);
  });
};

/** Threads take part in whatever they can. */
export const eager: ThreadOptions = {
  leastParts: 2,
  leastTouching: 2,
  leastNumbers: 1,
  leastNodes: 1,
  balance: wander,
};

/** Who moves the rods of a world. */
export type Team = readonly [name: string, models: readonly Model[]];

/** One, two and three threads, with kernels; two take part in groups of five hairs on. */
export const hireAll = async (): Promise<readonly Team[]> => [
  ['one', [await loadDer()]],
  ['two', [await loadThreadedDer(hire(2), { leastParts: 2, leastTouching: 5, leastNodes: 60, balance: wander })]],
  ['three', [await loadThreadedDer(hire(3), eager)]],
];

/** What `act` finds in the world of each team is what it finds in the first's; in how many places the ranges of the others ended. */
export function compare(teams: readonly Team[], scene: Scene, act: (world: World) => unknown): number[] {
  const [first, ...others] = teams.map(([name, models]) => {
    ends.clear();
    return { name, found: act(createWorld(scene, { models })), places: ends.size };
  });
  for (const { name, found } of others) expect([name, found]).toEqual([name, first.found]);
  return others.map(({ places }) => places);
}

/** What a world says of its next steps; `after`: called after each, which changes nothing. */
export function takeSteps(world: World, count: number, after?: () => void): unknown[] {
  const reports: unknown[] = [];
  for (let k = 0; k < count; k++) {
    reports.push(world.step(), { ...world.contactReport }, world.hash());
    after?.();
  }
  return reports;
}

/** The same, with how many contacts there were after all of the steps; `kind`: of those alone. */
export function touch(
  world: World,
  count: number,
  kind?: ContactForce['kind'],
): { reports: unknown[]; touched: number } {
  let touched = 0;
  const reports = takeSteps(world, count, () => {
    touched += world.contactForces().filter((force) => !kind || force.kind === kind).length;
  });
  return { reports, touched };
}

/** Goes on from a saved state, back to it and on again, to the same end. */
export function repeat(world: World, count: number): string {
  const saved = world.save();
  const later = (): string => {
    for (let k = 0; k < count; k++) world.step();
    return world.hash();
  };
  const end = later();
  world.restore(saved);
  expect(later()).toBe(end);
  return end;
}

/** Hairs side by side that begin to fall, of two numbers of edges. */
export const hairs: Scene = {
  tendril: 1,
  gravity: [0, 0, -9.81],
  rods: Array.from({ length: 11 }, (_, k) => ({
    id: `hair ${k}`,
    shape: { type: 'straight', from: [0, 0.01 * k, 0], to: [0.1, 0.01 * k, 0] },
    edges: 8 + (k % 2),
    section: { type: 'circle', radius: 3e-5 + 1e-6 * k },
    material: { E: 3.5e9, G: 1e9, density: 1300 },
  })),
  pins: Array.from({ length: 11 }, (_, k) => ({ rod: `hair ${k}`, at: 'start' })),
  time: { duration: 1, step: 0.004 },
};

/** A floor below them. */
export const floorAt = (z: number): Scene['colliders'] => [
  { type: 'plane', position: [0, 0, z], normal: [0, 0, 1], friction: 0.3 },
];
