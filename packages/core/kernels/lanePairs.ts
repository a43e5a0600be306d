/**
 * Kernels of contact between strands: four pairs of edges in the lanes of a vector. A pair has a place in a record of `pairFields`; the numbers of its
 * nodes are rows of 32 bytes: position and contact radius, displacement and the bits of what an edge is (`EDGE` in src/batch/simd/description.ts).
 */
import { type LaneContext, LaneTranslator } from './laneTranslate.ts';
import { Code, flatten, known, type Leaf, lanes, tuple, type Value } from './laneValues.ts';
import { TranslationError } from './values.ts';

type Field = readonly [name: string, vectors: number];

export interface PairDescription {
  readonly pairFields: readonly Field[];
  readonly EDGE: Readonly<Record<'isContinuedBefore' | 'isContinuedBehind' | 'isRoot', number>>;
  readonly countVectors: (fields: readonly Field[]) => number;
  readonly vectorsBefore: (fields: readonly Field[], name: string) => number;
}

/** Four rows of memory as four vectors: the first numbers of all, the second ones, and so on. */
export function transposeRows(code: Code, rows: readonly string[]): string[] {
  const shuffle = (x: string, y: string, ...order: number[]): string =>
    code.bind(`i32x4.shuffle(${x}, ${y}, ${order.join(', ')})`);
  const [a, b, c, d] = rows;
  const [low, high] = [shuffle(a, b, 0, 4, 1, 5), shuffle(a, b, 2, 6, 3, 7)];
  const [otherLow, otherHigh] = [shuffle(c, d, 0, 4, 1, 5), shuffle(c, d, 2, 6, 3, 7)];
  return [
    shuffle(low, otherLow, 0, 1, 4, 5),
    shuffle(low, otherLow, 2, 3, 6, 7),
    shuffle(high, otherHigh, 0, 1, 4, 5),
    shuffle(high, otherHigh, 2, 3, 6, 7),
  ];
}

const ROW_BYTES = 32;
const struct = (fields: Readonly<Record<string, Value>>): Value => ({
  kind: 'struct',
  fields: new Map(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))),
});

/** Reads pairs of the record at `block` for one kernel. */
class PairReader {
  private readonly code: Code;
  private readonly description: PairDescription;

  constructor(code: Code, description: PairDescription) {
    this.code = code;
    this.description = description;
  }

  private offset(name: string): number {
    return 16 * this.description.vectorsBefore(this.description.pairFields, name);
  }

  /** A field of the record: a number or a vector. */
  field(name: string): Value {
    const count = this.description.pairFields.find(([field]) => field === name)?.[1] ?? 0;
    const items = Array.from({ length: count }, (_, k) =>
      lanes(this.code.load(`v128.load(block, ${this.offset(name) + 16 * k})`)),
    );
    return count === 1 ? items[0] : tuple(items);
  }

  /** Half a row (0: position, 1: displacement) of the node that follows the first of an edge by `node`. */
  private half(side: 'low' | 'high', node: number, half: 0 | 1): string[] {
    const { code } = this;
    const places = code.bind(`v128.load(block, ${this.offset(side)})`);
    const rows = [0, 1, 2, 3].map((lane) => {
      const address = code.bind(`rows + (<usize>i32x4.extract_lane(${places}, ${lane}) << 5)`, 'usize');
      return code.bind(`v128.load(${address}, ${ROW_BYTES * node + 16 * half})`);
    });
    return transposeRows(code, rows);
  }

  private vector(side: 'low' | 'high', node: number, half: 0 | 1): Value {
    return tuple(
      this.half(side, node, half)
        .slice(0, 3)
        .map((name) => lanes(name)),
    );
  }

  /** A PairEdge. */
  edge(side: 'low' | 'high'): Value {
    const { code } = this;
    const bits = this.half(side, 0, 1)[3];
    const flag = (name: keyof PairDescription['EDGE']): Value => ({
      kind: 'flag',
      of: 'each',
      name: code.bind(`i32x4.ne(v128.and(${bits}, i32x4.splat(${this.description.EDGE[name]})), i32x4.splat(0))`),
    });
    return struct({
      first: this.vector(side, 0, 0),
      second: this.vector(side, 1, 0),
      next: this.vector(side, 2, 0),
      wayOfFirst: this.vector(side, 0, 1),
      wayOfSecond: this.vector(side, 1, 1),
      radius: lanes(this.half(side, 0, 0)[3]),
      isContinuedBefore: flag('isContinuedBefore'),
      isContinuedBehind: flag('isContinuedBehind'),
      isRoot: flag('isRoot'),
    });
  }

