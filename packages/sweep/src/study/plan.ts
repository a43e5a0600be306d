/**
 * Reads a study file and makes its plan: what a worker needs to execute any run of it (plain data, sent to workers and queues),
 * and the list of runs. Everything that can be wrong with a study is found here, before the first run.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import type { Case } from '@tendril-sim/cases';
import { availableModels, type ModelId } from '@tendril-sim/core';
import {
  explainIssues,
  formatPath,
  InputError,
  type Place,
  parseText,
  rejectOtherKind,
  type ScenePath,
} from '@tendril-sim/io';
import { checkExpressions, checkFields, checkNames, type Fail } from './checks.ts';
import { combine, DesignError, type Rows, type Table } from './design.ts';
import { refuseDevice } from './device.ts';
import { type Parameter, ParameterError, readParameter, splitPath } from './parameters.ts';
import type { Plan, PlannedQuantity, Study } from './planTypes.ts';
import { type StudyFile, studySchema } from './schema.ts';
import { readTable } from './table.ts';

export const defaultLimits = { time: 3600, memory: 4e9 } as const;

/** Reads a study file and what it names. Throws InputError with the line of a mistake. */
export async function readStudy(path: string, version: string): Promise<Study> {
  refuseDevice(path, 'a study');
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const problem = code === 'ENOENT' ? 'there is no such study file' : `the study cannot be read: ${message}`;
    throw new InputError(path, problem, { cause: error });
  }
  return parseStudy(text, path, version);
}

/** The study of a folder, from the copies in it. A table is read again from where it was. */
export async function parseStudyCopy(
  folder: string,
  record: { readonly plan: Plan; readonly source: string },
): Promise<Study> {
  return parseStudy(readFileSync(join(folder, 'study.yaml'), 'utf8'), record.source, record.plan.version, record.plan);
}

/** `known`: the plan that was made of this study before; its scene is not read again. */
export async function parseStudy(text: string, source: string, version: string, known?: Plan): Promise<Study> {
  const document = parseText(text, source);
  rejectOtherKind(document, source, 'sweep');
  const locate = (at: ScenePath): Place => document.place(at, 'value');
  const result = studySchema.safeParse(document.value);
  if (!result.success)
    throw explainIssues(result.error.issues, source, { locate, locateKey: (at) => document.place(at, 'key') });
  const file = result.data;
  const fail = (at: ScenePath, message: string): never => {
    throw new InputError(source, [{ ...locate(at), path: formatPath(at), message }]);
  };
  const folder = dirname(resolve(source));
  checkFields(file, fail);
  const subjects = await pickCases(file, fail);
  const base = known ?? readBase(file, folder, subjects, fail);
  const parameters = readParameters(file, fail);
  checkNames(file, parameters, fail);
  checkExpressions(file, parameters, fail);
  const tablePath = file.table === undefined ? undefined : resolve(folder, file.table);
  const table = tablePath === undefined ? undefined : await readTable(tablePath);
  const tableKey = tablePath === undefined ? undefined : hashContents([tablePath]);
  if (known && known.table !== tableKey)
    fail(['table'], 'the table has changed since the study ran; restore it, or run the study again');
  checkColumns(table, parameters, fail);
  const name = basename(source, extname(source)).replace(/[^\p{L}\p{N}._-]+/gu, '-') || 'study';
  const listed =
    file.command === 'check'
      ? listChecks(file, subjects, fail)
      : listRuns(file, parameters, subjects[0]?.models, table, fail);
  if (table) checkCells(table, parameters, fail);
  const plan =
    known ??
    makePlan({
      file,
      name,
      version,
      base: withFiles(base, parameters, table),
      parameters: listed.parameters,
      tableKey,
    });
  return {
    file,
    text,
    source: resolve(source),
    plan,
    count: listed.count,
    design: describeDesign(file),
    priority: file.priority ?? 10,
    fail,
    spec(index) {
      const { model, values } = listed.row(index);
      return { index, hash: hashRun(plan, model, values), ...(model !== undefined && { model }), values };
    },
  };
}

