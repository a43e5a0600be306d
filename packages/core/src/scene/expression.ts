/**
 * Expressions in scene files, by recursive descent. A scene may be untrusted, so nothing is passed to `eval`, and length,
 * depth and size are limited.
 *
 *   ternary    = or [ "?" ternary ":" ternary ]
 *   or         = and { "||" and }                                           1 or 0; the right side counts where the left is 0
 *   and        = comparison { "&&" comparison }
 *   comparison = sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]       1 or 0
 *   sum        = product { ("+" | "-") product }
 *   product    = unary { ("*" | "/") unary }
 *   unary      = ("-" | "+" | "!") unary | power
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
const token =
  /\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|(<=|>=|==|!=|&&|\|\||[-+*/^<>?:(),!]))/y;

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
  const parser = new Parser(splitTokens(text), variables);
  return { root: parser.parseAll(), used: parser.used };
}

/** Recursive descent: one method per level of precedence, lowest first. */
class Parser {
  readonly used = new Set<string>();
  private readonly tokens: readonly Token[];
  private readonly variables: readonly string[];
  private position = 0;
  private nodes = 0;
  private depth = 0;

  constructor(tokens: readonly Token[], variables: readonly string[]) {
    this.tokens = tokens;
    this.variables = variables;
  }

  parseAll(): Node {
    const root = this.parseTernary();
    const next = this.peek();
    if (next.kind !== 'end')
      throw new ExpressionError(next.column, `expected an operator or the end but found ${describe(next)}`);
    return root;
  }

  private peek(): Token {
    return this.tokens[this.position];
  }

  private isSign(...signs: string[]): boolean {
    return this.peek().kind === 'sign' && signs.includes(this.peek().text);
  }

  /** Counts a node, so that no expression is too large. */
  private make(node: Node): Node {
    if (++this.nodes > expressionLimits.nodes) {
      throw new ExpressionError(
        this.peek().column,
        `the expression is too large; at most ${expressionLimits.nodes} numbers, names and operators are allowed`,
      );
    }
    return node;
  }

  private expect(sign: string): void {
    if (!this.isSign(sign))
      throw new ExpressionError(this.peek().column, `expected '${sign}' but found ${describe(this.peek())}`);
    this.position++;
  }

  private takeOperator(): BinaryOperator {
    return this.tokens[this.position++].text as BinaryOperator;
  }

  /** All recursion passes here or through the sign of `parseUnary`. */
  private deeper(parse: () => Node): Node {
    if (++this.depth > expressionLimits.depth) {
      throw new ExpressionError(
        this.peek().column,
        `the expression is nested too deeply; at most ${expressionLimits.depth} levels are allowed`,
      );
    }
    const node = parse();
    this.depth--;
    return node;
  }

  private parseTernary(): Node {
    return this.deeper(() => {
      const condition = this.parseOr();
      if (!this.isSign('?')) return condition;
      this.position++;
      const yes = this.parseTernary();
      this.expect(':');
      return this.make({ kind: 'choose', condition, yes, no: this.parseTernary() });
    });
  }

  private parseOr(): Node {
    let left = this.parseAnd();
    while (this.isSign('||')) {
      this.position++;
      left = this.make({ kind: 'choose', condition: left, yes: one, no: truthOf(this.parseAnd()) });
    }
    return left;
  }

  private parseAnd(): Node {
    let left = this.parseComparison();
    while (this.isSign('&&')) {
      this.position++;
      left = this.make({ kind: 'choose', condition: left, yes: truthOf(this.parseComparison()), no: zero });
    }
    return left;
  }

  private parseComparison(): Node {
    const left = this.parseSum();
    if (!this.isSign(...comparisons)) return left;
    const operator = this.takeOperator();
    const node = this.make({ kind: 'binary', operator, left, right: this.parseSum() });
    if (this.isSign(...comparisons))
      throw new ExpressionError(this.peek().column, 'comparisons cannot be chained; put parentheses');
    return node;
  }

  private parseSum(): Node {
    let left = this.parseProduct();
    while (this.isSign('+', '-')) {
      const operator = this.takeOperator();
      left = this.make({ kind: 'binary', operator, left, right: this.parseProduct() });
    }
    return left;
  }

  private parseProduct(): Node {
    let left = this.parseUnary();
    while (this.isSign('*', '/')) {
      const operator = this.takeOperator();
      left = this.make({ kind: 'binary', operator, left, right: this.parseUnary() });
    }
    return left;
  }

  private parseUnary(): Node {
    if (!this.isSign('-', '+', '!')) return this.parsePower();
    const sign = this.tokens[this.position++].text;
    const of = this.deeper(() => this.parseUnary());
    if (sign === '!') return this.make({ kind: 'choose', condition: of, yes: zero, no: one });
    return sign === '-' ? this.make({ kind: 'negate', of }) : of;
  }

  private parsePower(): Node {
    const left = this.parseAtom();
    if (!this.isSign('^')) return left;
    this.position++;
    return this.make({ kind: 'binary', operator: '^', left, right: this.deeper(() => this.parseUnary()) });
  }

  private parseAtom(): Node {
    const { kind, text, column } = this.peek();
    if (kind === 'number') {
      this.position++;
      return this.make({ kind: 'number', value: Number(text) });
    }
    if (kind === 'name') {
      this.position++;
      return this.isSign('(') ? this.parseCall(text, column) : this.parseName(text, column);
    }
    if (!this.isSign('('))
      throw new ExpressionError(column, `expected a number, a name or '(' but found ${describe(this.peek())}`);
    this.position++;
    const node = this.parseTernary();
    this.expect(')');
    return node;
  }

  private parseName(name: string, column: number): Node {
    const index = this.variables.indexOf(name);
    if (index >= 0) {
      this.used.add(name);
      return this.make({ kind: 'variable', index });
    }
    if (Object.hasOwn(constants, name)) return this.make({ kind: 'number', value: constants[name] });
    const hint = Object.hasOwn(functions, name) ? ` '${name}' is a function and needs parentheses.` : '';
    const allowed = [...this.variables, ...Object.keys(constants)].join(', ');
    throw new ExpressionError(column, `unknown name '${name}'.${hint} Variables and constants here: ${allowed}`);
  }

  private parseCall(name: string, column: number): Node {
    if (!Object.hasOwn(functions, name)) {
      throw new ExpressionError(column, `unknown function '${name}'. Functions: ${Object.keys(functions).join(', ')}`);
    }
    const args: Node[] = [];
    do {
      this.position++;
      args.push(this.parseTernary());
    } while (this.isSign(','));
    this.expect(')');
    const { least, most } = functions[name];
    if (args.length < least || args.length > most) {
      const wanted =
        least === most ? `${least}` : most === Number.POSITIVE_INFINITY ? `at least ${least}` : `${least} to ${most}`;
      throw new ExpressionError(
        column,
        `${name} takes ${wanted} argument${wanted === '1' ? '' : 's'}, not ${args.length}`,
      );
    }
    return this.make({ kind: 'call', name, args });
  }
}

const zero: Node = { kind: 'number', value: 0 };
const one: Node = { kind: 'number', value: 1 };

/** 1 where a value is not 0, else 0. */
const truthOf = (condition: Node): Node => ({ kind: 'choose', condition, yes: one, no: zero });

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
