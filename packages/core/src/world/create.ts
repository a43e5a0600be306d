/**
 * The world: compiles a scene and moves its rods through time. Read this file first, then step.ts.
 *
 * `buildWorld` (build.ts) creates the parts of a world, step.ts advances them, read.ts and statics.ts answer queries about them.
 * Nothing in this folder depends on the inside of a model.
 */
import type { WorldOptions } from '../engine.ts';
import type { LoadSource } from '../port.ts';
import type { Scene } from '../scene/types.ts';
import { buildWorld, readBack, restartMotion } from './build.ts';
import { createAuditor } from './energyAudit.ts';
import { createReadings } from './read.ts';
import { hashState, restoreState, saveState } from './state.ts';
import { createStatics } from './statics.ts';
import { stepWorld } from './step.ts';
import type { World } from './types.ts';

export type { EnergyGain, EnergyLoss, MomentumGain, StepReport, World, WorldBody, WorldState } from './types.ts';

/**
 * Compiles a scene to a world that has only the models and the contact of `options`. Throws SceneError, with the path of the field, if the scene is
 * invalid.
 */
export function createWorld(input: Scene, options: WorldOptions = {}): World {
  const parts = buildWorld(input, options);
  const auditor = createAuditor(parts);
  const { scene, rods, samples, bodies, colliders, grips, warnings, contact, clock, drives } = parts;
  return {
    scene,
    rods,
    get samples() {
      readBack(parts);
      return samples;
    },
    bodies: bodies.map(({ body, pose, energies }) => ({ id: body.id, pose, energies })),
    colliders,
    grips,
    warnings,
    get time() {
      return clock.time;
    },
    get stepCount() {
      return clock.stepCount;
    },
    step: (dt = scene.time?.step ?? 0, reading = 'now') => stepWorld(parts, auditor, dt, reading),
    ...createStatics(parts, auditor.forget),
    ...createReadings(parts),
    contactReport: contact?.report,
    hash: () => hashState(parts),
    save: () => saveState(parts),
    restore(state) {
      auditor.forget();
      restoreState(parts, state);
    },
    addLoad(rod, source) {
      checkLoad(rods, rod, source);
      const drive = drives[rod];
      drive.sources.push(source);
      drive.overrides++;
      restartMotion(parts, clock.time);
      return () => {
        const at = drive.sources.indexOf(source);
        if (at < 0) return;
        drive.sources.splice(at, 1);
        drive.overrides--;
        restartMotion(parts, clock.time);
      };
    },
  };
}

/** Rejects a rod, node or edge that does not exist: it would silently write outside the rod's arrays. */
function checkLoad(rods: World['rods'], rod: number, { node, edge }: LoadSource): void {
  const reject = (what: string, index: number, count: number): never => {
    const known = count > 0 ? `${what}s are 0 to ${count - 1}` : `it has no ${what}`;
    throw new RangeError(`addLoad: there is no ${what} ${index}; ${known}`);
  };
  if (!Object.hasOwn(rods, rod)) reject('rod', rod, rods.length);
  if (node !== undefined && node >= rods[rod].nodeCount) reject('node', node, rods[rod].nodeCount);
  if (edge !== undefined && edge >= rods[rod].edgeCount) reject('edge', edge, rods[rod].edgeCount);
}
