/** Branches of equilibria along which obstacles are touched, against closed forms of the elastica. */
import { type BranchPoint, createWorld, type Scene, type World } from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';

/** Complete elliptic integrals K and E of modulus k, by the arithmetic–geometric mean. */
function elliptic(k: number): { readonly K: number; readonly E: number } {
  let [a, g, c, sum] = [1, Math.sqrt(1 - k * k), k, (k * k) / 2];
  for (let power = 1; Math.abs(c) > 1e-16 && power < 1e6; power *= 2) {
    c = (a - g) / 2;
    [a, g] = [(a + g) / 2, Math.sqrt(a * g)];
    sum += power * c * c;
  }
  return { K: Math.PI / (2 * a), E: (Math.PI / (2 * a)) * (1 - sum) };
}

function solve(f: (x: number) => number, low: number, high: number): number {
  const sign = Math.sign(f(low));
  for (let i = 0; i < 100; i++) {
    const middle = 0.5 * (low + high);
    if (Math.sign(f(middle)) === sign) low = middle;
    else high = middle;
  }
  return low;
}

const h = 0.05;
const radius = 1e-3;

/** Hinged strip of length 1 and EI 1: its middle reaches the height h. Amplitude k L/K. */
function touch(): { readonly load: number; readonly shortening: number } {
  const k = solve((x) => x / elliptic(x).K - h, 1e-6, 0.5);
  const { K, E } = elliptic(k);
  return { load: 4 * K * K, shortening: 2 - (2 * E) / K };
}

/**
 * A part of length l from a hinge to where the strip begins to lie on the wall. Its moment vanishes at both ends, so it is half a wave of the elastica about a
 * line of thrust at the angle α to the wall, with 2α at the hinge.
 */
function lifted(l: number): { readonly load: number; readonly shortening: number } {
  const chord = (alpha: number): number => {
    const { K, E } = elliptic(Math.sin(alpha / 2));
    return l * ((2 * E) / K - 1);
  };
  const alpha = solve((x) => chord(x) * Math.sin(x) - h, 1e-6, 1);
  const { K } = elliptic(Math.sin(alpha / 2));
  return { load: ((4 * K * K) / (l * l)) * Math.cos(alpha), shortening: 2 * (l - chord(alpha) * Math.cos(alpha)) };
}

/** A strip between hinges that approach each other beside a wall, from a small shortening. */
function strip(edges: number, change: Partial<Scene> = {}): Scene {
  const hinge = { hold: 'hinge', axis: [0, 1, 0] } as const;
  const points = Array.from({ length: edges + 1 }, (_, i): [number, number, number] => {
    const x = i / edges;
    return [x, 0, 1e-3 * Math.sin(Math.PI * x)];
  });
  return {
    tendril: 1,
    rods: [
      {
        id: 'strip',
        edges,
        inextensible: true,
        shape: { type: 'points', points },
        natural: 'straight',
        frame: { d1: [0, 0, 1] },
        section: { type: 'stiffness', radius, EI1: 1000, EI2: 1, GJ: 1000, mass: 1 },
      },
    ],
    pins: [
      { rod: 'strip', at: 'start', ...hinge },
      {
        rod: 'strip',
        at: 'end',
        ...hinge,
        path: { interpolation: 'linear', keys: [{ time: 0 }, { time: 1, offset: [-1, 0, 0] }] },
      },
    ],
    colliders: [{ id: 'wall', type: 'plane', normal: [0, 0, -1], position: [0, 0, h + radius], friction: 0 }],
    statics: { from: 0, to: 0.02, follow: 'branch' },
    ...change,
  };
}

interface Seen extends BranchPoint {
  readonly load: number;
  readonly depth: number;
  readonly touching: number;
}

function follow(
  world: World,
  start?: 'across' | 'back',
): { readonly seen: Seen[]; readonly end: string; readonly detail: string } {
  const branch = world.branch(start);
  const seen: Seen[] = [];
  for (;;) {
    const next = branch.next();
    if (next.done) return { seen, end: next.value.reason, detail: next.value.detail };
    const forces = world.contactForces();
    const depth = Math.max(0, ...forces.map(({ gap }) => -gap));
    seen.push({
      ...next.value,
      load: Math.abs(world.reactions().at(-1)?.force[0] ?? 0),
      depth,
      touching: forces.length,
    });
  }
}

