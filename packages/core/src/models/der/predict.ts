/** First guesses of an implicit step: rods and bodies moved on with their velocities and accelerations. */
import { newtonConstants } from '../../constants.ts';
import { hypot } from '../../math/rounded/index.ts';
import type { DerBody } from './body.ts';
import { evaluatePins, spreadHeldTwist } from './kinematics.ts';
import type { DerRod } from './rod.ts';
import type { Move } from './step.ts';

const { GUESS_TURN } = newtonConstants;

/**
 * Starts the iteration at q + h v + ½h²a, limited so that no edge turns by more than half a radian. Before the first step the acceleration is omitted:
 * that of a rod just released has a kink at its clamp, from which Newton recovers slowly. Returns the part of the displacement that was taken, and the factor of
 * the acceleration.
 */
export function predict(
  der: DerRod,
  h: number,
  guess: 'by-acceleration' | 'by-velocity',
): { readonly part: number; readonly half: number } {
  const { q, v, acceleration, size, edgeCount, nodeCount, edgeLength } = der;
  const half = guess === 'by-acceleration' && der.history[1] > 0 ? 0.5 * h * h : 0;
  const broken = der.breaking?.broken;
  let largest = 0;
  for (let j = 0; j < edgeCount; j++) {
    if (broken && broken[j] === 1) continue;
    const a = 4 * j;
    const b = j + 1 < nodeCount ? a + 4 : 0;
    const turn = Math.abs(h * v[a + 3] + half * acceleration[a + 3]);
    let square = 0;
    for (let k = 0; k < 3; k++) {
      const way = h * (v[b + k] - v[a + k]) + half * (acceleration[b + k] - acceleration[a + k]);
      square += way * way;
    }
    // the length of the displacement, not a sum of components: the guess must not depend on the axes
    const move = turn + Math.sqrt(square) / edgeLength[j];
    if (!(move <= largest)) largest = move;
  }
  if (!(largest < Infinity)) return { part: 0, half };
  const fraction = largest > GUESS_TURN ? GUESS_TURN / largest : 1;
  for (let d = 0; d < size; d++) q[d] += fraction * (h * v[d] + half * acceleration[d]);
  return { part: fraction, half };
}

/** Pins at the time of the next stage, and a first guess for rods and bodies there. */
export function approach(move: Move, t: number, h: number, guess: 'by-acceleration' | 'by-velocity'): boolean {
  const { members, bodies } = move.system;
  let countable = true;
  for (const { der, work } of members) {
    work.heldTheta.set(der.held.theta);
    work.qStart.set(der.q);
    evaluatePins(der, t);
    if (h > 0) predict(der, h, guess);
    countable = spreadHeldTwist(der, work.heldTheta, work.qStart) && countable;
  }
  // as in `predict`: not before the first step
  const known = guess === 'by-acceleration' && members.every(({ der }) => der.history[1] > 0);
  for (const body of bodies) predictBody(body, h, known);
  if (!countable) move.out.reason = 'a clamp turns by more than a joint can count in one step';
  return countable;
}

const bodyMove = new Float64Array(6);
const bodyTurn = new Float64Array(3);

/**
 * Bodies use the same prediction as their rods, including the acceleration of the last stage, ½h²a. Without it a rod of the benchmark needed 3.7
 * iterations per step with a body and 3.0 without, the lighter the body the more.
 */
function predictBody(der: DerBody, h: number, withAcceleration: boolean): void {
  const { body, mass, velocity, pose } = der;
  const half = withAcceleration ? 0.5 * h * h : 0;
  der.actions.writeAngularAcceleration(bodyTurn, der);
  for (let k = 0; k < 3; k++) {
    const acceleration = mass > 0 ? der.force[k] / mass : 0;
    bodyMove[k] = body.free[k] ? h * velocity[k] + half * acceleration : 0;
    bodyMove[3 + k] = body.free[3 + k] ? h * pose.angularVelocity[k] + half * bodyTurn[k] : 0;
  }
  const turn = hypot(bodyMove[3], bodyMove[4], bodyMove[5]);
  der.actions.moveBody(der, bodyMove, 0, turn > 0.5 ? 0.5 / turn : 1);
}
