/** Reads the file of a fit and its data. Everything that can be wrong with them is found here, before the first equilibrium. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ExpressionError, type FitParameter } from '@tendril-sim/core';
import {
  explainIssues,
  formatPath,
  InputError,
  nearestWord,
  parseText,
  rejectOtherKind,
  type ScenePath,
} from '@tendril-sim/io';
import { compileQuantity } from '../run/expression.ts';
import { readAmount } from '../study/amounts.ts';
import { refuseDevice } from '../study/device.ts';
import { splitPath } from '../study/parameters.ts';
import { readCsv } from '../study/table.ts';
import { type FieldValue, openFamily, type SceneFamily } from './family.ts';
import { type ExperimentFile, type FitFile, type FitParameterFile, fitSchema } from './schema.ts';

/** A parameter and the fields that get its value. */
export interface PlannedParameter extends FitParameter {
  /** Fields that get the value. */
  readonly paths: readonly (readonly string[])[];
}

/** A measured number of an equilibrium: a quantity, or a coordinate of a point on a rod. */
export interface Measurement {
  /** For reports. */
  readonly name: string;
  /** Measured value, in SI. */
  readonly value: number;
  /** NaN if unknown. */
  readonly deviation: number;
  /** The measured quantity, as an expression. */
  readonly quantity?: string;
  /** The measured coordinate of a point on a rod. */
  readonly point?: {
    readonly rod: string;
    /** Fraction of the rod's length, or arc length [m]. */
    readonly at: { readonly u: number } | { readonly s: number };
    readonly axis: 0 | 1 | 2;
  };
}

/** One equilibrium and what was measured of it. */
export interface Experiment {
  /** Name, for reports. */
  readonly name: string;
  /** Fields that this experiment changes. */
  readonly set: readonly FieldValue[];
  /** Instant at which pins and loads are taken [s]. */
  readonly time: number;
  /** What was measured. */
  readonly measurements: readonly Measurement[];
}

/** A fit, ready to run. */
export interface FitStudy {
  /** Path of the fit file. */
  readonly source: string;
  /** The file as it was read. */
  readonly file: FitFile;
  /** The scenes of all experiments. */
  readonly family: SceneFamily;
  /** Parameters to be fitted. */
  readonly parameters: readonly PlannedParameter[];
  /** Experiments of the file. */
  readonly experiments: readonly Experiment[];
  /** True if no deviations are given. */
  readonly estimateDeviation: boolean;
}

type Fail = (at: ScenePath, message: string) => never;

/** Throws InputError with the line of the problem. */
export async function readFitStudy(source: string): Promise<FitStudy> {
  const text = readText(source, 'the fit');
  const document = parseText(text, source);
  rejectOtherKind(document, source, 'fit');
  const locate = (at: ScenePath): ReturnType<typeof document.place> => document.place(at, 'value');
  const parsed = fitSchema.safeParse(document.value);
  if (!parsed.success)
    throw explainIssues(parsed.error.issues, source, { locate, locateKey: (at) => document.place(at, 'key') });
  const fail: Fail = (at, message) => {
    throw new InputError(source, [{ ...locate(at), path: formatPath(at), message }]);
  };
  const folder = dirname(resolve(source));
  const family = await openFamily(parsed.data.scene, folder);
  const file = parsed.data;
  const parameters = file.parameters.map((one, k) => planParameter(one, ['parameters', k], family, fail));
  const names = parameters.map(({ name }) => name);
  for (const [k, name] of names.entries())
    if (names.indexOf(name) !== k) fail(['parameters', k], `two parameters are called '${name}'`);
  if (file.confidence !== undefined && !(file.confidence < 1))
    fail(['confidence'], `expected a level between 0 and 1, such as 0.95, got ${file.confidence}`);
  const experiments = file.experiments.flatMap((one, k) =>
    planExperiment(one, ['experiments', k], folder, { family, fail }),
  );
  return { source, file, family, parameters, experiments, estimateDeviation: hasNoDeviations(file, experiments, fail) };
}

