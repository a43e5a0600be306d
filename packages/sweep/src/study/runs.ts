/** The distinct runs of a study: identical ones are made once. A shard is a slice of them. */
import { createHash } from 'node:crypto';
import type { RunSpec, Study } from './planTypes.ts';

/** One of `of` equal slices of the runs. */
export interface Shard {
  /** From 1. */
  readonly number: number;
  /** Number of slices. */
  readonly of: number;
}

/** Distinct runs of a study, or of one shard. */
export interface Runs {
  /** Runs of this list, by position. */
  readonly count: number;
  /** Rows of the design that repeat an earlier one. */
  readonly duplicates: number;
  /** Hash of the run at a position. */
  hash(position: number): string;
  /** Specification of the run at a position. */
  spec(position: number): RunSpec;
  /** Position of the run with this hash; undefined if it is not in the list. */
  position(hash: string): number | undefined;
  /** Of each parameter: whether all its values are numbers. */
  readonly numeric: readonly boolean[];
  /** Hash of the list. */
  readonly key: string;
}

/** Lists the distinct runs of a study, or of one shard. */
export function listRuns(study: Study, shard?: Shard): Runs {
  const first = new Map<string, number>();
  const indices: number[] = [];
  const hashes: string[] = [];
  const numeric = study.plan.parameters.map(() => true);
  const all = createHash('sha256');
  let distinct = 0;
  const seen = shard ? new Set<string>() : undefined;
  for (let index = 0; index < study.count; index++) {
    const { hash, values } = study.spec(index);
    values.forEach((value, k) => {
      if (typeof value !== 'number') numeric[k] = false;
    });
    if (first.has(hash) || seen?.has(hash)) continue;
    const isMine = !shard || distinct % shard.of === shard.number - 1;
    distinct++;
    seen?.add(hash);
    if (!isMine) continue;
    all.update(hash);
    first.set(hash, indices.length);
    indices.push(index);
    hashes.push(hash);
  }
  return {
    count: indices.length,
    duplicates: study.count - distinct,
    hash: (position) => hashes[position],
    spec: (position) => study.spec(indices[position]),
    position: (hash) => first.get(hash),
    numeric,
    key: all.digest('hex').slice(0, 32),
  };
}
