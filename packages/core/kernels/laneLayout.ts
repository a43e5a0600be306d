/** Layouts that the kernels of sweeps are made for, and the variants of the sweeps. */
import type { PairDescription } from './lanePairs.ts';
import type { LaneType } from './laneValues.ts';

export type Field = readonly [name: string, vectors: number];

/** src/batch/simd/description.ts and src/batch/layout.ts, as they are run by the build. */
export interface LaneDescription extends PairDescription {
  readonly headFields: readonly Field[];
  readonly nodeFields: readonly Field[];
  readonly workFields: readonly Field[];
  readonly contactFields: readonly Field[];
  readonly obstacleFields: readonly Field[];
  readonly parameterFields: readonly string[];
  readonly parameterIntegers: readonly string[];
}
export interface SweepLayout {
  readonly stageFields: readonly string[];
  readonly stateSlots: readonly unknown[];
  readonly ELASTIC_SLOTS: number;
  readonly MOST_ALONE: number;
}
/** A variant of the sweeps. `damped`: with damping of nodes and joints; `exact`: only Newton's iteration with the exact Hessian of joints. */
export interface LaneVariant {
  readonly suffix: string;
  readonly type: LaneType;
  readonly damped: boolean;
  readonly exact: boolean;
  /** With obstacles; sweeps then change the lanes of the head's mask only. */
  readonly contact: boolean;
}
