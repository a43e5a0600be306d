/**
 * The contents of result.json. docs/result.md is generated from these types and their comments. The version changes when a field changes its
 * meaning or disappears, not when one is added. All numbers are SI and finite.
 */
import type { Break, EquilibriumReport, LinkForce, MomentumGain, ProbeSeries, Reaction } from '@tendril-sim/core';

/** Version of `result.json`. */
export const resultVersion = 1;

/** A vector, or a point. */
export type Triple = [number, number, number];

/** Contents of `result.json`. */
export interface Result {
  /** Versions of the format and of Tendril. */
  readonly tendril: {
    /** Version of this format. */
    readonly result: typeof resultVersion;
    /** Version of Tendril. */
    readonly version: string;
  };
  /** Command that wrote the result. */
  readonly command: 'run' | 'statics' | 'modes';
  /** The scene that was run. */
  readonly scene: {
    /** Title of the scene, if it has one. */
    readonly title?: string;
    /** Name of the scene file, if it came from one. */
    readonly file?: string;
  };
  /** Simulated time [s]. */
  readonly time: number;
  /** Number of steps and iterations, and what their audits found. */
  readonly steps: StepTotals;
  /** Rods, in the order of the scene. */
  readonly rods: readonly RodResult[];
  /** Rigid bodies, in the order of the scene. */
  readonly bodies: readonly BodyResult[];
  /** Energies at the end [J]. */
  readonly energies: EnergyResult;
  /** Momentum at the end. */
  readonly momentum: MomentumResult;
  /** `statics` and `modes`: one report per rod. */
  readonly equilibrium?: readonly EquilibriumReport[];
  /** `modes`: one entry per rod. */
  readonly modes?: readonly ModesResult[];
  /** Probes of the scene. */
  readonly probes?: readonly ProbeSeries[];
  /** One entry per pin and weld. */
  readonly reactions: readonly Reaction[];
  /** Pairs that touch at the end of the run. Forces are summed over the contact points of the pair. */
  readonly contacts?: readonly ContactResult[];
  /** Links at the end of the run; of more than 1000 links, those with the largest forces. */
  readonly links?: readonly LinkForce[];
  /** Hash of the complete state, 16 hexadecimal digits. */
  readonly stateHash: string;
  /** Wall-clock time [s]. */
  readonly wallSeconds: number;
  /** Warnings, as printed. */
  readonly warnings: readonly string[];
  /** Present if the run did not reach its end. */
  readonly stopped?: Stop;
}

/** Sums over all steps of a run. */
export interface StepTotals {
  /** Time steps. */
  readonly count: number;
  /** Substeps; equal to `count` if no step was split. */
  readonly substeps: number;
  /** Newton iterations, summed over rods and steps. */
  readonly iterations: number;
  /** Most Newton iterations of one rod in one step. */
  readonly iterationsMax: number;
  /** Times that a matrix was shifted because it was not positive definite. */
  readonly shifts: number;
  /** Steps that failed and were split into substeps. */
  readonly failures: number;
  /** Edges of rods and links that broke, in the order of time; absent if none did. */
  readonly breaks?: readonly Break[];
  /** How contacts and links were solved; absent if the scene has none. */
  readonly contact?: ContactTotals;
  /** Energy that no work explains; absent if there was none. */
  readonly energyGain?: EnergyTotals;
  /** Largest part of the energy that the integrator has dissipated, where nothing else did but mass damping; absent if it was below a tenth. */
  readonly energyLoss?: LossTotals;
  /** Largest momentum of a free rod that no load explains; absent if there was none. */
  readonly momentumGain?: MomentumGain & {
    /** When it was first reported [s]. */
    readonly time: number;
  };
}

/** What the energy audit reported over a run. */
export interface EnergyTotals {
  /** Steps that the audit reported. */
  readonly steps: number;
  /** Largest gain [J]. */
  readonly gain: number;
  /** Largest kinetic plus elastic energy so far, with which the gain is compared [J]. */
  readonly scale: number;
  /** End of the step with the largest gain of its own [s]. */
  readonly worstTime: number;
  /** Gain of that step [J]. */
  readonly worstStep: number;
}

/** Energy that the integrator has dissipated. */
export interface LossTotals {
  /** Energy lost since the start, beyond that of damping [J]. */
  readonly loss: number;
  /** Largest kinetic plus elastic energy so far, with which the loss is compared [J]. */
  readonly scale: number;
  /** Energy that mass damping has dissipated [J]; absent if there is none. */
  readonly damped?: number;
  /** When it was first reported [s]. */
  readonly time: number;
}

