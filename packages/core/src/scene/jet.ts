/**
 * Expressions of one variable with their first two derivatives, by the chain rule. The curvature of a curve given by a formula needs them,
 * and finite differences would lose half the digits.
 */
import { atan2, exp, log, pow } from '../math/rounded/index.ts';
import type { BinaryOperator, Node } from './expression.ts';
import { compileNode } from './expression.ts';
import { functions } from './functions.ts';

/** Value, first and second derivative. */
type Jet = readonly [number, number, number];
type JetEvaluator = (x: number) => Jet;

const plus = (a: Jet, b: Jet): Jet => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const times = (a: Jet, b: Jet): Jet => [
  a[0] * b[0],
  a[1] * b[0] + a[0] * b[1],
  a[2] * b[0] + 2 * a[1] * b[1] + a[0] * b[2],
];
const multiple = (a: Jet, k: number): Jet => [k * a[0], k * a[1], k * a[2]];
/** f(a) from f, f', f'' at a. A constant stays constant even if f' is infinite. */
const chain = (a: Jet, f: number, f1: number, f2: number): Jet =>
  a[1] === 0 && a[2] === 0 ? [f, 0, 0] : [f, f1 * a[1], f2 * a[1] * a[1] + f1 * a[2]];
const reciprocal = (a: Jet): Jet => chain(a, 1 / a[0], -1 / (a[0] * a[0]), 2 / (a[0] * a[0] * a[0]));
const isConstant = (a: Jet): boolean => a[1] === 0 && a[2] === 0;

function power(a: Jet, b: Jet): Jet {
  if (isConstant(b)) {
    const p = b[0];
    // p·0 would be NaN if the power of zero is infinite
    const first = p === 0 ? 0 : p * pow(a[0], p - 1);
    const second = p === 0 || p === 1 ? 0 : p * (p - 1) * pow(a[0], p - 2);
    return chain(a, pow(a[0], p), first, second);
  }
  const exponent = times(b, chain(a, log(a[0]), 1 / a[0], -1 / (a[0] * a[0])));
  const value = exp(exponent[0]);
  return chain(exponent, value, value, value);
}

function arcTangent(y: Jet, x: Jet): Jet {
  const r2 = x[0] * x[0] + y[0] * y[0];
  const turn = x[0] * y[1] - y[0] * x[1];
  const spread = x[0] * x[1] + y[0] * y[1];
  return [atan2(y[0], x[0]), turn / r2, (x[0] * y[2] - y[0] * x[2]) / r2 - (2 * turn * spread) / (r2 * r2)];
}

const squareRoot = (a: Jet): Jet => chain(a, Math.sqrt(a[0]), 0.5 / Math.sqrt(a[0]), -0.25 / (a[0] * Math.sqrt(a[0])));
const constant = (value: number): Jet => [value, 0, 0];
const between = (x: Jet, low: Jet, high: Jet): Jet => {
  const above = x[0] < low[0] ? low : x;
  return above[0] > high[0] ? high : above;
};

/** Functions of several arguments. */
const combined: Readonly<Record<string, (args: readonly Jet[]) => Jet>> = {
  atan2: ([y, x]) => arcTangent(y, x),
  pow: ([a, b]) => power(a, b),
  mod: ([a, b]) => plus(a, multiple(b, -Math.floor(a[0] / b[0]))),
  min: (args) => args.reduce((a, b) => (b[0] < a[0] ? b : a)),
  max: (args) => args.reduce((a, b) => (b[0] > a[0] ? b : a)),
  hypot: (args) => squareRoot(args.map((a) => times(a, a)).reduce(plus)),
  clamp: ([x, low, high]) => between(x, low, high),
  smoothstep: ([a, b, x]) => {
    const span = plus(b, multiple(a, -1));
    const q = between(times(plus(x, multiple(a, -1)), reciprocal(span)), constant(0), constant(1));
    return times(times(q, q), plus(constant(3), multiple(q, -2)));
  },
  step: ([edge, x]) => constant(x[0] >= edge[0] ? 1 : 0),
};

function combine(operator: BinaryOperator, a: Jet, b: Jet): Jet {
  switch (operator) {
    case '+':
      return plus(a, b);
    case '-':
      return plus(a, multiple(b, -1));
    case '*':
      return times(a, b);
    case '/':
      return isConstant(b) ? [a[0] / b[0], a[1] / b[0], a[2] / b[0]] : times(a, reciprocal(b));
    case '^':
      return power(a, b);
    case '<':
      return constant(a[0] < b[0] ? 1 : 0);
    case '<=':
      return constant(a[0] <= b[0] ? 1 : 0);
    case '>':
      return constant(a[0] > b[0] ? 1 : 0);
    case '>=':
      return constant(a[0] >= b[0] ? 1 : 0);
    case '==':
      return constant(a[0] === b[0] ? 1 : 0);
    case '!=':
      return constant(a[0] !== b[0] ? 1 : 0);
  }
}

/** `node` must be an expression in one variable. */
export function compileJet(node: Node): JetEvaluator {
  switch (node.kind) {
    case 'number': {
      const value = constant(node.value);
      return () => value;
    }
    case 'variable':
      return (x) => [x, 1, 0];
    case 'negate': {
      const of = compileJet(node.of);
      return (x) => multiple(of(x), -1);
    }
    case 'choose': {
      const [condition, yes, no] = [compileJet(node.condition), compileJet(node.yes), compileJet(node.no)];
      return (x) => (condition(x)[0] !== 0 ? yes(x) : no(x));
    }
    case 'binary': {
      const { operator } = node;
      const [left, right] = [compileJet(node.left), compileJet(node.right)];
      return (x) => combine(operator, left(x), right(x));
    }
    case 'call':
      return compileCall(node.name, node);
  }
}

function compileCall(name: string, node: Node & { readonly kind: 'call' }): JetEvaluator {
  const { evaluate, derive } = functions[name];
  const args = node.args.map(compileJet);
  if (derive) {
    return (x) => {
      const a = args[0](x);
      const [f1, f2] = derive(a[0]);
      return chain(a, evaluate([a[0]]), f1, f2);
    };
  }
  const known = combined[name];
  if (known) return (x) => known(args.map((arg) => arg(x)));
  // NOTE: noise alone has no derivative formula here; central differences give it about seven digits
  const value = compileNode(node);
  const h = 1e-4;
  return (x) => {
    const [before, at, after] = [value([x - h]), value([x]), value([x + h])];
    return [at, (after - before) / (2 * h), (after - 2 * at + before) / (h * h)];
  };
}
