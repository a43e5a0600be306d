import type { ModelId } from '@tendril-sim/core';
import { cos, hypot, hypotOf, pow, sin, square } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, distance, equilibrium, nodeAt, worldOf } from '../src/case.ts';
import { twistingStiffness } from '../src/controls.ts';

type Vector = [number, number, number];

/** Constant curvature and twist rate (κ1, κ2, τ) about d1, d2 and the tangent; start along x with d1 = y, d2 = z. */
const rows: Vector[] = [
  [3, 0, 0],
  [0, 3, 0],
  [2, 1, 0],
  [2, 1, 3],
  [0, 4, -2],
  [0.01, 0.02, 5],
  [0, 0, 5],
  [2, 0, 3],
  [2, -1.5, 4],
  [1e-7, 0, 0],
];

/** r(s) of a curve with constant Darboux vector: Rodrigues' formula. */
function exact([k1, k2, tau]: Vector, s: number): Vector {
  const omega: Vector = [tau, k1, k2];
  const w = hypotOf(omega);
  const cross = (a: Vector, b: Vector): Vector => [
    a[1] * b[2] - a[2] * b[1],
    a[2] * b[0] - a[0] * b[2],
    a[0] * b[1] - a[1] * b[0],
  ];
  const first = cross(omega, [1, 0, 0]);
  const second = cross(omega, first);
  const c = (2 * square(sin((w * s) / 2))) / (w * w);
  const d = w * s < 1e-4 ? pow(s, 3) / 6 : (w * s - sin(w * s)) / pow(w, 3);
  return [s + c * first[0] + d * second[0], c * first[1] + d * second[1], c * first[2] + d * second[2]];
}

/** A vector that turns with the frame, at s. */
function turned(v: Vector, [k1, k2, tau]: Vector, s: number): Vector {
  const w = hypot(tau, k1, k2);
  const axis = [tau / w, k1 / w, k2 / w];
  const [c, d] = [cos(w * s), sin(w * s)];
  const along = axis[0] * v[0] + axis[1] * v[1] + axis[2] * v[2];
  return [0, 1, 2].map((k) => {
    const across = axis[(k + 1) % 3] * v[(k + 2) % 3] - axis[(k + 2) % 3] * v[(k + 1) % 3];
    return c * v[k] + d * across + (1 - c) * along * axis[k];
  }) as Vector;
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

/** Helical elements are exact. */
const tolerance = (n: number, model: ModelId): number => (model === 'helix' ? 1e-10 : 3 / (n * n));

export const helixReconstruction: Case = defineCase({
  id: 'helix-reconstruction',
  topics: ['theory'],
  title: 'A straight rod relaxes to its natural helix',
  claim:
    'A rod that is laid straight but has a natural curvature and twist comes to rest on the helix with that curvature and torsion, whatever the mix of bending about d1, bending about d2 and twist.',
  group: 'bertails2006',
  source: "constant Darboux vector: Rodrigues' formula",
  models: ['der', 'helix', 'fiber', 'cosserat'],
  papers: [
    {
      paper: 'lou2013',
      figure: 'Reconstruction',
      claim:
        'A segment with a constant Darboux vector is rebuilt exactly by a rotation about it, and frames and positions are continuous across segments.',
    },
    {
      paper: 'lou2013',
      figure: 'Degenerate cases',
      claim: 'Without twist a segment is an arc of a circle; without curvature it is a straight line.',
      quantities: ['(3, 0, 0)', '(0, 3, 0)', '(2, 1, 0)', '(0, 0, 5)'].flatMap((k) => [
        `largest distance, (κ1, κ2, τ) = ${k}`,
        `largest error of a frame, (κ1, κ2, τ) = ${k}`,
      ]),
    },
  ],
  quick: [20, 40],
  full: [20, 40, 80, 160],
  controls: [
    {
      path: ['rods', 0, 'natural', 'curvature', 1],
      label: 'Natural curvature',
      symbol: 'κ₂',
      unit: '1/m',
      low: 0,
      high: 10,
    },
    {
      path: ['rods', 0, 'natural', 'curvature', 2],
      label: 'Natural twist',
      symbol: 'τ',
      unit: '1/m',
      low: -6,
      high: 6,
    },
    twistingStiffness({ low: 0.1, high: 4 }),
  ],
  scene: () => scene(60, [0, 4, -2]),
  measure(n, model) {
    return Object.fromEntries(
      rows.flatMap((row) => {
        const world = worldOf(scene(n, row, model));
        equilibrium(world);
        let worst = 0;
        for (let i = 0; i <= n; i++) worst = Math.max(worst, distance(nodeAt(world, 0, i), exact(row, (2 * i) / n)));
        const { edgeTangent, edgeDirector } = world.samples[0];
        let turn = 0;
        for (let j = 0; j < n; j++) {
          const s = (2 * j + 1) / n;
          turn = Math.max(
            turn,
            distance([...edgeTangent.slice(3 * j, 3 * j + 3)], turned([1, 0, 0], row, s)),
            distance([...edgeDirector.slice(3 * j, 3 * j + 3)], turned([0, 1, 0], row, s)),
          );
        }
        const name = `(κ1, κ2, τ) = (${row.join(', ')})`;
        return [
          [`largest distance, ${name}`, worst],
          [`largest error of a frame, ${name}`, turn],
        ];
      }),
    );
  },
  expect: Object.fromEntries(
    rows.flatMap((row) => [
      // below the floor there is no order to ask for
      [`largest distance, (κ1, κ2, τ) = (${row.join(', ')})`, { value: 0, tolerance, order: 1.9, floor: 1e-11 }],
      [
        `largest error of a frame, (κ1, κ2, τ) = (${row.join(', ')})`,
        { value: 0, tolerance: 1e-10, models: ['helix'] },
      ],
    ]),
  ),
});
