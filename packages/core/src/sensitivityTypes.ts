/** Derivatives of equilibria: parameters, outputs and results, as types. */
import type { ReactionComponent } from './model.ts';
import type { Scene } from './scene/types.ts';
import type { World } from './world/types.ts';

/** A number of the scene. */
export interface SceneParameter {
  /** Name, for reports and messages. */
  readonly name: string;
  /** Value in the scene. */
  readonly value: number;
  /** Typical size of the parameter, for the size of differences. Default: its value, or 1 if that is 0. */
  readonly scale?: number;
  /** The scene with another value. */
  scene(value: number): Scene;
}

/**
 * A number that is read from a world at rest. Derivatives of coordinates and reactions with respect to the unknowns are known; those of
 * any other number are differences, two readings per unknown. Outputs that `World` corrects or iterates for, reactions and frequencies, must be
 * named as such for an adjoint.
 */
export interface EquilibriumOutput {
  /** Value of the output in the current state of a world. */
  of(world: World): number;
  /** The output is a coordinate of a node. */
  readonly coordinate?: { readonly rod: number; readonly node: number; readonly axis: 0 | 1 | 2 };
  /** The output is a component of a reaction. */
  readonly reaction?: ReactionComponent & { readonly rod: number };
  /** The output is the angular frequency ω of mode `index` of a rod; it must be a simple one. */
  readonly frequency?: { readonly rod: number; readonly index: number };
}

/** Change of an equilibrium with a parameter. */
export interface ParameterDerivative {
  /** Relative error of ∂r/∂p, estimated by halving δ. */
  readonly error: number;
  /** Derivative of an output [unit of the output per unit of the parameter]. */
  of(output: EquilibriumOutput): number;
  /** Displacement of the nodes of a rod per unit of the parameter, 3 numbers each. */
  nodeDisplacement(rod: number): Float64Array;
}

/** Derivatives of one output. */
export interface OutputGradient {
  /** With respect to a parameter of the scene. */
  by(parameter: SceneParameter): number;
  /** With respect to a force at each node of a rod [1/N], 3 numbers each; 0 along directions that a pin holds. */
  byNodeForce(rod: number): Float64Array;
  /** With respect to the natural curvature about d1, d2 and the natural twist of each joint of a rod [m], 3 numbers each. */
  byNatural(rod: number): {
    readonly node: ArrayLike<number>;
    readonly length: ArrayLike<number>;
    readonly derivative: Float64Array;
  };
}

/** Derivatives of the equilibrium that a world is in. */
export interface EquilibriumDerivatives {
  /** The direct way: one solve for this parameter. */
  by(parameter: SceneParameter): ParameterDerivative;
  /** The adjoint way: one solve for this output. */
  gradientOf(output: EquilibriumOutput): OutputGradient;
}
