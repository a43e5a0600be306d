/** The interface between the world and what breaks under load. */

/** An edge of a rod, or a link, that broke. */
export interface Break {
  /** Time [s]. */
  readonly time: number;
  /** The rod; absent for a link. */
  readonly rod?: string;
  /** Index of the edge of the rod. */
  readonly edge?: number;
  /** The link. */
  readonly link?: string;
  /** Its tension [N]; for a link, its force. */
  readonly tension: number;
  /** Bending moment at the more loaded end of the edge [N m], if the rod has a limit for it. */
  readonly moment?: number;
  /** Elastic energy that it had [J]. */
  readonly energy: number;
}

/** Things that break at a given load. */
export interface Breakable {
  /** Largest load over strength at t of those that are whole; 1 and more: it breaks. `spared`: rods (by id) that do not break now. */
  measureLoad(t: number, spared: ReadonlySet<string>): number;
  /** True if something has broken. */
  hasBroken(): boolean;
  /** Breaks what has at least this load over strength, at t: in each rod the most loaded edge, and every such link. */
  breakLoaded(t: number, spared: ReadonlySet<string>, least: number): Break[];
}
