/** Finds the sharpest bend of a rod, for the message of a step that fails. */
import { acos } from '../math/rounded/index.ts';
import { dot3 } from '../math/vec3.ts';
import type { Samples } from '../port.ts';
import type { Rod } from '../scene/compiled.ts';

/** Cosine of the angle between edges from which a rod counts as folded: 60°. */
const FOLDED = 0.5;

/** Node between the two edges that differ most in direction, and the angle there [degrees]; undefined if the rod is not folded. */
export function findFold(
  { edgeCount, nodeCount, closed }: Rod,
  { edgeTangent: t }: Samples,
): { readonly node: number; readonly degrees: number } | undefined {
  let node = -1;
  let least = FOLDED;
  for (let j = closed ? 0 : 1; j < edgeCount; j++) {
    const cosine = dot3(t, 3 * ((j + edgeCount - 1) % edgeCount), t, 3 * j);
    if (cosine >= least) continue;
    least = cosine;
    node = j % nodeCount;
  }
  return node < 0 ? undefined : { node, degrees: (acos(Math.max(-1, least)) * 180) / Math.PI };
}
