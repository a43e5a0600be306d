/** Options of each model, a file each. */
import type { SolverSpec } from '@tendril/core';
import type * as z from 'zod';
import { fields, type Written } from '../primitives.ts';
import { cosserat } from './cosserat.ts';
import { der } from './der.ts';
import { fiber } from './fiber.ts';
import { helix } from './helix.ts';
import { massspring } from './massspring.ts';
import { strand } from './strand.ts';

export const solver: z.ZodType<SolverSpec, Written<SolverSpec>> = fields('solver', {
  der: der.optional().describe('Options of the model der.'),
  helix: helix.optional().describe('Options of the model helix.'),
  strand: strand.optional().describe('Options of the model strand.'),
  fiber: fiber.optional().describe('Options of the model fiber.'),
  cosserat: cosserat.optional().describe('Options of the model cosserat.'),
  massspring: massspring.optional().describe('Options of the model massspring.'),
});
