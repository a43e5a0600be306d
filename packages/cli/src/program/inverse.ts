/** Commands on how an equilibrium depends on its scene: gradient. Their code is loaded when one is called. */
import type { GradientOptions } from '../commands/gradient.ts';
import { collect, parseTime } from '../parsers.ts';
import type { Program } from './program.ts';

export function addInverse(program: Program): void {
  addGradient(program);
}

function addGradient({ verb, terminal, setCode }: Program): void {
  verb('gradient <scene>', 'derivatives of an equilibrium with respect to numbers of its scene')
    .option('--of <quantity>', 'what to differentiate, such as probe.tip.z or energy.bending; may be repeated', collect)
    .option(
      '--by <field>',
      'with respect to this number of the scene, such as rods.0.material.E; may be repeated',
      collect,
    )
    .option('--along', 'also with respect to natural strain and forces at every node, into gradient.csv')
    .option('-t, --time <time>', 'time of the equilibrium (default: statics.from)', parseTime)
    .option('-o, --out <dir>', 'folder for gradient.csv (default: a fresh out/gradient)')
    .option('-f, --force', 'replace the results that --out holds')
    .option('--json', 'print the derivatives as JSON')
    .addHelpText(
      'after',
      `
Rods of model der without contact, links and bodies. Quantities are expressions over the equilibrium, as in a sweep: probe.tip.z,
rod.hair.node[-1].x, energy.bending, reaction[0].force.z, mode[0].frequency. Derivatives are in SI; the column 'relative' is percent
per percent.

Examples:
  tendril gradient scene.yaml --of probe.tip.z --by rods.0.material.E --by gravity.2
  tendril gradient heavy-cantilever --of 'rod.beam.node[-1].z' --along --out results`,
    )
    .action(async (scene: string, options: GradientOptions) => {
      const { gradient } = await import('../commands/gradient.ts');
      setCode(await gradient(scene, options, terminal));
    });
}
