/** `tendril gradient --run`: derivatives of numbers at the end of a run with respect to numbers of the scene, by the discrete adjoint. */
import { createWorld, differentiateRun, requireTime, StoppedError } from '@tendril-sim/core';
import { openFamily } from '@tendril-sim/sweep';
import { exitCode, UsageError } from '../exit.ts';
import { withInterrupt } from '../interrupt.ts';
import type { Terminal } from '../terminal.ts';
import { compile, type GradientOptions, parameterOf, printRows, type Row } from './gradient.ts';

export async function gradientOfRun(reference: string, options: GradientOptions, terminal: Terminal): Promise<number> {
  const { of = [], by = [], until } = options;
  if (options.along) throw new UsageError('--along is for equilibria; remove it, or remove --run');
  if (options.time !== undefined) throw new UsageError('--time is for equilibria; a run is read at its end: --until');
  const family = await openFamily(reference);
  const scene = family.build([]);
  const { duration, step } = requireTime(scene, 'remove --run to differentiate an equilibrium');
  const end = until ?? duration;
  const world = createWorld(scene);
  const outputs = of.map((text) => compile(text, world));
  const parameters = by.map((field) => parameterOf(field, family));
  const report = createReport(terminal);
  try {
    const found = await withInterrupt(async (interrupt) =>
      differentiateRun(scene, {
        outputs: outputs.map((output) => ({
          of: output.of,
          ...(output.coordinate && { coordinate: output.coordinate }),
        })),
        parameters,
        until: end,
        onStep(done) {
          if (!options.json) report(done);
          return interrupt.requested;
        },
      }),
    );
    const rows = parameters.flatMap(({ name, value }, p) =>
      of.map((quantity, o): Row => ({ quantity, field: name, value, derivative: found.derivatives[o][p] })),
    );
    printRows({ rows, of, values: found.values }, options, terminal);
    if (!options.json)
      terminal.err(`  at the end of ${found.steps} steps of ${step} s; at most ${found.states} states in memory\n`);
    return exitCode.done;
  } catch (error) {
    if (!(error instanceof StoppedError)) throw error;
    terminal.err('interrupted: there are no derivatives before the adjoint has reached the start\n');
    return exitCode.interrupted;
  }
}

/** Prints every tenth of a calculation that takes more than two seconds. */
function createReport(terminal: Terminal): (done: number) => void {
  const start = performance.now();
  let printed = 0;
  return (done) => {
    const tenth = Math.floor(10 * done);
    if (tenth <= printed || performance.now() - start < 2000) return;
    printed = tenth;
    terminal.err(`  ${10 * tenth} %\n`);
  };
}
