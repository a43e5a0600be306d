/** What a case expects of a measured quantity, and the comparison of the two. */
import type { ModelId } from '@tendril-sim/core';
import { log } from '@tendril-sim/core/math';

/** A number, or one for each resolution n and model. */
export type Bound = number | ((n: number, model: ModelId) => number);

interface Asked {
  /** Models that it is asked of; default all of the case. */
  readonly models?: readonly ModelId[];
}

/** A value that theory gives, with the largest error that is allowed. */
export interface ExactValue extends Asked {
  /** What theory says. */
  readonly value: number;
  /** Largest allowed error, at resolution n, of a model. */
  readonly tolerance: Bound;
  /** The error is |measured − value| / scale; default |value|, or 1 where value is 0. */
  readonly scale?: number;
  /** Least order of convergence in 1/n between successive resolutions; of a model that has none, undefined. */
  readonly order?: number | ((model: ModelId) => number | undefined);
  /** Below this error, rounding and the reference's own digits decide: no order is asked for. */
  readonly floor?: number | ((model: ModelId) => number);
}

/** measured ≤ bound: errors, penetrations, counts of failures. */
export interface AtMost extends Asked {
  /** Upper bound. */
  readonly atMost: Bound;
}

/** measured ≥ bound: how much better one method is than another. */
export interface AtLeast extends Asked {
  /** Lower bound. */
  readonly atLeast: Bound;
}

/** low ≤ measured ≤ high: quantities that only experiments give. */
export interface Band extends Asked {
  /** Lower bound. */
  readonly from: Bound;
  /** Upper bound. */
  readonly to: Bound;
}

/** A point of a measured curve. */
export type CurvePoint = readonly [x: number, y: number];

/** Every point of a measured curve lies in a band about the curve that theory gives. */
export interface CurveInBand extends Asked {
  /** Theory: y at x, for resolution n and a model. */
  readonly curve: (x: number, n: number, model: ModelId) => number;
  /** Half the width of the band: the largest allowed |measured − curve| / scale. */
  readonly within: Bound;
  /** Default 1. */
  readonly scale?: number;
}

/** The measured quantity is less than another one that is measured with it. */
export interface Ordering extends Asked {
  /** Name of the other quantity. */
  readonly lessThan: string;
}

/** `measure` returns true. */
export interface Holds extends Asked {
  readonly holds: true;
}

/** What a measured quantity is compared with. */
export type Expectation = ExactValue | AtMost | AtLeast | Band | CurveInBand | Ordering | Holds;

/** Expectations by the names of measured quantities. */
export type Expectations = Readonly<Record<string, Expectation>>;

/** Measured quantities by name: a boolean for an expectation that `holds`, points for one of a `curve`. */
export type Measured = Readonly<Record<string, number | boolean | readonly CurvePoint[]>>;

/** How measured and expected value are compared; `in` stands for a band. */
export type Relation = '=' | '≤' | '≥' | '<' | 'in';

/** One comparison of a measured quantity with its expectation, for one model and resolution. */
export interface CheckRow {
  /** Id of the case. */
  readonly case: string;
  /** Id of the model. */
  readonly model: string;
  /** Resolution. */
  readonly n: number;
  /** Name of the quantity. */
  readonly quantity: string;
  /** Measured value; 1 or 0 for yes or no. */
  readonly measured: number;
  /** Expected value, or the bound. */
  readonly expected: number;
  /** Of a curve: the x of the point that is farthest from theory; the other fields are of that point. */
  readonly at?: number;
  /** How the two are compared: `≤` where an upper bound is expected. */
  readonly relation: Relation;
  /** Distance from the expected value or from the middle of a band, divided by the scale; of a bound, how far it is exceeded. */
  readonly error: number;
  /** Largest error that passes; of a band, half of its width. */
  readonly tolerance: number;
  /** Order of convergence from the resolution before; null at the first. */
  readonly order: number | null;
  /** True if the comparison passes. */
  readonly pass: boolean;
}

