import type { DerOptions } from '@tendril/core';
import type * as z from 'zod';
import { count, fields, type Written, whole, words } from '../primitives.ts';

export const der: z.ZodType<DerOptions, Written<DerOptions>> = fields('the options of der', {
  backend: words(['standard', 'batch'])
    .optional()
    .describe(
      'standard (default), or batch: edge rotations as unknowns, for inextensible rods held at their first node, without contact.',
    ),
  integrator: words(['tr-bdf2', 'bdf2', 'implicit-euler', 'midpoint', 'shake', 'fast-projection'])
    .optional()
    .describe(
      'Implicit: tr-bdf2 (default), bdf2, implicit-euler, midpoint. Explicit: shake (keeps the energy), fast-projection.',
    ),
  strain: words(['rotation', 'bergou2008'])
    .optional()
    .describe('rotation (default): rotation vector between frames; bergou2008: the discrete curvature of that paper.'),
  twist: words(['dynamic', 'quasistatic'])
    .optional()
    .describe('Twist with its inertia (dynamic, default) or without. Explicit integrators are always quasistatic.'),
  tolerance: count('positive').optional().describe('Newton stops below tolerance × force scale. Default 1e-9.'),
  iterations: whole(1).optional().describe('Newton iterations before a step counts as failed. Default 25.'),
});
