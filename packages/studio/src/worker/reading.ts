/** Texts as scenes, and what is wrong with them; scenes as what the page draws. */
import { type Scene, SceneError, type World } from '@tendril-sim/core';
import {
  explainSceneError,
  type FileResolver,
  InputError,
  type ParsedScene,
  type Problem,
  parseScene,
} from '@tendril-sim/io';
import type { ColliderInfo } from '../protocol.ts';

export function problemsOf(error: unknown, parsed: ParsedScene | undefined, name: string): readonly Problem[] {
  if (error instanceof InputError) return error.problems;
  if (error instanceof SceneError) return explainSceneError(error, parsed, name).problems;
  return [{ message: error instanceof Error ? error.message : String(error) }];
}

/** Parsed and compiled, or what is wrong with it. */
export function readScene(
  text: string,
  name: string,
  files: FileResolver | undefined,
): { scene: Scene } | { problems: readonly Problem[] } {
  let parsed: ParsedScene | undefined;
  try {
    parsed = parseScene(text, name, { files });
    return { scene: parsed.scene };
  } catch (error) {
    return { problems: problemsOf(error, parsed, name) };
  }
}

export function gravityOf({ gravity }: Scene): [number, number, number] {
  const g = gravity && 'acceleration' in gravity ? gravity.acceleration : gravity;
  return g ? [g[0], g[1], g[2]] : [0, 0, 0];
}

/** As plain data that the page can draw: formulas and grids of distances become meshes. */
export async function drawColliders(
  { colliders = [] }: Scene,
  world: World | undefined,
): Promise<readonly ColliderInfo[]> {
  const plain = colliders as readonly ColliderInfo[];
  if (!world || !plain.some(({ type }) => type === 'formula' || type === 'grid')) return plain;
  const { meshOf } = await import('./isosurface.ts');
  return plain.map((one, k) =>
    one.type === 'formula' || one.type === 'grid' ? { ...one, ...meshOf(world.colliders[k], world) } : one,
  );
}
