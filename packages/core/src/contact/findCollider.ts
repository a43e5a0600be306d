/** Contacts of rods with colliders: at the start of a step, and what ended inside one. */
import {
  type Collider,
  findClosest,
  measureBackward,
  measureDistance,
  measureSurfaceVelocity,
  placeCollider,
} from './collider.ts';
import { interpolate as at, type Finder, featureOf, isHeld, isNear } from './find.ts';
import { addColliderPlace, type ContactSet, FEATURE_LIMIT } from './set.ts';
import { DEEPER, easeOut } from './sides.ts';

/** Distance and normal that were measured last. */
const distanceAt = new Float64Array(4);
const surface = new Float64Array(3);

/** Appends the contacts of all rods with a collider. */
export function findWithCollider(finder: Finder, set: ContactSet, collider: Collider, index: number, dt: number): void {
  const { rods, nodeOffset, position: x, nodeDistance } = finder;
  const turn = measureTurn(collider);
  for (let r = 0; r < rods.length; r++) {
    const { nodeCount, edgeCount } = rods[r];
    const edge0 = finder.edgeOffset[r];
    if (!collider.acts[r] || finder.look[r] < 2 || !isRodNear(finder, collider, r, dt)) continue;
    for (let node = nodeOffset[r]; node < nodeOffset[r + 1]; node++) {
      measureDistance(distanceAt, collider, x[3 * node], x[3 * node + 1], x[3 * node + 2]);
      for (let k = 0; k < 4; k++) nodeDistance[4 * node + k] = distanceAt[k];
    }
    // nodes and edges in turn, in the order of their keys
    for (let i = 0; i < nodeCount; i++) {
      const o = 4 * (nodeOffset[r] + i);
      const atEnd = i >= edgeCount;
      const edge = edge0 + (atEnd ? edgeCount - 1 : i);
      if (mayReach(finder, collider, nodeOffset[r] + i, edge, turn, dt)) {
        for (let k = 0; k < 4; k++) distanceAt[k] = nodeDistance[o + k];
        addColliderContact(finder, set, collider, index, edge, atEnd ? 1 : 0, dt);
      }
      if (!atEnd) addEdgeContact(finder, set, collider, index, edge0 + i, dt);
    }
  }
}

/** How far a point of the surface comes in the step at most, per distance from the collider's place; infinite where that says nothing. */
function measureTurn({ moves, body, shape, now, next }: Collider): number {
  if (body >= 0 || shape.surfaceVelocity) return Infinity;
  let square = 0;
  for (let k = 0; k < 9 && moves; k++) square += (next.rotation[k] - now.rotation[k]) ** 2;
  return Math.sqrt(square);
}

/** Whether a node, whose distance is known, may come near within the step: those that may not are nearly all. */
function mayReach(finder: Finder, collider: Collider, node: number, edge: number, turn: number, dt: number): boolean {
  if (turn === Infinity) return true;
  const { position: x, velocity: v, nodeDistance, nodeRadius, acceleration, rules, edgeLength } = finder;
  const { now, next, moves } = collider;
  const o = 3 * node;
  let way = dt * Math.sqrt(v[o] ** 2 + v[o + 1] ** 2 + v[o + 2] ** 2);
  if (moves) {
    let far = 0;
    let shift = 0;
    for (let k = 0; k < 3; k++) {
      far += (x[o + k] - now.position[k]) ** 2;
      shift += (next.position[k] - now.position[k]) ** 2;
    }
    // the surface's point is as far away as the node's distance from it, at most
    way += Math.sqrt(shift) + turn * (Math.sqrt(far) + Math.abs(nodeDistance[4 * node]));
  }
  const size = nodeRadius[node] > 0 ? nodeRadius[node] : 0.01 * edgeLength[edge];
  const gap = nodeDistance[4 * node] - nodeRadius[node] - rules.reach;
  return gap - 1.25 * way - acceleration * dt * dt < 0.1 * size;
}

