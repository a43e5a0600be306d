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
  return box.isEmpty() ? box : box.expandByScalar(thickest);
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

/** What is to be seen lies in a box, and in a ball about its middle [m]: corners of the box that stick out of the ball are empty. */
export interface Extent {
  readonly box: Box3;
  /** Infinity where only the box is known. */
  readonly ball: number;
}

/**
 * Least distance from `center` at which all of it is seen; `half`: half the angle of view, vertically. A point is in the picture if its
 * depth and its distance from the axis, along each side of the picture, add up to less than the distance of the camera.
 */
export function fitDistance(
  { box, ball }: Extent,
  { center, from, up }: Framing,
  half: number,
  aspect: number,
): number {
  const right = new Vector3().crossVectors(up, from).normalize();
  const above = new Vector3().crossVectors(from, right);
  const tangent = Math.tan(half);
  const middle = box.getCenter(new Vector3());
  const size = box.getSize(new Vector3()).multiplyScalar(0.5);
  const offset = middle.clone().sub(center);
  let distance = 0;
  for (const side of [right.divideScalar(tangent * aspect), above.divideScalar(tangent)]) {
    for (const sign of [-1, 1]) {
      const normal = from.clone().addScaledVector(side, sign);
      const inBox = Math.abs(normal.x) * size.x + Math.abs(normal.y) * size.y + Math.abs(normal.z) * size.z;
      distance = Math.max(distance, offset.dot(normal) + Math.min(inBox, ball * normal.length()));
    }
  }
  return distance;
}

/** Radius of the ball about a place that holds all nodes [m]. */
export function ballOf(nodes: Iterable<ArrayLike<number>>, { x, y, z }: Vector3): number {
  let most = 0;
  for (const list of nodes)
    for (let i = 0; i < list.length; i += 3)
      most = Math.max(most, (list[i] - x) ** 2 + (list[i + 1] - y) ** 2 + (list[i + 2] - z) ** 2);
  return Math.sqrt(most);
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

/** Things farther away from the rods than this part of their size do not count as seen. */
const nearby = 0.4;

/** A box that is somewhat larger than that of the rods. */
export const aroundRods = (rods: Box3): Box3 =>
  rods.clone().expandByScalar(nearby * rods.getSize(new Vector3()).length());
