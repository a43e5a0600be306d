import { describe, expect, it } from 'vitest';
import type { Vector } from '../../src/curve/vector.ts';
import { cross, distance, dot, vectorOf } from '../../src/curve/vector.ts';
import { createWorld } from '../../src/index.ts';
import type { LoadSource, Loads, Samples } from '../../src/port.ts';
import { createLoads } from '../../src/port.ts';
import type { Rod } from '../../src/scene/compiled.ts';
import { compileScene } from '../../src/scene/compileScene.ts';
import type { FieldSpec, LoadSpec, RodSpec, Scene, Varying } from '../../src/scene/types.ts';
import { expectSceneError, samplesOf, sceneOf, sum, vectorAt } from './support.ts';

interface Setup {
  readonly rod: Rod;
  readonly source: LoadSource;
  readonly samples: Samples;
}
function setUp(rest: Partial<Scene>, change: Partial<RodSpec> = {}): Setup {
  const { rods, drives } = compileScene(sceneOf(change, rest));
  expect(drives[0].sources).toHaveLength(1);
  return { rod: rods[0], source: drives[0].sources[0], samples: samplesOf(rods[0]) };
}
/** Each kind of load without its rod. */
type Rodless<T> = T extends unknown ? Omit<T, 'rod'> : never;
const load = (spec: Rodless<LoadSpec>, change: Partial<RodSpec> = {}): Setup =>
  setUp({ loads: [{ rod: 'a', ...spec } as LoadSpec] }, change);
const field = (spec: FieldSpec, change: Partial<RodSpec> = {}): Setup => setUp({ fields: [spec] }, change);
function loadsAt({ rod, source, samples }: Setup, t = 0): Loads {
  const loads = createLoads(rod);
  source.addLoads(loads, samples, t);
  return loads;
}
const total = (array: ArrayLike<number>): Vector =>
  vectorOf((axis) => sum(Array.from(array).filter((_, k) => k % 3 === axis)));
const curved = { shape: { type: 'helix', radius: 0.3, pitch: 0.4, turns: 1 }, edges: 12 } as const;

/** Power equals minus the rate of the potential, for random motions. */
function expectPotential(setup: Setup, t: number): void {
  const { source, samples } = setup;
  const { nodeForce } = loadsAt(setup, t);
  const motion = Array.from(nodeForce, (_, k) => Math.sin(7 * k + 1));
  const moved = (h: number): Samples => ({
    ...samples,
    nodePosition: samples.nodePosition.map((x, k) => x + h * motion[k]),
  });
  const h = 1e-3;
  const rate = (source.potential(moved(h), t) - source.potential(moved(-h), t)) / (2 * h);
  const power = sum(motion.map((v, k) => v * nodeForce[k]));
  expect(Math.abs(power)).toBeGreaterThan(1e-6);
  expect(power).toBeCloseTo(-rate, 8);
}

describe('gravity', () => {
  it('pulls with the weight and has a potential', () => {
    const setup = setUp(
      {
        gravity: {
          acceleration: [0, -9.81, 1],
          factor: {
            keys: [
              [0, 0],
              [2, 1],
            ],
            interpolation: 'linear',
          },
        },
      },
      curved,
    );
    const weight = sum(setup.rod.nodeMass);
    expect(distance(total(loadsAt(setup, 1).nodeForce), [0, (-9.81 * weight) / 2, weight / 2])).toBeLessThan(1e-14);
    expect(loadsAt(setup, 0).nodeForce.every((f) => f === 0)).toBe(true);
    expect(setup.source.dependsOnState).toBe(false);
    expectPotential(setup, 1.5);
  });
  it('plain vector; nothing when absent or zero', () => {
    const setup = setUp({ gravity: [-2, 0, -1] });
    // the centre of mass is at x = 1
    expect(setup.source.potential(setup.samples, 0)).toBeCloseTo(2 * sum(setup.rod.nodeMass), 14);
    expect(compileScene(sceneOf({}, { gravity: [0, 0, 0] })).drives[0].sources).toEqual([]);
  });
});

