/** The public interface of a world: stepping, reports, queries. */
import type { BodyEnergies, BodyPose } from '../bodies/body.ts';
import type { Break } from '../breakPort.ts';
import type { ContactForce, ContactReport, LinkForce } from '../contact/report.ts';
import type { Collider } from '../contact/shapes/collider.ts';
import type {
  BranchEnd,
  BranchOptions,
  BranchPoint,
  Channel,
  Energies,
  EquilibriumReport,
  Matrices,
  Modes,
  Momentum,
  Reaction,
  RestTangent,
} from '../model.ts';
import type { LoadSource, Samples } from '../port.ts';
import type { Rod } from '../scene/compiled.ts';
import type { Grip } from '../scene/grip.ts';
import type { Scene } from '../scene/types.ts';
import type { StepTangent } from '../stepPort.ts';

/** Energy that a step created: more than loads, pins and moving obstacles can explain. */
export interface EnergyGain {
  /** Energy gained since the balance was last closed [J]. */
  readonly gain: number;
  /** Energy gained in this step alone [J]. */
  readonly step: number;
  /** Largest kinetic plus elastic energy so far, the reference for the gain [J]. */
  readonly scale: number;
}

/** Energy that the integrator has dissipated while nothing else did but mass damping. */
export interface EnergyLoss {
  /** Energy lost since the start, beyond that of damping [J]. */
  readonly loss: number;
  /** Largest kinetic plus elastic energy so far, the reference for the loss [J]. */
  readonly scale: number;
  /** Energy that mass damping has dissipated [J]; absent if there is none. */
  readonly damped?: number;
}

/** Momentum that a rod without pins and contacts has gained beyond its loads. */
export interface MomentumGain {
  /** The rod. */
  readonly rod: string;
  /** Momentum gained since the start [N s]. */
  readonly impulse: number;
  /** Largest sum of the magnitudes of its nodes' momenta so far [N s]. */
  readonly scale: number;
}

/** Report of a step of the world. */
export interface StepReport {
  /** Time after the step [s]. */
  readonly time: number;
  /** Length of the step [s]. */
  readonly dt: number;
  /** Substeps that the step was split into; 1 if none was needed. */
  readonly substeps: number;
  /** Solver iterations, summed over rods and substeps. */
  readonly iterations: number;
  /** Most iterations that one solve took. */
  readonly iterationsMax: number;
  /** How often a matrix had to be shifted to be positive definite. */
  readonly shifts: number;
  /** Steps that error control rejected. */
  readonly rejected?: number;
  /** Largest distance of a strand's constraint from its goal [m]; absent if there are no constraints. */
  readonly violation?: number;
  /** How contacts and links were solved; absent if the scene has none. */
  readonly contact?: Readonly<ContactReport>;
  /** Findings of the energy audit (energyAudit.ts); absent if the energy is in balance. */
  readonly energyGain?: EnergyGain;
  /** Energy that the integrator has dissipated, if it is more than a tenth of the largest energy so far and more than a quarter of what mass damping has dissipated. */
  readonly energyLoss?: EnergyLoss;
  /** Messages for the user, such as the loss of a GPU; absent if there are none. */
  readonly remarks?: readonly string[];
  /** Edges and links that broke, in the order of time; absent if none did. */
  readonly breaks?: readonly Break[];
  /** The first free rod whose momentum is out of balance; absent if there is none. */
  readonly momentumGain?: MomentumGain;
}

/** Complete state of a world: restores bit for bit. */
export interface WorldState {
  /** [s]. */
  readonly time: number;
  /** Number of steps taken. */
  readonly stepCount: number;
  /** Unknowns, rates and memory of each bundle of rods, in the order of the world's bundles. */
  readonly bundles: readonly { readonly q: Float64Array; readonly v: Float64Array; readonly memory: Float64Array }[];
  /** Contact forces, from which the next step starts; absent in scenes without contact. */
  readonly contact?: Float64Array;
  /** State of an engine of bodies. */
  readonly engine?: Uint8Array;
}

/** A rigid body in motion. */
export interface WorldBody {
  /** Id in the scene. */
  readonly id: string;
  /** Current pose and velocity. */
  readonly pose: BodyPose;
  /** Its kinetic energies now [J]. */
  energies(): BodyEnergies;
}

