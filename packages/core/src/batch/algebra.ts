/** Number of a node or an edge; an unsigned integer on the GPU. */
export type Index = number;

/**
 * Vectors, matrices and quaternions as small tuples, the types of formulas.ts and sweeps.ts.
 *
 * A target provides the functions in this file itself: in WGSL they are operators and built-in functions of
 * vec3f, vec4f and mat3x3f (the table is in kernels/wgsl.ts). Nothing here is translated.
 */

export type Vector = readonly [number, number, number];
/** (x, y, z, w), w the real part. */
export type Quaternion = readonly [number, number, number, number];
/** Columns one after the other. */
export type Matrix = readonly [number, number, number, number, number, number, number, number, number];

export function vector(x: number, y: number, z: number): Vector {
  return [x, y, z];
}

export function quaternion(x: number, y: number, z: number, w: number): Quaternion {
  return [x, y, z, w];
}

export function matrix(a: Vector, b: Vector, c: Vector): Matrix {
  return [a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]];
}

/** Vector part of a quaternion. */
export function vectorPart(q: Quaternion): Vector {
  return [q[0], q[1], q[2]];
}

export function add(a: Vector, b: Vector): Vector {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
}

export function subtract(a: Vector, b: Vector): Vector {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

export function scale(s: number, a: Vector): Vector {
  return [s * a[0], s * a[1], s * a[2]];
}

/** Component by component. */
export function multiplyEach(a: Vector, b: Vector): Vector {
  return [a[0] * b[0], a[1] * b[1], a[2] * b[2]];
}

export function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

export function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

export function addMatrices(a: Matrix, b: Matrix): Matrix {
  return [
    a[0] + b[0],
    a[1] + b[1],
    a[2] + b[2],
    a[3] + b[3],
    a[4] + b[4],
    a[5] + b[5],
    a[6] + b[6],
    a[7] + b[7],
    a[8] + b[8],
  ];
}

export function subtractMatrices(a: Matrix, b: Matrix): Matrix {
  return [
    a[0] - b[0],
    a[1] - b[1],
    a[2] - b[2],
    a[3] - b[3],
    a[4] - b[4],
    a[5] - b[5],
    a[6] - b[6],
    a[7] - b[7],
    a[8] - b[8],
  ];
}

export function scaleMatrix(s: number, a: Matrix): Matrix {
  return [s * a[0], s * a[1], s * a[2], s * a[3], s * a[4], s * a[5], s * a[6], s * a[7], s * a[8]];
}

export function apply(a: Matrix, v: Vector): Vector {
  return [
    a[0] * v[0] + a[3] * v[1] + a[6] * v[2],
    a[1] * v[0] + a[4] * v[1] + a[7] * v[2],
    a[2] * v[0] + a[5] * v[1] + a[8] * v[2],
  ];
}

export function column(a: Matrix, k: 0 | 1 | 2): Vector {
  return [a[3 * k], a[3 * k + 1], a[3 * k + 2]];
}

export function multiply(a: Matrix, b: Matrix): Matrix {
  return matrix(apply(a, column(b, 0)), apply(a, column(b, 1)), apply(a, column(b, 2)));
}

export function transpose(a: Matrix): Matrix {
  return [a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]];
}
