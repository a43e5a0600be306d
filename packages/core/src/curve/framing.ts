/**
 * Material frames along a curve: twist-free (Bishop), or along the principal normal (Frenet).
 *
 * The twist-free frame obeys d1' = ω × d1 with ω = t × t'. It is integrated by the sixth-order Magnus method with
 * step doubling: the double reflection of [Wang2008] needs no derivatives, but has only fourth order. The rest strain is a
 * difference of frames divided by half an edge, so errors of 1e-12 matter. Where curvature and torsion are constant, the frame
 * rotates relative to the Frenet frame exactly at the rate of the torsion.
 */
import type { Curve } from './shapes.ts';
import { curvatureAt, tangentAt } from './shapes.ts';
import type { Frame, Vector } from './vector.ts';
import {
  add,
  addScaled,
  angleAbout,
  anyNormal,
  cross,
  distance,
  makeFrame,
  norm,
  normalize,
  normalPart,
  rotate,
  scale,
  subtract,
  transport,
  transportFrame,
  turnFrame,
} from './vector.ts';

const jet = new Float64Array(9);

/** ω = r' × r'' / |r'|²: the rotation of the tangent per parameter. */
function turningRate(curve: Curve, p: number): Vector {
  curve.evaluate(jet, p);
  const v2 = jet[3] * jet[3] + jet[4] * jet[4] + jet[5] * jet[5];
  if (v2 === 0) return [0, 0, 0];
  return scale(cross([jet[3], jet[4], jet[5]], [jet[6], jet[7], jet[8]]), 1 / v2);
}

/** One Magnus step of order six with Gauss points: the rotation vector from p = a to b. */
function magnusStep(curve: Curve, a: number, b: number): Vector {
  const h = b - a;
  const center = (a + b) / 2;
  const offset = (Math.sqrt(15) / 10) * h;
  const w1 = turningRate(curve, center - offset);
  const w2 = turningRate(curve, center);
  const w3 = turningRate(curve, center + offset);
  const a1 = scale(w2, h);
  const a2 = scale(subtract(w3, w1), (h * Math.sqrt(15)) / 3);
  const a3 = scale(add(subtract(w3, scale(w2, 2)), w1), (10 * h) / 3);
  const c1 = cross(a1, a2);
  const c2 = scale(cross(a1, addScaled(c1, a3, 2)), -1 / 60);
  const left = add(subtract(scale(a1, -20), a3), c1);
  return addScaled(addScaled(a1, a3, 1 / 12), cross(left, add(a2, c2)), 1 / 240);
}

/** The rotation over an interval, and over its halves once they are needed; all vectors that are transported share them. */
interface Turn {
  readonly a: number;
  readonly b: number;
  readonly rotation: Vector;
  halves?: readonly [Turn, Turn];
}

const createTurn = (curve: Curve, a: number, b: number): Turn => ({ a, b, rotation: magnusStep(curve, a, b) });

function carryDirector(curve: Curve, d1: Vector, turn: Turn, depth: number): Vector {
  const middle = (turn.a + turn.b) / 2;
  turn.halves ??= [createTurn(curve, turn.a, middle), createTurn(curve, middle, turn.b)];
  const [first, second] = turn.halves;
  const once = rotate(d1, turn.rotation);
  const twice = rotate(rotate(d1, first.rotation), second.rotation);
  if (depth === 0 || distance(once, twice) < 2e-14) return twice;
  return carryDirector(curve, carryDirector(curve, d1, first, depth - 1), second, depth - 1);
}

/** The twist-free frame at p = b that begins as `frame` at p = a. */
function carryFrame(curve: Curve, frame: Frame, a: number, b: number): Frame {
  const tangent = tangentAt(curve, b);
  const { constant } = curve;
  if (constant?.curvature === 0) return { tangent, d1: frame.d1 };
  if (constant) {
    const from = makeFrame(frame.tangent, normalize(curvatureAt(curve, a)));
    const to = makeFrame(tangent, normalize(curvatureAt(curve, b)));
    return turnFrame(to, angleAbout(frame.tangent, from.d1, frame.d1) - constant.torsion * (b - a));
  }
  const turn = createTurn(curve, a, b);
  const d1 = carryDirector(curve, frame.d1, turn, 10);
  // the integrator does not see a corner between a and b: this corrects the tangent
  const carried = carryDirector(curve, frame.tangent, turn, 10);
  return makeFrame(tangent, transport(d1, normalize(carried), tangent));
}

export interface FrameRule {
  /** d1 at the start, made normal to the tangent. */
  readonly d1?: Vector;
  readonly follow?: 'transport' | 'curve';
}

/** A frame that cannot be built; has the reason and the arc fraction. */
export class FramingError extends Error {
  readonly field: 'd1' | 'follow';
  constructor(field: 'd1' | 'follow', message: string) {
    super(message);
    this.field = field;
  }
}

