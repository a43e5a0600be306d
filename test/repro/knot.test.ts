/** Verdicts on the contact of a knot, whose steps are cut into pieces: a step that the solver solves must not be called unsolved. */
import { describe, expect, it } from 'vitest';
import { worldOf } from '../../cases/src/case.ts';
import { cases } from '../../cases/src/index.ts';

describe('two trefoil knots without gravity', () => {
  it('are solved in every step up to where they are twisted', () => {
    const world = worldOf(cases.find(({ id }) => id === 'trefoil-knot')?.scene() ?? { tendril: 1, rods: [] });
    const unsolved: number[] = [];
    // the solver's own error made a step that is solved appear to create energy, at the smallest piece at last: step 96
    for (let step = 1; step <= 100; step++) {
      world.step();
      if (!world.contactReport?.converged) unsolved.push(step);
    }
    expect(unsolved).toEqual([]);
  });
});
