/** Finds equilibria one after the other. Those that follow the last one found are compared with it, if the world has `paths`; if not, reports say so. */
import type { EquilibriumReport } from '../model.ts';
import type { WorldParts } from './build.ts';
import type { PathSearch, PathWorld, Retry } from './pathPort.ts';
import { measureMotionAndStrain } from './read.ts';
import { hashState, restoreState, saveRods } from './state.ts';

export interface PathFollower {
  /** Equilibria at time t; on the branch of the last ones, if they follow these. */
  reach(t: number, search: PathSearch): EquilibriumReport[];
  /** See `PathModule`. */
  prepareRetry(): Retry | undefined;
}

export function createPathFollower(parts: WorldParts): PathFollower {
  const { clock, options } = parts;
  const { paths } = options;
  const world: PathWorld = {
    ...parts,
    storedEnergy: () => measureMotionAndStrain(parts, clock.time).stored,
    save: () => saveRods(parts, clock.time),
    restore: (state) => restoreState(parts, state),
  };
  let last = '';
  return {
    reach(t, search) {
      const isNext = clock.time !== t && hashState(parts) === last && canAuditPath(parts);
      const reports = isNext && paths ? paths.followBranch(world, t, search) : search.search(t);
      const isFound = reports.every(({ converged }) => converged);
      last = isFound ? hashState(parts) : '';
      return isFound && isNext && !paths ? reports.map(remarkUnaudited) : reports;
    },
    prepareRetry: () => paths?.prepareRetry(world),
  };
}

/**
 * True if the work between equilibria can be determined. Contacts dissipate, and so do laws with memory; what changes the rods themselves, or was changed by
 * hand, does work that no force shows.
 */
function canAuditPath({ scene, rods, drives, bodies, isAnimated }: WorldParts): boolean {
  return (
    !isAnimated &&
    scene.statics?.parameter === undefined &&
    drives.every(({ overrides }) => overrides === 0) &&
    rods.every(({ law }) => law === undefined || law.type === 'table') &&
    !bodies.some(({ path }) => path)
  );
}

function remarkUnaudited(report: EquilibriumReport): EquilibriumReport {
  const { rod, remark } = report;
  const text = `rod '${rod}': its equilibrium was not compared with the last one and may lie on another branch; pass paths of @tendril-sim/core/features to createWorld`;
  return { ...report, remark: remark === undefined ? text : `${remark}. ${text}` };
}
