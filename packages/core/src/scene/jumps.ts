/**
 * Times at which loads jump: where a comparison, `floor`, `ceil`, `sign` or `mod` of time in a formula changes its value, and the keys of
 * factors with `interpolation: step`.
 *
 * A step across a jump has an error of first order, and a scheme that stores accelerations would continue with those of the old load. So
 * the world ends a step just before a jump, and restarts the motion just after it (world/step.ts).
 */
import { type BinaryOperator, compileNode, type Node, parseExpression } from './expression.ts';
import type { FieldSpec, Scene } from './types.ts';
import type { Timed } from './values.ts';
import { atPath } from './varying.ts';

/** A part of a formula that is constant except for jumps. */
type Switch = (t: number) => number;

export interface Jumps {
  /** Times in (from, to] at which something jumps, in increasing order [s]. */
  between(from: number, to: number): number[];
}

/** Parts of a step at whose ends the switches are compared. Two jumps of one switch within a part may be missed. */
const PARTS = 8;

const comparisons: ReadonlySet<BinaryOperator> = new Set(['<', '<=', '>', '>=', '==', '!=']);

/** Finds the jumps of all loads, fields and animated properties of a scene; undefined if nothing can jump. */
export function compileJumps(scene: Scene): Jumps | undefined {
  const times = new Set<number>();
  const sources = new Map<string, Source>();
  const addFormula = (text: string, variables: readonly string[]): void => {
    if (!sources.has(text)) sources.set(text, readSource(text, variables));
  };
  const addTimed = (factor: Timed | undefined, variables: readonly string[] = ['t']): void => {
    if (typeof factor !== 'object') return;
    if ('formula' in factor) addFormula(factor.formula, variables);
    else if (factor.interpolation === 'step') for (const [time] of factor.keys.slice(1)) times.add(time);
  };
  const { gravity, loads = [], fields = [], rods } = scene;
  if (gravity && 'acceleration' in gravity) addTimed(gravity.factor);
  for (const { factor } of loads) addTimed(factor);
  // a field that acts on no rod is not compiled anywhere else
  fields.forEach((field, k) => {
    atPath(['fields', k, 'factor'], () => addTimed(field.factor));
    for (const text of formulasOf(field))
      atPath(['fields', k, field.type === 'force' ? 'formula' : 'wind'], () =>
        addFormula(text, ['t', 'x', 'y', 'z', 'u']),
      );
  });
  const { contact, colliders = [] } = scene;
  for (const friction of [contact?.friction, ...colliders.map((one) => one.friction)])
    if (typeof friction === 'object') addTimed(friction.factor);
  for (const { animate = {}, law } of rods) {
    if (law?.type === 'growth') addTimed(law.factor);
    for (const factor of Object.values(animate)) addTimed(factor, ['t', 'u']);
  }
  const live = [...sources.values()].filter(({ switches }) => switches.length > 0);
  if (live.length === 0 && times.size === 0) return undefined;
  return {
    between: (from, to) => {
      const found = new Set([...times].filter((time) => time > from && time <= to));
      for (const source of live) addJumps(found, source, from, to);
      return [...found].sort((a, b) => a - b);
    },
  };
}

function formulasOf(field: FieldSpec): readonly string[] {
  if (field.type === 'force') return field.formula;
  return Array.isArray(field.wind) ? field.wind.filter((part) => typeof part === 'string') : [];
}

interface Source {
  readonly switches: readonly Switch[];
  /** Value at t, if it depends on time alone. */
  readonly value?: Switch;
}

/** `variables`: time first. */
function readSource(text: string, variables: readonly string[]): Source {
  const { root, used } = parseExpression(text, variables);
  const switches = listSwitches(root).map(inTime);
  return used.size > 1 ? { switches } : { switches, value: inTime(root) };
}

function inTime(node: Node): Switch {
  const evaluate = compileNode(node);
  const values = [0];
  return (t) => {
    values[0] = t;
    return evaluate(values);
  };
}

/** The outermost parts that jump and depend on time alone. */
function listSwitches(node: Node): Node[] {
  const jumps = jumpingPart(node);
  if (jumps && dependsOnTimeAlone(jumps)) return [jumps, ...childrenOf(node).flatMap(listSwitches)];
  return childrenOf(node).flatMap(listSwitches);
}

function jumpingPart(node: Node): Node | undefined {
  if (node.kind === 'binary' && comparisons.has(node.operator)) return node;
  if (node.kind !== 'call') return undefined;
  if (node.name === 'mod') {
    const [left, right] = node.args;
    return { kind: 'call', name: 'floor', args: [{ kind: 'binary', operator: '/', left, right }] };
  }
  return node.name === 'floor' || node.name === 'ceil' || node.name === 'sign' ? node : undefined;
}

function childrenOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'negate':
      return [node.of];
    case 'binary':
      return [node.left, node.right];
    case 'choose':
      return [node.condition, node.yes, node.no];
    case 'call':
      return node.args;
    default:
      return [];
  }
}

/** Time is variable 0. */
function dependsOnTimeAlone(node: Node): boolean {
  return node.kind === 'variable' ? node.index === 0 : childrenOf(node).every(dependsOnTimeAlone);
}

function addJumps(found: Set<number>, { switches, value }: Source, from: number, to: number): void {
  for (const at of switches) {
    let low = from;
    let before = at(low);
    for (let k = 1; k <= PARTS; k++) {
      const high = k === PARTS ? to : from + ((to - from) * k) / PARTS;
      const after = at(high);
      if (!Object.is(before, after)) {
        const time = bisect(at, low, high, before);
        if (!value || isJump(value, time)) found.add(time);
      }
      low = high;
      before = after;
    }
  }
}

/** The last time at which the switch is `before`, or the first at which it is not: they are neighbours. */
function bisect(at: Switch, from: number, to: number, before: number): number {
  let low = from;
  let high = to;
  for (;;) {
    const middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) return high;
    if (Object.is(at(middle), before)) low = middle;
    else high = middle;
  }
}

/** False if both branches of a formula meet, as in a ramp that ends. */
function isJump(value: Switch, time: number): boolean {
  const aside = 1e-9 * Math.abs(time) + 1e-12;
  const before = value(Math.max(0, time - aside));
  const after = value(time + aside);
  return !(Math.abs(after - before) <= 1e-6 * Math.max(Math.abs(before), Math.abs(after)));
}
