/** The functions of src/batch/algebra.ts and Math, and comparisons, on values of the translator to lanes. */
import { type Code, type Flag, flagOf, type Leaf, tuple, type Value } from './laneValues.ts';
import { TranslationError } from './values.ts';

export function leafOf(value: Value): Leaf {
  if (value.kind === 'tuple' || value.kind === 'struct' || value.kind === 'strand')
    throw new TranslationError('a number is wanted');
  return value;
}

export function itemsOf(value: Value): readonly Leaf[] {
  if (value.kind !== 'tuple') throw new TranslationError('a vector, quaternion or matrix is wanted');
  return value.items;
}

const pairwise =
  (operation: 'add' | 'subtract' | 'multiply') =>
  (code: Code, a: Value, b: Value): Value => {
    const right = itemsOf(b);
    return tuple(itemsOf(a).map((one, k) => code[operation](one, right[k])));
  };

const scaled = (code: Code, s: Value, a: Value): Value => tuple(itemsOf(a).map((one) => code.multiply(leafOf(s), one)));

function dot(code: Code, a: readonly Leaf[], b: readonly Leaf[]): Leaf {
  return a.map((one, k) => code.multiply(one, b[k])).reduce((sum, one) => code.add(sum, one));
}

const column = (a: readonly Leaf[], k: number): readonly Leaf[] => a.slice(3 * k, 3 * k + 3);
const row = (a: readonly Leaf[], k: number): readonly Leaf[] => [a[k], a[k + 3], a[k + 6]];

function cross(code: Code, a: readonly Leaf[], b: readonly Leaf[]): Value {
  const part = (i: number, j: number): Leaf => code.subtract(code.multiply(a[i], b[j]), code.multiply(a[j], b[i]));
  return tuple([part(1, 2), part(2, 0), part(0, 1)]);
}

const applied = (code: Code, a: readonly Leaf[], v: readonly Leaf[]): Leaf[] =>
  [0, 1, 2].map((i) => dot(code, row(a, i), v));

type Intrinsic = (code: Code, ...values: Value[]) => Value;

export const laneIntrinsics: Readonly<Record<string, Intrinsic>> = {
  vector: (_, ...values) => tuple(values.map(leafOf)),
  quaternion: (_, ...values) => tuple(values.map(leafOf)),
  matrix: (_, ...columns) => tuple(columns.flatMap((one) => [...itemsOf(one)])),
  vectorPart: (_, q) => tuple(itemsOf(q).slice(0, 3)),
  add: pairwise('add'),
  subtract: pairwise('subtract'),
  multiplyEach: pairwise('multiply'),
  addMatrices: pairwise('add'),
  subtractMatrices: pairwise('subtract'),
  scale: scaled,
  scaleMatrix: scaled,
  dot: (code, a, b) => dot(code, itemsOf(a), itemsOf(b)),
  cross: (code, a, b) => cross(code, itemsOf(a), itemsOf(b)),
  apply: (code, a, v) => tuple(applied(code, itemsOf(a), itemsOf(v))),
  multiply: (code, a, b) => tuple([0, 1, 2].flatMap((k) => applied(code, itemsOf(a), column(itemsOf(b), k)))),
  transpose: (_, a) => tuple([0, 1, 2].flatMap((k) => [...row(itemsOf(a), k)])),
  column: (_, a, k) => {
    const place = leafOf(k);
    if (place.kind !== 'known') throw new TranslationError('a column has a known number');
    return tuple(column(itemsOf(a), place.value));
  },
  'Math.sqrt': (code, a) => code.call('sqrt', leafOf(a)),
  'Math.floor': (code, a) => code.call('floor', leafOf(a)),
  'Math.abs': (code, a) => code.call('abs', leafOf(a)),
  'Math.max': (code, a, b) => code.extreme('max', leafOf(a), leafOf(b)),
  'Math.min': (code, a, b) => code.extreme('min', leafOf(a), leafOf(b)),
};

const comparisons: Readonly<
  Record<string, { readonly lanes: string; readonly known: (a: number, b: number) => boolean }>
> = {
  '<': { lanes: 'lt', known: (a, b) => a < b },
  '>': { lanes: 'gt', known: (a, b) => a > b },
  '<=': { lanes: 'le', known: (a, b) => a <= b },
  '>=': { lanes: 'ge', known: (a, b) => a >= b },
  '===': { lanes: 'eq', known: (a, b) => a === b },
  '!==': { lanes: 'ne', known: (a, b) => a !== b },
};

const arithmetic = { '+': 'add', '-': 'subtract', '*': 'multiply', '/': 'divide' } as const;
const isArithmetic = (operator: string): operator is keyof typeof arithmetic => operator in arithmetic;

function compare(code: Code, operator: string, a: Leaf, b: Leaf): Flag {
  const { lanes, known } = comparisons[operator];
  if (a.kind === 'known' && b.kind === 'known') return flagOf(known(a.value, b.value));
  const isScalar = (one: Leaf): boolean => one.kind === 'known' || one.kind === 'uniform' || one.kind === 'index';
  if (isScalar(a) && isScalar(b)) {
    const [left, right] = [a, b].map((one) => (one.kind === 'uniform' ? one.name : code.index(one)));
    const written = operator.replace('===', '==').replace('!==', '!=');
    return { kind: 'flag', of: 'all', name: code.bind(`${left} ${written} ${right}`, 'bool') };
  }
  return { kind: 'flag', of: 'each', name: code.bind(`${code.type}.${lanes}(${code.text(a)}, ${code.text(b)})`) };
}

/** Both or either; the build decides what it can. */
function combine(code: Code, operator: '&&' | '||', a: Flag, b: Flag): Flag {
  const decisive = operator === '||';
  if (a.of === 'build') return a.value === decisive ? a : b;
  if (b.of === 'build') return b.value === decisive ? b : a;
  if (a.of === 'all' && b.of === 'all')
    return { kind: 'flag', of: 'all', name: code.bind(`${a.name} ${operator} ${b.name}`, 'bool') };
  const name = code.bind(`v128.${decisive ? 'or' : 'and'}(${code.maskText(a)}, ${code.maskText(b)})`);
  return { kind: 'flag', of: 'each', name };
}

export function operate(code: Code, operator: string, a: Leaf, b: Leaf): Leaf {
  if (operator in comparisons) return compare(code, operator, a, b);
  if (isArithmetic(operator)) return code[arithmetic[operator]](a, b);
  if ((operator === '&&' || operator === '||') && a.kind === 'flag' && b.kind === 'flag')
    return combine(code, operator, a, b);
  throw new TranslationError(`operator ${operator} not understood`);
}

export function negateFlag(code: Code, value: Leaf): Flag {
  if (value.kind !== 'flag') throw new TranslationError('a truth value is wanted');
  if (value.of === 'build') return flagOf(!value.value);
  if (value.of === 'all') return { ...value, name: code.bind(`!${value.name}`, 'bool') };
  return { ...value, name: code.bind(`v128.not(${value.name})`) };
}
