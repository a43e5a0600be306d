/** `natural: equilibrium`: rods that do not sag, exactly, and natural shapes in closed form. */
import { describe, expect, it } from 'vitest';
import { createWorld, type RodSpec, type Scene, type World } from '../../src/index.ts';

const section = { type: 'ellipse', a: 4e-4, b: 2.5e-4 } as const;
const material = { E: 3e8, G: 1e8, density: 1300 };
/** A curl that grows in any direction from a head. */
const curl = (k: number, more: Partial<RodSpec> = {}): RodSpec => ({
  id: `curl-${k}`,
  shape: {
    type: 'helix',
    center: [0.02 * k, 0, 0],
    axis: [Math.sin(k), 0.3 * Math.cos(3 * k), -0.5 - 0.5 * Math.cos(2 * k)],
    radius: 6e-3,
    pitch: 2e-2,
    turns: 3,
    handedness: k % 2 ? 'left' : 'right',
  },
  edges: 31,
  natural: 'equilibrium',
  section,
  material,
  ...more,
});
const groom = (rods: readonly RodSpec[]): Scene => ({
  tendril: 1,
  gravity: [0, 0, -9.81],
  rods,
  pins: rods.map(({ id }) => ({ rod: id, at: 'start' })),
  time: { duration: 1, step: 1e-2 },
});

/** Largest distance of a node from its start, relative to the rods' length. */
function measureSag(world: World, move: (world: World) => void): number {
  const before = world.samples.map(({ nodePosition }) => nodePosition.slice());
  move(world);
  return Math.max(
    ...world.samples.map(({ nodePosition }, r) =>
      Math.max(...nodePosition.map((x, k) => Math.abs(x - before[r][k]) / world.rods[r].length)),
    ),
  );
}

describe('rods that do not sag', () => {
  it.each([true, false])('curls stay where they are, inextensible: %s', (inextensible) => {
    const rods = [0, 1, 2, 3, 4].map((k) => curl(k, { inextensible }));
    const rest = measureSag(createWorld(groom(rods)), (world) => {
      for (const report of world.equilibrate()) expect(report).toMatchObject({ converged: true, stable: true });
    });
    expect(rest).toBeLessThan(1e-10);
    const run = measureSag(createWorld(groom(rods)), (world) => {
      for (let k = 0; k < 20; k++) world.step();
    });
    expect(run).toBeLessThan(1e-8);
    // the same curls with their initial shape as the natural one do sag
    const limp = rods.map(({ natural: _, ...rod }) => rod);
    expect(measureSag(createWorld(groom(limp)), (world) => world.equilibrate())).toBeGreaterThan(0.03);
  });

  it('other loads, twist, and further pins', () => {
    const [rod] = [curl(1, { frame: { twist: 2 } })];
    const base = groom([rod]);
    const scene: Scene = {
      ...base,
      pins: [...(base.pins ?? []), { rod: rod.id, at: { node: 20 } }, { rod: rod.id, at: 'end', hold: 'position' }],
      loads: [
        { type: 'force', rod: rod.id, at: { node: 12 }, force: [2e-5, 0, 1e-5], frame: 'material' },
        { type: 'torque', rod: rod.id, at: { node: 26 }, torque: [0, 1e-7, 2e-7] },
      ],
    };
    const sag = measureSag(createWorld(scene), (world) => {
      expect(world.equilibrate()[0].converged).toBe(true);
    });
    expect(sag).toBeLessThan(1e-9);
  });

  it('a straight cantilever against gravity: natural curvature w(L − s)²/2EI', () => {
    const [EI, weight, n] = [2e-3, 9.81e-3, 40];
    const world = createWorld({
      tendril: 1,
      gravity: [0, 0, -9.81],
      rods: [
        {
          id: 'beam',
          shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
          edges: n,
          inextensible: true,
          natural: 'equilibrium',
          section: { type: 'stiffness', EI1: EI, EI2: EI, GJ: EI, mass: 1e-3 },
        },
      ],
      pins: [{ rod: 'beam', at: 'start' }],
    });
    world.equilibrate();
    // energy of the moment w(L − s)²/2: w² L⁵/40EI
    expect(world.energies().bending / (weight ** 2 / (40 * EI))).toBeCloseTo(1, 2);
    // natural curvature of the joints' halves, in the frame of the rod
    const { halfStrainRest, edgeLengthRest } = world.rods[0];
    for (const j of [2, 10, 25]) {
      const curvature = Math.hypot(halfStrainRest[6 * j], halfStrainRest[6 * j + 1]) / (edgeLengthRest[j] / 2);
      expect(curvature / ((weight * (1 - j / n) ** 2) / (2 * EI))).toBeCloseTo(1, 2);
    }
  });

  it('a thousand curls', () => {
    const rods = Array.from({ length: 1000 }, (_, k) => curl(k, { inextensible: true, edges: 8 }));
    const world = createWorld(groom(rods));
    expect(measureSag(world, () => world.step())).toBeLessThan(1e-8);
  });

  it('warns of an equilibrium that is unstable', () => {
    // a column upright beyond its buckling load, which its natural shape cannot change: w L³ = 7.84 EI
    const column = (EI: number): readonly string[] =>
      createWorld({
        tendril: 1,
        gravity: [0, 0, -9.81],
        rods: [
          {
            id: 'column',
            shape: { type: 'straight', from: [0, 0, 0], to: [0, 0, 1] },
            edges: 30,
            inextensible: true,
            natural: 'equilibrium',
            section: { type: 'stiffness', EI1: EI, EI2: EI, GJ: EI, mass: 1e-3 },
          },
        ],
        pins: [{ rod: 'column', at: 'start' }],
      }).warnings;
    const critical = 9.81e-3 / 7.837;
    expect(column(0.97 * critical).join()).toMatch(/unstable/);
    expect(column(1.03 * critical)).toEqual([]);
  });

  it('says why there is no natural shape', () => {
    const build = (rod: RodSpec, hold: 'clamp' | 'position' | 'tangent' = 'clamp'): World => {
      const scene = groom([rod]);
      return createWorld({ ...scene, pins: [{ rod: rod.id, at: 'start', hold }] });
    };
    expect(() => build(curl(0), 'position')).toThrow(/clamp its start/);
    expect(() => build(curl(0), 'tangent')).toThrow(/clamp its start/);
    expect(() => build(curl(0, { material: { ...material, E: 3e3, G: 1e3 } }))).toThrow(/half a turn/);
    expect(() =>
      createWorld({ ...groom([curl(0, { inextensible: true })]), solver: { der: { strain: 'bergou2008' } } }),
    ).toThrow(/bergou2008/);
  });
});
