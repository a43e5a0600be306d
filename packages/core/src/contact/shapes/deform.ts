/**
 * Vertices of a mesh that deforms, in time: all vertices at each key, or blend shapes with weights at each key.
 *
 * Interpolation is linear in the values at the keys, so weights interpolated in time give the same vertices as vertices interpolated in time. A character
 * whose skin moves in 20 independent ways needs 20 shapes, however many keys its animation has.
 */
import type { ColliderSpec } from '../../scene/types.ts';
import { createTrack, type Track } from '../../scene/varying.ts';

type MeshSpec = Extract<ColliderSpec, { type: 'mesh' }>;
type Deforming = Pick<MeshSpec, 'deform' | 'blend' | 'interpolation' | 'vertices'>;

/**
 * Vertices [m], 3 numbers each, and their rates in time; undefined for a mesh that keeps its shape. `arrange` maps the vertices of the scene to those of the
 * track and must be linear. The keys must have been checked.
 */
export function createDeformation(
  { deform, blend, interpolation = 'linear', vertices }: Deforming,
  arrange: (input: Float64Array) => Float64Array = (input) => input,
): Track | undefined {
  const arranged = (list: readonly (readonly number[])[]): Float64Array => arrange(Float64Array.from(list.flat()));
  if (blend) {
    const weights = createTrack(
      blend.keys.map(({ time }) => time),
      blend.keys.map((key) => key.weights),
      interpolation,
    );
    return blendShapes(arranged(vertices), blend.shapes.map(arranged), weights);
  }
  if (!deform || deform.length === 0) return undefined;
  return createTrack(
    deform.map(({ time }) => time),
    deform.map((key) => arranged(key.vertices)),
    interpolation,
  );
}

function blendShapes(rest: Float64Array, shapes: readonly Float64Array[], weights: Track): Track {
  const { length } = rest;
  const now = new Float64Array(2 * shapes.length);
  const addShapes = (out: Float64Array, offset: number, first: number): void => {
    for (let s = 0; s < shapes.length; s++) {
      const [shape, weight] = [shapes[s], now[first + s]];
      if (weight !== 0) for (let k = 0; k < length; k++) out[offset + k] += weight * shape[k];
    }
  };
  return {
    evaluate(out, t) {
      weights.evaluate(now, t);
      out.set(rest);
      out.fill(0, length, 2 * length);
      addShapes(out, 0, 0);
      addShapes(out, length, shapes.length);
    },
  };
}

/** Returns a function of time that returns all vertices [m], 3 numbers each, valid until its next call; undefined for a mesh that keeps its shape. */
export function createVertexMotion(spec: Deforming): ((time: number) => Float64Array) | undefined {
  const track = createDeformation(spec);
  if (!track) return undefined;
  const count = 3 * spec.vertices.length;
  const now = new Float64Array(2 * count);
  return (time) => {
    track.evaluate(now, time);
    return now.subarray(0, count);
  };
}
