/** Linear response of one strand about an iterate: displacements of points on its edges under forces at these points. Double precision only. */
import { add, apply, cross, type Matrix, scale, subtract, transpose, type Vector } from './algebra.ts';
import { type Beyond, diagonal, invertSymmetric, zeroVector } from './formulas.ts';
import { type Compliance, type EdgePoint, leverOf, passEdge, passJoint, pointCompliance } from './points.ts';
import type { EliminatedEdge, Strand } from './strand.ts';

/** A strand factored at an iterate: its eliminated edges, and the compliance of a free root [m/N]. */
export interface Factored {
  readonly edges: readonly EliminatedEdge[];
  readonly points: readonly (readonly EdgePoint[])[];
  readonly root: Matrix;
  /** Displacement of the root in the next Newton iteration [m]. */
  readonly rootMove: Vector;
}

/** Collects the factors that `eliminateStrand` left in `strand.eliminated`. */
export function takeFactors(strand: Strand, beyond: Beyond): Factored {
  const root = strand.root.kind === 'free' ? invertSymmetric(beyond.yy) : diagonal(0);
  return {
    edges: strand.eliminated ?? [],
    points: strand.points,
    root,
    rootMove: scale(-1, apply(root, beyond.y)),
  };
}

/** A third of the trace of every point's compliance [m/N], by edge, in the order of the points. */
export function measureCompliance({ edges, points, root }: Factored): number[][] {
  const zero = diagonal(0);
  let at: Compliance = { yy: root, yp: zero, pp: zero };
  return edges.map(({ gain, inverse, edge }, j) => {
    const around = passJoint(at, gain, inverse);
    at = passEdge(around, edge);
    return points[j].map((point) => pointCompliance(around, edge, point));
  });
}

export type VisitPoint = (edge: number, point: number, displacement: Vector) => void;

/** Displacements of all points [m] under forces on them [N]; both are called by edge and number of the point. */
export function respondToForces(
  factored: Factored,
  force: (edge: number, point: number) => Vector,
  visit: VisitPoint,
): void {
  const { edges, points, root } = factored;
  const constants: Vector[] = new Array(edges.length);
  let y = zeroVector();
  let p = zeroVector();
  for (let j = edges.length - 1; j >= 0; j--) {
    const { edge, yp, coupling, inverse } = edges[j];
    points[j].forEach((point, c) => {
      const residual = scale(-1, force(j, c));
      y = add(y, residual);
      p = add(p, apply(transpose(leverOf(point, edge)), residual));
    });
    const w = add(cross(edge, y), p);
    constants[j] = apply(inverse, w);
    y = subtract(y, apply(yp, constants[j]));
    p = subtract(w, apply(transpose(coupling), constants[j]));
  }
  sweepForward(factored, scale(-1, apply(root, y)), (j) => constants[j], visit);
}

/** Displacements of all points in the next Newton iteration, were the response linear [m]. */
export function predictPoints(factored: Factored, visit: VisitPoint): void {
  sweepForward(factored, factored.rootMove, (j) => factored.edges[j].gain.constant, visit);
}

function sweepForward(
  { edges, points }: Factored,
  rootMove: Vector,
  constant: (edge: number) => Vector,
  visit: VisitPoint,
): void {
  let y = rootMove;
  let turn = zeroVector();
  edges.forEach(({ edge, gain }, j) => {
    const back = add(constant(j), add(apply(gain.fromY, y), apply(gain.fromTurn, turn)));
    turn = subtract(turn, back);
    y = add(y, cross(turn, edge));
    points[j].forEach((point, c) => {
      visit(j, c, add(y, apply(leverOf(point, edge), turn)));
    });
  });
}
