/**
 * Reads binary USD: crates (.usdc), and the crate or text in a package (.usdz). The result is what the text form gives (usda.ts), so that everything above
 * it is the same.
 *
 * A crate has tables of words, fields (a word and a value), sets of fields, paths, and specs (which path has which set). Versions 0.4 to 0.13 are read.
 */
import { viewOf } from '../bytes.ts';
import { InputError } from '../errors.ts';
import { CompressionError, decompress, decompressIntegers } from './lz4.ts';
import type { UsdAttribute, UsdDictionary, UsdLayer, UsdPrim, UsdValue } from './usda.ts';
import { CrateError, type CrateReader, createCrateReader } from './usdcValues.ts';

/** True if the bytes are a crate. */
export function isCrate(bytes: Uint8Array): boolean {
  return String.fromCharCode(...bytes.subarray(0, 8)) === 'PXR-USDC';
}

/** Reads a crate. Throws InputError. */
export function parseUsdc(bytes: Uint8Array, source: string): UsdLayer {
  try {
    return readCrate(bytes);
  } catch (error) {
    if (!(error instanceof CrateError || error instanceof CompressionError || error instanceof RangeError)) throw error;
    throw new InputError(source, `this .usdc file is damaged or truncated: ${error.message}`);
  }
}

/** Kinds of specs. */
const kinds = { attribute: 1, prim: 6, root: 7, relationship: 8 } as const;

interface Spec {
  readonly kind: number;
  readonly fields: ReadonlyMap<string, bigint>;
}

function readCrate(bytes: Uint8Array): UsdLayer {
  const [major, minor] = [bytes[8], bytes[9]];
  if (major !== 0 || minor < 4)
    throw new CrateError(
      `its version ${major}.${minor} is not read; usdcat file.usdc -o new.usdc writes the current one`,
    );
  const sections = readSections(bytes);
  const section = (name: string): Uint8Array => {
    const found = sections.get(name);
    if (!found) throw new CrateError(`it has no section ${name}`);
    return found;
  };
  const tokens = readTokens(section('TOKENS'));
  const paths = readPaths(section('PATHS'), tokens);
  const reader = createCrateReader(bytes, { tokens, texts: readTexts(section('STRINGS')), paths, version: minor });
  const specs = readSpecs(section, tokens, paths);
  return buildLayer(specs, reader);
}

function readSections(bytes: Uint8Array): Map<string, Uint8Array> {
  const view = viewOf(bytes);
  let at = Number(view.getBigUint64(16, true));
  if (at + 8 > bytes.length) throw new CrateError('its table of contents lies beyond the end');
  const count = Number(view.getBigUint64(at, true));
  if (at + 8 + 32 * count > bytes.length) throw new CrateError('its table of contents goes beyond the end');
  const out = new Map<string, Uint8Array>();
  at += 8;
  for (let k = 0; k < count; k++, at += 32) {
    const name = String.fromCharCode(...bytes.subarray(at, at + 16)).replace(/\0.*$/s, '');
    const start = Number(view.getBigUint64(at + 16, true));
    const size = Number(view.getBigUint64(at + 24, true));
    if (start + size > bytes.length) throw new CrateError(`its section ${name} goes beyond the end`);
    out.set(name, bytes.subarray(start, start + size));
  }
  return out;
}

/** Reads counts and compressed parts of a table, one after the other. */
function createTable(section: Uint8Array): {
  count(): number;
  integers(count: number): Int32Array;
  bytes(size: number): Uint8Array;
} {
  const view = viewOf(section);
  let at = 0;
  const count = (): number => {
    at += 8;
    const value = Number(view.getBigUint64(at - 8, true));
    // compression makes at most 1020 integers of a byte
    if (value > 1020 * section.length + 64) throw new CrateError(`a table announces ${value} entries`);
    return value;
  };
  const part = (): Uint8Array => {
    const size = count();
    if (at + size > section.length) throw new CrateError('a table goes beyond its end');
    at += size;
    return section.subarray(at - size, at);
  };
  return {
    count,
    integers: (entries) => decompressIntegers(part(), entries),
    bytes: (size) => decompress(part(), size),
  };
}

function readTokens(section: Uint8Array): string[] {
  const table = createTable(section);
  const count = table.count();
  const text = table.bytes(table.count());
  const words = new TextDecoder().decode(text).split('\0');
  if (words.length < count) throw new CrateError(`it announces ${count} words and has ${words.length}`);
  return words.slice(0, count);
}

function readTexts(section: Uint8Array): Uint32Array {
  const view = viewOf(section);
  const count = Number(view.getBigUint64(0, true));
  if (8 + 4 * count > section.length) throw new CrateError('its table of texts goes beyond its end');
  return Uint32Array.from({ length: count }, (_, k) => view.getUint32(8 + 4 * k, true));
}

/** Paths by number. A jump says what follows an entry: −2 nothing, −1 a child, 0 a sibling, more: a child, and the sibling so far ahead. */
function readPaths(section: Uint8Array, tokens: readonly string[]): string[] {
  const table = createTable(section);
  const count = table.count();
  table.count();
  const [index, word, jump] = [table.integers(count), table.integers(count), table.integers(count)];
  const out = new Array<string>(count).fill('');
  const open: { readonly at: number; readonly parent: string }[] = [{ at: 0, parent: '' }];
  let visited = 0;
  for (let next = open.pop(); next; next = open.pop()) {
    let { at, parent } = next;
    for (;;) {
      if (at >= count || ++visited > count) throw new CrateError('its table of paths is not a tree');
      const name = tokens[Math.abs(word[at])] ?? '';
      const path = at === 0 ? '/' : word[at] < 0 ? `${parent}.${name}` : `${parent === '/' ? '' : parent}/${name}`;
      out[index[at]] = path;
      const step = jump[at];
      if (step > 0) open.push({ at: at + step, parent });
      if (step === -2) break;
      if (step !== 0) parent = path;
      at++;
    }
  }
  return out;
}