/** Length of the polyline of the strip, minus the distance of its ends. */
function startOf(scene: Scene): number {
  const { shape } = scene.rods[0];
  const points = shape.type === 'points' ? shape.points : [];
  const lengths = points.slice(1).map((p, i) => Math.hypot(p[0] - points[i][0], p[2] - points[i][2]));
  return lengths.reduce((sum, length) => sum + length, 0) - 1;
}

/** Error of load and shortening where the wall is touched, and where contact at a point becomes contact along a line. */
function errors(edges: number): number[] {
  const scene = strip(edges, { statics: { from: 0, to: 0.009, follow: 'branch' } });
  const { seen, end } = follow(createWorld(scene));
  expect(end).toBe('range');
  const [first, second] = seen.filter(({ kind }) => kind === 'contact');
  expect(second.touching).toBe(1);
  const relative = ({ load, parameter }: Seen, theory: { load: number; shortening: number }): number[] => [
    Math.abs(load / theory.load - 1),
    Math.abs((parameter + startOf(scene)) / theory.shortening - 1),
  ];
  return [...relative(first, touch()), ...relative(second, lifted(0.5))];
}

describe('a strip that is pushed together beside a wall', () => {
  it('touches it, and lies along it, at the loads of the elastica, to second order', () => {
    const [coarse, fine] = [errors(20), errors(40)];
    for (const [k, error] of fine.entries()) {
      expect(error).toBeLessThan(12 / 40 ** 2);
      expect(coarse[k]).toBeGreaterThan(1e-5);
      expect(Math.log2(coarse[k] / error)).toBeGreaterThan(1.7);
    }
  });

  it('sinks into it by rounding, with the load of the part that is off the wall, until its flat part buckles', () => {
    const scene = strip(40);
    const world = createWorld(scene);
    const { seen, end } = follow(world);
    expect(end).toBe('range');
    for (const { depth } of seen) expect(depth).toBeLessThan(1e-8);
    const flat = solve((l) => (2 * Math.PI) ** 2 / (1 - 2 * l) ** 2 - lifted(l).load, 0.2, 0.3);
    const buckling = seen.find(({ kind }) => kind === 'bifurcation');
    // the flat part begins at a node
    expect(Math.abs((buckling?.parameter ?? 0) / lifted(flat).shortening - 1)).toBeLessThan(0.05);
    const pressed = seen.filter(({ touching, negativeModes }) => touching > 1 && negativeModes === 0);
    expect(pressed.length).toBeGreaterThan(10);
    for (const { load, parameter } of pressed) {
      const l = solve((x) => lifted(x).shortening - parameter - startOf(scene), 0.15, 0.5);
      expect(Math.abs(load / lifted(l).load - 1)).toBeLessThan(0.04);
    }
  });

  it('leaves the wall on the branch that begins there, and the wall blocks the other side', () => {
    const [rod] = strip(40).rods;
    const straight = { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] } as const;
    const section = { type: 'stiffness', radius, EI1: 1000, EI2: 1, GJ: 1000, EA: 1e5, mass: 1 } as const;
    const { id, edges, frame } = rod;
    const wall = {
      id: 'wall',
      type: 'plane',
      normal: [0, 0, -1],
      position: [0, 0, 0.02 + radius],
      friction: 0,
    } as const;
    const world = createWorld(
      strip(40, {
        rods: [{ id, edges, frame, shape: straight, section }],
        colliders: [wall],
        statics: { from: 0, to: 0.008, follow: 'branch' },
      }),
    );
    const goToBifurcation = (start?: 'across'): void => {
      for (const { kind } of world.branch(start)) if (kind === 'bifurcation') break;
    };
    goToBifurcation();
    goToBifurcation('across');
    const state = world.save();
    const [one, other] = (['across', 'back'] as const).map((start) => {
      world.restore(state);
      return follow(world, start);
    });
    const [open, blocked] = one.end === 'blocked' ? [other, one] : [one, other];
    expect(blocked.end).toBe('blocked');
    const last = open.seen[open.seen.length - 1];
    expect(last).toMatchObject({ kind: 'end', negativeModes: 0 });
    expect(last.load).toBeLessThan(13 * Math.PI ** 2);
    // the part between the wall's two contacts buckles subcritically
    expect(Math.min(...open.seen.map(({ parameter }) => parameter))).toBeLessThan(open.seen[0].parameter - 1e-5);
  });
});

