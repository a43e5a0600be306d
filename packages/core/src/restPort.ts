/** The equations of a rod at rest that a model provides to solvers outside: for equilibria of linked rods, and for derivatives of equilibria. */

import type { Modes } from './model.ts';
import type { Samples } from './port.ts';

/** Forces on a rod from outside. */
export interface OutsideForces {
  /** Force on each node, 3 numbers [N]. */
  readonly nodeForce: Float64Array;
  /** Torque on each edge about its tangent [N m]. */
  readonly edgeTorque: Float64Array;
}

/** The edges of a rod at rest, as links see them, in terms of its unknowns. */
export interface RestEdges {
  /** Node that an unknown belongs to; for one of an edge, its first node. */
  nodeOf(unknown: number): number;
  /** Unknowns that the two nodes of an edge depend on and, if asked for, its turn. */
  listEdgeUnknowns(edge: number, of: 'nodes-and-turn' | 'nodes'): readonly number[];
  /**
   * Derivatives of an edge's coordinates with respect to these unknowns, row by row: three rows of its first node, three of its second and, if asked for,
   * one of its turn about the tangent.
   */
  writeEdgeRates(out: Float64Array, edge: number, of: 'nodes-and-turn' | 'nodes'): void;
  /** Second derivatives of an edge's turn with respect to the unknowns of `listEdgeUnknowns`, row by row, symmetric. Absent: they are zero. */
  writeTurnCurvature?(out: Float64Array, edge: number): void;
  /** Stiffness of the nodes of an edge [N/m], or of its turn [N m]: the largest of their unknowns' scales. */
  edgeScale(edge: number, of: 'nodes' | 'turn'): number;
  /** Largest displacement of a node along a direction. */
  measureMove(direction: Float64Array): number;
  /** Largest turn or stretch of an edge along a direction [rad]. */
  measureTurn(direction: Float64Array): number;
}

/**
 * The equations of one rod in a search for the equilibrium of several linked rods, by Newton's method on all of them together. Only the model knows the
 * meaning of its unknowns. Links see edges: the positions of an edge's two nodes, and its turn about its tangent. The model provides the derivatives of
 * these with respect to its unknowns.
 */
export interface RestRod extends RestEdges {
  /** Number of unknowns. */
  readonly size: number;
  /** All numbers of the rod's pose. The solver copies and restores them, but does not interpret them. */
  readonly q: Float64Array;
  /**
   * Samples with every edge along the chord between its nodes, as links see it: always the same object, updated by this call, `evaluate` and `place`. Absent:
   * those of the bundle.
   */
  readChords?(): Samples;
  /** Change of each unknown since the last `hold`. */
  writeDisplacement(out: Float64Array): void;
  /** Moves the unknowns that are not prescribed by `amount` times `direction`. */
  move(direction: Float64Array, amount: number): void;
  /** 1 if an unknown is prescribed. */
  readonly fixed: ArrayLike<number>;
  /** Stiffness of each unknown [N/m], [N m], as the scale of shifts; and the stiffness below which it counts as zero. */
  readonly scale: Float64Array;
  /** Stiffness below which an unknown counts as free, 1 per unknown. */
  readonly zero: Float64Array;
  /** Gradient of the energies minus the loads by the unknowns, to which others add their forces [N], [N m]. */
  readonly residual: Float64Array;
  /** Right-hand side of Newton's equations, then its step. */
  readonly step: Float64Array;
  /** Indices (i, j), i ≥ j, of the matrix entries, and the entries in this order. */
  readonly pairs: readonly (readonly [number, number])[];
  /** Writes the matrix entries in the order of `pairs`. */
  readMatrix(out: Float64Array): void;
  /**
   * Number of increments in which pins must move to their poses at t, with an equilibrium after each, so that the rod loses no turns. Absent: 1.
   */
  countPinIncrements?(t: number): number;
  /** Moves pins to time t and sets velocities to zero. Returns false if the state is impossible. */
  place(t: number): boolean;
  /** Sets the fraction of all loads that acts. */
  load(part: number): void;
  /** Computes residual, right-hand side and matrix (`tangent`: for stability verdicts). Returns the sum of force magnitudes [N], or NaN. */
  evaluate(t: number, what: 'residual' | 'matrix' | 'tangent'): number;
  /** True if loads have a potential, as of the last matrix. */
  readonly conservative: boolean;
  /** Writes the right-hand side of Newton's equations to `step`. */
  writeRight(): void;
  /** True in `settled` if the current residual is negligible relative to `scale` or rounding; also its magnitude [N] and its limit. */
  settled(
    scale: number,
    tolerance: number,
  ): { readonly settled: boolean; readonly residual: number; readonly limit: number };
  /** Fraction of the step that turns no edge too far; and a move by that fraction. */
  limitStep(): number;
  /** Moves by this fraction of the step, which was solved with a matrix shifted by `shift` times `scale`. */
  takeStep(part: number, shift: number): void;
  /** Why the current state, though in balance, is no equilibrium of the rod, or ''. Absent: it always is one. */
  explainFalseBalance?(): string;
  /** Saves the rod's state. */
  hold(): void;
  /** Restores the state that `hold` saved. */
  revert(t: number): void;
  /** Sets the rod at rest: updates samples, clears velocities and accelerations. */
  finish(isEquilibrium: boolean): void;
  /** Sets the forces of links on the rod at rest, which reactions of pins then include until the rod moves. */
  applyForces(outside: OutsideForces): void;
}

