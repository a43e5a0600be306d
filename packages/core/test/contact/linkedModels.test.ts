/** Equilibria and modes of linked rods of every model that has links: against the theory of beams, and against der. */
import { describe, expect, it } from 'vitest';
import { createWorld, type ModelId, type Scene, type Vec3 } from '../../src/index.ts';

const radius = 0.002;
const E = 1e9;
const EI = (E * Math.PI * radius ** 4) / 4;
const length = 0.4;

/** Two clamped beams whose tips meet and are joined by a spring; P pulls the first one down. */
function beams(first: ModelId, second: ModelId, P: number, stiffness: number): Scene {
  const rod = (id: string, model: ModelId, x: number): Scene['rods'][number] => ({
    id,
    model,
    shape: { type: 'straight', from: [x, 0, 0], to: [length, 0, 0] },
    edges: 24,
    section: { type: 'circle', radius },
    material: { E, nu: 0.3, density: 1000 },
  });
  return {
    tendril: 1,
    rods: [rod('first', first, 0), rod('second', second, 2 * length)],
    pins: ['first', 'second'].map((id) => ({ rod: id, at: 'start' })),
    loads: [{ type: 'force', rod: 'first', at: 'end', force: [0, 0, -P] }],
    links: [{ rod: 'first', at: 'end', to: { rod: 'second', at: 'end' }, stiffness }],
  };
}

function settle(scene: Scene): { tips: number[]; force: number; converged: boolean; stable: boolean } {
  const world = createWorld(scene);
  const reports = world.equilibrate();
  const [{ force }] = world.linkForces();
  return {
    tips: world.samples.map(({ nodePosition }) => nodePosition[3 * 24 + 2]),
    force: Math.abs(force[2]),
    converged: reports.every(({ converged }) => converged),
    stable: reports.every(({ stable }) => stable),
  };
}

describe('rods that a spring joins', () => {
  const compliance = length ** 3 / (3 * EI);
  const P = (0.002 * length) / compliance;

  it.each<[ModelId, ModelId]>([
    ['der', 'der'],
    ['helix', 'helix'],
    ['strand', 'strand'],
    ['fiber', 'fiber'],
    ['cosserat', 'cosserat'],
    ['massspring', 'massspring'],
    ['helix', 'der'],
    ['fiber', 'cosserat'],
    ['massspring', 'der'],
  ])('share the load as beams do: %s and %s', (first, second) => {
    for (const stiffness of [0.5 / compliance, 100 / compliance]) {
      const found = settle(beams(first, second, P, stiffness));
      expect(found).toMatchObject({ converged: true, stable: true });
      const share = (stiffness * compliance) / (1 + 2 * stiffness * compliance);
      // with 24 edges the springs of massspring are softer by 1.6 %
      const tolerance = first === 'massspring' ? 0.02 : 0.005;
      expect(Math.abs(found.force / P - share)).toBeLessThan(tolerance);
      expect(Math.abs(found.tips[0] / (P * compliance) - (share - 1))).toBeLessThan(tolerance);
      expect(Math.abs(found.tips[1] / (P * compliance) + share)).toBeLessThan(tolerance);
    }
  });

  it.each<ModelId>(['helix', 'strand', 'fiber', 'cosserat', 'massspring'])(
    'agree with der where they bend far: %s',
    (model) => {
      const scene = (id: ModelId): Scene => beams(id, id, 200 * P, 3 / compliance);
      const [one, other] = [settle(scene(model)), settle(scene('der'))];
      expect(one.converged).toBe(true);
      expect(other.tips[0]).toBeLessThan(-0.15 * length);
      for (let r = 0; r < 2; r++) expect(Math.abs(one.tips[r] - other.tips[r])).toBeLessThan(0.01 * length);
      expect(Math.abs(one.force / other.force - 1)).toBeLessThan(model === 'massspring' ? 0.03 : 0.02);
    },
  );
});

function straight(id: string, model: ModelId, from: Vec3, to: Vec3, edges: number): Scene['rods'][number] {
  return {
    id,
    model,
    shape: { type: 'straight', from, to },
    edges,
    section: { type: 'circle', radius },
    material: { E, nu: 0.3, density: 1000 },
  };
}

/** A bar on two clamped beams, held by its crossings alone, `apart` above the beams, and pulled down at one end. */
function bar(model: ModelId, edges: number, apart: number, about: 'normal' | 'all', mixed = model): Scene {
  return {
    tendril: 1,
    rods: [
      straight('left', model, [0, 0, 0], [0.4, 0, 0], edges),
      straight('right', mixed, [0, 0.2, 0], [0.4, 0.2, 0], edges),
      straight('bar', model, [0.3, -0.1, apart], [0.3, 0.3, apart], edges),
    ],
    pins: ['left', 'right'].map((rod) => ({ rod, at: 'start' })),
    loads: [{ type: 'force', rod: 'bar', at: 'end', force: [0.015, 0, -0.3] }],
    links: [
      { rod: 'left', at: { u: 0.75 }, to: { rod: 'bar', at: { u: 0.25 } }, stiffness: 2000 },
      { rod: 'right', at: { u: 0.75 }, to: { rod: 'bar', at: { u: 0.75 } }, stiffness: 2000 },
    ].map((link) => ({ ...link, rotation: { about, stiffness: 0.5 } })) as Scene['links'],
  };
}

