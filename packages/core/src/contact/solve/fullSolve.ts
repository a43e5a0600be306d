/**
 * Solves an island with all of its contacts: for islands with links, for models that can neither guess the step nor select sides, and for solvers
 * other than ADMM.
 *
 * If links join rods, the solver's point masses stay attached while the rods step (ContactSides.goal). Under forces alone, a hair that only links
 * hold by its cross-sections turns about its axis by radians if a torque is wrong by a thousandth, or finds no equilibrium at all.
 */

import type { StepOutcome } from '../../model.ts';
import { updateActive } from './activeSet.ts';
import { POSITION_TOLERANCE } from './admm.ts';
import { countContactsAtNodes } from './contactsAtNodes.ts';
import { readVelocities } from './displacements.ts';
import {
  ALL_SIDES,
  arrivalLimit,
  CLOSE,
  failRound,
  type IslandProblem,
  type IslandRounds,
  LATE_ROUNDS,
  linearizeSides,
  predictionLimit,
  ROUGH,
  ROUNDS,
  takeRound,
  velocityScale,
} from './islandRound.ts';
import type { SideArrays } from './sideArrays.ts';
import { layOutSides } from './sides.ts';
import { isNearPrediction, keepsPositions, markSliding, matchesPrediction, measureMiss } from './sideVelocities.ts';

/** Rounds for linked rods that step with attached point masses. */
const LINKED_ROUNDS = 12;

/**
 * If linked rods are in contact, rounds are rough as long as the rods end far from the prediction; the next tolerance is this fraction of the
 * difference. Cloth of 2 × 50 hairs that falls on a statue takes 100 to 290 iterations per step with it, 110 to 390 without.
 */
const NEARER = 0.1;

/** An island that is being solved with all of its contacts. */
interface FullRun {
  readonly rounds: IslandRounds;
  readonly problem: IslandProblem;
  readonly arrays: SideArrays;
  /** True if rods step with the solver's point masses attached. */
  readonly hasGoals: boolean;
  /** True if the solver ignores inactive contacts of linked rods (activeSet.ts). */
  readonly selects: boolean;
}

function layOutRun(rounds: IslandRounds, problem: IslandProblem): FullRun {
  const { contacts, links, systems, dt } = problem;
  const arrays = layOutSides(rounds.layout, contacts, { systems, linked: links, slot: ALL_SIDES });
  if (arrays.links) arrays.links.dt = dt;
  const hasGoals = arrays.bundles.some(({ sides }) => sides.goal);
  const selects = arrays.links !== undefined && rounds.options.solver === 'admm' && contacts.count > 0;
  return { rounds, problem, arrays, hasGoals, selects };
}

/** Updates which contacts are active; true if there are new ones. */
function activate({ rounds, problem, arrays }: FullRun, velocity: Float64Array, close: number): boolean {
  const { contacts, dt } = problem;
  const activated = updateActive(contacts, arrays, { velocity, dt, close, open: CLOSE });
  countContactsAtNodes(rounds.layout, contacts, arrays);
  return activated > 0;
}

/** Activates the contacts that would close in the linear step under the forces of the last one. */
function chooseFirstActive(run: FullRun): StepOutcome | undefined {
  const trouble = linearizeSides(run.rounds, run.problem, run.arrays, 'first-guess');
  if (trouble) return trouble;
  run.arrays.isActive.fill(0);
  activate(run, run.arrays.copy, CLOSE);
  return undefined;
}

/** Next factor on the tolerance: if the response is far from linear, the next round will not be the last either. */
function tightenFactor({ rounds, problem, arrays }: FullRun, factor: number): number {
  const tolerance = rounds.options.tolerance * velocityScale(rounds.layout, problem.dt);
  const next = Math.min(factor, (NEARER * measureMiss(arrays)) / tolerance);
  return next < 2 ? 1 : next;
}

/** True if the rods ended where the solver predicted. */
function isSolved({ rounds, problem, arrays, hasGoals }: FullRun): boolean {
  const { contacts, dt } = problem;
  if (rounds.options.solver === 'impulses') return rounds.total.converged;
  if (!matchesPrediction(arrays, predictionLimit(rounds, dt))) return false;
  // a tolerance that is coarse relative to a thin fiber would leave it in the obstacle, to be detected and solved again and again
  return !hasGoals || keepsPositions(contacts, arrays, dt, POSITION_TOLERANCE);
}

export function solveWithAllContacts(rounds: IslandRounds, problem: IslandProblem): StepOutcome {
  const { layout, options, outcome } = rounds;
  const { contacts, dt } = problem;
  const run = layOutRun(rounds, problem);
  const { arrays, hasGoals, selects } = run;
  const maxRounds = hasGoals ? LINKED_ROUNDS : ROUNDS;
  const unable = selects ? chooseFirstActive(run) : undefined;
  if (unable) return unable;
  let toleranceFactor = hasGoals && contacts.count > 0 ? ROUGH : 1;
  let lateRounds = 0;
  for (let round = 0; ; round++) {
    const linearization = round > 0 ? 'current-state' : selects ? 'done' : 'first-guess';
    const trouble = takeRound(rounds, problem, arrays, { linearization, rough: false, toleranceFactor });
    if (trouble) return trouble;
    const isLast = round - lateRounds >= maxRounds - 1;
    if (rounds.unfinished) {
      if (isLast) return failRound(rounds, contacts, 'rods and what joins them do not come together');
      continue;
    }
    // contacts that close no deeper than resting contacts may stay inactive
    if (selects && lateRounds < LATE_ROUNDS && activate(run, arrays.reached, -CLOSE / 2)) {
      lateRounds++;
      continue;
    }
    if (options.solver === 'repulsion' || isLast) break;
    if (toleranceFactor > 1)
      toleranceFactor = round - lateRounds >= ROUNDS - 2 ? 1 : tightenFactor(run, toleranceFactor);
    else if (isSolved(run)) break;
  }
  if (hasGoals) releaseMasses(rounds, arrays, problem);
  rounds.isNearPrediction = hasGoals || isNearPrediction(arrays, arrivalLimit(rounds, dt));
  markSliding(contacts, arrays, velocityScale(layout, dt));
  return { ok: true, ...outcome };
}

/** The last step of linked rods: without the attached point masses, under forces alone. */
function releaseMasses(
  { layout }: IslandRounds,
  arrays: SideArrays,
  { t, dt, robust }: Pick<IslandProblem, 't' | 'dt' | 'robust'>,
): void {
  for (const { sides } of arrays.bundles) sides.released = true;
  for (const { port, sides, systems } of arrays.bundles) if (sides.goal) port.step(systems, sides, { t, dt, robust });
  readVelocities(arrays, layout.finder, dt);
}
