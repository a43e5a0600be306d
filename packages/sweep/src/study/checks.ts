/** What must hold between the fields of a study file: which fields a command has, names of columns, expressions. */
import { ExpressionError } from '@tendril-sim/core';
import type { ScenePath } from '@tendril-sim/io';
import { compileQuantity, constants } from '../run/expression.ts';
import { scopeRoots } from '../run/scope.ts';
import type { Parameter } from './parameters.ts';
import type { StudyFile } from './schema.ts';

/** Throws an InputError with the line of the field. */
export type Fail = (at: ScenePath, message: string) => never;

/** Fields that only some commands have. */
export function checkFields(file: StudyFile, fail: Fail): void {
  const { command, stop } = file;
  if ((file.scene === undefined) === (file.case === undefined))
    fail(file.scene === undefined ? [] : ['case'], "a study needs one of 'scene' (a file) and 'case'");
  if (stop?.rest !== undefined && command !== 'run') fail(['stop', 'rest'], "rest is for command 'run'");
  if (file.recordings && command !== 'run') fail(['recordings'], "recordings are for command 'run'");
  if (file.count !== undefined && command !== 'modes') fail(['count'], "count is for command 'modes'");
  if (typeof file.series === 'object' && command !== 'run')
    fail(['series'], "instants at equal distances are for command 'run'; use series: true");
  if (command === 'check') checkCheck(file, fail);
  else checkScene(file, fail);
}

function checkScene(file: StudyFile, fail: Fail): void {
  if (Array.isArray(file.case) && file.case.length > 1) fail(['case'], "several cases are for command 'check'");
  if (file.resolutions) fail(['resolutions'], "resolutions are for command 'check'");
  if (!file.quantities || Object.keys(file.quantities).length === 0)
    fail(['quantities'], 'missing; name what to keep of each run, such as quantities: { tip: probe.tip.z }');
  const { converged } = file.stop ?? {};
  if (converged && !Object.hasOwn(file.quantities ?? {}, converged.quantity))
    fail(['stop', 'converged', 'quantity'], `there is no quantity '${converged.quantity}'`);
  if (file.table !== undefined && !file.parameters?.some(({ column }) => column !== undefined))
    fail(['table'], 'no parameter has a column of this table, so each run would be repeated for each of its rows');
}

function checkCheck(file: StudyFile, fail: Fail): void {
  if (file.case === undefined)
    fail(['scene'], "command 'check' compares cases with theory: give 'case' in place of 'scene'");
  for (const key of ['parameters', 'quantities', 'set', 'table', 'design', 'series'] as const)
    if (file[key] !== undefined)
      fail([key], `command 'check' has no ${key}; its rows hold measured, expected and error of every quantity`);
  if (file.stop?.converged)
    fail(['stop', 'converged'], "command 'check' has no quantity whose mean could be estimated");
}

/** Names of parameters and quantities are columns, and parameters are also names in expressions. */
export function checkNames(file: StudyFile, parameters: readonly Parameter[], fail: Fail): void {
  const taken = new Map<string, string>([...reserved].map((name) => [name, `'${name}' is a column of every data set`]));
  const add = (at: ScenePath, name: string, what: string): void => {
    const other = taken.get(name.toLowerCase());
    if (other !== undefined)
      fail(at, `${other}; choose another name for this ${what} (SQL does not tell capitals from small letters)`);
    taken.set(name.toLowerCase(), `there is a ${what} '${name}'`);
  };
  const referred: readonly string[] = [...constants, ...scopeRoots];
  for (const [k, { name }] of parameters.entries()) {
    const at = ['parameters', k, ...(file.parameters?.[k].name === undefined ? [] : ['name'])];
    add(at, name, 'parameter');
    if (referred.includes(name))
      fail(at, `'${name}' means something else in expressions; choose another name for this parameter`);
  }
  for (const name of Object.keys(file.quantities ?? {})) add(['quantities', name], name, 'quantity');
}

/** Columns that every data set has. */
const reserved: ReadonlySet<string> = new Set([
  'run',
  'hash',
  'model',
  'status',
  'message',
  'time',
  'wall',
  'version',
  'recording',
  'tries',
]);

export function checkExpressions(file: StudyFile, parameters: readonly Parameter[], fail: Fail): void {
  const names = parameters.map(({ name }) => name);
  const compile = (at: ScenePath, text: string): ReturnType<typeof compileQuantity> => {
    try {
      return compileQuantity(text);
    } catch (error) {
      if (error instanceof ExpressionError) return fail(at, error.message);
      throw error;
    }
  };
  for (const [name, entry] of Object.entries(file.quantities ?? {}))
    compile(['quantities', name], typeof entry === 'string' ? entry : entry.of);
  for (const [path, text] of Object.entries(file.set ?? {}))
    for (const { keys } of compile(['set', path], text).references)
      if (!names.includes(String(keys[0])))
        fail(['set', path], `there is no parameter '${keys[0]}'; parameters: ${names.join(', ')}`);
}
