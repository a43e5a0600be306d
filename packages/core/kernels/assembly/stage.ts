/**
 * Residual and matrix of a stage for two rods at once: the mirror of kinematics.ts, energy.ts and stage.ts of the model.
 * The formulas of a joint are not written here: `generated.ts` is made from the model's own sources.
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
  D,
  GAUSS_NEWTON,
  gradient8,
  H,
  HESSIAN,
  rate,
  rotationStrain,
  strainOut,
  turnBetween,
  turnFrame,
  writeGradient,
  writeJoint,
} from './generated';
import { add, both, div, ld, mul, splat, st, sub } from './lanes';
import { Pair } from './pair';

/** Where entry k of a table of pairs starts. */
// @ts-ignore: decorator
@inline function entry(p: usize, k: i32): usize {
  return p + ((<usize>k) << 4);
}

// @ts-ignore: decorator
@inline function at(p: usize, k: i32): i32 {
  return load<i32>(p + ((<usize>k) << 2));
}

/** Where entry k of a table of three pairs a row starts. */
// @ts-ignore: decorator
@inline function row3(p: usize, k: i32): usize {
  return p + <usize>(48 * k);
}

/** Frames follow the centreline to q; false where an edge has no length or a position is not a number. */
export function followCenterline(p: Pair): bool {
  const edges = p.nodeCount - 1;
  const q = p.q;
  for (let j = 0; j < edges; j++) {
    const a = 4 * j;
    const o = 3 * j;
    const x = sub(ld(q, a + 4), ld(q, a));
    const y = sub(ld(q, a + 5), ld(q, a + 1));
    const z = sub(ld(q, a + 6), ld(q, a + 2));
    const length = f64x2.sqrt(add(add(mul(x, x), mul(y, y)), mul(z, z)));
    const fine = v128.and(f64x2.gt(length, splat(0.0)), f64x2.lt(length, splat(Infinity)));
    if (!both(fine)) return false;
    st(p.length, j, length);
    for (let k = 0; k < 3; k++) st(p.previous, o + k, ld(p.tangent, o + k));
    st(p.tangent, o, div(x, length));
    st(p.tangent, o + 1, div(y, length));
    st(p.tangent, o + 2, div(z, length));
    const tangent = row3(p.tangent, j);
    const reference = row3(p.reference, j);
    carryDirector(reference, reference, row3(p.previous, j), tangent);
    turnFrame(row3(p.m1, j), row3(p.m2, j), tangent, reference, ld(q, a + 3));
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
    const a = 4 * j;
    const stiff = f64x2.max(ld(p.stiffnessScale, a), ld(p.stiffnessScale, a + 4));
    const heavy = f64x2.max(ld(p.mass, a), ld(p.mass, a + 4));
    const penalty = mul(splat(1e6), add(stiff, mul(splat(inertia), heavy)));
    const k = ld(p.stiffness, j);
    st(p.penalty, j, v128.bitselect(k, penalty, f64x2.lt(k, splat(Infinity))));
  }
}

/**
 * Residual of the stage at the present state, and its matrix if wanted. The force scale is left in `scale` (a pair).
 * False where edges of either rod point against each other.
 */
export function evaluateStage(p: Pair, c: f64, s: f64, matrix: bool, scale: usize): bool {
  const size = 4 * p.nodeCount - 1;
  memory.fill(p.residual - 64, 0, <usize>(16 * (size + 8)));
  if (matrix) memory.fill(p.band - 704, 0, <usize>(16 * 11 * (size + 8)));
  if (!addJoints(p, s, matrix)) return false;
  let sum = splat(0.0);
  const cc = splat(c);
  const ss = splat(s);
  for (let d = 0; d < size; d++) {
    const mass = ld(p.mass, d);
    const drag = mul(mass, ld(p.massDamping, d));
    const inertial = mul(mul(cc, mass), sub(ld(p.q, d), ld(p.qHat, d)));
    st(p.residual, d, add(ld(p.residual, d), add(inertial, mul(drag, ld(p.v, d)))));
    if ((d & 3) != 3) sum = add(sum, f64x2.abs(inertial));
    if (matrix) st(p.band, 11 * d + 10, add(ld(p.band, 11 * d + 10), add(mul(cc, mass), mul(drag, ss))));
  }
  addEdges(p, s, matrix);
  for (let i = 0; i < p.nodeCount; i++) {
    for (let k = 0; k < 3; k++) {
      const f = ld(p.force, 3 * i + k);
      st(p.residual, 4 * i + k, sub(ld(p.residual, 4 * i + k), f));
      sum = add(sum, f64x2.abs(f));
    }
  }
  v128.store(scale, sum);
  return true;
}

