/** The sides of a step's contacts, laid out for the bundles, and their forces. */
import type { Bundle, ContactPort } from '../../model.ts';
import type { ContactSides } from '../../port.ts';
import { threadsOf } from '../../threads/contactThreads.ts';
import type { BundlePlace } from '../bundlePlace.ts';
import type { ContactSet } from '../contactSet.ts';
import type { Finder } from '../detect/finderData.ts';
import { loopLinks, writeLinkForces } from '../links/law.ts';
import type { LinkGroup, LinkSet, Links } from '../links/linkData.ts';
import { countSides, selectLinks } from '../links/linkSides.ts';
import { PLACE_SIDES } from '../links/loops.ts';
import { POSITION_TOLERANCE } from './admm.ts';
import {
  type BufferPool,
  bytesOf,
  contactBytes,
  createBufferPool,
  cutContactRows,
  cutRows,
  type SideArrays,
} from './sideArrays.ts';

/** What laying out looks at, and what it counts in: all zero between two calls. */
export interface Layout {
  readonly finder: Finder;
  readonly bundles: readonly Bundle[];
  readonly placeOfRod: readonly BundlePlace[];
  /** Whether friction turns rods about their axes. */
  readonly rolling: boolean;
  /** The body that a contact's collider rides on. */
  readonly bodyOf: (set: ContactSet, c: number) => BundlePlace | undefined;
  readonly links: Links;
  /** Sides of each rod; contacts at each node and each body. */
  readonly perRod: Int32Array;
  readonly nodeContacts: Int32Array;
  /** Sides of links at each node, and rods that have more in the links' rows, for contacts of the last layout. */
  readonly nodeLinks: Int32Array;
  readonly rodsWithContacts: Set<number>;
  readonly bodyContacts: readonly Int32Array[];
  /** Where sides are kept: two rooms a slot. */
  readonly buffers: BufferPool;
}

export function createLayout(
  finder: Finder,
  bundles: readonly Bundle[],
  placeOfRod: readonly BundlePlace[],
  rolling: boolean,
  bodyOf: Layout['bodyOf'],
  links: Links,
): Layout {
  const nodeLinks = new Int32Array(links.count > 0 ? finder.nodeCount : 0);
  const layout: Layout = {
    finder,
    bundles,
    placeOfRod,
    rolling,
    bodyOf,
    links,
    perRod: new Int32Array(placeOfRod.length),
    nodeContacts: new Int32Array(finder.nodeCount),
    nodeLinks,
    rodsWithContacts: new Set(),
    bodyContacts: bundles.map(({ bodies }) => new Int32Array(bodies.length)),
    buffers: createBufferPool(),
  };
  const { edge, weight } = links.rows;
  for (const r of links.every.rods)
    for (let e = links.entryOfRod[r]; e < links.entryOfRod[r + 1]; e++)
      countAtSide(finder, nodeLinks, r, edge[e], weight[e], 1);
  for (const r of links.every.rods) countAtLinks(layout, r);
  return layout;
}

/** Contacts and sides at the busiest node of each of a rod's sides of links. */
function countAtLinks({ finder, nodeContacts, nodeLinks, links: { rows, entryOfRod } }: Layout, rod: number): void {
  const { nodeOffset, rods } = finder;
  for (let e = entryOfRod[rod]; e < entryOfRod[rod + 1]; e++) {
    const first = nodeOffset[rod] + rows.edge[e];
    const second = nodeOffset[rod] + ((rows.edge[e] + 1) % rods[rod].nodeCount);
    const w = rows.weight[e];
    const here = w < 1 ? nodeContacts[first] + nodeLinks[first] : 0;
    rows.contactsAtNode[e] = w > 0 ? Math.max(here, nodeContacts[second] + nodeLinks[second]) : here;
  }
}

/** Rods of the contacts and links, by bundle and index; `perRod` counts their sides. */
function listRods({ perRod, placeOfRod, links }: Layout, set: ContactSet, linked: LinkSet | undefined): number[] {
  const list: number[] = [];
  for (const r of linked?.rods ?? []) {
    perRod[r] = countSides(links, r);
    list.push(r);
  }
  for (let c = 0; c < set.count; c++) {
    if (perRod[set.rodA[c]]++ === 0) list.push(set.rodA[c]);
    if (set.rodB[c] >= 0 && perRod[set.rodB[c]]++ === 0) list.push(set.rodB[c]);
  }
  return list.sort((r, q) => placeOfRod[r].bundle - placeOfRod[q].bundle || placeOfRod[r].index - placeOfRod[q].index);
}

