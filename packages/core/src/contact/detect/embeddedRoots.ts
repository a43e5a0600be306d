/**
 * Rods that are pinned inside a collider: hair whose roots lie under the skin of a head, posts in the ground.
 *
 * The pinned node cannot leave the collider, so the collider ignores the rod from the pinned node to where the rod first leaves the collider. This is
 * decided when the world is created, node by node, and holds as long as the pin does. An edge that begins at such a node is ignored as well.
 * An open surface (a scalp) has no inside: there the rod is ignored up to its first passage through the surface, within a quarter of its length.
 * If a rod never leaves the collider, it is ignored over twice the depth of the pinned node; the rest is pushed out gently, like other overlaps.
 *
 * What happens without this: docs/notes/contact-solver.md#embedded-roots.
 */
import { createPinPose } from '../../scene/compiled.ts';
import { type Collider, findClosest, measureDistance, placeCollider } from '../shapes/collider.ts';
import { type Finder, gather, type Root } from './finderData.ts';

/** A pinned node whose axis lies deeper than this fraction of the radius is inside; others merely touch. */
const INSIDE = 0.5;

const found = new Float64Array(4);
const pose = createPinPose();

function distanceOf({ position: x }: Finder, collider: Collider, node: number): number {
  measureDistance(found, collider, x[3 * node], x[3 * node + 1], x[3 * node + 2]);
  return found[0];
}

/** Finds the embedded roots of all rods at time t. */
export function findRoots(finder: Finder, t: number): Root[] {
  const { rules, colliders, nodeOffset, nodeRadius } = finder;
  const roots: Root[] = [];
  if (rules.pinned.length === 0) return roots;
  gather(finder);
  const rodOf = new Int32Array(finder.nodeCount);
  for (let r = 0; r < finder.rods.length; r++) rodOf.fill(r, nodeOffset[r], nodeOffset[r + 1]);
  colliders.forEach((collider, k) => {
    placeCollider(collider, t, 0);
    for (const { pin, node } of rules.pinned) {
      const rod = rodOf[node];
      if (!collider.acts[rod]) continue;
      pin.evaluate(pose, t);
      if (!pose.active) continue;
      if (collider.shape.thin) {
        const root = followThrough(finder, collider, k, rod, node);
        if (root) roots.push(root);
        continue;
      }
      const depth = -distanceOf(finder, collider, node);
      // a rod without thickness lies on the surface when it is in contact
      const least = nodeRadius[node] > 0 ? INSIDE * nodeRadius[node] : 0.005 * finder.rods[rod].edgeLengthRest[0];
      if (depth > least) roots.push(followRoot(finder, collider, k, rod, node, depth));
    }
  });
  return roots;
}

/** From a pinned node in both directions, as far as the rod overlaps the obstacle. */
function followRoot(finder: Finder, collider: Collider, index: number, rod: number, held: number, depth: number): Root {
  const { nodeOffset, nodeRadius, rods } = finder;
  const { nodeCount, edgeCount, edgeLengthRest, closed } = rods[rod];
  const first = nodeOffset[rod];
  const nodes = new Set([held]);
  let reach = 0;
  for (const direction of [1, -1]) {
    const passed: number[] = [];
    let node = held - first;
    let arc = 0;
    let within = 0;
    let leaves = false;
    while (passed.length < nodeCount) {
      if (!closed && (direction > 0 ? node >= edgeCount : node === 0)) break;
      const edge = direction > 0 ? node : (node - 1 + edgeCount) % edgeCount;
      arc += edgeLengthRest[edge];
      node = (node + direction + nodeCount) % nodeCount;
      leaves = distanceOf(finder, collider, first + node) >= nodeRadius[first + node];
      if (leaves) break;
      passed.push(first + node);
      if (arc <= 2 * depth) within = passed.length;
    }
    for (const one of leaves ? passed : passed.slice(0, within)) nodes.add(one);
    reach = Math.max(reach, leaves ? arc : Math.min(arc, 2 * depth));
  }
  return { collider: index, rod, held, nodes: [...nodes], reach, active: false };
}