/** Every column that a parameter names must be in the table. */
function checkColumns(table: Table | undefined, parameters: readonly Parameter[], fail: Fail): void {
  for (const [k, { column }] of parameters.entries())
    if (column !== undefined && !(table && column in table[0]))
      fail(
        ['parameters', k, 'column'],
        table
          ? `the table has no column '${column}'; it has ${Object.keys(table[0]).join(', ')}`
          : "the study has no 'table'",
      );
}

function describeDesign({ design = 'grid' }: StudyFile): string {
  return typeof design === 'string' ? design : design.type;
}

interface Base {
  readonly scene?: unknown;
  readonly origin: string;
  readonly folder: string;
  /** Hash of the files that the scene names. */
  readonly files?: string;
}

/** The cases that the study names. They are loaded for it alone: they compute their theory. */
async function pickCases(file: StudyFile, fail: Fail): Promise<readonly Case[]> {
  if (file.case === undefined) return [];
  const { cases, findCase } = await import('@tendril-sim/cases');
  return [file.case].flat().map((id, k) => {
    const at = Array.isArray(file.case) ? ['case', k] : ['case'];
    return findCase(id) ?? fail(at, `there is no case '${id}'; cases: ${cases.map((one) => one.id).join(', ')}`);
  });
}

function readBase(file: StudyFile, folder: string, subjects: readonly Case[], fail: Fail): Base {
  if (subjects.length > 0) {
    const origin = subjects.map(({ id }) => `case ${id}`).join(', ');
    return { origin, folder, ...(file.command !== 'check' && { scene: subjects[0].scene() }) };
  }
  const path = resolve(folder, file.scene ?? '');
  refuseDevice(path, 'a scene');
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    fail(['scene'], `the scene '${file.scene}' cannot be read: ${(error as Error).message}`);
  }
  const scene = parseText(text, path).value;
  return { scene, origin: path, folder: dirname(path), files: hashFiles(scene, dirname(path)) };
}

/** Contents of the files that the scene names: runs depend on them too. A file that is missing is reported by the first run. */
function hashFiles(scene: unknown, folder: string): string {
  const { strands = [], colliders = [] } = (scene ?? {}) as Record<
    'strands' | 'colliders',
    { readonly file?: unknown }[] | undefined
  >;
  const names = [strands, colliders].flat().flatMap(({ file }) => (typeof file === 'string' ? [file] : []));
  return hashContents(names.map((name) => resolve(folder, name)));
}

/** Files may vary too: then the contents of all of them count for each run. */
function withFiles(base: Base, parameters: readonly Parameter[], table: Table | undefined): Base {
  const varied = parameters.filter(({ paths }) => paths.some((path) => path.at(-1) === 'file'));
  if (varied.length === 0) return base;
  const names = varied.flatMap(({ values = [], column }) =>
    column === undefined ? values : (table ?? []).map((row) => row[column]),
  );
  const contents = hashContents([...new Set(names)].map((name) => resolve(base.folder, String(name))));
  return { ...base, files: `${base.files ?? ''}${contents}` };
}

function hashContents(paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of paths) {
    try {
      hash.update(readFileSync(path));
    } catch {
      hash.update('missing');
    }
  }
  return hash.digest('hex').slice(0, 32);
}

function readParameters(file: StudyFile, fail: Fail): Parameter[] {
  const names = new Set<string>();
  return (file.parameters ?? []).map((one, k) => {
    try {
      const parameter = readParameter(one, k);
      if (names.has(parameter.name)) fail(['parameters', k, 'name'], `two parameters are called '${parameter.name}'`);
      names.add(parameter.name);
      return parameter;
    } catch (error) {
      if (!(error instanceof ParameterError)) throw error;
      return fail(['parameters', k, ...error.field.split('.')], error.message);
    }
  });
}

interface Listed extends Pick<Rows, 'count'> {
  readonly parameters: readonly Pick<Parameter, 'name' | 'paths' | 'unit'>[];
  row(index: number): { readonly model?: ModelId; readonly values: unknown[] };
}

