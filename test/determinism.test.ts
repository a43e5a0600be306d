/** Node and Chromium compute the same bits: `npm run determinism` compares more engines, threads, reads and resumed runs. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DeterminismPage, openPage } from './determinism/chromium.ts';
import { hashOf, listSubjects } from './determinism/subject.ts';
import { loadKernels } from './determinism/ways.ts';

const steps = 3;
// every third case of each model: about thirty
const seen = new Map<string, number>();
const subjects = listSubjects().filter((subject) => {
  const model = subject.split(' ')[1];
  const count = seen.get(model) ?? 0;
  seen.set(model, count + 1);
  return count % 3 === 0;
});

let opened: DeterminismPage;
beforeAll(async () => {
  opened = await openPage();
});
afterAll(async () => {
  await opened.browser.close();
});

it('has subjects of every model', () => {
  expect(subjects.length).toBeGreaterThan(25);
  expect(new Set(subjects.map((subject) => subject.split(' ')[1])).size).toBe(6);
});

it('gives the same hashes in Node and in Chromium, plain and with kernels', async () => {
  const list = JSON.stringify(subjects);
  const there = await opened.page.evaluate(`(async () => {
    const kernels = await determinism.loadKernels();
    return ${list}.map((subject) => [
      subject,
      determinism.hashOf(subject, 'steps', ${steps}),
      determinism.hashOf(subject, 'steps', ${steps}, kernels) ?? '',
    ]);
  })()`);
  const kernels = await loadKernels();
  const here = subjects.map((subject) => [
    subject,
    hashOf(subject, 'steps', steps),
    hashOf(subject, 'steps', steps, kernels) ?? '',
  ]);
  expect(there).toEqual(here);
});
