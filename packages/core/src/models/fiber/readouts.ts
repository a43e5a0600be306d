/** Read-outs of a rod that do not move it: energies, momentum, quantities along it, and reactions of its pins. */

import type { ChannelReaders } from '../../channels.ts';
import { hypot } from '../../math/rounded/index.ts';
import type { Channel, Energies, Momentum, Reaction } from '../../model.ts';
import { createPinPose, type PinPose } from '../../scene/compiled.ts';
import { addElements } from './elements.ts';
import { between, kineticEnergy, measureElastic, measureStrain } from './energy.ts';
import { axesOf, evaluateHeld } from './held.ts';
import { addLoadForce, gatherLoads, poseSamples } from './kinematics.ts';
import type { FiberRod } from './rod.ts';
import { applyMass } from './rod.ts';
import type { Workspace } from './workspace.ts';

/** Velocities of pins are differenced over this part of a time step, before and after. */
const SPAN = 1e-2;

/** How the rod is stepped. */
interface Stepping {
  /** Time step of the scene [s]. */
  readonly step: number;
  readonly scheme: string;
}

/**
 * Adds the forces of stiffness damping. The velocities of energy–momentum steps alternate in sign in modes that are strongly damped, so the rates of the
 * springs are taken from their lengths at both ends of the last step, which it left in `memory`.
 */
function addViscosity(force: Float64Array, fiber: FiberRod, work: Workspace, { step, scheme }: Stepping): void {
  const { q, v, memory, size, edgeViscosity, ringViscosity } = fiber;
  if (edgeViscosity.every((value) => value === 0)) return;
  const { elements, x0, y, image } = work;
  const isStepped = scheme === 'energy-momentum' && memory[0] > 0;
  const span = isStepped ? memory[0] : SPAN * step;
  for (let d = 0; d < size; d++) {
    x0[d] = isStepped ? memory[1 + d] : q[d] - 0.5 * span * v[d];
    y[d] = isStepped ? q[d] : q[d] + 0.5 * span * v[d];
  }
  image.fill(0);
  addElements(fiber, elements, { force: image }, { x0, y }, 'exact');
  for (let d = 0; d < size; d++) force[d] -= image[d];
  image.fill(0);
  for (let j = 0; j < edgeViscosity.length; j++) elements.edgeChi[j] = (2 * edgeViscosity[j]) / span;
  for (let i = 0; i < ringViscosity.length; i++) elements.ringChi[i] = (2 * ringViscosity[i]) / span;
  addElements(fiber, elements, { force: image }, { x0, y }, 'exact');
  for (let d = 0; d < size; d++) force[d] += image[d];
}

export function measureReactions(fiber: FiberRod, work: Workspace, t: number, stepping: Stepping): Reaction[] {
  const { step } = stepping;
  const { pins, poses, q, v, rod, ringMass, ringDamping } = fiber;
  evaluateHeld(fiber, t);
  poseSamples(fiber, q, v);
  gatherLoads(fiber, t);
  const force = work.residual.fill(0);
  work.elements.edgeChi.fill(0);
  work.elements.ringChi.fill(0);
  addElements(fiber, work.elements, { force }, { x0: q, y: q }, 'exact');
  addViscosity(force, fiber, work, stepping);
  addLoadForce(force, fiber, q);
  const touch = fiber.contactForce;
  if (touch) for (let d = 0; d < touch.length; d++) force[d] += touch[d];
  // in equilibrium the motion of the pins' paths does not count
  const isAtRest = v.every((value) => value === 0);
  const later = createPinPose();
  const sooner = createPinPose();
  return pins.flatMap((pin, p): Reaction[] => {
    if (!poses[p].active) return [];
    const first = Math.max(0, t - SPAN * step);
    pin.evaluate(later, t + SPAN * step);
    pin.evaluate(sooner, first);
    const span = t + SPAN * step - first;
    const o = 12 * pin.node;
    const total = [0, 0, 0];
    const torque = [0, 0, 0];
    for (let c = 0; c < 4; c++) {
      const arm = [0, 1, 2].map((k) => q[o + 3 * c + k] - fiber.samples.nodePosition[3 * pin.node + k]);
      for (let k = 0; k < 3; k++) {
        const [a, b] = [(k + 1) % 3, (k + 2) % 3];
        total[k] -= force[o + 3 * c + k];
        torque[k] -= arm[a] * force[o + 3 * c + b] - arm[b] * force[o + 3 * c + a];
      }
    }
    const held = [pin.holdX, pin.holdY, pin.holdZ];
    // rate of momentum of the held particles, and their mass damping
    const rate = (begun: number, ended: number): number =>
      isAtRest ? 0 : (ended - begun) / span + 0.5 * ringDamping[pin.node] * (ended + begun);
    const moved = (k: number): number => ringMass[pin.node] * rate(sooner.velocity[k], later.velocity[k]);
    const turned = pin.orientation !== 'free';
    // inertia of a held ring, except one held by its direction alone, whose spin is not the pin's
    const spins = pin.orientation === 'frame' && !isAtRest;
    const [begun, ended] = spins ? [spinOf(fiber, sooner, pin.node), spinOf(fiber, later, pin.node)] : [];
    const spun = (k: number): number => (begun && ended ? rate(begun[k], ended[k]) : 0);
    return [
      {
        rod: rod.id,
        node: pin.node,
        force: [0, 1, 2].map((k) => (held[k] ? total[k] + moved(k) : 0)) as [number, number, number],
        torque: torque.map((value, k) => (turned ? value + spun(k) : 0)) as [number, number, number],
      },
    ];
  });
}

