/**
 * The study file: which runs to make of a scene or a case, and which numbers to keep of each. One zod schema gives validation,
 * messages and the JSON Schema for editors. Quantities stay as written here; `plan.ts` converts them to SI.
 */
import { availableModels, type ModelId } from '@tendril-sim/core';
import { schemaPieces } from '@tendril-sim/io';
import * as z from 'zod';

const { count, either, fields, flag, list, quantity, text, whole, words } = schemaPieces;

/** Version of the format of study files. */
export const studyVersion = 1;

const over = ['end', 'start', 'max', 'min', 'mean', 'rms'] as const;
export type Over = (typeof over)[number];

type Amount = number | string;

export interface RangeFile {
  readonly from: Amount;
  readonly to: Amount;
  readonly count?: number;
  readonly scale?: 'linear' | 'log';
}

export type DistributionFile =
  | { readonly type: 'uniform' | 'log-uniform'; readonly from: Amount; readonly to: Amount }
  | { readonly type: 'normal'; readonly mean: Amount; readonly deviation: Amount }
  | { readonly type: 'log-normal'; readonly median: Amount; readonly factor: number }
  | { readonly type: 'triangular'; readonly from: Amount; readonly mode: Amount; readonly to: Amount };

export interface ParameterFile {
  readonly path?: string | string[];
  readonly name?: string;
  readonly unit?: string;
  readonly values?: unknown[];
  readonly range?: RangeFile;
  readonly distribution?: DistributionFile;
  readonly column?: string;
  readonly whole?: boolean;
}

export type SampledDesign = 'latin-hypercube' | 'sobol' | 'random' | 'saltelli';

export type DesignFile =
  | 'grid'
  | 'zip'
  | { readonly type: 'grid' | 'zip' }
  | { readonly type: SampledDesign; readonly count: number; readonly seed?: number };

export type Command = 'run' | 'statics' | 'modes' | 'check' | 'validate';

/** A study as it is in a file. */
export interface StudyFile {
  /** Version of the format. */
  readonly sweep: typeof studyVersion;
  /** Title, for reports. */
  readonly title?: string;
  /** Path of the scene file. */
  readonly scene?: string;
  /** Cases in place of a scene. */
  readonly case?: string | string[];
  /** What each run does. */
  readonly command: Command;
  /** Models, each of which gets all runs. Default: as in the scene. */
  readonly models?: 'all' | ModelId[];
  /** Parameters that vary. */
  readonly parameters?: ParameterFile[];
  /** Further fields of the scene, as expressions of the parameters. */
  readonly set?: Record<string, string>;
  /** CSV or Parquet file with one row per run. */
  readonly table?: string;
  /** How values are combined or sampled. */
  readonly design?: DesignFile;
  /** Quantities to record, by name. */
  readonly quantities?: Record<string, string | { readonly of: string; readonly over?: Over; readonly unit?: string }>;
  /** One row per recorded instant in place of one per run. */
  readonly series?: boolean | { readonly every?: number };
  /** Resolutions of cases. */
  readonly resolutions?: number[];
  /** Number of modes. */
  readonly count?: number;
  /** When runs end before their time, and the study before all runs are done. */
  readonly stop?: {
    readonly rest?: number;
    readonly converged?: { readonly quantity: string; readonly tolerance: number; readonly every?: number };
    /** [s] */
    readonly deadline?: number;
  };
  /** Largest wall-clock time [s] and memory [bytes] of a run. */
  readonly limits?: {
    /** [s] */
    readonly time?: number;
    /** [bytes] */
    readonly memory?: number;
  };
  /** Which recordings are kept, and where. */
  readonly recordings?: { readonly to?: string; readonly endpoint?: string; readonly every?: number };
  /** Priority in a queue. */
  readonly priority?: number;
}

const amount = z.union([z.number(), z.string().min(1)], {
  error: 'expected a number in SI, or text with a unit such as "2 GPa"',
});

const range = fields('a range', {
  from: amount.describe('First value.'),
  to: amount.describe('Last value.'),
  count: whole(1).optional().describe('How many values; of a grid, required.'),
  scale: words(['linear', 'log']).optional().describe('Spacing: linear (default) or log.'),
});

