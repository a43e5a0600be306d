/**
 * Watches for edges that spin too far per step. Backward differences of rates, in axes that turn with the links, lose their accuracy there: natural
 * curvature that turned round at once left the tip 0.2 of the length off with 0.9 rad per step, and 0.03 with 0.26.
 */
import type { StrandTree } from './rod.ts';

/** Largest spin of an edge that a step follows [rad]. */
const FARTHEST = 0.5;

/** Returns remarks after a step, once for each rod. */
export function createSpinWatch(trees: readonly StrandTree[]): () => string[] {
  const watched = new Set(trees.flatMap((tree) => tree.rods.map((strand) => ({ tree, strand }))));
  return () => {
    const remarks: string[] = [];
    for (const one of watched) {
      const { history, time } = one.tree;
      const { rod, samples } = one.strand;
      // 0 after steps with contact, whose differences are those of nodes in fixed axes
      const [step] = history.header;
      const edge = samples.edgeSpin.findIndex((spin) => Math.abs(spin) * step > FARTHEST);
      if (edge < 0) continue;
      watched.delete(one);
      const spin = Math.abs(samples.edgeSpin[edge]);
      const short = (value: number, digits: number): number => Number(value.toPrecision(digits));
      remarks.push(
        `rod '${rod.id}' from t = ${short(time, 4)} s on: edge ${edge} spins by ${short(spin * step, 2)} rad in one step; above ${FARTHEST} rad the motion may be wrong. Use steps below ${short((0.5 * FARTHEST) / spin, 1)} s, or model: der`,
      );
    }
    return remarks;
  };
}
