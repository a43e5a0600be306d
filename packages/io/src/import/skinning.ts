/** Linear blend skinning: vertices that follow weighted joints. */
import { InputError } from '../errors.ts';
import type { Transform } from './transform.ts';

/** Joints and weights of vertices, `perVertex` each; weights sum to 1. */
export interface SkinWeights {
  readonly perVertex: number;
  /** Index into the joints of the skin, `perVertex` per vertex. */
  readonly joint: Uint32Array;
  readonly weight: Float64Array;
}

/** Normalizes the weights. Throws InputError if a vertex has none, or names a joint that does not exist. */
export function normalizeWeights(
  { perVertex, joint, weight }: SkinWeights,
  { joints, name, source }: { readonly joints: number; readonly name: string; readonly source: string },
): void {
  for (let i = 0; i < weight.length; i += perVertex) {
    let sum = 0;
    for (let k = i; k < i + perVertex; k++) {
      if (weight[k] !== 0 && !(joint[k] < joints))
        throw new InputError(source, `vertex ${i / perVertex} of '${name}' names joint ${joint[k]} of ${joints}`);
      sum += weight[k];
    }
    if (!(sum > 1e-6)) throw new InputError(source, `vertex ${i / perVertex} of '${name}' follows no joint`);
    for (let k = i; k < i + perVertex; k++) weight[k] /= sum;
  }
}

/** Vertices (3 numbers each) as the joints move them. */
export function followJoints(
  values: Float64Array,
  { perVertex, joint, weight }: SkinWeights,
  joints: readonly Transform[],
): Float64Array {
  const out = new Float64Array(values.length);
  for (let v = 0; 3 * v < values.length; v++) {
    const [x, y, z] = [values[3 * v], values[3 * v + 1], values[3 * v + 2]];
    for (let s = perVertex * v; s < perVertex * (v + 1); s++) {
      if (weight[s] === 0) continue;
      const m = joints[joint[s]];
      for (let k = 0; k < 3; k++) out[3 * v + k] += weight[s] * (m[k] * x + m[3 + k] * y + m[6 + k] * z + m[9 + k]);
    }
  }
  return out;
}
