/** One stage of a block of strands, one per lane: guess, Newton iterations until every lane is solved, velocities. */
import {
  beginDamped,
  beginPlain,
  DAMPED_RECORD,
  finishDamped,
  finishPlain,
  iterateDamped,
  iterateDampedExact,
  iteratePlain,
  iteratePlainExact,
  LARGEST,
  PLAIN_RECORD,
} from './generated';

/** A turn below this [rad] that an iteration does not halve any more is rounding. */
const ROUNDING: f32 = 3e-5;

/** Square of the vector part of a joint's quaternion from which its rotation, 168° and more, is not followed any further. */
const FOLDED: f32 = 0.99;

/** Turn of an edge in an iteration below which Newton goes on with the exact Hessian of joints [rad]. */
const EXACT_BELOW: f32 = 0.05;

/** Lanes in which a joint is folded, or not a number, as bits. */
function findFolds(state: usize, edges: i32, record: usize): i32 {
  let most = f32x4.splat(0);
  for (let j = 0; j < edges; j++) {
    const at = state + <usize>j * record;
    const x = v128.load(at);
    const y = v128.load(at, 16);
    const z = v128.load(at, 32);
    // max is not a number where one of both is not
    most = f32x4.max(most, f32x4.add(f32x4.add(f32x4.mul(x, x), f32x4.mul(y, y)), f32x4.mul(z, z)));
  }
  return ~i32x4.bitmask(f32x4.lt(most, f32x4.splat(FOLDED))) & 15;
}

/** Iterations; and from bit 16 on the lanes that failed. `finish`: the step ends with this stage. */
export function advance(
  state: usize,
  nodes: usize,
  head: usize,
  work: usize,
  parameters: usize,
  edges: i32,
  damped: bool,
  finish: bool,
  iterations: i32,
  tolerance: f32,
): i32 {
  if (damped) beginDamped(state, nodes, head, work, parameters, edges);
  else beginPlain(state, nodes, head, work, parameters, edges);
  const limit = f32x4.splat(tolerance * tolerance);
  let solved = i32x4.splat(0);
  let before = f32x4.splat(0);
  let used = 0;
  // the exact Hessian converges faster, but only from near
  let exact = false;
  let grows = false;
  while (used < iterations && !i32x4.all_true(solved)) {
    if (damped) {
      if (exact) iterateDampedExact(state, nodes, head, work, parameters, edges);
      else iterateDamped(state, nodes, head, work, parameters, edges);
    } else if (exact) iteratePlainExact(state, nodes, head, work, parameters, edges);
    else iteratePlain(state, nodes, head, work, parameters, edges);
    const largest = v128.load(head, LARGEST);
    solved = v128.or(solved, f32x4.le(largest, limit));
    if (used > 0 && tolerance > 0) {
      const isRounding = v128.and(
        f32x4.lt(largest, f32x4.splat(ROUNDING * ROUNDING)),
        f32x4.gt(largest, f32x4.mul(f32x4.splat(0.25), before)),
      );
      solved = v128.or(solved, isRounding);
    }
    grows = grows || (exact && v128.any_true(v128.andnot(f32x4.gt(largest, before), solved)));
    exact = !grows && i32x4.all_true(v128.or(solved, f32x4.lt(largest, f32x4.splat(EXACT_BELOW * EXACT_BELOW))));
    before = largest;
    used++;
  }
  const record: usize = damped ? DAMPED_RECORD : PLAIN_RECORD;
  const failed = (~i32x4.bitmask(solved) & 15) | findFolds(state, edges, record);
  if (finish) {
    if (damped) finishDamped(state, nodes, head, work, parameters, edges);
    else finishPlain(state, nodes, head, work, parameters, edges);
  }
  return used | (failed << 16);
}
