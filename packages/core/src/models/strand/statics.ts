/**
 * Equilibria: Newton on the static residual, which is the gradient of the energy in turns of the joints.
 *
 * If all loads have a potential, the matrix is made positive definite by a multiple of the joints' stiffness (Levenberg) and a step must lower the energy;
 * the matrix is positive definite if every joint's pivot is, so the elimination detects it. With other loads (followers, wind) the residual must fall.
 * Loads are raised in increments (statics/search.ts) if the whole is too far. The verdict counts negative pivots at the solution, where the matrix is symmetric.
 */
import { sin } from '../../math/rounded/index.ts';
import type { EquilibriumOptions, EquilibriumReport } from '../../model.ts';
import { noVerdict, raiseLoads, type Settled, seekStable } from '../../statics/search.ts';
import { RIGID } from './bodyLinkTypes.ts';
import { constraintMerit, prepareConstraints, springEnergy } from './constraints.ts';
import { elasticEnergy } from './energy.ts';
import { poseSamples, turnJoint } from './kinematics.ts';
import { meetConstraints } from './meetConstraints.ts';
import { factorSweep, setStraightChart, solveSweep } from './newton.ts';
import type { Constraints, Sweep } from './records.ts';
import { evaluateResidual } from './residual.ts';
import type { StrandTree } from './rod.ts';
import { countUnstable } from './stability.ts';

export interface StaticsWork {
  readonly sweep: Sweep;
  readonly direction: Float64Array;
  readonly scaled: Float64Array;
  readonly q0: Float64Array;
}

function energyOf(tree: StrandTree, t: number): number {
  poseSamples(tree);
  const { bending, twisting } = elasticEnergy(tree);
  let sum = bending + twisting;
  if (tree.constraints && tree.constraints.spring > 0) sum += springEnergy(tree.constraints, tree);
  for (const { drive, samples } of tree.rods) {
    for (const source of drive.sources) sum += tree.loadFactor * source.potential(samples, t);
  }
  return sum;
}

/** True if all loads have a potential, so that steps can be judged by energy. */
export function isConservative({ rods, law, direction }: StrandTree): boolean {
  return (
    law !== 'paper' &&
    !direction?.pose &&
    rods.every(({ drive }) => drive.sources.every((source) => !source.dependsOnState))
  );
}

const largest = (values: Float64Array, count: number): number =>
  values.subarray(0, count).reduce((most, value) => Math.max(most, Math.abs(value)), 0);

/** Torques that must cancel [N m]. */
function torqueScale({ torque, force, linkCount }: StrandTree): number {
  let out = largest(torque, 3 * linkCount);
  for (let j = 0; j < linkCount; j++) out = Math.max(out, largest(force.subarray(6 * j), 3));
  return out;
}

/** Torque of a turn of 1e-4 rad in the stiffest joint [N m]: a part of it is rounding. It grows with the number of links, the loads do not. */
function stiffnessScale({ linkCount, stiffness }: StrandTree): number {
  let out = 0;
  for (let j = 0; j < linkCount; j++) out = Math.max(out, 1e-4 * Math.min(stiffness[3 * j], stiffness[3 * j + 1]));
  return out;
}

function moveTrial(tree: StrandTree, { q0, direction }: StaticsWork, share: number, scaled: Float64Array): void {
  for (let k = 0; k < 3 * tree.linkCount; k++)
    scaled[k] = tree.lock[Math.floor(k / 3)] === RIGID ? 0 : share * direction[k];
  for (let j = 0; j < tree.linkCount; j++) turnJoint(tree.q, 3 + 4 * j, q0, 3 + 4 * j, scaled, 3 * j);
}

/** gᵀd and dᵀKd, for the model of the energy. */
function measureStep({ residual, stiffness, linkCount }: StrandTree, direction: Float64Array): [number, number] {
  let slope = 0;
  let bend = 0;
  for (let k = 0; k < 3 * linkCount; k++) {
    slope += residual[k] * direction[k];
    bend += stiffness[k] * direction[k] * direction[k];
  }
  return [slope, bend];
}

const failed: Settled = { converged: false, iterations: 0, residual: Infinity, tolerance: 0, reason: '' };

interface Search {
  readonly tolerance: number;
  /** Maximum number of iterations. */
  readonly limit: number;
  /** Led by the residual, so that an unstable equilibrium is not left; by default the energy must fall. */
  readonly stays?: boolean;
}

