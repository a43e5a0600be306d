/** Points on a rod, for probes and for drawing pins. */
import type { Rod } from '../scene/compiled.ts';
import type { Location } from '../scene/types.ts';

/** The lengths of a rod that places refer to. */
export type RodCurve = Pick<Rod, 'nodeCount' | 'edgeCount' | 'length'> & { readonly nodeArc: ArrayLike<number> };

/** A place on a rod as edge and share of its second node. */
export interface RodPlace {
  /** The edge and how far along it, 0…1; the node at its start. */
  readonly edge: number;
  /** Fraction of the edge, 0 to 1. */
  readonly along: number;
}

/** Finds a place on a rod. */
export function placeOn(rod: RodCurve, at: Location): RodPlace {
  if (at === 'start') return { edge: 0, along: 0 };
  if (at === 'end')
    return rod.edgeCount === rod.nodeCount ? { edge: 0, along: 0 } : { edge: rod.edgeCount - 1, along: 1 };
  if ('node' in at) {
    return at.node < rod.edgeCount ? { edge: at.node, along: 0 } : { edge: rod.edgeCount - 1, along: 1 };
  }
  const arc = 'u' in at ? at.u * rod.length : at.s;
  let edge = 0;
  while (edge + 1 < rod.edgeCount && rod.nodeArc[edge + 1] <= arc) edge++;
  const from = rod.nodeArc[edge];
  const to = edge + 1 < rod.nodeCount ? rod.nodeArc[edge + 1] : rod.length;
  return { edge, along: Math.min(1, Math.max(0, (arc - from) / (to - from))) };
}

/** Index of the node nearest to a place. */
export function nearestNode(rod: RodCurve, at: Location): number {
  const { edge, along } = placeOn(rod, at);
  return along < 0.5 ? edge : (edge + 1) % rod.nodeCount;
}
