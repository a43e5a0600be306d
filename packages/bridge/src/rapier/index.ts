/**
 * Rods in a Rapier world: its joints, motors and collisions act on the bodies that rods are welded to. Neither program is changed:
 * see core's engine.ts for how the two take turns.
 *
 *     import RAPIER from '@dimforge/rapier3d-compat';
 *     await RAPIER.init();
 *     const world = createWorld(scene, { bodies: rapierEngine({ world: rapierWorld, bodies: { bob } }) });
 *
 * or, for a scene that says `engine: { type: rapier, … }` itself, `{ bodies: await loadRapier() }`.
 */
import RAPIER from '@dimforge/rapier3d-compat';
import type { BodyEngine, EngineSession } from '@tendril-sim/core';
import { buildFromScene } from './build.ts';
import { createSession, type RapierSession } from './session.ts';

/** World and bodies of Rapier that the engine uses. */
export interface RapierOptions {
  /** A world of your own, with whatever else is in it; default: an empty one with the scene's gravity. */
  readonly world?: RAPIER.World;
  /** Bodies of that world by the id that the scene has for them. The others are made from the scene. */
  readonly bodies?: Readonly<Record<string, RAPIER.RigidBody>>;
}

/** Body engine that moves bodies in a Rapier world. */
export interface RapierEngine extends BodyEngine {
  /** The Rapier world as it is now: a new object after `restore`. Undefined before a world was created. */
  readonly world: RAPIER.World | undefined;
  /** The Rapier body of a body of the scene. */
  body(id: string): RAPIER.RigidBody | undefined;
}

/** `await RAPIER.init()` first. One engine serves one world. */
export function rapierEngine(options: RapierOptions = {}): RapierEngine {
  let session: RapierSession | undefined;
  return {
    name: 'Rapier',
    get world() {
      return session?.world ?? options.world;
    },
    body: (id) => session?.body(id) ?? options.bodies?.[id],
    attach(bodies, scene): EngineSession {
      if (session) throw new Error('this engine serves another world already; make one with rapierEngine()');
      session = createSession(buildFromScene(options, bodies, scene));
      return session;
    },
  };
}

/** Starts Rapier, and gives an engine for a scene that describes its own joints and ground. */
export async function loadRapier(options: RapierOptions = {}): Promise<RapierEngine> {
  await RAPIER.init();
  return rapierEngine(options);
}
