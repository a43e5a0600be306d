/**
 * A force field given by a function of position and time, evaluated at the nodes.
 *
 * If the function does not depend on position, the force is a dead load and has a potential. A formula in x, y, z may or may not have
 * one, so it is treated as having none.
 */
import type { LoadSource } from '../port.ts';

export interface ForceOptions {
  /** Force per weight at (x, y, z), t and fraction u of the rest length; writes three numbers. */
  readonly force: (out: Float64Array, x: number, y: number, z: number, t: number, u: number) => void;
  readonly dependsOnPlace: boolean;
  /** Factor on the force at each node: its mass [kg] or rest length [m]. */
  readonly nodeWeight: Float64Array;
  readonly nodeU: Float64Array;
  readonly factor: (t: number) => number;
}

export function createForceField(options: ForceOptions): LoadSource {
  const { force, dependsOnPlace, nodeWeight, nodeU, factor } = options;
  const f = new Float64Array(3);
  return {
    dependsOnState: dependsOnPlace,
    addLoads({ nodeForce }, { nodePosition: x }, t) {
      const strength = factor(t);
      for (let i = 0; i < nodeWeight.length; i++) {
        force(f, x[3 * i], x[3 * i + 1], x[3 * i + 2], t, nodeU[i]);
        const k = strength * nodeWeight[i];
        nodeForce[3 * i] += k * f[0];
        nodeForce[3 * i + 1] += k * f[1];
        nodeForce[3 * i + 2] += k * f[2];
      }
    },
    potential({ nodePosition: x }, t) {
      if (dependsOnPlace) return 0;
      let sum = 0;
      for (let i = 0; i < nodeWeight.length; i++) {
        force(f, 0, 0, 0, t, nodeU[i]);
        sum += nodeWeight[i] * (f[0] * x[3 * i] + f[1] * x[3 * i + 1] + f[2] * x[3 * i + 2]);
      }
      return -factor(t) * sum;
    },
  };
}
