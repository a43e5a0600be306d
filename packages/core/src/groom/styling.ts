/**
 * Operations on a hairstyle: cut, comb, curl. Each returns a new style and leaves the old one unchanged.
 *
 * Cutting keeps the curvature of the remaining part. Combing moves hair near the comb, keeps lengths, fits helices to the new curve, and gives the guide
 * the natural curvature for which it hangs as combed (inverse statics), so that it stays. Curling sets the natural curl and settles the hair under gravity.
 */

import { dot, normalize, type Vector } from '../curve/vector.ts';
import { SceneError } from '../errors.ts';
import { hypot, hypotOf, square as squareOf } from '../math/rounded/index.ts';
import { fitHelices, fitTurns } from '../models/helix/fit.ts';
import { divideEdges } from '../models/helix/rod.ts';
import { alignCurl, createStrandSolver, reconstructHelices } from '../models/helix/strand.ts';
import { acrossAxis, type Curl, chooseElements, curvatureOf } from './grow.ts';
import { fiberSection, guideOf, type Hairstyle, type SettleReport, settleHairstyle, vectorAt } from './hairstyle.ts';
import { rootMap, type SurfaceMap } from './surfaceMap.ts';

/** Selects guides for an operation: those where this is not zero. Default all. */
export interface Where {
  readonly where?: SurfaceMap;
}

function chosen(style: Hairstyle, { where }: Where): number[] {
  const all = Array.from({ length: style.guideRoots.count }, (_, g) => g);
  if (where === undefined) return all;
  const value = rootMap(style.guideRoots, where, 'where');
  return all.filter((g) => value[g] > 0);
}

/** Cuts guides by length or by a plane. */
export interface CutOptions extends Where {
  /** Longest remaining length [m]. */
  readonly length?: number;
  /** Cuts off everything on the side of the normal. */
  readonly plane?: { readonly point: Vector; readonly normal: Vector };
}

/** Shortest remaining hair [m]: the follicle stays. */
const stubble = 1e-3;

/** Cuts guides; returns a new hairstyle. */
export function cutHairstyle(
  style: Hairstyle,
  options: CutOptions,
): { readonly style: Hairstyle; readonly cut: number } {
  const { length: most, plane } = options;
  if (most === undefined && !plane) throw new SceneError(['length'], 'give the length, or the plane at which to cut');
  if (most !== undefined && !(most > 0 && Number.isFinite(most)))
    throw new SceneError(['length'], `must be positive, got ${most}`);
  if (plane && !(hypotOf(plane.normal) > 0))
    throw new SceneError(['plane'], 'the normal is the zero vector; give a direction');
  const length = style.length.slice();
  const natural = style.natural.slice();
  const curvature = style.curvature.slice();
  let cut = 0;
  for (const g of chosen(style, options)) {
    const left = Math.min(most ?? Infinity, plane ? lengthBefore(style, g, plane) : Infinity);
    if (!(left < style.length[g])) continue;
    const kept = Math.max(left, Math.min(stubble, style.length[g]));
    for (const values of [natural, curvature])
      resample(values, style.elements, g, kept / style.length[g], style.length[g]);
    length[g] = kept;
    cut++;
  }
  return { style: { ...style, length, natural, curvature }, cut };
}

/** Length up to where a guide first crosses a plane. */
function lengthBefore(style: Hairstyle, g: number, plane: NonNullable<CutOptions['plane']>): number {
  const normal = normalize(plane.normal);
  const per = 8;
  const { position } = reconstructHelices(guideOf(style, g), per);
  const piece = style.length[g] / (style.elements * per);
  const height = (i: number): number =>
    dot(
      [position[3 * i] - plane.point[0], position[3 * i + 1] - plane.point[1], position[3 * i + 2] - plane.point[2]],
      normal,
    );
  let before = height(0);
  if (before > 0) return 0;
  for (let i = 1; i < position.length / 3; i++) {
    const here = height(i);
    if (here > 0) return piece * (i - 1 + before / (before - here));
    before = here;
  }
  return Infinity;
}

/** Half edges per element, for the fit of the remaining part. */
const halves = 12;

