/** Equilibria of rods that links join, against the theory of beams, and links as potentials. */
import { describe, expect, it } from 'vitest';
import { createLinks } from '../../src/contact/links/links.ts';
import { createLinkBlock, isTwist, measureBlock, writeBlockMatrix } from '../../src/contact/links/stiffness.ts';
import { vectorOf } from '../../src/curve/vector.ts';
import { factorDense, solveDense } from '../../src/linalg/dense.ts';
import { createSamples, type Samples } from '../../src/port.ts';
import { compileScene } from '../../src/scene/compileScene.ts';
import type { LinkSpec, PinSpec, RodSpec, Scene, Vec3 } from '../../src/scene/types.ts';
import { createWorld } from '../../src/world/world.ts';

const radius = 0.002;
const E = 1e9;
const EI = (E * Math.PI * radius ** 4) / 4;
const material = { E, nu: 0.3, density: 1000 };
const straight = (id: string, from: Vec3, to: Vec3, edges: number): RodSpec => ({
  id,
  shape: { type: 'straight', from, to },
  edges,
  section: { type: 'circle', radius },
  material,
});

/** Samples of edges with given nodes, whose directors are carried there from `from` and turned. */
function pose(out: Samples, from: Samples, nodes: Float64Array, turn: Float64Array): void {
  out.nodePosition.set(nodes);
  for (let e = 0; e < turn.length; e++) {
    const t = [0, 1, 2].map((k) => nodes[3 * e + 3 + k] - nodes[3 * e + k]);
    const l = Math.hypot(...t);
    const [x, y, z] = t.map((v) => v / l);
    const [a, b, c] = from.edgeTangent.subarray(3 * e, 3 * e + 3);
    // the least rotation that takes (a, b, c) to (x, y, z), then a turn about that
    const axis = [b * z - c * y, c * x - a * z, a * y - b * x];
    const d = [...from.edgeDirector.subarray(3 * e, 3 * e + 3)];
    const cross = (p: number[], q: number[]): number[] => [
      p[1] * q[2] - p[2] * q[1],
      p[2] * q[0] - p[0] * q[2],
      p[0] * q[1] - p[1] * q[0],
    ];
    const once = cross(axis, d);
    const twice = cross(axis, once);
    const u = d.map((v, k) => v + once[k] + twice[k] / (1 + a * x + b * y + c * z));
    const w = cross([x, y, z], u);
    for (let k = 0; k < 3; k++) {
      out.edgeTangent[3 * e + k] = [x, y, z][k];
      out.edgeDirector[3 * e + k] = Math.cos(turn[e]) * u[k] + Math.sin(turn[e]) * w[k];
    }
  }
}

