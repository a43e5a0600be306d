/**
 * Equilibrium with contact by relaxation: steps of implicit Euler from rest, each with all velocities set to zero before it.
 *
 * Such a step minimizes E + M|x − x₀|²/2dt² under the contact law: it lowers the energy at any length, and once the rods no longer move, the forces
 * balance. The amplitude of a mode of angular frequency ω falls by the factor 1/(1 + ω²dt²) per step, so a few steps suffice that are long compared with
 * the period of the slowest mode.
 * Friction acts along the way, and the result depends on it: rods stay where friction first holds them.
 *
 * The error of contact velocities is relative to the speed × dt, so the tolerance is far below that of motion: at 1e-4 a long step would throw rods about.
 */
import { SimulationError } from '../../errors.ts';
import type { Bundle } from '../../model.ts';
import type { Samples } from '../../port.ts';
import type { Rod } from '../../scene/compiled.ts';
import type { ContactWorld } from '../contactWorld.ts';
import type { Instant } from './stillTime.ts';

/** A separate world whose pins, loads and obstacles stay as they are at `instant`. */
export interface StillWorld {
  readonly contact: ContactWorld;
  readonly bundles: readonly Bundle[];
  readonly samples: readonly Samples[];
  readonly rods: readonly Rod[];
  readonly instant: Instant;
  /** Gravity [m/s²]. */
  readonly gravity: number;
  /** Called before a step of length dt, for its budget of substeps. */
  begin(dt: number): void;
  /** Saves the state; the returned function restores it. */
  hold(): () => void;
}

export interface Relaxation {
  readonly converged: boolean;
  readonly steps: number;
  /** Newton iterations of all steps. */
  readonly iterations: number;
  /** Estimated distance from the equilibrium [m]. */
  readonly error: number;
  readonly reason: string;
}

/** Tolerance of the contact solver in these steps. */
export const relaxationTolerance = 1e-8;

const MOST_STEPS = 400;
/** Steps in which pins and loads go from the last instant to the new one. */
const STEPS_OF_MOTION = 16;
const STEPS_BEFORE_MOTION = 3;
/**
 * Converged, in lengths of the longest rod: the estimated distance from the equilibrium; or moves in three steps, because solvers of contact and of reduced
 * coordinates leave noise of 1e-7 to 1e-6.
 */
const PRECISION = 1e-7;
const NOISE = 2e-6;
/** Step length at the start, at most while pins move, at least for the last step, and at most, in periods/2π of the slowest mode; shortest. */
const FIRST = 0.05;
const WHILE_MOVING = 0.1;
const LONG = 0.3;
const LONGEST = 3;
const SHORTEST = 1e-6;
/** Growth of moves from step to step, and moves in lengths, beyond which a step is a leap. */
const LEAP = 5;
const LEAP_LENGTH = 1e-4;
/** Number of steps under a disturbance, and the displacement of a free node by it per step, relative to the rod's length. */
const STEPS_OF_DISTURBANCE = 3;
const DISTURBANCE = 0.02;
/** Failed steps in a row, while pins move, after which rods are disturbed: a straight rod between pins that approach each other does not buckle otherwise. */
const FAILURES = 2;

