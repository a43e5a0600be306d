/** Where the numbers of two fibers are in the kernels' memory. */

/** Arrays of a pair in the order of the fields of kernels/assembly/fibers.ts, with how many pairs they have: so many an edge, and so many more. */
export const fiberFields = [
  ['longRest', 4, 0],
  ['shearRest', 4, 0],
  ['ringRest', 0, 3],
  ['longStiffness', 1, 0],
  ['shearStiffness', 2, 0],
  ['ringStiffness', 1, 1],
  ['particleMass', 1, 1],
  ['couplingMass', 1, 1],
  ['x0', 12, 12],
  ['v0', 12, 12],
  ['y', 12, 12],
  ['middle', 12, 12],
  ['load', 12, 12],
  ['residual', 12, 12],
  ['tau', 14, 6],
  ['tension', 14, 6],
  ['direction', 54, 18],
  ['length', 18, 6],
  ['edgeChi', 1, 0],
  ['ringChi', 1, 1],
  ['moved', 1, 1],
  ['speeds', 1, 1],
  ['matrixMass', 1, 1],
  ['matrixCoupling', 1, 1],
  ['drag', 6, 6],
  ['dragFactor', 0, 1],
  ['window', 0, 576],
  ['outcome', 0, 2],
  // of one fiber alone: half as many pairs as numbers
  ['diagonal0', 72, 72],
  ['upper0', 72, 72],
  ['lower0', 72, 72],
  ['right0', 6, 6],
  ['diagonal1', 72, 72],
  ['upper1', 72, 72],
  ['lower1', 72, 72],
  ['right1', 6, 6],
] as const;

export type FiberField = (typeof fiberFields)[number][0];

/** What differs from pair to pair and stays: the rest is work space that pairs of the same size share. */
const own: ReadonlySet<string> = new Set([
  'longRest',
  'shearRest',
  'ringRest',
  'longStiffness',
  'shearStiffness',
  'ringStiffness',
  'particleMass',
  'couplingMass',
] satisfies FiberField[]);

export type FiberAddresses = Readonly<Record<FiberField, number>>;

/** Addresses of a pair's own arrays, or of those that are shared, from `from` on; and where the next may begin. */
export function layOutFibers(
  edges: number,
  from: number,
  shared: boolean,
): { readonly addresses: Partial<Record<FiberField, number>>; readonly end: number } {
  const addresses: Partial<Record<FiberField, number>> = {};
  let end = from;
  for (const [name, each, more] of fiberFields) {
    if (own.has(name) === shared) continue;
    addresses[name] = end;
    end += 16 * (each * edges + more);
  }
  return { addresses, end };
}

/** Integers in front of the addresses: rings, kinds of mass and loads. */
export const FIBER_HEAD = 2;
export const FIBER_KINDS = 1;
export const FIBER_STRUCTURE: number = 16 * Math.ceil((4 * (FIBER_HEAD + fiberFields.length)) / 16);
