/** Hair that would pass through the head, laid over it: off the skin, at rest, and ready for a simulation. */
import { expect, it } from 'vitest';
import { growHairstyle } from '../../src/groom/grow.ts';
import { poseGuides } from '../../src/groom/hairstyle.ts';
import { createHeadField } from '../../src/groom/headField.ts';
import { layHairstyle } from '../../src/groom/lay.ts';
import { rodsOfHairstyle } from '../../src/groom/rods.ts';
import { createWorld } from '../../src/index.ts';
import { createSurface } from '../../src/surface/surface.ts';
import { ball } from './meshes.ts';

it('leaves no guide in the head, none bent or twisted like a kink, and simulates from the first step on', () => {
  const skin = createSurface(ball(0.09, 14, 20));
  const { style: free } = growHairstyle(skin, {
    guides: { count: 8, spread: true, density: ({ normal }) => (normal[2] > 0.5 ? 1 : 0) },
    length: 0.22,
    hair: 'wavy',
    lean: () => [0, 0.5, -0.3],
  });
  const field = createHeadField(skin, { draft: true });
  if (!field) throw new Error('a ball has an inside');
  const { style, report } = layHairstyle(free, field);
  expect(report.laid).toBeGreaterThan(4);
  expect([report.inside, report.deepest]).toEqual([0, 0]);
  const { nodes, position } = poseGuides(style, 4);
  for (let k = 0; k < position.length / 3; k++)
    if (k % nodes > 0) expect(field.distance(position, 3 * k)).toBeGreaterThan(0);
  // rotation of each element from its natural shape: a hairpin is π
  const turns = Array.from(style.length, (length, g) =>
    Array.from({ length: style.elements }, (_, e) => {
      const o = 3 * (style.elements * g + e);
      const strain = [0, 1, 2].map((k) => style.curvature[o + k] - style.natural[o + k]);
      return (Math.hypot(...strain) * length) / style.elements;
    }),
  ).flat();
  expect(Math.max(...turns)).toBeLessThan(2.4);
  const { rods, pins } = rodsOfHairstyle(style, { perElement: 4 });
  const world = createWorld({
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods,
    pins,
    colliders: [{ type: 'sphere', radius: 0.088, friction: 0.2 }],
    fields: [{ type: 'air', linear: [4e-4, 2e-4] }],
    solver: { helix: { elements: style.elements } },
  });
  expect(world.warnings).toEqual([]);
  for (let k = 0; k < 6; k++) {
    world.step(0.004);
    expect(world.contactReport?.converged).toBe(true);
  }
});

it('keeps guides that are out of the head there while it lays others again', () => {
  const skin = createSurface(ball(0.09, 14, 20));
  const { style: free } = growHairstyle(skin, {
    guides: { count: 40, spread: true, density: ({ normal }) => (normal[2] > 0 ? 1 : 0) },
    length: 0.3,
    hair: 'coily',
    lean: () => [0.2, 0.4, -0.3],
  });
  const field = createHeadField(skin, { draft: true });
  if (!field) throw new Error('a ball has an inside');
  const { style, report } = layHairstyle(free, field);
  const { nodes, position } = poseGuides(style, 8);
  const depths = Array.from({ length: style.guideRoots.count }, (_, g) => {
    let depth = 0;
    for (let k = 1; k < nodes; k++) depth = Math.max(depth, -field.distance(position, 3 * (nodes * g + k)));
    return depth;
  });
  // what the report leaves unsaid is not there
  expect(depths.filter((depth) => depth > 1e-3).length).toBe(report.inside);
  expect(report.inside).toBe(0);
});
