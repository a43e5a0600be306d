/** Lays out the sides of an island's contacts and links for the bundles, and writes the forces at them. */
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
import { countAtLinks, countAtSide, countContactsAtNodes } from './contactsAtNodes.ts';
import {
  type BufferPool,
  type BundleSides,
  bytesOf,
  type ContactRows,
  contactBytes,
  createBufferPool,
  cutContactRows,
  cutRows,
  type SideArrays,
  type SideRows,
} from './sideArrays.ts';

/** Inputs of the layout, and its counters, which are all zero between two calls. */
export interface SideLayout {
  readonly finder: Finder;
  readonly bundles: readonly Bundle[];
  readonly placeOfRod: readonly BundlePlace[];
  /** True if friction exerts torques about the rods' axes. */
  readonly rolling: boolean;
  /** Body that a contact's collider is attached to. */
  readonly bodyOf: (set: ContactSet, c: number) => BundlePlace | undefined;
  readonly links: Links;
  /** Number of sides of each rod; number of contacts at each node and each body. */
  readonly perRod: Int32Array;
  readonly nodeContacts: Int32Array;
  /** Number of link sides at each node, and rods with more of them than contacts of the last layout. */
  readonly nodeLinks: Int32Array;
  readonly rodsWithContacts: Set<number>;
  readonly bodyContacts: readonly Int32Array[];
  /** Memory of the sides: two buffers per slot. */
  readonly buffers: BufferPool;
}

type LayoutParts = Pick<SideLayout, 'finder' | 'bundles' | 'placeOfRod' | 'rolling' | 'bodyOf' | 'links'>;

