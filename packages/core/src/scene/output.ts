/** What a scene records. */
import type { Channel } from '../channels.ts';
import type { Location } from './values.ts';

/** What to record. */
export interface OutputSpec {
  /** Time between recorded frames [s]; default: duration/100, at least one step. */
  readonly every?: number;
  readonly probes?: readonly ProbeSpec[];
}

/** A quantity to follow in time. */
export interface ProbeSpec {
  readonly name?: string;
  readonly rod: string;
  readonly at: Location;
  /** Default `position`. */
  readonly quantity?: 'position' | 'velocity' | 'tangent' | 'd1' | Channel;
}