/** A trial step: energies before and after it, the decrease that the model predicts, and whether it halves the residual. */
interface Trial {
  readonly energy: number;
  readonly trialEnergy: number;
  readonly predicted: number;
  readonly isHalved: boolean;
}

/** Accepts a step that lowers the energy, and adapts the shift of the matrix to how well the model predicts it. */
function judgeByEnergy(
  { energy, trialEnergy, predicted, isHalved }: Trial,
  shift: number,
): { readonly accept: boolean; readonly shift: number } {
  const ratio = (energy - trialEnergy) / predicted;
  // near the solution energies differ by rounding alone: compare residuals
  const accept = ratio > 1e-4 || (isHalved && predicted < 1e-9 * Math.abs(energy) + 1e-300);
  if (accept && ratio > 0.75) return { accept, shift: shift < 1e-4 ? 0 : shift / 8 };
  return { accept, shift: ratio < 0.25 ? Math.max(4 * shift, 1e-3) : shift };
}

/** Newton's method on the balance of a strand: what its stages share. */
interface Balance {
  readonly tree: StrandTree;
  readonly work: StaticsWork;
  readonly t: number;
  /** Rows that are met exactly; absent if there are none, or if springs replace them. */
  readonly constraints: Constraints | undefined;
  /** True if steps are judged by energy, otherwise by the residual. */
  readonly conservative: boolean;
  /** Constraint forces before a trial step, and those of Newton's direction. */
  readonly forces: Float64Array;
  readonly wanted: Float64Array;
  energy: number;
  /** Shift of the matrix. */
  shift: number;
}

function startBalance(
  tree: StrandTree,
  work: StaticsWork,
  t: number,
  { stays }: { readonly stays: boolean | undefined },
): Balance {
  const springs = tree.constraints !== undefined && tree.constraints.spring > 0;
  const constraints = springs ? undefined : tree.constraints;
  // rows that are met exactly have no energy of their own: the residual decides
  const conservative = isConservative(tree) && !constraints && !stays;
  work.sweep.columns = 6;
  work.sweep.coefficient = 0;
  evaluateResidual(tree, t, undefined, 'new-time');
  if (constraints) prepareConstraints(constraints, tree, 0);
  const forces = constraints ? constraints.force.slice() : new Float64Array(0);
  const energy = conservative ? energyOf(tree, t) : 0;
  return { tree, work, t, constraints, conservative, forces, wanted: forces.slice(), energy, shift: 0 };
}

/** Largest residual torque, plus the error of the constraints. */
function measureResidual({ tree, constraints }: Balance): number {
  const { residual, linkCount, reach } = tree;
  return largest(residual, 3 * linkCount + 3) + (constraints ? Math.sqrt(constraintMerit(constraints, reach)) : 0);
}

/** Factors the matrix and writes Newton's direction, with its constraint forces; or raises the shift, because the matrix needs a larger one. */
function writeBalanceDirection(balance: Balance): 'written' | 'shifted' | 'singular' {
  const { tree, constraints, conservative, forces, wanted } = balance;
  const { sweep, direction } = balance.work;
  const good = factorSweep(tree, sweep, balance.shift);
  if (!good || (conservative && sweep.negative > 0)) {
    balance.shift = Math.max(4 * balance.shift, good ? 1e-3 : 1e-8);
    return balance.shift > 1e12 ? 'singular' : 'shifted';
  }
  if (constraints) forces.set(constraints.force);
  solveSweep(direction, tree, sweep, { residual: tree.residual });
  const isSolved =
    (!constraints || meetConstraints(direction, wanted, constraints, tree, sweep)) &&
    largest(direction, 3 * tree.linkCount) < Number.POSITIVE_INFINITY;
  if (isSolved) return 'written';
  balance.shift = Math.max(4 * balance.shift, 1e-8);
  return 'shifted';
}

