/**
 * Springs of the chain's segments from EI, GJ and EA.
 *
 * The truss is statically determinate, so compliances add. With l the length of a segment, x = δ/l, u = 1/x² and k = k_e = k_t
 *     l³/EI = (2 + 5u/2)/k + 5u/k_b,     2l³/GJ = u((2 + 5u/2)/k + (4 + 2u)/k_b),     EA/l = k_b + (2.66 − 1.46/u)k.
 * The terms with both stiffnesses were found by measurement: EI, GJ and EA are right to 0.5, 0.7 and 1.5 % for k_b/k from 5 on and
 * GJ/EI from 0.3 to 1.
 * Given EI, GJ and k_b, the difference of the two is a quadratic equation for u.
 */
import { pow, square } from '../../math/rounded/index.ts';
import type { Rod } from '../../scene/compiled.ts';

export interface Truss {
  /** k_e = k_t of each segment [N/m]. */
  readonly edge: Float64Array;
  /** k_b of each segment [N/m]. */
  readonly stretch: Float64Array;
  /** Distance δ of the ghosts from the axis [m]. */
  readonly offset: Float64Array;
  /** Largest ratio of the springs' EA to the rod's. */
  readonly misfit: number;
  /** Part by which the bending compliance is larger in one diagonal plane, and smaller in the other, than the mean. */
  readonly skew: number;
}

/**
 * k_b/k_e of rods that pins cannot stretch, whose EA hardly matters: less softens bending by more than 2.5 %, more costs digits
 * and steps. Bending and torsion are not corrected for it: a rod with a bent initial shape would have too much energy until its nodes move.
 */
const LOOSE = [100, 1000];
/** Share of the bending compliance that k_b may have at most in rods that pins can stretch. */
const SOFTEST = 0.25;
/**
 * Ghosts lie alternately along d1 and d2, so the bending compliance of the springs k_b is larger in one of the planes between them by this part, and smaller
 * in the other. Measured on rods on two supports, which turn into the softer plane, with GJ/EI from 0.3 to 1: 0.63 to 0.7.
 */
const SKEW = 0.68;

export interface Bending {
  readonly EI: number;
  readonly GJ: number;
}

export function bendingOf(rod: Rod, j: number): Bending {
  return {
    EI: 2 / (1 / rod.halfEI1[2 * j] + 1 / rod.halfEI1[2 * j + 1]),
    GJ: 2 / (1 / rod.halfGJ[2 * j] + 1 / rod.halfGJ[2 * j + 1]),
  };
}

/** Natural rotation over a segment about d1 (axis 0) or d2 (axis 1) [rad]. */
export function naturalTurn(rod: Rod, j: number, axis: number): number {
  return rod.halfStrainRest[6 * j + axis] + rod.halfStrainRest[6 * j + 3 + axis];
}

/**
 * The truss of a curl is softer than that of a straight hair, in bending as in torsion, by 1 + (0.78 + 0.87 EI/GJ)φ² at a natural
 * turn of φ per segment: measured on arcs of 6 and 14 rad under loads in and out of their plane, with GJ/EI from 0.4 to 1 and
 * φ = 0.25 and 0.125, which it fits to 2 and 0.3 %. The springs are stiffer by that.
 */
function calibrate(rod: Rod, j: number, { EI, GJ }: Bending): number {
  const turn2 = square(naturalTurn(rod, j, 0)) + square(naturalTurn(rod, j, 1));
  return 1 + (0.78 + (0.87 * EI) / GJ) * Math.min(turn2, 0.25);
}

interface Fit {
  readonly k: number;
  readonly u: number;
}

/** Contribution of the springs other than k_b to EA/l [N/m]. */
const edgesAlong = ({ k, u }: Fit): number => (2.66 - 1.46 / u) * k;

/** k and u of a segment with springs k_b against stretch. */
function fitSegment(l: number, { EI, GJ }: Bending, kb: number): Fit {
  const [a, b] = [pow(l, 3) / EI, (2 * pow(l, 3)) / GJ];
  const half = 0.5 * (a + 4 / kb);
  const u = b / (half + Math.sqrt(Math.max(0, half * half - (3 * b) / kb)));
  return { u, k: (2 + 2.5 * u) / Math.max(a - (5 * u) / kb, 0.1 * a) };
}

/** `stretch` is k_b/k_e; undefined: from EA. `isHeldApart`: pins can stretch the rod, so that EA determines its tension. */
export function createTruss(rod: Rod, stretch: number | undefined, isHeldApart: boolean): Truss {
  const [edge, stretchStiffness, offset] = [0, 1, 2].map(() => new Float64Array(rod.edgeCount));
  let misfit = 1;
  let skew = 0;
  for (let j = 0; j < rod.edgeCount; j++) {
    const l = rod.edgeLengthRest[j];
    const bending = bendingOf(rod, j);
    const calibration = calibrate(rod, j, bending);
    // springs of a rod that cannot be stretched
    const rigid = fitSegment(l, bending, Infinity);
    const k0 = calibration * rigid.k;
    let fit = rigid;
    let kb = k0 * (stretch ?? Math.min(LOOSE[1], Math.max(LOOSE[0], rod.edgeEA[j] / (l * k0))));
    if (isHeldApart && stretch === undefined && rod.edgeEA[j] < Infinity) {
      const softest = (5 * rigid.u * bending.EI) / (SOFTEST * pow(l, 3));
      for (let round = 0; round < 4; round++) {
        kb = Math.max(softest, rod.edgeEA[j] / l - edgesAlong(fit) * calibration);
        fit = fitSegment(l, bending, kb);
      }
    }
    misfit = Math.max(misfit, ((kb + edgesAlong(fit) * calibration) * l) / rod.edgeEA[j]);
    skew = Math.max(skew, (SKEW * 5 * fit.u * bending.EI) / (kb * pow(l, 3)));
    edge[j] = calibration * fit.k;
    stretchStiffness[j] = kb;
    offset[j] = l / Math.sqrt(fit.u);
  }
  return { edge, stretch: stretchStiffness, offset, misfit, skew };
}
