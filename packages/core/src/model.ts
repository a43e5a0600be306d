/**
 * The interface between a model and the world. A model owns its coordinates and its integrator; nothing else sees them.
 *
 * `compile` packs all rods of one model into a bundle. The world reads a bundle through samples, acts on it through loads (port.ts), and gets
 * failures as values: a bundle never throws in a step, and a failed step leaves its state unchanged. Contact is in contactPort.ts,
 * equations at rest in restPort.ts.
 */
import type { BodyPose } from './bodies/body.ts';
import type { Breakable } from './breakPort.ts';
import type { Channel } from './channels.ts';
import type { ContactPort } from './contactPort.ts';
import type { Capabilities } from './models/capabilities.ts';
import type { ActingRod, Drive, OwnContact, Samples, StepRequest } from './port.ts';
import type { Energies, Momentum, Reaction } from './readings.ts';
import type { BranchContacts, RestRod, RestTangent } from './restPort.ts';
import type { BodyModule, CompiledBody, Weld } from './scene/bodies.ts';
import type { Rod } from './scene/compiled.ts';
import type { compileAlong } from './scene/parameter.ts';
import type { ModelId, Scene } from './scene/types.ts';
import type { StepTangent } from './stepPort.ts';

export type { ContactPort, SingleRodBatch, SystemEnergy } from './contactPort.ts';
export type { Drive } from './port.ts';
export type { Energies, Momentum, Reaction } from './readings.ts';
export type { BranchContacts, OutsideForces, ReactionComponent, RestEdges, RestRod, RestTangent } from './restPort.ts';
export type { LinearStep, StepPoint, StepStage, StepTangent } from './stepPort.ts';

/** Bodies, and their welds to the rods of a bundle (by indices into its rods). */
export interface Coupling {
  /** Bodies that the rods of the bundle carry. */
  readonly bodies: readonly CompiledBody[];
  /** Joints of the bodies to the rods. */
  readonly welds: readonly Weld[];
  /** Called before each substep of a step that the model splits itself, with its start time [s]; throws to stop the step. */
  readonly onSubstep?: (t: number) => void;
}

/** A step of a bundle. */
export interface BundleStep extends StepRequest {
  /** 1 for each system (see ContactPort) to skip, because contact moves it. */
  readonly without?: Uint8Array | undefined;
}

/** Report on a step of a bundle. */
export interface StepOutcome {
  /** False if the step failed. */
  readonly ok: boolean;
  /** Newton iterations (implicit) or projection iterations (explicit), over all rods. */
  readonly iterations: number;
  /** Most iterations that one solve needed. */
  readonly iterationsMax: number;
  /** How often a matrix had to be shifted to be positive definite. */
  readonly shifts: number;
  /** True if a step with contact and goals left some rods short of their goals. */
  readonly unfinished?: boolean;
  /** Number of steps into which the model subdivided this one, and of those it rejected; default 1 and 0. */
  readonly substeps?: number;
  /** Number of those steps that were rejected; default 0. */
  readonly rejected?: number;
  /** The rod that failed and why. */
  readonly failure?: { readonly rod: string; readonly reason: string };
}

/** A jump between two equilibria of a path (world/equilibriumPath.ts). */
export interface Jump {
  /** The rods have not jumped yet at this instant [s]. */
  readonly from: number;
  /** The rods have jumped at this instant [s]. */
  readonly to: number;
  /** Energy that the rods gain beyond the work of loads and pins [J]; negative if they lose it, 0 if only the distance shows the jump. */
  readonly energy: number;
}

