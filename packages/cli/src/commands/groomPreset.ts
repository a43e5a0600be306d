/** `tendril groom grow --preset`: options of a style by name, replaced by those of the command line. */
import { createPreset, type GrowOptions, type Preset, type StylePreset, type Surface } from '@tendril-sim/core';
import { stylePresetNames } from '../choices.ts';
import { UsageError } from '../exit.ts';
import { suggest } from '../suggest.ts';
import type { GrowCommandOptions } from './groomGrow.ts';

/** The preset that the options name; undefined without --preset. */
export function presetOf(surface: Surface, { preset, front, length }: GrowCommandOptions): Preset | undefined {
  if (preset === undefined) {
    if (front !== undefined) throw new UsageError('--front is the direction of the face for --preset; add one');
    if (length === undefined)
      throw new UsageError('set the length of the hair, --length "20 cm", or a style, --preset bob');
    return undefined;
  }
  if (!(stylePresetNames as readonly string[]).includes(preset)) {
    const meant = suggest(preset, stylePresetNames);
    throw new UsageError(
      `--preset: there is no style '${preset}'${meant ? `; did you mean '${meant}'?` : ''}\nstyles: ${stylePresetNames.join(', ')}`,
    );
  }
  return createPreset(surface, preset as StylePreset, front);
}

/** Options of the preset, where the command line gives none of its own. */
export function mergeGrow(preset: GrowOptions, given: Partial<GrowOptions>): GrowOptions {
  const wanted = (options: object): object =>
    Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const { guides, hairs, ...others } = given;
  const density = guides?.density ?? preset.guides?.density;
  return {
    ...preset,
    ...wanted(others),
    guides: { ...preset.guides, ...wanted(guides ?? {}) },
    ...(preset.hairs && { hairs: { ...preset.hairs, ...wanted(hairs ?? {}), density } }),
  };
}
