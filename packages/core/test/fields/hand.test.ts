/** Hands: what they do to a rod is what the same load or path in the scene would do, and unused they do nothing. */
import { describe, expect, it } from 'vitest';
import { createEdgeTorque, createPointSpring, createWorld, type Scene } from '../../src/index.ts';
import { createLoads } from '../../src/port.ts';

const step = 0.01;

function scene(changes: Partial<Scene> = {}): Scene {
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [
      {
        id: 'rod',
        shape: { type: 'straight', from: [0, 0, 0], to: [0.4, 0, 0] },
        edges: 16,
        section: { type: 'ellipse', a: 0.006, b: 0.004 },
        material: { E: 1e8, nu: 0.4, density: 1100, damping: { mass: 6, stiffness: 1e-3 } },
      },
    ],
    pins: [{ rod: 'rod', at: 'start' }],
    time: { duration: 4, step },
    ...changes,
  };
}

const largest = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Math.max(...Array.from(a, (x, k) => Math.abs(x - b[k])));

describe('a point spring', () => {
  it('pulls with the gradient of its potential', () => {
    const world = createWorld(scene());
    const [rod] = world.rods;
    const samples = world.samples[0];
    const spring = createPointSpring(9, 30, 0);
    spring.target.set([0.3, 0.1, 0.2]);
    const loads = createLoads(rod);
    spring.addLoads(loads, samples, 0);
    const h = 1e-6;
    for (let k = 0; k < 3; k++) {
      const at = 27 + k;
      const x = samples.nodePosition[at];
      samples.nodePosition[at] = x + h;
      const plus = spring.potential(samples, 0);
      samples.nodePosition[at] = x - h;
      const minus = spring.potential(samples, 0);
      samples.nodePosition[at] = x;
      const force = -(plus - minus) / (2 * h);
      expect(Math.abs(force)).toBeGreaterThan(0.1);
      expect(loads.nodeForce[at]).toBeCloseTo(force, 7);
    }
    expect(loads.nodeForce.filter((f) => f !== 0)).toHaveLength(3);
  });

  it('holds the rod where a dead load of the same force would', () => {
    const pulled = createWorld(scene());
    const spring = createPointSpring(16, 40, 40 * 3 * step);
    spring.target.set([0.4, 0.12, 0.02]);
    pulled.addLoad(0, spring);
    for (let k = 0; k < 600; k++) pulled.step();
    const x = pulled.samples[0].nodePosition;
    const force = [0, 1, 2].map((k) => 40 * (spring.target[k] - x[48 + k])) as [number, number, number];
    expect(Math.hypot(...force)).toBeGreaterThan(0.1);
    const loaded = createWorld(scene({ loads: [{ type: 'force', rod: 'rod', at: 'end', force }] }));
    loaded.equilibrate();
    expect(largest(x, loaded.samples[0].nodePosition)).toBeLessThan(1e-6);
    expect(largest(x, createWorld(scene()).samples[0].nodePosition)).toBeGreaterThan(0.05);
  });

  it('leaves no trace once it is taken away before a step', () => {
    const plain = createWorld(scene());
    const touched = createWorld(scene());
    touched.addLoad(0, createPointSpring(16, 40, 1))();
    for (let k = 0; k < 10; k++) {
      plain.step();
      touched.step();
    }
    expect(touched.hash()).toBe(plain.hash());
  });
});

it('a torque about the tangent twists a free end as the same load in the scene does', () => {
  const loads: Scene['loads'] = [
    { type: 'torque', rod: 'rod', at: { node: 15 }, torque: [0, 0, 0.01], frame: 'material' },
  ];
  const still = { gravity: undefined };
  const told = createWorld(scene({ ...still, loads }));
  const held = createWorld(scene(still));
  const hand = createEdgeTorque(15);
  hand.torque = 0.01;
  held.addLoad(0, hand);
  for (let k = 0; k < 20; k++) {
    told.step();
    held.step();
  }
  const twist = held.channel(0, 'twist');
  expect(Math.abs(twist[8])).toBeGreaterThan(0.1);
  // the scene's torque acts on the edges on both sides of its node, the hand's on one
  expect(twist[8] / told.channel(0, 'twist')[8]).toBeCloseTo(1, 1);
});

describe('a grip', () => {
  it('moves and turns a pin as a path does', () => {
    const to = { offset: [0.02, 0.03, -0.01] as const, twist: 1.2 };
    const pins = [
      { rod: 'rod', at: 'start', path: { interpolation: 'linear', keys: [{ time: 0 }, { time: 0.5, ...to }] } },
    ] as const;
    const told = createWorld(scene({ pins }));
    const held = createWorld(scene());
    held.grips[0].move(to, 0, 0.5);
    for (let k = 0; k < 80; k++) {
      told.step();
      held.step();
    }
    expect(largest(held.samples[0].nodePosition, told.samples[0].nodePosition)).toBeLessThan(1e-6);
    expect(held.samples[0].nodePosition[1]).toBeCloseTo(0.03, 12);
    expect(held.samples[0].edgeDirector[1]).not.toBeCloseTo(createWorld(scene()).samples[0].edgeDirector[1], 1);
  });

  it('lets go as a release does', () => {
    const told = createWorld(scene({ pins: [{ rod: 'rod', at: 'start', release: 0.1 }] }));
    const held = createWorld(scene());
    for (let k = 0; k < 30; k++) {
      if (k === 10) held.grips[0].release();
      told.step();
      held.step();
    }
    expect(held.grips[0].released).toBe(true);
    expect(held.samples[0].nodePosition[2]).toBeLessThan(-0.1);
    expect(largest(held.samples[0].nodePosition, told.samples[0].nodePosition)).toBeLessThan(1e-9);
  });

  it('is given to pins, and to no weld', () => {
    const world = createWorld(
      scene({
        bodies: [{ id: 'ball', solid: { type: 'sphere', radius: 0.02, density: 500 }, position: [0.4, 0, 0] }],
        welds: [{ rod: 'rod', at: 'end', body: 'ball' }],
      }),
    );
    expect(world.grips).toHaveLength(1);
    for (let k = 0; k < 5; k++) world.step();
    expect(world.bodies[0].pose.position[2]).toBeLessThan(0);
  });
});
