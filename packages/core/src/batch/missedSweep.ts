/**
 * Contacts that the start of a step does not predict, such as those of a whip's tip, which moves faster than its loads alone explain. They are
 * detected at the end of the step, and the strand continues to iterate with them. Translated to WGSL like sweeps.ts.
 */
import { add, dot, type Quaternion, scale, subtract, type Vector } from './algebra.ts';
import { closestPart, measureObstacle } from './distances.ts';
import { compose, fromVectorPart, normalize, tangentOf, zeroVector } from './formulas.ts';
import { DISPLACEMENT, PLANE, RATE, RELATIVE, STRAIN_TARGET, TARGET, VELOCITY } from './layout.ts';
import { type Obstacle, surfaceShift } from './obstacles.ts';
import {
  edgeCountOf,
  frameOfRoot,
  type Index,
  isPushed,
  isViscous,
  lengthOf,
  obstacleCountOf,
  obstacleOf,
  radiusOf,
  readState,
  rootPositionOf,
  type Strand,
  sparedEdgesOf,
  writeContact,
  writeState,
} from './strand.ts';

/** Depth, in radii, at which a place that no contact holds back counts as missed. */
const MISSED = 0.25;

/** A point at the end of the step, as the obstacle sees it: in the pose that it has at the start [m]. */
function seenBy(o: Obstacle, x: Vector): Vector {
  return subtract(x, surfaceShift(o, subtract(x, o.shift)));
}

/** A part of an edge, as the obstacle sees it (seenBy); `isFree`: contacts that are there did not act so far. */
interface SeenPlace {
  readonly part: number;
  readonly seen: Vector;
  readonly isFree: boolean;
}

/** Adds contact c of edge j, if its place is deep inside the obstacle. Returns whether it did. */
function addMissed(s: Strand, j: Index, c: Index, o: Obstacle, place: SeenPlace): boolean {
  const part = place.part;
  const seen = place.seen;
  const radius = radiusOf(s, j);
  const at = measureObstacle(s, o, seen);
  const gap = at.value - radius;
  let added = false;
  if (gap < -MISSED * radius && (place.isFree || !isPushed(s, j, c))) {
    const moved = add(scale(1 - part, readState(s, j, DISPLACEMENT)), scale(part, readState(s, j + 1, DISPLACEMENT)));
    const surface = surfaceShift(o, seen);
    const way = subtract(moved, surface);
    // a point that began inside may stay as deep as it was
    const floor = Math.min(0, measureObstacle(s, o, subtract(seen, way)).value - radius);
    if (gap < floor - MISSED * radius) {
      const none = zeroVector();
      // the tangent plane of the obstacle at the point where the motion would leave it
      writeContact(s, j, c, {
        active: 2,
        part,
        normal: at.normal,
        closing: subtract(surface, scale(gap - floor - dot(at.normal, way), at.normal)),
        friction: o.friction,
        force: none,
        push: none,
        stiffness: 0,
        tangentStiffness: 0,
      });
      added = true;
    }
  }
  return added;
}

/** An edge as an obstacle sees it, and the lesser distance of its ends [m]. */
interface SeenEdge {
  readonly first: Vector;
  readonly along: Vector;
  readonly ends: number;
  readonly isFree: boolean;
}

/** Adds a contact between the nodes of an edge, if the edge is deeper there than at its ends. */
function addMissedInside(s: Strand, j: Index, k: Index, edge: SeenEdge): boolean {
  const o = obstacleOf(s, k);
  let added = false;
  if (o.kind !== PLANE && j >= sparedEdgesOf(s, k)) {
    const part = closestPart(s, o, edge.first, edge.along);
    const seen = add(edge.first, scale(part, edge.along));
    if (measureObstacle(s, o, seen).value < edge.ends - MISSED * radiusOf(s, j)) {
      added = addMissed(s, j, 2 * k + 1, o, { part, seen, isFree: edge.isFree });
    }
  }
  return added;
}

/** Adds contacts that the current iterate lacks; returns whether there are any. `isFree`: the iterate was computed without contact. */
export function addMissedContacts(s: Strand, isFree: boolean): boolean {
  let q: Quaternion = frameOfRoot(s);
  let x: Vector = add(rootPositionOf(s), readState(s, 0, DISPLACEMENT));
  let missed = false;
  for (let j = 0; j < edgeCountOf(s); j++) {
    q = normalize(compose(q, fromVectorPart(readState(s, j, RELATIVE))));
    const end = add(x, scale(lengthOf(s, j), tangentOf(q)));
    for (let k = 0; k < obstacleCountOf(s); k++) {
      if (j + 1 >= sparedEdgesOf(s, k)) {
        const o = obstacleOf(s, k);
        const second = seenBy(o, end);
        const value = measureObstacle(s, o, second).value;
        // a distance changes at most by the displacement, so most edges are skipped
        if (value < lengthOf(s, j) + radiusOf(s, j)) {
          const node = addMissed(s, j, 2 * k, o, { part: 1, seen: second, isFree });
          const first = seenBy(o, x);
          const along = subtract(second, first);
          const inside = addMissedInside(s, j, k, {
            first,
            along,
            isFree,
            ends: Math.min(value, measureObstacle(s, o, first).value),
          });
          missed = missed || node || inside;
        }
      }
    }
    x = end;
  }
  return missed;
}

/** Turns the current stage into one of implicit Euler, with which contact continues from the current iterate. */
export function changeToEuler(s: Strand, dt: number): void {
  for (let i = 0; i <= edgeCountOf(s); i++) {
    writeState(s, i, TARGET, scale(dt, readState(s, i, VELOCITY)));
    writeState(s, i, RATE, zeroVector());
    if (isViscous(s)) {
      writeState(s, i, STRAIN_TARGET, zeroVector());
    }
  }
}
