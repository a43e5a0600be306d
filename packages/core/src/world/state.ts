/** Saves, restores and hashes the state of a world. */
import { SceneError } from '../errors.ts';
import { hashArrays } from '../observe/hash.ts';
import { animateRods } from './animateRods.ts';
import { moveBodiesOnPaths, type WorldParts } from './build.ts';
import type { WorldState } from './types.ts';

/** Copies everything that the next step depends on. */
export function saveState(world: WorldParts): WorldState {
  const { clock, engine } = world;
  return { ...saveRods(world, clock.time), ...(engine && { engine: engine.session.save() }) };
}

/** Copies the state at time t within a step, without that of the engine, which changes only at the end of a step. */
export function saveRods(world: WorldParts, t: number): WorldState {
  const { clock, bundles, contact } = world;
  return {
    time: t,
    stepCount: clock.stepCount,
    bundles: bundles.map(({ state }) => ({ q: state.q.slice(), v: state.v.slice(), memory: state.memory.slice() })),
    ...(contact && { contact: saveContact(world) }),
  };
}

/** Forces of contacts and links, then those of the continuum. */
function saveContact({ contact, continuum }: WorldParts): Float64Array {
  const pair = contact?.save() ?? new Float64Array(0);
  if (!continuum) return pair;
  const saved = new Float64Array(pair.length + continuum.savedLength);
  saved.set(pair);
  saved.set(continuum.save(), pair.length);
  return saved;
}

function restoreContact({ contact, continuum }: WorldParts, saved: Float64Array | undefined): void {
  const end = (saved?.length ?? 0) - (continuum?.savedLength ?? 0);
  contact?.restore(saved?.subarray(0, end));
  if (saved) continuum?.restore(saved.subarray(end));
}

/** Returns to a saved state. Throws SceneError if it belongs to another scene. */
export function restoreState(world: WorldParts, saved: WorldState): void {
  const { clock, bodies, bundles, continuum, engine } = world;
  const fits =
    saved.bundles?.length === bundles.length &&
    saved.bundles.every(({ q, v, memory }, k) => {
      const { state } = bundles[k];
      return q.length === state.q.length && v.length === state.v.length && memory.length === state.memory.length;
    }) &&
    (!continuum || !saved.contact || saved.contact.length >= continuum.savedLength);
  if (!fits)
    throw new SceneError(
      [],
      'the saved state belongs to another scene: the number of rods, nodes or the integrator differs',
    );
  clock.hasContactForces = false;
  clock.time = saved.time;
  clock.stepCount = saved.stepCount;
  clock.lastStep = 0;
  if (engine && saved.engine) engine.session.restore(saved.engine);
  moveBodiesOnPaths(bodies, saved.time);
  saved.bundles.forEach(({ q, v, memory }, k) => {
    bundles[k].state.q.set(q);
    bundles[k].state.v.set(v);
    bundles[k].state.memory.set(memory);
    bundles[k].refresh(saved.time);
  });
  restoreContact(world, saved.contact);
  animateRods(world, saved.time);
}

/** Hash of time and state, 16 hexadecimal digits. */
export function hashState(world: WorldParts): string {
  const { clock, bundles, contact } = world;
  return hashArrays([
    new Float64Array([clock.time]),
    ...bundles.flatMap(({ state }) => [state.q, state.v, state.memory]),
    ...(contact ? [saveContact(world)] : []),
  ]);
}
