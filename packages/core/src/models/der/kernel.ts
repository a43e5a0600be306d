/**
 * What a kernel set does for this model: moves two rods at once. The caller injects it (`createWorld` with
 * `kernels`); without one, or where a pair cannot be solved together, newton.ts solves one rod after the other.
 */

import type { SingleRodBatch } from '../../model.ts';
import type { NewtonResult } from '../../statics/search.ts';
import type { NewtonOptions } from '../mixedNewton.ts';
import type { DerRod } from './rod.ts';
import type { RodStep, StepStart } from './rodStep.ts';
import type { Snapshot } from './snapshot.ts';
import type { Stage, Workspace } from './stage.ts';
import { rotationStrain } from './strain.ts';

export interface PairMember {
  readonly der: DerRod;
  readonly work: Workspace;
  readonly start: Snapshot;
}

/** Like `solveStage`, for both rods; iterations are those of the slower rod, residual and tolerance of the worse one. */
export type PairSolver = (stage: Stage, options: NewtonOptions) => NewtonResult;

/** Schemes whose steps a kernel knows as a whole. */
export type PairScheme = 'implicit-euler' | 'tr-bdf2';

export interface PairKernel {
  /** One stage from where the rods' arrays have them, and back there. */
  readonly solve: PairSolver;
  /**
   * A whole step from t to t + h. The rods' state and samples are those of its end; lengths, tangents, material axes and twist
   * are not written: they follow from the state, and few ask. A failure leaves the state untouched. Nothing is returned, and
   * nothing done, where the first guess needs more than a kernel knows. If a matrix was shifted, the
   * members' `start` is where the step began, and the caller has to check that no turn of twist was lost.
   */
  step(scheme: PairScheme, t: number, h: number, options: NewtonOptions): RodStep | undefined;
  /**
   * An implicit Euler step of the rods that are numbers `first` and `second` of the job, or of one of them where the other is −1, under
   * the contacts that it lists; `starts`: where they began. Leaves what `step` leaves. Not ok: nothing was moved.
   */
  stepInContact(
    job: SingleRodBatch,
    first: number,
    second: number,
    starts: readonly [StepStart, StepStart],
    options: NewtonOptions,
  ): RodStep;
}

export interface DerKernel {
  /** Kernels of all pairs of a bundle; the members of a pair have the same layout (`pairKey`). */
  createPairs(pairs: readonly (readonly [PairMember, PairMember])[]): PairKernel[];
}

/** Rods with the same key can be paired; undefined for a rod that cannot be paired at all. */
export function pairKey(der: DerRod): string | undefined {
  const { rod, held, strain, pins } = der;
  // the angle of a hinge is found between iterations, which the kernel does not do
  if (rod.closed || rod.edgeCount < 2 || strain !== rotationStrain || held.hinged.includes(1)) return undefined;
  // which joints there are follows
  let key = `${rod.nodeCount}`;
  for (const { node, holdX, holdY, holdZ, orientation } of pins)
    key += ` ${node} ${holdX} ${holdY} ${holdZ} ${orientation}`;
  return key;
}

/** Whether both rods can be solved together now: the same pins hold. */
export function canPair({ der: a }: Pick<PairMember, 'der'>, { der: b }: Pick<PairMember, 'der'>): boolean {
  for (let p = 0; p < a.poses.length; p++) if (a.poses[p].active !== b.poses[p].active) return false;
  return true;
}
