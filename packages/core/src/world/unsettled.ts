/**
 * Reactions that are not those of the motion: right after the velocity of a pin has jumped, because the true force contains an impulse, and in the first
 * steps of schemes whose accelerations lag by half a step.
 */
import { hypotOf } from '../math/rounded/index.ts';
import { createPinPose, type Pin, type Rod } from '../scene/compiled.ts';
import type { Scene } from '../scene/types.ts';
import type { WorldParts } from './build.ts';

/** A jump affects the reactions of this many steps: those of schemes that remember two steps, and the one that contains the jump. */
const STEPS = 3;

/** Velocities that differ by less than this share of the larger are the same. */
const SAME = 0.01;

const BEFORE =
  'the rod starts in motion, and its integrator computes the tension that turns the motion in the first step';

const poses = [createPinPose(), createPinPose()];

/** Why the reactions of a rod at the present time are not settled; undefined if they are. */
export type UnsettledReader = (rod: number) => string | undefined;

/** Returns a function that reads why reactions are not settled. */
export function createUnsettledReader({ scene, rods, drives, samples, clock }: WorldParts): UnsettledReader {
  const begin = clock.time;
  return (r) => {
    if (samples[r].nodeVelocity.every((v) => v === 0)) return undefined;
    if (clock.stepCount === 0) return startsWithoutTension(rods[r], scene) ? BEFORE : undefined;
    // half a step more, for rounding
    const span = (STEPS + 0.5) * (clock.lastStep || scene.time?.step || 0);
    const { time } = clock;
    const isFirst = time - span < begin;
    const { pins } = drives[r];
    // these models have the velocity before a jump at its very time
    const last = ['der', 'helix'].includes(rods[r].model) ? time - 1e-6 * span : time;
    if (
      pins.some(
        (pin) => (isFirst && startsWithJump(pin, rods[r], begin)) || jumps(pin, Math.max(begin, time - span), last),
      )
    )
      return `the velocity of a pin has jumped less than ${STEPS + 1} steps ago: the true force contains an impulse, which the integrator spreads over steps of its own`;
    if (isFirst && lags(rods[r], scene) && rods[r].nodeVelocity.some((v) => v !== 0))
      return `the rod starts in motion, and the accelerations of its integrator lag by half a step: the reaction that turns the motion settles after ${STEPS} steps`;
    return undefined;
  };
}

const differ = (a: Float64Array, b: Float64Array, least: number): boolean =>
  hypotOf(a.map((x, k) => x - b[k])) > Math.max(least, SAME * Math.max(hypotOf(a), hypotOf(b)));

/** True if the velocity of a pin jumps between two times: only that of paths with `interpolation: linear` or `step` can. */
function jumps(pin: Pin, from: number, to: number): boolean {
  if (pin.isStill || pin.evaluateMotion) return false;
  const [before, after] = poses;
  pin.evaluate(before, from);
  pin.evaluate(after, to);
  const mean = after.velocity.map((v, k) => 0.5 * (to - from) * (v + before.velocity[k]));
  const moved = after.position.map((x, k) => x - before.position[k]);
  const turned = after.twist - before.twist;
  const spun = before.angularVelocity.reduce((sum, w, k) => sum + 0.5 * (to - from) * w * before.tangent[k], 0);
  const spins = after.angularVelocity.reduce((sum, w, k) => sum + 0.5 * (to - from) * w * after.tangent[k], 0);
  return (
    differ(before.velocity, after.velocity, 0) ||
    differ(before.angularVelocity, after.angularVelocity, 0) ||
    differ(mean, moved, 1e-9 * hypotOf(after.position)) ||
    Math.abs(spun + spins - turned) > SAME * Math.abs(turned) + 1e-9
  );
}

/** True if a pin does not move at the start as its node does. */
function startsWithJump(
  pin: Pin,
  { nodeVelocity, nodeCount, nodePosition, edgeSpin, length }: Rod,
  t: number,
): boolean {
  const [pose] = poses;
  pin.evaluate(pose, t);
  const { node } = pin;
  const isHeld = [pin.holdX, pin.holdY, pin.holdZ];
  const own = nodeVelocity.slice(3 * node, 3 * node + 3);
  const speed = Math.max(...nodeVelocity.map(Math.abs), hypotOf(pose.velocity));
  if (isHeld.some((held, k) => held && Math.abs(own[k] - pose.velocity[k]) > SAME * speed)) return true;
  if (pin.orientation === 'free') return false;
  // rate of the tangent at the node by the edge next to it, and the spin about it
  const a = Math.min(node, nodeCount - 2);
  const edge = [0, 1, 2].map((k) => nodePosition[3 * a + 3 + k] - nodePosition[3 * a + k]);
  const rate = [0, 1, 2].map((k) => nodeVelocity[3 * a + 3 + k] - nodeVelocity[3 * a + k]);
  const w = pose.angularVelocity;
  const swing = [0, 1, 2].map((k) => w[(k + 1) % 3] * edge[(k + 2) % 3] - w[(k + 2) % 3] * edge[(k + 1) % 3] - rate[k]);
  const spin = w.reduce((sum, x, k) => sum + x * pose.tangent[k], -edgeSpin[a]);
  const largest = hypotOf(rate) + hypotOf(w) * hypotOf(edge) + (1e-6 * speed * hypotOf(edge)) / length;
  const turns = Math.abs(edgeSpin[a]) + hypotOf(w) + (1e-6 * speed) / length;
  return hypotOf(swing) > SAME * largest || (pin.orientation === 'frame' && Math.abs(spin) > SAME * turns);
}

/** True for schemes of first order, or that start with one of its steps, where the rod does not stretch. */
function lags({ model, inextensible }: Rod, { solver = {} }: Scene): boolean {
  if (model === 'helix') return true;
  if (model === 'der') return inextensible && ['implicit-euler', 'bdf2'].includes(solver.der?.integrator ?? '');
  return model === 'cosserat' && inextensible && solver.cosserat?.integrator === 'implicit-euler';
}

/** True for schemes that know the tensions of rods that do not stretch only after a step. */
function startsWithoutTension({ model, inextensible }: Rod, { solver = {} }: Scene): boolean {
  if (!inextensible) return false;
  return (
    model === 'cosserat' || (model === 'der' && ['shake', 'fast-projection'].includes(solver.der?.integrator ?? ''))
  );
}
