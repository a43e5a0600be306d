/** Values that options accept, separate from the code that uses them, because the command line is parsed before that is loaded. */
import type { LightName } from '@tendril-sim/bridge/render';
import type { HairType, StylePreset } from '@tendril-sim/core';
import type { ImportMaterial } from '@tendril-sim/io';

export const exportFormats = [
  'usda',
  'usdc',
  'abc',
  'glb',
  'vtp',
  'csv',
  'parquet',
  'svg',
  'png',
  'apng',
  'mp4',
  'webm',
] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Arrangements of lights of `render`, as in @tendril-sim/bridge/render. */
export const lightNames: readonly LightName[] = ['studio', 'sun', 'overcast', 'rim'];

export const templates = ['cable', 'weave'] as const;
export type Template = (typeof templates)[number];

/** Examples of the documentation: folders with a page, files and commands. */
export const examples = ['hair', 'mechanics', 'web'] as const;
export type Example = (typeof examples)[number];

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** A record must have every member of its type, so that none is missing here. */
const namesOf = <Name extends string>(all: Readonly<Record<Name, true>>): Name[] => Object.keys(all) as Name[];

export const importMaterialNames: ImportMaterial[] = namesOf<ImportMaterial>({
  hair: true,
  nylon: true,
  rubber: true,
  steel: true,
});

export const hairTypeNames: HairType[] = namesOf<HairType>({
  straight: true,
  wavy: true,
  curly: true,
  coily: true,
  'smooth-asian': true,
  'wavy-caucasian': true,
  'curly-caucasian': true,
  'tightly-curled-african': true,
});

/** Styles of `groom grow --preset`. */
export const stylePresetNames: StylePreset[] = namesOf<StylePreset>({
  bob: true,
  fringe: true,
  ponytail: true,
  braid: true,
  afro: true,
  coily: true,
  fur: true,
});
