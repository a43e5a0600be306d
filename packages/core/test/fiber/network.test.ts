import { describe, expect, it } from 'vitest';
import { createWorld, type FiberOptions, type Scene, SceneError, type World } from '../../src/index.ts';
import { eigenGeneral } from '../../src/linalg/eigen.ts';
import { createModalBasis, placeNatural } from '../../src/models/fiber/modalBasis.ts';
import { HAIR, hairScene, makeFiber } from './fibers.ts';

const tip = (world: World): number[] => [...world.samples[0].nodePosition.slice(-3)];

describe('the network', () => {
  it.each([2, 3, 5])('of %s cuboids has six zero modes when free, and none below', (edges) => {
    const fiber = makeFiber(hairScene(0.01, edges, { pins: [] }, 0, { scaffold: 'section' }));
    const { eigenvalues } = createModalBasis(fiber, placeNatural(fiber).rotation, 'eigenbasis');
    const stiff = eigenvalues[eigenvalues.length - 1];
    expect(eigenvalues[6]).toBeGreaterThan(1e-12 * stiff);
    expect(eigenvalues[0]).toBeGreaterThan(-1e-13 * stiff);
    expect(eigenvalues[5]).toBeLessThan(1e-13 * stiff);
  });

  it('bends, twists and stretches with the stiffness of the rod, whatever the scaffold', () => {
    const held = (end: object, options: FiberOptions = {}): World => {
      const base = hairScene(0.01, 5, { gravity: [0, 0, 0] }, 0, options);
      return createWorld({ ...base, ...end });
    };
    // torque along the rod: angle of the last edge is that of its middle
    for (const scaffold of ['section', 2e-4] as const) {
      const twist = held({ loads: [{ type: 'torque', rod: 'hair', at: 'end', torque: [1e-9, 0, 0] }] }, { scaffold });
      twist.equilibrate();
      const energy = twist.energies();
      // the last edge takes the torque half on either ring: the last cuboid carries half of it
      const length = 0.01 * (4 / 5 + 1 / 20);
      expect(energy.twisting / ((0.5 * 1e-18 * length) / HAIR.GJ)).toBeCloseTo(1, 4);
    }
    const pull = held(
      { loads: [{ type: 'force', rod: 'hair', at: 'end', force: [1e-4, 0, 0] }] },
      { scaffold: 'section' },
    );
    pull.equilibrate();
    expect((tip(pull)[0] - 0.01) / ((1e-4 * 0.01) / HAIR.EA)).toBeCloseTo(1, 5);
    expect(pull.channel(0, 'tension')[2]).toBeCloseTo(1e-4, 10);
  });

  it.each([5, 20])('sags under a load at its tip by the formula for %s cuboids, shear included', (edges) => {
    const a = 1e-3;
    const base = hairScene(0.25, edges, { gravity: [0, 0, 0] }, 0, { scaffold: a });
    const P = 1e-12;
    const world = createWorld({ ...base, loads: [{ type: 'force', rod: 'hair', at: 'end', force: [0, P, 0] }] });
    world.equilibrate();
    const apparent = (P * 0.25 ** 3) / (3 * tip(world)[1]);
    const shear = (3 * HAIR.EI * a * a) / (2 * HAIR.GJ * 0.25 ** 2);
    expect(apparent / HAIR.EI).toBeCloseTo(1 / (1 - 1 / (4 * edges * edges) + shear), 6);
  });

  it('bends an anisotropic rod about both axes', () => {
    // the load along d2 bends about d1, and the other way round
    for (const [d1, EI] of [
      [[0, 1, 0], 1],
      [[0, 0, 1], 9],
    ] as const) {
      const world = createWorld({
        tendril: 1,
        rods: [
          {
            id: 'a',
            model: 'fiber',
            shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
            edges: 20,
            frame: { d1 },
            section: { type: 'stiffness', EI1: 1, EI2: 9, GJ: 2, mass: 1 },
          },
        ],
        pins: [{ rod: 'a', at: 'start' }],
        loads: [{ type: 'force', rod: 'a', at: 'end', force: [0, 0, 1e-3] }],
      });
      world.equilibrate();
      expect(tip(world)[2] * 3e3 * EI).toBeCloseTo(1, 2);
    }
  });

  it.each([0, 4, 10])('twists as stiffly about a natural twist of %s rad/m, and bends so', (natural) => {
    const world = createWorld({
      tendril: 1,
      rods: [
        {
          id: 'a',
          model: 'fiber',
          shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
          edges: 25,
          frame: { twist: natural },
          natural: { curvature: [0, 0, natural] },
          section: { type: 'stiffness', EI1: 1, GJ: 2, mass: 1 },
        },
      ],
      pins: [{ rod: 'a', at: 'start' }],
      loads: [
        { type: 'torque', rod: 'a', at: 'end', torque: [1e-3, 0, 0] },
        { type: 'force', rod: 'a', at: 'end', force: [0, 0, 1e-3] },
      ],
    });
    expect(world.energies().twisting).toBeLessThan(1e-20);
    world.equilibrate();
    const twist = world.channel(0, 'twist')[12] - natural;
    expect(twist / (1e-3 / 2)).toBeCloseTo(1, 2);
    expect(tip(world)[2] * 3e3).toBeCloseTo(1, natural > 5 ? 0.9 : 1.6);
  });

  it('rests in any natural shape to rounding, and rests nowhere else', () => {
    const coil: Scene = {
      tendril: 1,
      rods: [
        {
          id: 'a',
          model: 'fiber',
          shape: { type: 'helix', radius: 0.02, pitch: 0.01, turns: 2 },
          edges: 60,
          section: { type: 'stiffness', EI1: 1, EI2: 2, GJ: 1, mass: 1 },
        },
      ],
      pins: [{ rod: 'a', at: 'start' }],
    };
    const world = createWorld(coil);
    const { bending, twisting, stretching } = world.energies();
    expect(bending + twisting + stretching).toBeLessThan(1e-20);
    // one to polish what rounding leaves
    expect(world.equilibrate()[0].iterations).toBeLessThanOrEqual(1);
    const straightened = createWorld({ ...coil, rods: [{ ...coil.rods[0], natural: 'straight' }] });
    // ½ EI κ² L with the mean stiffness of a frame that turns against the curve
    expect(straightened.energies().bending).toBeGreaterThan(100);
  });

  it('counts turns of a pin that spins, and tells its torque', () => {
    const base = hairScene(0.1, 30, { gravity: [0, 0, 0] }, 0, { scaffold: 5e-4 });
    const path = { keys: [{ time: 0 }, { time: 1, twist: 2.5 }] };
    const world = createWorld({
      ...base,
      pins: [
        { rod: 'hair', at: 'start' },
        { rod: 'hair', at: 'end', path },
      ],
      statics: { stability: 'report' },
    });
    const [report] = world.equilibrate(1);
    expect(report).toMatchObject({ converged: true, stable: true });
    const [start, end] = world.reactions();
    const torque = (HAIR.GJ * 2.5) / 0.1;
    // sin 2f/2f of the twist of one cuboid, and ring springs of 20 k_t
    expect(end.torque[0] / torque).toBeCloseTo(1, 1.6);
    expect(start.torque[0]).toBeCloseTo(-end.torque[0], 12);
    expect(world.channel(0, 'twist')[15]).toBeCloseTo(25, 3);
  });

  it('holds positions, directions and frames by themselves', () => {
    const beam = (hold: 'position' | 'tangent' | 'clamp' | 'frame', more: Scene['pins'] = []): World =>
      createWorld({
        tendril: 1,
        gravity: [0, 0, -1],
        rods: [
          {
            id: 'a',
            model: 'fiber',
            shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
            edges: 20,
            section: { type: 'stiffness', EI1: 1, GJ: 1, mass: 1e-3 },
          },
        ],
        pins: [
          { rod: 'a', at: 'start', hold },
          ...(hold === 'tangent' ? [{ rod: 'a', at: 'start', hold: 'position' } as const] : []),
          ...more,
        ],
      });
    const w = 1e-3;
    const middle = (world: World): number => world.samples[0].nodePosition[32];
    const supported = beam('position', [{ rod: 'a', at: 'end', hold: 'position' }]);
    supported.equilibrate();
    expect(middle(supported) / ((-5 * w) / 384)).toBeCloseTo(1, 1.9);
    const propped = beam('tangent', [{ rod: 'a', at: 'end', hold: 'position' }]);
    propped.equilibrate();
    expect(middle(propped) / (-w / 192)).toBeCloseTo(1, 1.9);
    const clamped = beam('clamp', [{ rod: 'a', at: 'end' }]);
    clamped.equilibrate();
    expect(middle(clamped) / (-w / 384)).toBeCloseTo(1, 1.7);
    const [a, b] = clamped.reactions();
    expect(a.force[2] + b.force[2]).toBeCloseTo(w, 9);
    expect(a.torque[1]).toBeCloseTo(-w / 12, 6);
  });

  it('finds the load of Euler', () => {
    const column = (P: number): boolean => {
      const world = createWorld({
        tendril: 1,
        rods: [
          {
            id: 'a',
            model: 'fiber',
            shape: { type: 'straight', from: [0, 0, 0], to: [0, 0, 1] },
            edges: 20,
            section: { type: 'stiffness', EI1: 1, GJ: 1, mass: 1 },
          },
        ],
        pins: [{ rod: 'a', at: 'start' }],
        loads: [{ type: 'force', rod: 'a', at: 'end', force: [0, 0, -P] }],
        statics: { stability: 'report' },
      });
      const [report] = world.equilibrate();
      expect(report.converged).toBe(true);
      return report.stable;
    };
    const critical = Math.PI ** 2 / 4;
    expect(column(0.99 * critical)).toBe(true);
    expect(column(1.01 * critical)).toBe(false);
  });
});