describe('point force', () => {
  it('inside an edge has the power of the force at that place', () => {
    const setup = load({ type: 'force', at: { u: 0.33 }, force: [1, 2, 3] });
    const { nodeForce } = loadsAt(setup);
    // on edge 3 at 0.3 of its length
    expect(vectorAt(nodeForce, 3)).toEqual([0.7, 1.4, 2.1].map((f) => expect.closeTo(f, 12)));
    expect(vectorAt(nodeForce, 4)).toEqual([0.3, 0.6, 0.9].map((f) => expect.closeTo(f, 12)));
    expect(distance(total(nodeForce), [1, 2, 3])).toBeLessThan(1e-14);
    expectPotential(setup, 0);
  });
  it('at ends and nodes', () => {
    expect(vectorAt(loadsAt(load({ type: 'force', at: 'end', force: [0, 1, 0] })).nodeForce, 10)).toEqual([0, 1, 0]);
    expect(vectorAt(loadsAt(load({ type: 'force', at: 'start', force: [0, 1, 0] })).nodeForce, 0)).toEqual([0, 1, 0]);
    expect(vectorAt(loadsAt(load({ type: 'force', at: { node: 4 }, force: [0, 1, 0] })).nodeForce, 4)).toEqual([
      0, 1, 0,
    ]);
    expect(vectorAt(loadsAt(load({ type: 'force', at: { s: 0.8 }, force: [0, 1, 0] })).nodeForce, 4)).toEqual([
      0, 1, 0,
    ]);
  });
  it('follower turns with the rod and has no potential', () => {
    const setup = load({ type: 'force', frame: 'material', at: { node: 5 }, force: [1, 2, 3] }, curved);
    const f = vectorAt(loadsAt(setup).nodeForce, 5);
    const t = vectorAt(setup.rod.nodeTangent, 5);
    const d1 = vectorAt(setup.rod.nodeDirector, 5);
    expect([dot(f, d1), dot(f, cross(t, d1)), dot(f, t)]).toEqual([1, 2, 3].map((x) => expect.closeTo(x, 1)));
    expect(dot(f, f)).toBeCloseTo(14, 12);
    expect(setup.source.dependsOnState).toBe(true);
    expect(setup.source.potential(setup.samples, 0)).toBe(0);
  });
  it('follower at an end uses the frame there, half an edge beyond that of the last edge', () => {
    for (const [at, node, edge] of [
      ['end', 12, 11],
      ['start', 0, 0],
    ] as const) {
      const setup = load({ type: 'force', frame: 'material', at, force: [0, 0, -2] }, curved);
      const force = vectorAt(loadsAt(setup).nodeForce, node);
      const away = (t: Vector): number => distance(force, [-2 * t[0], -2 * t[1], -2 * t[2]]);
      expect(away(vectorAt(setup.rod.nodeTangent, node))).toBeLessThan(0.05);
      expect(away(vectorAt(setup.samples.edgeTangent, edge))).toBeGreaterThan(0.4);
    }
  });
  it('factor by formula', () => {
    const setup = load({ type: 'force', at: 'end', force: [1, 0, 0], factor: { formula: 't^2' } });
    expect(loadsAt(setup, 3).nodeForce[30]).toBe(9);
    expectPotential(setup, 3);
  });
});

