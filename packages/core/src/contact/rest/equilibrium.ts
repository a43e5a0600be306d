/**
 * Equilibria of scenes in which rods touch obstacles, each other or themselves:
 *   1. follow     from an equilibrium a little earlier: 3 alone, if all rods move little    refine.ts
 *   2. relax      steps from rest with pins, loads and obstacles at rest, until nothing moves   relax.ts, stillTime.ts
 *   3. refine     rods without friction by Newton's method, with a verdict on stability   refine.ts
 *   4. leave      an unstable equilibrium, by a disturbance, then 2 again
 */
import { rotate } from '../../bodies/body.ts';
import type { Bundle, EquilibriumOptions, EquilibriumReport } from '../../model.ts';
import type { Samples } from '../../port.ts';
import type { Rod } from '../../scene/compiled.ts';
import { noVerdict } from '../../statics/search.ts';
import type { ContactWorld } from '../contactWorld.ts';
import { type Collider, createPose, toLocal } from '../shapes/collider.ts';
import { type Relaxation, relax, type StillWorld } from './relax.ts';

/** The world whose equilibrium is searched for. */
export interface TouchingWorld {
  readonly rods: readonly Rod[];
  readonly placeOfRod: readonly { readonly bundle: Bundle; readonly index: number }[];
  readonly samples: readonly Samples[];
  readonly contact: ContactWorld;
  readonly colliders: readonly Collider[];
  /** Instant of the current state [s]. */
  readonly time: number;
  /** True if nothing has moved since the last equilibrium. */
  readonly isAtRest: boolean;
  /** Sets the clock to t and moves everything that follows a path there. */
  setTime(t: number): void;
  /** Creates a separate world in the current state whose pins, loads and obstacles do not move. */
  createStill(): StillWorld;
  /** Copies the state of that world, at rest at time t. */
  takeState(still: StillWorld, t: number): void;
  /** Runs the action; restores the state if it returns undefined. */
  attempt<T>(action: () => T | undefined): T | undefined;
}

/** Unstable equilibria that are left before one is reported. */
const MOST_SADDLES = 4;

/** Moves of a rod, or of an obstacle at its nodes, that count as near when an equilibrium is followed, in lengths; and in diameters, which is too little to pass through anything. */
const NEAR = 0.05;
const NEAR_DIAMETERS = 1;

/** Overlap with an obstacle that an equilibrium may have, in radii: what the steps of a rod at rest leave is far below. */
const SUNK = 0.1;

/** Reports in the order of the rods. */
export function seekWithContact(world: TouchingWorld, t: number, options: EquilibriumOptions): EquilibriumReport[] {
  const rubbing = world.isAtRest ? findRubbing(world, t) : [];
  const reports = (world.isAtRest ? follow(world, t, options) : undefined) ?? search(world, t, options);
  return rubbing.length > 0 ? remarkRubbing(world, t, reports, rubbing) : reports;
}

/** Moves of an obstacle below this are none, in lengths of a rod. */
const STILL = 1e-9;

/** Ids of obstacles with friction that move from the present equilibrium to the next. */
function findRubbing(world: TouchingWorld, t: number): string[] {
  const least = STILL * Math.max(...world.rods.map(({ length }) => length));
  return world.colliders
    .filter((collider) => collider.staticFriction > 0 && largestObstacleMove(world, t, [collider]) > least)
    .map(({ id }) => id);
}

/** Remarks on rods that touch such an obstacle: the search moves the obstacle at once, and rods relax from where they were. */
function remarkRubbing(
  { contact }: TouchingWorld,
  t: number,
  reports: readonly EquilibriumReport[],
  ids: readonly string[],
): EquilibriumReport[] {
  const touched = new Map<string, string>();
  for (const { kind, rod, other } of contact.forces(t))
    if (kind === 'collider' && ids.includes(other)) touched.set(rod, other);
  return reports.map((report) => {
    const id = touched.get(report.rod);
    if (id === undefined || !report.converged) return report;
    const text = `rod '${report.rod}' touches collider '${id}', which has friction and has moved since the last equilibrium: it drags the rod along by less than in slow motion, so shape and forces are not those of a slow motion; run the motion in time, or let the rod's pins move and the obstacle rest`;
    return { ...report, remark: report.remark === undefined ? text : `${report.remark}. ${text}` };
  });
}

