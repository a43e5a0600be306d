/**
 * The kernels of the SIMD target: which sweeps of src/batch are translated, in which variants, and how they reach a block of strands in
 * memory. A kernel has the parameters `state`, `nodes`, `head`, `work`, `parameters` (addresses) and `edges`; layouts are those of
 * src/batch/simd/description.ts.
 */
import { itemsOf, leafOf } from './laneAlgebra.ts';
import { type LaneAccess, type LaneContext, LaneTranslator } from './laneTranslate.ts';
import {
  Code,
  flagOf,
  flatten,
  known,
  type LaneType,
  type Leaf,
  lanes,
  strand,
  tuple,
  type Value,
} from './laneValues.ts';
import { TranslationError } from './values.ts';

type Field = readonly [name: string, vectors: number];

/** src/batch/simd/description.ts and src/batch/layout.ts, as they are run by the build. */
export interface LaneDescription {
  readonly headFields: readonly Field[];
  readonly nodeFields: readonly Field[];
  readonly workFields: readonly Field[];
  readonly parameterFields: readonly string[];
  readonly countVectors: (fields: readonly Field[]) => number;
  readonly vectorsBefore: (fields: readonly Field[], name: string) => number;
}
export interface SweepLayout {
  readonly stageFields: readonly string[];
  readonly stateSlots: readonly unknown[];
  readonly ELASTIC_SLOTS: number;
}

/** A variant of the sweeps. `damped`: with damping of nodes and joints; `exact`: only Newton's iteration with the exact Hessian of joints. */
export interface LaneVariant {
  readonly suffix: string;
  readonly type: LaneType;
  readonly damped: boolean;
  readonly exact: boolean;
}

/** Sweeps that become kernels, and where their results go in the head. */
const entries: readonly {
  readonly name: string;
  readonly from: string;
  readonly results: Readonly<Record<string, string>>;
}[] = [
  { name: 'begin', from: 'beginStage', results: { '': 'tip' } },
  { name: 'iterate', from: 'iterateStage', results: { tip: 'tip', largest: 'largest' } },
  { name: 'finish', from: 'finishStep', results: {} },
];

const zeros = (count: number): Value => tuple(Array.from({ length: count }, () => known(0)));

/** Address of an element of an array of records, and the offset of what follows in it. */
function place(
  code: Code,
  array: string,
  record: number,
  index: Leaf,
): { readonly address: string; readonly offset: number } {
  if (index.kind === 'known') return { address: array, offset: index.value * record };
  if (index.kind !== 'index') throw new TranslationError('a place is the same in all lanes');
  const isBehind = index.constant >= 0;
  const name = isBehind ? index.name : code.index(index);
  const address = code.bind(`${array} + <usize>${name} * ${record}`, 'usize');
  return { address, offset: isBehind ? index.constant * record : 0 };
}

/** Reads and writes records of vectors. */
function openArray(
  code: Code,
  array: string,
  vectors: number,
): {
  read(index: Leaf, from: number, count: number): Leaf[];
  write(index: Leaf, from: number, values: readonly Leaf[]): void;
} {
  return {
    read(index, from, count) {
      const { address, offset } = place(code, array, 16 * vectors, index);
      return Array.from({ length: count }, (_, k) =>
        lanes(code.load(`v128.load(${address}, ${offset + 16 * (from + k)})`)),
      );
    },
    write(index, from, values) {
      const { address, offset } = place(code, array, 16 * vectors, index);
      values.forEach((value, k) => {
        const at = offset + 16 * (from + k);
        const text = code.text(value);
        const kept = code.mask && `v128.bitselect(${text}, v128.load(${address}, ${at}), ${code.mask})`;
        code.lines.push(`v128.store(${address}, ${kept ?? text}, ${at});`);
      });
    },
  };
}

