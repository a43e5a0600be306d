/** Checks a study before anything runs: the first run must compile, its quantities must exist, and a few other runs are tried. */
import { createProbes, createWorld, type Scene, SceneError, type World } from '@tendril-sim/core';
import { createFileResolver, createStepTotals, InputError } from '@tendril-sim/io';
import { openWithin } from '@tendril-sim/io/node';
import {
  buildScene,
  compileQuantity,
  createScope,
  lookUp,
  type Plan,
  type Study,
  UnknownQuantityError,
} from '@tendril-sim/sweep';
import { suggest } from '../suggest.ts';

/** How many runs are tried, spread over the study. */
const samples = 16;

/** Throws InputError if the first run is rejected; returns warnings about others and about former names. */
export async function checkFirstRun(study: Study): Promise<string[]> {
  const { plan } = study;
  if (plan.command === 'check') return [];
  const build = createBuilder(plan);
  const first = buildFirst(study, build);
  checkUnits(study, build);
  const warnings: string[] = [];
  const refuse = (index: number, { message }: Error): void => void warnings.push(`run ${index} is invalid: ${message}`);
  // compiled once only: scenes may be large, and an engine of bodies is loaded by the worker alone
  const world = first.engine ? undefined : openFirst(study, first, (error) => refuse(0, error));
  checkReferences(study, world);
  const stride = Math.max(1, Math.floor(study.count / samples));
  let tried = 1;
  for (let index = stride; index < study.count; index += stride, tried++) {
    try {
      build(study.spec(index));
    } catch (error) {
      if (!isRejected(error)) throw error;
      refuse(index, error);
    }
  }
  const former = plan.quantities
    .filter(({ of }) => /\bmaxStretch\b/.test(of))
    .map(({ name }) => `quantities.${name}: maxStretch is now called stretchMax`);
  if (warnings.length === 0) return former;
  return [...former, `${warnings.length} of ${tried} runs that were checked are invalid`, ...warnings.slice(0, 3)];
}

const isRejected = (error: unknown): error is InputError | SceneError =>
  error instanceof InputError || error instanceof SceneError;

type Builder = (spec: Parameters<typeof buildScene>[1], changed?: Pick<Plan, 'parameters' | 'set'>) => Scene;

function createBuilder(plan: Plan): Builder {
  const files = createFileResolver(openWithin(plan.folder));
  return (spec, changed = plan) => {
    const derived = changed.set.map(({ path, expression }) => ({ path, expression: compileQuantity(expression) }));
    return buildScene({ ...plan, ...changed }, spec, derived, files);
  };
}

/** The problem without the file: that is the study's, which `fail` names. */
function describeProblem(error: InputError | SceneError): string {
  if (error instanceof SceneError) return `${error.path.map(String).join('.')}: ${error.message}`;
  const [{ path, message } = { path: '', message: error.message }] = error.problems;
  return path ? `${path}: ${message}` : message;
}

/** Scene of the first run. If a parameter is to blame, the error names its line. */
function buildFirst(study: Study, build: Builder): Scene {
  const { plan } = study;
  const spec = study.spec(0);
  try {
    return build(spec);
  } catch (error) {
    if (!isRejected(error)) throw error;
    if (findProblem(build, [], []) === undefined)
      for (const [k, parameter] of plan.parameters.entries()) {
        const problem = findProblem(build, [parameter], [spec.values[k]]);
        if (problem !== undefined)
          study.fail(['parameters', k, ...(parameter.paths.length > 0 ? ['path'] : [])], problem);
      }
    throw explain(error, plan.origin);
  }
}

/** Why the scene with these parameters alone is rejected, if it is. */
function findProblem(build: Builder, parameters: Plan['parameters'], values: readonly unknown[]): string | undefined {
  try {
    build({ values }, { parameters, set: [] });
    return undefined;
  } catch (error) {
    if (!isRejected(error)) throw error;
    return describeProblem(error);
  }
}

function explain(error: InputError | SceneError, origin: string): InputError {
  if (error instanceof InputError) return error;
  return new InputError(origin, [{ path: error.path.map(String).join('.'), message: error.message }], { cause: error });
}

/** Values are plain numbers in SI by now: a unit of another dimension than that of the field would go unnoticed. */
function checkUnits(study: Study, build: Builder): void {
  const { parameters } = study.plan;
  const { values } = study.spec(0);
  const problemOf = (own: readonly unknown[]): string | undefined => findProblem(build, parameters, own);
  const write = (value: unknown, unit: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => write(item, unit));
    return typeof value === 'number' ? `${value} ${unit}` : value;
  };
  if (problemOf(values) !== undefined) return;
  for (const [k, { unit, paths }] of parameters.entries()) {
    if (unit === undefined || unit === '1' || paths.length === 0) continue;
    const problem = problemOf(values.map((value, i) => (i === k ? write(value, unit) : value)));
    if (problem !== undefined) study.fail(['parameters', k], problem);
  }
}

/** Undefined if one of several models rejects the scene: that is a result of the study. */
function openFirst(study: Study, scene: Scene, onRejected: (error: Error) => void): World | undefined {
  const { models } = study.file;
  try {
    return createWorld(scene);
  } catch (error) {
    if (!isRejected(error)) throw error;
    if (models === undefined || (models !== 'all' && models.length === 1)) throw explain(error, study.plan.origin);
    onRejected(error);
    return undefined;
  }
}

/** How many of these there are is known after the run. */
const listsOfResults: ReadonlySet<unknown> = new Set(['critical', 'mode', 'modes', 'link']);

/** Names in quantities that no run of this command could resolve. */
function checkReferences(study: Study, world: World | undefined): void {
  const { plan } = study;
  if (!world) return;
  const probes = createProbes(world);
  probes.observe(world);
  const { command } = plan;
  const scope = createScope({
    world,
    probes: probes.series,
    parameters: new Map([
      ['model', ''],
      ...plan.parameters.map(({ name }, k) => [name, study.spec(0).values[k]] as const),
    ]),
    ...(command === 'run' && { steps: createStepTotals().totals() }),
    ...((command === 'statics' || command === 'modes') && { equilibrium: [] }),
    ...(command === 'statics' && { critical: [] }),
    ...(command === 'modes' && { modes: [] }),
  });
  for (const { name, of } of plan.quantities) {
    for (const reference of compileQuantity(of).references) {
      const [root, field] = reference.keys;
      const isKnown = Object.hasOwn(scope, root);
      if (isKnown && (listsOfResults.has(root) || (root === 'contact' && field === 'at'))) continue;
      try {
        lookUp(scope, reference);
      } catch (error) {
        if (!(error instanceof UnknownQuantityError)) throw error;
        const meant = isKnown ? undefined : suggest(String(root), Object.keys(scope));
        study.fail(
          ['quantities', name],
          `${error.message} (command '${command}')${meant === undefined ? '' : `; did you mean '${meant}'?`}`,
        );
      }
    }
  }
}