/** A clamped rod of EI 1 whose middle is pressed by an obstacle that moves down by t: force 3 EI t/a³ at the distance a. */
describe('a cantilever that an obstacle presses', () => {
  const a = 0.6;
  const lever = (collider: object): Scene => ({
    tendril: 1,
    rods: [
      {
        id: 'rod',
        edges: 40,
        inextensible: true,
        shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
        section: { type: 'stiffness', radius: 1e-3, EI1: 1, GJ: 1, mass: 1 },
      },
    ],
    pins: [{ rod: 'rod', at: 'start' }],
    colliders: [
      {
        id: 'peg',
        type: 'capsule',
        radius: 0.02,
        friction: 0,
        from: [a, -1, 0.022],
        to: [a, 1, 0.022],
        path: { interpolation: 'linear', keys: [{ time: 0 }, { time: 1, offset: [0, 0, -1] }] },
        ...collider,
      } as NonNullable<Scene['colliders']>[number],
    ],
    statics: { from: 0, to: 0.02, follow: 'branch' },
  });

  it('with the force of the beam, at a point that slides along an edge', () => {
    const world = createWorld(lever({}));
    let [largest, bent] = [0, 0];
    for (const { parameter } of world.branch()) {
      const force = world.contactForces().reduce((sum, one) => sum + one.force[2], 0);
      const down = Math.max(0, parameter - 1e-3);
      largest = Math.max(largest, Math.abs(force + (3 * down) / a ** 3));
      bent = Math.max(bent, down);
    }
    expect(bent).toBeCloseTo(0.019, 10);
    expect(largest).toBeLessThan(0.01 * ((3 * bent) / a ** 3));
  });

  it('not if it has friction: what was found before is kept', () => {
    const { seen, end, detail } = follow(createWorld(lever({ friction: 0.3 })));
    expect(end).toBe('lost');
    expect(detail).toMatch(/touches 'peg', which has friction/);
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.every(({ depth }) => depth < 1e-6)).toBe(true);
  });
});

it('a rod in a tube follows its bottom until it snakes, and lies on the wall of the tube then', () => {
  // F = min over m of EI (mπ/L)² + (w/c)(L/mπ)² [Paslay1964], c the clearance
  const [radius, clearance] = [1e-3, 2e-3];
  const weight = (clearance * (3 * Math.PI) ** 4) / 4;
  const critical = Math.min(...[1, 2, 3, 4].map((m) => (m * Math.PI) ** 2 + weight / clearance / (m * Math.PI) ** 2));
  const world = createWorld({
    tendril: 1,
    gravity: [0, 0, -1],
    rods: [
      {
        id: 'rod',
        edges: 30,
        inextensible: true,
        shape: { type: 'straight', from: [0, 0, -clearance], to: [1, 0, -clearance] },
        section: { type: 'stiffness', EI1: 1, GJ: 1, mass: weight, radius },
      },
    ],
    pins: [
      { rod: 'rod', at: 'start', hold: 'position' },
      { rod: 'rod', at: 'end', hold: 'position', axes: ['y', 'z'] },
    ],
    loads: [{ rod: 'rod', type: 'force', at: 'end', force: [-critical, 0, 0], factor: { formula: 't' } }],
    colliders: [
      {
        id: 'tube',
        type: 'capsule',
        from: [-1, 0, 0],
        to: [2, 0, 0],
        radius: radius + clearance,
        hollow: true,
        friction: 0,
      },
    ],
    statics: { from: 0.5, to: 1.2, follow: 'branch' },
  });
  const first = [...world.branch()].find(({ kind }) => kind === 'bifurcation');
  expect(Math.abs((first?.parameter ?? 0) - 1)).toBeLessThan(0.015);
  for (const { kind } of world.branch()) if (kind === 'bifurcation') break;
  const { seen } = follow(world, 'across');
  expect(seen.length).toBeGreaterThan(4);
  const x = world.samples[0].nodePosition;
  const sideways = Math.max(...Array.from({ length: 31 }, (_, i) => Math.abs(x[3 * i + 1])));
  expect(sideways).toBeGreaterThan(0.2 * clearance);
  for (let i = 6; i < 25; i++)
    expect(Math.abs(Math.hypot(x[3 * i + 1], x[3 * i + 2]) / clearance - 1)).toBeLessThan(1e-5);
});
