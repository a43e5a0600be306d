/** Interface of a rod's law for the rest of the model; material.ts implements it. */
import type { SectionLaw } from '../../materials/law.ts';

/** The law of a rod, and its internal variables. */
export interface RodMaterial {
  readonly law: Pick<SectionLaw, 'isElastic' | 'isLinearAtRest' | 'naturalFactor'>;
  /** Time of the internal variables, and of the rod's current state [s]; part of the saved state. */
  readonly time: Float64Array;
  /** Sets the time of the current state; in an equilibrium at one instant it does not change. */
  setTime(t: number): void;
  /** Throws SceneError unless the law is one of `needed`: the request is not defined for others. */
  refuse(what: string, needed: readonly ('isElastic' | 'isLinearAtRest')[]): void;
  /** Makes the current state that of the internal variables: call where a step starts. */
  advance(): void;
  /** Starts a search for an equilibrium from the current state, before its pins move. Until it ends, laws that relax are fully relaxed. */
  beginRest(): void;
  /** Ends it. Only an equilibrium becomes the state of the internal variables. */
  endRest(isEquilibrium: boolean): void;
  /** Ends it without a result, after the state was written from outside. */
  leaveRest(): void;
  /** Adds the recoverable energy. */
  addEnergy(out: { bending: number; twisting: number }): void;
  /** Energy turned into heat since the start [J]. */
  measureHeat(): number;
}
