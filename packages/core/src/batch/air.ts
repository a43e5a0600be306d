/**
 * Drag of air on the nodes of a strand, in air whose velocity does not depend on the place. Each half edge drags its own node, as in fields/air.ts.
 * Translated to WGSL like formulas.ts.
 */
import {
  add,
  addMatrices,
  dot,
  type Index,
  type Matrix,
  scale,
  scaleMatrix,
  subtract,
  type Vector,
} from './algebra.ts';
import { addNode, type Beyond, diagonal, outer } from './formulas.ts';
import { DISPLACEMENT, RATE, type Stage } from './layout.ts';
import { airOf, readState, type Strand, windOf } from './strand.ts';

/** Adds the air drag on half of edge j, which has tangent t, to node i at one of its ends. */
export function respondAir(s: Strand, stage: Stage, i: Index, j: Index, t: Vector, beyond: Beyond): Beyond {
  const air = airOf(s, j);
  const moved = subtract(readState(s, i, DISPLACEMENT), readState(s, i, RATE));
  const v = subtract(scale(stage.rate, moved), windOf(s));
  const along = dot(v, t);
  const across = subtract(v, scale(along, t));
  const speed = Math.sqrt(dot(across, across));
  const normal = air.normal + air.normalBySpeed * speed;
  const tangential = air.tangential + air.tangentialBySpeed * Math.abs(along);
  const residual = add(scale(normal, across), scale(tangential * along, t));
  // the derivative by velocity
  const steeper = air.normalBySpeed / Math.max(speed, 1e-12);
  const more = tangential - normal + air.tangentialBySpeed * Math.abs(along);
  const stiffness: Matrix = addMatrices(
    diagonal(normal),
    addMatrices(scaleMatrix(steeper, outer(across, across)), scaleMatrix(more, outer(t, t))),
  );
  return addNode(beyond, residual, scaleMatrix(stage.rate, stiffness));
}
