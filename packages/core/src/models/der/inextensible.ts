/** Projection of one rod onto its rest lengths: positions (SHAKE or fast projection) and velocities (second half of RATTLE). */
import { solveCyclicTridiagonal, solveTridiagonal } from '../../linalg/tridiagonal.ts';
import type { ExplicitWork } from './explicitWork.ts';
import type { DerRod } from './rod.ts';

/** Edge vectors at the current positions, 3 numbers per edge. */
export function writeEdges(out: Float64Array, der: DerRod): void {
  const { q, edgeCount, nodeCount } = der;
  for (let j = 0; j < edgeCount; j++) {
    const a = 4 * j;
    const b = j + 1 < nodeCount ? a + 4 : 0;
    // written out, because V8 does not unroll loops
    out[3 * j] = q[b] - q[a];
    out[3 * j + 1] = q[b + 1] - q[a + 1];
    out[3 * j + 2] = q[b + 2] - q[a + 2];
  }
}

/**
 * Moves positions until every edge has its rest length. SHAKE uses the directions of the edges at the start, fast projection those of
 * `chooseDirections`. Returns the iterations, −1 on failure. Multipliers times `perForce` (1/h², or 2/h² if only half of the step's kick precedes the
 * projection) are the tensions.
 */
export function projectPositions(der: DerRod, work: ExplicitWork, shake: boolean, perForce: number): number {
  const { edgeCount, nodeCount, q, rod, edgeTension } = der;
  const { edge, step, inverseMass: w, direction } = work;
  edgeTension.fill(0);
  direction.set(work.edgeStart);
  for (let iteration = 0; iteration < 25; iteration++) {
    writeEdges(edge, der);
    const worst = measureStretch(der, work);
    if (worst <= 1e-10) return iteration;
    if (!(worst < 10)) return -1;
    if (!shake) {
      if (iteration === 0) {
        const solved = solveMultipliers(der, work);
        markPushed(work, step, { isSolved: solved });
        measureStretch(der, work);
      }
      chooseDirections(direction, edge, work);
    }
    if (!solveMultipliers(der, work)) return -1;
    for (let j = 0; j < edgeCount; j++) {
      const next = j + 1 < nodeCount ? j + 1 : 0;
      edgeTension[j] += 2 * step[j] * rod.edgeLengthRest[j] * perForce;
      for (let k = 0; k < 3; k++) {
        const pull = 2 * step[j] * direction[3 * j + k];
        q[4 * j + k] += w[j] * pull;
        q[4 * next + k] -= w[next] * pull;
      }
    }
  }
  return -1;
}

/** C = |e|² − ē² of every edge, into `work.step`; returns the largest, relative to ē². */
function measureStretch({ edgeCount, rod }: DerRod, { edge, step }: ExplicitWork): number {
  let worst = 0;
  for (let j = 0; j < edgeCount; j++) {
    const o = 3 * j;
    const rest2 = rod.edgeLengthRest[j] * rod.edgeLengthRest[j];
    const c = edge[o] * edge[o] + edge[o + 1] * edge[o + 1] + edge[o + 2] * edge[o + 2] - rest2;
    step[j] = c;
    worst = Math.max(worst, Math.abs(c) / rest2);
  }
  return worst;
}

/** From C in `work.step` to multipliers along `direction`: matrix ∇C(now) M⁻¹ ∇C(direction)ᵀ, tridiagonal. False if it is singular. */
function solveMultipliers({ edgeCount, nodeCount, rod }: DerRod, work: ExplicitWork): boolean {
  const { edge, lower, diagonal, upper, step, scratch, inverseMass: w, direction } = work;
  for (let j = 0; j < edgeCount; j++) {
    const next = j + 1 < nodeCount ? j + 1 : 0;
    const inverse = w[j] + w[next];
    const o = 3 * j;
    diagonal[j] =
      4 * inverse * (edge[o] * direction[o] + edge[o + 1] * direction[o + 1] + edge[o + 2] * direction[o + 2]);
    if (inverse === 0) {
      diagonal[j] = 1;
      step[j] = 0;
    }
    const right = rod.closed ? (j + 1) % edgeCount : j + 1;
    const left = rod.closed ? (j - 1 + edgeCount) % edgeCount : j - 1;
    upper[j] = right < edgeCount ? -4 * w[next] * dotEdges(edge, o, direction, 3 * right) : 0;
    lower[j] = left >= 0 ? -4 * w[j] * dotEdges(edge, o, direction, 3 * left) : 0;
    if (inverse === 0) {
      upper[j] = 0;
      lower[j] = 0;
    }
  }
  return rod.closed
    ? solveCyclicTridiagonal(lower, diagonal, upper, step, scratch, edgeCount, 'may-be-redundant')
    : solveTridiagonal(lower, diagonal, upper, step, edgeCount, 'may-be-redundant');
}

