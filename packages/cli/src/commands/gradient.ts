/** `tendril gradient`: derivatives of numbers of an equilibrium, or of a run (gradientRun.ts), with respect to numbers of the scene. */
import {
  createDerivatives,
  createWorld,
  type EquilibriumDerivatives,
  ExpressionError,
  type OutputGradient,
  type SceneParameter,
  SimulationError,
  type World,
} from '@tendril-sim/core';
import { csvLine } from '@tendril-sim/io';
import {
  compileOutput,
  openFamily,
  type QuantityOutput,
  type SceneFamily,
  splitPath,
  UnknownQuantityError,
} from '@tendril-sim/sweep';
import { exitCode, UsageError } from '../exit.ts';
import { checkFolder, openFolder } from '../folder.ts';
import { doubtful, formatNumber, formatTable, type Terminal } from '../terminal.ts';

export interface GradientOptions {
  /** Quantities. */
  readonly of?: readonly string[];
  /** Fields. */
  readonly by?: readonly string[];
  /** Also along the rods, into the folder. */
  readonly along?: boolean;
  readonly time?: number;
  /** Of a run instead of an equilibrium, and its end [s]. */
  readonly run?: boolean;
  readonly until?: number;
  readonly out?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** A derivative that is less accurate than this gets a warning. */
const DOUBTFUL = 1e-4;

export async function gradient(reference: string, options: GradientOptions, terminal: Terminal): Promise<number> {
  const { of = [], by = [], along = false } = options;
  if (of.length === 0) throw new UsageError('name a quantity: --of probe.tip.z');
  if (by.length === 0 && !along)
    throw new UsageError(
      'name a field: --by rods.0.material.E, or add --along for natural strain and forces along the rods',
    );
  if (options.run) return (await import('./gradientRun.ts')).gradientOfRun(reference, options, terminal);
  if (options.until !== undefined) throw new UsageError('--until is the end of a run; add --run');
  if (options.out !== undefined) checkFolder(options);
  const family = await openFamily(reference);
  const world = restWorld(family, options.time);
  const outputs = of.map((text) => compile(text, world));
  const values = outputs.map((output) => read(output, world));
  const derivatives = createDerivatives(world);
  const parameters = by.map((field) => parameterOf(field, family));
  const rows = parameters.flatMap((parameter) => differentiate(parameter, outputs, derivatives));
  printRows({ rows, of, values }, options, terminal);
  for (const { field, error } of rows.filter((row, k) => (row.error ?? 0) > DOUBTFUL && k % of.length === 0))
    terminal.err(
      doubtful(
        `warning: derivatives by ${field} are uncertain: differences of the forces vary by ${formatNumber(error ?? 0, 2)}\n`,
      ),
    );
  if (along) writeAlong({ outputs, derivatives, world }, options, terminal);
  return exitCode.done;
}

export interface Row {
  readonly quantity: string;
  readonly field: string;
  readonly value: number;
  readonly derivative: number;
  /** Estimated relative error of the forces' derivative, at an equilibrium. */
  readonly error?: number;
}

function differentiate(
  parameter: SceneParameter,
  outputs: readonly QuantityOutput[],
  derivatives: EquilibriumDerivatives,
): Row[] {
  const change = derivatives.by(parameter);
  return outputs.map((output) => ({
    quantity: output.text,
    field: parameter.name,
    value: parameter.value,
    derivative: change.of(output),
    error: change.error,
  }));
}

/** A world at its equilibrium. */
function restWorld(family: SceneFamily, time: number | undefined): World {
  const scene = family.build([]);
  const world = createWorld(scene);
  const reports = world.equilibrate(time ?? scene.statics?.from ?? 0);
  const failed = reports.find(({ converged }) => !converged);
  if (failed)
    throw new SimulationError(
      failed.rod,
      world.time,
      `no equilibrium found for rod '${failed.rod}': ${failed.reason ?? ''}`,
      'see what tendril statics says about the scene',
    );
  return world;
}

/** A field of the scene as a parameter. */
export function parameterOf(field: string, family: SceneFamily): SceneParameter {
  const path = splitPath(field);
  return { name: field, value: family.valueOf(path), scene: (value) => family.build([{ path, value }]) };
}

/** Compiles a quantity; throws UsageError. */
export function compile(text: string, world: World): QuantityOutput {
  try {
    return compileOutput(text, world);
  } catch (error) {
    if (error instanceof ExpressionError || error instanceof UnknownQuantityError)
      throw new UsageError(`--of ${text}: ${error.message}`);
    throw error;
  }
}

function read(output: QuantityOutput, world: World): number {
  try {
    return output.of(world);
  } catch (error) {
    if (error instanceof UnknownQuantityError) throw new UsageError(`--of ${output.text}: ${error.message}`);
    throw error;
  }
}

interface Printed {
  readonly rows: readonly Row[];
  readonly of: readonly string[];
  /** Values of the quantities. */
  readonly values: readonly number[];
}

/** Prints derivatives as a table or as JSON. */
export function printRows({ rows, of, values }: Printed, { json = false }: GradientOptions, terminal: Terminal): void {
  if (json)
    terminal.out(
      `${JSON.stringify({ values: Object.fromEntries(of.map((text, k) => [text, values[k]])), derivatives: rows }, undefined, 2)}\n`,
    );
  else terminal.out(formatRows({ rows, of, values }));
}

function formatRows({ rows, of, values }: Printed): string {
  return formatTable(
    ['quantity', 'value', 'field', 'value', 'derivative', 'relative'].map((title) => ({ title })),
    rows.map(({ quantity, field, value, derivative }) => {
      const own = values[of.indexOf(quantity)];
      return [
        quantity,
        formatNumber(own, 7),
        field,
        formatNumber(value, 5),
        formatNumber(derivative, 7),
        // percent per percent
        own === 0 ? '–' : formatNumber((derivative * value) / own, 4),
      ];
    }),
  );
}

interface Along {
  readonly outputs: readonly QuantityOutput[];
  readonly derivatives: EquilibriumDerivatives;
  readonly world: World;
}

/** One line per quantity and node: derivatives by natural strain (of the joint there) and by a force on the node. */
function writeAlong({ outputs, derivatives, world }: Along, options: GradientOptions, terminal: Terminal): void {
  const folder = openFolder({ ...options, name: 'gradient' });
  try {
    const lines = [csvLine(['quantity', 'rod', 'node', 'curvature1', 'curvature2', 'twist', 'fx', 'fy', 'fz'])];
    for (const output of outputs) {
      const found = derivatives.gradientOf(output);
      for (const [rod, { id, nodeCount }] of world.rods.entries())
        lines.push(...listNodes(output, found, { rod, id, nodeCount }));
    }
    folder.write('gradient.csv', lines);
    terminal.err(`  ${folder.path}/gradient.csv\n`);
    folder.finish();
  } finally {
    folder.close();
  }
}

function listNodes(
  { text, factor }: QuantityOutput,
  found: OutputGradient,
  { rod, id, nodeCount }: { readonly rod: number; readonly id: string; readonly nodeCount: number },
): string[] {
  const natural = found.byNatural(rod);
  const force = found.byNodeForce(rod);
  const strain = new Float64Array(3 * nodeCount);
  for (let i = 0; i < natural.node.length; i++)
    for (let k = 0; k < 3; k++) strain[3 * natural.node[i] + k] += factor * natural.derivative[3 * i + k];
  return Array.from({ length: nodeCount }, (_, node) =>
    csvLine([
      text,
      id,
      node,
      ...strain.subarray(3 * node, 3 * node + 3),
      ...force.subarray(3 * node, 3 * node + 3).map((one) => factor * one),
    ]),
  );
}
