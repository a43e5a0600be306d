/**
 * Worlds of the studio: each model, and contact, is fetched when a scene first needs it. Most scenes use one of six models, and all of
 * them are a third of the worker.
 */
import type { Model, Scene, World, WorldOptions } from '@tendril-sim/core';
import type { contact as Contact } from '@tendril-sim/core/contact';
import { animation, paths, wind } from '@tendril-sim/core/features';
import { createWorld as createWorldOf } from '@tendril-sim/core/world';

const files = import.meta.glob<Record<string, unknown>>([
  '../../../core/src/models/*/index.ts',
  '../../../core/src/models/der/lean.ts',
  '../../../core/src/batch/model.ts',
]);

/** Stands for the batch backend of `der` among the names of models. */
const BATCH = 'batch';

/** Stands for all of `der`; scenes without contact and bodies need no more than a smaller file. */
const WHOLE = 'whole-der';

const special: Readonly<Record<string, string>> = {
  [BATCH]: 'batch/model',
  [WHOLE]: 'models/der/index',
  der: 'models/der/lean',
};
const fileOf = (name: string): string => `../../../core/src/${special[name] ?? `models/${name}/index`}.ts`;

/** Stands for contact, obstacles and links among the names of models. */
const CONTACT = 'contact';

const fetched = new Map<string, Model>();
let contact: typeof Contact | undefined;

async function fetchContact(): Promise<void> {
  contact ??= (await import('@tendril-sim/core/contact')).contact;
}

const isModel = (value: unknown): value is Model =>
  typeof value === 'object' && value !== null && 'compile' in value && 'id' in value;

/** Fetches models that are not there yet; names of models that do not exist are left to the world to refuse. */
export async function fetchModels(names: Iterable<string>): Promise<void> {
  const missing = [...new Set(names)].filter((name) => !fetched.has(name));
  await Promise.all(
    missing.map(async (name) => {
      if (name === CONTACT) return fetchContact();
      const file = await files[fileOf(name)]?.();
      const model = Object.values(file ?? {}).find(isModel);
      if (model) fetched.set(name, model);
    }),
  );
}

/** Models that a scene needs, under the variants that are shown; what is cut off a rod may go on as `der`. */
export function modelsOf(scene: Scene, variants: readonly { readonly id: string }[]): string[] {
  const named = variants.flatMap(({ id }) =>
    id === '' ? scene.rods.map(({ model = 'der' }) => model) : id.split('/')[0],
  );
  const { contact, links, colliders, weaves, solver } = scene;
  const needsContact = contact || links || colliders || weaves;
  return [
    ...named,
    'der',
    ...(isPlain(scene, variants) ? [] : [WHOLE]),
    ...(solver?.der?.backend === 'batch' ? [BATCH] : []),
    ...(needsContact ? [CONTACT] : []),
  ];
}

/** Fields of scenes that the smaller file of `der` computes; any other field takes the whole model. */
const plainFields: ReadonlySet<string> = new Set<keyof Scene>([
  'tendril',
  'title',
  'description',
  'gravity',
  'materials',
  'sections',
  'rods',
  'pins',
  'loads',
  'fields',
  'time',
  'solver',
  'output',
]);

const isExplicit = (integrator: string | undefined): boolean =>
  integrator === 'shake' || integrator === 'fast-projection';

function isPlain(scene: Scene, variants: readonly { readonly id: string }[]): boolean {
  const used = Object.entries(scene).filter(([, value]) => value !== undefined);
  // a scene without time shows its modes
  if (!scene.time || used.some(([field]) => !plainFields.has(field))) return false;
  if (isExplicit(scene.solver?.der?.integrator) || variants.some(({ id }) => isExplicit(id.split('/')[1])))
    return false;
  return scene.rods.every(
    ({ law, break: strength, natural, parent }) => !law && !strength && natural !== 'equilibrium' && !parent,
  );
}

/** The models that were fetched; all of `der` goes before its smaller part. */
const modelsInUse = (): Model[] => {
  const whole = fetched.get(WHOLE);
  return [...(whole ? [whole] : []), ...fetched.values()];
};

/** A world with the models that were fetched. */
export function createWorld(scene: Scene, options: WorldOptions = {}): World {
  const features = { ...(contact && { contact }), animation, wind, paths };
  return createWorldOf(scene, { ...features, models: modelsInUse(), ...options });
}
