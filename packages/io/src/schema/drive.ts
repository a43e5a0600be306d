/** What acts on rods: places, pins, loads, fields. */
import type { FieldSpec, LoadSpec, Location, PathSpec, PinSpec, Vec3, WindSpec } from '@tendril-sim/core';
import * as z from 'zod';
import { looksLikeQuantity, parseQuantity } from '../units.ts';
import {
  commaHint,
  count,
  direction,
  either,
  fields,
  formulas,
  fraction,
  interpolation,
  list,
  quantity,
  show,
  text,
  timed,
  variants,
  varying,
  vector,
  type Written,
  whole,
  words,
} from './primitives.ts';

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

/** What is said of a rod in a file: of one, or by a pattern of many alike. */
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

type PlainWind = Vec3 | [string, string, string];

/** Velocities or formulas: "2 m/s" is a quantity, "2*sin(t)" a formula; a list must not mix them. */
const plainWind: z.ZodType<PlainWind, Written<PlainWind>> = z
  .tuple([windItem(), windItem(), windItem()], {
    error: ({ input }) =>
      `expected a list of three velocities such as ["2 m/s", 0, 0], or three expressions in x, y, z and t${commaHint(Array.isArray(input) ? input : [])}`,
  })
  .transform((items, context): PlainWind => {
    const isFormula = items.map((item) => typeof item === 'string' && !looksLikeQuantity(item));
    const isQuantity = items.map((item) => typeof item === 'string' && looksLikeQuantity(item));
    if (isFormula.includes(true)) {
      isQuantity.forEach((bad, k) => {
        if (!bad) return;
        const message = `"${items[k]}" has a unit, but the wind is given by expressions here: write it in m/s, without the unit`;
        context.issues.push({ code: 'custom', path: [k], message, input: items });
      });
      return items.map(String) as [string, string, string];
    }
    const values = items.map((item, k) => {
      if (typeof item === 'number') return item;
      const result = parseQuantity(item, 'velocity');
      if (result.ok) return result.value;
      context.issues.push({ code: 'custom', path: [k], message: result.message, input: items });
      return 0;
    });
    return [values[0], values[1], values[2]];
  });

function windItem(): z.ZodType<number | string, number | string> {
  return z.union([z.number(), z.string().min(1)], {
    error: 'expected a velocity such as "2 m/s", a number in m/s, or an expression in x, y, z and t',
  });
}

const octavesExpected = ({ input }: { readonly input?: unknown }): string =>
  `expected a whole number from 1 to 6, got ${show(input)}`;

const windParts: z.ZodType<WindSpec, Written<WindSpec>> = fields('wind', {
  mean: vector('velocity').optional().describe('Mean velocity [m/s]; it also carries the turbulence. Default none.'),
  gust: fields('a gust', {
    amplitude: count('nonnegative').describe('Largest deviation, as a fraction of the mean wind, such as 0.5.'),
    period: quantity('time', 'positive').describe('Period of the slowest swing [s]; the sum of all has no period.'),
  })
    .optional()
    .describe('Swells and lulls of the mean wind, which starts at its mean. Default steady.'),
  vortices: list(
    fields('a vortex', {
      center: vector('length').describe('A point on the axis at t = 0 [m].'),
      axis: direction().describe('Direction about which it turns, by the right-hand rule; its length does not matter.'),
      circulation: quantity('circulation').describe('Circulation Γ [m²/s]: 2π·distance·speed far from the axis.'),
      core: quantity('length', 'positive').describe('Radius of the core [m], inside which the air turns like a solid.'),
      velocity: vector('velocity').optional().describe('Velocity of the axis [m/s]. Default 0.'),
    }),
    'vortices',
  )
    .optional()
    .describe('Straight vortices. Default none.'),
  turbulence: fields('turbulence', {
    intensity: quantity('velocity', 'nonnegative').describe('Root mean square of the speed [m/s].'),
    length: quantity('length', 'positive').describe('Size of the largest eddies [m].'),
    octaves: z
      .int({ error: octavesExpected })
      .min(1, { error: octavesExpected })
      .max(6, { error: octavesExpected })
      .optional()
      .describe('How many sizes of eddies, each half the one before, from 1 to 6. Default 3.'),
    seed: whole(0).optional().describe('Another whole number gives other eddies. Default 0.'),
    time: quantity('time', 'positive')
      .optional()
      .describe('Time in which the largest eddies change [s]; smaller ones are faster. Default length/intensity.'),
  })
    .optional()
    .describe('Random eddies without divergence. Default none.'),
});

const fieldCommon = {
  rods: list(text("a rod's name"), "rods' names").optional().describe('Rods it acts on. Default all.'),
  factor: timed.optional().describe('Factor in time. Default 1.'),
  weight: varying(null, 'nonnegative')
    .optional()
    .describe('How much of the field each place along a rod feels, a plain number. Default 1.'),
};

const drag = (): z.ZodType<number, number | string> => quantity('dragPerLength', 'nonnegative');

export const field: z.ZodType<FieldSpec, Written<FieldSpec>> = variants('a field', [
  fields('air', {
    type: z.literal('air').describe('Air (or water) that resists motion relative to the wind.'),
    ...fieldCommon,
    wind: either(
      'a list of three velocities such as ["2 m/s", 0, 0], three expressions in x, y, z and t, or { mean, gust, vortices, turbulence }',
      [plainWind, windParts],
    )
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
