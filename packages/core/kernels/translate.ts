/**
 * Translates numeric functions of the reference to AssemblyScript that computes two rods at once, so that each formula is written once. It understands
 * numbers, arrays of doubles, constants, sums and products, square roots, loops over a counter, and calls of such functions. Everything else is an error.
 *
 * A number becomes a pair of doubles (v128), one per rod. An array becomes an address, with 16 bytes per entry. Numbers that take part in an index, and loop
 * counters, are integers, which both rods share. A record (an interface of the file) becomes one parameter per field that is used.
 *
 * Known values are evaluated at build time: loops are unrolled, branches decided, and indices split into an address that entries share and a constant offset.
 * A `flat` function has its calls inlined and work space that files share in local variables: a stage takes 0.90 of the time that it takes without.
 */
import ts from 'typescript';
import { findIntegers } from './integers.ts';
import {
  apply,
  integerOf,
  integerText,
  known,
  type List,
  negate,
  pairOf,
  pairText,
  place,
  TranslationError,
  type Value,
} from './values.ts';

export { TranslationError };

/** Instructions and functions of lanes.ts, by name. */
const operations: Readonly<Record<string, string>> = {
  'Math.sqrt': 'f64x2.sqrt',
  'Math.abs': 'f64x2.abs',
  'Math.max': 'f64x2.max',
  atan2: 'angle',
};

function fail(node: ts.Node, what: string): never {
  throw new TranslationError(`${what}: ${node.getText()}`);
}

/** A file of the reference, and which of its functions are wanted. */
export interface Source {
  readonly file: string;
  readonly text: string;
  readonly functions: readonly string[];
  /** Functions that are only inlined in flat ones. */
  readonly within?: readonly string[];
}

/** A function with its calls inlined and the named arrays as local variables; `given`: parameters that are known at build time. */
export interface Flat {
  readonly name: string;
  readonly from: string;
  readonly given?: Readonly<Record<string, number>>;
  readonly scalars: readonly string[];
}

type Fields = readonly (readonly [field: string, type: string])[];

interface Module {
  readonly records: ReadonlyMap<string, Fields>;
  readonly constants: ReadonlyMap<string, number>;
  readonly arrays: ReadonlySet<string>;
  readonly functions: ReadonlyMap<string, ts.FunctionDeclaration>;
}

/** A function that is being written. */
interface Writer {
  readonly module: Module;
  readonly lines: string[];
  /** Arrays that are local variables, and the present values of their entries. */
  readonly scalars: ReadonlySet<string>;
  readonly entries: Map<string, Value>;
  readonly flat: boolean;
  /** Lowest constant of an index, so far or from the first pass. */
  least: number;
  count: number;
}

type Scope = Map<string, Value>;

/** Gives a value a name of its own, so that it is computed once. */
function keep(writer: Writer, name: string, value: Value): Value {
  if (value.kind !== 'pair' || /^\w+$/.test(value.text)) return value;
  const local = `${name}_${writer.count++}`;
  writer.lines.push(`const ${local}: v128 = ${value.text};`);
  return pairOf(local);
}

function lookUp(node: ts.Identifier, scope: Scope, { module, scalars }: Writer): Value {
  const name = node.text;
  const value = scope.get(name);
  if (value) return value;
  const constant = module.constants.get(name);
  if (constant !== undefined) return known(constant);
  if (module.arrays.has(name)) return { kind: 'list', name, scalar: scalars.has(name) };
  return fail(node, 'name not known');
}

function listOf(node: ts.Expression, scope: Scope, writer: Writer): List {
  const value = evaluate(node, scope, writer);
  return value.kind === 'list' ? value : fail(node, 'not an array');
}

/** Entry of an array that is a local variable. */
function entryOf(node: ts.Node, list: List, index: Value): string {
  return index.kind === 'known'
    ? `${list.name}_${index.value}`
    : fail(node, 'an array in variables needs known indices');
}

function locate(list: List, index: Value, writer: Writer): ReturnType<typeof place> {
  if (index.kind === 'integer') writer.least = Math.min(writer.least, index.constant);
  return place(list, index, index.kind === 'integer' ? writer.least : 0);
}