/** Result of the search for the equilibrium of one rod. */
export interface EquilibriumReport {
  /** The rod. */
  readonly rod: string;
  /** True if an equilibrium was found. */
  readonly converged: boolean;
  /** Newton iterations. */
  readonly iterations: number;
  /** Largest residual force [N]. */
  readonly residual: number;
  /** Residual below which the search stops [N]: the tolerance, or the forces caused by rounding of positions. */
  readonly tolerance: number;
  /** Estimated error of positions [m]: the last Newton correction, or rounding. Absent if the model has no estimate. */
  readonly error?: number;
  /**
   * Unbalanced force or torque on the whole rod, relative to the forces that act; for `strand` and `helix` also the unbalanced work of small virtual
   * bends. The world computes it after the search (world/audit.ts) and sets `converged` to false if it exceeds 1e-3.
   */
  readonly imbalance?: number;
  /** Negative eigenvalues of the tangent stiffness: 0 for a stable equilibrium. */
  readonly negativeModes: number;
  /** True if the equilibrium is stable by `criterion`. */
  readonly stable: boolean;
  /**
   * Criterion of `stable`. `energy`: negative eigenvalues were counted; `divergence`: the loads have no potential, only the sign of the determinant
   * was checked; `none`: no verdict.
   */
  readonly criterion: 'energy' | 'divergence' | 'none';
  /** Unstable equilibria that the search left on its way. */
  readonly saddlesLeft: number;
  /**
   * Only with `stability: report`: the search used descent, because Newton's method alone did not converge or the model has no other method. Such a
   * search ends at a stable equilibrium, possibly of another branch, so the verdict is not about the requested branch.
   */
  readonly leftBranch?: true;
  /**
   * The rods have jumped to another branch since the last equilibrium of the path, as far as energies tell, and no path without a jump was found. On the
   * report of the rod that moved farthest.
   */
  readonly jump?: Jump;
  /** Why the search failed, if it did. */
  readonly reason?: string;
  /** What to know about the equilibrium: a bend that is too sharp for the edges, a tension that is indeterminate, or that it was not compared with the last one. */
  readonly remark?: string;
}

/** Options for following a branch of equilibria (statics/branch.ts). */
export interface BranchOptions {
  /** The branch ends where the parameter leaves this range. */
  readonly from: number;
  /** Other end of the range of the parameter. */
  readonly to: number;
  /** Largest residual force, relative to the force scale. */
  readonly tolerance: number;
  /** Longest and shortest distance between points, in the norm of statics/branch.ts. */
  readonly stride: number;
  /** Shortest distance between points; the branch ends as `lost` if no point is found within it. */
  readonly shortest: number;
  /** Maximum number of points. */
  readonly points: number;
  /** `along`: along the parameter, towards `to`. `across` and `back`: from a bifurcation along its mode, and against it. */
  readonly start: 'along' | 'across' | 'back';
  /** Obstacles that the rod may touch. */
  readonly contacts?: BranchContacts | undefined;
}

/** Kind of a point on a branch. */
export type BranchPointKind = 'start' | 'point' | 'fold' | 'bifurcation' | 'contact' | 'end';

/** A point on a branch of equilibria. */
export interface BranchPoint {
  /** What the point is: on the branch, a fold, a bifurcation, a place where contacts open or close. */
  readonly kind: BranchPointKind;
  /** Value of the parameter: a time [s], or a number of the scene. */
  readonly parameter: number;
  /** Distance from the start along the branch. */
  readonly arc: number;
  /** Newton iterations. */
  readonly iterations: number;
  /** See EquilibriumReport. */
  readonly negativeModes: number;
  /** Criterion of the verdict on stability, see EquilibriumReport. */
  readonly criterion: 'energy' | 'divergence' | 'none';
}

/** Why a branch ended: t left its range, maximum number of points, closed on itself, an obstacle is in its way, or no next point was found. */
export interface BranchEnd {
  /** `range`: the parameter left its range; `points`: the maximum number of points; `closed`: back at its start; `blocked`: a side branch that an obstacle does not let begin; `lost`: no next point was found. */
  readonly reason: 'range' | 'points' | 'closed' | 'blocked' | 'lost';
  /** For `lost`: the failure at the shortest distance. */
  readonly detail: string;
}

/** Natural modes of one rod. */
export interface Modes {
  /** Id of the rod. */
  readonly rod: string;
  /** Angular frequencies ω [rad/s], ascending; negative means growth at |ω| (unstable). */
  readonly omega: Float64Array;
  /**
   * Under loads without a potential: rates at which oscillations grow [1/s], negative if they decay. A mode that flutters is listed twice, growing and
   * decaying, with the two phases of its motion as shapes.
   */
  readonly growth?: Float64Array;
  /** Mode shapes as node displacements, 3 per node, largest displacement 1; with the edges' twist angles [rad]. */
  readonly shapes: readonly {
    readonly nodeDisplacement: Float64Array;
    readonly edgeTwist: Float64Array;
    /** Motion of the bodies that the rod is joined to: displacement, and rotation vector [rad], in the same scale. */
    readonly bodies?: readonly {
      readonly id: string;
      readonly displacement: Float64Array;
      readonly rotation: Float64Array;
    }[];
  }[];
}

