/**
 * The kernels of the SIMD target: which sweeps of src/batch are translated, in which variants, and how they reach a block of strands in
 * memory. A kernel has the parameters `state`, `nodes`, `head`, `work`, `parameters` (addresses) and `edges`; layouts are those of
 * src/batch/simd/description.ts.
 */
import { createAccess } from './laneAccess.ts';
import { openArray } from './laneArrays.ts';
import type { Field, LaneDescription, LaneVariant, SweepLayout } from './laneLayout.ts';
import { writePairKernels } from './lanePairs.ts';
import { type LaneContext, LaneTranslator } from './laneTranslate.ts';
import { Code, flatten, known, strand, tuple, type Value } from './laneValues.ts';
import { TranslationError } from './values.ts';

/** src/batch/mixingNumbers.ts. */
export interface MixingNumbers {
  readonly MIXING_NUMBERS: number;
  readonly MIXING_WINDOW: number;
  readonly MIXING_RELAXATION: number;
}

/** Sweeps that become kernels, and where their results go in the head. */
interface LaneEntry {
  readonly name: string;
  readonly from: string;
  readonly results: Readonly<Record<string, string>>;
  /** Of contact: roots may be free, which only strands that meet strands and no obstacles may be. */
  readonly mayBeFree?: boolean;
}

const begin: LaneEntry = { name: 'begin', from: 'beginStage', results: { '': 'tip' }, mayBeFree: true };
const iterate: LaneEntry = { name: 'iterate', from: 'iterateStage', results: { tip: 'tip', largest: 'largest' } };
const finish: LaneEntry = { name: 'finish', from: 'finishStep', results: {} };
const settled = ['tip', 'largest', 'moves', 'change', 'loaded', 'iterations'];
const contactEntries: readonly LaneEntry[] = [
  { name: 'find', from: 'findContacts', results: { overlap: 'overlap', presses: 'presses' } },
  begin,
  { name: 'press', from: 'beginPressed', results: { '': 'tip' }, mayBeFree: true },
  { name: 'settle', from: 'continuePressed', results: Object.fromEntries(settled.map((name) => [name, name])) },
  { name: 'miss', from: 'addMissedContacts', results: { '': 'missed' } },
  { name: 'change', from: 'changeToEuler', results: {} },
  { name: 'locate', from: 'locateNodes', results: {}, mayBeFree: true },
  {
    name: 'couple',
    from: 'iterateStage',
    results: { tip: 'tip', largest: 'largest' },
    mayBeFree: true,
  },
  finish,
];

function entriesOf({ exact, contact }: LaneVariant): readonly LaneEntry[] {
  if (contact) return contactEntries;
  return exact ? [iterate] : [begin, iterate, finish];
}

const signature =
  'state: usize, nodes: usize, head: usize, work: usize, parameters: usize, edges: i32, contacts: usize, obstacles: usize';

/** Values of an entry's parameters: the strand, the stage, and what is in the head under their names. */
function readParameters(
  code: Code,
  layout: SweepLayout,
  description: LaneDescription,
  entry: { readonly from: string },
  context: LaneContext,
): Value[] {
  const scalar = code.type === 'f32x4' ? 'f32' : 'f64';
  const bytes = code.type === 'f32x4' ? 4 : 8;
  const names = [...layout.stageFields, ...description.parameterFields];
  names.forEach((name, k) => {
    code.lines.push(`const ${name}: ${scalar} = load<${scalar}>(parameters, ${bytes * k});`);
  });
  description.parameterIntegers.forEach((name, k) => {
    code.lines.push(`const ${name}: i32 = load<i32>(parameters, ${bytes * names.length + 4 * k});`);
  });
  const { headFields, countVectors, vectorsBefore } = description;
  const head = openArray(code, 'head', countVectors(headFields));
  const target = context.functions.get(entry.from);
  if (!target) throw new TranslationError(`there is no function ${entry.from}`);
  return target.parameters.map(({ name, type }): Value => {
    const written = type?.getText() ?? '';
    if (written === 'Strand') return strand;
    if (written === 'Stage')
      return {
        kind: 'struct',
        fields: new Map(layout.stageFields.map((field) => [field, { kind: 'uniform', name: field }])),
      };
    const index = (one: string): [string, Value] => [one, { kind: 'index', name: one, constant: 0 }];
    if (written === 'PressedRange')
      return {
        kind: 'struct',
        fields: new Map([
          ...['first', 'end', 'least'].map(index),
          ['largest', head.read(known(0), vectorsBefore(headFields, 'largest'), 1)[0]],
          // every call begins anew
          ['boost', known(1)],
        ]),
      };
    if (written === 'number') return { kind: 'uniform', name: name.getText() };
    if (written === 'boolean') return { kind: 'flag', of: 'all', name: code.bind(`${name.getText()} != 0`, 'bool') };
    if (written === 'Quaternion') return tuple(head.read(known(0), vectorsBefore(headFields, 'tip'), 4));
    throw new TranslationError(`parameter ${name.getText()} of ${entry.from} is not understood`);
  });
}

