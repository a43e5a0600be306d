/** Interface of a rod's broken edges for the rest of the model; breaking.ts implements it. */

/** The most loaded edge of a rod. */
export interface EdgeLoad {
  /** Load over strength: the edge breaks from 1 on. */
  readonly ratio: number;
  /** Index of the edge. */
  readonly edge: number;
  /** Its tension [N]. */
  readonly tension: number;
  /** Bending moment [N m] at the node of the edge where it is largest relative to the strength; absent if the rod has no limit for it. */
  readonly moment?: number;
}

/**
 * Broken edges of a rod. A broken edge has no tension, direction or frame, its angle is fixed and the joints beside it do not act. Its mass stays with
 * its nodes.
 */
export interface RodBreaking {
  /** 1 for each edge that is broken; part of the saved state. */
  readonly broken: Float64Array;
  /** Energy that broken edges had when they broke [J], and the time of the last break [s]; part of the saved state. */
  readonly heat: Float64Array;
  /**
   * True for a while after a break, in which no other edge breaks: twice the time that a wave of stretch takes along the rod, and so unloads it. A rod that is
   * equally loaded everywhere would break into all its edges otherwise.
   */
  isSpared(t: number): boolean;
  /** True if an edge of the joint is broken. */
  parts(joint: number): boolean;
  /** Switches off what broken edges had: call after pins were evaluated. */
  release(): void;
  /** The most loaded edge that is not broken. */
  findWeakest(): EdgeLoad;
  /** Breaks an edge at t; the caller updates what is derived from the state. Returns the energy that it had [J]. */
  breakEdge(edge: number, t: number): number;
}
