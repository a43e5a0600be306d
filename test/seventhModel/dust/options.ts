import type { Capabilities } from '../capabilities.ts';
import type { OptionFields } from '../optionFields.ts';

/** Options of the model `dust`. */
export interface DustOptions {
  /** Rate at which velocities decay [1/s]. Default 0. */
  readonly drag?: number;
  /** `exact` (default), or `euler`. */
  readonly integrator?: 'exact' | 'euler';
}

export const dustOptions: OptionFields<DustOptions> = {
  drag: {
    kind: 'quantity',
    of: 'rate',
    sign: 'nonnegative',
    about: 'Rate at which velocities decay [1/s]. Default 0.',
  },
  integrator: { kind: 'words', words: ['exact', 'euler'], about: 'exact (default), or euler.' },
};

export const dustCapabilities: Capabilities = {
  closed: true,
  anisotropic: false,
  inextensible: false,
  shear: false,
  animated: [],
  changingRods: false,
  laws: false,
  breaking: false,
  bodies: false,
  hinges: false,
  branches: false,
  naturalEquilibrium: false,
  contact: false,
  linkedEquilibria: false,
  softPins: false,
  needsTurnStops: false,
};
