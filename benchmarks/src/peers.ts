/** Peers' figures on one thread of an AMD Zen 4 core at about 3.6 GHz: the machine on which our banded solve takes REFERENCE_SOLVE. */
export const REFERENCE_SOLVE = 212e-9;

export interface Peer {
  readonly name: string;
  /** The row of ours that it is compared with. */
  readonly row: string;
  /** [s] per step */
  readonly seconds: number;
  readonly note: string;
}

export const peers: readonly Peer[] = [
  {
    name: 'DisMech (C++)',
    row: 'implicit-step-51',
    seconds: 9.7e-4,
    note: 'backward Euler, dt 0.01, 3.1 Newton iterations',
  },
  { name: 'DisMech (C++)', row: 'implicit-step-100x33', seconds: 6.2e-2, note: '100 rods × 33 nodes' },
  {
    name: 'libWetHair (C++)',
    row: 'implicit-step-100x33',
    seconds: 3.5e-2,
    note: '100 rods × 32 nodes, one linear solve',
  },
  {
    name: 'PyElastica (Numba)',
    row: 'explicit-step-100x33',
    seconds: 1.03e-3,
    note: '100 rods × 32 nodes, Verlet, needs dt 8e-5',
  },
  {
    name: 'Bergou 2008, knot',
    row: 'explicit-step-60',
    seconds: 3.1e-4,
    note: '60 vertices, 2.66 GHz Core 2 Duo, contact included',
  },
];
