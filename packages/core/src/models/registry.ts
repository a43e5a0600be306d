/**
 * The table of models, as far as scenes and schemas need it: ids, options and capabilities, without the models themselves. A new model
 * is its folder and its lines here and in index.ts.
 */

import type { AnimatedField } from '../scene/values.ts';
import type { Capabilities } from './capabilities.ts';
import { type CosseratOptions, cosseratCapabilities, cosseratOptions } from './cosserat/options.ts';
import { type DerOptions, derCapabilities, derOptions } from './der/options.ts';
import { type FiberOptions, fiberCapabilities, fiberOptions } from './fiber/options.ts';
import { type HelixOptions, helixCapabilities, helixOptions } from './helix/options.ts';
import { type MassSpringOptions, massSpringCapabilities, massSpringOptions } from './massspring/options.ts';
import type { OptionFields } from './optionFields.ts';
import { type StrandOptions, strandCapabilities, strandOptions } from './strand/options.ts';

export type * from './cosserat/options.ts';
export type * from './der/options.ts';
export type * from './fiber/options.ts';
export type * from './helix/options.ts';
export type * from './massspring/options.ts';
export type * from './strand/options.ts';

/** Options of each model under its id. */
export interface SolverSpec {
  /** Options of Discrete Elastic Rods. */
  readonly der?: DerOptions;
  /** Options of super-helices. */
  readonly helix?: HelixOptions;
  /** Options of oriented strands. */
  readonly strand?: StrandOptions;
  /** Options of stiff fibers. */
  readonly fiber?: FiberOptions;
  /** Options of special Cosserat rods. */
  readonly cosserat?: CosseratOptions;
  /** Options of mass-spring hair. */
  readonly massspring?: MassSpringOptions;
}

/** Name of a model. */
export type ModelId = keyof SolverSpec;

/** In the order in which they were added. */
export const modelOptions: { readonly [K in ModelId]: OptionFields<Required<SolverSpec>[K]> } = {
  der: derOptions,
  helix: helixOptions,
  strand: strandOptions,
  fiber: fiberOptions,
  cosserat: cosseratOptions,
  massspring: massSpringOptions,
};

/** Capabilities of each model. */
export const modelCapabilities: Readonly<Record<ModelId, Capabilities>> = {
  der: derCapabilities,
  helix: helixCapabilities,
  strand: strandCapabilities,
  fiber: fiberCapabilities,
  cosserat: cosseratCapabilities,
  massspring: massSpringCapabilities,
};

/** Model of rods that do not specify one. */
export const defaultModel: ModelId = 'der';

/** Capabilities of a rod's model. A model that a program injects under an id of its own is not in the table and has none. */
export function capabilitiesOf({ model = defaultModel }: { readonly model?: ModelId }): Partial<Capabilities> {
  return Object.hasOwn(modelCapabilities, model) ? modelCapabilities[model] : {};
}

/** Ids of the models, in the order of the table. */
export function availableModels(): readonly ModelId[] {
  return Object.keys(modelCapabilities) as ModelId[];
}

/** Ids of the models with a capability, for messages. */
export function modelsWith(capability: Exclude<keyof Capabilities, 'animated'>): ModelId[] {
  return availableModels().filter((id) => modelCapabilities[id][capability]);
}

/** Ids of the models that support a field of `animate`, for messages. */
export function modelsThatAnimate(field: AnimatedField): ModelId[] {
  return availableModels().filter((id) => modelCapabilities[id].animated.includes(field));
}
