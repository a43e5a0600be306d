/**
 * Solves an island with all of its contacts: for islands with links, for models that can neither guess the step nor select sides, and for solvers
 * other than ADMM.
 *
 * If links join rods, the solver's point masses stay attached while the rods step (ContactSides.goal). Under forces alone, a hair that only links
 * hold by its cross-sections turns about its axis by radians if a torque is wrong by a thousandth, or finds no equilibrium at all.
 */

import type { StepOutcome } from '../../model.ts';
import { wakeContacts } from './activeSet.ts';
import { POSITION_TOLERANCE } from './admm.ts';
import { recountContactsAtNodes } from './contactsAtNodes.ts';
import { readVelocities } from './displacements.ts';
import {
  ALL_SIDES,
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
import { hasArrived, isPredicted, keepsPositions, markSliding, missOf } from './sideVelocities.ts';

/** Rounds for linked rods that step with attached point masses. */
const LINKED_ROUNDS = 12;

/**
 * If linked rods are in contact, rounds are rough as long as the rods end far from the prediction; the next tolerance is this fraction of the
 * difference. Cloth of 2 × 50 hairs that falls on a statue takes 100 to 290 iterations per step with it, 110 to 390 without.
 */
const NEARER = 0.1;

export function solveWithAllContacts(rounds: IslandRounds, problem: IslandProblem): StepOutcome {
  const { layout, options, total, outcome } = rounds;
  const { contacts, links, systems, t, dt, robust } = problem;
  const arrays = layOutSides(layout, contacts, { systems, linked: links, slot: ALL_SIDES });
  if (arrays.links) arrays.links.dt = dt;
  const scale = velocityScale(layout, dt);
  const glued = arrays.sides.some(({ sides }) => sides.goal);
  const most = glued ? LINKED_ROUNDS : ROUNDS;
  // a tolerance that is coarse relative to a thin fiber would leave it in the obstacle, to be detected and solved again and again
  const inPlace = (): boolean => !glued || keepsPositions(contacts, arrays, dt, POSITION_TOLERANCE);
  let toleranceFactor = glued && contacts.count > 0 ? ROUGH : 1;
  const selects = arrays.links && options.solver === 'admm' && contacts.count > 0;
  const wake = (velocity: Float64Array, margin: number): boolean => {
    if (!selects) return false;
    const woken = wakeContacts(contacts, arrays, velocity, dt, margin, CLOSE);
    recountContactsAtNodes(layout, contacts, arrays);
    return woken > 0;
  };
  if (selects) {
    const unable = linearizeSides(rounds, problem, arrays, true);
    if (unable) return unable;
    arrays.awake.fill(0);
    wake(arrays.copy, CLOSE);
  }
  let late = 0;
  for (let round = 0; ; round++) {
    const linearization = round > 0 ? 'again' : selects ? 'done' : 'fresh';
    const trouble = takeRound(rounds, problem, arrays, { linearization, rough: false, toleranceFactor });
    if (trouble) return trouble;
    const isLast = round - late >= most - 1;
    if (rounds.unfinished) {
      if (isLast) return failRound(rounds, contacts, 'rods and what joins them do not come together');
      continue;
    }
    // contacts that close no deeper than resting contacts may stay asleep
    if (late < LATE_ROUNDS && wake(arrays.start, -CLOSE / 2)) {
      late++;
      continue;
    }
    if (options.solver === 'repulsion' || isLast) break;
    if (toleranceFactor > 1) {
      // if the response is far from linear, the next round will not be the last either
      toleranceFactor = Math.min(toleranceFactor, (NEARER * missOf(arrays)) / (options.tolerance * scale));
      if (toleranceFactor < 2 || round - late >= ROUNDS - 2) toleranceFactor = 1;
      continue;
    }
    const done =
      options.solver === 'impulses' ? total.converged : isPredicted(arrays, predictionLimit(rounds, dt)) && inPlace();
    if (done) break;
  }
  if (glued) releaseMasses(rounds, arrays, { t, dt, robust });
  rounds.arrived = glued || hasArrived(arrays, predictionLimit(rounds, dt));
  markSliding(contacts, arrays, scale);
  return { ok: true, ...outcome };
}

/** The last step of linked rods: without the attached point masses, under forces alone. */
function releaseMasses(
  { layout }: IslandRounds,
  arrays: SideArrays,
  { t, dt, robust }: Pick<IslandProblem, 't' | 'dt' | 'robust'>,
): void {
  for (const { sides } of arrays.sides) sides.released = true;
  for (const { port, sides, systems } of arrays.sides) if (sides.goal) port.step(systems, sides, t, dt, robust);
  readVelocities(arrays, layout.finder, dt);
}
