/**
 * Binary layouts and codes that the kernels and their host share. The build writes the AssemblyScript side from this file (kernels/shared.ts). It
 * imports nothing.
 *
 * Every array holds pairs of numbers, one per rod, 16 bytes per entry, unless said otherwise.
 */

/** Integers at the head of a pair, before the addresses of its arrays. */
export const pairHead = [
  'nodeCount',
  'jointCount',
  'heldCount',
  // unknowns that are prescribed now
  'fixedCount',
  // kinds of loads, see `loadBits`
  'loads',
] as const;

/**
 * Arrays of a pair, with what their length is counted in, and entries per unit (default 1).
 *
 * `fixed`, `before`, `after`, `node`, `heldEdge`, `activeContacts` hold 32-bit integers, `active` bytes, the same for both rods: prescribed unknowns; edges at
 * a joint (negative: held frame −1 − k); the edge whose θ follows a held frame, or −1; addresses of the contacts that are solved for.
 * `reference` to `acceleration` lie one after the other, as in a rod's memory. `mass`, `massDamping` and `stiffnessScale` have those of node i and edge i at
 * 2i and 2i + 1. `spare`, `turned` and `inverse` are a second and third matrix and the inverse within the band (order.ts).
 */
export const pairFields = [
  ['fixed', 'unknown'],
  ['active', 'joint'],
  ['before', 'joint'],
  ['after', 'joint'],
  ['node', 'joint'],
  ['heldEdge', 'held'],
  ['q', 'unknown'],
  ['v', 'unknown'],
  ['reference', 'edge', 3],
  ['referenceTwist', 'joint'],
  ['tension', 'edge'],
  ['acceleration', 'unknown'],
  ['qStart', 'unknown'],
  ['vStart', 'unknown'],
  ['qHat', 'unknown'],
  ['qRate', 'unknown'],
  ['residual', 'unknown'],
  ['step', 'unknown'],
  ['place', 'unknown'],
  ['placeRate', 'unknown'],
  ['mass', 'node', 2],
  ['massDamping', 'node', 2],
  ['stiffnessScale', 'node', 2],
  ['length', 'edge'],
  ['lengthRest', 'edge'],
  ['stiffness', 'edge'],
  ['edgeDamping', 'edge'],
  ['penalty', 'edge'],
  ['error', 'edge'],
  ['viscous', 'edge'],
  ['tangent', 'edge', 3],
  ['m1', 'edge', 3],
  ['m2', 'edge', 3],
  ['constants', 'joint', 8],
  ['jointDamping', 'joint'],
  ['twist', 'joint'],
  ['offset', 'joint'],
  ['heldTangent', 'held', 3],
  ['heldDirector', 'held', 3],
  ['heldM1', 'held', 3],
  ['heldM2', 'held', 3],
  ['heldTheta', 'held'],
  ['heldThetaStart', 'held'],
  ['heldRate', 'held', 4],
  ['force', 'node', 3],
  ['torque', 'edge', 3],
  ['drag', 'node', 6],
  ['band', 'unknown', 11],
  ['spare', 'unknown', 11],
  ['inverse', 'unknown', 11],
  ['right', 'unknown'],
  ['push', 'node', 3],
  ['contactsAtNode', 'node'],
  ['contacts', 'contact', 32],
  ['mixing', 'contact', 36],
  ['activeContacts', 'contact'],
  ['turned', 'unknown', 11],
  ['turnedStep', 'unknown'],
] as const;

/** Integers at the head of a pair of fibers: rings, and kinds of mass and loads (`fiberBits`). */
export const fiberHead = ['ringCount', 'kinds'] as const;

/**
 * Arrays of a pair of fibers: number of entries per edge, and of additional entries. `moved` and `speeds` are the shares of y − x0 and of v0 in the inertia, `edgeChi` and
 * `ringChi` viscous shares, `window` two blocks on, one above and one below the diagonal, `outcome` what the host reads.
 */