/** Places of the first side of every rod (in `perRod`) and body; where each bundle's sides begin and end. */
function placeSides(layout: Layout, set: ContactSet, list: readonly number[]): { from: number[]; bodyFrom: number[] } {
  const { bundles, placeOfRod, perRod, bodyOf } = layout;
  // within a bundle, bodies come after rods, in the order of the contacts
  const bodyCount = bundles.map(() => 0);
  for (let c = 0; c < set.count; c++) {
    const body = bodyOf(set, c);
    if (!body) continue;
    bodyCount[body.bundle]++;
  }
  let total = 0;
  let next = 0;
  const from: number[] = [];
  const bodyFrom: number[] = [];
  for (let b = 0; b < bundles.length; b++) {
    from.push(total);
    for (; next < list.length && placeOfRod[list[next]].bundle === b; next++) {
      const count = perRod[list[next]];
      perRod[list[next]] = total;
      total += count;
    }
    bodyFrom.push(total);
    total += bodyCount[b];
  }
  from.push(total);
  return { from, bodyFrom };
}

/** Contacts and sides of links at the busiest node, or body, of each contact and each side. Leaves the counts at zero. */
function countContactsAtNodes(
  crowd: Float64Array,
  layout: Layout,
  set: ContactSet,
  linked: boolean,
  awake: Uint8Array,
): void {
  const { finder, nodeContacts, bodyContacts, bodyOf, nodeLinks, rodsWithContacts } = layout;
  const links = linked ? nodeLinks : undefined;
  for (let more = 1; more >= 0; more--) {
    for (let c = 0; c < set.count; c++) {
      if (!awake[c]) continue;
      let most = countAtSide(finder, nodeContacts, set.rodA[c], set.edgeA[c], set.weightA[c], more, links);
      if (set.rodB[c] >= 0)
        most = Math.max(
          most,
          countAtSide(finder, nodeContacts, set.rodB[c], set.edgeB[c], set.weightB[c], more, links),
        );
      const body = bodyOf(set, c);
      if (body) {
        bodyContacts[body.bundle][body.index] += more;
        most = Math.max(most, bodyContacts[body.bundle][body.index]);
      }
      crowd[c] = most;
    }
  }
  if (linked) {
    // those that had contacts in the last layout, and those that have
    const before = [...rodsWithContacts];
    rodsWithContacts.clear();
    for (let c = 0; c < set.count; c++) {
      if (!awake[c]) continue;
      rodsWithContacts.add(set.rodA[c]);
      if (set.rodB[c] >= 0) rodsWithContacts.add(set.rodB[c]);
    }
    for (const r of new Set([...before, ...rodsWithContacts])) countAtLinks(layout, r);
  }
  for (let c = 0; c < set.count; c++) {
    if (!awake[c]) continue;
    countAtSide(finder, nodeContacts, set.rodA[c], set.edgeA[c], set.weightA[c], -1);
    if (set.rodB[c] >= 0) countAtSide(finder, nodeContacts, set.rodB[c], set.edgeB[c], set.weightB[c], -1);
    const body = bodyOf(set, c);
    if (body) bodyContacts[body.bundle][body.index] = 0;
  }
}

/** The crowds again, of contacts that are awake. */
export function recountContactsAtNodes(
  layout: Layout,
  set: ContactSet,
  { contactsAtNode, awake, links }: SideArrays,
): void {
  countContactsAtNodes(contactsAtNode, layout, set, links !== undefined, awake);
}

/** Memory for the sides, all zero: the caller's own, or what threads see where they take part. */
function allocateSides(
  { bundles, buffers }: Layout,
  systems: readonly Uint8Array[],
  from: readonly number[],
  each: number,
  slot: number | undefined,
): ArrayBufferLike {
  const bytes = each * from[bundles.length];
  for (let b = 0; b < bundles.length && slot !== undefined; b++) {
    if (from[b + 1] === from[b]) continue;
    const shared = threadsOf(bundles[b].contact)?.sideBuffer(slot, bytes, systems[b]);
    if (shared) return shared;
  }
  return slot === undefined ? new ArrayBuffer(bytes) : buffers.take(2 * slot, bytes);
}

