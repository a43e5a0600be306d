/**
 * The kernels of the SIMD target: which sweeps of src/batch are translated, in which variants, and how they reach a block of strands in
 * memory. A kernel has the parameters `state`, `nodes`, `head`, `work`, `parameters` (addresses) and `edges`; layouts are those of
 * src/batch/simd/description.ts.
 */
import { itemsOf, leafOf } from './laneAlgebra.ts';
import { type PairDescription, transposeRows, writePairKernels } from './lanePairs.ts';
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
export interface LaneDescription extends PairDescription {
  readonly headFields: readonly Field[];
  readonly nodeFields: readonly Field[];
  readonly workFields: readonly Field[];
  readonly contactFields: readonly Field[];
  readonly obstacleFields: readonly Field[];
  readonly parameterFields: readonly string[];
  readonly parameterIntegers: readonly string[];
}
export interface SweepLayout {
  readonly stageFields: readonly string[];
  readonly stateSlots: readonly unknown[];
  readonly ELASTIC_SLOTS: number;
  readonly MOST_ITERATIONS: number;
}
/** src/batch/mixingNumbers.ts. */
export interface MixingNumbers {
  readonly MIXING_NUMBERS: number;
  readonly MIXING_WINDOW: number;
  readonly MIXING_RELAXATION: number;
}

/** A variant of the sweeps. `damped`: with damping of nodes and joints; `exact`: only Newton's iteration with the exact Hessian of joints. */
export interface LaneVariant {
  readonly suffix: string;
  readonly type: LaneType;
  readonly damped: boolean;
  readonly exact: boolean;
  /** With obstacles; sweeps then change the lanes of the head's mask only. */
  readonly contact: boolean;
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
        const text = value.kind === 'flag' ? code.maskText(value) : code.text(value);
        const kept = code.mask && `v128.bitselect(${text}, v128.load(${address}, ${at}), ${code.mask})`;
        code.lines.push(`v128.store(${address}, ${kept ?? text}, ${at});`);
      });
    },
  };
}

/** The functions of strand.ts on a block of strands. */
function createAccess(
  code: Code,
  variant: LaneVariant & Pick<LaneEntry, 'mayBeFree'>,
  description: LaneDescription,
  layout: SweepLayout,
): LaneAccess {
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
    softnessOf: node('softness'),
    edgeTorqueOf: () => zeros(3),
    nodeDragOf: () => zeros(9),
    // strands in air take the variant with damping
    hasAir: () =>
      variant.damped ? { kind: 'flag', of: 'all', name: code.bind('airFactor != 0', 'bool') } : flagOf(false),
    windOf: () => tuple(['windX', 'windY', 'windZ'].map((name): Leaf => ({ kind: 'uniform', name }))),
    airOf: (_, __, j) => {
      const drag = nodes.read(leafOf(j), vectorsBefore(nodeFields, 'air'), 4);
      const names = ['normal', 'tangential', 'normalBySpeed', 'tangentialBySpeed'];
      const scaled = drag.map((one) => code.multiply({ kind: 'uniform', name: 'airFactor' }, one));
      return { kind: 'struct', fields: new Map(names.map((name, k): [string, Value] => [name, scaled[k]])) };
    },
    usesExactHessian: () => flagOf(variant.exact),
    // free strands among obstacles are moved elsewhere
    hasFreeRoot: () =>
      variant.contact && !variant.mayBeFree
        ? flagOf(false)
        : { kind: 'flag', of: 'all', name: code.bind('freeRoot != 0', 'bool') },
    ...(variant.contact
      ? createContactAccess(code, description)
      : { loadCountOf: () => known(0), keepElimination: none }),
  };
}