const distribution = schemaPieces.variants('a distribution', [
  fields('a uniform distribution', { type: z.literal('uniform'), from: amount, to: amount }),
  fields('a log-uniform distribution', { type: z.literal('log-uniform'), from: amount, to: amount }),
  fields('a normal distribution', { type: z.literal('normal'), mean: amount, deviation: amount }),
  fields('a log-normal distribution', {
    type: z.literal('log-normal'),
    median: amount,
    factor: count('positive').describe('exp of the standard deviation of the logarithm.'),
  }),
  fields('a triangular distribution', { type: z.literal('triangular'), from: amount, mode: amount, to: amount }),
]);

const pathText = text('a field of the scene such as rods[0].material.E');

const parameter = fields('a parameter', {
  path: either('a field such as rods[0].material.E, or a list of them', [pathText, list(pathText, 'fields', 1)])
    .optional()
    .describe(
      'Field of the scene, or several that get the same value. Default: none; `set` or quantities use the parameter.',
    ),
  name: text('a name').optional().describe('Column in the results. Default: the path.'),
  unit: text('a unit such as GPa').optional().describe('Unit of plain numbers in this parameter. Default SI.'),
  values: z
    .array(z.unknown(), { error: 'expected a list of values' })
    .min(1)
    .optional()
    .describe('The values, one by one.'),
  range: range.optional().describe('Values from … to ….'),
  distribution: distribution.optional().describe('Random values; needs a design that samples.'),
  column: text('a column').optional().describe('Column of the table.'),
  whole: flag().optional().describe('Round to whole numbers. Default false.'),
});

const samples = {
  count: whole(1).describe('How many samples.'),
  seed: whole(0).optional().describe('Seed. Default 1.'),
};

const design = either('grid, zip, or { type, count, seed }', [
  words(['grid', 'zip']),
  schemaPieces.variants('a design', [
    fields('a grid', { type: z.literal('grid') }),
    fields('a zip', { type: z.literal('zip') }),
    fields('a Latin hypercube', { type: z.literal('latin-hypercube'), ...samples }),
    fields('a Sobol sequence', { type: z.literal('sobol'), ...samples }),
    fields('random draws', { type: z.literal('random'), ...samples }),
    fields('a Saltelli design', { type: z.literal('saltelli'), ...samples }),
  ]),
]);

const extracted = either('an expression such as probe.tip.z, or { of, over, unit }', [
  text('an expression such as probe.tip.z'),
  fields('a quantity', {
    of: text('an expression such as probe.tip.z').describe('Expression, in SI.'),
    over: words(over).optional().describe('Which of the recorded instants: end (default), start, max, min, mean, rms.'),
    unit: text('a unit').optional().describe('Unit, for the data dictionary.'),
  }),
]);

const nameMap = <O, I>(item: z.ZodType<O, I>, what: string): z.ZodType<Record<string, O>, Record<string, I>> =>
  z.record(z.string().regex(/^[A-Za-z_]\w*$/, { error: 'a name has letters, digits and _' }), item, {
    error: `expected names with ${what} each`,
  });

/** Of a worker process [bytes]: Node and the kernels take 90 MB. */
const leastMemory = 150e6;

const memory = z
  .union([z.number(), z.string()])
  .transform((value, context) => {
    const match = /^\s*(\d+(?:\.\d+)?)\s*(k|M|G)?B?\s*$/.exec(String(value));
    if (!match || Number(match[1]) <= 0) {
      context.issues.push({
        code: 'custom',
        message: `expected memory such as "500 MB", got ${JSON.stringify(value)}`,
        input: value,
      });
      return z.NEVER;
    }
    const bytes = Number(match[1]) * { '': 1, k: 1e3, M: 1e6, G: 1e9 }[(match[2] ?? '') as '' | 'k' | 'M' | 'G'];
    if (bytes >= leastMemory) return bytes;
    context.issues.push({
      code: 'custom',
      message: `a worker process needs 150 MB by itself, got ${JSON.stringify(value)}`,
      input: value,
    });
    return z.NEVER;
  })
  .meta({ examples: ['500 MB'] });

const models = availableModels() as unknown as [ModelId, ...ModelId[]];

