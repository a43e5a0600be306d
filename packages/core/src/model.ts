/**
 * What a model is to the world. A model owns its coordinates and its integrator; nobody else sees them.
 *
 * `compile` packs all rods of one model into a bundle. The bundle answers in the nouns of the port (samples, loads)
 * and reports failure as a value: it never throws in a step, and a failed step leaves the state as it was.
 */
import type { BodyPose } from './bodies/body.ts';
import type { Channel } from './channels.ts';
import type { Capabilities } from './models/capabilities.ts';
import type { ColliderContacts, ContactSides, LoadSource, OwnContact, Samples } from './port.ts';
import type { CompiledBody, Weld } from './scene/bodies.ts';
import type { Pin, Rod } from './scene/compiled.ts';
import type { ModelId, Scene } from './scene/types.ts';

/** What acts on one rod from outside. */
export interface Drive {
  readonly pins: readonly Pin[];
  /** To be read anew at each step: hands add to the list and take from it while the world runs. */
  readonly sources: readonly LoadSource[];
  /** Number of loads that were added, and of pins that were moved or released, while the world runs: the scene does not have them. */
  readonly overrides?: number;
}

/** Bodies, and where they are welded to the rods of a bundle (indices into its rods). */
export interface Coupling {
  readonly bodies: readonly CompiledBody[];
  readonly welds: readonly Weld[];
  /** Called before each piece of a step that the model splits by itself, with the time where it begins [s]; throws to stop the step. */
  readonly onPiece?: (t: number) => void;
}

/** [J] */
export interface Energies {
  kinetic: number;
  bending: number;
  twisting: number;
  stretching: number;
  /** Gravity and dead loads. */
  potential: number;
  total: number;
}

/** Momentum [kg m/s] and angular momentum about the origin [kg m²/s]; centre of mass [m]; mass [kg]. */
export interface Momentum {
  readonly linear: Float64Array;
  readonly angular: Float64Array;
  readonly center: Float64Array;
  mass: number;
}

/** What a step of a bundle reports. */
export interface StepOutcome {
  readonly ok: boolean;
  /** Newton iterations (implicit) or projection iterations (explicit), over all rods. */
  readonly iterations: number;
  /** Most iterations that one solve needed. */
  readonly iterationsMax: number;
  /** How often a matrix had to be shifted to be positive definite. */
  readonly shifts: number;
  /** A step of contact, with goals, that some rods are still under way in. */
  readonly unfinished?: boolean;
  /** Steps that the model cut this one into by itself, and those it took back; default 1 and 0. */
  readonly substeps?: number;
  readonly rejected?: number;
  /** How far the worst constraint is from its goal [m]; absent if there are none, or the model meets them exactly. */
  readonly violation?: number;
  /** The rod that failed and why. */
  readonly failure?: { readonly rod: string; readonly reason: string };
}

/** What the search for the equilibrium of one rod found. */
export interface EquilibriumReport {
  /** The rod. */
  readonly rod: string;
  /** Whether an equilibrium was found. */
  readonly converged: boolean;
  /** Newton iterations. */
  readonly iterations: number;
  /** Largest residual force [N]. */
  readonly residual: number;
  /** Residual below which the search stops [N]: the tolerance, or the forces that rounding of positions makes. */
  readonly tolerance: number;
  /** Estimated error of positions [m]: the last Newton correction, or rounding. Absent if the model has no estimate. */
  readonly error?: number;
  /**
   * Force or torque on the whole rod that pins, loads and links leave, relative to what acts; for `strand` and `helix` also the work that is
   * missing in small bends. The world computes it after the search (world/audit.ts) and sets `converged` to false if it exceeds 1e-3.
   */
  readonly imbalance?: number;
  /** Negative eigenvalues of the tangent stiffness: 0 for a stable equilibrium. */
  readonly negativeModes: number;
  /** Whether the equilibrium is stable by `criterion`. */
  readonly stable: boolean;
  /**
   * What `stable` rests on. `energy`: negative eigenvalues were counted; `divergence`: the loads have no potential, only the sign of the
   * determinant was checked; `none`: no verdict.
   */
  readonly criterion: 'energy' | 'divergence' | 'none';
  /** Unstable equilibria that the search left on its way. */
  readonly saddlesLeft: number;
  /**
   * Only with `stability: report`: the search went downhill, because Newton's method alone did not get through or the model has no other way.
   * Such a search ends at a stable equilibrium, maybe of another branch, so the verdict says nothing about the branch asked for.
   */
  readonly leftBranch?: true;
  /** Why the search failed, if it did. */
  readonly reason?: string;
}

/** What is asked of a branch of equilibria (statics/branch.ts). */
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

