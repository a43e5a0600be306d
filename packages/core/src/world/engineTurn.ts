/** Steps the rigid-body engine, after the rods. */

import type { BodyMotion, EngineSession, WorldOptions } from '../engine.ts';
import { SceneError, SimulationError } from '../errors.ts';
import type { Bundle } from '../model.ts';
import type { CompiledBody } from '../scene/bodies.ts';
import type { Scene } from '../scene/types.ts';

export function refuseEngine({ bodies: engine }: WorldOptions, what: string): void {
  if (engine)
    throw new SceneError(
      ['engine'],
      `${what} do not include the joints and contacts of ${engine.name}; run the scene until it comes to rest`,
    );
}

export interface EngineTurn {
  readonly session: EngineSession;
  /** Saves the poses of the bodies. */
  begin(): void;
  /** Lets the engine respond to their motion since, and moves them to its result. */
  finish(t: number, dt: number): void;
}

/** Motion of a body over a step, for the engine. */
function createMotion({ id, pose }: Pick<BodyMotion, 'id' | 'pose'>): BodyMotion {
  return {
    id,
    startPosition: new Float64Array(3),
    startOrientation: new Float64Array(4),
    startVelocity: new Float64Array(3),
    startAngularVelocity: new Float64Array(3),
    pose,
    changed: false,
  };
}

function recordStart(motion: BodyMotion): void {
  motion.startPosition.set(motion.pose.position);
  motion.startOrientation.set(motion.pose.orientation);
  motion.startVelocity.set(motion.pose.velocity);
  motion.startAngularVelocity.set(motion.pose.angularVelocity);
  motion.changed = false;
}

/** The engine's part of a step, after the rods; undefined without an engine. */
export function createEngineTurn(
  scene: Scene,
  bodies: readonly CompiledBody[],
  bundles: readonly Bundle[],
  { bodies: engine }: WorldOptions,
): EngineTurn | undefined {
  if (!engine) {
    if (scene.engine)
      throw new SceneError(
        ['engine'],
        `the scene needs the engine '${scene.engine.type}' for its bodies; pass it as createWorld(scene, { bodies })`,
      );
    return undefined;
  }
  const session = engine.attach(
    bodies.filter(({ path }) => !path),
    scene,
  );
  const motions = bundles.map(({ bodies: list }) => list.map(createMotion));
  const all = motions.flat();
  return {
    session,
    begin() {
      for (const motion of all) recordStart(motion);
    },
    finish(t, dt) {
      session.respond(all, dt);
      const lost = all.find(
        ({ pose }) => ![...pose.position, ...pose.velocity, ...pose.angularVelocity].every(Number.isFinite),
      );
      if (lost)
        throw new SimulationError(
          '',
          t,
          `${engine.name} lost body '${lost.id}' in the step to t = ${t} s: its pose is not a number`,
          `try a smaller time.step than ${dt}`,
        );
      motions.forEach((list, k) => {
        if (list.some(({ changed }) => changed)) bundles[k].placeBodies?.(list, t);
      });
    },
  };
}
