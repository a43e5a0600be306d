/** Links: springs that join rods, against what springs do. */
import { describe, expect, it } from 'vitest';
import { createLinks } from '../../src/contact/links/links.ts';
import { measureOne } from '../../src/contact/links/strain.ts';
import { factorDense, solveDense } from '../../src/linalg/dense.ts';
import { eigenSymmetric } from '../../src/linalg/jacobi.ts';
import { createSamples, type Samples } from '../../src/port.ts';
import { compileScene } from '../../src/scene/compileScene.ts';
import type { LinkSpec, ModelId, RodSpec, Scene, Vec3 } from '../../src/scene/types.ts';
import { createWorld } from '../../src/world/world.ts';

const g = 9.81;
const rubber = {
  section: { type: 'circle', radius: 0.002 },
  material: { E: 1e7, nu: 0.5, density: 1000 },
} as const;
const straight = (id: string, from: Vec3, to: Vec3, edges: number, model: ModelId = 'der'): RodSpec => ({
  id,
  model,
  shape: { type: 'straight', from, to },
  edges,
  ...rubber,
});
const middle = { u: 0.5 };
/** Two rods of five edges, crossed at right angles in the middle, the second `apart` below. */
const crossed = (link: Partial<LinkSpec>, apart = 0, rest: Partial<Scene> = {}): Scene => ({
  tendril: 1,
  rods: [straight('a', [-0.1, 0, 0], [0.1, 0, 0], 5), straight('b', [0, -0.1, -apart], [0, 0.1, -apart], 5)],
  links: [{ rod: 'a', at: middle, to: { rod: 'b', at: middle }, stiffness: 100, ...link }],
  time: { duration: 1, step: 1e-3 },
  ...rest,
});

/** Samples of edges with given nodes, spun by `turn` about their tangents from given directors. */
function pose(out: Samples, nodes: Float64Array, directors: Float64Array, turn: Float64Array): void {
  out.nodePosition.set(nodes);
  for (let e = 0; e < turn.length; e++) {
    const t = [0, 1, 2].map((k) => nodes[3 * e + 3 + k] - nodes[3 * e + k]);
    const l = Math.hypot(...t);
    const [x, y, z] = t.map((v) => v / l);
    // made normal to the tangent, then turned
    const d = [0, 1, 2].map((k) => directors[3 * e + k]);
    const along = d[0] * x + d[1] * y + d[2] * z;
    const n = [d[0] - along * x, d[1] - along * y, d[2] - along * z];
    const size = Math.hypot(...n);
    const u = n.map((v) => v / size);
    const w = [y * u[2] - z * u[1], z * u[0] - x * u[2], x * u[1] - y * u[0]];
    for (let k = 0; k < 3; k++) {
      out.edgeTangent[3 * e + k] = [x, y, z][k];
      out.edgeDirector[3 * e + k] = Math.cos(turn[e]) * u[k] + Math.sin(turn[e]) * w[k];
    }
  }
}