describe('the mapping as printed [Michels2015 Appendix A]', () => {
  /** k_t along the axis, with the missing factor of k_d put back: the formula says E lj lk/(4 li) − k_d(li² − ν(lj² + lk²))/Ld². */
  const axial = (E: number, G: number, l1: number, l2: number): number => {
    const square = l1 * l1 + 2 * l2 * l2;
    const kd = (G * square ** 2) / (12 * l1 * l2 * l2);
    return (E * l2 * l2) / (4 * l1) - (kd * (l1 * l1 - 2 * (E / (2 * G) - 1) * l2 * l2)) / square;
  };
  const [E, G] = [3.58e9, 1.07e9];
  const l2 = (Math.sqrt(Math.PI) / 2) * 6e-5;

  it('has springs of negative stiffness for every cuboid of a hair', () => {
    expect(axial(E, G, 1.8 * l2, l2)).toBeGreaterThan(0);
    expect(axial(E, G, 1.81 * l2, l2)).toBeLessThan(0);
    // the two discretisations of the paper's Fig. 5
    expect(axial(E, G, 0.25 / 200, l2)).toBeLessThan(-6e7);
    expect(axial(E, G, 0.25 / 2000, l2)).toBeLessThan(-4e4);
  });

  it('has no torsional stiffness: twisting a cuboid changes no edge and no body diagonal', () => {
    const corner = (end: number, c: number, angle: number): number[] => {
      const [y, z] = [c === 1 || c === 2 ? 0.5 : -0.5, c > 1 ? 0.5 : -0.5];
      return [end, Math.cos(angle) * y - Math.sin(angle) * z, Math.sin(angle) * y + Math.cos(angle) * z];
    };
    const length = (c: number, d: number, angle: number): number =>
      Math.hypot(...corner(0, c, 0).map((x, k) => x - corner(1, d, angle)[k]));
    const rate = (c: number, d: number): number => (length(c, d, 1e-4) - length(c, d, -1e-4)) / 2e-4;
    for (let c = 0; c < 4; c++) {
      expect(Math.abs(rate(c, c))).toBeLessThan(1e-9);
      // body diagonals join opposite corners
      expect(Math.abs(rate(c, (c + 2) % 4))).toBeLessThan(1e-9);
      // face diagonals, which the paper has not, do change
      expect(Math.abs(rate(c, (c + 1) % 4))).toBeGreaterThan(0.2);
    }
  });
});

