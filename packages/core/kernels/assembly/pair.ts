/**
 * Two rods of the same layout, one a lane: where their numbers are. Every array holds pairs (16 bytes an entry). The
 * host fills the structure in the order of its fields (src/kernels/layout.ts has the same list).
 *
 * `residual` has four rows, `band` and `step` ten, before their first and four after their last unknown, so that the
 * joint at a clamp, whose far side does not exist, is added like any other: what it adds there is zero or never read.
 */
@unmanaged
export class Pair {
  nodeCount: i32;
  jointCount: i32;
  heldCount: i32;
  /** Of unknowns that are prescribed now. */
  fixedCount: i32;
  /** Bits: 1 loads are asked for at every iterate, 2 there are torques, 4 there is drag. */
  loads: i32;
  /** i32 an unknown: those that are prescribed; 1 a byte a joint: acts. The same for both rods. */
  fixed: usize;
  active: usize;
  /** i32 a joint; negative: held frame −1 − k. */
  before: usize;
  after: usize;
  node: usize;
  /** i32 a held frame: the edge whose θ follows it, or −1. */
  heldEdge: usize;
  /** Of the unknowns. */
  q: usize;
  v: usize;
  /** As the host keeps them, one after the other: reference directors (3 an edge), their twist, tensions, accelerations. */
  reference: usize;
  referenceTwist: usize;
  tension: usize;
  acceleration: usize;
  qStart: usize;
  vStart: usize;
  qHat: usize;
  qRate: usize;
  residual: usize;
  step: usize;
  /** Where prescribed unknowns are, and their rates. */
  place: usize;
  placeRate: usize;
  /** Of node i and edge i at 2i and 2i + 1. */
  mass: usize;
  massDamping: usize;
  stiffnessScale: usize;
  /** Of the edges. */
  length: usize;
  lengthRest: usize;
  stiffness: usize;
  edgeDamping: usize;
  penalty: usize;
  error: usize;
  viscous: usize;
  /** Of the edges, 3 each. */
  tangent: usize;
  m1: usize;
  m2: usize;
  /** Of the joints; constants 8 each. */
  constants: usize;
  jointDamping: usize;
  twist: usize;
  offset: usize;
  /** Of the held frames, 3 each; θ 1 each, now and before the step. */
  heldTangent: usize;
  heldDirector: usize;
  heldM1: usize;
  heldM2: usize;
  heldTheta: usize;
  heldThetaStart: usize;
  /** Load on the nodes, 3 each; torque on the edges, 3 each; −∂force/∂velocity, 6 a node. */
  force: usize;
  torque: usize;
  drag: usize;
  /** 11 an unknown, after ten rows of zeros; then its factor. */
  band: usize;
  /** Of contact: a second matrix (order.ts), the inverse within the band, and a right-hand side. */
  spare: usize;
  inverse: usize;
  right: usize;
  /** Force on the nodes, 3 each, and contacts at each node. */
  push: usize;
  crowd: usize;
  /** Contacts, and what the mixing of turns remembers of them (touch.ts); their number. */
  touch: usize;
  mixing: usize;
  /** i32 each: addresses of those that are solved for. */
  live: usize;
  /** A third matrix, and a right-hand side in its order. */
  turned: usize;
  turnedStep: usize;
}

/** Asks the host for the loads where the rods are now. */
@external("env", "askLoads")
export declare function askLoads(block: usize): void;
