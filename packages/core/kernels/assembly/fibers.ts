/**
 * Force, matrix and predicted tensions of two fibers with the same number of rings, one per lane. The formulas are translated from the model's
 * springs.ts. This file has the order in which elements.ts and step.ts call them; it is that of the reference for every number, so the bits are the
 * same.
 *
 * Matrices are assembled in pairs, three blocks at a time in a window that stays in the cache, and copied from there to the matrices of the two
 * fibers. `solveBlocks` solves these one by one, because each exchanges different rows.
 */
import {
  addFace,
  addRingCoupling,
  addRingDrag,
  addRingMass,
  addRingSpring,
  predictFace,
  predictRingSpring,
  subtractInertia,
  turnOf,
} from './generated';
import { add, div, entry, ld, mul, select, splat, st } from './lanes';
import { BACKWARD_EULER, BLOCK_AREA, COUPLED, FIBER_DRAG, FiberPair, MIDPOINT } from './shared';

/** Bytes per block of pairs. */
const AREA: usize = 16 * BLOCK_AREA;

/** Corners of spring m of a ring: four edges, two diagonals. */
// @ts-ignore: decorator
@inline function fromCorner(m: i32): i32 {
  return m & 3;
}
// @ts-ignore: decorator
@inline function toCorner(m: i32): i32 {
  return m < 4 ? (m + 1) & 3 : m - 2;
}

/**
 * Residual and matrix at y by the energy–momentum method, midpoint (1) or backward Euler (2), for the fibers whose bit is set in `wanted`. Returns
 * the bits of fibers that have a spring of zero length.
 */
export function assembleFibers(block: usize, kind: i32, wanted: i32): i32 {
  const p = changetype<FiberPair>(block);
  const rings = p.ringCount;
  const edges = rings - 1;
  let near = p.x0;
  let far = p.y;
  if (kind == MIDPOINT) {
    for (let d = 0; d < 12 * rings; d++) st(p.middle, d, mul(splat(0.5), add(ld(p.x0, d), ld(p.y, d))));
    near = p.middle;
    far = p.middle;
  } else if (kind == BACKWARD_EULER) near = p.y;
  memory.fill(p.residual, 0, <usize>(192 * rings));
  const diagonal = p.window;
  const upper = diagonal + 2 * AREA;
  const lower = upper + AREA;
  memory.fill(diagonal, 0, AREA);
  for (let r = 0; r < rings; r++) {
    memory.fill(diagonal + AREA, 0, 3 * AREA);
    if (r < edges) addCuboid(p, near, far, r, diagonal, upper, lower);
    addRing(p, near, far, r, diagonal);
    finishRing(p, r, diagonal, kind == BACKWARD_EULER);
    if (wanted & 1) unpackRing(r, rings, diagonal, upper, lower, p.residual, p.diagonal0, p.upper0, p.lower0, p.right0, 0);
    if (wanted & 2) unpackRing(r, rings, diagonal, upper, lower, p.residual, p.diagonal1, p.upper1, p.lower1, p.right1, 8);
    memory.copy(diagonal, diagonal + AREA, AREA);
  }
  let whole = i64x2.splat(-1);
  for (let k = 0; k < 12 * edges + 6 * rings; k++) whole = v128.and(whole, f64x2.gt(ld(p.length, k), splat(0.0)));
  return wanted & ~i64x2.bitmask(whole);
}

function addCuboid(p: FiberPair, near: usize, far: usize, b: i32, diagonal: usize, upper: usize, lower: usize): void {
  const force = entry(p.residual, 12 * b);
  const x0 = entry(near, 12 * b);
  const y = entry(far, 12 * b);
  const tension = entry(p.tension, 8 * b);
  const tau = entry(p.tau, 8 * b);
  const direction = entry(p.direction, 36 * b);
  const length = entry(p.length, 12 * b);
  const longRest = entry(p.longRest, 4 * b);
  const shearRest = entry(p.shearRest, 4 * b);
  const long = ld(p.longStiffness, b);
  const chi = ld(p.edgeChi, b);
  for (let c = 0; c < 4; c++) {
    const shear = ld(p.shearStiffness, 2 * b + (c & 1));
    addFace(
      force, x0, y, tension, tau, direction, length, longRest, shearRest, diagonal, upper, lower,
      c, (c + 1) & 3, long, shear, chi,
    );
  }
}

function addRing(p: FiberPair, near: usize, far: usize, r: i32, diagonal: usize): void {
  const edges = p.ringCount - 1;
  const force = entry(p.residual, 12 * r);
  const x0 = entry(near, 12 * r);
  const y = entry(far, 12 * r);
  const k = ld(p.ringStiffness, r);
  const chi = ld(p.ringChi, r);
  for (let m = 0; m < 6; m++) {
    const n = 8 * edges + 6 * r + m;
    const rest = ld(p.ringRest, m > 3 ? 2 : m & 1);
    addRingSpring(
      force, x0, y, entry(p.tension, n), entry(p.tau, n), entry(p.direction, 36 * edges + 18 * r + 3 * m),
      entry(p.length, 12 * edges + 6 * r + m), diagonal, fromCorner(m), toCorner(m), k, rest, chi,
    );
  }
}

