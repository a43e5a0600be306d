/**
 * A hairstyle: guides as super-helices, and the hairs that follow them.
 *
 * A guide consists of its root with a frame, its length, and the curvatures of its elements: natural ones (the shape without weight) and current ones (the
 * shape as it hangs or was combed). A file stores exactly this. All guides have the same number of elements, so that hairs can blend them; lengths
 * differ from guide to guide.
 */

import type { Vector } from '../curve/vector.ts';
import { hypot, pow } from '../math/rounded/index.ts';
import type { Helices } from '../models/helix/fit.ts';
import {
  createStrandSolver,
  reconstructHelices,
  type StrandSection,
  type StrandSolver,
} from '../models/helix/strand.ts';
import type { HairType } from '../scene/types.ts';
import { createHairs, type GuidePose, type HairOptions, type Hairs } from './hairs.ts';
import type { Roots } from './roots.ts';

/** Material of the hair: an elliptic cross-section with the longer axis along d1, and its moduli. */
export interface Fiber {
  /** Semi-axes [m]: a along d1, b along d2. */
  readonly a: number;
  /** Semi-axis along d2 [m]. */
  readonly b: number;
  /** [Pa] */
  readonly E: number;
  /** Shear modulus [Pa]. */
  readonly G: number;
  /** [kg/m³] */
  readonly density: number;
}

/** Guides with their roots and curvatures, and the roots of the hairs that follow them. */
export interface Hairstyle {
  /** Type of hair that it was grown as. */
  readonly hair?: HairType;
  /** Section and material of the hair. */
  readonly fiber: Fiber;
  /** [m/s²] */
  readonly gravity: Vector;
  /** Helical elements per guide. */
  readonly elements: number;
  /** Roots of the guides. */
  readonly guideRoots: Roots;
  /** Tangent and d1 at the roots, unit, 3 per guide. */
  readonly rootTangent: Float64Array;
  /** Unit d1 at the roots, 3 per guide. */
  readonly rootDirector: Float64Array;
  /** Axis of a curl, or direction in which a straight hair leaves the skin; unit, 3 per guide. */
  readonly axis: Float64Array;
  /** [m], 1 per guide */
  readonly length: Float64Array;
  /** (κ1, κ2, τ) [1/m] without weight, 3 per element, guide by guide */
  readonly natural: Float64Array;
  /** Current curvatures, in the same form. */
  readonly curvature: Float64Array;
  /** Roots of the hairs that follow, and their weights. */
  readonly hairRoots?: Roots;
  /** Options with which the hairs were placed. */
  readonly hairOptions?: HairOptions;
  /** The mesh that the hair grows on, which hairs must not enter. */
  readonly skin?: Skin;
}

/** A triangle mesh, faces anticlockwise from outside. */
export interface Skin {
  /** [m], 3 per vertex */
  readonly position: Float64Array;
  /** Vertex indices, 3 per triangle. */
  readonly triangle: Uint32Array;
}

/** Stiffness and mass of an elliptic section; the torsion constant is π a³b³/(a² + b²), not that of a circle. */
export function fiberSection({ a, b, E, G, density }: Fiber): StrandSection {
  return {
    EI1: (E * Math.PI * a * pow(b, 3)) / 4,
    EI2: (E * Math.PI * pow(a, 3) * b) / 4,
    GJ: (G * Math.PI * pow(a, 3) * pow(b, 3)) / (a * a + b * b),
    mass: density * Math.PI * a * b,
  };
}

export function vectorAt(values: Float64Array, k: number): Vector {
  return [values[3 * k], values[3 * k + 1], values[3 * k + 2]];
}

/** One guide, with its current or its natural curvatures. */
export function guideOf(style: Hairstyle, g: number, which: 'curvature' | 'natural' = 'curvature'): Helices {
  const { elements } = style;
  return {
    curvature: style[which].slice(3 * elements * g, 3 * elements * (g + 1)),
    elementLength: new Float64Array(elements).fill(style.length[g] / elements),
    rootPosition: vectorAt(style.guideRoots.position, g),
    rootTangent: vectorAt(style.rootTangent, g),
    rootDirector: vectorAt(style.rootDirector, g),
  };
}

