import type { StrandOptions } from '@tendril/core';
import type * as z from 'zod';
import { count, fields, quantity, type Written, whole, words } from '../primitives.ts';

export const strand: z.ZodType<StrandOptions, Written<StrandOptions>> = fields('the options of strand', {
  integrator: words(['bdf2', 'bdf1'])
    .optional()
    .describe('Backward differences of order 2 (bdf2, default) or 1 (bdf1).'),
  tolerance: quantity('angle', 'positive')
    .optional()
    .describe('Largest error of a joint in a step [rad]; steps are then chosen by it. Default: steps as given.'),
  accuracy: count('positive').optional().describe('Newton stops when no joint turns by more [rad]. Default 1e-8.'),
  iterations: whole(1).optional().describe('Newton iterations before a step counts as failed. Default 40.'),
  jacobian: words(['exact', 'numeric'])
    .optional()
    .describe(
      'Matrix of Newton: exact (default), or numeric, by differences: slower, but it knows how any load changes.',
    ),
  stiffness: words(['gibbs', 'swing-twist', 'paper'])
    .optional()
    .describe('Law of the joints: gibbs (default); swing-twist, for round sections; paper, which has no potential.'),
});