/** Loads, inertia, mass and drag of a ring. */
function finishRing(p: FiberPair, r: i32, diagonal: usize, half: bool): void {
  const residual = entry(p.residual, 12 * r);
  for (let k = 0; k < 12; k++) st(residual, k, add(ld(residual, k), ld(p.load, 12 * r + k)));
  subtractInertia(
    residual, entry(p.x0, 12 * r), entry(p.y, 12 * r), entry(p.v0, 12 * r), ld(p.moved, r), ld(p.speeds, r),
    ld(p.particleMass, r), ld(p.couplingMass, r),
  );
  addRingMass(diagonal, ld(p.matrixMass, r));
  if (p.kinds & COUPLED) addRingCoupling(diagonal, ld(p.matrixCoupling, r));
  if (p.kinds & FIBER_DRAG) addRingDrag(diagonal, entry(p.drag, 6 * r), ld(p.dragFactor, 0));
  if (half) for (let k = 0; k < 12; k++) st(residual, k, mul(ld(residual, k), splat(0.5)));
}

function unpackRing(
  r: i32,
  rings: i32,
  diagonal: usize,
  upper: usize,
  lower: usize,
  residual: usize,
  toDiagonal: usize,
  toUpper: usize,
  toLower: usize,
  toRight: usize,
  lane: usize,
): void {
  const at = <usize>r * 1152;
  unpack(toDiagonal + at, diagonal + lane, 144);
  unpack(toRight + <usize>r * 96, entry(residual, 12 * r) + lane, 12);
  unpack(toUpper + at, upper + lane, 144);
  unpack(toLower + at, lower + lane, 144);
}

/** Copies the numbers of one fiber from pairs; `from` is its first. */
// @ts-ignore: decorator
@inline function unpack(to: usize, from: usize, count: usize): void {
  for (let k: usize = 0; k < count; k += 2) {
    const first = v128.load64_splat(from + (k << 4));
    v128.store(to + (k << 3), v128.load_lane<f64>(from + (k << 4), first, 1, 16));
  }
}

/**
 * Takes the solution of both fibers from their right-hand sides: advances τ and y by it, limited so that no spring turns by more than a radian.
 * `share` of a spring's stiffness acts on its tension.
 */
export function moveFibers(block: usize, share: f64): void {
  const p = changetype<FiberPair>(block);
  const rings = p.ringCount;
  const edges = rings - 1;
  const dx = p.residual;
  let largest = splat(0.0);
  for (let d = 0; d < 12 * rings; d++) {
    const at = <usize>d << 3;
    const step = f64x2.replace_lane(f64x2.splat(load<f64>(p.right0 + at)), 1, load<f64>(p.right1 + at));
    st(dx, d, step);
    largest = f64x2.max(largest, f64x2.abs(step));
  }
  let turn = splat(0.0);
  for (let b = 0; b < edges; b++)
    for (let c = 0; c < 4; c++) {
      const i = 12 * b + 3 * c;
      turn = f64x2.max(turn, turnOf(dx, i, i + 12, ld(p.length, 12 * b + c)));
    }
  for (let r = 0; r < rings; r++)
    for (let m = 0; m < 4; m++) {
      const i = 12 * r + 3 * fromCorner(m);
      turn = f64x2.max(turn, turnOf(dx, i, 12 * r + 3 * toCorner(m), ld(p.length, 12 * edges + 6 * r + m)));
    }
  turn = f64x2.sqrt(turn);
  const one = splat(1.0);
  const s = select(f64x2.gt(turn, one), div(one, turn), one);
  predict(p, dx, s, splat(share));
  for (let d = 0; d < 12 * rings; d++) st(p.y, d, add(ld(p.y, d), mul(s, ld(dx, d))));
  st(p.outcome, 0, s);
  st(p.outcome, 1, largest);
}

function predict(p: FiberPair, dx: usize, s: v128, share: v128): void {
  const rings = p.ringCount;
  const edges = rings - 1;
  const one = splat(1.0);
  for (let b = 0; b < edges; b++) {
    const viscous = mul(share, add(one, ld(p.edgeChi, b)));
    const long = mul(viscous, ld(p.longStiffness, b));
    for (let c = 0; c < 4; c++) {
      const shear = mul(viscous, ld(p.shearStiffness, 2 * b + (c & 1)));
      predictFace(
        entry(p.tension, 8 * b), entry(p.tau, 8 * b), entry(p.direction, 36 * b), entry(dx, 12 * b),
        c, (c + 1) & 3, long, shear, s,
      );
    }
  }
  for (let r = 0; r < rings; r++) {
    const k = mul(mul(share, add(one, ld(p.ringChi, r))), ld(p.ringStiffness, r));
    for (let m = 0; m < 6; m++) {
      const n = 8 * edges + 6 * r + m;
      predictRingSpring(
        entry(p.tension, n), entry(p.tau, n), entry(p.direction, 36 * edges + 18 * r + 3 * m), entry(dx, 12 * r),
        fromCorner(m), toCorner(m), k, s,
      );
    }
  }
}
