/** The sides of a step's contacts, laid out for the bundles; their biases, forces and velocities. */
import type { Bundle } from '../model.ts';
import type { ContactSides } from '../port.ts';
import type { SideArrays } from './admm.ts';
import type { Finder } from './find.ts';
import { type Link, type Links, writeLinkForces } from './links.ts';
import type { ContactSet } from './set.ts';

/** Where a rod or a body of the scene is: its bundle, and its index there. */
export interface Place {
  readonly bundle: number;
  readonly index: number;
}

/** Sides of all contacts, grouped by bundle and rod, in the order of the contacts. */
export function layOut(
  finder: Finder,
  set: ContactSet,
  bundles: readonly Bundle[],
  placeOfRod: readonly Place[],
  touched: readonly Uint8Array[],
  nodeCrowd: Int32Array,
  rolling: boolean,
  bodyOf: (set: ContactSet, c: number) => Place | undefined,
  links: Links | undefined = undefined,
  linked: readonly Link[] = [],
): SideArrays {
  const { count } = set;
  // counting sort by (bundle, rod)
  const order = placeOfRod
    .map((_, r) => r)
    .sort((r, q) => placeOfRod[r].bundle - placeOfRod[q].bundle || placeOfRod[r].index - placeOfRod[q].index);
  const rodStart = new Int32Array(placeOfRod.length + 1);
  const perRod = new Int32Array(placeOfRod.length);
  for (let c = 0; c < count; c++) {
    perRod[set.rodA[c]]++;
    if (set.rodB[c] >= 0) perRod[set.rodB[c]]++;
  }
  let linkSides = 0;
  for (const { firstSide, sideCount } of linked) {
    linkSides += sideCount;
    for (let i = 0; links && i < sideCount; i++) perRod[links.sideRod[firstSide + i]]++;
  }
  // within a bundle, bodies come after rods, in the order of the contacts
  const bodyCount = bundles.map(() => 0);
  const bodyCrowd = bundles.map(({ bodies }) => new Int32Array(bodies.length));
  for (let c = 0; c < count; c++) {
    const body = bodyOf(set, c);
    if (!body) continue;
    bodyCount[body.bundle]++;
    bodyCrowd[body.bundle][body.index]++;
  }
  let total = 0;
  const bundleStart = bundles.map(() => 0);
  const bundleEnd = bundles.map(() => 0);
  const bodyStart = bundles.map(() => 0);
  bundles.forEach((_, b) => {
    bundleStart[b] = total;
    for (const r of order) {
      if (placeOfRod[r].bundle !== b) continue;
      rodStart[r] = total;
      total += perRod[r];
    }
    bodyStart[b] = total;
    total += bodyCount[b];
    bundleEnd[b] = total;
  });
  const rod = new Int32Array(total);
  const edge = new Int32Array(total);
  const weight = new Float64Array(total);
  const arm = new Float64Array(3 * total);
  const force = new Float64Array(3 * total);
  const mass = new Float64Array(total);
  const sideA = new Int32Array(count);
  const sideB = new Int32Array(count).fill(-1);
  const place = (r: number, e: number, w: number, lever: Float64Array, o: number): number => {
    const s = rodStart[r]++;
    rod[s] = placeOfRod[r].index;
    edge[s] = e;
    weight[s] = w;
    if (rolling) {
      const t = finder.samples[r].edgeTangent;
      const [x, y, z] = [t[3 * e], t[3 * e + 1], t[3 * e + 2]];
      arm[3 * s] = y * lever[o + 2] - z * lever[o + 1];
      arm[3 * s + 1] = z * lever[o] - x * lever[o + 2];
      arm[3 * s + 2] = x * lever[o + 1] - y * lever[o];
    }
    return s;
  };
  nodeCrowd.fill(0);
  for (let c = 0; c < count; c++) {
    sideA[c] = place(set.rodA[c], set.edgeA[c], set.weightA[c], set.armA, 3 * c);
    crowdSide(finder, nodeCrowd, set.rodA[c], set.edgeA[c], set.weightA[c], 1);
    const body = bodyOf(set, c);
    if (body) {
      const s = bodyStart[body.bundle]++;
      sideB[c] = s;
      rod[s] = -1 - body.index;
      for (let k = 0; k < 3; k++) arm[3 * s + k] = set.point[3 * c + k];
    }
    if (set.rodB[c] < 0) continue;
    sideB[c] = place(set.rodB[c], set.edgeB[c], set.weightB[c], set.armB, 3 * c);
    crowdSide(finder, nodeCrowd, set.rodB[c], set.edgeB[c], set.weightB[c], 1);
  }
  const linkSide = new Int32Array(linkSides);
  const linkCrowd = new Int32Array(linkSides);
  const eachLinkSide = (action: (links: Links, i: number, k: number) => void): void => {
    let k = 0;
    if (links)
      for (const { firstSide, sideCount } of linked)
        for (let i = firstSide; i < firstSide + sideCount; i++) action(links, i, k++);
  };
  eachLinkSide(({ sideRod, sideEdge, sideWeight, sideArm }, i, k) => {
    const s = rodStart[sideRod[i]]++;
    linkSide[k] = s;
    rod[s] = placeOfRod[sideRod[i]].index;
    edge[s] = sideEdge[i];
    weight[s] = sideWeight[i];
    for (let m = 0; m < 3; m++) arm[3 * s + m] = sideArm[3 * i + m];
    crowdSide(finder, nodeCrowd, sideRod[i], sideEdge[i], sideWeight[i], 1);
  });
  eachLinkSide(({ sideRod, sideEdge, sideWeight }, i, k) => {
    linkCrowd[k] = crowdSide(finder, nodeCrowd, sideRod[i], sideEdge[i], sideWeight[i], 0);
  });
  const crowd = new Float64Array(count);
  for (let c = 0; c < count; c++) {
    crowd[c] = crowdSide(finder, nodeCrowd, set.rodA[c], set.edgeA[c], set.weightA[c], 0);
    const body = bodyOf(set, c);
    if (body) crowd[c] = Math.max(crowd[c], bodyCrowd[body.bundle][body.index]);
    if (set.rodB[c] >= 0)
      crowd[c] = Math.max(crowd[c], crowdSide(finder, nodeCrowd, set.rodB[c], set.edgeB[c], set.weightB[c], 0));
  }
  const sides = bundles.flatMap((bundle, b) => {
    const from = bundleStart[b];
    const end = bundleEnd[b];
    if (!bundle.contact || end === from) return [];
    const view: ContactSides = {
      count: end - from,
      rod: rod.subarray(from, end),
      edge: edge.subarray(from, end),
      weight: weight.subarray(from, end),
      arm: arm.subarray(3 * from, 3 * end),
      force: force.subarray(3 * from, 3 * end),
      mass: mass.subarray(from, end),
    };
    return [{ port: bundle.contact, sides: view, from, systems: touched[b] }];
  });
  return {
    count: total,
    sides,
    sideA,
    sideB,
    mass,
    response: new Float64Array(total),
    start: new Float64Array(3 * total),
    velocity: new Float64Array(3 * total),
    free: new Float64Array(3 * total),
    copy: new Float64Array(3 * total),
    right: new Float64Array(3 * total),
    impulseStart: new Float64Array(3 * count),
    omega: new Float64Array(count),
    crowd,
    ...(links && linkSides > 0 && { links: { links: linked, side: linkSide, crowd: linkCrowd, dt: 0 } }),
  };
}

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