/** Symmetric matrices in coordinate form (lower triangle and diagonal), rows in the order that `labels` names. */
export interface Matrices {
  /** Id of the rod. */
  readonly rod: string;
  /** Number of unknowns. */
  readonly size: number;
  /** Name of each unknown. */
  readonly labels: readonly string[];
  /** The unknown of `RestEdges` that each row is; absent if the model has no such unknowns, or the rod is joined to bodies. */
  readonly unknowns?: readonly number[];
  /** Mass matrix. */
  readonly mass: SparseSymmetric;
  /** Stiffness matrix. */
  readonly stiffness: SparseSymmetric;
  /** Damping matrix. */
  readonly damping: SparseSymmetric;
}
/** Symmetric matrix in coordinate form. */
export interface SparseSymmetric {
  /** Row of each entry. */
  readonly row: Int32Array;
  /** Column of each entry, at most its row. */
  readonly column: Int32Array;
  /** Value of each entry. */
  readonly value: Float64Array;
}

export type { Channel } from './channels.ts';

/** Complete state of a bundle: unknowns, their rates, and the memory of the scheme. */
export interface BundleState {
  /** Unknowns. */
  readonly q: Float64Array;
  /** Rates of the unknowns. */
  readonly v: Float64Array;
  /** What the integrator remembers of earlier steps. */
  readonly memory: Float64Array;
}

