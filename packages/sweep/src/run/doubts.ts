/** Reasons to doubt the numbers of a run: they make it `doubtful`. Warnings about its scene are told beside its numbers. */
import type { EquilibriumReport, StepReport, World } from '@tendril-sim/core';
import { describeGain, describeLoss, describeMissed, describeUnsettled, type StepTotals } from '@tendril-sim/io';
import type { Status } from './execute.ts';

/** More remarks or warnings than this are counted, not listed. */
const MOST = 4;

/** The first remarks of steps and equilibria, each once. */
export interface Remarks {
  add(remark: string | undefined): void;
  list(): readonly string[];
}

export function createRemarks(): Remarks {
  const found = new Set<string>();
  return {
    add(remark) {
      if (remark !== undefined) found.add(remark);
    },
    list: () => shorten([...found], 'remarks'),
  };
}

function shorten(texts: readonly string[], what: string): readonly string[] {
  return texts.length > MOST ? [...texts.slice(0, MOST), `${texts.length - MOST} more ${what}`] : texts;
}

export function addRemarks(to: Remarks, { remarks = [] }: Pick<StepReport, 'remarks'>): void {
  for (const remark of remarks) to.add(remark);
}

export function addEquilibriumRemarks(to: Remarks, reports: readonly EquilibriumReport[]): void {
  for (const { remark } of reports) to.add(remark);
}

/** Of a run in time; `readsReactions`: a quantity of the study is one of a reaction. */
export function doubtsOfRun(
  world: World,
  steps: StepTotals,
  remarks: Remarks,
  readsReactions: boolean,
): readonly string[] {
  const unsettled = readsReactions ? describeUnsettled(world.reactions()) : undefined;
  return [
    describeMissed(steps, world.scene),
    describeGain(steps),
    describeLoss(steps),
    unsettled,
    ...remarks.list(),
  ].filter((text) => text !== undefined);
}

/** `doubtful` with the reasons, or `done`; with the warnings of the world in both. */
export function judge(doubts: readonly string[], world: World): { readonly status: Status; readonly message?: string } {
  const warnings = shorten(world.warnings, 'warnings').map((text) => `warning: ${text}`);
  const message = [...doubts, ...warnings].join('; ');
  return { status: doubts.length > 0 ? 'doubtful' : 'done', ...(message !== '' && { message }) };
}
