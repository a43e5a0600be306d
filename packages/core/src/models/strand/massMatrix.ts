/** The mass matrix in the joints' rates, by composite bodies [Featherstone2008 §6.2]; dense, by rows. */

import type { StrandTree } from './rod.ts';
import { addForce, bringMotion, turn } from './spatial.ts';

const column = new Float64Array(6);
const unit = new Float64Array(6);
const image = new Float64Array(6);
const carried = new Float64Array(36);

/** Adds Xᵀ I X of link j to its parent's composite inertia. */
function addComposite(composite: Float64Array, tree: StrandTree, j: number): void {
  const { parent, rotation, offset } = tree;
  for (let c = 0; c < 6; c++) {
    unit.fill(0);
    unit[c] = 1;
    bringMotion(column, 0, rotation, 9 * j, offset[j], unit, 0);
    for (let r = 0; r < 6; r++) {
      let sum = 0;
      for (let k = 0; k < 6; k++) sum += composite[36 * j + 6 * r + k] * column[k];
      image[r] = sum;
    }
    column.fill(0);
    addForce(column, 0, rotation, 9 * j, offset[j], image, 0);
    for (let r = 0; r < 6; r++) carried[6 * r + c] = column[r];
  }
  const o = 36 * (parent[j] < 0 ? tree.linkCount : parent[j]);
  for (let k = 0; k < 36; k++) composite[o + k] += carried[k];
}

/** Writes the (3n + 3)² matrix: joints, then the base's origin in world axes; poses of the links must be up to date. */
export function writeMassMatrix(out: Float64Array, tree: StrandTree): void {
  const { linkCount, parent, inertia, rotation, offset, base } = tree;
  const n = 3 * linkCount + 3;
  const composite = new Float64Array(36 * (linkCount + 1));
  composite.set(inertia);
  for (let j = linkCount - 1; j >= 0; j--) addComposite(composite, tree, j);
  out.fill(0);
  const force = new Float64Array(6);
  const next = new Float64Array(6);
  for (let j = 0; j < linkCount; j++) {
    for (let c = 0; c < 3; c++) {
      for (let r = 0; r < 6; r++) force[r] = composite[36 * j + 6 * r + c];
      for (let r = 0; r < 3; r++) out[(3 * j + r) * n + 3 * j + c] = force[r];
      for (let i = j; i >= 0; i = parent[i]) {
        next.fill(0);
        addForce(next, 0, rotation, 9 * i, offset[i], force, 0);
        force.set(next);
        const up = parent[i];
        if (up < 0) turn(force, 0, base.rotation, 0, next, 3);
        for (let r = 0; r < 3; r++) {
          const at = up < 0 ? 3 * linkCount + r : 3 * up + r;
          out[at * n + 3 * j + c] = force[r];
          out[(3 * j + c) * n + at] = force[r];
        }
      }
    }
  }
  for (let k = 3 * linkCount; k < n; k++) out[k * n + k] = composite[36 * linkCount + 35] + base.mass;
}
