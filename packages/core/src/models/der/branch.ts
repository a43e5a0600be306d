/** Implements the branch follower's interface (statics/branch.ts) for a rod. */

import { clearBand } from '../../linalg/bandMatrix.ts';
import type { BranchEnd, BranchOptions, BranchPoint } from '../../model.ts';
import { compileAlong } from '../../scene/parameter.ts';
import { followBranch } from '../../statics/branch.ts';
import { type BranchRod, stiffOnBranch } from '../../statics/branchProblem.ts';
import { createBranchLoads } from '../bandedStatics.ts';
import { evaluatePins, followCenterline, placePinned, poseSamples, spreadHeldTwist } from './kinematics.ts';
import { writeRightSide } from './newton.ts';
import { capPenalties, createRestProblem } from './restNewton.ts';
import type { DerRod } from './rod.ts';
import { returnToSnapshot, type Snapshot, takeSnapshot } from './snapshot.ts';
import { evaluateLoads, evaluateStage, lastTrouble, type Workspace } from './stage.ts';
import { judgeStability } from './statics.ts';
import { accessEdges, measureLoads } from './tangent.ts';

/** A followed rod, with its memory. */
interface Followed {
  readonly der: DerRod;
  readonly work: Workspace;
  readonly start: Snapshot;
  readonly entry: Snapshot;
}

/** Follows the branch of equilibria on which the rod is at t. */
function follow(followed: Followed, t: number, asked: BranchOptions): Generator<BranchPoint, BranchEnd> {
  return followBranch(createBranchRod(followed, t), asked);
}

/** Part of the model. */
export interface BranchParts {
  readonly follow: typeof follow;
  readonly compileAlong: typeof compileAlong;
}

/** For `createDerModel`: branches of equilibria. */
export const branchParts: BranchParts = { follow, compileAlong };

function createBranchRod({ der, work, start, entry }: Followed, t: number): BranchRod {
  const stage = { t, inertia: 0, rate: 0 };
  der.material?.beginRest();
  const snapshots = { point: entry, trial: start };
  const multiple = stiffOnBranch(der.edgeCount);
  const rest = createRestProblem(der, work, stage, multiple);
  return {
    rest,
    stage,
    edges: accessEdges(der, work),
    ...createBranchLoads(der, work, () => measureLoads(der, work, stage.t)),
    place(at) {
      const before = der.held.theta.slice();
      evaluatePins(der, at);
      spreadHeldTwist(der, before, undefined);
      placePinned(der, der.q, undefined);
      return rest.follow();
    },
    evaluate(withMatrix) {
      evaluateLoads(der, stage.t);
      capPenalties(der, work, multiple);
      if (withMatrix) clearBand(work.matrix);
      if (Number.isNaN(evaluateStage(der, work, stage, withMatrix ? work.matrix : undefined))) return lastTrouble();
      writeRightSide(der, work);
      return '';
    },
    moveFree(fraction) {
      for (let d = 0; d < der.size; d++) der.q[d] += fraction * work.step[d];
    },
    hold: (place) => takeSnapshot(snapshots[place], der),
    revert(place, at) {
      // `finish` ends the search at every point
      der.material?.beginRest();
      returnToSnapshot(der, snapshots[place], work, at);
    },
    judge: (at) => judgeStability(der, work, at),
    finish() {
      der.v.fill(0);
      der.acceleration.fill(0);
      der.history.fill(0);
      der.material?.endRest(true);
      followCenterline(der, work.edgeWork);
      poseSamples(der);
    },
  };
}
