/**
 * The port between models and the world: samples out, loads in.
 *
 * Everything outside a model sees a rod as nodes with positions and velocities, joined by straight edges that carry a
 * frame. Loads are the dual: a force on a node, a torque on an edge. The power of a load is
 * Σ nodeForce·nodeVelocity + Σ edgeTorque·edgeSpin, and a model's generalised force has the same power (tested).
 */
import type { Pin, Rod } from './scene/compiled.ts';

/** Read by everyone, written by the model that owns the rod. Arrays of one rod, not of a bundle. */
export interface Samples {
  /** [m], 3 per node */
  readonly nodePosition: Float64Array;
  /** [m/s], 3 per node */
  readonly nodeVelocity: Float64Array;
  /** unit, 3 per edge; zero if the edge is broken */
  readonly edgeTangent: Float64Array;
  /** material axis d1, unit, 3 per edge; d2 = tangent × d1; zero if the edge is broken */
  readonly edgeDirector: Float64Array;
  /** spin of the material about the tangent [rad/s], 1 per edge */
  readonly edgeSpin: Float64Array;
}

/** True if an edge is broken: it has no frame. Recordings and pictures tell it by the same. */
export function isBroken({ edgeDirector: d }: Pick<Samples, 'edgeDirector'>, edge: number): boolean {
  return d[3 * edge] === 0 && d[3 * edge + 1] === 0 && d[3 * edge + 2] === 0;
}

/** Written by load sources, read by the model. */
export interface Loads {
  /** [N], 3 per node */
  readonly nodeForce: Float64Array;
  /** [N m] in world axes, 3 per edge */
  readonly edgeTorque: Float64Array;
  /** −∂force/∂velocity [N s/m], symmetric, 6 per node (xx xy xz yy yz zz): lets implicit models treat drag implicitly. */
  readonly nodeDrag: Float64Array;
}

/** A source of loads on one rod: gravity, point loads, fields. Pure in its inputs. */
export interface LoadSource {
  /** Adds to `loads`; the model may call it at any time and state, any number of times. */
  addLoads(loads: Loads, samples: Samples, t: number): void;
  /** Potential energy [J] if there is one (gravity, dead forces), else 0. */
  potential(samples: Samples, t: number): number;
  /** True if the loads depend on the rod's state (follower, drag): then the model must evaluate them at every iterate. */
  readonly dependsOnState: boolean;
  /**
   * Adds the derivative of its forces on nodes at the current state: `add(row, column, value)`, both counted 3 per node. Absent: models take differences of
   * the loads.
   */
  readonly addDerivative?: (add: (row: number, column: number, value: number) => void, samples: Samples) => void;
  /** True if the loads are the same at all times, in all states; absent: they may change. */
  readonly isConstant?: boolean;
  /** Adds the acceleration that it gives to all masses alike at t [m/s²]: gravity. It is in `addLoads` too, by the masses of nodes. */
  readonly addAcceleration?: (out: Float64Array, t: number) => void;
  /** Its drag in closed form, if it is air whose velocity does not depend on the place. */
  readonly air?: UniformAir;
  /** The one node or edge that it acts on, if any: `addLoad` rejects an index that the rod does not have. */
  readonly node?: number;
  /** The one edge that it acts on, if any. */
  readonly edge?: number;
}

/** Pins and loads of one rod. */
export interface Drive {
  /** Pins of the rod. */
  readonly pins: readonly Pin[];
  /** Read it again at each step: loads can be added and removed by hand while the world runs. */
  readonly sources: readonly LoadSource[];
  /** Number of loads that were added, and of pins that were moved or released, while the world runs: the scene does not have them. */
  readonly overrides?: number;
  /** In a world whose pins and loads do not move: their instant [s], whatever the time of a step. */
  readonly stillAt?: { readonly time: number };
}

/** Drag of air that is the same everywhere, for models that evaluate it within their own equations. */
export interface UniformAir {
  /** Drag of half an edge: across and along [N s/m], and what speed adds to each [N s²/m²]; 4 per edge. */
  readonly coefficients: Float64Array;
  /** Writes the wind [m/s] and the factor of the drag at t. */
  read(out: Float64Array, t: number): void;
  /** Identifies the air: the same object for all rods in it. */
  readonly field: object;
}

/**
 * Allocates arrays that others read; threads use an allocator of shared memory. `sizes`: numbers per rod, if they are stored rod by rod: a thread that has
 * some of the rods gets their part.
 */
export type Allocate = (length: number, sizes?: ArrayLike<number>) => Float64Array;

export const allocatePlain: Allocate = (length) => new Float64Array(length);

