/** How the bust turns and the wind blows. Every motion goes through a spring, so that a hand that jumps does not tear at the hair. */
import type { Surroundings } from './simulation.ts';

export const motionIds = ['turns', 'shakes', 'rests'] as const;
export type MotionId = (typeof motionIds)[number];

/** Frequency of the spring [rad/s]; it is critically damped. */
const QUICKNESS = 14;
/** Angles of the motions [rad]. */
const TURN = 0.9;
const SHAKE = 0.5;

/** Where a motion leads the bust at a time [s]. */
function angleAt(motion: MotionId, t: number): number {
  if (motion === 'shakes') return SHAKE * Math.sin(2 * Math.PI * 1.3 * t);
  // to one side, a rest, to the other side
  if (motion === 'turns') return TURN * Math.tanh(4 * Math.sin((2 * Math.PI * t) / 3.2)) * Math.min(1, t);
  return 0;
}

export interface Motion {
  id: MotionId;
  /** [m/s] */
  wind: number;
  /** Added by hand [rad]. */
  byHand: number;
  /** Moves on by a frame of this length [s]. */
  advance(dt: number): Surroundings;
}

export function createMotion(id: MotionId): Motion {
  let [angle, rate, t] = [0, 0, 0];
  return {
    id,
    wind: 0,
    byHand: 0,
    advance(dt) {
      t += dt;
      const wanted = angleAt(this.id, t) + this.byHand;
      // exact for a goal that rests during the frame
      const [off, decay] = [angle - wanted, Math.exp(-QUICKNESS * dt)];
      const slope = rate + QUICKNESS * off;
      angle = wanted + (off + slope * dt) * decay;
      rate = (slope - QUICKNESS * (off + slope * dt)) * decay;
      // gusts
      const gust = 1 + 0.35 * Math.sin(2.1 * t) + 0.25 * Math.sin(5.3 * t + 1);
      const speed = this.wind * gust;
      return { turn: angle, wind: [0.8 * speed, 0.5 * speed, 0.1 * speed] };
    },
  };
}
