/**
 * Loads the files that a scene refers to: curves become rods with pins at their roots, meshes become obstacles, arrays become wind. The result is a scene without files, for
 * the core and for recordings.
 *
 * The caller provides the bytes of a file name; in Node, `readSceneFile` opens nothing outside the scene's folder.
 */
import {
  type ColliderSpec,
  type FieldSpec,
  type Hairstyle,
  type PinSpec,
  type RodSpec,
  rodsOfHairstyle,
  type Scene,
  type Vec3,
} from '@tendril-sim/core';
import { InputError } from './errors.ts';
import { decodeHairstyle } from './hairstyle.ts';
import type { Curves, Placement } from './import/curves.ts';
import { readMesh } from './import/mesh.ts';
import type { TriangleMesh } from './import/meshFile.ts';
import { readCurves } from './import/read.ts';
import { type FileResolver, type Resolved, ResolveError } from './read.ts';
import type { MeshFileSpec } from './schema/collider.ts';
import type { SkinSpec, StrandsSpec } from './schema/files.ts';
import type { FieldInFile } from './schema/wind.ts';
import type { SceneFile } from './schema.ts';
import { type AnimatedSkin, deformOf, readAnimatedSkin, rootPaths, triplesOf } from './skin.ts';
import { fillWind, windFileOf } from './windFile.ts';

/** Returns the bytes of a file that a scene refers to. Throws InputError if it may not or cannot be read. */
export type OpenFile = (name: string) => Uint8Array;

/** Lets `parseScene` read scenes that refer to files. */
export function createFileResolver(open: OpenFile): FileResolver {
  return (file) => resolveScene(file, open);
}

function resolveScene(file: SceneFile, open: OpenFile): Resolved {
  const { strands = [], rods = [], colliders, fields, ...rest } = file;
  const sources = createSources(open);
  const made = strands.map((spec, k) => strandsOf(spec, k, sources));
  const pins = [...(file.pins ?? []), ...made.flatMap((one) => one.pins)];
  const scene: Scene = {
    ...rest,
    rods: [...rods, ...made.flatMap((one) => one.rods)],
    ...(pins.length > 0 && { pins }),
    ...(colliders && {
      colliders: colliders.map((spec, k) => (spec.type === 'mesh-file' ? meshOf(spec, k, sources) : spec)),
    }),
    ...(fields && { fields: fields.map((spec, k) => fieldOf(spec, k, sources)) }),
  };
  return {
    scene,
    origin: made.flatMap((one, k) => one.rods.map(() => k)),
    warnings: [...new Set([...made.flatMap((one) => one.warnings), ...sources.warnings])],
  };
}

/** Files that a scene names; skins are read once for all that refer to them. */
interface Sources {
  readonly fetch: (name: string, path: readonly PropertyKey[]) => Uint8Array;
  readonly skinOf: (reference: SkinSpec, path: readonly PropertyKey[]) => AnimatedSkin;
  /** Warnings about meshes that were read, with the name of the file. */
  readonly warnings: string[];
}

function createSources(open: OpenFile): Sources {
  const fetch: Sources['fetch'] = (name, path) => guarded(path, () => open(name));
  const skins = new Map<string, AnimatedSkin>();
  const warnings: string[] = [];
  return {
    fetch,
    warnings,
    skinOf({ file, unit, up, animation }, path) {
      const key = JSON.stringify([file, unit, up, animation]);
      const skin =
        skins.get(key) ?? guarded(path, () => readAnimatedSkin(fetch(file, path), file, { unit, up, animation }));
      skins.set(key, skin);
      warnings.push(...skin.warnings.map((warning) => `${file}: ${warning}`));
      return skin;
    },
  };
}

interface Strands extends RodsAndPins {
  readonly warnings: readonly string[];
}

/** Rods of one entry of `strands`, and what holds their roots. */
function strandsOf(spec: StrandsSpec, index: number, sources: Sources): Strands {
  const path = ['strands', index, 'file'];
  const bytes = sources.fetch(spec.file, path);
  if (/\.hairstyle$/i.test(spec.file)) {
    const style = guarded(path, () => decodeHairstyle(bytes, spec.file));
    return holdRoots(hairstyleRods(style, spec, index), spec, index, sources);
  }
  const curves = guarded(path, () => readCurves(bytes, spec.file, { ...spec, frame: spec.sample }));
  const rods = rodsOf(curves, spec, index);
  const hold = spec.root === 'position' ? 'position' : 'clamp';
  const pins = rods.filter(({ closed }) => !closed).map(({ id }): PinSpec => ({ rod: id, at: 'start', hold }));
  const made = holdRoots({ rods, pins }, spec, index, sources);
  return { ...made, warnings: [...curves.warnings.map((warning) => `${spec.file}: ${warning}`), ...made.warnings] };
}

/** Free roots have no pins; the pins of roots on an animated skin move with it. */
function holdRoots({ rods, pins }: RodsAndPins, { root, skin }: StrandsSpec, index: number, sources: Sources): Strands {
  if (root === 'free') {
    if (skin)
      throw new ResolveError(['strands', index, 'skin'], 'free roots do not ride on a skin; remove one of both');
    return { rods, pins: [], warnings: [] };
  }
  if (!skin) return { rods, pins, warnings: [] };
  const held = new Set(pins.map(({ rod }) => rod));
  const roots = rods.filter(({ id }) => held.has(id)).map(rootOf);
  const path = ['strands', index, 'skin', 'file'];
  const { paths, warnings } = guarded(path, () => rootPaths(sources.skinOf(skin, path), roots, root !== 'position'));
  return {
    rods,
    pins: pins.map((pin, k) => ({ ...pin, path: paths[k] })),
    warnings: warnings.map((warning) => `${skin.file}: ${warning}`),
  };
}