/** Whether the box about a rod and its motion meets the collider's. */
function isRodNear(finder: Finder, collider: Collider, r: number, dt: number): boolean {
  const { nodeOffset, position: x, velocity: v, nodeRadius, acceleration } = finder;
  const { bounds, now, next } = collider;
  const from = nodeOffset[r];
  const to = nodeOffset[r + 1];
  for (let k = 0; k < 3; k++) {
    if (bounds[k] === -Infinity && bounds[3 + k] === Infinity) continue;
    let low = Infinity;
    let high = -Infinity;
    let reach = 0;
    let speed = 0;
    for (let i = from; i < to; i++) {
      const p = x[3 * i + k];
      if (p < low) low = p;
      if (p > high) high = p;
      reach = Math.max(reach, nodeRadius[i]);
      speed = Math.max(speed, Math.abs(v[3 * i + k]));
    }
    const shift = Math.abs(next.position[k] - now.position[k]);
    const margin = finder.rules.reach + 1.1 * reach + 1.25 * dt * speed + acceleration * dt * dt + 2 * shift;
    if (low - margin > bounds[3 + k] || high + margin < bounds[k]) return false;
  }
  return true;
}

/** The inside of an edge, where it is closer than both its ends. */
function addEdgeContact(
  finder: Finder,
  set: ContactSet,
  collider: Collider,
  index: number,
  edge: number,
  dt: number,
): void {
  const { edgeFirst, edgeSecond, position: x, velocity: v, nodeDistance, edgeRadius, acceleration } = finder;
  const a = edgeFirst[edge];
  const b = edgeSecond[edge];
  if (collider.shape.type === 'plane') return;
  // not by Math.hypot, which takes ten times as long: this is done for every edge
  const length = Math.sqrt(
    (x[3 * b] - x[3 * a]) ** 2 + (x[3 * b + 1] - x[3 * a + 1]) ** 2 + (x[3 * b + 2] - x[3 * a + 2]) ** 2,
  );
  const speed = Math.sqrt(
    Math.max(
      v[3 * a] ** 2 + v[3 * a + 1] ** 2 + v[3 * a + 2] ** 2,
      v[3 * b] ** 2 + v[3 * b + 1] ** 2 + v[3 * b + 2] ** 2,
    ),
  );
  const shift = collider.moves
    ? Math.hypot(
        collider.next.position[0] - collider.now.position[0],
        collider.next.position[1] - collider.now.position[1],
        collider.next.position[2] - collider.now.position[2],
      ) + length
    : 0;
  const least = 0.5 * (nodeDistance[4 * a] + nodeDistance[4 * b] - length) - edgeRadius[edge];
  if (least - finder.rules.reach - 1.25 * dt * speed - shift - acceleration * dt * dt > 0.1 * edgeRadius[edge]) return;
  const t = findClosest(collider, x, 3 * a, 3 * b);
  if (t < 1e-3 || t > 1 - 1e-3) return;
  measureDistance(
    distanceAt,
    collider,
    at(x, 3 * a, 3 * b, t, 0),
    at(x, 3 * a, 3 * b, t, 1),
    at(x, 3 * a, 3 * b, t, 2),
  );
  if (distanceAt[0] > Math.min(nodeDistance[4 * a], nodeDistance[4 * b])) return;
  if (repeatsNode(finder, a, t * length, edge) || repeatsNode(finder, b, (1 - t) * length, edge)) return;
  addColliderContact(finder, set, collider, index, edge, t, dt);
}

/**
 * Whether the place in `distanceAt` says what a node says that is `way` from it: two contacts that are all but one make the matrix of
 * responses singular, and solvers slow.
 */
function repeatsNode({ nodeDistance, edgeRadius }: Finder, node: number, way: number, edge: number): boolean {
  if (way > 0.5 * edgeRadius[edge]) return false;
  const o = 4 * node;
  const turned =
    distanceAt[1] * nodeDistance[o + 1] + distanceAt[2] * nodeDistance[o + 2] + distanceAt[3] * nodeDistance[o + 3];
  return nodeDistance[o] - distanceAt[0] < 0.005 * edgeRadius[edge] && turned > 0.9999;
}