/** Moves along the direction, by at most half a radian per joint; undoes the step if it is not accepted. `now`: the residual before it. */
function tryBalanceStep(balance: Balance, now: number): { readonly accept: boolean; readonly turned: number } {
  const { tree, work, t, constraints, conservative, forces, wanted } = balance;
  const { direction, scaled, q0 } = work;
  const turned = largest(direction, 3 * tree.linkCount);
  const share = Math.min(1, 0.5 / turned);
  const [slope, bend] = measureStep(tree, direction);
  q0.set(tree.q);
  moveTrial(tree, work, share, scaled);
  for (let r = 0; constraints && r < forces.length; r++)
    constraints.force[r] = (1 - share) * forces[r] + share * wanted[r];
  evaluateResidual(tree, t, undefined, 'same-time');
  const next = measureResidual(balance);
  let accept: boolean;
  let { shift } = balance;
  if (conservative) {
    const trialEnergy = energyOf(tree, t);
    const predicted = -share * slope + 0.5 * share * share * (slope + shift * bend);
    const { energy } = balance;
    ({ accept, shift } = judgeByEnergy({ energy, trialEnergy, predicted, isHalved: next < 0.5 * now }, shift));
    if (accept) balance.energy = trialEnergy;
  } else {
    accept = next < 0.5 * now || next < now * (1 - 1e-3 * share);
    shift = accept ? (shift < 1e-6 ? 0 : shift / 8) : Math.max(4 * shift, 1e-4);
  }
  balance.shift = shift;
  if (!accept) {
    tree.q.set(q0);
    constraints?.force.set(forces);
    evaluateResidual(tree, t, undefined, 'same-time');
  }
  return { accept, turned };
}

function solveBalance(tree: StrandTree, work: StaticsWork, t: number, { tolerance, limit, stays }: Search): Settled {
  const { reach } = tree;
  const stiff = stiffnessScale(tree);
  const balance = startBalance(tree, work, t, { stays });
  let reason = `${limit} iterations were not enough`;
  let iterations = 0;
  let isMoved = false;
  for (; iterations < limit; iterations++) {
    const now = measureResidual(balance);
    const acting = torqueScale(tree);
    const scale = Math.max(acting, stiff);
    // small loads on stiff or fine strands are below the rounding of a bent one, so the first state must balance them itself
    if (now <= tolerance * (isMoved ? scale : acting))
      return { converged: true, iterations, residual: now / reach, tolerance: (tolerance * scale) / reach, reason };
    const outcome = writeBalanceDirection(balance);
    if (outcome === 'shifted') continue;
    if (outcome === 'singular') {
      reason = 'the matrix is singular';
      break;
    }
    const { accept, turned } = tryBalanceStep(balance, now);
    isMoved ||= accept;
    if (accept || (turned >= 1e-13 && balance.shift <= 1e12)) continue;
    // rounding prevents further progress
    const floor = 1e-9 * scale;
    return {
      converged: now <= floor,
      iterations,
      residual: now / reach,
      tolerance: floor / reach,
      reason: 'no step lowers the energy',
    };
  }
  return { converged: false, iterations, residual: measureResidual(balance) / reach, tolerance: 0, reason };
}

/** Moves the strand to its constraints, which act as springs of increasing stiffness. */
function approachRows(tree: StrandTree, work: StaticsWork, t: number): number {
  const { constraints } = tree;
  if (!constraints) return 0;
  let iterations = 0;
  // a straight strand under end compression has no preferred direction
  perturb(tree, work, 1e-3);
  for (const spring of [0.1, 10, 1e3, 1e5]) {
    constraints.spring = spring;
    iterations += solveBalance(tree, work, t, { tolerance: 1e-6, limit: 100 }).iterations;
  }
  constraints.spring = 0;
  tree.pointMasses = undefined;
  return iterations;
}

/** A small turn of every joint, always the same, that has a part along whatever is unstable. */
function perturb(tree: StrandTree, work: StaticsWork, amount: number): void {
  for (let k = 0; k < 3 * tree.linkCount; k++) work.direction[k] = amount * (sin(1 + 0.7 * k) + 0.3 * sin(0.1 * k));
  work.q0.set(tree.q);
  moveTrial(tree, work, 1, work.scaled);
}

/** How far a pin or joint may be from its goal in an equilibrium, over the strand's length. */
const REACHED = 1e-4;

/** Reason why constraints are not met: links do not stretch, so a pin may be out of reach. Empty if they are. */
function describeUnmet({ constraints, reach }: StrandTree): string {
  if (!constraints || constraints.violation <= REACHED * reach) return '';
  return `a pin or joint is ${constraints.violation.toPrecision(3)} m away from where it is held: the links of a strand do not stretch, whatever EA is; bring the pins closer, or use der`;
}