export function createSamples(rod: Pick<Rod, 'nodeCount' | 'edgeCount'>, allocate: Allocate = allocatePlain): Samples {
  return {
    nodePosition: allocate(3 * rod.nodeCount),
    nodeVelocity: allocate(3 * rod.nodeCount),
    edgeTangent: allocate(3 * rod.edgeCount),
    edgeDirector: allocate(3 * rod.edgeCount),
    edgeSpin: allocate(rod.edgeCount),
  };
}

/** Numbers in the samples of a rod. */
export function sampleSize({ nodeCount, edgeCount }: Pick<Rod, 'nodeCount' | 'edgeCount'>): number {
  return 6 * nodeCount + 7 * edgeCount;
}

export function createLoads(rod: Pick<Rod, 'nodeCount' | 'edgeCount'>, allocate: Allocate = allocatePlain): Loads {
  return {
    nodeForce: allocate(3 * rod.nodeCount),
    edgeTorque: allocate(3 * rod.edgeCount),
    nodeDrag: allocate(6 * rod.nodeCount),
  };
}

/** Contacts of rods with obstacles (contact/contactSet.ts): the part for a model that solves them itself. */
export interface ColliderContacts {
  readonly edgeA: Int32Array;
  readonly weightA: Float64Array;
  readonly normal: Float64Array;
  readonly bias: Float64Array;
  readonly surface: Float64Array;
  readonly staticFriction: Float64Array;
  readonly dynamicFriction: Float64Array;
  readonly size: Float64Array;
  /** 1 if it slides at the start. */
  readonly sliding: Uint8Array;
  /** Output: the impulse, and whether it slides at the end. */
  readonly impulse: Float64Array;
  readonly slides: Uint8Array;
}

/** A step from t to t + dt. */
export interface StepInterval {
  /** Start of the step [s]. */
  readonly t: number;
  /** Length of the step [s]. */
  readonly dt: number;
}

/** A step that rods are asked to take. */
export interface StepRequest extends StepInterval {
  /** Prefer robustness to accuracy: the smallest substeps, which must not fail. */
  readonly robust: boolean;
}

/** A step of `ContactPort.step`. */
export interface ContactStep extends StepRequest {
  /** Stop short of the solution, because the forces will change considerably; `linearize` corrects for the rest. */
  readonly rough?: boolean;
}

/** State at which `ContactPort.linearize` computes the response. */
export interface LinearizedStep extends StepInterval {
  /**
   * True: at a first guess for the end of the step, with the velocities of the linear step from there under the sides' forces. False: at the state
   * that `ContactPort.step` reached, with its velocities.
   */
  readonly fresh: boolean;
}

/** Results of `ContactPort.linearize`, per side. */
export interface SideResponse {
  /** S v [m/s], 3 numbers, or 1 along the side's direction. */
  readonly velocity: Float64Array;
  /** tr(S A⁻¹ Sᵀ)/3, or S A⁻¹ Sᵀ along the side's direction [1/kg]; 0 if the side cannot move. */
  readonly response: Float64Array;
}

/**
 * Contact points of a bundle's rods and bodies (sides); rods in ascending order, then bodies.
 *
 * A point of a rod lies on the chord of its edge, and moves with
 *     v = (1 − weight)·nodeVelocity[edge] + weight·nodeVelocity[edge + 1] + edgeSpin[edge]·arm.
 * A point of a body moves with v = velocity + angularVelocity × (arm − position). S is this map from a model's own velocities.
 */
export interface ContactSides {
  count: number;
  /** Rod of the bundle, or −1 − b for its body b. */
  readonly rod: Int32Array;
  readonly edge: Int32Array;
  readonly weight: Float64Array;
  /** [m], 3 each: for a rod tangent × lever, the velocity that unit spin gives; for a body the point itself. */
  readonly arm: Float64Array;
  /** Constant force on the point over the step [N], 3 each. */
  readonly force: Float64Array;
  /** Point mass ρ that the solver attaches to the point [kg]. */
  readonly mass: Float64Array;
  /**
   * Unit vectors, 3 numbers each. If given (contact without friction), and the port is `directed`: masses, impulses and velocities are those along them, one
   * number per side instead of three; forces stay vectors.
   */
  readonly direction?: Float64Array;
  /**
   * Velocities of those masses [m/s], 3 numbers each. If given (links), and the port is `partial`: `linearize` writes S v at the current state, keeps the
   * unbalanced forces and, at a fresh start, writes S v of the linear step without the masses here; `solve` adds their effect; and `step` keeps the masses
   * attached, with ρ(goal − S v)/h as a force.
   */
  readonly goal?: Float64Array;
  /** With goals: how far a side may end from its goal once the masses are removed [m]; infinite if links decide it. */
  readonly clearance?: Float64Array;
  /** For the last step, from rods in equilibrium with the masses: without them, so that forces alone act. */
  released?: boolean;
}

