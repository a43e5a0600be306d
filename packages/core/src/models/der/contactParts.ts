/** Parts of a bundle that take part in contact, and their state at the start of a step. */

import type { BundleState } from '../../model.ts';
import type { Allocate } from '../../port.ts';
import type { NewtonOptions } from '../mixedNewton.ts';
import { allocateCopy, sameSlice } from '../stateParts.ts';
import type { DerBody } from './body.ts';
import type { System } from './coupling.ts';
import type { PairKernel } from './kernel.ts';
import type { DerRod } from './rod.ts';
import type { StepStart } from './slip.ts';
import type { Workspace } from './stage.ts';

/** All parts of a bundle that take part in contact. */
export interface PortParts {
  /** In the order of the bundle's list. */
  readonly bodyOrder: readonly DerBody[];
  readonly ders: readonly DerRod[];
  readonly works: readonly Workspace[];
  readonly systems: readonly {
    readonly system: System;
    readonly rods: readonly number[];
  }[];
  readonly state: BundleState;
  readonly newton: NewtonOptions;
  /** Single rods that a kernel solves two at a time: their systems, and both as one. */
  readonly pairs: readonly {
    readonly systems: readonly number[];
    readonly system: System;
    readonly kernel: PairKernel;
  }[];
  /** Updates quantities derived from a rod's state. */
  readonly renew: (rod: number) => void;
  /** Records that a kernel has moved a rod to time t, or that the rod is back at the start of the step (undefined): its derived quantities are outdated. */
  readonly movedTo: (rod: number, t: number | undefined) => void;
  /** In memory that threads share, like the state. */
  readonly allocate: Allocate;
}

/** State of all rods and bodies at the start of the step, and the part of each. */
export interface Held {
  readonly held: { readonly q: Float64Array; readonly v: Float64Array; readonly memory: Float64Array };
  readonly heldStarts: readonly (StepStart & { readonly memory: Float64Array })[];
  /** States at the start of the step, by system: of its rods, and of its bodies. */
  readonly startsOf: readonly (readonly (StepStart & { readonly memory: Float64Array })[])[];
  readonly heldBodies: readonly (readonly Float64Array[])[];
}

export function createHeld({ ders, systems, state, allocate }: PortParts): Held {
  const held = allocateCopy(allocate, state, ders);
  // rods of the same shape share their snapshots, so the start of a repeated step is kept here
  const heldStarts = ders.map((der) => ({
    q: sameSlice(der.q, state.q, held.q),
    v: sameSlice(der.v, state.v, held.v),
    edgeReference: sameSlice(der.edgeReference, state.memory, held.memory),
    jointReferenceTwist: sameSlice(der.jointReferenceTwist, state.memory, held.memory),
    memory: sameSlice(der.memory, state.memory, held.memory),
  }));
  const startsOf = systems.map(({ rods }) => rods.map((rod) => heldStarts[rod]));
  const heldBodies = systems.map(({ system }) =>
    system.bodies.map((body) => sameSlice(body.memory, state.memory, held.memory)),
  );
  return { held, heldStarts, startsOf, heldBodies };
}
