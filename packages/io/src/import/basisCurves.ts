/**
 * Curves of USD and Alembic: linear ones are used unchanged; cubic ones (Bézier, B-spline, Catmull–Rom) are evaluated at the ends of
 * their pieces, Bézier pieces also twice in between, so that there are about as many points as before.
 */
import { pow, square } from '@tendril-sim/core/math';
import { InputError } from '../errors.ts';
import type { CurveBuilder } from './curves.ts';

export interface BasisCurves {
  readonly name: string;
  /** One per curve. Default: the name and a number. */
  readonly names?: readonly string[];
  /** Vertices of each curve. */
  readonly counts: Float64Array;
  /** 3 per vertex. */
  readonly position: Float64Array;
  /** One for all, one per curve or one per vertex. */
  readonly widths: Float64Array | undefined;
  readonly basis: string;
  readonly wrap: string;
}

/** Adds the curves of one object. Throws InputError if counts and vertices do not match. */
export function addBasisCurves(out: CurveBuilder, source: string, curves: BasisCurves): void {
  const { name, names, counts, position, widths, basis, wrap } = curves;
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (position.length !== 3 * total || counts.some((count) => !Number.isInteger(count) || count < 0))
    throw new InputError(
      source,
      `curves "${name}": counts add up to ${total}, and there are ${position.length / 3} points`,
    );
  // coordinates and radius, four per vertex
  const vertex = new Float64Array(4 * total);
  let first = 0;
  counts.forEach((count, c) => {
    for (let i = first; i < first + count; i++) {
      const point = position.subarray(3 * i, 3 * i + 3);
      if (!point.every(Number.isFinite))
        throw new InputError(source, `curves "${name}": point ${i} is (${point.join(', ')}), not a place`);
      vertex.set(point, 4 * i);
      vertex[4 * i + 3] = 0.5 * widthAt(widths, i, c, { vertices: total, curves: counts.length });
    }
    const control = vertex.subarray(4 * first, 4 * (first + count));
    out.begin(names?.[c] ?? (counts.length === 1 ? name : `${name}-${c}`), wrap === 'periodic');
    const curve = basis === 'linear' ? control : evaluate(control, basis, wrap);
    for (let i = 0; i < curve.length; i += 4) out.point(curve[i], curve[i + 1], curve[i + 2], curve[i + 3]);
    first += count;
  });
}

/** NaN if it is not known. */
function widthAt(
  widths: Float64Array | undefined,
  vertex: number,
  curve: number,
  { vertices, curves }: { readonly vertices: number; readonly curves: number },
): number {
  if (!widths) return Number.NaN;
  if (widths.length === 1) return widths[0];
  if (widths.length === vertices) return widths[vertex];
  return widths.length === curves ? widths[curve] : Number.NaN;
}

/** Points of a cubic curve, four numbers per point. */
function evaluate(control: Float64Array, basis: string, wrap: string): number[] {
  const count = control.length / 4;
  const at = (i: number): readonly number[] => Array.from(control.subarray(4 * i, 4 * i + 4));
  let list = Array.from({ length: count }, (_, i) => at(i));
  if (count < 2) return list.flat();
  const mirror = (a: readonly number[], b: readonly number[]): number[] => a.map((value, k) => 2 * value - b[k]);
  if (wrap === 'periodic') list = [...list, ...list.slice(0, basis === 'bezier' ? 1 : 3)];
  else if (wrap === 'pinned' && basis !== 'bezier')
    list = [mirror(list[0], list[1]), ...list, mirror(list[count - 1], list[count - 2])];
  if (list.length < 4) return list.flat();
  const step = basis === 'bezier' ? 3 : 1;
  const weights = basis === 'bezier' ? bezier : basis === 'bspline' ? bspline : catmullRom;
  const parts = basis === 'bezier' ? 3 : 1;
  const out: number[] = [];
  const pieces = Math.floor((list.length - 4) / step) + 1;
  for (let s = 0; s < pieces; s++) {
    const last = s === pieces - 1 && wrap !== 'periodic';
    for (let k = 0; k < parts + (last ? 1 : 0); k++) {
      const w = weights(k / parts);
      for (let c = 0; c < 4; c++) out.push(w.reduce((sum, weight, j) => sum + weight * list[s * step + j][c], 0));
    }
  }
  return out;
}

const bezier = (t: number): number[] => [pow(1 - t, 3), 3 * t * square(1 - t), 3 * t * t * (1 - t), pow(t, 3)];
const bspline = (t: number): number[] => [
  pow(1 - t, 3) / 6,
  (3 * pow(t, 3) - 6 * t * t + 4) / 6,
  (-3 * pow(t, 3) + 3 * t * t + 3 * t + 1) / 6,
  pow(t, 3) / 6,
];
const catmullRom = (t: number): number[] => [
  (-pow(t, 3) + 2 * t * t - t) / 2,
  (3 * pow(t, 3) - 5 * t * t + 2) / 2,
  (-3 * pow(t, 3) + 4 * t * t + t) / 2,
  (pow(t, 3) - t * t) / 2,
];
