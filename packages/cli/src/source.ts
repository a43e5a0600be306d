/** What a command runs on: a scene file or a case, with what the command line changes in it. */
import { existsSync, statSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { cases, findCase } from '@tendril/cases';
import { createWorld, type ModelId, type Scene, SceneError, type World } from '@tendril/core';
import { explainSceneError, type InputError, type ParsedScene, sceneFromObject } from '@tendril/io';
import { readSceneFile } from '@tendril/io/node';
import { UsageError } from './exit.ts';
import { suggest } from './terminal.ts';

export interface Source {
  /** For folders and messages. */
  readonly name: string;
  /** The file, or the case in words. */
  readonly origin: string;
  readonly scene: Scene;
  /** About files that the scene names. */
  readonly warnings: readonly string[];
  /** Gives an error of the core its line in the file. */
  explain(error: SceneError): InputError;
}

export interface SourceChanges {
  readonly model?: string;
  /** [s] */
  readonly until?: number;
  readonly stability?: 'seek' | 'report';
}

export function loadSource(reference: string, changes: SourceChanges = {}): Source {
  if (existsSync(reference)) {
    if (statSync(reference).isDirectory()) {
      throw new UsageError(`'${reference}' is a folder; name a scene file in it, such as ${reference}/scene.yaml`);
    }
    const parsed = readSceneFile(reference);
    const name = basename(reference, extname(reference)).replace(/[^\p{L}\p{N}._-]+/gu, '-') || 'scene';
    return source(name, reference, parsed.scene, changes, parsed);
  }
  const found = findCase(reference);
  if (found) {
    const origin = `case ${found.id}`;
    return source(found.id, origin, sceneFromObject(found.scene(), origin), changes);
  }
  const ids = cases.map(({ id }) => id);
  const looksLikeFile = /[/\\.]/.test(reference);
  const meant = suggest(reference, ids);
  const hint = meant ? `; did you mean the case '${meant}'?` : looksLikeFile ? '' : `; cases: ${ids.join(', ')}`;
  throw new UsageError(`there is no scene file${looksLikeFile ? '' : ' and no case'} '${reference}'${hint}`);
}

function source(name: string, origin: string, scene: Scene, changes: SourceChanges, parsed?: ParsedScene): Source {
  return {
    name,
    origin,
    scene: change(scene, changes),
    warnings: parsed?.warnings ?? [],
    explain: (error) => explainSceneError(error, parsed, origin),
  };
}

function change(scene: Scene, { model, until, stability }: SourceChanges): Scene {
  let out = scene;
  if (model !== undefined) out = { ...out, rods: out.rods.map((rod) => ({ ...rod, model: model as ModelId })) };
  if (until !== undefined && out.time) out = { ...out, time: { ...out.time, duration: until } };
  if (stability !== undefined) out = { ...out, statics: { ...out.statics, stability } };
  return out;
}

/** Errors of the core leave with file and line. */
export function explained<T>(source: Source, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw error instanceof SceneError ? source.explain(error) : error;
  }
}

/** With the engine that the scene asks for; it is loaded only then. */
export async function openWorld(source: Source): Promise<World> {
  const options = source.scene.engine ? { bodies: await (await import('@tendril/bridge/rapier')).loadRapier() } : {};
  return explained(source, () => createWorld(source.scene, options));
}
