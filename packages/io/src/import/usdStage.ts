/** A USD file as a stage: its prims by path, values of attributes at a time or at the nth sample, transforms, unit and axes. */
import { cos, sin } from '@tendril-sim/core/math';
import type { UpAxis } from './curves.ts';
import { decodeText } from './text.ts';
import {
  compose,
  fromMatrix,
  fromQuaternion,
  identity,
  invert,
  normalizeQuaternion,
  type Transform,
} from './transform.ts';
import { parseUsda, type UsdAttribute, type UsdLayer, type UsdPrim, type UsdValue } from './usda.ts';
import { isCrate, parseUsdc } from './usdc.ts';
import { isZip, openPackage } from './usdz.ts';

/** A prim, its path and the prims above it, outermost first. */
export interface UsdPlace {
  readonly prim: UsdPrim;
  readonly path: string;
  readonly above: readonly UsdPrim[];
}

export interface UsdStage {
  readonly source: string;
  /** All prims that are not classes, parents before their children. */
  readonly places: readonly UsdPlace[];
  readonly byPath: ReadonlyMap<string, UsdPlace>;
  /** Metres per unit. */
  readonly unit: number;
  readonly up: UpAxis;
  readonly timeCodesPerSecond: number;
  /** Warnings; readers add their own. */
  readonly warnings: Set<string>;
}

/** Picks the value of an attribute: at a time, or a sample by its number. */
export type Sampler = (attribute: UsdAttribute | undefined) => UsdValue;

export function isUsd(bytes: Uint8Array, source: string): boolean {
  return /\.usd[acz]?$/i.test(source) || isCrate(bytes) || String.fromCharCode(...bytes.subarray(0, 6)) === '#usda ';
}

/** Reads a layer by its content: text, a crate, or a package with one of them. */
function parseUsd(bytes: Uint8Array, source: string): UsdLayer {
  if (isCrate(bytes)) return parseUsdc(bytes, source);
  if (!isZip(bytes)) return parseUsda(decodeText(bytes, source, 'a USD file'), source);
  const inner = openPackage(bytes, source);
  const name = `${source}/${inner.name}`;
  return isCrate(inner.bytes) ? parseUsdc(inner.bytes, name) : parseUsda(decodeText(inner.bytes, name, 'USD'), name);
}

/** Opens a USD file: .usda, .usdc, .usd or .usdz. Throws InputError. */
export function openUsd(bytes: Uint8Array, source: string): UsdStage {
  const layer = parseUsd(bytes, source);
  const places: UsdPlace[] = [];
  const visit = (prim: UsdPrim, parent: UsdPlace | undefined): void => {
    if (prim.specifier === 'class') return;
    const path = `${parent?.path ?? ''}/${prim.name}`;
    const place = { prim, path, above: parent ? [...parent.above, parent.prim] : [] };
    places.push(place);
    for (const child of prim.children) visit(child, place);
  };
  for (const prim of layer.prims) visit(prim, undefined);
  const warnings = new Set<string>();
  if (layer.ignored.size > 0)
    warnings.add(
      `${[...layer.ignored].sort().join(', ')} in it are not followed; flatten the file first: usdcat --flatten`,
    );
  const { metersPerUnit, upAxis, timeCodesPerSecond, framesPerSecond } = layer.metadata;
  // USD's defaults for files that do not specify them
  if (metersPerUnit === undefined)
    warnings.add('the file does not say metersPerUnit: centimetres are assumed, as USD does');
  return {
    source,
    places,
    byPath: new Map(places.map((place) => [place.path, place])),
    unit: positive(metersPerUnit) ?? 0.01,
    up: upAxis === 'Z' ? 'z' : 'y',
    timeCodesPerSecond: positive(timeCodesPerSecond) ?? positive(framesPerSecond) ?? 24,
    warnings,
  };
}

function positive(value: UsdValue): number | undefined {
  return typeof value === 'number' && value > 0 && Number.isFinite(value) ? value : undefined;
}

/** The nth sample where there are samples, else the value. */
export function atSample(frame: number): Sampler {
  return (attribute) => {
    const { samples, value } = attribute ?? {};
    if (!samples || samples.length === 0) return value;
    return (samples.at(frame) ?? samples[frame < 0 ? 0 : samples.length - 1])[1];
  };
}

