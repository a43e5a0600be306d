/**
 * Warns about fibers that are twisted between clamps which keep them straight.
 *
 * The longitudinal springs of a twisted cuboid are longer than its axis. A fiber that can shorten does so by a small strain; one that clamps hold at its full
 * length pulls with (EI − 0.94 GJ) τ² at a twist rate of τ, which stiffens it and keeps it from buckling. A rod without thickness has no such force.
 */
import { rotationBetween } from '../../math/frameRotation.ts';
import { hypotOf } from '../../math/rounded/index.ts';
import { createPinPose, type Pin } from '../../scene/compiled.ts';
import type { Scene } from '../../scene/types.ts';
import type { FiberRod } from './rod.ts';

const INSTANTS = 128;
/** Distance of the clamps over the length between them, from which the fiber counts as straight. */
const TAUT = 0.99;
/** Twist between the clamps from which frequencies are off by more than 2 % [rad]. */
const NOTICEABLE = 2;

export function warnTwistPull(fibers: readonly FiberRod[], scene: Scene, warnings: string[]): void {
  for (const { rod, pins } of fibers) {
    const clamps = pins.filter(({ orientation }) => orientation === 'frame');
    for (const last of clamps) {
      const first = clamps.find(({ node }) => node < last.node);
      const twist = first ? findTwist({ rod, pins }, first, last, scene) : 0;
      if (twist < NOTICEABLE) continue;
      warnings.push(
        `rod '${rod.id}' is twisted by ${twist.toPrecision(3)} rad between clamps that keep it straight: the springs of fiber then pull, as those of a thin rod do not, so it vibrates faster and buckles later; let an end move along the rod, or use der`,
      );
      break;
    }
  }
}

/** Largest twist between two clamps while they and what else holds the rod keep it straight [rad]. */
function findTwist({ rod, pins }: Pick<FiberRod, 'rod' | 'pins'>, first: Pin, last: Pin, scene: Scene): number {
  const places = [first, last].map(({ node }) => pins.filter((pin) => pin.node === node));
  const held = (['holdX', 'holdY', 'holdZ'] as const).map((axis) =>
    places.every((list) => list.some((pin) => pin[axis])),
  );
  let laid = 0;
  for (let i = first.node + 1; i < last.node; i++)
    laid += rod.nodeTwist[i] - rod.halfStrainRest[6 * i - 1] - rod.halfStrainRest[6 * i + 2];
  const ends = [first, last];
  const end = Math.max(scene.time?.duration ?? 0, scene.statics?.to ?? 0, scene.statics?.from ?? 0);
  const rest = rod.nodeArc[last.node] - rod.nodeArc[first.node];
  let before = ends.map(() => createPinPose());
  const turned = [0, 0];
  let largest = 0;
  for (let k = 0; k <= INSTANTS; k++) {
    const poses = ends.map((pin) => {
      const pose = createPinPose();
      pin.evaluate(pose, (end * k) / INSTANTS);
      return pose;
    });
    if (!poses.every(({ active }) => active)) break;
    poses.forEach((pose, p) => {
      if (k > 0)
        turned[p] += rotationBetween(before[p], pose).reduce((sum, turn, a) => sum + turn * pose.tangent[a], 0);
    });
    const gap = held.map((is, a) => (is ? poses[1].position[a] - poses[0].position[a] : 0));
    const twist = Math.abs(laid + turned[1] + poses[1].twist - turned[0] - poses[0].twist);
    if (hypotOf(gap) > TAUT * rest) largest = Math.max(largest, twist);
    before = poses;
  }
  return largest;
}
