/**
 * Turns numeric functions of the reference into AssemblyScript that computes two rods at once, so that a formula is
 * written once. What is understood is what such functions are made of: numbers, arrays of doubles, constants, sums and
 * products, square roots, loops over a counter, calls of functions of the same kind. Everything else is an error.
 *
 * A number becomes a pair of doubles (v128), one for each rod; an array becomes an address, its entries 16 bytes apart.
 * Numbers that take part in an index, and loop counters, are the same for both rods and become i32.
 */
import ts from 'typescript';

/** Functions written by hand in lanes.ts; those of one or two pairs of doubles, by name. */
const operations: Readonly<Record<string, string>> = {
  'Math.sqrt': 'f64x2.sqrt',
  'Math.abs': 'f64x2.abs',
  'Math.max': 'f64x2.max',
  'Math.cos': 'cos',
  'Math.sin': 'sin',
};

export class TranslationError extends Error {}

function fail(node: ts.Node, what: string): never {
  throw new TranslationError(`${what}: ${node.getText()}`);
}

interface Scope {
  /** Names that hold integers. */
  readonly integers: ReadonlySet<string>;
  /** Names that hold addresses. */
  readonly arrays: ReadonlySet<string>;
}

/** Names of numbers from which indices are made, directly or through other names. */
function findIntegers(body: ts.FunctionDeclaration, constants: ReadonlySet<string>): Set<string> {
  const integers = new Set(constants);
  const collect = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) integers.add(node.text);
    else ts.forEachChild(node, collect);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isElementAccessExpression(node)) collect(node.argumentExpression);
    if (ts.isForStatement(node) && node.initializer) collectDeclared(node.initializer, integers);
    ts.forEachChild(node, visit);
  };
  visit(body);
  // an integer is made of integers
  for (let size = -1; size !== integers.size; ) {
    size = integers.size;
    const spread = (node: ts.Node): void => {
      if (ts.isVariableDeclaration(node) && node.initializer && integers.has(node.name.getText()))
        collect(node.initializer);
      ts.forEachChild(node, spread);
    };
    spread(body);
  }
  return integers;
}

function collectDeclared(initializer: ts.Node, names: Set<string>): void {
  if (ts.isVariableDeclarationList(initializer))
    for (const { name } of initializer.declarations) names.add(name.getText());
}

/** Kind of a value: `pair` of doubles, `integer`, `address`, or `literal` that can be any number. */
type Kind = 'pair' | 'integer' | 'address' | 'literal';

function kindOf(node: ts.Expression, scope: Scope): Kind {
  if (ts.isParenthesizedExpression(node)) return kindOf(node.expression, scope);
  if (ts.isNumericLiteral(node)) return 'literal';
  if (ts.isIdentifier(node)) {
    if (scope.arrays.has(node.text)) return 'address';
    return scope.integers.has(node.text) ? 'integer' : 'pair';
  }
  if (ts.isPrefixUnaryExpression(node)) return kindOf(node.operand, scope);
  if (ts.isBinaryExpression(node)) {
    const kinds = [kindOf(node.left, scope), kindOf(node.right, scope)];
    if (kinds.includes('pair')) return 'pair';
    return kinds.includes('integer') ? 'integer' : 'literal';
  }
  return 'pair';
}

function literal(node: ts.Expression): number {
  if (ts.isParenthesizedExpression(node)) return literal(node.expression);
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (ts.isPrefixUnaryExpression(node)) return -literal(node.operand as ts.Expression);
  if (!ts.isBinaryExpression(node)) return fail(node, 'not a number');
  const a = literal(node.left);
  const b = literal(node.right);
  switch (node.operatorToken.kind) {
    case ts.SyntaxKind.PlusToken:
      return a + b;
    case ts.SyntaxKind.MinusToken:
      return a - b;
    case ts.SyntaxKind.AsteriskToken:
      return a * b;
    case ts.SyntaxKind.SlashToken:
      return a / b;
    default:
      return fail(node, 'operator not understood');
  }
}