/** Empty sides, of a bundle without contacts. */
export const NO_SIDES: ContactSides = {
  count: 0,
  rod: new Int32Array(0),
  edge: new Int32Array(0),
  weight: new Float64Array(0),
  arm: new Float64Array(0),
  force: new Float64Array(0),
  mass: new Float64Array(0),
};

/** Numbers of a side's velocity. */
export function axesOf({ direction }: Pick<ContactSides, 'direction'>): 1 | 3 {
  return direction ? 1 : 3;
}

/**
 * A solid over a step, for bundles that solve contact themselves: the half space below its z axis, a box with rounded edges, or a distance
 * field. Spheres and capsules are boxes without width. Rotations are 3 × 3, by rows.
 */
export interface SolidMotion {
  readonly shape: 'plane' | 'box' | 'field';
  /** At the start of the step. */
  readonly position: readonly [number, number, number];
  readonly axes: ArrayLike<number>;
  /** Half lengths without the rounding, and the rounding [m]. */
  readonly half: readonly [number, number, number];
  readonly rounding: number;
  readonly friction: number;
  /** Over the step: displacement of the position, and rotation. */
  readonly shift: readonly [number, number, number];
  readonly turn: ArrayLike<number>;
  /** For a distance field: number of its first row in `SolidScene.fields`, and rows along each axis; half lengths are those of its box. */
  readonly start: number;
  readonly counts: readonly [number, number, number];
}

/** Settings of contact between rods, for bundles that solve contact themselves. */
export interface RodPairs {
  readonly friction: number;
  /** True if a rod collides with itself. */
  readonly self: boolean;
  /** Contact radius of the edges of a rod [m]. */
  radiusOf(rod: number): ArrayLike<number>;
}

/** Obstacles and pairs of rods, as passed to a bundle that solves contact itself. */
export interface SolidScene {
  readonly count: number;
  /** In the step from t to t + dt. */
  at(t: number, dt: number): readonly SolidMotion[];
  /** Number of edges, from the first on, that an obstacle ignores: roots of hair below the skin. */
  countSpared(rod: number, obstacle: number): number;
  /** Rows of all distance fields, in shared memory: distance [m] and normal. */
  readonly fields: Float32Array;
  /** Absent if rods do not collide with rods. */
  readonly pairs?: RodPairs;
}

/** Point on the other rod of a contact between rods. */
export interface OtherSide {
  readonly rod: number;
  readonly edge: number;
  readonly weight: number;
}

/** A contact that the last step solved for: with an obstacle, or one side of a contact between rods. */
export interface OwnContactRow {
  readonly rod: number;
  readonly edge: number;
  /** −1 between rods. */
  readonly obstacle: number;
  readonly other?: OtherSide;
  /** Index among the contacts of this edge, and whether it existed in the previous step: 1, else 2. */
  readonly place: number;
  readonly age: number;
  /** Weight of the edge's second node. */
  readonly weight: number;
  /** Force on the rod [N]. */
  readonly force: readonly [number, number, number];
  readonly normal: readonly [number, number, number];
}

export interface OwnContactReport {
  /** Contacts that carry force. */
  contacts: number;
  iterations: number;
  /** Largest distance of a contact from its target position in the last iteration [m]. */
  error: number;
  /** Number of rods whose contacts did not converge, and the first of them; −1: none. */
  unsettled: number;
  firstUnsettled: number;
  /** Deepest overlap at the start of the step [m]. */
  overlap: number;
}

/** Contact that a bundle merges into the iterations of its own step. */
export interface OwnContact {
  /** For messages, such as "the gpu backend". */
  readonly name: string;
  /** Report on the last `advance`. */
  readonly report: OwnContactReport;
  /** Before the first step. */
  open(solids: SolidScene): void;
  /** Contacts of the last step; `rod`: those of this rod alone. */
  listContacts(rod?: number): readonly OwnContactRow[];
  /** Warm start of the next step. */
  restoreContacts(rows: readonly OwnContactRow[]): void;
  /** Applies the forces of the last step to the rods, for reactions and channels. */
  applyForces(): void;
}

/** A rod and what acts on it at rest: forces on nodes, of loads and pins, and torques on edges, of loads. */
export interface ActingRod {
  readonly samples: Samples;
  readonly nodeForce: Float64Array;
  readonly edgeTorque: Float64Array;
}
