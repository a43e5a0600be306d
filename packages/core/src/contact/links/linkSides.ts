/**
 * Sides of links where the solver has them: by rod, after those of its contacts, in an order that never changes. All loops are over rods
 * `from` to `to` of the group that the rows have: threads share them.
 */
import { cbrt } from '../../math/rounded/index.ts';
import { type LinkRows, rodsOf, setGroup } from './arrays.ts';
import type { LinkSet, Links } from './linkData.ts';

/** The rows are about these links from now on. Where their rods' sides begin is said later. */
export function selectLinks(links: Links, set: LinkSet): void {
  if (links.selected === set) return;
  links.selected = set;
  const { rows, perRod, share, entryOfRod } = links;
  rows.member.set(set.crossings);
  setGroup(rows, set.crossings.length, set.rods.length);
  for (let j = 0; j < set.rods.length; j++) {
    const r = set.rods[j];
    rows.entry[j] = entryOfRod[r];
    rows.links[j] = perRod[r];
    rows.mass[j] = share[r] * perRod[r];
    rows.first[j] = 0;
    rows.last[j] = 0;
  }
}

/** Sides of a rod that are links'. */
export function countSides({ entryOfRod }: Pick<Links, 'entryOfRod'>, rod: number): number {
  return entryOfRod[rod + 1] - entryOfRod[rod];
}

/** Edges and weights of the sides, and which side is whose. */
export function placeLinkSides(
  { entry, first, last, edge, weight, code, side, otherSide }: LinkRows,
  out: { readonly edge: Int32Array; readonly weight: Float64Array },
  from: number,
  to: number,
): void {
  for (let j = from; j < to; j++) {
    const e = entry[j];
    const count = last[j] - first[j];
    out.edge.set(edge.subarray(e, e + count), first[j]);
    out.weight.set(weight.subarray(e, e + count), first[j]);
    for (let i = 0; i < count; i++) {
      const at = code[e + i];
      if (at >= 0) side[at] = first[j] + i;
      else otherSide[-1 - at] = first[j] + i;
    }
  }
}

/**
 * N, how many of its links a rod moves as one when a place of it is struck: the mass that answers there, over a link's share of the rod's; 1 where the
 * group touches nothing. What they hold comes along, and the cloth is N times as heavy there as the fiber. ρ that are N times as large
 * suit contact and are slow to settle all else. Contacts go by √N, links by its third root: with √N for both, as long as the drift of
 * whole rods was left to the iteration, cloths of 40, 60 and 100 fibers each way took 300 iterations and more without it; since
 * it is not (drift.ts), 2 × 250 hairs take 347 in the step that they touch in with √N, 177 with the third root, 117 with N^0.15, and 2 × 50
 * in seven steps 860, 797, 782, but 2 × 100 in three 429, 441 with N^0.35, 586.
 */
export function countJoined(rows: LinkRows, response: Float64Array, touched: boolean, from: number, to: number): void {
  const { entry, first, last, begins, joined, links, mass } = rows;
  for (let j = from; j < to; j++) {
    let sum = 0;
    for (let s = first[j], e = entry[j]; s < last[j] && touched; s++, e++)
      if (begins[e] && response[s] > 0) sum += 1 / (response[s] * mass[j]);
    joined[j] = touched ? Math.min(Math.max(1, sum), links[j]) : 1;
  }
}

/** Point masses ρ of the sides. */
export function weighSides(
  { entry, first, last, contactsAtNode, joined }: LinkRows,
  { mass, response }: { readonly mass: Float64Array; readonly response: Float64Array },
  from: number,
  to: number,
): void {
  for (let j = from; j < to; j++) {
    const root = cbrt(joined[j]);
    for (let s = first[j], e = entry[j]; s < last[j]; s++, e++)
      mass[s] = response[s] > 0 ? root / (contactsAtNode[e] * response[s]) : 0;
  }
}

/** By rod of the scene, for those who ask for one. */
export function readJoined(out: Float64Array, rows: LinkRows, { rods }: LinkSet): void {
  for (let j = 0; j < rodsOf(rows); j++) out[rods[j]] = rows.joined[j];
}
