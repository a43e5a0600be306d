/** Distance fields for pages that draw hair themselves: any solid collider, or a function, as an obstacle of `createGpuBatch`. */
import { compileShape } from '../contact/shapes/compileShape.ts';
import { type DistanceTable, type Solid, sampleTable, tabulateShape } from '../contact/shapes/distanceTable.ts';
import type { ColliderSpec } from '../scene/types.ts';
import { add, type Vector } from './algebra.ts';
import { rotate } from './formulas.ts';
import { fieldObstacle, type ObstacleOptions } from './merged.ts';
import type { Obstacle } from './obstacles.ts';

/** The numbers of a distance field, which can be sent to another thread. */
export type FieldTable = DistanceTable;

/** A solid given by its signed distance [m], negative inside, in the box between two corners. */
export interface SolidFunction {
  /** A corner of the box [m]. */
  readonly low: Vector;
  /** The opposite corner [m]. */
  readonly high: Vector;
  /** Signed distance of a point [m]. */
  distanceAt(x: Vector): number;
}

/** A table of distances. */
export interface Field {
  /** For `fields` of `createGpuBatch`, where several tables lie one after the other: distance [m] and normal, 4 numbers per row. */
  readonly rows: Float32Array;
  /** Largest error of its surface at the sampled points [m]. */
  readonly error: number;
  /** Writes the distance of a point, in the solid's own axes, and the unit normal there: as the device interpolates them. */
  sample(out: Float64Array, x: number, y: number, z: number): void;
  /** The obstacle in a pose. `start`: rows of the tables before this one; default 0. */
  place(options: ObstacleOptions, start?: number): Obstacle;
}

/** Step of differences that give a function's normals [m]: its square, and rounding over it, are far below the thickness of hair. */
const DIFFERENCE = 1e-5;

/**
 * Tabulates a collider of any shape with an inside, in its own axes, or a function. `reach`: the longest edge of a strand [m]; `tolerance`: error up to
 * which a coarser table is fine enough [m]. Throws SceneError for a collider that is wrong, Error for one without an inside or without a bounding box.
 */
export function tabulateField(solid: ColliderSpec | SolidFunction, reach: number, tolerance: number): FieldTable {
  if ('distanceAt' in solid) return tabulateShape(shapeOf(solid), reach, tolerance);
  const shape = compileShape(solid, [], []);
  if (shape.thin || !shape.bounds.every(Number.isFinite))
    throw new Error(`a collider of type '${solid.type}' without an inside or a bounding box has no distance field`);
  return tabulateShape(shape, reach, tolerance);
}

function shapeOf({ low, high, distanceAt }: SolidFunction): Solid {
  return {
    bounds: Float64Array.of(...low, ...high),
    distance(out, x, y, z) {
      const h = DIFFERENCE;
      const slopes = [
        distanceAt([x + h, y, z]) - distanceAt([x - h, y, z]),
        distanceAt([x, y + h, z]) - distanceAt([x, y - h, z]),
        distanceAt([x, y, z + h]) - distanceAt([x, y, z - h]),
      ];
      const size = Math.sqrt(slopes[0] * slopes[0] + slopes[1] * slopes[1] + slopes[2] * slopes[2]);
      out[0] = distanceAt([x, y, z]);
      for (let k = 0; k < 3; k++) out[1 + k] = size > 0 ? slopes[k] / size : k === 2 ? 1 : 0;
    },
  };
}

/** The field of a table. */
export function openField(table: FieldTable): Field {
  const { rows, error, center, half, counts } = table;
  return {
    rows,
    error,
    sample: (out, x, y, z) => sampleTable(out, table, x, y, z),
    place(options, start = 0) {
      const { position = [0, 0, 0] as Vector, frame } = options;
      const middle = frame ? rotate(frame, center) : center;
      return fieldObstacle({ half, counts, start }, { ...options, position: add(position, middle) });
    },
  };
}

/** `tabulateField` and `openField` in one. */
export function createField(solid: ColliderSpec | SolidFunction, reach: number, tolerance: number): Field {
  return openField(tabulateField(solid, reach, tolerance));
}
