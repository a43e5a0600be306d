/** Vertices of a mesh that deforms, in time, for drawing and export. Collisions use the repaired mesh of compileShape.ts, with the same interpolation. */
import type { ColliderSpec } from '../../scene/types.ts';
import { createTrack } from '../../scene/varying.ts';

/** Returns a function of time that returns all vertices [m], 3 numbers each, valid until its next call; undefined for a mesh that keeps its shape. */
export function createVertexMotion({
  deform,
  interpolation = 'linear',
}: Pick<Extract<ColliderSpec, { type: 'mesh' }>, 'deform' | 'interpolation'>):
  | ((time: number) => Float64Array)
  | undefined {
  if (!deform || deform.length === 0) return undefined;
  const values = deform.map(({ vertices }) => Float64Array.from(vertices.flat()));
  const track = createTrack(
    deform.map(({ time }) => time),
    values,
    interpolation,
  );
  const now = new Float64Array(2 * values[0].length);
  return (time) => {
    track.evaluate(now, time);
    return now.subarray(0, values[0].length);
  };
}
