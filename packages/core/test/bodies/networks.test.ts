/** Networks: grids, loops and chains of rods through junctions. */
import { describe, expect, it } from 'vitest';
import { createWorld, type RodSpec, type Scene, type World } from '../../src/index.ts';

const section = { type: 'stiffness' as const, EI1: 1, GJ: 0.7, mass: 0.5 };
const gap = (a: ArrayLike<number>, b: ArrayLike<number>): number => Math.hypot(...Array.from(a, (x, k) => x - b[k]));

/** n rods each way over the unit square, joined wherever they cross, clamped around. */
function grid(n: number, edgesBetween: number): Scene {
  const at = (k: number): number => (k + 1) / (n + 1);
  const rod = (
    id: string,
    from: readonly [number, number, number],
    to: readonly [number, number, number],
  ): RodSpec => ({
    id,
    shape: { type: 'straight', from, to },
    edges: edgesBetween * (n + 1),
    section,
  });
  const lines = Array.from({ length: n }, (_, k) => k);
  return {
    tendril: 1,
    gravity: [0, 0, -3],
    rods: [
      ...lines.map((k) => rod(`x${k}`, [0, at(k), 0], [1, at(k), 0])),
      ...lines.map((k) => rod(`y${k}`, [at(k), 0, 0], [at(k), 1, 0])),
    ],
    pins: [...lines.map((k) => `x${k}`), ...lines.map((k) => `y${k}`)].flatMap((id) => [
      { rod: id, at: 'start' as const },
      { rod: id, at: 'end' as const, axes: ['z'] as const, hold: 'position' as const },
    ]),
    bodies: lines.flatMap((i) =>
      lines.map((j) => ({ id: `${i} ${j}`, mass: 0, position: [at(i), at(j), 0] as const })),
    ),
    welds: lines.flatMap((i) =>
      lines.flatMap((j) => [
        { rod: `x${j}`, at: { node: edgesBetween * (i + 1) }, body: `${i} ${j}` },
        { rod: `y${i}`, at: { node: edgesBetween * (j + 1) }, body: `${i} ${j}` },
      ]),
    ),
    time: { duration: 1, step: 0.01 },
  };
}

describe('a grid of rods', () => {
  it('sags, carries its weight, and is symmetric about its diagonal', () => {
    const world = createWorld(grid(3, 3));
    expect(world.equilibrate()[0]).toMatchObject({ converged: true, stable: true });
    const poses = new Map(world.bodies.map(({ id, pose }) => [id, pose.position]));
    expect(poses.get('1 1')?.[2]).toBeLessThan(-0.005);
    for (const [i, j] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ]) {
      const [a, b] = [poses.get(`${i} ${j}`), poses.get(`${j} ${i}`)] as [Float64Array, Float64Array];
      expect(gap(a, [b[1], b[0], b[2]])).toBeLessThan(1e-9);
    }
    const lift = world.reactions().reduce((sum, { force, rod, node }) => {
      const inner = world.scene.welds?.some((weld) => weld.rod === rod && (weld.at as { node: number }).node === node);
      return inner ? sum : sum + force[2];
    }, 0);
    expect(lift).toBeCloseTo(3 * world.momentum().mass, 7);
  });

  it('converges to second order in its edges', () => {
    const sag = [2, 4, 8].map((edges) => {
      const world = createWorld(grid(2, edges));
      world.equilibrate();
      return world.bodies[0].pose.position[2];
    });
    expect((sag[0] - sag[1]) / (sag[1] - sag[2])).toBeGreaterThan(3.4);
    expect((sag[0] - sag[1]) / (sag[1] - sag[2])).toBeLessThan(4.6);
  });

  it('moves by the implicit and the explicit scheme alike', () => {
    const [a, b] = (['tr-bdf2', 'shake'] as const).map((integrator): World => {
      const scene = grid(2, 3);
      const clamps = scene.pins?.filter(({ at }) => at === 'start');
      const world = createWorld({
        ...scene,
        pins: clamps,
        solver: { der: { integrator, twist: 'quasistatic', strain: 'bergou2008' } },
        time: { duration: 1, step: 0.005 },
      });
      for (let k = 0; k < 20; k++) world.step();
      return world;
    });
    expect(a.bodies[3].pose.position[2]).toBeLessThan(-2e-3);
    a.bodies.forEach(({ pose }, k) => {
      expect(gap(pose.position, b.bodies[k].pose.position)).toBeLessThan(3e-4);
    });
  });
});

