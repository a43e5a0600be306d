/**
 * The contacts of strands that touch strands as a list, four per record (pairFields): pairs of edges, followed by contacts with obstacles. Their
 * forces reach Newton's method as three loads per edge: forces and stiffnesses at its first node, in its middle and at its second node. Sums of
 * these, also with the first and second power of the position along the edge, equal those of its contacts.
 */
import {
  CONTACT_ACTIVE,
  CONTACT_CLOSING,
  CONTACT_PART,
  CONTACT_PUSH,
  CONTACT_RECORD,
  CONTACT_TANGENTSTIFFNESS,
  comparePairs,
  measurePairs,
  meetPairs,
  PAIR_CHANGE,
  PAIR_FORCE,
  PAIR_HIGH,
  PAIR_LOW,
  PAIR_PARTHIGH,
  PAIR_PARTLOW,
  PAIR_PUSHHIGH,
  PAIR_PUSHLOW,
  PAIR_RECORD,
  PAIR_SHARE,
  PAIR_STIFFNESS,
  PAIR_SUM,
  pressPairs,
  startPairs,
} from './generated';

/** How the edges of every pair meet within the step. */
export function meetAll(list: usize, count: i32, rows: usize): void {
  for (let k = 0; k < count; k += 4) meetPairs(list + <usize>(k >> 2) * PAIR_RECORD, rows);
}

/** Writes the depth of every pair to `near`. */
export function measureAll(list: usize, count: i32, rows: usize): void {
  for (let k = 0; k < count; k += 4) measurePairs(list + <usize>(k >> 2) * PAIR_RECORD, rows);
}

/** Address of a pair's first number. */
// @ts-ignore: decorator
@inline
function pairAt(list: usize, k: i32): usize {
  return list + <usize>(k >> 2) * PAIR_RECORD + (<usize>(k & 3) << 2);
}

// @ts-ignore: decorator
@inline
function addTo(at: usize, value: f32): void {
  store<f32>(at, load<f32>(at) + value);
}

// @ts-ignore: decorator
@inline
function addPush(at: usize, factor: f32, force: usize): void {
  addTo(at + CONTACT_PUSH, factor * load<f32>(force));
  addTo(at + CONTACT_PUSH + 16, factor * load<f32>(force, 16));
  addTo(at + CONTACT_PUSH + 32, factor * load<f32>(force, 32));
}

/** Adds a pair's force and stiffness to the loads of one of its edges. */
// @ts-ignore: decorator
@inline
function addSide(at: usize, part: f32, sign: f32, force: usize, stiffness: f32): void {
  const rest: f32 = 1 - part;
  addTo(at + CONTACT_TANGENTSTIFFNESS, stiffness * rest * (1 - 2 * part));
  addTo(at + CONTACT_RECORD + CONTACT_TANGENTSTIFFNESS, 4 * stiffness * part * rest);
  addTo(at + 2 * CONTACT_RECORD + CONTACT_TANGENTSTIFFNESS, stiffness * part * (2 * part - 1));
  addPush(at, sign * rest, force);
  addPush(at + 2 * CONTACT_RECORD, sign * part, force);
}

/** Address of the loads of an edge, by the number of its first node. */
// @ts-ignore: decorator
@inline
function loadsOf(table: usize, node: i32): usize {
  return <usize>load<u32>(table + (<usize>node << 2));
}

function addLow(pair: usize, table: usize, force: usize, stiffness: f32): void {
  addSide(loadsOf(table, load<i32>(pair, PAIR_LOW)), load<f32>(pair, PAIR_PARTLOW), 1, force, stiffness);
}

function addHigh(pair: usize, table: usize, sign: f32, force: usize, stiffness: f32): void {
  addSide(loadsOf(table, load<i32>(pair, PAIR_HIGH)), load<f32>(pair, PAIR_PARTHIGH), sign, force, stiffness);
}

