/**
 * Equilibria along a path of the parameter t, and the points where they gain or lose stability.
 *
 * A change between two instants is narrowed by bisection in a second world that stays on the branch (stability:
 * report), so that the search itself does not disturb the path, and so that a path which leaves unstable equilibria
 * still says where they became so.
 */
import type { Energies, EquilibriumReport, Jump } from './model.ts';
import type { Scene } from './scene/types.ts';
import type { World, WorldState } from './world/types.ts';
import { createWorld } from './world/world.ts';

/** One equilibrium of a path, over all rods. */
export interface PathRow {
  /** Instant at which pins and loads were evaluated [s], or value of `statics.parameter`. */
  readonly parameter: number;
  /** Energies of all rods [J]. */
  readonly energies: Energies;
  /** Unstable directions, summed over the rods. */
  readonly negativeModes: number;
  /** True if all rods are stable. */
  readonly stable: boolean;
  /** Criterion of the verdict: the weakest of all rods. */
  readonly criterion: EquilibriumReport['criterion'];
  /** True if all rods converged. */
  readonly converged: boolean;
  /** Newton iterations, summed over the rods. */
  readonly iterations: number;
  /** Unstable equilibria that the search left on its way. */
  readonly saddlesLeft: number;
  /** With `stability: report`: the branch could not be followed, and the equilibrium may lie on another one. */
  readonly leftBranch?: true;
  /** The rods have jumped to another branch since the last equilibrium. */
  readonly jump?: Jump;
}

/** A change of stability on a path. */
export interface Critical {
  /** Instant of the change, found by bisection [s], or value of `statics.parameter`. */
  readonly parameter: number;
  /** Unstable directions before the change. */
  readonly negativeModesBefore: number;
  /** Unstable directions after the change. */
  readonly negativeModesAfter: number;
  /** True if the branch could not be followed: the reported point is where the search left it, which may differ from where stability changes. */
  readonly leftBranch?: true;
}

/** Instants of the equilibria that the scene requests. */
export function staticsInstants(scene: Scene): number[] {
  const { from = 0, to = from, steps } = scene.statics ?? {};
  if (steps === undefined) return to === from ? [from] : [from, to];
  return Array.from({ length: steps + 1 }, (_, k) => from + ((to - from) * k) / steps);
}

/** Sums up the reports of all rods at one instant of a path. */
export function summariseRow(parameter: number, reports: readonly EquilibriumReport[], energies: Energies): PathRow {
  const jump = reports.find((report) => report.jump)?.jump;
  const sum = (pick: (report: EquilibriumReport) => number): number =>
    reports.reduce((total, report) => total + pick(report), 0);
  return {
    parameter,
    energies,
    // −1 if there is no verdict, not a sum of such
    negativeModes: reports.some(({ negativeModes }) => negativeModes < 0)
      ? -1
      : sum(({ negativeModes }) => negativeModes),
    stable: reports.every(({ stable }) => stable),
    criterion:
      (['none', 'divergence', 'energy'] as const).find((one) => reports.some(({ criterion }) => criterion === one)) ??
      'energy',
    converged: reports.every(({ converged }) => converged),
    iterations: sum(({ iterations }) => iterations),
    saddlesLeft: sum(({ saddlesLeft }) => saddlesLeft),
    ...(reports.some(({ leftBranch }) => leftBranch) && { leftBranch: true }),
    ...(jump && { jump }),
  };
}

/** Remarks on the equilibria at an instant [s], but for those in `remarked` that differ in numbers alone; adds these. */
export function describeRemarks(time: number, reports: readonly EquilibriumReport[], remarked: Set<string>): string[] {
  return reports.flatMap(({ rod, remark }) => {
    if (remark === undefined) return [];
    const kind = `${rod}: ${remark.replace(/\d+/g, '')}`;
    if (remarked.has(kind)) return [];
    remarked.add(kind);
    return [`at t = ${Number(time.toPrecision(5))} s: ${remark}`];
  });
}

