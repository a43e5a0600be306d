/** What pins exert on a rod. */
import type { Reaction } from '../../model.ts';
import { isFirstToHold } from '../../scene/compiled.ts';
import { addEdgeForces, addJoints, writeHeldTorque } from './energy.ts';
import type { CosseratRod } from './rod.ts';
import { evaluateLoads, subtractLoads, type Workspace } from './stage.ts';

/** What each pin does to the rod: forces hold its position against the residual, torques turn its held frame. */
export function measureReactions(cos: CosseratRod, work: Workspace, t: number): Reaction[] {
  const { pins, poses, heldPin, mass, massDamping, acceleration, v, size } = cos;
  work.residual.fill(0);
  addJoints(cos, work.residual, undefined, v, 0);
  addEdgeForces(cos, work.residual);
  evaluateLoads(cos, t);
  subtractLoads(cos, work.residual);
  for (let d = 0; d < size; d++) work.residual[d] += mass[d] * (acceleration[d] + massDamping[d] * v[d]);
  const torque = new Float64Array(3 * heldPin.length);
  writeHeldTorque(torque, cos);
  return pins.flatMap((pin, p): Reaction[] => {
    if (!poses[p].active) return [];
    const h = heldPin.indexOf(p);
    const axes = [0, 1, 2] as const;
    return [
      {
        rod: cos.rod.id,
        node: pin.node,
        force: axes.map((k) => (isFirstToHold(pins, poses, p, k) ? work.residual[6 * pin.node + k] : 0)) as [
          number,
          number,
          number,
        ],
        torque: axes.map((k) => (h >= 0 ? torque[3 * h + k] : 0)) as [number, number, number],
      },
    ];
  });
}
