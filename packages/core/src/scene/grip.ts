/**
 * A grip on a pin while the world runs: moves, turns or releases it, in addition to the motion that the scene prescribes.
 *
 * A scene cannot prescribe the motion of a user's mouse, and loads do not move a node that a pin holds. So every pin has a
 * grip. A grip that was never used does not change the bits of a run. Moves are ramps in time, so that the pin has a velocity and
 * does not jump within a step. Grips are not part of the state: `save` does not include them.
 */
import type { Pin, PinPose } from './compiled.ts';

/** A hand on a pin while the world runs. */
export interface Grip {
  /** Index in the scene's rods. */
  readonly rod: number;
  /** Index of the node. */
  readonly node: number;
  /** How the pin holds the material frame. */
  readonly orientation: Pin['orientation'];
  /** True once the pin is released. */
  readonly released: boolean;
  /** Pose of the pin at time t. */
  evaluate(pose: PinPose, t: number): void;
  /** Moves the pin from its pose at time t to `offset` [m] and `twist` [rad] relative to the scene's path, within `seconds`. */
  move(to: { readonly offset?: ArrayLike<number>; readonly twist?: number }, t: number, seconds: number): void;
  /** Releases the pin; the world computes its accelerations again. */
  release(): void;
}

export interface GrippedPin {
  readonly pin: Pin;
  readonly grip: Grip;
}

/** Offset x y z [m] and twist [rad]. */
const CHANNELS = 4;

/** `restart` is called when the pin is released, `noteUse` when the grip is used for the first time. */
export function createGrip(inner: Pin, restart: () => void, noteUse: () => void = () => {}): GrippedPin {
  const from = new Float64Array(CHANNELS);
  const to = new Float64Array(CHANNELS);
  let begin = 0;
  let end = 0;
  let moved = false;
  let released = false;

  const evaluate = (pose: PinPose, t: number): void => {
    inner.evaluate(pose, t);
    if (released) pose.active = false;
    if (!moved) return;
    const u = t >= end ? 1 : t <= begin ? 0 : (t - begin) / (end - begin);
    const rate = t > begin && t < end ? 1 / (end - begin) : 0;
    for (let k = 0; k < 3; k++) {
      pose.position[k] += from[k] + u * (to[k] - from[k]);
      pose.velocity[k] += rate * (to[k] - from[k]);
    }
    pose.twist += from[3] + u * (to[3] - from[3]);
    for (let k = 0; k < 3; k++) pose.angularVelocity[k] += rate * (to[3] - from[3]) * pose.tangent[k];
  };

  const grip: Grip = {
    rod: inner.rod,
    node: inner.node,
    orientation: inner.orientation,
    get released() {
      return released;
    },
    evaluate,
    move({ offset, twist }, t, seconds) {
      if (!moved && !released) noteUse();
      const u = !moved || t >= end ? 1 : t <= begin ? 0 : (t - begin) / (end - begin);
      for (let k = 0; k < CHANNELS; k++) from[k] += u * (to[k] - from[k]);
      for (let k = 0; k < 3; k++) to[k] = offset?.[k] ?? from[k];
      to[3] = twist ?? from[3];
      begin = t;
      end = t + Math.max(seconds, 0);
      moved = true;
    },
    release() {
      if (released) return;
      if (!moved) noteUse();
      released = true;
      restart();
    },
  };
  return { pin: { ...inner, evaluate, holds: (t) => !released && inner.holds(t) }, grip };
}