describe('torque', () => {
  it('acts on the last edge at the end, and between the middles of two edges elsewhere', () => {
    const edges = (at: LoadSpec extends infer T ? (T extends { at: infer A } ? A : never) : never): object => {
      const { edgeTorque } = loadsAt(load({ type: 'torque', at, torque: [0, 0, 2] }));
      expect(sum(edgeTorque)).toBeCloseTo(2, 14);
      const all = Array.from({ length: 10 }, (_, j) => [j, edgeTorque[3 * j + 2]] as const);
      return Object.fromEntries(all.filter(([, torque]) => torque !== 0));
    };
    expect(edges('end')).toEqual({ 9: 2 });
    expect(edges('start')).toEqual({ 0: 2 });
    expect(edges({ node: 4 })).toEqual({ 3: expect.closeTo(1, 12), 4: expect.closeTo(1, 12) });
    // the middles of edges 3 and 4 are at 0.35 and 0.45
    expect(edges({ u: 0.37 })).toEqual({ 3: expect.closeTo(1.6, 12), 4: expect.closeTo(0.4, 12) });
    expect(edges({ u: 0.98 })).toEqual({ 9: 2 });
  });
  it('follows in the frame of each edge', () => {
    const setup = load({ type: 'torque', frame: 'material', at: { u: 11.5 / 12 }, torque: [1, 0, 5] }, curved);
    const torque = vectorAt(loadsAt(setup).edgeTorque, 11);
    expect(dot(torque, vectorAt(setup.samples.edgeTangent, 11))).toBeCloseTo(5, 13);
    expect(dot(torque, vectorAt(setup.samples.edgeDirector, 11))).toBeCloseTo(1, 13);
    expect(setup.source.potential(setup.samples, 0)).toBe(0);
  });
});

describe('distributed force', () => {
  it('gives each node the rest length of its halves that is covered', () => {
    // from inside edge 2 (u = 0.23, before its middle) to inside edge 3 (u = 0.38, after its middle); L = 2
    const setup = load({ type: 'distributed', force: [0, 5, 0], from: 0.23, to: 0.38 });
    const { nodeForce } = loadsAt(setup);
    const y = (i: number): number => nodeForce[3 * i + 1];
    expect([y(1), y(2), y(3), y(4), y(5)]).toEqual(
      [0, 2 * 5 * 0.02, 2 * 5 * 0.1, 2 * 5 * 0.03, 0].map((f) => expect.closeTo(f, 13)),
    );
    expectPotential(setup, 0);
  });
  it('whole rod by default, follower too', () => {
    expect(total(loadsAt(load({ type: 'distributed', force: [3, 0, 0] }, curved)).nodeForce)[0]).toBeCloseTo(
      3 * setUpLength(),
      12,
    );
    const setup = load({ type: 'distributed', frame: 'material', force: [0, 0, 3] }, curved);
    const { nodeForce } = loadsAt(setup);
    const first = vectorAt(setup.samples.edgeTangent, 0);
    const half = (3 * setup.rod.edgeLengthRest[0]) / 2;
    expect(distance(vectorAt(nodeForce, 0), [half * first[0], half * first[1], half * first[2]])).toBeLessThan(1e-14);
  });
  const setUpLength = (): number => load({ type: 'distributed', force: [3, 0, 0] }, curved).rod.length;
});

