/**
 * Checks whether a step lost turns of twist. Frames follow the centreline from iteration to iteration. If Newton has to search (a matrix that is not
 * positive, as while a knot jumps), an edge may turn the other way round than directly from the start of the step to its end. One full turn-over is two
 * turns of twist, although nothing has passed through anything. A twisted trefoil lost turns this way at steps of 1/240 s.
 *
 * The reference directors transported directly from start to end differ from those that followed the iteration by an angle at each edge, and so do the
 * twists of joints between them, up to whole turns. These sum to zero between two held frames, and around a closed rod, if both paths are equivalent.
 */
import { hypot } from '../../math/rounded/index.ts';
import { angleAbout3, transport3 } from '../../math/vec3.ts';
import type { DerRod } from './rod.ts';
import type { Snapshot } from './snapshot.ts';

/** Start of a step. */
export interface TwistStart {
  readonly q: Float64Array;
  readonly edgeReference: Float64Array;
  readonly jointReferenceTwist: Float64Array;
}

/** Start of a rod's step. */
export type StepStart = Pick<Snapshot, 'v'> & TwistStart;

const before3 = new Float64Array(3);
const tangent = new Float64Array(3);
let direct = new Float64Array(0);
let angle = new Float64Array(0);

/** Directors transported directly from the start, and the rotation of the current ones relative to them. */
function carryStraight({ edgeCount, nodeCount, edgeTangent, edgeReference }: DerRod, start: TwistStart): void {
  if (angle.length < edgeCount) {
    direct = new Float64Array(3 * edgeCount);
    angle = new Float64Array(edgeCount);
  }
  for (let j = 0; j < edgeCount; j++) {
    const a = 4 * j;
    const b = j + 1 < nodeCount ? a + 4 : 0;
    const length = hypot(start.q[b] - start.q[a], start.q[b + 1] - start.q[a + 1], start.q[b + 2] - start.q[a + 2]);
    for (let k = 0; k < 3; k++) tangent[k] = (start.q[b + k] - start.q[a + k]) / length;
    transport3(direct, 3 * j, start.edgeReference, 3 * j, tangent, 0, edgeTangent, 3 * j);
    angle[j] = angleAbout3(direct, 3 * j, edgeReference, 3 * j, edgeTangent, 3 * j);
  }
}

/** True if whole turns were lost or gained between held frames, or around a closed rod. */
export function losesTurns(der: DerRod, start: TwistStart): boolean {
  const { joints, jointActive, held, edgeTangent, jointReferenceTwist, rod } = der;
  carryStraight(der, start);
  let turns = 0;
  let first = 0;
  let heldBefore = false;
  for (let i = 0; i < joints.count; i++) {
    if (!jointActive[i]) continue;
    const before = joints.before[i];
    const after = joints.after[i];
    const a = before >= 0 ? 3 * before : 3 * (-1 - before);
    const b = after >= 0 ? 3 * after : 3 * (-1 - after);
    const toTangent = after >= 0 ? edgeTangent : held.tangent;
    transport3(
      before3,
      0,
      before >= 0 ? direct : held.director,
      a,
      before >= 0 ? edgeTangent : held.tangent,
      a,
      toTangent,
      b,
    );
    let straight = angleAbout3(before3, 0, after >= 0 ? direct : held.director, b, toTangent, b);
    straight += 2 * Math.PI * Math.round((start.jointReferenceTwist[i] - straight) / (2 * Math.PI));
    const turned = (after >= 0 ? angle[after] : 0) - (before >= 0 ? angle[before] : 0);
    turns += Math.round((jointReferenceTwist[i] - straight - turned) / (2 * Math.PI));
    if (after >= 0) {
      heldBefore ||= before < 0;
      continue;
    }
    if (heldBefore && turns !== 0) return true;
    if (!heldBefore) first = turns;
    heldBefore = true;
    turns = 0;
  }
  // the part before the first held frame of a closed rod continues after its last
  return rod.closed && first + turns !== 0;
}