/** Points per element for a smooth curve: one every 22°, up to 16. */
export function placesPerElement({ curvature, natural, elements, length }: Hairstyle): number {
  let most = 0;
  for (const values of [curvature, natural]) {
    for (let e = 0; e < values.length; e += 3) {
      const size = hypot(values[e], values[e + 1], values[e + 2]);
      most = Math.max(most, (size * length[Math.floor(e / (3 * elements))]) / elements);
    }
  }
  return Math.min(16, Math.max(1, Math.ceil(most / (Math.PI / 8))));
}

/** Guides as polylines with directors, for hairs and for drawing. */
export function poseGuides(
  style: Hairstyle,
  perElement: number = placesPerElement(style),
): GuidePose & {
  readonly position: Float64Array;
  readonly director: Float64Array;
  readonly tangent: Float64Array;
} {
  const nodes = style.elements * perElement + 1;
  const { count } = style.guideRoots;
  const make = (): Float64Array => new Float64Array(3 * nodes * count);
  const [position, director, tangent] = [make(), make(), make()];
  for (let g = 0; g < count; g++) {
    const rebuilt = reconstructHelices(guideOf(style, g), perElement);
    position.set(rebuilt.position, 3 * nodes * g);
    director.set(rebuilt.director, 3 * nodes * g);
    tangent.set(rebuilt.tangent, 3 * nodes * g);
  }
  return { nodes, position, director, tangent };
}

/** The hairs that follow; undefined if the style has none. */
export function hairsOf({ hairRoots, guideRoots, hairOptions }: Hairstyle): Hairs | undefined {
  return hairRoots && createHairs(guideRoots, hairRoots, hairOptions);
}

/** How many guides reached equilibrium. */
export interface SettleReport {
  /** Number of guides. */
  readonly guides: number;
  /** Guides without an equilibrium, which keep their shape; and guides in an unstable one. */
  readonly failed: number;
  /** Guides that ended in an unstable equilibrium. */
  readonly unstable: number;
  /** Largest number of Newton steps of a guide. */
  readonly iterations: number;
}

/** Solvers of guides: consecutive guides of the same length share one. */
export function solversByLength({ elements, fiber, gravity }: Hairstyle): (length: number) => StrandSolver {
  const section = fiberSection(fiber);
  let last: { readonly length: number; readonly solver: StrandSolver } | undefined;
  return (length) => {
    if (last?.length !== length) {
      const elementLength = new Float64Array(elements).fill(length / elements);
      last = { length, solver: createStrandSolver(elementLength, section, gravity, 2) };
    }
    return last.solver;
  };
}

/** Lets guides hang under their weight, starting from their current shape; all, or the given ones. */
export function settleHairstyle(
  style: Hairstyle,
  only?: readonly number[],
): { readonly style: Hairstyle; readonly report: SettleReport } {
  const { elements, guideRoots, length } = style;
  const curvature = style.curvature.slice();
  const list = only ?? Array.from({ length: guideRoots.count }, (_, g) => g);
  const counts = { failed: 0, unstable: 0, iterations: 0 };
  const solverOf = solversByLength(style);
  for (const g of [...list].sort((a, b) => length[a] - length[b] || a - b)) {
    const solver = solverOf(length[g]);
    const own = curvature.slice(3 * elements * g, 3 * elements * (g + 1));
    const { converged, stable, iterations } = solver.settle(own, guideOf(style, g, 'natural'));
    counts.iterations = Math.max(counts.iterations, iterations);
    if (!converged || !own.every(Number.isFinite)) counts.failed++;
    else {
      if (!stable) counts.unstable++;
      curvature.set(own, 3 * elements * g);
    }
  }
  return { style: { ...style, curvature }, report: { guides: list.length, ...counts } };
}
