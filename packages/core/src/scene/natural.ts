/**
 * The stress-free strain of a rod, as rotation vectors over half edges in material components.
 *
 * Natural strain is the rotation between the natural frames at a node and at the middle of an edge. Rotations do not add: the two
 * halves at a joint make a rotation that differs from their sum by a commutator, O(ds³). A joint takes the sum, so at
 * nodes whose frame is not held the difference is shared between the halves; a rod that starts in its natural shape is
 * then at rest to rounding. At a held node each half stands alone and keeps its own rotation.
 *
 * Twist: `frame.twist` of a rod turns the frame of the initial state only. With natural `initial` or `straight` it is therefore
 * elastic. In `natural.frame` it belongs to the natural state.
 */
import type { Frame, Vector } from '../curve/vector.ts';
import { add, rotationBetween, subtract, turnFrame } from '../curve/vector.ts';
import type { Layout } from './layout.ts';
import type { Trace } from './trace.ts';
import { placesOf } from './trace.ts';
import type { FrameSpec, Varying } from './types.ts';
import type { Path, Profile } from './varying.ts';
import { compileVarying } from './varying.ts';

/** Angle [rad] by which the frame is turned at u; a number is a linear rise. Goes on beyond u = 1 for closed rods. */
export function compileTwist(frame: FrameSpec | undefined, length: number, path: Path): (u: number) => number {
  const twist = frame?.twist ?? 0;
  if (typeof twist === 'number') return (u) => twist * u;
  const profile = compileVarying(twist, length, [...path, 'frame', 'twist']);
  const total = profile.at(1) - profile.at(0);
  return (u) => (u > 1 ? total + profile.at(u - 1) : profile.at(u));
}

export function twistFrames(
  frames: readonly Frame[],
  places: readonly number[],
  twist: (u: number) => number,
): Frame[] {
  return frames.map((frame, k) => turnFrame(frame, twist(places[k])));
}

/** `held`: whether the frame of a node is held by a pin. */
export function strainOfTrace(
  trace: Trace,
  layout: Layout,
  twist: (u: number) => number,
  held: (node: number) => boolean,
): Vector[] {
  const { edgeCount: n, nodeU, closed, nodeCount } = layout;
  const carriedRound = trace.frames.length === 2 * n + 2;
  const places = placesOf(nodeU, carriedRound);
  const frames = twistFrames(trace.frames, places, twist);
  const halves: Vector[] = [];
  for (let k = 0; k < 2 * n; k++) {
    const expected: Vector = [0, 0, twist(places[k + 1]) - twist(places[k])];
    halves.push(rotationBetween(frames[k], frames[k + 1], expected));
  }
  const last = closed && carriedRound ? n : n - 1;
  for (let i = 1; i <= last; i++) {
    if (held(i % nodeCount)) continue;
    const before = 2 * i - 1;
    const after = (2 * i) % (2 * n);
    const sum = add(halves[before], halves[after]);
    const missing = subtract(rotationBetween(frames[before], frames[before + 2], sum), sum);
    const share = (nodeU[i] - nodeU[i - 1]) / (nodeU[i] - nodeU[i - 1] + nodeU[(i % n) + 1] - nodeU[i % n]);
    halves[before] = halves[before].map((value, k) => value + share * missing[k]) as unknown as Vector;
    halves[after] = halves[after].map((value, k) => value + (1 - share) * missing[k]) as unknown as Vector;
  }
  return halves;
}

/** Natural curvature and twist rate given directly [1/m]: the value at the middle of the half times its length. */
export function strainOfCurvature(
  curvature: readonly [Varying, Varying, Varying],
  layout: Layout,
  length: number,
  path: Path,
): Vector[] {
  const profiles: Profile[] = curvature.map((value, k) => compileVarying(value, length, [...path, 'curvature', k]));
  const places = placesOf(layout.nodeU, false);
  return Array.from({ length: 2 * layout.edgeCount }, (_, k) => {
    const middle = (places[k] + places[k + 1]) / 2;
    const size = (places[k + 1] - places[k]) * length;
    return [profiles[0].at(middle) * size, profiles[1].at(middle) * size, profiles[2].at(middle) * size];
  });
}
