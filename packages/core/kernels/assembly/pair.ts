/**
 * Two rods of the same layout, one per lane: `Pair` of shared.ts, which the build writes from src/kernels/description.ts.
 *
 * `residual` has four rows, `band` and `step` ten, before their first and four after their last unknown, so that the
 * joint at a clamp, whose far side does not exist, is added like any other: what it adds there is zero or never read.
 */
import { Pair } from './shared';

export { Pair };

/** Asks the host for the loads where the rods are now. */
@external("env", "askLoads")
export declare function askLoads(block: usize): void;
