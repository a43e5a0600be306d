/** Places on rods, pins, loads and fields. */
import type { LoadSpec, Location, PathSpec, PinSpec } from '@tendril-sim/core';
import * as z from 'zod';
import {
  count,
  direction,
  either,
  fields,
  formulas,
  fraction,
  interpolation,
  list,
  quantity,
  text,
  timed,
  variants,
  varying,
  vector,
  type Written,
  whole,
  words,
} from './primitives.ts';
import { type FieldInFile, wind } from './wind.ts';

export const location: z.ZodType<Location, Written<Location>> = either(
  "a place on the rod: 'start', 'end', { node: 3 }, { u: 0.5 } or { s: \"2 cm\" }",
  [
    words(['start', 'end']).describe('An end of the rod.'),
    fields('a place on the rod', { node: whole(0).describe('Index of a node, from 0.') }),
    fields('a place on the rod', { u: fraction().describe('Fraction of the rest length, from 0 to 1.') }),
    fields('a place on the rod', {
      s: quantity('length', 'nonnegative').describe('Arc length from the start [m].'),
    }),
  ],
);

const rodName = text("the rod's name").describe('Name of the rod.');

export const path: z.ZodType<PathSpec, Written<PathSpec>> = fields('a path', {
  interpolation: interpolation.optional(),
  keys: list(
    fields('a key', {
      time: quantity('time', 'nonnegative').describe('Time [s]; the keys are in increasing order.'),
      offset: vector('length')
        .optional()
        .describe('Displacement from the starting pose [m]. Default: as at the key before; none at the first.'),
      rotation: vector('angle')
        .optional()
        .describe(
          'Rotation vector [rad] in world axes; not reduced, so several turns are several turns. Default: as at the key before; none at the first.',
        ),
      twist: quantity('angle')
        .optional()
        .describe(
          'Angle about the tangent [rad], on top of `rotation`. Default: as at the key before; 0 at the first.',
        ),
    }),
    'keys with a time',
    1,
  )
    .superRefine((keys, context) => {
      for (let i = 1; i < keys.length; i++) {
        if (keys[i].time > keys[i - 1].time) continue;
        const message = `must be greater than the time of the key before it (${keys[i - 1].time})`;
        context.addIssue({ code: 'custom', path: [i, 'time'], message });
      }
    })
    .describe('Poses in time, relative to the starting pose; held before the first and after the last.'),
});

/** The rod that an entry of a file applies to: one rod, or all rods that match a pattern. */
export type NamesRods<T> = Omit<T, 'rod'> & { readonly rod?: string; readonly rods?: string };

export const rodNames: {
  rod: z.ZodOptional<z.ZodType<string, string | number>>;
  rods: z.ZodOptional<z.ZodType<string, string | number>>;
} = {
  rod: rodName.optional(),
  rods: text('a pattern of names').optional().describe("In place of `rod`: all rods of a pattern, such as 'hair-*'."),
};

/** Checks that a part of a scene names its rods one way, and keeps the pattern as `rod`. */
export function nameRods<T extends { readonly rod?: string; readonly rods?: string }>(
  { rod, rods, ...rest }: T,
  context: z.RefinementCtx,
): Omit<T, 'rod' | 'rods'> & { readonly rod: string } {
  if ((rod === undefined) === (rods === undefined))
    context.addIssue({
      code: 'custom',
      path: rod === undefined ? [] : ['rods'],
      message: "expected either 'rod' with a name, or 'rods' with a pattern such as 'hair-*'",
    });
  return { ...rest, rod: rod ?? rods ?? '' };
}

export const pin: z.ZodType<PinSpec, Written<NamesRods<PinSpec>>> = fields('a pin', {
  ...rodNames,
  at: location.describe('Where on the rod; u and s get a node exactly there.'),
  hold: words(['clamp', 'position', 'frame', 'tangent', 'hinge'])
    .optional()
    .describe(
      'clamp (default): position and frame; position: position only; frame: orientation only; tangent: direction only, free to spin; hinge: position, and turns about its axis.',
    ),
  axis: direction().optional().describe('Of a hinge: direction at the start, about which the end of the rod may turn.'),
  axes: list(words(['x', 'y', 'z']), "axes 'x', 'y', 'z'", 1)
    .optional()
    .describe('World axes along which the position is held. Default all three.'),
  position: vector('length').optional().describe('Position [m]. Default: where the rod is at the start.'),
  tangent: direction().optional().describe('Tangent. Default: as the rod is at the start.'),
  d1: direction().optional().describe('Material axis d1. Default: as the rod is at the start.'),
  path: path.optional().describe('Motion relative to that pose. Default: none.'),
  release: quantity('time', 'nonnegative').optional().describe('The pin lets go at this time [s]. Default: never.'),
}).transform(nameRods);

