/**
 * Features of scenes that a program may leave out of its bundle: `createWorld` of `@tendril-sim/core/world` has those that are passed to it, that of
 * `@tendril-sim/core` has all.
 */
import { compileAnimation } from './scene/animate.ts';
import { createAnimationAudit } from './world/energyAuditAnimation.ts';
import { followBranch } from './world/equilibriumPath.ts';
import type { PathModule } from './world/pathPort.ts';
import { prepareRetry } from './world/reachAlong.ts';

export { type WindModule, wind } from './scene/windParts.ts';
export type { PathModule };

/** Rods whose properties change in time. */
export interface AnimationModule {
  /** Compiles the changes of a rod in time. */
  readonly compileAnimation: typeof compileAnimation;
  /** Creates the account of the energy that changes of rods bring in. */
  readonly createAnimationAudit: typeof createAnimationAudit;
}

/** `animate` of rods, for `createWorld` of `@tendril-sim/core/world`. */
export const animation: AnimationModule = { compileAnimation, createAnimationAudit };

/** Paths of equilibria that stay on their branch or report a jump, for `createWorld` of `@tendril-sim/core/world`. */
export const paths: PathModule = { followBranch, prepareRetry };
