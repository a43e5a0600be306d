import { cos, sin } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, equilibrium, worldOf } from '../src/case.ts';

/** Steel spring: wire radius 0.5 mm, coil radius 10 mm, pitch 5 mm, five turns; far end guided along and about the axis. */
const guided = { Kzz: 241.889692598, Kzp: -0.0568467661793, Kpp: 0.0311062837855 };
const RADIUS = 0.01;
const TURNS = 5;
/** Displacements of the guided end for the second differences of the energy. */
const DZ = 2e-5;
const DPSI = 2e-3;
const corners: [number, number][] = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
  [1, 1],
  [1, -1],
  [-1, 1],
  [-1, -1],
];

/**
 * The end sits at angle 0 on the coil (whole turns): turning by ψ about the axis also moves it. Edges have the arc
 * length of the wire, so the nodes lie on a slightly larger circle through the start, and that is the axis to turn about.
 */
function guidedKey(perTurn: number, time: number, dz: number, psi: number) {
  const radius = (RADIUS * (Math.PI / perTurn)) / sin(Math.PI / perTurn);
  return {
    time,
    offset: [radius * (cos(psi) - 1), radius * sin(psi), dz] as [number, number, number],
    rotation: [0, 0, psi] as [number, number, number],
  };
}

function scene(perTurn: number, keys: ReturnType<typeof guidedKey>[]): SceneInput {
  return {
    tendril: 1,
    title: 'Helical spring with a guided end',
    materials: { steel: { E: '200 GPa', nu: 0.3, density: '7850 kg/m^3', damping: { mass: '2 1/s' } } },
    rods: [
      {
        id: 'spring',
        shape: { type: 'helix', axis: [0, 0, 1], start: [1, 0, 0], radius: '10 mm', pitch: '5 mm', turns: TURNS },
        edges: perTurn * TURNS,
        section: { type: 'circle', radius: '0.5 mm' },
        material: 'steel',
        inextensible: true,
      },
    ],
    pins: [
      { rod: 'spring', at: 'start' },
      { rod: 'spring', at: 'end', path: { interpolation: 'smooth', keys } },
    ],
    time: { duration: 1, step: 0.002 },
    statics: { from: 0, to: 1, steps: 20 },
    output: { every: 0.02 },
  };
}

export const helicalSpring: Case = defineCase({
  id: 'helical-spring',
  topics: ['theory'],
  finish: 'steel',
  title: 'Stiffness of a helical spring, axial, torsional and coupled',
  claim:
    "A coil spring with a guided end has the axial stiffness Kzz, the torsional stiffness Kψψ and the coupling Kzψ between them that Kirchhoff's theory gives. The coupling is what makes a Wilberforce pendulum exchange up-and-down for turning.",
  group: 'classics',
  colorBy: 'twist',
  source: 'Kirchhoff helix: compliance of the clamped rod under a wrench, guided end',
  models: ['der'],
  quick: [10, 20],
  full: [10, 20, 40, 80],
  controls: [
    {
      path: ['pins', 1, 'path', 'keys', 1, 'offset', 2],
      label: 'Pulled apart by',
      symbol: 'z',
      unit: 'm',
      low: 0,
      high: 0.05,
    },
    {
      path: ['rods', 0, 'section', 'radius'],
      label: 'Radius of the wire',
      symbol: 'r',
      unit: 'm',
      low: 2e-4,
      high: 1e-3,
    },
    {
      path: ['rods', 0, 'shape', 'radius'],
      label: 'Radius of the coil',
      symbol: 'R',
      unit: 'm',
      low: 5e-3,
      high: 2e-2,
    },
  ],
  scene: () => scene(40, [guidedKey(40, 0, 0, 0), guidedKey(40, 0.5, 0.025, 0), guidedKey(40, 1, -0.005, 0)]),
  measure(n) {
    // one scene with a pose of the end for every corner of the difference stencil
    const keys = [guidedKey(n, 0, 0, 0), ...corners.map(([z, p], k) => guidedKey(n, k + 1, z * DZ, p * DPSI))];
    const world = worldOf(scene(n, keys));
    const energy = corners.map((_, k) => {
      equilibrium(world, k + 1);
      return world.energies().total;
    });
    return {
      Kzz: (energy[0] + energy[1]) / (DZ * DZ),
      Kpp: (energy[2] + energy[3]) / (DPSI * DPSI),
      Kzp: (energy[4] - energy[5] - energy[6] + energy[7]) / (4 * DZ * DPSI),
    };
  },
  expect: {
    // the axial and torsional stiffness of a helix are nearly exact at any resolution with the rotation strain
    Kzz: { value: guided.Kzz, tolerance: (n) => 0.2 / (n * n), order: 1.9, floor: 1e-5 },
    Kpp: { value: guided.Kpp, tolerance: (n) => 0.01 / (n * n) },
    Kzp: { value: guided.Kzp, tolerance: (n) => 10 / (n * n), order: 1.8, floor: 1e-3 },
  },
});
