/**
 * Forward dynamics by articulated bodies [Featherstone2008 §7.3]: rates of the joint rates that given torques and loads
 * cause, in O(n). The integrator does not need it; impulses and test forces do, and it is one of three independent ways
 * to the same numbers (with the residual and the composite-body matrix) that the tests hold against each other.
 */

import type { StrandTree } from '../../src/models/strand/rod.ts';
import {
  addCrossForce,
  addForce,
  applyInertia,
  bringMotion,
  crossMotion,
  invert3,
} from '../../src/models/strand/spatial.ts';

export interface ArticulatedWork {
  /** Articulated inertia 36, bias force 6, D⁻¹ 9, unresolved torque 3, and velocity product 6 a link. */
  readonly inertia: Float64Array;
  readonly bias: Float64Array;
  readonly inverse: Float64Array;
  readonly rest: Float64Array;
  readonly product: Float64Array;
  readonly acceleration: Float64Array;
}

export function createArticulatedWork(links: number): ArticulatedWork {
  return {
    inertia: new Float64Array(36 * links),
    bias: new Float64Array(6 * links),
    inverse: new Float64Array(9 * links),
    rest: new Float64Array(3 * links),
    product: new Float64Array(6 * links),
    acceleration: new Float64Array(6 * links),
  };
}

const momentum = new Float64Array(6);
const joint = new Float64Array(6);
const reduced = new Float64Array(36);
const image = new Float64Array(6);
const column = new Float64Array(6);
const unit = new Float64Array(6);
const D = new Float64Array(9);

/**
 * Inertias alone: what later solves share. `extra`: added to the joints' own inertia, 9 a joint by rows (hC + h²K for a
 * linearly implicit step), or nothing. False where a pivot is singular: a link that nothing keeps from spinning.
 */
export function factorArticulated(tree: StrandTree, work: ArticulatedWork, extra: Float64Array | undefined): boolean {
  const { linkCount, parent, rotation, offset } = tree;
  const { inertia: IA, inverse } = work;
  IA.set(tree.inertia);
  for (let j = linkCount - 1; j >= 0; j--) {
    const o = 36 * j;
    for (let r = 0; r < 3; r++)
      for (let c = 0; c < 3; c++) D[3 * r + c] = IA[o + 6 * r + c] + (extra ? extra[9 * j + 3 * r + c] : 0);
    if (invert3(inverse, 9 * j, D, 0) === 0) return false;
    if (parent[j] < 0) continue;
    // IA − IA S D⁻¹ Sᵀ IA
    for (let r = 0; r < 6; r++) {
      for (let c = 0; c < 6; c++) {
        let sum = IA[o + 6 * r + c];
        for (let k = 0; k < 3; k++) {
          for (let l = 0; l < 3; l++) sum -= IA[o + 6 * r + k] * inverse[9 * j + 3 * k + l] * IA[o + 6 * l + c];
        }
        reduced[6 * r + c] = sum;
      }
    }
    for (let c = 0; c < 6; c++) {
      unit.fill(0);
      unit[c] = 1;
      bringMotion(column, 0, rotation, 9 * j, offset[j], unit, 0);
      applyInertia(image, 0, reduced, 0, column, 0);
      column.fill(0);
      addForce(column, 0, rotation, 9 * j, offset[j], image, 0);
      for (let r = 0; r < 6; r++) IA[36 * parent[j] + 6 * r + c] += column[r];
    }
  }
  return true;
}

/**
 * Writes the rates (3 a joint) for torques at the joints and loads on the links (6 a link, in their axes), with the
 * motion and the base's acceleration that the tree holds; `still`: without them, for impulses and test forces.
 */
export function solveArticulated(
  out: Float64Array,
  tree: StrandTree,
  work: ArticulatedWork,
  torque: Float64Array | undefined,
  load: Float64Array | undefined,
  still: boolean,
): void {
  const { linkCount, parent, rotation, offset, motion, v, inertia, base } = tree;
  const { inertia: IA, bias, inverse, rest, product, acceleration } = work;
  for (let j = 0; j < linkCount; j++) {
    const o = 6 * j;
    bias.fill(0, o, o + 6);
    product.fill(0, o, o + 6);
    if (!still) {
      applyInertia(momentum, 0, inertia, 36 * j, motion, o);
      addCrossForce(bias, o, motion, o, momentum, 0);
      for (let k = 0; k < 3; k++) joint[k] = v[3 + 3 * j + k];
      crossMotion(product, o, motion, o, joint, 0);
    }
    if (load) for (let k = 0; k < 6; k++) bias[o + k] -= load[o + k];
  }
  for (let j = linkCount - 1; j >= 0; j--) {
    const o = 6 * j;
    for (let k = 0; k < 3; k++) rest[3 * j + k] = (torque ? torque[3 * j + k] : 0) - bias[o + k];
    if (parent[j] < 0) continue;
    // pA + Ia c + IA S D⁻¹ u, where Ia c = IA c − IA S D⁻¹ Sᵀ IA c
    applyInertia(image, 0, IA, 36 * j, product, o);
    for (let k = 0; k < 3; k++) joint[k] = rest[3 * j + k] - image[k];
    for (let r = 0; r < 6; r++) {
      let sum = bias[o + r] + image[r];
      for (let k = 0; k < 3; k++) {
        for (let l = 0; l < 3; l++) sum += IA[36 * j + 6 * r + k] * inverse[9 * j + 3 * k + l] * joint[l];
      }
      column[r] = sum;
    }
    addForce(bias, 6 * parent[j], rotation, 9 * j, offset[j], column, 0);
  }
  joint.fill(0);
  for (let j = 0; j < linkCount; j++) {
    const o = 6 * j;
    const i = parent[j];
    const from = i >= 0 ? acceleration : still ? joint : base.acceleration;
    bringMotion(acceleration, o, rotation, 9 * j, offset[j], from, i >= 0 ? 6 * i : 0);
    for (let k = 0; k < 6; k++) acceleration[o + k] += product[o + k];
    applyInertia(image, 0, IA, 36 * j, acceleration, o);
    for (let r = 0; r < 3; r++) {
      let sum = 0;
      for (let k = 0; k < 3; k++) sum += inverse[9 * j + 3 * r + k] * (rest[3 * j + k] - image[k]);
      out[3 * j + r] = sum;
    }
    for (let k = 0; k < 3; k++) acceleration[o + k] += out[3 * j + k];
  }
}
