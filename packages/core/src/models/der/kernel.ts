/**
 * What a kernel set does for this model: solves a stage of two rods at once. The caller injects it (`createWorld` with
 * `kernels`); without one, or where a pair cannot be solved together, newton.ts solves one rod after the other.
 */
import type { NewtonOptions, NewtonResult } from './newton.ts';
import type { DerRod } from './rod.ts';
import type { Stage, Workspace } from './stage.ts';
import { rotationStrain } from './strain.ts';

export interface PairMember {
  readonly der: DerRod;
  readonly work: Workspace;
}

/** Like `solveStage`, for both rods; iterations are those of the slower rod, residual and tolerance of the worse one. */
export type PairSolver = (stage: Stage, options: NewtonOptions) => NewtonResult;

export interface DerKernel {
  /** Solvers of all pairs of a bundle; the members of a pair have the same layout (`pairKey`). */
  createPairs(pairs: readonly (readonly [PairMember, PairMember])[]): PairSolver[];
}

/** Rods with the same key can be paired; undefined for a rod that cannot be paired at all. */
export function pairKey(der: DerRod): string | undefined {
  const { rod, joints, held, strain } = der;
  if (rod.closed || rod.edgeCount < 2 || strain !== rotationStrain) return undefined;
  return `${rod.nodeCount} ${joints.before.join()} ${joints.after.join()} ${held.count}`;
}

/** Whether both rods can be solved together now: the same unknowns prescribed, dead forces alone. */
export function canPair({ der: a }: PairMember, { der: b }: PairMember): boolean {
  for (const der of [a, b]) {
    if (der.drive.sources.some((source) => source.dependsOnState)) return false;
    if (der.loads.edgeTorque.some((torque) => torque !== 0)) return false;
  }
  return (
    a.fixed.every((fixed, d) => fixed === b.fixed[d]) && a.jointActive.every((active, i) => active === b.jointActive[i])
  );
}
