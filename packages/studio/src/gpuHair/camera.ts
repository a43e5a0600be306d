/** Matrices of the camera and of the light, column by column, for clip space with depths from 0 to 1; and a camera that goes around. */

import { along, cross, dot, scaleTo, type Vector } from './vectors.ts';

/** Right, up and back of who looks from a point to another, and where the point is in these axes. */
function axesOf(eye: Vector, target: Vector): { readonly axes: readonly Vector[]; readonly shift: Vector } {
  const back = scaleTo(along(eye, target, -1), 1);
  const right = scaleTo(cross([0, 0, 1], back), 1);
  const up = cross(back, right);
  return { axes: [right, up, back], shift: [-dot(right, eye), -dot(up, eye), -dot(back, eye)] };
}

/** Rows of the view, scaled, with the depth as the third. */
function columns(rows: readonly (readonly number[])[]): number[] {
  return [0, 1, 2, 3].flatMap((column) => rows.map((row) => row[column]));
}

/** The picture of who looks from the eye to the target; `slope`: tangent of half the angle over its height. */
export function lookThrough(eye: Vector, target: Vector, slope: number, aspect: number): number[] {
  const { axes, shift } = axesOf(eye, target);
  const [near, far] = [0.05, 8];
  const row = (k: number, scale: number): number[] => [...axes[k].map((x) => scale * x), scale * shift[k]];
  const depth = far / (near - far);
  const third = row(2, depth);
  third[3] += near * depth;
  return columns([row(0, 1 / (slope * aspect)), row(1, 1 / slope), third, row(2, -1)]);
}

/** The light's box about a point: parallel rays, `half` its half width, `depth` its depth [m]. */
export function lightBox(toLight: Vector, middle: Vector, half: number, depth: number): number[] {
  const eye = along(middle, toLight, 0.5 * depth);
  const { axes, shift } = axesOf(eye, middle);
  const row = (k: number, scale: number): number[] => [...axes[k].map((x) => scale * x), scale * shift[k]];
  return columns([row(0, 1 / half), row(1, 1 / half), row(2, -1 / depth), [0, 0, 0, 1]]);
}

/** Where a camera is that goes around a point. */
export interface Orbit {
  /** Angles around the vertical, 0 in front of the face, and above the level [rad]. */
  around: number;
  above: number;
  /** [m] */
  distance: number;
}

/** What it looks at [m]. */
export const TARGET: Vector = [0, 0.01, -0.055];

export function eyeOf({ around, above, distance }: Orbit): Vector {
  const level = distance * Math.cos(above);
  return [
    TARGET[0] + level * Math.sin(around),
    TARGET[1] - level * Math.cos(around),
    TARGET[2] + distance * Math.sin(above),
  ];
}