/** A component of the force or torque by which pins hold a node at rest. */
export interface ReactionComponent {
  /** Index of the node. */
  readonly node: number;
  /** Whether it is a force [N] or a torque [N m]. */
  readonly of: 'force' | 'torque';
  /** World axis: 0, 1, 2 for x, y, z. */
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
  /** Writes all unknowns. */
  readUnknowns(out: Float64Array): void;
  /** Adds `scale` times `direction` to all unknowns and poses the samples. Returns an error, or ''. */
  move(direction: Float64Array, scale: number): string;
  /** Residuals of all equations at the current state; for prescribed unknowns the forces of their pins. Returns an error, or ''. */
  writeResidual(out: Float64Array): string;
  /** Factors the derivative of the residuals with respect to the unknowns. Returns an error, or ''. */
  factor(): string;
  /** Solves with that matrix, or with its transpose, in place; prescribed unknowns become 0. */
  solve(x: Float64Array, matrix: 'transposed' | 'plain'): void;
  /** A reaction at the current state, in equilibrium or not; and its derivatives with respect to all unknowns. */
  readReaction(one: ReactionComponent): number;
  /** Writes the derivatives of a reaction with respect to all unknowns. */
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

/** Contacts of a rod: each is closed until it would pull, or open until it would overlap. Evaluated at the rod's samples and with the obstacles as placed. */
export interface BranchContacts {
  /** Why the contacts found by `listBroken` cannot be followed, or ''. */
  trouble: string;
  /** Moves contacts that have slid from a node of the rod onto an edge, or back; returns true if there are any. */
  slide(t: number): boolean;
  /** Lists the contacts that break the law at the current state, at time t; returns their number. */
  listBroken(t: number): number;
  /** Adds those that are within `margin` of the limit of the law. */
  addNear(t: number, margin: number): void;
  /** How far each listed contact is beyond the limit of the law, relative; negative: within it. */
  measureListed(): readonly number[];
  /** Which of the listed contacts break the law by more than rounding. */
  whichListedBreak(): boolean[];
  /** Opens the contacts that carry no force, since they cannot hold the rod; returns true if there are any. */
  openIdle(): boolean;
  /** Removes the others from the list. */
  keepListed(isKept: readonly boolean[]): void;
  /** Which of the listed contacts were closed when they were listed. */
  wereClosed(): boolean[];
  /** Closes or opens the listed contacts. */
  setListed(isClosed: readonly boolean[]): void;
}