describe('air', () => {
  const moving = (spec: FieldSpec): Setup => {
    const setup = field(spec, curved);
    setup.samples.nodeVelocity.forEach((_, k) => {
      setup.samples.nodeVelocity[k] = Math.cos(3 * k);
    });
    return setup;
  };
  it('linear drag on a straight rod: normal and tangential', () => {
    const setup = field({ type: 'air', linear: [2, 0.5] });
    for (let i = 0; i <= 10; i++) setup.samples.nodeVelocity.set([1, 1, 0], 3 * i);
    expect(distance(total(loadsAt(setup).nodeForce), [-0.5 * 2, -2 * 2, 0])).toBeLessThan(1e-13);
  });
  it('quadratic drag is ½ρCd|v|v per length', () => {
    const setup = field({ type: 'air', wind: [0, 3, 0], quadratic: { density: 1.2, normal: 1.1 } });
    expect(total(loadsAt(setup).nodeForce)[1]).toBeCloseTo(0.5 * 1.2 * 1.1 * 2e-3 * 9 * 2, 13);
    const along = field({ type: 'air', wind: [-3, 0, 0], quadratic: { density: 1.2, normal: 1.1, tangential: 0.2 } });
    expect(total(loadsAt(along).nodeForce)[0]).toBeCloseTo(-0.5 * 1.2 * 0.2 * 2e-3 * 9 * 2, 13);
  });
  it('no drag at the speed of the wind, which may be a formula of place and time', () => {
    const setup = field({ type: 'air', wind: ['y + 2*t', 'x', '1'], linear: [1, 1] });
    const at = loadsAt(setup, 1).nodeForce;
    // edge 0 has its middle at x = 0.1, node 0 half an edge
    expect(vectorAt(at, 0)).toEqual([0.1 * 2, 0.1 * 0.1, 0.1].map((f) => expect.closeTo(f, 13)));
    setup.samples.nodeVelocity.forEach((_, k) => {
      setup.samples.nodeVelocity[k] = [2, 0.1, 1][k % 3];
    });
    expect(distance(vectorAt(loadsAt(setup, 1).nodeForce, 0), [0, 0, 0])).toBeLessThan(1e-15);
  });
  it('always takes energy, and nodeDrag is its exact, positive semidefinite derivative', () => {
    const setup = moving({ type: 'air', linear: [0.7, 0.2], quadratic: { density: 1000, normal: 1, tangential: 0.3 } });
    const { nodeForce, nodeDrag } = loadsAt(setup);
    const v = setup.samples.nodeVelocity;
    expect(sum(nodeForce.map((f, k) => f * v[k]))).toBeLessThan(-1e-3);
    const index = [
      [0, 1, 2],
      [1, 3, 4],
      [2, 4, 5],
    ];
    const h = 1e-6;
    for (const i of [0, 5, 12]) {
      for (let k = 0; k < 3; k++) {
        const keep = v[3 * i + k];
        v[3 * i + k] = keep + h;
        const plus = loadsAt(setup).nodeForce;
        v[3 * i + k] = keep - h;
        const minus = loadsAt(setup).nodeForce;
        v[3 * i + k] = keep;
        for (let m = 0; m < 3; m++)
          expect(nodeDrag[6 * i + index[m][k]]).toBeCloseTo((minus[3 * i + m] - plus[3 * i + m]) / (2 * h), 7);
      }
      const d = (m: number, k: number): number => nodeDrag[6 * i + index[m][k]];
      expect(d(0, 0)).toBeGreaterThan(0);
      expect(d(0, 0) * d(1, 1) - d(0, 1) ** 2).toBeGreaterThan(0);
    }
    expect(setup.source.dependsOnState).toBe(true);
  });
  it('acts on the rods named, with its factor', () => {
    const scene = sceneOf({}, { fields: [{ type: 'air', linear: [1, 1], rods: ['b'] }] });
    const { drives } = compileScene({ ...scene, rods: [scene.rods[0], { ...scene.rods[0], id: 'b' }] });
    expect(drives.map(({ sources }) => sources.length)).toEqual([0, 1]);
    const setup = field({ type: 'air', wind: [0, 1, 0], linear: [1, 1], factor: 3 });
    expect(total(loadsAt(setup).nodeForce)[1]).toBeCloseTo(6, 12);
  });
});

describe('force field', () => {
  it('per mass and per length', () => {
    const mass = field({ type: 'force', per: 'mass', formula: ['1', 't', 'x'] });
    const weight = sum(mass.rod.nodeMass);
    expect(distance(total(loadsAt(mass, 2).nodeForce), [weight, 2 * weight, weight])).toBeLessThan(1e-13);
    expect(mass.source.dependsOnState).toBe(true);
    const length = field({ type: 'force', per: 'length', formula: ['u', '0', 'noise(t)'] });
    expect(total(loadsAt(length).nodeForce)[0]).toBeCloseTo(1, 13);
    expect(length.source.dependsOnState).toBe(false);
    expectPotential(field({ type: 'force', per: 'length', formula: ['u', '1+t', '0'] }), 2);
  });
});

