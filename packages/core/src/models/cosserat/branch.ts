/** Implements the branch follower's interface (statics/branch.ts) for a rod. */

import { clearBand } from '../../linalg/bandMatrix.ts';
import { type BranchRod, stiffOnBranch } from '../../statics/branchProblem.ts';
import { createBranchLoads } from '../bandedStatics.ts';
import {
  evaluatePins,
  measureStrain,
  moveBy,
  placePinned,
  poseSamples,
  rememberHeldFrames,
  spreadHeldTwist,
} from './kinematics.ts';
import { writeRightSide } from './newton.ts';
import { capPenalties, createRestProblem } from './restNewton.ts';
import type { CosseratRod } from './rod.ts';
import { evaluateLoads, evaluateStage, type Workspace } from './stage.ts';
import { judgeStability } from './statics.ts';
import { returnToSnapshot, type Snapshot, takeSnapshot } from './step.ts';
import { measureLoads } from './tangent.ts';

export function createBranchRod(
  cos: CosseratRod,
  work: Workspace,
  places: { readonly start: Snapshot; readonly entry: Snapshot },
  t: number,
): BranchRod {
  const stage = { t, rate: 0, descent: 0 };
  const snapshots = { point: places.entry, trial: places.start };
  const multiple = stiffOnBranch(cos.edgeCount);
  const rest = createRestProblem(cos, work, stage, multiple);
  return {
    rest,
    stage,
    ...createBranchLoads(cos, work, () => measureLoads(cos, work, stage.t)),
    place(at) {
      evaluatePins(cos, at);
      spreadHeldTwist(cos);
      rememberHeldFrames(cos);
      placePinned(cos, 'pose');
      return rest.follow();
    },
    evaluate(withMatrix) {
      evaluateLoads(cos, stage.t);
      capPenalties(cos, work, multiple);
      if (withMatrix) clearBand(work.matrix);
      if (Number.isNaN(evaluateStage(cos, work, stage, withMatrix ? work.matrix : undefined)))
        return 'a load is not a finite number';
      writeRightSide(cos, work);
      return '';
    },
    moveFree: (fraction) => moveBy(cos, work.step, fraction),
    hold: (place) => takeSnapshot(snapshots[place], cos),
    revert(place, at) {
      returnToSnapshot(cos, snapshots[place]);
      evaluatePins(cos, at);
      measureStrain(cos);
    },
    judge: (at) => judgeStability(cos, work, at),
    finish() {
      cos.v.fill(0);
      cos.acceleration.fill(0);
      // at rest the acceleration is known: it is zero
      cos.history[0] = 1;
      measureStrain(cos);
      poseSamples(cos);
    },
  };
}
