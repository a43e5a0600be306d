import type { HelixOptions } from '@tendril/core';
import type * as z from 'zod';
import { count, fields, type Written, whole, words } from '../primitives.ts';

export const helix: z.ZodType<HelixOptions, Written<HelixOptions>> = fields('the options of helix', {
  elements: whole(1).optional().describe('Helical elements a rod, at most its edges. Default: as many as edges.'),
  integrator: words(['incremental-potential', 'bdf2', 'semi-implicit'])
    .optional()
    .describe(
      'incremental-potential (default): backward Euler as a minimisation; bdf2: second order; semi-implicit: as published, wants damping.',
    ),
  tolerance: count('positive').optional().describe('Newton stops below tolerance × force scale. Default 1e-9.'),
  iterations: whole(1).optional().describe('Newton iterations before a step counts as failed. Default 50.'),
});