/** Tension as an unknown of its own; see newton.ts of the model. */
function addEdges(p: Pair, s: f64, matrix: bool): void {
  const infinite = splat(Infinity);
  for (let j = 0; j < p.nodeCount - 1; j++) {
    const a = 4 * j;
    const b = a + 4;
    const o = 3 * j;
    const tx = ld(p.tangent, o);
    const ty = ld(p.tangent, o + 1);
    const tz = ld(p.tangent, o + 2);
    const lambda = ld(p.tension, j);
    const k = ld(p.penalty, j);
    const length = ld(p.length, j);
    const extensible = f64x2.lt(ld(p.stiffness, j), infinite);
    const strain = sub(length, ld(p.lengthRest, j));
    const damping = v128.and(ld(p.edgeDamping, j), extensible);
    const stretching = add(
      add(
        mul(tx, sub(ld(p.v, b), ld(p.v, a))),
        mul(ty, sub(ld(p.v, b + 1), ld(p.v, a + 1))),
      ),
      mul(tz, sub(ld(p.v, b + 2), ld(p.v, a + 2))),
    );
    const pulled = v128.and(div(lambda, k), extensible);
    st(p.error, j, add(sub(strain, pulled), mul(damping, stretching)));
    const viscous = add(splat(1.0), mul(splat(s), damping));
    st(p.viscous, j, viscous);
    const fx = mul(lambda, tx);
    const fy = mul(lambda, ty);
    const fz = mul(lambda, tz);
    st(p.residual, a, sub(ld(p.residual, a), fx));
    st(p.residual, a + 1, sub(ld(p.residual, a + 1), fy));
    st(p.residual, a + 2, sub(ld(p.residual, a + 2), fz));
    st(p.residual, b, add(ld(p.residual, b), fx));
    st(p.residual, b + 1, add(ld(p.residual, b + 1), fy));
    st(p.residual, b + 2, add(ld(p.residual, b + 2), fz));
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
      writeJoint(te, first, second, 0, tf, 0, lengthE, lengthF, chi);
      rotationStrain(strainOut, constants, 0, f64x2.neg(ld(D, 11)), ld(D, 3), twist);
      addHeldJoint(p, a, before < 0, matrix, viscous, damping, s);
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

/** The joint at hand, one side of which is a held frame, at the unknowns from a on. */
function addHeldJoint(p: Pair, a: i32, before: bool, matrix: bool, viscous: bool, damping: v128, s: f64): void {
  writeGradient(gradient8);
  if (matrix) {
    memory.fill(H, 0, 1024);
    addCongruence(strainOut, HESSIAN, splat(1.0));
    addCurvatureOfPrimitives();
    if (viscous) addCongruence(strainOut, GAUSS_NEWTON, mul(damping, splat(s)));
  }
  if (viscous) {
    const zero = splat(0.0);
    for (let k = 0; k < 3; k++) {
      st(rate, k, before ? zero : sub(ld(p.v, a + 4 + k), ld(p.v, a + k)));
      st(rate, 4 + k, before ? sub(ld(p.v, a + 8 + k), ld(p.v, a + 4 + k)) : zero);
    }
    st(rate, 3, before ? zero : ld(p.v, a + 3));
    st(rate, 7, before ? ld(p.v, a + 7) : zero);
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
