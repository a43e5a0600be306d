import { describe, expect, it } from 'vitest';
import { appendContact, createContactSet } from '../../src/contact/contactSet.ts';
import { createWorld, type Scene, type World } from '../../src/index.ts';
import { stepInSubsteps, sumSubsteps } from '../../src/math/substeps.ts';

describe('a step in substeps', () => {
  it('covers the step without gaps, with substeps that grow again', () => {
    const taken: [number, number][] = [];
    let failures = 0;
    const whole = stepInSubsteps({ t: 0, dt: 1 }, 4, (start, _, share) => {
      // nothing longer than an eighth near the middle
      if (start + share > 0.5 && start < 0.625 && share > 0.125) {
        failures++;
        return false;
      }
      taken.push([start, share]);
      return true;
    });
    expect(whole).toBe(true);
    expect(failures).toBeGreaterThan(0);
    let at = 0;
    for (const [start, share] of taken) {
      expect(start).toBe(at);
      at += share;
    }
    expect(at).toBe(1);
    expect(taken).toEqual([
      [0, 0.5],
      [0.5, 0.125],
      [0.625, 0.125],
      [0.75, 0.25],
    ]);
  });

  it('ends every substep, as t + dt, exactly where the next begins', () => {
    for (let k = 1; k < 400; k++) {
      const span = { t: 0.01 * k, dt: 0.01 * (k + 1) - 0.01 * k };
      expect(span.t + span.dt).toBe(0.01 * (k + 1));
      let now = span.t;
      stepInSubsteps(span, 5, (t, dt, share) => {
        if (share > 1 / (1 + (k % 16))) return false;
        expect(t).toBe(now);
        now = t + dt;
        return true;
      });
      expect(now).toBe(span.t + span.dt);
    }
  });

  it('gives up where the smallest substep fails', () => {
    let shortest = 1;
    const whole = stepInSubsteps({ t: 0, dt: 1 }, 3, (start, _, share) => {
      shortest = Math.min(shortest, share);
      return start + share <= 0.5;
    });
    expect(whole).toBe(false);
    expect(shortest).toBe(0.125);
  });

  it('is counted with the whole that failed, and with substeps that did', () => {
    const whole = { ok: false, iterations: 9, iterationsMax: 9, shifts: 2, reason: 'whole' };
    const piece = (start: number, _: number, share: number) => ({
      ok: start + share <= 0.75 || share <= 1 / 8,
      iterations: 3,
      iterationsMax: 3,
      shifts: 0,
      substeps: start === 0 ? 4 : 1,
      rejected: 1,
      reason: `${start}`,
    });
    // 0 to 1/2 in four, 1/2 to 1 not, 1/2 to 3/4, 3/4 to 1 not, and its two halves
    const { last, ...sum } = sumSubsteps({ t: 0, dt: 1 }, 3, whole, piece);
    expect(sum).toEqual({ ok: true, iterations: 27, iterationsMax: 9, shifts: 2, substeps: 7, rejected: 6 });
    expect(last.reason).toBe('0.875');
    const failed = sumSubsteps({ t: 0, dt: 1 }, 2, whole, piece);
    expect(failed.ok).toBe(false);
    expect(failed.last.reason).toBe('0.75');
  });
});

describe('a set of contacts', () => {
  it('copies all of a contact', () => {
    const [from, to] = [createContactSet(2), createContactSet(2)];
    from.count = 2;
    let value = 1;
    for (const array of Object.values(from))
      if (typeof array !== 'number') for (const k of array.keys()) array[k] = value++ % 250;
    expect(appendContact(to, from, 1)).toBe(0);
    for (const name of Object.keys(from) as (keyof typeof from)[]) {
      if (name === 'count') continue;
      const stride = from[name].length / 2;
      expect([...to[name].slice(0, stride)], name).toEqual([...from[name].slice(stride)]);
    }
  });
});

