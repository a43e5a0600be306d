/** Data that the parts of a strand keep between calls, and between the stages of a step; `rod.ts` assembles them. */
import type { Balance, Instant } from '../../balance.ts';
import type { Loads } from '../../port.ts';
import type { StrandTree } from './rod.ts';

export interface Bulk {
  mass: number;
  readonly center: Float64Array;
  readonly velocity: Float64Array;
  /** Mean of the velocities at the start. */
  readonly before: Float64Array;
  /** About the centre of mass. */
  readonly angular: Float64Array;
  readonly inertia: Float64Array;
  /** Angular momentum that the step lost, and energy that it lost [J]. */
  readonly missing: Float64Array;
  lost: number;
  /** Sum of the forces of contacts and links, of their sizes, and their moment about the centre of mass. */
  readonly push: Float64Array;
  pressure: number;
  readonly moment: Float64Array;
}

export interface Constraints {
  readonly count: number;
  readonly kind: Uint8Array;
  /** A row of a point has its link and world axis; a row of a joint has axis −1. */
  readonly link: Int32Array;
  readonly axis: Int32Array;
  /** In the state's memory. */
  readonly force: Float64Array;
  /** Now: distance from the goal (two-sided) or room left (limits), direction in the child's axes, softness. */
  readonly value: Float64Array;
  readonly direction: Float64Array;
  readonly softness: Float64Array;
  /** Weight of a row's error in the merit function [N/m], [N m]. */
  readonly weight: Float64Array;
  /** Largest force of the pin of a row, as a vector [N]; infinite for rows of joints. */
  readonly cap: Float64Array;
  readonly active: Uint8Array;
  /** Largest distance from a goal that was not met [m]. */
  violation: number;
  /** Pins away from the base: the first of their rows, and how many they have. */
  readonly pins: readonly {
    readonly rod: string;
    readonly node: number;
    readonly first: number;
    readonly rows: number;
  }[];
  /** Writes `value` and `direction` for the current pose. */
  readonly evaluate: (tree: StrandTree, t: number) => void;
  /** During a search for equilibrium, rows are replaced by springs this many times as stiff as the strand; 0: exact rows. */
  spring: number;
  readonly sor: boolean;
  readonly response: Float64Array;
  readonly copy: Float64Array;
  readonly right: Float64Array;
  readonly mu: Float64Array;
  /** N⁻¹ Jᵀ of each row. */
  readonly columns: readonly Float64Array[];
}

export interface Departure {
  /** Length of the step [s] and its start; NaN if not set. */
  h: number;
  t: number;
  /** Tips at the start, and their velocities, 3 per link; frames and spins of the links; the base's origin. */
  readonly tip: Float64Array;
  readonly velocity: Float64Array;
  readonly frame: Float64Array;
  readonly spin: Float64Array;
  readonly base: Float64Array;
  readonly baseVelocity: Float64Array;
  /** Motion prescribed for the base: see drive.ts. */
  readonly driven: Float64Array;
  /** True positions of the nodes of the tree's rods at the start. */
  readonly nodes: readonly Float64Array[];
  /** Energy of the joints at the start [J]. */
  elastic: number;
  // at the current pose
  /** Mean spin over the step, and how ψ changes as the link turns, in its axes: two numbers, the third is 1. */
  readonly turned: Float64Array;
  readonly slope: Float64Array;
  /** Inertial force of a tip's mass, and torque from the spin at the start, in the link's axes. */
  readonly force: Float64Array;
  readonly torque: Float64Array;
  /** (u − v₀)/h of the base's origin. */
  readonly baseRate: Float64Array;
}

export interface Direction {
  /** Changes the base's motion: ω and ω̇ in base axes, acceleration in world axes, in place. */
  readonly scale?: (w: Float64Array, wd: Float64Array, a: Float64Array, tree: StrandTree, t: number) => void;
  /** There is a reference frame, whose motion is that of its path. */
  readonly local: boolean;
  readonly pose?: Pose;
}

export interface Guard {
  from: Instant;
  to: Instant;
  readonly loads: readonly Loads[];
  readonly balance: Balance;
  readonly frame: Float64Array;
  /** Origin and spin of the base at the start. */
  readonly base: Float64Array;
  readonly spin: Float64Array;
  /** Largest error of the energy that properties which change in the step give to the rod [J]. */
  changed: number;
  /** End of the last accepted step: time [s] and state; `to` is that instant. */
  endTime: number;
  readonly endQ: Float64Array;
  readonly endV: Float64Array;
  /** Force and torque of the pins of the base at that instant, if the step's last evaluation left them. */
  readonly reaction: Float64Array;
  hasReaction: boolean;
}

export interface Pose {
  /** Spring [N/m] and damper [N s/m] of every link's tip, without the factor. */
  readonly spring: Float64Array;
  readonly damper: Float64Array;
  readonly factor: (t: number) => number;
  /** Joint rotation vectors at time t, 3 per joint, and their rates. */
  readonly evaluate: (out: Float64Array, t: number) => void;
  readonly rotations: Float64Array;
  /** Positions and velocities of the tips in the animated pose; 3 per link. */
  readonly position: Float64Array;
  readonly velocity: Float64Array;
}

/** Numbers of a motion: frame 4, ω and ω̇ in base axes, velocity and acceleration in world axes. */
export const DRIVEN = 16;

/** Numbers of an earlier motion: frame, ω, velocity. */
export const DRIVEN_EARLIER = 10;

/** Columns of a link's block in the sweep, and numbers of a block. */
export const COLUMNS = 18;
export const BLOCK: number = 6 * COLUMNS;

export interface Sweep {
  /** Columns in use: 18, or 6 for equilibria and steps with contact, where forces depend on positions alone. */
  columns: number;
  /** True if no force depends on the links' positions: columns ξv are zero and skipped. */
  placeless: boolean;
  /** Eliminated by places.ts, whose blocks lie closer. */
  compact: boolean;
  /** δθ = turn·δφ and δw = rate·δφ, 9 per joint; c0/h. */
  readonly turn: Float64Array;
  readonly rate: Float64Array;
  coefficient: number;
  /** 6 × 18 per link, and the base's after them. */
  readonly P: Float64Array;
  /** 3 × 18, 6 × 3, 3 × 3 per joint. */
  readonly G: Float64Array;
  readonly F: Float64Array;
  readonly inverse: Float64Array;
  /** δv = psiV δφ and δa = psiA δφ, in addition to the parent's part; 6 × 3 per joint. */
  readonly psiV: Float64Array;
  readonly psiA: Float64Array;
  readonly z: Float64Array;
  readonly p: Float64Array;
  /** Inverse of the base's own 3 × 3 in world axes. */
  readonly baseInverse: Float64Array;
  /** Rotation of the joints since the matrix was assembled [rad]. */
  drift: number;
  /** Multiple of the joints' stiffness that was added. */
  shift: number;
  /** Joints whose pivot has negative eigenvalues, and how many those are. */
  negative: number;
}