export function startDirector(tangent: Vector, d1: Vector | undefined): Vector {
  if (!d1) return anyNormal(tangent);
  const normal = normalPart(d1, tangent);
  if (!normal) {
    throw new FramingError(
      'd1',
      `d1 [${d1.join(', ')}] is parallel to the tangent at the start; give a direction across the rod`,
    );
  }
  return normal;
}

/**
 * Frames at the increasing arc lengths `arcs`, the first of which is 0. On a closed curve arcs may continue beyond the
 * length: the frame is then carried round and does not jump back to its start.
 */
export function frameCurve(curve: Curve, arcs: readonly number[], rule: FrameRule): Frame[] {
  const round = arcs[arcs.length - 1] > curve.length;
  const wrap = (s: number): number => curve.parameter(round && s >= curve.length ? s - curve.length : s);
  const parameters = arcs.map(wrap);
  const startTangent = tangentAt(curve, parameters[0]);
  if (rule.follow === 'curve') {
    const normals = parameters.map((p, i) => {
      const tangent = tangentAt(curve, p);
      const bend = curvatureAt(curve, p);
      // not(≥), so that NaN fails too
      if (!(norm(bend) * curve.length >= 1e-6)) {
        const u = (arcs[i] / curve.length).toPrecision(4);
        throw new FramingError(
          'follow',
          `the curve is straight at u = ${u} and has no principal normal there; use follow: transport`,
        );
      }
      return makeFrame(tangent, normalize(bend));
    });
    if (!rule.d1) return normals;
    const turn = angleAbout(startTangent, normals[0].d1, startDirector(startTangent, rule.d1));
    return normals.map((frame) => turnFrame(frame, turn));
  }
  const frames: Frame[] = [makeFrame(startTangent, startDirector(startTangent, rule.d1))];
  const end = curve.parameter(curve.length);
  const begin = curve.parameter(0);
  for (let i = 1; i < arcs.length; i++) {
    let frame = frames[i - 1];
    let from = parameters[i - 1];
    if (round && arcs[i] >= curve.length && arcs[i - 1] < curve.length) {
      // across the closure: to the end, over the corner there if any, and on from the start
      frame = transportFrame(carryFrame(curve, frame, from, end), startTangent);
      from = begin;
    }
    frames.push(carryFrame(curve, frame, from, parameters[i]));
  }
  return frames;
}

/**
 * Frames of a polyline at node 0, on edge 0, at node 1, on edge 1 … (the order of `frameCurve` with nodes and middles); closed:
 * ends with node 0 again and edge 0 again, carried round. The frame at an inner node divides the rotation of its joint in
 * proportion to the lengths; at an open end it is that of the edge.
 */
export function framePolyline(
  tangents: readonly Vector[],
  lengths: readonly number[],
  closed: boolean,
  rule: FrameRule,
  divide: (before: Frame, after: Frame, share: number) => Frame,
): Frame[] {
  const n = tangents.length;
  const normalOf = (j: number): Frame => {
    const before = tangents[j > 0 ? j - 1 : closed ? n - 1 : j];
    const after = tangents[j + 1 < n ? j + 1 : closed ? 0 : j];
    const normal = normalPart(subtract(after, before), tangents[j]);
    if (!normal)
      throw new FramingError(
        'follow',
        `the polyline is straight at edge ${j} and has no principal normal there; use follow: transport`,
      );
    return makeFrame(tangents[j], normal);
  };
  const edges: Frame[] = [];
  const first = startDirector(tangents[0], rule.d1);
  const turn = rule.follow === 'curve' && rule.d1 ? angleAbout(tangents[0], normalOf(0).d1, first) : 0;
  const count = closed ? n + 1 : n;
  for (let j = 0; j < count; j++) {
    if (rule.follow === 'curve') edges.push(turnFrame(normalOf(j % n), turn));
    else if (j === 0) edges.push(makeFrame(tangents[0], first));
    else edges.push(transportFrame(edges[j - 1], tangents[j % n]));
  }
  const frames: Frame[] = [];
  const beforeFirst = rule.follow === 'curve' ? edges[n - 1] : transportFrame(edges[0], tangents[n - 1]);
  for (let j = 0; j < count; j++) {
    if (j > 0) frames.push(divide(edges[j - 1], edges[j], lengths[j - 1] / (lengths[j - 1] + lengths[j % n])));
    else if (closed) frames.push(divide(beforeFirst, edges[0], lengths[n - 1] / (lengths[n - 1] + lengths[0])));
    else frames.push(edges[0]);
    frames.push(edges[j]);
  }
  if (!closed) frames.push(edges[n - 1]);
  return frames;
}
