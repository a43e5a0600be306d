/**
 * Translates sweeps of src/batch to AssemblyScript with SIMD: four strands per vector in single precision, or two in double.
 *
 * The same subset of TypeScript as wgsl.ts, but evaluated and not rewritten: calls are inlined, tuples and objects are taken apart into
 * numbers, and what the build knows (`isViscous`, zeros of a matrix) leaves no code. A condition that differs between lanes becomes a mask:
 * its branch runs if any lane needs it, and assignments and writes in it take place in those lanes. A variable that a loop changes becomes
 * a local; those that start equal and stay equal, such as the halves of a symmetric matrix, share one.
 */
import ts from 'typescript';
import { itemsOf, laneIntrinsics, leafOf, negateFlag, operate } from './laneAlgebra.ts';
import { type Code, flagOf, flatten, keyOf, known, type Leaf, rebuild, type Value } from './laneValues.ts';
import { Carried, conditionText, textOf, typeOf, variableFor, zeroOf } from './laneVariables.ts';
import { TranslationError } from './values.ts';

/** How a target reaches a strand: the functions of strand.ts, on values. */
export type LaneAccess = Readonly<Record<string, (code: Code, ...values: Value[]) => Value | undefined>>;

/** What all source files declare. */
export interface LaneContext {
  readonly functions: ReadonlyMap<string, ts.FunctionDeclaration>;
  readonly constants: ReadonlyMap<string, number>;
}

export function readContext(sources: readonly { readonly file: string; readonly text: string }[]): LaneContext {
  const functions = new Map<string, ts.FunctionDeclaration>();
  const constants = new Map<string, number>();
  for (const { file, text } of sources)
    for (const node of ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true).statements) {
      if (ts.isFunctionDeclaration(node) && node.name) functions.set(node.name.text, node);
      if (ts.isVariableStatement(node))
        for (const { name, initializer } of node.declarationList.declarations)
          if (initializer && ts.isNumericLiteral(initializer)) constants.set(name.getText(), Number(initializer.text));
    }
  return { functions, constants };
}

function fail(node: ts.Node, what: string): never {
  throw new TranslationError(`${what}: ${node.getText()}`);
}

/** Names in sight, and the block around. */
class Scope {
  readonly values = new Map<string, Value>();
  readonly around: Scope | undefined;
  constructor(around?: Scope) {
    this.around = around;
  }
  owner(name: string): Scope | undefined {
    return this.values.has(name) ? this : this.around?.owner(name);
  }
}

/** What a statement leaves behind: the value of a function that returns, or nothing. */
interface Outcome {
  readonly value: Value | undefined;
}

export class LaneTranslator {
  readonly code: Code;
  private readonly context: LaneContext;
  private readonly access: LaneAccess;
  private scope = new Scope();

  constructor(code: Code, context: LaneContext, access: LaneAccess) {
    this.code = code;
    this.context = context;
    this.access = access;
  }

  /** Calls a function of the sources, of the strand or of the algebra; undefined where it returns nothing. */
  call(name: string, values: readonly Value[]): Value | undefined {
    const provided = this.access[name];
    if (provided) return provided(this.code, ...values);
    const intrinsic = laneIntrinsics[name];
    if (intrinsic) return intrinsic(this.code, ...values);
    const target = this.context.functions.get(name);
    if (!target?.body) throw new TranslationError(`function ${name} is not known`);
    const caller = this.scope;
    this.scope = new Scope();
    target.parameters.forEach((parameter, k) => {
      this.scope.values.set(parameter.name.getText(), values[k]);
    });
    const outcome = this.run(target.body.statements);
    this.scope = caller;
    return outcome?.value;
  }

