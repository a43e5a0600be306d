/** Initial values of a motion: twist in equilibrium if it has no inertia, tensions, accelerations. */
import { solveTridiagonal } from '../../linalg/tridiagonal.ts';
import { evaluatePins } from './kinematics.ts';
import { solveStage } from './newton.ts';
import type { DerRod } from './rod.ts';
import { evaluateResidual, type Workspace } from './stage.ts';

/** Twist without inertia is in equilibrium at every instant, including the first. */
function relaxTwist(der: DerRod, work: Workspace, t: number): void {
  const { mass, fixed, size, edgeCount } = der;
  let massless = false;
  for (let j = 0; j < edgeCount; j++) massless ||= mass[4 * j + 3] === 0;
  if (!massless) return;
  for (let d = 0; d < size; d++) fixed[d] = (d & 3) !== 3 || mass[d] > 0 ? 1 : 0;
  const velocity = der.v.slice();
  const tension = der.edgeTension.slice();
  solveStage(der, work, { t, inertia: 0, rate: 0 }, { tolerance: 1e-12, iterations: 50, rotation: 1 });
  der.v.set(velocity);
  der.edgeTension.set(tension);
  evaluatePins(der, t);
}

/** Accelerations and tensions at the start, which the first trapezoidal stage needs and later ones inherit. */
export function initializeMotion(der: DerRod, work: Workspace, t: number): void {
  const {
    acceleration,
    mass,
    size,
    edgeCount,
    nodeCount,
    edgeLength,
    edgeTangent,
    edgeTension,
    edgeStiffness,
    rod,
    v,
    fixed,
  } = der;
  evaluatePins(der, t);
  relaxTwist(der, work, t);
  for (let j = 0; j < edgeCount; j++) {
    edgeTension[j] = edgeStiffness[j] < Infinity ? edgeStiffness[j] * (edgeLength[j] - rod.edgeLengthRest[j]) : 0;
  }
  // with inertia 0 and a positive rate the residual holds all forces, damping included
  work.qHat.set(der.q);
  if (!evaluateResidual(der, work, { t, inertia: 1, rate: 1 })) return;
  const inverse = (d: number): number => (fixed[d] || mass[d] === 0 ? 0 : 1 / mass[d]);
  if (!rod.closed && rod.inextensible) {
    // tensions that keep the edges' lengths: A M⁻¹ Aᵀ λ = −A M⁻¹ r + |ė⊥|²/|e|, tridiagonal
    const diagonal = new Float64Array(edgeCount);
    const upper = new Float64Array(edgeCount);
    const right = new Float64Array(edgeCount);
    for (let j = 0; j < edgeCount; j++) {
      let along = 0;
      let speed2 = 0;
      for (let k = 0; k < 3; k++) {
        const tk = edgeTangent[3 * j + k];
        const a = 4 * j + k;
        const b = a + 4;
        const rate = v[b] - v[a];
        along += tk * rate;
        speed2 += rate * rate;
        diagonal[j] += tk * tk * (inverse(a) + inverse(b));
        if (j + 1 < edgeCount) upper[j] -= tk * edgeTangent[3 * j + 3 + k] * inverse(b);
        right[j] -= tk * (work.residual[b] * inverse(b) - work.residual[a] * inverse(a));
      }
      right[j] += der.breaking?.broken[j] === 1 ? 0 : (speed2 - along * along) / edgeLength[j];
      if (diagonal[j] === 0) diagonal[j] = 1;
    }
    const lower = upper.slice();
    lower.copyWithin(1, 0, edgeCount - 1);
    if (solveTridiagonal(lower, diagonal, upper, right, edgeCount, 'may-be-redundant')) edgeTension.set(right);
    for (let j = 0; j < edgeCount; j++) {
      const b = j + 1 < nodeCount ? 4 * j + 4 : 0;
      for (let k = 0; k < 3; k++) {
        work.residual[4 * j + k] -= edgeTension[j] * edgeTangent[3 * j + k];
        work.residual[b + k] += edgeTension[j] * edgeTangent[3 * j + k];
      }
    }
  }
  for (let d = 0; d < size; d++) acceleration[d] = -work.residual[d] * inverse(d);
}
