/**
 * What the translator to lanes knows of a value, and the arithmetic on it. A number is a vector of strands, one per lane; where the build
 * knows it, nothing is computed. Equal expressions are computed once, and signs are kept aside, so that the zeros and the antisymmetry of
 * small matrices cost nothing.
 */
import { TranslationError } from './values.ts';

/** A number that the build knows; as an index or in all lanes. */
export interface Known {
  readonly kind: 'known';
  readonly value: number;
}

/** One number per lane: the local `name`, or its negative. */
export interface Lanes {
  readonly kind: 'lanes';
  readonly name: string;
  readonly isNegative: boolean;
}

/** The same number in all lanes, as a scalar. */
export interface Uniform {
  readonly kind: 'uniform';
  readonly name: string;
}

/** A whole number, the same in all lanes: `name` + constant. */
export interface IndexValue {
  readonly kind: 'index';
  readonly name: string;
  readonly constant: number;
}

/** A truth value: known, the same in all lanes, or a mask with a value per lane. */
export type Flag =
  | { readonly kind: 'flag'; readonly of: 'build'; readonly value: boolean }
  | { readonly kind: 'flag'; readonly of: 'all' | 'each'; readonly name: string };

export type Leaf = Known | Lanes | Uniform | IndexValue | Flag;
export interface Tuple {
  readonly kind: 'tuple';
  readonly items: readonly Leaf[];
}
export interface Struct {
  readonly kind: 'struct';
  readonly fields: ReadonlyMap<string, Value>;
}
/** The strand that a lane has. */
export interface StrandValue {
  readonly kind: 'strand';
}
export type Value = Leaf | Tuple | Struct | StrandValue;

export const strand: StrandValue = { kind: 'strand' };
export const known = (value: number): Known => ({ kind: 'known', value });
export const lanes = (name: string, isNegative = false): Lanes => ({ kind: 'lanes', name, isNegative });
export const tuple = (items: readonly Leaf[]): Tuple => ({ kind: 'tuple', items });
export const flagOf = (value: boolean): Flag => ({ kind: 'flag', of: 'build', value });

/** Equal for leaves with the same value. */
export function keyOf(leaf: Leaf): string {
  if (leaf.kind === 'known') return `${leaf.value}`;
  if (leaf.kind === 'lanes') return `${leaf.isNegative ? '-' : ''}${leaf.name}`;
  if (leaf.kind === 'index') return `${leaf.name} + ${leaf.constant}`;
  if (leaf.kind === 'flag') return leaf.of === 'build' ? `${leaf.value}` : leaf.name;
  return leaf.name;
}

/** The leaves of a value, in order. */
export function flatten(value: Value): Leaf[] {
  if (value.kind === 'tuple') return [...value.items];
  if (value.kind === 'struct') return [...value.fields.values()].flatMap(flatten);
  if (value.kind === 'strand') throw new TranslationError('a strand is not a number');
  return [value];
}

/** A value of the same shape with other leaves, which are taken from the front of the list. */
export function rebuild(shape: Value, leaves: Leaf[]): Value {
  const take = (): Leaf => {
    const leaf = leaves.shift();
    if (!leaf) throw new TranslationError('a value has too few numbers');
    return leaf;
  };
  if (shape.kind === 'tuple') return tuple(shape.items.map(take));
  if (shape.kind === 'struct')
    return { kind: 'struct', fields: new Map([...shape.fields].map(([name, one]) => [name, rebuild(one, leaves)])) };
  return take();
}

/** Vectors of the target: `f32x4` or `f64x2`. */
export type LaneType = 'f32x4' | 'f64x2';

/** Lines of a function in AssemblyScript. Every result has a name, and an expression that is in sight already is not written again. */
export class Code {
  readonly type: LaneType;
  lines: string[] = [];
  /** Numbers that the code needs in all lanes, in the order of their table. */
  readonly constants: Map<number, number>;
  private scopes: Map<string, string>[] = [new Map()];
  private count = 0;
  /** Names that are a known factor times another name. */
  private readonly multiples = new Map<string, { readonly factor: number; readonly name: string }>();
  /** Lanes in which effects take place; undefined: all. */
  mask: string | undefined;

  constructor(type: LaneType, constants: Map<number, number>) {
    this.type = type;
    this.constants = constants;
  }

  fresh(prefix: string): string {
    this.count++;
    return `${prefix}${this.count}`;
  }

