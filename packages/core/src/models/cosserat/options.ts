import type { Capabilities } from '../capabilities.ts';
import type { OptionFields } from '../optionFields.ts';

/** Options of the model `cosserat`. */
export interface CosseratOptions {
  /** Implicit: `tr-bdf2` (default), `implicit-euler`, `midpoint`. Explicit: `verlet`, which subdivides the step as stability requires. */
  readonly integrator?: 'tr-bdf2' | 'implicit-euler' | 'midpoint' | 'verlet';
  /**
   * `physical` (default of the implicit integrators): shear, stretch and rotary inertia of the rod's section.
   * `inflated` (default of `verlet`): those of a thicker section; bending, twist and mass are the rod's own.
   */
  readonly section?: 'physical' | 'inflated';
  /** Radius of gyration r of the inflated section [m]: GA = EI/r², rotary inertia mass·r². Default length/250. */
  readonly gyration?: number;
  /** Radius of gyration for stretch alone [m]: EA = EI/r². Default: as `gyration`. */
  readonly axialGyration?: number;
  /** Factor k of the shear stiffness k·GA of a physical section. Default 1. */
  readonly shearFactor?: number;
  /** Newton stops below tolerance × force scale. Default 1e-9. */
  readonly tolerance?: number;
  /** Newton iterations before a step counts as failed. Default 25. */
  readonly iterations?: number;
}

/** Options of the model `cosserat`. */
export const cosseratOptions: OptionFields<CosseratOptions> = {
  integrator: {
    kind: 'words',
    words: ['tr-bdf2', 'implicit-euler', 'midpoint', 'verlet'],
    about:
      'Implicit: tr-bdf2 (default), implicit-euler, midpoint. Explicit: verlet, in as many substeps as stability requires.',
  },
  section: {
    kind: 'words',
    words: ['physical', 'inflated'],
    about:
      'Shear, stretch and rotary inertia: physical (default of implicit integrators), or inflated (default of verlet).',
  },
  gyration: {
    kind: 'quantity',
    of: 'length',
    sign: 'positive',
    about: 'Radius of gyration r of the inflated section [m]: GA = EI/r². Default length/250.',
  },
  axialGyration: {
    kind: 'quantity',
    of: 'length',
    sign: 'positive',
    about: 'Radius of gyration for stretch alone [m]: EA = EI/r². Default as gyration.',
  },
  shearFactor: { kind: 'number', sign: 'positive', about: 'Factor k of the shear stiffness k·GA. Default 1.' },
  tolerance: { kind: 'number', sign: 'positive', about: 'Newton stops below tolerance × force scale. Default 1e-9.' },
  iterations: { kind: 'whole', least: 1, about: 'Newton iterations before a step counts as failed. Default 25.' },
};

/** Capabilities of the model `cosserat`. */
export const cosseratCapabilities: Capabilities = {
  closed: true,
  anisotropic: true,
  inextensible: true,
  shear: true,
  animated: ['E', 'G', 'curvature', 'length', 'density', 'radius', 'massDamping', 'stiffnessDamping'],
  changingRods: false,
  laws: false,
  breaking: false,
  bodies: false,
  hinges: false,
  branches: false,
  naturalEquilibrium: false,
  contact: false,
  linkedEquilibria: true,
  softPins: false,
  needsTurnStops: true,
};
