/**
 * A step of a block of strands, one per lane, around the translated sweeps. `advance` solves a stage without contact; `advanceInContact` a step among
 * obstacles, in which lanes with contacts are solved differently from free ones.
 */
import {
  beginDamped,
  beginDampedContact,
  beginPlain,
  beginPlainContact,
  changeDampedContact,
  changePlainContact,
  coupleDampedContact,
  couplePlainContact,
  DAMPED_RECORD,
  findDampedContact,
  findPlainContact,
  finishDamped,
  finishDampedContact,
  finishPlain,
  finishPlainContact,
  FIRST_INTEGER,
  HEAD_CHANGE,
  HEAD_ITERATIONS,
  HEAD_LARGEST,
  HEAD_LOADED,
  HEAD_MASK,
  HEAD_MISSED,
  HEAD_MOVES,
  HEAD_PRESSES,
  iterateDamped,
  iterateDampedExact,
  iteratePlain,
  iteratePlainExact,
  locateDampedContact,
  locatePlainContact,
  missDampedContact,
  missPlainContact,
  MOST_ALONE,
  PLAIN_RECORD,
  pressDampedContact,
  pressPlainContact,
  settleDampedContact,
  settlePlainContact,
} from './generated';
import { storeWays } from './rows';

export { addErrors, combineChanges, keepChanges } from './mixing';
export {
  clearLoads,
  compareAll,
  countLoaded,
  countObstacles,
  largestChange,
  measureAll,
  meetAll,
  openPairs,
  placeLoads,
  pressAll,
  startAll,
  weighPairs,
} from './pairs';

/**
 * A turn below this [rad] that an iteration no longer halves is rounding. The exact Hessian converges quadratically, so with it a larger turn that
 * stays is rounding too: a strand near buckling amplifies it.
 */
const ROUNDING: f32 = 3e-5;
const EXACT_ROUNDING: f32 = 1e-4;

/** Square of the vector part of a joint's quaternion beyond which the joint counts as folded: 168° and more. */
const FOLDED: f32 = 0.99;

/** Turn of an edge in an iteration below which Newton continues with the exact Hessian of joints [rad]. */
const EXACT_BELOW: f32 = 0.05;

/** The current block. */
let state: usize = 0;
let nodes: usize = 0;
let head: usize = 0;
let work: usize = 0;
let edges: i32 = 0;
let contacts: usize = 0;
let obstacles: usize = 0;
let damped: bool = false;

/** Chooses the block for the next calls. */
export function openBlock(
  stateAt: usize,
  nodesAt: usize,
  headAt: usize,
  workAt: usize,
  edgeCount: i32,
  contactsAt: usize,
  obstaclesAt: usize,
  isDamped: bool,
): void {
  state = stateAt;
  nodes = nodesAt;
  head = headAt;
  work = workAt;
  edges = edgeCount;
  contacts = contactsAt;
  obstacles = obstaclesAt;
  damped = isDamped;
}

/** Lanes in which a joint is folded or NaN, as bits. */
function findFolds(): i32 {
  const record: usize = damped ? DAMPED_RECORD : PLAIN_RECORD;
  let most = f32x4.splat(0);
  for (let j = 0; j < edges; j++) {
    const at = state + <usize>j * record;
    const x = v128.load(at);
    const y = v128.load(at, 16);
    const z = v128.load(at, 32);
    // max is NaN if one of both is
    most = f32x4.max(most, f32x4.add(f32x4.add(f32x4.mul(x, x), f32x4.mul(y, y)), f32x4.mul(z, z)));
  }
  return ~i32x4.bitmask(f32x4.lt(most, f32x4.splat(FOLDED))) & 15;
}

function iterate(parameters: usize, exact: bool): void {
  if (damped) {
    if (exact) iterateDampedExact(state, nodes, head, work, parameters, edges, contacts, obstacles);
    else iterateDamped(state, nodes, head, work, parameters, edges, contacts, obstacles);
  } else if (exact) iteratePlainExact(state, nodes, head, work, parameters, edges, contacts, obstacles);
  else iteratePlain(state, nodes, head, work, parameters, edges, contacts, obstacles);
}

/** Newton iterations of a stage without contact, except in ignored lanes. Returns their number; from bit 16 on, the lanes that are not solved. */
function solveFree(parameters: usize, iterations: i32, tolerance: f32, ignored: v128): i32 {
  if (damped) beginDamped(state, nodes, head, work, parameters, edges, contacts, obstacles);
  else beginPlain(state, nodes, head, work, parameters, edges, contacts, obstacles);
  const limit = f32x4.splat(tolerance * tolerance);
  let solved = ignored;
  let before = f32x4.splat(0);
  let used = 0;
  // the exact Hessian converges faster, but only close to the solution
  let exact = false;
  let grows = false;
  while (used < iterations && !i32x4.all_true(solved)) {
    iterate(parameters, exact);
    const largest = v128.load(head, HEAD_LARGEST);
    solved = v128.or(solved, f32x4.le(largest, limit));
    if (used > 0 && tolerance > 0) {
      const floor = exact ? EXACT_ROUNDING : ROUNDING;
      const isRounding = v128.and(
        f32x4.lt(largest, f32x4.splat(floor * floor)),
        f32x4.gt(largest, f32x4.mul(f32x4.splat(0.25), before)),
      );
      solved = v128.or(solved, isRounding);
    }
    grows = grows || (exact && v128.any_true(v128.andnot(f32x4.gt(largest, before), solved)));
    exact = !grows && i32x4.all_true(v128.or(solved, f32x4.lt(largest, f32x4.splat(EXACT_BELOW * EXACT_BELOW))));
    before = largest;
    used++;
  }
  return used | ((~i32x4.bitmask(solved) & 15) << 16);
}

