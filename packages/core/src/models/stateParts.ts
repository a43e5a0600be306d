/** Copies of a bundle's state, and the part of a copy that belongs to one rod. */

import type { BundleState } from '../model.ts';
import type { Allocate } from '../port.ts';

export function copyState(to: BundleState, from: BundleState): void {
  to.q.set(from.q);
  to.v.set(from.v);
  to.memory.set(from.memory);
}

export function cloneState(state: BundleState): BundleState {
  return { q: state.q.slice(), v: state.v.slice(), memory: state.memory.slice() };
}

/** Memory for a copy of a bundle's state from `allocate`, which threads may share. `rods`: their parts of the state. */
export function allocateCopy(
  allocate: Allocate,
  state: BundleState,
  rods: readonly { readonly size: number; readonly memory: Float64Array }[],
): BundleState {
  const sizes = rods.map(({ size }) => size);
  const memories = rods.map(({ memory }) => memory.length);
  return {
    q: allocate(state.q.length, sizes),
    v: allocate(state.v.length, sizes),
    memory: allocate(state.memory.length, memories),
  };
}

/** Numbers of one rod in the state of its bundle. */
export interface StateSize {
  readonly q: number;
  readonly v: number;
  readonly memory: number;
}

/** The state of a bundle whose rods have these sizes, and each rod's part of it. */
export function packState(sizes: readonly StateSize[]): {
  readonly state: BundleState;
  readonly parts: readonly BundleState[];
} {
  const at = { q: 0, v: 0, memory: 0 };
  const total = (name: keyof StateSize): number => sizes.reduce((sum, size) => sum + size[name], 0);
  const state = {
    q: new Float64Array(total('q')),
    v: new Float64Array(total('v')),
    memory: new Float64Array(total('memory')),
  };
  const take = (name: keyof StateSize, count: number): Float64Array => {
    at[name] += count;
    return state[name].subarray(at[name] - count, at[name]);
  };
  const parts = sizes.map(({ q, v, memory }) => ({ q: take('q', q), v: take('v', v), memory: take('memory', memory) }));
  return { state, parts };
}

/** The part of `copy`, a copy of the state `whole`, that belongs to a rod whose arrays are views of `whole`. */
export function partOf(rod: BundleState, whole: BundleState, copy: BundleState): BundleState {
  return {
    q: sameSlice(rod.q, whole.q, copy.q),
    v: sameSlice(rod.v, whole.v, copy.v),
    memory: sameSlice(rod.memory, whole.memory, copy.memory),
  };
}

/** The part of `other` at the offset that `view` has in `whole`. */
export function sameSlice(view: Float64Array, whole: Float64Array, other: Float64Array): Float64Array {
  const o = (view.byteOffset - whole.byteOffset) / 8;
  return other.subarray(o, o + view.length);
}
