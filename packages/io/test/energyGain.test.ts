import type { StepReport } from '@tendril-sim/core';
import { expect, it } from 'vitest';
import { createStepTotals, describeGain, describeLoss } from '../src/index.ts';

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

it('names the largest part of the energy that was lost, and when it was first reported', () => {
  const totals = createStepTotals();
  totals.add(report(0.1));
  expect(describeLoss(totals.totals())).toBeUndefined();
  totals.add({ ...report(0.2), energyLoss: { loss: 3, scale: 20 } });
  totals.add({ ...report(0.3), energyLoss: { loss: 9, scale: 20 } });
  totals.add({ ...report(0.4), energyLoss: { loss: 8, scale: 40 } });
  expect(totals.totals().energyLoss).toEqual({ loss: 9, scale: 20, time: 0.2 });
  expect(describeLoss(totals.totals())).toContain('9.0 J, 45 % of the largest energy (10 % at t = 0.200000 s)');
});
