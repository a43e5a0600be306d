/**
 * Equilibria of linked rods: Newton's method on all of them at once.
 *
 * One sparse matrix holds the rods and the links; elimination is node by node, in minimum-degree order. Eliminating the rods first and solving for
 * the link forces, as for welds to bodies, fails: the matrix of a rod that only links hold is singular.
 *
 * If Newton does not converge: loads are raised in parts, then descent with a decreasing fictitious inertia. An unstable equilibrium is left along
 * its softest direction, as for a single rod.
 */

import type { EquilibriumOptions, EquilibriumReport, RestRod } from '../../model.ts';
import { createPinPose, type Pin } from '../../scene/compiled.ts';
import { planPinMotion } from '../../scene/pinMotion.ts';
import { descendInRounds, noVerdict, raiseLoads, type StableSearch, seekStable } from '../../statics/search.ts';
import { createGroup, joinRods } from './assembly.ts';
import { canSettleByForces, type ForceParts, type LoneRest, settleByForces } from './forceStatics.ts';
import { createLinkedEquations, finish, hold, type LinkedEquations, revert, start } from './linkedEquations.ts';
import { descend, judge, newton, nudge, type Outcome } from './linkedNewton.ts';
import type { LinkScene } from './restForces.ts';

export interface LinkedRest {
  /** Results of every linked rod, by its index in the scene. */
  equilibrate(from: number, t: number, options: EquilibriumOptions): ReadonlyMap<number, EquilibriumReport>;
}

/** Newton from the current state; if that fails, loads in parts, and then descent. */
function settle(system: LinkedEquations, t: number, tolerance: number, from: 'saddle' | 'start'): Outcome {
  const { parts } = system;
  hold(system);
  const entry = parts.map(({ q }) => q.slice());
  let found = newton(system, t, { tolerance, iterations: 60, leaving: from === 'saddle' });
  let { iterations } = found;
  if (!found.converged) revert(system, t);
  if (!found.converged && from === 'start') {
    const raised = raise(system, t, tolerance);
    found = raised.last;
    iterations += raised.iterations;
    if (!found.converged) {
      parts.forEach((part, m) => {
        part.q.set(entry[m]);
      });
      for (const part of parts) part.place(t);
    }
  }
  if (!found.converged) hold(system);
  const { last, ...more } = descendInRounds(found, {
    nudge: (amplitude) => nudge(system, t, amplitude),
    descend: (count) => descend(system, t, count),
    newton: () => newton(system, t, { tolerance, iterations: 100, leaving: from === 'saddle' }),
    hold: () => hold(system),
    revert: () => revert(system, t),
  });
  return { ...last, iterations: iterations + more.iterations };
}

const raise = (system: LinkedEquations, t: number, tolerance: number): ReturnType<typeof raiseLoads<Outcome>> =>
  raiseLoads(
    {
      setLoads: (share) => {
        for (const part of system.parts) part.load(share);
      },
      solve: (precision, iterations) => newton(system, t, { tolerance: precision, iterations }),
      hold: () => hold(system),
      revert: () => revert(system, t),
    },
    tolerance,
  );

const IMPOSSIBLE: Outcome = {
  converged: false,
  iterations: 0,
  residual: Infinity,
  tolerance: 0,
  reason: 'the pins have moved or turned too far at once for the rods to follow',
};

/** Number of steps of time if the equilibrium is not found at once; a step in which pins move too far is halved, down to `SHORTEST` of all. */
const STEPS = 32;
const SHORTEST = 1e-5;

/** Failed steps of time after which the search ends. */
const MOST_FAILURES = 3;

/** Links that hold angles do not count turns: pins must not turn by more than this at once [rad]. */
const PIN_LIMITS = { distance: Infinity, turn: 0.5, twist: 0.5 };

/** Number of increments in which pins must move from `from` to t, so that neither rods nor links lose turns. */
function countIncrements({ parts, blocks, rods }: LinkedEquations, pinsOf: PinsOf, from: number, t: number): number {
  const own = parts.reduce((most, part) => Math.max(most, part.countPinIncrements?.(t) ?? 1), 1);
  if (blocks.every(({ link }) => link.perEnd === 1)) return own;
  return rods.reduce((most, rod) => {
    const start = pinsOf(rod).map((pin) => {
      const pose = createPinPose();
      pin.evaluate(pose, from);
      return pose;
    });
    return Math.max(most, planPinMotion(pinsOf(rod), start, [from, t], PIN_LIMITS).length);
  }, own);
}