/** What each path has, by path. */
function readSpecs(
  section: (name: string) => Uint8Array,
  tokens: readonly string[],
  paths: readonly string[],
): Map<string, Spec> {
  const fieldTable = createTable(section('FIELDS'));
  const fieldCount = fieldTable.count();
  const fieldNames = fieldTable.integers(fieldCount);
  const words = viewOf(fieldTable.bytes(8 * fieldCount));
  const setTable = createTable(section('FIELDSETS'));
  const sets = setTable.integers(setTable.count());
  const table = createTable(section('SPECS'));
  const count = table.count();
  const [path, set, kind] = [table.integers(count), table.integers(count), table.integers(count)];
  const out = new Map<string, Spec>();
  for (let k = 0; k < count; k++) {
    const fields = new Map<string, bigint>();
    for (let f = set[k]; f < sets.length && sets[f] >= 0; f++)
      fields.set(tokens[fieldNames[sets[f]]] ?? '', words.getBigUint64(8 * sets[f], true));
    out.set(paths[path[k]] ?? '', { kind: kind[k], fields });
  }
  return out;
}

/** Fields that composition follows and this reader does not, and the words of the text form for them. */
const composition: Readonly<Record<string, string>> = {
  references: 'references',
  payload: 'payload',
  inheritPaths: 'inherits',
  specializes: 'specializes',
  subLayers: 'subLayers',
  variantSetNames: 'variants',
};

function buildLayer(specs: ReadonlyMap<string, Spec>, reader: CrateReader): UsdLayer {
  const ignored = new Set<string>();
  const root = specs.get('/');
  if (!root) throw new CrateError('it has no root');
  const members = groupProperties(specs);
  const metadataOf = ({ fields }: Spec): UsdDictionary => {
    const out: Record<string, UsdValue> = {};
    for (const [name, word] of fields) {
      if (Object.hasOwn(composition, name)) ignored.add(composition[name]);
      else if (!structural.has(name) && name !== '__proto__') out[name] = reader.value(word);
    }
    return out;
  };
  const attributeOf = (spec: Spec): UsdAttribute => {
    const { fields } = spec;
    const [typeName, value, samples] = ['typeName', 'default', 'timeSamples'].map((name) => fields.get(name));
    return {
      type: typeName === undefined ? '' : String(reader.value(typeName) ?? ''),
      ...(value !== undefined && { value: reader.value(value) }),
      ...(samples !== undefined && { samples: reader.samples(samples) }),
      metadata: metadataOf(spec),
    };
  };
  const primOf = (path: string, name: string, spec: Spec, depth: number): UsdPrim => {
    if (depth > 200) throw new CrateError('prims are nested too deeply');
    const word = (field: string, fallback: string): string => {
      const rep = spec.fields.get(field);
      return rep === undefined ? fallback : String(reader.value(rep) ?? fallback);
    };
    const attributes = new Map<string, UsdAttribute>();
    const relations = new Map<string, readonly string[]>();
    for (const [own, member] of members.get(path) ?? []) {
      if (member.kind === kinds.attribute) attributes.set(own, attributeOf(member));
      else relations.set(own, reader.targets(member.fields.get('targetPaths') ?? 0n));
    }
    return {
      specifier: word('specifier', 'over'),
      type: word('typeName', ''),
      name,
      metadata: metadataOf(spec),
      attributes,
      relations,
      children: childrenOf(path, spec, depth + 1),
    };
  };
  const childrenOf = (path: string, spec: Spec, depth: number): UsdPrim[] => {
    const rep = spec.fields.get('primChildren');
    const names = rep === undefined ? [] : reader.value(rep);
    if (!Array.isArray(names)) return [];
    return (names as readonly string[]).flatMap((name) => {
      const child = `${path === '/' ? '' : path}/${name}`;
      const found = specs.get(child);
      return found?.kind === kinds.prim ? [primOf(child, name, found, depth)] : [];
    });
  };
  return { metadata: metadataOf(root), prims: childrenOf('/', root, 0), ignored };
}

/** Fields that are read by themselves. */
const structural: ReadonlySet<string> = new Set([
  'specifier',
  'typeName',
  'default',
  'timeSamples',
  'targetPaths',
  'primChildren',
  'properties',
]);

/** Attributes and relationships of each prim, by its path and their names. */
function groupProperties(specs: ReadonlyMap<string, Spec>): Map<string, [string, Spec][]> {
  const out = new Map<string, [string, Spec][]>();
  for (const [path, spec] of specs) {
    if (spec.kind !== kinds.attribute && spec.kind !== kinds.relationship) continue;
    const dot = path.indexOf('.');
    if (dot < 0) continue;
    const prim = path.slice(0, dot);
    const list = out.get(prim);
    if (list) list.push([path.slice(dot + 1), spec]);
    else out.set(prim, [[path.slice(dot + 1), spec]]);
  }
  return out;
}
