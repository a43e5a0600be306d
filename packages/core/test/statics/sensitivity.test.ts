/** Derivatives of equilibria, direct and adjoint, against central differences of equilibria and against closed forms. */
import { describe, expect, it } from 'vitest';
import {
  createDerivatives,
  createWorld,
  type EquilibriumOutput,
  type Scene,
  type SceneParameter,
  type Varying,
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
  stretch: number;
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
  stretch: 2e3,
};

/** A curved ribbon, clamped at its foot, bent and twisted by its weight and a force at its tip. */
function scene(
  { E, G, width, bend, turn, weight, pull, height, tilt }: Values,
  inextensible: boolean,
  follower: boolean,
): Scene {
  return {
    tendril: 1,
    gravity: [0, 0, -weight],
    rods: [
      {
        id: 'rod',
        shape: { type: 'straight', from: [0, 0, height], to: [0.3, 0, height] },
        frame: { d1: [0, 0, 1] },
        edges: 12,
        inextensible,
        natural: { curvature: [1, bend, turn] },
        section: { type: 'rectangle', width, height: 2e-3 },
        material: { E, G, density: 1100 },
      },
    ],
    pins: [
      {
        rod: 'rod',
        at: 'start',
        position: [0, 0, height],
        tangent: [Math.cos(tilt), 0, Math.sin(tilt)],
        d1: [-Math.sin(tilt), 0, Math.cos(tilt)],
      },
    ],
    loads: [{ type: 'force', rod: 'rod', at: 'end', force: [0, pull, 0], ...(follower && { frame: 'material' }) }],
    statics: { tolerance: 1e-12 },
  };
}

function parameterOf(name: keyof Values, build: (values: Values) => Scene): SceneParameter {
  return { name, value: values[name], scene: (value) => build({ ...values, [name]: value }) };
}

function rest(one: Scene): World {
  const world = createWorld(one);
  expect(world.equilibrate().every(({ converged }) => converged)).toBe(true);
  return world;
}

const keys = ['tipX', 'tipY', 'bending', 'total', 'force', 'torque', 'frequency'] as const;
const outputs: Readonly<Record<string, EquilibriumOutput>> = {
  tipX: { of: ({ samples: [{ nodePosition }] }) => nodePosition[36], coordinate: { rod: 0, node: 12, axis: 0 } },
  tipY: { of: ({ samples: [{ nodePosition }] }) => nodePosition[37], coordinate: { rod: 0, node: 12, axis: 1 } },
  bending: { of: (world) => world.energies().bending },
  total: { of: (world) => world.energies().total },
  force: {
    of: (world) => world.reactions()[0].force[2],
    reaction: { rod: 0, node: 0, of: 'force', axis: 2 },
  },
  torque: {
    of: (world) => world.reactions()[0].torque[1],
    reaction: { rod: 0, node: 0, of: 'torque', axis: 1 },
  },
  frequency: { of: (world) => world.modes(2)[0].omega[0], frequency: { rod: 0, index: 0 } },
};

/** Central differences of equilibria; all start from the same state, so that they are on the same branch. */
function differencesOf(
  world: World,
  { value, scene: build }: SceneParameter,
  keys: readonly string[],
): ReadonlyMap<string, number> {
  const state = world.save();
  const h = 1e-4 * value;
  const rows = [1, -1, 2, -2].map((k) => {
    const other = createWorld(build(value + k * h));
    other.restore(state);
    expect(other.equilibrate()[0].converged).toBe(true);
    return keys.map((key) => outputs[key].of(other));
  });
  return new Map(keys.map((key, k) => [key, (8 * (rows[0][k] - rows[1][k]) - (rows[2][k] - rows[3][k])) / (12 * h)]));
}