/** The record that a name stands for, as the scope has its fields: `name.field`. */
function recordOf(type: ts.TypeNode | undefined, { records }: Module): Fields | undefined {
  return type && records.get(type.getText());
}

function fieldOf(node: ts.Node, name: string, field: string, scope: Scope): Value {
  return scope.get(`${name}.${field}`) ?? fail(node, 'field not known');
}

function evaluate(node: ts.Expression, scope: Scope, writer: Writer): Value {
  if (ts.isPropertyAccessExpression(node)) return fieldOf(node, node.expression.getText(), node.name.getText(), scope);
  if (ts.isParenthesizedExpression(node)) return evaluate(node.expression, scope, writer);
  if (ts.isNumericLiteral(node)) return known(Number(node.text));
  if (ts.isIdentifier(node)) return lookUp(node, scope, writer);
  if (ts.isElementAccessExpression(node)) {
    const list = listOf(node.expression, scope, writer);
    const index = evaluate(node.argumentExpression, scope, writer);
    if (list.scalar) return writer.entries.get(entryOf(node, list, index)) ?? known(0);
    const { address, offset } = locate(list, index, writer);
    return pairOf(`v128.load(${address}, ${offset})`);
  }
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.MinusToken)
    return negate(evaluate(node.operand, scope, writer));
  if (ts.isBinaryExpression(node))
    return apply(node.operatorToken.getText(), evaluate(node.left, scope, writer), evaluate(node.right, scope, writer));
  if (ts.isConditionalExpression(node))
    return evaluate(decide(node.condition, scope, writer) ? node.whenTrue : node.whenFalse, scope, writer);
  if (ts.isCallExpression(node)) return call(node, scope, writer) ?? fail(node, 'a value is wanted');
  return fail(node, 'expression not understood');
}

/** Both rods take the same branch, and it is known which. */
function decide(node: ts.Expression, scope: Scope, writer: Writer): boolean {
  if (!ts.isBinaryExpression(node)) return fail(node, 'condition not understood');
  const a = evaluate(node.left, scope, writer);
  const b = evaluate(node.right, scope, writer);
  if (a.kind !== 'known' || b.kind !== 'known') return fail(node, 'only what is known decides a branch');
  switch (node.operatorToken.kind) {
    case ts.SyntaxKind.LessThanToken:
      return a.value < b.value;
    case ts.SyntaxKind.LessThanEqualsToken:
      return a.value <= b.value;
    case ts.SyntaxKind.GreaterThanToken:
      return a.value > b.value;
    case ts.SyntaxKind.GreaterThanEqualsToken:
      return a.value >= b.value;
    case ts.SyntaxKind.EqualsEqualsEqualsToken:
      return a.value === b.value;
    default:
      return fail(node, 'condition not understood');
  }
}

function call(node: ts.CallExpression, scope: Scope, writer: Writer): Value | undefined {
  const called = node.expression.getText();
  const target = writer.module.functions.get(called);
  if (target && writer.flat) {
    const inner: Scope = new Map();
    target.parameters.forEach(({ name, type }, k) => {
      const argument = node.arguments[k];
      for (const [field] of recordOf(type, writer.module) ?? [])
        inner.set(`${name.getText()}.${field}`, fieldOf(argument, argument.getText(), field, scope));
      if (!recordOf(type, writer.module))
        inner.set(name.getText(), keep(writer, name.getText(), evaluate(argument, scope, writer)));
    });
    return target.body ? block(target.body, inner, writer) : fail(node, 'nothing to call');
  }
  const values = node.arguments.map((argument) => evaluate(argument, scope, writer));
  const integers = target ? findIntegers(target, writer.module.functions) : new Set<string>();
  const written = values.map((value, k) => {
    if (value.kind === 'list') return value.name;
    const whole = value.kind === 'integer' || integers.has(target?.parameters[k].name.getText() ?? '');
    return whole ? integerText(value) : pairText(value);
  });
  const text = `${operations[called] ?? called}(${written.join(', ')})`;
  // calls of functions without a value stand as a line of their own
  return pairOf(text);
}

