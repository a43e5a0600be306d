/** Rods that touch obstacles alone, solved two at a time by kernels: the same law, the same answers, the same bits. */
import { beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type Model, type Scene, type World } from '../../src/index.ts';
import { loadDer } from '../../src/kernels/index.ts';
import { solvedGaps } from './support.ts';

let der: Model;
/** How many steps of rods kernels were asked for, and how many of them they did. */
const settled = { asked: 0, done: 0 };
beforeAll(async () => {
  const model = await loadDer();
  der = {
    ...model,
    compile(...given) {
      const bundle = model.compile(...given);
      const { contact } = bundle;
      if (!contact?.stepSingleRods) throw new Error('no kernel for contact');
      const { stepSingleRods } = contact;
      const counted: typeof stepSingleRods = (job) => {
        const out = stepSingleRods(job);
        settled.asked += job.count;
        for (let i = 0; i < job.count; i++) settled.done += job.done[i];
        return out;
      };
      return { ...bundle, contact: { ...contact, stepSingleRods: counted } };
    },
  };
});

/** Hairs on a ball, all different, which fall over and come to lie on it. */
function onBall(count: number, change: Partial<Scene> = {}): Scene {
  const at = (k: number, l: number): [number, number, number] => {
    const z = 0.9 - (0.6 * k) / count;
    const r = Math.sqrt(1 - z * z);
    return [l * r * Math.cos(2.4 * k), l * r * Math.sin(2.4 * k), l * z];
  };
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: Array.from({ length: count }, (_, k) => ({
      id: `hair ${k}`,
      shape: { type: 'straight', from: at(k, 0.0905), to: at(k, 0.25 + 0.01 * k) },
      edges: 12,
      section: {
        type: 'stiffness',
        EI1: 1e-8 * (1 + 0.2 * k),
        GJ: 2e-8,
        EA: 10,
        mass: 1e-4,
        inertia: 1e-12,
        radius: 3e-4,
      },
    })),
    pins: Array.from({ length: count }, (_, k) => ({ rod: `hair ${k}`, at: 'start' })),
    colliders: [
      {
        type: 'sphere',
        radius: 0.09,
        friction: { static: 0.4, dynamic: 0.3 },
        path: { keys: [{ time: 0 }, { time: 0.4, rotation: [0, 0.1, 0.2] }] },
      },
    ],
    time: { duration: 1, step: 1 / 240 },
    solver: { der: { integrator: 'implicit-euler' } },
    ...change,
  };
}

/** A rod on a floor. */
function onFloor(friction: number, slope: number): Scene {
  const rod = (id: string, y: number): Scene['rods'][number] => ({
    id,
    shape: { type: 'straight', from: [-0.05, y, 0.002], to: [0.05, y, 0.002] },
    edges: 10,
    section: { type: 'circle', radius: 0.002 },
    material: { E: 1e7, nu: 0.4, density: 1000, damping: { stiffness: 1e-3 } },
  });
  return {
    tendril: 1,
    gravity: [9.81 * Math.sin(slope), 0, -9.81 * Math.cos(slope)],
    rods: [rod('one', 0), rod('two', 0.1)],
    colliders: [{ type: 'plane', friction }],
    time: { duration: 1, step: 1 / 240 },
  };
}

function distance(a: World, b: World, only?: number): number {
  let largest = 0;
  a.samples.forEach(({ nodePosition }, rod) => {
    if (only !== undefined && rod !== only) return;
    nodePosition.forEach((x, k) => {
      largest = Math.max(largest, Math.abs(x - b.samples[rod].nodePosition[k]));
    });
  });
  return largest;
}

