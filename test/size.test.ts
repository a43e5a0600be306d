/**
 * Functions and files that are too long to read at once, and functions with so many parameters that a call cannot be read: there are some, and
 * their number, and the largest, may only fall. If this test fails, split what you have added to; if you have shortened something,
 * lower the limit. A longer list: `SIZES=1 npx vitest run test/size.test.ts`.
 */
import { expect, it } from 'vitest';
import { read, sources } from './files.ts';
import { listFunctions } from './size.ts';

const files = sources().filter((file) => /^packages\/\w+\/src\//.test(file) && !file.includes('/generated/'));
const functions = files.flatMap((file) => listFunctions(file));

interface Limit {
  readonly what: string;
  readonly list: readonly (readonly [size: number, where: string])[];
  /** More than this is too much. */
  readonly above: number;
  /** How many there may be, and how large. */
  readonly count: number;
  readonly largest: number;
}

const at = ({ file, line, name }: (typeof functions)[number]): string => `${file}:${line} ${name}`;
const limits: readonly Limit[] = [
  {
    what: 'lines of a function',
    list: functions.map((one) => [one.lines, at(one)]),
    above: 60,
    count: 42,
    largest: 183,
  },
  {
    what: 'parameters of a function',
    list: functions.map((one) => [one.parameters, at(one)]),
    above: 6,
    count: 78,
    largest: 12,
  },
  {
    what: 'lines of a file',
    list: files.map((file) => [read(file).split('\n').length - 1, file]),
    above: 400,
    count: 14,
    largest: 487,
  },
];

it.each(limits)('$what', ({ what, list, above, count, largest }) => {
  const large = list.filter(([size]) => size > above).sort(([a], [b]) => b - a);
  const shown = large.slice(0, process.env.SIZES ? large.length : 10).map(([size, where]) => `${size} ${where}`);
  if (process.env.SIZES) console.log(`${large.length} with more than ${above} ${what}\n${shown.join('\n')}`);
  expect(large.length, shown.join('\n')).toBeLessThanOrEqual(count);
  expect(large[0]?.[0] ?? 0, shown.join('\n')).toBeLessThanOrEqual(largest);
});

it('counts what it says', () => {
  const text = 'const f = (a: number, b: number): number =>\n  a + b;\nexport function g(): void {\n  // nothing\n}\n';
  expect(listFunctions('x.ts', text)).toEqual([
    { file: 'x.ts', line: 1, name: 'f', lines: 2, parameters: 2 },
    { file: 'x.ts', line: 3, name: 'g', lines: 3, parameters: 0 },
  ]);
});
