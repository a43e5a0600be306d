/**
 * Approaches an equilibrium in increments: loads grow from zero, and rest lengths change from those of the current state to those of the natural shape.
 * Every increment starts near its solution, so the chain neither folds nor loses turns on the way.
 */
import { hypot } from '../../math/rounded/index.ts';
import { measureAltitudes } from './altitude.ts';
import { findInverted } from './energy.ts';
import type { Hair } from './rod.ts';
import { chooseKinds, type Search, solve } from './statics.ts';

const FIRST_PART = 1 / 16;
const SMALLEST_PART = 1 / 1024;

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
  let iterations = 0;
  const keptPosition = hair.q.slice();
  const keptTension = tension.fill(0).slice();
  for (let [done, part] = [0, FIRST_PART]; done < 1 && part >= SMALLEST_PART; ) {
    const next = Math.min(1, done + part);
    setPart(next);
    const result = solve(search, 1e-6, 40, 0);
    iterations += result.iterations;
    if (result.converged && findInverted(hair) < 0) {
      done = next;
      part *= 2;
      chooseKinds(hair, work);
      keptPosition.set(hair.q);
      keptTension.set(tension);
    } else {
      part /= 4;
      hair.q.set(keptPosition);
      tension.set(keptTension);
    }
  }
  springs.rest.set(natural.spring);
  tetrahedra.rest.set(natural.altitude);
  hair.loadFactor = 1;
  return iterations;
}
