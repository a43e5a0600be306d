/** Scenes changed by a program: what was not touched stays as it was written. */
import { cases } from '@tendril-sim/cases';
import { describe, expect, it } from 'vitest';
import { editSceneText, formatScene, parseScene, type SceneInput, sceneFromObject, sceneValues } from '../src/index.ts';

const text = `# a hair
tendril: 1
gravity: [ 0, 0, -9.81 ] # down
rods:
  - id: hair
    shape: { type: straight, from: [ 0, 0, 0 ], to: [ 10 cm, 0, 0 ] }
    section: { type: circle, radius: 0.04 mm } # thin
    material: { E: 3.58 GPa, nu: 0.35, density: 1320 }
`;

describe('editing', () => {
  it('replaces a value and keeps comments, order and the other values', () => {
    const edited = editSceneText(text, [
      { path: ['rods', 0, 'section', 'radius'], value: '0.06 mm' },
      { path: ['gravity', 2], value: -1.62 },
    ]);
    expect(edited).toBe(text.replace('0.04 mm', '0.06 mm').replace('-9.81', '-1.62'));
  });

  it('adds what was not there, and takes away', () => {
    const edited = editSceneText(text, [
      { path: ['pins'], value: [{ rod: 'hair', at: 'start' }] },
      { path: ['gravity'], value: undefined },
    ]);
    const { scene } = parseScene(edited, 'edited');
    expect(scene.pins).toEqual([{ rod: 'hair', at: 'start' }]);
    expect(scene.gravity).toBeUndefined();
    expect(edited).toContain('# thin');
  });

  it('leaves text alone that is no YAML', () => {
    expect(editSceneText('rods: [', [{ path: ['title'], value: 'a' }])).toBe('rods: [');
    expect(sceneValues('rods: [')).toBeUndefined();
  });

  it('reads the values with their units', () => {
    const values = sceneValues(text) as { rods: { section: { radius: string } }[] };
    expect(values.rods[0].section.radius).toBe('0.04 mm');
  });
});

/** At most so many entries of each list: hairstyles have thousands of rods and pins that are written alike. */
const MANY = 100;
const shorten = (scene: SceneInput): SceneInput =>
  Object.fromEntries(
    Object.entries(scene).map(([field, value]) => [field, Array.isArray(value) ? value.slice(0, MANY) : value]),
  ) as unknown as SceneInput;

describe('formatting', () => {
  it.each(cases.map((one) => [one.id, one] as const))('%s reads back as the same scene', (_, one) => {
    const scene = shorten(one.scene());
    const written = formatScene(scene);
    // as JSON: -0 is written as 0
    const read = parseScene(written, one.id).scene;
    expect(JSON.stringify(read)).toBe(JSON.stringify(sceneFromObject(scene)));
    // a scene of one rod is a page, not a book
    if (one.id === 'michell-ring') expect(written.split('\n').length).toBeLessThan(20);
  });
});