export const studySchema: z.ZodType<StudyFile> = fields('a study', {
  sweep: z
    .literal(studyVersion, { error: 'expected "sweep: 1", the version of the study format' })
    .describe('Version of the study format: 1.'),
  title: text('a title').optional().describe('Title, shown with results.'),
  scene: text('a scene file').optional().describe('Scene file that the runs vary; relative to the study.'),
  case: either('the name of a case, or a list of them', [text('a case'), list(text('a case'), 'cases', 1)])
    .optional()
    .describe('Case in place of a scene file; several for command check.'),
  command: words(['run', 'statics', 'modes', 'check', 'validate']).describe(
    'run: in time; statics: equilibria; modes: frequencies; check: cases against theory; validate: compile only.',
  ),
  models: either('a list of models, or all', [z.literal('all'), list(words(models), 'models', 1)])
    .optional()
    .describe('Models, each of which gets all runs. Default: as in the scene.'),
  parameters: list(parameter, 'parameters').optional().describe('What varies.'),
  set: nameMapOfPaths().optional().describe('Further fields of the scene, as expressions of the parameters.'),
  table: text('a file').optional().describe('CSV or Parquet file with one row per run; parameters name its columns.'),
  design: design.optional().describe('How parameters are combined. Default grid.'),
  quantities: nameMap(extracted, 'an expression').optional().describe('What to keep of each run.'),
  series: either('true, or { every: 10 ms }', [
    flag(),
    fields('a series', { every: quantity('time', 'positive').optional() }),
  ])
    .optional()
    .describe('One row per recorded instant in place of one per run. Default false.'),
  resolutions: list(whole(1), 'resolutions', 1)
    .optional()
    .describe("check: resolutions n. Default: each case's quick ones."),
  count: whole(1).optional().describe('modes: how many. Default: as in the scene.'),
  stop: fields('stop', {
    rest: quantityOfEnergy().optional().describe('run: ends when the kinetic energy stays below this [J].'),
    converged: fields('converged', {
      quantity: text('a quantity').describe('Quantity whose mean has to be known.'),
      tolerance: count('positive').describe(
        'Half-width of the 95 % confidence interval of the mean, relative to the mean.',
      ),
      every: whole(2).optional().describe('Runs between two looks. Default 64.'),
    })
      .optional()
      .describe('Ends the study early when the mean of a quantity is known well enough.'),
    deadline: quantity('time', 'positive')
      .optional()
      .describe('No run starts after this wall-clock time since the start [s].'),
  })
    .optional()
    .describe('When to stop early.'),
  limits: fields('limits', {
    time: quantity('time', 'positive').optional().describe('Wall-clock time per run [s]. Default 1 h.'),
    memory: memory.optional().describe('Memory per run. Default 4 GB.'),
  })
    .optional()
    .describe('Per run; a run that exceeds them is killed and reported.'),
  recordings: fields('recordings', {
    to: text('a folder or s3://bucket/prefix')
      .optional()
      .describe('Folder, or s3://bucket/prefix. Default: recordings in the results.'),
    endpoint: text('an address').optional().describe('Address of an S3-compatible store. Default AWS.'),
    every: whole(1).optional().describe('Record every nth run. Default 1.'),
  })
    .optional()
    .describe('run: keep recording.tendril of runs. Default none.'),
  priority: whole(1).optional().describe('In a queue: 1 is first. Default 10.'),
});

function nameMapOfPaths(): z.ZodType<Record<string, string>, Record<string, string | number>> {
  return z.record(
    z.string(),
    z.union([z.string().min(1), z.number()], { error: 'expected an expression' }).transform(String),
    { error: 'expected fields with an expression each' },
  );
}

function quantityOfEnergy(): z.ZodType<number, number> {
  return count('positive', 'an energy in joules');
}

/** JSON Schema 2020-12 of the study file, for editors and other programs. */
export function studyJsonSchema(): object {
  const { $schema, ...schema } = z.toJSONSchema(studySchema, { io: 'input', unrepresentable: 'any' });
  return {
    $schema,
    $id: `urn:tendril:sweep:${studyVersion}`,
    title: 'Tendril study',
    description: 'A study of many runs of one scene or case. A number is SI; text carries its unit.',
    ...schema,
  };
}
