/** Newton's method, descent and stability verdict for linked rods together. The equations are in linkedEquations.ts. */

import { factorSparse, solveSparse } from '../../linalg/sparse.ts';
import { sin } from '../../math/rounded/index.ts';
import { descendBySteps } from '../../statics/descent.ts';
import { type NewtonResult, noVerdict, type Verdict } from '../../statics/search.ts';
import {
  evaluate,
  factorShifted,
  hold,
  type LinkedEquations,
  measureBalance,
  revert,
  stepOf,
  takeStep,
  writeRight,
} from './linkedEquations.ts';

/** Result of a search for an equilibrium of linked rods. */
export type Outcome = Omit<NewtonResult, 'shifts'>;

export interface NewtonWishes {
  readonly tolerance: number;
  readonly iterations: number;
  /** Weight of a fictitious inertia about the last `hold`, in the metric of the stiffness. Default 0. */
  readonly inertia?: number;
  /** True when leaving an unstable equilibrium, to which the search must not return. Default false. */
  readonly leaving?: boolean;
}

/** Starts from the current state; on failure the state is arbitrary. */
export function newton(system: LinkedEquations, t: number, wishes: NewtonWishes): Outcome {
  const { tolerance, iterations: limit, inertia = 0, leaving = false } = wishes;
  const out: Outcome = { converged: false, iterations: 0, residual: 0, tolerance: 0, reason: '' };
  // when leaving a saddle a larger shift would make progress too slow
  const firstShift = leaving ? 1e-9 : 1e-7;
  let shift = 0;
  let last = { part: 0, turn: Infinity };
  for (;;) {
    if (!evaluate(system, { t, what: 'matrix', inertia }))
      return { ...out, reason: 'an edge has no length, or two point against each other' };
    const balance = measureBalance(system, tolerance);
    out.residual = balance.residual;
    out.tolerance = balance.tolerance;
    if (balance.settled) {
      const reason = explainFalseBalance(system);
      return { ...out, converged: reason === '', reason };
    }
    if (!(out.residual < Infinity)) return { ...out, reason: 'the residual is not a number' };
    if (out.iterations >= limit) return { ...out, reason: `no convergence in ${limit} iterations` };
    // close to an unstable equilibrium Newton converges to it: the verdict reports it, and descending away takes too long
    const near = !leaving && last.part === 1 && last.turn < 1e-2;
    while (!factorShifted(system, shift, near)) {
      shift = shift === 0 ? firstShift : 4 * shift;
      if (shift > 1e8) return { ...out, reason: 'the stiffness matrix cannot be made positive definite' };
    }
    last = solveStep(system);
    if (!(last.part > 0)) return { ...out, reason: 'the Newton step is not a number' };
    takeStep(system, last.part, shift);
    shift = shift > 4 * firstShift ? shift / 4 : 0;
    out.iterations++;
  }
}

/** Why a state in balance is no equilibrium of some rod, or ''. */
function explainFalseBalance({ parts }: LinkedEquations): string {
  for (const part of parts) {
    const reason = part.explainFalseBalance?.() ?? '';
    if (reason !== '') return reason;
  }
  return '';
}

/** Solves for Newton's step; returns the fraction of it that turns no edge too far, and the largest turn of the full step [rad]. */
function solveStep(system: LinkedEquations): { part: number; turn: number } {
  const { factor, parts, first, fixed, x } = system;
  writeRight(system);
  solveSparse(factor, x);
  let part = 1;
  let turn = 0;
  parts.forEach((one, m) => {
    for (let d = 0; d < one.size; d++) one.step[d] = fixed[first[m] + d] ? 0 : x[first[m] + d];
    part = Math.min(part, one.limitStep());
    turn = Math.max(turn, one.measureTurn(stepOf(system, m)));
  });
  return { part, turn };
}

/** At most `count` steps of descent in the metric of the stiffness. Returns the iterations. */
export function descend(system: LinkedEquations, t: number, count: number): number {
  return descendBySteps(
    {
      hold: () => hold(system),
      solve: (inertia) => newton(system, t, { tolerance: 1e-6, iterations: 30, inertia }),
      revert: () => revert(system, t),
    },
    count,
  );
}

/** Counts negative eigenvalues of the tangent stiffness. */
export function judge(system: LinkedEquations, t: number): Verdict {
  const { parts, size, fixed, values, zero, factor } = system;
  const done = evaluate(system, { t, what: 'tangent', inertia: 0 });
  if (!done || parts.some(({ conservative }) => !conservative)) return noVerdict;
  for (let i = 0; i < size; i++) if (!fixed[i]) values[i] += zero[i];
  if (!factorSparse(factor, values, 0)) return noVerdict;
  return { negativeModes: factor.negative, criterion: 'energy' };
}

/** Moves along the softest direction, by `amplitude` of the longest rod or until some edge turns by 0.3 rad. */
export function nudge(system: LinkedEquations, t: number, amplitude: number): void {
  if (!evaluate(system, { t, what: 'tangent', inertia: 0 })) return;
  const { parts, rods: members, scene } = system;
  writeSoftest(system);
  let turn = 1e-300;
  let length = 0;
  parts.forEach((part, m) => {
    length = Math.max(length, scene.rods[members[m]].length);
    turn = Math.max(turn, part.measureTurn(stepOf(system, m)));
  });
  const distance = Math.min(amplitude * length, 0.3 / turn);
  parts.forEach((part, m) => {
    part.move(stepOf(system, m), distance);
  });
}

/** Writes the softest direction to x, by inverse iteration; the largest of its positions is 1. */
function writeSoftest(system: LinkedEquations): void {
  const { size, fixed, x, scale, factor } = system;
  let shift = 1e-9;
  while (!factorShifted(system, shift) && shift < 1e8) shift *= 1.5;
  for (let d = 0; d < size; d++) x[d] = fixed[d] ? 0 : sin(1 + 0.7 * d) + 0.3 * sin(0.1 * d);
  for (let k = 0; k < 60; k++) {
    for (let d = 0; d < size; d++) x[d] = fixed[d] ? 0 : x[d] * scale[d];
    solveSparse(factor, x);
    let move = 1e-300;
    system.parts.forEach((part, m) => {
      move = Math.max(move, part.measureMove(stepOf(system, m)));
    });
    for (let d = 0; d < size; d++) x[d] /= move;
  }
}
