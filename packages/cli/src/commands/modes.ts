/** `tendril modes`: natural frequencies and shapes about the equilibrium. */
import {
  describeLeftBranches,
  describeRemarks,
  type EquilibriumReport,
  type Matrices,
  type Modes,
  type SparseSymmetric,
  type World,
} from '@tendril-sim/core';
import { buildResult, csvLine } from '@tendril-sim/io';
import { exitCode, UsageError } from '../exit.ts';
import { checkFolder, type Folder, openFolder } from '../folder.ts';
import { gravityOf } from '../locate.ts';
import { openWorld } from '../openWorld.ts';
import { renderPng } from '../plot/png.ts';
import { drawShapes } from '../plot/shapes.ts';
import { saveState, writeResult } from '../recorder.ts';
import { explained, loadSource, type Source } from '../source.ts';
import { describeRods, reportFolder, reportWarnings } from '../summary.ts';
import { bad, bold, dim, formatDuration, formatError, formatNumber, formatTable, type Terminal } from '../terminal.ts';
import { version } from '../version.ts';
import { explainFailure } from './statics.ts';

export interface ModesOptions {
  readonly out?: string;
  readonly model?: string;
  readonly force?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly count?: number;
  readonly about?: 'equilibrium' | 'initial';
  readonly matrices?: boolean;
  readonly set?: readonly string[];
}

export async function modes(reference: string, options: ModesOptions, terminal: Terminal): Promise<number> {
  checkFolder(options);
  const source = await loadSource(reference, options);
  const world = await openWorld(source);
  const folder = openFolder({ ...options, name: `${source.name}-modes` });
  try {
    return modesInto(folder, source, world, options, terminal);
  } finally {
    folder.close();
  }
}

function modesInto(folder: Folder, source: Source, world: World, options: ModesOptions, terminal: Terminal): number {
  const about = options.about ?? source.scene.modes?.about ?? 'equilibrium';
  const startWall = performance.now();
  const equilibrium = about === 'equilibrium' ? explained(source, () => world.equilibrate()) : undefined;
  const failed = equilibrium?.some(({ converged }) => !converged) ?? false;
  const found = failed ? undefined : explained(source, () => world.modes(options.count));
  const wallSeconds = (performance.now() - startWall) / 1000;

  const warnings = [...stabilityWarnings(equilibrium), ...flutterWarnings(found ?? [])];
  if (!options.quiet) reportWarnings([...source.warnings, ...world.warnings, ...warnings], terminal);
  const stopped = failed && equilibrium ? explainFailure(world.time, equilibrium) : undefined;
  saveState(world, folder);
  if (found) writeModes(world, found, source.scene.title ?? source.name, about, folder);
  if (found && options.matrices)
    writeMatrices(
      explained(source, () => world.matrices()),
      folder,
    );
  const content = writeResult(
    buildResult({
      world,
      version,
      command: 'modes',
      file: source.origin,
      wallSeconds,
      equilibrium,
      modes: found,
      warnings,
      stopped,
    }),
    folder,
  );
  if (options.json) terminal.out(content);
  const print = options.json ? terminal.err : terminal.out;
  if (stopped) terminal.err(formatError(`${stopped.reason}\n  ${stopped.remedy}`));
  if (!options.quiet) {
    for (const one of joinModes(found ?? [])) print(formatModes(one, (found?.length ?? 0) > 1));
    print(
      `${dim(`about the ${about === 'initial' ? 'initial shape' : 'equilibrium'}, in ${formatDuration(wallSeconds)}`)}\n`,
    );
    reportFolder(folder, print);
  }
  return stopped ? exitCode.failed : exitCode.done;
}

function stabilityWarnings(equilibrium: readonly EquilibriumReport[] | undefined): string[] {
  const unstable = (equilibrium ?? [])
    .filter(({ converged, stable }) => converged && !stable)
    .map(
      ({ rod, negativeModes }) =>
        `rod '${rod}': the equilibrium is unstable (${negativeModes} negative modes); negative frequencies are growth rates`,
    );
  const found = equilibrium ?? [];
  return [...unstable, ...describeLeftBranches(0, found), ...describeRemarks(0, found, new Set())];
}

function flutterWarnings(found: readonly Modes[]): string[] {
  return found.flatMap(({ rod, omega, growth }) => {
    const fastest = growth?.reduce((best, rate, k) => (rate > growth[best] ? k : best), 0) ?? 0;
    if (!growth || !(growth[fastest] > 0)) return [];
    const [frequency, rate] = [omega[fastest] / (2 * Math.PI), growth[fastest]].map((value) => formatNumber(value, 4));
    return [`rod '${rod}' flutters: oscillations of ${frequency} Hz grow at a rate of ${rate} 1/s without damping`];
  });
}

/** Rods joined by bodies or links have their modes in common: these are printed once. */
function joinModes(found: readonly Modes[]): Modes[] {
  const groups = new Map<string, Modes[]>();
  for (const one of found) {
    const linked = found.some((other) => other !== one && other.omega === one.omega);
    const key = linked || one.shapes.some(({ bodies }) => bodies) ? one.omega.join(' ') : one.rod;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].map((list) => {
    const names = list.map(({ rod }) => rod);
    const more = names.length > 6 ? ` and ${names.length - 5} more` : '';
    return { ...list[0], rod: (more ? names.slice(0, 5) : names).join(', ') + more };
  });
}

