/** Sides of contacts on links: the wrench of a side's force on its link, and the velocity of a side from that of its link. */
import type { ContactSides } from '../../port.ts';
import { COLUMNS, type Sweep } from './records.ts';
import type { StrandTree } from './rod.ts';
import { turn, turnBack } from './spatial.ts';

const f = new Float64Array(3);
const g = new Float64Array(3);

/** Subtracts the wrench of a force (x, y, z) at the side from the link's force. */
export function addWrench(
  wrench: Float64Array,
  tree: StrandTree,
  link: number,
  { weight, arm }: ContactSides,
  c: number,
  x: number,
  y: number,
  z: number,
): void {
  g[0] = x;
  g[1] = y;
  g[2] = z;
  turnBack(f, 0, tree.world, 9 * link, g, 0);
  const l = weight[c] * tree.length[link];
  const o = 6 * link;
  wrench[o] += l * f[1];
  wrench[o + 1] -= l * f[0];
  wrench[o + 2] -= arm[3 * c] * x + arm[3 * c + 1] * y + arm[3 * c + 2] * z;
  wrench[o + 3] -= f[0];
  wrench[o + 4] -= f[1];
  wrench[o + 5] -= f[2];
}

/** How the side moves with the links, times `scale`. */
export function readSide(
  out: Float64Array,
  o: number,
  tree: StrandTree,
  { z }: Sweep,
  link: number,
  { weight, arm }: ContactSides,
  c: number,
  scale: number,
): void {
  const s = COLUMNS * link;
  const l = weight[c] * tree.length[link];
  g[0] = z[s + 3] + l * z[s + 1];
  g[1] = z[s + 4] - l * z[s];
  g[2] = z[s + 5];
  turn(f, 0, tree.world, 9 * link, g, 0);
  for (let k = 0; k < 3; k++) out[o + k] = scale * (f[k] + z[s + 2] * arm[3 * c + k]);
}
