/**
 * Tangent stiffness including that of the loads, for equilibria, stability verdicts and modes.
 *
 * Central differences give the derivative of the loads: a load at a node or edge depends on the adjacent rings, so every third ring moves at once, and
 * 72 evaluations give the whole matrix. Time steps do not need it, because inertia keeps the iteration convergent.
 */

import { type BlockTridiagonal, clearBlocks, createBlocks } from '../../linalg/blockTridiagonal.ts';
import { square } from '../../math/rounded/index.ts';
import { addElements, type TensionMode } from './elements.ts';
import { addLoadForce, gatherLoads, poseSamples } from './kinematics.ts';
import type { FiberRod } from './rod.ts';
import type { Workspace } from './workspace.ts';

export interface FiberLoadJacobian {
  /** ∂f/∂x */
  readonly blocks: BlockTridiagonal;
  /** Size of the unsymmetric part relative to the whole: 0 for conservative loads. */
  asymmetry: number;
}

export function createLoadJacobian(fiber: FiberRod): FiberLoadJacobian {
  return { blocks: createBlocks(fiber.ringCount), asymmetry: 0 };
}

const still = new Map<number, Float64Array>();
function zeros(size: number): Float64Array {
  let out = still.get(size);
  if (!out) {
    out = new Float64Array(size);
    still.set(size, out);
  }
  return out;
}

/** Loads of the rod at rest at x, added to `force`. */
export function addStaticLoads(force: Float64Array, fiber: FiberRod, x: Float64Array, t: number): void {
  poseSamples(fiber, x, zeros(fiber.size));
  gatherLoads(fiber, t);
  addLoadForce(force, fiber, x);
}

export function measureLoadJacobian(out: FiberLoadJacobian, fiber: FiberRod, t: number): void {
  const { size, ringCount, width1, width2 } = fiber;
  const { blocks } = out;
  clearBlocks(blocks);
  out.asymmetry = 0;
  if (!fiber.loadsDependOnState) return;
  const h = 1e-5 * Math.min(width1, width2);
  const x = fiber.q.slice();
  const plus = new Float64Array(size);
  const minus = new Float64Array(size);
  for (let color = 0; color < 3; color++) {
    for (let k = 0; k < 12; k++) {
      for (const [sign, f] of [
        [1, plus],
        [-1, minus],
      ] as const) {
        for (let i = color; i < ringCount; i += 3) x[12 * i + k] = fiber.q[12 * i + k] + sign * h;
        f.fill(0);
        addStaticLoads(f, fiber, x, t);
        for (let i = color; i < ringCount; i += 3) x[12 * i + k] = fiber.q[12 * i + k];
      }
      for (let i = color; i < ringCount; i += 3) {
        for (let row = 0; row < 12; row++) {
          const slope = (r: number): number => (plus[12 * r + row] - minus[12 * r + row]) / (2 * h);
          blocks.diagonal[144 * i + 12 * row + k] = slope(i);
          if (i > 0) blocks.upper[144 * (i - 1) + 12 * row + k] = slope(i - 1);
          if (i + 1 < ringCount) blocks.lower[144 * i + 12 * row + k] = slope(i + 1);
        }
      }
    }
  }
  out.asymmetry = measureAsymmetry(blocks);
}

function measureAsymmetry({ count, diagonal, upper, lower }: BlockTridiagonal): number {
  let whole = 0;
  let odd = 0;
  for (let b = 0; b < count; b++) {
    for (let i = 0; i < 12; i++) {
      for (let j = 0; j < 12; j++) {
        const at = 144 * b + 12 * i + j;
        const across = 144 * b + 12 * j + i;
        whole += diagonal[at] * diagonal[at] + upper[at] * upper[at] + lower[at] * lower[at];
        odd += square(diagonal[at] - diagonal[across]) + 2 * square(upper[at] - lower[across]);
      }
    }
  }
  return whole > 0 ? Math.sqrt(odd / whole) : 0;
}

/**
 * Writes the tangent stiffness at q to the matrix, and elastic force + loads to the residual. The tension in the matrix is that of q (`exact`) or
 * `given`. Includes the Jacobian of the loads if one is passed; `part`: only its symmetric part, or the whole.
 */
export function assembleTangent(
  fiber: FiberRod,
  work: Workspace,
  t: number,
  mode: TensionMode,
  jacobian: FiberLoadJacobian | undefined,
  part: 'symmetric' | 'whole',
): boolean {
  const { matrix, residual, elements } = work;
  clearBlocks(matrix);
  residual.fill(0);
  if (!addElements(fiber, elements, { force: residual, matrix: matrix }, { x0: fiber.q, y: fiber.q }, mode))
    return false;
  addStaticLoads(residual, fiber, fiber.q, t);
  const { diagonal, upper, lower } = matrix;
  // the kernel gives half the Hessian
  for (let k = 0; k < diagonal.length; k++) {
    diagonal[k] *= 2;
    upper[k] *= 2;
    lower[k] *= 2;
  }
  if (!jacobian || !fiber.loadsDependOnState) return true;
  const j = jacobian.blocks;
  for (let b = 0; b < matrix.count; b++) {
    for (let i = 0; i < 12; i++) {
      for (let k = 0; k < 12; k++) {
        const at = 144 * b + 12 * i + k;
        const across = 144 * b + 12 * k + i;
        diagonal[at] -= part === 'symmetric' ? 0.5 * (j.diagonal[at] + j.diagonal[across]) : j.diagonal[at];
        upper[at] -= part === 'symmetric' ? 0.5 * (j.upper[at] + j.lower[across]) : j.upper[at];
        lower[at] -= part === 'symmetric' ? 0.5 * (j.lower[at] + j.upper[across]) : j.lower[at];
      }
    }
  }
  return true;
}