  private value(node: ts.Expression): Value {
    if (ts.isParenthesizedExpression(node)) return this.value(node.expression);
    if (ts.isNumericLiteral(node)) return known(Number(node.text));
    if (node.kind === ts.SyntaxKind.TrueKeyword) return flagOf(true);
    if (node.kind === ts.SyntaxKind.FalseKeyword) return flagOf(false);
    if (ts.isIdentifier(node)) return this.named(node);
    if (ts.isPropertyAccessExpression(node)) return this.field(node);
    if (ts.isElementAccessExpression(node)) return this.element(node);
    if (ts.isPrefixUnaryExpression(node)) {
      const operand = leafOf(this.value(node.operand));
      if (node.operator === ts.SyntaxKind.MinusToken) return this.code.negate(operand);
      if (node.operator === ts.SyntaxKind.ExclamationToken) return negateFlag(this.code, operand);
    }
    if (ts.isConditionalExpression(node)) return this.choice(node);
    if (ts.isBinaryExpression(node)) {
      const left = leafOf(this.value(node.left));
      const operator = node.operatorToken.getText();
      // what the build decides may protect the other side
      if (operator === '&&' && left.kind === 'flag' && left.of === 'build' && !left.value) return left;
      if (operator === '||' && left.kind === 'flag' && left.of === 'build' && left.value) return left;
      return operate(this.code, operator, left, leafOf(this.value(node.right)));
    }
    if (ts.isCallExpression(node)) {
      const values = node.arguments.map((one) => this.value(one));
      return this.call(node.expression.getText(), values) ?? fail(node, 'a value is wanted');
    }
    if (ts.isObjectLiteralExpression(node)) return this.object(node);
    return fail(node, 'expression not understood');
  }

  private named(node: ts.Identifier): Value {
    const found = this.scope.owner(node.text)?.values.get(node.text);
    if (found) return found;
    const constant = this.context.constants.get(node.text);
    return constant === undefined ? fail(node, 'name not known') : known(constant);
  }

  private field(node: ts.PropertyAccessExpression): Value {
    const owner = this.value(node.expression);
    const found = owner.kind === 'struct' ? owner.fields.get(node.name.text) : undefined;
    return found ?? fail(node, 'field not known');
  }

  private element(node: ts.ElementAccessExpression): Value {
    const place = leafOf(this.value(node.argumentExpression));
    if (place.kind !== 'known') return fail(node, 'the place of an entry must be known');
    return itemsOf(this.value(node.expression))[place.value];
  }

  private object(node: ts.ObjectLiteralExpression): Value {
    const fields = new Map<string, Value>();
    for (const property of node.properties) {
      if (ts.isShorthandPropertyAssignment(property)) fields.set(property.name.text, this.named(property.name));
      else if (ts.isPropertyAssignment(property)) fields.set(property.name.getText(), this.value(property.initializer));
      else fail(property, 'field not understood');
    }
    return { kind: 'struct', fields: new Map([...fields].sort(([a], [b]) => (a < b ? -1 : 1))) };
  }

  private choice(node: ts.ConditionalExpression): Value {
    const condition = leafOf(this.value(node.condition));
    if (condition.kind !== 'flag') return fail(node, 'a condition is wanted');
    if (condition.of === 'build') return this.value(condition.value ? node.whenTrue : node.whenFalse);
    const mask = this.code.maskText(condition);
    return this.blendValues(mask, this.value(node.whenTrue), this.value(node.whenFalse));
  }

  private blendValues(mask: string, chosen: Value, other: Value): Value {
    const others = flatten(other);
    return rebuild(
      chosen,
      flatten(chosen).map((leaf, k) => this.code.blend(mask, leaf, others[k])),
    );
  }

  /** Runs statements in a block of their own. */
  private run(statements: readonly ts.Statement[]): Outcome | undefined {
    this.scope = new Scope(this.scope);
    let outcome: Outcome | undefined;
    for (const node of statements) {
      outcome = this.statement(node);
      if (outcome) break;
    }
    this.scope = this.scope.around ?? this.scope;
    return outcome;
  }