/**
 * Curvature of equal elements over the first `part` of a guide. Starts from the mean over each element and refines it by a fit of positions and frames:
 * the mean alone moves a tip by 4 % of the length if a hair bends sharply at its root.
 */
function resample(values: Float64Array, elements: number, g: number, part: number, length: number): void {
  const old = values.slice(3 * elements * g, 3 * elements * (g + 1));
  const count = halves * elements;
  const piece = (part * length) / count;
  const turns = new Float64Array(3 * count);
  for (let h = 0; h < count; h++) {
    const [from, to] = [(h * part) / halves, ((h + 1) * part) / halves];
    for (let n = Math.floor(from); n < Math.min(elements, Math.ceil(to)); n++) {
      const share = (Math.min(to, n + 1) - Math.max(from, n)) / (to - from);
      for (let k = 0; k < 3; k++) turns[3 * h + k] += share * piece * old[3 * n + k];
    }
  }
  const edges = count / 2;
  const { curvature } = fitTurns(new Float64Array(edges).fill(2 * piece), turns, divideEdges(edges, elements));
  values.set(curvature, 3 * elements * g);
}

/** Stroke of a comb: from, to, radius. */
export interface CombOptions extends Where {
  /** Path of the comb: start and end [m]. */
  readonly from: Vector;
  /** End of the stroke [m]. */
  readonly to: Vector;
  /** Distance from its path within which hair is moved [m]. */
  readonly radius: number;
  /** Fraction of the stroke that hair follows, 0 to 1. Default 1. */
  readonly strength?: number;
}

/** Number of guides that the comb moved, and how many of these sag again. */
export interface CombReport {
  /** Number of guides that the comb moved. */
  readonly combed: number;
  /** Number of those hairs that are too soft to stay: they sag. */
  readonly unstable: number;
  /** Largest distance between the combed curve and its helices [m]. */
  readonly error: number;
}

/** Combs guides along a stroke; returns a new hairstyle. */
export function combHairstyle(
  style: Hairstyle,
  options: CombOptions,
): { readonly style: Hairstyle; readonly report: CombReport } {
  const { from, to, radius, strength = 1 } = options;
  if (!(radius > 0 && Number.isFinite(radius))) throw new SceneError(['radius'], `must be positive, got ${radius}`);
  if (!(strength >= 0 && strength <= 1)) throw new SceneError(['strength'], `must be from 0 to 1, got ${strength}`);
  if (![...from, ...to].every(Number.isFinite)) throw new SceneError(['from'], 'expected two points');
  const shapes = new Map<number, Float64Array>();
  for (const g of chosen(style, options)) {
    const points = reconstructHelices(guideOf(style, g), 2).position;
    if (dragPoints(points, from, to, radius, strength)) shapes.set(g, points);
  }
  return reshapeHairstyle(style, shapes);
}

/**
 * Gives guides the shapes of polylines, 3 numbers per point from the root on, with equal distances: fits helices, and with `hold` (default) sets the
 * natural curvature for which the guide hangs in that shape. Without it, something else holds the shape, such as the head that hair lies on, and the
 * natural curvature is unchanged.
 */
export function reshapeHairstyle(
  style: Hairstyle,
  shapes: ReadonlyMap<number, Float64Array>,
  { hold = true }: { readonly hold?: boolean } = {},
): { readonly style: Hairstyle; readonly report: CombReport } {
  const out = {
    natural: style.natural.slice(),
    curvature: style.curvature.slice(),
    rootTangent: style.rootTangent.slice(),
    rootDirector: style.rootDirector.slice(),
  };
  const { elements, gravity } = style;
  const section = fiberSection(style.fiber);
  const report = { combed: 0, unstable: 0, error: 0 };
  for (const [g, points] of shapes) {
    const fit = fitHelices(points, elements, { d1: vectorAt(style.rootDirector, g) });
    // chords are a little shorter than the curve through them: the guide keeps its length
    const scale = fit.elementLength[0] / (style.length[g] / elements);
    const shape = {
      ...fit,
      curvature: fit.curvature.map((value) => value * scale),
      elementLength: new Float64Array(elements).fill(style.length[g] / elements),
    };
    if (!shape.curvature.every(Number.isFinite)) continue;
    report.combed++;
    report.error = Math.max(report.error, fit.error.largest);
    out.curvature.set(shape.curvature, 3 * elements * g);
    out.rootTangent.set(shape.rootTangent, 3 * g);
    out.rootDirector.set(shape.rootDirector, 3 * g);
    if (!hold) continue;
    const natural = new Float64Array(3 * elements);
    const { stable } = createStrandSolver(shape.elementLength, section, gravity, 2).findNatural(natural, shape);
    if (!stable) report.unstable++;
    out.natural.set(natural, 3 * elements * g);
  }
  return { style: { ...style, ...out }, report };
}

