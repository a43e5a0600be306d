/** The file of a fit: parameters of a scene, and the measurements that they have to explain. */
import { schemaPieces } from '@tendril-sim/io';
import * as z from 'zod';

const { count, either, fields, list, text, words } = schemaPieces;

/** Version of the format of fit files. */
export const fitVersion = 1;

type Amount = number | string;

export interface FitParameterFile {
  readonly path: string | string[];
  readonly name?: string;
  readonly unit?: string;
  readonly start?: Amount;
  readonly bounds?: { readonly lower?: Amount; readonly upper?: Amount };
  readonly prior?: { readonly mean: Amount; readonly deviation: Amount };
}

export interface MeasuredFile {
  readonly of: string;
  readonly value?: Amount;
  readonly deviation?: Amount;
}

export interface ExperimentFile {
  readonly name?: string;
  readonly set?: Record<string, Amount>;
  readonly time?: Amount;
  readonly shape?: { readonly file: string; readonly rod: string; readonly deviation?: Amount };
  readonly table?: string;
  readonly columns?: Record<string, string>;
  readonly measured?: Record<string, MeasuredFile>;
}

/** A fit as it is in a file. */
export interface FitFile {
  /** Version of the format. */
  readonly fit: typeof fitVersion;
  /** Title, for reports. */
  readonly title?: string;
  /** Path of the scene file. */
  readonly scene: string;
  /** Numbers of the scene to be fitted. */
  readonly parameters: FitParameterFile[];
  /** What was measured. */
  readonly experiments: ExperimentFile[];
  /** Level of the confidence intervals. Default 0.95. */
  readonly confidence?: number;
  /** Maximum number of iterations. */
  readonly iterations?: number;
  /** Whether experiments are stable equilibria (`seek`) or may be unstable ones (`report`). */
  readonly stability?: 'seek' | 'report';
}

const amount = z.union([z.number(), z.string().min(1)], {
  error: 'expected a number in SI, or text with a unit such as "2 GPa"',
});
const pathText = text('a field of the scene such as rods.0.material.E');

const parameter = fields('a parameter', {
  path: either('a field such as rods.0.material.E, or a list of them', [
    pathText,
    list(pathText, 'fields', 1),
  ]).describe('Field of the scene, or several that get the same value.'),
  name: text('a name').optional().describe('Name in the results. Default: the path.'),
  unit: text('a unit such as GPa').optional().describe('Unit of plain numbers in this parameter. Default SI.'),
  start: amount.optional().describe('First guess. Default: the value in the scene.'),
  bounds: fields('bounds', { lower: amount.optional(), upper: amount.optional() })
    .optional()
    .describe('Range that the value may not leave.'),
  prior: fields('a prior', { mean: amount, deviation: amount })
    .optional()
    .describe('Knowledge from elsewhere: a normal distribution.'),
});

const measured = fields('a measured quantity', {
  of: text('an expression such as probe.tip.z').describe('Expression over the equilibrium, as in a sweep.'),
  value: amount.optional().describe('Measured value; with a table, its column has the values.'),
  deviation: amount.optional().describe('Standard deviation of the measurement.'),
});

const experiment = fields('an experiment', {
  name: text('a name').optional().describe('Name in messages and results.'),
  set: z
    .record(z.string(), amount, { error: 'expected fields with a value each' })
    .optional()
    .describe('Fields of the scene that differ in this experiment.'),
  time: amount.optional().describe('Time at which pins and loads are evaluated. Default 0.'),
  shape: fields('a shape', {
    file: text('a file').describe('CSV with columns x, y, z and u (fraction of the length) or s (arc length).'),
    rod: text('a rod').describe('Rod whose shape was measured.'),
    deviation: amount.optional().describe('Standard deviation of each coordinate.'),
  })
    .optional()
    .describe('Measured points of a rod.'),
  table: text('a file').optional().describe('CSV with one equilibrium per row.'),
  columns: z
    .record(z.string(), z.string(), { error: 'expected fields with the name of a column each' })
    .optional()
    .describe('Fields of the scene, or `time`, that columns of the table set.'),
  measured: z
    .record(z.string(), measured, { error: 'expected names with { of, value, deviation } each' })
    .optional()
    .describe('Measured quantities by name; with a table, by column.'),
});

export const fitSchema: z.ZodType<FitFile> = fields('a fit', {
  fit: z
    .literal(fitVersion, { error: 'expected "fit: 1", the version of the format' })
    .describe('Version of the format: 1.'),
  title: text('a title').optional().describe('Title, shown with results.'),
  scene: text('a scene file').describe('Scene file, relative to this file, or the name of a case.'),
  parameters: list(parameter, 'parameters', 1).describe('What to find.'),
  experiments: list(experiment, 'experiments', 1).describe('What was measured.'),
  confidence: count('positive').optional().describe('Level of the confidence intervals. Default 0.95.'),
  iterations: count('positive').optional().describe('Most iterations. Default 100.'),
  stability: words(['seek', 'report'])
    .optional()
    .describe('As statics.stability of a scene. Default: that of the scene.'),
});
