import type { Capabilities } from '../capabilities.ts';
import type { OptionFields } from '../optionFields.ts';

/** Implementations of `der`. */
export type Backend = 'standard' | 'batch' | 'simd' | 'gpu' | 'auto';

/** Options of the model `der`. */
export interface DerOptions {
  /**
   * Implementation: `standard` (default), all of DER; `batch`, the formulation of batch/ in double precision, for open inextensible rods that are
   * free or held at their first node; `simd`, the same in single precision, four rods at once; `gpu`, the same in single precision on a GPU; `auto`:
   * `gpu` if there is one, else `simd`, if it supports the rods and they are many.
   */
  readonly backend?: Backend;
  /**
   * Implicit: `tr-bdf2` (default), `bdf2`, `implicit-euler`, `midpoint`.
   * Explicit, the formulation of the 2008 paper: `shake` (keeps the energy), `fast-projection` (as printed).
   */
  readonly integrator?: 'tr-bdf2' | 'bdf2' | 'implicit-euler' | 'midpoint' | 'shake' | 'fast-projection';
  /** `rotation`: rotation vector between frames (default); `bergou2008`: eq. 3 of the paper. */
  readonly strain?: 'rotation' | 'bergou2008';
  /** Twist with its inertia (default), or without. The explicit integrators are always quasistatic. */
  readonly twist?: 'dynamic' | 'quasistatic';
  /** Newton stops below tolerance × force scale. Default 1e-9. */
  readonly tolerance?: number;
  /** Newton iterations before a step counts as failed. Default 25. */
  readonly iterations?: number;
}

/** Options of the model `der`. */
export const derOptions: OptionFields<DerOptions> = {
  backend: {
    kind: 'words',
    words: ['standard', 'batch', 'simd', 'gpu', 'auto'],
    about:
      'standard (default); batch: edge rotations as unknowns, for open inextensible rods that are free or held at their first node; simd: the same in single precision, four rods at once; gpu: the same on a GPU; auto: gpu or simd where they serve, else standard.',
  },
  integrator: {
    kind: 'words',
    words: ['tr-bdf2', 'bdf2', 'implicit-euler', 'midpoint', 'shake', 'fast-projection'],
    about:
      'Implicit: tr-bdf2 (default), bdf2, implicit-euler, midpoint. Explicit: shake (keeps the energy), fast-projection.',
  },
  strain: {
    kind: 'words',
    words: ['rotation', 'bergou2008'],
    about: 'rotation (default): rotation vector between frames; bergou2008: the discrete curvature of that paper.',
  },
  twist: {
    kind: 'words',
    words: ['dynamic', 'quasistatic'],
    about: 'Twist with its inertia (dynamic, default) or without. Explicit integrators are always quasistatic.',
  },
  tolerance: { kind: 'number', sign: 'positive', about: 'Newton stops below tolerance × force scale. Default 1e-9.' },
  iterations: { kind: 'whole', least: 1, about: 'Newton iterations before a step counts as failed. Default 25.' },
};

/** Capabilities of the model `der`. */
export const derCapabilities: Capabilities = {
  closed: true,
  anisotropic: true,
  inextensible: true,
  shear: false,
  animated: ['E', 'G', 'curvature', 'length', 'density', 'radius', 'massDamping', 'stiffnessDamping', 'friction'],
  changingRods: true,
  laws: true,
  breaking: true,
  bodies: true,
  hinges: true,
  branches: false,
  naturalEquilibrium: true,
  contact: true,
  linkedEquilibria: true,
  softPins: false,
  needsTurnStops: true,
};
