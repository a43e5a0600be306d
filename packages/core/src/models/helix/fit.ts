/**
 * Helical elements that follow a given curve.
 *
 * The curve is given by small turns: rotation vectors from point to point, in material components. The curve that they describe
 * is the target. Fewer, longer elements are fitted to it by least squares on positions and frames at the nodes. The problem has
 * the form of a time step (masses drawn to targets), so the same Newton's method solves it, in linear time.
 *
 * The weight of frames is the square of an element's length. With less, κ oscillates from element to element, which hardly affects
 * positions; with more, frames are fitted exactly and positions drift. κ from the frames at element ends alone drifts by l²/12 times
 * the change of curvature: 8 mm per metre for ten elements on a curve whose curvature varies by 10/m. The fit is ten times closer.
 * Both fit straight lines, arcs and helices exactly.
 */

import { type FrameRule, frameCurve } from '../../curve/framing.ts';
import { createStraight, createThroughPoints } from '../../curve/shapes.ts';
import { cross, type Frame, rotationBetween, turnFrame, type Vector } from '../../curve/vector.ts';
import { atan2, hypotOf, pow, square as squareOf } from '../../math/rounded/index.ts';
import type { Rod } from '../../scene/compiled.ts';
import { createWorkspace } from './energy.ts';
import { poseRod } from './kinematics.ts';
import { multiply33 } from './matrix3.ts';
import { solveStage } from './newton.ts';
import { createChain, divideEdges, type HelixBody } from './rod.ts';

/** Distance between a curve and the helices fitted to it [m]. */
export interface FitError {
  /** Largest distance between the given curve and the elements at the nodes, and its root mean square [m]. */
  readonly largest: number;
  /** Root mean square of the distance [m]. */
  readonly rms: number;
}

/**
 * (κ1, κ2, τ) of elements that end at `elementNode`, for a curve that turns by `turns` over each half of the edges with lengths
 * `edgeLength`: 3 a half edge, in material components [rad].
 */
export function fitTurns(
  edgeLength: Float64Array,
  turns: Float64Array,
  elementNode: Int32Array,
): { curvature: Float64Array; error: FitError } {
  const edgeCount = edgeLength.length;
  const uniform = readUniform(edgeLength, turns, elementNode);
  if (uniform) return { curvature: uniform, error: { largest: 0, rms: 0 } };
  const target = layCurve(edgeLength, turns);
  const body = createFitBody(edgeLength, elementNode);
  for (const k of [0, 4, 8]) body.frame[k] = 1;
  const work = createWorkspace(body);
  const { q } = body;
  const elementCount = elementNode.length - 1;
  for (let e = 0; e < elementCount; e++) {
    for (let half = 2 * elementNode[e]; half < 2 * elementNode[e + 1]; half++)
      for (let k = 0; k < 3; k++) q[3 * e + k] += turns[3 * half + k] / body.elementLength[e];
  }
  body.kappaRest.set(q);
  for (let i = 0; i <= edgeCount; i++) {
    for (let k = 0; k < 3; k++) {
      work.target[3 * i + k] = target.position[3 * i + k];
      work.directorTarget[6 * i + k] = target.frame[9 * i + 3 * k];
      work.directorTarget[6 * i + 3 + k] = target.frame[9 * i + 3 * k + 1];
    }
  }
  poseRod(body, q);
  const guess = { curvature: q.slice(), error: measureError(body, work.target) };
  solveStage(body, work, { t: 0, inertia: 1, rate: 0 }, { tolerance: 1e-12, iterations: 60, rotation: 2 });
  poseRod(body, q);
  const error = measureError(body, work.target);
  return error.rms < guess.error.rms ? { curvature: q, error } : guess;
}

/**
 * Nodes and frames of the curve that turns so. Over an edge, two helices of half its length and one of its whole length miss
 * the curve by errors that are as 1 to 4, so four thirds of the one less a third of the other is of fourth order, and still exact for a helix.
 */
function layCurve(edgeLength: Float64Array, turns: Float64Array): { position: Float64Array; frame: Float64Array } {
  const edgeCount = edgeLength.length;
  const position = new Float64Array(3 * edgeCount + 3);
  const frame = new Float64Array(9 * edgeCount + 9);
  const pair = createChain(Int32Array.of(0, 1, 2), new Float64Array(2).fill(0.5), { hasFrames: false });
  const whole = createChain(Int32Array.of(0, 1), Float64Array.of(1), { hasFrames: false });
  for (const k of [0, 4, 8]) {
    frame[k] = 1;
    pair.frame[k] = 1;
    whole.frame[k] = 1;
  }
  const rotation = new Float64Array(9);
  for (let j = 0; j < edgeCount; j++) {
    const halves = turns.subarray(6 * j, 6 * j + 6);
    poseRod(
      pair,
      halves.map((turn) => 2 * turn),
    );
    poseRod(whole, composeTurns(halves));
    for (let k = 0; k < 9; k++) rotation[k] = pair.frame[18 + k];
    multiply33(frame, 9 * j + 9, frame, 9 * j, rotation, 0);
    for (let r = 0; r < 3; r++) {
      let sum = 0;
      for (let k = 0; k < 3; k++) sum += frame[9 * j + 3 * r + k] * (4 * pair.position[6 + k] - whole.position[3 + k]);
      position[3 * j + 3 + r] = position[3 * j + r] + (edgeLength[j] * sum) / 3;
    }
  }
  return { position, frame };
}

