/**
 * Residual and matrix of a stage for two rods at once: the counterpart of the model's kinematics.ts, energy.ts and stage.ts. The formulas of a joint
 * are in `generated.ts`, translated from the model's sources.
 */
import {
  addCongruence,
  addCurvatureOfPrimitives,
  addEdgeBlock,
  addJointGradient,
  addJointMatrix,
  addNodeBlock,
  addViscous,
  addViscousGradient,
  addViscousMatrix,
  carryDirector,
  GAUSS_NEWTON,
  gradient8,
  H,
  HESSIAN,
  P,
  rate,
  rotationStrain,
  strainIn,
  strainOut,
  turnBetween,
  turnFrame,
  writeGradient,
  writeJoint,
} from './generated';
import { add, both, div, entry, ld, mul, splat, st, sub } from './lanes';
import { Pair } from './pair';
import { WITH_DRAG, WITH_TORQUE } from './shared';

/** The previous tangent of the current edge. */
const last: usize = memory.data(16 * 3, 16);

// @ts-ignore: decorator
@inline function at(p: usize, k: i32): i32 {
  return load<i32>(p + ((<usize>k) << 2));
}

/** Offset of entry k in a table with three pairs per row. */
// @ts-ignore: decorator
@inline function row3(p: usize, k: i32): usize {
  return p + <usize>(48 * k);
}

/** Length and tangent of edge j at q; false if its length is zero or a position is NaN. */
// @ts-ignore: decorator
@inline function measureEdge(p: Pair, q: usize, j: i32): bool {
  const a = entry(q, 4 * j);
  const x = sub(ld(a, 4), ld(a, 0));
  const y = sub(ld(a, 5), ld(a, 1));
  const z = sub(ld(a, 6), ld(a, 2));
  const length = f64x2.sqrt(add(add(mul(x, x), mul(y, y)), mul(z, z)));
  st(p.length, j, length);
  const tangent = row3(p.tangent, j);
  const inverse = div(splat(1.0), length);
  st(tangent, 0, mul(x, inverse));
  st(tangent, 1, mul(y, inverse));
  st(tangent, 2, mul(z, inverse));
  return both(v128.and(f64x2.gt(length, splat(0.0)), f64x2.lt(length, splat(Infinity))));
}

/** Lengths and tangents at the start of a step. */
export function measureEdges(p: Pair): bool {
  let fine = true;
  for (let j = 0; j < p.nodeCount - 1; j++) if (!measureEdge(p, p.q, j)) fine = false;
  return fine;
}

/** Frames follow the centreline to q; false if an edge has no length or a position is NaN. */
export function followCenterline(p: Pair): bool {
  for (let j = 0; j < p.nodeCount - 1; j++) {
    const tangent = row3(p.tangent, j);
    for (let k = 0; k < 3; k++) st(last, k, ld(tangent, k));
    if (!measureEdge(p, p.q, j)) return false;
    const reference = row3(p.reference, j);
    carryDirector(reference, reference, last, tangent);
    turnFrame(row3(p.m1, j), row3(p.m2, j), tangent, reference, ld(p.q, 4 * j + 3));
  }
  for (let i = 0; i < p.jointCount; i++) measureTwist(p, i);
  return true;
}

/** Twist of the reference frames at joint i as the value nearest to the last one, and the material twist. */
function measureTwist(p: Pair, i: i32): void {
  const before = at(p.before, i);
  const after = at(p.after, i);
  const fromDirector = before >= 0 ? row3(p.reference, before) : row3(p.heldDirector, -1 - before);
  const fromTangent = before >= 0 ? row3(p.tangent, before) : row3(p.heldTangent, -1 - before);
  const to = after >= 0 ? row3(p.reference, after) : row3(p.heldDirector, -1 - after);
  const t = after >= 0 ? row3(p.tangent, after) : row3(p.heldTangent, -1 - after);
  const turned = turnBetween(fromDirector, fromTangent, to, t);
  const turns = f64x2.nearest(mul(sub(ld(p.referenceTwist, i), turned), splat(0.15915494309189535)));
  const reference = add(turned, mul(splat(6.283185307179586), turns));
  st(p.referenceTwist, i, reference);
  const thetaBefore = before >= 0 ? ld(p.q, 4 * before + 3) : ld(p.heldTheta, -1 - before);
  const thetaAfter = after >= 0 ? ld(p.q, 4 * after + 3) : ld(p.heldTheta, -1 - after);
  st(p.twist, i, add(add(sub(thetaAfter, thetaBefore), reference), ld(p.offset, i)));
}

