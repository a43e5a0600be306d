/** Read-outs of a rod that do not move it: energies, momentum, quantities along it, and the reaction of its clamp. */
import type { ChannelReaders } from '../../channels.ts';
import { hypot, square } from '../../math/rounded/index.ts';
import type { Channel, Energies, Momentum, Reaction, SystemEnergy } from '../../model.ts';
import { virtualBend } from '../virtualBend.ts';
import { evaluateLoads, type Workspace } from './energy.ts';
import { addHold, measureCoupleWork } from './hold.ts';
import { placeRoot, poseRod, poseSamples, writeAllJacobians, writeSampleShape } from './kinematics.ts';
import type { HelixRod } from './rod.ts';
import { fillMotion } from './semiImplicit.ts';
import { factorRod } from './sweep.ts';

export function addEnergies(out: Energies, h: HelixRod, t: number): void {
  const { q, kappaRest, stiffness } = h;
  for (let d = 0; d < q.length; d++) {
    const energy = 0.5 * stiffness[d] * square(q[d] - kappaRest[d]);
    if (d % 3 === 2) out.twisting += energy;
    else out.bending += energy;
  }
  for (let i = 0; i < h.nodeCount; i++) {
    for (let k = 0; k < 3; k++)
      out.kinetic += 0.5 * h.nodeMass[i] * (h.nodeVelocity[3 * i + k] * h.nodeVelocity[3 * i + k]);
    for (let k = 0; k < 6; k++)
      out.kinetic += 0.25 * h.nodeInertia[i] * (h.directorRate[6 * i + k] * h.directorRate[6 * i + k]);
  }
  for (const source of h.sources) out.potential += source.potential(h.samples, t);
}

/** Kinetic and elastic energy of a rod. */
export function addRodEnergy(out: SystemEnergy, h: HelixRod): void {
  const { q, kappaRest, stiffness } = h;
  for (let d = 0; d < q.length; d++) out.elastic += 0.5 * stiffness[d] * square(q[d] - kappaRest[d]);
  for (let i = 0; i < h.nodeCount; i++) {
    for (let k = 0; k < 3; k++)
      out.kinetic += 0.5 * h.nodeMass[i] * (h.nodeVelocity[3 * i + k] * h.nodeVelocity[3 * i + k]);
    for (let k = 0; k < 6; k++)
      out.kinetic += 0.25 * h.nodeInertia[i] * (h.directorRate[6 * i + k] * h.directorRate[6 * i + k]);
  }
}

export function addMomentum(out: Momentum, h: HelixRod): void {
  const { nodeMass, nodeInertia, nodeVelocity: v, samples, nodeFrame, directorRate } = h;
  const x = samples.nodePosition;
  for (let i = 0; i < h.nodeCount; i++) {
    const m = nodeMass[i];
    const half = 0.5 * nodeInertia[i];
    out.mass += m;
    for (let k = 0; k < 3; k++) {
      const a = (k + 1) % 3;
      const b = (k + 2) % 3;
      out.linear[k] += m * v[3 * i + k];
      out.center[k] += m * x[3 * i + k];
      out.angular[k] += m * (x[3 * i + a] * v[3 * i + b] - x[3 * i + b] * v[3 * i + a]);
      for (let n = 0; n < 2; n++) {
        const d = 9 * i + n;
        const rate = 6 * i + 3 * n;
        out.angular[k] +=
          half * (nodeFrame[d + 3 * a] * directorRate[rate + b] - nodeFrame[d + 3 * b] * directorRate[rate + a]);
      }
    }
  }
}

