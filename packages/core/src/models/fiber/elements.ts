/**
 * Springs and shear elements between a start and an end of a step: mean forces, and how they change with the end.
 *
 * A spring that goes from length l0 to l1 pulls with t = k((l0 + l1)/2 − L) along u = (d0 + d1)/(l0 + l1), a discrete gradient [Gonzalez1996]: energy,
 * momentum and angular momentum are kept to rounding.
 *     ∂(t u)/∂d1 = (k/2 − τ/S) u eᵀ + (τ/S) 1,     S = l0 + l1, e = d1/l1, τ = t
 * is not symmetric. τ is predicted linearly (a mixed Newton method, tension as an unknown), so that the number of iterations does not depend on k.
 * With the same positions at both ends this is the ordinary force, and the matrix is half its Hessian: statics, modes and all integrators use it.
 * Alternatives: docs/notes/fiber.md#tangent-of-a-spring.
 */
import type { BlockTridiagonal } from '../../linalg/blockTridiagonal.ts';
import { type FiberRod, RING_FROM, RING_TO } from './rod.ts';
import {
  addFace,
  addRingSpring,
  predictFace,
  predictRingSpring,
  type SpringArrays,
  type Tensions,
  turnOf,
} from './springs.ts';

/**
 * Tension in the matrix: `given` (predicted, in `tau`) or `exact` (of the iterate); `pulling`, `exact-pulling`: the same where
 * it pulls, and 0 if it pushes, which makes the matrix positive semidefinite.
 */
export type TensionMode = 'given' | 'exact' | 'pulling' | 'exact-pulling';

export interface Elements extends Tensions {
  /** Tension [N] of the iterate, and the one that the matrix uses: 8 per cuboid (longitudinal, shear), then 6 per ring. */
  readonly tension: Float64Array;
  readonly tau: Float64Array;
  /** Direction at the end of the step: 36 per cuboid (3 per spring; p, q of a shear element 6), then 18 per ring. */
  readonly direction: Float64Array;
  /** Lengths at the end of the step [m]: 12 per cuboid (shear elements have two), then 6 per ring. */
  readonly length: Float64Array;
  /** Viscous share χ of a cuboid and of a ring: t gets χ k (l1 − l0)/2 more. */
  readonly edgeChi: Float64Array;
  readonly ringChi: Float64Array;
}

export function createElements(fiber: FiberRod): Elements {
  const { edgeCount, ringCount } = fiber;
  const count = 8 * edgeCount + 6 * ringCount;
  return {
    tension: new Float64Array(count),
    tau: new Float64Array(count),
    direction: new Float64Array(36 * edgeCount + 18 * ringCount),
    length: new Float64Array(12 * edgeCount + 6 * ringCount),
    edgeChi: new Float64Array(edgeCount),
    ringChi: new Float64Array(ringCount),
  };
}

const empty = new Float64Array(0);

/** Where forces and, if given, their derivatives are added. */
interface ElasticOutput {
  readonly force: Float64Array;
  readonly matrix?: BlockTridiagonal | undefined;
}

/**
 * Adds the mean elastic force over a step from x0 to y to `force`, and −∂force/∂y to the matrix. Returns false if a spring has no
 * length or a position is NaN.
 */
export function addElements(
  fiber: FiberRod,
  elements: Elements,
  { force, matrix }: ElasticOutput,
  { x0, y }: { readonly x0: Float64Array; readonly y: Float64Array },
  mode: TensionMode,
): boolean {
  const { edgeCount, ringCount, longRest, shearRest, longStiffness, shearStiffness, ringStiffness } = fiber;
  const { tension, tau, direction, length, edgeChi, ringChi } = elements;
  const { diagonal, upper, lower } = matrix ?? { diagonal: empty, upper: empty, lower: empty };
  const arrays: SpringArrays = {
    force,
    x0,
    y,
    tension,
    tau,
    direction,
    length,
    longRest,
    shearRest,
    diagonal,
    upper,
    lower,
    exact: mode === 'exact' || mode === 'exact-pulling' ? 1 : 0,
    pulling: mode === 'pulling' || mode === 'exact-pulling' ? 1 : 0,
    matrix: matrix ? 1 : 0,
  };
  for (let b = 0; b < edgeCount; b++) {
    for (let c = 0; c < 4; c++)
      addFace(arrays, b, c, (c + 1) & 3, longStiffness[b], shearStiffness[2 * b + (c & 1)], edgeChi[b]);
  }
  for (let r = 0; r < ringCount; r++) {
    for (let m = 0; m < 6; m++) {
      const n = 8 * edgeCount + 6 * r + m;
      const at = 36 * edgeCount + 18 * r + 3 * m;
      const place = 12 * edgeCount + 6 * r + m;
      const rest = ringRest(fiber, m);
      addRingSpring(arrays, r, RING_FROM[m], RING_TO[m], n, at, place, ringStiffness[r], rest, ringChi[r]);
    }
  }
  for (let k = 0; k < length.length; k++) if (!(length[k] > 0)) return false;
  return true;
}

/** Rest length of spring m of a ring [m]. */
export function ringRest({ width1, width2 }: FiberRod, m: number): number {
  return m > 3 ? Math.sqrt(width1 * width1 + width2 * width2) : (m & 1) === 0 ? width1 : width2;
}

/** Largest turn [rad] of a longitudinal spring or ring edge that the displacement dx would make. */
export function largestTurn(
  { edgeCount, ringCount }: FiberRod,
  { length }: Pick<Elements, 'length'>,
  dx: Float64Array,
): number {
  let largest = 0;
  for (let b = 0; b < edgeCount; b++)
    for (let c = 0; c < 4; c++) {
      const i = 12 * b + 3 * c;
      largest = Math.max(largest, turnOf(dx, i, i + 12, length[12 * b + c]));
    }
  for (let r = 0; r < ringCount; r++)
    for (let m = 0; m < 4; m++)
      largest = Math.max(
        largest,
        turnOf(dx, 12 * r + 3 * RING_FROM[m], 12 * r + 3 * RING_TO[m], length[12 * edgeCount + 6 * r + m]),
      );
  return Math.sqrt(largest);
}

/** τ moves by the share s towards the tension that a displacement dx would bring; `share` of k(1 + χ) acts: ½ in a step, 1 in statics. */
export function predictTension(fiber: FiberRod, elements: Elements, dx: Float64Array, s: number, share: number): void {
  const { edgeChi, ringChi } = elements;
  const { edgeCount, ringCount, longStiffness, shearStiffness, ringStiffness } = fiber;
  for (let b = 0; b < edgeCount; b++) {
    const viscous = share * (1 + edgeChi[b]);
    const long = viscous * longStiffness[b];
    for (let c = 0; c < 4; c++) {
      const shear = viscous * shearStiffness[2 * b + (c & 1)];
      predictFace(elements, dx, b, c, (c + 1) & 3, long, shear, s);
    }
  }
  for (let r = 0; r < ringCount; r++) {
    const k = share * (1 + ringChi[r]) * ringStiffness[r];
    for (let m = 0; m < 6; m++) {
      const n = 8 * edgeCount + 6 * r + m;
      const at = 36 * edgeCount + 18 * r + 3 * m;
      predictRingSpring(elements, dx, n, at, r, RING_FROM[m], RING_TO[m], k, s);
    }
  }
}
