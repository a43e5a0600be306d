/**
 * The equations of a rod at rest, for equilibria of linked rods: implements RestRod for contact/links/statics.ts.
 *
 * Unknowns are the particles, and in a ring that a pin holds in part the coordinates of held.ts, some of which are prescribed. A vector in these unknowns
 * is `turned`; `returnHeld` gives the particles' displacements.
 */
import type { OutsideForces, RestEdges, RestRod } from '../../model.ts';
import { writeTurnCurvature } from '../edgeTurn.ts';
import { largestTurn, predictTension } from './elements.ts';
import { measureDeformation } from './energy.ts';
import { evaluateHeld, returnHeld, turnHeld, turnVector } from './held.ts';
import { poseSamples, writeSpinGradient } from './kinematics.ts';
import { moveToStop, planPins } from './pinMotion.ts';
import { type FiberRod, updateStiffness } from './rod.ts';
import { edgeStiffness } from './scaffold.ts';
import {
  createStaticWork,
  forceScale,
  LAST_TURN,
  LEAST_DEFORMATION,
  type StaticWork,
  zeroModeShift,
} from './statics.ts';
import { assembleTangent, measureLoadJacobian } from './tangent.ts';
import { explainOvertwist, explainSoftTwist } from './twist.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

/** Largest turn of a spring in one iteration [rad]. */
const ROTATION = 0.5;
/** Displacement for differences, relative to the width of the scaffold. */
const DIFFERENCE = 1e-4;

interface RestState {
  readonly fiber: FiberRod;
  readonly work: Workspace;
  readonly statics: StaticWork;
  /** Negative of the force on every unknown [N], Newton's step, and displacements of particles. */
  readonly residual: Float64Array;
  readonly step: Float64Array;
  readonly move: Float64Array;
  readonly fixed: Uint8Array;
  readonly held: Float64Array;
  /** True if the tensions in the matrix are those of the positions, not predicted by the last step. */
  isFresh: boolean;
  /** Largest turn in the last full step [rad], and the number of small full steps in a row. */
  turn: number;
  smallSteps: number;
}

/** Marks the prescribed unknowns. */
function markFixed({ fiber, fixed }: RestState): void {
  fixed.fill(0);
  for (const { ring, active, full, fixed: heldFixed } of fiber.held)
    for (let k = 0; k < 12; k++) if (active && (full || heldFixed[k])) fixed[12 * ring + k] = 1;
}

/** Turns rows of held rings into their bases: of a vector, and of the matrix. */
function turnAll({ fiber, residual, work }: RestState): void {
  for (const ring of fiber.held) {
    if (!ring.active || ring.full) continue;
    turnVector(ring, residual, 12 * ring.ring);
    turnHeld(ring, work.matrix);
  }
}

/** Residual and matrix; returns the sum of the loads [N], or NaN. */
function evaluateAtRest(state: RestState, t: number, what: Parameters<RestRod['evaluate']>[1]): number {
  const { fiber, work, statics, residual } = state;
  work.elements.edgeChi.fill(0);
  work.elements.ringChi.fill(0);
  measureLoadJacobian(statics.jacobian, fiber, t);
  const mode = state.isFresh || what === 'tangent' ? 'exact' : 'given';
  if (!assembleTangent(fiber, work, t, mode, statics.jacobian, 'symmetric')) return Number.NaN;
  if (state.isFresh) work.elements.tau.set(work.elements.tension);
  state.isFresh = false;
  for (let d = 0; d < fiber.size; d++) residual[d] = -work.residual[d];
  turnAll(state);
  return what === 'tangent' ? 0 : forceScale(fiber).loads;
}

/** Displacements of the particles along a vector of unknowns, without the prescribed ones. */
function particlesOf({ fiber, fixed, move }: RestState, direction: Float64Array): Float64Array {
  for (let d = 0; d < fiber.size; d++) move[d] = fixed[d] ? 0 : direction[d];
  returnHeld(fiber, move);
  return move;
}

/** Lists the particles of both rings of an edge. */
const listEdgeUnknowns = (edge: number): number[] => Array.from({ length: 24 }, (_, k) => 12 * edge + k);

/** Turns the columns of held rings in `rows` rows of rates of an edge, 24 numbers each. */
function turnRates({ fiber }: RestState, out: Float64Array, edge: number, rows: number): void {
  for (const ring of fiber.held) {
    const at = ring.ring - edge;
    if (!ring.active || ring.full || at < 0 || at > 1) continue;
    for (let row = 0; row < rows; row++) turnVector(ring, out, 24 * row + 12 * at);
  }
}

const moved = new Float64Array(24);
const axis = new Float64Array(24);

