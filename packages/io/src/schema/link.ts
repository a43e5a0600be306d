/** Links between rods, and woven cloth. */
import type { LinkSpec, RodSpec, WeaveSpec, YarnSpec } from '@tendril-sim/core';
import type * as z from 'zod';
import { location } from './drive.ts';
import { direction, either, fields, flag, quantity, text, vector, type Written, whole, words } from './primitives.ts';
import { material, section } from './rod.ts';
import { modelId } from './solver.ts';

const spring = {
  stiffness: quantity('forcePerLength', 'positive').describe('Force per distance [N/m].'),
  damping: quantity('drag', 'nonnegative').optional().describe('Force per speed [N s/m]. Default 0.'),
  rotation: fields('a rotation', {
    about: words(['normal', 'all'])
      .optional()
      .describe('normal: the angle between the rods alone; all (default): also how each spins about its axis.'),
    stiffness: quantity('torque', 'positive').describe('Torque per angle [N m].'),
    damping: quantity('angularDrag', 'nonnegative')
      .optional()
      .describe('Torque per angular velocity [N m s]. Default 0.'),
  })
    .optional()
    .describe('Holds how the rods stand to each other at the start. Default: they turn freely.'),
};

export const link: z.ZodType<LinkSpec, Written<LinkSpec>> = fields('a link', {
  id: text('a name').optional().describe("Name. Default: 'link' and its number from 0."),
  rod: text("the rod's name").describe('Name of the rod.'),
  at: location.describe('Where on the rod; best the middle of an edge.'),
  to: either('{ rod, at } of another rod, or { point }', [
    fields('a place', {
      rod: text("the rod's name").describe('Name of the other rod.'),
      at: location.describe('Where on it.'),
    }),
    fields('a point', { point: vector('length').describe('A point that does not move [m].') }),
  ]).describe('What it is linked to: a place on a rod, or a fixed point.'),
  ...spring,
  break: fields('a strength', { force: quantity('force', 'positive').describe('Force [N].') })
    .optional()
    .describe('Force at which it breaks. Default: it does not break.'),
  rest: words(['start', 'together'])
    .optional()
    .describe('start (default): at rest as far apart as at the start; together: at rest the two places are one.'),
});

const sectionField = (): z.ZodType<RodSpec['section'], Written<RodSpec['section']>> =>
  either('a section, or the name of one in `sections`', [section, text('the name of a section')])
    .optional()
    .describe('Section of the fibers, as for a rod.') as z.ZodType<RodSpec['section'], Written<RodSpec['section']>>;
const materialField = (): z.ZodType<RodSpec['material'], Written<RodSpec['material']>> =>
  either('a material, or the name of one in `materials`', [material, text('the name of a material')])
    .optional()
    .describe('Material of the fibers, as for a rod.') as z.ZodType<RodSpec['material'], Written<RodSpec['material']>>;

const yarn: z.ZodType<YarnSpec, Written<YarnSpec>> = fields('a direction of fibers', {
  count: whole(2).describe('Number of fibers.'),
  spacing: quantity('length', 'positive').describe('Distance between them [m].'),
  section: sectionField(),
  material: materialField(),
});

export const weave: z.ZodType<WeaveSpec, Written<WeaveSpec>> = fields('a weave', {
  id: text('a name').describe("Fibers are named by it, 'warp' or 'weft', and a number from 0."),
  model: modelId.optional().describe('Rod model, as for a rod.'),
  center: vector('length').optional().describe('Middle of the cloth [m]. Default [0, 0, 0].'),
  along: direction().optional().describe('Direction of the warp. Default [1, 0, 0].'),
  across: direction().optional().describe('Direction of the weft (made normal to along). Default [0, 1, 0].'),
  warp: yarn.describe('The fibers that run along.'),
  weft: yarn.optional().describe('The fibers that run across. Default: as the warp.'),
  section: sectionField(),
  material: materialField(),
  inextensible: flag().optional().describe('As for a rod.'),
  crimp: quantity('length', 'nonnegative')
    .optional()
    .describe('Height by which fibers go over and under each other [m]. Default 0: flat, joined where they meet.'),
  edges: whole(1).optional().describe('Edges of a fiber from one crossing to the next, an odd number. Default 3.'),
  joints: fields('joints', spring).describe('The springs at the crossings, as for a link.'),
});