/** EA/ē where the edge stretches; a penalty well above all other stiffness where it does not. */
export function setPenalties(p: Pair, inertia: f64): void {
  for (let j = 0; j < p.nodeCount - 1; j++) {
    const stiff = f64x2.max(ld(p.stiffnessScale, 2 * j), ld(p.stiffnessScale, 2 * j + 2));
    const heavy = f64x2.max(ld(p.mass, 2 * j), ld(p.mass, 2 * j + 2));
    const penalty = mul(splat(1e6), add(stiff, mul(splat(inertia), heavy)));
    const k = ld(p.stiffness, j);
    st(p.penalty, j, v128.bitselect(k, penalty, f64x2.lt(k, splat(Infinity))));
  }
}

/**
 * Residual of the stage at the current state, and its matrix if wanted. Writes the force scale to `scale` (a pair). Returns false if edges of either
 * rod point against each other.
 */
export function evaluateStage(p: Pair, c: f64, s: f64, matrix: bool, scale: usize): bool {
  const size = 4 * p.nodeCount - 1;
  memory.fill(p.residual - 64, 0, 64);
  memory.fill(entry(p.residual, size), 0, 64);
  if (matrix) memory.fill(p.band - 704, 0, <usize>(16 * 11 * (size + 8)));
  let sum = splat(0.0);
  const cc = splat(c);
  const ss = splat(s);
  const edges = p.nodeCount - 1;
  for (let i = 0; i <= edges; i++) {
    const mass = ld(p.mass, 2 * i);
    const cm = mul(cc, mass);
    const drag = mul(mass, ld(p.massDamping, 2 * i));
    const o = 4 * i;
    const q = entry(p.q, o);
    const hat = entry(p.qHat, o);
    const v = entry(p.v, o);
    const r = entry(p.residual, o);
    const f = entry(p.force, 3 * i);
    const x = mul(cm, sub(ld(q, 0), ld(hat, 0)));
    const y = mul(cm, sub(ld(q, 1), ld(hat, 1)));
    const z = mul(cm, sub(ld(q, 2), ld(hat, 2)));
    const fx = ld(f, 0);
    const fy = ld(f, 1);
    const fz = ld(f, 2);
    st(r, 0, sub(add(x, mul(drag, ld(v, 0))), fx));
    st(r, 1, sub(add(y, mul(drag, ld(v, 1))), fy));
    st(r, 2, sub(add(z, mul(drag, ld(v, 2))), fz));
    sum = add(sum, add(add(f64x2.abs(x), f64x2.abs(y)), f64x2.abs(z)));
    sum = add(sum, add(add(f64x2.abs(fx), f64x2.abs(fy)), f64x2.abs(fz)));
    const d = entry(p.band, 11 * o + 10);
    if (matrix) {
      const diagonal = add(cm, mul(drag, ss));
      st(d, 0, diagonal);
      st(d, 11, diagonal);
      st(d, 22, diagonal);
    }
    if (i == edges) break;
    const spin = ld(p.mass, 2 * i + 1);
    const spinDrag = mul(spin, ld(p.massDamping, 2 * i + 1));
    st(r, 3, add(mul(mul(cc, spin), sub(ld(q, 3), ld(hat, 3))), mul(spinDrag, ld(v, 3))));
    if (matrix) st(d, 33, add(mul(cc, spin), mul(spinDrag, ss)));
  }
  if (p.loads & WITH_TORQUE) sum = add(sum, subtractTorques(p));
  if (matrix && p.loads & WITH_DRAG) addDrag(p, ss);
  v128.store(scale, sum);
  addEdges(p, s, matrix);
  return addJoints(p, s, matrix);
}

/** Torques on the edges: about the tangent they act on θ, across it as a couple of forces. Returns the sum of their magnitudes. */
function subtractTorques(p: Pair): v128 {
  let sum = splat(0.0);
  for (let j = 0; j < p.nodeCount - 1; j++) {
    const tau = row3(p.torque, j);
    const t = row3(p.tangent, j);
    const r = entry(p.residual, 4 * j);
    const inverse = div(splat(1.0), ld(p.length, j));
    const along = add(add(mul(ld(tau, 0), ld(t, 0)), mul(ld(tau, 1), ld(t, 1))), mul(ld(tau, 2), ld(t, 2)));
    st(r, 3, sub(ld(r, 3), along));
    for (let k = 0; k < 3; k++) {
      const a = k == 2 ? 0 : k + 1;
      const b = k == 0 ? 2 : k - 1;
      const f = mul(sub(mul(ld(tau, a), ld(t, b)), mul(ld(tau, b), ld(t, a))), inverse);
      st(r, 4 + k, sub(ld(r, 4 + k), f));
      st(r, k, add(ld(r, k), f));
      sum = add(sum, f64x2.abs(f));
    }
  }
  return sum;
}