/** How the contacts and links of a run were solved. */
export interface ContactTotals {
  /** Steps in which the contact solver did not reach its tolerance, in the whole step or in a substep. */
  readonly missed: number;
  /** Largest velocity error left in any step [m/s]. */
  readonly error: number;
  /** Most iterations of the contact solver in one step. */
  readonly iterationsMax: number;
  /** Deepest overlap of surfaces at the start of a step [m]. */
  readonly overlap: number;
  /** Pair with the largest error, if it is known. */
  readonly worst?: {
    /** The rod. */
    readonly rod: string;
    /** The other rod, or the collider. */
    readonly other: string;
  };
}

/** Final state of one rod. */
export interface RodResult {
  /** Name of the rod in the scene. */
  readonly id: string;
  /** Model that simulated it. */
  readonly model: string;
  /** Whether the last node is joined to the first. */
  readonly closed: boolean;
  /** Rest length [m]. */
  readonly length: number;
  /** Node positions [m]. */
  readonly nodePosition: Triple[];
  /** Node velocities [m/s]. */
  readonly nodeVelocity: Triple[];
  /** Material frame of each edge. */
  readonly edgeFrame: {
    /** Unit tangent of the edge. */
    readonly tangent: Triple;
    /** First material axis of the edge. */
    readonly d1: Triple;
    /** Second material axis, tangent × d1. */
    readonly d2: Triple;
  }[];
  /** Largest (length / rest length − 1) of an edge; negative if every edge is compressed. */
  readonly stretchMax: number;
  /** Largest curvature [1/m]. */
  readonly curvatureMax: number;
  /** Largest absolute twist rate [1/m]. */
  readonly twistMax: number;
  /** Largest tension [N]. */
  readonly tensionMax: number;
}

/** Contact of a rod with another rod or a collider. */
export interface ContactResult {
  /** The rod. */
  readonly rod: string;
  /** The other rod, or the collider. */
  readonly other: string;
  /** What `other` is. */
  readonly kind: 'rod' | 'collider';
  /** Contact points that carry force. */
  readonly count: number;
  /** Force on the rod [N]. */
  readonly force: Triple;
  /** Smallest gap between the surfaces at these points [m]; negative if they overlap. */
  readonly gap: number;
}

/** Final pose and velocity of a rigid body. */
export interface BodyResult {
  /** Name of the body in the scene. */
  readonly id: string;
  /** Centre of mass [m]. */
  readonly position: Triple;
  /** Unit quaternion (w, x, y, z) from body to world axes. */
  readonly orientation: [number, number, number, number];
  /** Velocity of the centre of mass [m/s]. */
  readonly velocity: Triple;
  /** Angular velocity in world axes [rad/s]. */
  readonly angularVelocity: Triple;
  /** Kinetic energies of the body. */
  readonly energies: {
    /** Kinetic energy of the centre of mass [J]. */
    readonly translational: number;
    /** Kinetic energy of the rotation about it [J]. */
    readonly rotational: number;
  };
}

/** Energies [J]. */
export interface EnergyResult {
  /** Kinetic energy [J]. */
  readonly kinetic: number;
  /** Elastic energy of bending [J]. */
  readonly bending: number;
  /** Elastic energy of twist [J]. */
  readonly twisting: number;
  /** Elastic energy of stretch [J]. */
  readonly stretching: number;
  /** Potential energy of gravity, of loads with a potential, and of links [J]. */
  readonly potential: number;
  /** Sum of the above [J]. */
  readonly total: number;
  /** Energy that laws of rods have turned into heat since the start, and that broken edges had [J]; absent if no rod has `law` or `break`. */
  readonly dissipated?: number;
}

/** Momenta of all rods and bodies. */
export interface MomentumResult {
  /** Momentum [kg m/s]. */
  readonly linear: Triple;
  /** Angular momentum about the origin [kg m²/s]. */
  readonly angular: Triple;
  /** Centre of mass [m]. */
  readonly center: Triple;
  /** Mass of all rods and bodies [kg]. */
  readonly mass: number;
}

/** Natural modes of one rod. */
export interface ModesResult {
  /** The rod. */
  readonly rod: string;
  /** Angular frequencies ω [rad/s]; a negative value is the growth rate of an unstable mode. */
  readonly omega: number[];
  /** Frequencies ω/2π [Hz], with the same sign. */
  readonly frequency: number[];
  /** Under loads without a potential: rates at which oscillations grow [1/s], negative if they decay. */
  readonly growth?: number[];
  /** Shape of each mode. */
  readonly shapes: {
    /** Node displacements, scaled so that the largest is 1. */
    readonly nodeDisplacement: Triple[];
    /** Twist angles of the edges in the same scale [rad]. */
    readonly edgeTwist: number[];
  }[];
}

/** Why a run ended early. */
export interface Stop {
  /** Why the run ended. */
  readonly reason: string;
  /** When it ended [s]. */
  readonly time: number;
  /** What to try. */
  readonly remedy: string;
  /** Rod that failed, if one did. */
  readonly rod?: string;
}
