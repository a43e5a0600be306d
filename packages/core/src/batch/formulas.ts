/**
 * The physics of one joint, one edge and one node: pure functions of small tuples. kernels/wgsl.ts translates this file to WGSL,
 * so it keeps to the subset of TypeScript described there. Derivation: docs/notes/batch-engine.md.
 *
 * Edge j runs from node j to node j+1, has length l, frame quaternion q (axes d1, d2, t) and turns by the rotation vector φ in
 * world axes. Joint j lies before edge j; its relative rotation is stored by the vector part of its quaternion.
 */
import {
  add,
  addMatrices,
  apply,
  column,
  cross,
  dot,
  type Matrix,
  matrix,
  multiply,
  multiplyEach,
  type Quaternion,
  quaternion,
  scale,
  scaleMatrix,
  subtract,
  subtractMatrices,
  transpose,
  type Vector,
  vector,
  vectorPart,
} from './algebra.ts';
import { arctangentRatio, cosineOfRoot, logarithmCoefficient, sineRatio } from './elementary.ts';

export function zeroVector(): Vector {
  return vector(0, 0, 0);
}

/** s·I */
export function diagonal(s: number): Matrix {
  return matrix(vector(s, 0, 0), vector(0, s, 0), vector(0, 0, s));
}

/** a bᵀ */
export function outer(a: Vector, b: Vector): Matrix {
  return matrix(scale(b[0], a), scale(b[1], a), scale(b[2], a));
}

/** The matrix [v]× with [v]× a = v × a. */
export function skew(v: Vector): Matrix {
  return matrix(vector(0, v[2], -v[1]), vector(-v[2], 0, v[0]), vector(v[1], -v[0], 0));
}

export function symmetricPart(a: Matrix): Matrix {
  return scaleMatrix(0.5, addMatrices(a, transpose(a)));
}

/** Symmetric matrix, from its entries. */
export function symmetric(diagonal: Vector, yz: number, xz: number, xy: number): Matrix {
  return matrix(vector(diagonal[0], xy, xz), vector(xy, diagonal[1], yz), vector(xz, yz, diagonal[2]));
}

/** aᵀ b for a product that is symmetric: computes only the upper triangle. */
export function symmetricProduct(a: Matrix, b: Matrix): Matrix {
  const x = column(a, 0);
  const y = column(a, 1);
  return symmetric(
    vector(dot(x, column(b, 0)), dot(y, column(b, 1)), dot(column(a, 2), column(b, 2))),
    dot(y, column(b, 2)),
    dot(x, column(b, 2)),
    dot(x, column(b, 1)),
  );
}

/** Inverse of a symmetric positive matrix, by LDLᵀ. */
export function invertSymmetric(a: Matrix): Matrix {
  const x = column(a, 0);
  const y = column(a, 1);
  const z = column(a, 2);
  const i1 = 1 / x[0];
  const l21 = x[1] * i1;
  const l31 = x[2] * i1;
  const i2 = 1 / (y[1] - l21 * x[1]);
  const e = y[2] - l21 * x[2];
  const l32 = e * i2;
  const i3 = 1 / (z[2] - l31 * x[2] - l32 * e);
  const m31 = l21 * l32 - l31;
  const yz = -l32 * i3;
  const xz = m31 * i3;
  const xy = -l21 * i2 - l32 * m31 * i3;
  return matrix(
    vector(i1 + l21 * l21 * i2 + m31 * m31 * i3, xy, xz),
    vector(xy, i2 + l32 * l32 * i3, yz),
    vector(xz, yz, i3),
  );
}

export function compose(a: Quaternion, b: Quaternion): Quaternion {
  const av = vectorPart(a);
  const bv = vectorPart(b);
  const v = add(add(scale(a[3], bv), scale(b[3], av)), cross(av, bv));
  return quaternion(v[0], v[1], v[2], a[3] * b[3] - dot(av, bv));
}

export function conjugate(q: Quaternion): Quaternion {
  return quaternion(-q[0], -q[1], -q[2], q[3]);
}

export function normalize(q: Quaternion): Quaternion {
  const s = 1 / Math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  return quaternion(s * q[0], s * q[1], s * q[2], s * q[3]);
}