/** Warnings about the equilibria at an instant [s], one per rod; empty if the search stayed on its branch. */
export function describeLeftBranches(time: number, reports: readonly EquilibriumReport[]): string[] {
  return reports
    .filter(({ leftBranch }) => leftBranch)
    .map(
      ({ rod }) =>
        `rod '${rod}' at t = ${Number(time.toPrecision(5))} s: the branch could not be followed; the equilibrium was found downhill and may lie on another branch, whose stability is reported. Raise the loads in more steps (statics.steps)`,
    );
}

/** Warnings about jumps to other branches: the energies of two equilibria do not agree with the work in between. */
export function describeJumps(reports: readonly EquilibriumReport[]): string[] {
  return reports.flatMap(({ rod, jump }) => {
    if (!jump) return [];
    const [from, to] = [jump.from, jump.to].map((time) => Number(time.toPrecision(6)));
    const size = Number(Math.abs(jump.energy).toPrecision(3));
    const what =
      size === 0
        ? 'it moves by more than a tenth of its length at once'
        : `its energy ${jump.energy < 0 ? 'fell' : 'rose'} by ${size} J more than its loads and pins explain`;
    return [
      `rod '${rod}' jumped to another equilibrium between t = ${from} s and t = ${to} s: ${what}. Either its branch of equilibria ends there, and it snaps, or the search left the branch, and the rod may have passed through itself. Use more statics.steps, or follow: branch`,
    ];
  });
}

/** Warning about a change of stability between two instants [s]; undefined if bisection found it on the branch. */
export function describeLostCritical(from: number, to: number, found: Critical | undefined): string | undefined {
  if (found && !found.leftBranch) return undefined;
  const range = `stability changes between t = ${Number(from.toPrecision(5))} s and t = ${Number(to.toPrecision(5))} s`;
  return found
    ? `${range}; the branch could not be followed there, so the critical point at t = ${Number(found.parameter.toPrecision(6))} s is doubtful`
    : `${range}; the critical point was not found, because the branch could not be followed. Use more statics.steps`;
}

/** Finds the instant at which stability changes. */
export interface Bisector {
  /** Searches between the equilibrium `before` (its state and parameter) and `to`; returns undefined if stability does not change there. */
  find(before: WorldState, negativeModesBefore: number, to: number): Critical | undefined;
}

/** Relative to the interval: 2⁻²⁴, far below what any experiment resolves. */
const halvings = 24;

/** Creates a bisector for a path of equilibria. */
export function createBisector(scene: Scene): Bisector {
  let probe: World | undefined;
  return {
    find(before, negativeModesBefore, to) {
      probe ??= createWorld({ ...scene, statics: { ...scene.statics, stability: 'report' } });
      const world = probe;
      let low = before;
      let lowModes = negativeModesBefore;
      let high = to;
      const rows: PathRow[] = [];
      const countModesAt = (parameter: number): number | undefined => {
        world.restore(low);
        const row = summariseRow(parameter, world.equilibrate(parameter), world.energies());
        rows.push(row);
        return row.converged ? row.negativeModes : undefined;
      };
      let highModes = countModesAt(high);
      if (highModes === undefined || highModes === lowModes) return undefined;
      for (let k = 0; k < halvings; k++) {
        const middle = (low.time + high) / 2;
        const modes = countModesAt(middle);
        // An equilibrium that cannot be found is on the far side: the branch ends at a fold.
        if (modes === undefined || modes !== lowModes) {
          high = middle;
          highModes = modes ?? highModes;
        } else {
          low = world.save();
          lowModes = modes;
        }
      }
      return {
        parameter: (low.time + high) / 2,
        negativeModesBefore: lowModes,
        negativeModesAfter: highModes,
        ...(rows.some(({ leftBranch }) => leftBranch) && { leftBranch: true }),
      };
    },
  };
}
