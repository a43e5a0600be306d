/**
 * Equilibria. Dead loads have a potential: Newton with Levenberg's shift descends in energy from the current state, by exact O(N) steps, and the pivots of
 * the last one give the stability verdict. A saddle is left along its softest direction; the energy only falls, so the search cannot return. With
 * `stability: report` the branch is followed (`branch.ts`).
 *
 * Loads that depend on the state (followers, torques, wind, position-dependent fields) in general have no potential. Finite differences give their
 * derivative, which makes the matrix dense: N evaluations and a factorization of order N³, only here.
 */
import type { PivotRule } from '../../linalg/pivotRule.ts';
import { hypot, sin } from '../../math/rounded/index.ts';
import type { EquilibriumOptions, EquilibriumReport } from '../../model.ts';
import { type NewtonResult, type Settled, seekStable, type Verdict } from '../../statics/search.ts';
import { followBranch, followPins } from './branch.ts';
import { evaluateLoads, fillAssembly, fillDiagonal, type Stage, type Workspace } from './energy.ts';
import { respondHold, weighHold } from './holdSolve.ts';
import { placeRoot, poseSamples, writeAllJacobians } from './kinematics.ts';
import { findLiveEquilibrium, judgeLiveStability } from './live.ts';
import { createResult, solveStage } from './newton.ts';
import { type HelixBody, type HelixRod, loadsDependOnState } from './rod.ts';
import { factorRod, solveRod } from './sweep.ts';

/**
 * Below this, relative to the elastic stiffness, an eigenvalue counts as zero: the plane in which a round column buckles. A
 * load is critical to within this part of itself.
 */
const ZERO_MODE = 1e-8;

/** Factors the tangent stiffness K_el + `shift`·K_el + K_loads at the current pose; dead loads. */
export function factorTangent(h: HelixBody, w: Workspace, t: number, shift: number, rule: PivotRule): boolean {
  const stage: Stage = { t, inertia: 0, rate: 0 };
  if (h.hold) weighHold(h, h.hold, 0);
  fillAssembly(h, w, stage);
  fillDiagonal(h, w, stage, shift);
  return factorRod(h, w.assembly, rule, 'geometric');
}

function judgeStability(h: HelixRod, w: Workspace, t: number): Verdict {
  if (h.hold) weighHold(h, h.hold, 0);
  if (loadsDependOnState(h)) return judgeLiveStability(h, w, t, ZERO_MODE);
  writeAllJacobians(h);
  factorTangent(h, w, t, ZERO_MODE, 'count-negative');
  const { negative } = w.assembly;
  return { negativeModes: h.hold ? negative - respondHold(h, w, h.hold) : negative, criterion: 'energy' };
}

/** The softest direction in the metric of the elastic stiffness, by inverse iteration; deterministic. */
function findSoftDirection(h: HelixRod, w: Workspace, t: number): Float64Array {
  const { stiffness } = h;
  writeAllJacobians(h);
  let shift = 1e-6;
  while (!factorTangent(h, w, t, shift, 'stop-at-negative') && shift < 1e12) shift *= 1.5;
  const x = Float64Array.from(stiffness, (k, d) => (sin(1 + 0.7 * d) + 0.3 * sin(0.1 * d)) / Math.sqrt(k));
  for (let round = 0; round < 60; round++) {
    let norm = 0;
    for (let d = 0; d < x.length; d++) norm += stiffness[d] * x[d] * x[d];
    const scale = 1 / Math.sqrt(norm);
    for (let d = 0; d < x.length; d++) x[d] *= scale * stiffness[d];
    solveRod(h, w.assembly, x);
  }
  return x;
}

/** Bends the rod along a direction until its frames have turned by `angle` [rad] in all. */
function nudge(h: HelixRod, direction: Float64Array, angle: number): void {
  let turn = 0;
  for (let e = 0; e < h.elementCount; e++)
    turn += h.elementLength[e] * hypot(direction[3 * e], direction[3 * e + 1], direction[3 * e + 2]);
  for (let d = 0; d < h.q.length; d++) h.q[d] += (angle / turn) * direction[d];
}

