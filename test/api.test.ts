/** Everything that the packages export has a doc comment, which the API reference shows. */
import { expect, it } from 'vitest';
import { undocumented } from '../site/undocumented.ts';

it('every public symbol is documented', () => {
  expect(undocumented()).toEqual([]);
});
