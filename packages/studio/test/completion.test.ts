/** What the editor offers where a scene is written, finished or not. */
import { sceneJsonSchema } from '@tendril-sim/io';
import { describe, expect, it } from 'vitest';
import { wordsAt } from '../src/ui/sceneWords.ts';
import type { SchemaNode } from '../src/ui/schemaForm.ts';
import { placeAt } from '../src/ui/yamlPlace.ts';

const schema = sceneJsonSchema() as SchemaNode;

/** The place of the bar in a text. */
const place = (text: string): ReturnType<typeof placeAt> => {
  const at = text.indexOf('|');
  return placeAt(text.slice(0, at) + text.slice(at + 1), at);
};
const words = (text: string, values: unknown = {}): string[] => {
  const found = place(text);
  return found ? wordsAt(found, schema, values).map(({ label }) => label) : [];
};

describe('a place in a text', () => {
  it('is named by indentation', () => {
    expect(place('ti|')).toMatchObject({ path: [], kind: 'name', from: 0 });
    expect(place('rods:\n  - id: a\n  - id: b\n    ed|')).toMatchObject({ path: ['rods', 1], kind: 'name', from: 30 });
    expect(place('rods:\n  - id: a\n    section:\n      ra|')?.path).toEqual(['rods', 0, 'section']);
    expect(place('rods:\n  - id: a\n    section: { type: circle }\n    |')).toMatchObject({
      path: ['rods', 0],
      kind: 'name',
    });
    // a list may begin at the column of its name
    expect(place('pins:\n- rod: a\n  at: |')).toMatchObject({ path: ['pins', 0, 'at'], kind: 'value' });
    expect(place('pins:\n- rod: a\ntime:\n  st|')).toMatchObject({ path: ['time'], kind: 'name' });
    expect(place('rods:\n  - |')).toMatchObject({ path: ['rods', 0], kind: 'name' });
    expect(place('a: 1 # com|')).toBeUndefined();
  });

  it('is named by brackets, over several lines too', () => {
    expect(place('rods:\n  - shape: { type: ring, ra|')).toMatchObject({
      path: ['rods', 0, 'shape'],
      kind: 'name',
      written: { type: 'ring' },
    });
    expect(place('rods:\n  - shape: { type: |, radius: 1 }')).toMatchObject({
      path: ['rods', 0, 'shape', 'type'],
      kind: 'value',
    });
    expect(place('pins: [ { rod: a }, {\n  rod: b,\n  h|')).toMatchObject({
      path: ['pins', 1],
      kind: 'name',
      written: { rod: 'b' },
    });
    expect(place('title: \'a { b\'\nrods: [ { id: "x: {", m|')).toMatchObject({
      path: ['rods', 0],
      written: { id: 'x: {' },
    });
    // what is closed is behind
    expect(place('time: { duration: 1 }\nout|')).toMatchObject({ path: [], kind: 'name' });
  });
});

describe('words', () => {
  it('are the fields that are not there yet', () => {
    const all = words('tendril: 1\n|');
    expect(all).toEqual(expect.arrayContaining(['rods', 'time', 'gravity']));
    expect(all).not.toContain('tendril');
  });

  it('fit the form that another field has chosen', () => {
    expect(words('rods:\n  - shape: { type: |')).toEqual(expect.arrayContaining(['straight', 'ring', 'helix']));
    const ring = words('rods:\n  - shape: { type: ring, |');
    expect(ring).toContain('radius');
    expect(ring).not.toContain('pitch');
    expect(words('rods:\n  - shape:\n      type: helix\n      |')).toContain('pitch');
  });

  it('are names that the scene has given', () => {
    const values = { rods: [{ id: 'left' }, { id: 'right' }], materials: { rope: {} } };
    expect(words('pins:\n  - rod: |', values)).toEqual(expect.arrayContaining(['left', 'right']));
    expect(words('rods:\n  - material: |', values)).toContain('rope');
    expect(words('pins:\n  - { rod: left, hold: |')).toEqual(expect.arrayContaining(['clamp', 'position', 'hinge']));
  });

  it('say what they mean, and in which unit', () => {
    const found = place('time:\n  |');
    const [step] = (found ? wordsAt(found, schema, {}) : []).filter(({ label }) => label === 'step');
    expect(step.detail).toContain('s');
    expect(step.info?.length).toBeGreaterThan(10);
    expect(step.text).toBe('step: ');
  });
});
