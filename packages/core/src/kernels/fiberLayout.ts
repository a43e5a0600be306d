/** Layout of the numbers of two fibers in the kernels' memory. */
import { fiberFields, fiberHead } from './description.ts';

export type FiberField = (typeof fiberFields)[number][0];

/** Constants of each pair: all other arrays are work space that pairs of the same size share. */
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

/** Addresses of a pair's own arrays, or of the shared ones, from `from` on; and the next free address. */
export function layOutFibers(
  edges: number,
  from: number,
  arrays: 'shared' | 'own',
): { readonly addresses: Partial<Record<FiberField, number>>; readonly end: number } {
  const addresses: Partial<Record<FiberField, number>> = {};
  let end = from;
  for (const [name, each, more] of fiberFields) {
    if (own.has(name) === (arrays === 'shared')) continue;
    addresses[name] = end;
    end += 16 * (each * edges + more);
  }
  return { addresses, end };
}

/** Number of integers before the addresses, and index of one of them. */
export const FIBER_HEAD: number = fiberHead.length;
export const FIBER_KINDS: number = fiberHead.indexOf('kinds');
export const FIBER_STRUCTURE: number = 16 * Math.ceil((4 * (FIBER_HEAD + fiberFields.length)) / 16);
