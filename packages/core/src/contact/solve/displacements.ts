/** Velocities of sides measured by their displacement over the step. */
import type { ContactPort } from '../../model.ts';
import type { ContactSides } from '../../port.ts';
import { threadsOf } from '../../threads/contactThreads.ts';
import type { Finder } from '../detect/finderData.ts';
import type { BundleSides, SideArrays } from './sideArrays.ts';

/** Writes S v of all sides to `start`. */
export function readVelocities(arrays: SideArrays, finder: Finder, dt: number): void {
  for (const one of arrays.bundles) {
    one.port.readVelocity(one.reached, one.sides);
    replaceByDisplacements(one, arrays.rod, finder, dt);
  }
}

/** Inputs of `replaceByDisplacements`: a bundle's sides. */
interface SidesOfNodes extends Pick<BundleSides, 'from' | 'reached'> {
  readonly port: Pick<ContactPort, 'readsDisplacements'>;
  readonly sides: ContactSides;
}

/**
 * Replaces the velocities at the end of the step by displacements over the step divided by its length: gap closure depends on displacements. The
 * two differ for nodes that a pin moves along its path, and in models whose nodes follow from angles and curvatures. Samples must be those of the
 * end.
 */
export function replaceByDisplacements(
  { port, sides, from, reached }: SidesOfNodes,
  rodOf: Int32Array,
  finder: NodesOfRods,
  dt: number,
): void {
  if (port.readsDisplacements) return;
  const own = rodOf.subarray(from, from + sides.count);
  const count = (end: number): void => addDisplacementCorrection(reached, sides, own, finder, dt, end);
  if (!threadsOf(port)?.addDisplacements(sides, dt, count)) count(sides.count);
}

/** Positions of the nodes at the start of the step and now. */
type NodesOfRods = Pick<Finder, 'position' | 'samples' | 'nodeOffset'>;

/** Replaces the velocities of sides 0 to `end` − 1; `rodOf`: index of each side's rod in `samples` and `nodeOffset`. */
export function addDisplacementCorrection(
  velocity: Float64Array,
  { edge, weight, direction: n }: Pick<ContactSides, 'edge' | 'weight' | 'direction'>,
  rodOf: Int32Array,
  { position, samples, nodeOffset }: NodesOfRods,
  dt: number,
  end: number,
): void {
  for (let s = 0; s < end; s++) {
    const r = rodOf[s];
    if (r < 0) continue;
    const { nodePosition: x, nodeVelocity: v } = samples[r];
    const o = 3 * nodeOffset[r];
    const a = 3 * edge[s];
    const b = a + 3 < x.length ? a + 3 : 0;
    const w = weight[s];
    for (let k = 0; k < 3; k++) {
      const first = (x[a + k] - position[o + a + k]) / dt - v[a + k];
      const second = (x[b + k] - position[o + b + k]) / dt - v[b + k];
      if (n) velocity[s] += n[3 * s + k] * ((1 - w) * first + w * second);
      else velocity[3 * s + k] += (1 - w) * first + w * second;
    }
  }
}
