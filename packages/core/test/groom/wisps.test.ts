import { describe, expect, it } from 'vitest';
import { addScaled, scale } from '../../src/curve/vector.ts';
import { type CentreLine, createWisps, createWorld, nodeQuaternions, poseWisps, type Scene } from '../../src/index.ts';

type Vector = readonly [number, number, number];

/** A rod of constant curvature and twist: exact frames at nodes are known. */
function helix(nodes: number, twist: number, radius = 0.05, pitch = 0.03): CentreLine & { exact: Vector[] } {
  const h = pitch / (2 * Math.PI);
  const c = Math.hypot(radius, h);
  const at = (s: number): { x: Vector; t: Vector; d: Vector } => {
    const p = s / c;
    const [n, b]: [Vector, Vector] = [
      [-Math.cos(p), -Math.sin(p), 0],
      [(h * Math.sin(p)) / c, (-h * Math.cos(p)) / c, radius / c],
    ];
    const [cos, sin] = [Math.cos(twist * s), Math.sin(twist * s)];
    return {
      x: [radius * Math.cos(p), radius * Math.sin(p), h * p],
      t: [(-radius * Math.sin(p)) / c, (radius * Math.cos(p)) / c, h / c],
      d: addScaled(scale(n, cos), b, sin),
    };
  };
  const step = 0.3 / (nodes - 1);
  const nodePosition = Float64Array.from(Array.from({ length: nodes }, (_, i) => at(i * step).x).flat());
  const edgeDirector = Float64Array.from(Array.from({ length: nodes - 1 }, (_, j) => at((j + 0.5) * step).d).flat());
  return { closed: false, nodePosition, edgeDirector, exact: Array.from({ length: nodes }, (_, i) => at(i * step).d) };
}

const d1Of = (q: Float64Array, i: number): number[] => {
  const [w, x, y, z] = q.slice(4 * i, 4 * i + 4);
  return [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)];
};
const apart = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Math.max(...Array.from(a, (x, k) => Math.abs(x - b[k])));

function ring(nodes: number): CentreLine {
  const angle = (j: number): number => (2 * Math.PI * j) / nodes;
  return {
    closed: true,
    nodePosition: Float64Array.from({ length: 3 * nodes }, (_, k) =>
      k % 3 === 2 ? 0 : k % 3 === 0 ? Math.cos(angle(Math.floor(k / 3))) : Math.sin(angle(Math.floor(k / 3))),
    ),
    edgeDirector: Float64Array.from({ length: 3 * nodes }, (_, k) => (k % 3 === 2 ? 1 : 0)),
  };
}

function straight(twist: number, y = 0): CentreLine {
  const nodes = 11;
  return {
    closed: false,
    nodePosition: Float64Array.from({ length: 3 * nodes }, (_, k) => (k % 3 === 0 ? k / 30 : k % 3 === 1 ? y : 0)),
    edgeDirector: Float64Array.from({ length: 3 * (nodes - 1) }, (_, k) => {
      const angle = twist * ((Math.floor(k / 3) + 0.5) / 10);
      return k % 3 === 0 ? 0 : k % 3 === 1 ? Math.cos(angle) : Math.sin(angle);
    }),
  };
}

/** A turn about (1, 2, 3) and a shift. */
function move(line: CentreLine): CentreLine {
  const [n, angle] = [[1, 2, 3].map((x) => x / Math.sqrt(14)), 1.9];
  const turn = (v: ArrayLike<number>, o: number): number[] => {
    const [x, y, z] = [v[o], v[o + 1], v[o + 2]];
    const dot = (n[0] * x + n[1] * y + n[2] * z) * (1 - Math.cos(angle));
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    return [
      c * x + s * (n[1] * z - n[2] * y) + dot * n[0],
      c * y + s * (n[2] * x - n[0] * z) + dot * n[1],
      c * z + s * (n[0] * y - n[1] * x) + dot * n[2],
    ];
  };
  const all = (v: ArrayLike<number>, shift: number): Float64Array =>
    Float64Array.from(Array.from({ length: v.length / 3 }, (_, i) => turn(v, 3 * i)).flat(), (x) => x + shift);
  return { closed: line.closed, nodePosition: all(line.nodePosition, 0.7), edgeDirector: all(line.edgeDirector, 0) };
}
const points = (line: Float64Array): CentreLine => ({
  closed: false,
  nodePosition: line,
  edgeDirector: new Float64Array(0),
});