/** What a point on a branch is. */
export type BranchPointKind = 'start' | 'point' | 'fold' | 'bifurcation' | 'end';

/** A point on a branch of equilibria. */
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

/** Why a branch was not followed farther: t left its range, points enough, back where it began, or no way on was found. */
export interface BranchEnd {
  readonly reason: 'range' | 'points' | 'closed' | 'lost';
  /** For `lost`: what failed at the shortest distance. */
  readonly detail: string;
}

/** Natural modes of one rod. */
export interface Modes {
  readonly rod: string;
  /** Angular frequencies ω [rad/s], ascending; negative means growth at |ω| (unstable). */
  readonly omega: Float64Array;
  /** Mode shapes as node displacements, 3 per node, largest displacement 1; with the edges' twist angles [rad]. */
  readonly shapes: readonly {
    readonly nodeDisplacement: Float64Array;
    readonly edgeTwist: Float64Array;
    /** How the bodies move that the rod is joined to: displacement, and rotation vector [rad], in the same scale. */
    readonly bodies?: readonly {
      readonly id: string;
      readonly displacement: Float64Array;
      readonly rotation: Float64Array;
    }[];
  }[];
}

/** Symmetric matrices in coordinate form (lower triangle and diagonal), rows in the order that `labels` names. */
export interface Matrices {
  readonly rod: string;
  readonly size: number;
  readonly labels: readonly string[];
  readonly mass: SparseSymmetric;
  readonly stiffness: SparseSymmetric;
  readonly damping: SparseSymmetric;
}
/** Symmetric matrix in coordinate form. */
export interface SparseSymmetric {
  readonly row: Int32Array;
  readonly column: Int32Array;
  readonly value: Float64Array;
}

export type { Channel } from './channels.ts';

/** What a pin or weld exerts on its rod. */
export interface Reaction {
  /** The rod. */
  readonly rod: string;
  /** Index of the held node. */
  readonly node: number;
  /** Force on the rod in world axes [N]. */
  readonly force: readonly [number, number, number];
  /** Torque on the rod in world axes [N m]. */
  readonly torque: readonly [number, number, number];
}

/** Complete state of a bundle: unknowns, their rates, and what the scheme remembers. */
export interface BundleState {
  readonly q: Float64Array;
  readonly v: Float64Array;
  readonly memory: Float64Array;
}

/** All rods of one model in a world. */
export interface Bundle {
  readonly model: ModelId;
  readonly rods: readonly Rod[];
  readonly samples: readonly Samples[];
  /** Bodies that the bundle moves, in the scene's order. */
  readonly bodies: readonly { readonly id: string; readonly pose: BodyPose }[];
  /** Remarks on the scene that are worth telling but stop nothing. */
  readonly warnings?: readonly string[];
  /** What has happened since the last call that the user should know, such as the loss of a device. */
  takeRemarks?(): readonly string[];
  /** Brings `samples` up to date where a device has moved the rods; absent: they always are. */
  readBack?(): void;
  /**
   * Steps after which the energy audit measures the bundle; default 1. Explicit schemes, whose steps are parts of the fastest period, take more:
   * a step costs little more than the audit.
   */
  readonly stepsPerAudit?: number;
  /** Complete: copying these three arrays back restores the bundle bit for bit. */
  readonly state: BundleState;
  /** After `state` was written from outside: rebuild what follows from it, then pose. */
  refresh(t: number): void;
  /** Forces have jumped at t (a pin let go): what the scheme remembers of accelerations is found anew. */
  restart(t: number): void;
  /** A step of the world begins. */
  beginStep?(): void;
  /** The step threw an error: returns the state to where it began, at t. */
  undoStep?(t: number): void;
  /**
   * One step from t to t + dt; on failure the state is untouched. `robust`: prefer surviving to accuracy. `without`: 1 for
   * each system (see ContactPort) that is left alone, because contact moves it.
   */
  advance(t: number, dt: number, robust: boolean, without?: Uint8Array): StepOutcome;
  /**
   * Parts of the bundle that are independent of each other, for threads to share: `advance` steps a range of them. A failed step is
   * not undone; the caller restores the state.
   */
  readonly parts?: {
    readonly count: number;
    /** Rods of a part; those of parts before it come, as far as possible, before them. */
    rods(part: number): readonly number[];
    advance(from: number, to: number, t: number, dt: number, robust: boolean, without?: Uint8Array): StepOutcome;
    /**
     * Another thread has written the state of a rod in the step from t to t + dt, through a bundle of its own: recomputes what this bundle
     * derives from it. Absent: the bundle's rods have no contact.
     */
    refreshRod?(rod: number, t: number, dt: number): void;
  };
  /** Absent: the bundle's rods cannot touch anything, but for `ownContact`. */
  readonly contact?: ContactPort;
  /** Contact that `advance` solves by itself; then there is no other bundle. */
  readonly ownContact?: OwnContact;
  /** Takes over poses and velocities of bodies that an engine has written; welded nodes follow. */
  placeBodies?(motions: readonly { readonly changed: boolean }[], t: number): void;
  addEnergies(out: Energies, t: number): void;
  addMomentum(out: Momentum): void;
  readChannel(out: Float64Array, rod: number, channel: Channel): void;
  equilibrate(rod: number, t: number, options: EquilibriumOptions): EquilibriumReport;
  /** Follows the branch of a rod at rest at t. Absent, or undefined: the model, or this rod, cannot be followed. */
  branch?(rod: number, t: number, options: BranchOptions): Generator<BranchPoint, BranchEnd> | undefined;
  /** The equations of a rod at rest, for equilibria of rods that links join. Absent, or undefined for this rod: there are none. */
  atRest?(rod: number): RestRod | undefined;
  reactions(rod: number, t: number): Reaction[];
  /**
   * For models that compute the reaction at the base from the loads: a virtual displacement of a rod at rest and of the rods that grow from it
   * (world/virtualWork.ts). Poses their samples, returns their elastic energy [J] and leaves the state as it is.
   */
  bend?(rod: number, direction: number, angle: number): number | undefined;
  modes(rod: number, t: number, count: number): Modes;
  matrices(rod: number, t: number): Matrices;
}

