/** The reference page names every field, and its examples are scenes. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseScene, sceneJsonSchema } from '../src/index.ts';

const page = readFileSync(new URL('../../../docs/scene.md', import.meta.url), 'utf8');
const rods = `rods: [{ id: hair, shape: { type: straight, from: [0, 0, 0], to: [1, 0, 0] }, section: { type: circle, radius: 1 mm }, material: { E: 1 GPa, nu: 0.3, density: 1000 } }]`;

function* fieldNames(node: unknown): Generator<string> {
  if (typeof node !== 'object' || node === null) return;
  const { properties } = node as { properties?: Record<string, unknown> };
  if (properties && !Array.isArray(node)) yield* Object.keys(properties);
  for (const item of Object.values(node)) yield* fieldNames(item);
}

/** Words that a schema allows: types and enumerations. */
function* wordsOf(node: unknown): Generator<string> {
  if (typeof node !== 'object' || node === null) return;
  const { const: constant, enum: options } = node as { const?: unknown; enum?: unknown };
  if (typeof constant === 'string') yield constant;
  if (Array.isArray(options)) yield* options.map(String);
  for (const item of Object.values(node)) yield* wordsOf(item);
}

describe('docs/scene.md', () => {
  it('has examples that are read', () => {
    const blocks = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text]) => text);
    expect(blocks.length).toBeGreaterThan(8);
    for (const block of blocks) {
      const head = block.includes('tendril:') ? '' : 'tendril: 1\n';
      const text = head + block + (/^rods:/m.test(block) ? '' : rods);
      expect(() => parseScene(text, block.split('\n')[0])).not.toThrow();
    }
  });

  it('names every field and every choice', () => {
    const code = [...page.matchAll(/`([^`\n]+)`/g)].map(([, text]) => text).join(' ');
    const missing = [...new Set([...fieldNames(sceneJsonSchema()), ...wordsOf(sceneJsonSchema())])].filter(
      (name) => !new RegExp(`(^|[^\\w-])${name}($|[^\\w-])`).test(code),
    );
    expect(missing).toEqual([]);
  });
});