/** The functions of strand.ts on a block of strands. */
function createAccess(code: Code, variant: LaneVariant, description: LaneDescription, layout: SweepLayout): LaneAccess {
  const { nodeFields, headFields, workFields, countVectors, vectorsBefore } = description;
  const slots = variant.damped ? layout.stateSlots.length : layout.ELASTIC_SLOTS;
  const state = openArray(code, 'state', 3 * slots);
  const nodes = openArray(code, 'nodes', countVectors(nodeFields));
  const work = openArray(code, 'work', countVectors(workFields));
  const head = openArray(code, 'head', countVectors(headFields));
  const size = (fields: readonly Field[], name: string): number => fields.find(([field]) => field === name)?.[1] ?? 0;
  const node =
    (name: string) =>
    (_: Code, __: Value, i: Value): Value => {
      const values = nodes.read(leafOf(i), vectorsBefore(nodeFields, name), size(nodeFields, name));
      return values.length === 1 ? values[0] : tuple(values);
    };
  const ofHead = (name: string) => (): Value =>
    tuple(head.read(known(0), vectorsBefore(headFields, name), size(headFields, name)));
  const slotOf = (slot: Value): number => {
    const one = leafOf(slot);
    if (one.kind !== 'known' || one.value >= slots)
      throw new TranslationError('a slot is known, and the variant has it');
    return 3 * one.value;
  };
  const none = (): undefined => undefined;
  const damping = (name: string) => (): Value => (variant.damped ? { kind: 'uniform', name } : known(0));
  return {
    edgeCountOf: () => ({ kind: 'index', name: 'edges', constant: 0 }),
    readState: (_, __, i, slot) => tuple(state.read(leafOf(i), slotOf(slot), 3)),
    writeState: (_, __, i, slot, value) => {
      state.write(leafOf(i), slotOf(slot), itemsOf(value));
      return undefined;
    },
    readGain: (_, __, j) => {
      const part = (name: string): Value =>
        tuple(work.read(leafOf(j), vectorsBefore(workFields, name), size(workFields, name)));
      return { kind: 'struct', fields: new Map(['fromY', 'fromTurn', 'constant'].map((name) => [name, part(name)])) };
    },
    writeGain: (_, __, j, gain) => {
      if (gain.kind !== 'struct') throw new TranslationError('a gain is wanted');
      for (const [name, value] of gain.fields) work.write(leafOf(j), vectorsBefore(workFields, name), itemsOf(value));
      return undefined;
    },
    massOf: node('mass'),
    lengthOf: node('length'),
    restStrainOf: node('strainRest'),
    stiffnessOf: node('stiffness'),
    nodeForceOf: node('force'),
    frameOfRoot: ofHead('frame'),
    frameOfRootBefore: ofHead('frameBefore'),
    rootDisplacementOf: ofHead('displacement'),
    massDampingOf: damping('massDamping'),
    viscosityOf: damping('stiffnessDamping'),
    isViscous: () => flagOf(variant.damped),
    softnessOf: () => known(0),
    edgeTorqueOf: () => zeros(3),
    nodeDragOf: () => zeros(9),
    usesExactHessian: () => flagOf(variant.exact),
    hasFreeRoot: () => flagOf(false),
    loadCountOf: () => known(0),
    keepElimination: none,
  };
}

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
    const field = headFields.find(([one]) => one === name.getText());
    if (!field) throw new TranslationError(`the head has no field for ${name.getText()} of ${entry.from}`);
    return tuple(head.read(known(0), vectorsBefore(headFields, field[0]), field[1]));
  });
}

/** The file kernels/batch/generated.ts. */
export function writeLaneKernels(
  context: LaneContext,
  variants: readonly LaneVariant[],
  description: LaneDescription,
  layout: SweepLayout,
): string {
  const constants = new Map<number, number>();
  const { headFields, countVectors, vectorsBefore } = description;
  const functions = variants.flatMap((variant) =>
    entries.flatMap((entry) => {
      if (variant.exact && entry.name !== 'iterate') return [];
      const code = new Code(variant.type, constants);
      const translator = new LaneTranslator(code, context, createAccess(code, variant, description, layout));
      const result = translator.call(entry.from, readParameters(code, layout, description, entry, context));
      const head = openArray(code, 'head', countVectors(headFields));
      for (const [from, to] of Object.entries(entry.results)) {
        const value = from === '' || result?.kind !== 'struct' ? result : result.fields.get(from);
        if (!value) throw new TranslationError(`${entry.from} does not return ${from}`);
        head.write(known(0), vectorsBefore(headFields, to), flatten(value));
      }
      const parameters = 'state: usize, nodes: usize, head: usize, work: usize, parameters: usize, edges: i32';
      return `export function ${entry.name}${variant.suffix}(${parameters}): void {\n${code.lines.join('\n')}\n}\n`;
    }),
  );
  const table = [...constants.keys()].flatMap((value) => [value, value, value, value]);
  const bytes = {
    LARGEST: 16 * vectorsBefore(headFields, 'largest'),
    PLAIN_RECORD: 48 * layout.ELASTIC_SLOTS,
    DAMPED_RECORD: 48 * layout.stateSlots.length,
  };
  const layouts = Object.entries(bytes).map(([name, value]) => `export const ${name}: usize = ${value};\n`);
  return [...layouts, `const CONSTANTS: usize = memory.data<f32>([${table.join(', ')}], 16);\n`, ...functions].join(
    '\n',
  );
}