describe.each([
  { what: 'extensible', inextensible: false, follower: false },
  { what: 'inextensible', inextensible: true, follower: false },
  { what: 'with a follower force', inextensible: true, follower: true },
])('derivatives of a rod, $what', ({ inextensible, follower }) => {
  const build = (one: Values): Scene => scene(one, inextensible, follower);
  const world = rest(build(values));
  const before = world.hash();
  const derivatives = createDerivatives(world);
  const names = ['E', 'G', 'width', 'bend', 'turn', 'weight', 'pull', 'height', 'tilt'] as const;

  it('direct and adjoint derivatives are those of the equilibria', () => {
    // frequencies under loads without a potential have no derivative here
    const asked = keys.filter((key) => !(follower && key === 'frequency'));
    const gradients = asked.map((key) => ({
      key,
      output: outputs[key],
      gradient: derivatives.gradientOf(outputs[key]),
    }));
    for (const name of names) {
      const parameter = parameterOf(name, build);
      const direct = derivatives.by(parameter);
      expect(direct.error).toBeLessThan(1e-6);
      const differences = differencesOf(world, parameter, asked);
      for (const { key, output, gradient } of gradients) {
        const expected = differences.get(key) ?? Number.NaN;
        const scale = Math.abs(output.of(world) / parameter.value);
        if (name !== 'height' && key !== 'force') expect(Math.abs(expected)).toBeGreaterThan(1e-5 * scale);
        const tolerance = 2e-6 * Math.max(scale, Math.abs(expected));
        for (const found of [direct.of(output), gradient.by(parameter)])
          expect(Math.abs(found - expected), `${key} by ${name}: ${found}, not ${expected}`).toBeLessThan(tolerance);
      }
    }
    expect(world.hash()).toBe(before);
  });

  it('fields: natural strain of single joints, and forces at nodes', () => {
    const [joint, node] = [6, 9];
    const along = (axis: number, value: number): Scene => {
      const whole = build(values);
      const [rod] = whole.rods;
      // all halves of the joint at this node, and no other
      const bump = (base: number, k: number): Varying =>
        k === axis ? { formula: `${base} + ${value} * (abs(u - ${joint / 12}) < ${0.49 / 12})` } : base;
      const curvature = [bump(1, 0), bump(values.bend, 1), bump(values.turn, 2)] as const;
      return { ...whole, rods: [{ ...rod, natural: { curvature } }] };
    };
    for (const key of ['tipY', 'bending', 'torque'] as const) {
      const gradient = derivatives.gradientOf(outputs[key]);
      const { node: nodes, derivative } = gradient.byNatural(0);
      const i = Array.from(nodes).indexOf(joint);
      for (const axis of [0, 1, 2]) {
        const parameter: SceneParameter = { name: 'bump', value: 0, scale: 1, scene: (value) => along(axis, value) };
        const expected = derivatives.by(parameter).of(outputs[key]);
        expect(Math.abs(expected)).toBeGreaterThan(1e-9);
        // halves are composed as rotations: their vectors add up but for the angle between them
        expect(derivative[3 * i + axis] / expected).toBeCloseTo(1, 2);
      }
      const push: SceneParameter = {
        name: 'push',
        value: 0.001,
        scene: (value) => {
          const whole = build(values);
          const force = { type: 'force', rod: 'rod', at: { node }, force: [0, 0, value - 0.001] } as const;
          return { ...whole, loads: [...(whole.loads ?? []), force] };
        },
      };
      if (key === 'tipY') expect(gradient.byNodeForce(0)[3 * node + 2] / gradient.by(push)).toBeCloseTo(1, 7);
    }
  });
});

describe('closed forms and limits', () => {
  const beam = (EI: number, load: number): Scene => ({
    tendril: 1,
    gravity: [0, 0, 0],
    rods: [
      {
        id: 'beam',
        shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
        edges: 20,
        section: { type: 'stiffness', EI1: EI, EI2: EI, GJ: 1, mass: 0.1 },
      },
    ],
    pins: [{ rod: 'beam', at: 'start' }],
    loads: [{ type: 'force', rod: 'beam', at: 'end', force: [0, 0, -load] }],
  });
  const tip: EquilibriumOutput = {
    of: ({ samples: [{ nodePosition }] }) => nodePosition[62],
    coordinate: { rod: 0, node: 20, axis: 2 },
  };
  const [EI, load] = [2, 1e-4];

  it('cantilever: PL³/3EI, and influence of a force and of natural curvature along it', () => {
    const derivatives = createDerivatives(rest(beam(EI, load)));
    const gradient = derivatives.gradientOf(tip);
    const byEI = gradient.by({ name: 'EI', value: EI, scene: (value) => beam(value, load) });
    // the discrete cantilever is softer by 1/2n²
    expect(byEI / (load / (3 * EI * EI))).toBeCloseTo(1 + 1 / 800, 6);
    const force = gradient.byNodeForce(0);
    // deflection of the tip by a force at x: x²(3L − x)/6EI
    for (const node of [5, 12, 20])
      expect(force[3 * node + 2] / (((node / 20) ** 2 * (3 - node / 20)) / (6 * EI))).toBeCloseTo(1, 2);
    // natural curvature over ds at x turns the rest of the rod: (L − x) ds
    const { node, length, derivative } = gradient.byNatural(0);
    for (let i = 1; i < node.length; i++)
      expect(Math.hypot(derivative[3 * i], derivative[3 * i + 1]) / ((1 - node[i] / 20) * length[i])).toBeCloseTo(1, 3);
  });

  it('refuses twin frequencies, states that are no equilibria, and other models', () => {
    const world = rest(beam(EI, load));
    const output: EquilibriumOutput = { of: (one) => one.modes(1)[0].omega[0], frequency: { rod: 0, index: 0 } };
    expect(() => createDerivatives(world).gradientOf(output)).toThrow(/same frequency/);
    const moving = createWorld(beam(EI, 1));
    expect(() => createDerivatives(moving)).toThrow(/not in equilibrium/);
    const [rod] = beam(EI, load).rods;
    expect(() => createWorld({ ...beam(EI, load), rods: [{ ...rod, model: 'strand' }] }).linearize()).toThrow(
      /model der/,
    );
  });
});