describe('strains of a link', () => {
  it.each([
    ['normal', 0],
    ['normal', 0.003],
    ['all', 0],
    ['all', 0.003],
  ] as const)('change such that energies change at the rate e·C v (%s, %f m apart)', (about, apart) => {
    const base = crossed({ rotation: { about, stiffness: 1 } }, apart);
    // off the middle, so that the offset leans along the edges too
    const scene = { ...base, links: base.links?.map((link) => ({ ...link, ...(apart > 0 && { at: { u: 0.55 } }) })) };
    const { rods, links: plans } = compileScene(scene);
    const samples = rods.map((rod) => createSamples(rod));
    let seed = 7;
    const random = (size: number): number => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return size * (seed / 2 ** 31 - 1);
    };
    const nodes = rods.map(({ nodePosition }) => nodePosition.slice());
    const directors = rods.map(({ edgeDirector }) => edgeDirector.slice());
    const still = rods.map(({ edgeCount }) => new Float64Array(edgeCount));
    rods.forEach((_, r) => {
      pose(samples[r], nodes[r], directors[r], still[r]);
    });
    const links = createLinks(plans, rods, samples);
    for (const list of nodes) for (let k = 0; k < list.length; k++) list[k] += random(0.01);
    rods.forEach((_, r) => {
      pose(samples[r], nodes[r], directors[r], still[r]);
      directors[r].set(samples[r].edgeDirector);
    });
    const velocity = nodes.map((list) => list.map(() => random(1)));
    const spin = still.map((list) => list.map(() => random(20)));
    const measure = (h: number): Float64Array => {
      rods.forEach((_, r) => {
        const moved = nodes[r].map((x, k) => x + h * velocity[r][k]);
        // a director that is normal to its edge is transported: it turns by spin alone
        pose(
          samples[r],
          moved,
          directors[r],
          spin[r].map((w) => h * w),
        );
      });
      measureOne(links, links.list[0], rods, samples);
      return links.list[0].strain.slice();
    };
    const h = 1e-6;
    const [plus, minus] = [measure(h), measure(-h)];
    measure(0);
    const [link] = links.list;
    const rates = link.strain.map((_, row) => {
      let rate = 0;
      for (let i = 0; i < link.sideCount; i++) {
        const { rodA, rodB, edgeA, edgeB, weightA, weightB } = link.plan;
        const [rod, e, place] = i < link.perEnd ? [rodA, edgeA, weightA] : [rodB, edgeB, weightB];
        const w = link.perEnd === 1 ? place : i % link.perEnd === 1 ? 1 : 0;
        for (let k = 0; k < 3; k++) {
          const v =
            (1 - w) * velocity[rod][3 * e + k] +
            w * velocity[rod][3 * e + 3 + k] +
            (link.perEnd === 3 ? spin[rod][e] * links.sideArm[3 * (link.firstSide + i) + k] : 0);
          rate += link.coefficient[3 * (row * link.sideCount + i) + k] * v;
        }
      }
      return rate;
    });
    // of the two energies; the three angles about all axes have the right gradient only in their sum of squares
    for (const rows of [[0, 1, 2], [3, 4, 5].slice(0, link.rows - 3)]) {
      const energy = (strain: Float64Array): number => rows.reduce((sum, r) => sum + 0.5 * strain[r] ** 2, 0);
      const rate = rows.reduce((sum, r) => sum + link.strain[r] * rates[r], 0);
      expect(Math.abs(rate)).toBeGreaterThan(1e-4);
      expect(Math.abs(rate / ((energy(plus) - energy(minus)) / (2 * h)) - 1)).toBeLessThan(1e-6);
    }
  });
});