/** Gradients −f + m a + α m v of the current state on nodes, edges and frames; the root's sums with them. */
function gatherForces(h: HelixRod, w: Workspace, t: number): void {
  placeRoot(h, t);
  poseRod(h, h.q);
  writeAllJacobians(h);
  for (let k = 0; k < h.nodePosition.length; k++) w.before[k] = h.nodePosition[k] - h.nodeVelocity[k];
  for (let d = 0; d < h.q.length; d++) w.kappaBefore[d] = h.q[d] - h.v[d];
  w.rootRate.set(h.rootRate);
  evaluateLoads(h, w, { t, inertia: 1, rate: 1 });
  w.target.set(h.nodeAcceleration);
  w.directorTarget.set(h.directorAcceleration);
  fillMotion(h, w, 0);
  if (h.hold) addHold(h, w.assembly, h.hold, 'multipliers');
  for (let d = 0; d < h.q.length; d++) w.assembly.diagonal[d] = h.stiffness[d];
  factorRod(h, w.assembly, 'count-negative', 'elastic');
  poseSamples(h);
}

/** Force and torque of the clamp at the root, which balance all forces on the rod minus the rate of its momentum, and of the pin at the end. */
export function measureReactions(h: HelixRod, w: Workspace, t: number): Reaction[] {
  gatherForces(h, w, t);
  const { rootGradient: F, rootMoment: Y } = w.assembly;
  const root: Reaction = {
    rod: h.rod.id,
    node: 0,
    force: [F[0], F[1], F[2]],
    torque: [Y[7] - Y[5], Y[2] - Y[6], Y[3] - Y[1]],
  };
  if (!h.hold) return [root];
  const [fx, fy, fz, mx, my, mz] = h.hold.multiplier;
  return [root, { rod: h.rod.id, node: h.nodeCount - 1, force: [-fx, -fy, -fz], torque: [-mx, -my, -mz] }];
}

/** A virtual displacement, see `Bend`. The trial curvatures are in `w.trial`: the state does not change. */
export function bendRod(h: HelixRod, w: Workspace, direction: number, angle: number): number {
  const { q, kappaRest, stiffness } = h;
  if (angle === 0) poseSamples(h);
  w.trial.set(q);
  let energy = 0;
  for (let e = 0; e < h.elementCount; e++) {
    const { component, weight } = virtualBend(direction, e);
    w.trial[3 * e + component] += (angle * weight) / h.rod.length;
  }
  for (let d = 0; d < q.length; d++) energy += 0.5 * stiffness[d] * square(w.trial[d] - kappaRest[d]);
  if (angle === 0) return energy;
  poseRod(h, w.trial);
  writeSampleShape(h);
  // the audit includes the forces of pins, but not the work of their torques on the last frame
  return h.hold ? energy - measureCoupleWork(h, h.hold) : energy;
}

function readTension(out: Float64Array, h: HelixRod, w: Workspace): void {
  gatherForces(h, w, h.rootTime);
  const F = [0, 0, 0];
  for (let j = h.edgeCount - 1; j >= 0; j--) {
    for (let k = 0; k < 3; k++) {
      F[k] -= w.assembly.nodeGradient[3 * j + 3 + k];
      out[j] += F[k] * h.samples.edgeTangent[3 * j + k];
    }
  }
}

/** Writes a quantity of the elements to their nodes; at a node between two elements, their mean. */
function spread(
  out: Float64Array,
  { elementNode, elementCount }: HelixRod,
  quantityOf: (element: number) => number,
): void {
  for (let e = 0; e < elementCount; e++)
    for (let i = elementNode[e]; i <= elementNode[e + 1]; i++) out[i] = quantityOf(e);
  for (let e = 1; e < elementCount; e++) out[elementNode[e]] = 0.5 * (quantityOf(e - 1) + quantityOf(e));
}

export function readChannel(out: Float64Array, h: HelixRod, w: Workspace, channel: Channel): void {
  const { q } = h;
  out.fill(0);
  const readers: ChannelReaders = {
    tension: () => readTension(out, h, w),
    curvature: () => spread(out, h, (e) => hypot(q[3 * e], q[3 * e + 1])),
    twist: () => spread(out, h, (e) => q[3 * e + 2]),
  };
  readers[channel]();
}