const loadCommon = {
  rod: rodName,
  frame: words(['world', 'material'])
    .optional()
    .describe('world (default): keeps its direction; material: components along d1, d2, d3, turns with the rod.'),
  factor: timed.optional().describe('Factor in time. Default 1.'),
};

export const load: z.ZodType<LoadSpec, Written<LoadSpec>> = variants('a load', [
  fields('a force', {
    type: z.literal('force').describe('A force at a place on the rod.'),
    ...loadCommon,
    at: location.describe('Where it acts.'),
    force: vector('force').describe('Force [N].'),
  }),
  fields('a torque', {
    type: z.literal('torque').describe('A torque at a place on the rod.'),
    ...loadCommon,
    at: location.describe('Where it acts.'),
    torque: vector('torque').describe('Torque [N m].'),
  }),
  fields('a force on a body', {
    type: z.literal('body-force').describe('A force at the centre of mass of a body.'),
    body: text("the body's name").describe('Name of the body.'),
    factor: timed.optional().describe('Factor in time. Default 1.'),
    force: vector('force').describe('Force [N]; keeps its direction.'),
  }),
  fields('a torque on a body', {
    type: z.literal('body-torque').describe('A torque on a body.'),
    body: text("the body's name").describe('Name of the body.'),
    factor: timed.optional().describe('Factor in time. Default 1.'),
    torque: vector('torque').describe('Torque [N m]; keeps its direction.'),
  }),
  fields('a distributed load', {
    type: z.literal('distributed').describe('A force per rest length over a part of the rod.'),
    ...loadCommon,
    force: vector('forcePerLength').describe('Force per rest length [N/m].'),
    from: fraction().optional().describe('Where it begins, as a fraction of the rest length. Default 0.'),
    to: fraction().optional().describe('Where it ends, as a fraction of the rest length. Default 1.'),
  }),
]);

const fieldCommon = {
  rods: list(text("a rod's name"), "rods' names").optional().describe('Rods it acts on. Default all.'),
  factor: timed.optional().describe('Factor in time. Default 1.'),
  weight: varying(null, 'nonnegative')
    .optional()
    .describe('How much of the field each place along a rod feels, a plain number. Default 1.'),
};

const drag = (): z.ZodType<number, number | string> => quantity('dragPerLength', 'nonnegative');

export const field: z.ZodType<FieldInFile, Written<FieldInFile>> = variants('a field', [
  fields('air', {
    type: z.literal('air').describe('Air (or water) that resists motion relative to the wind.'),
    ...fieldCommon,
    wind: wind
      .optional()
      .describe('Velocity [m/s], or three expressions in x, y, z, t, or parts that add up. Default still.'),
    linear: z
      .tuple([drag(), drag()], { error: 'expected a list of two drags per length: normal, tangential' })
      .optional()
      .describe('Viscous drag per length [N s/m²]: normal, tangential. Default none.'),
    quadratic: fields('quadratic drag', {
      density: quantity('density', 'nonnegative').describe('Density of the air [kg/m³], such as 1.2.'),
      normal: count('nonnegative').describe('Drag coefficient across the rod, about 1.2 for a cylinder.'),
      tangential: count('nonnegative').optional().describe('Drag coefficient along the rod. Default 0.'),
    })
      .optional()
      .describe('Drag ½·density·coefficient·diameter·|v|v per length. Default none.'),
  }),
  fields('a force field', {
    type: z.literal('force').describe('A force that depends on place and time.'),
    ...fieldCommon,
    per: words(['mass', 'length']).describe(
      'mass: the formula is an acceleration [m/s²]; length: a force per length [N/m].',
    ),
    formula: formulas('x, y, z, t and u').describe('Three expressions in x, y, z, t and u, in SI.'),
  }),
]);
