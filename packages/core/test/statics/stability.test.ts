import { createWorld, type EquilibriumReport, type ModelId, type Vec3 } from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';

interface Strip {
  readonly model: ModelId;
  /** EI2/EI1. */
  readonly ratio: number;
  readonly edges: number;
  /** End load by Prandtl's, P = 4.0126 √(EI1·GJ/(1 − EI1/EI2))/L². */
  readonly load: number;
  readonly askew: boolean;
}

/** A clamped strip, bent about its stiff axis by a force at its end: it buckles sideways, twisting. */
function bendStrip({ model, ratio, edges, load, askew }: Strip): EquilibriumReport {
  const along: Vec3 = askew ? [0.6, 0.48, 0.64] : [1, 0, 0];
  const up: Vec3 = askew ? [-0.8, 0.36, 0.48] : [0, 0, 1];
  const force = -load * 4.0126 * Math.sqrt(1 / (1 - 1 / ratio));
  const world = createWorld({
    tendril: 1,
    rods: [
      {
        id: 'strip',
        model,
        shape: { type: 'straight', from: [0, 0, 0], to: along },
        edges,
        frame: { d1: up },
        section: { type: 'stiffness', EI1: 1, EI2: ratio, GJ: 1, mass: 1 },
      },
    ],
    pins: [{ rod: 'strip', at: 'start' }],
    loads: [{ type: 'force', rod: 'strip', at: 'end', force: [force * up[0], force * up[1], force * up[2]] }],
    statics: { stability: 'report' },
  });
  return world.equilibrate()[0];
}

const models: readonly ModelId[] = ['der', 'cosserat'];

describe('lateral buckling of a strip', () => {
  const strips = models.flatMap((model) =>
    [
      { ratio: 1e2, edges: 40 },
      { ratio: 1e6, edges: 40 },
      { ratio: 1e8, edges: 30 },
      { ratio: 1e10, edges: 30 },
    ].map((strip) => ({ model, ...strip })),
  );

  it.each(strips)('is told from stability, or left open: $model, ratio $ratio, $edges edges', (strip) => {
    for (const askew of [false, true]) {
      for (const load of [0, 0.5, 0.95, 1.05, 1.5]) {
        const { criterion, negativeModes } = bendStrip({ ...strip, load, askew });
        if (criterion !== 'none') expect(negativeModes).toBe(load > 1 ? 1 : 0);
      }
    }
  });

  it.each(strips.filter(({ ratio }) => ratio <= 1e6))('is decided with ratio $ratio: $model', (strip) => {
    for (const load of [0.95, 1.05])
      expect(bendStrip({ ...strip, load, askew: true })).toMatchObject({
        converged: true,
        criterion: 'energy',
        stable: load < 1,
      });
  });
});

describe('a finely divided column', () => {
  // Greenhill: it falls over under its own weight at Γ = 7.8373
  it.each(models.flatMap((model) => [300, 1500].map((edges) => ({ model, edges }))))(
    'buckles at its critical weight: $model, $edges edges',
    ({ model, edges }) => {
      for (const load of [0.98, 1.02]) {
        const world = createWorld({
          tendril: 1,
          gravity: [0, 0, -7.8373 * load],
          rods: [
            {
              id: 'column',
              model,
              shape: { type: 'straight', from: [0, 0, 0], to: [0, 0, 1] },
              edges,
              section: { type: 'stiffness', EI1: 1, GJ: 1, mass: 1 },
            },
          ],
          pins: [{ rod: 'column', at: 'start' }],
          statics: { stability: 'report' },
        });
        const [report] = world.equilibrate();
        expect(report).toMatchObject({ converged: true, criterion: 'energy', stable: load < 1 });
      }
    },
  );
});
