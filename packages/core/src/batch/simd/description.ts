/**
 * What the SIMD kernels keep in memory, as lists of fields with the number of vectors that each takes. A vector has one number per lane, 16
 * bytes in all. The build writes addresses into the kernels from these lists, and layout.ts uses them to pack strands. It imports nothing.
 */

/** A name, and how many vectors it takes. */
export type LaneField = readonly [name: string, vectors: number];

/** Of a block of strands, one per lane: roots, and what passes from one sweep to the next. */
export const headFields: readonly LaneField[] = [
  ['frame', 4],
  ['frameBefore', 4],
  ['displacement', 3],
  ['tip', 4],
  ['largest', 1],
];

/** Of a node, or the joint and edge after it: constants. */
export const nodeFields: readonly LaneField[] = [
  ['mass', 1],
  ['length', 1],
  ['strainRest', 3],
  ['stiffness', 3],
  ['force', 3],
];

/** Of an edge, in work space that all blocks share: the gain of its joint. */
export const workFields: readonly LaneField[] = [
  ['fromY', 9],
  ['fromTurn', 9],
  ['constant', 3],
];

/** Numbers that are the same for all strands, behind those of the stage (`stageFields`). */
export const parameterFields: readonly string[] = ['massDamping', 'stiffnessDamping'];

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