const names: Readonly<Partial<Record<ts.SyntaxKind, string>>> = {
  [ts.SyntaxKind.PlusToken]: 'add',
  [ts.SyntaxKind.MinusToken]: 'sub',
  [ts.SyntaxKind.AsteriskToken]: 'mul',
  [ts.SyntaxKind.SlashToken]: 'div',
  [ts.SyntaxKind.PlusEqualsToken]: 'add',
  [ts.SyntaxKind.MinusEqualsToken]: 'sub',
  [ts.SyntaxKind.AsteriskEqualsToken]: 'mul',
};

/** The value as a pair of doubles. */
function pair(node: ts.Expression, scope: Scope): string {
  if (kindOf(node, scope) === 'literal') {
    const text = String(literal(node));
    return `f64x2.splat(${/[.e]/.test(text) ? text : `${text}.0`})`;
  }
  if (ts.isParenthesizedExpression(node)) return pair(node.expression, scope);
  if (ts.isIdentifier(node)) {
    return kindOf(node, scope) === 'pair' ? node.text : fail(node, 'an integer where a number is wanted');
  }
  if (ts.isElementAccessExpression(node)) {
    return `ld(${node.expression.getText()}, ${integer(node.argumentExpression, scope)})`;
  }
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.MinusToken)
    return `f64x2.neg(${pair(node.operand, scope)})`;
  if (ts.isBinaryExpression(node)) {
    const name = names[node.operatorToken.kind] ?? fail(node, 'operator not understood');
    return `${name}(${pair(node.left, scope)}, ${pair(node.right, scope)})`;
  }
  if (ts.isCallExpression(node)) return call(node, scope);
  return fail(node, 'expression not understood');
}

/** The value as an integer that both rods share. */
function integer(node: ts.Expression, scope: Scope): string {
  const kind = kindOf(node, scope);
  return kind === 'integer' || kind === 'literal' ? node.getText() : fail(node, 'an index is made of integers');
}

function call(node: ts.CallExpression, scope: Scope): string {
  const called = node.expression.getText();
  const written = node.arguments.map((argument) => {
    const kind = kindOf(argument, scope);
    if (kind === 'integer' || kind === 'address') return argument.getText();
    return pair(argument, scope);
  });
  return `${operations[called] ?? called}(${written.join(', ')})`;
}

function statement(node: ts.Statement, scope: Scope, indent: string): string {
  if (ts.isBlock(node)) {
    return `{\n${node.statements.map((one) => `${indent}  ${statement(one, scope, `${indent}  `)}\n`).join('')}${indent}}`;
  }
  if (ts.isVariableStatement(node)) return `${declarations(node.declarationList, scope)};`;
  if (ts.isExpressionStatement(node)) return `${effect(node.expression, scope)};`;
  if (ts.isForStatement(node)) {
    const { initializer, condition, incrementor } = node;
    if (!initializer || !condition || !incrementor || !ts.isVariableDeclarationList(initializer))
      return fail(node, 'a loop needs a counter');
    const head = `${declarations(initializer, scope)}; ${condition.getText()}; ${incrementor.getText()}`;
    return `for (${head}) ${statement(node.statement, scope, indent)}`;
  }
  if (ts.isIfStatement(node)) {
    const otherwise = node.elseStatement ? ` else ${statement(node.elseStatement, scope, indent)}` : '';
    return `if (${integerTest(node.expression, scope)}) ${statement(node.thenStatement, scope, indent)}${otherwise}`;
  }
  if (ts.isContinueStatement(node)) return 'continue;';
  if (ts.isReturnStatement(node) && node.expression) return `return ${pair(node.expression, scope)};`;
  return fail(node, 'statement not understood');
}

/** Both rods take the same branch: only integers may be asked. */
function integerTest(node: ts.Expression, scope: Scope): string {
  const check = (one: ts.Node): void => {
    if (ts.isIdentifier(one) && !scope.integers.has(one.text)) fail(node, 'only integers decide a branch');
    ts.forEachChild(one, check);
  };
  check(node);
  return node.getText().replaceAll('===', '==');
}

