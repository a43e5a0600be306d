/** Hair parts where its guides part: a hair follows those of its guides that go the way of the nearest one. */
import type { GuidePose, Hairs } from '@tendril-sim/core';

/** Difference of two shapes, relative to their size, at which a guide loses weight, and at which it has none. */
const [differs, parts] = [0.35, 0.8];

/** The same hairs with other weights; `pose`: guides as they were grown. */
export function partHairs(hairs: Hairs, pose: GuidePose): Hairs {
  const weight = Float64Array.from(hairs.weight);
  for (let h = 0; h < hairs.count; h++) {
    const first = hairs.guide[3 * h];
    let sum = weight[3 * h];
    for (let k = 1; k < 3; k++) {
      const difference = compareGuides(pose, first, hairs.guide[3 * h + k]);
      weight[3 * h + k] *= Math.min(1, Math.max(0, (parts - difference) / (parts - differs)));
      sum += weight[3 * h + k];
    }
    for (let k = 0; k < 3; k++) weight[3 * h + k] = sum > 0 ? weight[3 * h + k] / sum : k === 0 ? 1 : 0;
  }
  return { ...hairs, weight };
}

/** How far apart two guides are at a third, two thirds and their tips, seen from their roots, relative to how far they reach. */
function compareGuides({ nodes, position }: GuidePose, a: number, b: number): number {
  let most = 0;
  for (let part = 1; part <= 3; part++) {
    const i = 3 * Math.round(((nodes - 1) * part) / 3);
    const [oa, ob] = [3 * nodes * a, 3 * nodes * b];
    let [gap, reach] = [0, 0];
    for (let k = 0; k < 3; k++) {
      const [x, y] = [position[oa + i + k] - position[oa + k], position[ob + i + k] - position[ob + k]];
      gap += (x - y) ** 2;
      reach += x ** 2;
    }
    most = Math.max(most, Math.sqrt(gap / Math.max(reach, 1e-12)));
  }
  return most;
}