describe('a loop of rods', () => {
  const half = (id: string, from: number, edges: number): RodSpec => ({
    id,
    shape: { type: 'formula', x: `cos(${from} + ${Math.PI}*u)`, y: `sin(${from} + ${Math.PI}*u)`, z: '0' },
    edges,
    section,
  });
  const joint = (id: string, x: number) => ({ id, mass: 0, position: [x, 0, 0] as const });
  const ring = (edges: number): Scene => ({
    tendril: 1,
    gravity: [0, 0, -0.3],
    rods: [half('a', 0, edges), half('b', Math.PI, edges)],
    bodies: [joint('left', -1), joint('right', 1)],
    welds: [
      { rod: 'a', at: 'end', body: 'left' },
      { rod: 'b', at: 'start', body: 'left' },
      { rod: 'a', at: 'start', body: 'right' },
      { rod: 'b', at: 'end', body: 'right' },
    ],
    pins: [{ rod: 'a', at: { u: 0.5 } }],
  });

  it('of two halves hangs like a closed one, the nearer the finer', () => {
    const apart = [12, 24].map((edges) => {
      const halves = createWorld(ring(edges));
      expect(halves.equilibrate()[0].converged).toBe(true);
      const whole = createWorld({
        tendril: 1,
        gravity: [0, 0, -0.3],
        rods: [
          { id: 'a', shape: { type: 'ring', radius: 1, axis: [0, 0, 1], start: [1, 0, 0] }, edges: 2 * edges, section },
        ],
        pins: [{ rod: 'a', at: { u: 0.25 } }],
      });
      expect(whole.equilibrate()[0].converged).toBe(true);
      const low = halves.samples[1].nodePosition.slice(3 * (edges / 2), 3 * (edges / 2) + 3);
      const other = whole.samples[0].nodePosition.slice(3 * (1.5 * edges), 3 * (1.5 * edges) + 3);
      expect(other[2]).toBeLessThan(-0.1);
      return gap(low, other);
    });
    expect(apart[1]).toBeLessThan(4e-3);
    expect(apart[0] / apart[1]).toBeGreaterThan(3);
  });

  it('whose ends do not meet is refused, with its place', () => {
    const wrong = (changes: Partial<Scene>, words: RegExp, path: readonly (string | number)[]): void => {
      try {
        createWorld({ ...ring(12), ...changes });
      } catch (error) {
        expect(String(error)).toMatch(words);
        expect((error as { path: unknown }).path).toEqual(path);
        return;
      }
      expect.fail('no error');
    };
    wrong({ bodies: [joint('left', -1), joint('right', 1.2)] }, /0\.2\d* m away from junction 'right'/, [
      'welds',
      2,
      'at',
    ]);
    const open: RodSpec = {
      id: 'a',
      closed: true,
      shape: { type: 'formula', x: 'cos(5*u)', y: 'sin(5*u)', z: '0' },
      section,
    };
    wrong({ rods: [open], bodies: [], welds: [], pins: [] }, /ends of its shape are .* m apart/, ['rods', 0, 'shape']);
  });

  it('names two welds of one place', () => {
    const { welds = [] } = ring(12);
    expect(() => createWorld({ ...ring(12), welds: [...welds, { rod: 'a', at: 'end', body: 'right' }] })).toThrow(
      /weld 4 .* that weld 0 .* holds already/,
    );
  });
});
