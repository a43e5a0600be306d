/** Checks of a wind that is given by velocities on a grid. */
import { SceneError } from '../errors.ts';
import { frameTimes, unpackNumbers } from '../fields/sampledWind.ts';
import type { PackedNumbers, SampledWindSpec, Vec3 } from './types.ts';
import type { Path } from './varying.ts';

/** Largest number of components that a grid may have: 128 MiB in single precision. */
export const sampleLimit: number = 2 ** 25;

/** Throws a SceneError if the grid, its times and its values do not fit together. */
export function checkSampledWind(spec: SampledWindSpec, path: Path): void {
  const fail = (field: string, message: string): never => {
    throw new SceneError([...path, ...field.split('.').filter(Boolean)], message);
  };
  const { spacing, count, outside, interpolation = 'linear' } = spec;
  const size = checkGrid(count, spacing, fail);
  if (outside !== 'still' && outside !== 'nearest')
    fail('outside', `the value is '${outside}'; give 'still' or 'nearest', the wind outside the grid`);
  if (interpolation !== 'linear' && interpolation !== 'smooth')
    fail('interpolation', `the value is '${interpolation}'; it must be 'linear' or 'smooth'`);
  const numbers = readValues(spec.values, fail);
  if (numbers.length === 0 || numbers.length % size !== 0)
    fail('values', `there are ${numbers.length} numbers; ${count.join(' × ')} points need ${size} per frame`);
  checkTimes(spec, numbers.length / size, numbers.length, fail);
  for (let i = 0; i < numbers.length; i++) {
    if (Number.isFinite(numbers[i]) && Math.abs(numbers[i]) <= 1e60) continue;
    fail('values', `${describePlace(i, count)} is ${numbers[i]}; it must be a finite velocity [m/s]`);
  }
}

type Fail = (field: string, message: string) => never;

/** Returns the number of values per frame. */
function checkGrid(count: Vec3, spacing: number | Vec3, fail: Fail): number {
  count.forEach((n, axis) => {
    if (!Number.isInteger(n) || n < 1) fail('count', `along ${'xyz'[axis]} there are ${n} points; give 1 or more`);
  });
  for (const h of typeof spacing === 'number' ? [spacing] : spacing)
    if (!(h > 0)) fail('spacing', `the spacing is ${h} m; it must be positive`);
  const size = 3 * count[0] * count[1] * count[2];
  if (size > sampleLimit) fail('count', `a frame has ${size} numbers; ${sampleLimit} are allowed: use a coarser grid`);
  return size;
}

function readValues(values: readonly number[] | PackedNumbers, fail: Fail): ArrayLike<number> {
  if (!Array.isArray(values)) {
    const packed = values as Partial<Record<'float32' | 'float64', string>>;
    const name = packed?.float32 === undefined ? 'float64' : 'float32';
    const text = packed?.[name];
    if (typeof text !== 'string') fail('values', 'give a list of numbers, or { float32 } or { float64 } with base64');
    const bytes = /^[A-Za-z0-9+/]*={0,2}$/.test(text ?? '') ? (text ?? '').length : -1;
    if (bytes < 0 || bytes % 4 !== 0) fail(`values.${name}`, 'this is not base64');
    if (bytes > 6 * sampleLimit * (name === 'float32' ? 1 : 2)) tooMany(Math.round((0.75 * bytes) / 4), fail);
  }
  const numbers = unpackNumbers(values);
  if (numbers.length > sampleLimit) tooMany(numbers.length, fail);
  return numbers;
}

function tooMany(count: number, fail: Fail): never {
  return fail('values', `there are ${count} numbers; ${sampleLimit} are allowed: use fewer frames or a coarser grid`);
}

function checkTimes(spec: SampledWindSpec, frames: number, size: number, fail: Fail): void {
  const { times } = spec;
  if (times === undefined) {
    if (frames !== 1) fail('times', `the values are ${frames} frames; give the time of each, or { every: "40 ms" }`);
    return;
  }
  if (!Array.isArray(times)) {
    const { every } = times as { readonly every: number };
    if (!(every > 0)) fail('times.every', `the time between frames is ${every} s; it must be positive`);
  }
  const list = frameTimes(spec, size);
  if (list.length !== frames) fail('times', `there are ${list.length} times for ${frames} frames; give one per frame`);
  list.forEach((time, k) => {
    if (k > 0 && !(time > list[k - 1])) fail('times', `frame ${k} is at ${time} s, not after the one before it`);
  });
}

function describePlace(index: number, count: Vec3): string {
  const point = Math.floor(index / 3);
  const [i, j, k, frame] = [
    point % count[0],
    Math.floor(point / count[0]) % count[1],
    Math.floor(point / (count[0] * count[1])) % count[2],
    Math.floor(point / (count[0] * count[1] * count[2])),
  ];
  return `component ${'xyz'[index % 3]} at point [${i}, ${j}, ${k}] of frame ${frame}`;
}
