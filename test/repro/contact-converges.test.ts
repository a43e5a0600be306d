/**
 * Contact is solved with default settings: four of the first 120 steps of this scene, the first of docs/contact.md, ended at the limit of
 * iterations.
 */
import { createWorld } from '@tendril-sim/core';
import { parseScene } from '@tendril-sim/io';
import { expect, it } from 'vitest';
import { read } from '../files.ts';

it('solves every step of the first scene in docs/contact.md', () => {
  const [, text] = /```yaml\n([\s\S]*?)```/.exec(read('docs/contact.md')) ?? [];
  const world = createWorld(parseScene(text, 'contact.md').scene);
  const unsolved: number[] = [];
  for (let k = 0; k < 120; k++) if (!world.step().contact?.converged) unsolved.push(k);
  expect(unsolved).toEqual([]);
});
