/**
 * Twists a rod whose clamps start with different twists, `path: { keys: [{ time: 0, twist: 10 turns }] }`.
 *
 * Frames cannot distinguish a full turn from none, and a joint that takes many turns at once loses some. So the rod starts with the twist, spread
 * linearly between its clamps, and its pins count theirs from there.
 */
import { rotateVector } from '../math/frameRotation.ts';
import { createPinPose, type Pin, type Rod } from './compiled.ts';

/** A turn that pins prescribe at an arc length [m]. */
export interface PrescribedTurn {
  readonly arc: number;
  readonly turn: number;
}

/** Turn at an arc length [rad], interpolated between prescribed ones, which are sorted; constant outside. */
export function interpolateTurns(list: readonly PrescribedTurn[], arc: number): number {
  const after = list.findIndex((one) => one.arc >= arc);
  const right = after < 0 ? list[list.length - 1] : list[after];
  const left = after > 0 ? list[after - 1] : after < 0 ? right : list[0];
  const w = right.arc > left.arc ? (arc - left.arc) / (right.arc - left.arc) : 0;
  return (1 - w) * left.turn + w * right.turn;
}

/** Twists an open rod in place as its clamps start, and returns its pins with twists counted from there; undefined if none starts twisted. */
export function twistToPins(rod: Rod, pins: readonly Pin[]): Pin[] | undefined {
  const turns = listTurns(rod, pins);
  if (rod.closed || turns.every(({ turn }) => turn === 0)) return undefined;
  const { edgeDirector, nodeDirector, nodeTangent, nodePosition, nodeTwist, nodeArc } = rod;
  const axis = [0, 0, 0];
  const turnDirector = (directors: Float64Array, o: number, tangent: readonly number[], angle: number): void => {
    const size = Math.sqrt(tangent[0] * tangent[0] + tangent[1] * tangent[1] + tangent[2] * tangent[2]);
    for (let k = 0; k < 3; k++) axis[k] = (angle * tangent[k]) / size;
    rotateVector(directors, o, axis);
  };
  let before = 0;
  for (let j = 0; j < rod.edgeCount; j++) {
    const o = 3 * j;
    const turn = interpolateTurns(turns, 0.5 * (nodeArc[j] + nodeArc[j + 1]));
    const edge = [0, 1, 2].map((k) => nodePosition[o + 3 + k] - nodePosition[o + k]);
    turnDirector(edgeDirector, o, edge, turn);
    if (j > 0) nodeTwist[j] += turn - before;
    before = turn;
  }
  for (let i = 0; i < rod.nodeCount; i++) {
    const tangent = [0, 1, 2].map((k) => nodeTangent[3 * i + k]);
    turnDirector(nodeDirector, 3 * i, tangent, interpolateTurns(turns, nodeArc[i]));
  }
  return pins.map((pin) => countFromStart(pin));
}

/** Twists of clamps at t = 0, in the order of their places. */
function listTurns(rod: Rod, pins: readonly Pin[]): PrescribedTurn[] {
  const pose = createPinPose();
  const turns: PrescribedTurn[] = [];
  for (const pin of pins) {
    pin.evaluate(pose, 0);
    if (pin.orientation === 'frame' && pose.active) turns.push({ arc: rod.nodeArc[pin.node], turn: pose.twist });
  }
  return turns.sort((a, b) => a.arc - b.arc);
}

/** The pin with its twist counted from its start: the rod has no turns yet, so none is lost. */
export function countFromStart(pin: Pin): Pin {
  const start = createPinPose();
  pin.evaluate(start, 0);
  const { twist } = start;
  if (twist === 0) return pin;
  return {
    ...pin,
    evaluate(pose, t) {
      pin.evaluate(pose, t);
      rotateVector(
        pose.director,
        0,
        Array.from(pose.tangent, (x) => twist * x),
      );
      pose.twist -= twist;
    },
  };
}