/**
 * Directions of fast projection: the current direction of an edge under tension, the initial one of an edge under compression. A multiplier λ along
 * the final direction changes the energy by −½λ|Δe|², Δe the change of the edge: it damps under tension and feeds every vibration under compression.
 * NOTE: [Bergou2008 §8] uses the current direction for all edges.
 */
export function chooseDirections(out: Float64Array, edge: Float64Array, { edgeStart, isPushed }: ExplicitWork): void {
  for (let j = 0; j < isPushed.length; j++) {
    const from = isPushed[j] ? edgeStart : edge;
    for (let k = 3 * j; k < 3 * j + 3; k++) out[k] = from[k];
  }
}

/**
 * Determines which edges are under compression in this step, by the sign of the multipliers with the gradients of the start. If rounding decides a sign, the
 * multiplier is nearly zero and the choice does not matter. Tensions of the last step would be wrong for new forces.
 */
export function markPushed(
  { isPushed }: ExplicitWork,
  multipliers: Float64Array,
  { isSolved }: { readonly isSolved: boolean },
): void {
  for (let j = 0; j < isPushed.length; j++) isPushed[j] = isSolved && multipliers[j] < 0 ? 1 : 0;
}

function dotEdges(a: Float64Array, i: number, b: Float64Array, j: number): number {
  return a[i] * b[j] + a[i + 1] * b[j + 1] + a[i + 2] * b[j + 2];
}

/** Removes the part of the velocities that would change edge lengths (second half of RATTLE); one linear solve. */
export function projectVelocities(der: DerRod, work: ExplicitWork): boolean {
  const { edgeCount, nodeCount, v, rod } = der;
  const { edge, lower, diagonal, upper, step, scratch, inverseMass: w } = work;
  writeEdges(edge, der);
  for (let j = 0; j < edgeCount; j++) {
    const next = j + 1 < nodeCount ? j + 1 : 0;
    const o = 3 * j;
    const inverse = w[j] + w[next];
    const isFree = inverse > 0;
    diagonal[j] = isFree ? inverse * dotEdges(edge, o, edge, o) : 1;
    step[j] = 0;
    if (isFree) for (let k = 0; k < 3; k++) step[j] += edge[o + k] * (v[4 * next + k] - v[4 * j + k]);
    // an edge and the one before it
    const left = j > 0 ? j - 1 : rod.closed ? edgeCount - 1 : -1;
    const between = left >= 0 ? -w[j] * dotEdges(edge, o, edge, 3 * left) : 0;
    lower[j] = isFree ? between : 0;
    if (left >= 0) upper[left] = w[left] + w[j] > 0 ? between : 0;
  }
  if (!rod.closed) upper[edgeCount - 1] = 0;
  const solved = rod.closed
    ? solveCyclicTridiagonal(lower, diagonal, upper, step, scratch, edgeCount, 'may-be-redundant')
    : solveTridiagonal(lower, diagonal, upper, step, edgeCount, 'may-be-redundant');
  if (!solved) return false;
  for (let j = 0; j < edgeCount; j++) {
    const next = j + 1 < nodeCount ? j + 1 : 0;
    for (let k = 0; k < 3; k++) {
      v[4 * j + k] += w[j] * step[j] * edge[3 * j + k];
      v[4 * next + k] -= w[next] * step[j] * edge[3 * j + k];
    }
  }
  return true;
}
