/**
 * State hashes of every case with every model: the safety net for changes that must not alter results.
 *
 * Each case contributes the first scene that it measures at its coarsest quick resolution. Each scene is run for a few
 * steps plain, with kernels, and with one, two and three threads, and is brought to its equilibrium where statics applies.
 * One JSON file per model holds the hashes; `npm run hashes` writes them, `hashes.test.ts` compares them.
 */
import { readFileSync } from 'node:fs';
import { type Case, firstScene } from '@tendril-sim/cases';
import { createWorld, type Model, type ModelId, type Scene, type World } from '@tendril-sim/core';
import { loadDer, loadFiber, loadThreadedDer, loadThreadedFiber, type ThreadPort } from '@tendril-sim/core/kernels';

/** Hash of the state by way of computing: `statics`, `plain`, `kernels`, `threads 1`, ... */
export type Hashes = Readonly<Record<string, string>>;
/** Hashes by the id of the case. */
export type Table = Readonly<Record<string, Hashes>>;

/** Sets of models by way of computing, for the two models that have kernels. */
export type Engines = Readonly<Record<'der' | 'fiber', Readonly<Record<string, Model>>>>;

/** Steps with contact, which takes some steps to begin, and without. */
const contactSteps = 30;
const freeSteps = 8;

export const modelIds: readonly ModelId[] = ['der', 'helix', 'strand', 'fiber', 'cosserat', 'massspring'];

export function tableFile(model: ModelId): string {
  return `test/hashes/${model}.json`;
}

export function readTable(model: ModelId): Table {
  return JSON.parse(readFileSync(tableFile(model), 'utf8')) as Table;
}

/** Kernels, alone and with threads that take part in whatever they can. `start`: as `startThreads` of @tendril-sim/io/node. */
export async function loadEngines(start: (count: number) => { ports: readonly ThreadPort[] }): Promise<Engines> {
  const eager = { leastParts: 2, leastTouching: 2, leastNumbers: 1, leastNodes: 1 };
  const engines = { der: {}, fiber: {} } as Record<keyof Engines, Record<string, Model>>;
  engines.der.kernels = await loadDer();
  engines.fiber.kernels = await loadFiber();
  for (const count of [1, 2, 3]) {
    engines.der[`threads ${count}`] = await loadThreadedDer(start(count).ports, eager);
    engines.fiber[`threads ${count}`] = await loadThreadedFiber(start(count).ports, eager);
  }
  return engines;
}

const hasContact = (scene: Scene): boolean =>
  (scene.colliders ?? []).length > 0 || (scene.contact !== undefined && scene.contact.between !== 'none');

function stepHash(world: World, count: number): string {
  for (let k = 0; k < count; k++) world.step();
  return world.hash();
}

export function computeHashes(subject: Case, model: ModelId, engines: Engines): Hashes {
  const scene = firstScene(subject, model);
  const hashes: Record<string, string> = {};
  const touches = hasContact(scene);
  if (!touches) {
    const world = createWorld(scene);
    world.equilibrate();
    hashes.statics = world.hash();
  }
  if (!scene.time) return hashes;
  const count = touches ? contactSteps : freeSteps;
  hashes.plain = stepHash(createWorld(scene), count);
  if (model === 'der' || model === 'fiber')
    for (const [way, engine] of Object.entries(engines[model]))
      hashes[way] = stepHash(createWorld(scene, { models: [engine] }), count);
  return hashes;
}
