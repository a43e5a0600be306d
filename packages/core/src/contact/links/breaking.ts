/** Links that break (`break` of a link), and links on edges of rods that break. */

import type { Break, Breakable } from '../../breakPort.ts';
import { SceneError } from '../../errors.ts';
import { hypot } from '../../math/rounded/index.ts';
import { isBroken, type Samples } from '../../port.ts';
import type { Rod } from '../../scene/compiled.ts';
import { type LinkPlan, pathOfLink } from '../../scene/links.ts';
import { MEMORY } from './arrays.ts';
import type { Links } from './linkData.ts';
import { energyOfLink } from './links.ts';

const canPlanBreak = ({ strength, rodA, rodB }: LinkPlan, rods: readonly Rod[]): boolean =>
  strength < Infinity || rods[rodA].strength !== undefined || (rodB >= 0 && rods[rodB].strength !== undefined);

/** True if a link can break, or is on a rod that can. */
export function canBreak({ plans }: Links, rods: readonly Rod[]): boolean {
  return plans.some((plan) => canPlanBreak(plan, rods));
}

/** Throws for links that can break: equilibria would not know whether they have. Returns false. */
export function refuseBreakable({ plans }: Links, rods: readonly Rod[]): false {
  const plan = plans.find((one) => canPlanBreak(one, rods));
  if (!plan) return false;
  throw new SceneError(
    pathOfLink(plan),
    `link '${plan.id}' can break, or is on a rod that can, and equilibria of linked rods are for links that do not; remove 'break'`,
  );
}

/** Links that can break, for the world. A link breaks with the edge that it is attached to. */
export function createBreakableLinks(links: Links, rods: readonly Rod[], samples: readonly Samples[]): Breakable {
  const { memory, broken, count } = links;
  const able = links.plans.filter((plan) => canPlanBreak(plan, rods));
  const forceOf = ({ index }: LinkPlan): number => {
    const o = MEMORY * index;
    return hypot(memory[o], memory[o + 1], memory[o + 2]);
  };
  const loadOf = (plan: LinkPlan): number => {
    const { rodA, edgeA, rodB, edgeB, index, strength } = plan;
    if (broken[index] === 1) return 0;
    const hasLostEdge = isBroken(samples[rodA], edgeA) || (rodB >= 0 && isBroken(samples[rodB], edgeB));
    return hasLostEdge ? Infinity : forceOf(plan) / strength;
  };
  return {
    measureLoad: () => able.reduce((largest, plan) => Math.max(largest, loadOf(plan)), 0),
    hasBroken: () => broken.includes(1),
    breakLoaded(t, _, least) {
      return able.flatMap((plan): Break[] => {
        if (loadOf(plan) < least) return [];
        const { index, id } = plan;
        const [energy, tension] = [energyOfLink(links, index), forceOf(plan)];
        broken[index] = 1;
        broken[count] += energy;
        memory.fill(0, MEMORY * index, MEMORY * (index + 1));
        return [{ time: t, link: id, tension, energy }];
      });
    },
  };
}
