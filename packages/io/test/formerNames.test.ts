/** Scenes with former names of options mean what they meant, and say so. */
import { createWorld, SceneError } from '@tendril-sim/core';
import { expect, it } from 'vitest';
import { createFileResolver, InputError, parseScene, sceneFromObject } from '../src/index.ts';

const scene = (solver: string): string =>
  `tendril: 1\nrods:\n  - { id: a, shape: { type: straight, from: [0,0,0], to: [1,0,0] }, edges: 3, model: strand,\n      section: { type: circle, radius: 1 mm }, material: { E: 1 MPa, nu: 0.5, density: 1000 } }\nsolver: ${solver}\n`;

it.each([
  [
    'helix: { integrator: incremental-potential }',
    { helix: { integrator: 'implicit-euler' } },
    /'incremental-potential'/,
  ],
  ['fiber: { integrator: backward-euler }', { fiber: { integrator: 'implicit-euler' } }, /'backward-euler'/],
  [
    'strand: { integrator: bdf1 }',
    { strand: { integrator: 'implicit-euler' } },
    /'bdf1' is now called 'implicit-euler'/,
  ],
  ['strand: { accuracy: 1e-9 }', { strand: { tolerance: 1e-9 } }, /strand\.accuracy is now called tolerance/],
])('%s', (written, meant, told) => {
  const { scene: read, warnings } = parseScene(scene(`{ ${written} }`), 'a.yaml');
  expect(read.solver).toEqual(meant);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatch(told);
});

it('moduli of a rod are animated properties', () => {
  const text = scene('{}').replace('model: strand', 'model: strand, moduli: { E: { formula: 1 + t } }');
  const { scene: read, warnings } = parseScene(text, 'a.yaml');
  expect(read.rods[0].animate).toEqual({ E: { formula: '1 + t' } });
  expect(warnings).toEqual(['rods[0].moduli is now called animate']);
});

it.each([
  ['sample', []],
  ['frame', ['strands[0].frame is now called sample']],
])('strands with %s take that sample of their file', (name, told) => {
  const csv = 'frame,curve,x,y,z\n0,0,0,0,0\n0,0,1,0,0\n0,0,2,0,0\n1,0,0,0,5\n1,0,1,0,5\n1,0,2,0,5\n';
  const files = createFileResolver(() => new TextEncoder().encode(csv));
  const text = `tendril: 1
strands: [{ file: a.csv, ${name}: 1, section: { type: circle, radius: 1 mm }, material: { E: 1 MPa, nu: 0.5, density: 1000 } }]
`;
  const { scene: read, warnings } = parseScene(text, 'a.yaml', { files });
  const { shape } = read.rods[0];
  expect(shape.type === 'points' && shape.points[0]).toEqual([0, 0, 5]);
  expect(warnings).toEqual(told);
});

it('today’s names are read without a word', () => {
  const { scene: read, warnings } = parseScene(scene('{ strand: { stepError: 0.5 deg, tolerance: 1e-9 } }'), 'a.yaml');
  expect(read.solver?.strand?.stepError).toBeCloseTo(Math.PI / 360, 12);
  expect(warnings).toEqual([]);
});

it('both names at once are one too many', () => {
  expect(() => parseScene(scene('{ strand: { accuracy: 1e-9, tolerance: 1e-8 } }'), 'a.yaml')).toThrow(InputError);
});

it('a tolerance that can only be meant as the error of a step is refused', () => {
  const build = (tolerance: number): unknown => {
    const read = sceneFromObject({
      tendril: 1,
      rods: [
        {
          id: 'a',
          model: 'strand',
          shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
          edges: 3,
          section: { type: 'circle', radius: 1e-3 },
          material: { E: 1e6, nu: 0.5, density: 1000 },
        },
      ],
      solver: { strand: { tolerance } },
    });
    return createWorld(read);
  };
  expect(() => build(1e-3)).toThrow(SceneError);
  expect(() => build(1e-3)).toThrow(/stepError/);
  expect(build(1e-6)).toBeDefined();
});