/** Moves points with the comb, keeping the root and the distances; returns false if no point is near. */
export function dragPoints(p: Float64Array, from: Vector, to: Vector, radius: number, strength: number): boolean {
  const way: Vector = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
  const square = dot(way, way);
  const before = p.slice();
  let touched = false;
  for (let i = 3; i < p.length; i += 3) {
    const d: Vector = [p[i] - from[0], p[i + 1] - from[1], p[i + 2] - from[2]];
    const t = square > 0 ? Math.min(1, Math.max(0, dot(d, way) / square)) : 0;
    const distance = hypot(d[0] - t * way[0], d[1] - t * way[1], d[2] - t * way[2]);
    if (distance >= radius) continue;
    touched = true;
    // full at the comb, zero at its radius, smooth at both; points ahead of the comb's end stay ahead
    const weight = strength * squareOf(1 - squareOf(distance / radius)) * (1 - t);
    for (let k = 0; k < 3; k++) p[i + k] += weight * way[k];
  }
  if (!touched || square === 0) return false;
  keepDistances(p, before);
  return true;
}

/** Moves points, from the root on, so that each is as far from the one before it as in `before`. */
export function keepDistances(p: Float64Array, before: Float64Array): void {
  for (let i = 3; i < p.length; i += 3) {
    const length = hypot(before[i] - before[i - 3], before[i + 1] - before[i - 2], before[i + 2] - before[i - 1]);
    const d = [p[i] - p[i - 3], p[i + 1] - p[i - 2], p[i + 2] - p[i - 1]];
    const size = hypotOf(d);
    for (let k = 0; k < 3; k++)
      p[i + k] = p[i - 3 + k] + (size > 0 ? (length * d[k]) / size : before[i + k] - before[i - 3 + k]);
  }
}

/** Natural curl that guides get. */
export interface CurlOptions extends Where {
  /** Undefined: straight. */
  readonly curl?: Curl;
  /** True if the hair hangs again afterwards. Default true. */
  readonly settle?: boolean;
}

/** Changes the natural curl of guides; returns a new hairstyle. */
export function curlHairstyle(
  style: Hairstyle,
  options: CurlOptions,
): { readonly style: Hairstyle; readonly report: SettleReport } {
  const curl = curvatureOf(options.curl);
  const list = chosen(style, options);
  chooseElements(
    style.elements,
    curl,
    Float64Array.from(list, (g) => style.length[g]),
  );
  const { elements } = style;
  const out = {
    natural: style.natural.slice(),
    curvature: style.curvature.slice(),
    rootTangent: style.rootTangent.slice(),
    rootDirector: style.rootDirector.slice(),
  };
  for (const g of list) {
    const axis = vectorAt(style.axis, g);
    const frame = alignCurl(curl, axis, acrossAxis(vectorAt(style.guideRoots.side, g), axis));
    out.rootTangent.set(frame.rootTangent, 3 * g);
    out.rootDirector.set(frame.rootDirector, 3 * g);
    for (let d = 0; d < 3 * elements; d++) {
      out.natural[3 * elements * g + d] = curl[d % 3];
      out.curvature[3 * elements * g + d] = curl[d % 3];
    }
  }
  const curled = { ...style, ...out };
  if (options.settle === false)
    return { style: curled, report: { guides: list.length, failed: 0, unstable: 0, iterations: 0 } };
  return settleHairstyle(curled, list);
}
