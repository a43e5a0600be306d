/** What paths of equilibria (`paths` in features.ts) need of a world, and what they are to it. A world without them does not bundle their code. */
import type { Bundle, EquilibriumOptions, EquilibriumReport } from '../model.ts';
import type { LoadSource, Samples } from '../port.ts';
import type { CompiledBody, Weld } from '../scene/bodies.ts';
import type { Pin, Rod } from '../scene/compiled.ts';
import type { Scene } from '../scene/types.ts';
import type { WorldState } from './types.ts';

/** A world, as far as paths of equilibria need it. */
export interface PathWorld {
  readonly scene: Scene;
  readonly rods: readonly Rod[];
  readonly samples: readonly Samples[];
  readonly placeOfRod: readonly { readonly bundle: Bundle; readonly index: number }[];
  readonly drives: readonly { readonly pins: readonly Pin[]; readonly sources: readonly LoadSource[] }[];
  readonly bodies: readonly CompiledBody[];
  readonly welds: readonly Weld[];
  readonly contact: { applyContactForces(): void } | undefined;
  readonly clock: { time: number };
  /** Elastic energy now, with what laws have turned into heat [J]. */
  storedEnergy(): number;
  /** Copies the state of the rods. */
  save(): WorldState;
  /** Returns to a saved state. */
  restore(state: WorldState): void;
}

/** Searches for equilibria at times along a path. */
export interface PathSearch {
  /** Searches for the equilibria of all rods at time t, from the current state. */
  search(t: number): EquilibriumReport[];
  /** True if unstable equilibria are left. */
  readonly seeks: boolean;
  readonly tolerance: number;
}

/** After a search for the equilibrium at t: another one, from the state before; undefined, and the state as it is, if there is no need or no success. */
export type Retry = (
  t: number,
  wanted: EquilibriumOptions,
  reports: readonly EquilibriumReport[],
) => EquilibriumReport[] | undefined;

/** Paths of equilibria, for `createWorld` of `@tendril-sim/core/world`. */
export interface PathModule {
  /** Finds the equilibria at t that follow those that the world is in, on the same branch if possible. */
  followBranch(world: PathWorld, t: number, search: PathSearch): EquilibriumReport[];
  /** To be called before a search, in the state that it starts from. Undefined if there is no other way to search. */
  prepareRetry(world: PathWorld): Retry | undefined;
}
