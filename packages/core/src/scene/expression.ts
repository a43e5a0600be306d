/**
 * Expressions in scene files, by recursive descent. A scene may come from a stranger, so nothing is handed to the
 * language's own evaluator, and text, depth and size are bounded.
 *
 *   ternary    = comparison [ "?" ternary ":" ternary ]
 *   comparison = sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]       1 or 0
 *   sum        = product { ("+" | "-") product }
 *   product    = unary { ("*" | "/") unary }
 *   unary      = ("-" | "+") unary | power
 *   power      = atom [ "^" unary ]                                         −x^2 is −(x^2), 2^3^2 is 2^(3^2)
 *   atom       = number | name | name "(" ternary { "," ternary } ")" | "(" ternary ")"
 */
import { pow } from '../math/rounded/index.ts';
import { functions } from './functions.ts';

export type Node =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'variable'; readonly index: number }
  | { readonly kind: 'negate'; readonly of: Node }
  | { readonly kind: 'binary'; readonly operator: BinaryOperator; readonly left: Node; readonly right: Node }
  | { readonly kind: 'choose'; readonly condition: Node; readonly yes: Node; readonly no: Node }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Node[] };

export type BinaryOperator = '+' | '-' | '*' | '/' | '^' | '<' | '<=' | '>' | '>=' | '==' | '!=';

export interface Parsed {
  readonly root: Node;
  /** Names of the variables that occur. */
  readonly used: ReadonlySet<string>;
}

export const expressionLimits = { length: 2000, depth: 64, nodes: 1000 } as const;

/** A formula that cannot be read. */
export class ExpressionError extends Error {
  /** 1-based; 0 when the expression as a whole is at fault. */
  readonly column: number;
  constructor(column: number, message: string) {
    super(column > 0 ? `${message} (column ${column})` : message);
    this.name = 'ExpressionError';
    this.column = column;
  }
}

const constants: Readonly<Record<string, number>> = { pi: Math.PI, e: Math.E };
const comparisons: readonly string[] = ['<', '<=', '>', '>=', '==', '!='];
const token = /\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|(<=|>=|==|!=|[-+*/^<>?:(),]))/y;

interface Token {
  readonly kind: 'number' | 'name' | 'sign' | 'end';
  readonly text: string;
  readonly column: number;
}

function splitTokens(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (text.slice(at).trim() !== '') {
    token.lastIndex = at;
    const match = token.exec(text);
    if (!match) {
      const column = at + text.slice(at).search(/\S/) + 1;
      throw new ExpressionError(column, `'${text[column - 1]}' does not belong in an expression`);
    }
    const found = match[1] ?? match[2] ?? match[3];
    at = token.lastIndex;
    tokens.push({ kind: match[1] ? 'number' : match[2] ? 'name' : 'sign', text: found, column: at - found.length + 1 });
  }
  tokens.push({ kind: 'end', text: 'the end', column: text.length + 1 });
  return tokens;
}

