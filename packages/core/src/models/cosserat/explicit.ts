/**
 * Velocity Verlet: half a kick, drift, forces, half a kick. The reference in comparisons: its forces are exact, and it does not
 * dissipate (energy to 1e-8).
 *
 * The step is split into as many substeps as stability requires. With Rayleigh's quotient, and |a + b|² ≤ 2|a|² + 2|b|² for the
 * shear, which couples a node with a frame, ω² is at most the larger of (4EA or 8GA)/(λl²) and (4B/l² + 2GA)/J for every
 * node and edge; substeps are 0.8·2/ω. The limit is set by shear against rotary inertia: (4/d)√(G/ρ) for a round rod, however
 * coarse its edges. A hair would take 3e-8 s; inflated to a gyration of 0.4 mm, 4e-6 s.
 */
import { exp, hypot } from '../../math/rounded/index.ts';
import type { RodStep } from '../rodStep.ts';
import { addEdgeForces, addJoints, stretchForces } from './energy.ts';
import {
  evaluatePins,
  measureStrain,
  placePinned,
  rememberHeldFrames,
  spreadHeldTwist,
  turnQuaternion,
} from './kinematics.ts';
import type { CosseratRod } from './rod.ts';
import { evaluateLoads, subtractLoads, type Workspace } from './stage.ts';

/** Largest stable step [s] with some margin. */
export function stableStep(cos: CosseratRod): number {
  const { edgeCount, nodeCount, edgeStiffness, mass, rod, joints } = cos;
  const node = new Float64Array(nodeCount);
  const edge = new Float64Array(edgeCount);
  for (let j = 0; j < edgeCount; j++) {
    const l = rod.edgeLengthRest[j];
    const k = Math.max(2 * edgeStiffness[3 * j + 2], 4 * edgeStiffness[3 * j]) / l;
    node[j] += k;
    node[(j + 1) % nodeCount] += k;
    edge[j] += 2 * l * edgeStiffness[3 * j];
  }
  for (let i = 0; i < joints.count; i++) {
    const inner = joints.before[i] >= 0 && joints.after[i] >= 0;
    const k = Math.max(joints.stiffness[3 * i], joints.stiffness[3 * i + 1], joints.stiffness[3 * i + 2]);
    for (const j of [joints.before[i], joints.after[i]]) if (j >= 0) edge[j] += inner ? 2 * k : k;
  }
  let square = 0;
  node.forEach((k, i) => {
    square = Math.max(square, k / mass[6 * i]);
  });
  edge.forEach((k, j) => {
    for (let m = 0; m < 3; m++) square = Math.max(square, k / mass[6 * j + 3 + m]);
  });
  return 1.6 / Math.sqrt(square);
}

/** The margin of `stableStep` covers edges that are stretched to this multiple of their length. */
const STRETCHED = 1.1;

/** Multiple of its rest length to which the most stretched edge is stretched; 1 within the margin. Shear turns a frame with a longer lever then. */
function largestStretch({ q, nodeCount, edgeCount, rod }: CosseratRod): number {
  let largest = 0;
  for (let j = 0; j < edgeCount; j++) {
    const [a, b] = [7 * j, 7 * ((j + 1) % nodeCount)];
    largest = Math.max(largest, hypot(q[b] - q[a], q[b + 1] - q[a + 1], q[b + 2] - q[a + 2]) / rod.edgeLengthRest[j]);
  }
  return largest > STRETCHED ? largest : 1;
}

/** Writes ∂E/∂q − loads at the current state to work.residual. */
function evaluateForces(cos: CosseratRod, work: Workspace, t: number): void {
  work.residual.fill(0);
  stretchForces(cos);
  addJoints(cos, work.residual, undefined, undefined, 0);
  addEdgeForces(cos, work.residual);
  evaluateLoads(cos, t);
  subtractLoads(cos, work.residual);
}

