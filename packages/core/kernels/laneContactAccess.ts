/** The functions of src/batch/strand.ts that contact of a block of strands needs, as the translator of sweeps calls them. */
import { itemsOf, leafOf } from './laneAlgebra.ts';
import { type LaneArray, openArray, zeros } from './laneArrays.ts';
import type { LaneDescription } from './laneLayout.ts';
import { transposeRows } from './lanePairs.ts';
import type { LaneAccess } from './laneTranslate.ts';
import { type Code, flatten, known, type Leaf, lanes, tuple, type Value } from './laneValues.ts';
import { TranslationError } from './values.ts';

/** Contacts of a block: records of the edges with obstacles, and behind those of all edges three loads per edge for contact with strands. */
interface ContactRecords {
  /** Contacts of an edge with obstacles. */
  points(): Leaf;
  /** Loads of an edge. */
  readonly loads: Leaf;
  readonly contacts: LaneArray;
  /** Record of contact c of edge j. */
  at(j: Value, c: Value): Leaf;
  readFields(j: Value, c: Value, names: readonly string[]): Map<string, Value>;
  write(j: Value, c: Value, fields: ReadonlyMap<string, Value>): undefined;
}

const obstacleCount: Leaf = { kind: 'index', name: 'obstacleCount', constant: 0 };

const shape = (values: readonly Leaf[]): Value => (values.length === 1 ? values[0] : tuple(values));

/** All functions of strand.ts that only sweeps with contact call. */
export function createContactAccess(code: Code, description: LaneDescription): LaneAccess {
  const records = openContacts(code, description);
  return {
    ...createObstacleAccess(code, description),
    ...createCounts(code, records),
    ...createRecordAccess(code, description, records),
    ...createEliminationAccess(code, description),
  };
}

function openContacts(code: Code, { contactFields, countVectors, vectorsBefore }: LaneDescription): ContactRecords {
  const contacts = openArray(code, 'contacts', countVectors(contactFields));
  const points = (): Leaf => code.multiply(known(2), obstacleCount);
  const loads: Leaf = { kind: 'index', name: 'pairLoads', constant: 0 };
  const at = (j: Value, c: Value): Leaf => {
    const [edge, contact, first] = [leafOf(j), leafOf(c), points()].map((one) => code.index(one));
    const behind = `edges * ${first} + ${edge} * pairLoads + ${contact} - ${first}`;
    const name = code.bind(`${contact} < ${first} ? ${edge} * ${first} + ${contact} : ${behind}`, 'i32');
    return { kind: 'index', name, constant: 0 };
  };
  const readFields = (j: Value, c: Value, names: readonly string[]): Map<string, Value> =>
    new Map(
      contactFields
        .filter(([name]) => names.includes(name))
        .map(([name, vectors]) => [name, shape(contacts.read(at(j, c), vectorsBefore(contactFields, name), vectors))]),
    );
  const write = (j: Value, c: Value, fields: ReadonlyMap<string, Value>): undefined => {
    for (const [name, value] of fields) contacts.write(at(j, c), vectorsBefore(contactFields, name), flatten(value));
  };
  return { points, loads, contacts, at, readFields, write };
}

function fieldsOf(value: Value): ReadonlyMap<string, Value> {
  if (value.kind !== 'struct') throw new TranslationError('an object is wanted');
  return value.fields;
}

/** Obstacles, distance fields, and where strands are. */
function createObstacleAccess(
  code: Code,
  { headFields, nodeFields, obstacleFields, countVectors, vectorsBefore }: LaneDescription,
): LaneAccess {
  const nodes = openArray(code, 'nodes', countVectors(nodeFields));
  const head = openArray(code, 'head', countVectors(headFields));
  const scalar = code.type === 'f32x4' ? 'f32' : 'f64';
  const bytes = code.type === 'f32x4' ? 4 : 8;
  const obstacleBytes = 8 + bytes * countVectors(obstacleFields);
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
    writePlace: (_, __, i, position, way) => {
      const numbers = [...itemsOf(position), ...itemsOf(way)].map((one) => code.text(one));
      code.lines.push(`storePlace(head, nodes, ${code.index(leafOf(i))}, edges, freeRoot, ${numbers.join(', ')});`);
      return undefined;
    },
  };
}

/** Numbers of contacts. */
function createCounts(code: Code, { points, loads }: ContactRecords): LaneAccess {
  return {
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
  };
}

/** Contacts and loads of edges. */
function createRecordAccess(
  code: Code,
  { contactFields, vectorsBefore }: LaneDescription,
  { points, contacts, at, readFields, write }: ContactRecords,
): LaneAccess {
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
    // only steps without a search need it
    keepCompliance: () => undefined,
    // a load has the weight of its place where a contact has the point at which it closes
    writeWeight: (_, __, j, k, compliance, crowd) => {
      const values = [compliance, crowd].map(leafOf);
      contacts.write(at(j, code.add(points(), leafOf(k))), vectorsBefore(contactFields, 'closing'), values);
      return undefined;
    },
  };
}

/** What the elimination of an edge leaves to the law of contact. */
function createEliminationAccess(code: Code, { workFields, countVectors, vectorsBefore }: LaneDescription): LaneAccess {
  const work = openArray(code, 'work', countVectors(workFields));
  return {
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
