/**
 * Memory layout of the SIMD kernels, as lists of fields with the number of vectors of each. A vector has one number per lane, 16
 * bytes in all. The build writes addresses into the kernels from these lists, and layout.ts uses them to pack strands. It imports nothing.
 */

/** Name of a field, and its number of vectors. */
export type LaneField = readonly [name: string, vectors: number];

/** Fields of a block of strands, one strand per lane: roots, and what one sweep passes to the next. They are followed, for every obstacle, by the edges that it spares. */
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
  // addresses of the rows of the lanes' nodes, where strands meet strands
  ['rows', 1],
];

/** Constants of a node, or of the joint and edge after it. */
export const nodeFields: readonly LaneField[] = [
  ['mass', 1],
  ['length', 1],
  ['strainRest', 3],
  ['stiffness', 3],
  ['force', 3],
  ['radius', 1],
  ['air', 4],
  // of the first joint of a strand that is not clamped, in Newton's matrix
  ['softness', 1],
  // at which strands meet strands
  ['pairRadius', 1],
];

/**
 * Fields of a contact of an edge, two for every obstacle. Where strands meet strands, three loads of every edge follow those of all edges: what all of
 * its pairs add up to at its first node, in its middle and at its second node. A load has the weight of its place in `closing`, compliance and
 * crowd, and the number of pairs behind the first node, in all or at the second node in `active`.
 */
export const contactFields: readonly LaneField[] = [
  ['active', 1],
  ['part', 1],
  ['normal', 3],
  ['closing', 3],
  ['friction', 1],
  ['force', 3],
  ['push', 3],
  ['stiffness', 1],
  ['tangentStiffness', 1],
];

/**
 * Four contacts of strands that touch strands, one per lane. `low`, `high`: numbers of the first nodes of both edges; `both`: 1, or 0 for a contact with
 * an obstacle, whose high side rests; the others as in ListedContact, ListedSide, ListedLaw and PairMeeting. The inputs of both sides lie next to each other, and
 * so do the errors.
 */
export const pairFields: readonly LaneField[] = [
  ['low', 1],
  ['high', 1],
  ['active', 1],
  ['both', 1],
  ['friction', 1],
  ['partLow', 1],
  ['partHigh', 1],
  ['normal', 3],
  ['closing', 3],
  ['force', 3],
  ['stiffness', 1],
  ['inputLow', 3],
  ['inputHigh', 3],
  ['errorLow', 3],
  ['errorHigh', 3],
  ['pushLow', 3],
  ['pushHigh', 3],
  ['change', 1],
  ['near', 1],
  ['gap', 1],
  ['end', 1],
  ['sum', 1],
];

/** Loads that the pairs of an edge add up to: at the first node, in the middle, at the second node. */
export const PAIR_LOADS = 3;

/** Bits that say what the edge behind a node is: see PairEdge. */
export const EDGE: Readonly<Record<'isContinuedBefore' | 'isContinuedBehind' | 'isRoot', number>> = {
  isContinuedBefore: 1,
  isContinuedBehind: 2,
  isRoot: 4,
};

/** Fields of an obstacle that are the same for all strands; they follow its kind and the number of the first row of its distance field. */
export const obstacleFields: readonly LaneField[] = [
  ['frame', 4],
  ['position', 3],
  ['half', 3],
  ['rounding', 1],
  ['friction', 1],
  ['turn', 4],
  ['shift', 3],
  ['counts', 3],
];

/** Fields of an edge, in work space that all blocks share: the gain of its joint, and the inverse of the block that was eliminated. */
export const workFields: readonly LaneField[] = [
  ['fromY', 9],
  ['fromTurn', 9],
  ['constant', 3],
  ['inverse', 6],
];

/** Numbers that are the same for all strands, behind those of the stage (`stageFields`). */
export const parameterFields: readonly string[] = [
  'massDamping',
  'stiffnessDamping',
  'dt',
  'windX',
  'windY',
  'windZ',
  'airFactor',
];

/** Whole numbers behind those: of contact, and whether roots are free. */
export const parameterIntegers: readonly string[] = [
  'obstacleCount',
  'first',
  'end',
  'least',
  'isFree',
  'freeRoot',
  'pairLoads',
];

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
