/**
 * Rods that cannot move: straight and inextensible between two held ends. Any tension balances there, and the verdict on stability by the tension that the
 * search happens to find means nothing: such a rod is stable.
 */
import { hypot } from '../math/rounded/index.ts';
import type { EquilibriumReport } from '../model.ts';
import type { Samples } from '../port.ts';
import type { Pin, Rod } from '../scene/compiled.ts';

/** Slack that counts as none, relative to the size of the coordinates: their rounding. */
const SLACK = 1e-13;

/** True if the rod is straight and inextensible between two held ends. */
export function isTaut(rod: Rod, { nodePosition: x }: Samples, pins: readonly Pin[], t: number): boolean {
  const { inextensible, closed, nodeCount, edgeLengthRest } = rod;
  if (!inextensible || closed) return false;
  const last = nodeCount - 1;
  const isHeld = (node: number): boolean => {
    const held = pins.filter((pin) => pin.node === node && pin.holds(t));
    return held.some((pin) => pin.holdX) && held.some((pin) => pin.holdY) && held.some((pin) => pin.holdZ);
  };
  if (!isHeld(0) || !isHeld(last)) return false;
  let length = 0;
  for (const edge of edgeLengthRest) length += edge;
  const o = 3 * last;
  const distance = hypot(x[o] - x[0], x[o + 1] - x[1], x[o + 2] - x[2]);
  const size = hypot(x[0], x[1], x[2]) + length;
  return distance >= length - SLACK * nodeCount * size;
}

/** The report on a rod that cannot move, if the search took it for unstable. */
export function correctTaut(report: EquilibriumReport): EquilibriumReport {
  const { converged, criterion, negativeModes, saddlesLeft, rod } = report;
  if (!converged || criterion !== 'energy' || (negativeModes === 0 && saddlesLeft === 0)) return report;
  return {
    ...report,
    negativeModes: 0,
    stable: true,
    saddlesLeft: 0,
    remark: `rod '${rod}' is straight and inextensible between held ends: it cannot move, so it is stable, and its tension is indeterminate. A rod with finite EA may buckle here`,
  };
}