/** The two samples around a time code, and how far the time is between them. */
export function aroundTime(
  { samples, value }: UsdAttribute,
  code: number,
): { readonly a: UsdValue; readonly b: UsdValue; readonly t: number } {
  if (!samples || samples.length === 0) return { a: value, b: value, t: 0 };
  let k = 0;
  while (k < samples.length - 1 && samples[k + 1][0] <= code) k++;
  const [a, b] = [samples[k], samples[k + 1]];
  if (!b || code <= a[0]) return { a: a[1], b: a[1], t: 0 };
  return { a: a[1], b: b[1], t: (code - a[0]) / (b[0] - a[0]) };
}

/** Linear between samples, as USD interpolates. */
export function atTime(code: number): Sampler {
  return (attribute) => {
    if (!attribute) return undefined;
    const { a, b, t } = aroundTime(attribute, code);
    if (t === 0) return a;
    if (typeof a === 'number' && typeof b === 'number') return a + t * (b - a);
    if (!(a instanceof Float64Array && b instanceof Float64Array) || a.length !== b.length) return a;
    return a.map((x, i) => x + t * (b[i] - x));
  };
}

/** The plain value; the first sample if there is none. */
export const atRest: Sampler = (attribute) => attribute?.value ?? attribute?.samples?.[0]?.[1];

export function numbersOf(prim: UsdPrim, name: string, sampler: Sampler): Float64Array | undefined {
  const value = sampler(prim.attributes.get(name));
  if (typeof value === 'number') return Float64Array.of(value);
  return value instanceof Float64Array ? value : undefined;
}

export function wordOf(prim: UsdPrim, name: string, fallback: string): string {
  const value = prim.attributes.get(name)?.value;
  return typeof value === 'string' ? value : fallback;
}

export function wordsOf(prim: UsdPrim, name: string): readonly string[] | undefined {
  const value = prim.attributes.get(name)?.value;
  return Array.isArray(value) ? (value as readonly string[]) : undefined;
}

/** From the axes of a prim to those of the stage. */
export function worldOf({ prim, above }: UsdPlace, sampler: Sampler, warnings: Set<string>): Transform {
  return [...above, prim].reduce<Transform>((world, one) => {
    const order = wordsOf(one, 'xformOpOrder') ?? [];
    const start = order.includes('!resetXformStack!') ? identity : world;
    return compose(start, localOf(one, order, sampler, warnings));
  }, identity);
}

/** The transform that a prim's operations give, in their order. */
function localOf(prim: UsdPrim, order: readonly string[], sampler: Sampler, warnings: Set<string>): Transform {
  let out: Transform = identity;
  for (const entry of order) {
    if (entry === '!resetXformStack!') continue;
    const isInverse = entry.startsWith('!invert!');
    const name = isInverse ? entry.slice(8) : entry;
    const value = numbersOf(prim, name, sampler);
    const plain = value && operationOf(name.split(':')[1], value);
    const operation = plain && isInverse ? invert(plain) : plain;
    if (!operation) warnings.add(`the transform ${entry} in it is not followed`);
    else out = compose(out, operation);
  }
  return out;
}

function operationOf(kind: string, v: Float64Array): Transform | undefined {
  if (kind === 'translate' && v.length === 3) return [1, 0, 0, 0, 1, 0, 0, 0, 1, v[0], v[1], v[2]];
  if (kind === 'scale' && v.length === 3) return [v[0], 0, 0, 0, v[1], 0, 0, 0, v[2], 0, 0, 0];
  if (kind === 'transform' && v.length === 16) return fromMatrix(v);
  if (kind === 'orient' && v.length === 4) {
    const [w, x, y, z] = normalizeQuaternion(Array.from(v));
    return fromQuaternion(w, x, y, z);
  }
  const axes = /^rotate([XYZ]{1,3})$/.exec(kind)?.[1];
  if (!axes || v.length !== axes.length) return undefined;
  // the first axis turns first
  let out: Transform = identity;
  for (let k = 0; k < axes.length; k++) {
    const axis = 'XYZ'.indexOf(axes[k]);
    const half = (v[axes.length === 1 ? 0 : axis] * Math.PI) / 360;
    const s = sin(half);
    out = compose(fromQuaternion(cos(half), axis === 0 ? s : 0, axis === 1 ? s : 0, axis === 2 ? s : 0), out);
  }
  return out;
}
