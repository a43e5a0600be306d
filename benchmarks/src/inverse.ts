/** Rows about derivatives and inverse problems: a gradient beside a Newton step, rest shapes of a groom, a fit. */
import { createDerivatives, createWorld, fitLeastSquares, type RodSpec, type Scene } from '@tendril-sim/core';
import { compare, time } from './measure.ts';
import type { Row } from './rows.ts';

const rope = (EI: number): Scene => ({
  tendril: 1,
  gravity: [0, 0, -9.81],
  rods: [
    {
      id: 'rope',
      shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
      edges: 100,
      inextensible: true,
      section: { type: 'stiffness', EI1: EI, EI2: 2 * EI, GJ: EI, mass: 0.1 },
    },
  ],
  pins: [{ rod: 'rope', at: 'start' }],
});

/** Adjoint gradient of the height of the tip with respect to the natural strain of all joints; its ratio to assembling and factoring the tangent. */
export function gradientRow(): Row {
  const world = createWorld(rope(0.2));
  world.equilibrate();
  const derivatives = createDerivatives(world);
  const [tangent] = world.linearize();
  const tip = {
    of: ({ samples: [{ nodePosition }] }: typeof world): number => nodePosition[302],
    coordinate: { rod: 0, node: 100, axis: 2 },
  } as const;
  const { timing, ratio } = compare(
    () => void derivatives.gradientOf(tip),
    () => void tangent.factor(),
    50,
  );
  return {
    name: 'gradient-101',
    nodes: 101,
    timing,
    iterations: 0,
    note: `adjoint of one output; ${ratio.toFixed(2)} times assembling and factoring the tangent`,
  };
}

/** 1,000 curls of 32 nodes with `natural: equilibrium`, beside the same world without. */
export function restShapeRow(): Row {
  const curl = (k: number, natural: 'initial' | 'equilibrium'): RodSpec => ({
    id: `curl-${k}`,
    shape: { type: 'helix', center: [0.02 * k, 0, 0], axis: [1, 0, -1], radius: 6e-3, pitch: 2e-2, turns: 3 },
    edges: 31,
    inextensible: true,
    natural,
    section: { type: 'circle', radius: 3e-4 },
    material: { E: 3e8, G: 1e8, density: 1300 },
  });
  const groom = (natural: 'initial' | 'equilibrium'): Scene => {
    const rods = Array.from({ length: 1000 }, (_, k) => curl(k, natural));
    return { tendril: 1, gravity: [0, 0, -9.81], rods, pins: rods.map(({ id }) => ({ rod: id, at: 'start' })) };
  };
  const plain = time(() => void createWorld(groom('initial')), 1, 3);
  const timing = time(() => void createWorld(groom('equilibrium')), 1, 3);
  const extra = 1000 * (timing.seconds - plain.seconds);
  return {
    name: 'rest-shapes-1000x32',
    nodes: 32_000,
    timing,
    iterations: 0,
    note: `a world of 1,000 curls that do not sag; ${extra.toFixed(0)} ms of it for their natural shapes; goal: 1 s`,
  };
}

/** Three parameters of a hanging curl from twenty shapes of 31 nodes. */
export function fitRow(): Row {
  const curl = (values: ArrayLike<number>, weight: number): Scene => ({
    tendril: 1,
    gravity: [0, 0, -weight],
    rods: [
      {
        id: 'curl',
        shape: { type: 'straight', from: [0, 0, 0], to: [0, 0, -0.2] },
        frame: { d1: [1, 0, 0] },
        edges: 30,
        inextensible: true,
        natural: { curvature: [0, values[2], 20] },
        section: { type: 'stiffness', EI1: values[0], EI2: values[0], GJ: values[1], mass: 1e-4 },
      },
    ],
    pins: [{ rod: 'curl', at: 'start' }],
  });
  const weights = Array.from({ length: 20 }, (_, k) => 5 + 0.5 * k);
  const solve = (values: ArrayLike<number>, weight: number): ReturnType<typeof createWorld> => {
    const world = createWorld(curl(values, weight));
    world.equilibrate();
    return world;
  };
  const data = weights.map((weight) => solve([2e-7, 1.5e-7, 60], weight).samples[0].nodePosition.slice());
  const start = [2.4e-7, 1.3e-7, 55];
  const parameters = ['EI', 'GJ', 'bend'].map((name, k) => ({ name, start: start[k] }));
  const timing = time(
    () =>
      void fitLeastSquares(parameters, {
        estimateDeviation: true,
        evaluate(values) {
          const worlds = weights.map((weight) => solve(values, weight));
          return {
            residual: Float64Array.from(
              worlds.flatMap(({ samples: [{ nodePosition }] }, e) =>
                Array.from(nodePosition, (x, k) => x - data[e][k]),
              ),
            ),
            jacobian: () =>
              Float64Array.from(
                worlds.flatMap((world, e) => {
                  const derivatives = createDerivatives(world, { checks: false });
                  const columns = parameters.map(({ name }, k) =>
                    derivatives
                      .by({
                        name,
                        value: values[k],
                        scene: (value) =>
                          curl(
                            values.map((one, j) => (j === k ? value : one)),
                            weights[e],
                          ),
                      })
                      .nodeDisplacement(0),
                  );
                  return Array.from(data[e]).flatMap((_, m) => columns.map((column) => column[m]));
                }),
              ),
          };
        },
      }),
    0.5,
    3,
  );
  return {
    name: 'fit-3x20',
    nodes: 620,
    timing,
    iterations: 0,
    note: 'three parameters of a curl from twenty shapes; goal: 2 s',
  };
}
