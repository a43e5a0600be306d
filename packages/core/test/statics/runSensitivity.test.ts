/** Derivatives of runs by the discrete adjoint, against central differences of runs and against closed forms. */
import { describe, expect, it } from 'vitest';
import {
  createWorld,
  differentiateRun,
  type RunOutput,
  type Scene,
  type SceneParameter,
  StoppedError,
  type World,
} from '../../src/index.ts';

interface Values {
  E: number;
  G: number;
  width: number;
  bend: number;
  turn: number;
  weight: number;
  pull: number;
  height: number;
  tilt: number;
  spin: number;
  speed: number;
  damping: number;
  viscosity: number;
  drag: number;
}

const values: Values = {
  E: 2e6,
  G: 8e5,
  width: 4e-3,
  bend: 3,
  turn: 5,
  weight: 9.81,
  pull: 0.01,
  height: 0.1,
  tilt: 0.2,
  spin: 3,
  speed: 0.3,
  damping: 0.7,
  viscosity: 2e-3,
  drag: 0.05,
};

type Variant = 'stiff' | 'inextensible' | 'damped' | 'euler' | 'wind';

/** A curved ribbon whose clamp turns and rises, swinging under its weight. */
function scene(given: Values, variant: Variant): Scene {
  const { E, G, width, bend, turn, weight, pull, height, tilt, spin, speed, damping, viscosity, drag } = given;
  const damped = variant === 'damped' || variant === 'euler';
  return {
    tendril: 1,
    gravity: [0, 0, -weight],
    rods: [
      {
        id: 'rod',
        shape: { type: 'straight', from: [0, 0, height], to: [0.3, 0, height] },
        frame: { d1: [0, 0, 1] },
        edges: 9,
        inextensible: variant === 'inextensible',
        natural: { curvature: [1, bend, turn] },
        section: { type: 'rectangle', width, height: 2e-3 },
        material: {
          E,
          G,
          density: 1100,
          ...(damped && { damping: { mass: damping, stiffness: viscosity } }),
        },
      },
    ],
    pins: [
      {
        rod: 'rod',
        at: 'start',
        position: [0, 0, height],
        tangent: [Math.cos(tilt), 0, Math.sin(tilt)],
        d1: [-Math.sin(tilt), 0, Math.cos(tilt)],
        path: {
          interpolation: 'smooth',
          keys: [
            { time: 0, offset: [0, 0, 0], rotation: [0, 0, 0] },
            { time: 0.2, offset: [0, 0, 0.1 * speed], rotation: [0.2 * spin, 0, 0.1 * spin] },
          ],
        },
      },
    ],
    loads: [
      { type: 'force', rod: 'rod', at: 'end', force: [0, pull, 0], ...(variant === 'wind' && { frame: 'material' }) },
    ],
    ...(variant === 'wind' && {
      fields: [{ type: 'air', wind: [0, 2, 0], linear: [drag, 0.3 * drag] }],
    }),
    time: { duration: 0.1, step: 4e-3 },
    solver: { der: { tolerance: 1e-12, ...(variant === 'euler' && { integrator: 'implicit-euler' }) } },
  } as Scene;
}

const parameterOf = (name: keyof Values, variant: Variant): SceneParameter => ({
  name,
  value: values[name],
  scene: (value) => scene({ ...values, [name]: value }, variant),
});

const outputs: Readonly<Record<string, RunOutput>> = {
  tipX: { of: ({ samples: [{ nodePosition }] }) => nodePosition[27], coordinate: { rod: 0, node: 9, axis: 0 } },
  tipY: { of: ({ samples: [{ nodePosition }] }) => nodePosition[28] },
  tipZ: { of: ({ samples: [{ nodePosition }] }) => nodePosition[29] },
  speedY: { of: ({ samples: [{ nodeVelocity }] }) => nodeVelocity[28] },
  turned: { of: ({ samples: [{ edgeDirector }] }) => edgeDirector[25] },
  bending: { of: (world) => world.energies().bending },
  total: { of: (world) => world.energies().total },
  force: { of: (world) => world.reactions()[0].force[2] },
  path: { of: ({ samples: [{ nodePosition }] }) => nodePosition[28], weight: ({ time }) => Math.sin(40 * time) },
};
const keys = Object.keys(outputs);

function readRun(one: Scene): number[] {
  const world: World = createWorld(one);
  const sums = keys.map(() => 0);
  const count = Math.round((one.time?.duration ?? 0) / (one.time?.step ?? 1));
  for (let n = 1; n <= count; n++) {
    expect(world.step().substeps).toBe(1);
    keys.forEach((key, k) => {
      const { of, weight = () => (n === count ? 1 : 0) } = outputs[key];
      const w = weight({ time: world.time, isLast: n === count });
      if (w !== 0) sums[k] += w * of(world);
    });
  }
  return sums;
}

/** Differences of fourth order. */
function differencesOf({ value, scene: build }: SceneParameter): number[] {
  const h = 1e-4 * value;
  const [a, b, c, d] = [1, -1, 2, -2].map((k) => readRun(build(value + k * h)));
  return keys.map((_, k) => (8 * (a[k] - b[k]) - (c[k] - d[k])) / (12 * h));
}

const everywhere = ['E', 'G', 'width', 'bend', 'turn', 'weight', 'pull', 'height', 'tilt', 'spin', 'speed'] as const;

