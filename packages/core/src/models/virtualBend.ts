/** Virtual displacements by which equilibria are audited (virtualWork.ts): small bends and twists of the whole rod. */
import { sin } from '../math/rounded/index.ts';

/** Bends about d1 and d2 and twists about d3: the same everywhere, then irregular along the rod. */
export const virtualBendCount = 6;

/** Component of the rod's strain, 0 to 2, that changes in a direction, and by how much at joint or element `part`. */
export function virtualBend(direction: number, part: number): { readonly component: number; readonly weight: number } {
  return { component: direction % 3, weight: direction < 3 ? 1 : sin(1 + 0.7 * part) };
}
