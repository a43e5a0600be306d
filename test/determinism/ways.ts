/** All ways of computing in this engine, for the table that `npm run determinism` prints: habits × plain, kernels, threads. */
import { loadDer, loadFiber, loadThreadedDer, loadThreadedFiber, type ThreadPort } from '@tendril-sim/core/kernels';
import { type Engines, habits, hashOf, listSubjects } from './subject.ts';

/** Hashes by way and subject. */
export type Found = Readonly<Record<string, Readonly<Record<string, string>>>>;

export async function loadKernels(): Promise<Engines> {
  return { der: await loadDer(), fiber: await loadFiber() };
}

/** Threads that take part in whatever they can. */
async function loadThreads(ports: readonly ThreadPort[]): Promise<Engines> {
  const eager = { leastParts: 2, leastTouching: 2, leastNumbers: 1, leastNodes: 1 };
  return { der: await loadThreadedDer(ports, eager), fiber: await loadThreadedFiber(ports, eager) };
}

/** `every`: one subject in so many; `start`: starts threads, where the engine can. */
export async function findHashes(
  every: number,
  steps: number,
  start?: (count: number) => readonly ThreadPort[],
): Promise<Found> {
  const engines: [string, Engines | undefined][] = [
    ['plain', undefined],
    ['kernels', await loadKernels()],
  ];
  for (const count of start ? [1, 2, 3, 4] : [])
    engines.push([`threads ${count}`, await loadThreads(start?.(count) ?? [])]);
  const found: Record<string, Record<string, string>> = {};
  for (const [name, engine] of engines)
    for (const habit of habits) {
      const column: Record<string, string> = {};
      found[`${name}, ${habit}`] = column;
      for (const subject of listSubjects().filter((_, k) => k % every === 0)) {
        const hash = hashOf(subject, habit, steps, engine);
        if (hash !== undefined) column[subject] = hash;
      }
    }
  return found;
}
