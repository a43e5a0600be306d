/** What is asked of a branch of equilibria, and its points. */

export interface BranchOptions {
  /** The branch ends where the parameter leaves this range. */
  readonly from: number;
  readonly to: number;
  readonly tolerance: number;
  /** Longest and shortest distance between points, in the measure of statics/branch.ts. */
  readonly stride: number;
  readonly shortest: number;
  /** Most points. */
  readonly points: number;
  /** `along`: along the parameter, towards `to`. `across` and `back`: from a bifurcation along its mode, and against it. */
  readonly start: 'along' | 'across' | 'back';
}

export type BranchPointKind = 'start' | 'point' | 'fold' | 'bifurcation' | 'end';

export interface BranchPoint {
  readonly kind: BranchPointKind;
  readonly parameter: number;
  /** Distance from the start along the branch. */
  readonly arc: number;
  readonly iterations: number;
  /** As in EquilibriumReport. */
  readonly negativeModes: number;
  readonly criterion: 'energy' | 'divergence' | 'none';
}

/** Why a branch was not followed farther. */
export interface BranchEnd {
  readonly reason: 'range' | 'points' | 'lost';
  /** For `lost`: what failed at the shortest distance. */
  readonly detail: string;
}
