/** Reading a JSON Schema beside a value: which form of it is meant, what unit it has, what else could be there. */

export interface SchemaNode {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly items?: SchemaNode;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly additionalProperties?: SchemaNode | boolean;
}

const kindOf = (value: unknown): string => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value);

function takes(node: SchemaNode, value: unknown): boolean {
  if (node.const !== undefined) return node.const === value;
  if (node.enum) return node.enum.includes(value);
  if (node.anyOf || node.oneOf) return (node.anyOf ?? node.oneOf ?? []).some((each) => takes(each, value));
  const kind = kindOf(value);
  const types = node.type === undefined ? [] : typeof node.type === 'string' ? [node.type] : node.type;
  if (types.length > 0 && !types.includes(kind) && !(kind === 'number' && types.includes('integer'))) return false;
  if (kind === 'array' && node.items && (value as unknown[]).length > 0)
    return takes(node.items, (value as unknown[])[0]);
  if (kind !== 'object') return true;
  const object = value as Record<string, unknown>;
  for (const [name, child] of Object.entries(node.properties ?? {})) {
    if (child.const !== undefined && object[name] !== child.const) return false;
  }
  return !(node.required ?? []).some((name) => !(name in object));
}

/** The form of a union that the value has, with the union's description. */
export function resolve(node: SchemaNode | undefined, value: unknown): SchemaNode {
  if (!node) return {};
  const forms = node.anyOf ?? node.oneOf;
  if (!forms) return node;
  const meant = forms.find((form) => takes(form, value)) ?? forms[0];
  const inner = resolve(meant, value);
  return { ...inner, description: node.description ?? inner.description, examples: inner.examples ?? node.examples };
}

export function childOf(node: SchemaNode, key: string | number): SchemaNode | undefined {
  if (typeof key === 'number') return node.items;
  const named = node.properties?.[key];
  if (named) return named;
  return typeof node.additionalProperties === 'object' ? node.additionalProperties : undefined;
}

/** `[m/s²]` in a description, or the unit of the items. */
export function unitOf(node: SchemaNode | undefined): string | undefined {
  if (!node) return undefined;
  const found = /\[([^\]]{1,12})\]/.exec(node.description ?? '')?.[1];
  if (found && /^[\w/²³^·µ° ]+$/.test(found) && !/,/.test(found)) return found.replace('^2', '²').replace('^3', '³');
  if (node.items) return unitOf(resolve(node.items, 0));
  return undefined;
}

/** A value to begin with. */
export function defaultOf(node: SchemaNode | undefined): unknown {
  if (!node) return 0;
  if (node.const !== undefined) return node.const;
  if (node.enum) return node.enum[0];
  const forms = node.anyOf ?? node.oneOf;
  if (forms) return defaultOf(forms[0]);
  const types = typeof node.type === 'string' ? [node.type] : (node.type ?? []);
  if (types.includes('array'))
    return Array.from({ length: node.minItems ?? 0 }, () => (node.minItems === 3 ? 0 : defaultOf(node.items)));
  if (types.includes('object')) {
    return Object.fromEntries((node.required ?? []).map((name) => [name, defaultOf(node.properties?.[name])]));
  }
  if (types.includes('boolean')) return true;
  if (node.examples?.[0] !== undefined) return node.examples[0];
  if (types.includes('integer')) return node.minimum ?? 1;
  return types.includes('number') ? (node.minimum ?? 1) : 'name';
}

export interface WrittenQuantity {
  readonly number: number;
  /** With the space before it, as it is written; empty for a plain number. */
  readonly unit: string;
}

/** `0.06 mm` → 0.06 and ` mm`; undefined where it is no number with a unit. */
export function readQuantity(value: unknown): WrittenQuantity | undefined {
  if (typeof value === 'number') return { number: value, unit: '' };
  if (typeof value !== 'string') return undefined;
  const found = /^\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)(\s*[^\d\s].*)?$/i.exec(value);
  return found ? { number: Number(found[1]), unit: found[2] ?? '' } : undefined;
}

export function writeQuantity(number: number, unit: string): number | string {
  const rounded = Number(number.toPrecision(5));
  return unit === '' ? rounded : `${rounded}${unit.startsWith(' ') ? unit : ` ${unit}`}`;
}

/** Ends of a slider around a value: a factor of ten both ways for sizes, symmetric for what may have a sign. */
export function rangeOf(value: number, node: SchemaNode, whole: boolean): { low: number; high: number; log: boolean } {
  // whole numbers have the largest that a computer counts as their maximum
  if (node.minimum !== undefined && node.maximum !== undefined && node.maximum < 1e9)
    return { low: node.minimum, high: node.maximum, log: false };
  if (whole) return { low: node.minimum ?? 1, high: Math.max(10, 4 * Math.abs(value)), log: false };
  if (value > 0) return { low: value / 10, high: value * 10, log: true };
  const size = Math.abs(value) || 1;
  return { low: -3 * size, high: 3 * size, log: false };
}