/** (R(q) − I) a, to relative precision where the rotation is small. */
export function rotationChange(q: Quaternion, a: Vector): Vector {
  const v = vectorPart(q);
  const b = scale(2, cross(v, a));
  return add(scale(q[3], b), cross(v, b));
}

export function rotate(q: Quaternion, a: Vector): Vector {
  return add(a, rotationChange(q, a));
}

/** Third axis of the frame. */
export function tangentOf(q: Quaternion): Vector {
  return vector(2 * (q[0] * q[2] + q[3] * q[1]), 2 * (q[1] * q[2] - q[3] * q[0]), 1 - 2 * (q[0] * q[0] + q[1] * q[1]));
}

/** First axis of the frame. */
export function directorOf(q: Quaternion): Vector {
  return vector(1 - 2 * (q[1] * q[1] + q[2] * q[2]), 2 * (q[0] * q[1] + q[3] * q[2]), 2 * (q[0] * q[2] - q[3] * q[1]));
}

/** Unit quaternion with this vector part and real part ≥ 0. */
export function fromVectorPart(v: Vector): Quaternion {
  return quaternion(v[0], v[1], v[2], Math.sqrt(Math.max(0, 1 - dot(v, v))));
}

/** Vector part of q or −q, whichever has its real part ≥ 0. */
export function toVectorPart(q: Quaternion): Vector {
  return q[3] < 0 ? vector(-q[0], -q[1], -q[2]) : vectorPart(q);
}

/** exp(φ/2) */
export function exponential(phi: Vector): Quaternion {
  const s = 0.25 * dot(phi, phi);
  const v = scale(0.5 * sineRatio(s), phi);
  return quaternion(v[0], v[1], v[2], cosineOfRoot(s));
}

/** Rotation vector u of a joint, from the vector part of its quaternion: 4 atan(tan(θ/4)) along it. */
export function rotationVector(v: Vector): Vector {
  const s = dot(v, v);
  const w1 = 1 + Math.sqrt(Math.max(0, 1 - s));
  return scale((4 * arctangentRatio(s / (w1 * w1))) / w1, v);
}

/** Axes of the frame: d1, d2, t. */
export function frameMatrix(q: Quaternion): Matrix {
  return matrix(
    directorOf(q),
    vector(2 * (q[0] * q[1] - q[3] * q[2]), 1 - 2 * (q[0] * q[0] + q[2] * q[2]), 2 * (q[1] * q[2] + q[3] * q[0])),
    tangentOf(q),
  );
}

/**
 * Rate of a joint's rotation vector u by the rotation φ of the edge after it, in world axes: du = M φ, with M = J Rᵀ, R the frame of the edge and
 * J = I + ½ [u]× + c [u]×².
 */
function jointRate(q: Quaternion, u: Vector): Matrix {
  const theta2 = dot(u, u);
  const c = logarithmCoefficient(theta2);
  const half = scale(0.5, u);
  const cu = scale(c, u);
  const own = 1 - c * theta2;
  const xy = cu[0] * u[1];
  const xz = cu[0] * u[2];
  const yz = cu[1] * u[2];
  const j = matrix(
    vector(own + cu[0] * u[0], xy + half[2], xz - half[1]),
    vector(xy - half[2], own + cu[1] * u[1], yz + half[0]),
    vector(xz + half[1], yz - half[0], own + cu[2] * u[2]),
  );
  return multiply(j, transpose(frameMatrix(q)));
}

/** The moment of a joint as a torque on the edge after it, in world axes; the opposite torque acts on the edge before it. */
export function jointTorque(q: Quaternion, u: Vector, moment: Vector): Vector {
  return apply(transpose(jointRate(q, u)), moment);
}

/** Gauss–Newton stiffness MᵀKM of a joint in the turn of the edge after it, in world axes; k about d1, d2, t. */
export function jointStiffness(q: Quaternion, u: Vector, k: Vector): Matrix {
  const rate = jointRate(q, u);
  const force = matrix(
    multiplyEach(k, column(rate, 0)),
    multiplyEach(k, column(rate, 1)),
    multiplyEach(k, column(rate, 2)),
  );
  return symmetricProduct(rate, force);
}

