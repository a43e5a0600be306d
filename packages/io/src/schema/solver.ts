/** Options of the models: the schema made from the descriptions in the models' folders. */
import { availableModels, type ModelId, modelOptions, type OptionField, type SolverSpec } from '@tendril-sim/core';
import * as z from 'zod';
import { location, path } from './drive.ts';
import {
  count,
  either,
  fields,
  flag,
  list,
  quantity,
  text,
  timed,
  varying,
  vector,
  type Written,
  whole,
  words,
} from './primitives.ts';

type Several<T> = readonly [T, ...T[]];

/** The id of a model. */
export const modelId: z.ZodType<ModelId, ModelId> = words(availableModels() as Several<ModelId>);

function bare(field: OptionField): z.ZodType {
  switch (field.kind) {
    case 'words':
      return words(field.words as Several<string>);
    case 'flag':
      return flag();
    case 'number':
      return count(field.sign);
    case 'whole':
      return whole(field.least);
    case 'quantity':
      return quantity(field.of, field.sign);
    case 'vector':
      return vector(field.of);
    case 'varying':
      return varying(field.of, field.sign);
    case 'timed':
      return timed;
    case 'location':
      return location;
    case 'path':
      return path;
    case 'text':
      return text(field.name);
    case 'list':
      return list(schemaOf(field.of), field.name, field.least);
    case 'tuple':
      return z.tuple(field.of.map(schemaOf) as [z.ZodType, ...z.ZodType[]], { error: `expected ${field.expected}` });
    case 'either':
      return either(field.expected, field.of.map(schemaOf) as [z.ZodType, ...z.ZodType[]]);
    case 'fields':
      return fields(field.name, shapeOf(field.fields));
  }
}

function schemaOf(field: OptionField): z.ZodType {
  const schema = bare(field);
  return field.about === undefined ? schema : schema.describe(field.about);
}

function shapeOf(described: Readonly<Record<string, OptionField>>): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(described).map(([name, field]) => {
      const optional = field.required ? bare(field) : bare(field).optional();
      return [name, field.about === undefined ? optional : optional.describe(field.about)];
    }),
  );
}

export const solver: z.ZodType<SolverSpec, Written<SolverSpec>> = fields(
  'solver',
  Object.fromEntries(
    availableModels().map((id) => [
      id,
      fields(`the options of ${id}`, shapeOf(modelOptions[id])).optional().describe(`Options of the model ${id}.`),
    ]),
  ),
) as unknown as z.ZodType<SolverSpec, Written<SolverSpec>>;
