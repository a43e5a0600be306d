/** Matrices of the camera and of the light, column by column, for clip space with depths from 0 to 1; and a camera that goes around. */

type Vector = readonly [number, number, number];

const minus = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
export function unit(a: Vector): Vector {
  const size = Math.hypot(...a);
  return [a[0] / size, a[1] / size, a[2] / size];
}

/** Right, up and back of who looks from a point to another, and where the point is in these axes. */
function axesOf(eye: Vector, target: Vector): { readonly axes: readonly Vector[]; readonly shift: Vector } {
  const back = unit(minus(eye, target));
  const right = unit(cross([0, 0, 1], back));
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
  const eye: Vector = [0, 1, 2].map((k) => middle[k] + 0.5 * depth * toLight[k]) as unknown as Vector;
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