describe('a link as a potential', () => {
  it.each([
    ['normal', 0],
    ['normal', 0.003],
    ['all', 0],
    ['all', 0.003],
  ] as const)('has the gradient and the matrix of its energy, far from rest (%s, %f m apart)', (about, apart) => {
    const scene: Scene = {
      tendril: 1,
      rods: [straight('a', [-0.1, 0, 0], [0.1, 0, 0], 5), straight('b', [0, -0.1, -apart], [0, 0.1, -apart], 5)],
      links: [
        {
          rod: 'a',
          at: { u: apart > 0 ? 0.55 : 0.5 },
          to: { rod: 'b', at: { u: 0.5 } },
          stiffness: 300,
          rotation: { about, stiffness: 0.2 },
        },
      ],
    };
    const { rods, links: plans } = compileScene(scene);
    const start = rods.map((rod) => createSamples(rod));
    rods.forEach((rod, r) => {
      start[r].nodePosition.set(rod.nodePosition);
      start[r].edgeDirector.set(rod.edgeDirector);
      for (let e = 0; e < rod.edgeCount; e++) {
        const t = [0, 1, 2].map((k) => rod.nodePosition[3 * e + 3 + k] - rod.nodePosition[3 * e + k]);
        for (let k = 0; k < 3; k++) start[r].edgeTangent[3 * e + k] = t[k] / Math.hypot(...t);
      }
    });
    const links = createLinks(plans, rods, start);
    let seed = 5;
    const random = (size: number): number => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return size * (seed / 2 ** 31 - 1);
    };
    const here = rods.map((rod) => createSamples(rod));
    rods.forEach((rod, r) => {
      const nodes = rod.nodePosition.map((x) => x + random(0.006));
      pose(
        here[r],
        start[r],
        nodes,
        new Float64Array(rod.edgeCount).map(() => random(0.3)),
      );
    });
    const [link] = links.list;
    const block = createLinkBlock(link, rods);
    const moved = rods.map((rod) => createSamples(rod));
    /** Energy with coordinates i and j moved. */
    const energy = (i: number, by: number, j = 0, andBy = 0): number => {
      rods.forEach((rod, r) => {
        const nodes = here[r].nodePosition.slice();
        const turn = new Float64Array(rod.edgeCount);
        for (const [k, step] of [
          [i, by],
          [j, andBy],
        ]) {
          if (block.rod[k] !== r) continue;
          if (isTwist(block, k)) turn[block.node[k]] += step;
          else nodes[3 * block.node[k] + ((k % block.perEnd) % 3)] += step;
        }
        pose(moved[r], here[r], nodes, turn);
      });
      measureBlock(block, links, rods, moved);
      return link.strain.reduce((sum, e, k) => sum + 0.5 * (k < 3 ? 300 : 0.2) * e * e, 0);
    };
    energy(0, 0);
    for (let k = 0; k < link.rows; k++) block.force[k] = (k < 3 ? 300 : 0.2) * link.strain[k];
    measureBlock(block, links, rods, here);
    const gradient = block.gradient.slice();
    const size = (i: number): number => (block.perEnd === 7 && i % 7 === 6 ? 1 : 0.04);
    const largest = Math.max(...gradient.map((value, i) => Math.abs(value) * size(i)));
    expect(largest).toBeGreaterThan(0.01);
    for (let i = 0; i < block.size; i++) {
      const h = 1e-5 * size(i);
      const rate = (energy(i, h) - energy(i, -h)) / (2 * h);
      expect(Math.abs(rate - gradient[i]) * size(i)).toBeLessThan(1e-7 * largest);
    }
    measureBlock(block, links, rods, here);
    writeBlockMatrix(block, links, rods, here, () => Infinity);
    const { matrix } = block;
    const stiffest = Math.max(
      ...matrix.map((x, k) => Math.abs(x) * size(Math.floor(k / block.size)) * size(k % block.size)),
    );
    let turning = 0;
    for (let i = 0; i < block.size; i++) {
      for (let j = 0; j <= i; j++) {
        const [h, g] = [1e-3 * size(i), 1e-3 * size(j)];
        const second =
          (energy(i, h, j, g) - energy(i, h, j, -g) - energy(i, -h, j, g) + energy(i, -h, j, -g)) / (4 * h * g);
        expect(Math.abs(second - matrix[i * block.size + j]) * size(i) * size(j)).toBeLessThan(1e-4 * stiffest);
        expect(Math.abs(matrix[j * block.size + i] - matrix[i * block.size + j])).toBeLessThan(1e-12 * stiffest * 1e3);
        let springs = 0;
        for (let r = 0; r < link.rows; r++)
          springs += (r < 3 ? 300 : 0.2) * block.rate[r * block.size + i] * block.rate[r * block.size + j];
        turning = Math.max(turning, Math.abs(matrix[i * block.size + j] - springs) * size(i) * size(j));
      }
    }
    // what the force turns with is a good part of it
    expect(turning).toBeGreaterThan(0.01 * stiffest);
  });
});