describe('a rod on a spring', () => {
  const hung = (stiffness: number, damping: number, step: number, model: ModelId, gravity: number): Scene => ({
    tendril: 1,
    gravity: [0, 0, -gravity],
    rods: [
      { ...straight('rod', [0, 0, 0.1], [0, 0, -0.1], 4, model), velocity: { linear: [0, 0, gravity > 0 ? 0 : 0.1] } },
    ],
    links: [{ rod: 'rod', at: 'start', to: { point: [0, 0, 0.1] }, stiffness, damping }],
    time: { duration: 1, step },
  });
  const mass = 1000 * Math.PI * 0.002 ** 2 * 0.2;

  it.each(['der', 'fiber'] as const)('hangs as deep as the spring gives (%s)', (model) => {
    const k = 5;
    const world = createWorld(hung(k, 2 * Math.sqrt(k * mass), 0.005, model, g));
    for (let i = 0; i < 400; i++) world.step();
    expect(0.1 - world.samples[0].nodePosition[2]).toBeCloseTo((mass * g) / k, 7);
    expect(world.linkForces()[0].force[2]).toBeCloseTo(mass * g, 6);
    // gravity does twice the work that the spring, and the rod under its own weight, keep
    const { stretching, potential } = world.energies();
    const [{ edgeEA }] = world.rods;
    expect(stretching / (((mass * g) ** 2 * 0.2) / (6 * edgeEA[0]))).toBeCloseTo(1, 1);
    expect((potential + 2 * stretching) / (-((mass * g) ** 2) / (2 * k))).toBeCloseTo(1, 4);
  });

  it('swings at the square root of k/m, at first order in the step, and damps as it should', () => {
    const k = 1;
    const c = 0.01;
    const omega = Math.sqrt(k / mass - (c / (2 * mass)) ** 2);
    const decay = c / (2 * mass);
    const errors = [2e-3, 1e-3].map((step) => {
      const world = createWorld(hung(k, c, step, 'der', 0));
      const t = 0.2;
      for (let i = 0; i < Math.round(t / step); i++) world.step();
      const exact = (0.1 / omega) * Math.exp(-decay * t) * Math.sin(omega * t);
      return Math.abs(world.samples[0].nodePosition[2] - 0.1 - exact) / (0.1 / omega);
    });
    expect(errors[1]).toBeLessThan(0.05);
    expect(Math.log2(errors[0] / errors[1])).toBeGreaterThan(0.85);
    expect(Math.log2(errors[0] / errors[1])).toBeLessThan(1.2);
  });

  it('is counted in the energies: they fall, by what implicit Euler takes, and not at all as the step goes to zero', () => {
    const losses = [1e-3, 2.5e-4].map((step) => {
      const world = createWorld(hung(1, 0, step, 'der', 0));
      const before = world.energies().total;
      let [last, most] = [before, 0];
      for (let t = 0; t < 0.1; t += step) {
        world.step();
        const now = world.energies();
        expect(now.total).toBeLessThan(last * (1 + 1e-9));
        last = now.total;
        most = Math.max(most, now.potential);
      }
      expect(most).toBeGreaterThan(0.5 * before);
      return 1 - last / before;
    });
    expect(losses[0] / losses[1]).toBeGreaterThan(3.5);
    expect(losses[1]).toBeLessThan(0.1);
  });
});

describe('two rods that a link joins', () => {
  it('exchange momentum and lose none', () => {
    const scene = crossed({ stiffness: 1e5, rotation: { stiffness: 1 } }, 0.004);
    const world = createWorld({
      ...scene,
      rods: [{ ...scene.rods[0], velocity: { linear: [0.1, 0.2, 1] } }, scene.rods[1]],
    });
    const before = world.momentum().linear.slice();
    for (let k = 0; k < 40; k++) world.step();
    const after = world.momentum().linear;
    for (let k = 0; k < 3; k++) expect(after[k]).toBeCloseTo(before[k], 12);
    // both go the same way now
    const mean = (r: number): number =>
      world.samples[r].nodeVelocity.filter((_, i) => i % 3 === 2).reduce((a, b) => a + b) / 6;
    expect(mean(1)).toBeGreaterThan(0.2);
    expect(world.contactReport?.converged).toBe(true);
  });

  it('give under forces and torques as the matrices say, in every direction', () => {
    for (const apart of [0, 0.004]) {
      // soft springs on stiff rods, one of them clamped at an end
      const base = crossed({ stiffness: 50, damping: 2, rotation: { stiffness: 0.02, damping: 1e-3 } }, apart);
      const push: Vec3 = [0.002, -0.003, 0.001];
      const scene: Scene = {
        ...base,
        rods: base.rods.map((rod) => ({ ...rod, material: { E: 1e9, nu: 0.5, density: 1000, damping: { mass: 20 } } })),
        pins: [{ rod: 'b', at: 'start' }],
        loads: [
          { type: 'force', rod: 'a', at: 'end', force: push },
          { type: 'torque', rod: 'a', at: 'end', torque: [2e-5, 1e-5, -2e-5] },
        ],
        time: { duration: 1, step: 0.02 },
      };
      const { loads: _, ...unloaded } = scene;
      const [m] = createWorld(unloaded).matrices();
      const dense = new Float64Array(m.size * m.size);
      m.stiffness.value.forEach((value, k) => {
        dense[m.stiffness.row[k] * m.size + m.stiffness.column[k]] = value;
        dense[m.stiffness.column[k] * m.size + m.stiffness.row[k]] = value;
      });
      const x = new Float64Array(m.size);
      'xyz'.split('').forEach((axis, k) => {
        x[m.labels.indexOf(`rod 'a' node 5 ${axis}`)] = push[k];
      });
      // a torque at the end of a rod along x: twist, and a couple on the last edge
      x[m.labels.indexOf("rod 'a' edge 4 twist")] = 2e-5;
      x[m.labels.indexOf("rod 'a' node 5 y")] += -2e-5 / 0.04;
      x[m.labels.indexOf("rod 'a' node 4 y")] -= -2e-5 / 0.04;
      x[m.labels.indexOf("rod 'a' node 5 z")] += -1e-5 / 0.04;
      x[m.labels.indexOf("rod 'a' node 4 z")] -= -1e-5 / 0.04;
      expect(factorDense(dense, m.size, m.size).positive).toBe(true);
      solveDense(dense, m.size, x);
      const world = createWorld(scene);
      for (let k = 0; k < 150; k++) world.step();
      const moved = world.samples[0].nodePosition;
      const start = world.rods[0].nodePosition;
      const expected = [0, 1, 2].map((k) => x[m.labels.indexOf(`rod 'a' node 5 ${'xyz'[k]}`)]);
      for (let k = 0; k < 3; k++) {
        expect(Math.abs(expected[k])).toBeGreaterThan(2e-5);
        expect(Math.abs(moved[15 + k] - start[15 + k] - expected[k])).toBeLessThan(0.03 * Math.hypot(...expected));
      }
    }
  });
});

