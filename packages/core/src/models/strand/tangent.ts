/** Newton's matrix times a vector, link by link: for modes, and as a check of the elimination. */

import { BLOCK, COLUMNS, type Sweep } from './records.ts';
import type { StrandTree } from './rod.ts';
import { addForce, bringMotion, turn } from './spatial.ts';
import { writeOwn } from './terms.ts';
import { D, own, subtractTorqueSlope, writePsi } from './transfer.ts';

const spread = new Float64Array(6);

/**
 * out = (∂residual/∂unknowns) x, after `evaluateResidual`; also leaves z of every link in the sweep. `x`: δφ 3 per joint,
 * then δy 3 of the base.
 */
export function multiplyTangent(out: Float64Array, tree: StrandTree, sweep: Sweep, x: Float64Array): void {
  writeLinkChanges(tree, sweep, x);
  sumForceChanges(out, tree, sweep, x);
  addBaseRows(out, tree, sweep, x);
}

/** z of every link, from the base to the tips. */
function writeLinkChanges(tree: StrandTree, sweep: Sweep, x: Float64Array): void {
  const { linkCount, parent, rotation, offset, v } = tree;
  const { z, turn: Th, psiV, psiA, columns } = sweep;
  writeBaseChange(tree, sweep, x);
  for (let j = 0; j < linkCount; j++) {
    if (columns > 6) writePsi(tree, sweep, j);
    const from = COLUMNS * (parent[j] < 0 ? linkCount : parent[j]);
    const to = COLUMNS * j;
    for (let block = 0; block < columns; block += 6)
      bringMotion(z, to + block, rotation, 9 * j, offset[j], z, from + block);
    for (let e = to + 6; columns > 6 && e <= to + 9; e += 3) {
      const s = 3 + 3 * j;
      z[e + 6] -= v[s + 1] * z[e + 2] - v[s + 2] * z[e + 1];
      z[e + 7] -= v[s + 2] * z[e] - v[s] * z[e + 2];
      z[e + 8] -= v[s] * z[e + 1] - v[s + 1] * z[e];
    }
    for (let k = 0; k < 3; k++) {
      for (let r = 0; r < 3; r++) z[to + r] += Th[9 * j + 3 * r + k] * x[3 * j + k];
      if (columns === 6) continue;
      for (let r = 0; r < 6; r++) {
        z[to + 6 + r] += psiV[18 * j + 3 * r + k] * x[3 * j + k];
        z[to + 12 + r] += psiA[18 * j + 3 * r + k] * x[3 * j + k];
      }
    }
  }
}

/** The change p of the force on every link, from the tips to the base, and the rows of the joints. */
function sumForceChanges(out: Float64Array, tree: StrandTree, sweep: Sweep, x: Float64Array): void {
  const { linkCount, parent, rotation, offset, force } = tree;
  const { z, turn: Th, columns, P, p } = sweep;
  p.fill(0);
  for (let j = linkCount - 1; j >= 0; j--) {
    writeOwn(tree, sweep, j);
    for (let r = 0; r < 6; r++) {
      for (let k = 0; k < columns; k++) p[6 * j + r] += P[BLOCK * j + COLUMNS * r + k] * z[COLUMNS * j + k];
    }
    D.fill(0);
    subtractTorqueSlope(tree, sweep, j);
    for (let r = 0; r < 3; r++) {
      out[3 * j + r] = p[6 * j + r];
      for (let k = 0; k < 3; k++) out[3 * j + r] += D[3 * r + k] * x[3 * j + k];
    }
    // the force turns with the joint on its way to the parent: −[f] θ
    for (let r = 0; r < 3; r++) {
      own[r] = 0;
      for (let k = 0; k < 3; k++) own[r] += Th[9 * j + 3 * r + k] * x[3 * j + k];
    }
    for (let h = 0; h < 6; h += 3) {
      const o = 6 * j + h;
      spread[h] = p[o] - (force[o + 1] * own[2] - force[o + 2] * own[1]);
      spread[h + 1] = p[o + 1] - (force[o + 2] * own[0] - force[o] * own[2]);
      spread[h + 2] = p[o + 2] - (force[o] * own[1] - force[o + 1] * own[0]);
    }
    addForce(p, 6 * (parent[j] < 0 ? linkCount : parent[j]), rotation, 9 * j, offset[j], spread, 0);
  }
}

/** Rows of the base, whose mass and drag act besides the force of the links. */
function addBaseRows(out: Float64Array, tree: StrandTree, sweep: Sweep, x: Float64Array): void {
  const { linkCount, base } = tree;
  const { columns, coefficient: c, p } = sweep;
  const o = 3 * linkCount;
  turn(out, o, base.rotation, 0, p, 6 * linkCount + 3);
  const d = base.drag;
  const [x0, x1, x2] = [x[o], x[o + 1], x[o + 2]];
  if (columns > 6 || tree.departure) {
    out[o] += c * (d[0] * x0 + d[1] * x1 + d[2] * x2) + c * c * base.mass * x0;
    out[o + 1] += c * (d[1] * x0 + d[3] * x1 + d[4] * x2) + c * c * base.mass * x1;
    out[o + 2] += c * (d[2] * x0 + d[4] * x1 + d[5] * x2) + c * c * base.mass * x2;
  }
  for (let k = 0; k < 3; k++) if (!base.free[k]) out[o + k] = 0;
}

/** z of the base from δy. */
function writeBaseChange({ linkCount, base }: StrandTree, sweep: Sweep, x: Float64Array): void {
  const { z, columns, coefficient: c } = sweep;
  const b = COLUMNS * linkCount;
  z.fill(0, b);
  for (let k = 0; k < 3; k++) {
    for (let i = 0; i < 3; i++) if (base.free[i]) z[b + 3 + k] += base.rotation[3 * i + k] * x[3 * linkCount + i];
  }
  if (columns === 6) return;
  const w = base.motion;
  for (let k = 0; k < 3; k++) {
    const i = (k + 1) % 3;
    const j = (k + 2) % 3;
    z[b + 9 + k] = c * z[b + 3 + k];
    z[b + 15 + k] = c * c * z[b + 3 + k] - c * (w[i] * z[b + 3 + j] - w[j] * z[b + 3 + i]);
  }
}
