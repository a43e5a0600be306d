/**
 * Energy that steps gain and lose although no load, pin or obstacle explains it: sums, and when they are reported. Part of the energy audit
 * (energyAudit.ts), which gives the unexplained change of each step.
 *
 * Gains accumulate, r ← max(0, r + gain − uncertainty). Losses count only where nothing dissipates but mass damping, whose work is known, so that they are the
 * integrator's: not in steps with contact, and not for rods with other damping.
 */
import type { Rod } from '../scene/compiled.ts';
import type { WorldParts } from './build.ts';
import type { StepReport } from './types.ts';

/** Fraction of the largest energy that may be gained without work. */
const GAIN_TOLERANCE = 0.05;

/** Fraction of the largest energy that the integrator may dissipate: hair and cables that swing for seconds at the usual steps lose below a hundredth. */
const LOSS_TOLERANCE = 0.1;

/** With damping, a loss matters if it is also more than this fraction of what the damping has dissipated. */
const LOSS_TO_DAMPING = 0.25;

/**
 * In the first steps from rest the error of a scheme is of the order of the little energy that there is, and small beside that of later steps. Until then only
 * gains of more than START_TOLERANCE of the largest energy are reported; gains add up, and those that matter are reported afterwards, or at the end of a
 * shorter scene.
 */
const START_AUDITS = 8;
const START_TOLERANCE = 0.8;

/** The same for losses: after n steps of implicit Euler from rest, a part 1/n of the energy is lost. */
const START_AUDITS_LOSS = 50;

/** What one audited step did. */
export interface BalancedStep {
  /** Change of energy that nothing explains [J]. */
  readonly change: number;
  /** Uncertainty of that change [J]. */
  readonly doubt: number;
  /** Energy that mass damping has dissipated [J]. */
  readonly damped: number;
  /** Whether rods were in contact. */
  readonly touched: 'touched' | 'apart';
  /** False if the work of something is unknown: the step does not count. */
  readonly isKnown: boolean;
  /** Largest energy so far [J]. */
  readonly scale: number;
  /** Gains below this are within the tolerance of contact [J]. */
  readonly noise: number;
  /** True if no step of the scene follows. */
  readonly isLast: boolean;
}

export interface EnergyBalance {
  /** Adds a step; returns what is to be reported. */
  add(step: BalancedStep): Pick<StepReport, 'energyGain' | 'energyLoss'>;
  clear(): void;
}

export function createEnergyBalance(world: WorldParts): EnergyBalance {
  const hasLinks = (world.contact?.links.plans.length ?? 0) > 0;
  const isConserved = !hasLinks && !world.engine && !world.rods.some(dissipates) && !hasDampedOptions(world);
  // a cut sets free waves that steps do not resolve
  const hasBroken = (): boolean => world.breakables.some((one) => one.hasBroken());
  let gain = 0;
  let loss = 0;
  let dampedSum = 0;
  let audits = 0;
  return {
    add({ change, doubt, damped, touched, isKnown, scale, noise, isLast }) {
      gain = isKnown ? Math.max(0, gain + change - doubt - 1e-9 * scale) : 0;
      if (isKnown && isConserved && touched === 'apart' && !hasBroken()) {
        loss -= change + doubt + damped;
        dampedSum += damped;
      }
      const isUnderWay = ++audits > START_AUDITS || isLast;
      const isGain = gain > (isUnderWay ? GAIN_TOLERANCE : START_TOLERANCE) * scale + noise;
      const isLoss =
        (audits > START_AUDITS_LOSS || isLast) && loss > Math.max(LOSS_TOLERANCE * scale, LOSS_TO_DAMPING * dampedSum);
      return {
        ...(isGain && { energyGain: { gain, scale, step: change } }),
        ...(isLoss && { energyLoss: { loss, scale, ...(dampedSum > 0 && { damped: dampedSum }) } }),
      };
    },
    clear() {
      gain = 0;
      loss = 0;
      dampedSum = 0;
      audits = 0;
    },
  };
}

/**
 * True for rods that lose energy by themselves: by damping of stiffness, by a law, with mass that `animate` takes away. `massspring` damps its springs by default, and its
 * altitude springs lose energy.
 */
function dissipates({ model, law, halfDamping, animation }: Rod): boolean {
  const isDamped = (damping: number): boolean => damping > 0;
  return model === 'massspring' || law !== undefined || animation !== undefined || halfDamping.some(isDamped);
}

function hasDampedOptions({ scene }: WorldParts): boolean {
  const { fiber, strand } = scene.solver ?? {};
  return fiber?.series !== undefined || strand?.joints !== undefined;
}
