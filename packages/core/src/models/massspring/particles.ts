/** Particles of a hair: their masses, and the altitude springs of every four consecutive ones. */
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

/** Mass and damping of the particles: half of a node's mass stays there, half is distributed to the adjacent ghosts by length. */
export function spreadMass(rod: Rod, start: number, size: number): Pick<Hair, 'mass' | 'massDamping'> {
  const n = rod.edgeCount;
  const mass = new Float64Array(size);
  const massDamping = new Float64Array(size);
  const give = (p: number, m: number, alpha: number): void => {
    for (let k = 0; k < 3; k++) {
      mass[3 * p + k] += m;
      massDamping[3 * p + k] = alpha;
    }
  };
  for (let i = 0; i <= n; i++) {
    const before = i > 0 ? rod.edgeLengthRest[i - 1] : 0;
    const after = i < n ? rod.edgeLengthRest[i] : 0;
    give(start + 2 * i, 0.5 * rod.nodeMass[i], rod.nodeDamping[i]);
    if (i > 0) give(start + 2 * i - 1, (0.5 * rod.nodeMass[i] * before) / (before + after), rod.nodeDamping[i]);
    if (i < n) give(start + 2 * i + 1, (0.5 * rod.nodeMass[i] * after) / (before + after), rod.nodeDamping[i]);
  }
  return { mass, massDamping };
}
