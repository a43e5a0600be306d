/** Watches for pins that a strand does not follow: its links do not stretch, and a pin pulls with a limited force (constraints.ts). */
import { gapOf } from './constraints.ts';
import type { StrandTree } from './rod.ts';

/** Distance from a pin's place that is reported, relative to the length of the strand. */
const FAR = 1e-3;

/** Returns remarks after a step, once for each pin. */
export function createPinWatch(trees: readonly StrandTree[]): () => string[] {
  const watched = new Set(
    trees.flatMap((tree) => {
      const { constraints } = tree;
      return constraints ? constraints.pins.map((pin) => ({ tree, constraints, pin })) : [];
    }),
  );
  const short = (value: number): number => Number(value.toPrecision(3));
  return () => {
    const remarks: string[] = [];
    for (const one of watched) {
      const { tree, constraints, pin } = one;
      const gap = gapOf(constraints, pin.first, pin.rows);
      if (gap <= FAR * tree.reach) continue;
      watched.delete(one);
      remarks.push(
        `rod '${pin.rod}' from t = ${short(tree.time)} s on: it is ${short(gap)} m from where its pin holds node ${pin.node}: pins of a strand pull with a limited force, and its links do not stretch. Bring the pin within reach, move it more slowly, or use model: der`,
      );
    }
    return remarks;
  };
}