/** Finds the equilibrium at t; if pins have moved far since `from`, in several steps of time. */
function goTo({ system, pinsOf }: JointSearch, from: number, t: number, tolerance: number): Outcome {
  hold(system);
  const increments = countIncrements(system, pinsOf, from, t);
  const atOnce = increments === 1 || from === t ? settleAt(system, t, tolerance) : IMPOSSIBLE;
  if (atOnce.converged || from === t) return atOnce;
  revert(system, from);
  let { iterations } = atOnce;
  let found = IMPOSSIBLE;
  let failures = 0;
  let stride = 1 / Math.max(STEPS, 2 * increments);
  for (let done = 0; done < 1 && failures < MOST_FAILURES; ) {
    const next = done + stride < 1 - 1e-9 ? done + stride : 1;
    hold(system);
    found = settleAt(system, next < 1 ? from + (t - from) * next : t, next < 1 ? 1e-6 : tolerance);
    iterations += found.iterations;
    if (found !== IMPOSSIBLE) {
      done = next;
      if (!found.converged) failures++;
    } else if (stride > SHORTEST) {
      revert(system, from + (t - from) * done);
      stride /= 2;
    } else break;
  }
  return { ...found, iterations };
}

/** Moves the pins to t and finds the equilibrium there; IMPOSSIBLE if they move too far at once. */
function settleAt(system: LinkedEquations, t: number, tolerance: number): Outcome {
  return start(system, t) ? settle(system, t, tolerance, 'start') : IMPOSSIBLE;
}

/** What linked rods need from their models. */
export interface RestParts extends LinkScene {
  /** A rod's equations, if its model provides them. */
  readonly restOf: (rod: number) => RestRod | undefined;
  readonly alone: LoneRest;
  readonly pinsOf: PinsOf;
}

type PinsOf = (rod: number) => readonly Pin[];

interface JointSearch {
  readonly system: LinkedEquations;
  readonly pinsOf: PinsOf;
}

type Seek = (from: number, t: number, options: EquilibriumOptions) => EquilibriumReport;

/** By Newton's method on the equations of all rods. */
function seekTogether(joint: JointSearch): Seek {
  const { system } = joint;
  return (from, t, options) => {
    const { tolerance } = options;
    const search: StableSearch = {
      settle: (start) =>
        start === 'saddle' ? settle(system, t, tolerance, 'saddle') : goTo(joint, from, t, tolerance),
      judge: () => judge(system, t),
      leave(round) {
        nudge(system, t, 0.02 * round);
        return descend(system, t, 60);
      },
    };
    const report = seekStable(search, '', options);
    finish(system, report.converged);
    return report;
  };
}

/** By the link forces, with a separate search for each rod. */
function seekByForces(parts: ForceParts): Seek {
  return (_, t, options) => {
    let found: ReturnType<typeof settleByForces> | undefined;
    const search: StableSearch = {
      settle: () => {
        found = settleByForces(parts, t, options);
        return found;
      },
      judge: () => found ?? noVerdict,
      leave: () => 0,
      leaves: false,
    };
    const report = seekStable(search, '', options);
    parts.alone.applyForces();
    return report;
  };
}

export function createLinkedRest({ links, rods, samples, restOf, alone, pinsOf }: RestParts): LinkedRest {
  const isPinned = (rod: number): boolean => pinsOf(rod).length > 0;
  const groups = joinRods(links, rods.length).map((members): { members: readonly number[]; seek: Seek } => {
    const inside = new Set(members);
    const list = links.list.filter(({ plan }) => inside.has(plan.rodA));
    const hasEquations = members.every((rod) => restOf(rod));
    if (!hasEquations && canSettleByForces(list))
      return { members, seek: seekByForces({ members, list, links, rods, samples, alone, isPinned }) };
    const group = createGroup(members, list, { rods, samples, restOf });
    const system = createLinkedEquations(group, { links, rods, samples });
    return { members, seek: seekTogether({ system, pinsOf }) };
  });
  return {
    equilibrate(from, t, options) {
      const reports = new Map<number, EquilibriumReport>();
      for (const { members, seek } of groups) {
        const report = seek(from, t, options);
        for (const rod of members) reports.set(rod, { ...report, rod: rods[rod].id });
      }
      return reports;
    },
  };
}
