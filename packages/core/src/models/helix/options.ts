import type { Capabilities } from '../capabilities.ts';
import type { OptionFields } from '../optionFields.ts';

/** Options of the model `helix`. */
export interface HelixOptions {
  /** Number of helical elements per rod, at most its edges. Default: as many as edges. */
  readonly elements?: number;
  /**
   * `implicit-euler` (default): backward Euler as a minimisation, stable at any step.
   * `bdf2`: a second-order formula as a minimisation, for fast motion.
   * `semi-implicit`: as published in 2006; one linear solve per step, not stable without damping.
   */
  readonly integrator?: 'implicit-euler' | 'bdf2' | 'semi-implicit';
  /** Newton stops below tolerance × force scale. Default 1e-9. */
  readonly tolerance?: number;
  /** Newton iterations before a step counts as failed. Default 50. */
  readonly iterations?: number;
}

/** Options of the model `helix`. */
export const helixOptions: OptionFields<HelixOptions> = {
  elements: {
    kind: 'whole',
    least: 1,
    about: 'Helical elements a rod, at most its edges. Default: as many as edges.',
  },
  integrator: {
    kind: 'words',
    words: ['implicit-euler', 'bdf2', 'semi-implicit'],
    former: { 'incremental-potential': 'implicit-euler' },
    about:
      'implicit-euler (default): backward Euler as a minimisation; bdf2: second order; semi-implicit: as published, needs damping.',
  },
  tolerance: { kind: 'number', sign: 'positive', about: 'Newton stops below tolerance × force scale. Default 1e-9.' },
  iterations: { kind: 'whole', least: 1, about: 'Newton iterations before a step counts as failed. Default 50.' },
};

/** Capabilities of the model `helix`. */
export const helixCapabilities: Capabilities = {
  closed: false,
  anisotropic: true,
  inextensible: true,
  shear: false,
  animated: ['E', 'G', 'curvature', 'density', 'radius', 'massDamping', 'stiffnessDamping', 'friction'],
  changingRods: false,
  laws: false,
  breaking: false,
  bodies: false,
  hinges: false,
  branches: false,
  naturalEquilibrium: true,
  contact: true,
  linkedEquilibria: false,
  softPins: false,
  needsTurnStops: false,
};
