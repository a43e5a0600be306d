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
  // the angle of a hinge is found between iterations, which the kernel does not do
  if (rod.closed || rod.edgeCount < 2 || strain !== rotationStrain || held.hinged.includes(1)) return undefined;
  return `${rod.nodeCount} ${joints.before.join()} ${joints.after.join()} ${held.count}`;
}

/** Whether both rods can be solved together now: the same unknowns prescribed, dead forces alone. */
export function canPair({ der: a }: PairMember, { der: b }: PairMember): boolean {
  if (!hasDeadForcesAlone(a) || !hasDeadForcesAlone(b)) return false;
  for (let d = 0; d < a.size; d++) if (a.fixed[d] !== b.fixed[d]) return false;
  for (let i = 0; i < a.joints.count; i++) if (a.jointActive[i] !== b.jointActive[i]) return false;
  return true;
}

function hasDeadForcesAlone({ drive, loads }: DerRod): boolean {
  for (const source of drive.sources) if (source.dependsOnState) return false;
  for (let k = 0; k < loads.edgeTorque.length; k++) if (loads.edgeTorque[k] !== 0) return false;
  return true;
}
