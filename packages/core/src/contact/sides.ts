/** The sides of a step's contacts, laid out for the bundles, and their forces. */
import type { Bundle, ContactPort } from '../model.ts';
import type { ContactSides } from '../port.ts';
import { PLACE, type SideArrays } from './admm.ts';
import type { Finder } from './find.ts';
import { type LinkGroup, sortLinks, writeLinkForces } from './linkLaw.ts';
import type { Link, Links } from './links.ts';
import { bytesOf, contactBytes, createRooms, cutContactRows, cutRows, type Rooms } from './rows.ts';
import type { ContactSet } from './set.ts';

/** Where a rod or a body of the scene is: its bundle, and its index there. */
export interface Place {
  readonly bundle: number;
  readonly index: number;
}

/** What laying out looks at, and what it counts in: all zero between two calls. */
export interface Layout {
  readonly finder: Finder;
  readonly bundles: readonly Bundle[];
  readonly placeOfRod: readonly Place[];
  /** Whether friction turns rods about their axes. */
  readonly rolling: boolean;
  /** The body that a contact's collider rides on. */
  readonly bodyOf: (set: ContactSet, c: number) => Place | undefined;
  readonly links: Links;
  /** Sides of each rod; contacts at each node and each body. */
  readonly perRod: Int32Array;
  readonly nodeCrowd: Int32Array;
  readonly bodyCrowd: readonly Int32Array[];
  /** Where sides are kept: two rooms a slot. */
  readonly rooms: Rooms;
}

export function createLayout(
  finder: Finder,
  bundles: readonly Bundle[],
  placeOfRod: readonly Place[],
  rolling: boolean,
  bodyOf: Layout['bodyOf'],
  links: Links,
): Layout {
  return {
    finder,
    bundles,
    placeOfRod,
    rolling,
    bodyOf,
    links,
    perRod: new Int32Array(placeOfRod.length),
    nodeCrowd: new Int32Array(finder.nodeCount),
    bodyCrowd: bundles.map(({ bodies }) => new Int32Array(bodies.length)),
    rooms: createRooms(),
  };
}

/** Rods of the contacts and links, by bundle and index; `perRod` counts their sides. */
function listRods({ perRod, placeOfRod, links }: Layout, set: ContactSet, linked: readonly Link[]): number[] {
  const list: number[] = [];
  for (let c = 0; c < set.count; c++) {
    if (perRod[set.rodA[c]]++ === 0) list.push(set.rodA[c]);
    if (set.rodB[c] >= 0 && perRod[set.rodB[c]]++ === 0) list.push(set.rodB[c]);
  }
  eachLinkSide(linked, (i) => {
    if (perRod[links.sideRod[i]]++ === 0) list.push(links.sideRod[i]);
  });
  return list.sort((r, q) => placeOfRod[r].bundle - placeOfRod[q].bundle || placeOfRod[r].index - placeOfRod[q].index);
}