describe('errors', () => {
  const fails = (rest: Partial<Scene>, path: (string | number)[], message: RegExp, rod: Partial<RodSpec> = {}): void =>
    expectSceneError(() => compileScene(sceneOf(rod, rest)), path, message);
  it('loads', () => {
    fails(
      { loads: [{ rod: 'x', type: 'force', at: 'end', force: [0, 0, 0] }] },
      ['loads', 0, 'rod'],
      /unknown rod 'x'/,
    );
    fails(
      { loads: [{ rod: 'a', type: 'force', at: { s: 3 }, force: [0, 0, 0] }] },
      ['loads', 0, 'at', 's'],
      /rest length/,
    );
    fails(
      { loads: [{ rod: 'a', type: 'distributed', from: 0.6, to: 0.5, force: [0, 0, 0] }] },
      ['loads', 0, 'to'],
      /must rise/,
    );
    fails(
      { loads: [{ rod: 'a', type: 'distributed', from: -1, force: [0, 0, 0] }] },
      ['loads', 0, 'from'],
      /must rise/,
    );
    fails(
      { loads: [{ rod: 'a', type: 'force', at: 'end', force: [0, 0, 0], factor: { formula: 'x' } }] },
      ['loads', 0, 'factor', 'formula'],
      /unknown name 'x'.*t, pi/,
    );
    fails(
      {
        loads: [
          {
            rod: 'a',
            type: 'force',
            at: 'end',
            force: [0, 0, 0],
            factor: {
              keys: [
                [1, 0],
                [0, 1],
              ],
            },
          },
        ],
      },
      ['loads', 0, 'factor', 'keys', 1, 0],
      /increasing/,
    );
    fails({ gravity: { acceleration: [0, 0, 1], factor: { keys: [] } } }, ['gravity', 'factor', 'keys'], /empty/);
  });
  it('fields', () => {
    fails({ fields: [{ type: 'air' }] }, ['fields', 0], /does nothing/);
    fails({ fields: [{ type: 'air', linear: [1, -1] }] }, ['fields', 0, 'linear', 1], /zero or more/);
    fails(
      { fields: [{ type: 'air', quadratic: { density: -1, normal: 1 } }] },
      ['fields', 0, 'quadratic', 'density'],
      /zero or more/,
    );
    fails(
      { fields: [{ type: 'air', linear: [1, 1], wind: ['0', 'u', '0'] }] },
      ['fields', 0, 'wind', 1],
      /unknown name 'u'/,
    );
    fails(
      { fields: [{ type: 'force', per: 'mass', formula: ['0', '0', '1 +'] }] },
      ['fields', 0, 'formula', 2],
      /column 4/,
    );
    fails({ fields: [{ type: 'air', linear: [1, 1], rods: ['a', 'z'] }] }, ['fields', 0, 'rods', 1], /unknown rod 'z'/);
    const bare = { section: { type: 'stiffness', EI1: 1, GJ: 1, mass: 1 }, material: undefined } as const;
    fails(
      { fields: [{ type: 'air', quadratic: { density: 1, normal: 1 } }] },
      ['fields', 0, 'quadratic'],
      /give its stiffness section a radius/,
      bare,
    );
  });
});

describe('weight of a field', () => {
  it.each(['der', 'strand'] as const)('leaves parts of a rod alone, with %s', (model) => {
    const at = (weight: Varying | undefined, type: 'air' | 'force'): number => {
      const world = createWorld({
        tendril: 1,
        rods: [
          {
            id: 'rod',
            model,
            shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
            edges: 10,
            section: { type: 'stiffness', EI1: 1, GJ: 1, mass: 1 },
          },
        ],
        pins: [{ rod: 'rod', at: 'start' }],
        fields: [
          type === 'air'
            ? { type, wind: [0, 0, -1], linear: [0.1, 0.1], ...(weight !== undefined && { weight }) }
            : { type, per: 'length', formula: ['0', '0', '-0.1'], ...(weight !== undefined && { weight }) },
        ],
      });
      expect(world.equilibrate()[0].converged).toBe(true);
      return world.reactions()[0].force[2];
    };
    for (const type of ['air', 'force'] as const) {
      expect(at(undefined, type)).toBeCloseTo(0.1, 6);
      expect(at(0.5, type)).toBeCloseTo(0.05, 6);
      expect(at({ formula: 'u' }, type)).toBeCloseTo(0.05, 2);
      expect(() => at(-1, type)).toThrow(/zero or more/);
    }
  });
});