/** Because of rounding, rigid motions have a frequency that is tiny relative to the others, of either sign. */
function isRigid(omega: number, all: ArrayLike<number>): boolean {
  let largest = 0;
  for (let k = 0; k < all.length; k++) largest = Math.max(largest, Math.abs(all[k]));
  return Math.abs(omega) < 1e-4 * largest;
}

function remarkOn(value: number, omega: ArrayLike<number>, growth: number): string {
  if (growth > 0) return bad('unstable: flutters');
  if (isRigid(value, omega)) return dim('rigid motion');
  return value < 0 ? bad('unstable: grows') : '';
}

function formatModes({ rod, omega, growth }: Modes, named: boolean): string {
  const columns = [
    { title: 'mode' },
    { title: 'f [Hz]' },
    { title: 'ω [rad/s]' },
    { title: 'period [s]' },
    ...(growth ? [{ title: 'growth [1/s]' }] : []),
    { title: '', align: 'left' as const },
  ];
  const rows = [...omega].map((value, k) => {
    const frequency = value / (2 * Math.PI);
    return [
      bold(String(k + 1)),
      formatNumber(frequency, 6),
      formatNumber(value, 6),
      value > 0 && !isRigid(value, omega) ? formatNumber(1 / frequency, 4) : '',
      ...(growth ? [growth[k] === 0 ? '' : formatNumber(growth[k], 4)] : []),
      remarkOn(value, omega, growth?.[k] ?? 0),
    ];
  });
  return `${named ? `${bold(rod)}\n` : ''}${formatTable(columns, rows)}`;
}

function writeModes(world: World, found: readonly Modes[], title: string, about: string, folder: Folder): void {
  folder.write('modes.csv', modeLines(found));
  // a page holds a dozen shapes; with many rods, those of the first
  const shapes = found
    .flatMap(({ omega, shapes: list }, rod) =>
      list.map((shape, k) => ({ rod, frequency: omega[k] / (2 * Math.PI), rigid: isRigid(omega[k], omega), ...shape })),
    )
    .slice(0, 24);
  const svg = drawShapes({
    title,
    subtitle: `natural modes about the ${about === 'initial' ? 'initial shape' : 'equilibrium'} · ${describeRods(world.rods)}`,
    rods: world.rods.map(({ id, closed, edgeRadius }, k) => ({
      id,
      closed,
      position: world.samples[k].nodePosition,
      tangent: world.samples[k].edgeTangent,
      director: world.samples[k].edgeDirector,
      radius: edgeRadius,
    })),
    shapes,
    gravity: gravityOf(world.scene),
  });
  folder.write('modes.svg', svg);
  folder.write('modes.png', renderPng(svg));
}

function* modeLines(found: readonly Modes[]): Generator<string> {
  const hasGrowth = found.some(({ growth }) => growth);
  yield csvLine(['rod', 'mode', 'frequency', 'omega', ...(hasGrowth ? ['growth'] : [])]);
  for (const { rod, omega, growth } of found) {
    for (let k = 0; k < omega.length; k++)
      yield csvLine([rod, k + 1, omega[k] / (2 * Math.PI), omega[k], ...(hasGrowth ? [growth?.[k] ?? 0] : [])]);
  }
}

/** One file per rod and matrix, in the coordinate format of Matrix Market. */
function writeMatrices(list: readonly Matrices[], folder: Folder): void {
  const names = new Set<string>();
  for (const matrices of list) {
    const name = list.length === 1 ? '' : `${matrices.rod.replace(/[^\p{L}\p{N}_-]+/gu, '-')}.`;
    if (names.has(name))
      throw new UsageError(`two rods have names that make the same file name: '${name}'; rename one`);
    names.add(name);
    folder.write(`${name}M.mtx`, matrixMarket(matrices, matrices.mass, 'mass matrix'));
    folder.write(`${name}K.mtx`, matrixMarket(matrices, matrices.stiffness, 'tangent stiffness matrix'));
    folder.write(`${name}C.mtx`, matrixMarket(matrices, matrices.damping, 'damping matrix'));
  }
}

export function* matrixMarket(
  { rod, size, labels }: Matrices,
  matrix: SparseSymmetric,
  what: string,
): Generator<string> {
  yield '%%MatrixMarket matrix coordinate real symmetric\n';
  yield `% ${what} of rod '${rod}' in SI units, lower triangle; made by tendril ${version}\n`;
  for (let k = 0; k < labels.length; k++) yield `% row ${k + 1}: ${labels[k]}\n`;
  yield `${size} ${size} ${matrix.value.length}\n`;
  for (let k = 0; k < matrix.value.length; k++) {
    // the format requires the lower triangle: row ≥ column
    const [row, column] = [Math.max(matrix.row[k], matrix.column[k]), Math.min(matrix.row[k], matrix.column[k])];
    yield `${row + 1} ${column + 1} ${matrix.value[k]}\n`;
  }
}