function declarations(list: ts.VariableDeclarationList, scope: Scope): string {
  const keyword = list.flags & ts.NodeFlags.Const ? 'const' : 'let';
  const parts = list.declarations.map(({ name, initializer }) => {
    if (!initializer) return fail(name, 'a name needs a value');
    const whole = scope.integers.has(name.getText());
    return `${name.getText()}${whole ? ': i32' : ''} = ${whole ? integer(initializer, scope) : value(initializer, scope)}`;
  });
  return `${keyword} ${parts.join(', ')}`;
}

/** `a >= b ? x : y` on integers chooses between pairs. */
function value(node: ts.Expression, scope: Scope): string {
  if (!ts.isConditionalExpression(node)) return pair(node, scope);
  return `${integerTest(node.condition, scope)} ? ${value(node.whenTrue, scope)} : ${value(node.whenFalse, scope)}`;
}

function effect(node: ts.Expression, scope: Scope): string {
  if (ts.isCallExpression(node)) return call(node, scope);
  if (!ts.isBinaryExpression(node)) return fail(node, 'effect not understood');
  const { left, right } = node;
  if (ts.isIdentifier(left) && scope.integers.has(left.text)) {
    integer(right, scope);
    return node.getText();
  }
  const name = names[node.operatorToken.kind];
  const assigned = name ? `${name}(${pair(left, scope)}, ${value(right, scope)})` : value(right, scope);
  if (!name && node.operatorToken.kind !== ts.SyntaxKind.EqualsToken) return fail(node, 'operator not understood');
  if (!ts.isElementAccessExpression(left)) return `${left.getText()} = ${assigned}`;
  return `st(${left.expression.getText()}, ${integer(left.argumentExpression, scope)}, ${assigned})`;
}

/** A file of the reference, and which of its functions are wanted. */
export interface Source {
  readonly file: string;
  readonly text: string;
  readonly functions: readonly string[];
}

/** All in one module: integer constants and arrays of fixed length that the files declare, then the functions. */
export function translate(sources: readonly Source[]): string {
  const parsed = sources.map(({ file, text, functions }) => ({
    file,
    functions,
    source: ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true),
  }));
  const integers = new Set<string>();
  const arrays = new Set<string>();
  const written: string[] = [];
  for (const { source } of parsed) {
    for (const node of source.statements) {
      if (!ts.isVariableStatement(node)) continue;
      for (const { name, initializer } of node.declarationList.declarations) {
        const declared = name.getText();
        if (!initializer || integers.has(declared) || arrays.has(declared)) continue;
        if (ts.isNumericLiteral(initializer) && /^\d+$/.test(initializer.text)) {
          integers.add(declared);
          written.push(`export const ${declared}: i32 = ${initializer.text};`);
        } else if (ts.isNewExpression(initializer) && initializer.expression.getText() === 'Float64Array') {
          const length = initializer.arguments?.[0].getText();
          arrays.add(declared);
          written.push(`export const ${declared}: usize = memory.data(16 * ${length}, 16);`);
        }
      }
    }
  }
  for (const { file, functions, source } of parsed) {
    for (const name of functions) {
      const found = source.statements.find(
        (node): node is ts.FunctionDeclaration => ts.isFunctionDeclaration(node) && node.name?.text === name,
      );
      if (!found?.body) throw new TranslationError(`${file} has no function ${name}`);
      written.push(translateFunction(found, found.body, integers, arrays));
    }
  }
  return `${written.join('\n\n')}\n`;
}

function translateFunction(
  node: ts.FunctionDeclaration,
  body: ts.Block,
  constants: ReadonlySet<string>,
  fileArrays: ReadonlySet<string>,
): string {
  const arrays = new Set(fileArrays);
  for (const { name, type } of node.parameters)
    if (/Float64Array|ArrayLike/.test(type?.getText() ?? '')) arrays.add(name.getText());
  const scope: Scope = { integers: findIntegers(node, constants), arrays };
  const parameters = node.parameters.map(({ name }) => {
    const text = name.getText();
    const type = arrays.has(text) ? 'usize' : scope.integers.has(text) ? 'i32' : 'v128';
    return `${text}: ${type}`;
  });
  const returned = node.type?.getText() === 'number' ? 'v128' : 'void';
  return `export function ${node.name?.text}(${parameters.join(', ')}): ${returned} ${statement(body, scope, '')}`;
}
