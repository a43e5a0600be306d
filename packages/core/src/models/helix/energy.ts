/**
 * The potential that a stage minimizes, its gradient, and the terms of its second derivative for the sweep.
 *
 *   Φ(κ) = ½ Σ l (κ − κ̄)ᵀ K (κ − κ̄) + (s/2) Σ β l (κ − κ₀)ᵀ K (κ − κ₀)
 *        + ½ Σ m (c |x − x̂|² + s α |x − x₀|²) + ¼ Σ J c (|d1 − d̂1|² + |d2 − d̂2|²) − Σ f·x
 *
 * with c = 1/h² and s = 1/h in a time step, both 0 in statics. x̂ = x₀ + h v₀ is the position of a free node, so a minimum is a step of backward Euler on
 * the nodes' positions, and Coriolis terms need not be computed. Loads that depend on the state are frozen at their last evaluation, with their drag as a
 * quadratic; they are re-evaluated at every iterate, so at convergence they are exact.
 */
import { type Assembly, createAssembly } from './assembly.ts';
import { addHold } from './hold.ts';
import { poseEdges, writeAllJacobians, writePointJacobians, writeSampleShape, writeVelocities } from './kinematics.ts';
import { type HelixBody, loadsDependOnState } from './rod.ts';

export interface Workspace {
  readonly assembly: Assembly;
  /** x̂ and x₀, 3 per node; d̂1 and d̂2, 6 per node. */
  readonly target: Float64Array;
  readonly before: Float64Array;
  readonly directorTarget: Float64Array;
  /** κ₀, 3 per element. */
  readonly kappaBefore: Float64Array;
  /** Velocity and spin of the root in the step, for loads that depend on velocities. */
  readonly rootRate: Float64Array;
  /** State at which the loads were evaluated: nodes and curvatures; the generalised force of torques there. */
  readonly anchor: Float64Array;
  readonly kappaAnchor: Float64Array;
  readonly torqueForce: Float64Array;
  readonly gradient: Float64Array;
  readonly step: Float64Array;
  readonly trial: Float64Array;
  readonly rate: Float64Array;
  /** d1 and d2 before the step, 6 per node. */
  readonly directorBefore: Float64Array;
  readonly directorNow: Float64Array;
  /** Start of a step, for undoing it. */
  readonly start: { readonly q: Float64Array; readonly nodePosition: Float64Array; readonly history: Float64Array };
  /** Rounding error of a position [m] and of a director. */
  blur: number;
  directorBlur: number;
  /** Magnitude of forces at the last evaluation and rounding error of their balance [N]; rounding error of Φ [J]. */
  forceScale: number;
  rounding: number;
  energyNoise: number;
}

export function createWorkspace(h: HelixBody, historySize = 0): Workspace {
  const nodes = (k: number): Float64Array => new Float64Array(k * h.nodeCount);
  const unknowns = (): Float64Array => new Float64Array(3 * h.elementCount);
  return {
    assembly: createAssembly(h),
    target: nodes(3),
    before: nodes(3),
    directorTarget: nodes(6),
    kappaBefore: unknowns(),
    rootRate: new Float64Array(6),
    anchor: nodes(3),
    kappaAnchor: unknowns(),
    torqueForce: unknowns(),
    gradient: unknowns(),
    step: unknowns(),
    trial: unknowns(),
    rate: unknowns(),
    directorBefore: nodes(6),
    directorNow: nodes(6),
    start: { q: unknowns(), nodePosition: nodes(3), history: new Float64Array(historySize) },
    blur: 0,
    directorBlur: 0,
    forceScale: 0,
    rounding: 0,
    energyNoise: 0,
  };
}

/** Statics has inertia = rate = 0. */
export interface Stage {
  readonly t: number;
  /** c [1/s²] */
  readonly inertia: number;
  /** s [1/s] */
  readonly rate: number;
}

/** Unit of rounding, 2⁻⁵³. */
const UNIT = 1.2e-16;

