/** Parses values of command-line options; errors name the option. */
import { parseQuantity } from '@tendril-sim/io/units';
import { InvalidArgumentError } from 'commander';

function secondsOf(value: string): number {
  const number = Number(value);
  return value.trim() !== '' && Number.isFinite(number) ? number : quantity(value, 'time');
}

/** An instant: 0 or later. */
export function parseInstant(value: string): number {
  const seconds = secondsOf(value);
  if (!(seconds >= 0))
    throw new InvalidArgumentError('Expected a time in seconds, 0 or later, or with its unit: 2 or "500 ms".');
  return seconds;
}

/** A duration: above 0. */
export function parseTime(value: string): number {
  const seconds = secondsOf(value);
  if (!(seconds > 0))
    throw new InvalidArgumentError('Expected a positive time in seconds, or with its unit: 2 or "500 ms".');
  return seconds;
}

export function parseLength(value: string): number {
  const number = Number(value);
  const metres = value.trim() !== '' && Number.isFinite(number) ? number : quantity(value, 'length');
  if (!(metres > 0))
    throw new InvalidArgumentError('Expected a positive length in metres, or with its unit: 0.01 or "1 cm".');
  return metres;
}

function quantity(value: string, dimension: 'time' | 'length'): number {
  const result = parseQuantity(value, dimension);
  return result.ok ? result.value : Number.NaN;
}

export function parseCount(value: string): number {
  const count = parseInteger(value);
  if (count < 1) throw new InvalidArgumentError('Expected a positive whole number.');
  return count;
}

/** A number of threads. */
export function parseThreads(value: string): number {
  const count = parseCount(value);
  if (count > 1024) throw new InvalidArgumentError('Expected a number of threads from 1 to 1024.');
  return count;
}

export function parsePositive(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !(number > 0 && Number.isFinite(number)))
    throw new InvalidArgumentError('Expected a positive number.');
  return number;
}

/** Zero or more. */
export function parseShare(value: string): number {
  const number = parseNumber(value);
  if (number < 0) throw new InvalidArgumentError('Expected zero or more.');
  return number;
}

export function parseNumber(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number)) throw new InvalidArgumentError('Expected a number.');
  return number;
}

export function parsePort(value: string): number {
  const port = parseInteger(value);
  if (port < 0 || port > 65535) throw new InvalidArgumentError('Expected a port from 0 to 65535.');
  return port;
}

export function parseInteger(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !Number.isInteger(number)) throw new InvalidArgumentError('Expected a whole number.');
  return number;
}

/** Collects an option that may be given several times. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
