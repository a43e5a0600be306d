/** Shared buffers by number: each is handed to the workers when it grows, see `shareBuffer`. */
export const slots = {
  /** Sides of all contacts, and of those that are solved for: the numbers that contact gives to `ContactThreads.sideBuffer`. */
  allSides: 0,
  solvedSides: 1,
  /** Single rods against colliders. */
  singleRods: 2,
  /** Anderson acceleration. */
  mixing: 3,
  /** The law of contact. */
  law: 4,
  /** What the search for colliders reads, and what it finds. */
  nodes: 5,
  found: 6,
  links: 7,
  /** Coarse cells of links. */
  coarse: 8,
} as const;
