/** Parameters of a study, with values in SI: lists, ranges, distributions, columns of a table. */

import { type Amount, readAmount } from './amounts.ts';
import { type Distribution, quantileOf } from './distributions.ts';
import type { ParameterFile } from './schema.ts';

export interface Parameter {
  readonly name: string;
  /** Fields of the scene that get the value. */
  readonly paths: readonly (readonly string[])[];
  /** SI unit; undefined for plain numbers and words. */
  readonly unit?: string;
  /** Values of a list or a range with a count. */
  readonly values?: readonly unknown[];
  /** Value at a number in [0, 1); of samples. */
  readonly quantile?: (u: number) => unknown;
  readonly column?: string;
  /** What a cell of a table means. */
  readonly convert: (cell: unknown) => unknown;
}

/** A fault in one field of a parameter. */
export class ParameterError extends Error {
  readonly field: string;
  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/** Splits the path of a field: `rods[0].edges` becomes `rods`, `0`, `edges`. */
export function splitPath(path: string): string[] {
  return path
    .trim()
    .replace(/\[["']?([^\]"']+)["']?\]/g, '.$1')
    .split('.');
}

export function readParameter(file: ParameterFile, index: number): Parameter {
  const paths = file.path === undefined ? [] : [file.path].flat();
  const name = file.name ?? paths[0] ?? file.column ?? `p${index}`;
  for (const path of paths)
    if (splitPath(path).some((key) => key === ''))
      throw new ParameterError('path', `the field '${path}' has an empty part`);
  const kinds = (['values', 'range', 'distribution', 'column'] as const).filter((kind) => file[kind] !== undefined);
  if (kinds.length !== 1)
    throw new ParameterError(
      kinds[1] ?? 'path',
      `parameter '${name}' needs exactly one of values, range, distribution, column; it has ${kinds.join(' and ') || 'none'}`,
    );
  const units = createUnitCheck(file.unit);
  const round = (value: unknown): unknown => (file.whole && typeof value === 'number' ? Math.round(value) : value);
  const si = (value: unknown, field: string): number => {
    const amount = units.read(value, field);
    if (amount === undefined)
      throw new ParameterError(field, `expected a number or text with a unit, got ${JSON.stringify(value)}`);
    return amount.value;
  };
  const convert = (cell: unknown): unknown => round(toPlain(cell, units));
  const source = readSource(file, { si, convert, round });
  return {
    name,
    paths: paths.map(splitPath),
    ...source,
    ...(file.column !== undefined && { column: file.column }),
    convert,
    get unit() {
      return units.unit;
    },
  };
}

interface Reader {
  si(value: unknown, field: string): number;
  convert(value: unknown): unknown;
  round(value: unknown): unknown;
}

function readSource(file: ParameterFile, { si, convert, round }: Reader): Pick<Parameter, 'values' | 'quantile'> {
  if (file.values) {
    const values = file.values.map(convert);
    return { values, quantile: (u) => values[Math.min(Math.floor(u * values.length), values.length - 1)] };
  }
  if (file.range) {
    const [from, to] = [si(file.range.from, 'range.from'), si(file.range.to, 'range.to')];
    const type = file.range.scale === 'log' ? 'log-uniform' : 'uniform';
    checkPositive(type, from, to, 'range');
    const at = quantileOf({ type, from, to });
    const { count } = file.range;
    const values =
      count === undefined ? undefined : Array.from({ length: count }, (_, k) => round(spaced(k, count, from, to, at)));
    return { values, quantile: (u) => round(at(u)) };
  }
  if (file.distribution) {
    const entries = Object.entries(file.distribution).map(([key, value]): [string, unknown] =>
      key === 'type' || key === 'factor' ? [key, value] : [key, si(value, `distribution.${key}`)],
    );
    const distribution = Object.fromEntries(entries) as Distribution;
    checkDistribution(distribution);
    const at = quantileOf(distribution);
    return { quantile: (u) => round(at(u)) };
  }
  return {};
}

/** Both ends exactly as written. */
function spaced(k: number, count: number, from: number, to: number, at: (u: number) => number): number {
  if (k === 0) return from;
  return k === count - 1 ? to : at(k / (count - 1));
}

function checkPositive(type: string, from: number, to: number, field: string): void {
  if (type === 'log-uniform' && !(from > 0 && to > 0))
    throw new ParameterError(field, `a logarithmic scale needs positive ends, got ${from} and ${to}`);
}

function checkDistribution(distribution: Distribution): void {
  const fail = (message: string): never => {
    throw new ParameterError('distribution', message);
  };
  if ('from' in distribution) {
    checkPositive(distribution.type, distribution.from, distribution.to, 'distribution');
    if (!(distribution.to > distribution.from)) fail(`'to' must be greater than 'from'`);
  }
  if (
    distribution.type === 'triangular' &&
    !(distribution.mode >= distribution.from && distribution.mode <= distribution.to)
  )
    fail(`'mode' must lie between 'from' and 'to'`);
  if (distribution.type === 'normal' && !(distribution.deviation > 0)) fail(`'deviation' must be positive`);
  if (distribution.type === 'log-normal' && !(distribution.median > 0)) fail(`'median' must be positive`);
}

interface UnitCheck {
  readonly unit: string | undefined;
  read(value: unknown, field: string): Amount | undefined;
}

/** All amounts of one parameter have one dimension. */
function createUnitCheck(written: string | undefined): UnitCheck {
  let unit: string | undefined;
  const read = (value: unknown, field: string): Amount | undefined => {
    let amount: Amount | undefined;
    try {
      amount = readAmount(value, written);
    } catch (error) {
      throw new ParameterError(field, (error as Error).message);
    }
    if (amount?.unit !== undefined) {
      if (unit !== undefined && unit !== amount.unit)
        throw new ParameterError(
          field,
          `${JSON.stringify(value)} is in ${amount.unit}, others of this parameter are in ${unit}`,
        );
      unit = amount.unit;
    }
    return amount;
  };
  if (written !== undefined) read(1, 'unit');
  return {
    get unit() {
      return unit;
    },
    read,
  };
}

/** Numbers and text with units become SI, also in lists; anything else stays as it is. */
function toPlain(value: unknown, units: UnitCheck): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => toPlain(item, units));
  if (typeof value !== 'number' && typeof value !== 'string') return value;
  return units.read(value, 'values')?.value ?? value;
}
