/** Error of a step, from the rotations that the steps before predict: for steps that control their length. */
import { square } from '../../math/rounded/index.ts';
import type { StrandTree } from './rod.ts';
import { type StepWork, writePast } from './trial.ts';

/** Rotations from two steps ago. */
const far = { out: new Float64Array(0) };

/** An accepted step: its length [s] and order, and the tolerated error of a joint [rad]. */
interface TakenStep {
  readonly h: number;
  readonly order: number;
  readonly tolerance: number;
}

/** Largest error of a joint in the step just taken, in units of the tolerance. */
export function estimateError(tree: StrandTree, work: StepWork, { h, order, tolerance }: TakenStep): number {
  const { linkCount, history } = tree;
  const { phi, past, v0 } = work;
  const [h1, h2, , count] = history.header;
  if (far.out.length < phi.length) far.out = new Float64Array(phi.length);
  let largest = 0;
  if (order === 2) writePast(far.out, work.q0, history.q2, linkCount);
  for (let k = 0; k < 3 * linkCount; k++) {
    let error: number;
    if (order === 2) {
      // through the three last points, in Newton's form
      const s1 = -past[k] / h1;
      const s2 = (past[k] - far.out[k]) / h2;
      const guess = h * s1 + (h * (h + h1) * (s1 - s2)) / (h1 + h2);
      const E = (h * h * square(h + h1)) / (6 * (2 * h + h1));
      const P = (h * (h + h1) * (h + h1 + h2)) / 6;
      error = (E / (E + P)) * (phi[k] - guess);
    } else if (count > 0) error = (h / (2 * h + h1)) * (phi[k] + (h / h1) * past[k]);
    else error = 0.5 * (phi[k] - h * v0[3 + k]);
    largest = Math.max(largest, Math.abs(error));
  }
  return largest / tolerance;
}
