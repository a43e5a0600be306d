/**
 * Finds the few displacement fields whose weighted sums are all frames of an animation: Gram–Schmidt over the frames, one frame at a time.
 *
 * A skin on j joints moves in 12 j ways at most, morph targets in one each; the number of frames does not matter. Shapes are scaled to a largest coordinate
 * of 1 and rounded, since a scene stores them as text; weights are found with the rounded shapes, so rounding adds no error.
 */
import type { SkinFrame } from '@tendril-sim/core';

/** Displacements from rest at weight 1, 3 numbers per vertex, and the weights of all shapes in each frame. */
export interface BlendShapes {
  readonly shapes: readonly Float64Array[];
  readonly weights: readonly (readonly number[])[];
}

/** Digits after the point of a shape's coordinates. */
const ROUNDING = 1e9;

/** Every coordinate of every frame is met within `tolerance` [m]. Undefined if that takes more than `most` shapes. */
export function findBlendShapes(
  rest: Float64Array,
  frames: readonly SkinFrame[],
  tolerance: number,
  most: number,
): BlendShapes | undefined {
  const shapes: Float64Array[] = [];
  const squares: number[] = [];
  const weights: number[][] = [];
  for (const { position } of frames) {
    const left = position.map((x, k) => x - rest[k]);
    const own = shapes.map((shape, s) => subtractPart(left, shape, squares[s]));
    if (largest(left) > tolerance) {
      if (shapes.length >= most) return undefined;
      const scale = largest(left);
      const shape = left.map((x) => Math.round((x / scale) * ROUNDING) / ROUNDING);
      shapes.push(shape);
      squares.push(product(shape, shape));
      own.push(subtractPart(left, shape, squares[shapes.length - 1]));
    }
    weights.push(own);
  }
  return { shapes, weights: weights.map((own) => [...own, ...new Array<number>(shapes.length - own.length).fill(0)]) };
}

/** Subtracts from `vector` its part along a shape, and returns the weight of that part. */
function subtractPart(vector: Float64Array, shape: Float64Array, square: number): number {
  const weight = product(vector, shape) / square;
  for (let k = 0; k < vector.length; k++) vector[k] -= weight * shape[k];
  return weight;
}

function product(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
  return sum;
}

function largest(values: Float64Array): number {
  let most = 0;
  for (let k = 0; k < values.length; k++) most = Math.max(most, Math.abs(values[k]));
  return most;
}