/**
 * Second derivative of a joint's energy in the turn of the edge after it, in world axes: Gauss–Newton and the moment m times the second derivative
 * of the rotation vector, which is ½ (g uᵀ + u gᵀ) + s (c (1 − cθ²) − ¼) I with s = u·m, c' = dc/dθ² and
 * g = (¼ − c (1 + cθ²) − 2c'θ²) m + 2s (c² + c') u + c m × u.
 */
export function jointHessian(q: Quaternion, u: Vector, k: Vector, moment: Vector): Matrix {
  const theta2 = dot(u, u);
  const c = logarithmCoefficient(theta2);
  const slope = logarithmSlope(theta2);
  const s = dot(u, moment);
  const along = add(scale(0.25 - c * (1 + c * theta2) - 2 * slope * theta2, moment), scale(2 * s * (c * c + slope), u));
  const frame = frameMatrix(q);
  const g = apply(frame, add(along, scale(c, cross(moment, u))));
  const curvature = symmetricPart(outer(g, apply(frame, u)));
  return addMatrices(jointStiffness(q, u, k), addMatrices(curvature, diagonal(s * (c * (1 - c * theta2) - 0.25))));
}

/** Derivative of `logarithmCoefficient` by θ², by its series; good to 1e-3 at θ = 2, and it only steers Newton. */
function logarithmSlope(theta2: number): number {
  return 1.3888889e-3 + theta2 * (6.613757e-5 + theta2 * (2.480159e-6 + theta2 * 8.350703e-8));
}

/** True if all three pivots of a symmetric matrix are positive. */
export function isPositive(a: Matrix): boolean {
  const x = column(a, 0);
  const y = column(a, 1);
  const z = column(a, 2);
  const second = x[0] * y[1] - x[1] * x[1];
  return x[0] > 0 && second > 0 && dot(x, cross(y, z)) > 0;
}

/** Moment of a joint: stiffness times strain, and viscosity (stiffness damping β in s times the stage's rate) times its change. */
export function jointMoment(k: Vector, strain: Vector, viscosity: number, change: Vector): Vector {
  return multiplyEach(k, add(strain, scale(viscosity, change)));
}

/** Vector part of the joint's rotation after the edge before it turned by `before` and the edge after it by `after`. */
export function turnJoint(frameBefore: Quaternion, before: Quaternion, after: Quaternion, relative: Vector): Vector {
  // vector part of before⁻¹ after by differences: small turns keep all their digits
  const bv = vectorPart(before);
  const dv = subtract(vectorPart(after), bv);
  const v = subtract(subtract(scale(before[3], dv), scale(after[3] - before[3], bv)), cross(bv, dv));
  const local = rotate(conjugate(frameBefore), v);
  return toVectorPart(compose(fromVectorPart(local), fromVectorPart(relative)));
}

/**
 * The energy of everything beyond a node as a quadratic ½ zᵀPz + pᵀz of z = (displacement y of the node, turn φ of the edge
 * before it), and the sum of the residual forces beyond, which is minus the tension.
 */
export interface Beyond {
  readonly yy: Matrix;
  readonly yp: Matrix;
  readonly pp: Matrix;
  readonly y: Vector;
  readonly p: Vector;
  readonly force: Vector;
  /** False if an exact second derivative was not positive; the sweep must then be repeated without it. */
  readonly definite: boolean;
}

/** Drag coefficients of half an edge: across and along it [N s/m], and their increase per speed [N s²/m²]. */
export interface AirDrag {
  readonly normal: number;
  readonly tangential: number;
  readonly normalBySpeed: number;
  readonly tangentialBySpeed: number;
}

/** Turn of a joint as a function of (y, φ): ψ = −(constant + fromY·y + fromTurn·φ). */
export interface Gain {
  readonly fromY: Matrix;
  readonly fromTurn: Matrix;
  readonly constant: Vector;
}

/** An eliminated edge, with the blocks from which its response to other forces is computed. */
export interface Elimination {
  readonly beyond: Beyond;
  readonly gain: Gain;
  /** Second derivative in the displacement of the node before the edge and the turn of the edge. */
  readonly yp: Matrix;
  /** Coupling of the joint's rotation to the rotation of the edge before it. */
  readonly coupling: Matrix;
  /** Inverse of the block that was eliminated. */
  readonly inverse: Matrix;
}

