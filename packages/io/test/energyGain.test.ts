import type { StepReport } from '@tendril-sim/core';
import { expect, it } from 'vitest';
import { createStepTotals, describeGain } from '../src/index.ts';

const report = (time: number, energyGain?: StepReport['energyGain']): StepReport => ({
  time,
  dt: 0.1,
  substeps: 1,
  iterations: 2,
  iterationsMax: 2,
  shifts: 0,
  ...(energyGain && { energyGain }),
});

it('names the largest gain and the step that gained most', () => {
  const totals = createStepTotals();
  totals.add(report(0.1));
  expect(describeGain(totals.totals())).toBeUndefined();
  totals.add(report(0.2, { gain: 3, step: 3, scale: 4 }));
  totals.add(report(0.3, { gain: 5, step: 2, scale: 6 }));
  totals.add(report(0.4, { gain: 4, step: -1, scale: 6 }));
  expect(totals.totals().energyGain).toEqual({ steps: 3, gain: 5, scale: 6, worstTime: 0.2, worstStep: 3 });
  expect(describeGain(totals.totals())).toContain('energy was created: 5.0 J');
  expect(describeGain(totals.totals())).toContain('t = 0.200000 s');
});
