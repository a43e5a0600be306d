/** What the steps of a lane have to say: remarks, and what the energy audit found, in words. */
import type { StepReport } from '@tendril-sim/core';
import { createStepTotals, describeGain, describeLoss } from '@tendril-sim/io';

/** More remarks are not kept: a run of hours must not fill the page. */
const MOST = 20;

export interface Doubts {
  add(report: StepReport): void;
  /** So far; empty if nothing is in doubt. */
  list(): readonly string[];
}

export function createDoubts(): Doubts {
  const totals = createStepTotals();
  const remarks = new Set<string>();
  let hasFinding = false;
  return {
    add(report) {
      for (const remark of report.remarks ?? []) if (remarks.size < MOST) remarks.add(remark);
      hasFinding ||= Boolean(report.energyGain ?? report.energyLoss ?? report.momentumGain);
      // most steps find nothing
      if (hasFinding) totals.add(report);
    },
    list() {
      if (!hasFinding) return [...remarks];
      const sums = totals.totals();
      return [...remarks, describeGain(sums), describeLoss(sums)].filter((text) => text !== undefined);
    },
  };
}