  /** Name of an expression without effects. */
  bind(expression: string, type: 'v128' | 'i32' | 'usize' | 'bool' | 'f32' | 'f64' = 'v128'): string {
    for (const scope of this.scopes) {
      const name = scope.get(expression);
      if (name !== undefined) return name;
    }
    const name = this.load(expression, type);
    this.scopes[this.scopes.length - 1].set(expression, name);
    return name;
  }

  /** Name of an expression that may have another value later, such as a load. */
  load(expression: string, type: 'v128' | 'i32' | 'usize' | 'bool' | 'f32' | 'f64' = 'v128'): string {
    const name = this.fresh('x');
    this.lines.push(`const ${name}: ${type} = ${expression};`);
    return name;
  }

  /** Lines that `write` writes, in a scope of their own, with what it returns; nothing is appended. */
  capture<T>(write: () => T): { readonly lines: string[]; readonly value: T } {
    const { lines: before } = this;
    this.lines = [];
    this.scopes.push(new Map());
    const value = write();
    const { lines } = this;
    this.scopes.pop();
    this.lines = before;
    return { lines, value };
  }

  /** Appends what `write` returns to lines, behind what it needs. */
  extend(lines: string[], write: () => string): void {
    const before = this.lines;
    this.lines = lines;
    this.scopes.push(new Map());
    lines.push(write());
    this.scopes.pop();
    this.lines = before;
  }

  /** Lanes of both masks; undefined: all. */
  joinMasks(around: string | undefined, mask: string): string {
    return around ? this.bind(`v128.and(${around}, ${mask})`) : mask;
  }

  /** Text of a number in all lanes. */
  text(value: Leaf): string {
    if (value.kind === 'known') {
      if (value.value === 0) return `${this.type}.splat(0)`;
      const place = this.constants.get(value.value) ?? this.constants.size;
      this.constants.set(value.value, place);
      return `v128.load(CONSTANTS, ${16 * place})`;
    }
    if (value.kind === 'uniform') return this.bind(`${this.type}.splat(${value.name})`);
    if (value.kind === 'index') {
      const scalar = this.type === 'f32x4' ? 'f32' : 'f64';
      return this.bind(`${this.type}.splat(<${scalar}>${this.index(value)})`);
    }
    if (value.kind !== 'lanes') throw new TranslationError('a number is wanted');
    return value.isNegative ? this.bind(`${this.type}.neg(${value.name})`) : value.name;
  }

  private spread(value: Leaf): Known | Lanes {
    if (value.kind === 'known' || value.kind === 'lanes') return value;
    return lanes(this.text(value));
  }

  private operate(
    operator: string,
    a: Known | Lanes,
    b: Known | Lanes,
    { isNegative = false }: { readonly isNegative?: boolean } = {},
  ): Lanes {
    const texts = [a, b].map((one) => this.text(one.kind === 'lanes' ? lanes(one.name) : one));
    if (operator === 'add' || operator === 'mul') texts.sort();
    return lanes(this.bind(`${this.type}.${operator}(${texts.join(', ')})`), isNegative);
  }

  negate(value: Leaf): Leaf {
    if (value.kind === 'known') return known(-value.value);
    const one = this.spread(value) as Lanes;
    return lanes(one.name, !one.isNegative);
  }

  add(left: Leaf, right: Leaf): Leaf {
    if (left.kind === 'known' && right.kind === 'known') return known(left.value + right.value);
    if (left.kind === 'index' || right.kind === 'index') return this.addIndices(left, right);
    const [a, b] = [this.spread(left), this.spread(right)];
    if (a.kind === 'known' && a.value === 0) return b;
    if (b.kind === 'known' && b.value === 0) return a;
    if (a.kind === 'lanes' && b.kind === 'lanes') {
      if (a.name === b.name) return a.isNegative === b.isNegative ? this.multiply(known(2), a) : known(0);
      if (a.isNegative && b.isNegative) return this.operate('add', a, b, { isNegative: true });
      if (b.isNegative) return this.operate('sub', a, b);
      return a.isNegative ? this.operate('sub', b, a) : this.operate('add', a, b);
    }
    if (a.kind === 'lanes' && a.isNegative) return this.operate('sub', b, a);
    return b.kind === 'lanes' && b.isNegative ? this.operate('sub', a, b) : this.operate('add', a, b);
  }

  private addIndices(left: Leaf, right: Leaf): Leaf {
    if (left.kind === 'index' && right.kind === 'known') return { ...left, constant: left.constant + right.value };
    if (right.kind === 'index' && left.kind === 'known') return { ...right, constant: right.constant + left.value };
    return { kind: 'index', name: this.bind(`${this.index(left)} + ${this.index(right)}`, 'i32'), constant: 0 };
  }

