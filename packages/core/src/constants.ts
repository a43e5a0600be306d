/**
 * Constants of the solvers that exist twice, in TypeScript and in the kernels. The build writes them into AssemblyScript (kernels/shared.ts), so
 * that they cannot drift apart. This file imports nothing. Their types distinguish integers and real numbers there.
 */

/** Newton's method of the model `der` (models/der/newton.ts). */
export const newtonConstants = {
  /** Smallest shift of a matrix that is not positive definite, relative to the stiffness scale; the factor by which it grows and shrinks; the largest. */
  FIRST_SHIFT: 1e-7,
  SHIFT_FACTOR: 4,
  LARGEST_SHIFT: 1e8,
  /** Rounding of a residual, relative to the stiffest entry times the extent; of an edge length, relative to the extent. */
  RESIDUAL_ROUNDING: 4e-15,
  LENGTH_ROUNDING: 2e-15,
  /** Errors of edge lengths: LENGTH_FACTOR · tolerance², but not below this part of an inextensible edge. */
  LENGTH_FACTOR: 10,
  LENGTH_LEAST: 1e-11,
  /** After a move below max(SMALL_LEAST, √SMALL_SQUARE · tolerance) the residual is evaluated without the matrix. */
  SMALL_LEAST: 1e-4,
  SMALL_SQUARE: 20,
  /** Turn of an edge [rad] up to which the first guess extrapolates. */
  GUESS_TURN: 0.5,
} as const;

/** The alternating method of contact (contact/solve/admm.ts) and its Anderson acceleration. */
export const contactConstants = {
  /** Over-relaxation of a fixed-point step. */
  RELAXATION: 1.7,
  /** Part of the velocity that the impulses make that errors are compared with. */
  SWING: 0.1,
  /** A contact is active if its gap would end below this fraction of its size; an inactive one becomes active below the other. */
  CLOSE: 0.02,
  LATE: -0.01,
  /** If contacts would close by ABRUPT tolerances, a round is solved to ROUGH times the tolerance. */
  ABRUPT: 1000,
  ROUGH: 30,
  /** Regularisation of the small system of Anderson acceleration, relative to its trace. */
  MIXING_RIDGE: 1e-10,
} as const;

/**
 * Previous iterates that Anderson acceleration combines: for a group of contacts, and in the kernel for one rod. The kernel
 * keeps the sums of its window in variables. Whether it would gain by six was not measured; making them equal changes results.
 */
export const andersonWindows = { GROUP_WINDOW: 6, PAIR_WINDOW: 4 } as const;

/**
 * Rounds of contact before a step counts as failed. They are not the same thing: a round of an island (contact/solve/islandRound.ts) linearizes,
 * solves for the impulses and steps the models by Newton's method; a round of the kernel for single rods is one Newton iteration with its contacts.
 */
export const contactRounds = { ISLAND_ROUNDS: 4, PAIR_ROUNDS: 16 } as const;

/** Factors of matrices (linalg/band.ts): a pivot below this part of its diagonal entry is not positive. */
export const factorConstants = { SMALLEST_PIVOT: 1e-14 } as const;

/**
 * Block-tridiagonal matrices of fibers (linalg/blockTridiagonal.ts), in numbers: rows of a block, one per coordinate of a ring's four
 * corners; a block; the factor of a block in kernels/assembly/symmetric.ts (multipliers, pivots, and S⁻¹U twice).
 */
export const blockSizes = { BLOCK: 12, BLOCK_AREA: 144, BLOCK_FACTOR: 444 } as const;