/**
 * Accuracy of the pose. Frames are products along the chain and positions sums from the root outwards: each element adds a random rounding error, so errors
 * grow with the square root of their number; so do those of the angle that each element winds by. Far from the origin the magnitude of the coordinates
 * counts, not the rod's.
 *
 * Compared with the remaining error of Newton's method when it is not stopped (three types of hair, 12 mm and 30 cm, 10 to 300 elements, roots up to 1 km
 * away, steps from 10 µs to 10 ms, and statics): always above, and where rounding of positions dominates, by a factor of 1.4 to 30.
 */
export function measureBlur(h: HelixBody, w: Workspace): void {
  const { q, kappaRest, elementLength, elementCount, position, length } = h;
  let winding = 0;
  for (let e = 0; e < elementCount; e++) {
    let size = 0;
    for (let d = 3 * e; d < 3 * e + 3; d++) size += Math.max(Math.abs(q[d]), Math.abs(kappaRest[d]));
    winding += elementLength[e] * size;
  }
  const extent = Math.max(Math.abs(position[0]), Math.abs(position[1]), Math.abs(position[2]));
  const root = Math.sqrt(elementCount);
  w.directorBlur = UNIT * (root + winding / root);
  w.blur = UNIT * root * extent + w.directorBlur * length;
}

/** Evaluates all loads at the current pose and velocity. Returns false if a load is not finite. */
export function evaluateLoads(h: HelixBody, w: Workspace, stage: Stage): boolean {
  const { loads, samples, sources, nodePosition, pose } = h;
  loads.nodeForce.fill(0);
  loads.edgeTorque.fill(0);
  loads.nodeDrag.fill(0);
  if (loadsDependOnState(h)) {
    writeSampleShape(h);
    if (stage.rate > 0) {
      for (let k = 0; k < nodePosition.length; k++)
        samples.nodeVelocity[k] = (nodePosition[k] - w.before[k]) * stage.rate;
      for (let k = 0; k < pose.length; k++) w.rate[k] = (pose[k] - w.kappaBefore[k]) * stage.rate;
      writeAllJacobians(h);
      writeVelocities(h, w.rate, w.rootRate, undefined, undefined, samples.edgeSpin);
    } else {
      samples.nodeVelocity.fill(0);
      samples.edgeSpin.fill(0);
    }
  }
  for (const source of sources) source.addLoads(loads, samples, stage.t);
  let size = 0;
  for (let k = 0; k < loads.nodeForce.length; k++) {
    loads.nodeForce[k] *= h.loadFactor;
    size += Math.abs(loads.nodeForce[k]);
  }
  for (let k = 0; k < loads.edgeTorque.length; k++) {
    loads.edgeTorque[k] *= h.loadFactor;
    size += Math.abs(loads.edgeTorque[k]);
  }
  if (h.contact) {
    for (let k = 0; k < loads.nodeForce.length; k++) loads.nodeForce[k] += h.contact.nodeForce[k];
    for (let k = 0; k < loads.edgeTorque.length; k++) loads.edgeTorque[k] += h.contact.edgeTorque[k];
  }
  w.anchor.set(nodePosition);
  w.kappaAnchor.set(pose);
  freezeTorques(h, w);
  return size < Number.POSITIVE_INFINITY;
}

/** Torques as moments Σ f dᵀ = −½ [τ], which is a torque with the symmetric part of a dead torque's stiffness. */
function freezeTorques(h: HelixBody, w: Workspace): void {
  const { edgeTorque } = h.loads;
  const { assembly } = w;
  let any = false;
  for (let j = 0; j < h.edgeCount; j++) {
    const x = 0.5 * edgeTorque[3 * j];
    const y = 0.5 * edgeTorque[3 * j + 1];
    const z = 0.5 * edgeTorque[3 * j + 2];
    any ||= x !== 0 || y !== 0 || z !== 0;
    const Y = assembly.edgeMoment;
    const o = 9 * j;
    Y[o + 1] = z;
    Y[o + 2] = -y;
    Y[o + 3] = -z;
    Y[o + 5] = x;
    Y[o + 6] = y;
    Y[o + 7] = -x;
  }
  assembly.hasEdgeMoment = any;
  w.torqueForce.fill(0);
  if (!any) return;
  poseEdges(h);
  writeAllJacobians(h);
  addTorqueForce(w.torqueForce, h, edgeTorque);
}

