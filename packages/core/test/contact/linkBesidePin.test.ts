/** Links that hold all rotations, next to a pin: there a section turns although its node does not move. */
import { describe, expect, it } from 'vitest';
import { createWorld, type Location, type Scene } from '../../src/index.ts';

const LENGTH = 0.1;
const EDGES = 10;

type Pins = NonNullable<Scene['pins']>;

/** A cantilever, and a rod across it that is joined to the middle of one of its edges. */
function cross(edge: number, pins: Pins, at: Location, share: number, damping: number): Scene {
  const section = { type: 'circle', radius: 0.001 } as const;
  const material = { E: 1e7, nu: 0.4, density: 1100, damping: { mass: damping } };
  const x = ((edge + 0.5) / EDGES) * LENGTH;
  const [low, high] = [-share * LENGTH, (1 - share) * LENGTH];
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [
      { id: 'a', shape: { type: 'straight', from: [0, 0, 0], to: [LENGTH, 0, 0] }, edges: EDGES, section, material },
      { id: 'b', shape: { type: 'straight', from: [x, low, 0], to: [x, high, 0] }, edges: EDGES, section, material },
    ],
    pins,
    links: [
      {
        rod: 'a',
        at: { u: (edge + 0.5) / EDGES },
        to: { rod: 'b', at },
        stiffness: 1e3,
        rotation: { about: 'all', stiffness: 1e-2 },
      },
    ],
    time: { duration: 1, step: 1 / 240 },
  };
}

const clamp: Pins = [{ rod: 'a', at: 'start' }];
const hinge: Pins = [{ rod: 'a', at: 'start', hold: 'position' }];
const twoNodes: Pins = [...hinge, { rod: 'a', at: { node: 1 }, hold: 'position' }];

describe('a link that holds all rotations, on the edge beside a pin', () => {
  it.each<[string, Pins, Location, number]>([
    ['a clamp, joined to an end', clamp, 'start', 0],
    ['a clamp, joined to the middle of an edge', clamp, { u: 0.55 }, 0.55],
    ['a pin that holds a position', hinge, { u: 0.55 }, 0.55],
    ['two such pins, one at each end of the edge', twoNodes, { u: 0.55 }, 0.55],
  ])('%s: takes whole steps', (_, pins, at, share) => {
    const world = createWorld(cross(0, pins, at, share, 1));
    let iterations = 0;
    for (let k = 0; k < 30; k++) {
      const { substeps, iterations: taken } = world.step();
      expect(substeps).toBe(1);
      iterations += taken;
    }
    expect(iterations).toBeLessThan(30 * 30);
  });

  it('comes to rest where statics has it', () => {
    const moving = createWorld(cross(0, clamp, 'start', 0, 30));
    for (let k = 0; k < 400; k++) moving.step();
    const still = createWorld(cross(0, clamp, 'start', 0, 30));
    still.equilibrate();
    const tips = [moving, still].map(({ samples }) => [...samples[1].nodePosition.slice(-3)]);
    for (let k = 0; k < 3; k++) expect(tips[0][k]).toBeCloseTo(tips[1][k], 5);
    // it hangs from a twisted edge
    expect(tips[1][2]).toBeLessThan(-0.3 * LENGTH);
    expect(tips[1][2]).toBeGreaterThan(-0.98 * LENGTH);
  });
});