/** Limit of a step's total rotation [rad], or a fraction of the winding of the natural shape. More makes loops of straight hair. */
const TURN = 4;
const WINDING = 0.25;

export function turnLimit(h: HelixBody): number {
  let winding = 0;
  for (let e = 0; e < h.elementCount; e++)
    winding += h.elementLength[e] * hypot(h.kappaRest[3 * e], h.kappaRest[3 * e + 1], h.kappaRest[3 * e + 2]);
  return Math.max(TURN, WINDING * winding);
}

/** `leavesPlanes`: see NewtonOptions; a report must not. */
interface Manner {
  readonly tolerance: number;
  readonly leaving: boolean;
  readonly leavesPlanes: boolean;
}

function settle(h: HelixRod, w: Workspace, t: number, { tolerance, leaving, leavesPlanes }: Manner): NewtonResult {
  const stage: Stage = { t, inertia: 0, rate: 0 };
  const iterations = h.hold ? 300 : 100;
  const options = { tolerance, iterations, rotation: turnLimit(h), leavesPlanes: leavesPlanes && !h.hold };
  if (h.hold) weighHold(h, h.hold, 0);
  return loadsDependOnState(h) ? findLiveEquilibrium(h, w, stage, options, leaving) : solveStage(h, w, stage, options);
}

const UNSUPPORTED =
  'the model helix finds no equilibria under loads that depend on the shape if a pin holds the end; use model der';

/** With `stability: report`, stays on the branch; otherwise, or where the branch ends, descends in energy. */
function approach(h: HelixRod, w: Workspace, t: number, options: EquilibriumOptions): Settled {
  const { tolerance, stability } = options;
  const stays = stability === 'report';
  if (h.hold && loadsDependOnState(h)) return createResult(UNSUPPORTED);
  const before = h.q.slice();
  const from = h.rootTime;
  let iterations = 0;
  if (stays && !loadsDependOnState(h)) {
    const followed = followBranch(h, w, t, { tolerance, iterations: 100, rotation: turnLimit(h) });
    if (followed.converged) return followed;
    iterations = followed.iterations;
    h.q.set(before);
    placeRoot(h, from);
  }
  const manner = { tolerance, leaving: false, leavesPlanes: !stays };
  if (h.hold) {
    const followed = followPins(h, w, t, (now, rough) =>
      settle(h, w, now, { ...manner, tolerance: rough ?? tolerance }),
    );
    return { ...followed, iterations: iterations + followed.iterations, descended: true };
  }
  placeRoot(h, t);
  w.kappaBefore.set(h.q);
  let newton = { ...settle(h, w, t, manner) };
  if (!newton.converged && !loadsDependOnState(h)) {
    iterations += newton.iterations;
    // from the natural shape, where there is nothing to undo
    h.q.set(h.kappaRest);
    newton = { ...settle(h, w, t, manner) };
  }
  return { ...newton, iterations: iterations + newton.iterations, descended: !loadsDependOnState(h) };
}

export function findEquilibrium(h: HelixRod, w: Workspace, t: number, options: EquilibriumOptions): EquilibriumReport {
  const stage: Stage = { t, inertia: 0, rate: 0 };
  const report = seekStable(
    {
      settle: (from) =>
        from === 'saddle'
          ? { ...settle(h, w, t, { tolerance: options.tolerance, leaving: true, leavesPlanes: true }) }
          : approach(h, w, t, options),
      judge: () => judgeStability(h, w, t),
      leave(round) {
        evaluateLoads(h, w, stage);
        nudge(h, findSoftDirection(h, w, t), 0.1 * round);
        return 0;
      },
    },
    h.rod.id,
    options,
  );
  h.v.fill(0);
  const multiplier = h.hold?.multiplier.slice();
  h.memory.fill(0);
  if (multiplier) h.hold?.multiplier.set(multiplier);
  poseSamples(h);
  return report;
}
