/**
 * The turn of an edge about its chord, for models in which a direction marks the material: `cosserat`, `massspring`.
 *
 * The mark w (an axis of the frame, or the vector to a ghost) need not be normal to the chord. With its part p across the unit tangent t, n = t × p/|p|
 * and chord length l, the mark turns about the chord, relative to parallel transport, at the rate n·(w' − (w·t) t')/|p|.
 */
import { hypot } from '../math/rounded/index.ts';

/** An edge with a mark, as of the last `measureMark`. */
export interface MarkedEdge {
  /** Unit tangent along the chord, and unit direction of the mark across it. */
  readonly tangent: Float64Array;
  readonly across: Float64Array;
  /** n/|p|: rate of the turn per rate of the mark [1/m], or [1] for an axis of unit length. */
  readonly turnPerMark: Float64Array;
  /** Rate of the turn per velocity of the chord's end relative to its start [1/m]. */
  readonly turnPerChord: Float64Array;
}

export const createMarkedEdge = (): MarkedEdge => ({
  tangent: new Float64Array(3),
  across: new Float64Array(3),
  turnPerMark: new Float64Array(3),
  turnPerChord: new Float64Array(3),
});

/** Chord from `x` at a to `x` at b, and the mark at o of `mark`. */
export function measureMark(
  out: MarkedEdge,
  { x, a, b }: { readonly x: Float64Array; readonly a: number; readonly b: number },
  mark: ArrayLike<number>,
  o: number,
): void {
  const { tangent: t, across, turnPerMark, turnPerChord } = out;
  const length = hypot(x[b] - x[a], x[b + 1] - x[a + 1], x[b + 2] - x[a + 2]);
  let along = 0;
  for (let k = 0; k < 3; k++) {
    t[k] = (x[b + k] - x[a + k]) / length;
    along += t[k] * mark[o + k];
  }
  for (let k = 0; k < 3; k++) across[k] = mark[o + k] - along * t[k];
  const size = hypot(across[0], across[1], across[2]);
  for (let k = 0; k < 3; k++) across[k] /= size;
  for (let k = 0; k < 3; k++) {
    const [m, n] = [(k + 1) % 3, (k + 2) % 3];
    turnPerMark[k] = (t[m] * across[n] - t[n] * across[m]) / size;
    turnPerChord[k] = (-along / length) * turnPerMark[k];
  }
}

/** A turn as a function of `count` unknowns, for `writeTurnCurvature`. */
interface TurnRates {
  readonly count: number;
  /** Displacement of an unknown for a finite difference. */
  stepOf(unknown: number): number;
  /** Writes the rates of the turn with one unknown displaced. */
  write(out: Float64Array, unknown: number, displacement: number): void;
}

const [ahead, behind] = [new Float64Array(24), new Float64Array(24)];

/** Second derivatives of a turn, row by row, by central differences of its rates; symmetric, as second derivatives of an energy are. */
export function writeTurnCurvature(out: Float64Array, { count, stepOf, write }: TurnRates): void {
  out.fill(0, 0, count * count);
  for (let j = 0; j < count; j++) {
    const step = stepOf(j);
    write(ahead, j, step);
    write(behind, j, -step);
    for (let i = 0; i < count; i++) {
      const half = (ahead[i] - behind[i]) / (4 * step);
      out[i * count + j] += half;
      out[j * count + i] += half;
    }
  }
}