export function nothingBeyond(): Beyond {
  const zero = diagonal(0);
  const none = zeroVector();
  return { yy: zero, yp: zero, pp: zero, y: none, p: none, force: none, definite: true };
}

/** Adds a node: its residual force and the stiffness of that force. */
export function addNode(beyond: Beyond, residual: Vector, stiffness: Matrix): Beyond {
  return {
    yy: addMatrices(beyond.yy, stiffness),
    yp: beyond.yp,
    pp: beyond.pp,
    y: add(beyond.y, residual),
    p: beyond.p,
    force: add(beyond.force, residual),
    definite: beyond.definite,
  };
}

/**
 * Passes from the node after an edge to the node before it: eliminates the turn ψ of the edge against the one before it.
 * `edgeTorque` acts on the edge from outside. Of the second derivatives of position only the positive part of the tension is used,
 * so that the matrix is always positive definite, but all of them where the joint is exact.
 */
export function eliminateEdge(beyond: Beyond, edge: Vector, joint: JointResponse, edgeTorque: Vector): Elimination {
  // y after = y before + φ × edge = y before + A φ
  const a = scaleMatrix(-1, skew(edge));
  const at = skew(edge);
  const wyp = addMatrices(multiply(beyond.yy, a), beyond.yp);
  // Aᵀ Pyy A + Aᵀ Pyφ + Pφy A + Pφφ
  const inner = addMatrices(symmetricPart(multiply(at, addMatrices(wyp, beyond.yp))), beyond.pp);
  const length2 = dot(edge, edge);
  const pull = Math.max(0, -dot(beyond.force, edge));
  let tension: Matrix = subtractMatrices(diagonal(pull), scaleMatrix(pull / length2, outer(edge, edge)));
  if (joint.exact) {
    tension = subtractMatrices(symmetricPart(outer(beyond.force, edge)), diagonal(dot(beyond.force, edge)));
  }
  const w = addMatrices(inner, tension);
  const wp = subtract(add(apply(at, beyond.y), beyond.p), edgeTorque);
  const eliminated = addMatrices(w, joint.stiffness);
  const inverse = invertSymmetric(eliminated);
  const fromY = multiply(inverse, transpose(wyp));
  // exact: rotations do not commute, log(exp(−φ) exp(φ + ψ)) = ψ − ½ φ × ψ
  let coupling: Matrix = w;
  if (joint.exact) {
    coupling = subtractMatrices(w, scaleMatrix(0.5, skew(joint.torque)));
  }
  const fromTurn = multiply(inverse, coupling);
  const constant = apply(inverse, add(wp, joint.torque));
  return {
    beyond: {
      yy: subtractMatrices(beyond.yy, symmetricProduct(transpose(wyp), fromY)),
      yp: subtractMatrices(wyp, multiply(wyp, fromTurn)),
      pp: subtractMatrices(w, symmetricProduct(coupling, fromTurn)),
      y: subtract(beyond.y, apply(wyp, constant)),
      p: subtract(wp, apply(transpose(coupling), constant)),
      force: beyond.force,
      definite: beyond.definite && (!joint.exact || isPositive(eliminated)),
    },
    gain: { fromY, fromTurn, constant },
    yp: wyp,
    coupling,
    inverse,
  };
}

/** Torque of a joint on the edge after it, and its stiffness in that edge's turn. */
export interface JointResponse {
  readonly torque: Vector;
  readonly stiffness: Matrix;
  /** True if the stiffness is the exact second derivative. */
  readonly exact: boolean;
}

/** Turn of a joint, at most `limit` rad. */
export function jointTurn(gain: Gain, y: Vector, turn: Vector, limit: number): Vector {
  const psi = scale(-1, add(gain.constant, add(apply(gain.fromY, y), apply(gain.fromTurn, turn))));
  const size2 = dot(psi, psi);
  return size2 > limit * limit ? scale(limit / Math.sqrt(size2), psi) : psi;
}
