/**
 * Inverse statics: the natural curvature for which a given shape is in equilibrium.
 *
 * In equilibrium l K (κ − κ̄) + g = 0, where g is the gradient of the loads' work. g does not depend on κ̄, so
 * κ̄ = κ + g/(l K) is a closed form that always exists; the equilibrium may be unstable. The loads' second derivative at the shape
 * does not depend on the stiffness. So the least multiple α of the stiffness that makes the equilibrium stable is where
 * α l K + ∂g/∂κ becomes positive definite; bisection with sweeps finds it. (For a strand that is stiffer by α, κ̄ must be computed
 * again.)
 */
import { evaluateLoads, fillAssembly, fillDiagonal, type Stage, type Workspace } from './energy.ts';
import { weighHold } from './holdSolve.ts';
import { poseRod, writeAllJacobians } from './kinematics.ts';
import { judgeLiveStability } from './live.ts';
import { type HelixBody, loadsDependOnState } from './rod.ts';
import { factorTangent } from './statics.ts';
import { factorRod } from './sweep.ts';

/** Result of inverse statics. */
export interface InverseReport {
  /** True if the shape is a stable equilibrium. */
  readonly stable: boolean;
  /** Least multiple of the stiffness for which the shape is a stable equilibrium; undefined if loads have no potential. */
  readonly stiffnessFactor?: number;
}

/** Writes `h.kappaRest` so that `h.q` is in equilibrium with the loads at t; the root must be placed. */
export function findNatural(h: HelixBody, w: Workspace, t: number): InverseReport {
  const stage: Stage = { t, inertia: 0, rate: 0 };
  if (h.hold) weighHold(h, h.hold, 0);
  w.kappaBefore.set(h.q);
  poseRod(h, h.q);
  evaluateLoads(h, w, stage);
  writeAllJacobians(h);
  fillAssembly(h, w, stage);
  fillDiagonal(h, w, stage, 0);
  factorRod(h, w.assembly, 'count-negative', 'geometric');
  for (let d = 0; d < h.q.length; d++) h.kappaRest[d] = h.q[d] + w.assembly.gradient[d] / h.stiffness[d];
  // without a potential there is a verdict, but no stiffness to name
  if (loadsDependOnState(h)) return { stable: judgeLiveStability(h, w, t, 0).negativeModes === 0 };
  const factor = leastStiffness(h, w, t);
  return { stable: factor < 1, stiffnessFactor: factor };
}

/** Least α for which α l K + ∂g/∂κ is positive definite at the current pose with its loads; 0 when any will do. */
function leastStiffness(h: HelixBody, w: Workspace, t: number): number {
  const definite = (factor: number): boolean => factorTangent(h, w, t, factor - 1, 'stop-at-negative');
  let low = 0;
  let high = 1;
  while (!definite(high)) {
    low = high;
    high *= 2;
    if (high > 1e12) return Number.POSITIVE_INFINITY;
  }
  // below 1, an accuracy of a thousandth is enough
  while (high - low > Math.max(1e-9 * high, low === 0 ? 1e-3 : 0)) {
    const middle = 0.5 * (low + high);
    if (definite(middle)) high = middle;
    else low = middle;
  }
  return high;
}
