/**
 * The interface of a kernel set for this model: Newton iterations of two fibers at once, and a matrix with a solver. The caller
 * injects it (`loadFiber`); without one, step.ts computes the same bits.
 */
import type { CreateFactor } from '../../linalg/blockSymmetric.ts';
import type { CreateBlocks } from '../../linalg/blockTridiagonal.ts';
import type { FiberRod } from './rod.ts';
import type { NewtonOptions, Scheme } from './step.ts';
import type { Workspace } from './workspace.ts';

export interface PairMember {
  readonly fiber: FiberRod;
  readonly work: Workspace;
  readonly options: NewtonOptions;
}

export interface PairKernel {
  /**
   * `solveStep` for those of the pair whose bit is set in `wanted`, after their `beginPart`: writes y to their work space and
   * returns the bits of those that converged.
   */
  solve(scheme: Scheme, t: number, h: number, members: readonly PairMember[], wanted: number): number;
}

export interface FiberKernel {
  readonly createBlocks: CreateBlocks;
  readonly createFactor: CreateFactor;
  /** For lists of one fiber or of two with the same number of rings. */
  createPairs(pairs: readonly (readonly FiberRod[])[]): PairKernel[];
}

/** Smallest set of fibers that is stepped independently: one, or two that a kernel steps at once. Threads divide the units among them. */
export interface Unit {
  readonly members: readonly (PairMember & { readonly index: number })[];
  readonly kernel?: PairKernel;
}

/** After this many fibers during which some fiber always waits for a partner, the waiting fibers stay alone; see models/der/parts.ts for the reason. */
const BLOCK = 128;

/** Pairs fibers with the same number of rings, in their order; a fiber without a partner stays alone. */
export function pairUp(fibers: readonly FiberRod[]): number[][] {
  const waiting = new Map<number, number[]>();
  const out: number[][] = [];
  let begin = 0;
  fibers.forEach(({ ringCount }, k) => {
    if (k - begin >= BLOCK) waiting.clear();
    if (waiting.size === 0) begin = k;
    const open = waiting.get(ringCount);
    if (open) {
      open.push(k);
      waiting.delete(ringCount);
      return;
    }
    const unit = [k];
    out.push(unit);
    waiting.set(ringCount, unit);
  });
  return out;
}