/** Angular momentum about its middle of a ring whose frame a pin holds [kg m²/s]. */
function spinOf({ width1, width2, particleMass }: FiberRod, pose: PinPose, ring: number): number[] {
  const axes = axesOf(pose);
  const w = pose.angularVelocity;
  return [0, 1, 2].map((k) => {
    let sum = 0;
    for (let axis = 0; axis < 2; axis++) {
      // four particles at ±½ width: Σ m (|a|² ω − (a·ω) a)
      const square = particleMass[ring] * (axis === 0 ? width1 * width1 : width2 * width2);
      let along = 0;
      for (let x = 0; x < 3; x++) along += axes[3 * axis + x] * w[x];
      sum += square * (w[k] - along * axes[3 * axis + k]);
    }
    return sum;
  });
}

export function addEnergies(out: Energies, fiber: FiberRod, t: number): void {
  out.kinetic += kineticEnergy(fiber, fiber.v, new Float64Array(fiber.size));
  const elastic = measureElastic(fiber, fiber.q);
  out.bending += elastic.bending;
  out.twisting += elastic.twisting;
  out.stretching += elastic.stretching;
  for (const source of fiber.drive.sources) out.potential += source.potential(fiber.samples, t);
}

export function addMomentum(out: Momentum, fiber: FiberRod): void {
  const { q, v, size, ringMass } = fiber;
  const momentum = new Float64Array(size);
  const place = new Float64Array(size);
  applyMass(momentum, fiber, v);
  applyMass(place, fiber, q);
  for (const m of ringMass) out.mass += m;
  for (let d = 0; d < size; d += 3) {
    for (let k = 0; k < 3; k++) {
      const a = (k + 1) % 3;
      const b = (k + 2) % 3;
      out.linear[k] += momentum[d + k];
      out.center[k] += place[d + k];
      out.angular[k] += q[d + a] * momentum[d + b] - q[d + b] * momentum[d + a];
    }
  }
}

/** Force along the rod of all springs between two rings: in a twisted cuboid the diagonals of the faces push. */
function readTension(out: Float64Array, fiber: FiberRod): void {
  const { edgeCount, q, longStiffness, longRest, shearStiffness, shearRest, samples } = fiber;
  const along = (j: number, from: number, to: number): number => {
    let sum = 0;
    for (let k = 0; k < 3; k++) sum += (q[to + k] - q[from + k]) * samples.edgeTangent[3 * j + k];
    return sum / between(q, from, to);
  };
  for (let j = 0; j < edgeCount; j++) {
    out[j] = 0;
    for (let c = 0; c < 4; c++) {
      const i = 12 * j + 3 * c;
      const m = 12 * j + 3 * ((c + 1) & 3);
      const stretch = between(q, i, i + 12) - longRest[4 * j + c];
      const shear = between(q, i, m + 12) - between(q, m, i + 12) - shearRest[4 * j + c];
      out[j] += longStiffness[j] * stretch * along(j, i, i + 12);
      out[j] += shearStiffness[2 * j + (c & 1)] * shear * (along(j, i, m + 12) - along(j, m, i + 12));
    }
  }
}

/** A function of the strain at nodes: linear between cuboids, and beyond the last by the same line. */
function spreadStrain(out: Float64Array, fiber: FiberRod, quantityOf: (strain: readonly number[]) => number): void {
  const { edgeCount, ringCount, rod } = fiber;
  const strain = measureStrain(fiber);
  const middle = (j: number): number => rod.nodeArc[j] + 0.5 * rod.edgeLengthRest[j];
  for (let i = 0; i < ringCount; i++) {
    const j = Math.min(Math.max(i - 1, 0), edgeCount - 2);
    const w = (rod.nodeArc[i] - middle(j)) / (middle(j + 1) - middle(j));
    out[i] = quantityOf([0, 1, 2].map((k) => (1 - w) * strain[3 * j + k] + w * strain[3 * j + 3 + k]));
  }
}

export function readChannel(out: Float64Array, fiber: FiberRod, channel: Channel): void {
  const readers: ChannelReaders = {
    tension: () => readTension(out, fiber),
    curvature: () => spreadStrain(out, fiber, ([a, b]) => hypot(a, b)),
    twist: () => spreadStrain(out, fiber, ([, , c]) => c),
  };
  readers[channel]();
}
