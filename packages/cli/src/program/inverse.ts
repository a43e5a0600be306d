/** Commands on how an equilibrium depends on its scene: gradient, fit, design. Their code is loaded when one is called. */
import type { DesignOptions } from '../commands/design.ts';
import type { FitCommandOptions } from '../commands/fit.ts';
import type { GradientOptions } from '../commands/gradient.ts';
import { collect, parseInstant } from '../parsers.ts';
import type { Program } from './program.ts';

export function addInverse(program: Program): void {
  addGradient(program);
  addFit(program);
  addDesign(program);
}

function addGradient({ verb, terminal, setCode }: Program): void {
  verb('gradient <scene>', 'differentiate an equilibrium or a run with respect to numbers of its scene')
    .option(
      '--of <quantity>',
      'quantity to differentiate, such as probe.tip.z or energy.bending; may be repeated',
      collect,
    )
    .option(
      '--by <field>',
      'number of the scene to differentiate by, such as rods.0.material.E; may be repeated',
      collect,
    )
    .option('--along', 'also write gradient.csv: derivatives by natural strain and by a force at every node')
    .option('-t, --time <time>', 'time of the equilibrium (default: statics.from)', parseInstant)
    .option('--run', 'differentiate the end of a run instead of an equilibrium')
    .option('--until <time>', 'end of the run (default: time.duration)', parseInstant)
    .option('-o, --out <dir>', 'folder for gradient.csv (default: a new out/gradient)')
    .option('-f, --force', 'replace the results in --out')
    .option('--json', 'print the derivatives as JSON')
    .addHelpText(
      'after',
      `
Rods of model der without contact, links and bodies. Quantities are expressions
over the equilibrium, as in a sweep: probe.tip.z, rod.hair.node[-1].x,
energy.bending, reaction[0].force.z, mode[0].frequency. Derivatives are in SI;
the column 'relative' is percent per percent. With --run they are derivatives of
the state at the end of a simulation, by the discrete adjoint, which costs about
ten runs for any number of fields; Ctrl-C stops it.

Examples:
  tendril gradient scene.yaml --of probe.tip.z --by rods.0.material.E --by gravity.2
  tendril gradient scene.yaml --run --of probe.tip.z --by rods.0.material.E
  tendril gradient heavy-cantilever --of 'rod.beam.node[-1].z' --along --out results`,
    )
    .action(async (scene: string, options: GradientOptions) => {
      const { gradient } = await import('../commands/gradient.ts');
      setCode(await gradient(scene, options, terminal));
    });
}

function addFit({ verb, terminal, setCode }: Program): void {
  verb('fit <study>', 'find the parameters of a scene that explain measurements')
    .option('-o, --out <dir>', 'folder for the results (default: a new out/fit)')
    .option('-f, --force', 'replace the results in --out')
    .option('--json', 'print only fit.json on standard output')
    .option('-q, --quiet', 'print only errors and warnings')
    .addHelpText(
      'after',
      `
The study file names a scene, its parameters, and measurements: shapes, tables
such as force over displacement, frequencies. Writes fit.json (values,
deviations, confidence intervals, correlation, combinations that the data do not
determine) and residuals.csv. Ctrl-C ends it before the next equilibrium and
writes the best values so far. Exit code 3: not converged.

Example:
  tendril fit curl.yaml --out results`,
    )
    .action(async (study: string, options: FitCommandOptions) => {
      const { fit } = await import('../commands/fit.ts');
      setCode(await fit(study, options, terminal));
    });
}

function addDesign({ verb, terminal, setCode }: Program): void {
  verb('design <scene>', 'find natural shapes for which rods keep their initial shape under load')
    .option('-o, --out <file>', 'scene to write, with the natural shapes')
    .option('--rod <id>', 'only this rod; may be repeated', collect)
    .option('-f, --force', 'replace the file if it exists')
    .option('-q, --quiet', 'print only errors and warnings')
    .addHelpText(
      'after',
      `
The initial shape of each rod becomes its equilibrium under the loads at t = 0.
Rods must be of model der and clamped at their start. The table shows how far
the rods of the written scene move. In a scene, natural: equilibrium does the
same.

Example:
  tendril design hair.yaml --out designed.yaml`,
    )
    .action(async (scene: string, options: DesignOptions) => {
      const { design } = await import('../commands/design.ts');
      setCode(await design(scene, options, terminal));
    });
}
