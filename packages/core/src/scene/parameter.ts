/**
 * Equilibria along a number of the scene in place of time (`statics.parameter`): the time of the compiled scene is that number, and its pins, loads and rods
 * are those of the scene with this value, at t = 0.
 */
import { SceneError } from '../errors.ts';
import { capabilitiesOf, modelsWith } from '../models/registry.ts';
import type { Drive, LoadSource } from '../port.ts';
import type { CompiledScene } from './compile.ts';
import type { Pin, Rod } from './compiled.ts';
import type { Scene } from './types.ts';

/** Parts of a scene that may hold the parameter, and fields of a rod that may not. */
const ROOTS = ['rods', 'pins', 'loads', 'gravity', 'fields', 'materials', 'sections'];
const FIXED = ['law', 'animate', 'parent', 'surface', 'velocity', 'edges'];
const PATH = ['statics', 'parameter'] as const;

type Compile = (scene: Scene) => CompiledScene;
type Keyed = Readonly<Record<string, unknown>>;

/** Scenes of values that are kept: those of a central difference and of the points on both sides of it. */
const KEPT = 8;

/** The compiled scene along its number `name`, as described above. */
export function compileAlong(scene: Scene, name: string, compile: Compile): CompiledScene {
  refuse(scene, name);
  const kept = new Map<number, CompiledScene>();
  const { from = 0, to = from } = scene.statics ?? {};
  let isBuilt = false;
  const at = (asked: number): CompiledScene => {
    // models begin at t = 0
    const value = isBuilt ? asked : from;
    const known = kept.get(value);
    if (known) return known;
    const compiled = compile(writeNumber(scene, name, value));
    for (const old of kept.keys()) if (kept.size >= KEPT) kept.delete(old);
    kept.set(value, compiled);
    return compiled;
  };
  // the arrays of this scene change with the value, so it must not be one of the kept scenes
  const base = compile(writeNumber(scene, name, from));
  const last = compile(writeNumber(scene, name, to));
  const varies = last.rods.some((rod, r) => !isSame(rod, base.rods[r]));
  if (varies) refuseChangingRods(base.rods, scene, name);
  refuseClosedTwist(base.rods, last.rods, name);
  const { jumps: _, ...rest } = base;
  return {
    ...rest,
    scene,
    rods: base.rods.map((rod, r) => (varies ? { ...rod, at: (value) => rodAt(at(value), rod, r, name) } : rod)),
    drives: base.drives.map((drive, r) => varyDrive(drive, movesPins(name), (value) => at(value).drives[r])),
    releases: [],
    endBuilding() {
      isBuilt = true;
    },
  };
}

function refuse({ bodies, links, weaves, colliders, contact }: Scene, name: string): void {
  const parts = { bodies, links, weaves, colliders, contact };
  for (const [field, value] of Object.entries(parts))
    if (value !== undefined)
      throw new SceneError(PATH, `equilibria along '${name}' are for scenes without ${field}; let it change in time`);
}

/** The scene with another value of the number that `name` leads to, such as `rods.0.section.EI1`. */
export function writeNumber(scene: Scene, name: string, value: number): Scene {
  const keys = name.split('.');
  const reject = (words: string): never => {
    throw new SceneError(PATH, `'${name}' ${words}`);
  };
  if (!ROOTS.includes(keys[0])) reject(`is not in one of ${ROOTS.join(', ')}`);
  if (keys[0] === 'rods' && FIXED.includes(keys[2])) reject(`leads to '${keys[2]}', which cannot be the parameter`);
  const write = (node: unknown, k: number): unknown => {
    if (k === keys.length) return typeof node === 'number' ? value : reject('leads to something that is not a number');
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, keys[k]))
      return reject(`does not exist: there is no '${keys.slice(0, k + 1).join('.')}' in the scene`);
    const changed = write((node as Keyed)[keys[k]], k + 1);
    return Array.isArray(node)
      ? node.map((one, i) => (String(i) === keys[k] ? changed : one))
      : { ...node, [keys[k]]: changed };
  };
  const { parameter: _, from: __, to: ___, ...statics } = scene.statics ?? {};
  return write({ ...scene, statics }, 0) as Scene;
}

/** True if two rods differ in nothing but their initial position. */
function isSame(one: Rod, other: Rod): boolean {
  const names = ['edgeLengthRest', 'halfEI1', 'halfEI2', 'halfGJ', 'edgeEA', 'halfStrainRest', 'nodeMass'] as const;
  return names.every(
    (name) => one[name].length === other[name].length && one[name].every((x, k) => x === other[name][k]),
  );
}

/** Throws if the twist of a closed rod changes: an equilibrium keeps the twist with which the rod was closed. */
function refuseClosedTwist(rods: readonly Rod[], others: readonly Rod[], name: string): void {
  const twistOf = ({ nodeTwist }: Rod): number => nodeTwist.reduce((sum, twist) => sum + twist, 0);
  const rod = rods.find((one, r) => one.closed && Math.abs(twistOf(one) - twistOf(others[r])) > 1e-9);
  if (rod)
    throw new SceneError(
      PATH,
      `'${name}' changes the twist with which the closed rod '${rod.id}' starts, and a closed rod keeps it; twist its natural shape instead, by the parameter 'natural.frame.twist' of the rod`,
    );
}

/** Throws if the rods' model, or its integrator, has rods that cannot change. */
function refuseChangingRods(rods: readonly Rod[], { solver }: Scene, name: string): void {
  const other = rods.find((rod) => !capabilitiesOf(rod).changingRods);
  if (other)
    throw new SceneError(
      PATH,
      `'${name}' changes rods; that is for model ${modelsWith('changingRods').join(', ')}, and rod '${other.id}' is ${other.model}`,
    );
  const { backend = 'standard', integrator } = solver?.der ?? {};
  if (backend !== 'standard' || integrator === 'shake' || integrator === 'fast-projection')
    throw new SceneError(PATH, `'${name}' changes rods; that is for backend standard and implicit integrators`);
}

function rodAt({ rods }: CompiledScene, base: Rod, index: number, name: string): Rod {
  const rod = rods[index];
  if (rod.nodeCount === base.nodeCount && rod.edgeCount === base.edgeCount) return rod;
  throw new SceneError(PATH, `'${name}' changes the number of nodes of rod '${base.id}'`);
}

/** True if pins may move with the parameter. */
function movesPins(name: string): boolean {
  const [root, , field] = name.split('.');
  return root === 'pins' || (root === 'rods' && (field === 'shape' || field === 'frame'));
}

function varyDrive({ pins, sources }: Drive, moves: boolean, at: (value: number) => Drive): Drive {
  return {
    pins: pins.map((pin, k): Pin => {
      const { isStill: _, evaluateMotion: __, ...rest } = pin;
      return {
        ...rest,
        isStill: !moves,
        evaluate(pose, value) {
          at(value).pins[k].evaluate(pose, 0);
          pose.velocity.fill(0);
          pose.angularVelocity.fill(0);
        },
        holds: (value) => at(value).pins[k].holds(0),
      };
    }),
    sources: [sumSources(sources, (value) => at(value).sources)],
    stillAt: { time: 0 },
  };
}

function sumSources(base: readonly LoadSource[], at: (value: number) => readonly LoadSource[]): LoadSource {
  return {
    dependsOnState: base.some(({ dependsOnState }) => dependsOnState),
    addLoads(loads, samples, value) {
      for (const source of at(value)) source.addLoads(loads, samples, 0);
    },
    potential: (samples, value) => at(value).reduce((sum, source) => sum + source.potential(samples, 0), 0),
  };
}
