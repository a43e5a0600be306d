/** The energy audit reads the reaction that a step has left; it must be the one that an evaluation at the end of the step gives. */
import { expect, test } from 'vitest';
import { type Bundle, createWorld, type Model, type Scene } from '../../src/index.ts';
import { strand } from '../../src/models/strand/index.ts';

function open(scene: Scene): { bundle: Bundle; world: ReturnType<typeof createWorld> } {
  const bundles: Bundle[] = [];
  const watched: Model = {
    ...strand,
    compile: (...given) => {
      const bundle = strand.compile(...given);
      bundles.push(bundle);
      return bundle;
    },
  };
  const world = createWorld(scene, { models: [watched] });
  return { bundle: bundles[0], world };
}

/** A curl whose root is moved, and turned if it is clamped. */
const turning = (hold: 'clamp' | 'position', damping: number): Scene => ({
  tendril: 1,
  gravity: [0, 0, -9.81],
  rods: [
    {
      id: 'curl',
      model: 'strand',
      shape: { type: 'helix', radius: 0.01, pitch: 0.03, turns: 1.5 },
      edges: 12,
      section: { type: 'circle', radius: 3e-4 },
      material: { E: 3e8, nu: 0.3, density: 1300, damping: { stiffness: damping, mass: 0.5 } },
    },
  ],
  pins: [
    {
      rod: 'curl',
      at: 'start',
      hold,
      path: {
        keys: [
          { time: 0 },
          { time: 0.1, offset: [0.01, 0, 0.02], ...(hold === 'clamp' && { rotation: [0, 0.2, 0.5] }) },
          { time: 0.2 },
        ],
      },
    },
  ],
  time: { duration: 0.2, step: 1 / 120 },
});

test.each([
  ['clamp', 0],
  ['clamp', 0.01],
  ['position', 0.01],
] as const)('the reaction that a step leaves is that of an evaluation: %s, damping %f', (hold, damping) => {
  const { bundle, world } = open(turning(hold, damping));
  for (let k = 0; k < 8; k++) {
    world.step();
    const left = bundle.reactions(0, world.time, 'after-step');
    expect([k, left]).toEqual([k, bundle.reactions(0, world.time)]);
  }
  // a load that is new is in an evaluation, not in what the step has left
  world.addLoad(0, {
    dependsOnState: false,
    potential: () => 0,
    addLoads: ({ nodeForce }) => {
      nodeForce[nodeForce.length - 1] += 1;
    },
  });
  expect(bundle.reactions(0, world.time, 'after-step')).not.toEqual(bundle.reactions(0, world.time));
});
