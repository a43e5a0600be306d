import type { MassSpringOptions } from '@tendril/core';
import type * as z from 'zod';
import { count, fields, quantity, type Written } from '../primitives.ts';

export const massspring: z.ZodType<MassSpringOptions, Written<MassSpringOptions>> = fields(
  'the options of massspring',
  {
    theta: count('positive')
      .optional()
      .describe('Where in a step springs are evaluated: 0.5 (default, second order) to 1 (dissipates, never fails).'),
    damping: quantity('time', 'nonnegative')
      .optional()
      .describe("Damping time of all springs [s], beside the rod's own stiffness damping. Default 1e-4."),
    altitude: count('nonnegative')
      .optional()
      .describe('Stiffness of altitude springs relative to edge springs. Default 0.02; 0: none.'),
    stretch: count('positive')
      .optional()
      .describe(
        'Stiffness of the springs that resist stretch relative to edge springs. Default as EA asks, 100 to 1000.',
      ),
    strainLimit: count('nonnegative')
      .optional()
      .describe(
        'Edges of the chain are kept within 1 ± this of their rest length. Default 0: not at all; 0.1 with the published step.',
      ),
    iterations: count('nonnegative')
      .optional()
      .describe('At most so many solves a step until energy balances. Default 30; 0: the published two solves.'),
  },
);
