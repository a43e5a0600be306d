/**
 * The equations of a rod at rest, for equilibria of linked rods: implements RestRod for contact/links/statics.ts.
 *
 * Unknowns are the particles (linkedEdges.ts). As in statics.ts the choice of altitude springs is frozen while Newton's
 * method runs, and made again at its solution until it stays, or six times.
 */
import { clearWide, readWide } from '../../linalg/wideBand.ts';
import type { RestEdges, RestRod } from '../../model.ts';
import { writeTurnCurvature } from '../edgeTurn.ts';
import { rememberOrientation } from './energy.ts';
import { evaluatePins, measureTurns, poseSamples } from './kinematics.ts';
import { listEdgeUnknowns, writeMovedRates, writeTurnRates } from './linkedEdges.ts';
import { moveToStop, planPins } from './pinMotion.ts';
import type { Hair } from './rod.ts';
import {
  chooseKinds,
  evaluate,
  explainFold,
  LAST_TURN,
  largestTurnOf,
  MOST_CHOICES,
  measureTension,
  moveTension,
  type Search,
  writeRightSide,
  zeroModeShift,
} from './statics.ts';
import { createWorkspace, WIDTH } from './step.ts';
import { assembleTangent } from './tangent.ts';

/** Largest turn of an edge in one iteration [rad]. */
const ROTATION = 0.4;
/** Displacement for differences, relative to an edge. */
const DIFFERENCE = 1e-5;

interface RestState {
  readonly search: Search;
  /** Positions and tensions at the last `hold`. */
  readonly held: Float64Array;
  readonly heldTension: Float64Array;
  readonly step: Float64Array;
  /** How often altitude springs have been chosen since the pins moved, and true if they were chosen after the last `evaluate`. */
  choices: number;
  hasNewChoice: boolean;
  /** Largest turn in the last step [rad], and the number of small full steps in a row. */
  turn: number;
  smallSteps: number;
}

function createEdgeAccess(hair: Hair): RestEdges {
  const { rod, start, stride, stiffnessScale: scale } = hair;
  return {
    nodeOf: (d) => Math.min(rod.nodeCount - 1, Math.max(0, ((((d / 3) | 0) - start) / stride) | 0)),
    listEdgeUnknowns: (edge, of) => listEdgeUnknowns(hair, edge, of),
    writeEdgeRates(out, edge, of) {
      const n = of === 'nodes-and-turn' ? 9 : 6;
      for (let i = 0; i < 6; i++) for (let j = 0; j < n; j++) out[n * i + j] = i === j ? 1 : 0;
      if (of === 'nodes') return;
      writeTurnRates(out.subarray(6 * n, 7 * n), hair, edge);
    },
    writeTurnCurvature: (out, edge) =>
      writeTurnCurvature(out, {
        count: 9,
        stepOf: () => DIFFERENCE * Math.min(rod.edgeLengthRest[edge], hair.ghostOffset[edge]),
        write: (rates, unknown, by) => writeMovedRates(rates, hair, edge, unknown, by),
      }),
    edgeScale(edge, of) {
      if (of === 'turn') return Math.min(rod.halfGJ[2 * edge], rod.halfGJ[2 * edge + 1]) / rod.edgeLengthRest[edge];
      return Math.max(...listEdgeUnknowns(hair, edge, 'nodes').map((d) => scale[d]));
    },
    measureMove(direction) {
      let move = 0;
      for (let i = 0; i < rod.nodeCount; i++)
        for (let k = 0; k < 3; k++) move = Math.max(move, Math.abs(direction[3 * (start + stride * i) + k]));
      return move;
    },
    measureTurn: (direction) => largestTurnOf(hair, direction),
  };
}

/** Moves pins to time t; false if they turned too far at once. */
function placeAtRest(state: RestState, t: number): boolean {
  const { search } = state;
  const { hair, work } = search;
  hair.linkForces = undefined;
  hair.restTension = undefined;
  hair.v.fill(0);
  const stops = planPins(hair, t);
  hair.poseTime = t;
  for (const stop of stops) moveToStop(hair, stop);
  chooseKinds(hair, work);
  hair.frozen = true;
  state.choices = 0;
  refreshState(state);
  return stops.length <= 2;
}

/** Call after the positions were changed other than by a step. */
function refreshState(state: RestState): void {
  measureTension(state.search);
  state.smallSteps = 0;
  poseSamples(state.search.hair);
}

/** Residual and matrix at the current state; returns the sum of the loads [N]. */
function evaluateAtRest(state: RestState, t: number, what: Parameters<RestRod['evaluate']>[1]): number {
  const { search } = state;
  const { hair, work, residual } = search;
  search.t = t;
  state.hasNewChoice = false;
  if (what !== 'tangent') {
    const { largest, loads } = evaluate(search, 0);
    return largest < Infinity ? loads : Number.NaN;
  }
  clearWide(work.matrix);
  residual.fill(0);
  assembleTangent(work.matrix, residual, hair, work.row, undefined, undefined);
  poseSamples(hair);
  return 0;
}