/** Strands that stand on a head and fall on it and on shoulders, as in the case long-hair; numbers out of its 190. */
function hair(numbers: readonly number[], contact?: Scene['contact']): Scene {
  const roots = numbers.map((k) => {
    const z = 0.95 - (0.75 * (k + 0.5)) / 190;
    const r = Math.sqrt(1 - z * z);
    return { k, n: [r * Math.cos(2.399963 * k), r * Math.sin(2.399963 * k), z] as const };
  });
  const at = (n: readonly number[], s: number): [number, number, number] => [s * n[0], s * n[1], s * n[2]];
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: roots.map(({ k, n }) => ({
      id: `hair${k}`,
      model: 'strand' as const,
      shape: { type: 'straight' as const, from: at(n, 0.093), to: at(n, 0.373) },
      edges: 22,
      section: {
        type: 'stiffness' as const,
        EI1: 2e-6,
        GJ: 2e-6,
        mass: 2e-3,
        inertia: 2e-9,
        radius: 0.0015,
        damping: { mass: 1.5, stiffness: 0.02 },
      },
    })),
    pins: roots.map(({ k }) => ({ rod: `hair${k}`, at: 'start' as const })),
    colliders: [
      { type: 'sphere', radius: 0.09, friction: 0.3 },
      { type: 'capsule', from: [0, -0.18, -0.24], to: [0, 0.18, -0.24], radius: 0.07, friction: 0.3 },
    ],
    ...(contact && { contact }),
    // few iterations, so that a tip that whips fails
    solver: { strand: { iterations: 6 } },
    time: { duration: 1, step: 1 / 96 },
  };
}

function run(scene: Scene, steps: number): { world: World; substeps: number[]; gap: number } {
  const world = createWorld(scene);
  const substeps: number[] = [];
  let gap = 1;
  for (let k = 0; k < steps; k++) {
    substeps.push(world.step().substeps);
    for (const { nodePosition: x } of world.samples) {
      for (let i = 0; i < x.length; i += 3) gap = Math.min(gap, Math.hypot(x[i], x[i + 1], x[i + 2]) - 0.0915);
    }
  }
  return { world, substeps, gap };
}

describe('a strand whose step fails', () => {
  const rough = 68;
  const calm = [104, 176];

  it('is stepped in substeps by itself: others move as if it were not there, to the last bit', () => {
    const together = run(hair([rough, ...calm]), 36);
    expect(Math.max(...together.substeps)).toBeGreaterThan(1);
    calm.forEach((k, i) => {
      const alone = run(hair([k]), 36);
      expect(Math.max(...alone.substeps)).toBe(1);
      expect(alone.world.contactForces().length).toBeGreaterThan(0);
      expect(together.world.samples[i + 1].nodePosition).toEqual(alone.world.samples[0].nodePosition);
      expect(together.world.samples[i + 1].nodeVelocity).toEqual(alone.world.samples[0].nodeVelocity);
    });
    const alone = run(hair([rough]), 36);
    expect(together.world.samples[0].nodePosition).toEqual(alone.world.samples[0].nodePosition);
    expect(together.gap).toBeGreaterThan(-0.05 * 0.0015);
  });

  it('goes on bit for bit from a state that was saved before it failed', () => {
    const { world, substeps } = run(hair([rough, ...calm]), 36);
    const failing = substeps.findIndex((count) => count > 1);
    const before = run(hair([rough, ...calm]), failing).world.save();
    const again = createWorld(hair([rough, ...calm]));
    again.restore(before);
    for (let k = failing; k < 36; k++) again.step();
    expect(again.hash()).toBe(world.hash());
  });

  it('meets the others all the same', () => {
    const { world, gap } = run(hair([rough, ...calm, 69], { friction: 0.3 }), 40);
    expect(gap).toBeGreaterThan(-0.05 * 0.0015);
    expect(world.contactReport?.contacts).toBeGreaterThan(0);
  });
});
