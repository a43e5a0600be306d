/** Laws of bending and twist by themselves: tangent, work, heat. */
import { describe, expect, it } from 'vitest';
import { createLaw } from '../../src/materials/index.ts';
import {
  createSection,
  DISSIPATED,
  MOMENT,
  RESPONSE,
  type SectionLaw,
  STORED_BEND,
  STORED_TWIST,
  TANGENT,
} from '../../src/materials/law.ts';
import type { LawSpec } from '../../src/scene/materialTypes.ts';
import { createRandom } from '../der/rods.ts';

const specs: readonly { readonly spec: LawSpec; readonly symmetric: boolean }[] = [
  {
    spec: {
      type: 'viscoelastic',
      terms: [
        { ratio: 0.7, time: 0.5 },
        { ratio: 2, time: 0.02 },
      ],
    },
    symmetric: true,
  },
  { spec: { type: 'elastoplastic', yield: { bending: 0.3, twist: 0.2 }, hardening: 0.2 }, symmetric: true },
  { spec: { type: 'elastoplastic', yield: { bending: 0.3 }, hardening: 0.1, time: 0.05 }, symmetric: true },
  {
    spec: {
      type: 'table',
      moments: [
        [1, 0.1],
        [3, 0.9],
        [5, 0.7],
      ],
    },
    symmetric: true,
  },
  { spec: { type: 'table', moments: [[2, 0.1]], axis: 'd1' }, symmetric: true },
  { spec: { type: 'growth', factor: 2 }, symmetric: true },
  { spec: { type: 'dahl', limit: { bending: 0.3, twist: 0.1 }, stiffness: 2 }, symmetric: false },
];

const stiffness = [3, 2, 1.4];
const PACKED = [
  [0, 1, 2],
  [1, 3, 4],
  [2, 4, 5],
];

/** One section that is bent along a path. */
function createSpecimen(law: SectionLaw) {
  const section = createSection();
  section.stiffness.set(stiffness);
  section.length = 0.1;
  const variables = new Float64Array(law.size);
  const out = new Float64Array(RESPONSE);
  const respond = (strain: ArrayLike<number>, elapsed: number): Float64Array => {
    section.strain.set(strain);
    law.respond(out, section, variables, 0, elapsed);
    return out.slice();
  };
  const advance = (strain: ArrayLike<number>, elapsed: number): void => {
    section.strain.set(strain);
    law.advance(section, variables, 0, elapsed);
  };
  return { respond, advance };
}

/** Corners of a random path of strain, and the time that each piece takes; pieces of very different speed. */
function randomPath(seed: number): { readonly strain: number[]; readonly elapsed: number }[] {
  const random = createRandom(seed);
  return Array.from({ length: 30 }, (_, k) => ({
    strain: [random(), random(), random()],
    elapsed: 10 ** (2 * random() - 1.5) * (k % 7 === 0 ? 20 : 1),
  }));
}

describe.each(specs)('the law $spec.type', ({ spec, symmetric }) => {
  const law = createLaw(spec, []);

  it('has the tangent that central differences of the moments give', () => {
    const { respond, advance } = createSpecimen(law);
    let largest = 0;
    for (const { strain, elapsed } of randomPath(3)) {
      const tangent = respond(strain, elapsed).subarray(TANGENT, TANGENT + 6);
      const h = 1e-6;
      const columns = [0, 1, 2].map((b) => {
        const at = (move: number): Float64Array =>
          respond(
            strain.map((x, a) => x + (a === b ? move : 0)),
            elapsed,
          );
        const [up, down] = [at(h), at(-h)];
        return [0, 1, 2].map((a) => (up[MOMENT + a] - down[MOMENT + a]) / (2 * h));
      });
      for (let a = 0; a < 3; a++)
        for (let b = 0; b < 3; b++) {
          const difference = 0.5 * (columns[a][b] + columns[b][a]);
          if (symmetric) expect(Math.abs(columns[a][b] - columns[b][a])).toBeLessThan(1e-6);
          expect(Math.abs(tangent[PACKED[a][b]] - difference)).toBeLessThan(1e-6);
          largest = Math.max(largest, Math.abs(difference));
        }
      advance(strain, elapsed);
    }
    expect(largest).toBeGreaterThan(1);
  });

  it('splits the work of its moments into stored energy and heat, which is never negative', () => {
    const balance = (
      pieces: number,
      corners = 30,
    ): { readonly work: number; readonly kept: number; readonly heat: number } => {
      const { respond, advance } = createSpecimen(law);
      let [work, heat] = [0, 0];
      let [before, strainBefore] = [respond([0, 0, 0], 0), [0, 0, 0]];
      for (const { strain, elapsed } of randomPath(5).slice(0, corners)) {
        const from = strainBefore;
        for (let k = 1; k <= pieces; k++) {
          const next = strain.map((x, a) => from[a] + ((x - from[a]) * k) / pieces);
          const now = respond(next, elapsed / pieces);
          expect(now[DISSIPATED]).toBeGreaterThanOrEqual(0);
          for (let a = 0; a < 3; a++)
            work += 0.5 * (now[MOMENT + a] + before[MOMENT + a]) * (next[a] - strainBefore[a]);
          heat += now[DISSIPATED];
          advance(next, elapsed / pieces);
          [before, strainBefore] = [now, next];
        }
      }
      return { work, heat, kept: before[STORED_BEND] + before[STORED_TWIST] };
    };
    const [coarse, fine] = [balance(40), balance(80)];
    const error = ({ work, heat, kept }: typeof fine): number => Math.abs(work - heat - kept) / work;
    expect(fine.work).toBeGreaterThan(0.1);
    if (!law.isElastic) expect(fine.heat).toBeGreaterThan(0.1);
    else expect(fine.heat).toBe(0);
    expect(error(fine)).toBeLessThan(1e-3);
    // the friction of Dahl's model stores little: only the start of the path shows it
    const start = balance(80, 1);
    expect(error(start)).toBeLessThan(1e-3);
    // the work is summed by trapezoids: of second order where moments have no kinks
    expect(error(fine)).toBeLessThan(0.6 * error(coarse) + 1e-9);
  });

  it('does not change its variables where strain stays and no time passes', () => {
    const { respond, advance } = createSpecimen(law);
    for (const { strain, elapsed } of randomPath(9)) {
      advance(strain, elapsed);
      const once = respond(strain, 0);
      advance(strain, 0);
      const again = respond(strain, 0);
      for (let k = 0; k < RESPONSE; k++)
        if (k < TANGENT || k >= STORED_BEND) expect(Math.abs(again[k] - once[k])).toBeLessThan(1e-14);
    }
  });
});
