/** `tendril groom puff`, `smooth`, `wrap` and `part`: operations that reshape all guides, or those of a mask. */
import {
  createHeadField,
  type Hairstyle,
  partHairstyle,
  puffHairstyle,
  type Shaped,
  smoothHairstyle,
  wrapHairstyle,
} from '@tendril-sim/core';
import { readHairstyleFile } from '@tendril-sim/io/node';
import { exitCode, UsageError } from '../exit.ts';
import { formatWarning, type Terminal } from '../terminal.ts';
import { layOver, save, target, type WhereOptions, whereOf } from './groom.ts';

export interface PuffCommandOptions extends WhereOptions {
  readonly height: number;
}

export interface SmoothCommandOptions extends WhereOptions {
  readonly strength?: number;
}

export interface WrapCommandOptions extends WhereOptions {
  readonly distance: number;
  readonly strength?: number;
}

export interface PartCommandOptions extends WhereOptions {
  readonly curve: readonly (readonly [number, number, number])[];
  readonly width?: number;
  readonly strength?: number;
}

/** Reads the style, reshapes its guides, keeps them out of the head and writes the result. */
function reshape(
  file: string,
  options: WhereOptions,
  terminal: Terminal,
  change: (style: Hairstyle) => Shaped,
): number {
  const out = target(file, options);
  const { style, report } = change(readHairstyleFile(file));
  terminal.err(`reshaped ${report.combed} of ${style.guideRoots.count} guides\n`);
  if (report.unstable > 0)
    terminal.err(formatWarning(`${report.unstable} of them are too soft to keep this shape and will sag`));
  save(out, layOver(style, terminal), options, terminal);
  return exitCode.done;
}

export function puff(file: string, options: PuffCommandOptions, terminal: Terminal): number {
  const { height } = options;
  return reshape(file, options, terminal, (style) => puffHairstyle(style, { height, mask: whereOf(options) }));
}

export function smooth(file: string, options: SmoothCommandOptions, terminal: Terminal): number {
  const { strength } = options;
  return reshape(file, options, terminal, (style) => smoothHairstyle(style, { strength, mask: whereOf(options) }));
}

export function wrap(file: string, options: WrapCommandOptions, terminal: Terminal): number {
  const { distance, strength } = options;
  return reshape(file, options, terminal, (style) => {
    const field = style.skin && createHeadField(style.skin);
    if (!field)
      throw new UsageError(
        `'${file}' has no mesh with an inside to wrap hair around: grow it without --no-lay, on a mesh that is closed but for small holes`,
      );
    return wrapHairstyle(style, field, { distance, strength, mask: whereOf(options) });
  });
}

export function part(file: string, options: PartCommandOptions, terminal: Terminal): number {
  const { curve, width, strength } = options;
  return reshape(file, options, terminal, (style) =>
    partHairstyle(style, { curve, width, strength, mask: whereOf(options) }),
  );
}
