/** What each pin does to the rod: the forces that its ring lacks, with the inertia of the pin's own motion. */
import type { Reaction } from '../../model.ts';
import { createPinPose } from '../../scene/compiled.ts';
import { addElements } from './elements.ts';
import { evaluateHeld } from './held.ts';
import { addLoadForce, gatherLoads, poseSamples } from './kinematics.ts';
import type { FiberRod } from './network.ts';
import type { Workspace } from './step.ts';

/** For the second difference of a pin's path [s]. */
const MOMENT = 1e-5;

export function measureReactions(fiber: FiberRod, work: Workspace, t: number): Reaction[] {
  const { pins, poses, q, v, rod, ringMass } = fiber;
  evaluateHeld(fiber, t);
  poseSamples(fiber, q, v);
  gatherLoads(fiber, t);
  const force = work.residual.fill(0);
  work.elements.edgeChi.fill(0);
  work.elements.ringChi.fill(0);
  addElements(fiber, work.elements, force, undefined, q, q, 'exact');
  addLoadForce(force, fiber, q);
  const touch = fiber.contactForce;
  if (touch) for (let d = 0; d < touch.length; d++) force[d] += touch[d];
  const later = createPinPose();
  const sooner = createPinPose();
  return pins.flatMap((pin, p): Reaction[] => {
    if (!poses[p].active) return [];
    pin.evaluate(later, t + MOMENT);
    pin.evaluate(sooner, Math.max(0, t - MOMENT));
    const span = t + MOMENT - Math.max(0, t - MOMENT);
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
    const moved = (k: number): number => (ringMass[pin.node] * (later.velocity[k] - sooner.velocity[k])) / span;
    const turned = pin.orientation !== 'free';
    return [
      {
        rod: rod.id,
        node: pin.node,
        force: [0, 1, 2].map((k) => (held[k] ? total[k] + moved(k) : 0)) as [number, number, number],
        torque: torque.map((value) => (turned ? value : 0)) as [number, number, number],
      },
    ];
  });
}