/** v += h·a, with ω × Jω at the velocity before (`at-start`) or after (`at-end`). */
function kick(cos: CosseratRod, work: Workspace, h: number, gyration: 'at-end' | 'at-start'): void {
  const { v, mass, size, fixed, nodeCount, edgeCount } = cos;
  const { residual, acceleration } = work;
  for (let d = 0; d < size; d++) acceleration[d] = fixed[d] ? 0 : -residual[d] / mass[d];
  for (let i = 0; i < nodeCount; i++) for (let k = 0; k < 3; k++) v[6 * i + k] += h * acceleration[6 * i + k];
  for (let j = 0; j < edgeCount; j++) {
    const d = 6 * j + 3;
    const [x, y, z] = [v[d], v[d + 1], v[d + 2]];
    let [wx, wy, wz] = [x, y, z];
    for (let sweep = gyration === 'at-end' ? 4 : 1; sweep > 0; sweep--) {
      const gx = ((mass[d + 2] - mass[d + 1]) * wy * wz) / mass[d];
      const gy = ((mass[d] - mass[d + 2]) * wz * wx) / mass[d + 1];
      const gz = ((mass[d + 1] - mass[d]) * wx * wy) / mass[d + 2];
      wx = x + h * (acceleration[d] - gx);
      wy = y + h * (acceleration[d + 1] - gy);
      wz = z + h * (acceleration[d + 2] - gz);
    }
    v[d] = wx;
    v[d + 1] = wy;
    v[d + 2] = wz;
  }
}

/** Mass damping, exactly: v ← v·exp(−αh). */
function damp(cos: CosseratRod, h: number): void {
  const { v, massDamping, size } = cos;
  for (let d = 0; d < size; d++) if (massDamping[d] > 0) v[d] *= exp(-massDamping[d] * h);
}

const turned = new Float64Array(3);

/** One step of the world in substeps of at most `stable`. After a failure the state is arbitrary, and the caller restores it. */
export function stepVerlet(
  cos: CosseratRod,
  work: Workspace,
  stable: number,
  t: number,
  dt: number,
  out: RodStep,
): boolean {
  const { q, v, nodeCount, edgeCount, fixed } = cos;
  const substeps = Math.max(1, Math.ceil((dt * largestStretch(cos)) / stable));
  const h = dt / substeps;
  evaluatePins(cos, t);
  if (!measureStrain(cos)) return refuse(out);
  evaluateForces(cos, work, t);
  for (let substep = 1; substep <= substeps; substep++) {
    const end = substep === substeps ? t + dt : t + substep * h;
    kick(cos, work, 0.5 * h, 'at-start');
    damp(cos, 0.5 * h);
    for (let i = 0; i < nodeCount; i++)
      for (let k = 0; k < 3; k++) if (!fixed[6 * i + k]) q[7 * i + k] += h * v[6 * i + k];
    for (let j = 0; j < edgeCount; j++) {
      for (let k = 0; k < 3; k++) turned[k] = h * v[6 * j + 3 + k];
      turnQuaternion(q, 7 * j + 3, turned, 0);
    }
    evaluatePins(cos, end);
    if (!spreadHeldTwist(cos)) return refuse(out);
    placePinned(cos, 'motion');
    rememberHeldFrames(cos);
    if (!measureStrain(cos)) return refuse(out);
    evaluateForces(cos, work, end);
    damp(cos, 0.5 * h);
    kick(cos, work, 0.5 * h, 'at-end');
  }
  cos.acceleration.set(work.acceleration);
  out.iterations += substeps;
  out.iterationsMax = Math.max(out.iterationsMax, substeps);
  for (let d = 0; d < cos.size; d++) {
    if (v[d] > -Infinity && v[d] < Infinity) continue;
    return refuse(out);
  }
  return true;
}

function refuse(out: RodStep): boolean {
  out.reason = 'the explicit scheme has left its stable range';
  return false;
}