/** Flat weave of n × n fibers, three edges between crossings, free. */
function weave(n: number, about: 'none' | 'normal' | 'all', apart: number): Scene {
  const p = 1e-3;
  const fiber = {
    section: { type: 'circle', radius: 3e-5 },
    material: { E: 3.58e9, G: 1.07e9, density: 1107 },
  } as const;
  const EA = 3.58e9 * Math.PI * 9e-10;
  const EI = (EA * 9e-10) / 4;
  const rods: RodSpec[] = [];
  const links: LinkSpec[] = [];
  for (let i = 0; i < n; i++) {
    const c = (i + 0.5) * p;
    rods.push({
      id: `warp ${i}`,
      shape: { type: 'straight', from: [0, c, apart], to: [n * p, c, apart] },
      edges: 3 * n,
      ...fiber,
    });
    rods.push({
      id: `weft ${i}`,
      shape: { type: 'straight', from: [c, 0, 0], to: [c, n * p, 0] },
      edges: 3 * n,
      ...fiber,
    });
    for (let j = 0; j < n; j++)
      links.push({
        rod: `warp ${i}`,
        at: { s: (j + 0.5) * p },
        to: { rod: `weft ${j}`, at: { s: c } },
        stiffness: (10 * EA) / p,
        ...(about !== 'none' && { rotation: { about, stiffness: (600 * EI) / p } }),
      });
  }
  return { tendril: 1, rods, links };
}

describe('a free weave', () => {
  it.each([
    [2, 'none', 0, 12],
    [3, 'none', 0, 14],
    [2, 'normal', 0, 11],
    [3, 'normal', 6e-5, 13],
    [2, 'all', 0, 6],
    [3, 'all', 6e-5, 6],
  ] as const)(
    '%i fibers each way, rotation %s: exactly as many zero modes as theory says',
    (n, about, apart, count) => {
      const world = createWorld(weave(n, about, apart));
      const [{ size, stiffness }] = world.matrices();
      const dense = new Float64Array(size * size);
      const scale = new Float64Array(size);
      stiffness.row.forEach((i, k) => {
        if (i === stiffness.column[k]) scale[i] = Math.sqrt(stiffness.value[k]);
      });
      stiffness.row.forEach((i, k) => {
        const j = stiffness.column[k];
        dense[i * size + j] = stiffness.value[k] / (scale[i] * scale[j]);
        dense[j * size + i] = dense[i * size + j];
      });
      const values = [...eigenSymmetric(dense, size).values].map(Math.abs).sort((a, b) => a - b);
      expect(values[count - 1]).toBeLessThan(1e-12);
      expect(values[count]).toBeGreaterThan(1e-6);
      // and the frequencies that `modes` finds
      const omega = world.modes(count + 1)[0].omega.map(Math.abs);
      expect(omega[count - 1]).toBeLessThan(1e-3 * omega[count]);
    },
  );
});