const edgeMoment = new Float64Array(3);

/** out += Jᵀ τ of torques on edges; needs edge poses and Jacobians. */
export function addTorqueForce(out: Float64Array, h: HelixBody, edgeTorque: Float64Array): void {
  const { jacobianAngular: A, elementNode } = h;
  edgeMoment.fill(0);
  for (let e = h.elementCount - 1; e >= 0; e--) {
    for (let k = 0; k < 3; k++)
      out[3 * e + k] +=
        A[9 * e + k] * edgeMoment[0] + A[9 * e + 3 + k] * edgeMoment[1] + A[9 * e + 6 + k] * edgeMoment[2];
    for (let j = elementNode[e]; j < elementNode[e + 1]; j++) addEdgeTorque(out, h, e, j, edgeTorque);
  }
}

/** A torque at the middle of edge j: on its element, and on all before it. */
function addEdgeTorque(out: Float64Array, h: HelixBody, e: number, j: number, torque: Float64Array): void {
  const x = torque[3 * j];
  const y = torque[3 * j + 1];
  const z = torque[3 * j + 2];
  if (x === 0 && y === 0 && z === 0) return;
  writeTurning(h, e, j);
  for (let k = 0; k < 3; k++) out[3 * e + k] += turning[k] * x + turning[3 + k] * y + turning[6 + k] * z;
  edgeMoment[0] += x;
  edgeMoment[1] += y;
  edgeMoment[2] += z;
}

const turning = new Float64Array(9);
const moving = new Float64Array(9);

function writeTurning(h: HelixBody, e: number, j: number): void {
  writePointJacobians(h, e, h.edgeOffset[j], h.edgeSeries, 8 * j, turning, moving, 0);
}

/** Gradients and tensors on nodes for the sweep at the current pose, and the diagonal with a shift λ. */
export function fillAssembly(h: HelixBody, w: Workspace, stage: Stage): void {
  const { nodePosition: x, nodeMass, nodeDamping, nodeInertia, loads } = h;
  const { nodeGradient, nodeTensor, nodeSpin, nodeMoment } = w.assembly;
  const { inertia: c, rate: s } = stage;
  let scale = 0;
  let stiffness = 0;
  let turning = 0;
  for (let i = 0; i < h.nodeCount; i++) {
    const o = 3 * i;
    const t = 6 * i;
    for (let k = o; k < o + 3; k++) {
      nodeGradient[k] = -loads.nodeForce[k];
      scale += Math.abs(loads.nodeForce[k]);
    }
    if (c === 0) continue;
    stiffness += nodeMass[i] * (c + s * nodeDamping[i]);
    turning += nodeInertia[i] * (c + s * nodeDamping[i]);
    const m = nodeMass[i];
    const g = s * nodeDamping[i];
    for (let k = o; k < o + 3; k++) {
      const inertial = m * c * (x[k] - w.target[k]);
      nodeGradient[k] += inertial + m * g * (x[k] - w.before[k]);
      scale += Math.abs(inertial);
    }
    const D = loads.nodeDrag;
    const dx = s * (x[o] - w.anchor[o]);
    const dy = s * (x[o + 1] - w.anchor[o + 1]);
    const dz = s * (x[o + 2] - w.anchor[o + 2]);
    nodeGradient[o] += D[t] * dx + D[t + 1] * dy + D[t + 2] * dz;
    nodeGradient[o + 1] += D[t + 1] * dx + D[t + 3] * dy + D[t + 4] * dz;
    nodeGradient[o + 2] += D[t + 2] * dx + D[t + 4] * dy + D[t + 5] * dz;
    const mass = m * (c + g);
    for (let k = 0; k < 6; k++) nodeTensor[t + k] = s * D[t + k];
    stiffness += s * (D[t] + D[t + 3] + D[t + 5]);
    nodeTensor[t] += mass;
    nodeTensor[t + 3] += mass;
    nodeTensor[t + 5] += mass;
    if (!h.hasFrames) continue;
    nodeSpin[i] = 0.5 * nodeInertia[i] * (c + g);
    writeNodeMoment(h, w, i, g / (c + g));
  }
  if (c === 0) {
    nodeTensor.fill(0);
    nodeSpin.fill(0);
    nodeMoment.fill(0);
  }
  if (h.hold) {
    addHold(h, w.assembly, h.hold);
    stiffness += h.hold.stiffness;
    turning += h.hold.turning;
  }
  w.forceScale = scale;
  // a difference of large numbers does not vanish below their rounding; arms have the rounding of positions
  w.rounding = stiffness * w.blur + (scale * w.blur + turning * w.directorBlur) / h.length;
}

