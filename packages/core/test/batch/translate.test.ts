/** The translator to WGSL: what it writes, and that it rejects what it does not understand. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { sweepSources, translateToWgsl } from '../../kernels/wgsl.ts';
import { sweepsWgsl } from '../../src/batch/generated/sweeps.ts';
import { stageFields, stateSlots } from '../../src/batch/layout.ts';

const read = (file: string): { file: string; text: string } => ({
  file,
  text: readFileSync(`packages/core/src/batch/${file}`, 'utf8'),
});
const surroundings = { strand: read('strand.ts'), layout: read('layout.ts') };
const translate = (text: string): string => translateToWgsl([{ file: 'test.ts', text }], surroundings);

describe('translation to WGSL', () => {
  test('what the build wrote belongs to the present sources', () => {
    expect(sweepsWgsl).toBe(translateToWgsl(sweepSources.map(read), surroundings));
  });

  test('slots and fields of a stage are those of the layout', () => {
    for (const { name, index } of stateSlots) expect(sweepsWgsl).toContain(`const ${name}: u32 = ${index}u;`);
    const stage = /struct Stage \{([^}]*)\}/.exec(sweepsWgsl)?.[1] ?? '';
    expect([...stage.matchAll(/(\w+): f32/g)].map((found) => found[1])).toEqual([...stageFields]);
  });

  test('operands of operators keep their parentheses', () => {
    const text = translate('function f(a: Vector, s: number): Vector { return scale(s - 1, add(a, scale(-s, a))); }');
    expect(text).toContain('return ((s - 1) * (a + ((-s) * a)));');
  });

  test('a strand is no parameter, a reserved word gets another name', () => {
    const text = translate(
      'function f(s: Strand, i: Index): Vector { const target = readState(s, i, RATE); return target; }',
    );
    expect(text).toContain('fn f(i: u32) -> vec3f {\n  let target_ = readState(i, RATE);\n  return target_;\n}');
  });

  test.each([
    ['while loops', 'function f(a: number): number { while (a > 0) { return a; } return 0; }', /statement/],
    ['unknown functions', 'function f(a: number): number { return Math.sin(a); }', /function not known/],
    ['unknown types', 'function f(a: string): number { return 1; }', /type string/],
    ['objects of no interface', 'function f(a: number): number { const b = { a }; return a; }', /interface/],
    [
      'loops that count down',
      'function f(): number { let a = 0; for (let i = 3; i > 0; i--) { a = a + 1; } return a; }',
      /counts up/,
    ],
  ])('%s are errors', (_, text, message) => {
    expect(() => translate(text)).toThrow(message);
  });
});
