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
import { noVerdict, raiseLoads, type StableSearch, seekStable } from '../../statics/search.ts';
import { createGroup, joinRods } from './assembly.ts';
import { canSettleByForces, type ForceParts, type LoneRest, settleByForces } from './forceStatics.ts';
import {
  createLinkedEquations,
  finish,
  hold,
  type LinkedEquations,
  type LinkScene,
  revert,
  start,
} from './linkedEquations.ts';
import { descend, judge, newton, nudge, type Outcome } from './linkedNewton.ts';

export interface LinkedRest {
  /** Results of every linked rod, by its index in the scene. */
  equilibrate(from: number, t: number, options: EquilibriumOptions): ReadonlyMap<number, EquilibriumReport>;
}

/** Newton from the current state; if that fails, loads in parts, and then descent. */
function settle(system: LinkedEquations, t: number, tolerance: number, leaving: boolean): Outcome {
  const { parts } = system;
  hold(system);
  const entry = parts.map(({ q }) => q.slice());
  let found = newton(system, t, { tolerance, iterations: 60, leaving });
  let { iterations } = found;
  if (!found.converged) revert(system, t);
  if (!found.converged && !leaving) {
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
  for (let round = 0; !found.converged && round < 6; round++) {
    nudge(system, t, 2e-3);
    iterations += descend(system, t, 20);
    hold(system);
    found = newton(system, t, { tolerance, iterations: 100, leaving });
    iterations += found.iterations;
    if (!found.converged) revert(system, t);
  }
  return { ...found, iterations };
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

/** Finds the equilibrium at t; if pins have moved far since `from`, in several steps of time. */
function goTo(system: LinkedEquations, from: number, t: number, tolerance: number): Outcome {
  let iterations = 0;
  const settleAt = (until: number, precision: number): Outcome => {
    start(system, until);
    const found = settle(system, until, precision, false);
    iterations += found.iterations;
    return found;
  };
  hold(system);
  let found = settleAt(t, tolerance);
  if (!found.converged && from !== t) {
    revert(system, from);
    for (let k = 1; k <= 32; k++)
      found = settleAt(k < 32 ? from + ((t - from) * k) / 32 : t, k < 32 ? 1e-6 : tolerance);
  }
  return { ...found, iterations };
}

/** What linked rods need from their models. */
export interface RestParts extends LinkScene {
  /** A rod's equations, if its model provides them. */
  readonly restOf: (rod: number) => RestRod | undefined;
  readonly alone: LoneRest;
}

type Seek = (from: number, t: number, options: EquilibriumOptions) => EquilibriumReport;

/** By Newton's method on the equations of all rods. */
function seekTogether(system: LinkedEquations): Seek {
  return (from, t, options) => {
    const { tolerance } = options;
    const search: StableSearch = {
      settle: (leaving) => (leaving ? settle(system, t, tolerance, true) : goTo(system, from, t, tolerance)),
      judge: () => judge(system, t),
      leave(round) {
        nudge(system, t, 0.02 * round);
        return descend(system, t, 60);
      },
    };
    const report = seekStable(search, '', options);
    finish(system);
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

export function createLinkedRest({ links, rods, samples, restOf, alone }: RestParts): LinkedRest {
  const groups = joinRods(links, rods.length).map((members): { members: readonly number[]; seek: Seek } => {
    const inside = new Set(members);
    const list = links.list.filter(({ plan }) => inside.has(plan.rodA));
    const hasEquations = members.every((rod) => restOf(rod));
    if (!hasEquations && canSettleByForces(list))
      return { members, seek: seekByForces({ members, list, links, rods, samples, alone }) };
    const group = createGroup(members, list, { rods, samples, restOf });
    return { members, seek: seekTogether(createLinkedEquations(group, { links, rods, samples })) };
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
