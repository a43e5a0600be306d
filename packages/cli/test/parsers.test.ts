import { expect, it } from 'vitest';
import { parseInstant, parseTime } from '../src/parsers.ts';

it('an instant may be 0, a duration may not', () => {
  expect(['0', '0 s', '500 ms', '2'].map(parseInstant)).toEqual([0, 0, 0.5, 2]);
  expect(['500 ms', '2'].map(parseTime)).toEqual([0.5, 2]);
  for (const value of ['-1', '', 'soon', '1 m', 'NaN']) expect(() => parseInstant(value)).toThrow('0 or later');
  for (const value of ['0', '-1', '', 'soon', '1 m']) expect(() => parseTime(value)).toThrow('positive time');
});
