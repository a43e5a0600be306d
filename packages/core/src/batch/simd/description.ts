/**
 * What the SIMD kernels keep in memory, as lists of fields with the number of vectors that each takes. A vector has one number per lane, 16
 * bytes in all. The build writes addresses into the kernels from these lists, and layout.ts uses them to pack strands. It imports nothing.
 */

/** A name, and how many vectors it takes. */
export type LaneField = readonly [name: string, vectors: number];

/** Of a block of strands, one per lane: roots, and what passes from one sweep to the next. Behind them, for every obstacle, the edges that it spares. */
export const headFields: readonly LaneField[] = [
  ['frame', 4],
  ['frameBefore', 4],
  ['displacement', 3],
  ['position', 3],
  ['tip', 4],
  ['largest', 1],
  // of contact: lanes that a sweep is to change; results of the search and of the iterations
  ['mask', 1],
  ['overlap', 1],
  ['presses', 1],
  ['missed', 1],
  ['moves', 1],
  ['change', 1],
  ['loaded', 1],
  ['iterations', 1],
];

/** Of a node, or the joint and edge after it: constants. */
export const nodeFields: readonly LaneField[] = [
  ['mass', 1],
  ['length', 1],
  ['strainRest', 3],
  ['stiffness', 3],
  ['force', 3],
  ['radius', 1],
  // of the first joint of a strand that is not clamped, in Newton's matrix
  ['softness', 1],
];

/** Of a contact of an edge, two for every obstacle. */
export const contactFields: readonly LaneField[] = [
  ['active', 1],
  ['part', 1],
  ['normal', 3],
  ['offset', 1],
  ['surface', 3],
  ['friction', 1],
  ['force', 3],
  ['push', 3],
  ['stiffness', 1],
];

/** Of an obstacle: numbers that are the same for all strands, behind its kind. */
export const obstacleFields: readonly LaneField[] = [
  ['frame', 4],
  ['position', 3],
  ['half', 3],
  ['rounding', 1],
  ['friction', 1],
  ['turn', 4],
  ['shift', 3],
];

/** Of an edge, in work space that all blocks share: the gain of its joint, and the inverse of the block that was eliminated. */
export const workFields: readonly LaneField[] = [
  ['fromY', 9],
  ['fromTurn', 9],
  ['constant', 3],
  ['inverse', 6],
];

/** Numbers that are the same for all strands, behind those of the stage (`stageFields`). */
export const parameterFields: readonly string[] = ['massDamping', 'stiffnessDamping', 'dt'];

/** Whole numbers behind those: of contact, and whether roots are free. */
export const parameterIntegers: readonly string[] = ['obstacleCount', 'first', 'end', 'least', 'isFree', 'freeRoot'];

/** Vectors of all fields. */
export function countVectors(fields: readonly LaneField[]): number {
  return fields.reduce((sum, [, vectors]) => sum + vectors, 0);
}

/** Vectors before a field. Throws if there is none of that name. */
export function vectorsBefore(fields: readonly LaneField[], name: string): number {
  const index = fields.findIndex(([field]) => field === name);
  if (index < 0) throw new Error(`there is no field '${name}'`);
  return countVectors(fields.slice(0, index));
}
