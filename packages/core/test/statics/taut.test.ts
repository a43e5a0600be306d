/** A straight inextensible rod between held ends cannot move: it is stable however far it is twisted, and has no branch to follow. */
import { createBisector, createWorld, type Scene } from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';

/** Clamped at both ends and twisted by t [rad], or shortened by t. Without tension it would buckle at M = 8.99 EI/L. */
function rod(
  model: 'der' | 'cosserat' | 'helix',
  stretch: { readonly inextensible: true } | { readonly EA: number },
  statics: Scene['statics'],
  motion: 'twist' | 'shorten' = 'twist',
): Scene {
  const isInextensible = 'inextensible' in stretch;
  const end = motion === 'twist' ? { twist: 12 } : { offset: [-0.5, 0, 0] as const };
  return {
    tendril: 1,
    rods: [
      {
        id: 'rod',
        model,
        shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
        edges: 20,
        inextensible: isInextensible,
        section: { type: 'stiffness', EI1: 1, EI2: 1, GJ: 1, mass: 1, ...(isInextensible ? {} : stretch) },
      },
    ],
    pins: [
      { rod: 'rod', at: 'start' },
      { rod: 'rod', at: 'end', path: { interpolation: 'linear', keys: [{ time: 0 }, { time: 12, ...end }] } },
    ],
    statics: { from: 0, to: 12, ...statics },
  };
}

describe.each(['der', 'cosserat', 'helix'] as const)('a straight inextensible %s between clamps', (model) => {
  it.each(['seek', 'report'] as const)('is stable beyond the twist at which it would buckle (%s)', (stability) => {
    const world = createWorld(rod(model, { inextensible: true }, { stability }));
    const [slightly] = world.equilibrate(8);
    expect(slightly).toMatchObject({ converged: true, stable: true });
    expect(slightly.remark).toBeUndefined();
    const before = world.save();
    const [{ remark, ...report }] = world.equilibrate(12);
    expect(report).toMatchObject({ converged: true, stable: true, negativeModes: 0, saddlesLeft: 0 });
    expect(remark).toMatch(/cannot move.*tension is indeterminate/);
    expect(createBisector(world.scene).find(before, 0, 12)).toBeUndefined();
  });
});

it('a rod that stretches does buckle', () => {
  const [report] = createWorld(rod('der', { EA: 1e4 }, { stability: 'report' })).equilibrate(12);
  expect(report).toMatchObject({ converged: true, negativeModes: 2 });
  expect(report.remark).toBeUndefined();
});

it('a branch is not followed from such a rod, but from one that is shortened a little', () => {
  const along = (from: number): Scene =>
    rod('der', { inextensible: true }, { from, to: 0.5, follow: 'branch' }, 'shorten');
  expect(() => createWorld(along(0)).branch().next()).toThrow(/straight and inextensible.*indeterminate/);
  const branch = createWorld(along(1e-2)).branch();
  for (;;) {
    const next = branch.next();
    if (!next.done) continue;
    expect(next.value.reason).toBe('range');
    break;
  }
});
