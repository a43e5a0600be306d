/**
 * Translates the formulas and sweeps of src/batch from TypeScript to WGSL, statement by statement, so that they are written once.
 *
 * The subset: functions with typed parameters, interfaces of readonly fields, const and let, assignment, if, for over a counter,
 * return, calls, conditional expressions, object literals of a known interface. Numbers become f32, `Index` u32, `Vector` vec3f,
 * `Quaternion` vec4f, `Matrix` mat3x3f; an interface becomes a struct. The functions of algebra.ts become operators. A parameter
 * of type `Strand` is dropped: a shader has one strand per thread and reaches it through functions of the same names as in
 * strand.ts, which the shader's author provides. Everything else is an error.
 */
import ts from 'typescript';
import { TranslationError } from './values.ts';

/** Files of src/batch that become the shader, in the order of a reader; WGSL takes any. */
export const sweepSources: readonly string[] = [
  'single.ts',
  'formulas.ts',
  'points.ts',
  'air.ts',
  'sweeps.ts',
  'obstacles.ts',
  'distances.ts',
  'contactSearch.ts',
  'contactSweeps.ts',
  'missedSweep.ts',
  'pairs.ts',
  'pairSweeps.ts',
];

export interface WgslSource {
  readonly file: string;
  readonly text: string;
}

const types: Readonly<Record<string, string>> = {
  number: 'f32',
  boolean: 'bool',
  Index: 'u32',
  Vector: 'vec3f',
  Quaternion: 'vec4f',
  Matrix: 'mat3x3f',
};

type Intrinsic = (...operands: string[]) => string;
const infix =
  (operator: string): Intrinsic =>
  (a, b) =>
    `(${a} ${operator} ${b})`;
const call =
  (name: string): Intrinsic =>
  (...operands) =>
    `${name}(${operands.join(', ')})`;

/** Functions of algebra.ts and Math, as WGSL has them. */
const intrinsics: Readonly<Record<string, Intrinsic>> = {
  vector: call('vec3f'),
  quaternion: call('vec4f'),
  matrix: call('mat3x3f'),
  vectorPart: (q) => `${q}.xyz`,
  add: infix('+'),
  subtract: infix('-'),
  scale: infix('*'),
  multiplyEach: infix('*'),
  dot: call('dot'),
  cross: call('cross'),
  addMatrices: infix('+'),
  subtractMatrices: infix('-'),
  scaleMatrix: infix('*'),
  apply: infix('*'),
  multiply: infix('*'),
  column: (a, k) => `${a}[${k}]`,
  transpose: call('transpose'),
  'Math.sqrt': call('sqrt'),
  'Math.max': call('max'),
  'Math.min': call('min'),
  'Math.floor': call('floor'),
  'Math.abs': call('abs'),
};

const operators: Readonly<Record<string, string>> = { '===': '==', '!==': '!=' };
const plainOperators = ['+', '-', '*', '/', '<', '>', '<=', '>=', '&&', '||', '=', '+=', '-='];

/** Words of the formulas that WGSL reserves. */
const reserved = new Set([
  'target',
  'from',
  'ref',
  'self',
  'of',
  'active',
  'move',
  'set',
  'get',
  'pass',
  'type',
  'meta',
  'filter',
  'match',
  'mod',
]);

/** What all files together declare. */
interface Context {
  readonly functions: Map<string, ts.FunctionDeclaration>;
  readonly structs: Map<string, ReadonlyMap<string, string>>;
}

function fail(node: ts.Node, what: string): never {
  throw new TranslationError(`${what}: ${node.getText()}`);
}

const rename = (name: string): string => (reserved.has(name) ? `${name}_` : name);

function typeName(node: ts.TypeNode | undefined, owner: ts.Node): string {
  return node?.getText() ?? fail(owner, 'a type is needed');
}

function writeType(name: string, context: Context, owner: ts.Node): string {
  return types[name] ?? (context.structs.has(name) ? name : fail(owner, `type ${name} is not known`));
}

