/** What can run side by side: the models that the scene format knows, and integrators of `der`. */
import type { Variant } from './protocol.ts';
import * as state from './state.ts';
import type { SchemaNode } from './ui/schemaForm.ts';

const names: Readonly<Record<string, string>> = {
  der: 'Discrete elastic rods',
  helix: 'Super-helices',
  strand: 'Oriented strands',
  fiber: 'Stiff fibers',
  cosserat: 'Cosserat rods',
  massspring: 'Mass-springs',
};

export interface VariantOption {
  readonly variant: Variant;
  readonly about: string;
  /** False where this build of the page does not contain the model. */
  readonly ready: boolean;
}

export function variantOptions(): VariantOption[] {
  const rod = ((state.schema.value as SchemaNode | undefined)?.properties?.rods?.items ?? {}) as SchemaNode;
  const known = (rod.properties?.model?.enum ?? state.models.value) as string[];
  const models = known.map((id) => ({
    variant: { id, label: id },
    about: names[id] ?? id,
    ready: state.models.value.includes(id),
  }));
  const schemes = ['implicit-euler', 'midpoint', 'shake'].map((scheme) => ({
    variant: { id: `der/${scheme}`, label: `der, ${scheme}` },
    about: `Discrete elastic rods, stepped by ${scheme}`,
    ready: true,
  }));
  return [...models, ...schemes];
}
