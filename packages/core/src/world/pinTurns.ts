/**
 * Intermediate instants between two equilibria. Statics also finds the equilibria at these instants, so that it follows clamps that turn far.
 *
 * Models receive frames, and a frame cannot distinguish a full turn from none: a clamp that turned by 5 rad at once would seem to have turned back by 1.3. The
 * angle `twist` of a pin is counted and needs no instants. Models `fiber` and `massspring` follow pins in increments of their own.
 */

import { rotationBetween } from '../math/frameRotation.ts';
import { hypotOf } from '../math/rounded/index.ts';
import { capabilitiesOf } from '../models/registry.ts';
import type { Drive } from '../port.ts';
import { createPinPose, type Pin, type PinPose, type Rod } from '../scene/compiled.ts';

/** Largest turn of a clamp from one equilibrium to the next [rad]. */
const TURN = 1.5;
const SAMPLES = [128, 4096] as const;
/** Largest turn between two samples [rad]. */
const SAMPLED_TURN = 0.5;

/** Instants strictly between `from` and `to`, in order. */
export function findTurnStops(rods: readonly Rod[], drives: readonly Drive[], from: number, to: number): number[] {
  if (from === to) return [];
  const pins = drives.flatMap((drive, r) => (capabilitiesOf(rods[r]).needsTurnStops ? drive.pins.filter(turns) : []));
  if (pins.length === 0) return [];
  const turned = sampleTurns(pins, from, to);
  const whole = turned.reduce((sum, turn) => sum + turn, 0);
  const intervals = Math.ceil(whole / TURN);
  const stops: number[] = [];
  let soFar = 0;
  turned.forEach((turn, k) => {
    soFar += turn;
    if (k + 1 < turned.length && soFar >= ((stops.length + 1) * whole) / intervals && stops.length + 1 < intervals)
      stops.push(from + ((to - from) * (k + 1)) / turned.length);
  });
  return stops;
}

const turns = ({ isStill, orientation }: Pin): boolean => !isStill && orientation !== 'free';

/** Largest turn of a pin in each of several intervals of equal length, which are short enough that no turn is missed. */
function sampleTurns(pins: readonly Pin[], from: number, to: number): number[] {
  const [fewest, most] = SAMPLES;
  for (let count = fewest; ; count *= 2) {
    let before = posesAt(pins, from);
    const turned = Array.from({ length: count }, (_, k) => {
      const poses = posesAt(pins, from + ((to - from) * (k + 1)) / count);
      const largest = poses.reduce((sum, pose, p) => Math.max(sum, measureTurn(before[p], pose)), 0);
      before = poses;
      return largest;
    });
    if (count >= most || turned.every((turn) => turn <= SAMPLED_TURN)) return turned;
  }
}

const measureTurn = (before: PinPose, pose: PinPose): number =>
  pose.active ? hypotOf(rotationBetween(before, pose)) : 0;

function posesAt(pins: readonly Pin[], t: number): PinPose[] {
  return pins.map((pin) => {
    const pose = createPinPose();
    pin.evaluate(pose, t);
    return pose;
  });
}