/** Attempts at an equilibrium: their starting state, and the iterations since the counter was last reset. */
interface Attempts {
  readonly tree: StrandTree;
  readonly work: StaticsWork;
  readonly t: number;
  readonly options: EquilibriumOptions;
  readonly start: Float64Array;
  iterations: number;
}

function attempt(of: Attempts, search: Search): Settled {
  const found = solveBalance(of.tree, of.work, of.t, search);
  of.iterations += found.iterations;
  return found;
}

/** Raises the loads in increments, from the start. */
function raiseInParts(of: Attempts, { stays }: { readonly stays: boolean }): Settled {
  const { tree, start, options } = of;
  const kept = start.slice();
  tree.q.set(start);
  return raiseLoads(
    {
      setLoads(share) {
        tree.loadFactor = share;
      },
      solve: (tolerance) => ({ ...attempt(of, { tolerance, limit: 200, stays }) }),
      hold: () => kept.set(tree.q),
      revert: () => tree.q.set(kept),
    },
    options.tolerance,
  ).last;
}

/** Rows that are violated by less, over the strand's length, are those of pins that have moved a little since the last equilibrium. */
const NEAR = 0.1;

/** Newton's method from a state that nearly meets its constraints, such as the last equilibrium. The soft springs of `approachRows` straighten a buckled strand. */
function solveNear(of: Attempts): Settled {
  const { tree, work, t, start } = of;
  const { constraints, reach } = tree;
  if (!constraints) return failed;
  startBalance(tree, work, t, { stays: false });
  if (!(constraints.violation <= NEAR * reach)) return failed;
  const [forces, { tolerance }] = [constraints.force.slice(), of.options];
  const found = attempt(of, { tolerance, limit: 40 });
  // a straight strand that is compressed balances, although Newton's step cannot bring its pin any closer
  if (found.converged && !describeUnmet(tree)) return found;
  tree.q.set(start);
  constraints.force.set(forces);
  return failed;
}

/** The first equilibrium: with `report` the nearest, led by the residual; else the one that the energy falls to. */
function solveFirst(of: Attempts): Settled {
  const { tree, work, t, start } = of;
  const { stability, tolerance } = of.options;
  let found = solveNear(of);
  if (found.converged) return found;
  of.iterations += approachRows(tree, work, t);
  if (stability === 'report' && isConservative(tree) && !tree.constraints) {
    found = attempt(of, { tolerance, limit: 40, stays: true });
    if (!found.converged) found = raiseInParts(of, { stays: true });
    if (!found.converged) tree.q.set(start);
  }
  if (found.converged) return found;
  found = attempt(of, { tolerance, limit: 300 });
  if (!found.converged) found = raiseInParts(of, { stays: false });
  return { ...found, descended: isConservative(tree) };
}

export function findEquilibrium(
  tree: StrandTree,
  work: StaticsWork,
  rod: string,
  at: { readonly t: number; readonly options: EquilibriumOptions },
): EquilibriumReport {
  const { t, options } = at;
  tree.v.fill(0);
  tree.rate.fill(0);
  tree.originRate.fill(0);
  setStraightChart(work.sweep, tree.linkCount);
  const attempts: Attempts = { tree, work, t, options, start: tree.q.slice(), iterations: 0 };
  let negative = -1;
  const report = seekStable(
    {
      settle(from) {
        attempts.iterations = 0;
        const found = from === 'saddle' ? attempt(attempts, { ...options, limit: 500 }) : solveFirst(attempts);
        const unmet = found.converged ? describeUnmet(tree) : '';
        return { ...found, iterations: attempts.iterations, ...(unmet && { converged: false, reason: unmet }) };
      },
      judge() {
        negative = countUnstable(tree, work);
        if (negative < 0) return noVerdict;
        return isConservative(tree)
          ? { negativeModes: negative, criterion: 'energy' }
          : { negativeModes: negative % 2, criterion: 'divergence' };
      },
      leave(round) {
        perturb(tree, work, 0.01 * round);
        return approachRows(tree, work, t);
      },
      leaves: isConservative(tree),
    },
    rod,
    options,
  );
  tree.history.header.fill(0);
  // loads without a potential: an even number of negative pivots does not prove stability
  return negative > 0 ? { ...report, stable: false } : report;
}