  /** A ListedSide. */
  side(side: 'low' | 'high'): Value {
    return struct({
      first: this.vector(side, 0, 1),
      second: this.vector(side, 1, 1),
      part: this.field(side === 'low' ? 'partLow' : 'partHigh'),
      input: this.field(side === 'low' ? 'inputLow' : 'inputHigh'),
    });
  }

  /** A ListedContact. */
  contact(): Value {
    const zero = tuple([known(0), known(0), known(0)]);
    const contact = struct({
      ...Object.fromEntries(
        ['active', 'normal', 'closing', 'force', 'stiffness', 'friction'].map((name) => [name, this.field(name)]),
      ),
      part: this.field('partLow'),
      push: zero,
      tangentStiffness: known(0),
    });
    return struct({ contact, both: this.field('both') });
  }

  write(name: string, value: Value): void {
    flatten(value).forEach((leaf: Leaf, k) => {
      this.code.lines.push(`v128.store(block, ${this.code.text(leaf)}, ${this.offset(name) + 16 * k});`);
    });
  }
}

/** A part of a result, by the names on the way to it. */
function partOf(value: Value | undefined, path: readonly string[]): Value {
  const [first, ...rest] = path;
  if (!value || first === undefined) return value ?? known(0);
  const found = value.kind === 'struct' ? value.fields.get(first) : undefined;
  if (!found) throw new TranslationError(`a result has no ${first}`);
  return partOf(found, rest);
}

/** A function of src/batch/pairList.ts as a kernel, and where the parts of its result go. */
interface PairEntry {
  readonly name: string;
  readonly from: string;
  readonly values: (reader: PairReader) => Value[];
  readonly results: Readonly<Record<string, string>>;
}

const sides = (reader: PairReader): Value[] => [reader.contact(), reader.side('low'), reader.side('high')];
const entries: readonly PairEntry[] = [
  {
    name: 'meetPairs',
    from: 'meetListed',
    values: (reader) => [reader.edge('low'), reader.edge('high')],
    results: {
      near: 'meeting.near',
      gap: 'meeting.gap',
      end: 'meeting.end',
      normal: 'meeting.normal',
      partLow: 'meeting.parts.low',
      partHigh: 'meeting.parts.high',
      closing: 'closing',
      sum: 'sum',
    },
  },
  { name: 'startPairs', from: 'startListed', values: sides, results: { inputLow: 'low', inputHigh: 'high' } },
  {
    name: 'pressPairs',
    from: 'pressListed',
    values: sides,
    results: { force: 'force', pushLow: 'pushLow', pushHigh: 'pushHigh' },
  },
  {
    name: 'comparePairs',
    from: 'compareListed',
    values: sides,
    results: { errorLow: 'low', errorHigh: 'high', change: 'change' },
  },
  { name: 'measurePairs', from: 'depthOfListed', values: sides, results: { near: '' } },
];

/** Functions of AssemblyScript. */
export function writePairKernels(
  context: LaneContext,
  description: PairDescription,
  constants: Map<number, number>,
): string[] {
  const { pairFields, countVectors, vectorsBefore } = description;
  const functions = entries.map(({ name, from, values, results }) => {
    const code = new Code('f32x4', constants);
    const reader = new PairReader(code, description);
    const result = new LaneTranslator(code, context, {}).call(from, values(reader));
    for (const [to, path] of Object.entries(results))
      reader.write(to, partOf(result, path === '' ? [] : path.split('.')));
    return `export function ${name}(block: usize, rows: usize): void {\n${code.lines.join('\n')}\n}\n`;
  });
  const offsets = pairFields.map(
    ([name]) => `export const PAIR_${name.toUpperCase()}: usize = ${16 * vectorsBefore(pairFields, name)};\n`,
  );
  const share = context.constants.get('PAIR_SHARE');
  if (share === undefined) throw new TranslationError('PAIR_SHARE is not known');
  return [
    ...offsets,
    `export const PAIR_SHARE: f32 = ${share};\n`,
    `export const PAIR_RECORD: usize = ${16 * countVectors(pairFields)};\n`,
    ...functions,
  ];
}
