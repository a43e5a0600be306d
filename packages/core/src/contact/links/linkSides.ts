/**
 * Link sides in the solver's arrays: by rod, after those of its contacts, in an order that never changes. All loops run over rods `from` to `to` of
 * the current group, so that threads can share them.
 */
import { cbrt } from '../../math/rounded/index.ts';
import { type LinkRows, rodsOf, setGroup } from './arrays.ts';
import type { LinkSet, Links } from './linkData.ts';

/** Makes a group of links the current one of the rows. The first side of each rod is set later. */
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

/** Link sides of a rod. */
export function countSides({ entryOfRod }: Pick<Links, 'entryOfRod'>, rod: number): number {
  return entryOfRod[rod + 1] - entryOfRod[rod];
}

/** Edges and weights of the sides, and the owner of each side. */
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
 * N, the number of its links that a rod moves together when a point of it is hit: the mass that responds there, divided by a link's share of the
 * rod's mass; 1 if the group has no contact. Linked rods move along, so the cloth is N times as heavy there as the fiber. ρ that are N times as
 * large suit contact but slow down everything else. Contacts use √N, links its cube root. Measured with drift.ts: 2 × 250 hairs take 347
 * iterations in the step of first contact with √N, 177 with the cube root, 117 with N^0.15; 2 × 50 in seven steps 860, 797, 782; but 2 × 100 in
 * three steps 429, 441 with N^0.35, 586. Without drift.ts and with √N for both, cloths of 40, 60 and 100 fibers per direction needed it to stay
 * below 300 iterations.
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

/** By rod of the scene. */
export function readJoined(out: Float64Array, rows: LinkRows, { rods }: LinkSet): void {
  for (let j = 0; j < rodsOf(rows); j++) out[rods[j]] = rows.joined[j];
}
