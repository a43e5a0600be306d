/** Work arrays of one rod in the explicit schemes. */
import { createQuasistaticWork, type QuasistaticWork } from './quasistatic.ts';
import type { DerRod } from './rod.ts';

export interface ExplicitWork extends QuasistaticWork {
  /** Edge vectors now and at the start of the step, 3 per edge. */
  readonly edge: Float64Array;
  readonly edgeStart: Float64Array;
  /** Directions along which edges are pulled or pushed. */
  readonly direction: Float64Array;
  /** 1 if the edge is under compression in this step. */
  readonly isPushed: Uint8Array;
  readonly inverseMass: Float64Array;
  readonly correction: Float64Array;
  /** Unknowns at the start of the step. */
  readonly start: Float64Array;
  readonly previousTangent: Float64Array;
  /**
   * Force along each edge [N] of the printed bending gradients, which assume inextensible edges: the multiplier of the constraint cancels it, and the
   * tension is the sum of both.
   */
  readonly edgeAxial: Float64Array;
  /** Longest step without subdivision [s]. */
  readonly stableStep: number;
}

export function createExplicitWork(der: DerRod): ExplicitWork {
  const { edgeCount, rod } = der;
  let stableStep = Infinity;
  for (let j = 0; j < edgeCount; j++) {
    const EI = Math.max(rod.halfEI1[2 * j], rod.halfEI2[2 * j], rod.halfEI1[2 * j + 1], rod.halfEI2[2 * j + 1]);
    const l = rod.edgeLengthRest[j];
    // inner nodes carry the mass of a whole edge; the light end nodes are stabilised by their constraint
    const next = (j + 1) % der.nodeCount;
    const density = Math.max(rod.nodeMass[j], rod.nodeMass[next]) / l;
    stableStep = Math.min(stableStep, 0.7 * 0.5 * l * l * Math.sqrt(density / EI));
  }
  return {
    ...createQuasistaticWork(der),
    edge: new Float64Array(3 * edgeCount),
    edgeStart: new Float64Array(3 * edgeCount),
    direction: new Float64Array(3 * edgeCount),
    isPushed: new Uint8Array(edgeCount),
    inverseMass: new Float64Array(der.nodeCount),
    correction: new Float64Array(3 * der.nodeCount),
    start: new Float64Array(der.size),
    previousTangent: new Float64Array(3 * edgeCount),
    edgeAxial: new Float64Array(edgeCount),
    stableStep,
  };
}
