/** What the report says of islands that were not solved. */
import { expect, it } from 'vitest';
import { addContact, createContactSet } from '../../src/contact/contactSet.ts';
import { clearReport, createReport } from '../../src/contact/report.ts';
import type { Collider } from '../../src/contact/shapes/collider.ts';
import type { Systems } from '../../src/contact/solve/islands.ts';
import { createSolveLog } from '../../src/contact/solve/solveLog.ts';
import type { Rod } from '../../src/scene/compiled.ts';

it('names the deepest contact of the island with the largest error', () => {
  const count = 4;
  const systems = { count, ofRod: (rod: number) => rod } as unknown as Systems;
  const rods = Array.from({ length: count }, (_, k) => ({ id: `rod ${k}` })) as unknown as Rod[];
  const log = createSolveLog(systems, rods, [{ id: 'floor' }] as unknown as Collider[]);
  const set = createContactSet();
  // two contacts of each rod with the floor, the second deeper
  for (let rod = 0; rod < count; rod++)
    for (const gap of [-1e-5, -2e-5 * (rod + 1)]) {
      const c = addContact(set);
      set.rodA[c] = rod;
      set.rodB[c] = -1;
      set.gap[c] = gap;
    }
  // the deepest of rod 1 is with a rod
  set.collider[3] = -1;
  set.rodB[3] = 2;
  const result = (error: number, converged: boolean) => ({ error, converged, iterations: 1 });
  const report = createReport();
  log.begin(set);
  log.record([0], result(0.1, false));
  log.record([1], result(0.3, false));
  log.record([2], result(0.2, false));
  log.record([3], result(0.9, true));
  log.writeTo(report, set);
  expect(report).toMatchObject({ converged: false, error: 0.9, worst: { rod: 'rod 1', other: 'rod 2' } });
  expect(report.overlap).toBeCloseTo(8e-5, 15);

  // the last solution of a system counts
  clearReport(report);
  log.record([1], result(0.01, true));
  log.writeTo(report, set);
  expect(report).toMatchObject({ converged: false, worst: { rod: 'rod 2', other: 'floor' } });
  clearReport(report);
  log.record([0, 2], result(0.01, true));
  log.writeTo(report, set);
  expect(report.converged).toBe(true);
  expect(report.worst).toBeUndefined();

  // of a batch one cannot say which; of a batch of one, one can
  clearReport(report);
  log.recordBatch((s) => s < 2, result(0.5, false));
  log.writeTo(report, set);
  expect(report.converged).toBe(false);
  expect(report.worst).toBeUndefined();
  clearReport(report);
  log.begin(set);
  log.recordBatch((s) => s === 3, result(0.5, false));
  log.writeTo(report, set);
  expect(report).toMatchObject({ converged: false, worst: { rod: 'rod 3', other: 'floor' } });
});