/**
 * Moment of the rotational inertia and mass damping of node i, whose spin is set, as forces on directors times directors. `damped`: share of the
 * damping, which pulls the directors back to where they were.
 */
function writeNodeMoment({ nodeFrame }: HelixBody, w: Workspace, i: number, damped: number): void {
  const { nodeSpin, nodeMoment } = w.assembly;
  for (let r = 0; r < 3; r++) {
    const [a, b] = [6 * i + r, 6 * i + 3 + r];
    const goal1 = w.directorTarget[a] + damped * (w.directorBefore[a] - w.directorTarget[a]);
    const goal2 = w.directorTarget[b] + damped * (w.directorBefore[b] - w.directorTarget[b]);
    const f1 = nodeSpin[i] * (nodeFrame[9 * i + 3 * r] - goal1);
    const f2 = nodeSpin[i] * (nodeFrame[9 * i + 3 * r + 1] - goal2);
    for (let k = 0; k < 3; k++)
      nodeMoment[9 * i + 3 * r + k] = f1 * nodeFrame[9 * i + 3 * k] + f2 * nodeFrame[9 * i + 3 * k + 1];
  }
}

/** Diagonal of the elastic and viscous part, with Levenberg's shift λ as a multiple of the elastic part. */
export function fillDiagonal(h: HelixBody, w: Workspace, stage: Stage, shift: number): void {
  const { stiffness, elementDamping } = h;
  for (let d = 0; d < stiffness.length; d++)
    w.assembly.diagonal[d] = stiffness[d] * (1 + shift + stage.rate * elementDamping[(d / 3) | 0]);
}

/** ∂Φ/∂κ after a sweep; returns the largest residual as a force [N]: moment over the rod's length. */
export function collectGradient(h: HelixBody, w: Workspace, stage: Stage): number {
  const { pose, kappaRest, stiffness, elementDamping } = h;
  for (let d = 0; d < pose.length; d++) {
    const e = (d / 3) | 0;
    const change = pose[d] - w.kappaBefore[d];
    w.gradient[d] =
      w.assembly.gradient[d] + stiffness[d] * (pose[d] - kappaRest[d] + stage.rate * elementDamping[e] * change);
  }
  return measureResidual(h, w);
}

/** Largest entry of the gradient as a force [N]: moment over the rod's length. */
export function measureResidual({ elementLength, length }: HelixBody, { gradient }: Workspace): number {
  let residual = 0;
  for (let d = 0; d < gradient.length; d++) {
    const size = Math.abs(gradient[d]) / (elementLength[(d / 3) | 0] * length);
    if (!(size <= residual)) residual = size;
  }
  return residual;
}

/** Largest elastic moment divided by the rod's length [N], and the rounding errors of it and of the viscous moment. */
export function measureElasticScale(h: HelixBody, rate: number): { force: number; rounding: number } {
  const { pose, kappaRest, stiffness, elementLength, elementDamping, length } = h;
  let force = 0;
  let whole = 0;
  for (let d = 0; d < pose.length; d++) {
    const e = (d / 3) | 0;
    const k = stiffness[d] / (elementLength[e] * length);
    const viscous = rate * elementDamping[e];
    force = Math.max(force, k * Math.abs(pose[d] - kappaRest[d]));
    whole = Math.max(whole, k * ((1 + viscous) * Math.abs(pose[d]) + Math.abs(kappaRest[d])));
  }
  return { force, rounding: 4e-15 * whole };
}