/**
 * Sides of all contacts and links, grouped by bundle and rod, in the order of the contacts, then of the links. `slot`: of the memory
 * that they are kept in until it is asked for again, see ContactThreads.sideBuffer; default: memory of their own.
 */
export function layOutSides(
  layout: Layout,
  set: ContactSet,
  systems: readonly Uint8Array[],
  linked: LinkSet | undefined,
  axes: 1 | 3 = 3,
  slot?: number,
): SideArrays {
  const { finder, bundles, placeOfRod, rolling, bodyOf, perRod } = layout;
  const { count } = set;
  const list = listRods(layout, set, linked);
  const { from, bodyFrom } = placeSides(layout, set, list);
  const total = from[bundles.length];
  const rows = cutRows(allocateSides(layout, systems, from, bytesOf(axes), slot), total, axes);
  const { rod, edge, weight, arm, force, mass, room, response, direction, start, velocity, right, copy, free } = rows;
  const bytes = contactBytes(total, count, axes);
  const own = slot === undefined ? new ArrayBuffer(bytes) : layout.buffers.take(2 * slot + 1, bytes);
  const { sceneRod, sideA, sideB, ...kept } = cutContactRows(own, total, count, axes);
  sceneRod.fill(-1);
  sideB.fill(-1);
  const place = (r: number, e: number, w: number, lever: number, o: number): number => {
    const s = perRod[r]++;
    rod[s] = placeOfRod[r].index;
    sceneRod[s] = r;
    edge[s] = e;
    weight[s] = w;
    for (let k = 0; k < 3 && axes === 1; k++) direction[3 * s + k] = set.normal[o + k];
    if (rolling) {
      const t = finder.samples[r].edgeTangent;
      const [x, y, z] = [t[3 * e], t[3 * e + 1], t[3 * e + 2]];
      const n = set.normal;
      arm[3 * s] = y * (lever * n[o + 2]) - z * (lever * n[o + 1]);
      arm[3 * s + 1] = z * (lever * n[o]) - x * (lever * n[o + 2]);
      arm[3 * s + 2] = x * (lever * n[o + 1]) - y * (lever * n[o]);
    }
    return s;
  };
  for (let c = 0; c < count; c++) {
    sideA[c] = place(set.rodA[c], set.edgeA[c], set.weightA[c], set.leverA[c], 3 * c);
    const body = bodyOf(set, c);
    if (body) {
      const s = bodyFrom[body.bundle]++;
      sideB[c] = s;
      rod[s] = -1 - body.index;
      for (let k = 0; k < 3; k++) arm[3 * s + k] = set.point[3 * c + k];
    }
    if (set.rodB[c] >= 0) sideB[c] = place(set.rodB[c], set.edgeB[c], set.weightB[c], set.leverB[c], 3 * c);
  }
  if (linked) {
    selectLinks(layout.links, linked);
    const { rows: own } = layout.links;
    linked.rods.forEach((r, j) => {
      own.first[j] = perRod[r];
      own.last[j] = perRod[r] + countSides(layout.links, r);
      rod.fill(placeOfRod[r].index, own.first[j], own.last[j]);
      sceneRod.fill(r, own.first[j], own.last[j]);
    });
  }
  for (const r of list) perRod[r] = 0;
  room.fill(Infinity);
  for (let c = 0; c < count && linked; c++) {
    room[sideA[c]] = POSITION_TOLERANCE * set.size[c];
    if (sideB[c] >= 0) room[sideB[c]] = POSITION_TOLERANCE * set.size[c];
  }
  const sides = bundles.flatMap((bundle, b) => {
    const end = from[b + 1];
    if (!bundle.contact || end === from[b]) return [];
    const view: ContactSides = {
      count: end - from[b],
      rod: rod.subarray(from[b], end),
      edge: edge.subarray(from[b], end),
      weight: weight.subarray(from[b], end),
      arm: arm.subarray(3 * from[b], 3 * end),
      force: force.subarray(3 * from[b], 3 * end),
      mass: mass.subarray(from[b], end),
      ...(axes === 1 && { direction: direction.subarray(3 * from[b], 3 * end) }),
      ...(linked &&
        bundle.contact.partial && {
          goal: copy.subarray(3 * from[b], 3 * end),
          clearance: room.subarray(from[b], end),
        }),
    };
    return [
      {
        port: bundle.contact,
        sides: view,
        from: from[b],
        systems: systems[b],
        response: response.subarray(from[b], end),
        start: start.subarray(axes * from[b], axes * end),
        velocity: velocity.subarray(axes * from[b], axes * end),
        right: right.subarray(axes * from[b], axes * end),
      },
    ];
  });
  const links = linked && groupLinks(layout, linked, sides);
  if (links) {
    loopLinks(links, PLACE_SIDES, { ...rows });
    for (const { perEnd, sideCount, firstSide } of links.set.others)
      for (let i = 0; i < sideCount && perEnd === 3; i++)
        for (let m = 0; m < 3; m++)
          arm[3 * links.rows.otherSide[firstSide + i] + m] = layout.links.sideArm[3 * (firstSide + i) + m];
  }
  kept.awake.fill(1);
  countContactsAtNodes(kept.contactsAtNode, layout, set, linked !== undefined, kept.awake);
  return {
    count: total,
    axes,
    sides,
    rod: sceneRod,
    sideA,
    sideB,
    mass,
    response,
    edge,
    weight,
    force,
    start,
    velocity,
    free,
    copy,
    right,
    ...kept,
    ...(links && { links }),
  };
}