/** Of the rods of a system [J]. */
export interface SystemEnergy {
  kinetic: number;
  elastic: number;
}

/** Rods that `ContactPort.stepSingleRods` steps in one batch, and what it reports. */
export interface SingleRodBatch {
  readonly count: number;
  /** For each rod: its system, its first contact, and the one after its last. */
  readonly system: Int32Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** True: from the start of the step. False: from where the rods are, because their contacts have changed. */
  readonly fresh: boolean;
  readonly contacts: ColliderContacts;
  readonly t: number;
  readonly dt: number;
  /** Velocities must be right to `tolerance` × `speed` [m/s], within so many iterations. */
  readonly speed: number;
  readonly tolerance: number;
  readonly iterations: number;
  /** Written: 1 for each rod that is done; the most iterations that one took, and the largest error of a velocity [m/s]. */
  readonly done: Uint8Array;
  solverIterations: number;
  error: number;
  /** Written: whether all rods that are done are within the tolerance. */
  converged: boolean;
}

/**
 * What contact needs of a model: an implicit step under given forces at points, and its linear response to others,
 *     A·δv = Σ Sᵀ·impulse,    A = M + h·D + h²·K,
 * as S A⁻¹ Sᵀ and, with point masses glued on, S H⁻¹ Sᵀ, H = A + Σ ρ SᵀS. A banded model adds ρ SᵀS to two neighbouring
 * nodes, an articulated one adds a point mass to a link: both stay linear in the number of nodes.
 *
 * A step of contact goes: `hold`; `linearize` at a first guess of the step; `factor` and some tens of `solve`; `step` with the
 * forces found; the last four again where the response was far from linear; `revert` where all is undone. No step is
 * taken under forces that are not in balance: those of contacts that have just gone would throw a light rod about.
 */
