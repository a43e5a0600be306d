import type { Capabilities } from '../capabilities.ts';
import type { OptionFields } from '../optionFields.ts';

/** Options of the model `fiber`. */
export interface FiberOptions {
  /**
   * `energy-momentum` (default): keeps energy and momenta; `deti`: exponential, linear part exact, small rotations only;
   * `deti-r`: its rational relative for large rotations with damping; `midpoint`, `implicit-euler`: for comparison.
   */
  readonly integrator?: 'energy-momentum' | 'deti' | 'deti-r' | 'midpoint' | 'implicit-euler';
  /**
   * Width of the scaffold. `inflated` (default): as wide as a strain of 1e-3 under the loads allows; `section`: EA exact;
   * or a width [m]. Bending and twisting stiffness are exact with all of them.
   */
  readonly scaffold?: 'inflated' | 'section' | number;
  /** Rotary inertia: of the `section` (default if it has a polar inertia), or of the `scaffold`. */
  readonly inertia?: 'scaffold' | 'section';
  /** Springs of a ring relative to the longitudinal ones. Default 20. */
  readonly ring?: number;
  /** Newton stops when no particle moves by more than this × the scaffold's width. Default 1e-3. */
  readonly tolerance?: number;
  /** Newton iterations before a step is halved. Default 12. */
  readonly iterations?: number;
  /**
   * `energy-momentum` without damping: suppresses vibrations of the rings, an artefact of the method, and returns their energy
   * to the motion. Default false.
   */
  readonly calmRings?: boolean;
  /** `deti`: uses the force filter as printed, which is biased, instead of the consistent one. Default false. */
  readonly paperFilter?: boolean;
  /** `deti`: matrix functions by all eigenvectors (`eigenbasis`, default), or by Lanczos (`krylov`). */
  readonly functions?: 'eigenbasis' | 'krylov';
  /** `deti`: further damping coefficients α2, α3 … of M Σ αᵢ(M⁻¹K)ⁱ [s³, s⁵ …]; α0, α1 are the material's. */
  readonly series?: readonly number[];
}

/** Options of the model `fiber`. */
export const fiberOptions: OptionFields<FiberOptions> = {
  integrator: {
    kind: 'words',
    words: ['energy-momentum', 'deti', 'deti-r', 'midpoint', 'implicit-euler'],
    former: { 'backward-euler': 'implicit-euler' },
    about:
      'energy-momentum (default): keeps energy and momenta; deti: exponential, small rotations only; deti-r: large rotations with damping; midpoint, implicit-euler: for comparison.',
  },
  scaffold: {
    kind: 'either',
    expected: "'inflated', 'section', or a width such as \"1 mm\"",
    of: [
      {
        kind: 'words',
        words: ['inflated', 'section'],
        about: 'inflated (default): as wide as a strain of 1e-3 under the loads allows; section: EA exact.',
      },
      { kind: 'quantity', of: 'length', sign: 'positive', about: 'Width of the scaffold [m].' },
    ],
    about: 'Width of the scaffold; bending and twisting stiffness are exact with all of them.',
  },
  inertia: {
    kind: 'words',
    words: ['scaffold', 'section'],
    about: 'Rotary inertia of the section (default if it has a polar inertia) or of the scaffold.',
  },
  ring: {
    kind: 'number',
    sign: 'positive',
    about: 'Springs of a ring relative to the longitudinal ones. Default 20.',
  },
  tolerance: {
    kind: 'number',
    sign: 'positive',
    about: "Newton stops when no particle moves by more than this × the scaffold's width. Default 1e-3.",
  },
  iterations: { kind: 'whole', least: 1, about: 'Newton iterations before a step is halved. Default 12.' },
  calmRings: {
    kind: 'flag',
    about:
      'energy-momentum without damping: stills rings that breathe and gives their energy to the motion. Default false.',
  },
  paperFilter: { kind: 'flag', about: 'deti: the force filter as printed, which is biased. Default false.' },
  functions: {
    kind: 'words',
    words: ['eigenbasis', 'krylov'],
    about: 'deti: matrix functions by all eigenvectors (eigenbasis, default), or by Lanczos (krylov).',
  },
  series: {
    kind: 'list',
    of: { kind: 'number', sign: 'nonnegative' },
    name: 'damping coefficients',
    least: 1,
    about: 'deti: further damping coefficients α2, α3 … of M Σ αᵢ(M⁻¹K)ⁱ [s³, s⁵ …].',
  },
};

/** Capabilities of the model `fiber`. */
export const fiberCapabilities: Capabilities = {
  closed: false,
  anisotropic: true,
  inextensible: false,
  shear: false,
  animated: ['E', 'G', 'friction'],
  changingRods: false,
  laws: false,
  breaking: false,
  bodies: false,
  hinges: false,
  branches: false,
  naturalEquilibrium: false,
  contact: true,
  linkedEquilibria: true,
  softPins: false,
  needsTurnStops: false,
};
