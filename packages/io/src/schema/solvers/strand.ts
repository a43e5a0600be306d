import type { StrandDirection, StrandJoint, StrandOptions } from '@tendril/core';
import * as z from 'zod';
import { location, path } from '../drive.ts';
import {
  count,
  either,
  fields,
  list,
  quantity,
  text,
  timed,
  varying,
  vector,
  type Written,
  whole,
  words,
} from '../primitives.ts';

const direction: z.ZodType<StrandDirection, Written<StrandDirection>> = fields('a direction', {
  rods: list(text("a rod's name"), "rods' names")
    .optional()
    .describe('Strands without a parent that are directed. Default all of the model.'),
  timeScale: timed
    .optional()
    .describe("Share of the base's velocity and acceleration that the strands feel. Default 1, which is physics."),
  local: fields('local dynamics', {
    amount: timed.describe("Share of the reference frame's motion that is taken off the base's, from 0 to 1."),
    position: vector('length').describe('A point of the frame at t = 0 [m], about which its path turns.'),
    path: path.describe('Motion of the frame.'),
  })
    .optional()
    .describe('A reference frame that the strands follow without feeling it. Default none.'),
  pose: fields('a pose', {
    strength: varying('stiffnessPerMass').describe(
      'Stiffness per mass of the springs to the pose [1/s²], such as 400 1/s^2 or 400 N/m/kg.',
    ),
    damping: varying('rate').optional().describe('Damping per mass of those springs [1/s]. Default 0.'),
    factor: timed.optional().describe('Factor in time on both. Default 1.'),
    keys: list(
      fields('a key', {
        time: quantity('time', 'nonnegative').describe('Time [s]; the keys are in increasing order.'),
        curvature: either("'initial', or three curvatures", [
          words(['initial']).describe('The pose that the rod has at the start.'),
          z.tuple([varying('curvature'), varying('curvature'), varying('curvature')], {
            error: 'expected a list of three values: curvature about d1, about d2, and twist rate',
          }),
        ]).describe('Curvature about d1 and d2 and twist rate of the pose [1/m], or initial.'),
      }),
      'keys',
      1,
    ).describe('The pose in time; smooth between the keys.'),
  })
    .optional()
    .describe('Springs that pull every node to an animated pose. Default none.'),
});

const joint: z.ZodType<StrandJoint, Written<StrandJoint>> = fields('a joint', {
  rod: text("the rod's name").describe('Name of the rod.'),
  at: location.describe('The node at which the joint lies; not the end.'),
  bend: quantity('angle', 'positive').optional().describe('Largest bend from the natural shape [rad]. Default none.'),
  twist: z
    .tuple([quantity('angle'), quantity('angle')], { error: 'expected a list of two angles: least and largest twist' })
    .optional()
    .describe('Least and largest twist from the natural shape [rad]. Default none.'),
  hold: fields('a held joint', {
    rotation: vector('angle').describe('Rotation vector from the natural shape about d1, d2, d3 [rad].'),
    factor: timed.optional().describe('Factor in time. Default 1.'),
  })
    .optional()
    .describe('A value that the joint is held to. Default none.'),
});

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
  direct: list(direction, 'directions')
    .optional()
    .describe('What an animator asks: time scale, local dynamics, poses. Default none.'),
  joints: list(joint, 'joints').optional().describe('Joints that are limited, or held to a value. Default none.'),
  lcp: words(['gauss-seidel', 'sor'])
    .optional()
    .describe('How the forces of limits are found: gauss-seidel (default), or sor, after the paper.'),
});
