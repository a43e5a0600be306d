/** Equilibria of linked rods of every model that has links: against the theory of beams, and against der. */
import { describe, expect, it } from 'vitest';
import { createWorld, type ModelId, type Scene } from '../../src/index.ts';

const radius = 0.002;
const E = 1e9;
const EI = (E * Math.PI * radius ** 4) / 4;
const length = 0.4;

/** Two clamped beams whose tips meet and are joined by a spring; P pulls the first one down. */
function beams(first: ModelId, second: ModelId, P: number, stiffness: number): Scene {
  const rod = (id: string, model: ModelId, x: number): Scene['rods'][number] => ({
    id,
    model,
    shape: { type: 'straight', from: [x, 0, 0], to: [length, 0, 0] },
    edges: 24,
    section: { type: 'circle', radius },
    material: { E, nu: 0.3, density: 1000 },
  });
  return {
    tendril: 1,
    rods: [rod('first', first, 0), rod('second', second, 2 * length)],
    pins: ['first', 'second'].map((id) => ({ rod: id, at: 'start' })),
    loads: [{ type: 'force', rod: 'first', at: 'end', force: [0, 0, -P] }],
    links: [{ rod: 'first', at: 'end', to: { rod: 'second', at: 'end' }, stiffness }],
  };
}

function settle(scene: Scene): { tips: number[]; force: number; converged: boolean; stable: boolean } {
  const world = createWorld(scene);
  const reports = world.equilibrate();
  const [{ force }] = world.linkForces();
  return {
    tips: world.samples.map(({ nodePosition }) => nodePosition[3 * 24 + 2]),
    force: Math.abs(force[2]),
    converged: reports.every(({ converged }) => converged),
    stable: reports.every(({ stable }) => stable),
  };
}

describe('rods that a spring joins', () => {
  const compliance = length ** 3 / (3 * EI);
  const P = (0.002 * length) / compliance;

  it.each<[ModelId, ModelId]>([
    ['der', 'der'],
    ['helix', 'helix'],
    ['strand', 'strand'],
    ['fiber', 'fiber'],
    ['helix', 'der'],
  ])('share the load as beams do: %s and %s', (first, second) => {
    for (const stiffness of [0.5 / compliance, 100 / compliance]) {
      const found = settle(beams(first, second, P, stiffness));
      expect(found).toMatchObject({ converged: true, stable: true });
      const share = (stiffness * compliance) / (1 + 2 * stiffness * compliance);
      expect(found.force / P).toBeCloseTo(share, 2);
      expect(found.tips[0] / (P * compliance)).toBeCloseTo(share - 1, 2);
      expect(found.tips[1] / (P * compliance)).toBeCloseTo(-share, 2);
    }
  });

  it.each<ModelId>(['helix', 'strand', 'fiber'])('agree with der where they bend far: %s', (model) => {
    const scene = (id: ModelId): Scene => beams(id, id, 200 * P, 3 / compliance);
    const [one, other] = [settle(scene(model)), settle(scene('der'))];
    expect(one.converged).toBe(true);
    expect(other.tips[0]).toBeLessThan(-0.15 * length);
    for (let r = 0; r < 2; r++) expect(Math.abs(one.tips[r] - other.tips[r])).toBeLessThan(0.01 * length);
    expect(Math.abs(one.force / other.force - 1)).toBeLessThan(0.02);
  });
});
