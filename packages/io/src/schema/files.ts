/** Parts of a scene in other files: curves that become rods, meshes that become obstacles. */
import type { RodSpec, SectionSpec } from '@tendril-sim/core';
import * as z from 'zod';
import type { UpAxis } from '../import/curves.ts';
import { count, either, fields, flag, quantity, text, type Written, whole, words } from './primitives.ts';
import { material, natural, section } from './rod.ts';
import { modelId } from './solver.ts';

/** A file named in a scene, in the scene's folder or below it. */
export interface FileReference {
  readonly file: string;
  /** Metres in a unit of the file; default: as the file says, else 1. */
  readonly unit?: number;
  /** Which axis is up in the file; default: as the file says, else z. It becomes z. */
  readonly up?: UpAxis;
}

/** Which animation of a mesh file, and when it starts in the scene. */
export interface AnimationSpec {
  /** Name in the file. Default: the only one there is. */
  readonly name?: string;
  /** Time at which it starts [s]; before, the mesh keeps the first pose. Default 0. */
  readonly start?: number;
  /** Keys per second at least: the file's own keys, and more between keys farther apart. Default 30. */
  readonly rate?: number;
}

/** An animated mesh that strands grow on. */
export interface SkinSpec extends FileReference {
  readonly animation?: AnimationSpec | string;
}

/** Many rods from one file of curves. */
export interface StrandsSpec
  extends FileReference,
    Pick<RodSpec, 'model' | 'edges' | 'natural' | 'material' | 'inextensible'> {
  /** Rods are named by it, a dash and a number from 0. Default: the name of the file without its ending. */
  readonly id?: string;
  /** Of files that move: the nth sample; negative counts from the end. Default 0. */
  readonly sample?: number;
  /** Every nth curve alone. Default 1. */
  readonly every?: number;
  /** At most so many. Default all. */
  readonly count?: number;
  /** Default: round, with the radius that the file gives. */
  readonly section?: SectionSpec | string;
  /** How the first point of each is held. Default `clamp`. */
  readonly root?: 'clamp' | 'position' | 'free';
  /** The animated mesh that the roots ride on. Default: they stay where they are. */
  readonly skin?: SkinSpec;
}

export const fileFields: {
  file: z.ZodType<string, string>;
  unit: z.ZodOptional<z.ZodType<number, number | string>>;
  up: z.ZodOptional<z.ZodType<UpAxis, UpAxis>>;
} = {
  file: text('the name of a file').describe(
    "Name of the file, relative to the scene's folder; it may not lie outside.",
  ),
  unit: quantity('length', 'positive')
    .optional()
    .describe('Length of a unit of the file, such as "1 cm". Default: as the file says, else 1 m.'),
  up: words(['y', 'z'])
    .optional()
    .describe('Which axis is up in the file; it becomes z. Default: as the file says, else z.'),
};

export const animation: z.ZodType<AnimationSpec | string, Written<AnimationSpec | string>> = either(
  'the name of an animation, or { name, start, rate }',
  [
    text('the name of an animation'),
    fields('an animation', {
      name: text('the name of an animation').optional().describe('Its name in the file. Default: the only one.'),
      start: quantity('time', 'nonnegative')
        .optional()
        .describe('Time at which it starts [s]; before, the mesh keeps the first pose. Default 0.'),
      rate: count('positive')
        .optional()
        .describe("Keys per second at least: the file's own, and more where those are farther apart. Default 30."),
    }),
  ],
);

const skin: z.ZodType<SkinSpec, Written<SkinSpec>> = fields('a skin', {
  ...fileFields,
  animation: animation.optional().describe('The animation of the file. Default: the only one there is.'),
});

export const strands: z.ZodType<StrandsSpec, Written<StrandsSpec>> = fields('strands', {
  ...fileFields,
  id: text('a name')
    .optional()
    .describe('Rods are named by it, a dash and a number from 0. Default: the name of the file.'),
  sample: z
    .int({ error: 'expected a whole number' })
    .optional()
    .describe('Of files that move: the nth sample, from 0; negative counts from the end. Default 0.'),
  every: whole(1).optional().describe('Every nth curve alone. Default 1.'),
  count: whole(1).optional().describe('At most so many. Default all.'),
  model: modelId.optional().describe('Rod model, as for a rod.'),
  edges: whole(2).optional().describe('Number of edges of each rod. Default: the polyline as given.'),
  natural: natural.optional().describe('The stress-free shape, as for a rod. Default initial.'),
  section: either('a section, or the name of one in `sections`', [section, text('the name of a section')])
    .optional()
    .describe('As for a rod. Default: round, with the radius that the file gives.'),
  material: either('a material, or the name of one in `materials`', [material, text('the name of a material')])
    .optional()
    .describe('As for a rod.'),
  inextensible: flag().optional().describe('As for a rod.'),
  root: words(['clamp', 'position', 'free']).optional().describe('How the first point of each is held. Default clamp.'),
  skin: skin.optional().describe('An animated mesh that the roots ride on. Default: they stay where they are.'),
});
