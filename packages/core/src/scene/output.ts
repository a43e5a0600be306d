/** Recordings and probes of a scene. */
import type { Channel } from '../channels.ts';
import type { Location } from './values.ts';

/** Recorded frames, channels and probes. */
export interface OutputSpec {
  /** Time between recorded frames [s]; default: duration/100, at least one step. */
  readonly every?: number;
  /** Quantities that are recorded at places of rods and of bodies. */
  readonly probes?: readonly ProbeSpec[];
}

/** A quantity to follow in time. */
export type ProbeSpec = RodProbeSpec | BodyProbeSpec;

/** A quantity at a place on a rod. */
export interface RodProbeSpec {
  /** Name in results. */
  readonly name?: string;
  /** Id of the rod. */
  readonly rod: string;
  /** Place along the rod. */
  readonly at: Location;
  /** Default `position`. */
  readonly quantity?: 'position' | 'velocity' | 'tangent' | 'd1' | Channel;
}

/** A quantity of a rigid body. */
export interface BodyProbeSpec {
  /** Name in results. Default: id of the body, a dot and the quantity. */
  readonly name?: string;
  /** Id of the body. */
  readonly body: string;
  /** Default `position`. */
  readonly quantity?: BodyQuantity;
}

/** Quantities that probes can measure on a body: motion of its centre of mass, its rotation in world axes, and both kinetic energies [J]. */
export const bodyQuantities = [
  'position',
  'velocity',
  'angularVelocity',
  'translationalEnergy',
  'rotationalEnergy',
] as const;

/** One of `bodyQuantities`. */
export type BodyQuantity = (typeof bodyQuantities)[number];
