/**
 * A step of a rod as linear equations, which a model provides for derivatives of a run (runSensitivity.ts).
 *
 * The state of a rod between two steps is a point. A nearby state is given by its difference from a point, one number per unknown, rate, acceleration and edge
 * tension; an angle of an edge is measured from the frame of the point, transported to the nearby edge.
 */

/** State of a rod between two steps; its arrays belong to the model. */
export type StepPoint = Readonly<
  Record<
    'q' | 'v' | 'acceleration' | 'edgeTension' | 'edgeReference' | 'edgeTangent' | 'jointReferenceTwist' | 'history',
    Float64Array
  >
>;

/** An implicit stage of a step: where it starts, its parameters, and its solution. */
export interface StepStage {
  /** End of the stage [s]. */
  readonly t: number;
  /** Factor of displacements in accelerations [1/s²]. */
  readonly inertia: number;
  /** Factor of displacements in velocities [1/s]. */
  readonly rate: number;
  /** Length of the step if the stage is one of implicit Euler [s]. */
  readonly span?: number;
  /** State from which frames are transported. */
  readonly from: StepPoint;
  /** First guess of the solution, through which frames are transported: the start, plus `part` of rates × `span` and accelerations × `half`. */
  readonly guess: { readonly q: Float64Array; readonly part: number; readonly span: number; readonly half: number };
  /** Displacements in accelerations are measured from this. */
  readonly qHat: Float64Array;
  /** Displacements in velocities are measured from this. */
  readonly qRate: Float64Array;
  /** The solution. */
  readonly to: StepPoint;
}

/** A step that is linearized about its solution. */
export interface LinearStep {
  /** Its stages, in their order. */
  readonly stages: readonly StepStage[];
  /**
   * Takes the derivatives of an output by the state at the end and replaces them by those by the state at the start. Returns the derivatives by what the
   * stages read from the scene, in the order of `StepTangent.readStages`.
   */
  pullBack(adjoint: Float64Array): Float64Array;
}

/** A rod whose steps can be linearized. */
export interface StepTangent {
  /** Numbers in the difference of two states. */
  readonly size: number;
  /** Typical change of each: a length, an angle, a velocity, a force. */
  readonly scale: Float64Array;
  /** Position of a node: its first number of three. */
  unknownOfNode(node: number): number;
  /** Copies the current state. */
  takePoint(): StepPoint;
  /** Sets the state to that of a point, plus `amount` times `direction`, and updates the samples. Returns an error, or ''. */
  move(point: StepPoint, direction: Float64Array, amount: number): string;
  /** Writes the difference of the current state from a point. */
  readChange(out: Float64Array, point: StepPoint): void;
  /** Linearizes the step of length `dt` at `t` that has led from one point to another. Returns an error if it was no single step of the scheme. */
  linearize(from: StepPoint, to: StepPoint, t: number, dt: number): LinearStep | string;
  /** Residuals of stages, and prescribed unknowns and their rates, with the pins, loads and properties of this rod. */
  readStages(stages: readonly StepStage[]): Float64Array;
}