function countSide(at: usize, part: f32): void {
  addTo(at + 2 * CONTACT_RECORD + CONTACT_ACTIVE, 1);
  if (part < 1) {
    addTo(at + CONTACT_ACTIVE, 1);
    addTo(at + CONTACT_RECORD + CONTACT_ACTIVE, 1);
  }
}

/** Before the first iteration: counts the pairs of every edge, and loads the edges with the forces of the last step. */
export function openPairs(list: usize, count: i32, table: usize): void {
  for (let k = 0; k < count; k++) {
    const pair = pairAt(list, k);
    countSide(loadsOf(table, load<i32>(pair, PAIR_LOW)), load<f32>(pair, PAIR_PARTLOW));
    countSide(loadsOf(table, load<i32>(pair, PAIR_HIGH)), load<f32>(pair, PAIR_PARTHIGH));
    addLow(pair, table, pair + PAIR_FORCE, 0);
    addHigh(pair, table, -1, pair + PAIR_FORCE, 0);
  }
}

/** Counts contacts `first` to `end` with obstacles as loads of their edges. */
export function countObstacles(list: usize, first: i32, end: i32, table: usize): void {
  for (let k = first; k < end; k++) {
    const pair = pairAt(list, k);
    countSide(loadsOf(table, load<i32>(pair, PAIR_LOW)), load<f32>(pair, PAIR_PARTLOW));
  }
}

/** Subtracts forces and stiffnesses of all loads of a block; `withPairs`: also those of pairs. */
export function clearLoads(loads: usize, edges: i32, withPairs: bool): void {
  const none = f32x4.splat(0);
  for (let j = 0; j < edges; j++) {
    const last = loads + <usize>(3 * j + 2) * CONTACT_RECORD;
    if (!v128.any_true(v128.load(last, CONTACT_ACTIVE))) continue;
    for (let k = 0; k < 3; k++) {
      const at = loads + <usize>(3 * j + k) * CONTACT_RECORD;
      v128.store(at, none, CONTACT_TANGENTSTIFFNESS);
      v128.store(at, none, CONTACT_PUSH);
      v128.store(at, none, CONTACT_PUSH + 16);
      v128.store(at, none, CONTACT_PUSH + 32);
      if (withPairs) v128.store(at, none, CONTACT_ACTIVE);
    }
  }
}

/** Places of the loads of a block. */
export function placeLoads(loads: usize, edges: i32): void {
  for (let j = 0; j < edges; j++)
    for (let k = 0; k < 3; k++)
      v128.store(loads + <usize>(3 * j + k) * CONTACT_RECORD, f32x4.splat(0.5 * <f32>k), CONTACT_PART);
}

/** Compliance of a point of an edge, times the number of contacts at its nodes: it is quadratic along the edge. */
function weightOf(at: usize, part: f32): f32 {
  const last = at + 2 * CONTACT_RECORD + CONTACT_CLOSING;
  if (!(part < 1)) return load<f32>(last) * load<f32>(last, 16);
  const first = at + CONTACT_CLOSING;
  const middle = at + CONTACT_RECORD + CONTACT_CLOSING;
  const rest: f32 = 1 - part;
  const compliance =
    rest * (1 - 2 * part) * load<f32>(first) +
    4 * part * rest * load<f32>(middle) +
    part * (2 * part - 1) * load<f32>(last);
  return compliance * load<f32>(first, 16);
}

/** Stiffness of every pair: see shareOf in src/batch/pairSweeps.ts. */
export function weighPairs(list: usize, count: i32, table: usize): void {
  for (let k = 0; k < count; k++) {
    const pair = pairAt(list, k);
    const low = weightOf(loadsOf(table, load<i32>(pair, PAIR_LOW)), load<f32>(pair, PAIR_PARTLOW));
    const high = weightOf(loadsOf(table, load<i32>(pair, PAIR_HIGH)), load<f32>(pair, PAIR_PARTHIGH));
    store<f32>(pair, (2 * PAIR_SHARE) / (low + high), PAIR_STIFFNESS);
  }
}

