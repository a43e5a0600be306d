/**
 * Guides in motion as generalised coordinates: position and orientation of the root, and the curvatures of the elements. A recording of
 * positions from any model shrinks to an eighth of its size in these coordinates, and can be played back on the whole hairstyle.
 */
import {
  advanceFrame,
  type Frame,
  normalize,
  normalPart,
  rotationBetween,
  scale,
  type Vector,
} from '../curve/vector.ts';
import { SceneError } from '../errors.ts';
import { type FitError, fitTurns } from '../models/helix/fit.ts';
import { divideEdges } from '../models/helix/rod.ts';
import type { GuidePose } from './hairs.ts';
import { type Hairstyle, poseGuides, vectorAt } from './hairstyle.ts';

/** All guides at an instant. */
export interface Coordinates {
  /** [m], 3 per guide */
  readonly rootPosition: Float64Array;
  /** Unit, 3 per guide. */
  readonly rootTangent: Float64Array;
  /** Unit d1 at the roots, 3 per guide. */
  readonly rootDirector: Float64Array;
  /** (κ1, κ2, τ) [1/m], 3 per element, guide by guide */
  readonly curvature: Float64Array;
}

/** Allocates generalised coordinates of guides. */
export function createCoordinates(guides: number, elements: number): Coordinates {
  const make = (): Float64Array => new Float64Array(3 * guides);
  return {
    rootPosition: make(),
    rootTangent: make(),
    rootDirector: make(),
    curvature: new Float64Array(3 * elements * guides),
  };
}

/** A rod as it was recorded: nodes and the directors of its edges. */
export interface RecordedShape {
  /** [m], 3 per node. */
  readonly nodePosition: Float64Array;
  /** Unit d1, 3 per edge. */
  readonly edgeDirector: Float64Array;
}

/** Writes the coordinates of guide `g` that approximate a recorded rod; returns the error. */
export function fitCoordinates(
  out: Coordinates,
  g: number,
  { nodePosition: x, edgeDirector: d }: RecordedShape,
  length: number,
  elements: number,
): FitError {
  const edges = x.length / 3 - 1;
  if (!(edges >= elements))
    throw new SceneError(
      ['elements'],
      `a rod of ${edges} edges cannot be fitted by ${elements} elements; use at most ${edges}`,
    );
  const frames: Frame[] = Array.from({ length: edges }, (_, j) => {
    const tangent = normalize([x[3 * j + 3] - x[3 * j], x[3 * j + 4] - x[3 * j + 1], x[3 * j + 5] - x[3 * j + 2]]);
    const across = normalPart(vectorAt(d, j), tangent);
    return { tangent, d1: normalize(across ?? [tangent[1], -tangent[0], 0.1]) };
  });
  // from midpoint to midpoint of the edges; each half takes half of it, and the ends continue as their neighbours do
  const turn = frames.slice(1).map((next, j) => rotationBetween(frames[j], next));
  const turns = new Float64Array(6 * edges);
  for (let j = 0; j < edges; j++) {
    for (let k = 0; k < 3; k++) {
      turns[6 * j + k] = (turn[Math.max(0, j - 1)]?.[k] ?? 0) / 2;
      turns[6 * j + 3 + k] = (turn[Math.min(j, edges - 2)]?.[k] ?? 0) / 2;
    }
  }
  const { curvature, error } = fitTurns(
    new Float64Array(edges).fill(length / edges),
    turns,
    divideEdges(edges, elements),
  );
  const back: Vector = turn[0] ?? [0, 0, 0];
  const root = advanceFrame(frames[0], scale(back, -0.5));
  out.rootPosition.set(x.subarray(0, 3), 3 * g);
  out.rootTangent.set(root.tangent, 3 * g);
  out.rootDirector.set(root.d1, 3 * g);
  out.curvature.set(curvature, 3 * elements * g);
  return error;
}

/** The guides of a style in other coordinates, with the rotation of their roots since the hair was grown: the input of hairs. */
export function playCoordinates(
  style: Hairstyle,
  coordinates: Coordinates,
  perElement?: number,
): GuidePose & { readonly position: Float64Array; readonly director: Float64Array } {
  const { count } = style.guideRoots;
  if (coordinates.rootPosition.length !== 3 * count || coordinates.curvature.length !== style.curvature.length) {
    throw new SceneError(
      ['motion'],
      `it moves ${coordinates.rootPosition.length / 3} guides, and the hairstyle has ${count} with ${style.elements} elements: it belongs to another`,
    );
  }
  const { rootPosition, rootTangent, rootDirector, curvature } = coordinates;
  const moved: Hairstyle = {
    ...style,
    guideRoots: { ...style.guideRoots, position: rootPosition },
    rootTangent,
    rootDirector,
    curvature,
  };
  const turn = new Float64Array(9 * count);
  for (let g = 0; g < count; g++) {
    const now = frameAt(rootTangent, rootDirector, g);
    const then = frameAt(style.rootTangent, style.rootDirector, g);
    for (let r = 0; r < 3; r++)
      for (let c = 0; c < 3; c++)
        turn[9 * g + 3 * r + c] = now[0][r] * then[0][c] + now[1][r] * then[1][c] + now[2][r] * then[2][c];
  }
  return { ...poseGuides(moved, perElement), turn };
}

/** d1, d2, tangent. */
function frameAt(tangent: Float64Array, director: Float64Array, g: number): readonly [Vector, Vector, Vector] {
  const t = vectorAt(tangent, g);
  const d = vectorAt(director, g);
  return [d, [t[1] * d[2] - t[2] * d[1], t[2] * d[0] - t[0] * d[2], t[0] * d[1] - t[1] * d[0]], t];
}
