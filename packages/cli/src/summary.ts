/** The text after a command: its findings, and the files that it wrote. */
import { join } from 'node:path';
import type { Rod } from '@tendril-sim/core';
import type { Folder } from './folder.ts';
import { formatQuantity } from './plot/scale.ts';
import { bold, dim, formatWarning, type Terminal } from './terminal.ts';

/** "der · 60 edges", or a summary of many rods in one line. */
export function describeRods(rods: readonly Rod[]): string {
  const models = [...new Set(rods.map(({ model }) => model))].join(', ');
  const counts = [...new Set(rods.map(({ edgeCount }) => edgeCount))];
  const edges = counts.length === 1 ? `${counts[0]}` : `${Math.min(...counts)}–${Math.max(...counts)}`;
  return rods.length === 1 ? `${models} · ${edges} edges` : `${models} · ${rods.length} rods of ${edges} edges`;
}

export function formatStep(step: number): string {
  return `step ${formatQuantity(step, 's')}`;
}

export function reportWarnings(warnings: readonly string[], terminal: Terminal): void {
  for (const warning of warnings) terminal.err(formatWarning(warning));
}

export function reportFolder(folder: Folder, print: (content: string) => void): void {
  const files = [...folder.written].sort((a, b) => rank(a) - rank(b));
  print(`  ${dim('in')} ${bold(`${join(folder.path)}/`)}  ${dim(files.join('  '))}\n`);
}

/** The most useful files first. */
function rank(name: string): number {
  const order = ['result.json', 'picture.png', 'picture.svg', 'modes.png', 'modes.svg', 'energies.svg', 'energies.csv'];
  const at = order.indexOf(name);
  return at < 0 ? order.length : at;
}