/** With distance and normal in `distanceAt`. */
function addColliderContact(
  finder: Finder,
  set: ContactSet,
  collider: Collider,
  index: number,
  edge: number,
  weight: number,
  dt: number,
): void {
  const { edgeFirst, edgeSecond, position: x, velocity: v, edgeRadius, nodeRadius } = finder;
  const a = 3 * edgeFirst[edge];
  const b = 3 * edgeSecond[edge];
  const exempt = finder.exempt[index];
  if (exempt.length > 0 && ((weight < 1 && exempt[a / 3]) || (weight > 0 && exempt[b / 3]))) return;
  if (isHeld(finder, edge, weight) && collider.body < 0) return;
  const inner = weight > 0 && weight < 1;
  const radius = inner ? edgeRadius[edge] : nodeRadius[weight === 0 ? a / 3 : b / 3];
  const gap = distanceAt[0] - radius;
  const px = at(x, a, b, weight, 0);
  const py = at(x, a, b, weight, 1);
  const pz = at(x, a, b, weight, 2);
  // where the surfaces meet
  const nx = distanceAt[1];
  const ny = distanceAt[2];
  const nz = distanceAt[3];
  const reach = Math.max(radius, 0) + 0.5 * gap;
  measureSurfaceVelocity(surface, collider, px - reach * nx, py - reach * ny, pz - reach * nz, dt);
  if (collider.body >= 0) addBodyVelocity(surface, collider, px - reach * nx, py - reach * ny, pz - reach * nz);
  const approach =
    nx * (at(v, a, b, weight, 0) - surface[0]) +
    ny * (at(v, a, b, weight, 1) - surface[1]) +
    nz * (at(v, a, b, weight, 2) - surface[2]);
  // a rod without thickness is compared with its edges
  const size = radius > 0 ? radius : 0.01 * finder.edgeLength[edge];
  if (!isNear(gap - finder.rules.reach, approach, size, finder.acceleration, dt)) return;
  const restitution = Math.min(1, collider.restitution * finder.edgeRestitution[edge]);
  if (restitution > 0 && flies(finder, gap, approach, dt)) return;
  const i = addColliderPlace(set);
  set.key[i] = featureOf(finder, edge, weight) * FEATURE_LIMIT + 2 * finder.nodeCount + index;
  set.rodA[i] = finder.edgeRod[edge];
  set.edgeA[i] = finder.edgeIndex[edge];
  set.weightA[i] = weight;
  set.collider[i] = index;
  set.gap[i] = gap;
  set.approach[i] = approach;
  set.size[i] = size;
  set.staticFriction[i] = collider.staticFriction * finder.edgeFriction[edge];
  set.dynamicFriction[i] = collider.dynamicFriction * finder.edgeFriction[edge];
  set.restitution[i] = restitution;
  for (let k = 0; k < 3; k++) {
    const n = distanceAt[1 + k];
    set.normal[3 * i + k] = n;
    set.armA[3 * i + k] = -(radius + gap) * n;
    set.point[3 * i + k] = (k === 0 ? px : k === 1 ? py : pz) - (radius + gap) * n;
    // a body's velocity is an unknown of its own
    set.surface[3 * i + k] = collider.body >= 0 ? 0 : surface[k];
  }
}

/**
 * Adds a contact for every place of the rods that ended the step more than `allowed` radii inside a collider, and came deeper
 * on the way: the direction in which it lay changed within the step, at an edge of the collider or because it slid. `end` holds the
 * positions at the end of the step. Rods that are not looked at are left out.
 */
export function findSunken(
  finder: Finder,
  set: ContactSet,
  end: Float64Array,
  t: number,
  dt: number,
  allowed: number,
  rods: Iterable<number> = finder.rods.keys(),
): void {
  const list = [...rods].filter((r) => finder.look[r] >= 2);
  finder.colliders.forEach((collider, index) => {
    // as it is at the end of the step
    placeCollider(collider, t + dt, 0);
    for (const r of list)
      if (collider.acts[r] && meetsBounds(finder, collider, r, end))
        findSunkenOf(finder, set, collider, index, r, end, dt, allowed);
    placeCollider(collider, t, dt);
  });
}

/** Whether the box about a rod meets the collider's: where it has come to, however fast. */
function meetsBounds({ nodeOffset, nodeRadius }: Finder, { bounds }: Collider, r: number, x: Float64Array): boolean {
  for (let k = 0; k < 3; k++) {
    if (bounds[k] === -Infinity && bounds[3 + k] === Infinity) continue;
    let low = Infinity;
    let high = -Infinity;
    for (let i = nodeOffset[r]; i < nodeOffset[r + 1]; i++) {
      const p = x[3 * i + k];
      if (p - nodeRadius[i] < low) low = p - nodeRadius[i];
      if (p + nodeRadius[i] > high) high = p + nodeRadius[i];
    }
    if (low > bounds[3 + k] || high < bounds[k]) return false;
  }
  return true;
}

