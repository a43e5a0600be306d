/** Options of each model, a file each. */
import type { SolverSpec } from '@tendril/core';
import type * as z from 'zod';
import { fields, type Written } from '../primitives.ts';
import { cosserat } from './cosserat.ts';
import { der } from './der.ts';

export const solver: z.ZodType<SolverSpec, Written<SolverSpec>> = fields('solver', {
  der: der.optional().describe('Options of the model der.'),
  cosserat: cosserat.optional().describe('Options of the model cosserat.'),
});
