/**
 * Two rods of the same layout, one a lane: where their numbers are. Every array holds pairs (16 bytes an entry). The
 * host fills the structure in the order of its fields (src/kernels/pair.ts has the same list).
 *
 * `band`, `residual` and `step` have four rows (`step` ten) before their first and four after their last unknown, so that the
 * joint at a clamp, whose far side does not exist, is added like any other: what it adds there is zero or never read.
 */
@unmanaged
export class Pair {
  nodeCount: i32;
  jointCount: i32;
  heldCount: i32;
  /** 1 a byte an unknown: prescribed; 1 a byte a joint: acts. The same for both rods. */
  fixed: usize;
  active: usize;
  /** i32 a joint; negative: held frame −1 − k. */
  before: usize;
  after: usize;
  node: usize;
  /** Of the unknowns. */
  q: usize;
  v: usize;
  qHat: usize;
  qRate: usize;
  mass: usize;
  massDamping: usize;
  stiffnessScale: usize;
  residual: usize;
  step: usize;
  /** Of the edges. */
  tension: usize;
  length: usize;
  lengthRest: usize;
  stiffness: usize;
  edgeDamping: usize;
  penalty: usize;
  error: usize;
  viscous: usize;
  /** Of the edges, 3 each. */
  tangent: usize;
  previous: usize;
  reference: usize;
  m1: usize;
  m2: usize;
  /** Of the joints; constants 8 each. */
  constants: usize;
  jointDamping: usize;
  referenceTwist: usize;
  twist: usize;
  offset: usize;
  /** Of the held frames, 3 each; θ 1 each. */
  heldTangent: usize;
  heldDirector: usize;
  heldM1: usize;
  heldM2: usize;
  heldTheta: usize;
  /** Load on the nodes, 3 each. */
  force: usize;
  /** 11 an unknown; the factor after ten rows of zeros. */
  band: usize;
  lower: usize;
}