/** Implicit part of velocity-dependent loads. */
function addDrag(p: Pair, s: v128): void {
  for (let i = 0; i < p.nodeCount; i++) {
    const drag = entry(p.drag, 6 * i);
    const d = entry(p.band, 44 * i + 10);
    st(d, 0, add(ld(d, 0), mul(s, ld(drag, 0))));
    st(d, 10, add(ld(d, 10), mul(s, ld(drag, 1))));
    st(d, 20, add(ld(d, 20), mul(s, ld(drag, 2))));
    st(d, 11, add(ld(d, 11), mul(s, ld(drag, 3))));
    st(d, 21, add(ld(d, 21), mul(s, ld(drag, 4))));
    st(d, 22, add(ld(d, 22), mul(s, ld(drag, 5))));
  }
}

/** Length of the step if the stage is one of implicit Euler, otherwise 0 [s]. */
let span: f64 = 0.0;

export function setSpan(h: f64): void {
  span = h;
}

/** Component k of the rate at which the two nodes of edge j separate; in a step of implicit Euler, their separation over it. */
// @ts-ignore: decorator
@inline function parting(p: Pair, j: i32, k: i32): v128 {
  const a = 4 * j + k;
  if (span == 0.0) return sub(ld(p.v, a + 4), ld(p.v, a));
  return sub(sub(ld(p.q, a + 4), ld(p.q, a)), sub(ld(p.qRate, a + 4), ld(p.qRate, a)));
}

/** Rates of the lengths of edges j; see stage.ts of the model. */
function stretchRate(p: Pair, j: i32): v128 {
  const t = row3(p.tangent, j);
  const x = parting(p, j, 0);
  const y = parting(p, j, 1);
  const z = parting(p, j, 2);
  const along = add(add(mul(ld(t, 0), x), mul(ld(t, 1), y)), mul(ld(t, 2), z));
  if (span == 0.0) return along;
  const length = ld(p.length, j);
  const square = add(add(mul(x, x), mul(y, y)), mul(z, z));
  const pulled = mul(mul(splat(2.0), length), along);
  const before = f64x2.sqrt(f64x2.max(splat(0.0), add(sub(mul(length, length), pulled), square)));
  return div(sub(pulled, square), mul(splat(span), add(length, before)));
}

/** Tension as an unknown of its own; see newton.ts of the model. */
function addEdges(p: Pair, s: f64, matrix: bool): void {
  const infinite = splat(Infinity);
  for (let j = 0; j < p.nodeCount - 1; j++) {
    const a = 4 * j;
    const t = row3(p.tangent, j);
    const r = entry(p.residual, a);
    const tx = ld(t, 0);
    const ty = ld(t, 1);
    const tz = ld(t, 2);
    const lambda = ld(p.tension, j);
    const k = ld(p.penalty, j);
    const length = ld(p.length, j);
    const extensible = f64x2.lt(ld(p.stiffness, j), infinite);
    const strain = sub(length, ld(p.lengthRest, j));
    const damping = v128.and(ld(p.edgeDamping, j), extensible);
    // rates without damping change nothing
    const stretching = v128.any_true(damping) ? stretchRate(p, j) : splat(0.0);
    const pulled = v128.and(div(lambda, k), extensible);
    st(p.error, j, add(sub(strain, pulled), mul(damping, stretching)));
    const viscous = add(splat(1.0), mul(splat(s), damping));
    st(p.viscous, j, viscous);
    const fx = mul(lambda, tx);
    const fy = mul(lambda, ty);
    const fz = mul(lambda, tz);
    st(r, 0, sub(ld(r, 0), fx));
    st(r, 1, sub(ld(r, 1), fy));
    st(r, 2, sub(ld(r, 2), fz));
    st(r, 4, add(ld(r, 4), fx));
    st(r, 5, add(ld(r, 5), fy));
    st(r, 6, add(ld(r, 6), fz));
    if (!matrix) continue;
    const g = div(lambda, length);
    const kg = sub(mul(k, viscous), g);
    const xt = mul(kg, tx);
    const yt = mul(kg, ty);
    addEdgeBlock(
      entry(p.band, 11 * a + 10),
      add(mul(xt, tx), g),
      mul(xt, ty),
      mul(xt, tz),
      add(mul(yt, ty), g),
      mul(yt, tz),
      add(mul(mul(kg, tz), tz), g),
    );
  }
}

