import type { CosseratOptions } from '@tendril/core';
import type * as z from 'zod';
import { count, fields, quantity, type Written, whole, words } from '../primitives.ts';

export const cosserat: z.ZodType<CosseratOptions, Written<CosseratOptions>> = fields('the options of cosserat', {
  integrator: words(['tr-bdf2', 'implicit-euler', 'midpoint', 'verlet'])
    .optional()
    .describe('Implicit: tr-bdf2 (default), implicit-euler, midpoint. Explicit: verlet, in as many pieces as it must.'),
  section: words(['physical', 'inflated'])
    .optional()
    .describe(
      'Shear, stretch and rotary inertia: physical (default of implicit integrators), or inflated (default of verlet).',
    ),
  gyration: quantity('length', 'positive')
    .optional()
    .describe('Radius of gyration r of the inflated section [m]: GA = EI/r². Default length/250.'),
  axialGyration: quantity('length', 'positive')
    .optional()
    .describe('Radius of gyration for stretch alone [m]: EA = EI/r². Default as gyration.'),
  shearFactor: count('positive').optional().describe('Factor k of the shear stiffness k·GA. Default 1.'),
  tolerance: count('positive').optional().describe('Newton stops below tolerance × force scale. Default 1e-9.'),
  iterations: whole(1).optional().describe('Newton iterations before a step counts as failed. Default 25.'),
});