// @ts-ignore: decorator
@inline
function raise(at: usize, value: f32): void {
  // also if the value is NaN
  if (!(value <= load<f32>(at))) store<f32>(at, value);
}

/** Inputs of the law before the first iteration. */
export function startAll(list: usize, end: i32, rows: usize): void {
  for (let k = 0; k < end; k += 4) startPairs(pairAt(list, k), rows);
}

/** Which lanes of the record of contacts k to k + 3 move, as bits. `islands`: islands of the contacts; `moves`: which of those move. */
// @ts-ignore: decorator
@inline
function movingLanes(k: i32, islands: usize, moves: usize): i32 {
  let bits = 0;
  for (let lane = 0; lane < 4; lane++) {
    const island = load<i32>(islands + (<usize>(k + lane) << 2));
    if (island >= 0 && load<u8>(moves + <usize>island) != 0) bits |= 1 << lane;
  }
  return bits;
}

// @ts-ignore: decorator
@inline
function isForced(pair: usize): bool {
  return (
    load<f32>(pair, PAIR_FORCE) != 0 || load<f32>(pair, PAIR_FORCE + 16) != 0 || load<f32>(pair, PAIR_FORCE + 32) != 0
  );
}

/**
 * The law at contacts `first` to `end` of the islands that move, and their forces as loads; `withBoth`: on both sides. `first` is a multiple of 4.
 */
export function pressAll(
  list: usize,
  first: i32,
  end: i32,
  rows: usize,
  table: usize,
  withBoth: bool,
  islands: usize,
  moves: usize,
): void {
  for (let start = first; start < end; start += 4) {
    const lanes = movingLanes(start, islands, moves);
    if (lanes == 0) continue;
    pressPairs(pairAt(list, start), rows);
    for (let k = start; k < min(start + 4, end); k++) {
      if (((lanes >> (k & 3)) & 1) == 0) continue;
      const pair = pairAt(list, k);
      const stiffness = load<f32>(pair, PAIR_STIFFNESS);
      addLow(pair, table, pair + PAIR_PUSHLOW, stiffness);
      if (withBoth) addHigh(pair, table, 1, pair + PAIR_PUSHHIGH, stiffness);
    }
  }
}

/** Number of contacts `first` to `end` that carry force. */
export function countLoaded(list: usize, first: i32, end: i32): i32 {
  let loaded = 0;
  for (let k = first; k < end; k++) if (isForced(pairAt(list, k))) loaded++;
  return loaded;
}

/** Square of the largest error of contacts `first` to `end` in their last iterations [m²]. */
export function largestChange(list: usize, first: i32, end: i32): f32 {
  let most: f32 = 0;
  for (let k = first; k < end; k++) {
    const square = load<f32>(pairAt(list, k), PAIR_CHANGE);
    if (!(square <= most)) most = square;
  }
  return most;
}

/**
 * Errors of contacts `first` to `end` after Newton's iteration, of the islands that move. `changes`: for every strand the square of the largest error, as a
 * part of the contact's size; `nodes`: of a strand.
 */
export function compareAll(
  list: usize,
  first: i32,
  end: i32,
  rows: usize,
  changes: usize,
  nodes: i32,
  withBoth: bool,
  islands: usize,
  moves: usize,
): void {
  for (let start = first; start < end; start += 4) {
    const lanes = movingLanes(start, islands, moves);
    if (lanes == 0) continue;
    comparePairs(pairAt(list, start), rows);
    for (let k = start; k < min(start + 4, end); k++) {
      if (((lanes >> (k & 3)) & 1) == 0) continue;
      const pair = pairAt(list, k);
      const size: f32 = 0.5 * load<f32>(pair, PAIR_SUM);
      const change = load<f32>(pair, PAIR_CHANGE) / (size * size);
      raise(changes + (<usize>(load<i32>(pair, PAIR_LOW) / nodes) << 2), change);
      if (withBoth) raise(changes + (<usize>(load<i32>(pair, PAIR_HIGH) / nodes) << 2), change);
    }
  }
}
