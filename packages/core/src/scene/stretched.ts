/** True if EA affects a rod's tension: its initial shape or its pins give it another length than its rest length. */
import { hypot, hypotOf } from '../math/rounded/index.ts';
import { createPinPose, type Pin, type Rod } from './compiled.ts';
import type { Scene } from './types.ts';

const STRAIN = 1e-6;
const INSTANTS = 32;

function isLaidStrained({ nodePosition: x, edgeCount, edgeLengthRest, nodeCount }: Rod): boolean {
  for (let j = 0; j < edgeCount; j++) {
    const [a, b] = [3 * j, 3 * ((j + 1) % nodeCount)];
    const length = hypot(x[b] - x[a], x[b + 1] - x[a + 1], x[b + 2] - x[a + 2]);
    if (Math.abs(length / edgeLengthRest[j] - 1) > STRAIN) return true;
  }
  return false;
}

/** True for a rod whose initial shape is strained, or whose pins hold the positions of two nodes or more. */
export function canBeStretched(rod: Rod, pins: readonly Pin[]): boolean {
  return isLaidStrained(rod) || pins.filter(({ holdX, holdY, holdZ }) => holdX || holdY || holdZ).length > 1;
}

/** True for a rod whose initial shape is strained, or whose pins are at some instant of the run farther apart than `share` of the rest length between them. */
export function isStretched(rod: Rod, pins: readonly Pin[], scene: Scene, share: number = 1 + STRAIN): boolean {
  if (isLaidStrained(rod)) return true;
  const holding = pins.filter(({ holdX, holdY, holdZ }) => holdX || holdY || holdZ);
  const poses = holding.map(() => createPinPose());
  const end = Math.max(scene.time?.duration ?? 0, scene.statics?.to ?? 0, scene.statics?.from ?? 0);
  for (let k = 0; k <= INSTANTS; k++) {
    holding.forEach((pin, p) => {
      pin.evaluate(poses[p], (end * k) / INSTANTS);
    });
    for (let p = 0; p < holding.length; p++)
      for (let o = 0; o < p; o++) {
        if (!poses[p].active || !poses[o].active) continue;
        const held = (['holdX', 'holdY', 'holdZ'] as const).map((axis) => holding[p][axis] && holding[o][axis]);
        const gap = held.map((is, a) => (is ? poses[p].position[a] - poses[o].position[a] : 0));
        const along = Math.abs(rod.nodeArc[holding[p].node] - rod.nodeArc[holding[o].node]);
        const rest = rod.closed ? Math.min(along, rod.length - along) : along;
        // pins on neighbouring nodes are a clamp
        const limit = Math.abs(holding[p].node - holding[o].node) > 1 ? share : 1 + STRAIN;
        if (hypotOf(gap) > rest * limit) return true;
      }
  }
  return false;
}
