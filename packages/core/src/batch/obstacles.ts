/** Obstacles of the merged contact solver, and how their surfaces move. Translated to WGSL like formulas.ts. */
import { add, type Index, type Quaternion, subtract, type Vector } from './algebra.ts';
import { rotationChange } from './formulas.ts';

/** A solid that strands or rods cannot enter. */
export interface Obstacle {
  /** Kind of the obstacle, as listed in layout.ts. */
  readonly kind: Index;
  /** At the start of the step. */
  readonly frame: Quaternion;
  /** Position at the start of the step [m]. */
  readonly position: Vector;
  /** Half lengths without the rounding, and the rounding [m]; of a distance field, half lengths of its box. */
  readonly half: Vector;
  /** Radius by which the solid is rounded [m]. */
  readonly rounding: number;
  /** Coefficient of friction. */
  readonly friction: number;
  /** Over the step: rotation, and displacement of the position [m]. */
  readonly turn: Quaternion;
  /** Displacement of the position over the step [m]. */
  readonly shift: Vector;
  /** For a distance field: number of its first row among those of all fields, and rows along each axis, as numbers. */
  readonly start: Index;
  /** For a distance field: rows along each axis. */
  readonly counts: Vector;
}

/** Signed distance [m] and outward unit normal. */
export interface Distance {
  readonly value: number;
  readonly normal: Vector;
}

/** A contact of an edge with an obstacle. */
export interface Contact {
  /** 1 if the surfaces may meet within the step; 2 if they also did not in the previous step; otherwise 0. */
  readonly active: Index;
  readonly part: number;
  readonly normal: Vector;
  /**
   * Displacement over the step at which the point sticks to the surface [m]: that of the surface, less the gap along the normal. Of an overlap, only
   * the part that this step removes counts.
   */
  readonly closing: Vector;
  readonly friction: number;
  /** Force on the strand [N]: by the contact law, and as used in Newton's iteration. */
  readonly force: Vector;
  readonly push: Vector;
  /** ρ, and the stiffness across the normal in Newton's matrix [N/m]. */
  readonly stiffness: number;
  readonly tangentStiffness: number;
}

/** The fields of a contact that the law changes. */
export interface ContactForces {
  readonly force: Vector;
  readonly push: Vector;
  readonly tangentStiffness: number;
}

/** Displacement over the step of the obstacle's point at x [m]. */
export function surfaceShift(o: Obstacle, x: Vector): Vector {
  return add(o.shift, rotationChange(o.turn, subtract(x, o.position)));
}
