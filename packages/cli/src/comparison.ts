/**
 * Distance between the results of two models: between centrelines at equal fractions of rest length, in frames at equal times.
 */
import type { World } from '@tendril-sim/core';

/** Number of stations along the rod: fine enough that the interpolation error is negligible. */
const stations = 101;

export interface RodOutline {
  readonly closed: boolean;
  /** Rest arc length of the nodes, and of the whole [m]. */
  readonly nodeArc: ArrayLike<number>;
  readonly length: number;
}

export interface ShapeFrame {
  readonly time: number;
  /** Node positions of each rod [m], 3 per node. */
  readonly rods: readonly Float64Array[];
}

/** [m] */
export interface FrameDistance {
  readonly time: number;
  /** Root mean square over all rods and stations, and the largest. */
  readonly rms: number;
  readonly largest: number;
}

export function keepFrame(world: World): ShapeFrame {
  return { time: world.time, rods: world.samples.map(({ nodePosition }) => nodePosition.slice()) };
}

/** Positions at equally spaced fractions of the rest length, linear between nodes, 3 per station. */
export function resample({ closed, nodeArc, length }: RodOutline, position: Float64Array): Float64Array {
  const nodes = nodeArc.length;
  const out = new Float64Array(3 * stations);
  let node = 0;
  for (let k = 0; k < stations; k++) {
    const s = (k / (stations - 1)) * length;
    const last = closed ? nodes - 1 : nodes - 2;
    while (node < last && nodeArc[node + 1] < s) node++;
    const next = (node + 1) % nodes;
    const end = next === 0 ? length : nodeArc[next];
    const w = Math.min(1, Math.max(0, (s - nodeArc[node]) / (end - nodeArc[node])));
    for (let c = 0; c < 3; c++) out[3 * k + c] = (1 - w) * position[3 * node + c] + w * position[3 * next + c];
  }
  return out;
}

/** Distances of frames that both have; ignores frames after one of the two stopped. */
export function measureDistances(
  outlines: readonly RodOutline[],
  frames: readonly ShapeFrame[],
  otherOutlines: readonly RodOutline[],
  otherFrames: readonly ShapeFrame[],
): FrameDistance[] {
  const out: FrameDistance[] = [];
  for (const frame of frames) {
    const other = otherFrames.find(({ time }) => Math.abs(time - frame.time) <= 1e-9 * Math.max(1e-9, Math.abs(time)));
    if (!other) continue;
    let sum = 0;
    let largest = 0;
    frame.rods.forEach((position, r) => {
      const a = resample(outlines[r], position);
      const b = resample(otherOutlines[r], other.rods[r]);
      for (let k = 0; k < stations; k++) {
        const d2 = (a[3 * k] - b[3 * k]) ** 2 + (a[3 * k + 1] - b[3 * k + 1]) ** 2 + (a[3 * k + 2] - b[3 * k + 2]) ** 2;
        sum += d2;
        largest = Math.max(largest, d2);
      }
    });
    out.push({
      time: frame.time,
      rms: Math.sqrt(sum / (stations * frame.rods.length)),
      largest: Math.sqrt(largest),
    });
  }
  return out;
}

/** Over all frames: root mean square of the frames' own, the largest, and both at the end. */
export function summariseDistances(distances: readonly FrameDistance[]): {
  readonly rms: number;
  readonly largest: number;
  readonly endRms: number;
  readonly endLargest: number;
  readonly until: number;
} {
  const end = distances[distances.length - 1];
  return {
    rms: Math.sqrt(distances.reduce((sum, { rms }) => sum + rms * rms, 0) / distances.length),
    largest: Math.max(...distances.map(({ largest }) => largest)),
    endRms: end.rms,
    endLargest: end.largest,
    until: end.time,
  };
}