describe('lone rods by kernels', () => {
  /**
   * One step after the other, both from where the plain one is: how far each rod that touches something comes apart where both found it
   * to touch in the same places, and where they did not. (A place is looked for anew where a rod has sunk in on its way, and ways differ.)
   */
  const compare = (scene: Scene, steps: number): { same: number[]; other: number[] } => {
    const plain = createWorld(scene);
    const fast = createWorld(scene, { models: [der] });
    Object.assign(settled, { asked: 0, done: 0 });
    const out = { same: [] as number[], other: [] as number[] };
    for (let k = 0; k < steps; k++) {
      fast.restore(plain.save());
      plain.step();
      fast.step();
      const forces = [plain, fast].map((world) => {
        const solved = solvedGaps(world);
        return world.contactForces().map((one, c) => ({ ...one, gap: solved[c] }));
      });
      scene.rods.forEach(({ id }, r) => {
        const [one, two] = forces.map((list) => list.filter(({ rod }) => rod === id));
        if (one.length + two.length === 0) return;
        const same =
          one.length === two.length &&
          one.every(({ edge, weight, normal, gap }, c) => {
            const far = Math.max(Math.abs(weight - two[c].weight), Math.abs(gap - two[c].gap) / 3e-4);
            const turned = Math.hypot(...normal.map((x, axis) => x - two[c].normal[axis]));
            return edge === two[c].edge && far < 1e-9 && turned < 1e-9;
          });
        const difference = distance(plain, fast, r);
        out[same ? 'same' : 'other'].push(difference);
        if (!same || difference > 1e-10) return;
        one.forEach(({ force, sliding }, c) => {
          for (let axis = 0; axis < 3; axis++) expect(two[c].force[axis]).toBeCloseTo(force[axis], 8);
          expect(two[c].sliding).toBe(sliding);
        });
      });
    }
    // the fifth has no other, and is left to the solution of groups
    expect(settled.done).toBeGreaterThan(0.6 * settled.asked);
    expect(settled.done).toBeGreaterThan(100);
    return out;
  };
  // solved for far beyond what is usual, so that both find the same
  const exact: Scene['contact'] = { between: 'none', tolerance: 1e-9, iterations: 5000 };

  it.each([
    ['on a floor', {}],
    ['in wind', { fields: [{ type: 'air', linear: [1e-3, 5e-4], wind: { mean: [0.5, 0, 0] } }] } as Partial<Scene>],
    ['by TR-BDF2 until they touch', { solver: { der: { integrator: 'tr-bdf2' } } } as Partial<Scene>],
  ])('move as one by one: %s', (_, change) => {
    // five, so that one has no other
    const base = onBall(5);
    const scene: Scene = {
      ...base,
      contact: exact,
      pins: (base.pins ?? []).filter((__, k) => k % 3 !== 1),
      colliders: [
        {
          type: 'plane',
          position: [0, 0, 0.05],
          friction: { static: 0.4, dynamic: 0.3 },
          path: { keys: [{ time: 0 }, { time: 1, offset: [0.1, 0, 0] }] },
        },
      ],
      ...change,
    };
    const { same, other } = compare(scene, 100);
    // a plane has the same places wherever it is looked at
    expect(other).toEqual([]);
    expect(same.length).toBeGreaterThan(300);
    expect(same.filter((x) => x < 1e-10).length).toBeGreaterThan(0.97 * same.length);
    // steps that were looked at again stop at another error below the tolerance
    expect(Math.max(...same)).toBeLessThan(1e-7);
  });

  it('move as one by one on a ball, but where they fall on it and it is other places that they sink in at', () => {
    const { same, other } = compare(onBall(5, { contact: exact }), 100);
    expect(same.length).toBeGreaterThan(120);
    expect(Math.max(...same)).toBeLessThan(1e-10);
    expect(other.length).toBeLessThan(60);
    expect(Math.max(...other)).toBeLessThan(3e-4);
  });

  it('rest with their weight, stick below the angle of friction and slide above it', () => {
    const mu = 0.3;
    for (const share of [0, 0.98, 1.02]) {
      const slope = share * Math.atan(mu);
      const world = createWorld(onFloor(mu, slope), { models: [der] });
      const start = world.samples[0].nodePosition[0];
      for (let k = 0; k < 120; k++) world.step();
      const weight = 1000 * Math.PI * 0.002 ** 2 * 0.1 * 9.81;
      let up = 0;
      let along = 0;
      for (const { rod, force } of world.contactForces()) {
        if (rod !== 'one') continue;
        up += force[2];
        along += force[0];
      }
      expect(up / (weight * Math.cos(slope))).toBeCloseTo(1, 3);
      const moved = world.samples[0].nodePosition[0] - start;
      const slid = 0.5 * 9.81 * (Math.sin(slope) - mu * Math.cos(slope)) * 0.5 ** 2;
      // velocities of a step are within ten tolerances of 1e-4 g dt, to either side: of 120 steps that is 20 µm at most
      if (share < 1) expect(Math.abs(moved)).toBeLessThan(5e-6);
      else expect(moved / slid).toBeCloseTo(1, 1);
      expect(-along / weight).toBeCloseTo(share < 1 ? Math.sin(slope) : mu * Math.cos(slope), 3);
    }
  });

  it.each([false, true])(
    'have dynamic friction from the first step on where they slide as it begins (kernels: %s)',
    (fast) => {
      const floor = onFloor(0, 0);
      const path = { interpolation: 'linear', keys: [{ time: 0 }, { time: 1, offset: [1, 0, 0] }] } as const;
      const scene: Scene = {
        ...floor,
        colliders: [{ type: 'plane', friction: { static: 0.8, dynamic: 0.3 }, path }],
      };
      const world = createWorld(scene, { models: fast ? [der] : [] });
      for (let k = 1; k <= 3; k++) {
        world.step();
        expect(world.contactForces().every(({ sliding }) => sliding)).toBe(true);
        expect(world.samples[0].nodeVelocity[0] / ((0.3 * 9.81 * k) / 240)).toBeCloseTo(1, 3);
      }
    },
  );

  it('are restored bit for bit in the middle of it', () => {
    const scene = onBall(6);
    const world = createWorld(scene, { models: [der] });
    for (let k = 0; k < 80; k++) world.step();
    const saved = world.save();
    for (let k = 0; k < 20; k++) world.step();
    const other = createWorld(scene, { models: [der] });
    other.restore(saved);
    for (let k = 0; k < 20; k++) other.step();
    expect(world.contactForces().length).toBeGreaterThan(5);
    expect(distance(world, other)).toBe(0);
    expect(other.contactForces()).toEqual(world.contactForces());
  });

  it('do not sink in where they fall at steps of 1/60 s', () => {
    const world = createWorld(onBall(6, { time: { duration: 1, step: 1 / 60 } }), { models: [der] });
    let [deepest, contacts] = [0, 0];
    for (let k = 0; k < 40; k++) {
      world.step();
      contacts = Math.max(contacts, world.contactForces().length);
      for (const { nodePosition: x } of world.samples)
        for (let o = 3; o < x.length; o += 3)
          deepest = Math.max(deepest, (0.0903 - Math.hypot(x[o], x[o + 1], x[o + 2])) / 3e-4);
    }
    expect(contacts).toBeGreaterThan(20);
    expect(deepest).toBeLessThan(0.05);
  });
});