/** Rates of the turn of an edge with one of its unknowns displaced. */
function writeMovedRates(state: RestState, out: Float64Array, edge: number, unknown: number, by: number): void {
  const { fiber, move } = state;
  move.fill(0);
  move[12 * edge + unknown] = by;
  returnHeld(fiber, move);
  for (let k = 0; k < 24; k++) moved[k] = fiber.q[12 * edge + k] + move[12 * edge + k];
  writeSpinGradient(out, moved, 0);
  turnRates(state, out, edge, 1);
}

function createEdgeAccess(state: RestState): RestEdges {
  const { fiber, work, statics } = state;
  return {
    nodeOf: (d) => (d / 12) | 0,
    listEdgeUnknowns,
    writeEdgeRates(out, edge, of) {
      out.fill(0, 0, 24 * 6);
      for (let i = 0; i < 6; i++) for (let c = 0; c < 4; c++) out[24 * i + 12 * ((i / 3) | 0) + 3 * c + (i % 3)] = 0.25;
      if (of === 'nodes-and-turn') {
        writeSpinGradient(axis, fiber.q.subarray(12 * edge, 12 * edge + 24), 0);
        out.set(axis, 24 * 6);
      }
      turnRates(state, out, edge, of === 'nodes-and-turn' ? 7 : 6);
    },
    writeTurnCurvature: (out, edge) =>
      writeTurnCurvature(out, {
        count: 24,
        stepOf: () => DIFFERENCE * Math.min(fiber.width1, fiber.width2),
        write: (rates, unknown, by) => writeMovedRates(state, rates, edge, unknown, by),
      }),
    edgeScale(edge, of) {
      if (of === 'turn') return edgeStiffness(fiber.rod.halfGJ, edge) / fiber.rod.edgeLengthRest[edge];
      return 4 * Math.max(statics.weight[12 * edge], statics.weight[12 * edge + 12]);
    },
    measureMove(direction) {
      const dx = particlesOf(state, direction);
      let largest = 0;
      for (let o = 0; o < fiber.size; o += 12)
        for (let k = o; k < o + 3; k++)
          largest = Math.max(largest, 0.25 * Math.abs(dx[k] + dx[k + 3] + dx[k + 6] + dx[k + 9]));
      return largest;
    },
    measureTurn: (direction) => largestTurn(fiber, work.elements, particlesOf(state, direction)),
  };
}

/** Moves pins to time t; false if they lost turns on the way. */
function placeAtRest(state: RestState, t: number): boolean {
  const { fiber } = state;
  updateStiffness(fiber, t);
  fiber.contactForce = undefined;
  fiber.v.fill(0);
  const stops = planPins(fiber, t);
  fiber.poseTime = t;
  for (const stop of stops) moveToStop(fiber, stop);
  refreshState(state);
  return stops.length <= 2 && explainOvertwist(fiber, fiber.q) === '';
}

/** Call after the positions were changed other than by a step. */
function refreshState(state: RestState): void {
  state.isFresh = true;
  state.smallSteps = 0;
  markFixed(state);
  poseSamples(state.fiber, state.fiber.q, state.fiber.v);
}

/** As in statics.ts: the residual is compared with the loads, a position with the next Newton correction. */
function measureSettled(
  { fiber, residual, fixed, turn, smallSteps }: RestState,
  scale: number,
  tolerance: number,
): ReturnType<RestRod['settled']> {
  let largest = 0;
  for (let d = 0; d < fiber.size; d++)
    if (!fixed[d] && !(Math.abs(residual[d]) <= largest)) largest = Math.abs(residual[d]);
  const isUnstrained =
    scale === 0 && largest <= forceScale(fiber).floor && measureDeformation(fiber) <= LEAST_DEFORMATION;
  const isLast = smallSteps > 0 && (scale === 0 || turn <= 1e-2 * measureDeformation(fiber));
  const settled = largest <= tolerance * scale || isUnstrained || isLast;
  return { settled, residual: largest, limit: settled ? Math.max(tolerance * scale, largest) : tolerance * scale };
}

/** Moves particles and predicted tensions; counts small full steps. */
function takeStep(state: RestState, part: number, shift: number): void {
  const { fiber, work, step } = state;
  const dx = particlesOf(state, step);
  state.turn = largestTurn(fiber, work.elements, dx);
  const isSmall = part === 1 && state.turn <= (shift === 0 ? 1 : shift < 1e-6 ? 1e-2 : 0) * LAST_TURN;
  state.smallSteps = isSmall ? state.smallSteps + 1 : 0;
  predictTension(fiber, work.elements, dx, part, 1);
  for (let d = 0; d < fiber.size; d++) fiber.q[d] += part * dx[d];
  poseSamples(fiber, fiber.q, fiber.v);
}

