/** Reads the values of options of `tendril groom`: numbers, lengths and points with commas between them. */
import { parseQuantity } from '@tendril-sim/io/units';
import { InvalidArgumentError } from 'commander';

/** Reads values with commas between them: at least `least`, at most as many as there are readers. */
export function parseList(
  text: string,
  readers: readonly ((value: string) => number)[],
  least: number,
  what: string,
): number[] {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.length < least || parts.length > readers.length)
    throw new InvalidArgumentError(`Expected ${what}, got '${text}'.`);
  return parts.map((part, k) => readers[k](part));
}

export function parseNodes(value: string): number {
  const count = Number(value);
  if (!(Number.isInteger(count) && count >= 2 && count <= 10_000))
    throw new InvalidArgumentError('Expected a whole number from 2 to 10000.');
  return count;
}

export function parseNumber(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number)) throw new InvalidArgumentError('Expected a number.');
  return number;
}

/** Lengths between commas, each with or without a unit. */
function parseLengths(value: string, count: number, what: string): number[] {
  const parts = value.split(',').map((part) => {
    const number = Number(part);
    if (part.trim() !== '' && Number.isFinite(number)) return number;
    const quantity = parseQuantity(part.trim(), 'length');
    return quantity.ok ? quantity.value : Number.NaN;
  });
  if (parts.length !== count || !parts.every(Number.isFinite)) throw new InvalidArgumentError(`Expected ${what}.`);
  return parts;
}

export function parseTriple(value: string): [number, number, number] {
  const [x, y, z] = parseLengths(value, 3, 'three numbers with commas between them: x,y,z');
  return [x, y, z];
}

export function parsePoints(value: string): [number, number, number][] {
  return value.split(';').map(parseTriple);
}

export function parseSix(value: string): number[] {
  return parseLengths(value, 6, 'six numbers with commas between them: a point and a direction');
}

export function parseCurl(value: string): { radius: number; pitch: number; handedness: 'left' | 'right' } {
  const [radius, pitch] = parseLengths(value, 2, 'a radius and a pitch such as "1 cm,2 cm"');
  return { radius, pitch: Math.abs(pitch), handedness: pitch < 0 ? 'left' : 'right' };
}
