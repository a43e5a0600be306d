/**
 * Remembers the last queries of a mesh. Detection asks for the same points several times per step: nodes before their edges, again for the velocity of a surface that
 * deforms, and at the end of the step. An entry counts only for exactly the same point, so results have the same bits as without it.
 */

/** Numbers per entry: point, 4 results, face, feature and 2 weights. */
const stride = 11;
const leastEntries = 256;
const mostEntries = 1 << 16;

/** The nearest place of a query. */
export interface QueryPlace {
  face: number;
  feature: number;
  v: number;
  w: number;
}

export interface QueryMemo {
  /** Writes the results of the same query; false if they are not known. `shape`: number of the shape that the mesh has now. */
  recall(out: Float64Array, place: QueryPlace, shape: number): boolean;
  /** Remembers the results of the query. */
  keep(out: Float64Array, place: QueryPlace, shape: number): void;
  /** The point of the query. */
  readonly point: Float64Array;
}

/** The memory grows with the number of different points, up to 6 MB. */
export function createQueryMemo(): QueryMemo {
  const point = new Float64Array(3);
  const bits = new Int32Array(point.buffer);
  let entries = leastEntries;
  let values = new Float64Array(stride * entries);
  /** Shape of each entry; 0 for none. */
  let shapes = new Float64Array(entries);
  let misses = 0;
  const slot = (): number => {
    let hash = 0;
    for (let k = 0; k < 6; k++) hash = Math.imul(hash ^ bits[k], 0x9e3779b1) ^ (hash >>> 15);
    return (hash ^ (hash >>> 16)) & (entries - 1);
  };
  return {
    point,
    recall(out, place, shape) {
      const at = slot();
      const o = stride * at;
      if (shapes[at] !== shape || values[o] !== point[0] || values[o + 1] !== point[1] || values[o + 2] !== point[2])
        return false;
      for (let k = 0; k < 4; k++) out[k] = values[o + 3 + k];
      place.face = values[o + 7];
      place.feature = values[o + 8];
      place.v = values[o + 9];
      place.w = values[o + 10];
      return true;
    },
    keep(out, place, shape) {
      if (++misses > 2 * entries && entries < mostEntries) {
        entries *= 4;
        values = new Float64Array(stride * entries);
        shapes = new Float64Array(entries);
        misses = 0;
      }
      const at = slot();
      const o = stride * at;
      shapes[at] = shape;
      for (let k = 0; k < 3; k++) values[o + k] = point[k];
      for (let k = 0; k < 4; k++) values[o + 3 + k] = out[k];
      values[o + 7] = place.face;
      values[o + 8] = place.feature;
      values[o + 9] = place.v;
      values[o + 10] = place.w;
    },
  };
}
