/** Shared buffers by number: each is passed to the workers when it grows, see `shareBuffer`. */
export const slots = {
  /** Sides of all contacts, and of the active ones: slot numbers of `ContactThreads.sideBuffer`. */
  allSides: 0,
  solvedSides: 1,
  /** Single rods against colliders. */
  singleRods: 2,
  /** Anderson acceleration. */
  mixing: 3,
  /** The law of contact. */
  law: 4,
  /** Input of the collider search, and its results. */
  nodes: 5,
  found: 6,
  links: 7,
  /** Coarse cells of links. */
  coarse: 8,
} as const;
