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

/** [v]×, so that [v]× a = v × a. */
export function skew(v: Vector): Matrix {
  return matrix(vector(0, v[2], -v[1]), vector(-v[2], 0, v[0]), vector(v[1], -v[0], 0));
}

export function symmetricPart(a: Matrix): Matrix {
  return scaleMatrix(0.5, addMatrices(a, transpose(a)));
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
  return normalize(quaternion(v[0], v[1], v[2], cosineOfRoot(s)));
}

/** Rotation vector u of a joint, from the vector part of its quaternion: 4 atan(tan(θ/4)) along it. */
export function rotationVector(v: Vector): Vector {
  const s = dot(v, v);
  const w1 = 1 + Math.sqrt(Math.max(0, 1 - s));
  return scale((4 * arctangentRatio(s / (w1 * w1))) / w1, v);
}

/** The moment of a joint as a torque on the edge after it, in world axes; the edge before it feels the opposite. */
export function jointTorque(q: Quaternion, u: Vector, moment: Vector): Vector {
  const c = logarithmCoefficient(dot(u, u));
  const um = cross(u, moment);
  return rotate(q, add(subtract(moment, scale(0.5, um)), scale(c, cross(u, um))));
}

/** Gauss–Newton stiffness JᵀKJ of a joint in the turn of the edge after it, in world axes; k about d1, d2, t. */
export function jointStiffness(q: Quaternion, u: Vector, k: Vector): Matrix {
  const theta2 = dot(u, u);
  const c = logarithmCoefficient(theta2);
  const beta = 2 * c - c * c * theta2 - 0.25;
  const uw = rotate(q, u);
  const t = tangentOf(q);
  const d = directorOf(q);
  const ut = cross(uw, t);
  const ud = cross(uw, d);
  // Jᵀ a = a − ½ u × a + c u × (u × a), and JᵀJ = (1 − βθ²) I + β u uᵀ
  const jt = add(subtract(t, scale(0.5, ut)), scale(c, cross(uw, ut)));
  const jd = add(subtract(d, scale(0.5, ud)), scale(c, cross(uw, ud)));
  const isotropic = addMatrices(diagonal(k[1] * (1 - beta * theta2)), scaleMatrix(k[1] * beta, outer(uw, uw)));
  return addMatrices(
    isotropic,
    addMatrices(scaleMatrix(k[0] - k[1], outer(jd, jd)), scaleMatrix(k[2] - k[1], outer(jt, jt))),
  );
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
}

/** Turn of a joint as a function of (y, φ): ψ = −(constant + fromY·y + fromTurn·φ). */
export interface Gain {
  readonly fromY: Matrix;
  readonly fromTurn: Matrix;
  readonly constant: Vector;
}

export interface Elimination {
  readonly beyond: Beyond;
  readonly gain: Gain;
}

export function nothingBeyond(): Beyond {
  const zero = diagonal(0);
  const none = zeroVector();
  return { yy: zero, yp: zero, pp: zero, y: none, p: none, force: none };
}

/** Adds a node: its residual force and the stiffness of that. */
export function addNode(beyond: Beyond, residual: Vector, stiffness: Matrix): Beyond {
  return {
    yy: addMatrices(beyond.yy, stiffness),
    yp: beyond.yp,
    pp: beyond.pp,
    y: add(beyond.y, residual),
    p: beyond.p,
    force: add(beyond.force, residual),
  };
}

/**
 * Passes from the node after an edge to the node before it: eliminates the turn ψ of the edge against the one before it.
 * `torque` and `stiffness` are those of the joint, `edgeTorque` acts on the edge from outside. Of the second derivatives of
 * position only the positive part of the tension is used: the matrix is then always positive definite.
 */
export function eliminateEdge(beyond: Beyond, edge: Vector, joint: JointResponse, edgeTorque: Vector): Elimination {
  // y after = y before + φ × edge = y before + A φ
  const a = scaleMatrix(-1, skew(edge));
  const at = skew(edge);
  const ya = multiply(beyond.yy, a);
  const wyp = addMatrices(ya, beyond.yp);
  const ap = multiply(at, beyond.yp);
  const inner = addMatrices(symmetricPart(addMatrices(multiply(at, ya), beyond.pp)), addMatrices(ap, transpose(ap)));
  const length2 = dot(edge, edge);
  const pull = Math.max(0, -dot(beyond.force, edge));
  const tension = subtractMatrices(diagonal(pull), scaleMatrix(pull / length2, outer(edge, edge)));
  const w = addMatrices(inner, tension);
  const wp = subtract(add(apply(at, beyond.y), beyond.p), edgeTorque);
  const inverse = invertSymmetric(addMatrices(w, joint.stiffness));
  const fromY = multiply(inverse, transpose(wyp));
  const fromTurn = multiply(inverse, w);
  const constant = apply(inverse, add(wp, joint.torque));
  return {
    beyond: {
      yy: subtractMatrices(beyond.yy, symmetricPart(multiply(wyp, fromY))),
      yp: subtractMatrices(wyp, multiply(wyp, fromTurn)),
      pp: symmetricPart(subtractMatrices(w, multiply(w, fromTurn))),
      y: subtract(beyond.y, apply(wyp, constant)),
      p: subtract(wp, apply(w, constant)),
      force: beyond.force,
    },
    gain: { fromY, fromTurn, constant },
  };
}

/** Torque of a joint on the edge after it, and its stiffness in that edge's turn. */
export interface JointResponse {
  readonly torque: Vector;
  readonly stiffness: Matrix;
}

/** Turn of a joint, at most `limit` rad. */
export function jointTurn(gain: Gain, y: Vector, turn: Vector, limit: number): Vector {
  const psi = scale(-1, add(gain.constant, add(apply(gain.fromY, y), apply(gain.fromTurn, turn))));
  const size2 = dot(psi, psi);
  return size2 > limit * limit ? scale(limit / Math.sqrt(size2), psi) : psi;
}
