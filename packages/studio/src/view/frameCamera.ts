/** Where to look from: the whole scene, from the side that shows most of it. */
import { Box3, Vector3 } from 'three';
import type { LaneInfo } from '../protocol.ts';

export interface Framing {
  readonly center: Vector3;
  /** Radius of what is looked at [m]. */
  readonly radius: number;
  /** From the centre towards the camera, unit. */
  readonly from: Vector3;
  readonly up: Vector3;
}

export function upOf(gravity: readonly [number, number, number]): Vector3 {
  const up = new Vector3(...gravity).negate();
  return up.length() > 0 ? up.normalize() : new Vector3(0, 0, 1);
}

export function boundsOf(lanes: readonly LaneInfo[]): Box3 {
  const box = new Box3();
  const point = new Vector3();
  let thickest = 0;
  for (const { rods } of lanes) {
    for (const { nodePosition: x, edgeRadius } of rods) {
      for (let i = 0; i < x.length; i += 3) box.expandByPoint(point.set(x[i], x[i + 1], x[i + 2]));
      thickest = Math.max(thickest, edgeRadius[0]);
    }
  }
  return box.isEmpty() ? box : box.expandByScalar(0.5 * thickest);
}

/** `box`: what is to be seen. */
export function frameBox(
  box: Box3,
  gravity: readonly [number, number, number],
  look?: readonly [number, number, number],
): Framing {
  const up = upOf(gravity);
  const center = box.getCenter(new Vector3());
  const size = box.getSize(new Vector3());
  const radius = Math.max(0.5 * size.length(), 1e-6);
  // two directions across: the thinner one is looked along, turned a little so that depth shows
  const axes = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)].filter(
    (axis) => Math.abs(axis.dot(up)) < 0.9,
  );
  const extent = (axis: Vector3): number => Math.abs(size.dot(axis));
  const [thin, wide] = extent(axes[1]) <= extent(axes[0]) ? [axes[1], axes[0]] : [axes[0], axes[1]];
  const high = Math.abs(size.dot(up));
  const flat = high < 0.25 * extent(thin);
  const elevation = flat ? 0.62 : 0.3;
  const front = thin.clone().negate();
  const azimuth = 0.5;
  const from = front
    .multiplyScalar(Math.cos(azimuth))
    .addScaledVector(wide, Math.sin(azimuth))
    .multiplyScalar(Math.cos(elevation))
    .addScaledVector(up, Math.sin(elevation))
    .normalize();
  return { center, radius, from: look ? new Vector3(...look).normalize() : from, up };
}

/** Least distance from the centre at which all corners of the box are seen; `half`: half the angle of view, vertically. */
export function fitDistance(box: Box3, { center, from, up }: Framing, half: number, aspect: number): number {
  const right = new Vector3().crossVectors(up, from).normalize();
  const above = new Vector3().crossVectors(from, right);
  const tangentY = Math.tan(half);
  const tangentX = tangentY * aspect;
  const corner = new Vector3();
  let distance = 0;
  for (let k = 0; k < 8; k++) {
    corner.set(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z).sub(center);
    const depth = corner.dot(from);
    distance = Math.max(
      distance,
      depth + Math.abs(corner.dot(right)) / tangentX,
      depth + Math.abs(corner.dot(above)) / tangentY,
    );
  }
  return distance;
}

/** 1, 2 or 5 times a power of ten, not larger than x. */
export function roundLength(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x));
  const lead = x / power;
  return (lead >= 5 ? 5 : lead >= 2 ? 2 : 1) * power;
}

export function formatLength(x: number): string {
  const units: [number, string][] = [
    [1000, 'km'],
    [1, 'm'],
    [1e-2, 'cm'],
    [1e-3, 'mm'],
    [1e-6, 'µm'],
  ];
  const [size, unit] = units.find(([each]) => x >= 0.999 * each) ?? units[units.length - 1];
  return `${Number((x / size).toPrecision(3))} ${unit}`;
}
