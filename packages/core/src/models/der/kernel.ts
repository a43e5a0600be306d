/**
 * The interface of a kernel set for this model: it moves two rods at once. The caller injects it (`createWorld` with `kernels`); without one, or if a
 * pair cannot be solved together, newton.ts solves one rod after the other.
 */

import type { SingleRodBatch } from '../../model.ts';
import type { NewtonResult } from '../../statics/search.ts';
import type { NewtonOptions } from '../mixedNewton.ts';
import type { RodStep } from '../rodStep.ts';
import type { DerRod } from './rod.ts';
import type { StepStart } from './slip.ts';
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

/** Schemes of which a kernel implements whole steps. */
export type PairScheme = 'implicit-euler' | 'tr-bdf2';

export interface PairKernel {
  /** One stage on the rods' own arrays. */
  readonly solve: PairSolver;
  /**
   * A whole step from t to t + h. Updates the rods' state and samples; lengths, tangents, material axes and twist are not written: they follow from the
   * state, and are seldom needed. A failure leaves the state unchanged. Returns nothing, and does nothing, if the first guess needs more than the kernel
   * supports. If a matrix was shifted, the members' `start` holds the start of the step, and the caller must check that no turn of twist was lost.
   */
  step(scheme: PairScheme, t: number, h: number, options: NewtonOptions): RodStep | undefined;
  /**
   * An implicit Euler step of rods `first` and `second` of the job, or of one of them if the other is −1, under the contacts that the job lists;
   * `starts`: their initial states. Updates the same quantities as `step`. On failure the rods are unchanged.
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
  // the angle of a hinge is found between iterations, which the kernel does not do; nor does it follow properties that change in time
  if (
    rod.closed ||
    rod.edgeCount < 2 ||
    strain !== rotationStrain ||
    held.hinged.includes(1) ||
    rod.animation ||
    rod.strength
  )
    return undefined;
  // the active joints follow from that
  let key = `${rod.nodeCount}`;
  for (const { node, holdX, holdY, holdZ, orientation } of pins)
    key += ` ${node} ${holdX} ${holdY} ${holdZ} ${orientation}`;
  return key;
}

/** True if both rods can be solved together now: the same pins are active. */
export function canPair({ der: a }: Pick<PairMember, 'der'>, { der: b }: Pick<PairMember, 'der'>): boolean {
  for (let p = 0; p < a.poses.length; p++) if (a.poses[p].active !== b.poses[p].active) return false;
  return true;
}
