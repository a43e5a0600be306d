/** Particles of a hair: their masses, and the altitude springs of every four consecutive ones. */
import { square } from '../../math/rounded/index.ts';
import type { Rod } from '../../scene/compiled.ts';
import { measureAltitudes } from './altitude.ts';
import type { Hair, HairParts, Tetrahedra } from './rod.ts';

/** Segment of the rod that a particle belongs to. */
export function segmentOf({ edgeCount }: Rod, start: number, particle: number): number {
  return Math.min(edgeCount - 1, Math.max(0, (particle + 1 - start) >> 1));
}

/** Altitude springs of every four consecutive particles. */
export function buildTetrahedra(
  { rod, truss, options }: Pick<HairParts, 'rod' | 'truss' | 'options'>,
  start: number,
  rest: Float64Array,
  pinOf: (particle: number) => number,
): Tetrahedra {
  const count = Math.max(0, rest.length / 3 - 3);
  const firsts = Array.from({ length: count }, (_, k) => k);
  const segment = (p: number): number => segmentOf(rod, start, p);
  const tetrahedra: Tetrahedra = {
    count,
    first: Int32Array.from(firsts),
    stiffness: Float64Array.from(firsts, (p) => options.altitude * truss.edge[segment(p)]),
    damping: Float64Array.from(firsts, (p) => options.damping + rod.halfDamping[2 * segment(p)]),
    rest: new Float64Array(7 * count),
    pin: Int32Array.from(firsts, (p) => Math.max(pinOf(p), pinOf(p + 1), pinOf(p + 2), pinOf(p + 3))),
  };
  for (const p of firsts) measureAltitudes(tetrahedra.rest, 7 * p, rest, p);
  return tetrahedra;
}

/** Part of a segment's mass that its ghost has at least, so that every particle has some, and at most. */
const GHOST_LEAST = 1e-4;
const GHOST_MOST = 0.5;

/**
 * Mass and damping of the particles. A ghost at the distance δ from the axis has the mass that gives its segment the polar inertia of the rod,
 * J/δ², within limits; the nodes have the rest.
 */
export function spreadMass(
  rod: Rod,
  offset: ArrayLike<number>,
  start: number,
  size: number,
): Pick<Hair, 'mass' | 'massDamping'> {
  const n = rod.edgeCount;
  const mass = new Float64Array(size);
  const massDamping = new Float64Array(size);
  const give = (p: number, m: number, alpha: number): void => {
    for (let k = 0; k < 3; k++) {
      mass[3 * p + k] += m;
      massDamping[3 * p + k] = alpha;
    }
  };
  for (let i = 0; i <= n; i++) give(start + 2 * i, rod.nodeMass[i], rod.nodeDamping[i]);
  for (let j = 0; j < n; j++) {
    const ends = [j, j + 1].map((i) => shareOf(rod, i, j) * rod.nodeMass[i]);
    const whole = ends[0] + ends[1];
    const part = Math.min(GHOST_MOST, Math.max(GHOST_LEAST, rod.edgeInertia[j] / (square(offset[j]) * whole)));
    give(start + 2 * j + 1, part * whole, 0.5 * (rod.nodeDamping[j] + rod.nodeDamping[j + 1]));
    give(start + 2 * j, -part * ends[0], rod.nodeDamping[j]);
    give(start + 2 * j + 2, -part * ends[1], rod.nodeDamping[j + 1]);
  }
  return { mass, massDamping };
}

/** Part of the mass of node i that belongs to segment j beside it, by length. */
function shareOf({ edgeLengthRest: l, edgeCount }: Rod, i: number, j: number): number {
  const other = i === j ? i - 1 : i;
  return other < 0 || other >= edgeCount ? 1 : l[j] / (l[j] + l[other]);
}
