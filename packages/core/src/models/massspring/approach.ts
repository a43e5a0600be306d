/**
 * Approaches an equilibrium in increments: loads grow from zero, and rest lengths change from those of the current state to those of the natural shape.
 * Every increment starts near its solution, so the chain neither folds nor loses turns.
 */
import { hypot } from '../../math/rounded/index.ts';
import { type Schedule, takeIncrements } from '../../statics/increments.ts';
import { measureAltitudes } from './altitude.ts';
import { findInverted } from './energy.ts';
import type { Hair } from './rod.ts';
import { chooseKinds, type Search, solve } from './statics.ts';

/** The first increment is small: a large one inverts tetrahedra, and a chain that has folded stays folded. */
const APPROACH: Schedule = { first: 1 / 16, growth: 2, division: 4, least: 1 / 1024 };

/** Current lengths of all springs and altitudes of all tetrahedra. */
function measureLengths({ q, springs, tetrahedra }: Hair): { spring: Float64Array; altitude: Float64Array } {
  const spring = springs.rest.map((_, s) => {
    const [a, b] = [3 * springs.a[s], 3 * springs.b[s]];
    return hypot(q[b] - q[a], q[b + 1] - q[a + 1], q[b + 2] - q[a + 2]);
  });
  const altitude = new Float64Array(tetrahedra.rest.length);
  for (let t = 0; t < tetrahedra.count; t++) measureAltitudes(altitude, 7 * t, q, tetrahedra.first[t]);
  return { spring, altitude };
}

/** Leaves the state at the last increment that could be solved; returns the number of iterations. */
export function approachLoads(search: Search): number {
  const { hair, work, tension } = search;
  const { springs, tetrahedra } = hair;
  const natural = { spring: springs.rest.slice(), altitude: tetrahedra.rest.slice() };
  const laid = measureLengths(hair);
  const setPart = (share: number): void => {
    for (let s = 0; s < springs.count; s++) springs.rest[s] = (1 - share) * laid.spring[s] + share * natural.spring[s];
    for (let k = 0; k < tetrahedra.rest.length; k++)
      tetrahedra.rest[k] = (1 - share) * laid.altitude[k] + share * natural.altitude[k];
    hair.loadFactor = share;
  };
  const keptPosition = hair.q.slice();
  const keptTension = tension.fill(0).slice();
  const { iterations } = takeIncrements(
    {
      solve(share) {
        setPart(share);
        const result = solve(search, 1e-6, 40, 0);
        const converged = result.converged && findInverted(hair) < 0;
        if (converged) chooseKinds(hair, work);
        return { ...result, converged };
      },
      hold() {
        keptPosition.set(hair.q);
        keptTension.set(tension);
      },
      revert() {
        hair.q.set(keptPosition);
        tension.set(keptTension);
      },
    },
    APPROACH,
  );
  springs.rest.set(natural.spring);
  tetrahedra.rest.set(natural.altitude);
  hair.loadFactor = 1;
  return iterations;
}