  private statement(node: ts.Statement): Outcome | undefined {
    if (ts.isVariableStatement(node)) {
      for (const { name, initializer } of node.declarationList.declarations)
        this.scope.values.set(name.getText(), this.value(initializer ?? fail(node, 'a name needs a value')));
      return undefined;
    }
    if (ts.isExpressionStatement(node)) this.effect(node.expression);
    else if (ts.isReturnStatement(node)) return { value: node.expression && this.value(node.expression) };
    else if (ts.isForStatement(node)) this.loop(node);
    else if (ts.isIfStatement(node)) return this.condition(node);
    else fail(node, 'statement not understood');
    return undefined;
  }

  private effect(node: ts.Expression): void {
    if (ts.isCallExpression(node)) {
      this.call(
        node.expression.getText(),
        node.arguments.map((one) => this.value(one)),
      );
      return;
    }
    if (!ts.isBinaryExpression(node) || node.operatorToken.getText() !== '=' || !ts.isIdentifier(node.left))
      fail(node, 'an effect is a call or an assignment');
    this.assign(node.left.text, this.value(node.right));
  }

  private assign(name: string, value: Value): void {
    const owner = this.scope.owner(name);
    if (!owner) throw new TranslationError(`${name} is not declared`);
    owner.values.set(name, value);
  }

  private read(name: string): Value {
    const value = this.scope.owner(name)?.values.get(name);
    if (!value) throw new TranslationError(`${name} is not declared`);
    return value;
  }

  /** Names outside that a statement assigns to. */
  private assigned(node: ts.Node): string[] {
    const names = new Set<string>();
    const visit = (one: ts.Node): void => {
      if (ts.isBinaryExpression(one) && one.operatorToken.getText() === '=' && ts.isIdentifier(one.left))
        if (this.scope.owner(one.left.text)) names.add(one.left.text);
      ts.forEachChild(one, visit);
    };
    visit(node);
    return [...names];
  }

  private block(node: ts.Statement): Outcome | undefined {
    return this.run(ts.isBlock(node) ? node.statements : [node]);
  }

  private condition(node: ts.IfStatement): Outcome | undefined {
    const condition = leafOf(this.value(node.expression));
    if (condition.kind !== 'flag') return fail(node, 'a condition is wanted');
    if (condition.of === 'build') {
      if (condition.value) return this.block(node.thenStatement);
      return node.elseStatement && this.block(node.elseStatement);
    }
    const names = this.assigned(node);
    if (condition.of === 'all') this.branches(node, condition.name, names);
    else {
      this.masked(node.thenStatement, condition.name, names);
      const other = node.elseStatement && negateFlag(this.code, condition);
      if (node.elseStatement && other && other.of !== 'build') this.masked(node.elseStatement, other.name, names);
    }
    return undefined;
  }

  /** A branch for the lanes of a mask: runs where any of them needs it. */
  private masked(node: ts.Statement, condition: string, names: readonly string[]): void {
    const { code } = this;
    const around = code.mask;
    const mask = code.joinMasks(around, condition);
    this.branch(`v128.any_true(${mask})`, names, () => {
      const before = names.map((name) => this.read(name));
      code.mask = mask;
      if (this.block(node)) fail(node, 'a branch that not all lanes take cannot return');
      code.mask = around;
      names.forEach((name, k) => {
        this.assign(name, this.blendValues(mask, this.read(name), before[k]));
      });
    });
  }

