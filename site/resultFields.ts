/**
 * The fields of result.json as a table, from the types and their doc comments. Nothing is typed here: a field without a doc comment
 * has an empty description, which the test of the tables rejects.
 */
import ts from 'typescript';
import { parse } from '../test/files.ts';

const files = [
  'packages/io/src/resultTypes.ts',
  'packages/core/src/model.ts',
  'packages/core/src/readings.ts',
  'packages/core/src/contact/report.ts',
  'packages/core/src/observe/probe.ts',
  'packages/core/src/world/types.ts',
  'packages/core/src/continuation.ts',
];

export interface Field {
  readonly path: string;
  readonly type: string;
  readonly text: string;
}

type Members = readonly ts.TypeElement[];

function interfaces(): Map<string, Members> {
  const found = new Map<string, Members>();
  for (const file of files) {
    for (const statement of parse(file).statements) {
      if (ts.isInterfaceDeclaration(statement)) found.set(statement.name.text, statement.members);
    }
  }
  found.set('Energies', found.get('EnergyResult') ?? []);
  return found;
}

/** `readonly A[]` → A with brackets; leaves are shown as their text. */
function strip(node: ts.TypeNode): { readonly inner: ts.TypeNode; readonly list: boolean } {
  if (ts.isTypeOperatorNode(node)) return strip(node.type);
  if (ts.isArrayTypeNode(node)) return { inner: strip(node.elementType).inner, list: true };
  return { inner: node, list: false };
}

function membersOf(node: ts.TypeNode, known: Map<string, Members>): Members | undefined {
  if (ts.isTypeLiteralNode(node)) return [...node.members];
  if (ts.isTypeReferenceNode(node)) return known.get(node.typeName.getText());
  if (ts.isIntersectionTypeNode(node)) return node.types.flatMap((part) => membersOf(part, known) ?? []);
  return undefined;
}

function describe(member: ts.TypeElement): string {
  return ts
    .getJSDocCommentsAndTags(member)
    .map(({ comment }) => (typeof comment === 'string' ? comment : ''))
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('|', '\\|');
}

function typeText(node: ts.TypeNode, list: boolean): string {
  const text = strip(node)
    .inner.getText()
    .replaceAll(/readonly /g, '')
    .replace("EquilibriumReport['criterion']", "'energy' | 'divergence' | 'none'")
    .replace('typeof resultVersion', 'number')
    .replace(/^Triple$|^\[number, number, number\]$/, '[x, y, z]')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('|', '\\|');
  return list ? `${/[|( ]/.test(text) && !text.startsWith('[') ? `(${text})` : text}[]` : text;
}

function collect(members: Members, prefix: string, known: Map<string, Members>): Field[] {
  return members.flatMap((member): Field[] => {
    if (!ts.isPropertySignature(member) || !member.type || !member.name) return [];
    const { inner, list } = strip(member.type);
    const path = `${prefix}${member.name.getText()}${list ? '[]' : ''}`;
    const optional = member.questionToken ? ', optional' : '';
    const children = membersOf(inner, known);
    if (!children) {
      return [
        { path: path.replace(/\[\]$/, ''), type: typeText(member.type, list) + optional, text: describe(member) },
      ];
    }
    const text = describe(member);
    const head: Field[] = text || optional ? [{ path, type: `${list ? 'list' : 'group'}${optional}`, text }] : [];
    return [...head, ...collect(children, `${path}.`, known)];
  });
}

/** Every field of result.json, in the order of the types; `path`, `critical` and `branches` are added by `tendril statics`. */
export function resultFields(): Field[] {
  const known = interfaces();
  return [
    ...collect(known.get('Result') ?? [], '', known),
    { path: 'path[]', type: 'list, optional', text: '`statics`: one entry per instant of the path.' },
    ...collect(known.get('PathRow') ?? [], 'path[].', known),
    { path: 'critical[]', type: 'list, optional', text: '`statics`: one entry per change of stability.' },
    ...collect(known.get('Critical') ?? [], 'critical[].', known),
    {
      path: 'branches[]',
      type: 'list, optional',
      text: '`statics` with `follow: branch`: one entry per branch, the main one first, with its points ([statics](cli.md#statics)).',
    },
  ];
}
