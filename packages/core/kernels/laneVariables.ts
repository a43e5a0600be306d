/** Variables of translated code: what branches and loops change. */
import { type Code, type Flag, keyOf, type Leaf, lanes } from './laneValues.ts';

/** A leaf that is assigned to. */
export type Variable = (Leaf & { readonly name: string }) | Exclude<Flag, { readonly of: 'build' }>;

export const typeOf = (variable: Variable): string => {
  if (variable.kind === 'index') return 'i32';
  return variable.kind === 'flag' && variable.of === 'all' ? 'bool' : 'v128';
};

export const zeroOf = (variable: Variable): string => {
  const type = typeOf(variable);
  return type === 'v128' ? 'i32x4.splat(0)' : type === 'bool' ? 'false' : '0';
};

/** A variable that can have either value. */
export function variableFor(name: string, a: Leaf, b: Leaf): Variable {
  if (a.kind === 'flag' && b.kind === 'flag')
    return { kind: 'flag', of: a.of === 'each' || b.of === 'each' ? 'each' : 'all', name };
  const isWhole = (one: Leaf): boolean => one.kind === 'index' || one.kind === 'known';
  if (isWhole(a) && isWhole(b) && (a.kind === 'index' || b.kind === 'index'))
    return { kind: 'index', name, constant: 0 };
  return lanes(name) as Variable;
}

export const conditionText = (flag: Flag): string => (flag.of === 'build' ? `${flag.value}` : flag.name);

export function textOf(code: Code, variable: Variable, leaf: Leaf): string {
  if (variable.kind === 'index') return code.index(leaf);
  if (variable.kind !== 'flag') return code.text(leaf);
  if (variable.of === 'each') return code.maskText(leaf);
  return leaf.kind === 'flag' ? conditionText(leaf) : code.index(leaf);
}

const isKnown = (leaf: Leaf): boolean => leaf.kind === 'known' || (leaf.kind === 'flag' && leaf.of === 'build');

/** The numbers that a loop changes. Those that begin equal count as one until a run of the body shows that they end differently. */
export class Carried {
  private readonly code: Code;
  private readonly before: readonly Leaf[];
  private groups: number[];
  private variables = new Map<number, Variable>();

  constructor(code: Code, before: readonly Leaf[]) {
    this.code = code;
    this.before = before;
    const keys = before.map(keyOf);
    this.groups = keys.map((key) => keys.indexOf(key));
    before.forEach((leaf, k) => {
      if (this.groups[k] === k && !isKnown(leaf)) this.variables.set(k, variableFor(code.fresh('m'), leaf, leaf));
    });
  }

  /** At the start of a run of the body. */
  leaves(): Leaf[] {
    return this.before.map((leaf, k) => this.variables.get(this.groups[k]) ?? leaf);
  }

  /** Splits what ended differently; whether anything changed. */
  refine(ends: readonly Leaf[]): boolean {
    const keys = ends.map((leaf, k) => `${this.groups[k]} ${keyOf(leaf)}`);
    const groups = keys.map((key) => keys.indexOf(key));
    const variables = new Map<number, Variable>();
    let isChanged = groups.some((group, k) => group !== this.groups[k]);
    groups.forEach((group, k) => {
      if (group !== k) return;
      const old = this.variables.get(this.groups[k]);
      if (!old && keyOf(ends[k]) === keyOf(this.before[k])) return;
      const wanted = variableFor(old?.name ?? '', old ?? this.before[k], ends[k]);
      const isSame = old && typeOf(old) === typeOf(wanted);
      isChanged ||= !isSame;
      const name = isSame && !variables.has(this.groups[k]) && this.groups[k] === k ? old.name : this.code.fresh('m');
      variables.set(k, { ...wanted, name });
    });
    this.groups = groups;
    this.variables = variables;
    return isChanged;
  }

  writeStart(): void {
    for (const [k, variable] of this.variables)
      this.code.lines.push(
        `let ${variable.name}: ${typeOf(variable)} = ${textOf(this.code, variable, this.before[k])};`,
      );
  }

  /** Assigns all at once. */
  writeEnd(ends: readonly Leaf[]): void {
    const { code, variables } = this;
    const names = new Set([...variables.values()].map(({ name }) => name));
    const texts = [...variables].map(([k, variable]) => {
      const text = textOf(code, variable, ends[k]);
      return names.has(text) && text !== variable.name ? code.load(text, typeOf(variable) as 'v128') : text;
    });
    [...variables.values()].forEach((variable, n) => {
      if (texts[n] !== variable.name) code.lines.push(`${variable.name} = ${texts[n]};`);
    });
  }
}
