/**
 * Linear elastic bending and twist with internal friction after Dahl: M = K d + F, where the friction F follows the strain with the stiffness σ and
 * saturates at the limit C: dF = σ (dd − F |dd|/C) [Dahl1968]. Bending is a vector of two components, isotropic; twist is separate.
 *
 * Along a straight piece of the path, of length s and direction n, F = C n + (F₀ − C n) exp(−σs/C) is exact. The friction stores F²/2σ, and |F|²/C per
 * length of the path is heat. The tangent is the symmetric part: where the path turns, ∂F/∂d is not symmetric.
 */
import { exp, expm1 } from '../math/rounded/index.ts';
import type { DahlSpec } from '../scene/materialTypes.ts';
import {
  DISSIPATED,
  MOMENT,
  RESPONSE,
  type Section,
  type SectionLaw,
  STORED_BEND,
  STORED_TWIST,
  TANGENT,
} from './law.ts';

const GAUSS = [
  [0.5 - Math.sqrt(0.15), 5 / 18],
  [0.5, 4 / 9],
  [0.5 + Math.sqrt(0.15), 5 / 18],
] as const;

/** Direction of the path, and F₀ − C n, of the group that was stepped last. */
const n = new Float64Array(3);
const gap = new Float64Array(3);
const step = { way: 0, decay: 1 };

/** Components from … to − 1 that share a limit. */
interface LimitedPart {
  readonly from: number;
  readonly to: number;
  readonly limit: number;
}

/** Writes n, gap and `step` for the current strain; returns x = σs/C. */
function stepGroup(
  { from, to, limit }: LimitedPart,
  { strain }: Section,
  sigma: number,
  old: Float64Array,
  at: number,
): number {
  let square = 0;
  for (let a = from; a < to; a++) {
    n[a] = strain[a] - old[at + a];
    square += n[a] * n[a];
  }
  step.way = Math.sqrt(square);
  for (let a = from; a < to; a++) {
    if (step.way > 0) n[a] /= step.way;
    gap[a] = old[at + 3 + a] - limit * n[a];
  }
  const x = (sigma * step.way) / limit;
  step.decay = exp(-x);
  return x;
}

/** ∫ |F|²/C ds over the step. */
function integrateHeat({ from, to, limit }: LimitedPart, x: number): number {
  if (x === 0) return 0;
  let along = 0;
  let square = 0;
  for (let a = from; a < to; a++) {
    along += n[a] * gap[a];
    square += gap[a] * gap[a];
  }
  const at = (decay: number): number => limit * limit + 2 * limit * along * decay + square * decay * decay;
  let mean = 0;
  // the closed form would cancel
  if (x < 0.1) for (const [place, weight] of GAUSS) mean += weight * Math.max(0, at(exp(-place * x)));
  else mean = limit * limit - (2 * limit * along * expm1(-x)) / x - (0.5 * square * expm1(-2 * x)) / x;
  return (step.way * mean) / limit;
}

/** Tangent of F, symmetric part, added. */
function addTangent(out: Float64Array, { from, to, limit }: LimitedPart, sigma: number, x: number): void {
  const across = x > 0 ? (-limit * expm1(-x)) / step.way : sigma;
  const slope = x > 0 ? (sigma * step.decay) / limit : 0;
  for (let a = from; a < to; a++)
    for (let b = a; b < to; b++) {
      const packed = a === b ? [0, 3, 5][a] : a + b;
      const side = x > 0 ? n[a] * n[b] : 0;
      out[TANGENT + packed] += across * ((a === b ? 1 : 0) - side) - 0.5 * slope * (gap[a] * n[b] + n[a] * gap[b]);
    }
}

/** Internal variables: the last strain (3), then F (3). */
export function createDahl({ limit, stiffness: ratio }: DahlSpec): SectionLaw {
  const groups: LimitedPart[] = [{ from: 0, to: 2, limit: limit.bending }];
  if (limit.twist !== undefined) groups.push({ from: 2, to: 3, limit: limit.twist });
  /** A section with two bending stiffnesses has the friction of their mean. */
  const sigmaOf = ({ stiffness }: Section, { from }: LimitedPart): number =>
    ratio * (from === 0 ? 0.5 * (stiffness[0] + stiffness[1]) : stiffness[2]);
  return {
    size: 6,
    isElastic: false,
    isLinearAtRest: false,
    respond(out, section, variables, at) {
      const { strain, stiffness } = section;
      out.fill(0, 0, RESPONSE);
      for (let a = 0; a < 3; a++) {
        out[MOMENT + a] = stiffness[a] * strain[a];
        out[TANGENT + [0, 3, 5][a]] = stiffness[a];
        out[a < 2 ? STORED_BEND : STORED_TWIST] += 0.5 * stiffness[a] * strain[a] * strain[a];
      }
      for (const group of groups) {
        const sigma = sigmaOf(section, group);
        if (sigma === 0) continue;
        const x = stepGroup(group, section, sigma, variables, at);
        for (let a = group.from; a < group.to; a++) {
          const friction = group.limit * n[a] + gap[a] * step.decay;
          out[MOMENT + a] += friction;
          out[a < 2 ? STORED_BEND : STORED_TWIST] += (0.5 * friction * friction) / sigma;
        }
        addTangent(out, group, sigma, x);
        out[DISSIPATED] += integrateHeat(group, x);
      }
    },
    advance(section, variables, at) {
      for (const group of groups) {
        const sigma = sigmaOf(section, group);
        if (sigma === 0) continue;
        stepGroup(group, section, sigma, variables, at);
        for (let a = group.from; a < group.to; a++) variables[at + 3 + a] = group.limit * n[a] + gap[a] * step.decay;
      }
      for (let a = 0; a < 3; a++) variables[at + a] = section.strain[a];
    },
  };
}
