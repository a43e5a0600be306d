/** What can run side by side: the models of the scene format, and integrators of `der`. */
import type { Variant } from './protocol.ts';

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
}

export function variantOptions(): VariantOption[] {
  const models = Object.entries(names).map(([id, about]) => ({ variant: { id, label: id }, about }));
  const schemes = ['implicit-euler', 'midpoint', 'shake'].map((scheme) => ({
    variant: { id: `der/${scheme}`, label: `der, ${scheme}` },
    about: `Discrete elastic rods, stepped by ${scheme}`,
  }));
  return [...models, ...schemes];
}