export interface ContactPort {
  /** Rods that bodies join form a system and move together: its number for each rod and each body of the bundle. */
  readonly systemOfRod: Int32Array;
  readonly systemOfBody: Int32Array;
  readonly systemCount: number;
  /** Remembers the current state of the marked systems, or of all, as the start of the step. Called first. */
  hold(systems?: Uint8Array): void;
  /** Back to the start of the step for the systems that are marked. */
  revert(systems: Uint8Array, t: number): void;
  /**
   * Moves the marked systems to a first guess for the end of the step, under the sides' forces, and writes S v there; `linearize` then
   * goes on from it. Absent: no guess is better than the linear step from the start.
   */
  guess?(velocity: Float64Array, systems: Uint8Array, sides: ContactSides, t: number, dt: number): boolean;
  /** Whether `factor` and `solve` may be asked for some of the sides that were linearized. */
  readonly selective?: boolean;
  /** Whether sides may have directions, see ContactSides. */
  readonly directed?: boolean;
  /** Whether sides may have goals, see ContactSides. A step with goals goes but a few iterations, and may end `unfinished`. */
  readonly partial?: boolean;
  /**
   * A of the marked systems: `fresh`, at a first guess for the end of the step, and then `velocity` is S v of the linear step from
   * there under the sides' forces; else at the state that `step` came to, with its velocities. `response` is
   * tr(S A⁻¹ Sᵀ)/3 of each side [1/kg], along its direction S A⁻¹ Sᵀ, and 0 if it cannot move.
   */
  linearize(
    velocity: Float64Array,
    response: Float64Array,
    systems: Uint8Array,
    sides: ContactSides,
    t: number,
    dt: number,
    fresh: boolean,
  ): boolean;
  /**
   * Moves the marked systems to t + dt by implicit Euler under their loads and the forces at the sides. `rough`: not all of the way,
   * because the forces will change much; `linearize` makes up for what is missing.
   */
  step(systems: Uint8Array, sides: ContactSides, t: number, dt: number, robust: boolean, rough?: boolean): StepOutcome;
  /**
   * Steps single rods that touch obstacles and nothing else, by the law of contact and to its tolerances. Contact solves the others from the
   * start of the step, as islands: all of them if the method is absent, else those that it has not marked as done.
   */
  stepSingleRods?(job: SingleRodBatch): StepOutcome;
  /** Whether `readVelocity` returns the mean velocity over the step, from displacements; else the velocity at its end. */
  readonly readsDisplacements?: boolean;
  /** S v, 3 numbers per side [m/s]. */
  readVelocity(out: Float64Array, sides: ContactSides): void;
  /** Adds the kinetic and elastic energy of a system in its present state; false if the model does not know them. */
  measureEnergy?(out: SystemEnergy, system: number, t: number): boolean;
  /** Applies the forces at the sides to the rods, and no other contact forces: those of the last step, so that reactions and accelerations include them. */
  applyForces?(sides: ContactSides): void;
  /** H with the sides' point masses. */
  factor(systems: Uint8Array, sides: ContactSides): boolean;
  /** velocity = S H⁻¹ Σ Sᵀ impulse for all sides; 3 each, or 1 with directions. `systems`: no others need an answer. */
  solve(velocity: Float64Array, impulse: Float64Array, sides: ContactSides, systems?: Uint8Array): void;
}

/**
 * A rod among others that look for their equilibrium together, by Newton's method on all of them: its equations where it is.
 * Unknowns: four a node, its place and the twist of the edge after it.
 */
export interface RestRod {
  readonly size: number;
  readonly q: Float64Array;
  /** 1 if an unknown is prescribed. */
  readonly fixed: ArrayLike<number>;
  /** Stiffness of each unknown by itself [N/m], [N m]: what matrices are shifted by; and how little counts as none. */
  readonly scale: Float64Array;
  readonly zero: Float64Array;
  /** Gradient of the energies less the loads, to which others add what they do [N], [N m]. */
  readonly residual: Float64Array;
  /** Right side of Newton's equations, then its step. */
  readonly step: Float64Array;
  /** Places (i, j), i ≥ j, that the matrix has entries at, and the entries in this order. */
  readonly pairs: readonly (readonly [number, number])[];
  readMatrix(out: Float64Array): void;
  /** Pins to where they are at t, velocities to zero. False if it cannot be there. */
  place(t: number): boolean;
  /** Of all loads, this part acts. */
  load(part: number): void;
  /** Residual, and right-hand side and matrix (`tangent`: as stability verdicts want it). The sum of forces' sizes [N], or NaN. */
  evaluate(t: number, what: 'residual' | 'matrix' | 'tangent'): number;
  /** Whether loads have a potential, as of the last matrix. */
  readonly conservative: boolean;
  writeRight(): void;
  /** Whether the residual, as it now is, is nothing beside `scale` or rounding, and its size [N] and limit. */
  settled(
    scale: number,
    tolerance: number,
  ): { readonly settled: boolean; readonly residual: number; readonly limit: number };
  /** Part of the step that turns no edge too far; and goes that part of it. */
  limitStep(): number;
  takeStep(part: number): void;
  /** Remembers where the rod is, and goes back there. */
  hold(): void;
  revert(t: number): void;
  /** At rest: samples are there, and no velocity or acceleration is left. `outside`: the forces of others, by unknown. */
  finish(outside: Float64Array): void;
}

/** How an equilibrium is searched for. */
export interface EquilibriumOptions {
  readonly stability: 'seek' | 'report';
  readonly tolerance: number;
}

/** A way to simulate rods: compiles them into a bundle. */
export interface Model {
  readonly id: ModelId;
  /** Which `solver.<id>.backend` of the scene asks for this implementation; absent: the standard one. */
  readonly backend?: string;
  /** Steps many rods faster than one thread can audit: kernels, threads. */
  readonly isFast?: boolean;
  readonly capabilities: Capabilities;
  compile(rods: readonly Rod[], drives: readonly Drive[], scene: Scene, coupling: Coupling): Bundle;
}