function findSunkenOf(
  finder: Finder,
  set: ContactSet,
  collider: Collider,
  index: number,
  r: number,
  end: Float64Array,
  dt: number,
  allowed: number,
): void {
  const { edgeCount, nodeCount } = finder.rods[r];
  const edge0 = finder.edgeOffset[r];
  for (let i = 0; i < nodeCount; i++) {
    const o = 3 * (finder.nodeOffset[r] + i);
    measureDistance(distanceAt, collider, end[o], end[o + 1], end[o + 2]);
    finder.nodeDistance[(4 * o) / 3] = distanceAt[0];
    const last = i >= edgeCount;
    addSunken(finder, set, collider, index, edge0 + (last ? i - 1 : i), last ? 1 : 0, end, dt, allowed);
  }
  if (collider.shape.type === 'plane') return;
  for (let j = edge0; j < edge0 + edgeCount; j++) {
    const a = finder.edgeFirst[j];
    const b = finder.edgeSecond[j];
    const least = 0.5 * (finder.nodeDistance[4 * a] + finder.nodeDistance[4 * b] - 1.01 * finder.edgeLength[j]);
    if (least > 0.96 * finder.edgeRadius[j]) continue;
    const w = findClosest(collider, end, 3 * a, 3 * b);
    if (w < 1e-3 || w > 1 - 1e-3) continue;
    measureDistance(
      distanceAt,
      collider,
      at(end, 3 * a, 3 * b, w, 0),
      at(end, 3 * a, 3 * b, w, 1),
      at(end, 3 * a, 3 * b, w, 2),
    );
    addSunken(finder, set, collider, index, j, w, end, dt, allowed);
  }
}

/** With distance and normal at the end of the step in `distanceAt`. */
function addSunken(
  finder: Finder,
  set: ContactSet,
  collider: Collider,
  index: number,
  edge: number,
  weight: number,
  end: Float64Array,
  dt: number,
  allowed: number,
): void {
  const { edgeFirst, edgeSecond, edgeRadius, nodeRadius } = finder;
  const a = 3 * edgeFirst[edge];
  const b = 3 * edgeSecond[edge];
  const inner = weight > 0 && weight < 1;
  const radius = inner ? edgeRadius[edge] : nodeRadius[weight === 0 ? a / 3 : b / 3];
  const size = radius > 0 ? radius : 0.01 * finder.edgeLength[edge];
  const gap = distanceAt[0] - radius;
  if (gap > -allowed * size || isHeld(finder, edge, weight)) return;
  const exempt = finder.exempt[index];
  if (exempt.length > 0 && ((weight < 1 && exempt[a / 3]) || (weight > 0 && exempt[b / 3]))) return;
  const i = addColliderPlace(set);
  set.key[i] = featureOf(finder, edge, weight) * FEATURE_LIMIT + 2 * finder.nodeCount + index;
  set.rodA[i] = finder.edgeRod[edge];
  set.edgeA[i] = finder.edgeIndex[edge];
  set.weightA[i] = weight;
  set.collider[i] = index;
  set.size[i] = size;
  set.staticFriction[i] = collider.staticFriction * finder.edgeFriction[edge];
  set.dynamicFriction[i] = collider.dynamicFriction * finder.edgeFriction[edge];
  set.swept[i] = 1;
  const [nx, ny, nz] = [distanceAt[1], distanceAt[2], distanceAt[3]];
  const inward = placeSunken(finder, set, i, collider, a, b, weight, end, radius, dt) < -DEEPER * size;
  measureAtStart(finder, collider, a, b, weight, dt);
  const began = distanceAt[0] - radius;
  const sameSide = nx * distanceAt[1] + ny * distanceAt[2] + nz * distanceAt[3] > 0;
  // what slides round a ball may go out along the normal that it has in the end, and sink in nevertheless
  if (inward || (sameSide && gap < began - DEEPER * size)) {
    set.floor[i] = began < 0 ? easeOut(began, size) : 0;
    return;
  }
  // inside, and yet on its way out: it came in across the far side, if it was not inside before
  const way = placeAcross(finder, set, i, a, b, weight, end, radius, dt);
  if (began < -allowed * size || set.gap[i] + way > -allowed * size) set.count--;
}

