/**
 * Keeps a path of equilibria on its branch. Where the energy from one equilibrium to the next does not agree with the work of loads and pins
 * (pathAudit.ts), the path is walked again in shorter strides; if energy is still missing, along its branch by arc length; and if that fails too, the report
 * says that the rods have jumped.
 */
import type { EquilibriumReport } from '../model.ts';
import { compareRest, type Rest, takeRest } from './pathAudit.ts';
import type { PathSearch, PathWorld } from './pathPort.ts';
import { reachAlong } from './reachAlong.ts';
import type { WorldState } from './types.ts';

/** First stride of a second walk, as a share of the interval, the shortest, and the largest number of strides. */
const FIRST = 1 / 4;
const LEAST = 1 / 64;
const MOST = 40;
/** Energies of the same equilibrium, found in two ways, agree to this, relative to the energy. */
const SAME = 1e-6;

/** An equilibrium that a search may start from. */
interface PathPoint {
  readonly state: WorldState;
  readonly rest: Rest;
}

/** Finds the equilibria at t that follow those that the world is in, on the same branch if possible. */
export function followBranch(world: PathWorld, t: number, search: PathSearch): EquilibriumReport[] {
  const start = takePlace(world);
  const found = search.search(t);
  return isConverged(found) ? compare(world, start, found, search) : found;
}

const isConverged = (reports: readonly EquilibriumReport[]): boolean => reports.every(({ converged }) => converged);

const takePlace = (world: PathWorld): PathPoint => ({ state: world.save(), rest: takeRest(world) });

/** The equilibria that were found at the current time, or others that lie on the branch of the last ones. */
function compare(
  world: PathWorld,
  start: PathPoint,
  found: EquilibriumReport[],
  { search, seeks, tolerance }: PathSearch,
): EquilibriumReport[] {
  const end = takePlace(world);
  const { unexplained, isVague, moved } = compareRest(world, start.rest, end.rest);
  if (unexplained === 0 && !isVague) return found;
  const { time } = end.rest;
  const walk = walkAgain(world, start, time, search);
  const addIterations = (reports: readonly EquilibriumReport[]): EquilibriumReport[] =>
    reports.map((report, r) => ({
      ...report,
      iterations: report.iterations + walk.iterations[r] + found[r].iterations,
    }));
  if (walk.reports) {
    const now = takeRest(world).energy;
    if (Math.abs(now - end.rest.energy) > SAME * Math.max(now, end.rest.energy)) return addIterations(walk.reports);
  } else {
    const along = reachAlong(world, walk.place.rest.time, time, tolerance);
    if (along && (!seeks || along.stable)) return addIterations([along]);
    world.restore(end.state);
    const jump = { from: walk.place.rest.time, to: walk.next, energy: unexplained || walk.unexplained };
    return addIterations(found).map((report, r) => (r === moved ? { ...report, jump } : report));
  }
  world.restore(end.state);
  return found;
}

/** A walk from one equilibrium towards a later one. */
interface Walk {
  /** Reports of the equilibria at the end, if the walk came there without a jump; the world is then in their state. */
  readonly reports: readonly EquilibriumReport[] | undefined;
  readonly iterations: readonly number[];
  /** The last equilibrium before a jump, which the world is then in, and the time by which the rods have jumped. */
  readonly place: PathPoint;
  readonly next: number;
  /** Energy that the rods gain there without work [J]; 0 if no equilibrium was found, or if its energy says nothing. */
  readonly unexplained: number;
}

/** Walks from `start` to time t in strides that halve until the energy agrees with the work. */
function walkAgain(world: PathWorld, start: PathPoint, t: number, search: PathSearch['search']): Walk {
  const { time } = start.rest;
  const iterations = world.rods.map(() => 0);
  let [place, reached, part] = [start, 0, FIRST];
  world.restore(start.state);
  for (let strides = 1; ; strides++) {
    const share = Math.min(1, reached + part);
    const next = share < 1 ? time + (t - time) * share : t;
    const reports = search(next);
    for (const [r, report] of reports.entries()) iterations[r] += report.iterations;
    const there = isConverged(reports) ? takePlace(world) : undefined;
    const step = there && compareRest(world, place.rest, there.rest);
    const unexplained = step?.unexplained ?? 0;
    if (there && unexplained === 0 && !step?.isVague) {
      if (share === 1) return { reports, iterations, place: there, next, unexplained };
      [place, reached, part] = [there, share, 2 * part];
      continue;
    }
    world.restore(place.state);
    part /= 2;
    if (part < LEAST || strides >= MOST) return { reports: undefined, iterations, place, next, unexplained };
  }
}