export const fiberFields = [
  ['longRest', 4, 0],
  ['shearRest', 4, 0],
  ['ringRest', 0, 3],
  ['longStiffness', 1, 0],
  ['shearStiffness', 2, 0],
  ['ringStiffness', 1, 1],
  ['particleMass', 1, 1],
  ['couplingMass', 1, 1],
  ['x0', 12, 12],
  ['v0', 12, 12],
  ['y', 12, 12],
  ['middle', 12, 12],
  ['load', 12, 12],
  ['residual', 12, 12],
  ['tau', 14, 6],
  ['tension', 14, 6],
  ['direction', 54, 18],
  ['length', 18, 6],
  ['edgeChi', 1, 0],
  ['ringChi', 1, 1],
  ['moved', 1, 1],
  ['speeds', 1, 1],
  ['matrixMass', 1, 1],
  ['matrixCoupling', 1, 1],
  ['drag', 6, 6],
  ['dragFactor', 0, 1],
  ['window', 0, 576],
  ['outcome', 0, 2],
  // of one fiber alone: half as many pairs as numbers
  ['diagonal0', 72, 72],
  ['upper0', 72, 72],
  ['lower0', 72, 72],
  ['right0', 6, 6],
  ['diagonal1', 72, 72],
  ['upper1', 72, 72],
  ['lower1', 72, 72],
  ['right1', 6, 6],
] as const;

/** Bits of `loads` of a pair: loads are evaluated at every iterate; there are torques; there is drag. */
export const loadBits = { ASK_LOADS: 1, WITH_TORQUE: 2, WITH_DRAG: 4 } as const;

/** Bits of `kinds` of a pair of fibers: the particles of a ring are coupled by mass; there is drag. */
export const fiberBits = { COUPLED: 1, FIBER_DRAG: 2 } as const;

/** Schemes of fibers. */
export const fiberSchemes = { ENERGY_MOMENTUM: 0, MIDPOINT: 1, BACKWARD_EULER: 2 } as const;

/** Stages of a step. */
export const stages = { EULER: 0, TRAPEZOID: 1, SECOND: 2 } as const;

/** Return codes of a stage; derPair.ts has the messages. */
export const codes = {
  CONVERGED: 0,
  NO_EDGE: 1,
  FOLDED: 2,
  NOT_A_NUMBER: 3,
  NO_CONVERGENCE: 4,
  NOT_DEFINITE: 5,
  BAD_STEP: 6,
  // the host steps these rods one by one
  NO_GUESS: 7,
} as const;

/** Outcome of a stage, a pair each. */
export const outcomes = { RESIDUAL: 0, LIMIT: 1, ITERATIONS: 2, SHIFTS: 3, OUTCOMES: 4 } as const;

/** Outcome of a step with contacts, a pair each: rounds, iterations of the alternating method, its last error, shifts, 1 if it did not converge. */
export const contactOutcomes = {
  CONTACT_ROUNDS: 0,
  CONTACT_ITERATIONS: 1,
  CONTACT_ERROR: 2,
  CONTACT_SHIFTS: 3,
  CONTACT_UNCONVERGED: 4,
  CONTACT_OUTCOMES: 5,
} as const;

/** Entries of a contact with a collider; the host writes those before BEFORE. */
export const contactEntries = {
  WEIGHT: 0,
  NORMAL: 1,
  BIAS: 4,
  SURFACE: 5,
  FRICTION: 8,
  // length that gaps are compared with, over the step
  SIZE: 9,
  // contacts at its busier node, 1 at first; 0: there is no contact in this place
  THERE: 10,
  // edges of either rod, as integers
  EDGE: 11,
  // current impulse, and the impulse of the rods' current state
  IMPULSE: 12,
  BEFORE: 15,
  // ω, and 1/ω if it is solved for; else both zero
  OMEGA: 18,
  RHO: 19,
  // input of the contact law, copies, velocities by the linear response, resulting velocities
  FREE: 20,
  COPY: 23,
  LINEAR: 26,
  VELOCITY: 29,
  CONTACT_ENTRIES: 32,
} as const;