/** Parses `text`, in which the names `variables` may occur. Throws ExpressionError. */
export function parseExpression(text: string, variables: readonly string[]): Parsed {
  if (text.length > expressionLimits.length) {
    throw new ExpressionError(
      0,
      `the expression has ${text.length} characters; at most ${expressionLimits.length} are allowed`,
    );
  }
  const tokens = splitTokens(text);
  const used = new Set<string>();
  let position = 0;
  let nodes = 0;
  let depth = 0;

  const peek = (): Token => tokens[position];
  const isSign = (...signs: string[]): boolean => peek().kind === 'sign' && signs.includes(peek().text);
  const make = (node: Node): Node => {
    if (++nodes > expressionLimits.nodes) {
      throw new ExpressionError(
        peek().column,
        `the expression is too large; at most ${expressionLimits.nodes} numbers, names and operators are allowed`,
      );
    }
    return node;
  };
  const expect = (sign: string): void => {
    if (!isSign(sign)) throw new ExpressionError(peek().column, `expected '${sign}' but found ${describe(peek())}`);
    position++;
  };
  /** All recursion passes here or through the sign of `parseUnary`. */
  const deeper = (parse: () => Node): Node => {
    if (++depth > expressionLimits.depth) {
      throw new ExpressionError(
        peek().column,
        `the expression is nested too deeply; at most ${expressionLimits.depth} levels are allowed`,
      );
    }
    const node = parse();
    depth--;
    return node;
  };

  const parseTernary = (): Node =>
    deeper(() => {
      const condition = parseComparison();
      if (!isSign('?')) return condition;
      position++;
      const yes = parseTernary();
      expect(':');
      return make({ kind: 'choose', condition, yes, no: parseTernary() });
    });
  const parseComparison = (): Node => {
    const left = parseSum();
    if (!isSign(...comparisons)) return left;
    const operator = tokens[position++].text as BinaryOperator;
    const node = make({ kind: 'binary', operator, left, right: parseSum() });
    if (isSign(...comparisons))
      throw new ExpressionError(peek().column, 'comparisons cannot be chained; put parentheses');
    return node;
  };
  const parseSum = (): Node => {
    let left = parseProduct();
    while (isSign('+', '-')) {
      const operator = tokens[position++].text as BinaryOperator;
      left = make({ kind: 'binary', operator, left, right: parseProduct() });
    }
    return left;
  };
  const parseProduct = (): Node => {
    let left = parseUnary();
    while (isSign('*', '/')) {
      const operator = tokens[position++].text as BinaryOperator;
      left = make({ kind: 'binary', operator, left, right: parseUnary() });
    }
    return left;
  };
  const parseUnary = (): Node => {
    if (!isSign('-', '+')) return parsePower();
    const negative = tokens[position++].text === '-';
    const of = deeper(parseUnary);
    return negative ? make({ kind: 'negate', of }) : of;
  };
  const parsePower = (): Node => {
    const left = parseAtom();
    if (!isSign('^')) return left;
    position++;
    return make({ kind: 'binary', operator: '^', left, right: deeper(parseUnary) });
  };
  const parseAtom = (): Node => {
    const { kind, text: found, column } = peek();
    if (kind === 'number') {
      position++;
      return make({ kind: 'number', value: Number(found) });
    }
    if (kind === 'name') {
      position++;
      return isSign('(') ? parseCall(found, column) : parseName(found, column);
    }
    if (!isSign('('))
      throw new ExpressionError(column, `expected a number, a name or '(' but found ${describe(peek())}`);
    position++;
    const node = parseTernary();
    expect(')');
    return node;
  };
  const parseName = (name: string, column: number): Node => {
    const index = variables.indexOf(name);
    if (index >= 0) {
      used.add(name);
      return make({ kind: 'variable', index });
    }
    if (Object.hasOwn(constants, name)) return make({ kind: 'number', value: constants[name] });
    const hint = Object.hasOwn(functions, name) ? ` '${name}' is a function and needs parentheses.` : '';
    const allowed = [...variables, ...Object.keys(constants)].join(', ');
    throw new ExpressionError(column, `unknown name '${name}'.${hint} Variables and constants here: ${allowed}`);
  };
  const parseCall = (name: string, column: number): Node => {
    if (!Object.hasOwn(functions, name)) {
      throw new ExpressionError(column, `unknown function '${name}'. Functions: ${Object.keys(functions).join(', ')}`);
    }
    const args: Node[] = [];
    do {
      position++;
      args.push(parseTernary());
    } while (isSign(','));
    expect(')');
    const { least, most } = functions[name];
    if (args.length < least || args.length > most) {
      const wanted =
        least === most ? `${least}` : most === Number.POSITIVE_INFINITY ? `at least ${least}` : `${least} to ${most}`;
      throw new ExpressionError(
        column,
        `${name} takes ${wanted} argument${wanted === '1' ? '' : 's'}, not ${args.length}`,
      );
    }
    return make({ kind: 'call', name, args });
  };

  const root = parseTernary();
  if (peek().kind !== 'end')
    throw new ExpressionError(peek().column, `expected an operator or the end but found ${describe(peek())}`);
  return { root, used };
}

const describe = ({ kind, text }: Token): string => (kind === 'end' ? 'the end' : `'${text}'`);

/** Compiles `text` to a function of the values of `variables`, in their order. Throws ExpressionError. */
export function compileExpression(text: string, variables: readonly string[]): (values: ArrayLike<number>) => number {
  return compileNode(parseExpression(text, variables).root);
}

type Evaluator = (values: ArrayLike<number>) => number;

export function compileNode(node: Node): Evaluator {
  switch (node.kind) {
    case 'number': {
      const { value } = node;
      return () => value;
    }
    case 'variable': {
      const { index } = node;
      return (values) => values[index];
    }
    case 'negate': {
      const of = compileNode(node.of);
      return (values) => -of(values);
    }
    case 'choose': {
      const condition = compileNode(node.condition);
      const yes = compileNode(node.yes);
      const no = compileNode(node.no);
      return (values) => (condition(values) !== 0 ? yes(values) : no(values));
    }
    case 'binary':
      return compileBinary(node.operator, compileNode(node.left), compileNode(node.right));
    case 'call': {
      const { evaluate } = functions[node.name];
      const args = node.args.map(compileNode);
      // a buffer of its own for each call, so that evaluation allocates nothing
      const buffer = new Float64Array(args.length);
      return (values) => {
        for (let k = 0; k < args.length; k++) buffer[k] = args[k](values);
        return evaluate(buffer);
      };
    }
  }
}

function compileBinary(operator: BinaryOperator, left: Evaluator, right: Evaluator): Evaluator {
  switch (operator) {
    case '+':
      return (values) => left(values) + right(values);
    case '-':
      return (values) => left(values) - right(values);
    case '*':
      return (values) => left(values) * right(values);
    case '/':
      return (values) => left(values) / right(values);
    case '^':
      return (values) => pow(left(values), right(values));
    case '<':
      return (values) => (left(values) < right(values) ? 1 : 0);
    case '<=':
      return (values) => (left(values) <= right(values) ? 1 : 0);
    case '>':
      return (values) => (left(values) > right(values) ? 1 : 0);
    case '>=':
      return (values) => (left(values) >= right(values) ? 1 : 0);
    case '==':
      return (values) => (left(values) === right(values) ? 1 : 0);
    case '!=':
      return (values) => (left(values) !== right(values) ? 1 : 0);
  }
}
