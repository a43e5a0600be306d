/** How a scene's rods are handed to the models: all rods of one model make a bundle. */
import { batchModel } from '../batch/model.ts';
import { SceneError } from '../errors.ts';
import type { Bundle, Drive, Model } from '../model.ts';
import { models } from '../models/index.ts';
import type { CompiledScene } from '../scene/compile.ts';
import type { ModelId, Scene } from '../scene/types.ts';

/** The models that `createWorld` has, in the order of their arrival. */
export function availableModels(): readonly ModelId[] {
  return Object.keys(models) as ModelId[];
}

/** Where a rod of the scene is. */
export interface BundlePlace {
  readonly bundle: Bundle;
  readonly index: number;
}

/** The scene's backend comes first, then what the caller injects. */
function chooseModel(id: ModelId, scene: Scene, chosen: readonly Model[]): Model | undefined {
  if (id === 'der' && scene.solver?.der?.backend === 'batch') return batchModel;
  return chosen.find((candidate) => candidate.id === id) ?? models[id];
}

/** `open`: what drives each rod, in lists that may be added to; `chosen`: models in place of the built-in ones. */
export function compileBundles(
  scene: Scene,
  compiled: CompiledScene,
  open: readonly Drive[],
  chosen: readonly Model[],
): { readonly bundles: Bundle[]; readonly placeOfRod: BundlePlace[] } {
  const { rods } = compiled;
  const bundles: Bundle[] = [];
  const placeOfRod: BundlePlace[] = [];
  for (const id of new Set(rods.map((rod) => rod.model))) {
    const members = rods.flatMap((rod, index) => (rod.model === id ? [index] : []));
    const model = chooseModel(id, scene, chosen);
    if (!model) {
      throw new SceneError(
        ['rods', members[0], 'model'],
        `model '${id}' is not available; use one of: ${Object.keys(models).join(', ')}`,
      );
    }
    const hinge =
      id === 'der'
        ? undefined
        : members.find((index) => compiled.drives[index].pins.some((pin) => pin.orientation === 'hinge'));
    if (hinge !== undefined)
      throw new SceneError(['rods', hinge, 'model'], `model '${id}' has no hinges; use der, or hold: position`);
    const changing = members.find((index) => rods[index].moduli);
    if (changing !== undefined && !model.capabilities.changingModuli) {
      throw new SceneError(
        ['rods', changing, 'moduli'],
        `model '${id}' has moduli that do not change in time; remove 'moduli', or use model: fiber, cosserat or strand`,
      );
    }
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
      { bodies: compiled.bodies, welds },
    );
    members.forEach((index, k) => {
      placeOfRod[index] = { bundle, index: k };
    });
    bundles.push(bundle);
  }
  return { bundles, placeOfRod };
}