type Asking = Pick<CheckRow, 'case' | 'n' | 'quantity'> & { readonly model: ModelId };

/** Compares a measured quantity with its expectation; `before`: its error at the resolution before, for the order. */
export function judge(
  asking: Asking,
  measured: Measured,
  expected: Expectation,
  before: { readonly n: number; readonly error: number } | undefined,
): CheckRow {
  const { n, model, quantity } = asking;
  if ('curve' in expected) return judgeCurve(asking, measured[quantity], expected);
  const found = Number(measured[quantity] ?? Number.NaN);
  const { value, relation, error, tolerance } = compare(found, expected, measured, asking);
  const order = before && 'value' in expected ? log(before.error / error) / log(n / before.n) : null;
  const base = { ...asking, measured: found, expected: value, relation, error, tolerance, order };
  if (relation === '<') return { ...base, pass: found < value };
  if (!('value' in expected)) return { ...base, pass: error <= tolerance };
  const least = typeof expected.order === 'function' ? expected.order(model) : expected.order;
  const floor = typeof expected.floor === 'function' ? expected.floor(model) : (expected.floor ?? 0);
  return {
    ...base,
    pass: error <= tolerance && (least === undefined || order === null || error <= floor || order >= least),
  };
}

/** A curve is judged by the point that is farthest from theory. */
function judgeCurve(asking: Asking, measured: Measured[string] | undefined, expected: CurveInBand): CheckRow {
  const { n, model } = asking;
  const { curve, within, scale = 1 } = expected;
  const tolerance = typeof within === 'number' ? within : within(n, model);
  const points = Array.isArray(measured) ? (measured as readonly CurvePoint[]) : [];
  let worst = { measured: Number.NaN, expected: Number.NaN, at: Number.NaN, error: Number.NaN };
  for (const [at, y] of points) {
    const theory = curve(at, n, model);
    const error = Math.abs(y - theory) / scale;
    // a point that is no number is the worst, and stays it
    if (!(error <= worst.error)) worst = { measured: y, expected: theory, at, error };
    if (Number.isNaN(error)) break;
  }
  return { ...asking, ...worst, relation: '=', tolerance, order: null, pass: worst.error <= tolerance };
}

type Comparison = Pick<CheckRow, 'relation' | 'error' | 'tolerance'> & { readonly value: number };

/** What is expected as a value with a relation, and the error: of a bound, how far it is exceeded. */
function compare(
  found: number,
  expected: Exclude<Expectation, CurveInBand>,
  measured: Measured,
  { n, model }: Asking,
): Comparison {
  const at = (bound: Bound): number => (typeof bound === 'number' ? bound : bound(n, model));
  // NaN exceeds every bound
  const beyond = (excess: number): number => (excess <= 0 ? 0 : excess);
  if ('atMost' in expected) {
    const value = at(expected.atMost);
    return { value, relation: '≤', error: beyond(found - value), tolerance: 0 };
  }
  if ('atLeast' in expected) {
    const value = at(expected.atLeast);
    return { value, relation: '≥', error: beyond(value - found), tolerance: 0 };
  }
  if ('lessThan' in expected) {
    const value = Number(measured[expected.lessThan] ?? Number.NaN);
    return { value, relation: '<', error: beyond(found - value), tolerance: 0 };
  }
  if ('from' in expected) {
    const [low, high] = [at(expected.from), at(expected.to)];
    const value = (low + high) / 2;
    return { value, relation: 'in', error: Math.abs(found - value), tolerance: (high - low) / 2 };
  }
  if ('holds' in expected) return { value: 1, relation: '=', error: Math.abs(found - 1), tolerance: 0 };
  const scale = expected.scale ?? (Math.abs(expected.value) || 1);
  const error = Math.abs(found - expected.value) / scale;
  return { value: expected.value, relation: '=', error, tolerance: at(expected.tolerance) };
}