/** Runs a block; its value, where it returns one. */
function block(node: ts.Block, scope: Scope, writer: Writer): Value | undefined {
  for (const one of node.statements) {
    const value = statement(one, scope, writer);
    if (value) return value;
  }
  return undefined;
}

function statement(node: ts.Statement, scope: Scope, writer: Writer): Value | undefined {
  if (ts.isBlock(node)) return block(node, scope, writer);
  if (ts.isVariableStatement(node)) {
    for (const { name, initializer } of node.declarationList.declarations) {
      if (!initializer) return fail(name, 'a name needs a value');
      if (ts.isObjectBindingPattern(name)) {
        for (const { name: field } of name.elements)
          scope.set(field.getText(), fieldOf(field, initializer.getText(), field.getText(), scope));
        continue;
      }
      scope.set(name.getText(), keep(writer, name.getText(), evaluate(initializer, scope, writer)));
    }
    return undefined;
  }
  if (ts.isExpressionStatement(node)) return effect(node.expression, scope, writer);
  if (ts.isForStatement(node)) return loop(node, scope, writer);
  if (ts.isIfStatement(node)) {
    const taken = decide(node.expression, scope, writer) ? node.thenStatement : node.elseStatement;
    return taken ? statement(taken, scope, writer) : undefined;
  }
  if (ts.isReturnStatement(node) && node.expression) return evaluate(node.expression, scope, writer);
  return fail(node, 'statement not understood');
}

function loop(node: ts.ForStatement, scope: Scope, writer: Writer): undefined {
  const { initializer, condition, incrementor } = node;
  if (!initializer || !condition || !incrementor || !ts.isVariableDeclarationList(initializer))
    return fail(node, 'a loop needs a counter');
  const [{ name, initializer: from }] = initializer.declarations;
  const counter = name.getText();
  const step = incrementor.getText() === `${counter}++` ? 1 : incrementor.getText() === `${counter}--` ? -1 : 0;
  if (!from || step === 0) return fail(node, 'a loop counts by one');
  scope.set(counter, evaluate(from, scope, writer));
  while (decide(condition, scope, writer)) {
    const body = ts.isBlock(node.statement) ? node.statement.statements : [node.statement];
    for (const one of body) {
      // `if (…) continue;` is the only way out of a round
      if (ts.isIfStatement(one) && ts.isContinueStatement(one.thenStatement)) {
        if (decide(one.expression, scope, writer)) break;
        continue;
      }
      if (statement(one, scope, writer)) return fail(one, 'no value from within a loop');
    }
    scope.set(counter, apply('+', scope.get(counter) as Value, known(step)));
  }
  return undefined;
}

function effect(node: ts.Expression, scope: Scope, writer: Writer): undefined {
  if (ts.isCallExpression(node)) {
    const value = call(node, scope, writer);
    if (value?.kind === 'pair') writer.lines.push(`${value.text};`);
    return undefined;
  }
  if (!ts.isBinaryExpression(node)) return fail(node, 'effect not understood');
  const { left, right } = node;
  const operator = node.operatorToken.getText();
  if (!/^[-+*/]?=$/.test(operator)) return fail(node, 'operator not understood');
  const assigned = evaluate(right, scope, writer);
  const value = operator === '=' ? assigned : apply(operator[0], evaluate(left, scope, writer), assigned);
  if (ts.isIdentifier(left)) {
    scope.set(left.text, keep(writer, left.text, value));
    return undefined;
  }
  if (!ts.isElementAccessExpression(left)) return fail(node, 'effect not understood');
  const list = listOf(left.expression, scope, writer);
  const index = evaluate(left.argumentExpression, scope, writer);
  if (list.scalar) {
    const entry = entryOf(left, list, index);
    writer.entries.set(entry, keep(writer, entry, value));
    return undefined;
  }
  const { address, offset } = locate(list, index, writer);
  writer.lines.push(`v128.store(${address}, ${pairText(value)}, ${offset});`);
  return undefined;
}