function endsOf(scene: Scene): number[] {
  const world = createWorld(scene);
  for (const report of world.equilibrate()) {
    expect(report).toMatchObject({ converged: true, stable: true });
    expect(report.imbalance).toBeLessThan(1e-9);
  }
  return world.samples.flatMap(({ nodePosition }) => [...nodePosition.slice(-3)]);
}

const distance = (a: readonly number[], b: readonly number[]): number =>
  Math.max(...a.map((x, k) => Math.abs(x - b[k])));

describe('rods that links alone hold', () => {
  it.each([
    [0, 'normal'],
    [0.004, 'normal'],
    [0, 'all'],
    [0.004, 'all'],
  ] as const)('go where der says, %f m apart and with angles held about %s', (apart, about) => {
    const der = [16, 32].map((edges) => endsOf(bar('der', edges, apart, about)));
    expect(distance(der[1], endsOf(bar('cosserat', 32, apart, about)))).toBeLessThan(2e-4 * length);
    // scaffold and springs are softer or stiffer than the rod by a part that vanishes with the edges
    for (const [model, first] of [
      ['fiber', 0.01],
      ['massspring', 0.08],
    ] as const) {
      const error = [16, 32].map((edges, k) => distance(der[k], endsOf(bar(model, edges, apart, about))));
      expect(error[0]).toBeLessThan(first * length);
      expect(error[1]).toBeLessThan(0.6 * error[0]);
    }
    expect(distance(der[1], endsOf(bar('der', 32, apart, about, 'cosserat')))).toBeLessThan(2e-4 * length);
  });

  it.each(['der', 'cosserat', 'fiber'] as const)('buckle where a spring in the middle is too soft: %s', (model) => {
    const load = (2 * Math.PI ** 2 * EI) / length ** 2;
    const half = Math.sqrt(load / EI) * (length / 2);
    const enough = (2 * load) / ((length / 2) * (1 - Math.tan(half) / half));
    const judge = (factor: number): number =>
      createWorld({
        tendril: 1,
        rods: [straight('column', model, [0, 0, 0], [0, 0, length], 40)],
        pins: [
          { rod: 'column', at: 'start', hold: 'position' },
          { rod: 'column', at: 'end', hold: 'position', axes: ['x', 'y'] },
        ],
        links: [{ rod: 'column', at: { u: 0.5 }, to: { point: [0, 0, length / 2] }, stiffness: factor * enough }],
        loads: [{ type: 'force', rod: 'column', at: 'end', force: [0, 0, -load] }],
        statics: { stability: 'report' },
      }).equilibrate()[0].negativeModes;
    expect([1.02, 0.98].map(judge)).toEqual([0, 2]);
  });
});

describe('a clamp that turns a chain of two rods', () => {
  const GJ = ((E / 2.6) * Math.PI * radius ** 4) / 2;
  const edges = 30;
  const edge = length / edges;
  const chain = (model: ModelId, turns: number): Scene => ({
    tendril: 1,
    rods: [
      straight('first', model, [0, 0, 0], [length, 0, 0], edges),
      straight('second', model, [length, 0, 0], [2 * length, 0, 0], edges),
    ],
    pins: [
      {
        rod: 'first',
        at: 'start',
        path: { keys: [0, 1].map((time) => ({ time, twist: 2 * Math.PI * turns * time })) },
      },
      { rod: 'second', at: 'end' },
    ],
    links: [
      {
        rod: 'first',
        at: { s: length - edge / 2 },
        to: { rod: 'second', at: { s: edge / 2 } },
        stiffness: 1e4,
        rotation: { about: 'all', stiffness: 1 },
      },
    ],
  });
  /** Springs in series: two rods up to the middles of the linked edges, and the link. */
  const torqueOf = (turns: number): number => (2 * Math.PI * turns) / ((2 * length - edge) / GJ + 1);

  it.each<[ModelId, number, number]>([
    ['der', 0.6, 1e-4],
    ['der', 2, 1e-3],
    ['cosserat', 0.6, 1e-4],
    ['cosserat', 2, 1e-3],
    ['fiber', 0.6, 0.02],
    ['massspring', 0.6, 0.02],
  ])('loses none of its turns: %s, %f turns', (model, turns, tolerance) => {
    const world = createWorld(chain(model, turns));
    for (const report of world.equilibrate(1)) expect(report.converged).toBe(true);
    const torques = world.reactions().map(({ torque }) => torque[0] / torqueOf(turns));
    expect(Math.abs(torques[0] - 1)).toBeLessThan(tolerance);
    expect(Math.abs(torques[1] + 1)).toBeLessThan(tolerance);
  });

  it.each<ModelId>(['cosserat', 'massspring'])(
    'has reactions with the links after a state was restored: %s',
    (model) => {
      const world = createWorld(chain(model, 0.2));
      world.equilibrate(1);
      const saved = world.save();
      const reactions = world.reactions();
      expect(Math.abs(reactions[1].torque[0])).toBeGreaterThan(1e-3);
      const other = createWorld(chain(model, 0.2));
      other.restore(saved);
      other.reactions().forEach(({ force, torque }, p) => {
        expect(distance(force, reactions[p].force)).toBeLessThan(1e-9);
        expect(distance(torque, reactions[p].torque)).toBeLessThan(1e-9);
      });
    },
  );

  it.each<ModelId>(['cosserat', 'massspring'])('is rejected in motion, where the model has no contact: %s', (model) => {
    const world = createWorld(chain(model, 0.2));
    expect(() => world.step(1e-3)).toThrow(/'first' of model .* has links in equilibria only/);
  });
});