/** `wanted`: TypeScript's name of the type that is expected here, where it is known. */
function expression(node: ts.Expression, context: Context, wanted?: string): string {
  const inner = (one: ts.Expression, type?: string): string => expression(one, context, type);
  if (ts.isParenthesizedExpression(node)) return `(${inner(node.expression, wanted)})`;
  if (ts.isNumericLiteral(node)) return node.getText();
  if (node.kind === ts.SyntaxKind.TrueKeyword || node.kind === ts.SyntaxKind.FalseKeyword) return node.getText();
  if (ts.isIdentifier(node)) return rename(node.text);
  if (ts.isPropertyAccessExpression(node)) return `${inner(node.expression)}.${rename(node.name.text)}`;
  if (ts.isElementAccessExpression(node)) return `${inner(node.expression)}[${inner(node.argumentExpression)}]`;
  if (ts.isPrefixUnaryExpression(node)) {
    if (node.operator === ts.SyntaxKind.MinusToken) return `-${inner(node.operand)}`;
    if (node.operator === ts.SyntaxKind.ExclamationToken) return `!${inner(node.operand)}`;
  }
  if (ts.isConditionalExpression(node))
    return `select(${inner(node.whenFalse)}, ${inner(node.whenTrue)}, ${inner(node.condition)})`;
  if (ts.isBinaryExpression(node)) {
    const written = node.operatorToken.getText();
    const operator = operators[written] ?? (plainOperators.includes(written) ? written : undefined);
    if (operator) return `${inner(node.left)} ${operator} ${inner(node.right)}`;
  }
  if (ts.isCallExpression(node)) return callExpression(node, context);
  if (ts.isObjectLiteralExpression(node)) return structLiteral(node, context, wanted);
  return fail(node, 'expression not understood');
}

function callExpression(node: ts.CallExpression, context: Context): string {
  const name = node.expression.getText();
  const intrinsic = intrinsics[name];
  if (intrinsic) {
    // operators bind by precedence: what is composed goes into parentheses
    const operands = node.arguments.map((one) => {
      const text = expression(one, context);
      return ts.isBinaryExpression(one) || ts.isPrefixUnaryExpression(one) ? `(${text})` : text;
    });
    return intrinsic(...operands);
  }
  const target = context.functions.get(name) ?? fail(node, 'function not known');
  const operands = node.arguments.flatMap((one, k) => {
    const type = typeName(target.parameters[k].type, node);
    return type === 'Strand' ? [] : [expression(one, context, type)];
  });
  return `${name}(${operands.join(', ')})`;
}

function structLiteral(node: ts.ObjectLiteralExpression, context: Context, wanted: string | undefined): string {
  const fields = context.structs.get(wanted ?? '') ?? fail(node, 'an object needs a known interface');
  const values = new Map<string, string>();
  for (const property of node.properties) {
    const name = property.name?.getText() ?? '';
    const type = fields.get(name) ?? fail(property, `${wanted} has no such field`);
    if (ts.isShorthandPropertyAssignment(property)) values.set(name, rename(name));
    else if (ts.isPropertyAssignment(property)) values.set(name, expression(property.initializer, context, type));
    else fail(property, 'field not understood');
  }
  const ordered = [...fields.keys()].map((name) => values.get(name) ?? fail(node, `field ${name} is missing`));
  return `${wanted}(${ordered.join(', ')})`;
}

function declaration(list: ts.VariableDeclarationList, context: Context): string[] {
  const constant = (list.flags & ts.NodeFlags.Const) !== 0;
  return list.declarations.map((one) => {
    const { initializer } = one;
    if (!initializer) return fail(one, 'a name needs a value');
    const type = one.type?.getText();
    const literal = ts.isNumericLiteral(initializer);
    const annotation = type ? `: ${writeType(type, context, one)}` : literal ? ': f32' : '';
    const name = rename(one.name.getText());
    return `${constant ? 'let' : 'var'} ${name}${annotation} = ${expression(initializer, context, type)};`;
  });
}

function loopHead(node: ts.ForStatement, context: Context): string {
  const { initializer, condition, incrementor } = node;
  if (!initializer || !ts.isVariableDeclarationList(initializer) || !condition || !incrementor)
    return fail(node, 'a loop needs a counter');
  const [{ name, initializer: start }] = initializer.declarations;
  if (!start || incrementor.getText() !== `${name.getText()}++`) return fail(node, 'a loop counts up by one');
  const counter = rename(name.getText());
  return `for (var ${counter}: u32 = ${expression(start, context)}; ${expression(condition, context)}; ${counter}++)`;
}

