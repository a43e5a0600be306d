import type { Capabilities } from '../capabilities.ts';
import type { OptionFields } from '../optionFields.ts';

/** Options of the model `massspring`. */
export interface MassSpringOptions {
  /** Point of the step at which springs are evaluated: 0.5 (default, second order) to 1 (dissipates, never fails). */
  readonly theta?: number;
  /** Damping time c of all springs [s], in addition to the rod's stiffness damping. Default 1e-4. */
  readonly damping?: number;
  /** Stiffness of altitude springs relative to edge springs. Default 0.02; 0: none. */
  readonly altitude?: number;
  /** Stiffness of the springs that resist stretch, relative to edge springs. Default: from EA, between 100 and 1000. */
  readonly stretch?: number;
  /** Edges of the chain are kept within 1 ± this of their rest length. Default 0: not at all; 0.1 with the published step. */
  readonly strainLimit?: number;
  /** Largest number of solves per step, which end when energy balances. Default 30; 0: the published two, which do not balance it. */
  readonly iterations?: number;
}

/** Options of the model `massspring`. */
export const massSpringOptions: OptionFields<MassSpringOptions> = {
  theta: {
    kind: 'number',
    sign: 'positive',
    about: 'Where in a step springs are evaluated: 0.5 (default, second order) to 1 (dissipates, never fails).',
  },
  damping: {
    kind: 'quantity',
    of: 'time',
    sign: 'nonnegative',
    about: "Damping time of all springs [s], beside the rod's own stiffness damping. Default 1e-4.",
  },
  altitude: {
    kind: 'number',
    sign: 'nonnegative',
    about: 'Stiffness of altitude springs relative to edge springs. Default 0.02; 0: none.',
  },
  stretch: {
    kind: 'number',
    sign: 'positive',
    about: 'Stiffness of the springs that resist stretch relative to edge springs. Default as EA asks, 100 to 1000.',
  },
  strainLimit: {
    kind: 'number',
    sign: 'nonnegative',
    about:
      'Edges of the chain are kept within 1 ± this of their rest length. Default 0: not at all; 0.1 with the published step.',
  },
  iterations: {
    kind: 'whole',
    least: 0,
    about: 'Largest number of solves per step until energy balances. Default 30; 0: the published two solves.',
  },
};

/** Capabilities of the model `massspring`. */
export const massSpringCapabilities: Capabilities = {
  closed: false,
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
  linkedEquilibria: true,
  softPins: false,
  needsTurnStops: false,
};
