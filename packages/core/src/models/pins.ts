/** Pins for models with one unknown per coordinate of a node: the unknowns that they prescribe, and their reactions. */
import type { Reaction } from '../model.ts';
import { isFirstToHold, type Pin, type PinPose } from '../scene/compiled.ts';
import { interpolateTurns, type PrescribedTurn } from '../scene/startTwist.ts';

/** The pins of a rod, and the pose of each at the last evaluation. */
export interface Pinned {
  readonly pins: readonly Pin[];
  readonly poses: readonly PinPose[];
}

export function evaluatePoses({ pins, poses }: Pinned, t: number): void {
  for (let p = 0; p < pins.length; p++) pins[p].evaluate(poses[p], t);
}

/** Marks the coordinates that active pins hold, and no others; `first` is the first unknown of a node. */
export function markHeld(fixed: Uint8Array, { pins, poses }: Pinned, first: (node: number) => number): void {
  fixed.fill(0);
  for (let p = 0; p < pins.length; p++) {
    if (!poses[p].active) continue;
    const o = first(pins[p].node);
    if (pins[p].holdX) fixed[o] = 1;
    if (pins[p].holdY) fixed[o + 1] = 1;
    if (pins[p].holdZ) fixed[o + 2] = 1;
  }
}

/** Turn at the middle of edge j [rad], interpolated between prescribed ones, which are sorted by arc length. */
export function interpolateTurn(
  list: readonly PrescribedTurn[],
  rod: { readonly nodeArc: Float64Array; readonly length: number },
  j: number,
): number {
  const end = j + 1 < rod.nodeArc.length ? rod.nodeArc[j + 1] : rod.length;
  return interpolateTurns(list, 0.5 * (rod.nodeArc[j] + end));
}

type Vector = [number, number, number];

/**
 * Reaction of each active pin: forces hold its position against the residual, torques turn its held frame. `stride` is the number of unknowns per node;
 * `heldPin` has the pin of each held frame, and `torque` the torque on that frame, 3 numbers each [N m].
 */
export function listReactions(
  { pins, poses, rod, heldPin }: Pinned & { readonly rod: { readonly id: string }; readonly heldPin: Int32Array },
  residual: Float64Array,
  stride: number,
  torque: Float64Array,
): Reaction[] {
  const axes = [0, 1, 2];
  return pins.flatMap((pin, p): Reaction[] => {
    if (!poses[p].active) return [];
    const h = heldPin.indexOf(p);
    const force = axes.map((k) => (isFirstToHold(pins, poses, p, k) ? residual[stride * pin.node + k] : 0)) as Vector;
    return [
      { rod: rod.id, node: pin.node, force, torque: axes.map((k) => (h >= 0 ? torque[3 * h + k] : 0)) as Vector },
    ];
  });
}
