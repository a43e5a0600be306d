import type { FiberOptions } from '@tendril/core';
import type * as z from 'zod';
import { count, either, fields, flag, list, quantity, type Written, whole, words } from '../primitives.ts';

export const fiber: z.ZodType<FiberOptions, Written<FiberOptions>> = fields('the options of fiber', {
  integrator: words(['energy-momentum', 'deti', 'deti-r', 'midpoint', 'backward-euler'])
    .optional()
    .describe(
      'energy-momentum (default): keeps energy and momenta; deti: exponential, small rotations only; deti-r: large rotations with damping; midpoint, backward-euler: for comparison.',
    ),
  scaffold: either("'inflated', 'section', or a width such as \"1 mm\"", [
    words(['inflated', 'section']).describe(
      'inflated (default): as wide as a strain of 1e-3 under the loads allows; section: EA exact.',
    ),
    quantity('length', 'positive').describe('Width of the scaffold [m].'),
  ])
    .optional()
    .describe('Width of the scaffold; bending and twisting stiffness are exact with all of them.'),
  inertia: words(['scaffold', 'section'])
    .optional()
    .describe('Rotary inertia of the scaffold (default) or of the section.'),
  ring: count('positive').optional().describe('Springs of a ring relative to the longitudinal ones. Default 20.'),
  tolerance: count('positive')
    .optional()
    .describe("Newton stops when no particle moves by more than this × the scaffold's width. Default 1e-3."),
  iterations: whole(1).optional().describe('Newton iterations before a step is halved. Default 12.'),
  calmRings: flag()
    .optional()
    .describe(
      'energy-momentum without damping: stills rings that breathe and gives their energy to the motion. Default false.',
    ),
  paperFilter: flag().optional().describe('deti: the force filter as printed, which is biased. Default false.'),
  functions: words(['eigenbasis', 'krylov'])
    .optional()
    .describe('deti: matrix functions by all eigenvectors (eigenbasis, default), or by Lanczos (krylov).'),
  series: list(count('nonnegative'), 'damping coefficients', 1)
    .optional()
    .describe('deti: further damping coefficients α2, α3 … of M Σ αᵢ(M⁻¹K)ⁱ [s³, s⁵ …].'),
});