describe('fibers around centre lines', () => {
  it('take the frame half-way between two edges, which is exact on a rod of constant curvature and twist', () => {
    const errors = [21, 41].map((nodes) => {
      const line = helix(nodes, 40);
      const q = nodeQuaternions(line);
      return Math.max(...line.exact.slice(1, -1).map((d, i) => apart(d1Of(q, i + 1), d)));
    });
    // chords stand in for tangents: second order, though the twist from edge to edge is 0.6 and 0.3 rad
    expect(errors[0]).toBeLessThan(2e-2);
    expect(Math.log2(errors[0] / errors[1])).toBeGreaterThan(1.8);
    const line = straight(2);
    const q = nodeQuaternions(line);
    for (let i = 1; i < 10; i++)
      expect(apart(d1Of(q, i), [0, Math.cos(0.2 * i), Math.sin(0.2 * i)])).toBeLessThan(1e-14);
  });

  it('keep their places: the distance from the line is the radius of the bundle there', () => {
    const line = helix(31, 25);
    const radius = [
      [0, 4e-3],
      [0.5, 2e-3],
      [1, 0],
    ] as const;
    const wisps = createWisps([line], { count: 7, radius });
    const fibers = poseWisps(wisps, [line]);
    expect(fibers).toHaveLength(7);
    fibers.forEach((fiber, f) => {
      const r = Math.hypot(wisps.place[2 * f], wisps.place[2 * f + 1]);
      for (const [i, rho] of [
        [0, 4e-3],
        [15, 2e-3],
        [30, 0],
      ]) {
        const d = [0, 1, 2].map((k) => fiber[3 * i + k] - line.nodePosition[3 * i + k]);
        expect(Math.hypot(...d)).toBeCloseTo(rho * r, 12);
      }
    });
    // all over the disc: about half of them within half of its area
    const many = createWisps([line], { count: 400, radius: 1 });
    const inner = Array.from({ length: 400 }, (_, f) => Math.hypot(many.place[2 * f], many.place[2 * f + 1]));
    expect(inner.filter((r) => r < Math.SQRT1_2).length / 400).toBeCloseTo(0.5, 2);
    expect(Math.abs(many.place.reduce((sum, x) => sum + x, 0)) / 400).toBeLessThan(0.01);
  });

  it('wind about a line that is twisted, and by `turns` about one that is not', () => {
    for (const [twist, turns] of [
      [2 * Math.PI, 0],
      [0, 1],
    ]) {
      const line = straight(twist);
      const [fiber] = poseWisps(createWisps([line], { count: 1, radius: 1e-2, turns }), [line]);
      const angle = (i: number): number => Math.atan2(fiber[3 * i + 2], fiber[3 * i + 1]);
      for (let i = 2; i < 9; i++) {
        const turn = (((angle(i + 1) - angle(i)) % (2 * Math.PI)) + 2 * Math.PI) % (2 * Math.PI);
        expect(turn).toBeCloseTo((2 * Math.PI) / 10, 10);
      }
    }
  });

  it('move with lines that move as a whole', () => {
    for (const blend of [0, 0.7]) {
      const lines = [helix(21, 30), straight(1, 0.03), straight(0.2, 0.05)];
      const wisps = createWisps(lines, { count: 5, radius: 3e-3, turns: 2, blend });
      const before = poseWisps(wisps, lines);
      const after = poseWisps(wisps, lines.map(move));
      before.forEach((fiber, f) => {
        expect(apart(after[f], move(points(fiber)).nodePosition as Float64Array)).toBeLessThan(1e-13);
      });
    }
  });

  it('close on closed lines, stay finite on straight and degenerate ones', () => {
    const closed = ring(24);
    const fibers = poseWisps(createWisps([closed], { count: 3, radius: 0.1, turns: 2 }), [closed]);
    for (const fiber of fibers) {
      // from the last point to the first as from any to the next
      const gap = (i: number, j: number): number =>
        Math.hypot(...[0, 1, 2].map((k) => fiber[3 * i + k] - fiber[3 * j + k]));
      const steps = Array.from({ length: 23 }, (_, i) => gap(i, i + 1));
      expect(gap(23, 0)).toBeLessThan(1.1 * Math.max(...steps));
      expect(gap(23, 0)).toBeGreaterThan(0.9 * Math.min(...steps));
    }
    const still = { closed: false, nodePosition: new Float64Array(9), edgeDirector: Float64Array.of(1, 0, 0, 0, 0, 1) };
    const back: CentreLine = {
      closed: false,
      nodePosition: Float64Array.of(0, 0, 0, 1, 0, 0, 0, 0, 0),
      edgeDirector: Float64Array.of(0, 1, 0, 0, 1, 0),
    };
    for (const line of [straight(0), still, back])
      for (const fiber of poseWisps(createWisps([line], { count: 4, radius: 0.1 }), [line]))
        expect(fiber.every(Number.isFinite)).toBe(true);
  });

  it('blend: begin where they were, and part between lines that part', () => {
    const lines = [straight(0), straight(0, 0.1)];
    const options = { count: 40, radius: 0.05 };
    const plain = poseWisps(createWisps(lines, options), lines);
    const wisps = createWisps(lines, { ...options, blend: 1 });
    const at = poseWisps(wisps, lines);
    plain.forEach((fiber, f) => {
      expect(apart(fiber, at[f])).toBeLessThan(1e-15);
    });
    // the second line rises: fibers of the first follow the more the nearer to it they are
    const risen = {
      ...lines[1],
      nodePosition: Float64Array.from(lines[1].nodePosition, (x, k) => (k % 3 === 2 ? x + 1 : x)),
    };
    const moved = poseWisps(wisps, [lines[0], risen]);
    const rise = (f: number): number => moved[f][2] - at[f][2];
    const own = Array.from({ length: 40 }, (_, f) => ({ y: at[f][1], z: Math.abs(at[f][2]), rise: rise(f) }));
    const near = own.filter(({ z }) => z < 0.02).sort((a, b) => a.y - b.y);
    expect(near[0].rise).toBeLessThan(0.3);
    expect(near[near.length - 1].rise).toBeGreaterThan(0.3);
    for (let k = 1; k < 40; k++) expect(rise(k)).toBeGreaterThanOrEqual(0);
  });

  it('follow a simulated rod of any model', () => {
    for (const model of ['fiber', 'der', 'cosserat'] as const) {
      const scene: Scene = {
        tendril: 1,
        gravity: [0, 0, -9.81],
        rods: [
          {
            id: 'rod',
            model,
            shape: { type: 'straight', from: [0, 0, 0], to: [0.2, 0, 0] },
            edges: 8,
            section: { type: 'stiffness', EA: 10, EI1: 1e-6, GJ: 1e-6, mass: 1e-4, radius: 1e-3 },
          },
        ],
        pins: [{ rod: 'rod', at: 'start' }],
        time: { duration: 1, step: 5e-3 },
      };
      const world = createWorld(scene);
      const line = (): CentreLine => ({ closed: false, ...world.samples[0] });
      const wisps = createWisps([line()], { count: 3, radius: 2e-3 });
      for (let k = 0; k < 10; k++) world.step();
      const { nodePosition } = world.samples[0];
      for (const [f, fiber] of poseWisps(wisps, [line()]).entries()) {
        const r = 2e-3 * Math.hypot(wisps.place[2 * f], wisps.place[2 * f + 1]);
        for (let i = 0; i <= 8; i++)
          expect(Math.hypot(...[0, 1, 2].map((k) => fiber[3 * i + k] - nodePosition[3 * i + k]))).toBeCloseTo(r, 10);
      }
    }
  });

  it('refuse what they cannot do', () => {
    const line = straight(0);
    expect(() => createWisps([line], { count: 0, radius: 1 })).toThrow('whole number');
    expect(() => createWisps([line], { count: 1, radius: -1 })).toThrow('zero or more');
    expect(() =>
      createWisps([line], {
        count: 1,
        radius: [
          [0.5, 1],
          [0.2, 1],
        ],
      }),
    ).toThrow('fractions that rise');
    expect(() => createWisps([line], { count: 1, radius: 1, blend: 2 })).toThrow('0 to 1');
    expect(() => createWisps([ring(8)], { count: 1, radius: 1, turns: 0.5 })).toThrow('whole number of turns');
    const wisps = createWisps([line], { count: 1, radius: 1 });
    expect(() => poseWisps(wisps, [helix(5, 0)])).toThrow('has 5 nodes, and had 11');
  });
});