const carried = new Float64Array(3);

/** Distance and normal of a place where it was at the start, carried along with the surface (`surface`, as `placeSunken` left it), to the obstacle as it is at the end. */
function measureAtStart(
  { position: x }: Finder,
  collider: Collider,
  a: number,
  b: number,
  weight: number,
  dt: number,
): void {
  for (let k = 0; k < 3; k++) carried[k] = at(x, a, b, weight, k) + dt * surface[k];
  measureDistance(distanceAt, collider, carried[0], carried[1], carried[2]);
}

/** Contact i along the normal that `measureAtStart` found; returns how far the place came along it. */
function placeAcross(
  { position: x }: Finder,
  set: ContactSet,
  i: number,
  a: number,
  b: number,
  weight: number,
  end: Float64Array,
  radius: number,
  dt: number,
): number {
  const gap = distanceAt[0] - radius;
  let way = 0;
  for (let k = 0; k < 3; k++) {
    const n = distanceAt[1 + k];
    set.normal[3 * i + k] = n;
    set.armA[3 * i + k] = -(radius + gap) * n;
    set.point[3 * i + k] = carried[k] - (radius + gap) * n;
    way += n * (at(end, a, b, weight, k) - at(x, a, b, weight, k) - dt * surface[k]);
  }
  set.gap[i] = gap;
  return way;
}

/**
 * Normal, gap at the start, arm and velocity of the surface for contact i, with distance and normal of the place at the end in
 * `distanceAt`; returns how far the place came along the normal. The obstacle is as it is at the end of the step.
 */
function placeSunken(
  { position: x }: Finder,
  set: ContactSet,
  i: number,
  collider: Collider,
  a: number,
  b: number,
  weight: number,
  end: Float64Array,
  radius: number,
  dt: number,
): number {
  const gap = distanceAt[0] - radius;
  for (let k = 0; k < 3; k++) {
    const n = distanceAt[1 + k];
    set.normal[3 * i + k] = n;
    set.armA[3 * i + k] = -(radius + gap) * n;
    set.point[3 * i + k] = at(end, a, b, weight, k) - (radius + gap) * n;
  }
  // now and next are both at the end: velocities of the surface as over the step before
  measureBackward(surface, collider, set.point, 3 * i, dt);
  // an unknown of its own, which has come to its end as well
  if (collider.body >= 0)
    addBodyVelocity(surface, collider, set.point[3 * i], set.point[3 * i + 1], set.point[3 * i + 2]);
  let way = 0;
  for (let k = 0; k < 3; k++) {
    set.surface[3 * i + k] = collider.body >= 0 ? 0 : surface[k];
    way += distanceAt[1 + k] * (at(end, a, b, weight, k) - at(x, a, b, weight, k) - dt * surface[k]);
  }
  // along this direction the gap at the start was that much wider
  set.gap[i] = gap - way;
  return way;
}

/** Approach [m/s] below which an impact rebounds: slower ones are those of things at rest. */
export function reboundThreshold(finder: Finder, dt: number): number {
  return Math.max(2 * finder.acceleration * dt, 1e-3);
}

/** With the normal in `distanceAt`: it will rebound when it arrives, but does not within the step. Steps are cut at impacts. */
function flies(finder: Finder, gap: number, approach: number, dt: number): boolean {
  if (approach >= -reboundThreshold(finder, dt)) return false;
  const { gravity } = finder;
  const pull = gravity[0] * distanceAt[1] + gravity[1] * distanceAt[2] + gravity[2] * distanceAt[3];
  return gap + dt * approach + 0.5 * dt * dt * pull > 0.02 * dt * approach;
}

/** Velocity of a body's point now, for the approach. */
function addBodyVelocity(out: Float64Array, collider: Collider, x: number, y: number, z: number): void {
  const pose = collider.ride;
  if (!pose) return;
  const a = x - pose.position[0];
  const b = y - pose.position[1];
  const c = z - pose.position[2];
  const w = pose.angularVelocity;
  out[0] += pose.velocity[0] + w[1] * c - w[2] * b;
  out[1] += pose.velocity[1] + w[2] * a - w[0] * c;
  out[2] += pose.velocity[2] + w[0] * b - w[1] * a;
}
