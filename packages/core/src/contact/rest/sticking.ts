/**
 * Contacts with obstacles in which friction holds a point of the rod, as a load for the searches of the rod's own model: a contact whose point has moved by
 * d from where it stuck pushes with λ − k d. λ is the contact's `impulse` in the list [N].
 */
import { square } from '../../math/rounded/index.ts';
import type { LoadSource } from '../../port.ts';
import type { ContactSet } from '../contactSet.ts';
import type { ContactContext } from '../context.ts';

export interface Sticking {
  readonly source: LoadSource;
  /** Replaces each force by λ − k d. Returns the largest d [m] and force [N]. */
  update(): { readonly gap: number; readonly force: number };
  /** True if each force pushes the rod off its obstacle, within the cone of static friction. */
  isWithinCone(): boolean;
}

/** Share by which a force may exceed the cone of friction: relaxation leaves that much. */
const CONE = 1e-5;

export function createSticking(context: ContactContext, r: number, set: ContactSet, stiffness: number): Sticking {
  const { nodeCount } = context.rods[r];
  const { nodePosition } = context.samples[r];
  const nodesOf = (c: number): readonly (readonly [number, number])[] => {
    const [edge, weight] = [set.edgeA[c], set.weightA[c]];
    return [
      [3 * edge, 1 - weight],
      [3 * ((edge + 1) % nodeCount), weight],
    ];
  };
  const locate = (x: Float64Array, c: number, k: number): number =>
    nodesOf(c).reduce((sum, [o, share]) => sum + share * x[o + k], 0);
  const anchor = new Float64Array(3 * set.count);
  for (let c = 0; c < set.count; c++) for (let k = 0; k < 3; k++) anchor[3 * c + k] = locate(nodePosition, c, k);
  const moved = (x: Float64Array, c: number, k: number): number => locate(x, c, k) - anchor[3 * c + k];
  const source: LoadSource = {
    dependsOnState: true,
    addLoads({ nodeForce }, { nodePosition: x }) {
      for (let c = 0; c < set.count; c++)
        for (let k = 0; k < 3; k++) {
          const push = set.impulse[3 * c + k] - stiffness * moved(x, c, k);
          for (const [o, share] of nodesOf(c)) nodeForce[o + k] += share * push;
        }
    },
    potential({ nodePosition: x }) {
      let sum = 0;
      for (let c = 0; c < set.count; c++)
        for (let k = 0; k < 3; k++) {
          const d = moved(x, c, k);
          sum += d * (0.5 * stiffness * d - set.impulse[3 * c + k]);
        }
      return sum;
    },
    addDerivative(add) {
      for (let c = 0; c < set.count; c++)
        for (const [a, one] of nodesOf(c))
          for (const [b, other] of nodesOf(c))
            if (one * other !== 0) for (let k = 0; k < 3; k++) add(a + k, b + k, -stiffness * one * other);
    },
  };
  return {
    source,
    update() {
      let [gap, force] = [0, 0];
      for (let c = 0; c < set.count; c++)
        for (let k = 0; k < 3; k++) {
          const d = moved(nodePosition, c, k);
          set.impulse[3 * c + k] -= stiffness * d;
          gap = Math.max(gap, Math.abs(d));
          force = Math.max(force, Math.abs(set.impulse[3 * c + k]));
        }
      return { gap, force };
    },
    isWithinCone: () => isWithinCone(set),
  };
}

function isWithinCone(set: ContactSet): boolean {
  for (let c = 0; c < set.count; c++) {
    const [f, n] = [set.impulse, set.normal].map((array) => array.subarray(3 * c, 3 * c + 3));
    const pressure = f[0] * n[0] + f[1] * n[1] + f[2] * n[2];
    const friction = Math.sqrt(f.reduce((sum, one, k) => sum + square(one - pressure * n[k]), 0));
    if (!(pressure > 0) || friction > (1 + CONE) * set.staticFriction[c] * pressure) return false;
  }
  return true;
}
