/** `tendril import`: converts curves of another program to a scene. */
import { existsSync } from 'node:fs';
import { dirname, extname, relative, resolve } from 'node:path';
import { formatCurveScene, type ImportOptions } from '@tendril-sim/io';
import { openWithin, readCurvesFile, readSceneFile, writeFileAtomic } from '@tendril-sim/io/node';
import { exitCode, UsageError } from '../exit.ts';
import { invocation } from '../invocation.ts';
import { formatWarning, type Terminal } from '../terminal.ts';

export interface ImportCommandOptions extends ImportOptions {
  readonly out?: string;
  readonly force?: boolean;
}

export function importCurves(file: string, options: ImportCommandOptions, terminal: Terminal): number {
  const curves = readCurvesFile(file, options);
  for (const warning of curves.warnings) terminal.err(formatWarning(`${file}: ${warning}`));
  const out = options.out ?? `${file.slice(0, file.length - extname(file).length)}.yaml`;
  if (!/\.(ya?ml)$/i.test(out)) throw new UsageError(`'${out}' should end in .yaml: a scene is a YAML file`);
  if (existsSync(out) && !options.force)
    throw new UsageError(`'${out}' exists; choose another --out, or add --force to replace it`);
  const folder = dirname(resolve(out));
  const name = relative(folder, resolve(file)).replaceAll('\\', '/');
  const text = formatCurveScene(curves, name, options);
  if (text.includes('\nstrands:')) refuseOutside(name, folder, file);
  writeFileAtomic(out, text, { overwrite: options.force === true });
  const { scene } = readSceneFile(out);
  const points = scene.rods.reduce((sum, { shape }) => sum + (shape.type === 'points' ? shape.points.length : 0), 0);
  terminal.err(`wrote ${out}: ${scene.rods.length} ${scene.rods.length === 1 ? 'rod' : 'rods'}, ${points} points\n`);
  terminal.err(`next: ${invocation()} run ${out}\n`);
  return exitCode.done;
}

/** A scene may only refer to files in its own folder. */
function refuseOutside(name: string, folder: string, file: string): void {
  if (!name.startsWith('..') && resolve(folder, name) === resolve(file)) {
    openWithin(folder)(name);
    return;
  }
  throw new UsageError(
    `the scene refers to the file of curves, which must be in its folder: write the scene beside the file (--out ${dirname(file)}/scene.yaml), or copy the file`,
  );
}
