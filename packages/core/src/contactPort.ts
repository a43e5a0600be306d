/** The interface between contact and a model: `Bundle.contact` is a `ContactPort`. The rest of what a model author implements is in model.ts. */

import type { StepOutcome } from './model.ts';
import type {
  ColliderContacts,
  ContactSides,
  ContactStep,
  LinearizedStep,
  SideResponse,
  StepInterval,
} from './port.ts';

/** Energies of the rods of a system [J]. */
export interface SystemEnergy {
  /** Kinetic energy [J]. */
  kinetic: number;
  /** Elastic energy [J]. */
  elastic: number;
}

/** Rods that `ContactPort.stepSingleRods` steps in one batch, and its results. */
export interface SingleRodBatch {
  /** Number of rods in the batch. */
  readonly count: number;
  /** For each rod: its system, its first contact, and the one after its last. */
  readonly system: Int32Array;
  /** First contact of each rod. */
  readonly from: Int32Array;
  /** One after the last contact of each rod. */
  readonly to: Int32Array;
  /** True: from the start of the step. False: from the rods' current state, because their contacts have changed. */
  readonly fresh: boolean;
  /** Contacts of all rods with obstacles. */
  readonly contacts: ColliderContacts;
  /** Time at the start of the step [s]. */
  readonly t: number;
  /** Length of the step [s]. */
  readonly dt: number;
  /** Velocities must be accurate to `tolerance` × `speed` [m/s] within `iterations` iterations. */
  readonly speed: number;
  /** Accuracy of the velocities, relative to `speed`. */
  readonly tolerance: number;
  /** Maximum number of iterations. */
  readonly iterations: number;
  /** Output: 1 for each rod that was solved; the largest number of iterations, and the largest error of a velocity [m/s]. */
  readonly done: Uint8Array;
  /** Output: the largest number of iterations of a rod. */
  solverIterations: number;
  /** Output: the largest error of a velocity [m/s]. */
  error: number;
  /** Output: true if all rods that were solved are within the tolerance. */
  converged: boolean;
}

/**
 * What contact needs from a model: an implicit step under given forces at points, and its linear response to further impulses,
 *     A·δv = Σ Sᵀ·impulse,    A = M + h·D + h²·K,
 * as S A⁻¹ Sᵀ and, with point masses attached, S H⁻¹ Sᵀ, H = A + Σ ρ SᵀS. A banded model adds ρ SᵀS to two neighbouring nodes, an articulated one adds a
 * point mass to a link: both stay linear in the number of nodes.
 *
 * Order of calls in a step with contact: `hold`; `linearize` at a first guess of the step; `factor` and some tens of `solve`; `step` with the computed
 * forces; the last four again if the response was far from linear; `revert` to undo everything. Models must not step under unbalanced forces: those of
 * contacts that have just opened would throw a light rod about.
 */
export interface ContactPort {
  /** Rods joined by bodies form a system and move together: system of each rod and each body of the bundle. */
  readonly systemOfRod: Int32Array;
  /** System of each body of the bundle. */
  readonly systemOfBody: Int32Array;
  /** Number of systems. */
  readonly systemCount: number;
  /** Saves the current state of the marked systems, or of all, as the start of the step. Called first. */
  hold(systems?: Uint8Array): void;
  /** Restores the start of the step for the marked systems. */
  revert(systems: Uint8Array, t: number): void;
  /**
   * Moves the marked systems to a first guess for the end of the step, under the sides' forces, and writes S v there; `linearize` then
   * continues from it. Absent: no guess is better than the linear step from the start.
   */
  guess?(velocity: Float64Array, systems: Uint8Array, sides: ContactSides, step: StepInterval): boolean;
  /** True if `factor` and `solve` can be called for some of the linearized sides. */
  readonly selective?: boolean;
  /** True if sides may have directions, see ContactSides. */
  readonly directed?: boolean;
  /** True if sides may have goals, see ContactSides. A step with goals takes only a few iterations, and may end `unfinished`. */
  readonly partial?: boolean;
  /** Computes A of the marked systems, and writes velocity and response of the sides. Returns false if there is no response. */
  linearize(out: SideResponse, systems: Uint8Array, sides: ContactSides, step: LinearizedStep): boolean;
  /** Moves the marked systems to t + dt by implicit Euler under their loads and the forces at the sides. */
  step(systems: Uint8Array, sides: ContactSides, step: ContactStep): StepOutcome;
  /**
   * Steps single rods that touch only obstacles, by the contact law and to its tolerances. Contact solves the others from the start of the step, as islands:
   * all of them if the method is absent, else those not marked as solved.
   */
  stepSingleRods?(job: SingleRodBatch): StepOutcome;
  /** True if `readVelocity` returns the mean velocity over the step, from displacements; else the velocity at its end. */
  readonly readsDisplacements?: boolean;
  /** S v, 3 numbers per side [m/s]. */
  readVelocity(out: Float64Array, sides: ContactSides): void;
  /** Adds the kinetic and elastic energy of a system in its current state; returns false if the model does not provide them. */
  measureEnergy?(out: SystemEnergy, system: number, t: number): boolean;
  /** Applies the forces at the sides to the rods, and no other contact forces: those of the last step, so that reactions and accelerations include them. */
  applyForces?(sides: ContactSides): void;
  /** H with the sides' point masses. */
  factor(systems: Uint8Array, sides: ContactSides): boolean;
  /** velocity = S H⁻¹ Σ Sᵀ impulse for all sides; 3 each, or 1 with directions. `systems`: only these need a result. */
  solve(velocity: Float64Array, impulse: Float64Array, sides: ContactSides, systems?: Uint8Array): void;
}
