/** The results of every case with every model are the same to the last bit as when the table was written. */
import { cases } from '@tendril-sim/cases';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
// the sources have no file that a thread could run
import { startThreads, type Threads } from '../packages/io/dist/node.js';
import { computeHashes, type Engines, loadEngines, modelIds, readTable } from './hashes/table.ts';

const started: Threads[] = [];
let engines: Engines;
beforeAll(async () => {
  engines = await loadEngines((count) => {
    const threads = startThreads(count);
    started.push(threads);
    return threads;
  });
});
afterAll(() => {
  for (const threads of started) threads.close();
});

describe.each(modelIds)('state hashes of %s', (model) => {
  const subjects = cases.filter(({ models }) => models.includes(model));
  const table = readTable(model);

  it('has one entry per case', () => {
    expect(Object.keys(table)).toEqual(subjects.map(({ id }) => id));
  });

  it.each(subjects.map((subject) => [subject.id, subject] as const))('%s', (id, subject) => {
    // if the change is meant: npm run hashes -- --case <id> --model <model>
    expect(computeHashes(subject, model, engines)).toEqual(table[id]);
  });

  it('has the same hash with kernels for any number of threads', () => {
    for (const { kernels, ...others } of Object.values(table))
      for (const way of ['threads 1', 'threads 2', 'threads 3'])
        if (kernels !== undefined) expect(others[way]).toBe(kernels);
  });
});
