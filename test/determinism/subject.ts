/**
 * State hashes of short runs, in any engine: what `run.ts` and `determinism.test.ts` compare. Bundled for Node and for browsers, so it
 * imports nothing of Node.
 *
 * A subject is the first scene that a case measures with a model; a way is how it is computed.
 */
import { cases, firstScene } from '@tendril-sim/cases';
import { createWorld, type Model, type ModelId, type Scene, type World } from '@tendril-sim/core';

/** A model in place of the plain one, for the way `kernels` and for threads. */
export type Engines = Readonly<Partial<Record<ModelId, Model>>>;
export const habits = ['steps', 'reads', 'resumes'] as const;
/** Only steps; reads everything between steps; saves and goes on in a new world after every step. */
export type Habit = (typeof habits)[number];

/** Case and model: `drop der`. */
export function listSubjects(): string[] {
  return cases.flatMap(({ id, models }) => models.map((model) => `${id} ${model}`));
}

function sceneOf(subject: string): Scene {
  const [id, model] = subject.split(' ');
  const found = cases.find((one) => one.id === id);
  if (!found) throw new Error(`there is no case '${id}'`);
  return firstScene(found, model as ModelId);
}

function readEverything(world: World): void {
  world.energies();
  world.momentum();
  world.reactions();
  world.rods.forEach((_, rod) => {
    world.channel(rod, 'curvature');
    world.channel(rod, 'twist');
  });
  world.contactForces();
  world.linkForces();
  world.hash();
  world.save();
}

/** Hash after `steps` steps; of the equilibrium for a scene without time. `undefined`: the engines have no part in it. */
export function hashOf(subject: string, habit: Habit, steps: number, engines?: Engines): string | undefined {
  const scene = sceneOf(subject);
  const engine = engines?.[subject.split(' ')[1] as ModelId];
  if (engines && !engine) return undefined;
  const open = (): World => createWorld(scene, engine ? { models: [engine] } : {});
  let world = open();
  if (!scene.time) {
    world.equilibrate();
    return world.hash();
  }
  for (let k = 0; k < steps; k++) {
    world.step();
    if (habit === 'reads') readEverything(world);
    if (habit === 'resumes') {
      const next = open();
      next.restore(world.save());
      world = next;
    }
  }
  return world.hash();
}