export function createLayout({ finder, bundles, placeOfRod, rolling, bodyOf, links }: LayoutParts): SideLayout {
  const nodeLinks = new Int32Array(links.count > 0 ? finder.nodeCount : 0);
  const layout: SideLayout = {
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

/** Rods of the contacts and links, by bundle and index; `perRod` counts their sides. */
function listRods({ perRod, placeOfRod, links }: SideLayout, set: ContactSet, linked: LinkSet | undefined): number[] {
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

/** Index of the first side of every rod (in `perRod`) and body; start and end of each bundle's sides. */
function placeSides(
  layout: SideLayout,
  set: ContactSet,
  list: readonly number[],
): { from: number[]; bodyFrom: number[] } {
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

/** Zeroed memory for the sides: local, or shared if threads take part. */
function allocateSides(
  { bundles, buffers }: SideLayout,
  { systems, slot }: SideRequest,
  from: readonly number[],
  each: number,
): ArrayBufferLike {
  const bytes = each * from[bundles.length];
  for (let b = 0; b < bundles.length && slot !== undefined; b++) {
    if (from[b + 1] === from[b]) continue;
    const shared = threadsOf(bundles[b].contact)?.sideBuffer(slot, bytes, systems[b]);
    if (shared) return shared;
  }
  return slot === undefined ? new ArrayBuffer(bytes) : buffers.take(2 * slot, bytes);
}

/** Arrays of all sides, the rod of the scene of each, and the sides of each contact. */
interface LaidOut extends SideRows, Pick<ContactRows, 'sceneRod' | 'sideA' | 'sideB'> {
  readonly axes: 1 | 3;
}

/** Writes the sides of the contacts; `perRod` and `bodyFrom` hold the next free side of each rod and of each bundle's bodies. */
function writeContactSides(layout: SideLayout, set: ContactSet, laid: LaidOut, bodyFrom: number[]): void {
  const { finder, placeOfRod, rolling, bodyOf, perRod } = layout;
  const { axes, rod, sceneRod, edge, weight, direction, arm, sideA, sideB } = laid;
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
  for (let c = 0; c < set.count; c++) {
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
}

/** Reserves the sides of the links after those of the contacts, and sets how far contacts may end from their goals. */
function reserveLinkSides(
  { links, placeOfRod, perRod }: SideLayout,
  set: ContactSet,
  laid: LaidOut,
  linked: LinkSet,
): void {
  const { rod, sceneRod, clearance, sideA, sideB } = laid;
  selectLinks(links, linked);
  const { first, last } = links.rows;
  linked.rods.forEach((r, j) => {
    first[j] = perRod[r];
    last[j] = perRod[r] + countSides(links, r);
    rod.fill(placeOfRod[r].index, first[j], last[j]);
    sceneRod.fill(r, first[j], last[j]);
  });
  for (let c = 0; c < set.count; c++) {
    clearance[sideA[c]] = POSITION_TOLERANCE * set.size[c];
    if (sideB[c] >= 0) clearance[sideB[c]] = POSITION_TOLERANCE * set.size[c];
  }
}

/** Each bundle's part of the arrays. */
function viewBundles(
  { bundles }: SideLayout,
  { systems, linked }: SideRequest,
  from: readonly number[],
  laid: LaidOut,
): BundleSides[] {
  const { axes, direction, copy, clearance } = laid;
  return bundles.flatMap(({ contact: port }, b) => {
    const begin = from[b];
    const end = from[b + 1];
    if (!port || end === begin) return [];
    const sides: ContactSides = {
      count: end - begin,
      rod: laid.rod.subarray(begin, end),
      edge: laid.edge.subarray(begin, end),
      weight: laid.weight.subarray(begin, end),
      arm: laid.arm.subarray(3 * begin, 3 * end),
      force: laid.force.subarray(3 * begin, 3 * end),
      mass: laid.mass.subarray(begin, end),
      ...(axes === 1 && { direction: direction.subarray(3 * begin, 3 * end) }),
      ...(linked &&
        port.partial && { goal: copy.subarray(3 * begin, 3 * end), clearance: clearance.subarray(begin, end) }),
    };
    return [
      {
        port,
        sides,
        from: begin,
        systems: systems[b],
        response: laid.response.subarray(begin, end),
        reached: laid.reached.subarray(axes * begin, axes * end),
        velocityChange: laid.velocityChange.subarray(axes * begin, axes * end),
        right: laid.right.subarray(axes * begin, axes * end),
      },
    ];
  });
}

/** Which sides to lay out, and where. */
export interface SideRequest {
  /** Marks of the systems in each bundle. */
  readonly systems: readonly Uint8Array[];
  /** Links that take part. */
  readonly linked?: LinkSet | undefined;
  /** Numbers per side: 1 along the normal (no friction), or 3. */
  readonly axes?: 1 | 3;
  /**
   * Memory slot that holds the sides until the next layout in the same slot, see ContactThreads.sideBuffer. Without one they get separate memory.
   */
  readonly slot?: number;
}

/** Sides of all contacts and links, grouped by bundle and rod, in the order of the contacts, then of the links. */
export function layOutSides(layout: SideLayout, set: ContactSet, request: SideRequest): SideArrays {
  const { linked, axes = 3, slot } = request;
  const { bundles, perRod } = layout;
  const list = listRods(layout, set, linked);
  const { from, bodyFrom } = placeSides(layout, set, list);
  const total = from[bundles.length];
  const rows = cutRows(allocateSides(layout, request, from, bytesOf(axes)), total, axes);
  const bytes = contactBytes(total, set.count, axes);
  const own = slot === undefined ? new ArrayBuffer(bytes) : layout.buffers.take(2 * slot + 1, bytes);
  const contactRows = cutContactRows(own, total, set.count, axes);
  const { sceneRod, sideA, sideB, normalImpulse, impulseStart, omega, contactsAtNode, isActive } = contactRows;
  const laid: LaidOut = { ...rows, sceneRod, sideA, sideB, axes };
  sceneRod.fill(-1);
  sideB.fill(-1);
  writeContactSides(layout, set, laid, bodyFrom);
  rows.clearance.fill(Infinity);
  if (linked) reserveLinkSides(layout, set, laid, linked);
  for (const r of list) perRod[r] = 0;
  const byBundle = viewBundles(layout, request, from, laid);
  const links = linked && groupLinks(layout, linked, byBundle);
  if (links) {
    loopLinks(links, PLACE_SIDES, { ...rows });
    for (const { perEnd, sideCount, firstSide } of links.set.others)
      for (let i = 0; i < sideCount && perEnd === 3; i++)
        for (let m = 0; m < 3; m++)
          rows.arm[3 * links.rows.otherSide[firstSide + i] + m] = layout.links.sideArm[3 * (firstSide + i) + m];
  }
  isActive.fill(1);
  countContactsAtNodes(layout, set, { contactsAtNode, isActive, links });
  const { edge, weight, force, mass, response, reached, velocityChange, right, copy, lawInput } = rows;
  return {
    count: total,
    axes,
    bundles: byBundle,
    rod: sceneRod,
    sideA,
    sideB,
    mass,
    response,
    edge,
    weight,
    force,
    reached,
    velocityChange,
    lawInput,
    copy,
    right,
    normalImpulse,
    impulseStart,
    omega,
    contactsAtNode,
    isActive,
    links,
  };
}

/** Links of an island; threads take part if the sides are in shared memory. */
function groupLinks({ links, placeOfRod }: SideLayout, set: LinkSet, bundles: readonly BundleSides[]): LinkGroup {
  return {
    set,
    all: links,
    joined: new Float64Array(placeOfRod.length),
    whole: new Float64Array(9),
    rows: links.rows,
    shared:
      links.shared && bundles.length === 1 ? threadsOf(bundles[0].port)?.solverLoops(bundles[0].sides) : undefined,
    dt: 0,
    guessed: false,
  };
}

/** Sides of the bundles that have contacts. */
export function portsOf({ bundles, placeOfRod, bodyOf }: SideLayout, set: ContactSet): ContactPort[] {
  const touched = new Uint8Array(bundles.length);
  for (let c = 0; c < set.count; c++) {
    touched[placeOfRod[set.rodA[c]].bundle] = 1;
    if (set.rodB[c] >= 0) touched[placeOfRod[set.rodB[c]].bundle] = 1;
    const body = bodyOf(set, c);
    if (body) touched[body.bundle] = 1;
  }
  return bundles.flatMap(({ contact }, b) => (touched[b] && contact ? [contact] : []));
}

export function writeForces(set: ContactSet, arrays: SideArrays, dt: number): void {
  for (const { sides, from } of arrays.bundles) {
    // every side belongs to a contact or a link, and links write their own
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