/** Lines of a statement, without indentation of their own. */
function statement(node: ts.Statement, context: Context, returns: string): string[] {
  const block = (one: ts.Statement): string[] =>
    (ts.isBlock(one) ? [...one.statements] : [one])
      .flatMap((each) => statement(each, context, returns))
      .map((line) => `  ${line}`);
  if (ts.isVariableStatement(node)) return declaration(node.declarationList, context);
  if (ts.isExpressionStatement(node)) return [`${expression(node.expression, context)};`];
  if (ts.isReturnStatement(node))
    return [node.expression ? `return ${expression(node.expression, context, returns)};` : 'return;'];
  if (ts.isForStatement(node)) return [`${loopHead(node, context)} {`, ...block(node.statement), '}'];
  if (ts.isIfStatement(node)) {
    const head = [`if (${expression(node.expression, context)}) {`, ...block(node.thenStatement)];
    return node.elseStatement ? [...head, '} else {', ...block(node.elseStatement), '}'] : [...head, '}'];
  }
  return fail(node, 'statement not understood');
}

function writeFunction(node: ts.FunctionDeclaration, context: Context): string {
  const parameters = node.parameters.flatMap(({ name, type }) => {
    const written = typeName(type, node);
    return written === 'Strand' ? [] : [`${rename(name.getText())}: ${writeType(written, context, node)}`];
  });
  const returns = typeName(node.type, node);
  const result = returns === 'void' ? '' : ` -> ${writeType(returns, context, node)}`;
  const lines = (node.body?.statements ?? []).flatMap((one) => statement(one, context, returns));
  return `fn ${node.name?.text}(${parameters.join(', ')})${result} {\n${lines.map((line) => `  ${line}\n`).join('')}}`;
}

function readInterface(node: ts.InterfaceDeclaration): ReadonlyMap<string, string> {
  return new Map(
    node.members.map((member) => {
      if (!ts.isPropertySignature(member)) return fail(member, 'field not understood');
      return [member.name.getText(), typeName(member.type, member)];
    }),
  );
}

/** Interfaces as structs. */
function writeStructs(context: Context, owner: ts.Node): string[] {
  return [...context.structs].map(([name, fields]) => {
    const members = [...fields].map(([field, type]) => `  ${rename(field)}: ${writeType(type, context, owner)},\n`);
    return `struct ${name} {\n${members.join('')}}`;
  });
}

/** Numbers that a file declares. */
function writeConstants(source: ts.SourceFile, type: 'f32' | 'u32'): string[] {
  return source.statements
    .filter(ts.isVariableStatement)
    .flatMap((node) =>
      node.declarationList.declarations.flatMap(({ name, initializer }) =>
        initializer && ts.isNumericLiteral(initializer)
          ? [`const ${name.getText()}: ${type} = ${initializer.text}${type === 'u32' ? 'u' : ''};`]
          : [],
      ),
    );
}

/** A shader has one scope for the constants of all files. */
function refuseDuplicates(constants: readonly string[]): void {
  const twice = constants.map((line) => line.split(':')[0]).find((name, k, all) => all.indexOf(name) !== k);
  if (twice) throw new Error(`'${twice}' is declared in two files that become one shader; rename one of them`);
}

/** What the translated files stand on but do not contain. */
export interface Surroundings {
  /** Declares the functions that every target has of its own: strand.ts. */
  readonly strand: WgslSource;
  /** Declares slots, as integers, and the interface Stage: layout.ts. */
  readonly layout: WgslSource;
}

export function translateToWgsl(sources: readonly WgslSource[], surroundings: Surroundings): string {
  const context: Context = { functions: new Map(), structs: new Map() };
  const parse = ({ file, text }: WgslSource): ts.SourceFile =>
    ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  const own = sources.map(parse);
  const layout = parse(surroundings.layout);
  for (const { statements } of [parse(surroundings.strand), ...own])
    for (const node of statements)
      if (ts.isFunctionDeclaration(node) && node.name) context.functions.set(node.name.text, node);
  for (const { statements } of [layout, ...own])
    for (const node of statements)
      if (ts.isInterfaceDeclaration(node) && node.name.text !== 'Slot')
        context.structs.set(node.name.text, readInterface(node));
  const functions = own.flatMap(({ statements }) =>
    statements.flatMap((node) => {
      if (ts.isFunctionDeclaration(node)) return [writeFunction(node, context)];
      if (ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isVariableStatement(node)) return [];
      return fail(node, 'declaration not understood');
    }),
  );
  const constants = [...writeConstants(layout, 'u32'), ...own.flatMap((source) => writeConstants(source, 'f32'))];
  refuseDuplicates(constants);
  return `${[constants.join('\n'), ...writeStructs(context, layout), ...functions].join('\n\n')}\n`;
}
