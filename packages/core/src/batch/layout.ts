/**
 * Data stored per node, strand and dispatch, as tables. The reference allocates its arrays from these tables, and kernels/wgsl.ts
 * writes WGSL constants, structures and addresses from them, so a layout is written once.
 *
 * On the GPU a slot is a vec4f, strands lie in blocks of `LANES`, and slot k of node i of a strand is at
 *     ((block·nodes + i)·slots + k)·LANES + lane,
 * so that neighbouring threads read neighbouring addresses.
 */

export const LANES = 32;

/** State of a node or of the edge after it; a vector each. */
export const RELATIVE = 0;
export const DISPLACEMENT = 1;
export const VELOCITY = 2;
export const TARGET = 3;
export const RATE = 4;
/** With stiffness damping only. */
export const STRAIN = 5;
export const STRAIN_RATE = 6;
export const STRAIN_TARGET = 7;

/**
 * Kinds of obstacles: a half space below the z axis; a box with rounded edges, of which spheres and capsules are those without width; a table of
 * distances and normals at the points of a grid, for all other shapes.
 */
export const PLANE = 0;
export const BOX = 1;
export const FIELD = 2;

/** Smallest number of contact iterations per step (alone, and for strands that touch strands), and the largest. */
export const LEAST_ITERATIONS = 2;
export const LEAST_COUPLED_ITERATIONS = 4;
export const MOST_ITERATIONS = 32;
/** The same for strands that meet obstacles alone, on the CPU: only the few that have not settled go on. */
export const MOST_ALONE = 64;
/** Iterations from which ρ may grow, and from which it must not cycle (contactSweeps.ts). */
export const PATIENCE = 4;
export const LATE = 24;

/** Largest number of contacts of an edge with other edges, and of candidates that a search keeps for them. */
export const PAIR_SLOTS = 8;
export const CANDIDATES = 16;

export interface Slot {
  readonly name: string;
  readonly index: number;
  readonly what: string;
}

export const stateSlots: readonly Slot[] = [
  { name: 'RELATIVE', index: RELATIVE, what: 'rotation of the joint before the edge, vector part of a quaternion' },
  { name: 'DISPLACEMENT', index: DISPLACEMENT, what: 'of the node since the start of the step [m]' },
  { name: 'VELOCITY', index: VELOCITY, what: 'of the node at the start of the step [m/s]' },
  {
    name: 'TARGET',
    index: TARGET,
    what: 'displacement at which the node has no acceleration [m]; between steps the velocity a step ago (BDF2) or the acceleration (TR-BDF2)',
  },
  {
    name: 'RATE',
    index: RATE,
    what: 'displacement at which the node has no velocity [m]; between steps the acceleration [m/s²]',
  },
  { name: 'STRAIN', index: STRAIN, what: 'rotation vector of the joint at the start of the step' },
  { name: 'STRAIN_RATE', index: STRAIN_RATE, what: 'its rate [1/s]' },
  { name: 'STRAIN_TARGET', index: STRAIN_TARGET, what: 'its change at which the rate is zero' },
];

/** Slots that strands without stiffness damping need. */
export const ELASTIC_SLOTS = 5;

/** One time-stepping stage, in the order in which it is sent to a device. Every scheme is one or two stages; see schemes.ts. */
export interface Stage {
  /** Acceleration per displacement from the target [1/s²]. */
  readonly inertia: number;
  /** Velocity per displacement from the rate's zero [1/s]; 0 in statics. */
  readonly rate: number;
  /** Coefficients of the target in the four state vectors of a node. */
  readonly targetDisplacement: number;
  readonly targetVelocity: number;
  readonly targetTarget: number;
  readonly targetRate: number;
  /** Coefficients of the displacement at which the rate is zero, in two of them. */
  readonly rateDisplacement: number;
  readonly rateVelocity: number;
  /** The first guess is the target plus this factor [s²] times the acceleration of the previous step (in RATE). */
  readonly guessRate: number;
  /** 1: continues from the displacement so far; 0: starts a new step. */
  readonly continues: number;
  /** Content of TARGET for the next step: 0 nothing, 1 the previous velocity, 2 the acceleration. */
  readonly keeps: number;
}

export const stageFields: readonly (keyof Stage)[] = [
  'inertia',
  'rate',
  'targetDisplacement',
  'targetVelocity',
  'targetTarget',
  'targetRate',
  'rateDisplacement',
  'rateVelocity',
  'guessRate',
  'continues',
  'keeps',
];