/** All rods of one model in a world. */
export interface Bundle {
  /** Model of the rods. */
  readonly model: ModelId;
  /** Rods of the bundle, in the scene's order. */
  readonly rods: readonly Rod[];
  /** Samples of each rod; every step updates them. */
  readonly samples: readonly Samples[];
  /** Bodies that the bundle moves, in the scene's order. */
  readonly bodies: readonly { readonly id: string; readonly pose: BodyPose }[];
  /** Warnings about the scene. */
  readonly warnings?: readonly string[];
  /** Messages since the last call that the user should see, such as the loss of a GPU. */
  takeRemarks?(): readonly string[];
  /** Updates `samples` if a GPU has moved the rods; absent if they are always up to date. */
  readBack?(): void;
  /**
   * Steps after which the energy audit measures the bundle; default 1. Explicit schemes, whose steps are parts of the fastest period, take more:
   * a step costs little more than the audit.
   */
  readonly stepsPerAudit?: number;
  /** Complete: copying these three arrays back restores the bundle bit for bit. */
  readonly state: BundleState;
  /**
   * Call after `state` was written from outside: recomputes derived quantities, then the poses at t. `without`: 1 for each system to skip (see
   * ContactPort), because it is at another time.
   */
  refresh(t: number, without?: Uint8Array): void;
  /** Forces have jumped at t (a pin was released): recomputes the accelerations that the scheme stores. */
  restart(t: number): void;
  /** `state` was written from outside, with the rods in equilibrium at t: forgets accelerations and earlier steps. Absent if the model remembers none that matter. */
  settle?(t: number): void;
  /** Starts a step of the world. */
  beginStep?(): void;
  /** The step threw an error: restores the state of its start, at t. */
  undoStep?(t: number): void;
  /** One step from t to t + dt; on failure restores the state. */
  advance(step: BundleStep): StepOutcome;
  /** Largest distance of a constraint from its goal after the last step [m]; absent if there are none, or the model satisfies them exactly. */
  violation?(): number;
  /**
   * Parts of the bundle that are independent of each other, for threads to share: `advance` steps a range of them. A failed step is
   * not undone; the caller restores the state.
   */
  readonly parts?: {
    readonly count: number;
    /** Rods of a part. Earlier parts have, as far as possible, rods with lower indices. */
    rods(part: number): readonly number[];
    advance(from: number, to: number, step: BundleStep): StepOutcome;
    /**
     * Another thread has written the state of a rod in the step from t to t + dt, through its own bundle: recomputes what this bundle
     * derives from it. Absent: the bundle's rods have no contact.
     */
    refreshRod?(rod: number, t: number, dt: number): void;
  };
  /** Breaking of its rods; absent if none of them can break. */
  readonly breakable?: Breakable | undefined;
  /** Absent if the bundle's rods do not support contact, except by `ownContact`. */
  readonly contact?: ContactPort;
  /** Contact that `advance` solves itself; then there is no other bundle. */
  readonly ownContact?: OwnContact;
  /** Copies poses and velocities of bodies that an engine has written; welded nodes follow. */
  placeBodies?(motions: readonly { readonly changed: boolean }[], t: number): void;
  /** Makes animated properties of the rods those of time t; the state stays. Absent: energies and momentum do not depend on them. */
  animate?(t: number): void;
  /** Adds the energies of the bundle at time t [J]. */
  addEnergies(out: Energies, t: number): void;
  /** Adds momentum, angular momentum, mass and mass times centre of the bundle. */
  addMomentum(out: Momentum): void;
  /** Momentum of one rod, if it is more than that of nodes with `Rod.nodeMass` and edges that spin with `Rod.edgeInertia`. */
  addRodMomentum?(out: Momentum, rod: number): void;
  /** Adds the couple [N m] of loads of a rod that act beside its centreline, such as weight; absent: there are none. */
  addLoadCouple?(out: Float64Array, rod: number, t: number): void;
  /** Writes a channel of a rod (index in `rods`) to `out`. */
  readChannel(out: Float64Array, rod: number, channel: Channel): void;
  /** Finds the equilibrium of a rod with pins and loads as they are at t. */
  equilibrate(rod: number, t: number, options: EquilibriumOptions): EquilibriumReport;
  /** True if equilibria and their verdicts count how loads change with the state of the rod: contacts can then act as loads. */
  readonly differentiatesLoads?: true;
  /** Follows the branch of a rod at rest at t. Absent, or undefined, if the model, or this rod, does not support it. */
  branch?(rod: number, t: number, options: BranchOptions): Generator<BranchPoint, BranchEnd> | undefined;
  /** The linearized equations of a rod at rest at t. Absent, or undefined, if the model, or this rod, does not support them. */
  linearize?(rod: number, t: number): RestTangent | undefined;
  /** Steps of a rod as linear equations. Absent, or undefined, if the model, or this rod, does not support them. Throws SceneError for schemes without. */
  linearizeSteps?(rod: number): StepTangent | undefined;
  /** The equations of a rod at rest, for equilibria of linked rods. Absent, or undefined for this rod, if there are none. */
  atRest?(rod: number): RestRod | undefined;
  /** Forces and torques that pins exert on a rod at t. `after-step`: a step has just ended at t, and loads have not changed since; default `any-time`. */
  reactions(rod: number, t: number, when?: 'after-step' | 'any-time'): Reaction[];
  /**
   * True if the unknowns are joints, so that steps keep momentum only to the order of the scheme: the energy audit then takes the work of pins from
   * reactions, not from the change of momentum.
   */
  readonly hasJointUnknowns?: true;
  /**
   * For models that compute the reaction at the base from the loads: error of virtual work of a rod at rest and of the rods that grow from it, relative
   * to the work of the forces that act; `moment` [N m] is the reference if none act (models/virtualWork.ts). Leaves the state as it is.
   */
  workError?(rod: number, acting: readonly ActingRod[], moment: number): number;
  /** Natural modes of a rod about its current state. */
  modes(rod: number, t: number, count: number): Modes;
  /** Mass, stiffness and damping matrix of a rod about its current state. */
  matrices(rod: number, t: number): Matrices;
}

/** Options for the search for an equilibrium. */
export interface EquilibriumOptions {
  /** `seek`: leave unstable equilibria; `report`: report them. */
  readonly stability: 'seek' | 'report';
  /** Largest residual force, relative to the force scale. */
  readonly tolerance: number;
}

/** A simulation model of rods: compiles them into a bundle. */
export interface Model {
  /** Name of the model in scenes. */
  readonly id: ModelId;
  /** The `solver.<id>.backend` of the scene that selects this implementation; absent: the standard one. */
  readonly backend?: string;
  /** True if it steps many rods faster than one thread can audit: kernels, threads. */
  readonly isFast?: boolean;
  /** What the model supports; a scene that asks for more is rejected. */
  readonly capabilities: Capabilities;
  /** Compiles a scene whose equilibria follow a number of it in place of time (`statics.parameter`). Absent: the world rejects such scenes. */
  readonly compileAlong?: typeof compileAlong;
  /** Compiles the bodies of scenes. Absent: a world in which no model has it rejects them. */
  readonly bodies?: BodyModule;
  /** Builds the rods of this model that a scene contains. */
  compile(rods: readonly Rod[], drives: readonly Drive[], scene: Scene, coupling: Coupling): Bundle;
}