/** The test of statics.ts. In balance the altitude springs are chosen again; if the choice changes, the rod is not in balance. */
function measureSettled(state: RestState, scale: number, tolerance: number): ReturnType<RestRod['settled']> {
  const { hair, work, residual, error } = state.search;
  let largest = 0;
  for (let d = 0; d < hair.size; d++)
    if (!hair.fixed[d] && !(Math.abs(residual[d]) <= largest)) largest = Math.abs(residual[d]);
  let stretched = 0;
  for (let s = 0; s < hair.springs.count; s++)
    stretched = Math.max(stretched, Math.abs(error[s]) / hair.springs.rest[s]);
  const isLast = state.smallSteps > 0 && (scale === 0 || state.turn <= 1e-2 * measureTurns(hair).sum);
  const limit = tolerance * scale;
  if (!(stretched < 1e-10 && (largest <= limit || isLast))) return { settled: false, residual: largest, limit };
  return {
    settled: !changesChoice(state, () => chooseKinds(hair, work)),
    residual: largest,
    limit: Math.max(limit, largest),
  };
}

/** Chooses the altitude springs again; true if that changed them, unless it has been done too often. */
function changesChoice(state: RestState, choose: () => void): boolean {
  const { hair } = state.search;
  if (state.choices >= MOST_CHOICES) return false;
  const kinds = hair.altitudeKind.slice();
  choose();
  if (kinds.every((kind, k) => kind === hair.altitudeKind[k])) return false;
  state.choices++;
  state.hasNewChoice = true;
  return true;
}

/** Moves particles and tensions; counts small full steps. */
function takeStep(state: RestState, part: number, shift: number): void {
  const { search, step } = state;
  const { hair } = search;
  state.turn = largestTurnOf(hair, step);
  // a small step with the old choice does not show that the rod is in balance with the new one
  const isSmall =
    !state.hasNewChoice && part === 1 && state.turn <= (shift === 0 ? 1 : shift < 1e-6 ? 1e-2 : 0) * LAST_TURN;
  state.smallSteps = isSmall ? state.smallSteps + 1 : 0;
  moveTension(search, step, part);
  for (let d = 0; d < hair.size; d++) hair.q[d] += part * step[d];
  poseSamples(hair);
}

function hold(state: RestState): void {
  state.held.set(state.search.hair.q);
  state.heldTension.set(state.search.tension);
  // a new search begins, with other loads or another fictitious inertia
  state.smallSteps = 0;
}

function revert(state: RestState, t: number): void {
  const { hair, tension } = state.search;
  hair.q.set(state.held);
  evaluatePins(hair, t);
  refreshState(state);
  tension.set(state.heldTension);
}

/** Leaves the rod at rest, without forces of links. */
function finishAtRest({ search: { hair, tension } }: RestState): void {
  hair.loadFactor = 1;
  hair.frozen = false;
  hair.linkForces = undefined;
  hair.restTension = tension.slice();
  hair.v.fill(0);
  hair.acceleration.fill(0);
  hair.lastStep.fill(0);
  rememberOrientation(hair);
  poseSamples(hair);
}

function createState(hair: Hair): RestState {
  const vector = (): Float64Array => new Float64Array(hair.size);
  const springs = (): Float64Array => new Float64Array(hair.springs.count);
  return {
    // no shared work space: the work space of all linked rods is in use at once
    search: {
      hair,
      work: createWorkspace(hair),
      tension: springs(),
      error: springs(),
      residual: vector(),
      base: vector(),
      t: 0,
    },
    held: hair.q.slice(),
    heldTension: springs(),
    step: vector(),
    choices: 0,
    hasNewChoice: false,
    turn: Infinity,
    smallSteps: 0,
  };
}

/** Indices and entries of the matrix: its band. */
function readEntries({ search: { hair, work } }: RestState): Pick<RestRod, 'pairs' | 'readMatrix'> {
  const pairs: [number, number][] = [];
  for (let i = 0; i < hair.size; i++) for (let j = Math.max(0, i - WIDTH); j <= i; j++) pairs.push([i, j]);
  return {
    pairs,
    readMatrix(out) {
      pairs.forEach(([i, j], k) => {
        out[k] = readWide(work.matrix, i, j);
      });
    },
  };
}

/** Implements RestRod for a hair. */
export function createRestRod(hair: Hair): RestRod {
  const state = createState(hair);
  const { search, held, step } = state;
  const { work, residual } = search;
  const { size, q, fixed } = hair;
  const zero = zeroModeShift(hair);
  return {
    size,
    q,
    ...createEdgeAccess(hair),
    writeDisplacement(out) {
      for (let d = 0; d < size; d++) out[d] = q[d] - held[d];
    },
    move(direction, amount) {
      for (let d = 0; d < size; d++) if (!fixed[d]) q[d] += amount * direction[d];
      refreshState(state);
    },
    fixed,
    scale: hair.stiffnessScale,
    zero: hair.stiffnessScale.map((scale) => zero * scale),
    residual,
    step,
    ...readEntries(state),
    countPinIncrements: (t) => planPins(hair, t).length,
    place: (t) => placeAtRest(state, t),
    load(part) {
      hair.loadFactor = part;
      state.smallSteps = 0;
    },
    evaluate: (t, what) => evaluateAtRest(state, t, what),
    get conservative() {
      return !hair.drive.sources.some(({ dependsOnState }) => dependsOnState);
    },
    writeRight() {
      writeRightSide(search);
      step.set(work.right);
    },
    settled: (scale, tolerance) => measureSettled(state, scale, tolerance),
    limitStep() {
      const turn = largestTurnOf(hair, step);
      return turn > ROTATION ? ROTATION / turn : turn >= 0 ? 1 : Number.NaN;
    },
    takeStep: (part, shift) => takeStep(state, part, shift),
    explainFalseBalance: () => explainFold(hair),
    hold: () => hold(state),
    revert: (t) => revert(state, t),
    finish: () => finishAtRest(state),
    applyForces(outside) {
      hair.linkForces = outside;
    },
  };
}