/** Relaxes the world from its current state to the equilibrium at time `to`; `disturbed`: disturbs the current one first, to leave it. */
export function relax(world: StillWorld, to: number, disturbed: boolean): Relaxation {
  const { instant, contact, samples } = world;
  const from = instant.time;
  const unit = slowestPeriod(world);
  const length = Math.max(...world.rods.map((rod) => rod.length));
  const before = samples.map(({ nodePosition }) => nodePosition.slice());
  const pace: Pace = { share: FIRST, reached: from === to ? 1 : 0, increment: 1 / STEPS_OF_MOTION };
  const moves = [Infinity, Infinity, Infinity];
  let iterations = 0;
  let error = Infinity;
  let reason = '';
  let failures = 0;
  let toDisturb = disturbed ? STEPS_OF_DISTURBANCE : 0;
  for (let step = 1; step <= MOST_STEPS; step++) {
    // rods relax before pins move: pins that approach each other would compress a straight rod, which cannot buckle
    const goal = step <= STEPS_BEFORE_MOTION ? pace.reached : Math.min(1, pace.reached + pace.increment);
    const timeAt = (share: number): number => (share === 1 ? to : from + share * (to - from));
    instant.time = timeAt(goal);
    instant.before = timeAt(pace.reached);
    samples.forEach(({ nodePosition }, r) => {
      before[r].set(nodePosition);
    });
    const dt = pace.share * unit;
    instant.duration = dt;
    instant.disturbance = toDisturb > 0 ? (DISTURBANCE * length) / (dt * dt) : 0;
    toDisturb--;
    const revert = world.hold();
    const done = stepFromRest(world, dt);
    iterations += done.iterations;
    const moved = done.ok ? largestMove(samples, before) : Infinity;
    if (!done.ok || (pace.share > FIRST && isLeap(moved, moves[0], length))) {
      revert();
      pace.share /= 4;
      pace.increment /= 2;
      reason = done.reason;
      if (pace.share < SHORTEST) return { converged: false, steps: step, iterations, error, reason };
      if (!done.ok && pace.reached < 1 && ++failures === FAILURES) toDisturb = STEPS_OF_DISTURBANCE;
      continue;
    }
    failures = 0;
    moves.unshift(moved);
    error = (1 + 1 / (pace.share * pace.share)) * estimateError(moves, length);
    const isLast = pace.reached === 1 && pace.share >= LONG;
    // the tolerance of the contact solver is much finer than needed here, and not always reached
    const isSolved = contact.report.converged || contact.report.error * dt < NOISE * length;
    if (isLast && isSolved && error < Infinity) return { converged: true, steps: step, iterations, error, reason: '' };
    pace.reached = goal;
    pace.share = Math.min(goal < 1 ? WHILE_MOVING : LONGEST, 1.6 * pace.share);
    pace.increment = Math.min(1 / STEPS_OF_MOTION, 1.6 * pace.increment);
  }
  const unsolved = contact.report.converged ? '' : ', and contact is not solved';
  reason = `rods still move by ${moves[0].toExponential(1)} m per step after ${MOST_STEPS} steps of relaxation${unsolved}`;
  return { converged: false, steps: MOST_STEPS, iterations, error: moves[0], reason };
}

/** Step length in periods, and progress of pins and loads from the old instant to the new one. */
interface Pace {
  share: number;
  reached: number;
  increment: number;
}

/** True for a step that ends far from where the last one was heading: long steps can jump to another equilibrium. */
function isLeap(moved: number, last: number, length: number): boolean {
  return moved > LEAP * last && moved > LEAP_LENGTH * length;
}

/** Distance from the equilibrium [m], from the moves of the last steps, newest first; infinite if it is beyond the precision. */
function estimateError([last, second, third]: readonly number[], length: number): number {
  const geometric = last < second ? last / (1 - last / second) : Infinity;
  if (geometric < PRECISION * length) return geometric;
  const largest = Math.max(last, second, third);
  return largest < NOISE * length ? largest : Infinity;
}

function stepFromRest(
  { bundles, contact, instant, begin }: StillWorld,
  dt: number,
): { readonly ok: boolean; readonly iterations: number; readonly reason: string } {
  for (const bundle of bundles) {
    bundle.state.v.fill(0);
    bundle.refresh(instant.time);
    bundle.restart(instant.time);
  }
  contact.begin();
  begin(dt);
  try {
    const { ok, iterations, failure } = contact.advance({ t: instant.time, dt, robust: true });
    return { ok, iterations, reason: failure?.reason ?? '' };
  } catch (error) {
    if (!(error instanceof SimulationError)) throw error;
    return { ok: false, iterations: 0, reason: error.message };
  }
}

function largestMove(samples: readonly Samples[], before: readonly Float64Array[]): number {
  let largest = 0;
  samples.forEach(({ nodePosition }, r) => {
    for (let k = 0; k < nodePosition.length; k++) largest = Math.max(largest, Math.abs(nodePosition[k] - before[r][k]));
  });
  return largest;
}

/** 1/ω of the slowest mode that resists [s]: a pendulum's, or that of a cantilever if it is faster. */
function slowestPeriod({ rods, gravity }: StillWorld): number {
  let slowest = 0;
  for (const { halfEI1, halfEI2, length, nodeMass } of rods) {
    let softest = Infinity;
    for (let h = 0; h < halfEI1.length; h++) softest = Math.min(softest, halfEI1[h], halfEI2[h]);
    let mass = 0;
    for (const m of nodeMass) mass += m;
    const bending = Math.sqrt((softest / (mass * length * length * length)) * 12);
    slowest = Math.max(slowest, 1 / Math.max(bending, Math.sqrt(gravity / length)));
  }
  return slowest;
}