/** A compiled scene in motion. */
export interface World {
  /** The scene that the world was created from. */
  readonly scene: Scene;
  /** Compiled rods, in the scene's order: sizes, stiffnesses, masses. */
  readonly rods: readonly Rod[];
  /** [s] */
  readonly time: number;
  /** Steps taken since t = 0. */
  readonly stepCount: number;
  /** Samples of each rod, in the scene's order; views that every step updates (see `step` for a GPU). */
  readonly samples: readonly Samples[];
  /** Bodies, in the scene's order; poses that every step updates. */
  readonly bodies: readonly WorldBody[];
  /** Obstacles, in the scene's order; `evaluate` computes the pose of one. */
  readonly colliders: readonly Collider[];
  /** A grip on each pin of the scene (welds have none), rod by rod: moves, turns or releases it. */
  readonly grips: readonly Grip[];
  /** Warnings: input that is valid but rarely intended. */
  readonly warnings: readonly string[];
  /**
   * Advances by `dt` (default: the scene's step). Throws SimulationError if no substep succeeds; the state is then the last good one.
   * `reading: 'later'`: a GPU need not send samples now. A reference to earlier samples then holds old values; `world.samples` fetches current ones.
   */
  step(dt?: number, reading?: 'now' | 'later'): StepReport;
  /** Equilibrium of every rod with pins and loads as they are at time t (default: now). Velocities become zero. */
  equilibrate(t?: number): EquilibriumReport[];
  /**
   * Follows a branch of equilibria of the only rod by its arc length, through folds; the parameter is the time, within `statics.from` and
   * `statics.to` of the scene. While a point is yielded, the world is in that state. Begins with the equilibrium at `from`, or, with `start` `across`
   * or `back`, with the world's current state, at a bifurcation.
   */
  branch(start?: BranchOptions['start']): Generator<BranchPoint, BranchEnd>;
  /**
   * Equations of the rods at rest, linearized about the current equilibrium, rod by rod: for derivatives (sensitivity.ts). Throws SceneError
   * for models other than der, and for scenes with contact, links or bodies.
   */
  linearize(): RestTangent[];
  /**
   * Steps of the rods as linear equations, rod by rod: for derivatives of a run (runSensitivity.ts). Throws SceneError for models other than der, and
   * for scenes with contact, links or bodies.
   */
  linearizeSteps(): StepTangent[];
  /** Forces and torques that the pins exert on the rods, in the scene's order of rods. */
  reactions(): Reaction[];
  /** Natural modes of every rod about the current state. */
  modes(count?: number): Modes[];
  /** Mass, stiffness and damping matrix of every rod about the current state. Throws SceneError for scenes with contact. */
  matrices(): Matrices[];
  /** Energies of all rods and bodies now [J]. */
  energies(): Energies;
  /** Momentum, angular momentum about the origin and centre of mass of all rods and bodies now. */
  momentum(): Momentum;
  /** Values of a channel along a rod (index from 0), 1 per node, edge or joint as the channel says; a new array. Throws RangeError if there is no such rod or channel. */
  channel(rod: number, channel: Channel): Float64Array;
  /** Contacts of the last step that carry force, with their current gaps. */
  contactForces(): ContactForce[];
  /** Force of every link, in the scene's order; links of weaves are last. */
  linkForces(): LinkForce[];
  /** How the contacts of the last step were solved; undefined if the scene has none. */
  readonly contactReport: ContactReport | undefined;
  /** Hash of the complete state, 16 hexadecimal digits. */
  hash(): string;
  /** Copies the complete state; `restore` continues from it bit for bit. */
  save(): WorldState;
  /** Returns to a saved state of a world of the same scene. */
  restore(state: WorldState): void;
  /**
   * Adds a load to a rod while the world runs, such as a hand's (fields/hand.ts); the returned function removes it.
   * It is not part of the state: `save` and `hash` ignore it. `rod` counts from 0. Throws RangeError if there is no such rod, or if the rod
   * lacks the node or edge that the load names.
   */
  addLoad(rod: number, source: LoadSource): () => void;
}