/** Rotation vector of exp(a) exp(b) for a and b that are nearly alike: a + b + [a, b]/2 + [a − b, [a, b]]/12. */
function composeTurns(halves: Float64Array): Float64Array {
  const a: Vector = [halves[0], halves[1], halves[2]];
  const b: Vector = [halves[3], halves[4], halves[5]];
  const first = cross(a, b);
  const second = cross([a[0] - b[0], a[1] - b[1], a[2] - b[2]], first);
  return Float64Array.from(a, (x, k) => x + b[k] + first[k] / 2 + second[k] / 12);
}

/** Curvatures if each element is already a helix, to rounding; otherwise undefined. */
function readUniform(edgeLength: Float64Array, turns: Float64Array, elementNode: Int32Array): Float64Array | undefined {
  const out = new Float64Array(3 * (elementNode.length - 1));
  for (let d = 0; d < out.length; d++) {
    const e = (d / 3) | 0;
    const k = d % 3;
    let sum = 0;
    let length = 0;
    let size = 0;
    for (let j = elementNode[e]; j < elementNode[e + 1]; j++) {
      sum += turns[6 * j + k] + turns[6 * j + 3 + k];
      length += edgeLength[j];
      for (let c = 0; c < 6; c++) size = Math.max(size, Math.abs(turns[6 * j + c]));
    }
    out[d] = sum / length;
    for (let half = 2 * elementNode[e]; half < 2 * elementNode[e + 1]; half++)
      if (Math.abs(turns[3 * half + k] - (out[d] * edgeLength[half >> 1]) / 2) > 1e-13 * (1 + size)) return undefined;
  }
  return out;
}

function measureError(body: HelixBody, target: Float64Array): FitError {
  let largest = 0;
  let sum = 0;
  for (let i = 0; i < body.nodeCount; i++) {
    let square = 0;
    for (let k = 3 * i; k < 3 * i + 3; k++) square += squareOf(body.nodePosition[k] - target[k]);
    largest = Math.max(largest, Math.sqrt(square));
    sum += square;
  }
  return { largest, rms: Math.sqrt(sum / body.nodeCount) };
}

/** A body whose nodes are pulled to their targets, weighted by length; a very small stiffness determines the rest. */
function createFitBody(edgeLength: Float64Array, elementNode: Int32Array): HelixBody {
  const chain = createChain(elementNode, edgeLength, { hasFrames: true });
  const { nodeCount, edgeCount, elementCount } = chain;
  const length = edgeLength.reduce((sum, value) => sum + value, 0);
  const mean = length / elementCount;
  const nodeMass = Float64Array.from(
    { length: nodeCount },
    (_, i) => ((i > 0 ? edgeLength[i - 1] : 0) + (i < edgeCount ? edgeLength[i] : 0)) / (2 * length),
  );
  const unknowns = 3 * elementCount;
  return {
    ...chain,
    length,
    stiffness: new Float64Array(unknowns).fill((1e-10 * pow(mean, 5)) / length),
    kappaRest: new Float64Array(unknowns),
    elementDamping: new Float64Array(elementCount),
    nodeMass,
    nodeDamping: new Float64Array(nodeCount),
    nodeInertia: nodeMass.map((mass) => 2 * mass * mean * mean),
    sources: [],
    q: new Float64Array(unknowns),
    samples: {
      nodePosition: new Float64Array(0),
      nodeVelocity: new Float64Array(0),
      edgeTangent: new Float64Array(0),
      edgeDirector: new Float64Array(0),
      edgeSpin: new Float64Array(0),
    },
    loads: {
      nodeForce: new Float64Array(3 * nodeCount),
      edgeTorque: new Float64Array(3 * edgeCount),
      nodeDrag: new Float64Array(6 * nodeCount),
    },
    loadFactor: 1,
  };
}