  subtract(left: Leaf, right: Leaf): Leaf {
    if (left.kind === 'index' || right.kind === 'index') {
      if (left.kind === 'index' && right.kind === 'known') return { ...left, constant: left.constant - right.value };
      return { kind: 'index', name: this.bind(`${this.index(left)} - ${this.index(right)}`, 'i32'), constant: 0 };
    }
    return this.add(left, this.negate(right));
  }

  multiply(left: Leaf, right: Leaf): Leaf {
    if (left.kind === 'known' && right.kind === 'known') return known(left.value * right.value);
    if (left.kind === 'index' || right.kind === 'index')
      return { kind: 'index', name: this.bind(`${this.index(left)} * ${this.index(right)}`, 'i32'), constant: 0 };
    const [a, b] = [this.spread(left), this.spread(right)];
    if (a.kind === 'known') return this.multiple(a.value, b);
    if (b.kind === 'known') return this.multiple(b.value, a);
    return this.operate('mul', a, b, { isNegative: a.isNegative !== b.isNegative });
  }

  private multiple(factor: number, value: Known | Lanes): Leaf {
    if (value.kind === 'known') return known(factor * value.value);
    if (factor === 0) return known(0);
    if (factor < 0) return this.negate(this.multiple(-factor, value));
    if (factor === 1) return value;
    const before = this.multiples.get(value.name);
    // exact if both are powers of two
    if (before && Number.isInteger(Math.log2(factor)) && Number.isInteger(Math.log2(before.factor)))
      return this.multiple(factor * before.factor, lanes(before.name, value.isNegative));
    const result = this.operate('mul', known(factor), value, { isNegative: value.isNegative });
    this.multiples.set(result.name, { factor, name: value.name });
    return result;
  }

  divide(left: Leaf, right: Leaf): Leaf {
    const [a, b] = [this.spread(left), this.spread(right)];
    if (b.kind === 'known' && Number.isInteger(Math.log2(Math.abs(b.value))))
      return this.multiply(known(1 / b.value), a);
    if (a.kind === 'known' && b.kind === 'known') return known(a.value / b.value);
    const isNegative = (a.kind === 'lanes' && a.isNegative) !== (b.kind === 'lanes' && b.isNegative);
    return this.operate('div', a, b, { isNegative });
  }

  /** A function of the target. */
  call(name: string, ...values: readonly Leaf[]): Leaf {
    return lanes(this.bind(`${this.type}.${name}(${values.map((one) => this.text(one)).join(', ')})`));
  }

  /** Larger or smaller; not a number where one of them is not, or where that one is not known. */
  extreme(which: 'max' | 'min', a: Leaf, b: Leaf): Leaf {
    if (a.kind === 'known' && b.kind === 'known') return known(Math[which](a.value, b.value));
    if (a.kind === 'index' || b.kind === 'index')
      return { kind: 'index', name: this.bind(`${which}(${this.index(a)}, ${this.index(b)})`, 'i32'), constant: 0 };
    // one instruction in place of six: pmax(x, c) is x where x is not a number
    if (a.kind === 'known') return this.call(`p${which}`, b, a);
    if (b.kind === 'known') return this.call(`p${which}`, a, b);
    return this.call(which, a, b);
  }

  /** Text of a whole number. */
  index(value: Leaf): string {
    if (value.kind === 'known') return `${value.value}`;
    if (value.kind !== 'index') throw new TranslationError('an index is the same in all lanes');
    if (value.constant === 0) return value.name;
    return `(${value.name} + ${value.constant})`;
  }

  /** Value in the lanes of the mask, else the other one. */
  blend(mask: string, chosen: Leaf, other: Leaf): Leaf {
    if (keyOf(chosen) === keyOf(other)) return chosen;
    if (chosen.kind === 'flag' || other.kind === 'flag') {
      const [a, b] = [this.maskText(chosen), this.maskText(other)];
      return { kind: 'flag', of: 'each', name: this.bind(`v128.bitselect(${a}, ${b}, ${mask})`) };
    }
    return lanes(this.bind(`v128.bitselect(${this.text(chosen)}, ${this.text(other)}, ${mask})`));
  }

  /** Text of a truth value per lane. */
  maskText(value: Leaf): string {
    if (value.kind !== 'flag') throw new TranslationError('a truth value is wanted');
    if (value.of === 'each') return value.name;
    if (value.of === 'build') return `i32x4.splat(${value.value ? -1 : 0})`;
    return this.bind(`i32x4.splat(-i32(${value.name}))`);
  }
}
