/**
 * Divides the motion of a rod's pins from one instant to another into increments that an equilibrium search can follow.
 *
 * Inputs are the present poses of the pinned nodes and the pins; the output is a list of poses, each with the rotation that leads to it.
 * Frames alone cannot tell a full turn from none, so the pins are sampled in time until they turn by little between two samples.
 * Only a pin that jumps is moved along the shortest rotation.
 */

import { rotateVector, rotationBetween } from '../math/frameRotation.ts';
import { hypotOf } from '../math/rounded/index.ts';
import { createPinPose, type Pin, type PinPose } from './compiled.ts';

export interface PinStop {
  /** [s] */
  readonly time: number;
  /** One per pin. */
  readonly poses: readonly PinPose[];
  /** Rotation vector of each pin's frame since the stop before, its twist included [rad], 3 per pin. */
  readonly rotation: Float64Array;
}

/** Largest motion of a pin from one stop to the next. */
export interface PinMotionLimits {
  /** [m] */
  readonly distance: number;
  /** Turn of the tangent [rad]. */
  readonly turn: number;
  /** Turn about the tangent [rad]. */
  readonly twist: number;
}

const STOPS = 400;
const SAMPLES = 4096;

export function copyPose(from: PinPose): PinPose {
  const out = createPinPose();
  assignPose(out, from);
  return out;
}

export function assignPose(out: PinPose, from: PinPose): void {
  out.position.set(from.position);
  out.velocity.set(from.velocity);
  out.angularVelocity.set(from.angularVelocity);
  out.tangent.set(from.tangent);
  out.director.set(from.director);
  out.axis.set(from.axis);
  out.twist = from.twist;
  out.active = from.active;
}

/** `a` moved towards `b` by the share w: positions and twist in proportion, frames along the shortest rotation. */
function blendPoses(a: PinPose, b: PinPose, w: number): PinPose {
  const out = copyPose(b);
  if (w === 1) return out;
  const turn = rotationBetween(a, b).map((x) => w * x);
  for (let k = 0; k < 3; k++) out.position[k] = (1 - w) * a.position[k] + w * b.position[k];
  for (const key of ['tangent', 'director', 'axis'] as const) {
    out[key].set(a[key]);
    rotateVector(out[key], 0, turn);
  }
  out.twist = (1 - w) * a.twist + w * b.twist;
  return out;
}

/** Motion between two sets of poses, relative to the limits; 1 reaches a limit. */
function measureMotion(
  pins: readonly Pin[],
  a: readonly PinPose[],
  b: readonly PinPose[],
  limits: PinMotionLimits,
): number {
  let most = 0;
  pins.forEach(({ holdX, holdY, holdZ, orientation }, p) => {
    if (!b[p].active) return;
    const held = [holdX, holdY, holdZ];
    const gap = hypotOf(held.map((is, k) => (is ? b[p].position[k] - a[p].position[k] : 0)));
    most = Math.max(most, gap / limits.distance);
    if (orientation === 'free') return;
    const turn = rotationBetween(a[p], b[p]);
    const along = turn[0] * b[p].tangent[0] + turn[1] * b[p].tangent[1] + turn[2] * b[p].tangent[2];
    const spin = Math.abs(along + b[p].twist - a[p].twist);
    most = Math.max(most, hypotOf(turn) / limits.turn, spin / limits.twist);
  });
  return most;
}

function samplePoses(pins: readonly Pin[], t: number): PinPose[] {
  return pins.map((pin) => {
    const pose = createPinPose();
    pin.evaluate(pose, t);
    return pose;
  });
}

/** Samples the pins after `from`, the last time at `to`, so closely that frames are not ambiguous. */
function sampleMotion(pins: readonly Pin[], from: number, to: number): { time: number; poses: PinPose[] }[] {
  if (from === to) return [{ time: to, poses: samplePoses(pins, to) }];
  const bound = { distance: Infinity, turn: 0.5, twist: Infinity };
  for (let count = 128; ; count *= 2) {
    const samples = Array.from({ length: count }, (_, k) => {
      const time = k + 1 === count ? to : from + ((to - from) * (k + 1)) / count;
      return { time, poses: samplePoses(pins, time) };
    });
    if (count >= SAMPLES) return samples;
    const start = samplePoses(pins, from);
    if (samples.every(({ poses }, k) => measureMotion(pins, k > 0 ? samples[k - 1].poses : start, poses, bound) <= 1))
      return samples;
  }
}

function makeStop(time: number, before: readonly PinPose[], poses: readonly PinPose[]): PinStop {
  const rotation = new Float64Array(3 * poses.length);
  poses.forEach((pose, p) => {
    const turn = rotationBetween(before[p], pose);
    for (let k = 0; k < 3; k++) rotation[3 * p + k] = turn[k] + (pose.twist - before[p].twist) * pose.tangent[k];
  });
  return { time, poses, rotation };
}

/** Stops from the poses `start`, which the rod is in at the time `from`, to those at `to`; the last is exactly there. */
export function planPinMotion(
  pins: readonly Pin[],
  start: readonly PinPose[],
  [from, to]: readonly [number, number],
  limits: PinMotionLimits,
): PinStop[] {
  const samples = sampleMotion(pins, from, to);
  let whole = 0;
  let last = start;
  const lengths = samples.map(({ poses }) => {
    const distance = measureMotion(pins, last, poses, limits);
    last = poses;
    whole += distance;
    return distance;
  });
  const share = Math.max(1, whole / STOPS);
  const stops: PinStop[] = [];
  let here = start;
  let before = start;
  let gone = 0;
  samples.forEach(({ time, poses }, k) => {
    const parts = Math.ceil(lengths[k] / share);
    gone += lengths[k];
    const next = k + 1 < samples.length ? lengths[k + 1] : Infinity;
    if (gone + next > share || parts > 1) {
      for (let part = 1; part <= Math.max(1, parts); part++) {
        const there = poses.map((pose, p) => blendPoses(before[p], pose, part / Math.max(1, parts)));
        stops.push(makeStop(time, here, there));
        here = there;
      }
      gone = 0;
    }
    before = poses;
  });
  return stops;
}