function listRuns(
  file: StudyFile,
  parameters: readonly Parameter[],
  caseModels: readonly ModelId[] | undefined,
  table: Table | undefined,
  fail: Fail,
): Listed {
  let rows: Rows;
  try {
    rows = combine(parameters, file.design, table);
  } catch (error) {
    if (error instanceof DesignError) return fail(['parameters'], error.message);
    throw error;
  }
  const models = file.models === 'all' ? (caseModels ?? (availableModels() as readonly ModelId[])) : file.models;
  return {
    parameters,
    count: rows.count * (models?.length ?? 1),
    row: (index) => {
      const model = models?.[Math.floor(index / rows.count)];
      return { ...(model !== undefined && { model }), values: rows.row(index % rows.count) };
    },
  };
}

/** Case × model × resolution, as `tendril check` would run them. */
function listChecks(file: StudyFile, subjects: readonly Case[], fail: Fail): Listed {
  const wanted = file.models === 'all' || file.models === undefined ? undefined : file.models;
  const list = subjects.flatMap((subject) =>
    subject.models
      .filter((model) => wanted === undefined || wanted.includes(model))
      .flatMap((model) =>
        (file.resolutions ?? (subject.resolutions?.[model] ?? subject).quick).map((n) => ({
          model,
          values: [subject.id, n],
        })),
      ),
  );
  if (list.length === 0) fail(['models'], 'none of the cases runs on these models');
  const parameters = ['case', 'n'].map((name) => ({ name, paths: [] }));
  return { parameters, count: list.length, row: (index) => list[index] };
}

/** Every cell that a parameter uses: a number, a word or a list, in units that agree. */
function checkCells(table: Table, parameters: readonly Parameter[], fail: Fail): void {
  for (const [k, { column, convert }] of parameters.entries()) {
    if (column === undefined) continue;
    for (const [index, row] of table.entries()) {
      const cell = row[column];
      const where = `row ${index + 1} of the table, column '${column}'`;
      if (cell === null || cell === undefined || cell === '')
        fail(['parameters', k, 'column'], `${where}: it is empty`);
      if (typeof cell === 'number' && !Number.isFinite(cell))
        fail(['parameters', k, 'column'], `${where}: expected a finite number, got ${cell}`);
      try {
        convert(cell);
      } catch (error) {
        if (!(error instanceof ParameterError)) throw error;
        fail(['parameters', k, 'column'], `${where}: ${error.message}`);
      }
    }
  }
}

function makePlan(input: {
  readonly file: StudyFile;
  readonly name: string;
  readonly version: string;
  readonly base: Base;
  readonly parameters: Listed['parameters'];
  readonly tableKey: string | undefined;
}): Plan {
  const { file, name, version, base, parameters, tableKey } = input;
  const determining = {
    version,
    command: file.command,
    scene: base.scene,
    parameters: parameters.map(({ name: label, paths, unit }) => ({
      name: label,
      paths,
      ...(unit !== undefined && { unit }),
    })),
    set: Object.entries(file.set ?? {}).map(([path, expression]) => ({ path: splitPath(path), expression })),
    quantities: Object.entries(file.quantities ?? {}).map(([label, entry]): PlannedQuantity => {
      if (typeof entry === 'string') return { name: label, of: entry, over: 'end' };
      return {
        name: label,
        of: entry.of,
        over: entry.over ?? 'end',
        ...(entry.unit !== undefined && { unit: entry.unit }),
      };
    }),
    series: readSeries(file),
    ...(file.stop?.rest !== undefined && { rest: file.stop.rest }),
    ...(file.count !== undefined && { count: file.count }),
  };
  const { recordings } = file;
  return {
    ...determining,
    name,
    title: file.title ?? name,
    origin: base.origin,
    folder: base.folder,
    limits: { ...defaultLimits, ...file.limits },
    ...(recordings && { recordings: { ...recordings, every: recordings.every ?? 1 } }),
    ...(tableKey !== undefined && { table: tableKey }),
    key: digest(`${JSON.stringify(determining)}${base.files ?? ''}`),
  };
}

function readSeries({ series }: StudyFile): Plan['series'] {
  if (series === undefined || series === false) return false;
  return series === true ? {} : series;
}

export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Hash of scene, version, command and quantities (the plan's key) with what varies in this run. */
export function hashRun(plan: Pick<Plan, 'key'>, model: string | undefined, values: readonly unknown[]): string {
  return digest(`${plan.key}|${model ?? ''}|${JSON.stringify(values)}`);
}