/** All in one module: arrays of fixed length that the files declare, then the functions. */
export function translate(sources: readonly Source[], flats: readonly Flat[] = []): string {
  const constants = new Map<string, number>();
  const arrays = new Set<string>();
  const functions = new Map<string, ts.FunctionDeclaration>();
  const records = new Map<string, Fields>();
  const written: string[] = [];
  const inlined = new Set(flats.map(({ from }) => from));
  for (const { file, text, functions: asked, within = [] } of sources) {
    const wanted = [...asked, ...within];
    for (const name of within) inlined.add(name);
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
    for (const node of source.statements) {
      if (ts.isFunctionDeclaration(node) && node.name && wanted.includes(node.name.text))
        functions.set(node.name.text, node);
      if (ts.isInterfaceDeclaration(node)) records.set(node.name.text, fieldsOf(node));
      if (!ts.isVariableStatement(node)) continue;
      for (const { name, initializer } of node.declarationList.declarations) {
        const declared = name.getText();
        if (!initializer || constants.has(declared) || arrays.has(declared)) continue;
        if (ts.isNumericLiteral(initializer) && /^\d+$/.test(initializer.text)) {
          constants.set(declared, Number(initializer.text));
          written.push(`export const ${declared}: i32 = ${initializer.text};`);
        } else if (ts.isNewExpression(initializer) && initializer.expression.getText() === 'Float64Array') {
          const length = initializer.arguments?.[0].getText();
          arrays.add(declared);
          written.push(`export const ${declared}: usize = memory.data(16 * ${length}, 16);`);
        }
      }
    }
    const missing = wanted.find((name) => !functions.has(name));
    if (missing) throw new TranslationError(`${file} has no function ${missing}`);
  }
  const module: Module = { records, constants, arrays, functions };
  for (const name of functions.keys())
    if (!inlined.has(name)) written.push(write(module, { name, from: name, scalars: [] }, { inline: false }));
  for (const flat of flats) written.push(write(module, flat, { inline: true }));
  return `${written.join('\n\n')}\n`;
}

function fieldsOf(node: ts.InterfaceDeclaration): Fields {
  return node.members.flatMap((member) =>
    ts.isPropertySignature(member) ? [[member.name.getText(), member.type?.getText() ?? ''] as const] : [],
  );
}

/** Writes a function: twice, since the lowest index of all is known at the end only. */
function write(module: Module, flat: Flat, { inline }: { readonly inline: boolean }): string {
  const node = module.functions.get(flat.from);
  if (!node?.body) throw new TranslationError(`no function ${flat.from}`);
  const integers = findIntegers(node, module.functions);
  let least = 0;
  for (;;) {
    const scope: Scope = new Map();
    const parameters: { readonly name: string; readonly type: string; readonly isField: boolean }[] = [];
    /** `name`: in the scope; what is written has the last part of it. */
    const declare = (name: string, type: string): void => {
      const text = name.slice(name.indexOf('.') + 1);
      const isField = text !== name;
      const given = flat.given?.[text];
      if (given !== undefined) scope.set(name, known(given));
      else if (/Float64Array|ArrayLike/.test(type)) {
        scope.set(name, { kind: 'list', name: text, scalar: false });
        parameters.push({ name: text, type: 'usize', isField });
      } else {
        scope.set(name, integers.has(text) ? integerOf(text) : pairOf(text));
        parameters.push({ name: text, type: integers.has(text) ? 'i32' : 'v128', isField });
      }
    };
    for (const { name, type } of node.parameters) {
      const record = recordOf(type, module);
      if (record) for (const [field, fieldType] of record) declare(`${name.getText()}.${field}`, fieldType);
      else declare(name.getText(), type?.getText() ?? '');
    }
    const scalars = new Set(flat.scalars);
    const writer: Writer = { module, lines: [], scalars, entries: new Map(), flat: inline, least, count: 0 };
    const value = block(node.body, scope, writer);
    if (writer.least < least) {
      least = writer.least;
      continue;
    }
    if (value) writer.lines.push(`return ${pairText(value)};`);
    const body = writer.lines.map((line) => `  ${line}\n`).join('');
    const used = parameters.filter(({ name, isField }) => !isField || new RegExp(`\\b${name}\\b`).test(body));
    const list = used.map(({ name, type }) => `${name}: ${type}`).join(', ');
    return `export function ${flat.name}(${list}): ${value ? 'v128' : 'void'} {\n${body}}`;
  }
}