/** The functions of strand.ts that contact with obstacles needs. */
function createContactAccess(code: Code, description: LaneDescription): LaneAccess {
  const { headFields, contactFields, obstacleFields, workFields, nodeFields, countVectors, vectorsBefore } =
    description;
  const contacts = openArray(code, 'contacts', countVectors(contactFields));
  const work = openArray(code, 'work', countVectors(workFields));
  const nodes = openArray(code, 'nodes', countVectors(nodeFields));
  const head = openArray(code, 'head', countVectors(headFields));
  const obstacleCount: Leaf = { kind: 'index', name: 'obstacleCount', constant: 0 };
  // of an edge, with obstacles; three loads for contact with strands are behind those of all edges
  const points = (): Leaf => code.multiply(known(2), obstacleCount);
  const loads: Leaf = { kind: 'index', name: 'pairLoads', constant: 0 };
  const at = (j: Value, c: Value): Leaf => {
    const [edge, contact, first] = [leafOf(j), leafOf(c), points()].map((one) => code.index(one));
    const behind = `edges * ${first} + ${edge} * pairLoads + ${contact} - ${first}`;
    const name = code.bind(`${contact} < ${first} ? ${edge} * ${first} + ${contact} : ${behind}`, 'i32');
    return { kind: 'index', name, constant: 0 };
  };
  const shape = (values: readonly Leaf[]): Value => (values.length === 1 ? values[0] : tuple(values));
  const readFields = (j: Value, c: Value, names: readonly string[]): Map<string, Value> =>
    new Map(
      contactFields
        .filter(([name]) => names.includes(name))
        .map(([name, vectors]) => [name, shape(contacts.read(at(j, c), vectorsBefore(contactFields, name), vectors))]),
    );
  const write = (j: Value, c: Value, fields: ReadonlyMap<string, Value>): undefined => {
    for (const [name, value] of fields) contacts.write(at(j, c), vectorsBefore(contactFields, name), flatten(value));
  };
  const fieldsOf = (value: Value): ReadonlyMap<string, Value> => {
    if (value.kind !== 'struct') throw new TranslationError('an object is wanted');
    return value.fields;
  };
  const scalar = code.type === 'f32x4' ? 'f32' : 'f64';
  const bytes = code.type === 'f32x4' ? 4 : 8;
  const obstacleBytes = 8 + bytes * countVectors(obstacleFields);
  const isPushed = (_: Code, __: Value, j: Value, c: Value): Value => {
    const active = contacts.read(at(j, c), vectorsBefore(contactFields, 'active'), 1)[0];
    return {
      kind: 'flag',
      of: 'each',
      name: code.bind(`${code.type}.ne(${code.text(active)}, ${code.type}.splat(0))`),
    };
  };
  const pointOf = (_: Code, __: Value, j: Value, c: Value): Value => {
    const fields = readFields(j, c, ['part', 'push', 'normal', 'stiffness', 'tangentStiffness']);
    fields.set('force', fields.get('push') as Value);
    fields.set('arm', zeros(3));
    return { kind: 'struct', fields };
  };
  return {
    obstacleCountOf: () => obstacleCount,
    obstacleOf: (_, __, k) => {
      const address = code.bind(`obstacles + <usize>${code.index(leafOf(k))} * ${obstacleBytes}`, 'usize');
      const number = (place: number): Leaf => ({
        kind: 'uniform',
        name: code.bind(`load<${scalar}>(${address}, ${8 + bytes * place})`, scalar),
      });
      const kind: Leaf = { kind: 'index', name: code.bind(`load<i32>(${address})`, 'i32'), constant: 0 };
      const fields = obstacleFields.map(([name, count]): [string, Value] => {
        const from = vectorsBefore(obstacleFields, name);
        return [name, shape(Array.from({ length: count }, (_one, n) => number(from + n)))];
      });
      const start: Leaf = { kind: 'index', name: code.bind(`load<i32>(${address}, 4)`, 'i32'), constant: 0 };
      return { kind: 'struct', fields: new Map<string, Value>([['kind', kind], ['start', start], ...fields]) };
    },
    readField: (_, __, start, row) => readFieldRows(code, leafOf(start), leafOf(row)),
    sparedEdgesOf: (_, __, k) => {
      const address = code.bind(`head + (<usize>${code.index(leafOf(k))} << 4)`, 'usize');
      return lanes(code.bind(`v128.load(${address}, ${16 * countVectors(headFields)})`));
    },
    radiusOf: (_, __, j) => nodes.read(leafOf(j), vectorsBefore(nodeFields, 'radius'), 1)[0],
    rootPositionOf: () => {
      const [position, moved] = ['position', 'displacement'].map((name) =>
        head.read(known(0), vectorsBefore(headFields, name), 3),
      );
      return tuple(position.map((x, k) => code.subtract(x, moved[k])));
    },
    hasPairs: () => ({ kind: 'flag', of: 'all', name: code.bind('pairLoads != 0', 'bool') }),
    firstPairOf: points,
    pointCountOf: () => code.add(points(), loads),
    loadCountOf: () => code.add(points(), loads),
    activeCountOf: (_, __, j, inside) => {
      const flag = leafOf(inside);
      if (flag.kind !== 'flag' || flag.of !== 'build') throw new TranslationError('the build knows which to count');
      return lanes(
        code.load(`countContacts(contacts, ${code.index(leafOf(j))}, edges, obstacleCount, pairLoads, ${flag.value})`),
      );
    },
    writePlace: (_, __, i, position, way) => {
      const numbers = [...itemsOf(position), ...itemsOf(way)].map((one) => code.text(one));
      code.lines.push(`storePlace(head, nodes, ${code.index(leafOf(i))}, edges, freeRoot, ${numbers.join(', ')});`);
      return undefined;
    },
    isPushed,
    isLoaded: isPushed,
    pointOf,
    loadOf: pointOf,
    readContact: (_, __, j, c) => ({
      kind: 'struct',
      fields: readFields(
        j,
        c,
        contactFields.map(([name]) => name),
      ),
    }),
    writeContact: (_, __, j, c, contact) => write(j, c, fieldsOf(contact)),
    writeForces: (_, __, j, c, forces) => write(j, c, fieldsOf(forces)),
    writeStiffness: (_, __, j, c, stiffness) => write(j, c, new Map([['stiffness', stiffness]])),
    clearContact: (_, __, j, c) => write(j, c, new Map([['active', known(0)]])),
    // a load has the weight of its place where a contact has the point at which it closes
    writeWeight: (_, __, j, k, compliance, crowd) => {
      const values = [compliance, crowd].map(leafOf);
      contacts.write(at(j, code.add(points(), leafOf(k))), vectorsBefore(contactFields, 'closing'), values);
      return undefined;
    },
    keepElimination: (_, __, j, step) => {
      const inverse = fieldsOf(step).get('inverse');
      if (!inverse) throw new TranslationError('an elimination is wanted');
      const entries = itemsOf(inverse);
      work.write(
        leafOf(j),
        vectorsBefore(workFields, 'inverse'),
        [0, 1, 2, 4, 5, 8].map((k) => entries[k]),
      );
      return undefined;
    },
    inverseOf: (_, __, j) => {
      const [xx, xy, xz, yy, yz, zz] = work.read(leafOf(j), vectorsBefore(workFields, 'inverse'), 6);
      return tuple([xx, xy, xz, xy, yy, yz, xz, yz, zz]);
    },
  };
}

