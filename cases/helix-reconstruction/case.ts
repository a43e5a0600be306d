import type { ModelId } from '@tendril/core';
import type { SceneInput } from '@tendril/io';
import { type Case, defineCase, distance, equilibrium, nodeAt, worldOf } from '../src/case.ts';

type Vector = [number, number, number];

/** Constant curvature and twist rate (κ1, κ2, τ) about d1, d2 and the tangent; start along x with d1 = y, d2 = z. */
const rows: Vector[] = [
  [3, 0, 0],
  [0, 3, 0],
  [2, 1, 0],
  [2, 1, 3],
  [0, 4, -2],
  [0.01, 0.02, 5],
];

/** r(s) of a curve with constant Darboux vector: Rodrigues' formula. */
function exact([k1, k2, tau]: Vector, s: number): Vector {
  const omega: Vector = [tau, k1, k2];
  const w = Math.hypot(...omega);
  const cross = (a: Vector, b: Vector): Vector => [
    a[1] * b[2] - a[2] * b[1],
    a[2] * b[0] - a[0] * b[2],
    a[0] * b[1] - a[1] * b[0],
  ];
  const first = cross(omega, [1, 0, 0]);
  const second = cross(omega, first);
  const c = (1 - Math.cos(w * s)) / w ** 2;
  const d = (w * s - Math.sin(w * s)) / w ** 3;
  return [s + c * first[0] + d * second[0], c * first[1] + d * second[1], c * first[2] + d * second[2]];
}

function scene(edges: number, curvature: Vector, model: ModelId = 'der'): SceneInput {
  return {
    tendril: 1,
    title: `Rod that wants to be a helix, (κ1, κ2, τ) = (${curvature.join(', ')})`,
    rods: [
      {
        id: 'helix',
        model,
        shape: { type: 'straight', from: [0, 0, 0], to: [2, 0, 0] },
        edges,
        frame: { d1: [0, 1, 0] },
        natural: { curvature },
        section: { type: 'stiffness', EI1: 1, EI2: 1.5, GJ: 0.8, mass: 1, radius: 0.01, damping: { mass: 1 } },
      },
    ],
    pins: [{ rod: 'helix', at: 'start' }],
    time: { duration: 6, step: 0.01 },
    output: { every: 0.05 },
  };
}

export const helixReconstruction: Case = defineCase({
  id: 'helix-reconstruction',
  title: 'A straight rod relaxes to its natural helix',
  source: "constant Darboux vector: Rodrigues' formula",
  models: ['der', 'helix', 'cosserat'],
  quick: [20, 40],
  full: [20, 40, 80, 160],
  scene: () => scene(60, [0, 4, -2]),
  measure(n, model) {
    return Object.fromEntries(
      rows.map((row) => {
        const world = worldOf(scene(n, row, model));
        equilibrium(world);
        let worst = 0;
        for (let i = 0; i <= n; i++) worst = Math.max(worst, distance(nodeAt(world, 0, i), exact(row, (2 * i) / n)));
        return [`largest distance, (κ1, κ2, τ) = (${row.join(', ')})`, worst];
      }),
    );
  },
  expect: Object.fromEntries(
    rows.map((row) => [
      `largest distance, (κ1, κ2, τ) = (${row.join(', ')})`,
      // helical elements are exact: below the floor there is no order to ask for
      { value: 0, tolerance: (n: number) => 3 / n ** 2, order: 1.9, floor: 1e-12 },
    ]),
  ),
});