describe('what a fiber cannot do', () => {
  const base = hairScene(0.25, 10);
  const rod = base.rods[0];
  const refused = (scene: Scene): SceneError => {
    try {
      createWorld(scene);
    } catch (error) {
      if (error instanceof SceneError) return error;
      throw error;
    }
    throw new Error('not refused');
  };

  it.each<[string, Scene, RegExp]>([
    ['closed rods', { ...base, rods: [{ ...rod, shape: { type: 'ring', radius: 0.1 } }], pins: [] }, /der/],
    [
      'welds',
      {
        ...base,
        bodies: [{ id: 'b', mass: 1, inertia: [1, 1, 1], position: [0.25, 0, 0] }],
        welds: [{ rod: 'hair', at: 'end', body: 'b' }],
      },
      /pins/,
    ],
    ['a scaffold wider than a cuboid is long', { ...base, solver: { fiber: { scaffold: 0.1 } } }, /narrower/],
    ['too much twist in a cuboid', { ...base, rods: [{ ...rod, frame: { twist: 20 } }] }, /more edges/],
    [
      'a natural shape that turns too fast',
      { ...base, rods: [{ ...rod, natural: { curvature: [100, 0, 0] } }] },
      /more edges/,
    ],
    [
      'EA to match where there is none',
      { ...base, rods: [{ ...rod, inextensible: true }], solver: { fiber: { scaffold: 'section' } } },
      /inflated/,
    ],
    ['a filter of another integrator', { ...base, solver: { fiber: { paperFilter: true } } }, /deti/],
    [
      'stiffness damping in deti-r',
      {
        ...base,
        rods: [
          { ...rod, section: { type: 'stiffness', EI1: 1e-9, GJ: 1e-9, mass: 1e-6, damping: { stiffness: 1e-3 } } },
        ],
        solver: { fiber: { integrator: 'deti-r' } },
      },
      /energy-momentum/,
    ],
    [
      'a pin that lets go in deti',
      { ...base, pins: [{ rod: 'hair', at: 'start', release: 0.1 }], solver: { fiber: { integrator: 'deti' } } },
      /energy-momentum/,
    ],
    [
      'moduli that vanish',
      {
        ...base,
        rods: [
          {
            ...rod,
            animate: {
              E: {
                keys: [
                  [0, 1],
                  [1, 0],
                ],
              },
            },
          },
        ],
      },
      /positive/,
    ],
    [
      'EI2/EI1 that changes along',
      {
        ...base,
        rods: [
          {
            ...rod,
            section: {
              type: 'stiffness',
              EI1: 1e-9,
              EI2: {
                along: [
                  [0, 1e-9],
                  [1, 2e-9],
                ],
              },
              GJ: 1e-9,
              mass: 1e-6,
            },
          },
        ],
      },
      /ratio/,
    ],
  ])('%s', (_, scene, words) => {
    expect(refused(scene).message).toMatch(words);
  });

  it('moduli that change, in a model that has none', () => {
    const error = refused({ ...base, rods: [{ ...rod, model: 'massspring', animate: { E: 2 } }], solver: {} });
    expect(error.path).toEqual(['rods', 0, 'animate', 'E']);
  });

  it('gives matrices whose eigenvalues are the frequencies, with rings held in part', () => {
    const pins = [
      { rod: 'hair', at: 'start', hold: 'position' },
      { rod: 'hair', at: 'end', hold: 'tangent' },
    ] as const;
    const world = createWorld({ ...hairScene(0.02, 3, { gravity: [0, 0, 0], pins }) });
    const [{ size, mass, stiffness, labels }] = world.matrices();
    expect(size).toBe(48 - 3 - 3);
    expect(new Set(labels).size).toBe(size);
    const dense = ({ row, column, value }: typeof mass): Float64Array => {
      const out = new Float64Array(size * size);
      for (let k = 0; k < value.length; k++) {
        out[row[k] * size + column[k]] = value[k];
        out[column[k] * size + row[k]] = value[k];
      }
      return out;
    };
    const values = eigenGeneral(dense(stiffness), dense(mass), size)?.values ?? new Float64Array(0);
    const omega = world.modes(6)[0].omega;
    for (let k = 2; k < 6; k++) expect(Math.sqrt(values[k]) / omega[k]).toBeCloseTo(1, 5);
  });

  it('warns of cuboids that are long and thin', () => {
    expect(createWorld({ ...base, solver: { fiber: { scaffold: 'section' } } }).warnings.join()).toMatch(
      /ill-conditioned/,
    );
    expect(createWorld(base).warnings).toEqual([]);
  });

  it('notes moduli that no isotropic solid has, and takes them', () => {
    const section = { type: 'circle', radius: 3e-5 } as const;
    const world = createWorld({
      ...base,
      rods: [{ ...rod, section, material: { E: 3.58e9, G: 1.07e9, density: 1107 } }],
    });
    expect(world.warnings.join()).toMatch(/no isotropic solid/);
    expect(world.equilibrate()[0].stable).toBe(true);
  });
});
