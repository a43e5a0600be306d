/** Saves, restores and hashes the state of a world. */
import { SceneError } from '../errors.ts';
import { hashArrays } from '../observe/hash.ts';
import { moveBodiesOnPaths, type WorldParts } from './build.ts';
import type { WorldState } from './types.ts';

/** Copies everything that the next step depends on. */
export function saveState(world: WorldParts): WorldState {
  const { clock, engine } = world;
  return { ...saveRods(world, clock.time), ...(engine && { engine: engine.session.save() }) };
}

/** The same at time t within a step, less the engine's state, which changes at the end of a step only. */
export function saveRods({ clock, bundles, contact }: WorldParts, t: number): WorldState {
  return {
    time: t,
    stepCount: clock.stepCount,
    bundles: bundles.map(({ state }) => ({ q: state.q.slice(), v: state.v.slice(), memory: state.memory.slice() })),
    ...(contact && { contact: contact.save() }),
  };
}

/** Returns to a saved state. Throws SceneError if it belongs to another scene. */
export function restoreState({ clock, bodies, bundles, contact, engine }: WorldParts, saved: WorldState): void {
  const fits =
    saved.bundles.length === bundles.length &&
    saved.bundles.every(({ q, v, memory }, k) => {
      const { state } = bundles[k];
      return q.length === state.q.length && v.length === state.v.length && memory.length === state.memory.length;
    });
  if (!fits)
    throw new SceneError(
      [],
      'the saved state belongs to another scene: the number of rods, nodes or the integrator differs',
    );
  clock.hasContactForces = false;
  clock.time = saved.time;
  clock.stepCount = saved.stepCount;
  if (engine && saved.engine) engine.session.restore(saved.engine);
  moveBodiesOnPaths(bodies, saved.time);
  saved.bundles.forEach(({ q, v, memory }, k) => {
    bundles[k].state.q.set(q);
    bundles[k].state.v.set(v);
    bundles[k].state.memory.set(memory);
    bundles[k].refresh(saved.time);
  });
  contact?.restore(saved.contact);
}

/** Hash of time and state, 16 hexadecimal digits. */
export function hashState({ clock, bundles, contact }: WorldParts): string {
  return hashArrays([
    new Float64Array([clock.time]),
    ...bundles.flatMap(({ state }) => [state.q, state.v, state.memory]),
    ...(contact ? [contact.save()] : []),
  ]);
}
