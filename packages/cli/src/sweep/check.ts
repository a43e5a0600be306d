/** Checks a study before anything runs: the first run must compile, and a few others are tried. */
import { createWorld, SceneError } from '@tendril-sim/core';
import { createFileResolver, InputError } from '@tendril-sim/io';
import { openWithin } from '@tendril-sim/io/node';
import { buildScene, compileQuantity, type Study, scopeRoots } from '@tendril-sim/sweep';
import { UsageError } from '../exit.ts';
import { suggest } from '../suggest.ts';

/** How many runs are tried, spread over the study. */
const samples = 16;

/** Throws InputError if the first run is rejected; returns warnings about others. */
export async function checkFirstRun(study: Study): Promise<string[]> {
  const { plan } = study;
  if (plan.command === 'check') return [];
  const derived = plan.set.map(({ path, expression }) => ({ path, expression: compileQuantity(expression) }));
  const files = createFileResolver(openWithin(plan.folder));
  const stride = Math.max(1, Math.floor(study.count / samples));
  const warnings: string[] = [];
  let refused = 0;
  let looked = 0;
  for (let index = 0; index < study.count; index += stride) {
    looked++;
    try {
      const scene = buildScene(plan, study.spec(index), derived, files);
      // compiled once only: scenes may be large, and an engine of bodies is loaded by the worker alone
      if (index > 0) continue;
      if (!scene.engine) createWorld(scene);
      const probes = scene.output?.probes ?? [];
      checkReferences(
        study,
        probes.flatMap(({ name }) => name ?? []),
      );
    } catch (error) {
      if (!(error instanceof InputError || error instanceof SceneError)) throw error;
      if (index === 0 && !isModelRefusal(study)) throw explain(error, plan.origin);
      refused++;
      warnings.push(`run ${index} will be refused: ${error.message}`);
    }
  }
  return refused === 0 ? [] : [`${refused} of ${looked} runs that were tried will be refused`, ...warnings.slice(0, 3)];
}

/** A model may reject a scene that others accept: that is a result of the study. */
function isModelRefusal({ file }: Study): boolean {
  return file.models !== undefined && (file.models === 'all' || file.models.length > 1);
}

function explain(error: InputError | SceneError, origin: string): InputError {
  if (error instanceof InputError) return error;
  return new InputError(origin, [{ path: error.path.map(String).join('.'), message: error.message }], { cause: error });
}

/** Unknown names in quantities. */
function checkReferences({ plan }: Study, probes: readonly string[]): void {
  const roots: string[] = [...scopeRoots, 'model', ...plan.parameters.map(({ name }) => name)];
  for (const { name, of } of plan.quantities) {
    for (const { text, keys } of compileQuantity(of).references) {
      const [root, second] = keys.map(String);
      if (!roots.includes(root)) {
        const meant = suggest(root, roots);
        throw new UsageError(
          `quantities.${name}: there is no '${text}'${meant ? `; did you mean '${meant}'?` : ''}\n  a quantity begins with one of ${roots.join(', ')}`,
        );
      }
      if (
        root === 'probe' &&
        second !== undefined &&
        probes.length > 0 &&
        !probes.includes(second) &&
        !/[@.]/.test(second)
      )
        throw new UsageError(`quantities.${name}: the scene has no probe '${second}'; it has ${probes.join(', ')}`);
    }
  }
}
