/** Hair that was groomed here, and the files that scenes may name. */
import type { FileResolver } from '@tendril-sim/io';
import { sceneValues } from '@tendril-sim/io';
import type { Lane } from '../lane.ts';
import type { GroomStage } from './stage.ts';

const attached = new Map<string, Uint8Array>();
let resolver: FileResolver | undefined;
let stage: GroomStage | undefined;

/** For scenes that name files; undefined where there are none. */
export function attachedFiles(): FileResolver | undefined {
  return resolver;
}

export async function attach(files: readonly { readonly name: string; readonly bytes: Uint8Array }[]): Promise<void> {
  const { resolverOf } = await import('./dress.ts');
  for (const { name, bytes } of files) attached.set(name, bytes);
  resolver = resolverOf(attached);
}

/** Made when it is first asked for. */
export async function openStage(): Promise<GroomStage> {
  stage ??= (await import('./stage.ts')).createGroomStage();
  return stage;
}

/** The head as it is groomed. */
export function groomedHead(): GroomStage['head'] {
  return stage?.head;
}

/** Hair that was groomed here is drawn with all its hairs; undefined where the scene is not such hair. */
export async function dressLanes(text: string, lanes: readonly Lane[]): Promise<Lane[] | undefined> {
  if (attached.size === 0) return undefined;
  const { dressOf, dressLane } = await import('./dress.ts');
  const style = dressOf(sceneValues(text), attached);
  return style && lanes.map((lane) => dressLane(lane, style) ?? lane);
}