interface RodsAndPins {
  readonly rods: readonly RodSpec[];
  readonly pins: readonly PinSpec[];
}

/** Name and first point of a rod from a file. */
function rootOf({ id, shape }: RodSpec): { readonly rod: string; readonly position: Vec3 } {
  if (shape.type !== 'points') throw new Error('rods from files have points');
  return { rod: id, position: shape.points[0] };
}

function guarded<T>(path: readonly PropertyKey[], action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw error instanceof InputError ? new ResolveError(path, error.message, { cause: error }) : error;
  }
}

/** Guides of a hairstyle: sections and materials of the scene override those of the style. */
function hairstyleRods(style: Hairstyle, spec: StrandsSpec, index: number): ReturnType<typeof rodsOfHairstyle> {
  const { id = baseName(spec.file), model, every, count, edges, natural, section, material, inextensible, root } = spec;
  for (const name of ['unit', 'up', 'sample'] as const) {
    if (spec[name] !== undefined)
      throw new ResolveError(
        ['strands', index, name],
        'a hairstyle is in metres with z up and does not move; leave this out',
      );
  }
  if (edges !== undefined && edges % style.elements !== 0)
    throw new ResolveError(
      ['strands', index, 'edges'],
      `must be a multiple of ${style.elements}, the elements of the hairstyle`,
    );
  const perElement = edges === undefined ? undefined : edges / style.elements;
  const { rods, pins } = rodsOfHairstyle(style, { id, model, every, count, perElement });
  const change = {
    ...(natural && { natural }),
    ...(section && { section }),
    ...(material && { material }),
    ...(inextensible !== undefined && { inextensible }),
  };
  return {
    rods: rods.map((rod) => ({ ...rod, ...change })),
    pins: root === 'position' ? pins.map(({ rod, at }) => ({ rod, at, hold: 'position' })) : pins,
  };
}

function rodsOf(curves: Curves, spec: StrandsSpec, index: number): RodSpec[] {
  const { id = baseName(spec.file), every = 1, count = Infinity, model, edges, natural, material, inextensible } = spec;
  if (spec.section === undefined && !curves.radius)
    throw new ResolveError(
      ['strands', index],
      `'${spec.file}' says nothing about thickness; add a section such as { type: circle, radius: 0.04 mm }`,
    );
  const out: RodSpec[] = [];
  let first = 0;
  for (let c = 0; c < curves.counts.length && out.length < count; c++) {
    const points = curves.counts[c];
    if (c % every === 0) {
      out.push({
        id: `${id}-${c}`,
        shape: { type: 'points', points: pointsOf(curves, first, points) },
        section: spec.section ?? { type: 'circle', radius: meanRadius(curves, first, points) },
        ...(curves.closed[c] === 1 && { closed: true }),
        ...(model && { model }),
        ...(edges && { edges }),
        ...(natural && { natural }),
        ...(material && { material }),
        ...(inextensible !== undefined && { inextensible }),
      });
    }
    first += points;
  }
  return out;
}

function baseName(file: string): string {
  return (file.split(/[\\/]/).pop() ?? file).replace(/\.[^.]+$/, '') || 'strand';
}

export function pointsOf({ position: p }: Pick<Curves, 'position'>, first: number, count: number): Vec3[] {
  return triplesOf(p.subarray(3 * first, 3 * (first + count)));
}

export function meanRadius({ radius }: Pick<Curves, 'radius'>, first: number, count: number): number {
  let sum = 0;
  for (let i = first; i < first + count; i++) sum += radius?.[i] ?? Number.NaN;
  return sum / count;
}

function meshOf(spec: MeshFileSpec, index: number, { fetch, skinOf, warnings }: Sources): ColliderSpec {
  const { type, file, unit, up, animation, ...rest } = spec;
  const path = ['colliders', index, 'file'];
  const skin = animation === undefined ? undefined : skinOf(spec, path);
  const mesh = skin?.mesh ?? guarded(path, () => meshFrom(fetch(file, path), file, { unit, up }));
  warnings.push(...(mesh.warnings ?? []).map((warning) => `${file}: ${warning}`));
  return {
    ...rest,
    type: 'mesh',
    vertices: triplesOf(mesh.position),
    faces: triplesOf(mesh.triangle),
    ...(skin && guarded(path, () => deformOf(skin))),
  };
}

function fieldOf(spec: FieldInFile, index: number, { fetch }: Sources): FieldSpec {
  const file = windFileOf(spec);
  const path = ['fields', index, 'wind', 'grid', 'file'];
  return file ? guarded(path, () => fillWind(spec, fetch(file.file, path))) : (spec as FieldSpec);
}

/** A mesh from its own file, or the skin stored in a hairstyle. */
function meshFrom(bytes: Uint8Array, file: string, placement: Placement): TriangleMesh {
  if (!/\.hairstyle$/i.test(file)) return readMesh(bytes, file, placement);
  const { skin } = decodeHairstyle(bytes, file);
  if (!skin) throw new InputError(file, 'this hairstyle does not keep the mesh that it grew on; name the mesh itself');
  return skin;
}