  /** Writes both branches of a condition that all lanes share, and the variables that they set. */
  private branch(condition: string, names: readonly string[], then: () => void, otherwise?: () => void): void {
    const { code } = this;
    const before = names.map((name) => this.read(name));
    const runBranch = (write?: () => void): { readonly lines: string[]; readonly value: Value[] } => {
      names.forEach((name, k) => {
        this.assign(name, before[k]);
      });
      return code.capture(() => {
        write?.();
        return names.map((name) => this.read(name));
      });
    };
    const [first, second] = [runBranch(then), runBranch(otherwise)];
    names.forEach((name, n) => {
      const others = flatten(second.value[n]);
      const merged = flatten(first.value[n]).map((leaf, k) => {
        if (keyOf(leaf) === keyOf(others[k])) return leaf;
        const variable = variableFor(code.fresh('m'), leaf, others[k]);
        code.lines.push(`let ${variable.name}: ${typeOf(variable)} = ${zeroOf(variable)};`);
        code.extend(first.lines, () => `${variable.name} = ${textOf(code, variable, leaf)};`);
        code.extend(second.lines, () => `${variable.name} = ${textOf(code, variable, others[k])};`);
        return variable;
      });
      this.assign(name, rebuild(first.value[n], merged));
    });
    code.lines.push(
      `if (${condition}) {`,
      ...first.lines,
      ...(second.lines.length ? ['} else {', ...second.lines] : []),
      '}',
    );
  }

  private branches(node: ts.IfStatement, condition: string, names: readonly string[]): void {
    const { thenStatement, elseStatement } = node;
    const write = (one: ts.Statement) => (): void => {
      if (this.block(one)) fail(one, 'only what the build decides can return early');
    };
    this.branch(condition, names, write(thenStatement), elseStatement && write(elseStatement));
  }

  private loop(node: ts.ForStatement): void {
    const { initializer, condition, incrementor, statement } = node;
    if (!initializer || !ts.isVariableDeclarationList(initializer) || !condition || !incrementor)
      fail(node, 'a loop needs a counter');
    const [{ name, initializer: start }] = initializer.declarations;
    const counter = name.getText();
    if (!start || incrementor.getText() !== `${counter}++`) fail(node, 'a loop counts up by one');
    const first = leafOf(this.value(start));
    this.scope = new Scope(this.scope);
    this.scope.values.set(counter, first);
    const { value: runs } = this.code.capture(() => leafOf(this.value(condition)));
    if (!(runs.kind === 'flag' && runs.of === 'build' && !runs.value))
      this.writeLoop(counter, first, condition, statement);
    this.scope = this.scope.around ?? this.scope;
  }

  private writeLoop(counter: string, first: Leaf, condition: ts.Expression, body: ts.Statement): void {
    const { code } = this;
    const index = code.fresh('i');
    const names = this.assigned(body);
    this.scope.values.set(counter, { kind: 'index', name: index, constant: 0 });
    const before = names.map((name) => this.read(name));
    const put = (leaves: readonly Leaf[]): void => {
      const rest = [...leaves];
      names.forEach((name, k) => {
        this.assign(name, rebuild(before[k], rest));
      });
    };
    const runOnce = (leaves: readonly Leaf[]): Leaf[] => {
      put(leaves);
      const around = code.mask;
      const goesOn = leafOf(this.value(condition));
      if (goesOn.kind !== 'flag') return fail(condition, 'a condition is wanted');
      const mask = goesOn.of === 'each' ? code.joinMasks(around, goesOn.name) : undefined;
      code.lines.push(`if (!(${mask ? `v128.any_true(${mask})` : conditionText(goesOn)})) break;`);
      code.mask = mask ?? around;
      if (this.block(body)) fail(body, 'a loop cannot return');
      code.mask = around;
      const ends = names.flatMap((name) => flatten(this.read(name)));
      return mask ? ends.map((leaf, k) => code.blend(mask, leaf, leaves[k])) : ends;
    };
    const carried = new Carried(code, before.flatMap(flatten));
    while (carried.refine(code.capture(() => runOnce(carried.leaves())).value));
    const { lines } = code.capture(() => carried.writeEnd(runOnce(carried.leaves())));
    carried.writeStart();
    code.lines.push(`let ${index}: i32 = ${code.index(first)};`, 'while (true) {', ...lines, `${index}++;`, '}');
    put(carried.leaves());
  }
}
