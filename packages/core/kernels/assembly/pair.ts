/**
 * Two rods of the same layout, one per lane: `Pair` of shared.ts, which the build writes from src/kernels/description.ts.
 *
 * `residual` has four rows of padding before its first and after its last unknown, `band` and `step` ten. So the joint at a clamp, whose far side
 * does not exist, is added like any other: what it adds there is zero or never read.
 */
import { Pair } from './shared';

export { Pair };

/** Asks the host for the loads at the current state. */
@external("env", "askLoads")
export declare function askLoads(block: usize): void;
