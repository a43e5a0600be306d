/**
 * Figures of other simulators on one thread of an AMD Zen 4 core at about 3.6 GHz: the machine on which our banded solve takes REFERENCE_SOLVE per node.
 * They are for cantilevers of 1 m, radius 5 mm, 1000 kg/m³, 10 MPa, released straight; `npm run bench` and README.md compare them with ours.
 */
export const REFERENCE_SOLVE = 212e-9;

export interface Peer {
  readonly name: string;
  /** The row of ours that it is compared with. */
  readonly row: string;
  /** [s] per step */
  readonly seconds: number;
  readonly note: string;
  /** For the table of README.md, which has 100 rods of 32 nodes: the method, the step [s] if it is known, and a remark. */
  readonly table?: { readonly method: string; readonly step?: number; readonly remark: string };
}

export const peers: readonly Peer[] = [
  {
    name: 'DisMech (C++)',
    row: 'implicit-step-51',
    seconds: 9.7e-4,
    note: 'backward Euler, dt 0.01, 3.1 Newton iterations',
  },
  {
    name: 'DisMech (C++)',
    row: 'implicit-step-100x33',
    seconds: 6.2e-2,
    note: '100 rods × 33 nodes',
    table: { method: 'DER, backward Euler', step: 1e-2, remark: '33 nodes per rod' },
  },
  {
    name: 'libWetHair (C++)',
    row: 'implicit-step-100x33',
    seconds: 3.5e-2,
    note: '100 rods × 32 nodes, one linear solve',
    table: { method: 'DER, one linear solve', remark: '' },
  },
  {
    name: 'PyElastica (Numba)',
    row: 'explicit-step-100x33',
    seconds: 1.03e-3,
    note: '100 rods × 32 nodes, Verlet, needs dt 8e-5',
    table: { method: 'Cosserat, Verlet', step: 8e-5, remark: 'explicit: short steps' },
  },
  {
    name: 'PositionBasedDynamics (C++)',
    row: 'implicit-step-100x33',
    seconds: 5.8e-3,
    note: '100 rods × 32 nodes, direct stiff rods, one iteration',
    table: { method: 'stiff rods, direct', remark: 'one iteration' },
  },
  {
    name: 'Rapier (WASM, SIMD)',
    row: 'implicit-step-100x33',
    seconds: 4.7e-3,
    note: '100 chains × 32 bodies',
    table: { method: 'chain of joints', remark: 'stretches by 8 to 9 %' },
  },
  {
    name: 'Bergou 2008, knot',
    row: 'explicit-step-60',
    seconds: 3.1e-4,
    note: '60 vertices, 2.66 GHz Core 2 Duo, contact included',
  },
];
