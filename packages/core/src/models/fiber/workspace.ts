/** Work arrays of one fiber, which all schemes and the search for equilibria share. */
import { type BlockTridiagonal, type CreateBlocks, createBlocks } from '../../linalg/blockTridiagonal.ts';
import { createElements, type Elements } from './elements.ts';
import type { FiberRod } from './rod.ts';

export interface Workspace {
  readonly matrix: BlockTridiagonal;
  readonly elements: Elements;
  readonly residual: Float64Array;
  readonly x0: Float64Array;
  readonly v0: Float64Array;
  readonly y: Float64Array;
  readonly middle: Float64Array;
  readonly rate: Float64Array;
  readonly image: Float64Array;
  /** Forces of loads and contact on the particles [N]. */
  readonly load: Float64Array;
  /** Length of the core step [s] and factors on v before and after it, 1 per ring. */
  readonly core: Float64Array;
  readonly before: Float64Array;
  readonly after: Float64Array;
  /** Angle by which each ring would turn about its axis over the step [rad]; see spin.ts. */
  readonly turn: Float64Array;
  /** State at the start of the whole step. */
  readonly startQ: Float64Array;
  readonly startV: Float64Array;
  /** Solves in the current step, and the maximum in one Newton solve. */
  iterations: number;
  iterationsMax: number;
  reason: string;
}

export function createWorkspace(fiber: FiberRod, create: CreateBlocks = createBlocks): Workspace {
  const vector = (): Float64Array => new Float64Array(fiber.size);
  const rings = (): Float64Array => new Float64Array(fiber.ringCount);
  return {
    matrix: create(fiber.ringCount),
    elements: createElements(fiber),
    residual: vector(),
    x0: vector(),
    v0: vector(),
    y: vector(),
    middle: vector(),
    rate: vector(),
    image: vector(),
    load: vector(),
    core: rings(),
    before: rings(),
    after: rings(),
    turn: rings(),
    startQ: vector(),
    startV: vector(),
    iterations: 0,
    iterationsMax: 0,
    reason: '',
  };
}
