/**
 * Compiles a scene to rods, pins and load sources. Errors in a scene are found here and thrown as SceneErrors that name the field and a valid value;
 * valid input that is rarely intended becomes a warning.
 */
import { SceneError } from '../errors.ts';
import { createArena } from '../math/arena.ts';
import type { Drive, LoadSource } from '../port.ts';
import type { compileAnimation } from './animate.ts';
import type { BodyModule, CompiledBody, Weld } from './bodies.ts';
import { findParent, placeBranches } from './branches.ts';
import { carryColliders } from './carried.ts';
import { checkFinite, checkOutput, checkTime } from './check.ts';
import type { Pin, Rod } from './compiled.ts';
import { compileField } from './fields.ts';
import { compileJumps, type Jumps } from './jumps.ts';
import type { compileLinks, LinkPlan } from './links.ts';
import { compileGravity, compileLoad } from './loads.ts';
import { listNames } from './names.ts';
import { checkPinsDisagree, checkReach, compilePin } from './pins.ts';
import type { CompiledRod, PlacedPin } from './rods.ts';
import { compileRod } from './rods.ts';
import { moveToPins, type PinnedRod, type StartPose } from './startPose.ts';
import type { RodSpec, Scene } from './types.ts';
import type { Path } from './varying.ts';
import type { WindModule } from './windParts.ts';

export interface CompiledScene {
  /** The scene with its weaves expanded. */
  readonly scene: Scene;
  readonly rods: Rod[];
  /** One for each rod: its pins and its loads, gravity included. */
  readonly drives: Drive[];
  readonly bodies: CompiledBody[];
  readonly welds: Weld[];
  readonly links: LinkPlan[];
  /** Pins that ride on bodies with a path. */
  readonly carried: readonly Pin[];
  /** Times at which pins are released [s]. */
  readonly releases: number[];
  /** Times at which loads jump; absent: never. */
  readonly jumps?: Jumps;
  readonly warnings: string[];
  /** To be called when all models have been made; see parameter.ts. */
  readonly endBuilding?: () => void;
}

/** What a world can compile besides rods, pins and loads. The caller rejects links without `compileLinks`; the other features are rejected here. */
export interface SceneFeatures {
  readonly compileLinks?: typeof compileLinks;
  readonly animation?: { readonly compileAnimation: typeof compileAnimation };
  readonly wind?: WindModule;
  readonly bodies?: BodyModule;
}

