/** The equations of a rod at rest, as a model offers them to solvers outside: equilibria of linked rods, derivatives of equilibria. */

import type { Modes } from './model.ts';
/**
 * A rod in a joint search for the equilibrium of several rods, by Newton's method on all of them: its equations at the current state. Unknowns: four per
 * node, its position and the twist of the edge after it.
 */
export interface RestRod {
  readonly size: number;
  readonly q: Float64Array;
  /** 1 if an unknown is prescribed. */
  readonly fixed: ArrayLike<number>;
  /** Stiffness of each unknown [N/m], [N m], as the scale of shifts; and the stiffness below which it counts as zero. */
  readonly scale: Float64Array;
  readonly zero: Float64Array;
  /** Gradient of the energies minus the loads, to which others add their forces [N], [N m]. */
  readonly residual: Float64Array;
  /** Right-hand side of Newton's equations, then its step. */
  readonly step: Float64Array;
  /** Indices (i, j), i ≥ j, of the matrix entries, and the entries in this order. */
  readonly pairs: readonly (readonly [number, number])[];
  readMatrix(out: Float64Array): void;
  /** Moves pins to time t and sets velocities to zero. Returns false if the state is impossible. */
  place(t: number): boolean;
  /** Sets the fraction of all loads that acts. */
  load(part: number): void;
  /** Computes residual, right-hand side and matrix (`tangent`: for stability verdicts). Returns the sum of force magnitudes [N], or NaN. */
  evaluate(t: number, what: 'residual' | 'matrix' | 'tangent'): number;
  /** True if loads have a potential, as of the last matrix. */
  readonly conservative: boolean;
  writeRight(): void;
  /** Whether the current residual is negligible relative to `scale` or rounding; and its magnitude [N] and limit. */
  settled(
    scale: number,
    tolerance: number,
  ): { readonly settled: boolean; readonly residual: number; readonly limit: number };
  /** Fraction of the step that turns no edge too far; and a move by that fraction. */
  limitStep(): number;
  takeStep(part: number): void;
  /** Saves the rod's state, and restores it. */
  hold(): void;
  revert(t: number): void;
  /** Sets the rod at rest: updates samples, clears velocities and accelerations. `outside`: forces of others, by unknown. */
  finish(outside: Float64Array): void;
}

/** A component of the force or torque by which pins hold a node at rest. */
export interface ReactionComponent {
  readonly node: number;
  readonly of: 'force' | 'torque';
  readonly axis: 0 | 1 | 2;
}

/**
 * The equations of a rod at rest, linearized about its current state: for derivatives of equilibria (sensitivity.ts). Unknowns are those of the
 * model, in the order of its state, followed by the tension of each edge; equations are in the same order.
 */
export interface RestTangent {
  /** Number of unknowns. */
  readonly size: number;
  /** Typical change of each unknown: a length, an angle or a force. */
  readonly scale: Float64Array;
  /** 1 for an unknown that a pin prescribes. */
  readonly fixed: ArrayLike<number>;
  /** Position of a node: its first unknown of three. */
  unknownOfNode(node: number): number;
  /** Moves the pins to where they are now; free unknowns stay. Returns an error, or ''. */
  place(): string;
  readUnknowns(out: Float64Array): void;
  /** Adds `scale` times `direction` to all unknowns and poses the samples. Returns an error, or ''. */
  move(direction: Float64Array, scale: number): string;
  /** Residuals of all equations at the current state; for prescribed unknowns the forces of their pins. Returns an error, or ''. */
  writeResidual(out: Float64Array): string;
  /** Factors the derivative of the residuals with respect to the unknowns. Returns an error, or ''. */
  factor(): string;
  /** Solves with that matrix, or with its transpose, in place; prescribed unknowns become 0. */
  solve(x: Float64Array, transposed: boolean): void;
  /** A reaction at the current state, in equilibrium or not; and its derivatives with respect to all unknowns. */
  readReaction(one: ReactionComponent): number;
  writeReactionDerivative(out: Float64Array, one: ReactionComponent): void;
  /** φᵀ(K − ω²M)φ of a mode shape over all unknowns, at the current state; NaN if the rod has hinges. */
  readRayleigh(shape: Float64Array, omegaSquared: number): number;
  /** A mode as a shape over all unknowns. */
  shapeOf(mode: Modes['shapes'][number]): Float64Array;
  /** Joints, with the node of each and the length over which its natural strain is spread [m]. */
  readonly joints: {
    readonly node: ArrayLike<number>;
    readonly length: ArrayLike<number>;
  };
  /** Result of `read` while `amount` is added to a joint's natural curvature about d1 or d2 or to its natural twist (axis 0, 1, 2) [1/m]. */
  withNatural(joint: number, axis: number, amount: number, read: () => number): number;
  /** λᵀ ∂(residual)/∂(natural strain) of each joint, 3 numbers each, per [1/m]. */
  writeNaturalWork(out: Float64Array, lambda: Float64Array): void;
}
