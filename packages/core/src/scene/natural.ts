/**
 * The stress-free strain of a rod, as rotation vectors over half edges in material components.
 *
 * Natural strain is the rotation between the natural frames at a node and at the middle of an edge. Rotations do not add:
 * a joint composes its two halves, which gives exactly the rotation from edge to edge, so a rod that starts in its
 * natural shape is at rest to rounding. At a held node each half is a separate joint.
 *
 * Twist: `frame.twist` of a rod turns the frame of the initial state only; with natural `initial` or `straight` it is
 * therefore elastic. In `natural.frame` it belongs to the natural state. The defaults of `natural.frame` for `d1` and `follow`
 * are those of `frame`.
 */
import type { Frame } from '../curve/vector.ts';
import { rotationBetween, turnFrame } from '../curve/vector.ts';
import type { Allocate } from '../port.ts';
import { curvatureOfCurl } from './hair.ts';
import type { Layout } from './layout.ts';
import type { Trace } from './trace.ts';
import { placesOf } from './trace.ts';
import type { CurlSpec, FrameSpec, Varying } from './types.ts';
import type { Path, Profile } from './varying.ts';
import { compileVarying, nonNegative, positive } from './varying.ts';

/** Rotation of the frame at u [rad]; a number means a linear increase. Continues beyond u = 1 for closed rods. */
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

export function strainOfTrace(
  trace: Trace,
  layout: Layout,
  twist: (u: number) => number,
  allocate: Allocate,
): Float64Array {
  const n = layout.edgeCount;
  const carriedRound = trace.frames.length > 2 * n + 1;
  const places = placesOf(layout.nodeU, { closed: carriedRound });
  const frames = twistFrames(trace.frames, places, twist);
  const out = allocate(6 * n);
  for (let half = 0; half < 2 * n; half++) {
    // the first half of a closed rod follows the last edge, in the frame transported once round
    const k = half === 0 && carriedRound ? 2 * n : half;
    out.set(rotationBetween(frames[k], frames[k + 1], [0, 0, twist(places[k + 1]) - twist(places[k])]), 3 * half);
  }
  return out;
}

/** Rates [1/m] at the middle of each half, times its length. */
function integrateHalves(
  layout: Layout,
  length: number,
  rates: (u: number) => readonly [number, number, number],
  allocate: Allocate,
): Float64Array {
  const places = placesOf(layout.nodeU, { closed: false });
  const out = allocate(6 * layout.edgeCount);
  for (let half = 0; half < 2 * layout.edgeCount; half++) {
    const size = (places[half + 1] - places[half]) * length;
    const [u1, u2, u3] = rates((places[half] + places[half + 1]) / 2);
    out[3 * half] = u1 * size;
    out[3 * half + 1] = u2 * size;
    out[3 * half + 2] = u3 * size;
  }
  return out;
}

/** Natural curvature and twist rate given directly [1/m]. */
export function strainOfCurvature(
  curvature: readonly [Varying, Varying, Varying],
  layout: Layout,
  length: number,
  path: Path,
  allocate: Allocate,
): Float64Array {
  const [a, b, c]: Profile[] = curvature.map((value, k) => compileVarying(value, length, [...path, 'curvature', k]));
  return integrateHalves(layout, length, (u) => [a.at(u), b.at(u), c.at(u)], allocate);
}

/** A helix by radius and pitch, which may vary along the rod. */
export function strainOfCurl(
  curl: CurlSpec,
  layout: Layout,
  length: number,
  path: Path,
  allocate: Allocate,
): Float64Array {
  const radius = compileVarying(curl.radius, length, [...path, 'curl', 'radius'], positive);
  const pitch = compileVarying(curl.pitch, length, [...path, 'curl', 'pitch'], nonNegative);
  return integrateHalves(
    layout,
    length,
    (u) => curvatureOfCurl(radius.at(u), pitch.at(u), curl.handedness, curl.phase),
    allocate,
  );
}
