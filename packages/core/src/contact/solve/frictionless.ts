/**
 * Contact without friction, with one number per side: its normal velocity (`axes` = 1 in SideArrays). Tangential velocities need no agreement.
 * Three numbers per side would cost three times as much, and the point masses of the sides would resist tangential motion, so hair that slides
 * along hair would converge slowly.
 *
 * Without friction the method converges for any weights. A step of 2,500 shaken hairs with 33,000 contacts took 853 iterations with ω as with
 * friction, crowd × response; 351 with √crowd; 262 with 0.7 √crowd. With 0.3 √crowd copies and rods agree even sooner, but the impulses are less
 * accurate, and more rounds follow.
 */

import type { ContactSet } from '../contactSet.ts';
import type { LawArrays, LawSet } from './lawArrays.ts';
import type { SideArrays } from './sideArrays.ts';

/** True if no contact has friction. */
export function isFrictionless({ count, staticFriction, dynamicFriction }: ContactSet): boolean {
  for (let c = 0; c < count; c++) if (staticFriction[c] !== 0 || dynamicFriction[c] !== 0) return false;
  return true;
}

/** ω of a contact divided by the response of its sides, if `crowd` contacts share its node. */
export function spread(crowd: number): number {
  return 0.7 * Math.sqrt(crowd);
}

/** Normal velocity of a fixed second side. */
export function surfaceAlong({ normal: n, surface: v }: Pick<ContactSet, 'normal' | 'surface'>, c: number): number {
  const o = 3 * c;
  return n[o] * v[o] + n[o + 1] * v[o + 1] + n[o + 2] * v[o + 2];
}

/** Projects the initial impulses, which are those of the last step along other normals, on the current normals. */
export function projectImpulses(set: ContactSet): void {
  const { impulse: p, normal: n } = set;
  for (let c = 0; c < set.count; c++) {
    const o = 3 * c;
    const size = Math.max(0, p[o] * n[o] + p[o + 1] * n[o + 1] + p[o + 2] * n[o + 2]);
    for (let k = o; k < o + 3; k++) p[k] = size * n[k];
  }
}

export function readNormalImpulses(set: ContactSet, { normalImpulse, impulseStart }: SideArrays): void {
  const { impulse: p, normal: n } = set;
  for (let c = 0; c < set.count; c++) {
    const o = 3 * c;
    normalImpulse[c] = p[o] * n[o] + p[o + 1] * n[o + 1] + p[o + 2] * n[o + 2];
    impulseStart[c] = normalImpulse[c];
  }
}

export function writeNormalImpulses({ count, impulse, normal }: ContactSet, { normalImpulse }: SideArrays): void {
  for (let c = 0; c < count; c++) for (let k = 3 * c; k < 3 * c + 3; k++) impulse[k] = normalImpulse[c] * normal[k];
}

/** Writes the solver's first iterate and its weights; see solveAdmm. */
export function startNormal(
  set: ContactSet,
  arrays: SideArrays,
  weight: Float64Array,
  finest: Float64Array,
  least: number,
  places: number,
): void {
  const { reached, copy, lawInput, sideA, sideB, omega, mass, normalImpulse } = arrays;
  for (let c = 0; c < set.count; c++) {
    const a = sideA[c];
    const b = sideB[c];
    const fine = 1 / Math.max(least, places * set.size[c]);
    if (omega[c] === 0) normalImpulse[c] = 0;
    const change = omega[c] > 0 ? normalImpulse[c] / mass[a] : 0;
    finest[a] = fine;
    lawInput[a] = reached[a] - change;
    weight[a] = mass[a];
    copy[a] = reached[a];
    if (b < 0) continue;
    finest[b] = fine;
    lawInput[b] = reached[b] + change;
    weight[b] = mass[a];
    copy[b] = reached[b];
  }
}

/** The contact law at contacts `from` to `to`: computes impulses p and copies y from q. Returns the largest W·p [m/s]. */
export function applyNormalLaw(set: LawSet, arrays: LawArrays, from: number, to: number): number {
  const { sideA, sideB, omega, mass, copy, lawInput, contactsAtNode, normalImpulse } = arrays;
  const { bias } = set;
  let impulseSpeed = 0;
  for (let c = from; c < to; c++) {
    const w = omega[c];
    if (w === 0) continue;
    const a = sideA[c];
    const b = sideB[c];
    const u = lawInput[a] - (b >= 0 ? lawInput[b] : surfaceAlong(set, c)) + bias[c];
    const p = u < 0 ? -u / w : 0;
    normalImpulse[c] = p;
    const change = p / mass[a];
    copy[a] = lawInput[a] + change;
    if (b >= 0) copy[b] = lawInput[b] - change;
    impulseSpeed = Math.max(impulseSpeed, (w / spread(contactsAtNode[c])) * p);
  }
  return impulseSpeed;
}

/** Right-hand side of the rods' solves: ρ(y − v₀) ± (p − p₀). */
export function writeNormalRightSide(arrays: LawArrays, from: number, to: number): void {
  const { reached, copy, right, sideA, sideB, mass, normalImpulse, impulseStart } = arrays;
  for (let c = from; c < to; c++) {
    const a = sideA[c];
    const b = sideB[c];
    const rho = mass[a];
    const change = normalImpulse[c] - impulseStart[c];
    right[a] = rho * (copy[a] - reached[a]) + change;
    if (b >= 0) right[b] = rho * (copy[b] - reached[b]) - change;
  }
}