/** A kernel as text. */
function writeKernel(
  code: Code,
  { variant, entry }: { readonly variant: LaneVariant; readonly entry: LaneEntry },
  { context, description, layout }: { readonly context: LaneContext } & Layouts,
): string {
  const { headFields, countVectors, vectorsBefore } = description;
  const access = createAccess(code, { ...variant, ...entry }, description, layout);
  const translator = new LaneTranslator(code, context, access);
  const parameters = readParameters(code, layout, description, entry, context);
  if (variant.contact) code.mask = code.load(`v128.load(head, ${16 * vectorsBefore(headFields, 'mask')})`);
  const result = translator.call(entry.from, parameters);
  const head = openArray(code, 'head', countVectors(headFields));
  for (const [from, to] of Object.entries(entry.results)) {
    const value = from === '' || result?.kind !== 'struct' ? result : result.fields.get(from);
    if (!value) throw new TranslationError(`${entry.from} does not return ${from}`);
    head.write(known(0), vectorsBefore(headFields, to), flatten(value));
  }
  return `export function ${entry.name}${variant.suffix}(${signature}): void {\n${code.lines.join('\n')}\n}\n`;
}

interface Layouts {
  readonly description: LaneDescription;
  readonly layout: SweepLayout;
}

/** Sizes and places of records in bytes, as constants. */
function writeLayouts({ description, layout }: Layouts): string[] {
  const { headFields, contactFields, nodeFields, countVectors, vectorsBefore } = description;
  const places = (of: string, fields: readonly Field[]): [string, number][] =>
    fields.map(([name]) => [`${of}_${name.toUpperCase()}`, 16 * vectorsBefore(fields, name)]);
  const bytes = {
    ...Object.fromEntries(places('HEAD', headFields)),
    CONTACT_RECORD: 16 * countVectors(contactFields),
    NODE_RECORD: 16 * countVectors(nodeFields),
    NODE_PAIRRADIUS: 16 * vectorsBefore(nodeFields, 'pairRadius'),
    ...Object.fromEntries(places('CONTACT', contactFields)),
    FIRST_INTEGER: 4 * (layout.stageFields.length + description.parameterFields.length),
    PLAIN_RECORD: 48 * layout.ELASTIC_SLOTS,
    DAMPED_RECORD: 48 * layout.stateSlots.length,
  };
  return Object.entries(bytes).map(([name, value]) => `export const ${name}: usize = ${value};\n`);
}

/** The file kernels/batch/generated.ts. */
export function writeLaneKernels(
  context: LaneContext,
  variants: readonly LaneVariant[],
  description: LaneDescription,
  layout: SweepLayout,
  mixing: MixingNumbers,
): string {
  const constants = new Map<number, number>();
  const functions = variants.flatMap((variant) =>
    entriesOf(variant).map((entry) =>
      writeKernel(new Code(variant.type, constants), { variant, entry }, { context, description, layout }),
    ),
  );
  const pairFunctions = writePairKernels(context, description, constants);
  const table = [...constants.keys()].flatMap((value) => [value, value, value, value]);
  const limits = [
    `export const MOST_ALONE: i32 = ${layout.MOST_ALONE};\n`,
    `export const MIXING_NUMBERS: usize = ${mixing.MIXING_NUMBERS};\n`,
    `export const MIXING_WINDOW: i32 = ${mixing.MIXING_WINDOW};\n`,
    `export const MIXING_RELAXATION: f64 = ${mixing.MIXING_RELAXATION};\n`,
  ];
  const bits = Object.entries(description.EDGE).map(
    ([name, bit]) => `export const EDGE_${name.toUpperCase()}: i32 = ${bit};\n`,
  );
  return [
    "import { countContacts, storePlace } from './rows';\n",
    ...writeLayouts({ description, layout }),
    ...bits,
    ...limits,
    `const CONSTANTS: usize = memory.data<f32>([${table.join(', ')}], 16);\n`,
    ...functions,
    ...pairFunctions,
  ].join('\n');
}
