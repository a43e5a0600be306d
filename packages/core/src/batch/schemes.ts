/** The time-stepping schemes as stages: coefficients with which sweeps.ts combines the states of a node. Same schemes as `der`. */
import type { Stage } from './layout.ts';

const nothing: Stage = {
  inertia: 0,
  rate: 0,
  targetDisplacement: 0,
  targetVelocity: 0,
  targetTarget: 0,
  targetRate: 0,
  rateDisplacement: 0,
  rateVelocity: 0,
  guessRate: 0,
  continues: 0,
  keeps: 0,
};

/** Implicit Euler over a step h [s]; `keeps`: see Stage. */
export function eulerStage(h: number, keeps: 1 | 2 = 1): Stage {
  return { ...nothing, inertia: 1 / (h * h), rate: 1 / h, targetVelocity: h, guessRate: h * h, keeps };
}

/** `before`: length of the previous step [s]. */
export function bdf2Stage(h: number, before: number = h): Stage {
  const r = h / before;
  const a0 = (r * r) / (1 + 2 * r);
  const a1 = 1 + a0;
  const b = (h * (1 + r)) / (1 + 2 * r);
  return {
    ...nothing,
    inertia: 1 / (b * b),
    rate: 1 / b,
    targetDisplacement: a0,
    targetVelocity: b * a1,
    targetTarget: -b * a0,
    rateDisplacement: a0,
    guessRate: b * b,
    keeps: 1,
  };
}

/** End of the first stage of TR-BDF2, as a part of the step. */
export const TR_PART: number = 2 - Math.SQRT2;

/** Trapezoidal rule to `TR_PART`, then BDF2 to the end. */
export function trBdf2Stages(h: number): readonly [Stage, Stage] {
  const k = 0.5 * TR_PART * h;
  const w1 = 1 / (TR_PART * (2 - TR_PART));
  const w0 = w1 - 1;
  const d = (h * (1 - TR_PART)) / (2 - TR_PART);
  return [
    {
      ...nothing,
      inertia: 1 / (k * k),
      rate: 1 / k,
      targetVelocity: 2 * k,
      targetTarget: k * k,
      rateVelocity: k,
      guessRate: k * k,
    },
    {
      ...nothing,
      inertia: 1 / (d * d),
      rate: 1 / d,
      // the velocity after the first stage is (D − R)/k
      targetDisplacement: w1 + (d * w1) / k,
      targetVelocity: -d * w0,
      targetRate: (-d * w1) / k,
      rateDisplacement: w1,
      continues: 1,
      keeps: 2,
    },
  ];
}

/** Relaxation towards equilibrium: the current shape attracts with this stiffness per mass [1/s²]; velocities and history are ignored. */
export function restStage(inertia: number): Stage {
  return { ...nothing, inertia };
}