describe('a world with links', () => {
  it('restores bit for bit', () => {
    const scene = crossed({ stiffness: 1e4, damping: 0.1, rotation: { stiffness: 0.1 } }, 0.004, {
      gravity: [0, 0, -g],
      pins: [{ rod: 'b', at: 'start' }],
    });
    const world = createWorld(scene);
    for (let k = 0; k < 5; k++) world.step();
    const saved = world.save();
    for (let k = 0; k < 5; k++) world.step();
    const { total } = world.energies();
    const other = createWorld(scene);
    other.restore(saved);
    for (let k = 0; k < 5; k++) other.step();
    expect(other.hash()).toBe(world.hash());
    expect(other.energies().total).toBe(total);
  });

  it('holds together where an impact cuts the step of its group into pieces, and goes on from there bit for bit', () => {
    const sceneAt = (speed: number): Scene => ({
      tendril: 1,
      gravity: [0, 0, -g],
      rods: [straight('free', [1, 0, 0], [1.2, 0, 0], 4)],
      weaves: [
        {
          id: 'net',
          center: [0, 0, 0.05],
          warp: { count: 3, spacing: 0.02 },
          section: { type: 'circle', radius: 1e-3 },
          material: { E: 1e8, nu: 0.3, density: 1000 },
          joints: { stiffness: 1e3, damping: 0.1, rotation: { stiffness: 0.01 } },
        },
      ],
      colliders: [
        {
          type: 'capsule',
          from: [-0.2, 0.003, 0],
          to: [0.2, 0.003, 0],
          radius: 0.004,
          friction: 0.3,
          path: { interpolation: 'linear', keys: [{ time: 0 }, { time: 1, offset: [0, 0, speed] }] },
        },
      ],
      contact: { friction: 0.2 },
      time: { duration: 1, step: 1 / 60 },
    });
    // most impacts are taken in one piece: the first that is not
    const cut = (speed: number): boolean => {
      const trial = createWorld(sceneAt(speed));
      return [1, 2, 3].some(() => trial.step().substeps > 1);
    };
    const speed = [150, 200, 250, 300, 400, 500, 700, 1000].find(cut);
    if (speed === undefined) throw new Error('no impact cuts a step');
    const scene = sceneAt(speed);
    const world = createWorld(scene);
    world.step();
    const saved = world.save();
    world.step();
    world.step();
    const other = createWorld(scene);
    other.restore(saved);
    other.step();
    other.step();
    expect(other.hash()).toBe(world.hash());
    expect(other.energies().total).toBe(world.energies().total);
    // the free rod falls by itself, in whole steps
    expect(world.samples[0].nodeVelocity[2]).toBeCloseTo(-g * world.time, 6);
    // the net is thrown up, as one: where the capsule goes in three steps, and its joints hold
    const middle = (r: number): number => world.samples[r].nodePosition[3 * 4 + 2];
    for (let r = 1; r <= 6; r++) expect(middle(r)).toBeGreaterThan(0.99 * speed * world.time);
    for (let r = 2; r <= 6; r++) expect(Math.abs(middle(r) - middle(1))).toBeLessThan(0.1);
  });

  it.each(['strand', 'helix', 'fiber'] as const)('joins a rod of model %s to one of der', (model) => {
    const base = crossed({ stiffness: 1e3, damping: 0.1, rotation: { about: 'normal', stiffness: 0.01 } });
    const world = createWorld({
      ...base,
      gravity: [0, 0, -g],
      rods: [{ ...base.rods[0], model }, base.rods[1]],
      pins: [
        { rod: 'a', at: 'start' },
        { rod: 'b', at: 'start' },
      ],
      time: { duration: 1, step: 2e-3 },
    });
    for (let k = 0; k < 50; k++) world.step();
    const at = (r: number, axis: number): number => {
      const x = world.samples[r].nodePosition;
      const n = x.length / 6;
      const i = 3 * Math.floor(n - 0.5);
      return n % 1 === 0 ? 0.5 * (x[3 * n - 3 + axis] + x[3 * n + axis]) : x[i + axis];
    };
    for (let axis = 0; axis < 3; axis++) expect(Math.abs(at(0, axis) - at(1, axis))).toBeLessThan(2e-4);
    expect(at(0, 2)).toBeLessThan(-5e-3);
  });

  it('falls on a ball without a step that is cut where stiff joints hold all rotations of hair', () => {
    // a hair that nothing but its joints keeps from spinning: under forces that stay as they are it finds no balance
    const p = 0.2 / 6;
    const world = createWorld({
      tendril: 1,
      gravity: [0, 0, -g],
      rods: [],
      weaves: [
        {
          id: 'cloth',
          center: [0, 0, 0.062],
          warp: { count: 6, spacing: p },
          section: { type: 'circle', radius: 3e-5 },
          material: { E: 3.58e9, G: 1.07e9, density: 1107, damping: { mass: 10 } },
          joints: { stiffness: 1e3, rotation: { about: 'all', stiffness: 4e-7 } },
        },
      ],
      colliders: [{ id: 'ball', type: 'sphere', radius: 0.06 }],
      time: { duration: 1, step: 1 / 240 },
    });
    for (let k = 0; k < 30; k++) {
      expect(world.step()).toMatchObject({ substeps: 1, shifts: 0 });
      expect(world.contactReport?.error).toBeLessThan(1e-3);
    }
    expect(world.momentum().center[2]).toBeLessThan(0.05);
  });

  it('does not take what a link joins for contact', () => {
    const base = crossed({ stiffness: 1e3 });
    const world = createWorld({ ...base, contact: {} });
    expect(world.warnings).toEqual([]);
    for (let k = 0; k < 3; k++) world.step();
    expect(world.contactForces()).toEqual([]);
    // without the link they overlap
    const { links: _, ...bare } = base;
    expect(createWorld({ ...bare, contact: {} }).warnings.join()).toMatch(/overlap/);
  });

  it('says what is wrong', () => {
    const fails = (link: Partial<LinkSpec>, rest: Partial<Scene> = {}): string => {
      try {
        const world = createWorld(crossed(link, 0, rest));
        world.equilibrate();
        world.step();
      } catch (error) {
        const { path, message } = error as { path: PropertyKey[]; message: string };
        return `${path.join('.')}: ${message}`;
      }
      return '';
    };
    expect(fails({ stiffness: 0 })).toMatch(/^links\.0\.stiffness: .*positive/);
    expect(fails({ damping: -1 })).toMatch(/^links\.0\.damping: .*zero or more/);
    expect(fails({ rod: 'c' })).toMatch(/^links\.0\.rod: unknown rod 'c'; known: a, b$/);
    const many = Array.from({ length: 40 }, (_, k) => straight(`hair ${k}`, [0, 0, k], [1, 0, k], 2));
    expect(fails({ rod: 'hiar 17' }, { rods: many })).toMatch(/known: hair 17, .* and 35 more$/);
    expect(fails({ at: { u: 2 } })).toMatch(/^links\.0\.at\.u: /);
    expect(fails({ to: { rod: 'a', at: { u: 0.51 } } })).toMatch(/^links\.0\.to: .*itself/);
    expect(fails({ to: { point: [0, 0, 0] }, rotation: { about: 'normal', stiffness: 1 } })).toMatch(
      /^links\.0\.rotation\.about: .*point/,
    );
    expect(fails({ rotation: { stiffness: -1 } })).toMatch(/^links\.0\.rotation\.stiffness: /);
    expect(fails({}, { contact: { solver: 'impulses' } })).toMatch(/^contact\.solver: .*links/);
    expect(fails({}, { solver: { der: { integrator: 'shake' } } })).toMatch(
      /^links\.0: .*in equilibria only, not in motion/,
    );
    const parallel = crossed({ rotation: { about: 'normal', stiffness: 1 } });
    expect(() => createWorld({ ...parallel, rods: [parallel.rods[0], { ...parallel.rods[0], id: 'b' }] })).toThrow(
      /almost parallel/,
    );
  });
});
