/** `tendril groom scene`: a hairstyle as a scene, on a head that stays, moves or is animated. */
import { existsSync } from 'node:fs';
import { basename, dirname, relative, resolve } from 'node:path';
import { hasInside, type PathSpec, placesPerElement } from '@tendril-sim/core';
import { headMotions, writeHairScene } from '@tendril-sim/io';
import {
  readHairstyleFile,
  readMeshFile,
  readPathFile,
  readSceneFile,
  readSkinFile,
  writeFileAtomic,
} from '@tendril-sim/io/node';
import { exitCode, UsageError } from '../exit.ts';
import { invocation } from '../invocation.ts';
import type { Terminal } from '../terminal.ts';
import { type OutOptions, refuseExisting, withoutEnding } from './groom.ts';

export interface SceneCommandOptions extends OutOptions {
  readonly model?: string;
  readonly every?: number;
  readonly count?: number;
  readonly head?: string | false;
  readonly unit?: number;
  readonly up?: 'y' | 'z';
  readonly motion?: string;
  /** Name of an animation of the head's mesh; true: its only one. */
  readonly animation?: string | true;
  readonly start?: number;
}

/** A scene in which the guides hang on their head, ready to run: it names the files of both. */
export function scene(file: string, options: SceneCommandOptions, terminal: Terminal): number {
  const style = readHairstyleFile(file);
  const out = options.out ?? `${withoutEnding(file)}.yaml`;
  if (!/\.(ya?ml)$/i.test(out)) throw new UsageError(`'${out}' should end in .yaml: a scene is a YAML file`);
  refuseExisting(out, options);
  const hairFile = namedFrom(out, file, 'hairstyle');
  const { model, every, count, unit, up } = options;
  const skin = style.skin ? hairFile : undefined;
  const headFile = typeof options.head === 'string' ? namedFrom(out, options.head, 'head') : skin;
  const mesh = typeof options.head === 'string' ? readMeshFile(options.head, options) : style.skin;
  const motion = options.motion === undefined ? undefined : motionOf(options.motion);
  const animation = animationOf(options);
  const text = writeHairScene(style, {
    title: `Hairstyle ${basename(file)}`,
    hairFile,
    ...(options.head !== false && headFile !== undefined && { headFile }),
    ...(typeof options.head === 'string' && { unit, up }),
    ...(mesh && { solid: hasInside(mesh) }),
    motion,
    ...(animation && { animation }),
    model,
    backend: 'simd',
    // enough to collide with the head; one sharp bend does not require a fine resolution everywhere
    edges: style.elements * Math.min(4, Math.max(2, placesPerElement(style))),
    every,
    count,
    duration: animation?.end ?? (motion ? motion.keys[motion.keys.length - 1].time + 0.5 : 1),
    step: 0.004,
    output: 0.04,
  });
  writeFileAtomic(out, text, { overwrite: options.force === true });
  const { scene: made } = readSceneFile(out);
  terminal.err(`wrote ${out}: ${made.rods.length} rods\nnext: ${invocation()} run ${out}\n`);
  return exitCode.done;
}

/** Which animation of a mesh, as the commands have it. */
export function skinOptions({
  animation,
  start = 0,
  unit,
  up,
}: Pick<SceneCommandOptions, 'animation' | 'start' | 'unit' | 'up'>): Parameters<typeof readSkinFile>[1] {
  return { unit, up, animation: { start, ...(typeof animation === 'string' && { name: animation }) } };
}

/** The animation of the head's mesh: its name, when it starts and when it ends [s]. */
function animationOf(
  options: SceneCommandOptions,
): { readonly name: string; readonly start: number; readonly end: number } | undefined {
  const { animation, start = 0, head } = options;
  if (start > 0 && animation === undefined)
    throw new UsageError('--start is the time at which an --animation starts; add --animation, or --animation <name>');
  if (animation === undefined) return undefined;
  if (options.motion !== undefined) throw new UsageError('--animation moves the head itself; leave out --motion');
  if (typeof head !== 'string')
    throw new UsageError('--animation needs the file that contains it: --head character.glb');
  const { name, frames } = readSkinFile(head, skinOptions(options));
  return { name, start, end: frames[frames.length - 1].time };
}

/** A motion by name, or the `path` or `keys` of a YAML or JSON file. */
function motionOf(name: string): PathSpec {
  if (Object.hasOwn(headMotions, name)) return headMotions[name as keyof typeof headMotions];
  if (!existsSync(name)) {
    const known = Object.keys(headMotions).join(', ');
    throw new UsageError(`--motion: '${name}' is neither a motion (${known}) nor a file with the keys of a path`);
  }
  return readPathFile(name);
}

/** The name of a file in a scene: relative to the scene's folder, which must contain the file. */
function namedFrom(out: string, file: string, noun: string): string {
  const name = relative(dirname(resolve(out)), resolve(file)).replaceAll('\\', '/');
  if (!name.startsWith('..')) return name;
  throw new UsageError(
    `the scene refers to the ${noun}, which must be in its folder: --out ${dirname(file)}/scene.yaml`,
  );
}
