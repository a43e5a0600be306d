import { describe, expect, it } from 'vitest';
import { sceneJsonSchema } from '../src/index.ts';

type Node = { [key: string]: unknown } & {
  properties?: Record<string, Node>;
  oneOf?: Node[];
  anyOf?: Node[];
  items?: Node;
  required?: string[];
  additionalProperties?: unknown;
};

const schema = sceneJsonSchema() as Node;

/** Every schema inside, with the path to it. */
function* walk(node: unknown, path = ''): Generator<[string, Node]> {
  if (typeof node !== 'object' || node === null) return;
  if (Array.isArray(node)) {
    for (const [k, item] of node.entries()) yield* walk(item, `${path}/${k}`);
    return;
  }
  yield [path, node as Node];
  for (const [key, item] of Object.entries(node)) if (key !== 'examples') yield* walk(item, `${path}/${key}`);
}

describe('JSON Schema', () => {
  it('says what it is', () => {
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(schema.$id).toBe('urn:tendril:scene:1');
    expect(schema.title).toBe('Tendril scene');
    expect(schema.required).toEqual(['tendril']);
    expect(schema.anyOf).toEqual([{ required: ['rods'] }, { required: ['strands'] }, { required: ['weaves'] }]);
    expect(schema.properties?.tendril.const).toBe(1);
  });

  it('describes every field and refuses unknown ones', () => {
    let count = 0;
    for (const [path, node] of walk(schema)) {
      if (!node.properties || path.endsWith('/properties')) continue;
      expect(node.additionalProperties, path).toBe(false);
      for (const [name, field] of Object.entries(node.properties)) {
        expect(typeof field.description, `${path}/${name}`).toBe('string');
        count++;
      }
    }
    expect(count).toBeGreaterThan(150);
  });

  it('tells variants apart by a constant type', () => {
    const items = (name: string): Node => schema.properties?.[name].items as Node;
    const types = (node: Node): unknown[] => (node.oneOf ?? []).map((option) => option.properties?.type.const);
    const rod = items('rods').properties as Record<string, Node>;
    expect(types(rod.shape)).toEqual(['straight', 'arc', 'helix', 'ring', 'formula', 'points']);
    expect(types(rod.section.anyOf?.[0] as Node)).toEqual(['circle', 'ellipse', 'annulus', 'rectangle', 'stiffness']);
    expect(types(items('loads'))).toEqual(['force', 'torque', 'body-force', 'body-torque', 'distributed']);
    expect(types(items('fields'))).toEqual(['air', 'force']);
    for (const option of rod.shape.oneOf ?? []) expect(option.required).toContain('type');
  });

  it('takes quantities as numbers or text, with an example', () => {
    expect(schema.properties?.time.properties?.step).toMatchObject({ type: ['number', 'string'], examples: ['2 ms'] });
  });

  it('is plain JSON without references', () => {
    const text = JSON.stringify(schema);
    expect(JSON.parse(text)).toEqual(schema);
    expect(text).not.toContain('$ref');
  });
});