/** Bending and twisting of all joints, with their damping. */
function addJoints(p: Pair, s: f64, matrix: bool): bool {
  const one = splat(1.0);
  for (let i = 0; i < p.jointCount; i++) {
    if (!load<u8>(p.active + <usize>i)) continue;
    const before = at(p.before, i);
    const after = at(p.after, i);
    const held = -1 - before;
    const te = before >= 0 ? row3(p.tangent, before) : row3(p.heldTangent, held);
    const first = before >= 0 ? row3(p.m1, before) : row3(p.heldM1, held);
    const second = before >= 0 ? row3(p.m2, before) : row3(p.heldM2, held);
    const tf = after >= 0 ? row3(p.tangent, after) : row3(p.heldTangent, -1 - after);
    const dot = add(add(mul(ld(te, 0), ld(tf, 0)), mul(ld(te, 1), ld(tf, 1))), mul(ld(te, 2), ld(tf, 2)));
    const chi = add(one, dot);
    if (!both(f64x2.gt(chi, splat(1e-6)))) return false;
    const lengthE = before >= 0 ? ld(p.length, before) : one;
    const lengthF = after >= 0 ? ld(p.length, after) : one;
    const constants = entry(p.constants, 8 * i);
    const twist = ld(p.twist, i);
    const damping = ld(p.jointDamping, i);
    const viscous = s > 0.0 && v128.any_true(damping);
    const a = 4 * at(p.node, i) - 4;
    if (before < 0 || after < 0) {
      st(P, 15, chi);
      st(P, 16, lengthE);
      st(P, 17, lengthF);
      writeJoint(te, first, second, 0, tf, 0);
      st(strainIn, 2, twist);
      rotationStrain(strainOut, constants, 0, strainIn);
      const turning = entry(p.heldRate, 4 * (-1 - (before < 0 ? before : after)));
      addHeldJoint(p, a, before < 0, matrix, viscous, damping, s, turning);
      continue;
    }
    const r = entry(p.residual, a);
    const d = entry(p.band, 11 * a + 10);
    const v = entry(p.v, a);
    if (matrix && viscous)
      addViscousMatrix(te, first, second, tf, lengthE, lengthF, chi, constants, twist, r, d, v, damping, splat(s));
    else if (matrix)
      addJointMatrix(te, first, second, tf, lengthE, lengthF, chi, constants, twist, r, d, v, damping, damping);
    else if (viscous)
      addViscousGradient(te, first, second, tf, lengthE, lengthF, chi, constants, twist, r, d, v, damping, damping);
    else addJointGradient(te, first, second, tf, lengthE, lengthF, chi, constants, twist, r, d, v, damping, damping);
  }
  return true;
}

/** The current joint, one side of which is a held frame with the rates `turning` of (t, θ), at the unknowns from a on. */
function addHeldJoint(
  p: Pair,
  a: i32,
  before: bool,
  matrix: bool,
  viscous: bool,
  damping: v128,
  s: f64,
  turning: usize,
): void {
  writeGradient(gradient8);
  if (matrix) {
    memory.fill(H, 0, 1024);
    addCongruence(strainOut, HESSIAN, splat(1.0));
    addCurvatureOfPrimitives();
    if (viscous) addCongruence(strainOut, GAUSS_NEWTON, mul(damping, splat(s)));
  }
  if (viscous) {
    for (let k = 0; k < 3; k++) {
      st(rate, k, before ? ld(turning, k) : sub(ld(p.v, a + 4 + k), ld(p.v, a + k)));
      st(rate, 4 + k, before ? sub(ld(p.v, a + 8 + k), ld(p.v, a + 4 + k)) : ld(turning, k));
    }
    st(rate, 3, before ? ld(turning, 3) : ld(p.v, a + 3));
    st(rate, 7, before ? ld(p.v, a + 7) : ld(turning, 3));
    addViscous(gradient8, damping);
  }
  dropHeld(before ? 0 : 4);
  const r = p.residual;
  for (let k = 0; k < 3; k++) {
    const e = ld(gradient8, k);
    const f = ld(gradient8, 4 + k);
    st(r, a + k, sub(ld(r, a + k), e));
    st(r, a + 4 + k, add(ld(r, a + 4 + k), sub(e, f)));
    st(r, a + 8 + k, add(ld(r, a + 8 + k), f));
  }
  st(r, a + 3, add(ld(r, a + 3), ld(gradient8, 3)));
  st(r, a + 7, add(ld(r, a + 7), ld(gradient8, 7)));
  if (matrix) addNodeBlock(p.band, 11 * a + 10);
}

/** A held frame does not move: its four variables vanish. */
function dropHeld(from: i32): void {
  const zero = splat(0.0);
  for (let a = from; a < from + 4; a++) {
    st(gradient8, a, zero);
    for (let b = 0; b < 8; b++) {
      st(H, 8 * a + b, zero);
      st(H, 8 * b + a, zero);
    }
  }
}