/** Compiles a scene whose weaves are rods and links already; throws `SceneError`. */
export function compileExpanded(written: Scene, features: SceneFeatures): CompiledScene {
  checkFinite(written, []);
  const scene = carryColliders(written);
  checkTime(scene);
  if (!scene.rods?.length) throw new SceneError(['rods'], 'the scene has no rods; add at least one');
  const findRod = numberRods(scene);
  const warnings: string[] = [];
  const bodies = compileBodies(scene, features);
  const { placed, bodyOfWeld } = placePins(scene, bodies, findRod);
  const branches = placeBranches(scene, findRod);
  const arena = createArena();
  const compiled = scene.rods.map((spec, index) => {
    const path = ['rods', index];
    const rod = compileRod(spec, scene, [...placed[index], ...branches[index]], path, warnings, arena);
    return animateRod(rod, spec, path, features);
  });
  const welds: Weld[] = [];
  const bodyOf = ({ path: [list, k] }: Pick<PlacedPin, 'path'>) =>
    list === 'welds' ? bodies[bodyOfWeld[Number(k)]] : undefined;
  const pinned = compiled.map(({ rod, layout }, index): PinnedRod => {
    const pins = placed[index].map((pin) => compilePin(pin, rod, index, layout));
    checkPinsDisagree(pins);
    // free bodies come along
    checkReach(
      pins.filter((pin) => !bodyOf(pin) || bodyOf(pin)?.path),
      rod,
      warnings,
    );
    // a weld is a pin that rides on its body
    const riding = pins.map((compiledPin) => {
      const { path } = compiledPin;
      if (path[0] !== 'welds' || !features.bodies) return compiledPin;
      const { pin, weld } = features.bodies.attach(compiledPin, rod, index, bodies, bodyOfWeld[path[1] as number]);
      if (weld) welds.push(weld);
      return { ...compiledPin, pin };
    });
    return { rod, spec: scene.rods[index], pins: riding };
  });
  const starts = moveTrees(scene, pinned, { bodies, welds, module: features.bodies }, warnings);
  const carried = starts.flatMap(({ pins }, index) => pins.filter((_, p) => bodyOf(placed[index][p])?.path));
  const grown = compiled.map(({ rod }, k): Rod => {
    const parent = findParent(scene, k, compiled, findRod);
    const { laid } = starts[k];
    return parent || laid ? { ...rod, ...(parent && { parent }), ...(laid && { laid }) } : rod;
  });
  const sources = compileSources(scene, compiled, findRod, features);
  const drives = starts.map(({ pins }, index): Drive => ({ pins, sources: sources[index] }));
  features.bodies?.checkBodiesAreTied(bodies, new Set(bodyOfWeld));
  const releases = (scene.pins ?? [])
    .flatMap(({ release }) => (release === undefined ? [] : [release]))
    .sort((a, b) => a - b);
  checkOutput(scene, (id, path) => compiled[findRod(id, path)].layout);
  const links = features.compileLinks?.(scene, findRod, (rod) => compiled[rod].layout, grown) ?? [];
  const jumps = compileJumps(scene);
  return { scene, rods: grown, drives, bodies, welds, links, carried, releases, ...(jumps && { jumps }), warnings };
}

/** The bodies of the scene; rejects bodies and their loads if no model of the world brings the code for them. */
function compileBodies(scene: Scene, { bodies }: SceneFeatures): CompiledBody[] {
  if (bodies) return bodies.compileBodies(scene);
  const load = scene.loads?.findIndex(({ type }) => type === 'body-force' || type === 'body-torque') ?? -1;
  const path = scene.bodies?.length ? ['bodies'] : load < 0 ? undefined : ['loads', load];
  if (path)
    throw new SceneError(
      path,
      `this program has der without bodies; pass derBodies to createDerModel, or remove '${path[0]}'`,
    );
  return [];
}

/** The rod with its animation, if the scene has one. */
function animateRod(compiled: CompiledRod, spec: RodSpec, path: Path, { animation }: SceneFeatures): CompiledRod {
  if (!spec.animate) return compiled;
  if (!animation)
    throw new SceneError(
      [...path, 'animate'],
      "this world was made without animated rods; pass animation of @tendril-sim/core/features to createWorld, or remove 'animate'",
    );
  const { rod, section } = compiled;
  return { ...compiled, rod: { ...rod, ...animation.compileAnimation(spec, rod, section.hasGeometry, path) } };
}

/** Index of the rod with an id; throws at `path` if there is none. */
type FindRod = (id: string, path: Path) => number;

function numberRods(scene: Scene): FindRod {
  const indexOf = new Map<string, number>();
  scene.rods.forEach(({ id }, index) => {
    const first = indexOf.get(id);
    if (first !== undefined)
      throw new SceneError(['rods', index, 'id'], `the id '${id}' is taken by rod ${first}; ids must differ`);
    indexOf.set(id, index);
  });
  return (id, path) => {
    const index = indexOf.get(id);
    if (index === undefined) throw new SceneError(path, `unknown rod '${id}'; known: ${listNames(indexOf.keys(), id)}`);
    return index;
  };
}

