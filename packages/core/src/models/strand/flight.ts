/**
 * Momentum of free strands in second-order steps.
 *
 * Backward differences of joint rates conserve momentum only to second order, because their axes turn with the links. The sum over the strand satisfies the
 * same formula in fixed axes, c0 P + c1 P₀ + c2 P₋₁ = h F, and the strand is given that velocity: exact, and closer to the converged flight than without.
 * (The same for the angular momentum, by a rotation of the whole, makes the error three to five times as large.)
 *
 * Vibrations that a step does not resolve, such as after an impact, may lose several per cent of angular momentum in one step, and may gain energy. Such a
 * step is rejected.
 */

import { square } from '../../math/rounded/index.ts';
import { createBulk, measureMotion } from './bulk.ts';
import { moveLinks, poseLinks } from './kinematics.ts';
import type { Bulk } from './records.ts';
import type { StrandTree } from './rod.ts';
import { turnBack } from './spatial.ts';
import { formula } from './trial.ts';

interface Scratch {
  readonly earlier: Bulk;
  readonly before: Bulk;
  readonly now: Bulk;
  q: Float64Array;
  v: Float64Array;
}
const scratch: Scratch = {
  earlier: createBulk(),
  before: createBulk(),
  now: createBulk(),
  q: new Float64Array(0),
  v: new Float64Array(0),
};

function poseAt(tree: StrandTree, q: Float64Array, v: Float64Array): void {
  const { base } = tree;
  tree.q.set(q);
  tree.v.set(v);
  turnBack(base.motion, 3, base.rotation, 0, v, 0);
  poseLinks(tree);
  moveLinks(tree);
}

/** A good step does not gain more than this part of the energy, and does not lose more than that part of the angular momentum. */
const GAIN = 3e-3;
const LOSS = 1e-2;

/** Energy below this part of that of the flight as a whole is rounding: a strand that falls without turning has none about its centre of mass. */
const ROUNDING = 1e-12;

/**
 * Call after a second-order step from q0, v0 of a free tree; changes only the origin's velocity. Returns false if the step must be rejected.
 */
export function keepMomentum(tree: StrandTree, q0: Float64Array, v0: Float64Array): boolean {
  const { history, v, originRate } = tree;
  const { h, c0, c1, c2 } = formula;
  const { earlier, before, now } = scratch;
  if (scratch.q.length !== tree.q.length) {
    scratch.q = new Float64Array(tree.q.length);
    scratch.v = new Float64Array(tree.v.length);
  }
  scratch.q.set(tree.q);
  scratch.v.set(v);
  poseAt(tree, history.q1, history.v1);
  measureMotion(earlier, tree);
  poseAt(tree, q0, v0);
  measureMotion(before, tree);
  poseAt(tree, scratch.q, scratch.v);
  measureMotion(now, tree);
  let missing = 0;
  let flight = 0;
  for (let k = 0; k < 3; k++) {
    const goal = ((h * now.push[k]) / now.mass - c1 * before.velocity[k] - c2 * earlier.velocity[k]) / c0;
    v[k] += goal - now.velocity[k];
    originRate[k] += (c0 * (goal - now.velocity[k])) / h;
    const turning = (h * now.moment[k] - c1 * before.angular[k] - c2 * earlier.angular[k]) / c0;
    missing += square(turning - now.angular[k]);
    flight += 0.5 * now.mass * square(goal);
  }
  turnBack(tree.base.motion, 3, tree.base.rotation, 0, v, 0);
  moveLinks(tree);
  const [xx, , , , yy, , , , zz] = before.inertia;
  const allowed = Math.max(before.lost, ROUNDING * flight);
  const size = 2 * allowed * (xx + yy + zz);
  return now.lost - h * now.pressure <= (1 + GAIN) * allowed && missing <= LOSS * LOSS * size;
}