/** By refinement alone; undefined if a rod cannot be refined, moves far, or has become unstable. */
function follow(world: TouchingWorld, t: number, options: EquilibriumOptions): EquilibriumReport[] | undefined {
  const { rods, samples, contact, placeOfRod } = world;
  if (placeOfRod.some(({ bundle }) => !bundle.differentiatesLoads)) return undefined;
  const thinnest = Math.min(...rods.map(({ edgeRadius }) => Math.min(...edgeRadius)));
  const move = largestObstacleMove(world, t, world.colliders);
  if (move > 2 * NEAR_DIAMETERS * thinnest) return undefined;
  // a point that sticks would have to move with its obstacle
  if (move > 0 && world.colliders.some(({ staticFriction }) => staticFriction > 0)) return undefined;
  return world.attempt(() => {
    world.setTime(t);
    const reports: EquilibriumReport[] = [];
    for (const [r, { length, edgeRadius }] of rods.entries()) {
      const limit = Math.min(NEAR * length, 2 * NEAR_DIAMETERS * Math.min(...edgeRadius));
      const before = samples[r].nodePosition.slice();
      const report = contact.refineRest(r, t, options);
      const isNear = samples[r].nodePosition.every((x, k) => Math.abs(x - before[k]) < limit);
      if (!report || !isNear || (!report.stable && options.stability === 'seek')) return undefined;
      reports.push(report);
    }
    return reports;
  });
}

/** How far obstacles move from now until time t where they are near rods: the largest move of a point at a node, if it moved with them [m]. */
function largestObstacleMove({ samples, time }: TouchingWorld, t: number, colliders: readonly Collider[]): number {
  const [from, to] = [createPose(), createPose()];
  const local = new Float64Array(3);
  const moved = new Float64Array(3);
  let largest = 0;
  for (const collider of colliders) {
    if (!collider.moves) continue;
    if (collider.shape.update) return Infinity;
    collider.evaluate(from, time);
    collider.evaluate(to, t);
    for (const { nodePosition: x } of samples)
      for (let o = 0; o < x.length; o += 3) {
        toLocal(local, from, x, o);
        rotate(moved, 0, to.rotation, local, 0);
        for (let k = 0; k < 3; k++) largest = Math.max(largest, Math.abs(moved[k] + to.position[k] - x[o + k]));
      }
  }
  return largest;
}

function search(world: TouchingWorld, t: number, options: EquilibriumOptions): EquilibriumReport[] {
  const still = world.createStill();
  let iterations = 0;
  for (let saddlesLeft = 0; ; saddlesLeft++) {
    const relaxed = relax(still, t, saddlesLeft > 0);
    iterations += relaxed.iterations;
    world.takeState(still, t);
    const reports = world.rods.map(
      (_, rod) => refine(world, rod, t, options, relaxed) ?? reportRelaxed(world, rod, relaxed),
    );
    const isUnstable = reports.some(({ negativeModes }) => negativeModes > 0);
    if (isUnstable && options.stability === 'seek' && saddlesLeft < MOST_SADDLES) continue;
    return refuseSunk(world, t, reports).map((report) => ({
      ...report,
      iterations: report.iterations + iterations,
      saddlesLeft,
      // relaxation descends in energy
      ...(options.stability === 'report' && report.negativeModes === 0 && { leftBranch: true }),
    }));
  }
}

/** Rods that a pin pulls into an obstacle: the forces balance, but the contact law does not hold. */
function refuseSunk(
  { contact, rods }: TouchingWorld,
  t: number,
  reports: readonly EquilibriumReport[],
): EquilibriumReport[] {
  const depths = new Map<string, number>();
  for (const { kind, rod, gap } of contact.forces(t))
    if (kind === 'collider') depths.set(rod, Math.max(-gap, depths.get(rod) ?? 0));
  return reports.map((report, r) => {
    const depth = depths.get(report.rod) ?? 0;
    if (!report.converged || depth <= SUNK * Math.min(...rods[r].edgeRadius)) return report;
    const reason = `the rod is ${depth.toPrecision(2)} m deep in an obstacle; see whether a pin pulls it there`;
    return { ...report, ...noVerdict, converged: false, stable: false, reason };
  });
}

function refine(
  { contact, placeOfRod, attempt }: TouchingWorld,
  rod: number,
  t: number,
  options: EquilibriumOptions,
  { converged }: Relaxation,
): EquilibriumReport | undefined {
  if (!converged || !placeOfRod[rod].bundle.differentiatesLoads) return undefined;
  return attempt(() => contact.refineRest(rod, t, options));
}

function reportRelaxed(
  { rods }: TouchingWorld,
  rod: number,
  { converged, error, reason }: Relaxation,
): EquilibriumReport {
  return {
    rod: rods[rod].id,
    converged,
    iterations: 0,
    residual: 0,
    tolerance: 0,
    ...(error < Infinity && { error }),
    ...noVerdict,
    stable: false,
    saddlesLeft: 0,
    ...(converged ? {} : { reason }),
  };
}
