/** A study after reading (plan.ts): what all runs have in common, and what varies. Plans and runs are plain data, which workers and queues receive. */
import type { ModelId } from '@tendril-sim/core';
import type { Fail } from './checks.ts';
import type { Command, Over, StudyFile } from './schema.ts';

/** A quantity that a study records. */
export interface PlannedQuantity {
  readonly name: string;
  readonly of: string;
  readonly over: Over;
  readonly unit?: string;
}

/** A study without its runs: plain data, the same for all of them. */
export interface Plan {
  /** Version of Tendril. */
  readonly version: string;
  /** Name of the study, from its file. */
  readonly name: string;
  /** Title, for reports. */
  readonly title: string;
  /** Command that each run executes. */
  readonly command: Command;
  /** The scene as written, for the commands that have one. */
  readonly scene?: unknown;
  /** Scene file or case, for messages. */
  readonly origin: string;
  /** Absolute folder of the scene, in which files that it names lie. */
  readonly folder: string;
  /** Parameters and the fields that get their values. */
  readonly parameters: readonly {
    readonly name: string;
    readonly paths: readonly (readonly string[])[];
    readonly unit?: string;
  }[];
  /** Fields that are computed from parameters. */
  readonly set: readonly { readonly path: readonly string[]; readonly expression: string }[];
  /** Quantities that are recorded. */
  readonly quantities: readonly PlannedQuantity[];
  /** One row per recorded instant; with `every`, instants this far apart [s]. */
  readonly series: false | { readonly every?: number };
  /** Kinetic energy below which a run ends [J]. */
  readonly rest?: number;
  /** Modes. */
  readonly count?: number;
  /** Per run [s], [bytes]. */
  readonly limits: { readonly time: number; readonly memory: number };
  /** Which recordings are kept, and where. */
  readonly recordings?: { readonly to?: string; readonly endpoint?: string; readonly every: number };
  /** Hash of the table of parameters. */
  readonly table?: string;
  /** Hash of everything above that determines results, and of the files that the scene names. */
  readonly key: string;
}

/** One run: its place in the study and what varies. */
export interface RunSpec {
  /** Index of the run, from 0. */
  readonly index: number;
  /** Hash of everything that determines the result. */
  readonly hash: string;
  /** Model, if the study has several. */
  readonly model?: ModelId;
  /** In the order of the plan's parameters. */
  readonly values: readonly unknown[];
}

/** A study that was read and checked, with the specification of each of its runs. */
export interface Study {
  /** The file as it was read. */
  readonly file: StudyFile;
  /** Text of the file. */
  readonly text: string;
  /** Absolute path of the study file. */
  readonly source: string;
  /** What all runs have in common. */
  readonly plan: Plan;
  /** Rows of the design, duplicates included. */
  readonly count: number;
  /** Specification of a row of the design, counted from 0. */
  spec(index: number): RunSpec;
  /** Description of the design, for reports. */
  readonly design: string;
  /** Priority in a queue. */
  readonly priority: number;
  /** Throws an InputError with the line of a field of the study file. */
  readonly fail: Fail;
}