describe.each([
  { variant: 'stiff', names: everywhere },
  { variant: 'inextensible', names: everywhere },
  { variant: 'damped', names: [...everywhere, 'damping', 'viscosity'] },
  { variant: 'euler', names: [...everywhere, 'damping', 'viscosity'] },
  { variant: 'wind', names: [...everywhere, 'drag'] },
] as const)('a swinging ribbon, $variant', ({ variant, names }) => {
  it('has the derivatives of central differences of runs', () => {
    const parameters = names.map((name) => parameterOf(name, variant));
    const found = differentiateRun(scene(values, variant), { outputs: Object.values(outputs), parameters });
    const exact = readRun(scene(values, variant));
    keys.forEach((key, k) => {
      expect(found.values[k], key).toBeCloseTo(exact[k], 12);
    });
    let compared = 0;
    parameters.forEach((parameter, p) => {
      const differences = differencesOf(parameter);
      keys.forEach((key, k) => {
        // what a change of the parameter by itself does to the output, relative to the largest such change
        const scale = Math.max(...parameters.map((other, q) => Math.abs(other.value * found.derivatives[k][q])));
        const error = Math.abs(parameter.value * (found.derivatives[k][p] - differences[k])) / scale;
        expect(error, `${key} by ${parameter.name}: ${found.derivatives[k][p]}, ${differences[k]}`).toBeLessThan(1e-5);
        if (Math.abs(parameter.value * differences[k]) > 1e-4 * scale) compared++;
      });
    });
    // most pairs depend on each other
    expect(compared).toBeGreaterThan(0.7 * keys.length * parameters.length);
  });
});

describe('a run', () => {
  const ribbon = scene(values, 'stiff');
  const E = parameterOf('E', 'stiff');
  const tip = outputs.tipX;

  it('in free flight has the derivatives of a thrown point', () => {
    const thrown = (speed: number, weight: number): Scene => ({
      tendril: 1,
      gravity: [0, 0, -weight],
      rods: [
        {
          id: 'rod',
          shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
          edges: 4,
          section: { type: 'circle', radius: 1e-3 },
          material: { E: 1e9, nu: 0.3, density: 1000 },
          velocity: { linear: [0, 0, speed] },
        },
      ],
      time: { duration: 0.5, step: 0.01 },
    });
    const {
      values: [height],
      derivatives: [[bySpeed, byWeight]],
      steps,
    } = differentiateRun(thrown(3, 10), {
      outputs: [{ of: ({ samples: [{ nodePosition }] }) => nodePosition[14] }],
      parameters: [
        { name: 'speed', value: 3, scene: (value) => thrown(value, 10) },
        { name: 'weight', value: 10, scene: (value) => thrown(3, value) },
      ],
    });
    expect(steps).toBe(50);
    expect(height).toBeCloseTo(3 * 0.5 - 5 * 0.25, 9);
    expect(bySpeed).toBeCloseTo(0.5, 7);
    expect(byWeight).toBeCloseTo(-0.125, 7);
  });

  it('of N steps keeps about 2√N states', () => {
    const long = { ...ribbon, time: { duration: 0.2, step: 5e-4 } };
    const { states, steps } = differentiateRun(long, { outputs: [tip], parameters: [] });
    expect(steps).toBe(400);
    expect(states).toBeLessThanOrEqual(42);
  });

  it('may end with a shorter step, and before the end of the scene', () => {
    const found = differentiateRun(ribbon, { outputs: [tip], parameters: [E], until: 0.0105 });
    expect(found.steps).toBe(3);
    const h = 1e-3 * E.value;
    const [above, below] = [1, -1].map((sign) => {
      const world = createWorld(E.scene(E.value + sign * h));
      for (const dt of [4e-3, 4e-3, 2.5e-3]) world.step(dt);
      return tip.of(world);
    });
    expect(found.derivatives[0][0] / ((above - below) / (2 * h))).toBeCloseTo(1, 4);
  });

  it('stops when it is asked to, forwards and backwards', () => {
    for (const limit of [0.1, 0.6])
      expect(() =>
        differentiateRun(ribbon, { outputs: [tip], parameters: [E], onStep: (done) => done > limit }),
      ).toThrow(StoppedError);
  });

  const differentiate = (one: Scene, parameter = E): unknown =>
    differentiateRun(one, { outputs: [tip], parameters: [parameter] });

  it('with what has no derivative is rejected', () => {
    const [rod] = ribbon.rods;
    const reject = (change: Partial<Scene>, message: string): void =>
      expect(() => differentiate({ ...ribbon, ...change })).toThrow(message);
    reject({ solver: { der: { integrator: 'bdf2' } } }, 'tr-bdf2 and implicit-euler, not bdf2');
    reject({ rods: [{ ...rod, model: 'helix', inextensible: true }] }, 'model der');
    reject({ contact: {} }, 'contact');
    const law = { type: 'viscoelastic', terms: [{ ratio: 1, time: 1 }] } as const;
    reject({ rods: [{ ...rod, law }] }, "the law 'viscoelastic'");
    const slower = { ...E, scene: (value: number) => ({ ...ribbon, time: { duration: 0.1, step: 4e-9 * value } }) };
    expect(() => differentiate(ribbon, slower)).toThrow('changes the steps');
  });

  it('with a pin that is released has no derivative there', () => {
    const [pin] = ribbon.pins ?? [];
    expect(() => differentiate({ ...ribbon, pins: [{ ...pin, release: 0.0501 }] })).toThrow(
      "rod 'rod': the step from t = 0.048 s was not a single step",
    );
  });
});
