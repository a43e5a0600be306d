/** Rods that can break, for the world: their loads and breaks, and what equilibria, branches, modes and derivatives say of them. */
import { SceneError } from '../../errors.ts';
import type { Bundle, EquilibriumReport } from '../../model.ts';
import { type DerBundle, renew } from './bundle.ts';
import { poseSamples, restoreFrames } from './kinematics.ts';
import type { DerRod } from './rod.ts';

/** Throws for a rod that has broken: its pieces have no equilibria, modes and derivatives here. */
export function refuseBroken({ rod, breaking }: DerRod): void {
  if (!breaking?.broken.includes(1)) return;
  throw new SceneError(
    ['rods'],
    `rod '${rod.id}' has broken at edge ${breaking.broken.indexOf(1)}; equilibria, modes and derivatives are for whole rods, so only motion goes on from here`,
  );
}

/** Throws for a rod that can break, for what cannot go on past a break. */
export function refuseBreakable({ rod, breaking }: DerRod, what: string): void {
  if (!breaking) return;
  throw new SceneError(
    ['rods'],
    `rod '${rod.id}' can break, and there are no ${what} of such rods; remove 'break' to treat it as unbreakable`,
  );
}

/** Adds a remark to the report on an equilibrium if the rod would not bear its load. */
export function noteOverload(report: EquilibriumReport, { rod, breaking }: DerRod): EquilibriumReport {
  if (!breaking || !report.converged) return report;
  const { ratio, edge } = breaking.findWeakest();
  if (ratio < 1) return report;
  const remark = `rod '${rod.id}' would break: at edge ${edge} its load is ${Number(ratio.toPrecision(4))} times its strength`;
  return { ...report, remark: report.remark === undefined ? remark : `${report.remark}; ${remark}` };
}

/** `Bundle.breakable` of rods that can break. */
export function createBreakable(bundle: DerBundle): Pick<Bundle, 'breakable'> {
  const { ders, rods, tools } = bundle;
  const able = ders.flatMap(({ breaking }, k) => (breaking ? [{ breaking, k, id: rods[k].id }] : []));
  if (able.length === 0) return {};
  return {
    breakable: {
      hasBroken: () => able.some(({ breaking }) => breaking.broken.includes(1)),
      measureLoad(t, spared) {
        let largest = 0;
        for (const { breaking, k, id } of able) {
          if (spared.has(id) || breaking.isSpared(t)) continue;
          renew(bundle, k);
          largest = Math.max(largest, breaking.findWeakest().ratio);
        }
        return largest;
      },
      breakLoaded(t, spared, least) {
        return able.flatMap(({ breaking, k, id }) => {
          if (spared.has(id) || breaking.isSpared(t)) return [];
          const { ratio, edge, tension, moment } = breaking.findWeakest();
          if (ratio < least) return [];
          const energy = breaking.breakEdge(edge, t);
          restoreFrames(ders[k], tools[k].work.edgeWork);
          poseSamples(ders[k]);
          return [{ time: t, rod: id, edge, tension, ...(moment !== undefined && { moment }), energy }];
        });
      },
    },
  };
}