describe('equilibria of linked rods', () => {
  const cross = (edges: number, stiffness: number, rest: Partial<LinkSpec> = {}): Scene => ({
    tendril: 1,
    rods: [straight('a', [-0.1, 0, 0], [0.1, 0, 0], edges), straight('b', [0, -0.15, 0.004], [0, 0.15, 0.004], edges)],
    pins: ['a', 'b'].flatMap((rod) => (['start', 'end'] as const).map((at): PinSpec => ({ rod, at }))),
    links: [{ rod: 'a', at: { u: 0.5 }, to: { rod: 'b', at: { u: 0.5 } }, stiffness, ...rest }],
    loads: [{ type: 'force', rod: 'a', at: { u: 0.5 }, force: [0, 0, -1e-4] }],
  });

  it('share the load of a cross of two clamped beams as theory says, at second order, with reactions that balance it', () => {
    const [ka, kb] = [(192 * EI) / 0.2 ** 3, (192 * EI) / 0.3 ** 3];
    const errors = [11, 21, 41].map((edges) => {
      // a soft joint, so that its share is seen
      const world = createWorld(cross(edges, kb));
      const [report] = world.equilibrate();
      expect(report).toMatchObject({ converged: true, stable: true, criterion: 'energy' });
      const [x, e] = [world.samples[0].nodePosition, (edges - 1) / 2];
      const forces = world.reactions().map(({ force }) => force[2]);
      expect(forces.reduce((a, b) => a + b)).toBeCloseTo(1e-4, 12);
      const [{ force, stretch, other }] = world.linkForces();
      expect(other).toBe('b');
      expect(force[2]).toBeCloseTo(forces[2] + forces[3], 12);
      expect(stretch).toBeCloseTo(force[2] / kb, 12);
      expect((forces[2] + forces[3]) / 1e-4).toBeCloseTo(kb / 2 / (ka + kb / 2), 1);
      return (-0.5 * (x[3 * e + 2] + x[3 * e + 5]) * (ka + kb / 2)) / 1e-4 - 1;
    });
    expect(Math.abs(errors[2])).toBeLessThan(2e-3);
    for (const k of [0, 1]) expect(Math.log2(errors[k] / errors[k + 1])).toBeCloseTo(2, 0);
  });

  it('load the pin that they are fixed to', () => {
    const held = straight('held', [0, 0, 0], [0.1, 0, 0], 5);
    const hanging = straight('hanging', [0, 0, -0.001], [0, 0, -0.101], 5);
    const world = createWorld({
      tendril: 1,
      gravity: [0, 0, -9.81],
      rods: [held, hanging],
      pins: [{ rod: 'held', at: 'start' }],
      links: [{ rod: 'held', at: 'start', to: { rod: 'hanging', at: 'start' }, stiffness: 1000 }],
      time: { duration: 1, step: 1 / 240 },
    });
    expect(world.equilibrate()[0]).toMatchObject({ converged: true });
    const [{ force }] = world.reactions();
    expect(force[2] / (9.81 * world.momentum().mass)).toBeCloseTo(1, 9);
  });

  it('are what damped motion comes to, and stay there', () => {
    const p = 0.01;
    const scene: Scene = {
      tendril: 1,
      gravity: [0, 0, -9.81],
      rods: [],
      weaves: [
        {
          id: 'net',
          warp: { count: 4, spacing: p },
          section: { type: 'circle', radius: 5e-5 },
          material: { ...material, E: 1e8, damping: { mass: 40 } },
          crimp: 5e-5,
          joints: { stiffness: 100, rotation: { about: 'normal', stiffness: 1e-8 } },
        },
      ],
      pins: [0, 3].flatMap((i) =>
        (['start', 'end'] as const).map((at): PinSpec => ({ rod: `net warp ${i}`, at, hold: 'position' })),
      ),
      time: { duration: 1, step: 1 / 240 },
    };
    const world = createWorld(scene);
    const [report] = world.equilibrate();
    expect(report).toMatchObject({ converged: true, stable: true });
    expect(report.iterations).toBeLessThan(40);
    const weight = world.reactions().reduce((sum, { force }) => sum + force[2], 0);
    expect(weight / (world.momentum().mass * 9.81)).toBeCloseTo(1, 10);
    const at = world.samples.map(({ nodePosition }) => nodePosition.slice());
    const low = Math.min(...at.flatMap((list) => [...list].filter((_, i) => i % 3 === 2)));
    expect(low).toBeLessThan(-1e-3);
    const { total } = world.energies();
    for (let k = 0; k < 60; k++) world.step();
    let moved = 0;
    world.samples.forEach(({ nodePosition }, r) => {
      nodePosition.forEach((x, i) => {
        moved = Math.max(moved, Math.abs(x - at[r][i]));
      });
    });
    expect(moved).toBeLessThan(2e-6);
    expect(world.energies().total / total).toBeCloseTo(1, 5);
    // and from the start, by motion alone
    const other = createWorld(scene);
    for (let k = 0; k < 240; k++) other.step();
    expect(Math.abs(other.energies().total / total - 1)).toBeLessThan(1e-4);
  });

  it('tell when a column that a spring holds up in its middle buckles, and find where it goes', () => {
    const length = 0.5;
    const load = (2 * Math.PI ** 2 * EI) / length ** 2;
    const half = Math.sqrt(load / EI) * (length / 2);
    // w = F/2P·(sin λx/(λ cos λl) − x) up to the middle: the spring that is just enough
    const enough = (2 * load) / ((length / 2) * (1 - Math.tan(half) / half));
    const column = (factor: number, stability: 'seek' | 'report'): Scene => ({
      tendril: 1,
      rods: [straight('column', [0, 0, 0], [0, 0, length], 40)],
      pins: [
        { rod: 'column', at: 'start', hold: 'position' },
        { rod: 'column', at: 'end', hold: 'position', axes: ['x', 'y'] },
      ],
      links: [{ rod: 'column', at: { u: 0.5 }, to: { point: [0, 0, length / 2] }, stiffness: factor * enough }],
      loads: [{ type: 'force', rod: 'column', at: 'end', force: [0, 0, -load] }],
      statics: { stability },
    });
    const judge = (factor: number): number => createWorld(column(factor, 'report')).equilibrate()[0].negativeModes;
    expect(judge(1.02)).toBe(0);
    expect(judge(0.98)).toBe(2);
    const world = createWorld(column(0.98, 'seek'));
    const [report] = world.equilibrate();
    expect(report).toMatchObject({ converged: true, stable: true, saddlesLeft: 1 });
    const middle = world.samples[0].nodePosition.subarray(60, 62);
    expect(Math.hypot(...middle)).toBeGreaterThan(0.01);
  });

  it('have the matrices of small changes, with links that pull on what they carry', () => {
    const net = (force: Vec3): Scene => ({
      tendril: 1,
      gravity: [0, 0, -9.81],
      rods: [],
      weaves: [
        {
          id: 'net',
          warp: { count: 2, spacing: 0.02 },
          section: { type: 'circle', radius: 5e-5 },
          material: { ...material, E: 1e8 },
          crimp: 1e-3,
          joints: { stiffness: 1, rotation: { about: 'all', stiffness: 1e-7 } },
        },
      ],
      pins: [{ rod: 'net warp 0', at: 'start' }],
      loads: [{ type: 'force', rod: 'net weft 1', at: 'end', force }],
    });
    const rest = createWorld(net([0, 0, 0]));
    expect(rest.equilibrate()[0]).toMatchObject({ converged: true, stable: true });
    const [{ size, labels, stiffness }] = rest.matrices();
    const K = new Float64Array(size * size);
    for (let k = 0; k < stiffness.value.length; k++) {
      K[stiffness.row[k] * size + stiffness.column[k]] = stiffness.value[k];
      K[stiffness.column[k] * size + stiffness.row[k]] = stiffness.value[k];
    }
    factorDense(K, size, 3);
    const last = rest.rods[3].nodeCount - 1;
    const push = 1e-12;
    for (let axis = 0; axis < 3; axis++) {
      const x = new Float64Array(size);
      const at = labels.indexOf(`rod 'net weft 1' node ${last} ${['x', 'y', 'z'][axis]}`);
      x[at] = push;
      solveDense(K, size, x);
      const moved = [-1, 1].map((sign) => {
        const world = createWorld(net(vectorOf((k) => (k === axis ? sign * push : 0))));
        expect(world.equilibrate()[0].converged).toBe(true);
        return world.samples[3].nodePosition[3 * last + axis];
      });
      expect(Math.abs(0.5 * (moved[1] - moved[0]))).toBeGreaterThan(1e-9);
      expect((0.5 * (moved[1] - moved[0])) / x[at]).toBeCloseTo(1, 3);
    }
  });

  it('say what they do not support', () => {
    const scene = cross(11, 1e3);
    const helix: Scene = { ...scene, rods: scene.rods.map((rod) => ({ ...rod, model: 'helix' as const })) };
    expect(() => createWorld(helix).equilibrate()).toThrow(/models der.*'a' is of model 'helix'/);
    const body: Scene = {
      ...scene,
      pins: [],
      bodies: [{ id: 'ball', mass: 0.01, inertia: [1e-6, 1e-6, 1e-6], position: [0.1, 0, 0] }],
      welds: [{ rod: 'a', at: 'end', body: 'ball' }],
    } as Scene;
    expect(() => createWorld(body).equilibrate()).toThrow(/'a' is joined to bodies/);
  });
});

it.each(['der', 'strand'] as const)(
  'two springs alone hold a rod of model %s, or the report says that it needs a pin',
  (model) => {
    const world = createWorld({
      tendril: 1,
      gravity: [0, 0, -9.81],
      rods: [
        {
          id: 'bar',
          model,
          shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
          edges: 10,
          section: { type: 'stiffness', EI1: 100, GJ: 70, EA: 1e6, mass: 0.1 },
        },
      ],
      links: [
        { rod: 'bar', at: 'start', to: { point: [0, 0, 0.2] }, stiffness: 5 },
        { rod: 'bar', at: 'end', to: { point: [1, 0, 0.2] }, stiffness: 5 },
      ],
    });
    const [report] = world.equilibrate();
    expect(report.converged).toBe(model === 'der');
    if (model === 'der') expect(world.samples[0].nodePosition[2]).toBeCloseTo((-0.5 * 0.1 * 9.81) / 5, 9);
    else expect(report.reason).toMatch(/^rod 'bar' has no pin: .* or use model: der$/);
  },
);