/** Links of a group; threads take part where they see its sides. */
function groupLinks({ links, placeOfRod }: Layout, set: LinkSet, sides: SideArrays['sides']): LinkGroup {
  return {
    set,
    all: links,
    joined: new Float64Array(placeOfRod.length),
    whole: new Float64Array(9),
    rows: links.rows,
    shared: links.shared && sides.length === 1 ? threadsOf(sides[0].port)?.solverLoops(sides[0].sides) : undefined,
    dt: 0,
    guessed: false,
  };
}

/** Of the bundles that contacts have to do with. */
export function portsOf({ bundles, placeOfRod, bodyOf }: Layout, set: ContactSet): ContactPort[] {
  const touched = new Uint8Array(bundles.length);
  for (let c = 0; c < set.count; c++) {
    touched[placeOfRod[set.rodA[c]].bundle] = 1;
    if (set.rodB[c] >= 0) touched[placeOfRod[set.rodB[c]].bundle] = 1;
    const body = bodyOf(set, c);
    if (body) touched[body.bundle] = 1;
  }
  return bundles.flatMap(({ contact }, b) => (touched[b] && contact ? [contact] : []));
}

/** Those of a bundle that nothing touches. */
export const NO_SIDES: ContactSides = {
  count: 0,
  rod: new Int32Array(0),
  edge: new Int32Array(0),
  weight: new Float64Array(0),
  arm: new Float64Array(0),
  force: new Float64Array(0),
  mass: new Float64Array(0),
};

/** Adds `more` to the count of contacts at the nodes of a side, and returns the larger, with `others` there. */
function countAtSide(
  finder: Finder,
  crowd: Int32Array,
  rod: number,
  edge: number,
  weight: number,
  more: number,
  others?: Int32Array,
): number {
  const first = finder.nodeOffset[rod] + edge;
  const second = finder.nodeOffset[rod] + ((edge + 1) % finder.rods[rod].nodeCount);
  let most = 0;
  if (weight < 1) {
    crowd[first] += more;
    most = crowd[first] + (others ? others[first] : 0);
  }
  if (weight > 0) {
    crowd[second] += more;
    most = Math.max(most, crowd[second] + (others ? others[second] : 0));
  }
  return most;
}

export function writeForces(set: ContactSet, arrays: SideArrays, dt: number): void {
  for (const { sides, from } of arrays.sides) {
    // every side is a contact's or a link's, and links write theirs
    if (!arrays.links) sides.force.fill(0);
    for (let c = 0; c < set.count; c++) {
      const a = arrays.sideA[c] - from;
      const b = arrays.sideB[c] - from;
      for (let k = 0; k < 3; k++) {
        const f = set.impulse[3 * c + k] / dt;
        if (a >= 0 && a < sides.count) sides.force[3 * a + k] = f;
        if (b >= 0 && b < sides.count) sides.force[3 * b + k] = -f;
      }
    }
  }
  if (arrays.links) writeLinkForces(arrays.links, arrays);
}
