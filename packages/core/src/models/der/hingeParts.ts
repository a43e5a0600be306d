/** Interface of hinges for a rod; hinge.ts implements it, and a program may leave it out. */
import type { DerRod } from './rod.ts';

export interface HingeParts {
  /** Rotates held frame h by its angle from the frame of its holder. */
  turn(der: DerRod, h: number): void;
  /** Turns every hinged frame to zero torque about its axis. */
  swing(der: DerRod): void;
  /** Writes the angular velocity of every hinged frame. */
  spin(der: DerRod, v: Float64Array): void;
  /** Eliminates the angle of hinge h; returns the joint whose second derivatives H then holds, −1 if there is none. */
  condense(der: DerRod, h: number, rateScale: number): number;
  /** Eliminates the angle of a hinge on a body. */
  condenseHeld(
    rotation: Float64Array,
    torque: Float64Array,
    out: Float64Array,
    der: DerRod,
    block: { readonly h: number; readonly at: number; readonly rateScale: number },
  ): void;
}
