/**
 * What the translator knows of a value while it goes through a function: a number that is known now, an integer that is
 * known when the kernel runs (linear in its names), a pair of doubles, one for each rod, or an array.
 */

export class TranslationError extends Error {}

export interface Known {
  readonly kind: 'known';
  readonly value: number;
}

/** Σ factor·name + constant. */
export interface Integer {
  readonly kind: 'integer';
  readonly terms: ReadonlyMap<string, number>;
  readonly constant: number;
}

/** Text of an expression of type v128. */
export interface Pair {
  readonly kind: 'pair';
  readonly text: string;
}

/** `scalar`: its entries are local variables, named by constant indices; otherwise `name` is an address. */
export interface List {
  readonly kind: 'list';
  readonly name: string;
  readonly scalar: boolean;
}

export type Value = Known | Integer | Pair | List;

export const known = (value: number): Known => ({ kind: 'known', value });
export const pairOf = (text: string): Pair => ({ kind: 'pair', text });
export const integerOf = (name: string): Integer => ({ kind: 'integer', terms: new Map([[name, 1]]), constant: 0 });

/** The value as a pair of doubles. */
export function pairText(value: Value): string {
  if (value.kind === 'pair') return value.text;
  if (value.kind !== 'known') throw new TranslationError('an integer or an array where a number is wanted');
  const text = String(value.value);
  return `f64x2.splat(${/[.e]|Infinity/.test(text) ? text : `${text}.0`})`;
}

/** The value as an integer expression. */
export function integerText(value: Value): string {
  if (value.kind === 'known') return String(value.value);
  if (value.kind !== 'integer') throw new TranslationError('an index is made of integers');
  const parts = [...value.terms].map(([name, factor]) => (factor === 1 ? name : `${factor} * ${name}`));
  if (value.constant !== 0 || parts.length === 0) parts.push(String(value.constant));
  return parts.join(' + ');
}

function linear(value: Value): Integer {
  if (value.kind === 'integer') return value;
  if (value.kind !== 'known' || !Number.isInteger(value.value))
    throw new TranslationError('an index is made of integers');
  return { kind: 'integer', terms: new Map(), constant: value.value };
}

function combine(a: Integer, b: Integer, sign: number): Value {
  const terms = new Map(a.terms);
  for (const [name, factor] of b.terms) {
    const sum = (terms.get(name) ?? 0) + sign * factor;
    if (sum === 0) terms.delete(name);
    else terms.set(name, sum);
  }
  const constant = a.constant + sign * b.constant;
  return terms.size === 0 ? known(constant) : { kind: 'integer', terms, constant };
}

function scale(a: Integer, factor: number): Value {
  const terms = new Map([...a.terms].map(([name, one]) => [name, one * factor]));
  return factor === 0 ? known(0) : { kind: 'integer', terms, constant: a.constant * factor };
}

/** Of whole numbers: exact, so that nothing is lost by doing it now. */
function calculate(operator: string, a: number, b: number): number {
  if (operator === '+') return a + b;
  if (operator === '-') return a - b;
  return operator === '*' ? a * b : a / b;
}

const names: Readonly<Record<string, string>> = { '+': 'add', '-': 'sub', '*': 'mul', '/': 'div' };

/** a ∘ b; zeros and ones that are known leave nothing to do. */
export function apply(operator: string, a: Value, b: Value): Value {
  if (!(operator in names)) throw new TranslationError(`operator ${operator} not understood`);
  if (a.kind === 'known' && b.kind === 'known') return known(calculate(operator, a.value, b.value));
  if (a.kind !== 'pair' && b.kind !== 'pair') {
    if (operator === '+') return combine(linear(a), linear(b), 1);
    if (operator === '-') return combine(linear(a), linear(b), -1);
    if (operator === '*' && a.kind === 'known') return scale(linear(b), a.value);
    if (operator === '*' && b.kind === 'known') return scale(linear(a), b.value);
    throw new TranslationError('an index is a sum of multiples');
  }
  const left = a.kind === 'known' ? a.value : undefined;
  const right = b.kind === 'known' ? b.value : undefined;
  if (operator === '+' && left === 0) return b;
  if ((operator === '+' || operator === '-') && right === 0) return a;
  if (operator === '-' && left === 0) return negate(b);
  if (operator === '*' && (left === 0 || right === 0)) return known(0);
  if (operator === '*' && left === 1) return b;
  if (operator === '*' && left === -1) return negate(b);
  if ((operator === '*' || operator === '/') && right === 1) return a;
  if (operator === '*' && right === -1) return negate(a);
  return pairOf(`${names[operator]}(${pairText(a)}, ${pairText(b)})`);
}

export function negate(value: Value): Value {
  if (value.kind === 'known') return known(-value.value);
  if (value.kind === 'integer') return scale(value, -1);
  return pairOf(`f64x2.neg(${pairText(value)})`);
}

/**
 * Address and immediate offset of an entry, as the arguments of a load or store. Offsets are not negative: `least` (at most 0) is
 * the lowest constant with which a kernel indexes, so that all its entries share one address.
 */
export function place(list: List, index: Value, least: number): { readonly address: string; readonly offset: number } {
  const { terms, constant } = linear(index);
  if (terms.size === 0 && constant >= 0) return { address: list.name, offset: 16 * constant };
  const rest = integerText({ kind: 'integer', terms, constant: 0 });
  const low = least < 0 ? ` - ${-16 * least}` : '';
  return { address: `${list.name} + (<usize>(${rest}) << 4)${low}`, offset: 16 * (constant - least) };
}
