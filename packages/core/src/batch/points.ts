/**
 * Contact points on edges: their terms in the elimination of a strand, and their displacement under unit forces. Translated to
 * WGSL like formulas.ts. Derivation: docs/notes/batch-engine.md, "Contact".
 */
import {
  add,
  addMatrices,
  apply,
  column,
  dot,
  type Matrix,
  multiply,
  scale,
  scaleMatrix,
  subtractMatrices,
  transpose,
  type Vector,
} from './algebra.ts';
import { type Beyond, diagonal, type Gain, outer, skew, symmetricPart } from './formulas.ts';

/** A point of an edge on which an external force acts. */
export interface EdgePoint {
  /** Part of the edge that lies before it: 0 at the first node, 1 at the second. */
  readonly part: number;
  /** Displacement of the point per turn of the edge about its tangent [m/rad]. */
  readonly arm: Vector;
  /** [N] */
  readonly force: Vector;
  /** Direction of `stiffness`; zero if there is none. */
  readonly normal: Vector;
  /** Added to the matrix for the point's displacement, along the normal and across it [N/m]; no force comes from them. */
  readonly stiffness: number;
  readonly tangentStiffness: number;
}

/** Displacement of the point per rotation of its edge, relative to the node after the edge. */
export function leverOf(point: EdgePoint, edge: Vector): Matrix {
  const spin = outer(point.arm, scale(1 / Math.sqrt(dot(edge, edge)), edge));
  return addMatrices(scaleMatrix(1 - point.part, skew(edge)), spin);
}

/** Newton's matrix for the displacement of a point [N/m]. */
function pointStiffness(point: EdgePoint): Matrix {
  const along = dot(point.force, point.normal) > 0 ? point.stiffness - point.tangentStiffness : 0;
  return addMatrices(diagonal(point.tangentStiffness), scaleMatrix(along, outer(point.normal, point.normal)));
}

/** Adds a point of the edge to the quadratic of everything beyond that edge; call before `eliminateEdge`. */
export function addPoint(beyond: Beyond, edge: Vector, point: EdgePoint): Beyond {
  const lever = leverOf(point, edge);
  const transposed = transpose(lever);
  const residual = scale(-1, point.force);
  const stiffness = pointStiffness(point);
  const mixed = multiply(stiffness, lever);
  return {
    yy: addMatrices(beyond.yy, stiffness),
    yp: addMatrices(beyond.yp, mixed),
    pp: addMatrices(beyond.pp, multiply(transposed, mixed)),
    y: add(beyond.y, residual),
    p: add(beyond.p, apply(transposed, residual)),
    // the force acts on the part of the edge before the point only
    force: add(beyond.force, scale(point.part, residual)),
    definite: beyond.definite,
  };
}

/** Adds the rest of the point's force to the edges before; call after `eliminateEdge`. */
export function passPoint(beyond: Beyond, point: EdgePoint): Beyond {
  return {
    yy: beyond.yy,
    yp: beyond.yp,
    pp: beyond.pp,
    y: beyond.y,
    p: beyond.p,
    force: add(beyond.force, scale(point.part - 1, point.force)),
    definite: beyond.definite,
  };
}

/** Inverse of Newton's matrix in the displacement y of a node and the turn φ of an edge, 3 × 3 blocks [m/N], [1/N], [1/(N m)]. */
export interface Compliance {
  readonly yy: Matrix;
  readonly yp: Matrix;
  readonly pp: Matrix;
}

/** From (node j, edge before it) to (node j, edge after it). */
export function passJoint(before: Compliance, gain: Gain, inverse: Matrix): Compliance {
  const keep = subtractMatrices(diagonal(1), gain.fromTurn);
  const keepT = transpose(keep);
  const fromYT = transpose(gain.fromY);
  const mixed = multiply(keep, multiply(transpose(before.yp), fromYT));
  const turned = addMatrices(
    multiply(keep, multiply(before.pp, keepT)),
    multiply(gain.fromY, multiply(before.yy, fromYT)),
  );
  return {
    yy: before.yy,
    yp: subtractMatrices(multiply(before.yp, keepT), multiply(before.yy, fromYT)),
    pp: addMatrices(symmetricPart(subtractMatrices(turned, scaleMatrix(2, mixed))), inverse),
  };
}

function traceOf(a: Matrix): number {
  return column(a, 0)[0] + column(a, 1)[1] + column(a, 2)[2];
}

/** Compliance of a point (displacement y of node j and turn φ of the edge after it): a third of the trace [m/N]. */
export function pointCompliance(of: Compliance, edge: Vector, point: EdgePoint): number {
  // y of the point = y + B φ
  const lever = subtractMatrices(leverOf(point, edge), skew(edge));
  const mixed = multiply(of.yp, transpose(lever));
  const turned = multiply(lever, multiply(of.pp, transpose(lever)));
  return (traceOf(of.yy) + 2 * traceOf(mixed) + traceOf(turned)) / 3;
}

/** From (node j, edge after it) to (node j + 1, the same edge). */
export function passEdge(of: Compliance, edge: Vector): Compliance {
  const lever = scaleMatrix(-1, skew(edge));
  const turned = multiply(lever, of.pp);
  const mixed = multiply(of.yp, transpose(lever));
  return {
    yy: addMatrices(of.yy, addMatrices(addMatrices(mixed, transpose(mixed)), multiply(turned, transpose(lever)))),
    yp: addMatrices(of.yp, turned),
    pp: of.pp,
  };
}