/** Leaves the rod at rest, without forces of links. */
function finishAtRest(fiber: FiberRod): void {
  fiber.loadFactor = 1;
  fiber.contactForce = undefined;
  fiber.v.fill(0);
  if (fiber.memory.length > 0) fiber.memory[0] = 0;
  poseSamples(fiber, fiber.q, fiber.v);
}

/** Sets the forces of links on the particles, as after a step: reactions of pins then include them. */
function applyForces(fiber: FiberRod, { nodeForce, edgeTorque }: OutsideForces): void {
  const force = new Float64Array(fiber.size);
  for (let i = 0; i < fiber.ringCount; i++)
    for (let c = 0; c < 4; c++) for (let k = 0; k < 3; k++) force[12 * i + 3 * c + k] += 0.25 * nodeForce[3 * i + k];
  for (let j = 0; j < fiber.edgeCount; j++) {
    if (edgeTorque[j] === 0) continue;
    writeSpinGradient(axis, fiber.q, j);
    for (let k = 0; k < 24; k++) force[12 * j + k] += edgeTorque[j] * axis[k];
  }
  fiber.contactForce = force;
}

/** Indices and entries of the matrix: blocks on the diagonal and below it. */
function readEntries({ matrix: { count, diagonal, lower } }: Workspace): Pick<RestRod, 'pairs' | 'readMatrix'> {
  const pairs: [number, number][] = [];
  const at: number[] = [];
  for (let b = 0; b < count; b++)
    for (let i = 0; i < 12; i++) {
      for (let j = 0; b > 0 && j < 12; j++) {
        pairs.push([12 * b + i, 12 * (b - 1) + j]);
        at.push(-1 - (144 * (b - 1) + 12 * i + j));
      }
      for (let j = 0; j <= i; j++) {
        pairs.push([12 * b + i, 12 * b + j]);
        at.push(144 * b + 12 * i + j);
      }
    }
  return {
    pairs,
    readMatrix(out) {
      at.forEach((place, k) => {
        out[k] = place < 0 ? lower[-1 - place] : diagonal[place];
      });
    },
  };
}

function createState(fiber: FiberRod): RestState {
  const vector = (): Float64Array => new Float64Array(fiber.size);
  return {
    fiber,
    // no shared work space: the work space of all linked rods is in use at once
    work: createWorkspace(fiber),
    statics: createStaticWork(fiber),
    residual: vector(),
    step: vector(),
    move: vector(),
    fixed: new Uint8Array(fiber.size),
    held: fiber.q.slice(),
    isFresh: true,
    turn: Infinity,
    smallSteps: 0,
  };
}

/** Implements RestRod for a fiber. */
export function createRestRod(fiber: FiberRod): RestRod {
  const state = createState(fiber);
  const { work, statics, residual, step, fixed, held } = state;
  const { size, q } = fiber;
  const zero = zeroModeShift(fiber);
  return {
    size,
    q,
    ...createEdgeAccess(state),
    writeDisplacement(out) {
      for (let d = 0; d < size; d++) out[d] = q[d] - held[d];
      for (const ring of fiber.held) if (ring.active && !ring.full) turnVector(ring, out, 12 * ring.ring);
    },
    move(direction, amount) {
      const dx = particlesOf(state, direction);
      for (let d = 0; d < size; d++) q[d] += amount * dx[d];
      refreshState(state);
    },
    fixed,
    scale: statics.weight,
    zero: statics.weight.map((weight) => zero * weight),
    residual,
    step,
    ...readEntries(work),
    countPinIncrements: (t) => planPins(fiber, t).length,
    place: (t) => placeAtRest(state, t),
    load(part) {
      fiber.loadFactor = part;
      state.smallSteps = 0;
    },
    evaluate: (t, what) => evaluateAtRest(state, t, what),
    get conservative() {
      return statics.jacobian.asymmetry <= 1e-4;
    },
    writeRight() {
      for (let d = 0; d < size; d++) step[d] = -residual[d];
    },
    settled: (scale, tolerance) => measureSettled(state, scale, tolerance),
    limitStep() {
      const turn = largestTurn(fiber, work.elements, particlesOf(state, step));
      return turn > ROTATION ? ROTATION / turn : turn >= 0 ? 1 : Number.NaN;
    },
    takeStep: (part, shift) => takeStep(state, part, shift),
    explainFalseBalance: () => explainSoftTwist(fiber, q),
    hold() {
      held.set(q);
      // a new search begins, with other loads or another fictitious inertia
      state.smallSteps = 0;
    },
    revert(t) {
      q.set(held);
      evaluateHeld(fiber, t);
      refreshState(state);
    },
    finish: () => finishAtRest(fiber),
    applyForces: (outside) => applyForces(fiber, outside),
  };
}
