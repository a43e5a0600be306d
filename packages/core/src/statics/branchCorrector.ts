/** Newton's method for the point of a branch at a given arc length from the held point. */
import { differentiate, dot, MAX_ITERATIONS, solveStep, type Trace } from './branchTrace.ts';
import { type Correction, createRestTest } from './convergence.ts';
import { measureBending, measureMove, measureScales } from './newton.ts';

export interface SolveOutcome {
  readonly trouble: string;
  readonly iterations: number;
}

/**
 * Moves by the whole of `step`: a Newton step, or a prediction, which leaves the edges' forces as they are. Pins have then moved alone by as much as several
 * edges, and forces from such stretch would be absurd. Returns the reason if the move is impossible, else ''.
 */
function move({ problem, stepped }: Trace, how: 'predict' | 'correct'): string {
  const fraction = problem.limitStep();
  if (!(fraction > 0)) return 'the Newton step is not a number';
  if (fraction < 1) return 'an edge turns too far';
  for (let d = 0; d < stepped.length; d++) stepped[d] += problem.step[d];
  if (how === 'predict') problem.moveFree(1);
  else problem.takeStep(1);
  return problem.follow();
}

/** Newton's method for the point at arc length ds from the held point. */
export function correct(trace: Trace, ds: number): SolveOutcome {
  const { problem, tangent, options, range, byParameter, stepped } = trace;
  const { step } = problem;
  const start = problem.parameter;
  stepped.fill(0);
  const placed = problem.place(start + ds * tangent.t) || problem.evaluateRight();
  if (placed) return { trouble: placed, iterations: 0 };
  for (let d = 0; d < step.length; d++) step[d] = ds * tangent.x[d];
  let trouble = move(trace, 'predict');
  const test = createRestTest(options.tolerance, { keepsBranch: true });
  // closed contacts are stiff springs: a displacement within the tolerance may be a force that is not
  const needsPolish = options.contacts !== undefined;
  let isPolished = false;
  for (let iterations = 0; iterations < MAX_ITERATIONS && !trouble; iterations++) {
    trouble = problem.linearize('between');
    if (trouble) break;
    const right = step.slice();
    const errors = problem.edgeErrors.slice();
    trouble = differentiate(trace);
    if (trouble) break;
    solveStep(trace, right, errors);
    const missing = ds - dot(trace, tangent.x, stepped) - (tangent.t * (problem.parameter - start)) / (range * range);
    const change =
      (missing - dot(trace, tangent.x, right)) / (tangent.t / (range * range) + dot(trace, tangent.x, byParameter));
    trouble = problem.place(problem.parameter + change) || problem.evaluateRight();
    if (trouble) break;
    solveStep(trace, step, problem.edgeErrors);
    const scales = measureScales(problem, { factored: false });
    const correction: Correction = {
      move: measureMove(problem),
      ...problem.measureEdges(scales.rounding),
      whole: true,
      residual: Infinity,
    };
    const decision = test.decide(correction, scales, () => measureBending(problem, scales));
    trouble = move(trace, 'correct');
    const isSettled = decision === 'converged' && Math.abs(change) <= 1e-9 * range;
    if (!trouble && (isPolished || (isSettled && !needsPolish))) return { trouble: '', iterations: iterations + 1 };
    isPolished = isSettled;
    if (isSettled) continue;
    if (decision === 'rounding' || decision === 'stuck') trouble ||= 'rounding hides the branch';
  }
  return { trouble: trouble || `no convergence in ${MAX_ITERATIONS} iterations`, iterations: MAX_ITERATIONS };
}