/** One stage without contact. Returns the iterations; from bit 16 on, the lanes that failed. `finish`: the step ends with this stage. */
export function advance(parameters: usize, finish: bool, iterations: i32, tolerance: f32): i32 {
  const code = solveFree(parameters, iterations, tolerance, i32x4.splat(0)) | (findFolds() << 16);
  if (finish) {
    if (damped) finishDamped(state, nodes, head, work, parameters, edges, contacts, obstacles);
    else finishPlain(state, nodes, head, work, parameters, edges, contacts, obstacles);
  }
  return code;
}

/** Lanes that the sweeps of contact change. */
function choose(mask: v128): void {
  v128.store(head, mask, HEAD_MASK);
}

/** Those of the chosen lanes in which contacts were added to the current iterate. */
function findMissed(parameters: usize, isFree: bool): v128 {
  // isFree is the fifth integer parameter
  store<i32>(parameters, i32(isFree), FIRST_INTEGER + 16);
  if (damped) missDampedContact(state, nodes, head, work, parameters, edges, contacts, obstacles);
  else missPlainContact(state, nodes, head, work, parameters, edges, contacts, obstacles);
  return v128.and(v128.load(head, HEAD_MISSED), v128.load(head, HEAD_MASK));
}

function begin(parameters: usize): void {
  if (damped) beginDampedContact(state, nodes, head, work, parameters, edges, contacts, obstacles);
  else beginPlainContact(state, nodes, head, work, parameters, edges, contacts, obstacles);
}

/** Iterations of contact for the lanes of the mask, from their current iterates, until contacts converge. */
function settle(parameters: usize, mask: v128, first: i32, least: i32): void {
  choose(mask);
  store<i32>(parameters, first, FIRST_INTEGER + 4);
  store<i32>(parameters, MOST_ALONE, FIRST_INTEGER + 8);
  store<i32>(parameters, least, FIRST_INTEGER + 12);
  if (damped) {
    pressDampedContact(state, nodes, head, work, parameters, edges, contacts, obstacles);
    settleDampedContact(state, nodes, head, work, parameters, edges, contacts, obstacles);
  } else {
    pressPlainContact(state, nodes, head, work, parameters, edges, contacts, obstacles);
    settlePlainContact(state, nodes, head, work, parameters, edges, contacts, obstacles);
  }
}

/** Iterations of contact until contacts converge and none is missed. */
function press(parameters: usize, pressing: v128, least: i32): void {
  if (!v128.any_true(pressing)) return;
  settle(parameters, pressing, 0, least);
  let active = pressing;
  while (true) {
    const iterations = v128.load(head, HEAD_ITERATIONS);
    // in the second half of the iterations too few are left for another contact
    const early = f32x4.le(iterations, f32x4.splat(<f32>MOST_ALONE / 2));
    const still = v128.and(early, v128.andnot(active, v128.load(head, HEAD_MOVES)));
    if (!v128.any_true(still)) return;
    choose(still);
    active = findMissed(parameters, false);
    if (!v128.any_true(active)) return;
    settle(parameters, active, leastOf(iterations, active), 0);
  }
}

/** Least number in the lanes of the mask. */
function leastOf(numbers: v128, mask: v128): i32 {
  const some = v128.bitselect(numbers, f32x4.splat(<f32>MOST_ALONE), mask);
  const pairs = f32x4.pmin(some, v128.shuffle<f32>(some, some, 2, 3, 0, 1));
  return <i32>min(f32x4.extract_lane(pairs, 0), f32x4.extract_lane(pairs, 1));
}

function finishLanes(parameters: usize, mask: v128): void {
  if (!v128.any_true(mask)) return;
  choose(mask);
  if (damped) finishDampedContact(state, nodes, head, work, parameters, edges, contacts, obstacles);
  else finishPlainContact(state, nodes, head, work, parameters, edges, contacts, obstacles);
}

