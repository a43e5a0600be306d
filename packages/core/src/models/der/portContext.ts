/** Data of a bundle's contact: the start of the step, the linearization of its rods, and the sides of each system. */

import type { ContactSides } from '../../port.ts';
import type { DerBody } from './body.ts';
import { createHeld, type Held, type PortParts } from './contactParts.ts';
import { createSlot, type Slot } from './contactSlot.ts';
import type { Snapshot } from './snapshot.ts';
import type { Stage } from './stage.ts';
import type { System } from './welds.ts';

/** What one call of the implicit step solves: a system, or two that a kernel solves at once. */
export interface StepGroup {
  readonly list: readonly number[];
  readonly system: System;
  readonly rods: readonly number[];
  readonly starts: Held['startsOf'][number];
}

export interface PortContext extends PortParts, Held {
  readonly systemOfRod: Int32Array;
  /** Bodies of the bundle in the order of its list, with their system and their index in it. */
  readonly bodies: readonly { readonly body: DerBody; readonly system: number; readonly index: number }[];
  /** Each system separately, and pairs under the first of their systems. */
  readonly alone: readonly StepGroup[];
  readonly together: ReadonlyMap<number, StepGroup>;
  /** 1 for systems that are at the start of the step. */
  readonly atStart: Float64Array;
  /** Work space of `stepSystems`: 1 for systems that it has moved. */
  readonly moved: Uint8Array;
  readonly slots: (Slot | undefined)[];
  readonly snapshots: (Snapshot | undefined)[];
  /** Columns of an inverse, for `measureResponse`. */
  readonly inverse: Float64Array;
  /** Sides of each system with bodies, and the systems that have any, ascending. */
  readonly joinedSides: readonly number[][];
  readonly joinedSystems: number[];
  /** Length of the step, and its implicit Euler stage. */
  h: number;
  stage: Stage;
}

export function createPortContext(parts: PortParts): PortContext {
  const { ders, systems, bodyOrder, pairs } = parts;
  const systemOfRod = new Int32Array(ders.length);
  systems.forEach(({ rods }, s) => {
    for (const rod of rods) systemOfRod[rod] = s;
  });
  const held = createHeld(parts);
  const { startsOf } = held;
  return {
    ...parts,
    ...held,
    systemOfRod,
    bodies: systems
      .flatMap(({ system }, s) => system.bodies.map((body, b) => ({ body, system: s, index: b })))
      .sort((a, b) => bodyOrder.indexOf(a.body) - bodyOrder.indexOf(b.body)),
    alone: systems.map(({ system, rods }, s) => ({ list: [s], system, rods, starts: startsOf[s] })),
    together: new Map(
      pairs.map(({ systems: list, system }) => {
        const rods = list.flatMap((s) => systems[s].rods);
        return [list[0], { list, system, rods, starts: list.flatMap((s) => startsOf[s]) }];
      }),
    ),
    atStart: parts.allocate(
      systems.length,
      systems.map(() => 1),
    ),
    moved: new Uint8Array(systems.length),
    slots: [],
    snapshots: [],
    inverse: new Float64Array(11 * ders.reduce((most, der) => Math.max(most, der.size), 0)),
    joinedSides: systems.map(() => []),
    joinedSystems: [],
    h: 0,
    stage: { t: 0, inertia: 0, rate: 0 },
  };
}

export function slotOf({ slots, ders }: PortContext, rod: number): Slot {
  slots[rod] ??= createSlot(ders[rod]);
  return slots[rod];
}

/** True if a rod, or a body (negative), is solved together with bodies. */
export function isJoined({ systems, systemOfRod }: PortContext, rod: number): boolean {
  return rod < 0 || systems[systemOfRod[rod]].system.bodies.length > 0;
}

/** The body of side c in its system, −1 for a rod. */
export function bodyIn({ bodies }: PortContext, sides: ContactSides): (c: number) => number {
  return (c) => (sides.rod[c] >= 0 ? -1 : bodies[-1 - sides.rod[c]].index);
}

/** Finds the sides of each system with bodies. */
export function sortJoinedSides(context: PortContext, sides: ContactSides): void {
  const { joinedSides, joinedSystems, systemOfRod, bodies } = context;
  for (const s of joinedSystems) joinedSides[s].length = 0;
  joinedSystems.length = 0;
  for (let c = 0; c < sides.count; c++) {
    const rod = sides.rod[c];
    if (!isJoined(context, rod)) continue;
    const s = rod >= 0 ? systemOfRod[rod] : bodies[-1 - rod].system;
    if (joinedSides[s].push(c) === 1) joinedSystems.push(s);
  }
  joinedSystems.sort((a, b) => a - b);
}
