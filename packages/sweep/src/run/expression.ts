/**
 * Expressions over what a run found: `probe.tip.z`, `max(energy.bending, energy.twisting)`, `rod.hair.node[-1].x / length`.
 * A reference is a name with fields and indices; the rest is the language of scene formulas.
 */
import { compileExpression } from '@tendril-sim/core';
import { nearestWord } from '@tendril-sim/io';

export interface Reference {
  readonly text: string;
  readonly keys: readonly (string | number)[];
}

export interface QuantityExpression {
  readonly references: readonly Reference[];
  /** `resolve` returns the number that a reference stands for. */
  evaluate(resolve: (reference: Reference) => number): number;
}

const pattern = /(?<![\w.])([A-Za-z_]\w*)((?:\.\w+|\[(?:-?\d+|"[^"]*")\])*)(?![\w.[])(?!\s*\()/g;
export const constants: ReadonlySet<string> = new Set(['pi', 'e']);

/** Throws ExpressionError of the core. */
export function compileQuantity(text: string): QuantityExpression {
  const references: Reference[] = [];
  const plain = text.replace(pattern, (whole: string, root: string, rest: string) => {
    if (rest === '' && constants.has(root)) return whole;
    const known = references.findIndex((one) => one.text === whole);
    if (known >= 0) return `ref_${known}`;
    references.push({ text: whole, keys: [root, ...splitKeys(rest)] });
    return `ref_${references.length - 1}`;
  });
  const run = compileExpression(
    plain,
    references.map((_, k) => `ref_${k}`),
  );
  return { references, evaluate: (resolve) => run(references.map(resolve)) };
}

function splitKeys(rest: string): (string | number)[] {
  return [...rest.matchAll(/\.(\w+)|\[(-?\d+)\]|\["?([^"]*)"\]/g)].map(([, field, index, quoted]) =>
    field !== undefined ? field : index !== undefined ? Number(index) : quoted,
  );
}

/** What a reference names cannot be found. */
export class UnknownQuantityError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnknownQuantityError';
  }
}

const axes: Readonly<Record<string, number>> = { x: 0, y: 1, z: 2 };

/** Follows the keys through objects, lists and maps. Booleans count as 1 and 0. */
export function lookUp(scope: unknown, { text, keys }: Reference): number {
  let node = scope;
  for (const [depth, key] of keys.entries()) {
    const next = step(node, key);
    if (next === undefined) {
      const before = depth === 0 ? '' : ` in '${keys.slice(0, depth).join('.')}'`;
      const near = nearestWord(String(key), namesOf(node));
      const hint = near === undefined ? `there is ${describeKeys(node)}` : `did you mean '${near}'?`;
      throw new UnknownQuantityError(`'${text}': there is no '${key}'${before}; ${hint}`);
    }
    node = next;
  }
  if (typeof node === 'boolean') return node ? 1 : 0;
  if (typeof node === 'number') return node;
  throw new UnknownQuantityError(`'${text}' is no number; it has ${describeKeys(node)}`);
}

function step(node: unknown, key: string | number): unknown {
  if (node instanceof Map) return node.get(String(key)) as unknown;
  if (Array.isArray(node) || ArrayBuffer.isView(node)) {
    const list = node as ArrayLike<unknown>;
    const index = typeof key === 'number' ? key : list.length === 3 ? axes[key] : undefined;
    return index === undefined ? undefined : list[index < 0 ? list.length + index : index];
  }
  if (typeof node !== 'object' || node === null) return undefined;
  return Object.hasOwn(node, key) || isGetter(node, key) ? (node as Record<string, unknown>)[key] : undefined;
}

function isGetter(node: object, key: string | number): boolean {
  const prototype: unknown = Object.getPrototypeOf(node);
  return (
    prototype !== Object.prototype &&
    typeof prototype === 'object' &&
    prototype !== null &&
    Object.hasOwn(prototype, key)
  );
}

/** Names below a node; none of lists. */
function namesOf(node: unknown): string[] {
  if (node instanceof Map) return [...node.keys()].map(String);
  return typeof node !== 'object' || node === null || ArrayBuffer.isView(node) ? [] : Object.keys(node);
}

function describeKeys(node: unknown): string {
  if (Array.isArray(node) || ArrayBuffer.isView(node)) {
    const { length } = node as ArrayLike<unknown>;
    return length === 3 ? 'x, y, z' : `entries 0 to ${length - 1}`;
  }
  if (typeof node !== 'object' || node === null) return 'nothing below it';
  return (
    namesOf(node)
      .map((key) => `'${key}'`)
      .join(', ') || 'nothing'
  );
}