/** Turns over half edges of a rod's initial shape, with its twist counted. */
export function measureTurns(rod: Rod): Float64Array {
  const { edgeCount, nodePosition, nodeTangent, nodeDirector, edgeDirector, nodeTwist, edgeLengthRest } = rod;
  const at = (array: Float64Array, i: number): Vector => [array[3 * i], array[3 * i + 1], array[3 * i + 2]];
  const node = (i: number): Frame => ({ tangent: at(nodeTangent, i), d1: at(nodeDirector, i) });
  const edge = (j: number): Frame => {
    const d = [0, 1, 2].map((k) => nodePosition[3 * j + 3 + k] - nodePosition[3 * j + k]);
    const size = hypotOf(d);
    return { tangent: [d[0] / size, d[1] / size, d[2] / size], d1: at(edgeDirector, j) };
  };
  const out = new Float64Array(6 * edgeCount);
  for (let j = 0; j < edgeCount; j++) {
    const middle = edge(j);
    // the joint's unwrapped twist is shared by its two halves; an end has as much as its neighbour
    const share = (i: number): number => {
      const inner = Math.min(Math.max(i, 1), edgeCount - 1);
      return (nodeTwist[inner] * edgeLengthRest[j]) / (edgeLengthRest[inner - 1] + edgeLengthRest[inner]);
    };
    out.set(rotationBetween(node(j), middle, [0, 0, share(j)]), 6 * j);
    out.set(rotationBetween(middle, node(j + 1), [0, 0, share(j + 1)]), 6 * j + 3);
  }
  return out;
}

/** A curve as helical elements: the data from which it can be rebuilt. */
export interface Helices {
  /** (κ1, κ2, τ) about d1, d2 and the tangent [1/m], 3 per element. */
  readonly curvature: Float64Array;
  /** [m] */
  readonly elementLength: Float64Array;
  /** [m] */
  readonly rootPosition: Vector;
  /** Unit tangent at the root. */
  readonly rootTangent: Vector;
  /** Unit d1 at the root. */
  readonly rootDirector: Vector;
}

/**
 * Fits `elements` helical elements of equal length to a smooth curve through `points` (3 numbers each [m]), and reports the distance between them.
 * `frame`: direction of d1 at the start, and along the curve; by default it turns about the tangent as the curve winds, so that a helix has constant
 * curvatures and is fitted exactly.
 */
export function fitHelices(
  points: ArrayLike<number>,
  elements: number,
  frame: FrameRule = {},
): Helices & { readonly error: FitError } {
  const list: Vector[] = Array.from({ length: points.length / 3 }, (_, i) => [
    points[3 * i],
    points[3 * i + 1],
    points[3 * i + 2],
  ]);
  checkPoints(list, elements);
  const curve = list.length > 2 ? createThroughPoints(list, { closed: false }) : createStraight(list[0], list[1]);
  // places: enough that short helices between them are far closer to the curve than the elements
  const edges = elements * Math.max(4, Math.ceil((2 * list.length) / elements));
  // k/k is 1 exactly: a last place beyond the end by rounding would count as the start of a second round
  const arcs = Array.from({ length: 2 * edges + 1 }, (_, k) => (k / (2 * edges)) * curve.length);
  const carried = frameCurve(curve, arcs, frame);
  const frames = frame.follow ? carried : windFrames(carried, elements);
  const turns = Float64Array.from(frames.slice(1).flatMap((next, k) => rotationBetween(frames[k], next)));
  const edgeLength = new Float64Array(edges).fill(curve.length / edges);
  const { curvature, error } = fitTurns(edgeLength, turns, divideEdges(edges, elements));
  return {
    curvature,
    error,
    elementLength: new Float64Array(elements).fill(curve.length / elements),
    rootPosition: list[0],
    rootTangent: frames[0].tangent,
    rootDirector: frames[0].d1,
  };
}

function checkPoints(list: readonly Vector[], elements: number): void {
  if (list.length < 2) throw new RangeError(`${list.length} points make no curve; give at least two`);
  if (!Number.isInteger(elements) || elements < 1)
    throw new RangeError(`elements is ${elements}; give a whole number from 1`);
  list.forEach((point, i) => {
    if (!point.every(Number.isFinite)) throw new RangeError(`point ${i} is not finite`);
    if (i > 0 && point.every((x, k) => x === list[i - 1][k])) throw new RangeError(`points ${i - 1} and ${i} coincide`);
  });
}

/** Twist-free frames, turned about the tangent at the rate at which the curve winds on each element. */
function windFrames(frames: readonly Frame[], elements: number): Frame[] {
  const perElement = (frames.length - 1) / elements;
  const turns = frames.slice(1).map((next, k) => rotationBetween(frames[k], next));
  const out = [frames[0]];
  let angle = 0;
  for (let e = 0; e < elements; e++) {
    // rotation of the direction of bending from node to node
    let sine = 0;
    let cosine = 0;
    for (let k = e * perElement + 1; k < (e + 1) * perElement; k++) {
      const [ax, ay] = turns[k - 1];
      const [bx, by] = turns[k];
      sine += ax * by - ay * bx;
      cosine += ax * bx + ay * by;
    }
    const rate = sine === 0 ? 0 : atan2(sine, cosine);
    for (let k = 1; k <= perElement; k++) {
      angle += rate;
      out.push(turnFrame(frames[e * perElement + k], angle));
    }
  }
  return out;
}
