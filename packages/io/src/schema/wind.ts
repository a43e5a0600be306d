/** Wind: a velocity, formulas, or parts that add up. */
import type { FieldSpec, SampledWindSpec, Vec3, WindSpec } from '@tendril-sim/core';
import * as z from 'zod';
import { looksLikeQuantity, parseQuantity } from '../units.ts';
import {
  commaHint,
  count,
  direction,
  either,
  fields,
  list,
  quantity,
  show,
  text,
  vector,
  type Written,
  whole,
  words,
} from './primitives.ts';

/** A grid of velocities whose values are in a file. */
export type WindFileSpec = Omit<SampledWindSpec, 'values' | 'count'> & {
  /** Name of a .npy file, in the scene's folder or below it. */
  readonly file: string;
  /** Order of the axes of the array before the component. Default `xyz`. */
  readonly axes?: 'xyz' | 'zyx';
};

/** Wind whose grid may be in a file. */
export type WindInFile = Omit<WindSpec, 'grid'> & { readonly grid?: SampledWindSpec | WindFileSpec };
type Air = Extract<FieldSpec, { readonly type: 'air' }>;
type AirInFile = Omit<Air, 'wind'> & { readonly wind?: Exclude<Air['wind'], WindSpec> | WindInFile };

/** A field of a scene whose wind may be in a file. */
export type FieldInFile = Exclude<FieldSpec, { readonly type: 'air' }> | AirInFile;

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

const gridFields = {
  origin: vector('length').describe('The first grid point [m].'),
  spacing: either('a length such as "5 cm", or a list of three lengths along x, y and z', [
    quantity('length', 'positive'),
    vector('length'),
  ]).describe('Distance between grid points [m]: one for all axes, or a list of three.'),
  outside: words(['still', 'nearest']).describe(
    'Wind outside the grid. still: none, reached within one spacing; nearest: that of the nearest point of the grid.',
  ),
  times: either('a list of times, or { every, from }', [
    list(quantity('time'), 'times', 1),
    fields('times of frames', {
      every: quantity('time', 'positive').describe('Time between frames [s].'),
      from: quantity('time').optional().describe('Time of the first frame [s]. Default 0.'),
    }),
  ])
    .optional()
    .describe('Times of the frames [s]. Default: one frame, a steady wind.'),
  interpolation: words(['linear', 'smooth'])
    .optional()
    .describe('Between frames: linear (default), or smooth, with a continuous rate.'),
};

const packed = (bits: number): z.ZodType<string, string | number> =>
  text('base64').describe(`Numbers of ${bits} bits, little endian, as base64. Recordings have wind in this form.`);

const grid: z.ZodType<SampledWindSpec | WindFileSpec, Written<SampledWindSpec | WindFileSpec>> = either(
  'a grid: { origin, spacing, outside } with a file, or with count and values',
  [
    fields('a grid of velocities', {
      file: text('the name of a file').describe(
        "Name of a .npy file, relative to the scene's folder; it may not lie outside.",
      ),
      axes: words(['xyz', 'zyx'])
        .optional()
        .describe('Order of the indices in the file: xyz (default): [time,] x, y, z, component; or zyx.'),
      ...gridFields,
    }),
    fields('a grid of velocities', {
      count: z
        .tuple([whole(1), whole(1), whole(1)], { error: 'expected three numbers of grid points, such as [10, 10, 5]' })
        .describe('Grid points along x, y, z.'),
      values: either('a list of numbers in m/s', [
        list(count(), 'numbers in m/s', 3),
        fields('packed numbers', { float32: packed(32) }),
        fields('packed numbers', { float64: packed(64) }),
      ]).describe('Velocities [m/s]: three components per point, x fastest, then y, z and time.'),
      ...gridFields,
    }),
  ],
);

const octavesExpected = ({ input }: { readonly input?: unknown }): string =>
  `expected a whole number from 1 to 6, got ${show(input)}`;

const windParts: z.ZodType<WindInFile, Written<WindInFile>> = fields('wind', {
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
  grid: grid.optional().describe('Velocities on a regular grid, such as from a fluid solver. Default none.'),
});

/** A velocity, formulas, or parts that add up. */
export const wind: z.ZodType<AirInFile['wind'], Written<NonNullable<AirInFile['wind']>>> = either(
  'a list of three velocities such as ["2 m/s", 0, 0], three expressions in x, y, z and t, or { mean, gust, vortices, turbulence, grid }',
  [plainWind, windParts],
);