/** What the normal velocity may fall to: a gap may close, an overlap is pushed out gently, an impact rebounds. */
export function setBias(set: ContactSet, dt: number, gravity: readonly number[], threshold: number): void {
  for (let c = 0; c < set.count; c++) {
    const gap = set.gap[c];
    const size = set.size[c];
    set.bias[c] = gap > 0 ? gap / dt : -Math.min(0.2 * Math.max(0, -gap - 0.01 * size), 0.05 * size) / dt;
    const speed = set.approach[c];
    if (set.restitution[c] === 0 || speed >= -threshold || gap > -dt * speed) continue;
    // after the rebound it is slowed by gravity for what is left of the step
    const n = 3 * c;
    const pull = gravity[0] * set.normal[n] + gravity[1] * set.normal[n + 1] + gravity[2] * set.normal[n + 2];
    set.bias[c] = Math.min(set.bias[c], set.restitution[c] * speed - dt * pull);
  }
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

export function readVelocities(arrays: SideArrays, out: Float64Array): void {
  for (const { port, sides, from } of arrays.sides)
    port.readVelocity(out.subarray(3 * from, 3 * (from + sides.count)), sides);
}

/** Whether the velocities that the rods came to are those that the copies have. */
export function isPredicted(arrays: SideArrays, limit: number): boolean {
  const { start, copy, count } = arrays;
  for (let k = 0; k < 3 * count; k++) if (!(Math.abs(start[k] - copy[k]) <= 10 * limit)) return false;
  return true;
}

/** What slides at the end of the step has dynamic friction in the next. */
export function markSliding(set: ContactSet, arrays: SideArrays, scale: number): void {
  const { start, sideA, sideB } = arrays;
  for (let c = 0; c < set.count; c++) {
    const o = 3 * c;
    let un = 0;
    let u2 = 0;
    for (let k = 0; k < 3; k++) {
      const b = sideB[c];
      const u = start[3 * sideA[c] + k] - (b >= 0 ? start[3 * b + k] : set.surface[o + k]);
      un += u * set.normal[o + k];
      u2 += u * u;
    }
    const slip = Math.sqrt(Math.max(0, u2 - un * un));
    set.sliding[c] = slip > 0.05 * scale + 1e-6 ? 1 : 0;
  }
}