/** Places of the first side of every rod (in `perRod`) and body; where each bundle's sides begin and end. */
function placeSides(layout: Layout, set: ContactSet, list: readonly number[]): { from: number[]; bodyFrom: number[] } {
  const { bundles, placeOfRod, perRod, bodyCrowd, bodyOf } = layout;
  // within a bundle, bodies come after rods, in the order of the contacts
  const bodyCount = bundles.map(() => 0);
  for (let c = 0; c < set.count; c++) {
    const body = bodyOf(set, c);
    if (!body) continue;
    bodyCount[body.bundle]++;
    bodyCrowd[body.bundle][body.index]++;
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

/** Sides of some links in turn: the number among those of all links, and among these. */
function eachLinkSide(linked: readonly Link[], action: (i: number, k: number) => void): void {
  let k = 0;
  for (const { firstSide, sideCount } of linked) for (let i = firstSide; i < firstSide + sideCount; i++) action(i, k++);
}

/** Contacts and sides of links at the busiest node, or body, of each contact and each side. Leaves the counts at zero. */
function measureCrowds(
  crowd: Float64Array,
  layout: Layout,
  set: ContactSet,
  linked: readonly Link[],
  linkCrowd: Int32Array,
): void {
  const { finder, nodeCrowd, bodyCrowd, bodyOf } = layout;
  const { sideRod, sideEdge, sideWeight } = layout.links;
  for (let more = 1; more >= 0; more--) {
    eachLinkSide(linked, (i, k) => {
      linkCrowd[k] = crowdSide(finder, nodeCrowd, sideRod[i], sideEdge[i], sideWeight[i], more);
    });
    for (let c = 0; c < set.count; c++) {
      let most = crowdSide(finder, nodeCrowd, set.rodA[c], set.edgeA[c], set.weightA[c], more);
      if (set.rodB[c] >= 0)
        most = Math.max(most, crowdSide(finder, nodeCrowd, set.rodB[c], set.edgeB[c], set.weightB[c], more));
      const body = bodyOf(set, c);
      if (body) most = Math.max(most, bodyCrowd[body.bundle][body.index]);
      crowd[c] = most;
    }
  }
  for (let c = 0; c < set.count; c++) {
    crowdSide(finder, nodeCrowd, set.rodA[c], set.edgeA[c], set.weightA[c], -1);
    if (set.rodB[c] >= 0) crowdSide(finder, nodeCrowd, set.rodB[c], set.edgeB[c], set.weightB[c], -1);
    const body = bodyOf(set, c);
    if (body) bodyCrowd[body.bundle][body.index] = 0;
  }
  eachLinkSide(linked, (i) => {
    crowdSide(finder, nodeCrowd, sideRod[i], sideEdge[i], sideWeight[i], -1);
  });
}

/** Memory for the sides, all zero: the caller's own, or what threads see where they take part. */
function makeRoom(
  { bundles, rooms }: Layout,
  systems: readonly Uint8Array[],
  from: readonly number[],
  each: number,
  slot: number | undefined,
): ArrayBufferLike {
  const bytes = each * from[bundles.length];
  for (let b = 0; b < bundles.length && slot !== undefined; b++) {
    if (from[b + 1] === from[b]) continue;
    const shared = bundles[b].contact?.room?.(slot, bytes, systems[b]);
    if (!shared) continue;
    new Uint8Array(shared, 0, bytes).fill(0);
    return shared;
  }
  return slot === undefined ? new ArrayBuffer(bytes) : rooms.take(2 * slot, bytes);
}

/**
 * Sides of all contacts and links, grouped by bundle and rod, in the order of the contacts, then of the links. `slot`: of the memory
 * that they are kept in until it is asked for again, see ContactPort.room; default: memory of their own.
 */
export function layOut(
  layout: Layout,
  set: ContactSet,
  systems: readonly Uint8Array[],
  linked: readonly Link[] = [],
  axes: 1 | 3 = 3,
  slot?: number,
): SideArrays {
  const { finder, bundles, placeOfRod, rolling, bodyOf, perRod } = layout;
  const { count } = set;
  const list = listRods(layout, set, linked);
  const { from, bodyFrom } = placeSides(layout, set, list);
  const total = from[bundles.length];
  const rows = cutRows(makeRoom(layout, systems, from, bytesOf(axes), slot), total, axes);
  const { rod, edge, weight, arm, force, mass, room, response, direction, start, velocity, right, copy, free } = rows;
  const bytes = contactBytes(total, count, axes);
  const own = slot === undefined ? new ArrayBuffer(bytes) : layout.rooms.take(2 * slot + 1, bytes);
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
  const linkSides = linked.reduce((sum, { sideCount }) => sum + sideCount, 0);
  const linkSide = new Int32Array(linkSides);
  const { fill, ...sorted } = sortLinks(linked, layout.links.room, linkSide);
  const links: LinkGroup = {
    ...sorted,
    links: linked,
    all: layout.links,
    joined: new Float64Array(linkSides > 0 ? placeOfRod.length : 0),
    drift: new Float64Array(linkSides > 0 ? 3 * placeOfRod.length : 0),
    whole: new Float64Array(9),
    side: linkSide,
    crowd: new Int32Array(linkSides),
    dt: 0,
    guessed: false,
  };
  eachLinkSide(linked, (i, k) => {
    const { sideRod, sideEdge, sideWeight, sideArm } = layout.links;
    const s = perRod[sideRod[i]]++;
    links.side[k] = s;
    rod[s] = placeOfRod[sideRod[i]].index;
    sceneRod[s] = sideRod[i];
    edge[s] = sideEdge[i];
    weight[s] = sideWeight[i];
    for (let m = 0; m < 3; m++) arm[3 * s + m] = sideArm[3 * i + m];
  });
  fill();
  for (const r of list) perRod[r] = 0;
  room.fill(Infinity);
  for (let c = 0; c < count && linkSides > 0; c++) {
    room[sideA[c]] = PLACE * set.size[c];
    if (sideB[c] >= 0) room[sideB[c]] = PLACE * set.size[c];
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
      ...(linkSides > 0 &&
        bundle.contact.partial && {
          goal: copy.subarray(3 * from[b], 3 * end),
          room: room.subarray(from[b], end),
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
  measureCrowds(kept.crowd, layout, set, linked, links.crowd);
  return {
    count: total,
    axes,
    sides,
    rod: sceneRod,
    sideA,
    sideB,
    mass,
    response,
    start,
    velocity,
    free,
    copy,
    right,
    ...kept,
    ...(linkSides > 0 && { links }),
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

/** Adds `more` to the count of contacts at the nodes of a side, and returns the larger. */
function crowdSide(finder: Finder, crowd: Int32Array, rod: number, edge: number, weight: number, more: number): number {
  const first = finder.nodeOffset[rod] + edge;
  const second = finder.nodeOffset[rod] + ((edge + 1) % finder.rods[rod].nodeCount);
  let most = 0;
  if (weight < 1) {
    crowd[first] += more;
    most = crowd[first];
  }
  if (weight > 0) {
    crowd[second] += more;
    most = Math.max(most, crowd[second]);
  }
  return most;
}

export function writeForces(set: ContactSet, arrays: SideArrays, dt: number): void {
  for (const { sides, from } of arrays.sides) {
    sides.force.fill(0);
    for (let c = 0; c < set.count; c++) {
      const a = arrays.sideA[c] - from;
      const b = arrays.sideB[c] - from;
      for (let k = 0; k < 3; k++) {
        const f = set.impulse[3 * c + k] / dt;
        if (a >= 0 && a < sides.count) sides.force[3 * a + k] = f;
        if (b >= 0 && b < sides.count) sides.force[3 * b + k] = -f;
      }
    }
    if (arrays.links) writeLinkForces(arrays.links, sides.force, from, sides.count);
  }
}
