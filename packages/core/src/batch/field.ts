/** Distance fields for pages that draw hair themselves: any solid collider as an obstacle of `createGpuBatch`. */
import { compileShape } from '../contact/shapes/compileShape.ts';
import { tabulateShape } from '../contact/shapes/distanceTable.ts';
import type { ColliderSpec } from '../scene/types.ts';
import { add, type Vector } from './algebra.ts';
import { rotate } from './formulas.ts';
import { fieldObstacle, type ObstacleOptions } from './merged.ts';
import type { Obstacle } from './obstacles.ts';

/** A table of distances. */
export interface Field {
  /** For `fields` of `createGpuBatch`, where several tables lie one after the other: distance [m] and normal, 4 numbers per row. */
  readonly rows: Float32Array;
  /** Largest error of its surface at the sampled points [m]. */
  readonly error: number;
  /** The obstacle in a pose. `start`: rows of the tables before this one; default 0. */
  place(options: ObstacleOptions, start?: number): Obstacle;
}

/**
 * Tabulates a collider of any shape with an inside, in its own axes. `reach`: the longest edge of a strand [m]; `tolerance`: error up to which a coarser
 * table is fine enough [m]. Throws SceneError for a collider that is wrong, Error for one without an inside or without a bounding box.
 */
export function createField(spec: ColliderSpec, reach: number, tolerance: number): Field {
  const shape = compileShape(spec, [], []);
  if (shape.thin || !shape.bounds.every(Number.isFinite))
    throw new Error(`a collider of type '${spec.type}' without an inside or a bounding box has no distance field`);
  const { rows, error, center, half, counts } = tabulateShape(shape, reach, tolerance);
  return {
    rows,
    error,
    place(options, start = 0) {
      const { position = [0, 0, 0] as Vector, frame } = options;
      const middle = frame ? rotate(frame, center) : center;
      return fieldObstacle({ half, counts, start }, { ...options, position: add(position, middle) });
    },
  };
}