const before = new Float64Array(3);

/** True if an edge passes through a surface, farther than its radius from its first node. */
function passes(finder: Finder, collider: Collider, a: number, b: number, radius: number, length: number): boolean {
  const { position: x } = finder;
  distanceOf(finder, collider, a);
  for (let k = 0; k < 3; k++) before[k] = found[1 + k];
  distanceOf(finder, collider, b);
  if (before[0] * found[1] + before[1] * found[2] + before[2] * found[3] >= 0) return false;
  const u = findClosest(collider, x, 3 * a, 3 * b);
  if (u * length <= radius) return false;
  const [px, py, pz] = [0, 1, 2].map((k) => x[3 * a + k] + u * (x[3 * b + k] - x[3 * a + k]));
  measureDistance(found, collider, px, py, pz);
  return found[0] < 0.1 * radius;
}

/** From a pinned node to where the rod first passes through a surface, and on while it is closer to it than its radius. */
function followThrough(finder: Finder, collider: Collider, index: number, rod: number, held: number): Root | undefined {
  const { nodeOffset, nodeRadius, rods } = finder;
  const { nodeCount, edgeCount, edgeLengthRest, closed, length } = rods[rod];
  const first = nodeOffset[rod];
  const nodes = new Set<number>();
  let reach = 0;
  for (const direction of [1, -1]) {
    const passed = [held];
    let node = held - first;
    let through = false;
    for (let arc = 0; arc < 0.25 * length; ) {
      if (!closed && (direction > 0 ? node >= edgeCount : node === 0)) break;
      const edge = direction > 0 ? node : (node - 1 + edgeCount) % edgeCount;
      const next = (node + direction + nodeCount) % nodeCount;
      arc += edgeLengthRest[edge];
      if (!through && passes(finder, collider, first + node, first + next, nodeRadius[held], edgeLengthRest[edge])) {
        through = true;
        reach = Math.max(reach, arc);
      }
      if (through && distanceOf(finder, collider, first + next) >= nodeRadius[first + next]) break;
      node = next;
      passed.push(first + node);
    }
    if (through) for (const one of passed) nodes.add(one);
  }
  if (nodes.size === 0) return undefined;
  return { collider: index, rod, held, nodes: [...nodes], reach, active: false };
}

/** Marks the nodes that are ignored now; call after `nodeHeld` was written. Marks of welds are permanent. */
export function markRoots({ roots, nodeHeld, nodeCount, exempt }: Finder): void {
  let changed = false;
  for (const root of roots) {
    const active = nodeHeld[root.held] === 1;
    changed ||= active !== root.active;
    root.active = active;
  }
  if (!changed) return;
  for (const collider of new Set(roots.map((root) => root.collider))) {
    if (exempt[collider].length === 0) exempt[collider] = new Uint8Array(nodeCount);
    for (let i = 0; i < nodeCount; i++) exempt[collider][i] &= ~ROOT;
  }
  for (const { collider, nodes, active } of roots) if (active) for (const node of nodes) exempt[collider][node] |= ROOT;
}

/** Bit of a node that is ignored as part of a root; bit 0 marks welds. */
const ROOT = 2;

/** Warnings before a run, one line per obstacle. */
export function warnRoots(finder: Finder, warnings: string[]): void {
  const { roots, colliders, rods } = finder;
  colliders.forEach(({ id, shape: { thin } }, k) => {
    const own = roots.filter(({ collider }) => collider === k);
    if (own.length === 0) return;
    const farthest = own.reduce((one, other) => (other.reach > one.reach ? other : one));
    const count = new Set(own.map(({ rod }) => rod)).size;
    const who = count === 1 ? `rod '${rods[farthest.rod].id}' is` : `${count} rods are`;
    const most = count === 1 ? '' : `at most, rod '${rods[farthest.rod].id}', `;
    const length = `${(1e3 * farthest.reach).toPrecision(3)} mm`;
    warnings.push(
      `${who} held ${thin ? 'behind' : 'inside'} collider '${id}', which does not act next to the pin: ${most}${length}`,
    );
  });
}