/** Root of a function that changes its sign between two numbers. */
function findRoot(f: (x: number) => number, low: number, high: number): number {
  for (let k = 0; k < 60; k++) {
    const middle = (low + high) / 2;
    if (f(low) * f(middle) <= 0) high = middle;
    else low = middle;
  }
  return low;
}

describe('modes of rods that links join', () => {
  it.each<[ModelId, ModelId, number]>([
    ['der', 'der', 2e-3],
    ['cosserat', 'cosserat', 2e-3],
    ['fiber', 'fiber', 2e-3],
    // the lattice of 24 edges is softer than the beam, and not the same from both ends
    ['massspring', 'massspring', 0.03],
    ['fiber', 'cosserat', 2e-3],
    ['massspring', 'der', 0.02],
  ])('have the frequencies of beams with a spring between their tips: %s and %s', (first, second, tolerance) => {
    const kappa = 10;
    const scene = beams(first, second, 0, (0.5 * kappa * EI) / length ** 3);
    const world = createWorld(scene);
    for (const report of world.equilibrate()) expect(report.converged).toBe(true);
    const [one, other] = world.modes(4);
    const unit = Math.sqrt(EI / (1000 * Math.PI * radius ** 2)) / length ** 2;
    // together the tips leave the spring as it is; against each other each feels twice its stiffness
    const against = findRoot(
      (b) =>
        b ** 3 * (1 + Math.cos(b) * Math.cosh(b)) + kappa * (Math.sin(b) * Math.cosh(b) - Math.cos(b) * Math.sinh(b)),
      1.9,
      3.9,
    );
    const theory = [1.8751 ** 2, 1.8751 ** 2, against ** 2, against ** 2];
    for (const [k, value] of theory.entries())
      expect(one.omega[k] / (unit * value)).toBeCloseTo(1, -Math.log10(2 * tolerance));
    expect(other.omega).toEqual(one.omega);
    if (first === second) {
      const { links: _, ...apart } = scene;
      const [{ omega: alone }] = createWorld(apart).modes(2);
      for (const k of [0, 1])
        expect(Math.abs(one.omega[k] / alone[k] - 1)).toBeLessThan(first === 'massspring' ? 5e-4 : 1e-5);
    }
    const tips = (k: number): number[][] => [one, other].map(({ shapes }) => [...shapes[k].nodeDisplacement.slice(-3)]);
    for (let k = 0; k < 4; k++) {
      const [a, b] = tips(k);
      expect(distance(a, k < 2 ? b : b.map((x) => -x))).toBeLessThan(
        first !== second ? 0.2 : first === 'massspring' ? 0.01 : 1e-3,
      );
    }
    expect(Math.max(...[...one.shapes[0].nodeDisplacement, ...other.shapes[0].nodeDisplacement].map(Math.abs))).toBe(1);
  });

  it.each([
    [0, 'all'],
    [0.004, 'all'],
  ] as const)('are those of der under load, %f m apart and with angles held about %s', (apart, about) => {
    const omegaOf = (scene: Scene): Float64Array => {
      const world = createWorld(scene);
      for (const report of world.equilibrate()) expect(report.converged).toBe(true);
      return world.modes(6)[0].omega;
    };
    const errorOf = (scene: Scene): number => Math.max(...omegaOf(scene).map((x, k) => Math.abs(x / der[k] - 1)));
    const der = omegaOf(bar('der', 24, apart, about));
    expect(der[0]).toBeGreaterThan(1);
    expect(errorOf(bar('cosserat', 24, apart, about))).toBeLessThan(2e-3);
    expect(errorOf(bar('der', 24, apart, about, 'cosserat'))).toBeLessThan(2e-3);
    expect(errorOf(bar('fiber', 24, apart, about))).toBeLessThan(0.03);
    expect(errorOf(bar('massspring', 24, apart, about))).toBeLessThan(0.1);
  });

  it.each<ModelId>(['der', 'cosserat', 'fiber', 'massspring'])('are rejected with follower loads: %s', (model) => {
    const scene = beams(model, model, 0, 1);
    const world = createWorld({
      ...scene,
      loads: [{ type: 'force', rod: 'first', at: 'end', force: [1e-3, 0, 0], frame: 'material' }],
    });
    expect(() => world.modes(1)).toThrow(/loads without a potential/);
  });
});
