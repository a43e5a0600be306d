/** Time of the first impact that rebounds. */

import type { ContactSet } from '../contactSet.ts';
import { reboundThreshold } from './colliderContacts.ts';
import type { Finder } from './finderData.ts';

/** Time until the first impact of a step that rebounds, or 0. The world splits the step there. */
export function findFirstImpact(set: ContactSet, finder: Finder, dt: number): number {
  const { gravity: g } = finder;
  let first = 0;
  for (let c = 0; c < set.count; c++) {
    const speed = set.approach[c];
    if (set.restitution[c] === 0 || speed >= -reboundThreshold(finder, dt)) continue;
    if (set.gap[c] <= -0.02 * dt * speed) continue;
    const pull = g[0] * set.normal[3 * c] + g[1] * set.normal[3 * c + 1] + g[2] * set.normal[3 * c + 2];
    // gap + speed·τ + ½ pull·τ² = 0, the first root
    const root = speed * speed - 2 * pull * set.gap[c];
    if (root < 0) continue;
    const time = (2 * set.gap[c]) / (-speed + Math.sqrt(root));
    if (time > 0.02 * dt && time < 0.98 * dt && (first === 0 || time < first)) first = time;
  }
  return first;
}
