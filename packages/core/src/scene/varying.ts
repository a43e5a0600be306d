/**
 * Quantities along a rod and factors in time, from plain data to functions.
 *
 * Averages over half an edge use two Gauss points inside it, never its border. So the average of a property that jumps at a node is
 * exact, and that of a cubic one too.
 */
import { createSpline } from '../curve/spline.ts';
import { SceneError } from '../errors.ts';
import { compileExpression, ExpressionError } from './expression.ts';
import type { Interpolation, Timed, Varying } from './values.ts';

export type Path = readonly (string | number)[];

/** Runs `build`, and gives an error of the expression parser the place of the field. */
export function atPath<T>(path: Path, build: () => T): T {
  try {
    return build();
  } catch (error) {
    if (error instanceof ExpressionError) throw new SceneError(path, error.message);
    throw error;
  }
}

/** What a value must satisfy: the test, and the words that go after "must be". */
export interface Requirement {
  readonly test: (value: number) => boolean;
  readonly words: string;
}
export const positive: Requirement = { test: (value) => value > 0, words: 'positive' };
export const nonNegative: Requirement = { test: (value) => value >= 0, words: 'zero or more' };
export const anyNumber: Requirement = { test: () => true, words: 'a number' };

export interface Profile {
  /** The same for all u. */
  readonly constant: boolean;
  at(u: number): number;
}

/** The two Gauss points of [0, 1]. */
export const gaussPoints: readonly [number, number] = [0.5 - Math.sqrt(3) / 6, 0.5 + Math.sqrt(3) / 6];

/** `length`: rest length [m], the `L` of formulas. */
export function compileVarying(
  spec: Varying,
  length: number,
  path: Path,
  requirement: Requirement = anyNumber,
): Profile {
  const check = (value: number, at: Path, where: string): number => {
    if (!Number.isFinite(value)) throw new SceneError(at, `the value is ${value}${where}; it must be a finite number`);
    if (!requirement.test(value))
      throw new SceneError(at, `the value is ${value}${where}; it must be ${requirement.words}`);
    return value;
  };
  if (typeof spec === 'number') {
    const value = check(spec, path, '');
    return { constant: true, at: () => value };
  }
  if ('along' in spec) {
    const { along } = spec;
    if (along.length === 0)
      throw new SceneError([...path, 'along'], 'the list is empty; give [u, value] pairs with u from 0 to 1');
    along.forEach(([u, value], i) => {
      const here = [...path, 'along', i];
      check(value, [...here, 1], '');
      if (!(u >= 0 && u <= 1))
        throw new SceneError([...here, 0], `u is ${u}; it must be from 0 to 1 (the fraction of the rest length)`);
      if (i > 0 && u < along[i - 1][0])
        throw new SceneError([...here, 0], `u is ${u} after ${along[i - 1][0]}; the pairs must be in increasing order`);
      if (i > 1 && u === along[i - 2][0])
        throw new SceneError([...here, 0], `u = ${u} occurs three times; two make a jump, more have no meaning`);
    });
    return { constant: along.every(([, value]) => value === along[0][1]), at: (u) => interpolateLinear(along, u) };
  }
  const evaluate = atPath([...path, 'formula'], () => compileExpression(spec.formula, ['u', 's', 'L']));
  return {
    constant: false,
    at: (u) => check(evaluate([u, u * length, length]), [...path, 'formula'], ` at u = ${Number(u.toPrecision(6))}`),
  };
}

/** At a jump: the value after it. */
function interpolateLinear(pairs: readonly (readonly [number, number])[], at: number): number {
  const last = pairs.length - 1;
  if (at < pairs[0][0]) return pairs[0][1];
  if (at >= pairs[last][0]) return pairs[last][1];
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (pairs[middle][0] <= at) low = middle;
    else high = middle;
  }
  const [a, from] = pairs[low];
  const [b, to] = pairs[high];
  return from + ((to - from) * (at - a)) / (b - a);
}

/** Keyed values of any dimension in time. */
export interface Track {
  /** Writes value and rate, `dimension` numbers each. */
  evaluate(out: Float64Array, t: number): void;
  /** Writes the second derivative; missing where the rate jumps. */
  readonly accelerate?: (out: Float64Array, t: number) => void;
}

/** Constant before the first key and after the last; times increase strictly. */
export function createTrack(
  times: readonly number[],
  values: readonly ArrayLike<number>[],
  interpolation: Interpolation,
): Track {
  if (interpolation === 'smooth') return createSmoothTrack(times, values);
  const dimension = values[0].length;
  const last = times.length - 1;
  return {
    evaluate(out, t) {
      let i = 0;
      while (i < last && times[i + 1] <= t) i++;
      const moves = interpolation === 'linear' && i < last && t >= times[0];
      for (let k = 0; k < dimension; k++) {
        const rate = moves ? (values[i + 1][k] - values[i][k]) / (times[i + 1] - times[i]) : 0;
        out[k] = values[i][k] + (moves ? rate * (t - times[i]) : 0);
        out[dimension + k] = rate;
      }
    },
  };
}

/** By itself, so that it keeps its spline alone: thousands of roots have one each. */
function createSmoothTrack(times: readonly number[], values: readonly ArrayLike<number>[]): Track {
  const spline = createSpline(times, values, 'rest');
  const { dimension } = spline;
  const buffer = new Float64Array(3 * dimension);
  return {
    evaluate(out, t) {
      spline.evaluate(buffer, t);
      for (let k = 0; k < 2 * dimension; k++) out[k] = buffer[k];
    },
    accelerate(out, t) {
      spline.evaluate(buffer, t);
      for (let k = 0; k < dimension; k++) out[k] = buffer[2 * dimension + k];
    },
  };
}

export function checkTimes(times: readonly number[], path: Path, place: (i: number) => Path): void {
  if (times.length === 0) throw new SceneError(path, 'the list of keys is empty; give at least one');
  times.forEach((time, i) => {
    if (!(time >= 0)) throw new SceneError([...path, ...place(i)], `the time is ${time} s; times start at 0`);
    if (i > 0 && !(time > times[i - 1])) {
      throw new SceneError(
        [...path, ...place(i)],
        `the time ${time} s comes after ${times[i - 1]} s; keys must be in increasing order`,
      );
    }
  });
}

/** A formula's value; throws an error with the place if it is not a number. */
export function finite(value: number, path: Path, where: () => string): number {
  if (Number.isFinite(value)) return value;
  throw new SceneError(
    path,
    `the formula gives ${value} at ${where()}; make it finite wherever the rod goes, e.g. with max() or clamp()`,
  );
}

/** A factor as a function of time that does not allocate. */
export function compileTimed(spec: Timed | undefined, path: Path): (t: number) => number {
  if (spec === undefined) return () => 1;
  if (typeof spec === 'number') return () => spec;
  if ('keys' in spec) {
    const times = spec.keys.map(([time]) => time);
    checkTimes(times, [...path, 'keys'], (i) => [i, 0]);
    const track = createTrack(
      times,
      spec.keys.map(([, value]) => [value]),
      spec.interpolation ?? 'smooth',
    );
    const out = new Float64Array(2);
    return (t) => {
      track.evaluate(out, t);
      return out[0];
    };
  }
  const evaluate = atPath([...path, 'formula'], () => compileExpression(spec.formula, ['t']));
  const values = new Float64Array(1);
  return (t) => {
    values[0] = t;
    return finite(evaluate(values), [...path, 'formula'], () => `t = ${t}`);
  };
}