function readText(path: string, what: string): string {
  refuseDevice(path, 'a file of text');
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new InputError(path, `${what} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

function planParameter(one: FitParameterFile, at: ScenePath, family: SceneFamily, fail: Fail): PlannedParameter {
  const paths = [one.path].flat().map(splitPath);
  const name = one.name ?? [one.path].flat()[0];
  const amount = (value: number | string | undefined, field: string): number | undefined => {
    if (value === undefined) return undefined;
    const place = [...at, ...field.split('.')];
    for (const path of paths) checkUnit(value, path, place, { family, fail }, one.unit);
    return readNumber(value, place, fail, one.unit);
  };
  // also if no number uses it: a wrong unit is a mistake about the field
  if (one.unit !== undefined) amount(`1 ${one.unit}`, 'unit');
  let written = Number.NaN;
  try {
    for (const path of paths) written = family.valueOf(path);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    fail([...at, 'path'], error.message);
  }
  const start = amount(one.start, 'start') ?? written;
  const lower = amount(one.bounds?.lower, 'bounds.lower');
  const upper = amount(one.bounds?.upper, 'bounds.upper');
  if (lower !== undefined && upper !== undefined && !(lower < upper))
    fail([...at, 'bounds'], `the lower bound ${lower} is not below the upper bound ${upper}`);
  if (!(start >= (lower ?? -Infinity) && start <= (upper ?? Infinity)))
    fail([...at, 'start'], `the start ${start} is outside the bounds ${lower ?? '−∞'} to ${upper ?? '∞'}`);
  const mean = amount(one.prior?.mean, 'prior.mean');
  const deviation = amount(one.prior?.deviation, 'prior.deviation');
  if (deviation !== undefined && !(deviation > 0)) fail([...at, 'prior', 'deviation'], 'expected a positive number');
  const range = lower !== undefined && upper !== undefined ? (upper - lower) / 10 : undefined;
  const scale = Math.abs(start) || range || deviation;
  if (scale === undefined)
    fail(
      [...at, 'start'],
      `parameter '${name}' starts at 0: give bounds, a prior or another start, from which its typical size follows`,
    );
  return {
    name,
    paths,
    start,
    ...(scale !== undefined && { scale }),
    ...(lower !== undefined && { lower }),
    ...(upper !== undefined && { upper }),
    ...(mean !== undefined && deviation !== undefined && { prior: { mean, deviation } }),
  };
}

/** Calls `fail` if the value has a unit that the field of the scene does not accept, such as mm for a stiffness. */
function checkUnit(value: unknown, path: readonly string[], at: ScenePath, context: Context, unit?: string): void {
  try {
    const written = readAmount(value, unit)?.unit;
    if (written !== undefined && written !== '1') context.family.checkUnit(path, written);
  } catch (error) {
    if (error instanceof InputError) context.fail(at, error.message);
    // an unknown unit is reported by readNumber
    else if (!(error instanceof RangeError)) throw error;
  }
}

function readNumber(value: unknown, at: ScenePath, fail: Fail, unit?: string): number {
  let amount: number | undefined;
  try {
    amount = readAmount(value, unit)?.value;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    fail(at, error.message);
  }
  return amount !== undefined && Number.isFinite(amount)
    ? amount
    : fail(at, `expected a finite number, or text with a unit, got ${JSON.stringify(value)}`);
}

interface Context {
  readonly family: SceneFamily;
  readonly fail: Fail;
}

function planExperiment(one: ExperimentFile, at: ScenePath, folder: string, { family, fail }: Context): Experiment[] {
  const name = one.name ?? `experiment ${Number(at[1]) + 1}`;
  const context = { family, fail };
  const set = Object.entries(one.set ?? {}).map(([path, value]) => ({
    path: splitPath(path),
    value: readNumber(value, [...at, 'set', path], fail),
  }));
  for (const path of [...Object.keys(one.set ?? {}), ...Object.keys(one.columns ?? {}).filter((key) => key !== 'time')])
    checkField(path, [...at, path in (one.set ?? {}) ? 'set' : 'columns', path], context);
  for (const [path, value] of Object.entries(one.set ?? {}))
    checkUnit(value, splitPath(path), [...at, 'set', path], context);
  for (const [key, { of }] of Object.entries(one.measured ?? {}))
    checkQuantity(of, [...at, 'measured', key, 'of'], fail);
  const time = one.time === undefined ? 0 : readNumber(one.time, [...at, 'time'], fail);
  if (one.table !== undefined) {
    if (one.shape) fail([...at, 'shape'], 'an experiment has a shape or a table; make two experiments of them');
    return planRows(one, at, { name, set, time }, folder, context);
  }
  if (one.columns) fail([...at, 'columns'], "columns belong to a 'table', which is missing");
  const measurements = [
    ...planShape(one, at, folder, context),
    ...Object.entries(one.measured ?? {}).map(
      ([key, { of, value, deviation }]): Measurement => ({
        name: key,
        quantity: of,
        value: readNumber(value, [...at, 'measured', key, 'value'], fail),
        deviation:
          deviation === undefined ? Number.NaN : readDeviation(deviation, [...at, 'measured', key, 'deviation'], fail),
      }),
    ),
  ];
  if (measurements.length === 0) fail(at, "nothing was measured: give 'shape', 'table' or 'measured'");
  return [{ name, set, time, measurements }];
}

function checkField(path: string, at: ScenePath, { family, fail }: Context): void {
  try {
    family.valueOf(splitPath(path));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    fail(at, error.message);
  }
}

function checkQuantity(text: string, at: ScenePath, fail: Fail): void {
  try {
    compileQuantity(text);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    fail(at, error.message);
  }
}

function readDeviation(value: unknown, at: ScenePath, fail: Fail): number {
  const deviation = readNumber(value, at, fail);
  return deviation > 0 ? deviation : fail(at, `expected a positive number, got ${deviation}`);
}

/** A table of numbers in SI. */
interface DataTable {
  /** Column by name; calls `fail` with a suggestion if there is none. */
  column(name: string, at: ScenePath): Float64Array;
  has(name: string): boolean;
  /** First entry of a column, with its unit. */
  first(name: string): unknown;
}

function readData(file: string, folder: string, fail: Fail): DataTable {
  const path = resolve(folder, file);
  const rows = readCsv(readText(path, 'the data'), path);
  const known = Object.keys(rows[0]);
  return {
    has: (name) => known.includes(name),
    first: (name) => rows[0][name],
    column(name, at) {
      if (!known.includes(name)) {
        const meant = nearestWord(name, known);
        fail(
          at,
          `'${file}' has no column '${name}'${meant ? `; did you mean '${meant}'?` : `; it has ${known.join(', ')}`}`,
        );
      }
      return Float64Array.from(rows, (row, k) => {
        const value = readAmount(row[name])?.value ?? Number.NaN;
        if (!Number.isFinite(value))
          throw new InputError(path, [
            {
              line: k + 2,
              column: 1,
              message: `column '${name}': expected a finite number, got ${JSON.stringify(row[name])}`,
            },
          ]);
        return value;
      });
    },
  };
}

function planShape({ shape }: ExperimentFile, at: ScenePath, folder: string, { family, fail }: Context): Measurement[] {
  if (!shape) return [];
  const where = [...at, 'shape'];
  const scene = family.build([]);
  if (!scene.rods.some(({ id }) => id === shape.rod)) {
    const known = scene.rods.map(({ id }) => id);
    const meant = nearestWord(shape.rod, known);
    fail(
      [...where, 'rod'],
      `there is no rod '${shape.rod}'${meant ? `; did you mean '${meant}'?` : `; there is ${known.join(', ')}`}`,
    );
  }
  const data = readData(shape.file, folder, fail);
  const deviation =
    shape.deviation === undefined ? Number.NaN : readDeviation(shape.deviation, [...where, 'deviation'], fail);
  const byArc = !data.has('u') && data.has('s');
  const place = data.column(byArc ? 's' : 'u', [...where, 'file']);
  const axes = (['x', 'y', 'z'] as const).filter((axis) => data.has(axis));
  if (axes.length === 0) data.column('x', [...where, 'file']);
  return axes.flatMap((axis) => {
    const values = data.column(axis, [...where, 'file']);
    return Array.from(values, (value, k): Measurement => {
      if (!byArc && !(place[k] >= 0 && place[k] <= 1))
        fail(
          [...where, 'file'],
          `line ${k + 2}: u is a fraction of the length, from 0 to 1; got ${place[k]}. An arc length is called s`,
        );
      return {
        name: `${axis} of ${shape.rod} at ${byArc ? 's' : 'u'} = ${place[k]}`,
        value,
        deviation,
        point: {
          rod: shape.rod,
          at: byArc ? { s: place[k] } : { u: place[k] },
          axis: axis === 'x' ? 0 : axis === 'y' ? 1 : 2,
        },
      };
    });
  });
}

/** One experiment per row of a table. */
function planRows(
  one: ExperimentFile,
  at: ScenePath,
  base: Pick<Experiment, 'name' | 'set' | 'time'>,
  folder: string,
  context: Context,
): Experiment[] {
  const { fail } = context;
  const data = readData(one.table ?? '', folder, fail);
  const columns = Object.entries(one.columns ?? {}).map(([path, column]) => {
    const place = [...at, 'columns', path];
    const values = data.column(column, place);
    if (path !== 'time') checkUnit(data.first(column), splitPath(path), place, context);
    return { path, values };
  });
  const measured = Object.entries(one.measured ?? {}).map(([column, { of, deviation }]) => ({
    column,
    of,
    deviation:
      deviation === undefined ? Number.NaN : readDeviation(deviation, [...at, 'measured', column, 'deviation'], fail),
    values: data.column(column, [...at, 'measured', column]),
  }));
  if (measured.length === 0) fail(at, "name the measured columns: measured: { force: { of: 'reaction[1].force.x' } }");
  return Array.from(measured[0].values, (_, k) => ({
    name: `${base.name}, line ${k + 2}`,
    set: [
      ...base.set,
      ...columns.flatMap(({ path, values }) => (path === 'time' ? [] : [{ path: splitPath(path), value: values[k] }])),
    ],
    time: columns.find(({ path }) => path === 'time')?.values[k] ?? base.time,
    measurements: measured.map(
      ({ column, of, deviation, values }): Measurement => ({ name: column, quantity: of, value: values[k], deviation }),
    ),
  }));
}

/** Deviations of all data, or, of data of one kind, of none. */
function hasNoDeviations(file: FitFile, experiments: readonly Experiment[], fail: Fail): boolean {
  const all = experiments.flatMap(({ measurements }) => measurements);
  const missing = all.filter(({ deviation }) => Number.isNaN(deviation));
  if (missing.length === 0) return false;
  const kinds = new Set(all.map(({ quantity }) => quantity ?? 'shape'));
  if (missing.length < all.length || kinds.size > 1 || file.parameters.some(({ prior }) => prior))
    fail(
      ['experiments'],
      `'${missing[0].name}' has no deviation: data of several kinds, or a prior, are weighed by their deviations. Give one for each`,
    );
  return true;
}
