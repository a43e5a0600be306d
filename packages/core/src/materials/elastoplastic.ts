/**
 * Elastoplastic bending and twist with linear kinematic hardening, by return mapping at the level of the section [SimoHughes1998 §3.3].
 *
 * M = K(d − p) with plastic strain p, back moment X = Hp, ξ = M − X. The section yields on the ellipsoid Σ(ξₐ/Yₐ)² = 1, and p grows along its normal. The
 * implicit step has Δpₐ = μ ξₐ/Yₐ² with one unknown μ ≥ 0, which is also the heat: the equation Σ (ξᵗₐ/Yₐ)²/(1 + μcₐ)² = 1, cₐ = (Kₐ + Hₐ)/Yₐ², has one
 * root, and Newton's method on its inverse square root finds it from 0 without overshoot. The tangent is symmetric: the step minimises an energy.
 *
 * With a relaxation time τ the plastic strain follows that of the return mapping as in the model of Duvaut and Lions: a fraction 1 − exp(−h/τ) of Δp in a
 * step. In one dimension without hardening this is a Bingham solid of viscosity Kτ. Its heat is the work of the mean of ξ at the start and at the end of the
 * step, as if strain grew evenly; it is at least that of the return mapping for the same Δp.
 */
import { expm1 } from '../math/rounded/index.ts';
import type { ElastoplasticSpec } from '../scene/materialTypes.ts';
import { DISSIPATED, MOMENT, type Section, type SectionLaw, STORED_BEND, STORED_TWIST, TANGENT } from './law.ts';

/** Step of plastic strain of the last section that `returnToSurface` saw. */
const grown = new Float64Array(3);
/** wₐ = 1/(1 + μcₐ), and nₐ = ξₐwₐ/Yₐ². */
const shrink = new Float64Array(3);
const normal = new Float64Array(3);

/** Largest number of Newton iterations; they at least double the digits. */
const ITERATIONS = 60;

/** Plasticity of one component. */
interface Surface {
  /** 1/Yₐ² */
  readonly inverse: Float64Array;
  /** Hₐ/Kₐ */
  readonly hardening: number;
}

/** Σ (ξᵗ/Y)² w². */
function sumSquares(trial: Float64Array, { inverse }: Surface): number {
  let sum = 0;
  for (let a = 0; a < 3; a++) sum += trial[a] * trial[a] * inverse[a] * shrink[a] * shrink[a];
  return sum;
}

const trial = new Float64Array(3);

/** Writes `grown`, `shrink`, `normal`; returns μ, 0 in the elastic range. */
function returnToSurface(
  { strain, stiffness }: Section,
  surface: Surface,
  variables: Float64Array,
  at: number,
): number {
  const { inverse, hardening } = surface;
  for (let a = 0; a < 3; a++) {
    trial[a] = stiffness[a] * (strain[a] - (1 + hardening) * variables[at + a]);
    shrink[a] = 1;
  }
  grown.fill(0);
  normal.fill(0);
  let mu = 0;
  let square = sumSquares(trial, surface);
  if (!(square > 1)) return 0;
  for (let k = 0; k < ITERATIONS; k++) {
    let slope = 0;
    for (let a = 0; a < 3; a++) {
      const c = stiffness[a] * (1 + hardening) * inverse[a];
      slope += trial[a] * trial[a] * inverse[a] * c * shrink[a] * shrink[a] * shrink[a];
    }
    const added = (square * (Math.sqrt(square) - 1)) / slope;
    mu += added;
    for (let a = 0; a < 3; a++) shrink[a] = 1 / (1 + mu * stiffness[a] * (1 + hardening) * inverse[a]);
    square = sumSquares(trial, surface);
    if (!(Math.abs(added) > 1e-15 * mu)) break;
  }
  for (let a = 0; a < 3; a++) {
    const along = trial[a] * shrink[a] * inverse[a];
    grown[a] = mu * along;
    normal[a] = along * shrink[a];
  }
  return mu;
}

/** Fraction of the plastic step that happens within `elapsed`. */
const fractionOf = (time: number, elapsed: number): number => (time > 0 ? -expm1(-elapsed / time) : 1);

/** Heat of a Bingham step: flow by `fraction` of `grown` between the strain at the start (`old`, at `at + 3`) and the current one. */
function measureHeat(
  { strain, stiffness }: Section,
  { hardening }: Surface,
  old: { readonly variables: Float64Array; readonly at: number },
  { mu, fraction }: { readonly mu: number; readonly fraction: number },
): number {
  const { variables, at } = old;
  let work = 0;
  for (let a = 0; a < 3; a++) {
    const plastic = variables[at + a] + 0.5 * fraction * grown[a];
    const middle = 0.5 * (variables[at + 3 + a] + strain[a]);
    work += stiffness[a] * (middle - (1 + hardening) * plastic) * fraction * grown[a];
  }
  return Math.max(fraction * mu, work);
}

/** Internal variables: plastic strain (3); with a relaxation time also the last strain (3). */
export function createElastoplastic(spec: ElastoplasticSpec): SectionLaw {
  const { hardening: ratio = 0, time = 0 } = spec;
  const { bending, twist = Infinity } = spec.yield;
  const surface = {
    inverse: Float64Array.of(1 / (bending * bending), 1 / (bending * bending), 1 / (twist * twist)),
    hardening: ratio / (1 - ratio),
  };
  return {
    size: time > 0 ? 6 : 3,
    isElastic: false,
    isLinearAtRest: false,
    respond(out, section, variables, at, elapsed) {
      const { strain, stiffness } = section;
      const mu = returnToSurface(section, surface, variables, at);
      const fraction = fractionOf(time, elapsed);
      writeTangent(out, section, surface, mu, fraction);
      out[STORED_BEND] = 0;
      out[STORED_TWIST] = 0;
      out[DISSIPATED] = time > 0 ? measureHeat(section, surface, { variables, at }, { mu, fraction }) : mu;
      for (let a = 0; a < 3; a++) {
        const k = stiffness[a];
        const plastic = variables[at + a] + fraction * grown[a];
        const elastic = strain[a] - plastic;
        out[MOMENT + a] = k * elastic;
        const stored = 0.5 * k * (elastic * elastic + surface.hardening * plastic * plastic);
        out[a < 2 ? STORED_BEND : STORED_TWIST] += stored;
      }
    },
    advance(section, variables, at, elapsed) {
      returnToSurface(section, surface, variables, at);
      const fraction = fractionOf(time, elapsed);
      for (let a = 0; a < 3; a++) variables[at + a] += fraction * grown[a];
      for (let a = 0; time > 0 && a < 3; a++) variables[at + 3 + a] = section.strain[a];
    },
  };
}

/** C = K − f ∂Δp/∂d: symmetric. */
function writeTangent(
  out: Float64Array,
  { stiffness }: Section,
  { inverse, hardening }: Surface,
  mu: number,
  fraction: number,
): void {
  let scale = 0;
  for (let a = 0; a < 3; a++) scale += trial[a] * normal[a] * shrink[a] * stiffness[a] * (1 + hardening) * inverse[a];
  let o = TANGENT;
  for (let a = 0; a < 3; a++)
    for (let b = a; b < 3; b++) {
      const coupled = mu > 0 ? (fraction * stiffness[a] * normal[a] * stiffness[b] * normal[b]) / scale : 0;
      const own = a === b ? stiffness[a] * (1 - fraction * mu * stiffness[a] * shrink[a] * inverse[a]) : 0;
      out[o++] = own - coupled;
    }
}
