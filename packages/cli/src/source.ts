/** Input of a command: a scene file or a case, with the changes of the command line. */
import { existsSync, statSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { caseIds, loadCase } from '@tendril-sim/cases/catalog';
import { availableModels, type Backend, type ModelId, type Scene, SceneError } from '@tendril-sim/core';
import {
  explainSceneError,
  type InputError,
  type ParsedScene,
  type Place,
  parseChange,
  type SceneInput,
  type ScenePath,
  sceneFromObject,
} from '@tendril-sim/io';
import { readSceneFile, readSceneInput } from '@tendril-sim/io/node';
import { UsageError } from './exit.ts';
import { suggest, suggestFile } from './suggest.ts';

export interface Source {
  /** Name for folders and messages. */
  readonly name: string;
  /** The file, or the case in words. */
  readonly origin: string;
  readonly scene: Scene;
  /** Warnings about files that the scene refers to. */
  readonly warnings: readonly string[];
  /** Adds the line in the file to an error of the core. */
  explain(error: SceneError): InputError;
}

export interface SourceChanges {
  readonly model?: string;
  /** [s] */
  readonly until?: number;
  readonly stability?: 'seek' | 'report';
  readonly backend?: Backend;
  /** Fields to replace, such as `rods.0.edges=100`. */
  readonly set?: readonly string[];
}

/** A file, the name of a case, or `-` for standard input. */
export async function loadSource(reference: string, changes: SourceChanges = {}): Promise<Source> {
  if (changes.model !== undefined) insistModel(changes.model);
  const set = (changes.set ?? []).map((text) => parseChange(text));
  if (reference === '-') {
    const parsed = readSceneInput({ changes: set });
    return source('scene', 'standard input', parsed.scene, changes, parsed);
  }
  if (existsSync(reference)) {
    if (statSync(reference).isDirectory()) {
      throw new UsageError(`'${reference}' is a folder; name a scene file in it, such as ${reference}/scene.yaml`);
    }
    refuseOthers(reference);
    const parsed = readSceneFile(reference, { changes: set });
    const name = basename(reference, extname(reference)).replace(/[^\p{L}\p{N}._-]+/gu, '-') || 'scene';
    return source(name, reference, parsed.scene, changes, parsed);
  }
  const found = await loadCase(reference);
  if (found) {
    const origin = `case ${found.id}`;
    return source(found.id, origin, sceneFromObject(found.scene(), origin, { changes: set }), changes);
  }
  throw unknownScene(reference);
}

/** A scene that a program wrote. */
export function sourceOf(name: string, input: SceneInput): Source {
  return source(name, name, sceneFromObject(input, name), {});
}

/** Error for a name that is neither a file nor a case, with a suggestion. */
function unknownScene(reference: string): UsageError {
  const looksLikeFile = /[/\\.]/.test(reference);
  const file = suggestFile(reference, (name) => /\.(ya?ml|json)$/i.test(name));
  const meant = suggest(reference, caseIds);
  const hint =
    file !== undefined
      ? `; did you mean the file '${file}'?`
      : meant !== undefined
        ? `; did you mean the case '${meant}'?`
        : looksLikeFile
          ? `; to write a scene to start from: tendril new ${reference}`
          : `; cases: ${caseIds.join(', ')}`;
  return new UsageError(`there is no scene file${looksLikeFile ? '' : ' and no case'} '${reference}'${hint}`);
}

/** Rejects an unknown model before errors of the scene are reported. */
export function insistModel(model: string, option = '--model'): void {
  const known = availableModels();
  if ((known as readonly string[]).includes(model)) return;
  const meant = suggest(model, known);
  throw new UsageError(
    `${option}: there is no model '${model}'${meant ? `; did you mean '${meant}'?` : ''}\nmodels: ${known.join(', ')}`,
  );
}

const curves = /\.(obj|usda?|usdc|usdz|abc|hair|tfx|glb|gltf|csv|tsv)$/i;

/** Rejects files of other commands. */
function refuseOthers(file: string): void {
  const refuse = (remedy: string): never => {
    throw new UsageError(`'${file}' is not a scene; ${remedy}`);
  };
  if (curves.test(file)) refuse(`to make a scene from curves: tendril import ${file} --out scene.yaml`);
  if (/\.hairstyle$/i.test(file)) refuse('a scene names it: strands: [{ file: hair.hairstyle, model: helix }]');
  if (!/\.tendril$/i.test(file)) return;
  if (/state/i.test(basename(file))) refuse(`to resume a run from it: tendril run scene.yaml --resume ${file}`);
  refuse(`to look at a recording: tendril studio ${file}`);
}

function source(name: string, origin: string, scene: Scene, changes: SourceChanges, parsed?: ParsedScene): Source {
  return {
    name,
    origin,
    scene: change(scene, changes),
    warnings: parsed?.warnings ?? [],
    explain: (error) => {
      const option = optionOf(error.path, changes);
      const locate = (path: ScenePath): Place | undefined => {
        const place = parsed?.locate(path);
        return option === undefined ? place : { line: 1, column: 1, ...place, origin: option };
      };
      return explainSceneError(error, { locate }, origin);
    },
  };
}

/** The option that a field comes from, if one of them set it. */
function optionOf(
  [first, second, third]: ScenePath,
  { model, until, stability, backend }: SourceChanges,
): string | undefined {
  if (first === 'rods' && third === 'model' && model !== undefined) return `--model ${model}`;
  if (first === 'time' && second === 'duration' && until !== undefined) return `--until ${until}`;
  if (first === 'statics' && second === 'stability' && stability !== undefined) return `--stability ${stability}`;
  if (first === 'solver' && third === 'backend' && backend !== undefined) return `--backend ${backend}`;
  return undefined;
}

function change(scene: Scene, { model, until, stability, backend }: SourceChanges): Scene {
  let out = scene;
  if (model !== undefined) out = { ...out, rods: out.rods.map((rod) => ({ ...rod, model: model as ModelId })) };
  // shorter than a step: one shorter step
  if (until !== undefined && out.time)
    out = { ...out, time: { ...out.time, duration: until, step: Math.min(out.time.step, until) } };
  if (stability !== undefined) out = { ...out, statics: { ...out.statics, stability } };
  if (backend !== undefined) out = { ...out, solver: { ...out.solver, der: { ...out.solver?.der, backend } } };
  return out;
}

/** Adds file and line to errors of the core. */
export function explained<T>(source: Source, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw error instanceof SceneError ? source.explain(error) : error;
  }
}