/** Pins and welds of each rod, and the body of each weld. */
function placePins(
  scene: Scene,
  bodies: readonly CompiledBody[],
  findRod: FindRod,
): { readonly placed: readonly PlacedPin[][]; readonly bodyOfWeld: readonly number[] } {
  const placed: PlacedPin[][] = scene.rods.map(() => []);
  scene.pins?.forEach((spec, k) => {
    placed[findRod(spec.rod, ['pins', k, 'rod'])].push({ spec, path: ['pins', k] });
  });
  const bodyOfWeld = (scene.welds ?? []).map((weld, k) => {
    const index = bodies.findIndex(({ body }) => body.id === weld.body);
    if (index < 0) {
      const known = bodies.map(({ body }) => body.id).join(', ') || 'none';
      throw new SceneError(['welds', k, 'body'], `unknown body '${weld.body}'; known: ${known}`);
    }
    const { rod, at, hold, axis } = weld;
    const spec = { rod, at, hold: hold ?? 'clamp', ...(axis && { axis }) };
    placed[findRod(weld.rod, ['welds', k, 'rod'])].push({ spec, path: ['welds', k] });
    return index;
  });
  return { placed, bodyOfWeld };
}

/** Bodies, and the places at which rods hold those without a path. */
interface Coupling {
  readonly bodies: readonly CompiledBody[];
  readonly welds: readonly Weld[];
  readonly module: BodyModule | undefined;
}

/**
 * Moves rods to their start poses, tree by tree: a rod, its branches and the free bodies that only they hold move as one. A tree with a body that another
 * tree also holds, or that is free along some axes only, does not move.
 */
function moveTrees(
  scene: Scene,
  pinned: readonly PinnedRod[],
  { bodies, welds, module }: Coupling,
  warnings: string[],
): StartPose[] {
  const trees = new Map<number, number[]>();
  // parents first, so that a parent's root is known
  const rootOf: number[] = [];
  const indexOf = new Map(scene.rods.map(({ id }, index) => [id, index]));
  scene.rods.forEach(({ parent }, index) => {
    const root = parent ? rootOf[indexOf.get(parent.rod) as number] : index;
    rootOf.push(root);
    trees.set(root, [...(trees.get(root) ?? []), index]);
  });
  const riding = new Set(welds.map(({ pin }) => pin));
  const starts: StartPose[] = [];
  for (const [root, members] of trees) {
    const carried = new Set(welds.filter(({ rod }) => rootOf[rod] === root).map(({ body }) => body));
    const canMove = [...carried].every(
      (index) =>
        !bodies[index].body.free.includes(0) && welds.every(({ body, rod }) => body !== index || rootOf[rod] === root),
    );
    // welds follow their bodies
    const moved = moveToPins(
      members.map((index) => ({
        ...pinned[index],
        pins: pinned[index].pins.filter(({ pin }) => !riding.has(pin)),
        canTwist: members.length === 1 && !pinned[index].pins.some(({ pin }) => riding.has(pin)),
      })),
      canMove,
      warnings,
    );
    const { motion } = moved;
    if (motion) for (const index of carried) module?.moveBody(bodies[index], motion);
    members.forEach((index, k) => {
      const own = [...moved.starts[k].pins];
      const pins = pinned[index].pins.map(({ pin }) => (riding.has(pin) ? pin : (own.shift() as Pin)));
      starts[index] = { ...moved.starts[k], pins };
    });
  }
  return starts;
}

function compileSources(
  scene: Scene,
  compiled: readonly CompiledRod[],
  findRod: (id: string, path: Path) => number,
  { wind }: SceneFeatures,
): LoadSource[][] {
  const sources: LoadSource[][] = compiled.map(({ rod }) => {
    const gravity = compileGravity(scene, rod);
    return gravity ? [gravity] : [];
  });
  scene.loads?.forEach((spec, k) => {
    if (spec.type === 'body-force' || spec.type === 'body-torque') return;
    const path = ['loads', k];
    const index = findRod(spec.rod, [...path, 'rod']);
    sources[index].push(compileLoad(spec, compiled[index].rod, compiled[index].layout, path));
  });
  scene.fields?.forEach((spec, k) => {
    const path = ['fields', k];
    const members = new Set(spec.rods?.map((id, i) => findRod(id, [...path, 'rods', i])) ?? compiled.keys());
    for (const index of members) sources[index].push(compileField(spec, compiled[index], path, wind));
  });
  return sources;
}