/** Finds contacts with obstacles at the start of a step. Returns the lanes that have some. */
function findPressing(parameters: usize): v128 {
  const none = i32x4.splat(0);
  choose(i32x4.splat(-1));
  v128.store(head, none, HEAD_CHANGE);
  v128.store(head, none, HEAD_LOADED);
  v128.store(head, none, HEAD_ITERATIONS);
  v128.store(head, none, HEAD_MOVES);
  if (damped) findDampedContact(state, nodes, head, work, parameters, edges, contacts, obstacles);
  else findPlainContact(state, nodes, head, work, parameters, edges, contacts, obstacles);
  return v128.load(head, HEAD_PRESSES);
}

/**
 * A step of one stage among obstacles. `pressed`: parameters of implicit Euler, for strands in contact; `kept`: the state at the start; `least`:
 * minimum number of contact iterations. Returns Newton iterations of free flight; from bit 16 on, the lanes that failed; from bit 20 on, those in
 * contact.
 */
export function advanceInContact(
  parameters: usize,
  pressed: usize,
  kept: usize,
  iterations: i32,
  tolerance: f32,
  least: i32,
): i32 {
  findPressing(parameters);
  return advanceApart(parameters, pressed, kept, iterations, tolerance, least, 15);
}

/** The rest of such a step for some lanes, as bits. All others are at its start. */
export function advanceApart(
  parameters: usize,
  pressed: usize,
  kept: usize,
  iterations: i32,
  tolerance: f32,
  least: i32,
  chosen: i32,
): i32 {
  const chosenLanes = lanesOf(chosen);
  const presses = v128.and(v128.load(head, HEAD_PRESSES), chosenLanes);
  const flies = v128.andnot(chosenLanes, presses);
  let code = 0;
  let pressing = presses;
  if (v128.any_true(flies)) {
    code = solveFree(parameters, iterations, tolerance, v128.not(flies));
    choose(flies);
    const missed = findMissed(parameters, true);
    if (v128.any_true(missed)) {
      choose(missed);
      if (damped) changeDampedContact(state, nodes, head, work, pressed, edges, contacts, obstacles);
      else changePlainContact(state, nodes, head, work, pressed, edges, contacts, obstacles);
      pressing = v128.or(presses, missed);
    }
    restoreLanes(v128.not(flies), kept);
  }
  if (v128.any_true(presses)) {
    choose(presses);
    begin(pressed);
  }
  press(pressed, pressing, least);
  const unsolved = (code >> 16) & ~i32x4.bitmask(pressing);
  const failed = (unsolved | findFolds()) & chosen;
  finishLanes(parameters, v128.andnot(chosenLanes, pressing));
  finishLanes(pressed, pressing);
  return (code & 0xffff) | (failed << 16) | (i32x4.bitmask(pressing) << 20);
}

/** Lanes as a mask. */
function lanesOf(bits: i32): v128 {
  return i32x4.ne(v128.and(i32x4.splat(bits), i32x4(1, 2, 4, 8)), i32x4.splat(0));
}

/** Displacements of the block's strands for those that they touch. `isFree`: roots are. */
export function publish(isFree: i32): void {
  storeWays(head, state, damped ? DAMPED_RECORD : PLAIN_RECORD, edges, isFree);
}

/** Begins a step of strands that touch strands: contacts with obstacles, and positions and free displacements of all nodes. */
export function openCoupled(parameters: usize): void {
  findPressing(parameters);
  if (damped) locateDampedContact(state, nodes, head, work, parameters, edges, contacts, obstacles);
  else locatePlainContact(state, nodes, head, work, parameters, edges, contacts, obstacles);
}

/** Begins the stage of lanes that touch strands, with an iteration under the forces of the last step. */
export function beginCoupled(pressed: usize, chosen: i32): void {
  choose(lanesOf(chosen));
  begin(pressed);
  if (damped) pressDampedContact(state, nodes, head, work, pressed, edges, contacts, obstacles);
  else pressPlainContact(state, nodes, head, work, pressed, edges, contacts, obstacles);
}

/** One iteration of lanes that touch strands. */
export function iterateCoupled(pressed: usize, chosen: i32): void {
  choose(lanesOf(chosen));
  if (damped) coupleDampedContact(state, nodes, head, work, pressed, edges, contacts, obstacles);
  else couplePlainContact(state, nodes, head, work, pressed, edges, contacts, obstacles);
}

/** Ends the step of lanes that touch strands. Returns those that failed. */
export function finishCoupled(pressed: usize, chosen: i32): i32 {
  const mask = lanesOf(chosen);
  const finite = f32x4.lt(v128.load(head, HEAD_LARGEST), f32x4.splat(f32.MAX_VALUE));
  const failed = (findFolds() | ~i32x4.bitmask(finite)) & chosen;
  finishLanes(pressed, mask);
  return failed;
}

/** Returns lanes to their state at the start of the step. */
function restoreLanes(mask: v128, kept: usize): void {
  if (!v128.any_true(mask)) return;
  const bytes = <usize>(edges + 1) * (damped ? DAMPED_RECORD : PLAIN_RECORD);
  for (let at: usize = 0; at < bytes; at += 16)
    v128.store(state + at, v128.bitselect(v128.load(kept + at), v128.load(state + at), mask));
}
