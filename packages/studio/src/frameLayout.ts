/** What is where in the data of a frame: the one place that knows. */
import type { LaneInfo } from './protocol.ts';

interface Counts {
  readonly nodeCount: number;
  readonly edgeCount: number;
}

/** Offsets of a rod's quantities; a node or edge has as many numbers as `width` says. */
export interface RodLayout {
  readonly position: number;
  readonly director: number;
  readonly curvature: number;
  readonly twist: number;
  readonly tension: number;
  readonly contact: number;
}

export interface FrameLayout {
  readonly rods: readonly RodLayout[];
  /** Offset of the first body: position and orientation w x y z each. */
  readonly bodies: number;
  /** Offset of the first collider that moves: likewise. */
  readonly colliders: number;
  readonly length: number;
}

/** Numbers of a pose: position and quaternion. */
export const poseSize = 7;

/** Numbers that a rod has in a frame. */
export function rodSize({ nodeCount, edgeCount }: Counts): number {
  return 6 * nodeCount + 4 * edgeCount;
}

function layOut(offset: number, { nodeCount, edgeCount }: Counts): RodLayout {
  const director = offset + 3 * nodeCount;
  const curvature = director + 3 * edgeCount;
  const twist = curvature + nodeCount;
  const tension = twist + nodeCount;
  return { position: offset, director, curvature, twist, tension, contact: tension + edgeCount };
}

export function layoutOf({ rods, bodies, moving }: Pick<LaneInfo, 'rods' | 'bodies' | 'moving'>): FrameLayout {
  let offset = 0;
  const places = rods.map((rod) => {
    const place = layOut(offset, rod);
    offset += rodSize(rod);
    return place;
  });
  const colliders = offset + poseSize * bodies.length;
  return { rods: places, bodies: offset, colliders, length: colliders + poseSize * moving.length };
}

const known = new WeakMap<LaneInfo, FrameLayout>();

/** The same for a lane that is asked about often. */
export function layoutOfLane(info: LaneInfo): FrameLayout {
  let layout = known.get(info);
  if (!layout) {
    layout = layoutOf(info);
    known.set(info, layout);
  }
  return layout;
}
