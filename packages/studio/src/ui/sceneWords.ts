/** What may be written at a place of a scene's text, from the schema: names of fields and values, with what they mean. */
import { childOf, type SchemaNode } from './schemaForm.ts';
import type { Place, Step } from './yamlPlace.ts';

export interface Word {
  readonly label: string;
  /** Of a field: its unit, or that it must be there. */
  readonly detail?: string;
  readonly info?: string;
  /** What is inserted. */
  readonly text: string;
  readonly kind: 'name' | 'value';
}

/** The forms of a union, each with what is said beside the union. */
function formsOf({ anyOf, oneOf, ...rest }: SchemaNode): readonly SchemaNode[] {
  const forms = anyOf ?? oneOf;
  if (!forms) return [rest];
  return forms.flatMap(formsOf).map((form) => {
    const properties = { ...rest.properties, ...form.properties };
    return { ...rest, ...form, ...(rest.properties && { properties }) };
  });
}

/** Those forms of a union that the fields which are there allow; all where they allow none. */
function allowed(forms: readonly SchemaNode[], fields: Readonly<Record<string, unknown>>): readonly SchemaNode[] {
  const fits = forms.filter(({ properties = {} }) =>
    Object.entries(fields).every(([name, value]) => {
      const one = properties[name];
      return one !== undefined && (one.const === undefined || String(one.const) === String(value));
    }),
  );
  return fits.length > 0 ? fits : forms;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The forms that the value at a path may have. `values`: the scene as it was read last. */
function formsAt(
  root: SchemaNode,
  path: readonly Step[],
  values: unknown,
): { forms: readonly SchemaNode[]; value: unknown } {
  let forms = formsOf(root);
  let value = values;
  for (const step of path) {
    const here = isObject(value) ? allowed(forms, value) : forms;
    forms = here.flatMap((form) => {
      const child = childOf(form, step);
      return child ? formsOf(child) : [];
    });
    value = isObject(value) || Array.isArray(value) ? (value as Record<Step, unknown>)[step] : undefined;
  }
  return { forms, value };
}

/** `values`: of the scene as it was read last, for names of rods and materials, and for forms that its other fields decide. */
export function wordsAt({ path, kind, written }: Place, root: SchemaNode, values: unknown): Word[] {
  const { forms, value } = formsAt(root, path, values);
  const found = kind === 'name' ? names(forms, value, written) : valuesOf(forms, path, values);
  return [...new Map(found.map((word) => [word.label, word])).values()];
}

function names(forms: readonly SchemaNode[], value: unknown, written: Readonly<Record<string, string>>): Word[] {
  const objects = forms.filter(({ properties }) => properties);
  // what stands before the place is newer than what was read
  const fits = allowed(allowed(objects, isObject(value) && Object.keys(written).length === 0 ? value : {}), written);
  return fits.flatMap(({ properties = {}, required = [] }) =>
    Object.entries(properties)
      .filter(([name]) => !(name in written))
      .map(([name, child]): Word => {
        const isOpen = formsOf(child).every(({ properties: fields, items }) => fields || items);
        const unit = /\[([^\]]{1,12})\]/.exec(child.description ?? '')?.[1];
        const detail = [unit, required.includes(name) ? 'required' : ''].filter(Boolean).join(', ');
        return {
          label: name,
          text: isOpen ? `${name}:` : `${name}: `,
          kind: 'name',
          ...(detail && { detail }),
          ...(child.description && { info: child.description }),
        };
      }),
  );
}

function valuesOf(forms: readonly SchemaNode[], path: readonly Step[], values: unknown): Word[] {
  const plain = forms.flatMap((form): Word[] => {
    const { const: only, enum: some = only === undefined ? [] : [only], examples = [], description, type } = form;
    const switches = type === 'boolean' ? [true, false] : [];
    return [...some, ...switches, ...examples].map((one) => ({
      label: String(one),
      text: String(one),
      kind: 'value',
      ...(description && { info: description }),
    }));
  });
  return [...namesIn(path[path.length - 1], values), ...plain];
}

/** What the scene itself has names for. */
function namesIn(field: Step | undefined, values: unknown): Word[] {
  if (!isObject(values)) return [];
  const word = (label: string, info: string): Word => ({ label, info, text: label, kind: 'value' });
  const ids = (list: unknown, info: string): Word[] =>
    Array.isArray(list)
      ? list.flatMap((one) => (isObject(one) && typeof one.id === 'string' ? [word(one.id, info)] : []))
      : [];
  switch (field) {
    case 'rod':
    case 'rods':
    case 'a':
    case 'b':
      return ids(values.rods, 'a rod of this scene');
    case 'body':
      return ids(values.bodies, 'a body of this scene');
    case 'material':
    case 'section': {
      const named = values[`${field}s`];
      return isObject(named) ? Object.keys(named).map((name) => word(name, `a ${field} of this scene`)) : [];
    }
    default:
      return [];
  }
}
