/** Assigns a scene's rods to the models: all rods of one model form a bundle. */
import { SceneError } from '../errors.ts';
import type { Bundle, Coupling, Drive, Model } from '../model.ts';
import { modelsThatAnimate, modelsWith } from '../models/registry.ts';
import type { CompiledScene } from '../scene/compile.ts';
import type { ModelId, Scene } from '../scene/types.ts';

/** The bundle that a rod of the scene is in, and its index there. */
export interface RodPlace {
  readonly bundle: Bundle;
  readonly index: number;
}

const STANDARD = 'standard';

/** Messages for backends whose model was not passed to `createWorld`. */
const needs: Readonly<Partial<Record<string, string>>> = {
  gpu: 'backend: gpu needs a GPU: use the command line, or pass a model of createGpuModel to createWorld',
  simd: 'backend: simd needs its kernels: use the command line, or pass the model of loadSimdDer to createWorld',
};

/** `solver.<id>.backend` of the scene; `auto` if it is not set, or if the model has only one implementation. */
function backendOf(id: ModelId, scene: Scene): string {
  const options = scene.solver?.[id];
  return options && 'backend' in options ? (options.backend ?? 'auto') : 'auto';
}

/** The first model with this id and, if the scene sets `solver.<id>.backend`, with that backend. */
export function chooseModel(id: ModelId, scene: Scene, models: readonly Model[]): Model | undefined {
  const backend = backendOf(id, scene);
  return models.find((model) => model.id === id && (backend === 'auto' || (model.backend ?? STANDARD) === backend));
}

/** Throws if the scene needs something of rods that their model does not support. */
function requireCapabilities(model: Model, { rods, drives }: CompiledScene, members: readonly number[]): void {
  const { id, backend, capabilities } = model;
  const hinged = members.find((index) => drives[index].pins.some((pin) => pin.orientation === 'hinge'));
  if (hinged !== undefined && !capabilities.hinges)
    throw new SceneError(
      ['rods', hinged, 'model'],
      `model '${id}' has no hinges; use ${modelsWith('hinges').join(', ')}, or hold: position`,
    );
  for (const index of members) {
    const field = rods[index].animation?.fields.find((one) => !capabilities.animated.includes(one));
    if (field === undefined) continue;
    const able = modelsThatAnimate(field);
    throw new SceneError(
      ['rods', index, 'animate', field],
      `model '${id}'${backend ? ` with backend: ${backend}` : ''} does not support '${field}' that changes in time; remove it, or use ${backend && able.includes(id) ? 'backend: standard' : `one of the models ${able.join(', ')}`}`,
    );
  }
  const lawful = members.find((index) => rods[index].law);
  if (lawful !== undefined && !capabilities.laws)
    throw new SceneError(
      ['rods', lawful, 'law'],
      `model '${id}' supports only linear elastic rods; remove 'law', or use one of the models ${modelsWith('laws').join(', ')}`,
    );
  const breakable = members.find((index) => rods[index].strength);
  if (breakable !== undefined && !capabilities.breaking)
    throw new SceneError(
      ['rods', breakable, 'break'],
      `rods of model '${id}'${backend ? ` with backend: ${backend}` : ''} do not break; remove 'break', or use ${backend && modelsWith('breaking').includes(id) ? 'backend: standard' : modelsWith('breaking').join(', ')}`,
    );
}

/** `open`: pins and loads of each rod, in lists that can grow. */
export function compileBundles(
  scene: Scene,
  compiled: CompiledScene,
  open: readonly Drive[],
  models: readonly Model[],
  onSubstep?: Coupling['onSubstep'],
): { readonly bundles: Bundle[]; readonly placeOfRod: RodPlace[] } {
  const { rods } = compiled;
  const bundles: Bundle[] = [];
  const placeOfRod: RodPlace[] = [];
  for (const id of new Set(rods.map((rod) => rod.model))) {
    const members = rods.flatMap((rod, index) => (rod.model === id ? [index] : []));
    const model = chooseModel(id, scene, models);
    if (!model) {
      const need = needs[backendOf(id, scene)];
      if (need) throw new SceneError(['solver', id, 'backend'], need);
      throw new SceneError(
        ['rods', members[0], 'model'],
        `model '${id}' is not available; use one of: ${[...new Set(models.map((one) => one.id))].join(', ') || 'none was given to createWorld'}`,
      );
    }
    requireCapabilities(model, compiled, members);
    const drives = members.map((index) => open[index]);
    const welds = compiled.welds.flatMap((weld) => {
      const index = members.indexOf(weld.rod);
      return index < 0 ? [] : [{ ...weld, rod: index }];
    });
    const mixed = welds.find((weld) =>
      compiled.welds.some((other) => other.body === weld.body && !members.includes(other.rod)),
    );
    if (mixed) {
      throw new SceneError(
        ['welds'],
        `body '${compiled.bodies[mixed.body].body.id}' joins rods of different models; weld it to rods of one model`,
      );
    }
    const bundle = model.compile(
      members.map((index) => rods[index]),
      drives,
      scene,
      { bodies: compiled.bodies, welds, ...(onSubstep && { onSubstep }) },
    );
    members.forEach((index, k) => {
      placeOfRod[index] = { bundle, index: k };
    });
    bundles.push(bundle);
  }
  return { bundles, placeOfRod };
}
