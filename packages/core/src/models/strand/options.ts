import type { Location, PathSpec, Timed, Varying, Vec3 } from '../../scene/values.ts';
import type { Capabilities } from '../capabilities.ts';
import type { OptionField, OptionFields } from '../optionFields.ts';

/** Options of the model `strand`. */
export interface StrandOptions {
  /** Backward differences of order 2 (`bdf2`, default) or 1 (`implicit-euler`). */
  readonly integrator?: 'bdf2' | 'implicit-euler';
  /**
   * Largest error of a joint in a step [rad]: the model then chooses the length of its steps within a step of the world. Default: no
   * control.
   */
  readonly stepError?: number;
  /** Newton stops when no joint turns by more [rad]. Default 1e-8. */
  readonly tolerance?: number;
  /** Newton iterations before a step counts as failed. Default 40. */
  readonly iterations?: number;
  /** Newton's matrix: `exact` (default), or `numeric`, by finite differences: slower, but includes the derivatives of all loads. */
  readonly jacobian?: 'exact' | 'numeric';
  /** Law of the joints: `gibbs` (default), `swing-twist` (round sections), `paper` (has no potential). */
  readonly stiffness?: 'gibbs' | 'swing-twist' | 'paper';
  /** Direction by an animator: target poses, scaled motion. */
  readonly direct?: readonly StrandDirection[];
  /** Joints that are limited, or held to a value. */
  readonly joints?: readonly StrandJoint[];
  /** How the forces of limits are found: `gauss-seidel` (default), or `sor`, after the paper. */
  readonly lcp?: 'gauss-seidel' | 'sor';
}

/** Direction of strands; `rods` names those without a parent, default all of the model. */
export interface StrandDirection {
  /** Ids of strands without a parent. Default: all of the model. */
  readonly rods?: readonly string[];
  /** β: share of the base's velocity and acceleration that acts on the strands; 1 is physical. */
  readonly timeScale?: Timed;
  /** γ: fraction of a reference frame's motion that is subtracted from the base's before that. */
  readonly local?: {
    readonly amount: Timed;
    /** A point of the frame at t = 0 [m], about which the path turns. */
    readonly position: Vec3;
    readonly path: PathSpec;
  };
  /** Springs that pull every node to an animated pose. */
  readonly pose?: {
    /** Spring and damper per mass [1/s²], [1/s]; times `factor` in time. */
    readonly strength: Varying;
    readonly damping?: Varying;
    readonly factor?: Timed;
    /** Curvature and twist rate (u1, u2, u3) about d1, d2, d3 [1/m] in time, or `initial`. */
    readonly keys: readonly {
      readonly time: number;
      readonly curvature: 'initial' | readonly [Varying, Varying, Varying];
    }[];
  };
}

/** The joint at a node. Angles are those from the natural shape. */
export interface StrandJoint {
  /** Id of the strand. */
  readonly rod: string;
  /** Place of the joint. */
  readonly at: Location;
  /** Largest bend [rad]. */
  readonly bend?: number;
  /** Least and largest twist [rad]. */
  readonly twist?: readonly [number, number];
  /** Rotation vector about d1, d2, d3 [rad] that the joint is held to, times a factor in time. */
  readonly hold?: { readonly rotation: Vec3; readonly factor?: Timed };
}

const curvature: OptionField = { kind: 'varying', of: 'curvature' };

/** A pose in time. */
const key: OptionField = {
  kind: 'fields',
  name: 'a key',
  fields: {
    time: {
      kind: 'quantity',
      of: 'time',
      sign: 'nonnegative',
      required: true,
      about: 'Time [s]; the keys are in increasing order.',
    },
    curvature: {
      kind: 'either',
      expected: "'initial', or three curvatures",
      of: [
        { kind: 'words', words: ['initial'], about: 'The pose that the rod has at the start.' },
        {
          kind: 'tuple',
          of: [curvature, curvature, curvature],
          expected: 'a list of three values: curvature about d1, about d2, and twist rate',
        },
      ],
      required: true,
      about: 'Curvature about d1 and d2 and twist rate of the pose [1/m], or initial.',
    },
  },
};

const pose: OptionField = {
  kind: 'fields',
  name: 'a pose',
  fields: {
    strength: {
      kind: 'varying',
      of: 'stiffnessPerMass',
      required: true,
      about: 'Stiffness per mass of the springs to the pose [1/s²], such as 400 1/s^2 or 400 N/m/kg.',
    },
    damping: { kind: 'varying', of: 'rate', about: 'Damping per mass of those springs [1/s]. Default 0.' },
    factor: { kind: 'timed', about: 'Factor in time on both. Default 1.' },
    keys: {
      kind: 'list',
      of: key,
      name: 'keys',
      least: 1,
      required: true,
      about: 'The pose in time; smooth between the keys.',
    },
  },
  about: 'Springs that pull every node to an animated pose. Default none.',
};