/** A row of a distance field per lane: `start` is the number of the first row in memory, in rows of 16 bytes, which are transposed. */
function readFieldRows(code: Code, start: Leaf, row: Leaf): Value {
  if (code.type !== 'f32x4') throw new TranslationError('distance fields are in single precision');
  const places = code.bind(`i32x4.add(i32x4.trunc_sat_f32x4_s(${code.text(row)}), i32x4.splat(${code.index(start)}))`);
  const [a, b, c, d] = [0, 1, 2, 3].map((lane) =>
    code.bind(`v128.load(<usize>i32x4.extract_lane(${places}, ${lane}) << 4)`),
  );
  const [value, x, y, z] = transposeRows(code, [a, b, c, d]).map((name) => lanes(name));
  const fields: [string, Value][] = [
    ['normal', tuple([x, y, z])],
    ['value', value],
  ];
  return { kind: 'struct', fields: new Map(fields) };
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
        ]),
      };
    if (written === 'number') return { kind: 'uniform', name: name.getText() };
    if (written === 'boolean') return { kind: 'flag', of: 'all', name: code.bind(`${name.getText()} != 0`, 'bool') };
    if (written === 'Quaternion') return tuple(head.read(known(0), vectorsBefore(headFields, 'tip'), 4));
    throw new TranslationError(`parameter ${name.getText()} of ${entry.from} is not understood`);
  });
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
  const { headFields, countVectors, vectorsBefore } = description;
  const functions = variants.flatMap((variant) =>
    entriesOf(variant).map((entry) => {
      const code = new Code(variant.type, constants);
      const translator = new LaneTranslator(
        code,
        context,
        createAccess(code, { ...variant, ...entry }, description, layout),
      );
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
    }),
  );
  const pairFunctions = writePairKernels(context, description, constants);
  const table = [...constants.keys()].flatMap((value) => [value, value, value, value]);
  const names = headFields.map(([name]) => [`HEAD_${name.toUpperCase()}`, 16 * vectorsBefore(headFields, name)]);
  const bytes = {
    ...Object.fromEntries(names),
    CONTACT_RECORD: 16 * countVectors(description.contactFields),
    NODE_RECORD: 16 * countVectors(description.nodeFields),
    NODE_PAIRRADIUS: 16 * vectorsBefore(description.nodeFields, 'pairRadius'),
    ...Object.fromEntries(
      description.contactFields.map(([name]) => [
        `CONTACT_${name.toUpperCase()}`,
        16 * vectorsBefore(description.contactFields, name),
      ]),
    ),
    FIRST_INTEGER: 4 * (layout.stageFields.length + description.parameterFields.length),
    PLAIN_RECORD: 48 * layout.ELASTIC_SLOTS,
    DAMPED_RECORD: 48 * layout.stateSlots.length,
  };
  const layouts = Object.entries(bytes).map(([name, value]) => `export const ${name}: usize = ${value};\n`);
  const limits = [
    `export const MOST_ITERATIONS: i32 = ${layout.MOST_ITERATIONS};\n`,
    `export const MIXING_NUMBERS: usize = ${mixing.MIXING_NUMBERS};\n`,
    `export const MIXING_WINDOW: i32 = ${mixing.MIXING_WINDOW};\n`,
    `export const MIXING_RELAXATION: f64 = ${mixing.MIXING_RELAXATION};\n`,
  ];
  const bits = Object.entries(description.EDGE).map(
    ([name, bit]) => `export const EDGE_${name.toUpperCase()}: i32 = ${bit};\n`,
  );
  return [
    "import { countContacts, storePlace } from './rows';\n",
    ...layouts,
    ...bits,
    ...limits,
    `const CONSTANTS: usize = memory.data<f32>([${table.join(', ')}], 16);\n`,
    ...functions,
    ...pairFunctions,
  ].join('\n');
}
