/**
 * Generalised Maxwell solid: M = K d + Σ rᵢ K sᵢ with ṡᵢ = ḋ − sᵢ/τᵢ, where sᵢ is the strain of the spring of term i.
 *
 * If the strain d changes linearly over a step of length h, the update of s is exact: s ← e·s + φ·Δd with e = exp(−h/τ),
 * φ = (1 − e)τ/h [SimoHughes1998 §10.3]. So a held strain relaxes exactly for any step, and is relaxed at the end of a long step. The heat rᵢ K s²/τᵢ is
 * integrated along the same line.
 */
import { exp, expm1 } from '../math/rounded/index.ts';
import type { ViscoelasticSpec } from '../scene/materialTypes.ts';
import { DISSIPATED, MOMENT, RESPONSE, type SectionLaw, STORED_BEND, STORED_TWIST, TANGENT } from './law.ts';

/** Nodes and weights of three-point Gauss quadrature on (0, 1). */
const GAUSS = [
  [0.5 - Math.sqrt(0.15), 5 / 18],
  [0.5, 4 / 9],
  [0.5 + Math.sqrt(0.15), 5 / 18],
] as const;

/** φ(x) = (1 − e⁻ˣ)/x. */
const meanDecay = (x: number): number => (x === 0 ? 1 : x === Infinity ? 0 : -expm1(-x) / x);

/** ∫ s² dt/τ over a step of x relaxation times, in which the strain grows evenly by `added` and s starts at `start`. */
function integrateHeat(start: number, added: number, x: number): number {
  if (x === 0) return 0;
  if (x < 0.1) {
    // the closed form would cancel
    let sum = 0;
    for (const [place, weight] of GAUSS) {
      const s = start * exp(-place * x) + added * place * meanDecay(place * x);
      sum += weight * s * s;
    }
    return x * sum;
  }
  const steady = added / x;
  const decaying = start - steady;
  return added * steady - 2 * steady * decaying * expm1(-x) - 0.5 * decaying * decaying * expm1(-2 * x);
}

/** Internal variables: the last strain (3), then s of each term (3 each). */
export function createViscoelastic({ terms }: ViscoelasticSpec): SectionLaw {
  const count = terms.length;
  const decay = new Float64Array(count);
  const mean = new Float64Array(count);
  let known = Number.NaN;
  const setElapsed = (elapsed: number): void => {
    if (elapsed === known) return;
    known = elapsed;
    terms.forEach(({ time }, i) => {
      decay[i] = exp(-elapsed / time);
      mean[i] = meanDecay(elapsed / time);
    });
  };
  return {
    size: 3 + 3 * count,
    isElastic: false,
    isLinearAtRest: true,
    respond(out, { strain, stiffness }, variables, at, elapsed) {
      setElapsed(elapsed);
      out.fill(0, 0, RESPONSE);
      for (let a = 0; a < 3; a++) {
        const k = stiffness[a];
        const d = strain[a];
        const added = d - variables[at + a];
        let moment = d;
        let tangent = 1;
        let stored = d * d;
        for (let i = 0; i < count; i++) {
          const { ratio, time } = terms[i];
          const start = variables[at + 3 + 3 * i + a];
          const s = decay[i] * start + mean[i] * added;
          moment += ratio * s;
          tangent += ratio * mean[i];
          stored += ratio * s * s;
          out[DISSIPATED] += k * ratio * integrateHeat(start, added, elapsed / time);
        }
        out[MOMENT + a] = k * moment;
        out[TANGENT + DIAGONAL[a]] = k * tangent;
        out[a < 2 ? STORED_BEND : STORED_TWIST] += 0.5 * k * stored;
      }
    },
    advance({ strain }, variables, at, elapsed) {
      setElapsed(elapsed);
      for (let a = 0; a < 3; a++) {
        const added = strain[a] - variables[at + a];
        for (let i = 0; i < count; i++) {
          const o = at + 3 + 3 * i + a;
          variables[o] = decay[i] * variables[o] + mean[i] * added;
        }
        variables[at + a] = strain[a];
      }
    },
  };
}

/** Places of 11, 22, 33 in a packed matrix. */
const DIAGONAL = [0, 3, 5] as const;