const direction: OptionField = {
  kind: 'fields',
  name: 'a direction',
  fields: {
    rods: {
      kind: 'list',
      of: { kind: 'text', name: "a rod's name" },
      name: "rods' names",
      about: 'Strands without a parent that are directed. Default all of the model.',
    },
    timeScale: {
      kind: 'timed',
      about: "Share of the base's velocity and acceleration that the strands feel. Default 1, which is physics.",
    },
    local: {
      kind: 'fields',
      name: 'local dynamics',
      fields: {
        amount: {
          kind: 'timed',
          required: true,
          about: "Share of the reference frame's motion that is taken off the base's, from 0 to 1.",
        },
        position: {
          kind: 'vector',
          of: 'length',
          required: true,
          about: 'A point of the frame at t = 0 [m], about which its path turns.',
        },
        path: { kind: 'path', required: true, about: 'Motion of the frame.' },
      },
      about: 'A reference frame that the strands follow without feeling it. Default none.',
    },
    pose,
  },
};

const joint: OptionField = {
  kind: 'fields',
  name: 'a joint',
  fields: {
    rod: { kind: 'text', name: "the rod's name", required: true, about: 'Name of the rod.' },
    at: { kind: 'location', required: true, about: 'The node at which the joint lies; not the end.' },
    bend: {
      kind: 'quantity',
      of: 'angle',
      sign: 'positive',
      about: 'Largest bend from the natural shape [rad]. Default none.',
    },
    twist: {
      kind: 'tuple',
      of: [
        { kind: 'quantity', of: 'angle' },
        { kind: 'quantity', of: 'angle' },
      ],
      expected: 'a list of two angles: least and largest twist',
      about: 'Least and largest twist from the natural shape [rad]. Default none.',
    },
    hold: {
      kind: 'fields',
      name: 'a held joint',
      fields: {
        rotation: {
          kind: 'vector',
          of: 'angle',
          required: true,
          about: 'Rotation vector from the natural shape about d1, d2, d3 [rad].',
        },
        factor: { kind: 'timed', about: 'Factor in time. Default 1.' },
      },
      about: 'A value that the joint is held to. Default none.',
    },
  },
};

/** Options of the model `strand`. */
export const strandOptions: OptionFields<StrandOptions> = {
  integrator: {
    kind: 'words',
    words: ['bdf2', 'implicit-euler'],
    former: { bdf1: 'implicit-euler' },
    about: 'Backward differences of order 2 (bdf2, default) or 1 (implicit-euler).',
  },
  stepError: {
    kind: 'quantity',
    of: 'angle',
    sign: 'positive',
    about: 'Largest error of a joint in a step [rad]; steps are then chosen by it. Default: steps as given.',
  },
  tolerance: {
    kind: 'number',
    sign: 'positive',
    formerName: 'accuracy',
    about: 'Newton stops when no joint turns by more [rad]. Default 1e-8.',
  },
  iterations: { kind: 'whole', least: 1, about: 'Newton iterations before a step counts as failed. Default 40.' },
  jacobian: {
    kind: 'words',
    words: ['exact', 'numeric'],
    about:
      'Matrix of Newton: exact (default), or numeric, by differences: slower, but it includes the derivative of any load.',
  },
  stiffness: {
    kind: 'words',
    words: ['gibbs', 'swing-twist', 'paper'],
    about: 'Law of the joints: gibbs (default); swing-twist, for round sections; paper, which has no potential.',
  },
  direct: {
    kind: 'list',
    of: direction,
    name: 'directions',
    about: 'What an animator asks: time scale, local dynamics, poses. Default none.',
  },
  joints: {
    kind: 'list',
    of: joint,
    name: 'joints',
    about: 'Joints that are limited, or held to a value. Default none.',
  },
  lcp: {
    kind: 'words',
    words: ['gauss-seidel', 'sor'],
    about: 'How the forces of limits are found: gauss-seidel (default), or sor, after the paper.',
  },
};

/** Capabilities of the model `strand`. */
export const strandCapabilities: Capabilities = {
  closed: false,
  anisotropic: true,
  inextensible: true,
  shear: false,
  animated: ['E', 'G', 'curvature', 'density', 'radius', 'massDamping', 'stiffnessDamping', 'friction'],
  changingRods: false,
  laws: false,
  breaking: false,
  bodies: true,
  hinges: false,
  branches: true,
  naturalEquilibrium: true,
  contact: true,
  linkedEquilibria: false,
  softPins: true,
  needsTurnStops: false,
};
